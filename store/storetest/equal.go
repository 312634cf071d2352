package storetest

import (
	"fmt"
	"reflect"
	"strconv"

	"github.com/asof-db/asof/dsl"
)

// difference gives the path of the first difference between two values and what
// stands there, or nothing. A nil and an empty slice are equal; floats are equal
// when they are the same number.
func difference(want, got any) string {
	return differ("", reflect.ValueOf(want), reflect.ValueOf(got))
}

var textType = reflect.TypeFor[dsl.Text]()

func differ(path string, want, got reflect.Value) string {
	at := func(w, g any) string { return fmt.Sprintf("%s: want %v, got %v", path, w, g) }
	if want.IsValid() != got.IsValid() {
		return at(want, got)
	}
	if !want.IsValid() {
		return ""
	}
	if want.Type() != got.Type() {
		return at(want.Type(), got.Type())
	}
	switch want.Kind() {
	case reflect.Pointer:
		if want.IsNil() || got.IsNil() {
			if want.IsNil() && got.IsNil() {
				return ""
			}
			return at(want, got)
		}
		return differ(path, want.Elem(), got.Elem())
	case reflect.Slice, reflect.Array:
		for i := range min(want.Len(), got.Len()) {
			if d := differ(path+"["+strconv.Itoa(i)+"]", want.Index(i), got.Index(i)); d != "" {
				if path == "" && want.Index(i).Kind() == reflect.Struct {
					d += "\nwant " + show(want.Index(i)) + "\ngot  " + show(got.Index(i))
				}
				return d
			}
		}
		if want.Len() != got.Len() {
			return at(fmt.Sprintf("%d: %s", want.Len(), show(want)), fmt.Sprintf("%d: %s", got.Len(), show(got)))
		}
		return ""
	case reflect.Struct:
		if want.Type() == textType { // its fields are its own
			if want.Interface() != got.Interface() {
				return at(want, got)
			}
			return ""
		}
		for i := range want.NumField() {
			if d := differ(path+"."+want.Type().Field(i).Name, want.Field(i), got.Field(i)); d != "" {
				return d
			}
		}
		return ""
	}
	if !want.Equal(got) {
		return at(want, got)
	}
	return ""
}

// show gives a value for people, as JSON where it has that form.
func show(v reflect.Value) string {
	b, err := dsl.Canonical(v.Interface())
	if err != nil {
		b = fmt.Appendf(nil, "%+v", v)
	}
	const most = 2000
	if len(b) > most {
		b = append(b[:most:most], "…"...)
	}
	return string(b)
}
