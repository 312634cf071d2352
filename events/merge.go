package events

import (
	"slices"

	"github.com/asof-db/asof/dsl"
)

// mergeLook bounds how many events of each participant are compared with a new
// one, the newest first, so that the work of a turn does not grow with the store.
const mergeLook = 8

// same gives the draft of the event that a write tells more of; nil where it is
// an event of its own. The two are similar by at least 0.8, share a participant,
// and their times overlap or one begins where the other ends. Of several the
// most similar is taken, of equals the one that appeared first.
func (b *builder) same(d *draft) (*draft, error) {
	if !b.opt.Merge || d.cover != nil || len(d.changes) == 0 {
		return nil, nil
	}
	c, err := b.content(d)
	if err != nil || c.summary == "" {
		return nil, err
	}
	terms := b.terms(c.summary)
	var best *dsl.Event
	var most similarity
	seen := map[string]bool{}
	for _, p := range c.participants {
		ids, err := b.view.EventsOf(p.Entity, mergeLook)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			if seen[id] {
				continue
			}
			seen[id] = true
			e, err := b.event(id)
			if err != nil {
				return nil, err
			}
			if e.Status == Merged || e.Status == Retired || !touches(c.span, e.Span) {
				continue
			}
			if ok, err := b.shared(c.participants, e.Participants); err != nil || !ok {
				if err != nil {
					return nil, err
				}
				continue
			}
			sim := cosine(terms, b.terms(e.Summary.String()))
			if sim.atLeast(8, 10) && (best == nil || most.less(sim) || !sim.less(most) && older(e, best)) {
				best, most = e, sim
			}
		}
	}
	if best == nil {
		return nil, nil
	}
	return b.revise(best), nil
}

// older orders events by first appearance, then by id.
func older(x, y *dsl.Event) bool {
	return x.Opened < y.Opened || x.Opened == y.Opened && x.ID < y.ID
}

// shared tells whether two events have a participant in common, in any role and
// under any alias.
func (b *builder) shared(x, y []dsl.Participant) (bool, error) {
	in := map[string]bool{}
	for _, p := range x {
		id, err := b.entity(p.Entity)
		if err != nil {
			return false, err
		}
		in[id] = true
	}
	for _, p := range y {
		if id, err := b.entity(p.Entity); err != nil || in[id] {
			return in[id] && err == nil, err
		}
	}
	return false, nil
}

// take makes a draft tell what another one does, too.
func (d *draft) take(more *draft) {
	d.changes = append(d.changes, more.changes...)
	for _, id := range more.includes {
		if !slices.Contains(d.includes, id) {
			d.includes = append(d.includes, id)
		}
	}
	for _, p := range more.people {
		if !slices.Contains(d.people, p) {
			d.people = append(d.people, p)
		}
	}
	d.writes = append(d.writes, more.writes...)
	d.corrected = d.corrected || more.corrected
	d.reason = more.reason
}

// mergeTerms bounds how many terms of a summary are compared, so that the
// fractions stay within 64 bits.
const mergeTerms = 128

// terms counts the analysed terms of a summary.
func (b *builder) terms(text string) map[string]int {
	out := map[string]int{}
	list := b.analyzer.Terms(nil, text)
	for _, t := range list[:min(len(list), mergeTerms)] {
		out[t]++
	}
	return out
}

// similarity is a squared cosine as a fraction of whole numbers, so that
// comparing two is exact on every processor.
type similarity struct{ num, den int64 }

// cosine is the cosine of two counts of terms, squared.
func cosine(x, y map[string]int) similarity {
	var xy, xx, yy int64
	for t, n := range x {
		xy += int64(n) * int64(y[t])
		xx += int64(n) * int64(n)
	}
	for _, n := range y {
		yy += int64(n) * int64(n)
	}
	return similarity{xy * xy, xx * yy}
}

// atLeast tells whether the cosine is at least p / q.
func (s similarity) atLeast(p, q int64) bool { return s.den > 0 && s.num*q*q >= s.den*p*p }

func (s similarity) less(t similarity) bool { return s.num*t.den < t.num*s.den }
