package head

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/asof-db/asof/internal/onnx"
	"github.com/asof-db/asof/internal/onnx/graph"
)

// groups sorts encodings by length and cuts them into groups of at most size, each a list of indexes.
func groups(encodings []Encoding, size int) [][]int {
	order := make([]int, len(encodings))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(encodings[a].IDs), len(encodings[b].IDs)) })
	return slices.Collect(slices.Chunk(order, size))
}

// batch is a group as tensors, each text padded to the longest.
type batch struct {
	members             []int
	length              int
	ids, mask, segments onnx.Tensor
}

// pack makes the tensors of a group.
func pack(encodings []Encoding, members []int, pad int64) batch {
	n := 0
	for _, i := range members {
		n = max(n, len(encodings[i].IDs))
	}
	ids, mask, segments := make([]int64, n*len(members)), make([]int64, n*len(members)), make([]int64, n*len(members))
	for row, i := range members {
		at := row * n
		copy(ids[at:], encodings[i].IDs)
		copy(segments[at:], encodings[i].Segments)
		for k := range n {
			if k < len(encodings[i].IDs) {
				mask[at+k] = 1
			} else {
				ids[at+k] = pad
			}
		}
	}
	dims := []int64{int64(len(members)), int64(n)}
	return batch{members, n, onnx.IntTensor(ids, dims...), onnx.IntTensor(mask, dims...), onnx.IntTensor(segments, dims...)}
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

// encodingSpec is what an encoder of ids takes.
func encodingSpec() []onnx.Port {
	return []onnx.Port{
		{Names: []string{"input_ids"}, Type: graph.Int64, Dims: []int64{-1, -1}},
		{Names: []string{"attention_mask"}, Type: graph.Int64, Dims: []int64{-1, -1}},
		{Names: []string{"token_type_ids"}, Type: graph.Int64, Dims: []int64{-1, -1}, Optional: true},
	}
}

// encode cuts texts; what is a pair has second.
func (o Options) encode(texts []string, second func(i int) *string) []Encoding {
	out := make([]Encoding, len(texts))
	for i, t := range texts {
		var s *string
		if second != nil {
			s = second(i)
		}
		out[i] = o.Tokenizer.Encode(t, s, o.Limit)
	}
	return out
}

// check says whether a network's answer has as many rows as it was given.
func (b batch) check(t onnx.Tensor) error {
	if len(t.Dims) == 0 || t.Dims[0] != int64(len(b.members)) {
		return fmt.Errorf("%w: it gave the shape %v for %d texts", onnx.ErrModel, t.Dims, len(b.members))
	}
	return nil
}
