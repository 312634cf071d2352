package store

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/asof-db/asof/dsl"
)

// VectorQuery asks for the documents of a field whose vectors have the largest
// dot product with another.
type VectorQuery struct {
	Model  string
	Field  Field
	Vector []float32
	// K is the most hits wanted, at least 1.
	K int
	// Workers is how many goroutines scan, at least 1; it changes no answer.
	Workers int
	// Partial accepts an answer from the documents that have a vector, where not
	// all of the view do.
	Partial bool
}

// VectorHit is a document and its dot product.
type VectorHit struct {
	Doc   int
	Score float32
}

// VectorResult is the answer to a VectorQuery.
type VectorResult struct {
	// Hits are the best K, best first; equal ones in order of document.
	Hits []VectorHit
	// Covered is how many documents of the view have a vector, the first ones, and
	// Docs how many there are.
	Covered, Docs int
}

// VectorSearch scans the vectors of a view, exactly. A view whose documents do
// not all have a vector yet is dsl.ErrNotFound, unless the query takes a part.
// Which vectors were added later changes nothing.
func VectorSearch(ctx context.Context, v View, q VectorQuery) (VectorResult, error) {
	r, err := vectorSearch(ctx, v, q)
	if err != nil {
		return VectorResult{}, fmt.Errorf("store: vector search by %q: %w", q.Model, err)
	}
	return r, nil
}

func vectorSearch(ctx context.Context, view View, q VectorQuery) (res VectorResult, err error) {
	v, ok := view.(*snapshot)
	if !ok {
		return res, fmt.Errorf("%w: a %T has no vectors", dsl.ErrInvalid, view)
	}
	if q.K < 1 || q.Workers < 1 {
		return res, fmt.Errorf("%w: k is %d and workers %d, want at least 1", dsl.ErrInvalid, q.K, q.Workers)
	}
	for _, x := range q.Vector {
		if x-x != 0 {
			return res, fmt.Errorf("%w: the vector holds %v", dsl.ErrInvalid, x)
		}
	}
	first, err := v.vectors(&q)
	if err != nil {
		return res, err
	}
	defer first.Close()
	res.Docs = first.stats.Docs
	res.Covered = min(first.meta.covered, res.Docs)
	if res.Covered < res.Docs && !q.Partial {
		return res, fmt.Errorf("%w: %d of %d documents have a vector; add theirs, or ask for a part", dsl.ErrNotFound, res.Covered, res.Docs)
	}
	if res.Covered == 0 {
		return res, nil
	}
	if len(q.Vector) != first.meta.Dim {
		return res, fmt.Errorf("%w: the vector has %d dimensions, want %d", dsl.ErrInvalid, len(q.Vector), first.meta.Dim)
	}
	scan := &vectorScan{ctx: ctx, view: v, q: &q, n: res.Covered}
	if first.meta.Int8 {
		x := quantize(q.Vector)
		scan.near = &x
	}
	found, err := scan.run()
	if err != nil {
		return res, err
	}
	if scan.near != nil {
		if found, err = scan.again(first, found); err != nil {
			return res, err
		}
	}
	slices.SortFunc(found, func(x, y vectorFound) int { return cmp.Or(cmp.Compare(y.lo, x.lo), cmp.Compare(x.doc, y.doc)) })
	for _, x := range found[:min(len(found), q.K)] {
		res.Hits = append(res.Hits, VectorHit{int(x.doc), float32(x.lo)})
	}
	return res, nil
}

// vectorReader reads vectors at one moment.
type vectorReader struct {
	*indexReader
	meta vectorMeta
}

func (v *snapshot) vectors(q *VectorQuery) (*vectorReader, error) {
	x, err := v.index(q.Field)
	if err != nil {
		return nil, err
	}
	r := &vectorReader{indexReader: x}
	if r.meta, _, err = vectorMetaOf(x.get, &v.keys, q.Model, q.Field); err != nil {
		x.Close()
		return nil, err
	}
	return r, nil
}

// vectorFound is a document that may be among the best: its score lies in
// [lo, hi], which are equal once it is known.
type vectorFound struct {
	lo, hi float64
	doc    int32
}

// vectorBest keeps what may be among the k best.
type vectorBest struct {
	k     int
	lows  best32 // a heap of the k best lower bounds
	found []vectorFound
}

func (b *vectorBest) add(x vectorFound) {
	if len(b.lows) == b.k && x.hi < b.lows[0] {
		return
	}
	b.lows.add(x.lo, b.k)
	if b.found = append(b.found, x); len(b.found) >= 4*min(b.k, 1<<20)+1024 {
		b.settle()
	}
}

// settle drops what cannot be among the best any more.
func (b *vectorBest) settle() []vectorFound {
	if len(b.lows) == b.k {
		least := b.lows[0]
		b.found = slices.DeleteFunc(b.found, func(x vectorFound) bool { return x.hi < least })
	}
	return b.found
}

// best32 is a heap of numbers, the least first.
type best32 []float64

func (h *best32) add(x float64, k int) {
	s := *h
	if len(s) < k {
		s = append(s, x)
		for i := len(s) - 1; i > 0 && s[i] < s[(i-1)/2]; i = (i - 1) / 2 {
			s[i], s[(i-1)/2] = s[(i-1)/2], s[i]
		}
		*h = s
		return
	}
	if x <= s[0] {
		return
	}
	s[0] = x
	for i := 0; ; {
		c := 2*i + 1
		if c >= len(s) {
			return
		}
		if c+1 < len(s) && s[c+1] < s[c] {
			c++
		}
		if s[i] <= s[c] {
			return
		}
		s[i], s[c] = s[c], s[i]
		i = c
	}
}

// vectorScan scans the first n vectors.
type vectorScan struct {
	ctx  context.Context
	view *snapshot
	q    *VectorQuery
	n    int
	near *quantized // the query in bytes, if those are scanned
}

// run shares the chunks out and joins what is found, which depends on neither.
func (s *vectorScan) run() ([]vectorFound, error) {
	chunks := (s.n + vectorChunk - 1) / vectorChunk
	workers := min(s.q.Workers, chunks)
	parts := make([]vectorBest, workers)
	errs := make([]error, workers)
	var wait sync.WaitGroup
	for w := range workers {
		parts[w].k = s.q.K
		wait.Go(func() {
			errs[w] = s.part(w*chunks/workers, (w+1)*chunks/workers, &parts[w])
		})
	}
	wait.Wait()
	all := vectorBest{k: s.q.K}
	for w := range parts {
		if errs[w] != nil {
			return nil, errs[w]
		}
		for _, x := range parts[w].settle() {
			all.add(x)
		}
	}
	return all.settle(), nil
}

// part scans the chunks [lo, hi).
func (s *vectorScan) part(lo, hi int, b *vectorBest) error {
	r, err := s.view.vectors(s.q)
	if err != nil {
		return err
	}
	defer r.Close()
	if r.meta.covered < s.n || r.meta.Dim != len(s.q.Vector) {
		return fmt.Errorf("%w: the vectors were dropped meanwhile", dsl.ErrConflict)
	}
	for c := lo; c < hi; c++ {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		if err := s.chunk(r, c, b); err != nil {
			return err
		}
	}
	return nil
}

func (s *vectorScan) chunk(r *vectorReader, c int, b *vectorBest) error {
	first := c * vectorChunk
	end := min(first+vectorChunk, s.n)
	dim := len(s.q.Vector)
	if first+vectorChunk > r.meta.covered { // vectors one by one
		for doc := first; doc < end; doc++ {
			row, err := r.row(vecTail, doc, 4*dim)
			if err != nil {
				return err
			}
			score := float64(dot(row, s.q.Vector))
			b.add(vectorFound{score, score, int32(doc)})
		}
		return nil
	}
	if s.near == nil {
		row, err := r.row(vecFloat, c, vectorChunk*4*dim)
		if err != nil {
			return err
		}
		for doc := first; doc < end; doc++ {
			score := float64(dot(row[:4*dim], s.q.Vector))
			row = row[4*dim:]
			b.add(vectorFound{score, score, int32(doc)})
		}
		return nil
	}
	row, err := r.row(vecInt, c, vectorChunk*(quantizedHead+dim))
	if err != nil {
		return err
	}
	for doc := first; doc < end; doc++ {
		v := quantized{scale: float32At(row, 0), rest: float32At(row, 1), norm: float32At(row, 2), bytes: row[quantizedHead:][:dim]}
		row = row[quantizedHead+dim:]
		lo, hi := s.near.bounds(&v)
		if math.IsNaN(lo) {
			return fmt.Errorf("%w: vector %d has no bounds", dsl.ErrCorrupt, doc)
		}
		b.add(vectorFound{lo, hi, int32(doc)})
	}
	return nil
}

// row reads a row of a known size, or of any where that is negative, valid until
// the next read.
func (r *vectorReader) row(kind byte, n, size int) ([]byte, error) {
	key := r.v.keys.vector(r.meta.Name, r.f, kind, n)
	if !r.it.SeekGE(key) || string(r.it.Key()) != string(key) || size >= 0 && len(r.it.Value()) != size {
		return nil, cmp.Or(r.it.Error(), fmt.Errorf("%w: vectors %d of kind %c are missing or of another size", dsl.ErrCorrupt, n, kind))
	}
	return r.it.Value(), nil
}

// again gives the whole scores of what was found by bounds.
func (s *vectorScan) again(r *vectorReader, found []vectorFound) ([]vectorFound, error) {
	slices.SortFunc(found, func(x, y vectorFound) int { return cmp.Compare(x.doc, y.doc) })
	b := vectorBest{k: s.q.K}
	dim, have := len(s.q.Vector), -1
	var row []byte
	for _, x := range found {
		if c := int(x.doc) / vectorChunk; x.lo != x.hi {
			if c != have {
				var err error
				if row, err = r.row(vecFloat, c, vectorChunk*4*dim); err != nil {
					return nil, err
				}
				have = c
			}
			score := float64(dot(row[int(x.doc)%vectorChunk*4*dim:][:4*dim], s.q.Vector))
			x.lo, x.hi = score, score
		}
		b.add(x)
	}
	return b.settle(), nil
}
