package store_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
	"github.com/asof-db/asof/store/storetest"
)

// TestMetamorphic applies the same transactions in other ways: in batches of
// other sizes, with the spaces interleaved otherwise, reopened, flushed and
// compacted at other points, with other caches and memtables, and read in
// between. Every row, digest and answer must be the same.
func TestMetamorphic(t *testing.T) {
	for seed := range uint64(tries(2)) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { metamorphic(t, seed) })
	}
}

func metamorphic(t *testing.T, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 99))
	gens := []*storetest.Gen{storetest.NewGen("a", random.IntN), storetest.NewGen("b", random.IntN)}
	lines := make([][]*dsl.Tx, len(gens))
	base := open(t, vfs.NewMem())
	txs, variants := 60, 4
	if testing.Short() {
		txs, variants = 30, 2
	}
	for range txs {
		i := random.IntN(len(gens))
		tx := gens[i].Next()
		if seed%2 == 1 && random.IntN(40) == 0 {
			if head, _ := gens[i].Head(); head > 0 {
				lines[i] = append(lines[i], tx)
				if err := base.Apply(tx); err != nil {
					t.Fatal(err)
				}
				tx = gens[i].Drop()
			}
		}
		lines[i] = append(lines[i], tx)
		if err := base.Apply(tx); err != nil {
			t.Fatal(err)
		}
	}
	for variant := range variants {
		other := &pebbleStore{opt: store.Options{Dir: "db", FS: vfs.NewMem(),
			CacheBytes: int64(1+random.IntN(8)) << 20, MemtableBytes: int64(1+random.IntN(4)) << 20}}
		if err := other.Reopen(); err != nil {
			t.Fatal(err)
		}
		replayOtherwise(t, other, lines, random)
		compareStores(t, base.Store, other.Store, gens, random, fmt.Sprintf("seed %d, variant %d", seed, variant))
		if err := other.Store.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// replayOtherwise applies the transactions of several spaces, each in its order,
// in any way that must not matter.
func replayOtherwise(t *testing.T, p *pebbleStore, lines [][]*dsl.Tx, random *rand.Rand) {
	t.Helper()
	next := make([]int, len(lines))
	most := []int{1, 3, 20, 200}[random.IntN(4)]
	for {
		var batch []*dsl.Tx
		for range 1 + random.IntN(most) {
			i := random.IntN(len(lines))
			if next[i] == len(lines[i]) {
				i = (i + 1) % len(lines)
			}
			if next[i] < len(lines[i]) {
				batch = append(batch, lines[i][next[i]])
				next[i]++
			}
		}
		if len(batch) == 0 {
			return
		}
		if err := p.Apply(batch...); err != nil {
			t.Fatal(err)
		}
		var err error
		switch random.IntN(15) {
		case 0:
			err = p.Reopen()
		case 1:
			err = store.Flush(p.Store)
		case 2:
			err = store.Compact(p.Store)
		case 3: // a read that fills caches with a state that is soon old
			v, verr := p.AtTime(batch[0].Space, dsl.Forever)
			if err = verr; err == nil {
				_, derr := v.Docs(store.TurnField)
				for _, ferr := range v.Facts(store.FactQuery{All: true}) {
					derr = errors.Join(derr, ferr)
				}
				err = errors.Join(derr, v.Close())
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// compareStores compares all rows of two stores, the digests at every position,
// and what views at a few positions answer.
func compareStores(t *testing.T, a, b *store.Store, gens []*storetest.Gen, random *rand.Rand, what string) {
	t.Helper()
	fa, err := a.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	defer fa.Close()
	fb, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	defer fb.Close()
	for _, g := range gens {
		rows, err := fa.Diff(context.Background(), fb, g.Space, func(d store.RowDifference) bool {
			t.Errorf("%s: space %q at %s: %s", what, g.Space, d.Position, d.String())
			return false
		})
		if err != nil || rows == 0 {
			t.Fatalf("%s: %d rows compared, %v", what, rows, err)
		}
		head, _ := g.Head()
		first, err := a.First(g.Space)
		if err != nil {
			t.Fatal(err)
		}
		for seq := first; seq <= head; seq++ {
			if x, y := digestAt(t, a, g.Space, seq), digestAt(t, b, g.Space, seq); x != y {
				t.Fatalf("%s: the digest of %q at %s is %s and %s", what, g.Space, seq, x, y)
			}
		}
		for _, seq := range []dsl.Seq{head, first + dsl.Seq(random.Uint64N(uint64(head-first+1)))} {
			va, erra := a.At(g.Space, seq)
			vb, errb := b.At(g.Space, seq)
			if err := errors.Join(erra, errb); err != nil {
				t.Fatal(err)
			}
			storetest.CompareWith(t, va, vb, g.Probes())
			if err := errors.Join(va.Close(), vb.Close()); err != nil {
				t.Fatal(err)
			}
		}
	}
}
