package head

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/asof-db/asof/internal/onnx"
	"github.com/asof-db/asof/internal/tokenize"
)

// step is what lengths are rounded up to.
const step = 8

// groups sorts encodings by length and cuts them into groups of at most size, each a list of indexes.
func groups(encodings []tokenize.Encoding, size int) [][]int {
	order := make([]int, len(encodings))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(encodings[a].IDs), len(encodings[b].IDs)) })
	return slices.Collect(slices.Chunk(order, size))
}

// batch is a group as tensors, each row padded to the longest. It may have more rows than members.
type batch struct {
	members             []int
	rows, length        int
	ids, mask, segments onnx.Tensor
}

// pack makes the tensors of a group, of at least rows rows: the first member fills up what is missing.
func (o Options) pack(encodings []tokenize.Encoding, members []int, rows int) batch {
	n := 0
	for _, i := range members {
		n = max(n, len(encodings[i].IDs))
	}
	rows = max(rows, len(members))
	if o.Unbatched {
		rows = len(members)
	} else {
		n = (n + step - 1) / step * step
	}
	ids, mask, segments := make([]int64, n*rows), make([]int64, n*rows), make([]int64, n*rows)
	for row := range rows {
		e := encodings[members[0]]
		if row < len(members) {
			e = encodings[members[row]]
		}
		for k := range n {
			at := row*n + k
			if k >= len(e.IDs) {
				ids[at] = int64(o.Pad)
				continue
			}
			ids[at], mask[at], segments[at] = int64(e.IDs[k]), 1, int64(e.Types[k])
		}
	}
	dims := []int64{int64(rows), int64(n)}
	return batch{members, rows, n, onnx.IntTensor(ids, dims...), onnx.IntTensor(mask, dims...), onnx.IntTensor(segments, dims...)}
}

// check says whether a network's answer has the rows that it was given, and the length where it has one.
func (b batch) check(t onnx.Tensor) error {
	if len(t.Dims) == 0 || t.Dims[0] != int64(b.rows) || len(t.Dims) > 2 && t.Dims[1] != int64(b.length) {
		return fmt.Errorf("%w: it gave the shape %v for %d texts of %d tokens", onnx.ErrModel, t.Dims, b.rows, b.length)
	}
	return nil
}

// overGroups calls f once for each group, as many at a time as the network takes. Once one fails no
// other is begun; the error is that of the first group, in their order, that failed for itself.
func overGroups(ctx context.Context, parallel int, groups [][]int, f func(ctx context.Context, members []int) error) error {
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make([]error, len(groups))
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(max(parallel, 1), len(groups)) {
		wg.Go(func() {
			for g := range next {
				if inner.Err() != nil {
					continue
				}
				if errs[g] = f(inner, groups[g]); errs[g] != nil {
					cancel()
				}
			}
		})
	}
	for g := range groups {
		next <- g
	}
	close(next)
	wg.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return nil
}

// run packs each group, runs the network on it and hands its first output on.
func (o Options) run(ctx context.Context, net Network, encodings []tokenize.Encoding, rows int, use func(b batch, out onnx.Tensor)) error {
	return overGroups(ctx, net.Parallel(), groups(encodings, o.Batch), func(ctx context.Context, members []int) error {
		b := o.pack(encodings, members, rows)
		out, err := net.Run(ctx, b.ids, b.mask, b.segments)
		if err != nil {
			return err
		}
		if err := b.check(out[0]); err != nil {
			return err
		}
		use(b, out[0])
		return nil
	})
}
