package rerank

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/asof-db/asof/dsl"
)

// Mode says how the best of a search are ordered anew.
type Mode string

// None leaves the order as it is. Diverse is MMR, Linear the ranker of signals,
// Cross a cross-encoder, MonoT5 a sequence-to-sequence reranker.
const (
	None    Mode = "none"
	Diverse Mode = "mmr"
	Linear  Mode = "features"
	Cross   Mode = "cross_encoder"
	MonoT5  Mode = "monot5"
)

// Modes lists every mode.
var Modes = []Mode{None, Diverse, Linear, Cross, MonoT5}

// ParseMode reads the name of a mode; "" is None.
func ParseMode(name string) (Mode, error) {
	m := cmp.Or(Mode(name), None)
	if !slices.Contains(Modes, m) {
		return "", fmt.Errorf("%w: rerank mode %q, want none, mmr, features, cross_encoder or monot5", dsl.ErrInvalid, name)
	}
	return m, nil
}

// Order gives the places of scores, the greatest first, equal ones as they come.
func Order(scores []float64) []int {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(scores[y], scores[x]) })
	return order
}

// Places gives the scores of a new order of candidates whose scores were prior:
// its n-th is the n-th best of them. Where that would be equal to the one before
// it, it is the next smaller number, so that nothing else can decide their order.
func Places(prior []float64) []float64 {
	scores := slices.Clone(prior)
	slices.SortFunc(scores, func(x, y float64) int { return cmp.Compare(y, x) })
	for i := 1; i < len(scores); i++ {
		if scores[i] >= scores[i-1] {
			scores[i] = math.Nextafter(scores[i-1], math.Inf(-1))
		}
	}
	return scores
}
