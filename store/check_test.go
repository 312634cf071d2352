package store_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
	"github.com/asof-db/asof/store/storetest"
)

// openMem opens a store in memory for a test.
func openMem(t testing.TB) *store.Store {
	t.Helper()
	s, err := store.Open(store.Options{Dir: "db", FS: vfs.NewMem(), CacheBytes: 1 << 20, MemtableBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// applyTo commits transactions in one batch.
func applyTo(t testing.TB, s *store.Store, txs ...*dsl.Tx) {
	t.Helper()
	if err := commit(s, txs...); err != nil {
		t.Fatal(err)
	}
}

func commit(s *store.Store, txs ...*dsl.Tx) error {
	st, err := s.Stage()
	if err != nil {
		return err
	}
	defer st.Discard()
	for _, tx := range txs {
		if err := st.Apply(tx, storetest.Entry(tx)); err != nil {
			return err
		}
	}
	return st.Commit()
}

func check(t testing.TB, s *store.Store, opt store.CheckOptions) store.CheckReport {
	t.Helper()
	rep, err := s.Check(context.Background(), "", opt)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// TestCheckClean checks random spaces, which have no fault, in windows that hold
// all positions and in ones that hold a few.
func TestCheckClean(t *testing.T) {
	for seed := range uint64(tries(4)) {
		s := openMem(t)
		random := rand.New(rand.NewPCG(seed, 1))
		gens := []*storetest.Gen{storetest.NewGen("a", random.IntN), storetest.NewGen("b", random.IntN)}
		for i := range 120 {
			applyTo(t, s, gens[i%2].Next())
			if i == 70 && seed%2 == 1 {
				applyTo(t, s, gens[0].Drop())
			}
		}
		var first store.CheckReport
		for _, window := range []int{0, 1, 7} {
			rep := check(t, s, store.CheckOptions{Seed: seed, Window: window})
			for _, f := range rep.Faults {
				t.Errorf("seed %d, window %d: %s %s %s: %s", seed, window, f.Space, f.Position, f.Kind, f.Message)
			}
			if window == 0 {
				first = rep
			}
			if fmt.Sprint(rep.Checked) != fmt.Sprint(first.Checked) {
				t.Errorf("seed %d: a window of %d checks %v, one of all positions %v", seed, window, rep.Checked, first.Checked)
			}
		}
		for _, kind := range []string{"I1", "I2", "I3", "I5", "I7", "I9", "I10", "digest", "counts", "state", "index", "rows", "format"} {
			if first.Checked[kind] == 0 {
				t.Errorf("seed %d: nothing was checked for %s: %v", seed, kind, first.Checked)
			}
		}
	}
}

// tries is how often a random test tries: ten times as often in a long run,
// which ASOF_LONG=1 asks for, and a fifth as often in a short one. Short runs are
// those of the race detector, under which Pebble takes down the stack of whoever
// opens a table: a read of one is some forty times slower.
func tries(n int) int {
	switch {
	case os.Getenv("ASOF_LONG") != "":
		return 10 * n
	case testing.Short():
		return max(2, n/5)
	}
	return n
}

// TestCloseWaitsForWhatIsFrozen closes a store that is being checked.
func TestCloseWaitsForWhatIsFrozen(t *testing.T) {
	s := openMem(t)
	c := storetest.NewChain("c")
	applyTo(t, s, c.Ops(start))
	f, err := s.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	closed := make(chan error, 1)
	go func() { closed <- s.Close() }()
	if rep, err := f.Check(context.Background(), "", store.CheckOptions{}); err != nil || !rep.OK() {
		t.Errorf("a check beside Close: %v, %v", rep.Faults, err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-closed; err != nil {
		t.Fatal(err)
	}
	if _, err := s.Freeze(); !errors.Is(err, dsl.ErrClosed) {
		t.Errorf("Freeze after Close: %v", err)
	}
}

// TestDropUnderNewSettings drops a space in a transaction that also brings other
// settings into force.
func TestDropUnderNewSettings(t *testing.T) {
	s := openMem(t)
	c := storetest.NewChain("d")
	applyTo(t, s, c.Ops(start))
	c.Configure(`{"n":1}`)
	applyTo(t, s, c.Drop())
	applyTo(t, s, c.Ops(start+dsl.Day))
	if rep := check(t, s, store.CheckOptions{}); !rep.OK() {
		t.Errorf("%v", rep.Faults)
	}
}

// BenchmarkCheck checks a store of n versions over n/10 keys.
func BenchmarkCheck(b *testing.B) {
	for _, n := range []int{1e4, 1e5} {
		s, _, _, _ := benchStore(b, n)
		b.Run(fmt.Sprintf("facts=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if rep := check(b, s, store.CheckOptions{}); !rep.OK() {
					b.Fatal(rep.Faults)
				}
			}
		})
	}
}
