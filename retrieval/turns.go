package retrieval

import (
	"fmt"
	"strings"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/analyze"
	"github.com/asof-db/asof/store"
)

const (
	// speakerBoost is what the score of a turn is multiplied by when the question
	// names its speaker.
	speakerBoost = 2
	// nameWeight is the weight of a term of the question that belongs to a
	// speaker's name.
	nameWeight = 0.3
)

// findNames finds the speakers that the question names, by any term of their
// name that is no stop word, and weighs the question's terms. named is nil where
// there are none.
func findNames(index store.Index, terms []string) (named []bool, weight []float64, err error) {
	weight = make([]float64, len(terms))
	for i, term := range terms {
		weight[i] = 1
		if analyze.Stop(term) {
			continue
		}
		speakers, err := index.Speakers(term)
		if err != nil {
			return nil, nil, err
		}
		for _, s := range speakers {
			if named == nil {
				named = make([]bool, index.Stats().Speakers)
			}
			named[s], weight[i] = true, nameWeight
		}
	}
	return named, weight, nil
}

// saidBy reports whether a turn was said by the instant, if there is one.
func saidBy(d *store.Doc, valid *dsl.Instant) bool { return valid == nil || d.TS <= *valid }

// turnHit makes the hit of a turn.
func turnHit(turn store.Turn) Hit {
	return Hit{
		Kind: Turn, ID: turn.ID, Turns: []string{turn.ID}, Session: turn.Session,
		Record: dsl.Since(turn.Record), Valid: dsl.Since(turn.TS), Text: turnText(turn.Turn),
	}
}

// turnText gives a turn's text as it is shown: what was said, then a line for
// each attachment.
func turnText(turn dsl.Turn) string {
	if len(turn.Attachments) == 0 {
		return turn.Text.String()
	}
	var s strings.Builder
	s.WriteString(turn.Text.String())
	for _, a := range turn.Attachments {
		fmt.Fprintf(&s, "\n[%s] %s", a.Kind, a.Text)
	}
	return s.String()
}
