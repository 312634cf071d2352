package retrieval

import (
	"context"
	"fmt"
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

// TestVectorsFindWhatNoWordDoes holds a channel of vectors to what it is for, and
// to its explanation.
func TestVectorsFindWhatNoWordDoes(t *testing.T) {
	b := new(book)
	for i := range 40 {
		b.turn(fmt.Sprintf("t%02d", i), "s1", "Mina", []string{"abba", "baab", "caca", "dada", "bade"}[i%5])
	}
	b.turn("t40", "s2", "Joost", "xylophon")
	v := b.at(t, 0)
	q := Query{Text: "xy lo phon", K: 3, Kinds: []Kind{Turn}}
	if got := find(t, v, q); len(got.Hits) != 0 {
		t.Fatalf("full text finds %v; the case shows nothing", hitNames(got.Hits))
	}
	opt := Options{Analyzer: &shared, Dense: []Dense{{Name: "letters", Encoder: letters{}, Weight: 0.5}}}
	got, err := Search(t.Context(), v, q, opt)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Hits) == 0 || got.Hits[0].ID != "t40" || !(got.Hits[0].Score > 0 && got.Hits[0].Score <= 1) {
		t.Fatalf("found %+v, want t40 first", got.Hits)
	}
	why := got.Hits[0].Why
	if len(why) != 2 || why[0] != (Part{Channel: Lexical}) || why[1].Channel != "letters" || why[1].Rank != 1 || why[1].Part == 0 {
		t.Errorf("why is %+v", why)
	}
	q.Kinds = []Kind{Session}
	if got, err = Search(t.Context(), v, q, opt); err != nil || len(got.Hits) == 0 || got.Hits[0].ID != "s2" || got.Hits[0].Turns[0] != "t40" {
		t.Errorf("sessions %+v, error %v, want s2 first", got.Hits, err)
	}
}

// TestNextTurnSpeaks holds the words of an answer to speak for its question too.
func TestNextTurnSpeaks(t *testing.T) {
	b := new(book)
	for i := range 5 {
		b.turn(fmt.Sprintf("x%02d", i), "s1", "Mina", "rain again")
	}
	b.turn("t1", "s2", "Joost", "Guess what I bought!")
	b.turn("t2", "s2", "Mina", "A teapot?")
	b.turn("t3", "s2", "Joost", "Yes.")
	q := Query{Text: "teapot", K: 5, Kinds: []Kind{Turn}}
	got, err := Search(t.Context(), b.at(t, 0), q, Options{Analyzer: &shared, Next: 0.3})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"turn:t2", "turn:t3", "turn:t1"}; !slices.Equal(hitNames(got.Hits), want) {
		t.Errorf("found %v, want %v", hitNames(got.Hits), want)
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
