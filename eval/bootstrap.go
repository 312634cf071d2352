package eval

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/asof-db/asof/dsl"
)

// Resamples is how many samples a bootstrap draws.
const Resamples = 2000

// Interval is a difference of two means over the same questions with a 95 %
// interval by the paired bootstrap.
type Interval struct {
	// Diff is the mean of the differences, Low and High the ends of the interval.
	Diff, Low, High float64
}

// The verdicts on a difference.
const (
	Better       = "better"
	Worse        = "worse"
	NoDifference = "no difference"
)

// Verdict says what the interval allows to say: better when it lies wholly above
// 0, worse when wholly below, else no difference.
func (i Interval) Verdict() string {
	switch {
	case i.Low > 0:
		return Better
	case i.High < 0:
		return Worse
	}
	return NoDifference
}

// String gives the difference with its interval.
func (i Interval) String() string { return fmt.Sprintf("%+.4f [%+.4f, %+.4f]", i.Diff, i.Low, i.High) }

// bootstrap draws the same samples of questions for every comparison of a run,
// so that comparisons can be compared.
type bootstrap struct {
	n int
	// times tells how often each sample holds each question, sample by sample.
	times []uint16
}

// newBootstrap draws Resamples samples of n questions with replacement. The seed
// decides all of them.
func newBootstrap(n int, seed uint64) *bootstrap {
	b := &bootstrap{n: n, times: make([]uint16, n*Resamples)}
	if n == 0 {
		return b
	}
	h := dsl.Sum(binary.BigEndian.AppendUint64([]byte("bootstrap\x00"), seed))
	d := &draws{binary.BigEndian.Uint64(h[:])}
	for s := range Resamples {
		sample := b.times[s*n : (s+1)*n]
		for range n {
			sample[d.upTo(n)]++
		}
	}
	return b
}

// paired compares two columns of figures, one of each for every question: the
// interval is of ours minus theirs. Its ends are the percentiles 2.5 and 97.5 of
// the means of the samples (nearest rank). Without questions it is zero.
func (b *bootstrap) paired(ours, theirs []float64) Interval {
	if b.n == 0 {
		return Interval{}
	}
	diff := make([]float64, b.n)
	total := 0.0
	for i := range diff {
		diff[i] = ours[i] - theirs[i]
		total += diff[i]
	}
	means := make([]float64, Resamples)
	for s := range means {
		sum := 0.0
		for i, t := range b.times[s*b.n : (s+1)*b.n] {
			if t > 0 {
				sum += float64(float64(t) * diff[i])
			}
		}
		means[s] = sum / float64(b.n)
	}
	slices.SortFunc(means, cmp.Compare[float64])
	return Interval{total / float64(b.n), means[Resamples*25/1000-1], means[Resamples*975/1000-1]}
}
