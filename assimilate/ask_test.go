package assimilate_test

import (
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/asof-db/asof/assimilate"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/extract"
	"github.com/asof-db/asof/store"
)

// TestAsk: what a query asks for and what the memory lacks of it, in English and
// Chinese.
func TestAsk(t *testing.T) {
	w := newWorld2()
	fact := func(src, rel, dst string) dsl.Candidate {
		return dsl.Candidate{Src: dsl.Plain(src), Rel: rel, Dst: dsl.Plain(dst), DstKind: w.policy.Registry.DstKind(rel), Polarity: dsl.Positive,
			Change: dsl.Assert, Confidence: 1}
	}
	if _, err := w.take(dsl.Turn{ID: "D1", Speaker: dsl.Plain("Anna"), TS: year(5)}, fact("Anna Lee", "lives_in", "Berlin"), fact("王芳", "works_at", "清华大学")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.write(year(6), false, assimilate.OpRequest{Op: dsl.Link, Link: dsl.AliasOf, From: "Annie", To: "Anna Lee"}); err != nil {
		t.Fatal(err)
	}
	before := dsl.Interval{Start: year(1), End: year(2)}
	for _, c := range []struct {
		query            string
		at               *dsl.Interval
		entities         int
		rel, missing     string
		fits, fitsNobody bool // of "Anna Lee works_at X", and "Tom lives_in X"
	}{
		{"Where does Anna Lee live?", nil, 2, "lives_in", "", false, false},
		{"where does ANNIE live?", nil, 2, "lives_in", "", false, false},
		{"Where did Anna Lee live then?", &before, 2, "lives_in", "time", false, false},
		{"Which company does Anna Lee work for?", nil, 2, "works_at", "relation", true, false},
		{"Where does Tom live?", nil, 0, "lives_in", "entity", false, true},
		{"Where do I live?", nil, 0, "lives_in", "entity", false, true},
		{"Anna Lee", nil, 2, "", "relation", true, false},
		{"王芳在哪儿工作？", nil, 1, "works_at", "", false, false},
		{"王芳住在哪里？", nil, 1, "lives_in", "relation", false, false},
		{"李雷喜欢什么？", nil, 0, "likes", "entity", false, false},
	} {
		a, err := assimilate.AskOf(w.view(), w.policy.Registry, c.query, c.at)
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Entities) != c.entities || strings.Join(a.Missing, " ") != c.missing || c.rel != "" && !strings.Contains(fmt.Sprint(a.Rels), c.rel) || c.rel == "" && len(a.Rels) > 0 {
			t.Errorf("%s: %d entities, relations %v, missing %v", c.query, len(a.Entities), a.Rels, a.Missing)
		}
		anna, tom := fact("Anna Lee", "works_at", "Acme"), fact("Tom", "lives_in", "Oslo")
		if got := a.Fits(space, w.policy.Registry, &anna); got != c.fits {
			t.Errorf("%s: Anna Lee works_at Acme fits: %t", c.query, got)
		}
		if got := a.Fits(space, w.policy.Registry, &tom); got != c.fitsNobody {
			t.Errorf("%s: Tom lives_in Oslo fits: %t", c.query, got)
		}
	}
	a, err := assimilate.AskOf(w.view(), w.policy.Registry, "Where does Anna Lee live?", nil)
	if err != nil {
		t.Fatal(err)
	}
	if !a.Names("I met Anna Lee.") || a.Names("I met Anna.") || a.Names("Berlin") {
		t.Error("whom the query names is not found in a text, or somebody else is")
	}
}

// countingView counts what a decision reads.
type countingView struct {
	store.View
	read map[string]int
}

func counted[T any](v *countingView, what string, seq iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for x, err := range seq {
			v.read[what]++
			if !yield(x, err) {
				return
			}
		}
	}
}

func (v *countingView) Facts(q store.FactQuery) iter.Seq2[dsl.FactVersion, error] {
	return counted(v, "Facts", v.View.Facts(q))
}

func (v *countingView) Turns(from int) iter.Seq2[store.Turn, error] {
	return counted(v, "Turns", v.View.Turns(from))
}

func (v *countingView) Events(all bool) iter.Seq2[dsl.Event, error] {
	return counted(v, "Events", v.View.Events(all))
}

func (v *countingView) Fact(id string) ([]store.Version, error) {
	v.read["Fact"]++
	return v.View.Fact(id)
}

func (v *countingView) Event(id string) ([]dsl.Event, error) {
	v.read["Event"]++
	return v.View.Event(id)
}

func (v *countingView) Memory() (dsl.Memory, error) {
	v.read["Memory"]++
	return v.View.Memory()
}

// TestTakeReadsNeighbourhoodOnly: what a turn reads, layer 2 included, does not
// grow with the memory.
func TestTakeReadsNeighbourhoodOnly(t *testing.T) {
	var reads []string
	for _, n := range []int{1e3, 1e4} {
		s := fullStore(t, n)
		head, err := s.Head(space)
		if err != nil {
			t.Fatal(err)
		}
		view, err := s.At(space, head.Seq)
		if err != nil {
			t.Fatal(err)
		}
		v := &countingView{View: view, read: map[string]int{}}
		for _, in := range takes(v.Basis(), 1e3) { // the same people in both
			out, err := assimilate.Take(v, in, assimilate.Policy{Registry: extract.DefaultRegistry(), Layer2: planLayer2()})
			if err != nil {
				t.Fatal(err)
			}
			if len(out.Triggers) == 0 || out.Memory == nil {
				t.Fatal("layer 2 decided nothing")
			}
		}
		reads = append(reads, fmt.Sprint(v.read))
		if err := view.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if reads[0] != reads[1] {
		t.Errorf("of 1e3 facts %s, of 1e4 %s", reads[0], reads[1])
	}
}
