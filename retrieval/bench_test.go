package retrieval

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/asof-db/asof/dsl"
)

// syntheticTable is a space of n turns of about 25 words, drawn like words of a
// language: few are frequent, most are rare.
func syntheticTable(n int) *table {
	rng := rand.New(rand.NewSource(1))
	zipf := rand.NewZipf(rng, 1.1, 4, 20000)
	v := newTable()
	for i := range n {
		var words []string
		for range 15 + rng.Intn(20) {
			words = append(words, fmt.Sprint("w", zipf.Uint64()))
		}
		v.add(dsl.Turn{
			ID: fmt.Sprintf("t%06d", i), Session: fmt.Sprint("s", i/25), Speaker: dsl.Plain([]string{"Mina", "Joost"}[i%2]),
			Text: dsl.Plain(strings.Join(words, " ")), TS: minute(i),
		})
	}
	return v
}

// BenchmarkSearch asks questions of eight words, from the most frequent ones on,
// that name a speaker.
func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{600, 6000, 60000} {
		v := syntheticTable(n)
		for _, kind := range []Kind{Turn, Session} {
			b.Run(fmt.Sprintf("turns=%d/kind=%s", n, kind), func(b *testing.B) {
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					q := Query{Text: fmt.Sprintf("what did Mina say about w%d w%d w%d w%d w%d w%d w%d", i%3, i%11, i%40, i%97, i%333, i%997, i%4001), K: 10, Kinds: []Kind{kind}}
					find(b, v, q)
					i++
				}
			})
		}
	}
}
