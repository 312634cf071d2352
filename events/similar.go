package events

import (
	"math"
	"slices"

	"github.com/asof-db/asof/dsl"
)

// MergeSimilarity is the similarity from which two events tell of the same.
const MergeSimilarity = 0.8

// What bounds the search for an event that tells of the same, so that the work
// of a turn does not grow with the memory: the versions read back for each fact
// and for each participant, the events that are compared, and the facts of an
// event that still takes others in.
const (
	versionsOfFact        = 32
	versionsOfParticipant = 8
	candidates            = 32
	factsOfEvent          = 16
)

// told is what an event is compared by.
type told struct {
	terms, facts, who []string // sorted, each once
	span              dsl.Interval
}

// tellingOf gives what an event is compared by. Participants are compared as of
// the view: aliases are one.
func (b *builder) tellingOf(summary string, span dsl.Interval, includes []string, who []dsl.Participant) (t told, err error) {
	t.span = span
	t.terms = b.analyzer.Terms(nil, summary)
	for _, p := range who {
		id, err := b.entity(p.Entity)
		if err != nil {
			return t, err
		}
		t.who = append(t.who, id)
	}
	t.facts = slices.Clone(includes)
	for _, list := range []*[]string{&t.terms, &t.facts, &t.who} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return t, nil
}

// similarity is the greater of two cosines: of the sets of analysed words of the
// summaries and of the sets of facts. It lies in [0, 1] and
// is the same both ways.
func similarity(a, b *told) float64 {
	return max(cosine(a.terms, b.terms), cosine(a.facts, b.facts))
}

// cosine gives |a ∩ b| / √(|a| |b|) of two sorted sets, 0 if one is empty.
func cosine(a, b []string) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	if both := shared(a, b); both > 0 {
		return min(1, float64(both)/math.Sqrt(float64(len(a)*len(b))))
	}
	return 0
}

// shared counts what two sorted sets have in common.
func shared(a, b []string) (n int) {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			n, i, j = n+1, i+1, j+1
		}
	}
	return n
}

// alike tells whether two events are to be one: they are similar, share a
// participant, and their times overlap or adjoin. It is the same both ways.
func alike(a, b *told) bool {
	return touches(a.span, b.span) && shared(a.who, b.who) > 0 && similarity(a, b) >= MergeSimilarity
}
