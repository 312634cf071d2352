package retrieval

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// letters is an encoder for tests: a vector counts the characters of a text.
type letters struct{}

const lettersDim = 24

func (letters) Model() store.VectorModel { return store.VectorModel{Name: "letters", Dim: lettersDim} }

func (letters) vector(text string) []float32 {
	v := make([]float32, lettersDim)
	for _, r := range text {
		if r != ' ' {
			v[r%lettersDim]++
		}
	}
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	for i := range v {
		if sum > 0 {
			v[i] = float32(float64(v[i]) / math.Sqrt(sum))
		}
	}
	return v
}

func (l letters) Query(_ context.Context, text string) ([]float32, error) {
	if v := l.vector(text); slices.Max(v) > 0 {
		return v, nil
	}
	return nil, nil
}

func (l letters) Documents(_ context.Context, texts []string) (list [][]float32, err error) {
	for _, text := range texts {
		list = append(list, l.vector(text))
	}
	return list, nil
}

// TestVectorsOfTurns compares with the plainest reading of what the vector of a
// turn is, whatever the part that is asked for and however long the log.
func TestVectorsOfTurns(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		b := randomBook(r, 30)
		seq := dsl.Seq(rapid.IntRange(1, len(b.txs)).Draw(r, "position"))
		v := b.at(t, seq)
		var turns []store.Turn
		for turn, err := range v.Turns(0) {
			if err != nil {
				r.Fatal(err)
			}
			turns = append(turns, turn)
		}
		from := rapid.IntRange(0, len(turns)).Draw(r, "from")
		got, err := Vectors(context.Background(), b.at(t, 0), store.TurnField, from, len(turns), letters{})
		if err != nil {
			r.Fatal(err)
		}
		if len(got) != len(turns)-from {
			r.Fatalf("%d vectors of %d turns", len(got), len(turns)-from)
		}
		for i := from; i < len(turns); i++ {
			want := make([]float64, lettersDim)
			counts := []float64{1, 0.5, 0.3}
			for j := i; j >= 0 && len(counts) > 0; j-- {
				if j < i && (turns[j].Session != turns[i].Session || replacedUpTo(turns, j, i)) {
					continue
				}
				for d, x := range (letters{}).vector(turnText(turns[j].Turn)) {
					want[d] += counts[0] * float64(x)
				}
				counts = counts[1:]
			}
			length := 0.0
			for _, x := range want {
				length += x * x
			}
			for d := range want {
				if length > 0 {
					want[d] /= math.Sqrt(length)
				}
				if math.Abs(want[d]-float64(got[i-from][d])) > 1e-6 {
					r.Fatalf("turn %d: vector %v, want %v", i, got[i-from], want)
				}
			}
		}
	})
}

// TestDenseFindsWhatNoWordOfTheQuestionNames holds a channel of vectors to what it
// is for, and to its explanation.
func TestDenseFindsWhatNoWordOfTheQuestionNames(t *testing.T) {
	v := family().at(t, 0)
	opt := Options{Analyzer: &shared, Dense: []Dense{{Name: "letters", Encoder: letters{}, Weight: 0.5}}}
	q := Query{Text: "teapots aplenty", K: 3, Kinds: []Kind{Turn}}
	if got := find(t, v, Query{Text: "tea-pot", Kinds: []Kind{Turn}}); len(got.Hits) != 0 {
		t.Fatalf("full text finds %v", hitNames(got.Hits))
	}
	got, err := Search(t.Context(), v, q, opt)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Hits) != 3 || got.Hits[0].ID != "t03" {
		t.Fatalf("found %v, want t03 first of three", hitNames(got.Hits))
	}
	for _, h := range got.Hits {
		if len(h.Why) != 2 || h.Why[0].Channel != Lexical || h.Why[1].Channel != "letters" || h.Why[1].Rank == 0 {
			t.Errorf("%s: why is %+v", h.ID, h.Why)
		}
	}
	q.Text = "🫖"
	if got, err = Search(t.Context(), v, q, Options{Analyzer: &shared, Dense: opt.Dense}); err != nil || len(got.Terms) != 0 || len(got.Hits) != 3 {
		t.Errorf("without a word, %d terms and %v, error %v: want what the vectors find", len(got.Terms), hitNames(got.Hits), err)
	}
}

// TestPoolDependsOnNoSmallerK holds the first hits to be the same however many are
// asked for, up to the pool.
func TestPoolDependsOnNoSmallerK(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		b := randomBook(r, 40)
		v := b.at(t, 0)
		opt := randomOptions(r)
		q := randomQuery(r)
		q.Kinds = []Kind{rapid.SampledFrom(Kinds).Draw(r, "kind")}
		q.K = max(opt.Pool, 10)
		all, err := Search(context.Background(), v, q, opt)
		if err != nil {
			r.Fatal(err)
		}
		q.K = rapid.IntRange(1, q.K).Draw(r, "fewer")
		got, err := Search(context.Background(), v, q, opt)
		if err != nil {
			r.Fatal(err)
		}
		want := all.Hits[:min(q.K, len(all.Hits))]
		if !slices.EqualFunc(got.Hits, want, func(x, y Hit) bool { return x.ID == y.ID && x.Version == y.Version && x.Score == y.Score }) {
			r.Fatalf("%d hits are\n%+v\nof more, the first are\n%+v", q.K, got.Hits, want)
		}
	})
}
