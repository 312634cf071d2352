package assimilate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/asof-db/asof/dsl"
)

// portion compiles a RETRO_CORRECT of a part of the valid time (FOR PORTION OF in
// SQL:2011): each open version of the fact, or the one that the request names, is
// corrected or retracted within the portion and stays as it was believed before
// and behind it.
//
// The version is closed, and its successor is the corrected part; what was there
// before and behind follows as further versions of the same fact. A retraction
// leaves no corrected part: the first part that stays is the successor. Only the
// successor gets the request's source and evidence. As with a whole correction,
// the parts of an archived version are archived.
//
// I2 and I7 cannot break: the parts divide an interval that the version held
// alone.
func (c *compiler) portion(r *OpRequest) error {
	p := *r.Portion
	switch {
	case p.Empty():
		return invalid("the portion %s holds no instant; give [from, to) with from before to", p)
	case r.Valid != nil:
		return invalid("portion says which part of the valid interval is corrected; leave valid out")
	}
	list, err := c.fact(r.ID)
	if err != nil {
		return err
	}
	if err := c.about(r, list[0]); err != nil {
		return err
	}
	if err := r.changes(); err != nil {
		return err
	}
	touched, err := within(list, r)
	if err != nil {
		return err
	}
	var changed []parts
	for _, old := range touched {
		ps, err := c.divide(old, r)
		if err != nil {
			return err
		}
		changed = append(changed, ps)
	}
	return c.rewrite(list, changed, r)
}

// within gives the open versions that the portion of a request touches, in order
// of version.
func within(list []dsl.FactVersion, r *OpRequest) ([]dsl.FactVersion, error) {
	if r.Version != 0 {
		old, err := subject(list, r)
		if err != nil {
			return nil, err
		}
		list = []dsl.FactVersion{old}
	}
	var touched []dsl.FactVersion
	var open []string
	for _, v := range list {
		switch {
		case v.Status == dsl.StatusClosed:
			continue
		case v.Valid.Overlaps(*r.Portion):
			touched = append(touched, v)
		}
		open = append(open, fmt.Sprintf("%d (%s)", v.Version, v.Valid))
	}
	switch {
	case len(open) == 0:
		return nil, conflict("", "fact %q has no open version; UPSERT_EDGE with this id opens one", r.ID)
	case len(touched) == 0:
		return nil, conflict("", "no open version of fact %q holds within the portion %s: %s; nothing would change", r.ID, *r.Portion, strings.Join(open, ", "))
	}
	return touched, nil
}

// parts are an open version and what takes its place: the successor first. None
// for a version that is retracted whole.
type parts struct {
	old  dsl.FactVersion
	next []dsl.FactVersion
}

// divide gives the parts of a version that the portion touches.
func (c *compiler) divide(old dsl.FactVersion, r *OpRequest) (parts, error) {
	ps := parts{old: old}
	if !r.Retract {
		f, err := c.corrected(old, r)
		if err != nil {
			return ps, err
		}
		f.Valid = old.Valid.Intersect(*r.Portion)
		ps.next = append(ps.next, f)
	}
	for _, iv := range subtract(old.Valid, []dsl.Interval{*r.Portion}) {
		f := old
		f.Valid = iv
		ps.next = append(ps.next, f)
	}
	if r.Retract && len(ps.next) > 0 {
		f := &ps.next[0]
		f.Evidence = distinct(slices.Concat(f.Evidence, r.Evidence))
		if r.Source != "" {
			f.Source = r.Source
		}
	}
	return ps, nil
}

// rewrite emits the operations that put parts in the place of versions.
//
// An archived version hands its state on to its successor only. Its other parts
// are opened and then archived; ARCHIVE_EDGE takes all versions of the fact that
// are open, so those of the working set are withdrawn before it, in the same
// instant, and come back after it.
func (c *compiler) rewrite(list []dsl.FactVersion, changed []parts, r *OpRequest) error {
	archived := slices.DeleteFunc(slices.Clone(changed), func(p parts) bool { return p.old.Status != dsl.StatusArchived })
	working := slices.DeleteFunc(slices.Clone(changed), func(p parts) bool { return p.old.Status == dsl.StatusArchived })
	if !slices.ContainsFunc(archived, func(p parts) bool { return len(p.next) > 1 }) {
		for _, p := range changed {
			if err := c.replace(p, r); err != nil {
				return err
			}
		}
		return nil
	}
	for _, v := range list { // those that the portion does not touch come back whole
		if v.Status == dsl.StatusOpen && !slices.ContainsFunc(working, func(p parts) bool { return p.old.Ref() == v.Ref() }) {
			working = append(working, parts{v, []dsl.FactVersion{v}})
		}
	}
	for _, p := range working {
		c.retract(p.old, r.Source, distinct(r.Evidence), r.Agent, r.Reason)
	}
	first := len(c.opened)
	for _, p := range archived {
		if err := c.replace(p, r); err != nil {
			return err
		}
	}
	for _, f := range c.opened[first:] {
		c.archived[f.Ref()] = true
	}
	c.ops = append(c.ops, dsl.Op{Kind: dsl.ArchiveEdge, ID: r.ID, Source: r.Source, Agent: r.Agent, Reason: dsl.Plain(r.Reason)})
	for _, p := range working {
		for _, f := range p.next {
			if err := c.open(f, r.Agent, r.Reason); err != nil {
				return err
			}
		}
	}
	return nil
}

// replace closes a version and opens its parts.
func (c *compiler) replace(p parts, r *OpRequest) error {
	if len(p.next) == 0 {
		c.retract(p.old, r.Source, distinct(r.Evidence), r.Agent, r.Reason)
		return nil
	}
	if err := c.succeed(p.old, p.next[0], r.Agent, r.Reason); err != nil {
		return err
	}
	for _, f := range p.next[1:] {
		if err := c.open(f, r.Agent, r.Reason); err != nil {
			return err
		}
	}
	return nil
}
