package store_test

import (
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/asof-db/asof/store"
)

// TestCrashInFullGroups is TestCrash for the groups of a rebuild, which Pebble
// takes past the memtable, with small ones between them.
func TestCrashInFullGroups(t *testing.T) {
	fs := vfs.NewCrashableMem()
	s, err := store.Open(diskOptions(fs))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	random := rand.New(rand.NewPCG(7, 8))
	txs, entries := w1Like(t, 6000)
	h := newHistory("w1")
	lost, full := 0, 0
	for i := 0; i < len(txs); {
		st, err := s.Stage()
		if err != nil {
			t.Fatal(err)
		}
		from, few := i, len(h.batches)%3 == 2
		for ; i < len(txs) && !st.Full() && (!few || i < from+5); i++ {
			if err := st.Apply(txs[i], entries[i]); err != nil {
				t.Fatal(err)
			}
		}
		if st.Full() {
			full++
		}
		if err := st.Commit(); err != nil {
			t.Fatal(err)
		}
		h.add(t, s, txs[from:i])
		after := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: []int{0, 30, 70, 100}[random.IntN(4)], RNG: rand.New(rand.NewPCG(9, uint64(i)))})
		lost += recoverFrom(t, h, after)
	}
	if full < 2 || lost == 0 {
		t.Errorf("%d groups were full and %d were lost: nothing was tested", full, lost)
	}
}
