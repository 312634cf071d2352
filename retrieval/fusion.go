package retrieval

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/asof-db/asof/dsl"
)

// Fusion says how the scores of channels become one.
type Fusion string

// Weighted is the sum of the channels' scores, each brought to [0, 1] over the
// pool. RRF is reciprocal rank fusion. RRFAdaptive is RRF with channels weighed by
// how far their best document stands out from the pool.
const (
	Weighted    Fusion = "weighted"
	RRF         Fusion = "rrf"
	RRFAdaptive Fusion = "rrf_adaptive"
)

// Fusions lists every fusion.
var Fusions = []Fusion{Weighted, RRF, RRFAdaptive}

// ParseFusion reads the name of a fusion; "" is Weighted.
func ParseFusion(name string) (Fusion, error) {
	f := cmp.Or(Fusion(name), Weighted)
	if !slices.Contains(Fusions, f) {
		return "", fmt.Errorf("%w: fusion %q, want weighted, rrf or rrf_adaptive", dsl.ErrInvalid, name)
	}
	return f, nil
}

// rrfK damps the difference between the first ranks.
const rrfK = 60

// column is what one channel gives the documents of a pool, by place.
type column struct {
	name   string
	weight float64
	// floor is the score that says nothing for a document, and counts 0.
	floor  float64
	scores []float64
	// ranks count from 1, equal scores share one; 0 is for a score not above floor.
	ranks []int
	// parts are what each document's fused score owes to the channel.
	parts []float64
}

// rank fills ranks.
func (c *column) rank() {
	order := make([]int, len(c.scores))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(x, y int) int { return cmp.Compare(c.scores[y], c.scores[x]) })
	c.ranks = make([]int, len(c.scores))
	for i, at := range order {
		switch {
		case !(c.scores[at] > c.floor):
			return
		case i > 0 && c.scores[order[i-1]] == c.scores[at]:
			c.ranks[at] = c.ranks[order[i-1]]
		default:
			c.ranks[at] = i + 1
		}
	}
}

// most gives the greatest score, or floor.
func (c *column) most() float64 {
	most := c.floor
	for _, x := range c.scores {
		most = max(most, x)
	}
	return most
}

// share gives how far a score lies between floor and the greatest, in [0, 1].
func (c *column) share(score, most float64) float64 {
	if !(score > c.floor) {
		return 0
	}
	return (score - c.floor) / (most - c.floor)
}

// prominence gives how far the best document stands out from the mean of the
// pool, in [0, 1]: near 0 where a channel finds all alike.
func (c *column) prominence() float64 {
	most, sum := c.most(), 0.0
	for _, x := range c.scores {
		sum += c.share(x, most)
	}
	if most == c.floor {
		return 0
	}
	return 1 - sum/float64(len(c.scores))
}

// fuse gives the fused scores of the documents of a pool, in [0, 1], and notes
// the parts. Channels without a score above floor have no say.
func fuse(how Fusion, columns []*column) []float64 {
	if len(columns) == 0 {
		return nil
	}
	fused := make([]float64, len(columns[0].scores))
	weights, total := make([]float64, len(columns)), 0.0
	for i, c := range columns {
		c.parts = make([]float64, len(c.scores))
		c.rank()
		weights[i] = c.weight
		if c.most() == c.floor {
			weights[i] = 0
		} else if how == RRFAdaptive {
			weights[i] = float64(c.weight * c.prominence())
		}
		total += weights[i]
	}
	if total == 0 {
		return fused
	}
	for i, c := range columns {
		most, weight := c.most(), weights[i]/total
		for d, x := range c.scores {
			share := 0.0
			if how == Weighted {
				share = c.share(x, most)
			} else if c.ranks[d] > 0 {
				share = (rrfK + 1) / float64(rrfK+c.ranks[d])
			}
			c.parts[d] = float64(weight * share)
			fused[d] += c.parts[d]
		}
	}
	return fused
}
