package assimilate

import (
	"errors"
	"fmt"

	"github.com/asof-db/asof/dsl"
)

// from turns the decider to the turn that a candidate of a backfill comes from.
// A candidate that waited and that the gap asks for is believed as it is.
func (d *decider) from(c *dsl.Candidate) error {
	if err := dsl.CheckID("turn id", c.Turn); err != nil {
		return err
	}
	t, err := d.view.Turn(c.Turn)
	switch {
	case errors.Is(err, dsl.ErrNotFound):
		return fmt.Errorf("%w: turn %q is not known", dsl.ErrNotFound, c.Turn)
	case err != nil:
		return fmt.Errorf("turn %q: %w", c.Turn, err)
	}
	d.turn, d.said, d.speaker = c.Turn, t.TS, t.Speaker
	held, err := d.memory.waits()
	if err != nil {
		return err
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
		d.least = 0
		return nil
	}
	return nil
}

// sameCandidate tells whether two candidates are the same to the letter.
func sameCandidate(a, b *dsl.Candidate) bool {
	x, errA := dsl.CandidatesHash([]dsl.Candidate{*a})
	y, errB := dsl.CandidatesHash([]dsl.Candidate{*b})
	return errA == nil && errB == nil && x == y
}
