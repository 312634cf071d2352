package assimilate_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/asof-db/asof/assimilate"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// worldOf draws turns of one to three candidates each, by several speakers, in
// any order of time, and records them.
func worldOf(t *rapid.T, turns int, changes ...dsl.Change) (*world, []string) {
	w := newWorld()
	var ids []string
	for i := range turns {
		ids = append(ids, fmt.Sprint("T", i))
		speak(t, w, ids[i], drawTurn(t, changes...))
	}
	return w, ids
}

// drawTurn draws what one turn says.
func drawTurn(t *rapid.T, changes ...dsl.Change) []said {
	list := make([]said, rapid.IntRange(1, 3).Draw(t, "candidates"))
	turn := rapid.IntRange(0, cells-4).Draw(t, "turn")
	for i := range list {
		list[i] = draw(t, changes...)
		list[i].rel = rapid.SampledFrom([]string{"lives_in", "works_at", "likes", "dislikes", "prefers.music"}).Draw(t, "relation")
		list[i].turn = turn
		if !list[i].stated {
			list[i].from = turn
		}
	}
	return list
}

func speak(t *rapid.T, w *world, id string, list []said) assimilate.Output {
	var cs []dsl.Candidate
	at := dsl.Instant(0)
	for _, s := range list {
		c := s.candidate()
		c.DstKind = w.policy.Registry.DstKind(c.Rel)
		cs = append(cs, c)
		at = year(s.turn)
	}
	if at == 0 {
		at = w.last
	}
	if w.replaces == "" { // an edit is of the same speaker
		w.speaker = rapid.SampledFrom(append([]string{"Ben"}, people...)).Draw(t, "speaker")
	}
	out, err := w.say(id, at, cs...)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.broken(); err != nil {
		t.Fatalf("after %s: %v", id, err)
	}
	return out
}

// believedNow gives what is believed and not archived.
func believedNow(w *world) []dsl.FactVersion {
	var out []dsl.FactVersion
	for f, err := range w.view().Facts(store.FactQuery{}) {
		if err != nil {
			panic(err)
		}
		out = append(out, f)
	}
	return out
}

// TestRetiresOnlyWhatItContradicts: whatever a turn says, of what was believed
// before it takes away only time that it speaks of, of the same subject, of the
// same relation, or an opposite one, or for an ending or a denial one with the same
// opposite, and for many-valued relations of the same value.
func TestRetiresOnlyWhatItContradicts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, _ := worldOf(t, rapid.IntRange(1, 6).Draw(t, "turns"), dsl.Assert, dsl.Assert, dsl.End, dsl.Correct)
		before := believedNow(w)
		list := drawTurn(t, dsl.Assert, dsl.End, dsl.Correct)
		speak(t, w, "last", list)
		after := believedNow(w)
		for _, f := range before {
			lost := []dsl.Interval{f.Valid}
			for _, g := range after {
				if g.Src == f.Src && g.Rel == f.Rel && g.Dst == f.Dst {
					lost = minus(lost, g.Valid)
				}
			}
			for _, iv := range lost {
				if iv.Empty() || slices.ContainsFunc(list, func(s said) bool { return speaksOf(w, s, &f, iv) }) {
					continue
				}
				t.Fatalf("%s %s %s in %s lost %s to %v", f.SrcName, f.Rel, f.DstName, brief(f.Valid), brief(iv), list)
			}
		}
	})
}

// speaksOf tells whether a candidate may take an interval away from a version.
func speaksOf(w *world, s said, f *dsl.FactVersion, lost dsl.Interval) bool {
	value := f.DstName.String() == values[s.value-1] || s.corrects > 0 && f.DstName.String() == values[s.corrects-1]
	about := s.rel == f.Rel && (functional(s.rel) && w.policy.Registry.Functional(s.rel) || value) ||
		value && slices.Contains(w.policy.Registry.Opposites(s.rel), f.Rel) ||
		value && (s.change == dsl.End || s.not) && sameOpposite(w, s.rel, f.Rel)
	if s.src != f.SrcName.String() || !about {
		return false
	}
	claim := dsl.Interval{Start: year(s.from), End: year(s.to)}
	switch {
	case s.change == dsl.End:
		claim = dsl.Since(year(s.ending()))
	case s.change == dsl.Correct:
		return true // it rewrites the version, whose time it need not name
	}
	return claim.Overlaps(lost)
}

// sameOpposite tells whether two relations have an opposite in common, as likes
// and prefers.music have.
func sameOpposite(w *world, a, b string) bool {
	return slices.ContainsFunc(w.policy.Registry.Opposites(a), func(o string) bool {
		return slices.Contains(w.policy.Registry.Opposites(b), o)
	})
}

func minus(list []dsl.Interval, v dsl.Interval) []dsl.Interval {
	var out []dsl.Interval
	for _, x := range list {
		for _, y := range []dsl.Interval{{Start: x.Start, End: min(x.End, v.Start)}, {Start: max(x.Start, v.End), End: x.End}} {
			if y.Start < y.End {
				out = append(out, y)
			}
		}
	}
	return out
}

// TestGateA is the plan's gate of functional keys: at most one version holds at
// any (t, v); record starts strictly rise from transaction to transaction; the
// valid start of the open-ended version never falls, as long as nothing is denied,
// ended or corrected.
func TestGateA(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld()
		open := map[string]dsl.Instant{}
		record := dsl.Beginning
		for i := range rapid.IntRange(1, 10).Draw(t, "turns") {
			s := draw(t, dsl.Assert)
			s.not, s.rel = false, rapid.SampledFrom([]string{"lives_in", "works_at"}).Draw(t, "relation")
			speak(t, w, fmt.Sprint("T", i), []said{s}) // which checks I1, I2 and I7
			for _, f := range w.versions() {
				if f.Opened == w.m.Head() && f.Record.Start <= record {
					t.Fatalf("%s was opened at %s, not after %s", f.ID, f.Record.Start, record)
				}
			}
			record = w.last
			for _, f := range believedNow(w) {
				key := f.SrcName.String() + " " + f.Rel
				if f.Valid.End != dsl.Forever {
					continue
				}
				if was, ok := open[key]; ok && f.Valid.Start < was {
					t.Fatalf("%s: the open version starts at %s, the one before started at %s", key, short(f.Valid.Start), short(was))
				}
				open[key] = f.Valid.Start
			}
		}
		for _, f := range w.versions() {
			for _, g := range w.versions() {
				if f.Ref() != g.Ref() && f.Src == g.Src && f.Rel == g.Rel && f.Valid.Overlaps(g.Valid) && f.Record.Overlaps(g.Record) {
					t.Fatalf("I7: %s %s in %s and %s in %s", f.SrcName, f.DstName, brief(f.Valid), g.DstName, brief(g.Valid))
				}
			}
		}
	})
}

// state gives what is believed as text: values by the time they hold, joined
// where they meet, with witnesses that are not gone.
func state(w *world) string {
	list := believedNow(w)
	slices.SortFunc(list, func(a, b dsl.FactVersion) int {
		return cmp.Or(cmp.Compare(a.Src, b.Src), cmp.Compare(a.Rel, b.Rel), cmp.Compare(a.Dst, b.Dst), cmp.Compare(a.Valid.Start, b.Valid.Start))
	})
	var out []string
	for i := 0; i < len(list); i++ {
		f := list[i]
		for i+1 < len(list) && list[i+1].Src == f.Src && list[i+1].Rel == f.Rel && list[i+1].Dst == f.Dst && list[i+1].Valid.Start == f.Valid.End {
			i++
			f.Valid.End = list[i].Valid.End
		}
		if !f.Valid.Empty() {
			out = append(out, fmt.Sprintf("%s %s %s %s", f.SrcName, f.Rel, f.DstName, brief(f.Valid)))
		}
	}
	return strings.Join(out, "\n")
}

// TestEditUndoes: a turn that is edited at once into one that says nothing leaves
// what was believed before it; the same words in its place leave what it did.
func TestEditUndoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, _ := worldOf(t, rapid.IntRange(0, 6).Draw(t, "turns"), dsl.Assert, dsl.Assert, dsl.End, dsl.Correct)
		before := state(w)
		list := drawTurn(t, dsl.Assert, dsl.Assert, dsl.End)[:1]
		speak(t, w, "old", list)
		after := state(w)
		w.replaces = "old"
		if rapid.Bool().Draw(t, "same words") {
			speak(t, w, "new", list)
			if got := state(w); got != after {
				t.Fatalf("%v\nthe same words leave\n%s\nand the turn had left\n%s\nbefore it\n%s", list, got, after, before)
			}
			return
		}
		speak(t, w, "new", nil)
		if got := state(w); got != before {
			t.Fatalf("%v\nan empty edit leaves\n%s\nbefore the turn\n%s\nafter it\n%s", list, got, before, after)
		}
		for _, f := range believedNow(w) {
			if slices.Contains(f.Evidence, "old") {
				t.Fatalf("%s %s rests on the old turn", f.SrcName, f.DstName)
			}
		}
	})
}
