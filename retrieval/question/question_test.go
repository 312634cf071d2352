package question

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/asof-db/asof/dsl"
)

// asked is a Wednesday.
var asked = time.Date(2024, 5, 15, 12, 0, 0, 0, time.UTC)

// acquaintances is a lookup with speakers, and things that have another name.
func acquaintances(name string) (Entity, bool) {
	switch strings.ToLower(name) {
	case "mina", "joost", "小林", "李明", "caroline":
		return Entity{Speaker: true}, true
	case "blue heron café", "blue heron", "robert", "北京大学":
		return Entity{Names: []string{name, "the Heron"}}, true
	}
	return Entity{}, false
}

// summary gives the kind of answer, and names, times and parts.
func summary(text string, a *Analysis) (wants, found string) {
	var list []string
	for _, n := range a.Names {
		list = append(list, n.Text+"/"+string(n.Role))
	}
	for _, t := range a.Times {
		list = append(list, fmt.Sprintf("%s %s/%s", t.Relation, t.Interval, t.Grain))
	}
	if len(a.Parts) > 1 || a.Aside {
		for _, p := range a.Parts {
			list = append(list, "<"+text[p.Start:p.End]+">")
		}
	}
	wants = string(a.Kind)
	if a.Order != None {
		wants += " " + string(a.Order)
	}
	if a.Listing {
		wants += " listing"
	}
	return wants, strings.Join(list, "; ")
}

func TestAnalyze(t *testing.T) {
	for _, c := range slices.Concat(englishCases, chineseCases) {
		a := Analyze(c.text, asked, acquaintances)
		wants, found := summary(c.text, &a)
		if a.Language != c.language || wants != c.wants || found != c.found {
			t.Errorf("%q\n got %q %q %q\nwant %q %q %q", c.text, a.Language, wants, found, c.language, c.wants, c.found)
		}
	}
}

func TestAliases(t *testing.T) {
	a := Analyze("Who owns Blue Heron?", asked, acquaintances)
	if len(a.Names) != 1 || !slices.Equal(a.Names[0].Aliases, []string{"the Heron"}) || a.Names[0].Speaker {
		t.Errorf("names %+v, want Blue Heron with its other name", a.Names)
	}
	if a := Analyze("Who owns Blue Heron?", asked, nil); a.Names != nil {
		t.Errorf("without a lookup there are names: %+v", a.Names)
	}
}

// TestLookupsAreBounded asks about a text of nothing but names.
func TestLookupsAreBounded(t *testing.T) {
	calls := 0
	Analyze(strings.Repeat("Zed 小林", 20000), asked, func(string) (Entity, bool) { calls++; return Entity{}, false })
	if calls == 0 || calls > maxLookups {
		t.Errorf("%d lookups, want 1 to %d", calls, maxLookups)
	}
}

// TestLongQuestion cuts between characters and reads what is before.
func TestLongQuestion(t *testing.T) {
	text := "Wann? 小林昨天做了什么？" + strings.Repeat("啊", 40000)
	a := Analyze(text, asked, acquaintances)
	if len(a.Names) != 1 || len(a.Times) != 1 {
		t.Errorf("names %+v, times %+v, want one each", a.Names, a.Times)
	}
	if end := a.Parts[len(a.Parts)-1].End; end > MaxBytes || !utf8.ValidString(text[:end]) {
		t.Errorf("the parts end at %d", end)
	}
}

func FuzzAnalyze(f *testing.F) {
	for _, c := range slices.Concat(englishCases, chineseCases) {
		f.Add(c.text, int64(c.text[0])*1e12)
	}
	f.Add("what i actually", int64(0))
	f.Add("其实", int64(-1))
	f.Add("\xff\xfe另外，\xff？", int64(1<<60))
	f.Fuzz(func(t *testing.T, text string, at int64) {
		when := dsl.Instant(at)
		if !when.Finite() {
			when = dsl.FromTime(asked)
		}
		a := Analyze(text, when.Time(), acquaintances)
		if len(a.Parts) == 0 {
			t.Fatalf("%q has no part", text)
		}
		last := 0
		for _, p := range a.Parts {
			if p.Start < last || p.End < p.Start || p.End > len(text) {
				t.Fatalf("%q: part %+v after %d", text, p, last)
			}
			last = p.End
		}
		for _, n := range a.Names {
			if text[n.Start:n.End] != n.Text {
				t.Fatalf("%q: name %+v", text, n)
			}
		}
		for _, x := range a.Times {
			if x.Start < 0 || x.End > len(text) || x.Interval.Empty() || !x.Interval.Valid() {
				t.Fatalf("%q: time %+v", text, x)
			}
		}
		if b := Analyze(text, when.Time(), acquaintances); fmt.Sprint(a) != fmt.Sprint(b) {
			t.Fatalf("%q is read in two ways:\n%v\n%v", text, a, b)
		}
	})
}

func BenchmarkAnalyze(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Analyze("What did Joost tell Mina about the bakery on 3 May 2024?", asked, acquaintances)
	}
}
