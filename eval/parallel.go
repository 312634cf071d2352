package eval

import (
	"context"
	"iter"
	"sync"
)

// inOrder does work on every element of a sequence, at most workers at a time,
// and takes the results in the order of the sequence, whatever order they come
// in. The first error, in that order, ends it; every goroutine has ended when it
// returns.
func inOrder[T, R any](ctx context.Context, workers int, in iter.Seq2[T, error], do func(context.Context, T) (R, error), take func(R) error) error {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	type result struct {
		value R
		err   error
	}
	var waiting []chan result
	first := func() error {
		r := <-waiting[0]
		waiting = waiting[1:]
		if r.err != nil {
			return r.err
		}
		return take(r.value)
	}
	for x, err := range in {
		for len(waiting) > 0 && (err != nil || len(waiting) >= max(workers, 1)) {
			if err := first(); err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
		c := make(chan result, 1)
		waiting = append(waiting, c)
		wg.Go(func() {
			v, err := do(ctx, x)
			c <- result{v, err}
		})
	}
	for len(waiting) > 0 {
		if err := first(); err != nil {
			return err
		}
	}
	return nil
}
