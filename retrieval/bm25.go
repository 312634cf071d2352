package retrieval

import (
	"context"
	"fmt"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/num"
	"github.com/asof-db/asof/store"
)

const (
	k1 = 0.9
	b  = 0.4
)

// Terms and lengths are counted in tenths, so that a turn's context can have a
// part of a turn's weight and sums of them stay exact.
const (
	wholeWeight   = 10
	contextWeight = 3
	// contextTurns is how many turns before a turn are its context; newTalk lays
	// them out one by one.
	contextTurns = 2
)

// maxTF bounds how often a term can be in a document: more often than a text
// and its attachments have bytes for, and seldom enough to be counted in tenths.
const maxTF = 1 << 27

// scores holds how well each document of a collection answers a question.
type scores struct {
	of []float64
	// ideal is above what any document can reach; 0 where no term counts.
	ideal float64
}

// bm25 adds up one term after another over a collection of documents.
type bm25 struct {
	scores
	count  int      // of documents
	length []uint64 // of each document, in tenths
	mean   float64  // of all lengths, in tenths

	tf      []uint32 // of the present term in each document, in tenths
	touched []int32  // documents with a tf
}

// newBM25 makes ready for documents with the given lengths. mean is that of all
// documents of the statistics, which lengths may be a part of.
func newBM25(length []uint64, mean float64) *bm25 {
	n := len(length)
	return &bm25{scores: scores{of: make([]float64, n)}, count: n, length: length, mean: mean, tf: make([]uint32, n)}
}

// add counts a term tenths/10 times in a document.
func (c *bm25) add(doc int32, tenths uint32) {
	if c.tf[doc] == 0 {
		c.touched = append(c.touched, doc)
	}
	c.tf[doc] += tenths
}

// finish turns the counts of a term into scores, with the given weight, and
// makes ready for the next term. df is in how many documents the term is.
func (c *bm25) finish(df int, weight float64) {
	// The usual log(1 + (N-df+½)/(df+½)), put more plainly; never negative.
	idf := num.Log(float64(c.count+1) / (float64(df) + 0.5))
	most := float64(float64(weight*idf) * (k1 + 1))
	for _, d := range c.touched {
		tf := float64(c.tf[d]) / wholeWeight
		norm := float64(k1 * (1 - b + float64(b*(float64(c.length[d])/c.mean))))
		c.of[d] += float64(most*tf) / (tf + norm)
		c.tf[d] = 0
	}
	c.touched = c.touched[:0]
	c.ideal += most
}

// scorePlain scores the documents of a field that has no context: facts and
// events.
func scorePlain(ctx context.Context, v store.View, field store.Field, docs store.Docs, terms []string) (scores, error) {
	length := make([]uint64, len(docs.Info))
	for i := range docs.Info {
		length[i] = wholeWeight * uint64(docs.Info[i].Length)
	}
	c := newBM25(length, meanLength(docs.Terms, len(docs.Info)))
	for _, term := range terms {
		if err := ctx.Err(); err != nil {
			return scores{}, err
		}
		err := postings(v, field, term, len(length), func(doc int32, tf uint32) {
			c.add(doc, wholeWeight*tf)
		})
		if err != nil {
			return scores{}, err
		}
		c.finish(len(c.touched), 1)
	}
	return c.scores, nil
}

// meanLength gives the mean length, in tenths, of n documents that have so many
// terms together.
func meanLength(terms uint64, n int) float64 {
	if n == 0 {
		return 0
	}
	return float64(wholeWeight*terms) / float64(n)
}

// postings calls f for each posting of a term among the first n documents of a
// field, and refuses what no index holds.
func postings(v store.View, field store.Field, term string, n int, f func(doc int32, tf uint32)) error {
	bad, last := false, -1
	err := v.Postings(field, term, func(doc int, tf uint32) bool {
		if bad = doc <= last || doc >= n || tf == 0 || tf > maxTF; bad {
			return false
		}
		last = doc
		f(int32(doc), tf)
		return true
	})
	if err == nil && bad {
		err = fmt.Errorf("%w: a posting after document %d does not fit the %d documents of field %c", dsl.ErrCorrupt, last, n, field)
	}
	if err != nil {
		return fmt.Errorf("postings of %q: %w", term, err)
	}
	return nil
}
