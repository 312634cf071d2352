package retrieval

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// take makes the best k hits of candidates that are best first. Hits with equal
// scores are ordered by id, so all that share the last place are read.
func take(ctx context.Context, found []candidate, k int, load func(doc int32) (Hit, error)) ([]Hit, error) {
	hits := make([]Hit, 0, min(k, len(found))+1)
	for len(found) > 0 && len(hits) < k {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		from, score := len(hits), found[0].score
		for len(found) > 0 && found[0].score == score {
			h, err := load(found[0].doc)
			if err != nil {
				return nil, err
			}
			h.Score = score
			hits, found = append(hits, h), found[1:]
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

// interleave joins the hits for several questions, each best first, so that each
// gets its share of the k: the score of a hit tells its best place, counted as in
// reciprocal rank fusion, of what the best hit of all is worth.
func interleave(k int, lists ...[]Hit) []Hit {
	best := map[string]Hit{}
	var keys []string
	top := 0.0
	for _, list := range lists {
		for i, h := range list {
			top = max(top, h.Score)
			h.Score = (rrfK + 1) / float64(rrfK+i+1)
			key := fmt.Sprintf("%s %s %d", h.Kind, h.ID, h.Version)
			was, seen := best[key]
			if !seen {
				keys = append(keys, key)
			}
			if !seen || h.Score > was.Score {
				best[key] = h
			}
		}
	}
	hits := make([]Hit, 0, len(keys))
	for _, key := range keys {
		h := best[key]
		h.Score = float64(h.Score * top)
		hits = append(hits, h)
	}
	return merge(k, hits)
}
