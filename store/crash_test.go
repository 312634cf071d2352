package store_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
	"github.com/asof-db/asof/store/storetest"
)

// history is what was committed to a store, batch by batch.
type history struct {
	spaces  []string
	batches [][]*dsl.Tx
	// heads are the head positions of each space after each batch, the first
	// before any.
	heads []map[string]dsl.Seq
	// digests are those of each position, by space.
	digests map[string][]dsl.Hash
}

func newHistory(spaces ...string) *history {
	h := &history{spaces: spaces, digests: map[string][]dsl.Hash{}}
	h.heads = append(h.heads, map[string]dsl.Seq{})
	return h
}

func (h *history) add(t *testing.T, s *store.Store, batch []*dsl.Tx) {
	t.Helper()
	heads := map[string]dsl.Seq{}
	for space, seq := range h.heads[len(h.heads)-1] {
		heads[space] = seq
	}
	for _, tx := range batch {
		heads[tx.Space] = tx.Seq
	}
	h.batches, h.heads = append(h.batches, batch), append(h.heads, heads)
	for _, tx := range batch {
		h.digests[tx.Space] = append(h.digests[tx.Space], digestAt(t, s, tx.Space, tx.Seq))
	}
}

func digestAt(t testing.TB, s *store.Store, space string, seq dsl.Seq) dsl.Hash {
	t.Helper()
	v, err := s.At(space, seq)
	if err != nil {
		t.Fatal(err)
	}
	d, err := v.Digest()
	if err := errors.Join(err, v.Close()); err != nil {
		t.Fatal(err)
	}
	return d
}

// prefix tells how many batches a store holds; it fails where it holds anything
// but a prefix of them in commit order.
func (h *history) prefix(t *testing.T, s *store.Store) int {
	t.Helper()
	got := map[string]dsl.Seq{}
	for _, space := range h.spaces {
		head, err := s.Head(space)
		if err != nil {
			t.Fatal(err)
		}
		got[space] = head.Seq
	}
	for n := len(h.heads) - 1; n >= 0; n-- {
		if !slices.ContainsFunc(h.spaces, func(x string) bool { return got[x] != h.heads[n][x] }) {
			return n
		}
	}
	t.Fatalf("after a crash the heads are %v: no prefix of the batches has them", got)
	return 0
}

// TestCrash clones the disk at random moments as a crash would leave it, with
// any part of what was not synced. The store must open, hold a prefix of the
// batches in commit order, find no fault in itself, and catch up to the same
// digests.
func TestCrash(t *testing.T) {
	lost := 0
	for seed := range uint64(tries(4)) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { lost += crashes(t, seed) })
	}
	if lost == 0 {
		t.Error("no crash lost anything: nothing was tested")
	}
}

func crashes(t *testing.T, seed uint64) (lost int) {
	random := rand.New(rand.NewPCG(seed, 77))
	fs := vfs.NewCrashableMem()
	live := open(t, fs)
	gens := []*storetest.Gen{storetest.NewGen("a", random.IntN), storetest.NewGen("b", random.IntN)}
	h := newHistory("a", "b")
	for len(h.batches) < 60 {
		var batch []*dsl.Tx
		for range 1 + random.IntN(4) {
			batch = append(batch, gens[random.IntN(2)].Next())
		}
		if err := live.Apply(batch...); err != nil {
			t.Fatal(err)
		}
		h.add(t, live.Store, batch)
		switch random.IntN(12) {
		case 0:
			if err := store.Flush(live.Store); err != nil {
				t.Fatal(err)
			}
		case 1:
			if err := store.Compact(live.Store); err != nil {
				t.Fatal(err)
			}
		case 2:
			if err := live.Reopen(); err != nil {
				t.Fatal(err)
			}
		}
		if random.IntN(6) > 0 {
			continue
		}
		after := fs.CrashClone(vfs.CrashCloneCfg{
			UnsyncedDataPercent: []int{0, 30, 70, 100}[random.IntN(4)],
			RNG:                 rand.New(rand.NewPCG(seed, uint64(len(h.batches)))),
		})
		lost += recoverFrom(t, h, after)
	}
	return lost
}

// recoverFrom opens what a crash left, and applies what it lacks.
func recoverFrom(t *testing.T, h *history, fs vfs.FS) (lost int) {
	t.Helper()
	s, err := store.Open(store.Options{Dir: "db", FS: fs, CacheBytes: 1 << 20, MemtableBytes: 1 << 20})
	if err != nil {
		t.Fatalf("after a crash behind batch %d: %v", len(h.batches), err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	n := h.prefix(t, s)
	if rep := check(t, s, store.CheckOptions{}); !rep.OK() {
		t.Errorf("after a crash, at batch %d of %d: %v", n, len(h.batches), rep.Faults)
	}
	for _, batch := range h.batches[n:] {
		applyTo(t, s, batch...)
	}
	for _, space := range h.spaces {
		for i, want := range h.digests[space] {
			if got := digestAt(t, s, space, dsl.Seq(i+1)); got != want {
				t.Fatalf("caught up after a crash at batch %d of %d, the digest of %q at #%d is %s and was %s", n, len(h.batches), space, i+1, got, want)
			}
		}
	}
	return len(h.batches) - n
}
