package configs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// maxFileBytes bounds a file. A configuration goes whole into the log, and no profile comes near.
const maxFileBytes = 1 << 20

// place is where a file gives a value.
type place struct {
	path string // as the file spells it
	line int
}

// places maps paths, in their first spelling, to where a file gives them.
type places map[string]place

// of returns the place of a path: its own, or that of the nearest thing around it that the file
// has, or a place without a line where the file has neither.
func (p places) of(path string) place {
	for around := path; ; {
		if at, ok := p[around]; ok {
			return place{at.path + path[len(around):], at.line}
		}
		cut := strings.LastIndexAny(around, ".[")
		if cut < 0 {
			return place{path: path}
		}
		around = around[:cut]
	}
}

// section is one level of the tree of keys: either a key itself or the keys below.
type section struct {
	key   *key
	below map[string]*section
	names []string // of below, in the order of the table
}

// schema is the tree of all keys and aliases. An alias's key is the one it stands for.
var schema = sync.OnceValue(func() *section {
	root := &section{}
	byPath := map[string]*key{}
	for i := range keys {
		byPath[keys[i].path] = &keys[i]
		root.add(keys[i].path, &keys[i])
	}
	for path, stands := range aliases {
		root.add(path, byPath[stands])
	}
	return root
})

func (s *section) add(path string, k *key) {
	for name := range strings.SplitSeq(path, ".") {
		next := s.below[name]
		if next == nil {
			if s.below == nil {
				s.below = map[string]*section{}
			}
			next = &section{}
			s.below[name] = next
			if aliases[path] == "" { // Only first spellings are proposed.
				s.names = append(s.names, name)
			}
		}
		s = next
	}
	s.key = k
}

// parser reads one file into a Config.
type parser struct {
	into   *Config
	places places
	faults []Fault
}

// parse reads data over what c holds and returns where each value stands and every fault of form:
// syntax, unknown and repeated keys, wrong types, spellings that disagree. Ranges are Validate's.
func parse(c *Config, data []byte) (places, []Fault) {
	p := &parser{into: c, places: places{}}
	if len(data) > maxFileBytes {
		p.fault("", 0, "%d bytes; a configuration has at most %d", len(data), maxFileBytes)
		return p.places, p.faults
	}
	if doc := p.document(data); doc != nil {
		p.section(doc, "", schema())
	}
	return p.places, p.faults
}

func (p *parser) fault(path string, line int, format string, args ...any) {
	p.faults = append(p.faults, Fault{Path: path, Line: line, Message: fmt.Sprintf(format, args...)})
}

var syntaxLine = regexp.MustCompile(`^yaml: line (\d+): `)

// document returns the one document of a file, or nil where there is none or it cannot be read.
func (p *parser) document(data []byte) *yaml.Node {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var first, second yaml.Node
	err := dec.Decode(&first)
	switch {
	case errors.Is(err, io.EOF): // Nothing but comments: all is as built in.
		return nil
	case err != nil:
		p.syntax(err)
		return nil
	}
	switch err := dec.Decode(&second); {
	case err == nil:
		p.fault("", second.Line, "a second document; a configuration is one document")
	case !errors.Is(err, io.EOF):
		p.syntax(err)
	}
	root := first.Content[0]
	if root.Kind == yaml.ScalarNode && root.ShortTag() == "!!null" {
		return nil
	}
	if root.Kind != yaml.MappingNode {
		p.fault("", root.Line, "the file is %s; want keys with values", kindOf(root))
		return nil
	}
	return root
}

func (p *parser) syntax(err error) {
	message, line := err.Error(), 0
	if m := syntaxLine.FindStringSubmatch(message); m != nil {
		line, _ = strconv.Atoi(m[1])
		message = message[len(m[0]):]
	}
	p.fault("", line, "no YAML: %s", strings.TrimPrefix(message, "yaml: "))
}

// pair is one key of a mapping with its value.
type pair struct {
	name, path string
	line       int
	value      *yaml.Node
}

// pairs returns the entries of a mapping, without those whose key is no string, was there before, or
// whose value refers elsewhere: those are faults.
func (p *parser) pairs(n *yaml.Node, prefix string) []pair {
	var out []pair
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		e := pair{name: k.Value, path: prefix + k.Value, line: k.Line, value: v}
		first, again := seen[k.Value]
		switch {
		case k.Kind != yaml.ScalarNode || k.ShortTag() == "!!null":
			p.fault(strings.TrimSuffix(prefix, "."), k.Line, "a key is %s; want a word", kindOf(k))
			continue
		case again:
			p.fault(e.path, k.Line, "given twice; first in line %d", first)
			continue
		case v.Kind == yaml.AliasNode:
			p.fault(e.path, v.Line, "refers to *%s; write the value itself", v.Value)
			seen[k.Value] = k.Line
			continue
		}
		seen[k.Value] = k.Line
		out = append(out, e)
	}
	return out
}

func (p *parser) section(n *yaml.Node, prefix string, s *section) {
	for _, e := range p.pairs(n, prefix) {
		below, known := s.below[e.name]
		switch {
		case !known:
			p.fault(e.path, e.line, "unknown key; %s", suggest(e.name, e.path, s))
		case below.key != nil:
			p.value(e, below.key)
		case e.value.Kind == yaml.MappingNode:
			p.section(e.value, e.path+".", below)
		case e.value.ShortTag() == "!!null": // All of its keys are commented out.
		default:
			p.fault(e.path, e.value.Line, "%s is %s; want a section with the keys %s",
				show(e.value), kindOf(e.value), strings.Join(below.names, ", "))
		}
	}
}

// value reads the value of a key under whichever of its spellings.
func (p *parser) value(e pair, k *key) {
	var v any
	if k.path == predicatesKey {
		p.places[e.path] = place{e.path, e.line}
		v = p.predicates(e)
	} else {
		var err error
		if v, err = k.want.read(e.value); err != nil {
			p.fault(e.path, e.line, "%s", err)
			return
		}
	}
	if before, ok := p.places[k.path]; ok && before.path != e.path {
		if !reflect.DeepEqual(p.into.get(k.path), v) {
			p.fault(e.path, e.line, "disagrees with %s in line %d, which is the same switch", before.path, before.line)
		}
		return
	}
	p.places[k.path] = place{e.path, e.line}
	p.into.set(k.path, v)
}
