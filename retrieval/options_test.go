package retrieval

import (
	"errors"
	"math"
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

func TestBadOptions(t *testing.T) {
	for _, o := range []Options{{Context: -1}, {Context: 31}, {Speaker: 0.5}, {Speaker: 11}, {Next: -1}, {Next: math.NaN()}} {
		if _, err := Search(t.Context(), family().at(t, 0), Query{Text: "job", K: 1}, o); !errors.Is(err, dsl.ErrInvalid) {
			t.Errorf("%+v: %v, want ErrInvalid", o, err)
		}
	}
	got := findWith(t, family(), Query{Text: "job Lisbon " + strings.Repeat("x", 10), K: 5}, Options{Context: 3, Speaker: 1.5})
	if want := find(t, family().at(t, 0), Query{Text: "job Lisbon " + strings.Repeat("x", 10), K: 5}); len(got) != len(want.Hits) || got[0].Score != want.Hits[0].Score {
		t.Errorf("the defaults said aloud give %v, want %v", got, want.Hits)
	}
}
