package store

import (
	"cmp"
	"errors"
	"iter"
	"slices"
	"strings"

	"github.com/asof-db/asof/dsl"
)

// A Difference is a belief that one of two views has and the other has not.
// Exactly one of Before and After is set: Before is a version of the first view,
// After one of the second.
type Difference struct {
	Before, After *dsl.FactVersion
}

// NetDifference yields what one of two views of a space believes and the other
// does not, whatever happened between them: a belief that was given up and taken
// back is in neither list. A belief is a fact with its subject, relation, value
// and valid interval; its confidence, evidence and version number are not
// compared, and what is archived is out of both working sets. Either view may be
// the later one. q selects as for View.Facts; q.All means nothing here.
//
// Order: by the id of the subject and the relation; in a key first what only from
// has, then what only to has, each in the order of View.Facts. It reads the
// changes between the two views and the keys that they touch, and holds a bounded
// number of keys in memory: where more were touched it reads the changes again.
func NetDifference(from, to View, q FactQuery) iter.Seq2[Difference, error] {
	return netDifference(from, to, q, passSize)
}

func netDifference(from, to View, q FactQuery, limit int) iter.Seq2[Difference, error] {
	q.All = false
	keys := inOrder(func() iter.Seq2[netKey, error] { return touchedKeys(from, to, q) }, netKey.compare, limit)
	return func(yield func(Difference, error) bool) {
		for k, err := range keys {
			if err == nil {
				err = differ(from, to, q, k, yield)
			}
			switch {
			case errors.Is(err, errStopped):
				return
			case err != nil:
				yield(Difference{}, err)
				return
			}
		}
	}
}

// differ yields the differences of one key.
func differ(from, to View, q FactQuery, k netKey, yield func(Difference, error) bool) error {
	q.Src, q.Rel = []string{k.src}, k.rel
	before, err := collect(from.Facts(q))
	if err != nil {
		return err
	}
	after, err := collect(to.Facts(q))
	if err != nil {
		return err
	}
	for i := range before {
		if !believedIn(after, &before[i]) && !yield(Difference{Before: &before[i]}, nil) {
			return errStopped
		}
	}
	for i := range after {
		if !believedIn(before, &after[i]) && !yield(Difference{After: &after[i]}, nil) {
			return errStopped
		}
	}
	return nil
}

// believedIn tells whether a list holds the belief of f.
func believedIn(list []dsl.FactVersion, f *dsl.FactVersion) bool {
	return slices.ContainsFunc(list, func(g dsl.FactVersion) bool {
		return g.ID == f.ID && g.Dst == f.Dst && g.Relation == f.Relation && g.Valid == f.Valid
	})
}

type netKey struct{ src, rel string }

func (k netKey) compare(o netKey) int {
	return cmp.Or(strings.Compare(k.src, o.src), strings.Compare(k.rel, o.rel))
}

// touchedKeys yields the keys that changed between two views, as often as they
// did.
func touchedKeys(from, to View, q FactQuery) iter.Seq2[netKey, error] {
	earlier, later := from, to
	if from.Basis().Seq > to.Basis().Seq {
		earlier, later = to, from
	}
	return func(yield func(netKey, error) bool) {
		for c, err := range later.Changes(earlier.Basis().Seq) {
			if err != nil {
				yield(netKey{}, err)
				return
			}
			version := c.After
			if version == nil {
				version = c.Before
			}
			if q.names(version) && !yield(netKey{version.Src, version.Rel}, nil) {
				return
			}
		}
	}
}

// names tells whether a version is about the subject and relation of the query.
func (q *FactQuery) names(f *dsl.FactVersion) bool {
	return (q.Rel == "" || q.Rel == f.Rel) && (len(q.Src) == 0 || slices.Contains(q.Src, f.Src))
}

// collect gives all that an iterator yields, or its error.
func collect[T any](seq iter.Seq2[T, error]) ([]T, error) {
	var list []T
	for x, err := range seq {
		if err != nil {
			return nil, err
		}
		list = append(list, x)
	}
	return list, nil
}
