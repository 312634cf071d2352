package assimilate_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/asof-db/asof/assimilate"
	"github.com/asof-db/asof/dsl"
)

var (
	people = []string{"Anna", "王芳"}
	rels   = []string{"lives_in", "works_at", "likes"}
	values = []string{"Boston", "北京", "Rome"}
)

// said is a candidate and the turn that makes it, in cells.
type said struct {
	turn     int
	src, rel string
	value    int // index of values, from 1
	change   dsl.Change
	not      bool
	stated   bool
	from, to int
	corrects int
}

func (s said) candidate() dsl.Candidate {
	c := dsl.Candidate{Src: dsl.Plain(s.src), Rel: s.rel, Dst: dsl.Plain(values[s.value-1]), DstKind: dsl.Entity,
		Polarity: dsl.Positive, Change: s.change, Confidence: 0.75, Source: "rule"}
	if s.not {
		c.Polarity = dsl.Negative
	}
	if s.stated {
		c.Valid = &dsl.Interval{Start: year(s.from), End: year(s.to)}
	}
	if s.corrects > 0 {
		c.Corrects = dsl.Plain(values[s.corrects-1])
	}
	return c
}

func draw(t *rapid.T, changes ...dsl.Change) said {
	s := said{
		turn:   rapid.IntRange(0, cells-4).Draw(t, "turn"),
		src:    rapid.SampledFrom(people).Draw(t, "src"),
		rel:    rapid.SampledFrom(rels).Draw(t, "rel"),
		value:  rapid.IntRange(1, len(values)).Draw(t, "value"),
		change: rapid.SampledFrom(changes).Draw(t, "change"),
		stated: rapid.Bool().Draw(t, "stated"),
	}
	s.from, s.to = s.turn, forever
	if s.stated {
		s.from = rapid.IntRange(0, cells-3).Draw(t, "from")
		if rapid.Bool().Draw(t, "bounded") {
			s.to = rapid.IntRange(s.from, cells-1).Draw(t, "to")
		}
	}
	if s.change != dsl.End {
		s.not = rapid.IntRange(0, 3).Draw(t, "not") == 0
	}
	if s.change == dsl.Correct {
		s.corrects = rapid.IntRange(0, len(values)).Draw(t, "corrects")
	}
	return s
}

// ending is the cell at which an ending says that it stopped.
func (s said) ending() int {
	switch {
	case !s.stated:
		return s.turn
	case s.to != forever:
		return s.to
	}
	return s.from
}

func functional(rel string) bool { return rel != "likes" }

type laneKey struct {
	src, rel string
	value    int
}

func (s said) lane() laneKey {
	if functional(s.rel) {
		return laneKey{s.src, s.rel, 0}
	}
	return laneKey{s.src, s.rel, s.value}
}

// lay lays a statement, an ending or a denial over the brute-force model.
func lay(m map[laneKey]*lane, s said) {
	l := m[s.lane()]
	if l == nil {
		l = newLane()
		m[s.lane()] = l
	}
	switch {
	case s.change == dsl.End:
		l.end(s.value, s.ending(), s.turn)
	case s.not:
		l.deny(s.value, s.from, s.to, s.turn)
	default:
		l.assert(s.value, s.from, s.to, s.turn)
	}
}

// holds gives what the versions say of (src, rel) at (t, v): the values, sorted.
func holds(list []dsl.FactVersion, src, rel string, t, v dsl.Instant) []string {
	var out []string
	for _, f := range list {
		if f.SrcName.String() == src && f.Rel == rel && f.Record.Contains(t) && f.Valid.Contains(v) {
			out = append(out, f.DstName.String())
		}
	}
	slices.Sort(out)
	return out
}

// believed gives what the brute-force model says of (src, rel) at a cell.
func believed(m map[laneKey]*lane, src, rel string, i int) []string {
	var out []string
	for k, l := range m {
		if k.src == src && k.rel == rel && l.at[i].value != 0 {
			out = append(out, values[l.at[i].value-1])
		}
	}
	slices.Sort(out)
	return out
}

type table map[string][]string

func (m table) diff(other table) string {
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if !slices.Equal(m[k], other[k]) {
			return fmt.Sprintf("%s: %v and %v", k, m[k], other[k])
		}
	}
	return ""
}

func tabulate(at func(src, rel string, i int) []string) table {
	out := table{}
	for _, src := range people {
		for _, rel := range rels {
			for i := range cells {
				out[fmt.Sprintf("%s %s at %02d", src, rel, i)] = at(src, rel, i)
			}
		}
	}
	return out
}

func (w *world) table(t dsl.Instant) table {
	list := w.versions()
	return tabulate(func(src, rel string, i int) []string { return holds(list, src, rel, t, year(i)) })
}

// TestTimeline compares what holds at every (t, v) with the brute-force model:
// the newest statement wins in its claim, at every record time.
func TestTimeline(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, m := newWorld(), map[laneKey]*lane{}
		type moment struct {
			at   dsl.Instant
			want table
		}
		var past []moment
		for n := range rapid.IntRange(1, 9).Draw(t, "turns") {
			s := draw(t, dsl.Assert, dsl.Assert, dsl.End)
			if _, err := w.say(fmt.Sprint("D", n), year(s.turn), s.candidate()); err != nil {
				t.Fatal(err)
			}
			lay(m, s)
			past = append(past, moment{w.last, tabulate(func(src, rel string, i int) []string { return believed(m, src, rel, i) })})
			if err := w.broken(); err != nil {
				t.Fatal(err)
			}
		}
		for n, p := range past {
			if d := w.table(p.at).diff(p.want); d != "" {
				t.Fatalf("after turn %d: %s by the model", n, d)
			}
		}
	})
}

// TestArrivalOrder: turns that name no time give the same timeline in whatever
// order they arrive, that of the last one said at or before each instant.
func TestArrivalOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		turns := rapid.Permutation([]int{0, 2, 3, 5, 7, 8, 10, 12}).Draw(t, "turns")
		turns = turns[:rapid.IntRange(1, len(turns)).Draw(t, "n")]
		w := newWorld()
		value := map[int]string{}
		for n, turn := range turns {
			s := said{turn: turn, src: "Anna", rel: "lives_in", value: rapid.IntRange(1, 3).Draw(t, "value"), change: dsl.Assert}
			value[turn] = values[s.value-1]
			if _, err := w.say(fmt.Sprint("D", n), year(turn), s.candidate()); err != nil {
				t.Fatal(err)
			}
		}
		want := tabulate(func(src, rel string, i int) []string {
			for ; i >= 0 && src == "Anna" && rel == "lives_in"; i-- {
				if v, ok := value[i]; ok {
					return []string{v}
				}
			}
			return nil
		})
		if d := w.table(w.last).diff(want); d != "" {
			t.Fatalf("%v: %s by the order said", turns, d)
		}
	})
}

// TestAnyCandidates: whatever is said, the invariants hold, the same input gives
// the same bytes, and nothing is lost that no candidate spoke of.
func TestAnyCandidates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld()
		w.policy.WMMin = 0.5
		merged := false
		for n := range rapid.IntRange(1, 6).Draw(t, "turns") {
			var all []said
			var cs []dsl.Candidate
			turn := rapid.IntRange(0, cells-4).Draw(t, "said")
			for range rapid.IntRange(0, 3).Draw(t, "candidates") {
				s := draw(t, dsl.Assert, dsl.End, dsl.Correct)
				if s.turn = turn; !s.stated {
					s.from = turn
				}
				all = append(all, s)
				cs = append(cs, s.candidate())
			}
			in := w.input(fmt.Sprint("D", n), year(turn), cs)
			twice := [2][]byte{}
			for i := range twice {
				out, err := assimilate.Assimilate(w.view(), in, w.policy)
				if err != nil {
					t.Fatal(err)
				}
				if twice[i], err = dsl.Canonical(dsl.Tx{Nodes: out.Nodes, Operations: out.Operations, Decisions: out.Decisions}); err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Equal(twice[0], twice[1]) {
				t.Fatalf("two outputs:\n%s\n%s", twice[0], twice[1])
			}
			before := w.table(w.last)
			out, err := w.say(in.TurnID, in.TurnTime, cs...)
			if err != nil {
				t.Fatal(err)
			}
			if err := w.broken(); err != nil {
				t.Fatal(err)
			}
			checkDecisions(t, out, len(cs))
			if !merged {
				checkLost(t, before, w.table(w.last), all)
			}
			if !merged && rapid.IntRange(0, 3).Draw(t, "merge") == 0 {
				_, _, err := w.write(w.last, false, assimilate.OpRequest{Op: dsl.Link, Link: dsl.AliasOf, From: people[0], To: people[1]})
				merged = err == nil
			}
		}
	})
}

func checkDecisions(t *rapid.T, out assimilate.Output, candidates int) {
	if len(out.Decisions) != candidates {
		t.Fatalf("%d candidates, %d decisions", candidates, len(out.Decisions))
	}
	next := 0
	for _, d := range out.Decisions {
		quiet := d.Action == dsl.Hold || d.Action == dsl.None
		if quiet && len(d.Operations) > 0 || !quiet && d.Action != dsl.Skip && len(d.Operations) == 0 {
			t.Fatalf("%s with operations %v", d.Action, d.Operations)
		}
		if d.Rule == "" || d.Reason.IsZero() {
			t.Fatalf("%s without a rule or a reason", d.Action)
		}
		for _, o := range d.Operations {
			if o != next {
				t.Fatalf("operation %d is claimed where %d is next", o, next)
			}
			next++
			if out.Operations[o].Reason.IsZero() {
				t.Fatalf("operation %d has no reason", o)
			}
		}
	}
	if next != len(out.Operations) {
		t.Fatalf("%d operations, %d claimed", len(out.Operations), next)
	}
}

// checkLost checks that a value which no longer holds somewhere was spoken of
// there.
func checkLost(t *rapid.T, before, after table, all []said) {
	for _, src := range people {
		for _, rel := range rels {
			for i := range cells {
				k := fmt.Sprintf("%s %s at %02d", src, rel, i)
				for _, v := range before[k] {
					if slices.Contains(after[k], v) {
						continue
					}
					if !slices.ContainsFunc(all, func(s said) bool { return s.src == src && s.rel == rel && s.speaksOf(v, i) }) {
						t.Fatalf("%s: %s is lost, and no candidate spoke of it", k, v)
					}
				}
			}
		}
	}
}

// speaksOf tells whether a candidate may retire a value at a cell.
func (s said) speaksOf(value string, i int) bool {
	own := values[s.value-1] == value
	in := i >= s.from && i < s.to
	switch {
	case s.change == dsl.End:
		return own && i >= s.ending()
	case s.not && (s.change == dsl.Assert || s.stated):
		return own && in
	case s.not:
		return own
	case s.change == dsl.Assert:
		return functional(s.rel) && !own && in
	case own && s.stated:
		return true // its interval is what is corrected
	case s.corrects > 0 && values[s.corrects-1] == value:
		return in || !s.stated
	}
	return functional(s.rel) && !own && (in || !s.stated)
}

// TestOneTurnOrTwo: later candidates of a turn see the earlier ones, as if they
// came with turns of their own.
func TestOneTurnOrTwo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		one, two := newWorld(), newWorld()
		for n := range rapid.IntRange(1, 4).Draw(t, "turns") {
			a, b := draw(t, dsl.Assert, dsl.End, dsl.Correct), draw(t, dsl.Assert, dsl.End, dsl.Correct)
			if b.turn = a.turn; !b.stated {
				b.from = a.turn
			}
			at := year(a.turn)
			if _, err := one.say(fmt.Sprint("D", n), at, a.candidate(), b.candidate()); err != nil {
				t.Fatal(err)
			}
			for i, s := range []said{a, b} {
				if _, err := two.say(fmt.Sprint("D", n, "/", i), at, s.candidate()); err != nil {
					t.Fatal(err)
				}
			}
			if d := one.table(one.last).diff(two.table(two.last)); d != "" {
				t.Fatalf("%s in two turns", d)
			}
		}
	})
}

// TestOpenStartsRise: while nothing is ended or corrected, a functional key has
// at most one version that is open in both times, and its start never falls.
// Record starts rise with the transaction.
func TestOpenStartsRise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld()
		starts := map[string]dsl.Instant{}
		for n := range rapid.IntRange(1, 9).Draw(t, "turns") {
			s := draw(t, dsl.Assert)
			s.not = false
			if _, err := w.say(fmt.Sprint("D", n), year(s.turn), s.candidate()); err != nil {
				t.Fatal(err)
			}
			seen := map[string]bool{}
			for _, f := range w.versions() {
				if f.Opened == w.m.Head() && f.Record.Start != w.last {
					t.Fatalf("version %v opened at %s, the transaction is of %s", f.Ref(), f.Record.Start, w.last)
				}
				k := f.Src + f.Rel
				if f.Status != dsl.StatusOpen || f.Valid.End != dsl.Forever || !functional(f.Rel) {
					continue
				}
				if old, ok := starts[k]; ok && f.Valid.Start < old {
					t.Fatalf("the open version starts at %s, the one before at %s", f.Valid.Start, old)
				}
				if starts[k] = f.Valid.Start; seen[k] {
					t.Fatalf("two open versions of %s", k)
				}
				seen[k] = true
			}
			for k := range starts {
				if !seen[k] {
					t.Fatalf("the open version of %s is gone", k)
				}
			}
		}
	})
}
