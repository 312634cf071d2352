package rerank

import (
	"fmt"

	"github.com/asof-db/asof/dsl"
)

// MMR orders candidates by maximal marginal relevance: the next is that for which
// lambda × its score - (1 - lambda) × its greatest likeness to one that was taken
// is greatest, the earlier one of equals. Scores are divided by the best of them;
// like gives a likeness in [0, 1]. Lambda lies in [0, 1]: 1 keeps the order of
// scores. It asks like for every pair at most once.
func MMR(prior []float64, like func(i, j int) float64, lambda float64) ([]int, error) {
	if !(lambda >= 0 && lambda <= 1) {
		return nil, fmt.Errorf("rerank: mmr: %w: lambda is %v, want 0 to 1", dsl.ErrInvalid, lambda)
	}
	best := 0.0
	for _, x := range prior {
		best = max(best, x)
	}
	if best == 0 {
		best = 1
	}
	left := Order(prior)
	near := make([]float64, len(prior))
	order := make([]int, 0, len(prior))
	for len(left) > 0 {
		at, most := 0, 0.0
		for i, x := range left {
			worth := float64(lambda*(prior[x]/best)) - float64((1-lambda)*near[x])
			if i == 0 || worth > most {
				at, most = i, worth
			}
		}
		taken := left[at]
		order, left = append(order, taken), append(left[:at], left[at+1:]...)
		if lambda == 1 {
			continue
		}
		for _, x := range left {
			near[x] = max(near[x], like(taken, x))
		}
	}
	return order, nil
}
