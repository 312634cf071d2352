package assimilate

import (
	"fmt"

	"github.com/asof-db/asof/dsl"
)

// from turns the decider to the turn that a candidate of a backfill comes from.
// It gives the least confidence that is believed: a candidate that waited and
// that the gap asks for is believed as it is.
func (d *decider) from(c *dsl.Candidate, min float64) (float64, error) {
	if err := dsl.CheckID("turn id", c.Turn); err != nil {
		return 0, err
	}
	ts, err := d.saidAt(c.Turn)
	if err != nil {
		return 0, err
	}
	if !ts.Finite() {
		return 0, fmt.Errorf("%w: turn %q is not known", dsl.ErrNotFound, c.Turn)
	}
	d.turn, d.said = c.Turn, ts
	held, err := d.memory.waits()
	if err != nil {
		return 0, err
	}
	for i := range held {
		h := &held[i]
		said := h.candidate
		said.Turn = c.Turn
		if h.taken || h.by != c.Turn || !sameCandidate(&said, c) {
			continue
		}
		h.taken = true
		d.memory.promoted = append(d.memory.promoted, promotion{waiting: *h, candidate: d.index, joint: c.Confidence})
		return 0, nil
	}
	return min, nil
}

// sameCandidate tells whether two candidates are the same to the letter.
func sameCandidate(a, b *dsl.Candidate) bool {
	x, errA := dsl.CandidatesHash([]dsl.Candidate{*a})
	y, errB := dsl.CandidatesHash([]dsl.Candidate{*b})
	return errA == nil && errB == nil && x == y
}
