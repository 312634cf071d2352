package retrieval

import (
	"context"
	"math"
	"slices"

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

// Lexical is the name of the full-text channel.
const Lexical = "bm25"

// Part is what a channel had to say for a hit.
type Part struct {
	Channel string
	// Score is in the channel's own measure: the share of the question for full
	// text, a cosine for vectors.
	Score float64
	// Rank is the hit's place by this channel among the documents looked at, from
	// 1, equal scores sharing one; 0 where it has nothing for the hit.
	Rank int
	// Part is what the fused score, in [0, 1], owes to the channel.
	Part float64
}

// channel scores the documents of one kind in one view.
type channel interface {
	name() string
	weight() float64
	// floor is the score that says nothing for a document.
	floor() float64
	// top gives the documents that may be hits and score best, above floor: depth
	// of them and those that equal the last.
	top(ctx context.Context, depth int, keep keeper) ([]candidate, error)
	// scores gives the scores of documents, which are in order.
	scores(ctx context.Context, docs []int32) ([]float64, error)
}

// keeper tells whether a document may be a hit.
type keeper func(doc int32, d *store.Doc) (bool, error)

// lexical is BM25 as a channel.
type lexical struct{ *collection }

func (lexical) name() string    { return Lexical }
func (lexical) weight() float64 { return 1 }
func (lexical) floor() float64  { return 0 }

func (l lexical) top(ctx context.Context, depth int, keep keeper) ([]candidate, error) {
	return l.collection.top(ctx, depth, false, keep)
}

func (l lexical) scores(_ context.Context, docs []int32) ([]float64, error) {
	scores := make([]float64, len(docs))
	for i, doc := range docs {
		score, err := l.scoreOf(doc)
		if err != nil {
			return nil, err
		}
		if score > 0 {
			scores[i] = score / l.ideal
		}
	}
	return scores, nil
}

// dense is a channel of vectors, wholly scored.
type dense struct {
	*Dense
	index store.Index
	all   []float32 // by document
	least float64
}

// newDense scores the documents of a field for a question's vector. Those whose
// vectors the store lacks are encoded here.
func newDense(ctx context.Context, v store.View, f store.Field, index store.Index, of *Dense, query []float32) (*dense, error) {
	n := index.Stats().Docs
	all, err := store.VectorScores(ctx, v, of.Encoder.Model().Name, f, query, make([]float32, 0, n))
	if err != nil {
		return nil, err
	}
	const group = 256
	for len(all) < n {
		vectors, err := Vectors(ctx, v, f, len(all), min(n, len(all)+group), of.Encoder)
		if err != nil {
			return nil, err
		}
		for _, x := range vectors {
			all = append(all, store.Dot(x, query))
		}
	}
	d := &dense{Dense: of, index: index, all: all, least: math.Inf(1)}
	for _, x := range all {
		d.least = min(d.least, float64(x))
	}
	d.least = max(d.least, 0)
	return d, nil
}

func (d *dense) name() string    { return d.Name }
func (d *dense) weight() float64 { return d.Weight }
func (d *dense) floor() float64  { return d.least }

func (d *dense) top(ctx context.Context, depth int, keep keeper) ([]candidate, error) {
	found := best{k: depth}
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
		score := float64(x)
		if !(score > d.least) || score < found.least() {
			continue
		}
		ok, err := keep(int32(doc), &chunk[at])
		if err != nil {
			return nil, err
		}
		if ok {
			found.add(candidate{score: score, doc: int32(doc)})
		}
	}
	return found.settle(), nil
}

func (d *dense) scores(_ context.Context, docs []int32) ([]float64, error) {
	scores := make([]float64, len(docs))
	for i, doc := range docs {
		scores[i] = float64(d.all[doc])
	}
	return scores, nil
}

// pool is the documents that channels found, with what each channel says of all
// of them.
type pool struct {
	docs    []int32 // in order
	columns []*column
}

// gather asks each channel for its best documents, and then for its scores of
// what the others found.
func gather(ctx context.Context, channels []channel, depth int, keep keeper) (*pool, error) {
	p := new(pool)
	for _, c := range channels {
		found, err := c.top(ctx, depth, keep)
		if err != nil {
			return nil, err
		}
		for _, x := range found {
			p.docs = append(p.docs, x.doc)
		}
	}
	slices.Sort(p.docs)
	p.docs = slices.Compact(p.docs)
	for _, c := range channels {
		scores, err := c.scores(ctx, p.docs)
		if err != nil {
			return nil, err
		}
		p.columns = append(p.columns, &column{name: c.name(), weight: c.weight(), floor: c.floor(), scores: scores})
	}
	return p, nil
}

// fused gives the k best documents of the pool and those that equal the last,
// best first, with their fused scores.
func (p *pool) fused(how Fusion, k int) []candidate {
	anchor := p.anchor()
	var found []candidate
	for i, x := range fuse(how, p.columns) {
		if score := float64(x * anchor); score > 0 {
			found = append(found, candidate{score: score, doc: p.docs[i]})
		}
	}
	slices.SortFunc(found, bestFirst)
	end := min(k, len(found))
	for end > 0 && end < len(found) && found[end].score == found[end-1].score {
		end++
	}
	return found[:end]
}

// anchor gives what the best document of the pool is worth in the channels' own
// measures, in [0, 1]: so that a kind in which nothing fits does not stand beside
// one in which something does.
func (p *pool) anchor() float64 {
	most, total := 0.0, 0.0
	for _, c := range p.columns {
		total += c.weight
	}
	for i := range p.docs {
		sum := 0.0
		for _, c := range p.columns {
			sum += float64(c.weight * max(c.scores[i], 0))
		}
		most = max(most, sum)
	}
	return min(most/total, 1)
}

// why gives what the channels say of a document of the pool.
func (p *pool) why(doc int32) []Part {
	if p == nil {
		return nil
	}
	at, ok := slices.BinarySearch(p.docs, doc)
	if !ok {
		return nil
	}
	var parts []Part
	for _, c := range p.columns {
		parts = append(parts, Part{Channel: c.name, Score: c.scores[at], Rank: c.ranks[at], Part: c.parts[at]})
	}
	return parts
}
