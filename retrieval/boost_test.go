package retrieval

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/asof-db/asof/dsl"
)

func findWith(t *testing.T, b *book, q Query, o Options) []Hit {
	t.Helper()
	o.Analyzer = &shared
	r, err := Search(t.Context(), b.at(t, 0), q, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range r.Hits {
		if h.Score <= 0 || h.Score > 1 {
			t.Errorf("%s has the score %v", h.ID, h.Score)
		}
	}
	return r.Hits
}

// TestEntityBoost: a name that the memory knows weighs more than another word as
// rare.
func TestEntityBoost(t *testing.T) {
	b := new(book)
	b.turn("t1", "s1", "Mina", "the walrus swims")
	b.turn("t2", "s2", "Mina", "the Teahouse opens")
	b.turn("t3", "s3", "Mina", "新茶馆 opens")
	q := Query{Text: "walrus or Teahouse", Kinds: []Kind{Turn}, K: 5}
	if got := findWith(t, b, q, Options{Entity: 1}); got[0].Score != got[1].Score {
		t.Errorf("without an entity the scores are %v and %v", got[0].Score, got[1].Score)
	}
	b.fact("f1", "Mina", "likes", "teahouse", dsl.Since(day(1)), "t2")
	b.fact("f2", "Mina", "likes", "新茶馆", dsl.Since(day(1)), "t3")
	if got := hitNames(findWith(t, b, q, Options{Entity: 1})); !slices.Equal(got, []string{"turn:t2", "turn:t1"}) {
		t.Errorf("found %v, want the entity first", got)
	}
	if got := hitNames(findWith(t, b, Query{Text: "walrus, 新茶馆", Kinds: []Kind{Turn}, K: 5}, Options{Entity: 1})); got[0] != "turn:t3" {
		t.Errorf("found %v, want the entity first", got)
	}
	// A speaker's name stays what it is.
	q.Text = "Mina walrus"
	if a, c := findWith(t, b, q, Options{}), findWith(t, b, q, Options{Entity: 3}); a[0].Score != c[0].Score {
		t.Errorf("the score is %v, and %v with a boost of entities", a[0].Score, c[0].Score)
	}
}

// TestPhraseBoost: words said side by side, as the question does, come first.
func TestPhraseBoost(t *testing.T) {
	b := new(book)
	b.turn("t1", "s1", "Mina", "green tea and blue cups")
	b.turn("t2", "s2", "Mina", "blue tea and green cups")
	q := Query{Text: "blue tea", Kinds: []Kind{Turn}, K: 5}
	if got := hitNames(findWith(t, b, q, Options{})); !slices.Equal(got, []string{"turn:t1", "turn:t2"}) {
		t.Errorf("without a boost, found %v", got)
	}
	got := findWith(t, b, q, Options{Phrase: 0.5})
	if names := hitNames(got); !slices.Equal(names, []string{"turn:t2", "turn:t1"}) || math.Abs(got[0].Score-1.5*got[1].Score) > 1e-12 {
		t.Errorf("with a boost, found %v", got)
	}
	q.K = 1
	if got := hitNames(findWith(t, b, q, Options{Phrase: 0.5})); !slices.Equal(got, []string{"turn:t2"}) {
		t.Errorf("the best one is %v", got)
	}
}

func TestBadOptions(t *testing.T) {
	for _, o := range []Options{{Context: -1}, {Context: 31}, {Speaker: 0.5}, {Speaker: 11}, {Entity: -1}, {Phrase: 11}, {Phrase: math.NaN()}} {
		if _, err := Search(t.Context(), family().at(t, 0), Query{Text: "job", K: 1}, o); !errors.Is(err, dsl.ErrInvalid) {
			t.Errorf("%+v: %v, want ErrInvalid", o, err)
		}
	}
	got := findWith(t, family(), Query{Text: "job Lisbon " + strings.Repeat("x", 10), K: 5}, Options{Context: 3, Speaker: 1.5})
	if want := find(t, family().at(t, 0), Query{Text: "job Lisbon " + strings.Repeat("x", 10), K: 5}); len(got) != len(want.Hits) || got[0].Score != want.Hits[0].Score {
		t.Errorf("the defaults said aloud give %v, want %v", got, want.Hits)
	}
}
