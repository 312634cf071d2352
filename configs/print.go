package configs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Map returns the whole configuration as sections of plain values: truth values, int, float64,
// strings, lists and maps. A threshold that is off and a duration are strings, as in the files.
func (c Config) Map() map[string]any {
	return c.pick(func(key) bool { return true })
}

// Semantic returns the semantic keys in the form of [Config.Map]: what goes whole into the log and,
// hashed, into every basis.
func (c Config) Semantic() map[string]any {
	return c.pick(func(k key) bool { return k.class == Semantic })
}

// SemanticJSON returns [Config.Semantic] as JSON with sorted keys and no space between. [Load] reads
// it again.
func (c Config) SemanticJSON() []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(c.Semantic()); err != nil {
		// Plain values fail only as NaN or infinity, which Validate refuses and no file can give.
		panic("configs: a Config that does not hold: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func (c Config) pick(wanted func(key) bool) map[string]any {
	out := map[string]any{}
	for _, k := range keys {
		if !wanted(k) {
			continue
		}
		Put(out, k.path, plain(c.get(k.path)))
	}
	return out
}

// Put sets a key in a configuration that is spelled as sections within sections,
// as Map gives it. A section that is not there is made.
func Put(whole map[string]any, path string, value any) {
	section, names := whole, strings.Split(path, ".")
	for _, name := range names[:len(names)-1] {
		below, ok := section[name].(map[string]any)
		if !ok {
			below = map[string]any{}
			section[name] = below
		}
		section = below
	}
	section[names[len(names)-1]] = value
}

// plain turns a field's value into what Map holds.
func plain(v any) any {
	switch v := v.(type) {
	case Threshold:
		if v == Off {
			return ModeOff
		}
		return float64(v)
	case time.Duration:
		return v.String()
	case []Predicate:
		list := make([]any, len(v))
		for i, p := range v {
			list[i] = p.plain()
		}
		return list
	}
	return v
}

// plain gives a predicate without the keys that it leaves empty.
func (p Predicate) plain() map[string]any {
	out := map[string]any{
		"name": p.Name, "functional": p.Functional, "domain": p.Domain, "range": p.Range, "phrase": p.Phrase,
		"inverse": p.Inverse,
	}
	maps.DeleteFunc(out, func(_ string, v any) bool { return reflect.ValueOf(v).IsZero() })
	if len(p.Opposites) > 0 {
		out["opposites"] = p.Opposites
	}
	if len(p.Synonyms) > 0 {
		out["synonyms"] = p.Synonyms
	}
	if len(p.Text) > 0 {
		out["text"] = p.Text
	}
	return out
}

// YAML returns the effective configuration as a file: the built-in profile with its comments, and
// the values of c in it. Loading it gives c again. Aliases are printed under their first spelling.
func (c Config) YAML() []byte {
	var doc yaml.Node
	if err := yaml.Unmarshal(defaultYAML, &doc); err != nil {
		panic("configs: default.yaml, which is part of the binary: " + err.Error())
	}
	d := Default()
	for _, k := range keys {
		if v := c.get(k.path); !reflect.DeepEqual(v, d.get(k.path)) {
			replace(find(doc.Content[0], k.path), plain(v))
		}
	}
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(&doc); err != nil {
		panic(fmt.Sprintf("configs: printing a parsed file: %v", err))
	}
	return b.Bytes()
}

// find returns the value of a key of default.yaml, which has them all.
func find(n *yaml.Node, path string) *yaml.Node {
	for name := range strings.SplitSeq(path, ".") {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == name {
				n = n.Content[i+1]
				break
			}
		}
	}
	return n
}

// replace puts a value in the place of a node and keeps the node's comments.
func replace(n *yaml.Node, v any) {
	var new yaml.Node
	if err := new.Encode(v); err != nil {
		panic(fmt.Sprintf("configs: printing %v: %v", v, err))
	}
	n.Kind, n.Tag, n.Value, n.Style, n.Content = new.Kind, new.Tag, new.Value, new.Style, new.Content
}
