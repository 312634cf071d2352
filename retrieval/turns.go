package retrieval

import (
	"context"
	"fmt"
	"strings"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/analyze"
	"github.com/asof-db/asof/store"
)

const (
	// speakerBoost is what the score of a turn is multiplied by when the question
	// names its speaker.
	speakerBoost = 1.5
	// nameWeight is the weight of a term of the question that belongs to a
	// speaker's name.
	nameWeight = 0.3
)

// talk is what ranking needs to know about the turns of a view.
type talk struct {
	docs store.Docs
	// next is the turn after a turn in its session, -1 for the last one.
	next []int32
	// length is that of each turn with its context, total their sum, in tenths.
	length []uint64
	total  uint64
	// named says which speakers the question names, anyNamed whether there are
	// any.
	named    []bool
	anyNamed bool
	// weight is what each term of the question counts.
	weight []float64
}

// newTalk lays out the turns of a view for a question.
func newTalk(a *analyze.Analyzer, docs store.Docs, terms []string) (*talk, error) {
	n := len(docs.Info)
	t := &talk{docs: docs, next: make([]int32, n), length: make([]uint64, n)}
	last := make([]int32, len(docs.Sessions))
	before := make([]int32, len(docs.Sessions)) // the last but one
	for i := range last {
		last[i], before[i] = -1, -1
	}
	for d := range docs.Info {
		info := &docs.Info[d]
		s := info.Session
		if int(s) >= len(last) || int(info.Speaker) >= len(docs.Speakers) {
			return nil, fmt.Errorf("%w: turn document %d is of session %d of %d and speaker %d of %d",
				dsl.ErrCorrupt, d, s, len(last), info.Speaker, len(docs.Speakers))
		}
		t.next[d] = -1
		length := wholeWeight * uint64(info.Length)
		if p := last[s]; p >= 0 {
			t.next[p] = int32(d)
			length += contextWeight * uint64(docs.Info[p].Length)
			if q := before[s]; q >= 0 {
				length += contextWeight * uint64(docs.Info[q].Length)
			}
		}
		before[s], last[s] = last[s], int32(d)
		t.length[d] = length
		t.total += length
	}
	t.findNames(a, terms)
	return t, nil
}

// findNames finds the speakers that the question names, by any term of their
// name, and weighs the question's terms.
func (t *talk) findNames(a *analyze.Analyzer, terms []string) {
	at := make(map[string]int, len(terms))
	t.weight = make([]float64, len(terms))
	for i, term := range terms {
		at[term] = i
		t.weight[i] = 1
	}
	t.named = make([]bool, len(t.docs.Speakers))
	var name []string
	for s, speaker := range t.docs.Speakers {
		name = a.Terms(name[:0], speaker)
		for _, term := range name {
			if i, ok := at[term]; ok && !analyze.Stop(term) {
				t.weight[i] = nameWeight
				t.named[s], t.anyNamed = true, true
			}
		}
	}
}

// score ranks the turns.
func (t *talk) score(ctx context.Context, v store.View, terms []string) (scores, error) {
	if len(t.docs.Info) == 0 {
		return scores{}, nil
	}
	c := newBM25(t.length, float64(t.total)/float64(len(t.length)))
	for i, term := range terms {
		if err := ctx.Err(); err != nil {
			return scores{}, err
		}
		err := postings(v, store.TurnField, term, len(t.next), func(doc int32, tf uint32) {
			c.add(doc, wholeWeight*tf)
			for range contextTurns {
				if doc = t.next[doc]; doc < 0 {
					break
				}
				c.add(doc, contextWeight*tf)
			}
		})
		if err != nil {
			return scores{}, err
		}
		c.finish(len(c.touched), t.weight[i])
	}
	if t.anyNamed {
		for d := range c.of {
			if t.named[t.docs.Info[d].Speaker] {
				c.of[d] = float64(c.of[d] * speakerBoost)
			}
		}
		c.ideal = float64(c.ideal * speakerBoost)
	}
	return c.scores, nil
}

// saidBy reports whether a turn was said by the instant, if there is one.
func (t *talk) saidBy(doc int, valid *dsl.Instant) bool {
	return valid == nil || t.docs.Info[doc].TS <= *valid
}

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
