package store_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
	"github.com/asof-db/asof/store/model"
)

// TestVectorScores gives every document its dot product, at every view and however
// far the vectors go.
func TestVectorScores(t *testing.T) {
	t.Run("all of it", func(t *testing.T) { testVectorScores(t, 12, 0, 12) })
	t.Run("zeros at the ends", func(t *testing.T) { testVectorScores(t, 40, 9, 25) })
	t.Run("nothing but zeros", func(t *testing.T) { testVectorScores(t, 16, 16, 16) })
}

// testVectorScores asks with a vector that is zeros but for [lo, hi).
func testVectorScores(t *testing.T, dim, lo, hi int) {
	random := rand.New(rand.NewPCG(1, 2))
	s := vectorStore(t, 150)
	vectors := randomVectors(random, 150, dim)
	m := store.VectorModel{Name: "m", Dim: dim}
	q := slices.Clone(vectors[7])
	clear(q[:lo])
	clear(q[hi:])
	covered := 0
	for _, upTo := range []int{0, 10, 64, 100, 150} {
		if err := s.PutVectors("a", m, store.TurnField, covered, vectors[covered:upTo]); err != nil {
			t.Fatal(err)
		}
		covered = upTo
		for _, docs := range []int{1, 50, 64, 65, 128, 150} {
			v, err := s.At("a", dsl.Seq(docs))
			if err != nil {
				t.Fatal(err)
			}
			got, err := store.VectorScores(t.Context(), v, "m", store.TurnField, q, []float32{9})
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != 1+min(docs, covered) || got[0] != 9 {
				t.Fatalf("%d scores with %d vectors of %d documents", len(got)-1, covered, docs)
			}
			for d, x := range got[1:] {
				if x != plainDot(vectors[d], q) || x != store.Dot(vectors[d], q) {
					t.Errorf("document %d scores %v, and Dot says %v, want %v", d, x, store.Dot(vectors[d], q), plainDot(vectors[d], q))
				}
			}
			if err := v.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	v, err := s.At("a", 150)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	if _, err := store.VectorScores(t.Context(), v, "m", store.TurnField, q[:3], nil); !errors.Is(err, dsl.ErrInvalid) {
		t.Errorf("a shorter vector gives %v, want ErrInvalid", err)
	}
	if got, err := store.VectorScores(t.Context(), model.New("a").At(0), "m", store.TurnField, q, nil); len(got) != 0 || err != nil {
		t.Errorf("a view of no store gives %v, %v, want nothing", got, err)
	}
}
