package extract

import (
	"github.com/asof-db/asof/extract/tagger"
)

// taggerBias holds the tagger back on titles of works, which it finds in too many
// capitals, in steps of the tagger's scale.
var taggerBias = tagger.Bias{0, 0, 0, -20}

// leastMargin is by how much a name of the tagger must score above none, by type.
var leastMargin = map[string]int{typePerson: 10, typeOrg: 10, typeLoc: 10, typeWork: 10}

// tagged adds to the mentions of the rules, which are in order, those of the
// tagger that lie beside them all.
func (f *finder) tagged(rules []Mention) []Mention {
	spans := tagger.Tag(nil, f.d.Text, taggerBias)
	if len(spans) == 0 {
		return rules
	}
	out := make([]Mention, 0, len(rules)+len(spans))
	for _, s := range spans {
		for len(rules) > 0 && rules[0].End <= s.Start {
			out, rules = append(out, rules[0]), rules[1:]
		}
		if len(rules) > 0 && rules[0].Start < s.End {
			continue
		}
		if m, ok := f.tidy(s); ok {
			out = append(out, m)
		}
	}
	return append(out, rules...)
}

// tidy checks a name of the tagger.
func (f *finder) tidy(s tagger.Span) (Mention, bool) {
	if s.Margin < leastMargin[s.Type] {
		return Mention{}, false
	}
	return Mention{f.d.Text[s.Start:s.End], s.Start, s.End, s.Type}, true
}
