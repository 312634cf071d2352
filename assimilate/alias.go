package assimilate

import (
	"errors"
	"slices"

	"github.com/asof-db/asof/dsl"
)

// The rules of candidates that say that two names are one (extract.AliasOf).
const (
	RuleAliasLink     = "alias/link"
	RuleAliasKnown    = "alias/known"
	RuleAliasConflict = "alias/conflict"
	RuleAliasClose    = "alias/close"
	RuleAliasUnknown  = "alias/unknown"
)

// alias decides about a candidate that ties two names, or, denied or ended, unties
// them: a LINK, never a fact. A merge that would give a functional relation two
// values at a time is none (I7): the names stay apart.
func (d *decider) alias() error {
	joined := slices.Contains(d.srcs, d.dst.ID)
	undo := d.c.Change == dsl.End || d.c.Polarity == dsl.Negative
	switch {
	case d.src.ID == d.dst.ID:
		return d.settle(dsl.Skip, RuleAliasKnown, "%s is the same name", d.c.Dst)
	case undo && !joined:
		return d.settle(dsl.None, RuleAliasUnknown, "it is no alias of %s", d.c.Dst)
	case !undo && joined:
		return d.settle(dsl.Skip, RuleAliasKnown, "it is an alias of %s already", d.c.Dst)
	}
	c := &compiler{state: d.state}
	if !undo {
		if err := c.mergeable(d.srcs, d.dsts); err != nil {
			if b := (*breach)(nil); errors.As(err, &b) {
				return d.settle(dsl.None, RuleAliasConflict, "it stays apart from %s: %v", d.c.Dst, err)
			}
			return err
		}
		for _, n := range []dsl.Node{d.src, d.dst} {
			if err := d.ensure(n); err != nil {
				return err
			}
		}
		d.merge(d.src.ID, d.dst.ID)
	}
	c.connect(&OpRequest{Link: dsl.AliasOf, Retract: undo, Source: d.c.Source}, d.src.ID, d.dst.ID)
	if undo {
		return d.settle(dsl.Close, RuleAliasClose, "it is no alias of %s any more", d.c.Dst)
	}
	return d.settle(dsl.Insert, RuleAliasLink, "it is taken for %s, %s", d.c.Dst, d.c.Source)
}

// regroup reads the groups of subject and value again where an earlier candidate
// has tied names together.
func (d *decider) regroup() (err error) {
	if len(d.merged) == 0 {
		return nil
	}
	if d.srcs, err = d.group(d.src.ID); err != nil {
		return err
	}
	d.dsts, err = d.group(d.dst.ID)
	return err
}
