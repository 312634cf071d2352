package retrieval

import (
	"context"
	"math"

	"github.com/asof-db/asof/store"
)

// Dense is a channel of vectors.
type Dense struct {
	// Name is what the channel is called where a hit is explained.
	Name    string
	Encoder Encoder
	// Weight is what the channel counts beside full text, which counts 1; greater
	// than 0, at most 100.
	Weight float64
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

// newDense scores the documents of a field for a question's vector. Those whose
// vectors the store lacks are encoded here; kept tells that there were none.
func newDense(ctx context.Context, v store.View, f store.Field, index store.Index, of *Dense, query []float32) (d *dense, kept bool, err error) {
	n := index.Stats().Docs
	all, err := store.VectorScores(ctx, v, of.Encoder.Model().Name, f, query, make([]float32, 0, n))
	if err != nil {
		return nil, false, err
	}
	kept = len(all) == n
	const group = 256
	for len(all) < n {
		vectors, err := Vectors(ctx, v, f, len(all), min(n, len(all)+group), of.Encoder)
		if err != nil {
			return nil, false, err
		}
		for _, x := range vectors {
			all = append(all, store.Dot(x, query))
		}
	}
	d = &dense{Dense: of, index: index, all: all}
	d.mean, d.spread = spread(len(all), func(i int) float64 { return float64(all[i]) })
	return d, kept, nil
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
	for doc, x := range d.all {
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
		scores[i] = float64(d.all[doc])
		if shares[i], err = d.share(doc, &chunk[int(doc)%store.ChunkDocs]); err != nil {
			return nil, nil, err
		}
	}
	return scores, shares, nil
}
