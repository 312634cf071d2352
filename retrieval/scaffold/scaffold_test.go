package scaffold

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/retrieval"
	"github.com/asof-db/asof/retrieval/pack"
	"github.com/asof-db/asof/retrieval/question"
)

func at(day string) dsl.Instant {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		panic(err)
	}
	return dsl.FromTime(t.Add(10 * time.Hour))
}

// turns makes a pack of turns: id, day, speaker, text.
func turns(query string, lines ...[4]string) *pack.Pack {
	now := at("2024-01-01")
	p := &pack.Pack{Query: query, Lang: "en", At: &now}
	for _, l := range lines {
		p.Items = append(p.Items, pack.Item{Kind: retrieval.Turn, ID: l[0], Valid: dsl.Since(at(l[1])), Record: dsl.Since(at(l[1])), ActiveAt: &now,
			Evidence: []string{l[0]}, Said: []pack.Said{{ID: l[0], Speaker: l[2], At: at(l[1]), Text: l[3]}}, Text: l[3]})
	}
	return p
}

// fact adds a fact to a pack.
func fact(p *pack.Pack, id, src, rel, dst string, valid dsl.Interval) {
	it := pack.Item{Kind: retrieval.Fact, ID: id, Valid: valid, Record: dsl.Since(at("2023-01-01")), Evidence: []string{"of " + id},
		Fact: &pack.Triple{Src: src, Rel: rel, Dst: dst}}
	if valid.Contains(*p.At) {
		it.ActiveAt = p.At
	}
	p.Items = append(p.Items, it)
}

func build(t *testing.T, p *pack.Pack, k Kind) string {
	t.Helper()
	list, err := Build(p, []Kind{k}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, it := range p.Items {
		for _, id := range it.Evidence {
			known[id] = true
		}
	}
	if len(list) == 0 {
		return ""
	}
	for _, l := range list[0].Lines {
		if len(l.Evidence) == 0 {
			t.Errorf("%q has no evidence", l.Text)
		}
		for _, id := range l.Evidence {
			if !known[id] {
				t.Errorf("%q rests on %q, which is not in the pack", l.Text, id)
			}
		}
	}
	return list[0].Text
}

func TestTimeline(t *testing.T) {
	p := turns("when did Ana move?",
		[4]string{"t3", "2023-05-10", "Ana", "I moved to Lyon last month. It is lovely."},
		[4]string{"t1", "2023-05-08", "Ben", "I ran a marathon yesterday!"},
		[4]string{"t2", "2023-05-09", "Ben", "No time in here."})
	fact(p, "f", "Ana", "lives_in", "Nice", dsl.Interval{Start: at("2021-03-01"), End: at("2023-04-01")})
	want := `Timeline:
2021-03-01 to 2023-04-01: Ana lives_in Nice [of f]
2023-04: Ana: I moved to Lyon last month. [t3]
2023-05-07: Ben: I ran a marathon yesterday! [t1]`
	if got := build(t, p, Timeline); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestFreshness(t *testing.T) {
	p := turns("where does Ana live now?",
		[4]string{"t1", "2023-03-01", "Ana", "I live in Paris."},
		[4]string{"t2", "2023-05-10", "Ana", "I live in Lyon."},
		[4]string{"t3", "2023-05-12", "Ana", "I like jazz."})
	want := `Newest first:
2023-05-10: Ana lives in Lyon [t2]
2023-03-01: Ana lives in Paris [t1]
2023-05-12: Ana likes the music jazz [t3]`
	if got := build(t, p, Freshness); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// A month and a day in it: the stated grain does not tell them apart.
	p = turns("where does Ana live now?")
	fact(p, "month", "Ana", "lives_in", "Nice", dsl.Interval{Start: at("2023-04-01"), End: at("2023-05-01")})
	fact(p, "day", "Ana", "lives_in", "Lyon", dsl.Interval{Start: at("2023-04-09"), End: at("2023-04-10")})
	if got := build(t, p, Freshness); !strings.Contains(got, "do not tell these apart") || !strings.HasPrefix(got, "Newest first:\n2023-04-09: Ana lives in Lyon [of day]") {
		t.Errorf("got\n%s", got)
	}
}

func TestInvariants(t *testing.T) {
	p := turns("what does Ana like?",
		[4]string{"t1", "2023-03-01", "Ana", "I like jazz."},
		[4]string{"t2", "2023-03-05", "Ana", "I live in Paris."},
		[4]string{"t3", "2023-05-10", "Ana", "I live in Lyon."},
		[4]string{"t4", "2023-06-10", "Ana", "I don't like jazz anymore."})
	got := build(t, p, Invariants)
	for _, line := range []string{"Ana lives in: Lyon; before: Paris [t3, t2]", "not: jazz"} {
		if !strings.Contains(got, line) {
			t.Errorf("no %q in\n%s", line, got)
		}
	}
}

func TestCount(t *testing.T) {
	p := turns("How many cats does Ana have?",
		[4]string{"t1", "2023-03-01", "Ana", "I have two cats. Do you like cats?"},
		[4]string{"t2", "2023-04-05", "Ana", "We adopted another cat!"},
		[4]string{"t3", "2023-05-10", "Ana", "I have three cats, and they love the garden."},
		[4]string{"t4", "2023-05-10", "Ben", "I have a dog."})
	want := `To count:
1. 2023-03-01: Ana: I have two cats. [t1]
2. 2023-04-05: Ana: We adopted another cat! [t2]
3. 2023-05-10: Ana: I have three cats, and they love the garden. [t3]
stated on 2023-05-10: 3 [t3]
stated on 2023-03-01: 2 [t1]
mentions: 3, at different times: 3 [t1, t2, t3]`
	if got := build(t, p, Count); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestContradictions(t *testing.T) {
	since := dsl.Since(at("2023-01-01"))
	for name, c := range map[string]struct {
		kind Kind
		pack func() *pack.Pack
	}{
		"two values of a functional relation": {Invariants, func() *pack.Pack {
			p := turns("")
			fact(p, "a", "Ana", "lives_in", "Nice", since)
			fact(p, "b", "Ana", "lives_in", "Lyon", since)
			return p
		}},
		"liked and disliked": {Invariants, func() *pack.Pack {
			p := turns("")
			fact(p, "a", "Ana", "likes", "jazz", since)
			fact(p, "b", "Ana", "dislikes", "jazz", since)
			return p
		}},
		"two numbers on one day": {Count, func() *pack.Pack {
			return turns("how many cats does Ana have?", [4]string{"a", "2023-05-01", "Ana", "I have two cats."}, [4]string{"b", "2023-05-01", "Ana", "I have four cats."})
		}},
		"said after the instant": {Timeline, func() *pack.Pack { return turns("", [4]string{"a", "2025-05-01", "Ana", "I have two cats."}) }},
		"broken ids": {Timeline, func() *pack.Pack {
			p := turns("", [4]string{"a", "2023-05-01", "Ana", "I have two cats."})
			p.Items[0].Said[0].ID = "b"
			return p
		}},
		"an interval turned around": {Timeline, func() *pack.Pack {
			p := turns("", [4]string{"a", "2023-05-01", "Ana", "I have two cats."})
			p.Items[0].Valid = dsl.Interval{Start: at("2023-05-02"), End: at("2023-05-01")}
			return p
		}},
	} {
		p := c.pack()
		list, err := Build(p, []Kind{c.kind}, Options{})
		if !errors.Is(err, ErrContradiction) || list != nil {
			t.Errorf("%s: %v, %v", name, list, err)
			continue
		}
		if !strings.Contains(err.Error(), "evidence") {
			t.Errorf("%s: the error names no evidence: %v", name, err)
		}
	}
	// The same values where they can be: one after the other, of two people, on two
	// days.
	p := turns("how many cats?", [4]string{"a", "2023-05-01", "Ana", "I have two cats."}, [4]string{"b", "2023-05-02", "Ana", "I have four cats."}, [4]string{"c", "2023-05-02", "Ben", "I have five cats."})
	fact(p, "a", "Ana", "lives_in", "Nice", dsl.Interval{Start: at("2022-01-01"), End: at("2023-01-01")})
	fact(p, "b", "Ana", "lives_in", "Lyon", since)
	fact(p, "c", "Ben", "lives_in", "Nice", since)
	if _, err := Build(p, Kinds, Options{}); err != nil {
		t.Error(err)
	}
}

func TestNothingToBuild(t *testing.T) {
	for _, p := range []*pack.Pack{turns(""), turns("how many?", [4]string{"a", "2023-05-01", "Ana", ""}), {Query: "when?"}} {
		list, err := Build(p, Kinds, Options{Lang: "zh"})
		if err != nil || len(list) != 0 {
			t.Errorf("%v, %v", list, err)
		}
	}
}

func TestFitting(t *testing.T) {
	for text, want := range map[string][]Kind{
		"When did Ana move to Lyon?":          {Timeline},
		"How many cats does Ana have?":        {Count},
		"小李有几只猫？":                             {Count},
		"安娜什么时候搬家的？":                          {Timeline},
		"Why did Ana move?":                   nil,
		"What kind of music does Ana prefer?": {Invariants},
	} {
		a := question.Analyze(text, time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), nil)
		if got := Fitting(&a); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v (%s %s)", text, got, want, a.Kind, a.Order)
		}
	}
	if _, err := ParseKinds("timeline, sums"); !errors.Is(err, dsl.ErrInvalid) {
		t.Errorf("a kind that there is not: %v", err)
	}
	if got, err := ParseKinds("count,timeline"); err != nil || !slices.Equal(got, []Kind{Count, Timeline}) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestEveryKindHasATitle(t *testing.T) {
	for _, k := range Kinds {
		if titles[k][0] == "" || titles[k][1] == "" {
			t.Error(fmt.Sprint(k))
		}
	}
}
