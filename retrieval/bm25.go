package retrieval

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/num"
	"github.com/asof-db/asof/store"
)

const (
	k1 = 0.9
	b  = 0.4
)

// scoredTerm is a term of the question with what it is worth in a collection.
type scoredTerm struct {
	list *store.TermList
	// most is above what the term adds to any document.
	most float64
}

// collection is the documents of one field in one view, with the statistics and
// the lists that a question needs of them.
type collection struct {
	index store.Index
	stats store.IndexStats
	mean  float64
	terms []scoredTerm
	// ideal is above what any document can reach; 0 where no term counts.
	ideal float64
	// context is what a term counts in the turns after its own, in tenths.
	context uint32
	// raises are what the score of a turn is multiplied by, by its speaker; nil where
	// the question names none. raise is the greatest of them.
	raises []float64
	raise  float64
	// buf has room for the postings of a block.
	buf []store.Posting
}

// newCollection reads the lists of the terms, each of which counts its weight.
func newCollection(index store.Index, terms []string, context uint32, weight func(i int) float64) (*collection, error) {
	c := &collection{index: index, stats: index.Stats(), context: context}
	if n := c.stats.Docs; n > 0 {
		c.mean = float64(store.OwnWeight*c.stats.Terms+uint64(context)*c.stats.Context) / float64(n)
	}
	for i, term := range terms {
		list, err := index.Term(term)
		if err != nil {
			return nil, fmt.Errorf("postings of %q: %w", term, err)
		}
		if n := list.Blocks(); n > 0 {
			if _, last := list.Range(n - 1); int(last) >= c.stats.Docs {
				return nil, fmt.Errorf("%w: postings of %q go on to document %d of %d", dsl.ErrCorrupt, term, last, c.stats.Docs)
			}
		}
		most := termWorth(c.stats.Docs, list.Count(), weight(i))
		c.terms = append(c.terms, scoredTerm{list: list, most: most})
		c.ideal += most
	}
	return c, nil
}

// termWorth gives what a term adds to a score at most, which grows with its
// rarity: df of n documents hold it.
func termWorth(n, df int, weight float64) float64 {
	// The usual log(1 + (N-df+½)/(df+½)), put more plainly; never negative.
	idf := num.Log(float64(n+1) / (float64(df) + 0.5))
	return float64(float64(weight*idf) * (k1 + 1))
}

// saturate gives what a term adds to a document in which it counts so many
// tenths, and which has the given norm.
func saturate(most float64, tenths uint32, norm float64) float64 {
	tf := float64(tenths) / store.OwnWeight
	return float64(most*tf) / (tf + norm)
}

// lengthNorm gives the norm of a length; mean is that of all documents.
func lengthNorm(length uint64, mean float64) float64 {
	return float64(k1 * (1 - b + float64(b*(float64(length)/mean))))
}

func (c *collection) norm(length uint32) float64 { return lengthNorm(uint64(length), c.mean) }

// weight gives how much a posting counts, and length the length of a document
// with its context, both in tenths.
func (c *collection) weight(p *store.Posting) uint32 {
	return store.OwnWeight*p.TF + c.context*p.Context
}

func (c *collection) length(d *store.Doc) uint32 {
	return store.OwnWeight*d.Length + c.context*d.Context
}

// bound gives what a term adds at most to a document that an impact bounds.
// Impacts are of the context's weight in the index: with a greater one, weights
// grow by no more than the quotient, with a smaller one, lengths shrink by no
// more.
func (c *collection) bound(most float64, x store.Impact) float64 {
	weight, length := uint64(x.Weight), uint64(x.Length)
	switch {
	case c.context > store.ContextWeight:
		weight = (weight*uint64(c.context) + store.ContextWeight - 1) / store.ContextWeight
	case c.context < store.ContextWeight:
		length = length * uint64(c.context) / store.ContextWeight
	}
	return saturate(most, uint32(min(weight, math.MaxUint32)), c.norm(uint32(length)))
}

// boost gives what the score of a document is multiplied by: more for a turn of
// a speaker that the question names.
func (c *collection) boost(d *store.Doc) (float64, error) {
	if c.raises == nil {
		return 1, nil
	}
	if int64(d.Speaker) >= int64(len(c.raises)) {
		return 0, fmt.Errorf("%w: a turn is of speaker %d of %d", dsl.ErrCorrupt, d.Speaker, len(c.raises))
	}
	return c.raises[d.Speaker], nil
}

// raiseSpeakers raises the turns of speakers, if there are any to be raised.
func (c *collection) raiseSpeakers(raises []float64) {
	if raises != nil {
		c.raises, c.raise = raises, slices.Max(raises)
		c.ideal = float64(c.ideal * c.raise)
	}
}

// ratios gives the scores of documents, which are in order.
func (c *collection) ratios(docs []int32) ([]float64, error) {
	scores := make([]float64, len(docs))
	if c.ideal == 0 || len(docs) == 0 {
		return scores, nil
	}
	info, err := c.infoOf(docs)
	if err != nil {
		return nil, err
	}
	norms := make([]float64, len(docs))
	for i := range docs {
		norms[i] = c.norm(c.length(info[i]))
	}
	for i := range c.terms {
		t := &c.terms[i]
		err := c.walk(t.list, docs, func(at int, p *store.Posting) {
			if tenths := c.weight(p); tenths > 0 {
				scores[at] += saturate(t.most, tenths, norms[at])
			}
		})
		if err != nil {
			return nil, err
		}
	}
	for i, sum := range scores {
		boost, err := c.boost(info[i])
		if err != nil {
			return nil, err
		}
		if scores[i] = float64(sum * boost); scores[i] > 0 {
			scores[i] /= c.ideal
		}
	}
	return scores, nil
}

// infoOf gives what scoring knows of documents.
func (c *collection) infoOf(docs []int32) ([]*store.Doc, error) {
	info := make([]*store.Doc, len(docs))
	for i, doc := range docs {
		chunk, err := c.index.Chunk(int(doc) / store.ChunkDocs)
		if err != nil {
			return nil, err
		}
		info[i] = &chunk[int(doc)%store.ChunkDocs]
	}
	return info, nil
}

// ratio gives the score of one document.
func (c *collection) ratio(doc int32) (float64, error) {
	scores, err := c.ratios([]int32{doc})
	if err != nil {
		return 0, err
	}
	return scores[0], nil
}

// alone gives the collection in which turns are documents by themselves, without
// context and whoever speaks.
func (c *collection) alone() *collection {
	own := &collection{index: c.index, stats: c.stats, terms: make([]scoredTerm, 0, len(c.terms))}
	if n := c.stats.Docs; n > 0 {
		own.mean = float64(store.OwnWeight*c.stats.Terms) / float64(n)
	}
	for _, t := range c.terms {
		own.terms = append(own.terms, scoredTerm{list: t.list, most: t.most})
		own.ideal += t.most
	}
	return own
}

// walk visits the postings in a list of those of docs, which are in order, that have
// one, with their places in docs. A posting is good until visit is done.
func (c *collection) walk(list *store.TermList, docs []int32, visit func(at int, p *store.Posting)) error {
	for at := 0; at < len(docs); {
		block := firstBlock(list, docs[at])
		if block == list.Blocks() {
			return nil
		}
		after, last := list.Range(block)
		for at < len(docs) && docs[at] <= after {
			at++
		}
		if at == len(docs) || docs[at] > last {
			continue
		}
		var err error
		if c.buf, err = list.Decode(block, c.buf[:0]); err != nil {
			return err
		}
		for i := 0; i < len(c.buf) && at < len(docs); {
			switch p := &c.buf[i]; {
			case p.Doc < docs[at]:
				i++
			case p.Doc > docs[at]:
				at++
			default:
				visit(at, p)
				i, at = i+1, at+1
			}
		}
		for at < len(docs) && docs[at] <= last {
			at++
		}
	}
	return nil
}

// firstBlock gives the first block that does not end before a document, or the
// number of blocks.
func firstBlock(l *store.TermList, doc int32) int {
	lo, hi := 0, l.Blocks()
	for lo < hi {
		mid := (lo + hi) / 2
		if _, last := l.Range(mid); last < doc {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// all gives the scores of all documents, divided by the ideal, by number.
func (c *collection) all(ctx context.Context) ([]float64, error) {
	scores := make([]float64, c.stats.Docs)
	if c.ideal == 0 {
		return scores, nil
	}
	docs := make([][]store.Doc, (c.stats.Docs+store.ChunkDocs-1)/store.ChunkDocs)
	for i := range docs {
		var err error
		if docs[i], err = c.index.Chunk(i); err != nil {
			return nil, err
		}
	}
	for i := range c.terms {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		t := &c.terms[i]
		err := store.EachPosting(t.list, func(p store.Posting) bool {
			d := &docs[p.Doc/store.ChunkDocs][p.Doc%store.ChunkDocs]
			if tenths := c.weight(&p); tenths > 0 {
				scores[p.Doc] += saturate(t.most, tenths, c.norm(c.length(d)))
			}
			return true
		})
		if err != nil {
			return nil, err
		}
	}
	for doc, x := range scores {
		if x > 0 {
			boost, err := c.boost(&docs[doc/store.ChunkDocs][doc%store.ChunkDocs])
			if err != nil {
				return nil, err
			}
			scores[doc] = float64(x*boost) / c.ideal
		}
	}
	return scores, nil
}
