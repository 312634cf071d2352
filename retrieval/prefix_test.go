package retrieval

import (
	"context"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"pgregory.net/rapid"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// inStore applies the book to a store in memory.
func (b *book) inStore(t testing.TB) *store.Store {
	t.Helper()
	s, err := store.Open(store.Options{Dir: "db", FS: vfs.NewMem()})
	if err != nil {
		t.Fatal(err)
	}
	const group = 500
	for from := 0; from < len(b.txs); from += group {
		stage, err := s.Stage()
		if err != nil {
			t.Fatal(err)
		}
		for i := from; i < min(from+group, len(b.txs)); i++ {
			if err := stage.Apply(b.txs[i], b.entries[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := stage.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// prefix is the log up to a position.
func (b *book) prefix(seq dsl.Seq) *book { return &book{txs: b.txs[:seq], entries: b.entries[:seq]} }

// TestSuffixChangesNothing is invariant I8 for search: what a long log gives at
// a position is, byte for byte, what the log up to there gives, from the store
// and from a model that has never seen more.
func TestSuffixChangesNothing(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		b := randomBook(r, 40)
		s := b.inStore(t)
		defer s.Close()
		seq := dsl.Seq(rapid.IntRange(1, len(b.txs)).Draw(r, "position"))
		q := randomQuery(r)
		q.Part = randomPart(r)
		q.More = rapid.IntRange(0, 5).Draw(r, "behind")
		q.Kinds = rapid.SampledFrom([][]Kind{nil, {Fact}, {Event}, {Session}, Kinds}).Draw(r, "kinds")
		q.View = rapid.SampledFrom([]ViewKind{AsRecorded, AsWas}).Draw(r, "view")
		if rapid.Bool().Draw(r, "valid") {
			valid := minute(rapid.IntRange(-5, 45).Draw(r, "minute"))
			q.Valid = &valid
		}
		opt := randomOptions(r)
		// Words that the reading of a question looks for.
		q.Text = rapid.SampledFrom([]string{"", "when did ", "how many ", "which latest ", "第一次"}).Draw(r, "asks") + q.Text +
			rapid.SampledFrom([]string{"", " on 1 January 2024", " yesterday", " since 2023?", "？另外，" + q.Text, " about Mina"}).Draw(r, "more")
		if rapid.Bool().Draw(r, "asked") {
			asked := minute(rapid.IntRange(-5, 45).Draw(r, "asked minute"))
			q.Asked = &asked
		}
		short := b.prefix(seq)
		alone := short.inStore(t)
		defer alone.Close()
		want := render(t, short.at(t, 0), q, opt)
		for name, from := range map[string]*store.Store{"the whole log": s, "the log up to there": alone} {
			keepVectors(t, from, rapid.Float64Range(0, 1).Draw(r, "share of vectors kept"))
			v, err := from.At(testSpace, seq)
			if err != nil {
				t.Fatal(err)
			}
			got := render(t, v, q, opt)
			if err := v.Close(); err != nil {
				t.Fatal(err)
			}
			if got != want {
				r.Fatalf("position %s of a store with %s gives\n%s\nthe model gives\n%s", seq, name, got, want)
			}
		}
	})
}

// randomOptions draws which channels there are and how they are put together.
func randomOptions(r *rapid.T) Options {
	opt := Options{Analyzer: &shared, Fusion: rapid.SampledFrom(Fusions).Draw(r, "fusion"), Pool: rapid.IntRange(10, 30).Draw(r, "pool"), Next: rapid.SampledFrom([]float64{0, 0.3}).Draw(r, "next")}
	opt.Expand, opt.Rerank = randomRerank(r)
	opt.Expansion = randomExpansion(r)
	if rapid.IntRange(0, 3).Draw(r, "cues") > 0 {
		opt.Cues = DefaultCues()
		opt.Cues.Fresh = rapid.SampledFrom([]float64{0, 0.5}).Draw(r, "fresh")
		opt.Cues.Near = rapid.SampledFrom([]float64{0, 0.5}).Draw(r, "near")
	}
	if rapid.IntRange(0, 3).Draw(r, "channels of vectors") == 0 {
		return opt
	}
	opt.Dense = randomDense(r)
	return opt
}

// keepVectors puts the vectors of a share of the documents into the store, the
// first ones.
func keepVectors(t testing.TB, s *store.Store, share float64) {
	t.Helper()
	head, err := s.Head(testSpace)
	if err != nil {
		t.Fatal(err)
	}
	v, err := s.At(testSpace, head.Seq)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	for _, f := range []store.Field{store.TurnField, store.FactField, store.EventField} {
		docs, err := v.Docs(f)
		if err != nil {
			t.Fatal(err)
		}
		// In two parts: the second begins amid sessions.
		n := int(share * float64(len(docs.Info)))
		for _, part := range [][2]int{{0, n / 2}, {n / 2, n}} {
			vectors, err := Vectors(context.Background(), v, f, part[0], part[1], letters{})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.PutVectors(testSpace, letters{}.Model(), f, part[0], vectors); err != nil {
				t.Fatal(err)
			}
			tokens, err := Tokens(context.Background(), v, f, part[0], part[1], manyLetters{})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.PutTokens(testSpace, manyLetters{}.Model(), f, part[0], tokens); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// render shows every bit of a result.
func render(t testing.TB, v store.View, q Query, opt Options) string {
	t.Helper()
	got, err := Search(context.Background(), v, q, opt)
	if err != nil {
		t.Fatalf("Search(%+v): %v", q, err)
	}
	got.Unkept = nil
	return strings.ReplaceAll(fmt.Sprintf("%+v %x", got, got.Hits), "} {", "}\n{")
}

// BenchmarkSearchInStore searches 6,000 turns in a Pebble store.
func BenchmarkSearchInStore(b *testing.B) {
	rng := rand.New(rand.NewSource(1))
	zipf := rand.NewZipf(rng, 1.1, 4, 20000)
	log := new(book)
	for i := range 6000 {
		var words []string
		for range 15 + rng.Intn(20) {
			words = append(words, fmt.Sprint("w", zipf.Uint64()))
		}
		log.turn(fmt.Sprintf("t%06d", i), fmt.Sprint("s", i/25), []string{"Mina", "Joost"}[i%2], strings.Join(words, " "))
	}
	s := log.inStore(b)
	defer s.Close()
	for _, at := range []dsl.Seq{600, 6000} {
		for _, kind := range []Kind{Turn, Session} {
			b.Run(fmt.Sprintf("turns=6000/at=%d/kind=%s", at, kind), func(b *testing.B) {
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					v, err := s.At(testSpace, at)
					if err != nil {
						b.Fatal(err)
					}
					q := Query{Text: fmt.Sprintf("what did Mina say about w%d w%d w%d w%d w%d w%d w%d", i%3, i%11, i%40, i%97, i%333, i%997, i%4001), K: 10, Kinds: []Kind{kind}}
					if _, err := Search(context.Background(), v, q, Options{Analyzer: &shared}); err != nil {
						b.Fatal(err)
					}
					if err := v.Close(); err != nil {
						b.Fatal(err)
					}
					i++
				}
			})
		}
	}
}
