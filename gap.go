package asof

import (
	"errors"
	"fmt"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/analyze"
	"github.com/asof-db/asof/retrieval"
)

// Gap tells whether a search result is too thin for its question: there is no
// hit, or all of them together hold less than a third of the question's content
// words. It gives the gap that Backfill may fill, or nil. Nothing is written.
func (v *View) Gap(query string, r *SearchResult) (*GapRequest, error) {
	gap := &GapRequest{Kind: dsl.GapEmpty, Query: query}
	found := r.Hits
	for len(found) > 0 && found[len(found)-1].Added > 0 {
		found = found[:len(found)-1] // what expansion adds is no answer by itself
	}
	if len(found) == 0 {
		return gap, nil
	}
	want := map[string]bool{}
	for _, t := range v.db.analyzer.Terms(nil, query) {
		if !analyze.Stop(t) {
			want[t] = true
		}
	}
	total := len(want)
	for i := range found {
		text, err := v.hitText(&found[i])
		if err != nil {
			return nil, err
		}
		for _, t := range v.db.analyzer.Terms(nil, text) {
			delete(want, t)
		}
	}
	if 3*(total-len(want)) < total {
		return gap, nil
	}
	return nil, nil
}

// hitText gives the words that a hit can be known by: its own, and of a turn the
// name of who says it.
func (v *View) hitText(h *retrieval.Hit) (string, error) {
	text := h.Text
	for _, id := range h.Turns {
		t, err := v.Turn(id)
		if errors.Is(err, dsl.ErrNotFound) {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("asof: gap: %w", err)
		}
		text += " " + t.Speaker.String() + " " + t.Text.String()
	}
	return text, nil
}
