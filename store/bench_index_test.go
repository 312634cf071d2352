package store_test

import (
	"fmt"
	"math/rand"
	"path/filepath"
	"strings"
	"testing"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
	"github.com/asof-db/asof/store/storetest"
)

// BenchmarkIndexBuild applies turns of 15 to 34 words, drawn like words of a
// language, in groups of 500, and weighs what is left.
func BenchmarkIndexBuild(b *testing.B) {
	rng := rand.New(rand.NewSource(1))
	zipf := rand.NewZipf(rng, 1.1, 4, 200_000)
	s, err := store.Open(store.Options{Dir: filepath.Join(b.TempDir(), "s")})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	chain := storetest.NewChain("bench")
	text, log, n := 0, 0, 0
	group := func() (txs []*dsl.Tx, entries []dsl.Hash) {
		for range 500 {
			words := make([]string, 15+rng.Intn(20))
			for i := range words {
				words[i] = fmt.Sprint("w", zipf.Uint64())
			}
			turn := dsl.Turn{
				ID: fmt.Sprintf("t%07d", n), Session: fmt.Sprint("s", n/25), Speaker: dsl.Plain([]string{"Mina", "Joost"}[n%2]),
				Text: dsl.Plain(strings.Join(words, " ")), TS: dsl.Instant(1_700_000_000_000_000 + 60_000_000*n),
			}
			tx := chain.Turn(turn)
			canonical, err := tx.Encode()
			if err != nil {
				b.Fatal(err)
			}
			text, log, n = text+len(turn.Text.String()), log+len(canonical), n+1
			txs, entries = append(txs, tx), append(entries, dsl.Sum(canonical))
		}
		return txs, entries
	}
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		txs, entries := group()
		b.StartTimer()
		st, err := s.Stage()
		if err != nil {
			b.Fatal(err)
		}
		for i, tx := range txs {
			if err := st.Apply(tx, entries[i]); err != nil {
				b.Fatal(err)
			}
		}
		if err := st.Commit(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(500*b.N)/b.Elapsed().Seconds(), "turns/s")
	b.StopTimer()
	rows, err := store.RawRows(s, "bench")
	if err != nil {
		b.Fatal(err)
	}
	size := map[string]int{}
	for _, r := range rows {
		class := "other"
		switch r.Key[0] {
		case 'x':
			class = "postings"
		case 'y', 'Y', 'm':
			class = "documents"
		case 'u':
			class = "turns"
		case 'p':
			class = "positions"
		}
		size[class] += len(r.Key) + len(r.Value) + 9
	}
	disk, err := store.DiskBytes(s)
	if err != nil {
		b.Fatal(err)
	}
	for class, bytes := range size {
		b.ReportMetric(float64(bytes)/float64(n), class+"-B/turn")
	}
	b.ReportMetric(float64(disk)/float64(n), "disk-B/turn")
	b.ReportMetric(float64(text)/float64(n), "text-B/turn")
	b.ReportMetric(float64(log)/float64(n), "log-B/turn")
}
