package model

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/asof-db/asof/dsl"
)

func (v *view) Events(all bool) iter.Seq2[dsl.Event, error] {
	var ids []string // in order of first appearance
	for _, e := range v.s.events {
		if !slices.Contains(ids, e.ID) {
			ids = append(ids, e.ID)
		}
	}
	var found []dsl.Event
	for _, id := range ids {
		for _, e := range v.s.versionsOfEvent(id) {
			if all || e.Closed == 0 && e.Visible <= v.s.basis.Time {
				found = append(found, e)
			}
		}
	}
	return each(found)
}

func (v *view) Event(id string) ([]dsl.Event, error) {
	found := v.s.versionsOfEvent(id)
	if found == nil {
		return nil, fmt.Errorf("model: event %s: %w", id, dsl.ErrNotFound)
	}
	return found, nil
}

// versionsOfEvent gives the versions of an event in order, with visibility.
func (s *state) versionsOfEvent(id string) []dsl.Event {
	var found []dsl.Event
	floor := dsl.Beginning
	for _, e := range s.events {
		if e.ID != id {
			continue
		}
		c := *e
		c.Participants, c.Includes, c.Evidence = slices.Clone(e.Participants), slices.Clone(e.Includes), slices.Clone(e.Evidence)
		c.Visible = max(s.complete(e), floor)
		if c.Visible != dsl.Forever {
			floor = c.Visible
		}
		found = append(found, c)
	}
	slices.SortFunc(found, func(a, b dsl.Event) int { return cmp.Compare(a.Version, b.Version) })
	return found
}

// complete gives the record time at which all that the event version rests on
// is recorded, Forever while it is not.
func (s *state) complete(e *dsl.Event) dsl.Instant {
	at := e.Record.Start
	for _, id := range e.Includes {
		at = max(at, s.firstOpened(id))
	}
	for _, id := range e.Evidence {
		at = max(at, s.turnRecorded(id))
	}
	return at
}

func (s *state) firstOpened(fact string) dsl.Instant {
	for _, x := range s.versions {
		if x.ID == fact {
			return x.Record.Start
		}
	}
	return dsl.Forever
}

func (s *state) turnRecorded(id string) dsl.Instant {
	if t, ok := s.turn(id); ok {
		return t.Record
	}
	return dsl.Forever
}

func (v *view) EventsOf(id string, limit int) ([]string, error) {
	var out []string
	n := 0
	for _, e := range slices.Backward(v.s.events) {
		of := slices.Contains(e.Includes, id) || slices.ContainsFunc(e.Participants, func(p dsl.Participant) bool { return p.Entity == id })
		if !of || limit > 0 && n >= limit {
			continue
		}
		if !slices.Contains(out, e.ID) {
			out = append(out, e.ID)
		}
		n++
	}
	return out, nil
}
