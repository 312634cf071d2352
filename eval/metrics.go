package eval

import (
	"math"
	"strconv"

	"github.com/asof-db/asof/internal/num"
)

// cuts are the depths that the cut metrics are computed at.
var cuts = [...]int{1, 3, 5, 10, 16, 20, 50}

// MetricNames gives the names of the metrics in the order that Score gives
// their values: recall@k, any@k, all@k and ndcg@k for k = 1, 3, 5, 10, 16, 20,
// 50, and mrr. METRICS.md defines them.
func MetricNames() []string {
	var names []string
	for _, m := range []string{"recall", "any", "all", "ndcg"} {
		for _, k := range cuts {
			names = append(names, m+"@"+strconv.Itoa(k))
		}
	}
	return append(names, "mrr")
}

// Score gives every metric of one ranking, in the order of MetricNames, each in
// [0, 1]. gold are the relevant ids, all equally so; ranked are the ids found,
// best first. Repeats count once, at their first place. Without gold nothing
// can be measured and Score gives nil.
func Score(gold, ranked []string) []float64 {
	relevant := make(map[string]bool, len(gold))
	for _, id := range gold {
		relevant[id] = true
	}
	total := len(relevant)
	if total == 0 {
		return nil
	}
	var ranks []int // of the relevant ones, rising, from 1
	for i, id := range ranked {
		if relevant[id] {
			ranks = append(ranks, i+1)
			delete(relevant, id)
		}
	}
	return scoreRanks(total, ranks)
}

func scoreRanks(total int, ranks []int) []float64 {
	n := len(cuts)
	out := make([]float64, 4*n+1)
	for c, k := range cuts {
		found, gain, ideal := 0, 0.0, 0.0
		for _, r := range ranks {
			if r <= k {
				found++
				gain += discount(r)
			}
		}
		for r := 1; r <= min(total, k); r++ {
			ideal += discount(r)
		}
		out[c] = float64(found) / float64(total)
		if found > 0 {
			out[n+c] = 1
		}
		if found == total {
			out[2*n+c] = 1
		}
		out[3*n+c] = gain / ideal
	}
	if len(ranks) > 0 {
		out[4*n] = 1 / float64(ranks[0])
	}
	return out
}

// discount is 1/log2(rank+1), the weight of a place in the ranking.
func discount(rank int) float64 {
	return math.Ln2 / num.Log(float64(rank+1))
}

// Row is the mean of one metric over one group of questions.
type Row struct {
	// Metric is one of MetricNames, or of a pack: pack_evidence, pack_all, pack_tokens.
	Metric string `json:"metric"`
	// Category names a group of questions: a category of the data set, several of
	// them (LoCoMo's "1-4"), or "all".
	Category string `json:"category"`
	// N counts the group's questions that have gold; the mean is over them.
	N int `json:"n"`
	// Value is the mean, in [0, 1] but for pack_tokens.
	Value float64 `json:"value"`
}

// means sums scores by group, in the order that the questions come.
type means struct {
	groups []group
	n      []int
	sums   [][]float64
}

func newMeans(groups []group) means {
	return means{groups, make([]int, len(groups)), make([][]float64, len(groups))}
}

func (m *means) add(category string, scores []float64) {
	for g := range m.groups {
		if !m.groups[g].holds(category) {
			continue
		}
		if m.sums[g] == nil {
			m.sums[g] = make([]float64, len(scores))
		}
		m.n[g]++
		for i, s := range scores {
			m.sums[g][i] += s
		}
	}
}

// rows gives the means by metric, then group; groups without a question that has
// gold are left out.
func (m *means) rows(names []string) []Row {
	var out []Row
	for i, name := range names {
		for g := range m.groups {
			if m.n[g] > 0 {
				out = append(out, Row{name, m.groups[g].name, m.n[g], m.sums[g][i] / float64(m.n[g])})
			}
		}
	}
	return out
}
