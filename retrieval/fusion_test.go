package retrieval

import (
	"math"
	"slices"
	"testing"
)

func TestFuse(t *testing.T) {
	words := func() *column { return &column{weight: 1, shares: []float64{1, 0.5, 0, 0.5}} }
	sense := func() *column { return &column{weight: 3, shares: []float64{0, 1, 0.5, 0.5}} }
	for _, c := range []struct {
		name    string
		how     Fusion
		columns []*column
		want    []float64
	}{
		{"one channel", Weighted, []*column{words()}, []float64{1, 0.5, 0, 0.5}},
		{"weighted", Weighted, []*column{words(), sense()}, []float64{0.25, 0.125 + 0.75, 0.375, 0.125 + 0.375}},
		{"rrf", RRF, []*column{words(), sense()}, []float64{0.25, 0.25*61/62 + 0.75, 0.75 * 61 / 62, 0.25*61/62 + 0.75*61/62}},
		{"a channel that is silent has no say", Weighted, []*column{words(), {weight: 5, shares: make([]float64, 4)}}, []float64{1, 0.5, 0, 0.5}},
		{"nothing at all", RRF, []*column{{weight: 1, shares: []float64{0, 0}}}, []float64{0, 0}},
		{"no channel", Weighted, nil, nil},
	} {
		got := fuse(c.how, c.columns)
		if !slices.EqualFunc(got, c.want, func(x, y float64) bool { return math.Abs(x-y) < 1e-12 }) {
			t.Errorf("%s: fused to %v, want %v", c.name, got, c.want)
		}
		for d := range got {
			sum := 0.0
			for _, x := range c.columns {
				sum += x.parts[d]
			}
			if math.Abs(sum-got[d]) > 1e-12 {
				t.Errorf("%s: parts of document %d add up to %v, its score is %v", c.name, d, sum, got[d])
			}
		}
	}
}

// TestAdaptiveTrustsWhoStandsOut holds the adaptive weights to their purpose: a
// channel that finds all alike counts little.
func TestAdaptiveTrustsWhoStandsOut(t *testing.T) {
	sharp := &column{weight: 1, shares: []float64{1, 0.1, 0.1, 0.1}}
	flat := &column{weight: 1, shares: []float64{0.97, 0.98, 0.99, 1}}
	got := fuse(RRFAdaptive, []*column{sharp, flat})
	if slices.Index(got, slices.Max(got)) != 0 {
		t.Errorf("fused to %v, want document 0 first", got)
	}
	if even := fuse(RRF, []*column{sharp, flat}); even[3] < even[0] {
		t.Errorf("plain RRF fuses to %v; the case shows nothing", even)
	}
}
