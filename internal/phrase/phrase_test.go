package phrase

import (
	"slices"
	"strings"
	"testing"
)

// words is a text of words by spaces; a slot takes one word or two, "." ends a clause.
type words []string

func (t words) Word(w string, at int, _ bool) int {
	if at < len(t) && t[at] == w {
		return at + 1
	}
	return -1
}

func (t words) Skip(at int) int {
	if t.Ends(at) {
		return -1
	}
	return at + 1
}

func (t words) Values(_ Slot, at int, _ bool, ends []int) []int {
	for n := 1; n <= 2 && at+n <= len(t) && t[at+n-1] != "."; n++ {
		ends = append(ends, at+n)
	}
	return ends
}

func (t words) Starts(at int) bool { return at == 0 || t[at-1] == "." }
func (t words) Ends(at int) bool   { return at == len(t) || t[at] == "." }

func TestMatch(t *testing.T) {
	for _, c := range []struct{ pattern, text, want string }{
		{"{src} likes {dst}", "anna likes tea", "src=anna dst=tea"},
		{"{src} (likes|is fond of) {dst}", "anna is fond of tea", "src=anna dst=tea"},
		{"{src} [really] likes {dst}", "anna really likes tea", "src=anna dst=tea"},
		{"{src} [really|so very] likes {dst}", "anna so very likes tea", "src=anna dst=tea"},
		{"{src} <have> left {dst}", "anna 's left rome", "src=anna dst=rome"},
		{"{src} * likes {dst}", "anna now and then likes tea", "src=anna dst=tea"},
		{"{src} * likes {dst}", "anna b c d e f likes tea", ""},
		{"{src} likes {dst} $", "anna likes green tea", "src=anna dst=green tea"},
		{"{src} likes {dst} $", "anna likes very green tea", ""},
		{"^ {src} likes {dst}", "anna likes tea", "src=anna dst=tea"},
		{"{src} don't like {dst}", "i do n't like tea", "src=i dst=tea"},
		{"{src} (works|has a job) at {dst}", "anna has a job at home", "src=anna dst=home"},
		{"{src} ((very|so) much|hardly) likes {dst}", "anna so much likes tea", "src=anna dst=tea"},
		{"{src} (likes|loves) {dst}", "anna hates tea", ""},
		{"{src} part-time at {dst}", "anna part - time at home", "src=anna dst=home"},
	} {
		p, err := Parse("en", c.pattern)
		if err != nil {
			t.Fatalf("%s: %v", c.pattern, err)
		}
		text := words(strings.Fields(c.text))
		var m Matcher
		var got []string
		if _, ok := m.Match(p, text, 0); ok {
			for i, s := range p.Slots() {
				a, b := m.Value(i)
				got = append(got, s.Name+"="+strings.Join(text[a:b], " "))
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s in %q: %q, want %q", c.pattern, c.text, strings.Join(got, " "), c.want)
		}
	}
}

func TestOpens(t *testing.T) {
	for pattern, want := range map[string]string{
		"my {dst} (died|ran away)": "my", "[so] (my|our) {dst} died": "so my our", "{src} likes {dst}": "", "* likes {dst}": "", "[so] {src} likes {dst}": "",
	} {
		p, err := Parse("en", pattern)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := p.Opens(); strings.Join(got, " ") != want || ok != (want != "") {
			t.Errorf("%s: opens with %v, want %s", pattern, got, want)
		}
	}
}

func TestTouching(t *testing.T) {
	for pattern, want := range map[string]string{"{src} [really] {dst} likes": "dst", "{src} likes {dst}": "", "{src} * {dst} likes": "dst"} {
		if p, err := Parse("en", pattern); err != nil || p.Touching() != want {
			t.Errorf("%s: %v, want %q", pattern, err, want)
		}
	}
}

func TestCues(t *testing.T) {
	for _, c := range []struct{ pattern, want string }{
		{"{src} is allergic to {dst}", "allergic"},
		{"{src} (loves|adores) the {dst}", "loves adores"},
		{"[really] {src} owns {dst}", "owns"},
	} {
		p, err := Parse("en", c.pattern)
		if err != nil || !slices.Equal(p.Cues(), strings.Fields(c.want)) {
			t.Errorf("%s: cues %v, %v; want %s", c.pattern, p.Cues(), err, c.want)
		}
	}
}

func TestParseFaults(t *testing.T) {
	for _, c := range []struct{ pattern, want string }{
		{"{src} {dst}", "no word that must stand there"},
		{"{src} likes {dst", "is not closed"},
		{"{src} (likes {dst}", "a slot in brackets"},
		{"{src} (likes", "is missing"},
		{"{src} likes) {dst}", "closes nothing"},
		{"{src} a|b {dst}", "a bar outside of brackets"},
		{"{src} (a||b) {dst}", "nothing to choose"},
		{"{src} () {dst}", "nothing to choose"},
		{"{src} likes {src}", "stands there twice"},
		{"{src} [likes] * {dst}", "no word that must stand there"},
		{"{src}", "no word that must stand there"},
		{"{SRC} likes {dst}", "in small letters"},
		{"{src} <verb> {dst}", "is no set of words"},
		{strings.Repeat("(", 20) + "a" + strings.Repeat(")", 20), "nest deeper"},
		{strings.Repeat("* ", 200) + "a", "steps; at most"},
		{strings.Repeat("a", 2000), "bytes; at most"},
		{"a\xff", "not UTF-8"},
	} {
		if _, err := Parse("en", c.pattern); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.pattern, err, c.want)
		}
	}
	if _, err := Parse("fr", "{src} aime {dst}"); err == nil {
		t.Error("French is taken")
	}
}

// countedText counts what is asked of it.
type countedText struct {
	words
	asked int
}

func (t *countedText) Word(w string, at int, first bool) int {
	t.asked++
	return t.words.Word(w, at, first)
}

// TestHostile holds the cost of patterns that would take exponential time where each
// choice is tried anew.
func TestHostile(t *testing.T) {
	text := &countedText{words: slices.Repeat(words{"a"}, 500)}
	for _, s := range []string{
		strings.Repeat("[a]", 50) + " b",
		strings.Repeat("(a|a a)", 20) + " b",
		"{src} a " + strings.Repeat("* a ", 10) + "{dst} b",
		strings.Repeat("[a [a [a]]] ", 10) + "b",
	} {
		p, err := Parse("en", s)
		if err != nil {
			t.Fatalf("%s: %v", s, err)
		}
		var m Matcher
		text.asked = 0
		for at := range text.words {
			if _, ok := m.Match(p, text, at); ok {
				t.Errorf("%s matches", s)
			}
		}
		if limit := len(text.words) * len(p.steps) * Window; text.asked > limit {
			t.Errorf("%s asked for %d words, more than %d", s, text.asked, limit)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"{src} likes {dst}", "{src} (a|[b c]) * {dst:place} $", "((((", "a|b", "{}", "<be>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, lang := range []string{"en", "zh"} {
			p, err := Parse(lang, s)
			if err != nil {
				continue
			}
			if len(p.Cues()) == 0 || len(p.steps) > MaxSteps {
				t.Errorf("%q: %d cues, %d steps", s, len(p.Cues()), len(p.steps))
			}
			var m Matcher
			m.Match(p, words(strings.Fields(s)), 0)
		}
	})
}
