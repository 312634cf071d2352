package storetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
	"github.com/asof-db/asof/store/model"
)

// An Applier is a store under test.
type Applier interface {
	// Apply commits transactions, of one space or several, in one batch, all or
	// none. What does not fit wraps dsl.ErrCorrupt.
	Apply(txs ...*dsl.Tx) error
	// At and AtTime give views. A position beyond the head, or dropped, is
	// dsl.ErrNotFound; a space that is not there is an empty one.
	At(space string, seq dsl.Seq) (store.View, error)
	AtTime(space string, t dsl.Instant) (store.View, error)
	// Reopen closes the store and opens it again. All views are closed before.
	Reopen() error
}

// Run tests an implementation. open gives an empty one, whose end it sees to
// with t.Cleanup.
func Run(t *testing.T, open func(t *testing.T) Applier) {
	t.Helper()
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			a := open(t)
			space := fmt.Sprintf("case %d", i)
			t.Run("first", func(t *testing.T) { c.test(newBench(t, a, space)) })
			before := answers(t, a, space)
			if err := a.Reopen(); err != nil {
				t.Fatal(err)
			}
			if after := answers(t, a, space); after != before {
				t.Errorf("reopened, it answers\n%s\nand before\n%s", after, before)
			}
			t.Run("beside others", func(t *testing.T) { c.test(newBench(t, a, space+" again")) })
		})
	}
	t.Run("batches change nothing", func(t *testing.T) { testBatches(t, open) })
	t.Run("reading while writing", func(t *testing.T) { testConcurrent(t, open(t)) })
	t.Run("random", func(t *testing.T) { testRandom(t, open(t)) })
}

// answers gives the digest and a few answers at the head of a space.
func answers(t *testing.T, a Applier, space string) string {
	t.Helper()
	b := newBench(t, a, space)
	v := b.atTime(dsl.Forever)
	d, err := v.Digest()
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprint(v.Basis(), d, b.facts(v, store.FactQuery{All: true}), b.events(v, true), b.changes(v, 0))
	closeViews(t, v)
	return text
}

// testBatches applies the same transactions one by one, and many spaces' at once:
// every digest and answer must be the same.
func testBatches(t *testing.T, open func(t *testing.T) Applier) {
	random := rand.New(rand.NewPCG(1, 2))
	gens := []*Gen{NewGen("a", random.IntN), NewGen("b", random.IntN), NewGen("c", random.IntN)}
	var all []*dsl.Tx
	for range 60 {
		all = append(all, gens[random.IntN(len(gens))].Next())
	}
	one, many, apart := open(t), open(t), open(t)
	for _, tx := range all {
		if err := one.Apply(tx); err != nil {
			t.Fatal(err)
		}
	}
	for batch := range slices.Chunk(all, 17) {
		if err := many.Apply(batch...); err != nil {
			t.Fatal(err)
		}
	}
	for _, g := range gens { // one space after the other
		for _, tx := range all {
			if tx.Space == g.Space {
				if err := apart.Apply(tx); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	for _, g := range gens {
		head, _ := g.Head()
		for seq := range head + 1 {
			want := newBench(t, one, g.Space).at(seq)
			digest := must(want.Digest())
			for _, a := range []Applier{many, apart} {
				got := newBench(t, a, g.Space).at(seq)
				if d := must(got.Digest()); d != digest {
					t.Errorf("space %q at %s: digests %s and %s", g.Space, seq, digest, d)
				}
			}
		}
		CompareWith(t, newBench(t, one, g.Space).at(head), newBench(t, many, g.Space).at(head), g.Probes())
		CompareWith(t, newBench(t, one, g.Space).at(head/2), newBench(t, apart, g.Space).at(head/2), g.Probes())
	}
}

// testConcurrent reads one view from several goroutines while the space grows.
func testConcurrent(t *testing.T, a Applier) {
	random := rand.New(rand.NewPCG(3, 4))
	g := NewGen("concurrent", random.IntN)
	m := model.New(g.Space)
	grow := func(n int) {
		for range n {
			tx := g.Next()
			if err := errors.Join(m.Apply(tx, Entry(tx)), a.Apply(tx)); err != nil {
				t.Error(err)
				return
			}
		}
	}
	grow(15)
	head := m.Head()
	want, got, probes := m.At(head), newBench(t, a, g.Space).at(head), g.Probes()
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() { CompareWith(goroutine{t}, want, got, probes) })
	}
	grow(15)
	readers.Wait()
	CompareWith(t, want, got, g.Probes())
}

// goroutine is a test as seen from a goroutine that is not its own: it may not
// end it, and ends itself instead.
type goroutine struct{ *testing.T }

func (g goroutine) Fatalf(format string, args ...any) {
	g.Helper()
	g.Errorf(format, args...)
	runtime.Goexit()
}
