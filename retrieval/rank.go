package retrieval

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// candidate is a document that holds something of the question.
type candidate struct {
	score float64
	doc   int32
}

// better orders candidates: the higher score first, then the earlier document.
func (c candidate) better(d candidate) bool {
	return c.score > d.score || c.score == d.score && c.doc < d.doc
}

// ranking hands out candidates best first. Most are never asked for, so it is a
// heap and not a sorted list.
type ranking []candidate

// newRanking collects the documents with a score; keep, if not nil, says which
// may be handed out.
func newRanking(s scores, keep func(doc int) bool) ranking {
	var r ranking
	for d, score := range s.of {
		if score > 0 && (keep == nil || keep(d)) {
			r = append(r, candidate{score / s.ideal, int32(d)})
		}
	}
	for i := len(r)/2 - 1; i >= 0; i-- {
		r.sink(i)
	}
	return r
}

// sink moves a candidate down until none below it is better.
func (r ranking) sink(i int) {
	for {
		child := 2*i + 1
		if child >= len(r) {
			return
		}
		if right := child + 1; right < len(r) && r[right].better(r[child]) {
			child = right
		}
		if !r[child].better(r[i]) {
			return
		}
		r[i], r[child] = r[child], r[i]
		i = child
	}
}

// pop hands out the best candidate left.
func (r *ranking) pop() candidate {
	h := *r
	best, last := h[0], len(h)-1
	h[0] = h[last]
	*r = h[:last]
	r.sink(0)
	return best
}

// take reads the best k hits of a ranking. load gives the hit of a document, or
// none where the document is passed over. Hits with equal scores are ordered by
// id, so all that share the last place are read.
func take(ctx context.Context, r ranking, k int, load func(doc int) (*Hit, error)) ([]Hit, error) {
	var hits []Hit
	for len(r) > 0 && len(hits) < k {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		from, score := len(hits), r[0].score
		for len(r) > 0 && r[0].score == score {
			h, err := load(int(r.pop().doc))
			if err != nil {
				return nil, err
			}
			if h != nil {
				h.Score = score
				hits = append(hits, *h)
			}
		}
		slices.SortStableFunc(hits[from:], byID)
	}
	return hits[:min(k, len(hits))], nil
}

func byID(x, y Hit) int {
	return cmp.Or(strings.Compare(x.ID, y.ID), cmp.Compare(x.Version, y.Version))
}

// merge joins the hits of several kinds, each best first, into one list of the
// best k.
func merge(k int, lists ...[]Hit) []Hit {
	hits := slices.Concat(lists...)
	slices.SortStableFunc(hits, func(x, y Hit) int {
		return cmp.Or(cmp.Compare(y.Score, x.Score), cmp.Compare(slices.Index(Kinds, x.Kind), slices.Index(Kinds, y.Kind)), byID(x, y))
	})
	hits = hits[:min(k, len(hits))]
	for i := range hits {
		hits[i].Rank = i + 1
	}
	return hits
}
