package retrieval

import (
	"context"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// manyLetters is an encoder of late interaction for tests: a token is a letter, with
// a direction of its own.
type manyLetters struct{}

func (manyLetters) Model() store.VectorModel {
	return store.VectorModel{Name: "many letters", Dim: lettersDim, Tokens: true}
}

func (manyLetters) tokens(text string) []byte {
	var values []float32
	for _, r := range text {
		if r != ' ' {
			v := make([]float32, lettersDim)
			v[r%lettersDim] = 1
			values = append(values, v...)
		}
	}
	if values == nil {
		return nil
	}
	return store.TokenBytes(values)
}

func (l manyLetters) Query(_ context.Context, text string) ([]byte, error) {
	return l.tokens(text), nil
}

func (l manyLetters) Documents(_ context.Context, texts []string) (list [][]byte, err error) {
	for _, text := range texts {
		list = append(list, l.tokens(text))
	}
	return list, nil
}

// randomDense draws channels of vectors.
func randomDense(r *rapid.T) []Dense {
	weight := rapid.Float64Range(0.1, 2)
	slow := rapid.Bool().Draw(r, "slow")
	one := Dense{Name: "letters", Encoder: letters{}, Weight: weight.Draw(r, "weight"), Slow: slow, First: 1000}
	late := Dense{Name: "many letters", Late: manyLetters{}, Weight: weight.Draw(r, "late weight"), Slow: slow, First: 1000}
	return rapid.SampledFrom([][]Dense{{one}, {late}, {one, late}}).Draw(r, "channels")
}

// randomPart draws watermarks for a search that takes a part, now and then.
func randomPart(r *rapid.T) []Watermark {
	if rapid.IntRange(0, 3).Draw(r, "part") > 0 {
		return nil
	}
	return []Watermark{
		{Model: letters{}.Model().Name, Field: store.TurnField, Documents: rapid.IntRange(0, 40).Draw(r, "letters up to")},
		{Model: manyLetters{}.Model().Name, Field: store.FactField, Documents: rapid.IntRange(0, 10).Draw(r, "many letters up to")},
	}
}

// TestLateChannel compares the channel with the plainest reading of MaxSim.
func TestLateChannel(t *testing.T) {
	b := new(book)
	b.turn("t1", "s1", "Mina", "abc")
	b.turn("t2", "s1", "Mina", "ab")
	b.turn("t3", "s2", "Joost", "xyz")
	v := b.at(t, 0)
	opt := Options{Analyzer: &shared, Dense: []Dense{{Name: "late", Late: manyLetters{}, Weight: 1}}}
	r, err := Search(t.Context(), v, Query{Text: "a b c q", K: 3, Kinds: []Kind{Turn}}, opt)
	if err != nil {
		t.Fatal(err)
	}
	scores := map[string]float64{}
	for _, h := range r.Hits {
		for _, p := range h.Why {
			if p.Channel == "late" {
				scores[h.ID] = p.Score
			}
		}
	}
	// a, b and c find themselves, q finds 'y' in no turn (another number modulo 24).
	if scores["t1"] != 0.75 || scores["t2"] != 0 && scores["t2"] != 0.5 {
		t.Errorf("late interaction scores %v, want t1 0.75", scores)
	}
}

// TestNotReadyByBound refuses past the bound, takes a part where it is asked to, and
// counts nothing beyond it.
func TestNotReadyByBound(t *testing.T) {
	b := new(book)
	for i := range 30 {
		b.turn("t"+string(rune('a'+i)), "s1", "Mina", []string{"abba", "baab", "caca"}[i%3])
	}
	b.turn("last", "s2", "Joost", "xylophon")
	v := b.at(t, 0)
	d := Dense{Name: "letters", Encoder: letters{}, Weight: 1, Slow: true, First: 30}
	q := Query{Text: "xy lo phon", K: 3, Kinds: []Kind{Turn}}
	opt := Options{Analyzer: &shared, Dense: []Dense{d}}
	if _, err := Search(t.Context(), v, q, opt); !errors.Is(err, ErrNotReady) {
		t.Errorf("31 documents to encode, 30 allowed: %v", err)
	}
	opt.Dense[0].First = 31
	whole, err := Search(t.Context(), v, q, opt)
	if err != nil || len(whole.Hits) == 0 || whole.Hits[0].ID != "last" {
		t.Fatalf("%+v, %v", whole.Hits, err)
	}
	opt.Dense[0].First = 30
	q.Part = []Watermark{{Model: "letters", Field: store.TurnField, Documents: 30, Of: 31}}
	part, err := Search(t.Context(), v, q, opt)
	if err != nil || slices.Contains(hitNames(part.Hits), "turn:last") {
		t.Errorf("a part without it gives %v, %v", hitNames(part.Hits), err)
	}
	q.Part = []Watermark{}
	if none, err := Search(t.Context(), v, q, opt); err != nil || len(none.Hits) != 0 {
		t.Errorf("no part gives %v, %v", hitNames(none.Hits), err)
	}
	q.Part = nil
	opt.Dense[0].Encoder, opt.Dense[0].First = unable{}, 100
	if _, err := Search(t.Context(), v, q, opt); !errors.Is(err, ErrNotReady) || !errors.Is(err, dsl.ErrCorrupt) {
		t.Errorf("an encoder that fails: %v", err)
	}
}

// unable is an encoder that knows questions and no documents.
type unable struct{ letters }

func (unable) Documents(context.Context, []string) ([][]float32, error) { return nil, dsl.ErrCorrupt }
