package store

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

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
				dst = append(dst, dot(row, vector))
			}
			break
		}
		row, err := r.row(vecFloat, first/vectorChunk, vectorChunk*4*dim)
		if err != nil {
			return dst, err
		}
		for range min(vectorChunk, n-first) {
			dst, row = append(dst, dot(row[:4*dim], vector)), row[4*dim:]
		}
	}
	return dst, nil
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
