package retrieval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/asof-db/asof/store"
)

// ErrNotReady says that a channel cannot answer from all of a view: documents lack
// vectors, and more than a search makes by itself, or they cannot be made.
var ErrNotReady = errors.New("not ready")

// Dense is a channel of vectors.
type Dense struct {
	// Name is what the channel is called where a hit is explained.
	Name string
	// Encoder makes its vectors; Late, in its place, makes one for each token.
	Encoder Encoder
	Late    TokenEncoder
	// Weight is what the channel counts beside full text, which counts 1; greater
	// than 0, at most 100.
	Weight float64
	// Slow tells that a model makes the vectors: a search makes those of at most First
	// documents of a field by itself, and answers with ErrNotReady where more lack
	// them, unless the query takes a part.
	Slow  bool
	First int
}

// Model names what makes the channel's vectors.
func (d *Dense) Model() store.VectorModel {
	if d.Late != nil {
		return d.Late.Model()
	}
	return d.Encoder.Model()
}

// Watermark says how far the vectors of a model went when a search that takes a
// part was asked: the first Documents of Of documents of the field.
type Watermark struct {
	Model         string
	Field         store.Field
	Documents, Of int
}

// upTo gives how many of n documents a search that takes a part looks at by a
// channel: all where it is fast.
func upTo(part []Watermark, d *Dense, f store.Field, n int) int {
	if part == nil || !d.Slow {
		return n
	}
	model := d.Model().Name
	for i := range part {
		if part[i].Model == model && part[i].Field == f {
			return min(n, part[i].Documents)
		}
	}
	return 0
}

// A cosine counts by how far it stands out from those of all documents of the
// view, in standard deviations: nothing up to outFrom of them, and as much as the
// best score of full text at outFrom + outBy. Where all are about the same
// matter, or few, none stands out and full text is left to itself.
const (
	outFrom = 1
	outBy   = 3
)

// dense is a channel of vectors, wholly scored.
type dense struct {
	*Dense
	index store.Index
	all   []float32 // by document
	// covered is how many documents are looked at, the first ones.
	covered int
	// mean and spread are of all documents; a share is 0 up to mean + outFrom ×
	// spread.
	mean, spread float64
	// speakers raises the turns of named speakers, as full text does; nil for
	// other documents.
	speakers *collection
}

// MaxDense bounds the documents of a field in a view that channels of vectors
// score, all of them for every question. In a larger view full text is left to
// itself.
const MaxDense = 1 << 16

// MaxLate is the same for channels of token vectors, which cost more.
const MaxLate = 1 << 14

// Most gives how many documents of a field a channel scores at most; in a larger
// view it says nothing.
func (d *Dense) Most() int {
	if d.Late != nil {
		return MaxLate
	}
	return MaxDense
}

// query is a question's vector.
type query struct {
	of     *Dense
	vector []float32
	tokens []byte // of late interaction, in place of the vector
}

// encode asks the channels of vectors for the question's.
func (s *searcher) encode(ctx context.Context) error {
	for i := range s.opt.Dense {
		q, err := newQuery(ctx, &s.opt.Dense[i], s.plan.text)
		if err != nil {
			return fmt.Errorf("channel %s: %w", s.opt.Dense[i].Name, err)
		}
		if q.vector != nil || q.tokens != nil {
			s.queries = append(s.queries, q)
		}
	}
	return nil
}

// newQuery asks a channel of vectors for those of a question.
func newQuery(ctx context.Context, d *Dense, text string) (q query, err error) {
	q.of = d
	if d.Late != nil {
		q.tokens, err = d.Late.Query(ctx, text)
	} else {
		q.vector, err = d.Encoder.Query(ctx, text)
	}
	return q, err
}

// denseOf scores the documents of a field by each channel of vectors.
func (s *searcher) denseOf(ctx context.Context, f store.Field, index store.Index) (list []*dense, err error) {
	for i := range s.queries {
		q := &s.queries[i]
		if index.Stats().Docs > q.of.Most() {
			continue
		}
		d, kept, err := newDense(ctx, s.view, f, index, q, s.plan.part)
		if err != nil {
			return nil, fmt.Errorf("channel %s: %w", q.of.Name, err)
		}
		list = append(list, d)
		if !kept && !slices.Contains(*s.unkept, f) {
			*s.unkept = append(*s.unkept, f)
		}
	}
	return list, nil
}

// newDense scores the documents of a field for a question. Those whose vectors the
// store lacks are encoded here; kept tells that there were none.
func newDense(ctx context.Context, v store.View, f store.Field, index store.Index, q *query, part []Watermark) (d *dense, kept bool, err error) {
	n := index.Stats().Docs
	covered := upTo(part, q.of, f, n)
	all, err := q.kept(ctx, v, f, make([]float32, 0, n))
	if err != nil {
		return nil, false, err
	}
	all = all[:min(len(all), covered)]
	missing := covered - len(all)
	if q.of.Slow && missing > q.of.First {
		return nil, false, fmt.Errorf("%w: %d of %d documents of field %q have vectors of %s", ErrNotReady, len(all), n, f, q.of.Name)
	}
	const group = 256
	for len(all) < covered {
		if all, err = q.make(ctx, v, f, all, min(covered, len(all)+group)); err != nil {
			if q.of.Slow && ctx.Err() == nil {
				err = fmt.Errorf("%w: %d documents of field %q lack vectors of %s, and they could not be made: %w", ErrNotReady, missing, f, q.of.Name, err)
			}
			return nil, false, err
		}
	}
	d = &dense{Dense: q.of, index: index, all: all, covered: covered}
	d.mean, d.spread = spread(len(all), func(i int) float64 { return float64(all[i]) })
	for len(d.all) < n { // beyond the part nothing stands out
		d.all = append(d.all, float32(d.mean))
	}
	return d, missing == 0, nil
}

// kept appends the scores of the documents that the store has vectors of.
func (q *query) kept(ctx context.Context, v store.View, f store.Field, all []float32) ([]float32, error) {
	model := q.of.Model()
	if q.of.Late != nil {
		return store.TokenScores(ctx, v, model.Name, f, q.tokens, model.Dim, all)
	}
	return store.VectorScores(ctx, v, model.Name, f, q.vector, all)
}

// make encodes the documents up to one and appends their scores.
func (q *query) make(ctx context.Context, v store.View, f store.Field, all []float32, to int) ([]float32, error) {
	if q.of.Late != nil {
		list, err := Tokens(ctx, v, f, len(all), to, q.of.Late)
		for _, x := range list {
			all = append(all, store.MaxSim(q.tokens, x, q.of.Late.Model().Dim))
		}
		return all, err
	}
	vectors, err := Vectors(ctx, v, f, len(all), to, q.of.Encoder)
	for _, x := range vectors {
		all = append(all, store.Dot(x, q.vector))
	}
	return all, err
}

// spread gives the mean and the standard deviation of n numbers.
func spread(n int, at func(i int) float64) (mean, deviation float64) {
	if n == 0 {
		return 0, 0
	}
	for i := range n {
		mean += at(i)
	}
	mean /= float64(n)
	for i := range n {
		off := at(i) - mean
		deviation += float64(off * off)
	}
	return mean, math.Sqrt(deviation / float64(n))
}

// standsOut gives how far a score stands out, from 0 on.
func standsOut(score, mean, deviation, from, by float64) float64 {
	if !(deviation > 0) {
		return 0
	}
	return max((score-mean)/deviation-from, 0) / by
}

func (d *dense) name() string    { return d.Name }
func (d *dense) weight() float64 { return d.Weight }

// share gives what a document's cosine is worth.
func (d *dense) share(doc int32, info *store.Doc) (float64, error) {
	if int(doc) >= d.covered {
		return 0, nil
	}
	share := standsOut(float64(d.all[doc]), d.mean, d.spread, outFrom, outBy)
	if share == 0 || d.speakers == nil || d.speakers.raises == nil {
		return share, nil
	}
	boost, err := d.speakers.boost(info)
	return float64(share*boost) / d.speakers.raise, err
}

func (d *dense) top(ctx context.Context, depth int, keep keeper) ([]candidate, error) {
	found := best{k: depth}
	least := d.mean + float64(outFrom*d.spread)
	var chunk []store.Doc
	for doc, x := range d.all[:d.covered] {
		at := doc % store.ChunkDocs
		if at == 0 {
			var err error
			if chunk, err = d.index.Chunk(doc / store.ChunkDocs); err != nil {
				return nil, err
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		if float64(x) < least {
			continue
		}
		share, err := d.share(int32(doc), &chunk[at])
		if err != nil {
			return nil, err
		}
		if share < found.least() {
			continue
		}
		ok, err := keep(int32(doc), &chunk[at])
		if err != nil {
			return nil, err
		}
		if ok {
			found.add(candidate{score: share, doc: int32(doc)})
		}
	}
	return found.settle(), nil
}

func (d *dense) scores(_ context.Context, docs []int32) (scores, shares []float64, err error) {
	scores, shares = make([]float64, len(docs)), make([]float64, len(docs))
	for i, doc := range docs {
		chunk, err := d.index.Chunk(int(doc) / store.ChunkDocs)
		if err != nil {
			return nil, nil, err
		}
		if int(doc) >= d.covered {
			continue
		}
		scores[i] = float64(d.all[doc])
		if shares[i], err = d.share(doc, &chunk[int(doc)%store.ChunkDocs]); err != nil {
			return nil, nil, err
		}
	}
	return scores, shares, nil
}
