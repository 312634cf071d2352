package store_test

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// TestCrashAtSegments crashes around the transactions that seal and join
// segments: what is left has whole segments, no fault, and the postings of its
// prefix.
func TestCrashAtSegments(t *testing.T) {
	defer store.SmallSegments()()
	fs := vfs.NewCrashableMem()
	live := open(t, fs)
	k := newTalker("a", 12)
	lost := 0
	borders := []int{1, 2, 4, 5}
	if testing.Short() {
		borders = []int{1, 4}
	}
	for _, border := range borders {
		var txs []*dsl.Tx
		for len(k.turns) < border*store.ChunkDocs-2 {
			txs = append(txs, k.next())
		}
		if err := live.Apply(txs...); err != nil {
			t.Fatal(err)
		}
		for n := range 4 {
			if err := live.Apply(k.next()); err != nil {
				t.Fatal(err)
			}
			percents := []int{0, 40, 100}
			if testing.Short() {
				percents = percents[n%3:][:1]
			}
			for _, percent := range percents {
				after := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: rand.New(rand.NewPCG(uint64(border), uint64(n)))})
				s, err := store.Open(store.Options{Dir: "db", FS: after, CacheBytes: 1 << 20, MemtableBytes: 1 << 20})
				if err != nil {
					t.Fatal(err)
				}
				head, err := s.Head("a")
				if err != nil {
					t.Fatal(err)
				}
				if int(head.Seq) < len(k.turns) {
					lost++
				}
				if rep := check(t, s, store.CheckOptions{Samples: 1}); !rep.OK() {
					t.Errorf("crashed at %d turns, %s are left: %v", len(k.turns), head.Seq, rep.Faults)
				}
				v, err := s.At("a", head.Seq)
				if err != nil {
					t.Fatal(err)
				}
				if got, _ := readTerm(t, v, store.TurnField, "w2"); !reflect.DeepEqual(got, k.wantTurns("w2", int(head.Seq))) {
					t.Errorf("crashed at %d turns, %s are left: %d postings", len(k.turns), head.Seq, len(got))
				}
				if v.Close() != nil || s.Close() != nil {
					t.Fatal("the store does not close")
				}
			}
		}
		if err := store.Flush(live.Store); err != nil {
			t.Fatal(err)
		}
	}
	if lost == 0 {
		t.Error("no crash lost anything: nothing was tested")
	}
}

// TestCheckSegmentMutations breaks rows of sealed segments in any way. The check
// must find something, whatever a row becomes.
func TestCheckSegmentMutations(t *testing.T) {
	defer store.SmallSegments()()
	s := openMem(t)
	k := newTalker("a", 13)
	var txs []*dsl.Tx
	for range 3*store.ChunkDocs + 5 {
		txs = append(txs, k.next())
	}
	applyTo(t, s, txs...)
	all, err := store.RawRows(s, "a")
	if err != nil {
		t.Fatal(err)
	}
	rows := slices.DeleteFunc(slices.Clone(all), func(r store.Row) bool { return !strings.ContainsRune("xYm", rune(r.Key[0])) })
	random := rand.New(rand.NewPCG(14, 15))
	by := map[byte][]store.Row{}
	for _, r := range rows {
		by[r.Key[0]] = append(by[r.Key[0]], r)
	}
	for range tries(40) {
		list := by["xxxYm"[random.IntN(5)]]
		r := list[random.IntN(len(list))]
		value, key := slices.Clone(r.Value), r.Key
		how := random.IntN(5)
		switch how {
		case 0:
			err = store.RawDelete(s, "a", r.Key)
		case 1:
			value[random.IntN(len(value))] ^= 1 << random.IntN(8)
			err = store.RawSet(s, "a", r.Key, value)
		case 2:
			err = store.RawSet(s, "a", r.Key, value[:random.IntN(len(value))])
		case 3:
			err = store.RawSet(s, "a", r.Key, append(value, byte(random.IntN(256))))
		default:
			key = slices.Clone(r.Key)
			key[1+random.IntN(len(key)-1)] ^= 1 << random.IntN(8)
			if slices.ContainsFunc(all, func(x store.Row) bool { return bytes.Equal(x.Key, key) }) {
				continue
			}
			err = store.RawSet(s, "a", key, value)
		}
		if err != nil {
			t.Fatal(err)
		}
		if rep := check(t, s, store.CheckOptions{Samples: 1}); rep.OK() {
			t.Errorf("row %q broken in way %d (key %q): no fault is found", r.Key, how, key)
		}
		if !bytes.Equal(key, r.Key) {
			err = store.RawDelete(s, "a", key)
		}
		if err != nil || store.RawSet(s, "a", r.Key, r.Value) != nil {
			t.Fatal("the row cannot be put back")
		}
	}
	if rep := check(t, s, store.CheckOptions{}); !rep.OK() {
		t.Errorf("the space is not as before: %v", rep.Faults)
	}
}
