package assimilate

import (
	"slices"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/events"
)

// change is a change of layer 1 with the decision that made it.
type change struct {
	events.Change
	decision int
}

// about gives the version that a change is about: the new one, or else the old.
func (c *change) about() *dsl.FactVersion {
	if c.After != nil {
		return c.After
	}
	return c.Before
}

// changes gives what a decision changed, from the versions that its operations
// opened and closed.
func (s *state) changes(d *dsl.Decision) []change {
	switch d.Action {
	case dsl.Insert, dsl.Replace, dsl.Close, dsl.RetroCorrect:
	default:
		return nil
	}
	if len(d.Operations) == 0 {
		return nil
	}
	first, last := d.Operations[0], d.Operations[len(d.Operations)-1]
	var ended []endedVersion
	for _, e := range s.ended {
		if e.op >= first && e.op <= last {
			ended = append(ended, e)
		}
	}
	isOld := func(id string) bool {
		return slices.ContainsFunc(ended, func(e endedVersion) bool { return e.ID == id })
	}
	// fresh are new facts, next the successors of versions that ended.
	var fresh []*dsl.FactVersion
	next := map[int]*dsl.FactVersion{}
	for i, op := range s.by {
		f := &s.opened[i]
		switch {
		case op < first || op > last || s.gone[f.Ref()]:
		case s.ops[op].Kind == dsl.RetroCorrectOp:
			next[op] = f
		case !isOld(f.ID):
			fresh = append(fresh, f)
		}
	}
	var out []change
	add := func(before, after *dsl.FactVersion) {
		out = append(out, change{Change: events.Change{Action: d.Action, Before: before, After: after}, decision: d.Candidate})
	}
	for i := range ended {
		e := &ended[i]
		after := next[e.op]
		if len(fresh) > 0 {
			after = fresh[0]
		}
		add(&e.FactVersion, after)
	}
	if len(ended) > 0 && len(fresh) > 0 {
		fresh = fresh[1:]
	}
	for _, f := range fresh {
		add(nil, f)
	}
	return out
}

// beside tells whether anything is believed about subject and relation of a fact
// beside it. It reads one version.
func (s *state) beside(f *dsl.FactVersion) (bool, error) {
	srcs, err := s.group(f.Src)
	if err != nil {
		return false, err
	}
	for _, src := range srcs {
		for _, i := range s.byKey[factKey{src, f.Rel}] {
			if o := &s.opened[i]; o.ID != f.ID && !s.left(o) {
				return true, nil
			}
		}
	}
	return s.anyOf(srcs, f.Rel)
}
