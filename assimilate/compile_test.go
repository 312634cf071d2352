package assimilate_test

import (
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/asof-db/asof/assimilate"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/extract"
)

// TestAnyOps: whatever is written directly, what is accepted keeps the
// invariants and applies, and what is refused names its operation and wraps a
// sentinel.
func TestAnyOps(t *testing.T) {
	accepted, refused := 0, map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld()
		for n := range rapid.IntRange(1, 6).Draw(t, "transactions") {
			ops := rapid.SliceOfN(rapid.Custom(drawOp), 1, 4).Draw(t, "ops")
			_, _, err := w.write(year(n), false, ops...)
			if e := (*assimilate.OpError)(nil); errors.As(err, &e) {
				if e.Index < 0 || e.Index >= len(ops) || e.Op != ops[e.Index].Op {
					t.Fatalf("%v names operation %d of %d", err, e.Index, len(ops))
				}
				if !errors.Is(err, dsl.ErrInvalid) && !errors.Is(err, dsl.ErrConflict) && !errors.Is(err, dsl.ErrNotFound) {
					t.Fatalf("no sentinel: %v", err)
				}
				refused[e.Invariant]++
				continue
			} else if err != nil {
				t.Fatal(err)
			}
			accepted++
			if err := w.broken(); err != nil {
				t.Fatal(err)
			}
		}
	})
	if testing.Short() {
		return // too few tries to reach every case
	}
	if accepted == 0 || refused["I2"] == 0 || refused["I7"] == 0 || refused[""] == 0 {
		t.Fatalf("the generator misses cases: %d accepted, refused %v", accepted, refused)
	}
}

func drawOp(t *rapid.T) assimilate.OpRequest {
	valid := func() *dsl.Interval {
		from := rapid.IntRange(0, cells-2).Draw(t, "from")
		return &dsl.Interval{Start: year(from), End: year(rapid.IntRange(from, forever).Draw(t, "to"))}
	}
	id := func() string { return rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "id") }
	r := assimilate.OpRequest{Op: rapid.SampledFrom([]dsl.OpKind{dsl.UpsertEdge, dsl.UpsertEdge, dsl.RetroCorrectOp, dsl.RetroCorrectOp,
		dsl.ArchiveEdge, dsl.Link}).Draw(t, "op")}
	switch r.Op {
	case dsl.UpsertEdge:
		if rapid.Bool().Draw(t, "named") {
			r.ID = id()
		}
		r.Src, r.Rel = rapid.SampledFrom(people).Draw(t, "src"), rapid.SampledFrom(rels).Draw(t, "rel")
		r.Dst, r.Valid = rapid.SampledFrom(values).Draw(t, "dst"), valid()
	case dsl.RetroCorrectOp:
		r.ID, r.Version = id(), uint32(rapid.IntRange(0, 4).Draw(t, "version"))
		if r.Retract = rapid.IntRange(0, 3).Draw(t, "retract") == 0; !r.Retract {
			r.Valid = valid()
		}
	case dsl.ArchiveEdge:
		r.ID = id()
	case dsl.Link:
		if rapid.Bool().Draw(t, "alias") {
			r.Link, r.From, r.To = dsl.AliasOf, people[0], people[1]
			r.Retract = rapid.Bool().Draw(t, "retract")
		} else {
			r.Link, r.From, r.To = dsl.EvidenceLink, "D1", id()
		}
	}
	return r
}

// TestRefusedWhole covers what is refused before any operation or candidate.
func TestRefusedWhole(t *testing.T) {
	w := newWorld()
	if _, err := w.say("D1", year(3)); err != nil {
		t.Fatal(err)
	}
	good := func() (assimilate.Input, assimilate.Policy) { return w.input("D2", year(4), nil), w.policy }
	for _, c := range []struct {
		name string
		want error
		with func(*assimilate.Input, *assimilate.Policy)
	}{
		{"wm_min", dsl.ErrInvalid, func(_ *assimilate.Input, p *assimilate.Policy) { p.WMMin = 2 }},
		{"registry", dsl.ErrInvalid, func(_ *assimilate.Input, p *assimilate.Policy) { p.Registry = nil }},
		{"space", dsl.ErrInvalid, func(in *assimilate.Input, _ *assimilate.Policy) { in.Space = "" }},
		{"position", dsl.ErrConflict, func(in *assimilate.Input, _ *assimilate.Policy) { in.Seq-- }},
		{"I3", dsl.ErrConflict, func(in *assimilate.Input, _ *assimilate.Policy) { in.Time = w.last }},
		{"time", dsl.ErrInvalid, func(in *assimilate.Input, _ *assimilate.Policy) { in.Time = dsl.Forever }},
		{"turn", dsl.ErrInvalid, func(in *assimilate.Input, _ *assimilate.Policy) { in.TurnID = "" }},
		{"turn time", dsl.ErrInvalid, func(in *assimilate.Input, _ *assimilate.Policy) { in.TurnTime = dsl.Beginning }},
	} {
		in, p := good()
		if _, err := assimilate.Assimilate(w.view(), in, p); err != nil {
			t.Fatalf("%s: the good case: %v", c.name, err)
		}
		c.with(&in, &p)
		if _, err := assimilate.Assimilate(w.view(), in, p); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		if c.name == "turn" || c.name == "turn time" {
			continue
		}
		if _, _, err := assimilate.Compile(w.view(), assimilate.OpsInput{Space: in.Space, Seq: in.Seq, Time: in.Time}, p); !errors.Is(err, c.want) {
			t.Errorf("compile: %s: %v, want %v", c.name, err, c.want)
		}
	}
}

// TestNodeByID names a node directly; its kind must fit.
func TestNodeByID(t *testing.T) {
	w := newWorld()
	edge := assimilate.OpRequest{Op: dsl.UpsertEdge, Src: "Anna", Rel: "likes", Dst: "tea", Valid: &dsl.Always}
	if _, _, err := w.write(year(1), false, edge); err != nil {
		t.Fatal(err)
	}
	edge.Src, edge.Dst = "id:"+dsl.NodeID(space, dsl.Entity, "anna"), "id:"+dsl.NodeID(space, dsl.Literal, "tea")
	out, _, err := w.write(year(2), false, edge)
	if err != nil || len(out.Nodes) != 0 || out.Operations[0].Src != dsl.NodeID(space, dsl.Entity, "Anna") {
		t.Fatalf("%v %v", out, err)
	}
	edge.Src = edge.Dst
	if _, _, err := w.write(year(3), false, edge); !errors.Is(err, dsl.ErrInvalid) {
		t.Fatalf("a literal as subject: %v", err)
	}
}

// TestSpaces: the same candidates in two spaces share no id.
func TestSpaces(t *testing.T) {
	w := newWorld()
	in := w.input("D1", year(1), []dsl.Candidate{said{src: "Anna", rel: "likes", value: 1, change: dsl.Assert}.candidate()})
	seen := map[string]string{}
	for _, name := range []string{"one", "two"} {
		in.Space = name
		out, err := assimilate.Assimilate(w.view(), in, w.policy)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{out.Nodes[0].ID, out.Nodes[1].ID, out.Operations[0].ID} {
			if other, ok := seen[id]; ok {
				t.Errorf("%s and %s share %s", other, name, id)
			}
			seen[id] = name
		}
	}
}

// TestUnknownPredicates are named once each, in order of first use.
func TestUnknownPredicates(t *testing.T) {
	w := newWorld()
	var ops []assimilate.OpRequest
	past := dsl.Interval{Start: year(0), End: year(1)}
	for i, rel := range []string{"speaks", "knows", "lives_in", "speaks"} {
		ops = append(ops, assimilate.OpRequest{Op: dsl.UpsertEdge, Src: fmt.Sprint("P", i), Rel: rel, Dst: "x", Valid: &past})
	}
	_, unknown, err := w.write(year(1), false, ops...)
	if err != nil || fmt.Sprint(unknown) != "[speaks knows]" {
		t.Fatalf("%v %v", unknown, err)
	}
	more, err := w.policy.Registry.With(extract.Predicate{Name: "speaks", Domain: dsl.Entity, Range: dsl.Literal, Phrase: "speaks"})
	if err != nil {
		t.Fatal(err)
	}
	w.policy.Registry = more
	past = dsl.Interval{Start: year(1), End: year(2)}
	if _, unknown, err = w.write(year(2), false, ops...); err != nil || fmt.Sprint(unknown) != "[knows]" {
		t.Fatalf("%v %v", unknown, err)
	}
}
