package configs

import (
	"reflect"
	"strings"
	"sync"
)

// fieldIndex maps the path of each key to its field in Config.
var fieldIndex = sync.OnceValue(func() map[string][]int {
	index := map[string][]int{}
	indexFields(reflect.TypeFor[Config](), "", nil, index)
	return index
})

// indexFields adds the leaves of t, which lies at path and is reached by at.
func indexFields(t reflect.Type, path string, at []int, index map[string][]int) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		sub := append(append([]int(nil), at...), i)
		if f.Type.Kind() == reflect.Struct {
			indexFields(f.Type, path+name+".", sub, index)
			continue
		}
		index[path+name] = sub
	}
}

// get returns the value of a key.
func (c *Config) get(path string) any {
	return reflect.ValueOf(c).Elem().FieldByIndex(fieldIndex()[path]).Interface()
}

// set changes the value of a key; v has the type of its field.
func (c *Config) set(path string, v any) {
	reflect.ValueOf(c).Elem().FieldByIndex(fieldIndex()[path]).Set(reflect.ValueOf(v))
}
