package events

import (
	"cmp"
	"errors"
	"slices"

	"github.com/asof-db/asof/dsl"
)

// candidate is an event that a draft may join.
type candidate struct {
	event *dsl.Event
	told  told
}

// join looks for the events that tell of the same as a new draft. The oldest of
// them takes the draft in, and those that the two together are like; it gives
// that one, or nil.
func (b *builder) join(d *draft) (*draft, error) {
	c, err := b.content(d)
	if err != nil {
		return nil, err
	}
	t, err := b.tellingOf(c.summary, c.span, d.includes, c.participants)
	if err != nil {
		return nil, err
	}
	near, err := b.near(d, c.participants)
	if err != nil {
		return nil, err
	}
	near = slices.DeleteFunc(near, func(x candidate) bool { return !alike(&t, &x.told) })
	var into *draft
	for _, x := range near {
		if into == nil {
			if len(union(x.event.Includes, d.includes)) <= factsOfEvent {
				into = b.revise(x.event)
				into.take(d)
			}
			continue
		}
		if len(union(into.includes, x.event.Includes)) > factsOfEvent {
			continue
		}
		if c, err = b.content(into); err != nil {
			return nil, err
		}
		if t, err = b.tellingOf(c.summary, c.span, into.includes, c.participants); err != nil {
			return nil, err
		}
		if alike(&t, &x.told) {
			gone := b.revise(x.event)
			gone.into = into
			into.take(gone)
		}
	}
	return into, nil
}

// near gives the events of the draft's neighbourhood that still stand, the oldest
// first: those of its facts and the newest of its participants.
func (b *builder) near(d *draft, who []dsl.Participant) ([]candidate, error) {
	var ids []string
	look := func(id string, limit int) error {
		list, err := b.view.EventsOf(id, limit)
		for _, e := range list {
			if len(ids) < candidates && !slices.Contains(ids, e) {
				ids = append(ids, e)
			}
		}
		return err
	}
	for _, id := range d.includes {
		if err := look(id, versionsOfFact); err != nil {
			return nil, err
		}
	}
	// The subjects come first: speakers are in every event.
	for _, p := range slices.Backward(who) {
		group, err := b.view.Aliases(p.Entity)
		if err != nil && !errors.Is(err, dsl.ErrNotFound) {
			return nil, err
		}
		for _, id := range group {
			if err := look(id, versionsOfParticipant); err != nil {
				return nil, err
			}
		}
	}
	var out []candidate
	for _, id := range ids {
		x, ok, err := b.candidate(id)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, x)
		}
	}
	slices.SortFunc(out, func(x, y candidate) int {
		return cmp.Or(cmp.Compare(b.born[x.event.ID], b.born[y.event.ID]), cmp.Compare(x.event.ID, y.event.ID))
	})
	return out, nil
}

// candidate gives an event as it is after what the transaction did to it; ok is
// false if it takes nothing in: it was merged, has retired, or is not visible.
func (b *builder) candidate(id string) (x candidate, ok bool, err error) {
	e, err := b.event(id)
	if err != nil {
		return x, false, err
	}
	if e.Status == Merged || e.Status == Retired || e.Visible == dsl.Forever {
		return x, false, nil
	}
	x.event = e
	summary, span, includes, who := e.Summary.String(), e.Span, e.Includes, e.Participants
	if d, touched := b.byID[id]; touched {
		c, err := b.content(d)
		if err != nil || d.into != nil || c.status == Retired {
			return x, false, err
		}
		summary, span, includes, who = c.summary, c.span, d.includes, c.participants
	}
	x.told, err = b.tellingOf(summary, span, includes, who)
	return x, err == nil, err
}

// take takes in what another draft has.
func (d *draft) take(x *draft) {
	d.changes = append(d.changes, x.changes...)
	d.includes = union(d.includes, x.includes)
	for _, p := range x.people {
		if !slices.Contains(d.people, p) {
			d.people = append(d.people, p)
		}
	}
	d.cover = append(d.cover, x.cover...)
	d.corrected = d.corrected || x.corrected
	d.says = d.says || x.says
	d.writes = append(d.writes, x.writes...)
	x.writes = nil
	if x.old != nil {
		d.taken = append(d.taken, x.old)
	} else {
		d.source = x.source
	}
}

// union gives the elements of both lists, each once, in order of first
// appearance.
func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, x := range b {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}
