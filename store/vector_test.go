package store_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

func randomVectors(random *rand.Rand, n, dim int) [][]float32 {
	list := make([][]float32, n)
	for i := range list {
		list[i] = make([]float32, dim)
		for j := range list[i] {
			list[i][j] = float32(random.NormFloat64() / math.Sqrt(float64(dim)))
		}
	}
	if n > 10 {
		list[n/2], list[n-1] = list[3], list[3] // equal scores
		clear(list[n/3])
	}
	return list
}

// plainDot is the sum that FORMAT.md and the comment of dot name.
func plainDot(a, b []float32) float32 {
	var s [8]float32
	for i := range a {
		s[i%8] += float32(a[i] * b[i])
	}
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

func bestByHand(vectors [][]float32, q []float32, k int) (hits []store.VectorHit) {
	for d, v := range vectors {
		hits = append(hits, store.VectorHit{Doc: d, Score: plainDot(v, q)})
	}
	slices.SortStableFunc(hits, func(x, y store.VectorHit) int { return cmp.Compare(y.Score, x.Score) })
	return hits[:min(k, len(hits))]
}

// vectorStore holds n turns in one space.
func vectorStore(t testing.TB, n int) *store.Store {
	s := openMem(t)
	k := newTalker("a", 8)
	var txs []*dsl.Tx
	for range n {
		txs = append(txs, k.next())
	}
	applyTo(t, s, txs...)
	return s
}

// TestVectorSearch: what a scan finds is what multiplying all finds, in every
// view, with any number of workers, in float32 and in bytes, and however many
// vectors lie behind the view.
func TestVectorSearch(t *testing.T) {
	const docs = 300
	random := rand.New(rand.NewPCG(1, 2))
	for _, dim := range []int{1, 7, 8, 64, 101} {
		s := vectorStore(t, docs)
		vectors := randomVectors(random, docs, dim)
		exact := store.VectorModel{Name: "exact", Dim: dim}
		bytes := store.VectorModel{Name: "bytes", Dim: dim, Int8: true}
		for from := 0; from < docs; {
			to := min(docs, from+1+random.IntN(90))
			for _, m := range []store.VectorModel{exact, bytes} {
				if err := s.PutVectors("a", m, store.TurnField, from, vectors[from:to]); err != nil {
					t.Fatal(err)
				}
			}
			from = to
			for range 6 {
				n := 1 + random.IntN(to)
				v, err := s.At("a", dsl.Seq(n))
				if err != nil {
					t.Fatal(err)
				}
				query := randomVectors(random, 1, dim)[0]
				k := []int{1, 5, 20, 1000}[random.IntN(4)]
				want := bestByHand(vectors[:n], query, k)
				for _, m := range []store.VectorModel{exact, bytes} {
					for _, workers := range []int{1, 2, 7} {
						got, err := store.VectorSearch(t.Context(), v, store.VectorQuery{Model: m.Name, Field: store.TurnField, Vector: query, K: k, Workers: workers})
						if err != nil {
							t.Fatal(err)
						}
						if !reflect.DeepEqual(got, store.VectorResult{Hits: want, Covered: n, Docs: n}) {
							t.Fatalf("dim %d, %s, %d workers, view %d of %d, k=%d:\n%v\nwant\n%v", dim, m.Name, workers, n, to, k, got.Hits, want)
						}
					}
				}
				if err := v.Close(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if rep := check(t, s, store.CheckOptions{}); !rep.OK() {
			t.Errorf("vectors are faults: %v", rep.Faults)
		}
	}
}

func TestVectorRefusals(t *testing.T) {
	s := vectorStore(t, 100)
	random := rand.New(rand.NewPCG(3, 4))
	vectors := randomVectors(random, 100, 4)
	m := store.VectorModel{Name: "m", Dim: 4}
	put := func(m store.VectorModel, f store.Field, from int, v [][]float32) error {
		return s.PutVectors("a", m, f, from, v)
	}
	if err := put(m, store.TurnField, 0, vectors[:70]); err != nil {
		t.Fatal(err)
	}
	nan := [][]float32{{0, 1, float32(math.NaN()), 0}}
	for name, c := range map[string]struct {
		err  error
		want error
	}{
		"a gap":             {put(m, store.TurnField, 71, vectors[:1]), dsl.ErrConflict},
		"once more":         {put(m, store.TurnField, 0, vectors[:1]), dsl.ErrConflict},
		"other dimensions":  {put(store.VectorModel{Name: "m", Dim: 3}, store.TurnField, 70, nil), dsl.ErrConflict},
		"other storage":     {put(store.VectorModel{Name: "m", Dim: 4, Int8: true}, store.TurnField, 70, vectors[:1]), dsl.ErrConflict},
		"no document":       {put(m, store.TurnField, 70, vectors[:31]), dsl.ErrInvalid},
		"no number":         {put(m, store.TurnField, 70, nan), dsl.ErrInvalid},
		"a short vector":    {put(m, store.TurnField, 70, [][]float32{{1}}), dsl.ErrInvalid},
		"no field":          {put(m, 'z', 0, nil), dsl.ErrInvalid},
		"no model":          {put(store.VectorModel{Dim: 4}, store.TurnField, 0, nil), dsl.ErrInvalid},
		"no space":          {s.PutVectors("b", m, store.TurnField, 0, vectors[:1]), dsl.ErrInvalid},
		"too many dims":     {put(store.VectorModel{Name: "m", Dim: 1 << 20}, store.TurnField, 0, nil), dsl.ErrInvalid},
		"a field's own gap": {put(m, store.FactField, 1, vectors[:1]), dsl.ErrConflict},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%s: %v, want %v", name, c.err, c.want)
		}
	}
	if n, err := s.VectorCoverage("a", "m", store.TurnField); n != 70 || err != nil {
		t.Errorf("coverage is %d, %v, want 70", n, err)
	}
	v, err := s.At("a", 100)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	q := store.VectorQuery{Model: "m", Field: store.TurnField, Vector: vectors[0], K: 3, Workers: 2}
	if _, err := store.VectorSearch(t.Context(), v, q); !errors.Is(err, dsl.ErrNotFound) {
		t.Errorf("a view that is not covered: %v, want ErrNotFound", err)
	}
	q.Partial = true
	got, err := store.VectorSearch(t.Context(), v, q)
	if err != nil || got.Covered != 70 || got.Docs != 100 || !reflect.DeepEqual(got.Hits, bestByHand(vectors[:70], vectors[0], 3)) {
		t.Errorf("a part gives %v, %v", got, err)
	}
	for name, bad := range map[string]func(q *store.VectorQuery){
		"k": func(q *store.VectorQuery) { q.K = 0 }, "workers": func(q *store.VectorQuery) { q.Workers = 0 },
		"dimensions": func(q *store.VectorQuery) { q.Vector = q.Vector[:3] }, "number": func(q *store.VectorQuery) { q.Vector = nan[0] },
		"field": func(q *store.VectorQuery) { q.Field = 'z' },
	} {
		q := q
		bad(&q)
		if _, err := store.VectorSearch(t.Context(), v, q); !errors.Is(err, dsl.ErrInvalid) {
			t.Errorf("%s: %v, want ErrInvalid", name, err)
		}
	}
	if err := s.DropVectors("a", "m"); err != nil {
		t.Fatal(err)
	}
	if n, err := s.VectorCoverage("a", "m", store.TurnField); n != 0 || err != nil {
		t.Errorf("after the drop coverage is %d, %v", n, err)
	}
	if got, err := store.VectorSearch(t.Context(), v, q); err != nil || len(got.Hits) != 0 {
		t.Errorf("after the drop %v, %v", got, err)
	}
	if err := put(store.VectorModel{Name: "m", Dim: 5}, store.TurnField, 0, nil); err != nil {
		t.Errorf("after the drop other dimensions are refused: %v", err)
	}
}

// TestDropRemovesVectors: vectors go with their space.
func TestDropRemovesVectors(t *testing.T) {
	s := openMem(t)
	k := newTalker("a", 9)
	applyTo(t, s, k.next(), k.next())
	if err := s.PutVectors("a", store.VectorModel{Name: "m", Dim: 2}, store.TurnField, 0, [][]float32{{1, 2}, {3, 4}}); err != nil {
		t.Fatal(err)
	}
	applyTo(t, s, k.Drop())
	if n, err := s.VectorCoverage("a", "m", store.TurnField); n != 0 || err != nil {
		t.Errorf("coverage is %d, %v", n, err)
	}
}

func BenchmarkVectorSearch(b *testing.B) {
	const docs, dim = 20_000, 384
	s, err := store.Open(store.Options{Dir: filepath.Join(b.TempDir(), "s"), CacheBytes: 256 << 20})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	k := newTalker("a", 10)
	for range docs / 1000 {
		var txs []*dsl.Tx
		for range 1000 {
			txs = append(txs, k.next())
		}
		applyTo(b, s, txs...)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, m := range []store.VectorModel{{Name: "float32", Dim: dim}, {Name: "int8", Dim: dim, Int8: true}} {
		for from := 0; from < docs; from += 1000 {
			if err := s.PutVectors("a", m, store.TurnField, from, randomVectors(random, 1000, dim)); err != nil {
				b.Fatal(err)
			}
		}
		v, err := s.At("a", docs)
		if err != nil {
			b.Fatal(err)
		}
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("vectors=%d/dim=%d/%s/workers=%d", docs, dim, m.Name, workers), func(b *testing.B) {
				b.ReportAllocs()
				q := store.VectorQuery{Model: m.Name, Field: store.TurnField, K: 10, Workers: workers}
				for b.Loop() {
					q.Vector = randomVectors(random, 1, dim)[0]
					if _, err := store.VectorSearch(b.Context(), v, q); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		if err := v.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
