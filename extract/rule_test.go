package extract

import (
	"errors"
	"strings"
	"testing"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/suite"
)

// ownRegistry adds predicates with text patterns.
func ownRegistry(t *testing.T) *Registry {
	t.Helper()
	r, err := DefaultRegistry().With(
		Predicate{Name: "allergic_to", Domain: dsl.Entity, Range: dsl.Literal, Phrase: "is allergic to", Text: map[string][]string{
			"en": {"{src} (am|is|are|'m|'s) allergic to {dst}", "end: {src} [<have>] outgrew my {dst} allergy", "not: {src} <be> not allergic to {dst}"},
			"zh": {"{src}对{dst}过敏", "end: {src}对{dst}(不|不再)过敏了"},
		}},
		Predicate{Name: "mentors", Domain: dsl.Entity, Range: dsl.Entity, Text: map[string][]string{"en": {"mentors", "is a mentor of"}, "zh": {"{src}带{dst:person}"}}},
		Predicate{Name: "due", Domain: dsl.Entity, Range: dsl.TimeInstant, Text: map[string][]string{"en": {"{src} (am|is|'m|'s) due [on] {dst}"}, "zh": {"{src}预产期是{dst}"}}},
	)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestOwnPatterns holds what text patterns of the configuration find.
func TestOwnPatterns(t *testing.T) {
	p, err := New(func() Config { c := DefaultConfig(); c.Registry = ownRegistry(t); return c }())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, want string }{
		{"I'm allergic to peanuts.", "I>allergic_to>peanuts"},
		{"My brother is really allergic to cats.", "Anna/brother>allergic_to>cats"},
		{"I outgrew my milk allergy.", "end I>allergic_to>milk"},
		{"I'm not allergic to dust.", "not I>allergic_to>dust"},
		{"Are you allergic to peanuts?", ""},
		{"If I were allergic to peanuts, I'd know.", ""},
		{"She asked whether I am allergic to peanuts.", ""},
		{"\"I am allergic to peanuts\" is what the sign says.", ""},
		{"Clara mentors Tom.", "Clara>mentors>Tom"},
		{"My sister is a mentor of Tom.", "Anna/sister>mentors>Tom"},
		{"I'm due on June 3.", "I>due>2023-06-03"},
		{"I'm due at noon, I think.", ""},
		{"我对花生过敏。", "I>allergic_to>花生"},
		{"我妹妹对花粉过敏。", "Anna/妹妹>allergic_to>花粉"},
		{"我对花生不再过敏了。", "end I>allergic_to>花生"},
		{"你对花生过敏吗？", ""},
		{"如果我对花生过敏就糟了。", ""},
		{"我预产期是6月3日。", "I>due>2023-06-03"},
	} {
		r := p.Extract(contextOf(t, &suite.Statement{Text: c.text}, "Anna", "Ben"))
		var got []string
		for i := range r.Candidates {
			if rel := r.Candidates[i].Rel; rel == "allergic_to" || rel == "mentors" || rel == "due" {
				got = append(got, stated(&r, i, "Anna", "Ben"))
			}
		}
		if g := strings.Join(got, "; "); g != strings.ToLower(c.want) {
			t.Errorf("%s: %q, want %q", c.text, g, strings.ToLower(c.want))
		}
	}
}

// TestOwnPatternFaults holds that a registry refuses patterns that are none.
func TestOwnPatternFaults(t *testing.T) {
	for text, want := range map[string]string{
		"{src} likes": "{dst} is missing", "{src} {dst}": "no word", "{src} (sails {dst}": "outside of them", "{src} sails {dst:ship}": "no kind of value",
	} {
		_, err := DefaultRegistry().With(Predicate{Name: "x", Domain: dsl.Entity, Range: dsl.Literal, Text: map[string][]string{"en": {text}}})
		if !errors.Is(err, dsl.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestBuiltinRules holds that each pattern of the lists has a cue and a value that its
// relation knows.
func TestBuiltinRules(t *testing.T) {
	for lang, all := range map[string]*rules{"en": rulesEn, "zh": rulesZh} {
		seen := map[string]bool{}
		for _, list := range all.byCue {
			for _, r := range list {
				seen[r.id] = true
				if _, ok := DefaultRegistry().Lookup(r.rel); !ok || r.what == "" {
					t.Errorf("%s: relation %q", r.id, r.rel)
				}
			}
		}
		if len(seen) < 150 {
			t.Errorf("%s has %d rules", lang, len(seen))
		}
	}
}

// TestHostilePatterns holds that patterns of the configuration that nest and repeat
// cost no more than their size on long input.
func TestHostilePatterns(t *testing.T) {
	r, err := DefaultRegistry().With(Predicate{Name: "x", Domain: dsl.Entity, Range: dsl.Literal, Text: map[string][]string{
		"en": {"{src} " + strings.Repeat("[a] ", 40) + "b {dst}", "{src} * a * a * a * a {dst}", strings.Repeat("(a|a a) ", 12) + "{src} b {dst}"},
		"zh": {"{src}" + strings.Repeat("[啊]", 40) + "好{dst}", "{src}*啊*啊*啊{dst}"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(func() Config { c := DefaultConfig(); c.Registry = r; return c }())
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{strings.Repeat("I a ", 1<<15), strings.Repeat("a ", 1<<16), strings.Repeat("我啊", 1<<15), strings.Repeat("啊", 1<<16), strings.Repeat("我，", 1<<14)} {
		if got := p.Extract(Context{Turn: turnOf(t, "2023-05-10T14:00:00Z", text)}); len(got.Candidates) > len(text) {
			t.Errorf("%d candidates of %d bytes", len(got.Candidates), len(text))
		}
	}
}
