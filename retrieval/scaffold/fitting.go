package scaffold

import (
	"slices"

	"github.com/asof-db/asof/retrieval/question"
)

// Fitting gives the kinds of scaffold that help with a question, as it was read:
// a timeline for one that asks when or for the first, a count for how many, the
// order of freshness for what is newest, values for a preference.
func Fitting(q *question.Analysis) []Kind {
	var kinds []Kind
	if q.Kind == question.When || q.Order == question.First {
		kinds = append(kinds, Timeline)
	}
	if q.Kind == question.Latest || q.Order == question.Newest {
		kinds = append(kinds, Freshness)
	}
	if q.Kind == question.Preference || q.Kind == question.Latest {
		kinds = append(kinds, Invariants)
	}
	if q.Kind == question.Count {
		kinds = append(kinds, Count)
	}
	return slices.Compact(kinds)
}
