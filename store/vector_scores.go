package store

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/asof-db/asof/dsl"
)

// VectorScores appends to dst the dot products of a vector with the vectors of
// the documents of a field, in order, as far as they go and the view has the
// documents. What it does not give has no vector yet; a view of no Store has
// none. Which vectors were added later changes nothing in those that are there.
func VectorScores(ctx context.Context, view View, model string, f Field, vector, dst []float32) ([]float32, error) {
	v, ok := view.(*snapshot)
	if !ok {
		return dst, nil
	}
	r, err := v.vectors(&VectorQuery{Model: model, Field: f})
	if err != nil {
		return dst, fmt.Errorf("store: vector scores by %q: %w", model, err)
	}
	defer r.Close()
	if dst, err = r.scores(ctx, vector, dst); err != nil {
		return dst, fmt.Errorf("store: vector scores by %q: %w", model, err)
	}
	return dst, nil
}

// scores multiplies the vectors of the view with another.
func (r *vectorReader) scores(ctx context.Context, vector, dst []float32) ([]float32, error) {
	n := min(r.meta.covered, r.stats.Docs)
	if n == 0 {
		return dst, nil
	}
	dim := len(vector)
	if dim != r.meta.Dim {
		return dst, fmt.Errorf("%w: the vector has %d dimensions, want %d", dsl.ErrInvalid, dim, r.meta.Dim)
	}
	lo, hi := within(vector)
	for first := 0; first < n; first += vectorChunk {
		if err := ctx.Err(); err != nil {
			return dst, err
		}
		if first+vectorChunk > r.meta.covered { // vectors one by one
			for doc := first; doc < n; doc++ {
				row, err := r.row(vecTail, doc, 4*dim)
				if err != nil {
					return dst, err
				}
				dst = append(dst, dot(row[4*lo:4*hi], vector[lo:hi]))
			}
			break
		}
		row, err := r.row(vecFloat, first/vectorChunk, vectorChunk*4*dim)
		if err != nil {
			return dst, err
		}
		for range min(vectorChunk, n-first) {
			dst, row = append(dst, dot(row[4*lo:4*hi], vector[lo:hi])), row[4*dim:]
		}
	}
	return dst, nil
}

// within gives the part of a vector outside of which it is all zeros, in whole
// blocks of eight, which are what dot sums by: the rest adds nothing to any sum.
func within(vector []float32) (lo, hi int) {
	zeros := func(block []float32) bool {
		return !slices.ContainsFunc(block, func(x float32) bool { return x != 0 })
	}
	hi = len(vector)
	if hi%8 != 0 {
		return 0, hi
	}
	for lo < hi && zeros(vector[lo:lo+8]) {
		lo += 8
	}
	for lo < hi && zeros(vector[hi-8:hi]) {
		hi -= 8
	}
	return lo, hi
}

// Dot gives the dot product that vectors kept in a Store would give, bit for
// bit. It is 0 beyond the shorter of the two.
func Dot(v, q []float32) float32 {
	row := make([]byte, 0, 4*len(v))
	for _, x := range v {
		row = binary.LittleEndian.AppendUint32(row, math.Float32bits(x))
	}
	return dot(row, q[:min(len(q), len(v))])
}
