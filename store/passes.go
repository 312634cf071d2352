package store

import (
	"errors"
	"iter"
	"slices"
)

// passSize is how many elements one pass of inOrder finds; it holds at most twice
// as many in memory.
const passSize = 1 << 15

// errStopped ends a read whose caller wants no more.
var errStopped = errors.New("stopped")

// inOrder yields the elements of a sequence that comes in another order, sorted,
// equal ones once, in bounded memory: it goes over the sequence in passes, each of
// which finds the least elements above those of the pass before, limit of them, or
// all that are left in the last one.
func inOrder[T any](seq func() iter.Seq2[T, error], compare func(a, b T) int, limit int) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var last *T
		for {
			least, more, err := pass(seq(), compare, last, limit)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, x := range least {
				if !yield(x, nil) {
					return
				}
			}
			if !more {
				return
			}
			last = &least[len(least)-1]
		}
	}
}

// pass gives the least elements above last, sorted; more tells that there are
// others above them.
func pass[T any](seq iter.Seq2[T, error], compare func(a, b T) int, last *T, limit int) (least []T, more bool, err error) {
	cut := func() {
		slices.SortFunc(least, compare)
		least = slices.CompactFunc(least, func(a, b T) bool { return compare(a, b) == 0 })
		if len(least) > limit {
			least, more = least[:limit], true
		}
	}
	var bound *T // nothing above it is among the least
	for x, err := range seq {
		if err != nil {
			return nil, false, err
		}
		if last != nil && compare(x, *last) <= 0 {
			continue
		}
		if bound != nil && compare(x, *bound) > 0 {
			more = true
			continue
		}
		if least = append(least, x); len(least) == 2*limit {
			if cut(); len(least) == limit {
				most := least[limit-1]
				bound = &most
			}
		}
	}
	cut()
	return least, more, nil
}
