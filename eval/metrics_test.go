package eval

import (
	"math"
	"slices"
	"testing"
)

// at gives a metric of a ranking by name.
func at(t *testing.T, name string, gold, ranked []string) float64 {
	t.Helper()
	i := slices.Index(MetricNames(), name)
	if i < 0 {
		t.Fatalf("no metric %q", name)
	}
	return Score(gold, ranked)[i]
}

func TestScoreByHand(t *testing.T) {
	// Gold b, d, x; found at ranks 2 and 4; x is not found.
	gold := []string{"b", "d", "x"}
	ranked := []string{"a", "b", "c", "d", "e", "f"}
	// 1/log2(rank+1) for ranks 1 to 4.
	const d1, d2, d3, d4 = 1, 0.63092975357145743, 0.5, 0.43067655807339305
	for name, want := range map[string]float64{
		"recall@1": 0, "recall@5": 2. / 3, "recall@10": 2. / 3, "recall@50": 2. / 3,
		"any@1": 0, "any@5": 1, "any@50": 1,
		"all@1": 0, "all@5": 0, "all@50": 0,
		"ndcg@1": 0, "ndcg@5": (d2 + d4) / (d1 + d2 + d3),
		"mrr": 0.5,
	} {
		if got := at(t, name, gold, ranked); math.Abs(got-want) > 1e-15 {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
	if got := at(t, "all@5", []string{"b", "d"}, ranked); got != 1 {
		t.Errorf("all@5 = %v with both found", got)
	}
	// More gold than places: recall is bounded, nDCG is not.
	if r, n := at(t, "recall@1", gold, []string{"x"}), at(t, "ndcg@1", gold, []string{"x"}); r != 1./3 || n != 1 {
		t.Errorf("recall@1 = %v, ndcg@1 = %v", r, n)
	}
}

func TestScoreEdges(t *testing.T) {
	if s := Score(nil, []string{"a"}); s != nil {
		t.Errorf("without gold: %v", s)
	}
	for i, v := range Score([]string{"a"}, nil) {
		if v != 0 {
			t.Errorf("%s = %v with nothing found", MetricNames()[i], v)
		}
	}
	for i, v := range Score([]string{"a"}, []string{"a", "b"}) {
		if v != 1 {
			t.Errorf("%s = %v for a perfect ranking", MetricNames()[i], v)
		}
	}
	perfect := []string{"a", "b", "c", "d", "e", "f", "g"}
	if v := at(t, "ndcg@10", perfect, perfect); v != 1 {
		t.Errorf("ndcg@10 = %v for a perfect ranking", v)
	}
	once, twice := Score([]string{"a", "b"}, []string{"a", "c", "b"}), Score([]string{"a", "b", "a"}, []string{"a", "a", "b"})
	if !slices.Equal(once, twice) {
		t.Errorf("an id twice counts twice: %v and %v", once, twice)
	}
	if n := len(MetricNames()); n != len(once) {
		t.Errorf("%d names, %d values", n, len(once))
	}
}

func TestMeansByCategory(t *testing.T) {
	suite, err := suiteOf(LoCoMoFormat)
	if err != nil {
		t.Fatal(err)
	}
	m := newMeans(suite.groups)
	one, zero := Score([]string{"a"}, []string{"a"}), Score([]string{"a"}, nil)
	m.add("1", one)
	m.add("1", zero)
	m.add("4", one)
	m.add("5", zero)
	s := Summary{Rows: m.rows(MetricNames())}
	for category, want := range map[string]float64{"1": 0.5, "4": 1, "5": 0, "1-4": 2. / 3, "all": 0.5} {
		if got, ok := s.Value("mrr", category); !ok || got != want {
			t.Errorf("mrr of %s = %v, want %v", category, got, want)
		}
	}
	if v, ok := s.Value("mrr", "3"); ok {
		t.Errorf("category 3 has no question but the mean %v", v)
	}
}
