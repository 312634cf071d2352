package configs

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// predicateKeys are the keys of one entry, for proposals.
var predicateKeys = &section{names: []string{"name", "functional", "domain", "range", "phrase", "inverse", "opposites", "synonyms", "text"}}

// predicates reads the list of predicates, noting the place of every part.
func (p *parser) predicates(e pair) []Predicate {
	var list []Predicate
	for i, n := range p.list(e.value, e.path, e.line) {
		at := fmt.Sprintf("%s[%d]", e.path, i)
		p.places[at] = place{at, n.Line}
		if n.Kind != yaml.MappingNode {
			p.fault(at, n.Line, "%s is %s; want a section with the keys %s", show(n), kindOf(n), strings.Join(predicateKeys.names, ", "))
			list = append(list, Predicate{}) // Keeps the numbers of those after it.
			continue
		}
		list = append(list, p.predicate(n, at))
	}
	return list
}

func (p *parser) predicate(n *yaml.Node, at string) Predicate {
	out := Predicate{Domain: entityNode, Range: entityNode}
	for _, e := range p.pairs(n, at+".") {
		p.places[e.path] = place{e.path, e.line}
		switch e.name {
		case "name":
			out.Name = p.word(e.value, e.path)
		case "functional":
			v, err := boolean.read(e.value)
			if err != nil {
				p.fault(e.path, e.line, "%s", err)
				continue
			}
			out.Functional = v.(bool)
		case "domain":
			out.Domain = p.word(e.value, e.path)
		case "range":
			out.Range = p.word(e.value, e.path)
		case "phrase":
			out.Phrase = p.word(e.value, e.path)
		case "inverse":
			out.Inverse = p.word(e.value, e.path)
		case "opposites":
			out.Opposites = p.words(e.value, e.path, e.line)
		case "synonyms":
			out.Synonyms = p.words(e.value, e.path, e.line)
		case "text":
			out.Text = p.phrases(e)
		default:
			p.fault(e.path, e.line, "unknown key; %s", suggest(e.name, e.path, predicateKeys))
		}
	}
	return out
}

func (p *parser) phrases(e pair) map[string][]string {
	if e.value.Kind != yaml.MappingNode {
		p.fault(e.path, e.line, "%s is %s; want lists of phrases under en and zh", show(e.value), kindOf(e.value))
		return nil
	}
	out := map[string][]string{}
	for _, lang := range p.pairs(e.value, e.path+".") {
		p.places[lang.path] = place{lang.path, lang.line}
		if words := p.words(lang.value, lang.path, lang.line); len(words) > 0 {
			out[lang.name] = words
		}
	}
	if len(out) == 0 {
		return nil // As where the key is left out, so that both are one configuration.
	}
	return out
}

// list returns the entries of a list; nothing in its place is the empty list.
func (p *parser) list(n *yaml.Node, path string, line int) []*yaml.Node {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		p.fault(path, line, "%s is %s; want a list", show(n), kindOf(n))
		return nil
	}
	return n.Content
}

func (p *parser) words(n *yaml.Node, path string, line int) []string {
	var out []string
	for i, entry := range p.list(n, path, line) {
		at := fmt.Sprintf("%s[%d]", path, i)
		p.places[at] = place{at, entry.Line}
		out = append(out, p.word(entry, at))
	}
	return out
}

// word reads a string; one that cannot be read is a fault.
func (p *parser) word(n *yaml.Node, path string) string {
	v, err := anyText.read(n)
	if err != nil {
		p.fault(path, n.Line, "%s", err)
		return ""
	}
	return v.(string)
}

// anyText wants a string, whichever.
var anyText = text(func(string) string { return "" })
