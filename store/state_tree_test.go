package store_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
	"github.com/asof-db/asof/store/model"
	"github.com/asof-db/asof/store/storetest"
)

// hotKey grows one (src, rel) key: versions in intervals of every kind, among
// them many with the same start, corrected, retracted, archived and witnessed.
type hotKey struct {
	c    *storetest.Chain
	rng  *rand.Rand
	open []dsl.VersionRef
	next int
	gone int // one in so many operations closes, more when it is small
}

const hotBase = dsl.Instant(1_700_000_000_000_000)

func (h *hotKey) interval() dsl.Interval {
	at := func() dsl.Instant { return hotBase + dsl.Instant(h.rng.IntN(40)) }
	switch h.rng.IntN(6) {
	case 0:
		return dsl.Interval{Start: dsl.Beginning, End: at()}
	case 1:
		return dsl.Since(at())
	case 2:
		return dsl.Always
	}
	a, b := at(), at()
	return dsl.Interval{Start: min(a, b), End: max(a, b)}
}

func (h *hotKey) ops(src string) []dsl.Op {
	var ops []dsl.Op
	for range 1 + h.rng.IntN(4) {
		dst := h.c.Node(dsl.Entity, fmt.Sprint("value ", h.rng.IntN(5)))
		if len(h.open) == 0 || h.rng.IntN(h.gone) > 0 {
			h.next++
			ref := dsl.VersionRef{ID: fmt.Sprint("f", h.next), Version: 1}
			ops = append(ops, storetest.Upsert(ref.ID, 1, src, "likes", dst, h.interval(), 0.5))
			h.open = append(h.open, ref)
			continue
		}
		i := h.rng.IntN(len(h.open))
		ref := h.open[i]
		switch h.rng.IntN(5) {
		case 0:
			ops = append(ops, storetest.Correct(ref.ID, ref.Version, ref.Version+1, dst, h.interval(), 0.6))
			h.open[i].Version++
		case 1:
			ops = append(ops, storetest.Archive(ref.ID))
		default:
			ops = append(ops, storetest.Retract(ref.ID, ref.Version))
			h.open = slices.Delete(h.open, i, i+1)
		}
	}
	return ops
}

// TestHotKey compares every point of both times with the model while one key
// grows and shrinks, and has check grow the trees again.
func TestHotKey(t *testing.T) {
	for _, small := range []bool{true, false} {
		for _, gone := range []int{2, 4, 12} {
			t.Run(fmt.Sprintf("small=%t/gone=%d", small, gone), func(t *testing.T) {
				s := openMem(t)
				if small {
					s.SmallTrees()
				}
				h := &hotKey{c: storetest.NewChain("hot"), rng: rand.New(rand.NewPCG(7, uint64(gone))), gone: gone}
				m := model.New("hot")
				src := ""
				const turns = 90
				for n := range turns {
					src = h.c.Node(dsl.Entity, "Anna")
					if n == turns/2 {
						h.gone = 2 // let whole leaves run empty
					}
					tx := h.c.Ops(hotBase+dsl.Instant(n*10), h.ops(src)...)
					applyTo(t, s, tx)
					if err := m.Apply(tx, storetest.Entry(tx)); err != nil {
						t.Fatal(err)
					}
					if n%17 == 0 {
						s.ForgetTrees()
					}
				}
				most := 4
				if testing.Short() {
					most = 16
				}
				for seq := dsl.Seq(1); seq <= turns; seq += 1 + dsl.Seq(h.rng.IntN(most)) {
					compareHot(t, m.At(seq), must(s.At("hot", seq)), src)
				}
				if rep := check(t, s, store.CheckOptions{}); len(rep.Faults) > 0 {
					t.Errorf("check finds %v", rep.Faults)
				}
			})
		}
	}
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// compareHot compares what two views say of a key.
func compareHot(t *testing.T, want, got store.View, src string) {
	t.Helper()
	defer got.Close()
	list := func(v store.View, q store.FactQuery) (text []string) {
		q.Src, q.Rel = []string{src}, "likes"
		for f, err := range v.Facts(q) {
			if err != nil {
				t.Fatal(err)
			}
			text = append(text, fmt.Sprintf("%+v", f))
		}
		return text
	}
	same := func(what string, a, b []string) {
		t.Helper()
		if !slices.Equal(a, b) {
			t.Fatalf("%s at %s: got\n%q\nwant\n%q", what, got.Basis().Seq, b, a)
		}
	}
	same("open", list(want, store.FactQuery{}), list(got, store.FactQuery{}))
	same("all", list(want, store.FactQuery{All: true}), list(got, store.FactQuery{All: true}))
	for v := hotBase - 2; v < hotBase+42; v++ {
		same(fmt.Sprint("valid ", v-hotBase), list(want, store.FactQuery{Valid: &v}), list(got, store.FactQuery{Valid: &v}))
	}
	for v := range want.History(store.FactQuery{}) {
		a, b := must(want.Fact(v.ID)), must(got.Fact(v.ID))
		same("fact "+v.ID, []string{fmt.Sprintf("%+v", a)}, []string{fmt.Sprintf("%+v", b)})
	}
}

// smallTrees is a store whose trees are small.
type smallTrees struct{ *pebbleStore }

func (p *smallTrees) Reopen() error {
	err := p.pebbleStore.Reopen()
	if err == nil {
		p.SmallTrees()
	}
	return err
}

// TestConformanceSmallTrees is for the long runs; TestHotKey sees small trees
// always.
func TestConformanceSmallTrees(t *testing.T) {
	if os.Getenv("ASOF_LONG") == "" {
		t.Skip("ASOF_LONG is not set")
	}
	storetest.Run(t, func(t *testing.T) storetest.Applier {
		p := &smallTrees{open(t, vfs.NewMem())}
		p.SmallTrees()
		return p
	})
}
