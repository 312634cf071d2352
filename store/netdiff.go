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

// netKeys is how many keys a net difference goes over in one pass; it holds at
// most twice as many in memory.
const netKeys = 1 << 15

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
	return netDifference(from, to, q, netKeys)
}

func netDifference(from, to View, q FactQuery, limit int) iter.Seq2[Difference, error] {
	return func(yield func(Difference, error) bool) {
		stop := errors.New("stop")
		q.All = false
		err := touchedKeys(from, to, q, limit, func(k netKey) error {
			q := q
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
					return stop
				}
			}
			for i := range after {
				if !believedIn(before, &after[i]) && !yield(Difference{After: &after[i]}, nil) {
					return stop
				}
			}
			return nil
		})
		if err != nil && !errors.Is(err, stop) {
			yield(Difference{}, err)
		}
	}
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

// touchedKeys calls f with the keys that changed between two views, each once, in
// order. It goes over the changes in passes, each of which finds the least keys
// above those of the pass before: limit of them, all in the last pass.
func touchedKeys(from, to View, q FactQuery, limit int, f func(netKey) error) error {
	earlier, later := from, to
	if from.Basis().Seq > to.Basis().Seq {
		earlier, later = to, from
	}
	var last *netKey
	for {
		keys, more, err := leastKeys(later.Changes(earlier.Basis().Seq), q, last, limit)
		if err != nil {
			return err
		}
		for _, k := range keys {
			if err := f(k); err != nil {
				return err
			}
		}
		if !more {
			return nil
		}
		last = &keys[len(keys)-1]
	}
}

// leastKeys gives the least keys above last that the changes touch, in order; more
// tells that there are others above them. It holds at most two times limit.
func leastKeys(changes iter.Seq2[Change, error], q FactQuery, last *netKey, limit int) (keys []netKey, more bool, err error) {
	held := map[netKey]bool{}
	cut := func() {
		slices.SortFunc(keys, netKey.compare)
		if len(keys) > limit {
			for _, k := range keys[limit:] {
				delete(held, k)
			}
			keys, more = keys[:limit], true
		}
	}
	var bound *netKey // the greatest that may still be among the least
	for c, err := range changes {
		if err != nil {
			return nil, false, err
		}
		version := c.After
		if version == nil {
			version = c.Before
		}
		k := netKey{version.Src, version.Rel}
		if q.Rel != "" && q.Rel != k.rel || len(q.Src) > 0 && !slices.Contains(q.Src, k.src) ||
			last != nil && k.compare(*last) <= 0 || held[k] {
			continue
		}
		if bound != nil && k.compare(*bound) > 0 {
			continue // what is dropped here is above limit others, as more says already
		}
		held[k] = true
		if keys = append(keys, k); len(keys) == 2*limit {
			cut()
			most := keys[limit-1]
			bound = &most
		}
	}
	cut()
	return keys, more, nil
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
