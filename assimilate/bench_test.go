package assimilate_test

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/asof-db/asof/assimilate"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/extract"
	"github.com/asof-db/asof/store"
	"github.com/asof-db/asof/store/storetest"
)

// benchView answers from maps, at a cost that does not grow with the memory, and
// counts the versions that it hands out.
type benchView struct {
	store.View
	basis store.Basis
	nodes map[string]dsl.Node
	byKey map[[2]string][]dsl.FactVersion
	byID  map[string][]store.Version
	list  []dsl.FactVersion // in order of opening
	read  int
}

func (v *benchView) Basis() store.Basis { return v.basis }

func (v *benchView) Node(id string) (dsl.Node, error) {
	n, ok := v.nodes[id]
	if !ok {
		return n, dsl.ErrNotFound
	}
	return n, nil
}

func (v *benchView) Aliases(id string) ([]string, error) { return []string{id}, nil }

func (v *benchView) Fact(id string) ([]store.Version, error) { return v.byID[id], nil }

func (v *benchView) Turn(string) (store.Turn, error) { return store.Turn{}, dsl.ErrNotFound }

func (v *benchView) Facts(q store.FactQuery) iter.Seq2[dsl.FactVersion, error] {
	return func(yield func(dsl.FactVersion, error) bool) {
		for _, src := range q.Src {
			for _, f := range v.byKey[[2]string{src, q.Rel}] {
				if len(q.Dst) > 0 && q.Dst[0] != f.Dst {
					continue
				}
				if v.read++; !yield(f, nil) {
					return
				}
			}
		}
	}
}

// newBenchView gives a memory of n facts: what each of n/4 people is, does and
// likes.
func newBenchView(n int) *benchView {
	v := &benchView{basis: store.Basis{Space: space, Seq: dsl.Seq(n), Time: year(2)}, nodes: map[string]dsl.Node{},
		byKey: map[[2]string][]dsl.FactVersion{}, byID: map[string][]store.Version{}}
	for i := range n {
		v.hold(i, fmt.Sprint("P", i/4), []string{"lives_in", "works_at", "likes", "owns"}[i%4], fmt.Sprint("V", i%7))
	}
	return v
}

// hold puts a fact into the memory, the i-th.
func (v *benchView) hold(i int, subject, rel, value string) {
	node := func(kind dsl.NodeKind, name string) dsl.Node {
		x := dsl.Node{ID: dsl.NodeID(space, kind, name), Kind: kind, Name: dsl.Plain(name)}
		v.nodes[x.ID] = x
		return x
	}
	src, dst := node(dsl.Entity, subject), node(extract.DefaultRegistry().DstKind(rel), value)
	f := dsl.FactVersion{ID: dsl.FactID(space, dsl.Seq(i+1), 0), Version: 1, Src: src.ID, SrcName: src.Name, Rel: rel, Dst: dst.ID,
		DstName: dst.Name, DstKind: dst.Kind, Valid: dsl.Since(year(1)), Record: dsl.Since(year(1)), Opened: dsl.Seq(i + 1),
		Status: dsl.StatusOpen, Evidence: []string{"D"}, Confidence: 0.9}
	v.byKey[[2]string{src.ID, rel}] = append(v.byKey[[2]string{src.ID, rel}], f)
	v.list = append(v.list, f)
	v.byID[f.ID] = []store.Version{{FactVersion: f}}
}

// benchTurns are turns of four candidates: known, another value, new, ended.
func benchTurns(v *benchView, facts int) []assimilate.Input {
	var turns []assimilate.Input
	for i := range 64 {
		p := fmt.Sprint("P", i*31%(facts/4))
		c := func(rel, dst string, change dsl.Change) dsl.Candidate {
			return dsl.Candidate{Src: dsl.Plain(p), Rel: rel, Dst: dsl.Plain(dst), DstKind: extract.DefaultRegistry().DstKind(rel),
				Polarity: dsl.Positive, Change: change, Confidence: 0.8, Source: "rule"}
		}
		k := 4 * (i * 31 % (facts / 4))
		turns = append(turns, assimilate.Input{Space: space, Seq: v.basis.Seq + 1, Time: year(3), TurnID: "T", TurnTime: year(3),
			Candidates: []dsl.Candidate{
				c("lives_in", fmt.Sprint("V", k%7), dsl.Assert), c("works_at", "Acme", dsl.Assert),
				c("uses", "Notion", dsl.Assert), c("owns", fmt.Sprint("V", (k+3)%7), dsl.End)}})
	}
	return turns
}

// TestReadsNeighbourhoodOnly: the versions read do not grow with the memory.
func TestReadsNeighbourhoodOnly(t *testing.T) {
	var read []int
	for _, n := range []int{1e3, 1e5} {
		v := newBenchView(n)
		for _, in := range benchTurns(v, n) {
			out, err := assimilate.Assimilate(v, in, assimilate.Policy{Registry: extract.DefaultRegistry()})
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range []dsl.Action{dsl.Skip, dsl.Replace, dsl.Insert, dsl.Close} {
				if d := out.Decisions[i]; d.Action != want {
					t.Fatalf("%s: %s, want %s", d.Reason, d.Action, want)
				}
			}
		}
		read = append(read, v.read)
	}
	if read[0] != read[1] || read[0] > 64*4 {
		t.Fatalf("%d versions read of 1e3, %d of 1e5", read[0], read[1])
	}
}

// benchAssimilate assimilates turns against a view, over and over.
func benchAssimilate(b *testing.B, v store.View, turns []assimilate.Input, p assimilate.Policy) {
	b.ReportAllocs()
	i, decisions := 0, 0
	for b.Loop() {
		out, err := assimilate.Assimilate(v, turns[i%len(turns)], p)
		if err != nil {
			b.Fatal(err)
		}
		decisions += len(out.Decisions)
		i++
	}
	b.ReportMetric(float64(decisions)/b.Elapsed().Seconds(), "decisions/s")
}

func BenchmarkAssimilate(b *testing.B) {
	for _, n := range []int{1e3, 1e5} {
		b.Run(fmt.Sprintf("facts=1e%d", len(fmt.Sprint(n))-1), func(b *testing.B) {
			v := newBenchView(n)
			turns := benchTurns(v, n)
			p := assimilate.Policy{Registry: extract.DefaultRegistry()}
			benchAssimilate(b, v, turns, p)
		})
	}
}

// stored puts the facts into a store on Pebble, in memory, and gives the view of
// its head.
func (v *benchView) stored(b *testing.B) store.View {
	b.Helper()
	s, err := store.Open(store.Options{Dir: "db", FS: vfs.NewMem()})
	if err != nil {
		b.Fatal(err)
	}
	c := storetest.NewChain(space)
	for list := range slices.Chunk(v.list, 1000) {
		var ops []dsl.Op
		for _, f := range list {
			c.Node(dsl.Entity, f.SrcName.String())
			c.Node(f.DstKind, f.DstName.String())
			ops = append(ops, storetest.Upsert(f.ID, 1, f.Src, f.Rel, f.Dst, f.Valid, f.Confidence, f.Evidence...))
		}
		tx := c.Ops(year(1), ops...)
		st, err := s.Stage()
		if err != nil {
			b.Fatal(err)
		}
		if err := errors.Join(st.Apply(tx, storetest.Entry(tx)), st.Commit(), st.Discard()); err != nil {
			b.Fatal(err)
		}
	}
	seq, _ := c.Head()
	view, err := s.At(space, seq)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := errors.Join(view.Close(), s.Close()); err != nil {
			b.Error(err)
		}
	})
	v.basis.Seq = seq
	return view
}

// BenchmarkAssimilateHotKey asserts values that are new to one person who likes
// n other things.
func BenchmarkAssimilateHotKey(b *testing.B) {
	for _, n := range []int{1e1, 1e3, 1e4} {
		b.Run(fmt.Sprintf("values=1e%d", len(fmt.Sprint(n))-1), func(b *testing.B) {
			known := newBenchView(0)
			for i := range n {
				known.hold(i, "Ben", "likes", fmt.Sprint("thing ", i))
			}
			v := known.stored(b)
			var turns []assimilate.Input
			for i := range 64 {
				turns = append(turns, assimilate.Input{Space: space, Seq: known.basis.Seq + 1, Time: year(3), TurnID: "T", TurnTime: year(3),
					Speaker: dsl.Plain("Ben"), Candidates: []dsl.Candidate{{Src: dsl.Plain("Ben"), Rel: "likes",
						Dst: dsl.Plain(fmt.Sprint("other ", i)), DstKind: extract.DefaultRegistry().DstKind("likes"),
						Polarity: dsl.Positive, Change: dsl.Assert, Confidence: 0.8, Source: "rule"}}})
			}
			benchAssimilate(b, v, turns, assimilate.Policy{Registry: extract.DefaultRegistry(), OwnWord: true})
		})
	}
}

// BenchmarkAssimilateStore assimilates turns against a warm store of n facts on
// Pebble, at its head: the reads of the rules included, the writing left out.
func BenchmarkAssimilateStore(b *testing.B) {
	for _, n := range []int{1e3, 1e5} {
		b.Run(fmt.Sprintf("facts=1e%d", len(fmt.Sprint(n))-1), func(b *testing.B) {
			known := newBenchView(n)
			v := known.stored(b)
			turns := benchTurns(known, n)
			p := assimilate.Policy{Registry: extract.DefaultRegistry(), OwnWord: true}
			for i := range turns { // warm, and spoken by somebody
				turns[i].Speaker = dsl.Plain("Ben")
				if _, err := assimilate.Assimilate(v, turns[i], p); err != nil {
					b.Fatal(err)
				}
			}
			benchAssimilate(b, v, turns, p)
		})
	}
}
