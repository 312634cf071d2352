// Package meter is what the parts share about metrics: they register theirs with
// one Prometheus registry, take them out again when they close, and time the
// stages of their work by a clock that is given to them.
//
// A metric is named asof_<part>_<what>_<unit>. Its labels have values out of a
// fixed list or out of the configuration, never out of what users write: a space,
// a turn or a name is no label.
package meter

import (
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Set is metrics that were registered together.
type Set struct {
	reg prometheus.Registerer
	all []prometheus.Collector
}

// Register registers metrics, all or none of them. A nil registerer is fine: the
// metrics count and nobody sees them.
func Register(reg prometheus.Registerer, all ...prometheus.Collector) (*Set, error) {
	if reg == nil {
		return &Set{}, nil
	}
	s := &Set{reg: reg}
	for _, c := range all {
		if err := reg.Register(c); err != nil {
			s.Close()
			return nil, fmt.Errorf("register metrics: %w", err)
		}
		s.all = append(s.all, c)
	}
	return s, nil
}

// Close takes the metrics out of the registry, so that the part can be opened
// again in the same process. It is idempotent, and a nil Set has none.
func (s *Set) Close() {
	if s == nil {
		return
	}
	for _, c := range s.all {
		s.reg.Unregister(c)
	}
	s.all = nil
}

// Laps gives a function that, called as each stage of one piece of work ends,
// adds the seconds since the last call (or since Laps) to the stage's histogram.
// It belongs to one goroutine. Without a clock or a histogram it is nil.
func Laps(now func() time.Time, by *prometheus.HistogramVec) func(stage string) {
	if now == nil || by == nil {
		return nil
	}
	last := now()
	return func(stage string) {
		t := now()
		by.WithLabelValues(stage).Observe(max(t.Sub(last), 0).Seconds())
		last = t
	}
}

// Seconds are buckets for what takes from 10 µs to 10 s.
func Seconds() []float64 {
	return []float64{.00001, .000025, .00005, .0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10}
}
