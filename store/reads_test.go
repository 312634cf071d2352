package store_test

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
	"github.com/asof-db/asof/store/model"
	"github.com/asof-db/asof/store/storetest"
)

// grown is one random space, kept by the model, by the store and as the plain
// list of its transactions.
type grown struct {
	*storetest.Gen
	txs  []*dsl.Tx
	m    *model.Model
	s    *store.Store
	seen map[dsl.Instant]bool
}

// grow makes a space of n transactions.
func grow(t *rapid.T, s *store.Store, space string, n int) *grown {
	draw := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "") }
	h := &grown{Gen: storetest.NewGen(space, draw), m: model.New(space), s: s, seen: map[dsl.Instant]bool{dsl.Beginning: true, dsl.Forever: true}}
	for range n {
		tx := h.Next()
		h.txs = append(h.txs, tx)
		if err := errors.Join(h.m.Apply(tx, storetest.Entry(tx)), commit(s, tx)); err != nil {
			t.Fatalf("apply: %v", err)
		}
		h.seen[tx.Time] = true
		for _, op := range tx.Operations {
			if op.Valid != nil {
				h.seen[op.Valid.Start], h.seen[op.Valid.End] = true, true
			}
		}
	}
	return h
}

// views gives the views at a position with the brute force over the same
// transactions.
func (h *grown) views(t *rapid.T, seq dsl.Seq) (*brute, []store.View) {
	v, err := h.s.At(h.Space, seq)
	if err != nil {
		t.Fatal(err)
	}
	return bruteOf(h.txs[:seq]), []store.View{h.m.At(seq), v}
}

func (h *grown) position(t *rapid.T) dsl.Seq {
	return dsl.Seq(rapid.IntRange(0, len(h.txs)).Draw(t, "position"))
}

// instant draws a bound of the history, or a microsecond beside one.
func (h *grown) instant(t *rapid.T) dsl.Instant {
	var all []dsl.Instant
	for at := range h.seen {
		if all = append(all, at); at > dsl.MinInstant && at < dsl.MaxInstant {
			all = append(all, at-1, at+1)
		}
	}
	slices.Sort(all)
	return rapid.SampledFrom(slices.Compact(all)).Draw(t, "instant")
}

func (h *grown) span(t *rapid.T) dsl.Interval {
	a, b := h.instant(t), h.instant(t)
	v := dsl.Interval{Start: min(a, b), End: max(a, b)}
	if v.Start == dsl.Forever {
		v.Start = dsl.MaxInstant
	}
	if v.End == dsl.Beginning {
		v.End = dsl.MinInstant
	}
	return v
}

// query draws a selection and gives what it takes.
func (h *grown) query(t *rapid.T) (store.FactQuery, func(*rectangle) bool) {
	var q store.FactQuery
	p := h.Probes()
	nodes := func(what string) []string {
		if len(p.Nodes) == 0 || rapid.Bool().Draw(t, "all "+what) {
			return nil
		}
		return rapid.SliceOfN(rapid.SampledFrom(p.Nodes), 1, 3).Draw(t, what)
	}
	q.Src, q.Dst = nodes("src"), nodes("dst")
	if rapid.Bool().Draw(t, "one rel") {
		q.Rel = rapid.SampledFrom(p.Rels).Draw(t, "rel")
	}
	q.All = rapid.Bool().Draw(t, "closed too")
	return q, func(r *rectangle) bool {
		return (q.Src == nil || slices.Contains(q.Src, r.src)) && (q.Dst == nil || slices.Contains(q.Dst, r.dst)) &&
			(q.Rel == "" || q.Rel == r.rel)
	}
}

// refs gives the versions that a read yields, sorted, and checks that it can be
// stopped.
func refs[T any](t *rapid.T, seq iter.Seq2[T, error], ref func(T) dsl.VersionRef) []dsl.VersionRef {
	var out []dsl.VersionRef
	for x, err := range seq {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, ref(x))
	}
	n := 0
	for x, err := range seq {
		if err != nil || ref(x) != out[n] {
			t.Fatalf("asked again, it yields another version %d (%v)", n, err)
		}
		if n++; n > len(out)/2 {
			break
		}
	}
	sortRefs(out)
	return out
}

func same(t *rapid.T, what string, v store.View, want, got []dsl.VersionRef) {
	t.Helper()
	if !slices.Equal(want, got) {
		t.Fatalf("%T at %s: %s: want %v, got %v", v, v.Basis().Seq, what, want, got)
	}
}

func factRef(f dsl.FactVersion) dsl.VersionRef  { return f.Ref() }
func versionRef(f store.Version) dsl.VersionRef { return f.Ref() }
func edgeOf(n store.Neighbour) edge             { return edge{n.Depth, n.From, n.To, n.Inverse, n.Fact.Ref()} }
func allens() *rapid.Generator[store.Allen]     { return rapid.Map(rapid.Uint16(), allenFrom) }
func allenFrom(bits uint16) store.Allen         { return store.Allen(bits) & store.AllenAny }
func closedBy(list []*rectangle, r dsl.VersionRef) *rectangle {
	return list[slices.IndexFunc(list, func(x *rectangle) bool { return x.ref() == r })]
}

// TestReads compares every read with brute force, over model and store, at random
// bases and with bounds that collide with those of the versions.
func TestReads(t *testing.T) {
	s := openMem(t)
	run := 0
	rapid.Check(t, func(t *rapid.T) {
		run++
		h := grow(t, s, fmt.Sprintf("run %d", run), rapid.IntRange(0, 25).Draw(t, "transactions"))
		for range 4 {
			b, views := h.views(t, h.position(t))
			q, takes := h.query(t)
			span, set, at := h.span(t), allens().Draw(t, "relations"), h.instant(t)
			pass := rapid.IntRange(1, 3).Draw(t, "versions a pass")
			shown := func(r *rectangle) bool { return takes(r) && (q.All || r.believed()) }
			for _, v := range views {
				same(t, fmt.Sprintf("valid %s %s", set, span), v,
					b.where(func(r *rectangle) bool { return shown(r) && set&store.AllenOf(r.valid, span) != 0 }),
					refs(t, store.ValidWhere(v, q, set, span), factRef))
				same(t, fmt.Sprintf("record %s %s", set, span), v,
					b.where(func(r *rectangle) bool { return takes(r) && set&store.AllenOf(r.record, span) != 0 }),
					refs(t, store.RecordWhere(v, q, set, span), versionRef))
				same(t, fmt.Sprintf("became %s", span), v,
					b.where(func(r *rectangle) bool {
						return shown(r) && r.valid.Start < r.valid.End && r.valid.Start.Finite() && span.Start <= r.valid.Start && r.valid.Start < span.End
					}),
					refs(t, store.Became(v, q, span), factRef))
				same(t, fmt.Sprintf("stopped %s", span), v,
					b.where(func(r *rectangle) bool {
						return shown(r) && r.valid.Start < r.valid.End && r.valid.End.Finite() && span.Start <= r.valid.End && r.valid.End < span.End
					}),
					refs(t, store.Stopped(v, q, span), factRef))
				same(t, fmt.Sprintf("no longer since %s", at), v,
					b.where(func(r *rectangle) bool { return takes(r) && !r.open() && r.record.Start <= at && at < r.record.End }),
					refs(t, store.NoLongerIn(v, q, at, pass), versionRef))
				var last store.Version
				for f, err := range store.NoLongerIn(v, q, at, pass) {
					if f.Closed < last.Closed || f.Closed == last.Closed && (f.ID < last.ID || f.ID == last.ID && f.Version <= last.Version) {
						t.Fatalf("%v comes after %v", f.Ref(), last.Ref())
					}
					last = f
					if r := closedBy(b.versions, f.Ref()); err != nil || f.CloseOp != dsl.RetroCorrectOp || f.CloseReason != r.reason || f.CloseTurn != r.turn {
						t.Fatalf("%v is closed by %s, %q of turn %q: want %q of turn %q (%v)", f.Ref(), f.CloseOp, f.CloseReason, f.CloseTurn, r.reason, r.turn, err)
					}
				}
				planes(t, b, v, q, takes)
				if err := v.Close(); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

// planes checks that each version lies where its intervals say, once, and that
// the grid has the bounds of its rectangles and no other.
func planes(t *rapid.T, b *brute, v store.View, q store.FactQuery, takes func(*rectangle) bool) {
	var found []dsl.VersionRef
	keys := map[[2]string]bool{}
	for p, err := range store.Planes(v, q) {
		if err != nil {
			t.Fatal(err)
		}
		if keys[[2]string{p.Src, p.Rel}] {
			t.Fatalf("two planes of %s %s", p.Src, p.Rel)
		}
		keys[[2]string{p.Src, p.Rel}] = true
		bounds := map[dsl.Instant]bool{}
		last := dsl.Beginning
		for _, r := range p.Rectangles {
			found = append(found, r.Ref())
			if r.Src != p.Src || r.Rel != p.Rel || r.Record.Start < last {
				t.Fatalf("%v is out of place", r.Ref())
			}
			last = r.Record.Start
			if (dsl.Interval{Start: p.Record[r.Columns[0]], End: p.Record[r.Columns[1]]}) != r.Record ||
				(dsl.Interval{Start: p.Valid[r.Rows[0]], End: p.Valid[r.Rows[1]]}) != r.Valid {
				t.Fatalf("%v of %s, %s lies at columns %v of %v, rows %v of %v", r.Ref(), r.Record, r.Valid, r.Columns, p.Record, r.Rows, p.Valid)
			}
			bounds[r.Record.Start], bounds[r.Record.End] = true, true
		}
		if len(bounds) != len(p.Record) || !slices.IsSorted(p.Record) || !slices.IsSorted(p.Valid) {
			t.Fatalf("bounds %v, %v", p.Record, p.Valid)
		}
	}
	sortRefs(found)
	same(t, "planes", v, b.where(takes), found)
}

// TestNetDifference compares the net difference of two bases, in either order and
// with passes of any size, with the difference of two sets of beliefs.
func TestNetDifference(t *testing.T) {
	s := openMem(t)
	run := 0
	rapid.Check(t, func(t *rapid.T) {
		run++
		h := grow(t, s, fmt.Sprintf("run %d", run), rapid.IntRange(0, 25).Draw(t, "transactions"))
		first, second := h.position(t), h.position(t)
		b1, from := h.views(t, first)
		b2, to := h.views(t, second)
		q, takes := h.query(t)
		inQuery := func(x belief) bool { return takes(&rectangle{src: x.src, rel: x.rel, dst: x.dst}) }
		for i := range from {
			limit := rapid.IntRange(1, 4).Draw(t, "keys a pass")
			before, after := map[belief]int{}, map[belief]int{}
			last := ""
			for d, err := range store.NetDifferenceIn(from[i], to[i], q, limit) {
				if err != nil {
					t.Fatal(err)
				}
				f, set := d.Before, before
				if f == nil {
					f, set = d.After, after
				}
				if (d.Before == nil) == (d.After == nil) || f.Src+"\x00"+f.Rel < last {
					t.Fatalf("difference %v after %q", d, last)
				}
				last = f.Src + "\x00" + f.Rel
				set[belief{f.ID, f.Src, f.Rel, f.Dst, f.Relation, f.Valid}]++
			}
			for _, side := range []struct {
				what       string
				one, other map[belief]int
				got        map[belief]int
			}{{"before", b1.beliefs(), b2.beliefs(), before}, {"after", b2.beliefs(), b1.beliefs(), after}} {
				for x, n := range side.one {
					if inQuery(x) && side.other[x] == 0 && side.got[x] != n {
						t.Fatalf("%T from %s to %s, %s lacks %v", from[i], first, second, side.what, x)
					}
				}
				for x := range side.got {
					if !inQuery(x) || side.one[x] == 0 || side.other[x] != 0 {
						t.Fatalf("%T from %s to %s, %s has %v", from[i], first, second, side.what, x)
					}
				}
			}
			if err := errors.Join(from[i].Close(), to[i].Close()); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestNeighbours compares neighbourhoods with brute force, edge by edge.
func TestNeighbours(t *testing.T) {
	s := openMem(t)
	run := 0
	rapid.Check(t, func(t *rapid.T) {
		run++
		h := grow(t, s, fmt.Sprintf("run %d", run), rapid.IntRange(1, 30).Draw(t, "transactions"))
		b, views := h.views(t, h.position(t))
		p := h.Probes()
		q := store.NeighbourQuery{Node: rapid.SampledFrom(append(p.Nodes, "nobody")).Draw(t, "node"),
			Depth: rapid.IntRange(1, 2).Draw(t, "depth"), Fanout: rapid.IntRange(1, 4).Draw(t, "fan-out")}
		if rapid.Bool().Draw(t, "some rels") {
			q.Rels = rapid.SliceOfN(rapid.SampledFrom(p.Rels), 1, 2).Draw(t, "rels")
		}
		if rapid.Bool().Draw(t, "as was") {
			at := h.instant(t)
			q.Valid = &at
		}
		for _, v := range views {
			_, known := v.Node(q.Node)
			var got []edge
			for n, err := range store.Neighbours(v, q) {
				if (known == nil) != (err == nil) || err != nil && !errors.Is(err, dsl.ErrNotFound) {
					t.Fatalf("%T: node %s: %v, and its neighbours: %v", v, q.Node, known, err)
				}
				if err == nil {
					got = append(got, edgeOf(n))
				}
			}
			if known == nil && !slices.Equal(b.neighbours(q), got) {
				t.Fatalf("%T at %s: %+v: want %v, got %v", v, v.Basis().Seq, q, b.neighbours(q), got)
			}
			n := 0
			for e, err := range store.Neighbours(v, q) {
				if n++; err == nil && (edgeOf(e) != got[n-1] || n > len(got)/2) {
					break
				}
			}
			if err := v.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestReadsRefuse(t *testing.T) {
	v := model.New("s").At(0)
	bad := dsl.Interval{Start: 5, End: 4}
	first := func(err error, what string) {
		t.Helper()
		if !errors.Is(err, dsl.ErrInvalid) {
			t.Errorf("%s: want ErrInvalid, got %v", what, err)
		}
	}
	for _, err := range store.ValidWhere(v, store.FactQuery{}, store.AllenAny, bad) {
		first(err, "valid")
	}
	for _, err := range store.Became(v, store.FactQuery{}, bad) {
		first(err, "became")
	}
	for _, err := range store.Stopped(v, store.FactQuery{}, dsl.Interval{Start: dsl.Forever, End: dsl.Forever}) {
		first(err, "stopped")
	}
	seen := false
	for _, err := range store.RecordWhere(v, store.FactQuery{}, store.AllenAny, bad) {
		seen = true
		first(err, "record")
	}
	if !seen {
		t.Error("a span that is turned around is taken")
	}
	for _, q := range []store.NeighbourQuery{{Depth: 3, Fanout: 1}, {Fanout: 1}, {Depth: 1}, {Depth: 1, Fanout: store.MaxFanout + 1}} {
		for _, err := range store.Neighbours(v, q) {
			first(err, "neighbours")
		}
	}
}

// TestReadsFail reads from a view that is closed: the error is the last element,
// whatever came before it.
func TestReadsFail(t *testing.T) {
	s := openMem(t)
	c := storetest.NewChain("s")
	anna, tea := c.Node(dsl.Entity, "Anna"), c.Node(dsl.Literal, "tea")
	applyTo(t, s, c.Ops(1, storetest.Upsert("f", 1, anna, "likes", tea, dsl.Always, 1)), c.Ops(2, storetest.Retract("f", 1)))
	open, err := s.At("s", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	v, err := s.At("s", 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	fails := func(what string, n int, err error) {
		t.Helper()
		if n != 1 || !errors.Is(err, dsl.ErrClosed) {
			t.Errorf("%s of a closed view: %d elements, error %v", what, n, err)
		}
	}
	q, span := store.FactQuery{Src: []string{anna}}, dsl.Always
	last := func(seq iter.Seq2[dsl.FactVersion, error]) (n int, err error) {
		for _, err = range seq {
			n++
		}
		return n, err
	}
	n, err := last(store.ValidWhere(v, q, store.AllenAny, span))
	fails("valid", n, err)
	n, err = last(store.Became(v, q, span))
	fails("became", n, err)
	n, err = last(store.Stopped(v, q, span))
	fails("stopped", n, err)
	n = 0
	for _, err = range store.RecordWhere(v, q, store.AllenAny, span) {
		n++
	}
	fails("record", n, err)
	for _, q := range []store.FactQuery{q, {}} {
		n = 0
		for _, err = range store.NoLonger(v, q, 1) {
			n++
		}
		fails("no longer", n, err)
	}
	n = 0
	for _, err = range store.Planes(v, q) {
		n++
	}
	fails("planes", n, err)
	n = 0
	for _, err = range store.NetDifference(open, v, q) {
		n++
	}
	fails("net difference", n, err)
	n = 0
	for _, err = range store.Neighbours(v, store.NeighbourQuery{Node: anna, Depth: 1, Fanout: 1}) {
		n++
	}
	fails("neighbours", n, err)
}
