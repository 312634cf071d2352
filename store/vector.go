package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/asof-db/asof/dsl"
)

// Vectors are a projection outside the log: one vector a document of a field,
// made by a model, in order of document. They can be dropped and made again, and
// are dropped with their space. How far they go is their coverage; a view uses
// those of its own documents, so a longer log changes nothing in it.
//
// They are kept as float32, and on request as signed bytes beside it, a quarter
// of the size, which are scanned first: what a scan of the float32 would find is
// proved from bounds, and only what may be among it is read whole. The answers
// are the same.

const (
	// vectorChunk is how many vectors one row holds.
	vectorChunk = 64
	// maxDim bounds the dimensions of a vector.
	maxDim = 1 << 14
)

// The kinds of a vector row.
const (
	vecMeta  byte = 'm' // what the vectors are, and how far they go
	vecFloat byte = 'f' // vectorChunk vectors of float32
	vecInt   byte = 'q' // the same in bytes
	vecTail  byte = 't' // one vector, until its chunk is full
	// vecTokens are the vectors of one document's tokens in bytes.
	vecTokens byte = 'k'
)

// VectorModel names the model that makes vectors and says how they are kept.
type VectorModel struct {
	// Name tells models apart: a hash of all that its vectors depend on.
	Name string
	// Dim is the number of dimensions, from 1 to 16,384.
	Dim int
	// Int8 keeps them in bytes too, which makes scans read a quarter.
	Int8 bool
	// Tokens tells that a document has a vector for each of its tokens, in bytes
	// alone: see PutTokens.
	Tokens bool
}

func (m *VectorModel) validate() error {
	var errs []error
	if m.Name == "" {
		errs = append(errs, fmt.Errorf("%w: the model has no name", dsl.ErrInvalid))
	}
	if m.Dim < 1 || m.Dim > maxDim {
		errs = append(errs, fmt.Errorf("%w: %d dimensions, want 1 to %d", dsl.ErrInvalid, m.Dim, maxDim))
	}
	if m.Int8 && m.Tokens {
		errs = append(errs, fmt.Errorf("%w: vectors of tokens are kept in bytes alone", dsl.ErrInvalid))
	}
	return errors.Join(errs...)
}

func (k *keySpace) vectors(model string) []byte {
	h := hash8(model)
	return append(k.class(clVector), h[:]...)
}

func (k *keySpace) vector(model string, f Field, kind byte, n int) []byte {
	return appendU32(append(k.vectors(model), byte(f), kind), uint32(n))
}

// vectorMeta is what a reader knows of the vectors of a model and a field.
type vectorMeta struct {
	VectorModel
	covered int
}

func (m *vectorMeta) encode() []byte {
	flags := byte(0)
	if m.Int8 {
		flags = 1
	}
	if m.Tokens {
		flags = 2
	}
	b := appendVar(appendStr(nil, m.Name), uint64(m.Dim))
	return appendVar(append(b, flags), uint64(m.covered))
}

func decodeVectorMeta(value []byte) (m vectorMeta, err error) {
	r := reader{b: value}
	m.Name, m.Dim = r.str(), int(min(r.uvar(), maxDim+1))
	flags := r.byte()
	m.Int8, m.Tokens = flags == 1, flags == 2
	m.covered = int(min(r.uvar(), math.MaxInt32))
	if m.validate() != nil {
		r.fail()
	}
	return m, r.done("vector model")
}

// vectorMetaOf reads what there is; ok is false if there are no vectors.
func vectorMetaOf(get func(key []byte) ([]byte, bool, error), k *keySpace, model string, f Field) (m vectorMeta, ok bool, err error) {
	value, ok, err := get(k.vector(model, f, vecMeta, 0))
	if err != nil || !ok {
		return m, false, err
	}
	if m, err = decodeVectorMeta(value); err == nil && m.Name != model {
		err = fmt.Errorf("%w: models %q and %q have the same key; rename one", dsl.ErrConflict, m.Name, model)
	}
	return m, true, err
}

// VectorCoverage gives how many documents of a field have a vector of the model,
// the first ones.
func (s *Store) VectorCoverage(space, model string, f Field) (int, error) {
	if err := s.live(); err != nil {
		return 0, err
	}
	k := spaceKeys(space)
	m, _, err := vectorMetaOf(func(key []byte) ([]byte, bool, error) { return get(s.db, key) }, &k, model, f)
	if err != nil {
		return 0, fmt.Errorf("store: vectors of %q: %w", model, err)
	}
	return m.covered, nil
}

// PutVectors adds the vectors of the documents of a field from number from on,
// which must be the coverage so far: dsl.ErrConflict names it where it is not.
// The vectors are copied. PutVectors waits for the live Stage, so who holds one
// must not call it.
func (s *Store) PutVectors(space string, model VectorModel, f Field, from int, vectors [][]float32) error {
	if err := s.putVectors(space, model, f, from, vectors); err != nil {
		return fmt.Errorf("store: put vectors of %q: %w", model.Name, err)
	}
	return nil
}

func (s *Store) putVectors(space string, model VectorModel, f Field, from int, vectors [][]float32) error {
	if model.Tokens {
		return fmt.Errorf("%w: the model has a vector for each token", dsl.ErrInvalid)
	}
	for i, v := range vectors {
		if len(v) != model.Dim {
			return fmt.Errorf("%w: vector %d has %d dimensions, want %d", dsl.ErrInvalid, from+i, len(v), model.Dim)
		}
		for _, x := range v {
			if x-x != 0 {
				return fmt.Errorf("%w: vector %d holds %v", dsl.ErrInvalid, from+i, x)
			}
		}
	}
	return s.addVectors(space, model, f, from, len(vectors), func(w *vectorWriter) error {
		for len(vectors) > 0 {
			if w.meta.covered%vectorChunk == 0 && len(vectors) >= vectorChunk {
				if err := w.addChunk(vectors[:vectorChunk]); err != nil {
					return err
				}
				vectors = vectors[vectorChunk:]
				continue
			}
			if err := w.add(vectors[0]); err != nil {
				return err
			}
			vectors = vectors[1:]
		}
		return nil
	})
}

// vectorWriter adds vectors one by one.
type vectorWriter struct {
	batch *pebble.Batch
	keys  *keySpace
	f     Field
	meta  *vectorMeta
}

// addChunk writes the row of a whole chunk, which begins where the vectors end.
func (w *vectorWriter) addChunk(vectors [][]float32) error {
	chunk := make([]byte, 0, 4*vectorChunk*w.meta.Dim)
	for _, v := range vectors {
		for _, x := range v {
			chunk = binary.LittleEndian.AppendUint32(chunk, math.Float32bits(x))
		}
	}
	n := w.meta.covered / vectorChunk
	w.meta.covered += vectorChunk
	return w.setChunk(n, chunk)
}

// setChunk writes chunk n.
func (w *vectorWriter) setChunk(n int, chunk []byte) error {
	if err := w.batch.Set(w.keys.vector(w.meta.Name, w.f, vecFloat, n), chunk, nil); err != nil || !w.meta.Int8 {
		return err
	}
	return w.batch.Set(w.keys.vector(w.meta.Name, w.f, vecInt, n), quantizeChunk(chunk, w.meta.Dim), nil)
}

// add writes a row of the vector, or, if it fills a chunk, that of the chunk
// instead of those of its vectors.
func (w *vectorWriter) add(v []float32) error {
	n := w.meta.covered
	w.meta.covered++
	row := make([]byte, 0, 4*len(v))
	for _, x := range v {
		row = binary.LittleEndian.AppendUint32(row, math.Float32bits(x))
	}
	key := func(kind byte, n int) []byte { return w.keys.vector(w.meta.Name, w.f, kind, n) }
	if w.meta.covered%vectorChunk != 0 {
		return w.batch.Set(key(vecTail, n), row, nil)
	}
	chunk := make([]byte, 0, vectorChunk*len(row))
	for i := w.meta.covered - vectorChunk; i < n; i++ {
		value, ok, err := get(w.batch, key(vecTail, i))
		if err != nil {
			return err
		}
		if !ok || len(value) != len(row) {
			return fmt.Errorf("%w: vector %d is missing", dsl.ErrCorrupt, i)
		}
		chunk = append(chunk, value...)
		if err := w.batch.Delete(key(vecTail, i), nil); err != nil {
			return err
		}
	}
	return w.setChunk(n/vectorChunk, append(chunk, row...))
}

// quantizedHead is the bytes before those of a quantized vector: scale, rest and
// norm as float32.
const quantizedHead = 12

// quantizeChunk turns a row of float32 into one of bytes.
func quantizeChunk(chunk []byte, dim int) []byte {
	out := make([]byte, 0, vectorChunk*(quantizedHead+dim))
	v := make([]float32, dim)
	for len(chunk) > 0 {
		for i := range v {
			v[i] = float32At(chunk, i)
		}
		q := quantize(v)
		for _, x := range []float32{q.scale, q.rest, q.norm} {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
		}
		out, chunk = append(out, q.bytes...), chunk[4*dim:]
	}
	return out
}

// DropVectors removes the vectors of a model from a space, those of all fields.
func (s *Store) DropVectors(space, model string) error {
	s.writer.Lock()
	defer s.writer.Unlock()
	if err := s.live(); err != nil {
		return err
	}
	k := spaceKeys(space)
	lo := k.vectors(model)
	if err := s.db.DeleteRange(lo, after(slices.Clone(lo)), pebble.NoSync); err != nil {
		return fmt.Errorf("store: drop vectors of %q: %w", model, err)
	}
	return s.iters.renew(false)
}
