package extract

import (
	"slices"
	"strings"

	"github.com/asof-db/asof/internal/analyze"
)

// exactAlias is option A of alias with its near match off: two spellings are one
// name when they are equal after normalising.
type exactAlias struct{}

// Version names the rule.
func (exactAlias) Version() string { return "alias.exact/1" }

// FindAliases gives each later spelling with the first one.
func (exactAlias) FindAliases(d *Document) []Alias {
	var out []Alias
	for i, m := range d.Entities {
		for _, first := range d.Entities[:min(i, 64)] {
			if first.Text == m.Text {
				break
			}
			if first.Type == m.Type && len(first.Text) == len(m.Text) && analyze.NormalizeName(first.Text) == analyze.NormalizeName(m.Text) {
				if a := (Alias{Name: m.Text, Of: first.Text}); !slices.Contains(out, a) {
					out = append(out, a)
				}
				break
			}
		}
	}
	return out
}

// nearestCoref is option A of coref: a third-person pronoun stands for the one
// person named before it, in the turn or else in the turn before; where there
// are two, it is left alone.
type nearestCoref struct{}

// Version names the rule.
func (nearestCoref) Version() string { return "coref.rule/1" }

var pronouns = wordSet("he she him her his")

// maxCorefs bounds the pronouns that are resolved in one turn.
const maxCorefs = 64

// ResolveCoref gives the pronouns whose referent is clear, in order.
func (nearestCoref) ResolveCoref(d *Document) []Coref {
	var out []Coref
	prev, asked := "", false
	resolve := func(start, end int) {
		if len(out) >= maxCorefs {
			return
		}
		name, many := onlyPerson(d, d.Entities, start)
		if name == "" && !many {
			if !asked {
				asked = true
				prev = personBefore(d)
			}
			name = prev
		}
		if name != "" {
			out = append(out, Coref{d.Text[start:end], start, end, name})
		}
	}
	for i := range d.tokens {
		t := &d.tokens[i]
		switch {
		case t.kind == wordToken && pronouns[t.low]:
			resolve(t.start, t.end)
		case t.kind == hanToken:
			run := d.Text[t.start:t.end]
			for k := 0; k < len(run); {
				j := strings.IndexAny(run[k:], "他她")
				if j < 0 {
					break
				}
				at := k + j
				k = at + len("他")
				// 他们 is several; 其他 and 吉他 are words.
				if strings.HasPrefix(run[k:], "们") || strings.HasSuffix(run[:at], "其") || strings.HasSuffix(run[:at], "吉") {
					continue
				}
				resolve(t.start+at, t.start+k)
			}
		}
	}
	return out
}

// onlyPerson gives the person named before a byte, and whether there are several.
// The two who speak do not count: they are "I" and "you".
func onlyPerson(d *Document, all []Mention, before int) (name string, many bool) {
	for _, m := range all {
		if m.Start >= before {
			break
		}
		if m.Type != typePerson || analyze.NormalizeName(m.Text) == analyze.NormalizeName(d.Speaker) || d.Listener != "" && strings.HasPrefix(analyze.NormalizeName(d.Listener), analyze.NormalizeName(m.Text)) {
			continue
		}
		if name != "" && name != m.Text {
			return "", true
		}
		name = m.Text
	}
	return name, false
}

// personBefore gives the only person named in the turn before.
func personBefore(d *Document) string {
	if len(d.Previous) == 0 {
		return ""
	}
	text, err := d.Previous[len(d.Previous)-1].Text.Open()
	if err != nil || text == "" {
		return ""
	}
	p := &Document{Text: text, Speaker: d.Speaker, Listener: d.Listener, Memory: d.Memory, Registry: d.Registry, tokens: tokenize(text)}
	p.quotes = quoteRanges(p.tokens)
	name, _ := onlyPerson(d, ruleEntities{}.ExtractEntities(p), len(text))
	return name
}
