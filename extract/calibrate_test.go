package extract

import (
	"math"
	"testing"
)

func TestReliability(t *testing.T) {
	bins := Reliability([]float64{0.85, 0.9, 0.95, 1, 0.2, 0.25}, []bool{true, true, false, true, false, false}, 10)
	want := []ReliabilityBin{
		{From: 0.2, To: 0.3, Mean: 0.225, Precision: 0, Count: 2}, {From: 0.8, To: 0.9, Mean: 0.85, Precision: 1, Count: 1},
		{From: 0.9, To: 1, Mean: 0.95, Precision: 2.0 / 3, Count: 3},
	}
	if len(bins) != len(want) {
		t.Fatalf("%v", bins)
	}
	for i := range want {
		if bins[i].Count != want[i].Count || math.Abs(bins[i].Mean-want[i].Mean) > 1e-9 || math.Abs(bins[i].Precision-want[i].Precision) > 1e-9 || bins[i].From != want[i].From {
			t.Errorf("bin %d: %+v, want %+v", i, bins[i], want[i])
		}
	}
	if e := CalibrationError(bins); math.Abs(e-(2*0.225+0.15+3*(0.95-2.0/3))/6) > 1e-9 {
		t.Errorf("error %v", e)
	}
	if CalibrationError(nil) != 0 {
		t.Error("an error of nothing")
	}
}

// TestFilter holds that relation.mode A+B drops only what option A found, and that the
// predicates of the configuration pass it.
func TestFilter(t *testing.T) {
	c := DefaultConfig()
	c.RelationMode, c.Registry = "A+B", ownRegistry(t)
	p, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	plain := newPipeline(t)
	dropped, all := 0, 0
	for _, l := range readStatements(t, "testdata/own_en.list") {
		a, b := plain.Extract(contextOf(t, &l, "Anna", "Ben")), p.Extract(contextOf(t, &l, "Anna", "Ben"))
		if len(b.Candidates) > len(a.Candidates) {
			t.Errorf("%s: the filter adds", l.Text)
		}
		all, dropped = all+len(a.Candidates), dropped+len(a.Candidates)-len(b.Candidates)
	}
	if dropped*20 > all {
		t.Errorf("the filter drops %d of %d", dropped, all)
	}
	if r := p.Extract(Context{Turn: turnOf(t, "2023-05-10T14:00:00Z", "I'm allergic to peanuts.")}); len(r.Candidates) != 1 {
		t.Errorf("a predicate of the configuration: %d candidates", len(r.Candidates))
	}
	if NoiseScore([]string{"bias"}) <= 0 || NoiseScore([]string{"no such feature"}) != 0 {
		t.Error("scores")
	}
}
