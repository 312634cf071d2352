package eval

import (
	"math"
	"slices"
	"testing"
)

// TestBootstrapKnown compares the interval of a mean of 0s and 1s with the
// normal approximation of its error, which is close at this size.
func TestBootstrapKnown(t *testing.T) {
	const n = 400
	ours, theirs := make([]float64, n), make([]float64, n)
	for i := range ours {
		if i%4 == 0 {
			ours[i] = 1
		}
	}
	got := newBootstrap(n, 7).paired(ours, theirs)
	half := 1.96 * math.Sqrt(0.25*0.75/n)
	if got.Diff != 0.25 || math.Abs(got.Low-(0.25-half)) > 0.006 || math.Abs(got.High-(0.25+half)) > 0.006 {
		t.Errorf("%v, want about 0.25 ± %.4f", got, half)
	}
	if got.Verdict() != Better {
		t.Errorf("verdict %q", got.Verdict())
	}
	if v := newBootstrap(n, 7).paired(theirs, ours).Verdict(); v != Worse {
		t.Errorf("the other way round: %q", v)
	}
	if again := newBootstrap(n, 7).paired(ours, theirs); again != got {
		t.Errorf("the same seed gives %v and %v", got, again)
	}
	if slices.Equal(newBootstrap(n, 8).times, newBootstrap(n, 7).times) {
		t.Error("another seed draws the same samples")
	}
}

// TestBootstrapPairs tells a paired from an unpaired comparison: a small gain on
// every question is certain however much the questions differ.
func TestBootstrapPairs(t *testing.T) {
	ours, theirs := make([]float64, 50), make([]float64, 50)
	for i := range ours {
		theirs[i] = float64(i%10) / 10
		ours[i] = theirs[i] + 0.01
	}
	if got := newBootstrap(50, 1).paired(ours, theirs); got.Low < 0.0099 || got.High > 0.0101 || got.Verdict() != Better {
		t.Errorf("%v", got)
	}
}

// TestBootstrapNothing says so where there is nothing to tell apart.
func TestBootstrapNothing(t *testing.T) {
	ours, theirs := make([]float64, 30), make([]float64, 30)
	for i := range ours {
		ours[i], theirs[i] = float64(i%2), float64((i+1)%2)
	}
	b := newBootstrap(30, 1)
	if got := b.paired(ours, theirs); got.Diff != 0 || got.Verdict() != NoDifference {
		t.Errorf("%v: %s", got, got.Verdict())
	}
	if got := b.paired(ours, ours); got != (Interval{}) || got.Verdict() != NoDifference {
		t.Errorf("%v: %s", got, got.Verdict())
	}
	if got := newBootstrap(0, 1).paired(nil, nil); got != (Interval{}) {
		t.Errorf("%v", got)
	}
}
