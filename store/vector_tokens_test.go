package store_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// plainMaxSim is MaxSim as its comment says it.
func plainMaxSim(question, document []byte, dim int) float32 {
	sum, n := 0, len(question)/dim
	if len(document) == 0 || n == 0 {
		return 0
	}
	for q := range n {
		best := math.MinInt
		for d := range len(document) / dim {
			dot := 0
			for i := range dim {
				dot += int(int8(question[q*dim+i])) * int(int8(document[d*dim+i]))
			}
			best = max(best, dot)
		}
		sum += best
	}
	return float32(float64(sum) / float64(127*127*n))
}

func randomTokens(random *rand.Rand, n, dim int) []byte {
	values := make([]float32, n*dim)
	for i := range values {
		values[i] = float32(2*random.Float64() - 1)
	}
	return store.TokenBytes(values)
}

// TestTokenScores gives every document its MaxSim, at every view and however far
// the vectors go.
func TestTokenScores(t *testing.T) {
	const docs, dim = 90, 40
	random := rand.New(rand.NewPCG(3, 4))
	s := vectorStore(t, docs)
	m := store.VectorModel{Name: "late", Dim: dim, Tokens: true}
	documents := make([][]byte, docs)
	for i := range documents {
		documents[i] = randomTokens(random, i%5, dim)
	}
	q := randomTokens(random, 6, dim)
	covered := 0
	for _, upTo := range []int{0, 10, 70, docs} {
		if err := s.PutTokens("a", m, store.TurnField, covered, documents[covered:upTo]); err != nil {
			t.Fatal(err)
		}
		covered = upTo
		for _, at := range []int{1, 50, 71, docs} {
			v, err := s.At("a", dsl.Seq(at))
			if err != nil {
				t.Fatal(err)
			}
			got, err := store.TokenScores(t.Context(), v, "late", store.TurnField, q, dim, []float32{9})
			if err != nil || len(got) != 1+min(at, covered) || got[0] != 9 {
				t.Fatalf("%d scores with %d of %d documents covered: %v", len(got), covered, at, err)
			}
			for d, x := range got[1:] {
				if want := plainMaxSim(q, documents[d], dim); x != want {
					t.Errorf("document %d scores %v, want %v", d, x, want)
				}
			}
			if at == docs && covered > 0 {
				if _, err := store.TokenScores(t.Context(), v, "late", store.TurnField, q, 8, nil); !errors.Is(err, dsl.ErrInvalid) {
					t.Errorf("other dimensions: %v", err)
				}
				if _, err := store.VectorScores(t.Context(), v, "late", store.TurnField, make([]float32, dim), nil); err == nil {
					t.Error("token vectors were read as vectors")
				}
			}
			if err := v.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := s.PutTokens("a", m, store.TurnField, docs, [][]byte{make([]byte, dim)}); !errors.Is(err, dsl.ErrInvalid) {
		t.Errorf("more than there are: %v", err)
	}
	if err := s.PutTokens("a", m, store.TurnField, 3, [][]byte{nil}); !errors.Is(err, dsl.ErrConflict) {
		t.Errorf("again: %v", err)
	}
	if err := s.PutTokens("a", m, store.TurnField, docs, [][]byte{make([]byte, dim+1)}); !errors.Is(err, dsl.ErrInvalid) {
		t.Errorf("a part of a vector: %v", err)
	}
	if err := s.PutVectors("a", m, store.TurnField, docs, nil); !errors.Is(err, dsl.ErrInvalid) {
		t.Errorf("one vector by a model of tokens: %v", err)
	}
	if err := s.PutTokens("a", store.VectorModel{Name: "late", Dim: dim}, store.TurnField, docs, nil); !errors.Is(err, dsl.ErrInvalid) {
		t.Errorf("tokens by a model of one vector: %v", err)
	}
	if err := s.DropVectors("a", "late"); err != nil {
		t.Fatal(err)
	}
	if n, err := s.VectorCoverage("a", "late", store.TurnField); n != 0 || err != nil {
		t.Errorf("dropped, they go to %d: %v", n, err)
	}
}

// TestTokenBytes rounds to the nearest and keeps to the range.
func TestTokenBytes(t *testing.T) {
	got := store.TokenBytes([]float32{0, 1, -1, 0.5, 2, -0.004})
	for i, want := range []int8{0, 127, -127, 64, 127, -1} {
		if int8(got[i]) != want {
			t.Errorf("value %d is %d, want %d", i, int8(got[i]), want)
		}
	}
	if x := store.MaxSim(got[1:2], nil, 1); x != 0 {
		t.Errorf("with nothing: %v", x)
	}
	if x := store.MaxSim(got[1:3], got[1:2], 1); x != 0 {
		t.Errorf("1 and -1 against 1 give %v, want 0 on average", x)
	}
}
