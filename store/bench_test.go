package store_test

import (
	"fmt"
	"math/rand"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/pebble/v2"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
	"github.com/asof-db/asof/store/storetest"
)

// benchStore holds n versions over n/10 keys: each key's value changes ten
// times, the old one closed at the change.
func benchStore(b *testing.B, n int) (*store.Store, []string, dsl.Instant, dsl.Instant) {
	b.Helper()
	s, err := store.Open(store.Options{Dir: filepath.Join(b.TempDir(), "s")})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	const space = "bench"
	c := storetest.NewChain(space)
	keys := n / 10
	srcs := make([]string, keys)
	at := dsl.Instant(1_700_000_000_000_000)
	start := at
	st, err := s.Stage()
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewSource(1))
	for round := range 10 {
		for k := range keys {
			at += dsl.Instant(1 + rng.Intn(900))
			src := fmt.Sprintf("entity %d", k)
			dst := fmt.Sprintf("value %d", rng.Intn(5000))
			id := fmt.Sprintf("f%d-%d", k, round)
			ops := []dsl.Op{storetest.Upsert(id, 1, c.Node(dsl.Entity, src), "lives_in", c.Node(dsl.Entity, dst), dsl.Since(at), 1)}
			if round > 0 {
				before := fmt.Sprintf("f%d-%d", k, round-1)
				old := storetest.Correct(before, 1, 2, c.Node(dsl.Entity, dst), dsl.Interval{Start: start, End: at}, 1)
				ops = append([]dsl.Op{old}, ops...)
			}
			tx := c.Ops(at, ops...)
			if round == 0 {
				srcs[k] = dsl.NodeID(space, dsl.Entity, src)
			}
			if err := st.Apply(tx, storetest.Entry(tx)); err != nil {
				b.Fatal(err)
			}
		}
		if err := st.Commit(); err != nil {
			b.Fatal(err)
		}
		if st, err = s.Stage(); err != nil {
			b.Fatal(err)
		}
	}
	if err := st.Discard(); err != nil {
		b.Fatal(err)
	}
	return s, srcs, start, at
}

func BenchmarkAsOf(b *testing.B) {
	for _, n := range []int{1e4, 1e5} {
		s, srcs, start, end := benchStore(b, n)
		rng := rand.New(rand.NewSource(2))
		b.Run(fmt.Sprintf("facts=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				t := start + dsl.Instant(rng.Int63n(int64(end-start)))
				v, err := s.AtTime("bench", t)
				if err != nil {
					b.Fatal(err)
				}
				for _, err := range v.Facts(store.FactQuery{Src: []string{srcs[rng.Intn(len(srcs))]}, Rel: "lives_in", Valid: &t}) {
					if err != nil {
						b.Fatal(err)
					}
				}
				if err := v.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkBareGet is what BenchmarkAsOf is held against: a Pebble get of a
// value of the same size among as many keys.
func BenchmarkBareGet(b *testing.B) {
	for _, n := range []int{1e4, 1e5} {
		cache := pebble.NewCache(64 << 20)
		defer cache.Unref()
		db, err := pebble.Open(filepath.Join(b.TempDir(), "p"), &pebble.Options{Cache: cache, MemTableSize: 64 << 20, Logger: quiet{}})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { db.Close() })
		key := func(i int) []byte { return fmt.Appendf(nil, "bench/%032d", i) }
		value := make([]byte, 150)
		for i := range n {
			rand.New(rand.NewSource(int64(i))).Read(value)
			if err := db.Set(key(i), value, pebble.NoSync); err != nil {
				b.Fatal(err)
			}
		}
		if err := db.Flush(); err != nil {
			b.Fatal(err)
		}
		rng := rand.New(rand.NewSource(2))
		keys := make([][]byte, n)
		for i := range keys {
			keys[i] = key(i)
		}
		b.Run(fmt.Sprintf("facts=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, closer, err := db.Get(keys[rng.Intn(n)])
				if err != nil {
					b.Fatal(err)
				}
				if err := closer.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

type quiet struct{}

func (quiet) Infof(string, ...any)  {}
func (quiet) Errorf(string, ...any) {}
func (quiet) Fatalf(f string, a ...any) {
	panic(fmt.Sprintf(f, a...))
}
