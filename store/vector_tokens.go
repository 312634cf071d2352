package store

import (
	"context"
	"fmt"
	"math"

	"github.com/cockroachdb/pebble/v2"

	"github.com/asof-db/asof/dsl"
)

// Vectors of tokens, for late interaction: a document has any number of vectors,
// each of length 1 and kept in signed bytes, one row a document. They go as far as
// their coverage, like the others.

// TokenBytes gives vectors, one after the other, in signed bytes: 127 times each
// value, rounded. Values are to lie in [-1, 1].
func TokenBytes(values []float32) []byte {
	out := make([]byte, len(values))
	for i, x := range values {
		out[i] = byte(int8(min(max(math.Round(float64(float64(x)*127)), -127), 127)))
	}
	return out
}

// MaxSim is the score of late interaction (Khattab and Zaharia, 2020) in [-1, 1]: for
// each vector of the question the best product with a vector of the document, on
// average. It is 0 where either has none. Products are of whole numbers, so the
// order is of no matter.
func MaxSim(question, document []byte, dim int) float32 {
	n := len(question) / max(dim, 1)
	if n == 0 || len(document) < dim {
		return 0
	}
	sum := 0
	for q := range n {
		best := int32(math.MinInt32)
		for d := 0; d+dim <= len(document); d += dim {
			best = max(best, dot8(question[q*dim:(q+1)*dim], document[d:d+dim]))
		}
		sum += int(best)
	}
	return float32(float64(sum) / float64(127*127*n))
}

// PutTokens adds the token vectors of the documents of a field from number from on,
// as PutVectors does with one vector each. The model is to say that it is of tokens.
func (s *Store) PutTokens(space string, model VectorModel, f Field, from int, documents [][]byte) error {
	if err := s.putTokens(space, model, f, from, documents); err != nil {
		return fmt.Errorf("store: put token vectors of %q: %w", model.Name, err)
	}
	return nil
}

func (s *Store) putTokens(space string, model VectorModel, f Field, from int, documents [][]byte) error {
	if !model.Tokens {
		return fmt.Errorf("%w: the model has one vector a document", dsl.ErrInvalid)
	}
	for i, d := range documents {
		if model.Dim > 0 && len(d)%model.Dim != 0 {
			return fmt.Errorf("%w: document %d has %d bytes, no multiple of %d", dsl.ErrInvalid, from+i, len(d), model.Dim)
		}
	}
	return s.addVectors(space, model, f, from, len(documents), func(w *vectorWriter) error {
		for _, d := range documents {
			n := w.meta.covered
			w.meta.covered++
			if err := w.batch.Set(w.keys.vector(w.meta.Name, w.f, vecTokens, n), d, nil); err != nil {
				return err
			}
		}
		return nil
	})
}

// addVectors adds the vectors of n documents from number from on, which write
// writes, and notes how far they go now.
func (s *Store) addVectors(space string, model VectorModel, f Field, from, n int, write func(*vectorWriter) error) error {
	if err := model.validate(); err != nil {
		return err
	}
	if fieldIndex(f) < 0 {
		return fmt.Errorf("%w: field %q", dsl.ErrInvalid, f)
	}
	s.writer.Lock()
	defer s.writer.Unlock()
	h, err := s.head(space)
	if err != nil {
		return err
	}
	batch := s.db.NewIndexedBatch()
	defer batch.Close()
	k := spaceKeys(space)
	meta, ok, err := vectorMetaOf(func(key []byte) ([]byte, bool, error) { return get(batch, key) }, &k, model.Name, f)
	if err != nil {
		return err
	}
	docs := int(h.docs[fieldIndex(f)])
	switch {
	case ok && meta.VectorModel != model:
		return fmt.Errorf("%w: they have %d dimensions, int8 %v and tokens %v; drop them to change that", dsl.ErrConflict, meta.Dim, meta.Int8, meta.Tokens)
	case from != meta.covered:
		return fmt.Errorf("%w: documents up to %d have theirs, the next are not those from %d on", dsl.ErrConflict, meta.covered, from)
	case n > docs-from:
		return fmt.Errorf("%w: vectors up to document %d, and there are %d", dsl.ErrInvalid, from+n, docs)
	}
	meta.VectorModel = model
	if err := write(&vectorWriter{batch: batch, keys: &k, f: f, meta: &meta}); err != nil {
		return err
	}
	if err := batch.Set(k.vector(model.Name, f, vecMeta, 0), meta.encode(), nil); err != nil {
		return err
	}
	if err := batch.Commit(pebble.NoSync); err != nil {
		return err
	}
	return s.iters.renew(false)
}

// TokenScores appends to dst the MaxSim of a question's token vectors with those of
// the documents of a field, in order, as VectorScores does.
func TokenScores(ctx context.Context, view View, model string, f Field, question []byte, dim int, dst []float32) ([]float32, error) {
	v, ok := view.(*snapshot)
	if !ok {
		return dst, nil
	}
	r, err := v.vectors(&VectorQuery{Model: model, Field: f})
	if err != nil {
		return dst, fmt.Errorf("store: token scores by %q: %w", model, err)
	}
	defer r.Close()
	if dst, err = r.tokenScores(ctx, question, dim, dst); err != nil {
		return dst, fmt.Errorf("store: token scores by %q: %w", model, err)
	}
	return dst, nil
}

func (r *vectorReader) tokenScores(ctx context.Context, question []byte, dim int, dst []float32) ([]float32, error) {
	n := min(r.meta.covered, r.stats.Docs)
	if n == 0 {
		return dst, nil
	}
	if dim != r.meta.Dim || !r.meta.Tokens {
		return dst, fmt.Errorf("%w: the question's vectors have %d dimensions, want %d, of tokens %v", dsl.ErrInvalid, dim, r.meta.Dim, r.meta.Tokens)
	}
	for doc := range n {
		if doc%vectorChunk == 0 {
			if err := ctx.Err(); err != nil {
				return dst, err
			}
		}
		row, err := r.row(vecTokens, doc, -1)
		if err != nil {
			return dst, err
		}
		if len(row)%dim != 0 {
			return dst, fmt.Errorf("%w: the token vectors of document %d have %d bytes, no multiple of %d", dsl.ErrCorrupt, doc, len(row), dim)
		}
		dst = append(dst, MaxSim(question, row, dim))
	}
	return dst, nil
}
