package retrieval

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/asof-db/asof/dsl"
)

// Fusion says how the scores of channels become one.
type Fusion string

// Weighted is the weighted sum of the channels' shares. RRF is reciprocal rank
// fusion of their ranks. RRFAdaptive is RRF with channels weighed by how far their
// best document stands out from the pool.
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
	// scores are in the channel's own measure; shares say how much they are worth
	// beside those of other channels: 0 for a score that says nothing, about 1 for
	// one as good as can be hoped for.
	scores, shares []float64
	// ranks count from 1, equal shares share one; 0 is for a share of 0.
	ranks []int
	// parts are what each document's fused score owes to the channel.
	parts []float64
}

// rank fills ranks: one more than there are greater shares.
func (c *column) rank() {
	order := slices.Clone(c.shares)
	slices.Sort(order)
	c.ranks = make([]int, len(c.shares))
	for i, x := range c.shares {
		if x > 0 {
			not, _ := slices.BinarySearchFunc(order, x, func(y, x float64) int {
				if y > x {
					return 1
				}
				return -1
			})
			c.ranks[i] = len(order) - not + 1
		}
	}
}

// prominence gives how far the best document stands out from the mean of the
// pool, in [0, 1]: near 0 where a channel finds all alike.
func (c *column) prominence() float64 {
	most, sum := 0.0, 0.0
	for _, x := range c.shares {
		most = max(most, x)
		sum += x
	}
	if most == 0 {
		return 0
	}
	return 1 - sum/float64(most*float64(len(c.shares)))
}

// fuse gives the fused scores of the documents of a pool, and notes the parts.
// Channels that have no share for any document have no say.
func fuse(how Fusion, columns []*column) []float64 {
	if len(columns) == 0 {
		return nil
	}
	fused := make([]float64, len(columns[0].shares))
	weights, total := make([]float64, len(columns)), 0.0
	for i, c := range columns {
		c.parts = make([]float64, len(c.shares))
		c.rank()
		if !slices.ContainsFunc(c.shares, func(x float64) bool { return x > 0 }) {
			continue
		}
		weights[i] = c.weight
		if how == RRFAdaptive {
			weights[i] = float64(c.weight * c.prominence())
		}
		total += weights[i]
	}
	if total == 0 {
		return fused
	}
	for i, c := range columns {
		weight := weights[i] / total
		for d, x := range c.shares {
			if how != Weighted && c.ranks[d] > 0 {
				x = (rrfK + 1) / float64(rrfK+c.ranks[d])
			}
			c.parts[d] = float64(weight * x)
			fused[d] += c.parts[d]
		}
	}
	return fused
}
