package assimilate

import (
	"errors"
	"fmt"
	"slices"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// link compiles LINK.
func (c *compiler) link(r *OpRequest) error {
	switch {
	case r.From == "":
		return invalid("from is missing")
	case r.To == "":
		return invalid("to is missing")
	case r.Confidence != nil && r.Link != dsl.EvidenceLink:
		return invalid("confidence means nothing in a link of kind %s; leave it out", r.Link)
	}
	switch r.Link {
	case dsl.AliasOf:
		return c.alias(r)
	case dsl.MentionLink:
		from, err := c.resolve("from", r.From, dsl.Mention)
		if err != nil {
			return err
		}
		to, err := c.resolve("to", r.To, dsl.Entity)
		if err != nil {
			return err
		}
		c.connect(r, from.ID, to.ID)
		return nil
	case dsl.EvidenceLink:
		return c.evidence(r)
	case dsl.EventLink:
		return c.eventLink(r)
	}
	return invalid("kind %q is none of alias_of, mention, evidence, event", r.Link)
}

func (c *compiler) connect(r *OpRequest, from, to string) {
	c.ops = append(c.ops, dsl.Op{Kind: dsl.Link, Link: r.Link, ID: dsl.LinkID(c.space, r.Link, from, to), From: from, To: to,
		Retract: r.Retract, Source: r.Source, Agent: r.Agent, Reason: dsl.Plain(r.Reason)})
}

// alias compiles a merge of two entities, or the end of one. A link is closed in
// the direction in which it was made.
func (c *compiler) alias(r *OpRequest) error {
	from, err := c.resolve("from", r.From, dsl.Entity)
	if err != nil {
		return err
	}
	to, err := c.resolve("to", r.To, dsl.Entity)
	if err != nil {
		return err
	}
	if from.ID == to.ID {
		return invalid("%q and %q are one entity already", r.From, r.To)
	}
	a, err := c.group(from.ID)
	if err != nil {
		return err
	}
	joined := slices.Contains(a, to.ID)
	switch {
	case r.Retract && !joined:
		return missing("%s is not an alias of %s; there is no link to close", from.Name, to.Name)
	case !r.Retract && !joined:
		b, err := c.group(to.ID)
		if err != nil {
			return err
		}
		if err := c.mergeable(a, b); err != nil {
			return err
		}
		c.merge(from.ID, to.ID)
	}
	c.connect(r, from.ID, to.ID)
	return nil
}

// mergeable checks that no functional relation of one group overlaps that of the
// other (I7).
func (c *compiler) mergeable(a, b []string) error {
	left, err := c.believed(a, "", nil)
	if err != nil {
		return err
	}
	right, err := c.believed(b, "", nil)
	if err != nil {
		return err
	}
	byRel := map[string][]dsl.FactVersion{}
	for _, v := range right {
		if c.registry.Functional(v.Rel) {
			byRel[v.Rel] = append(byRel[v.Rel], v)
		}
	}
	for _, v := range left {
		for _, w := range byRel[v.Rel] {
			if v.Valid.Overlaps(w.Valid) {
				return conflict("I7", "as one entity they would hold two values of %s at a time: fact %q version %d (%s %s in %s) and fact %q version %d (%s %s in %s); RETRO_CORRECT or ARCHIVE_EDGE one of them first",
					v.Rel, v.ID, v.Version, v.SrcName, v.DstName, v.Valid, w.ID, w.Version, w.SrcName, w.DstName, w.Valid)
			}
		}
	}
	return nil
}

// evidence compiles the support of a fact by a turn, or its end.
func (c *compiler) evidence(r *OpRequest) error {
	if err := dsl.CheckID("from", r.From); err != nil {
		return err
	}
	list, err := c.fact(r.To)
	if err != nil {
		return err
	}
	l := evidence{turn: r.From, confidence: 1, retract: r.Retract}
	switch {
	case r.Retract:
		if r.Confidence != nil {
			return invalid("confidence means nothing where a link is closed; leave it out")
		}
		if !slices.ContainsFunc(list, func(v dsl.FactVersion) bool { return slices.Contains(v.Evidence, r.From) }) {
			return missing("turn %q is not evidence of fact %q; there is no link to close", r.From, r.To)
		}
		if l.confidence, err = c.leftWithout(r.To, r.From); err != nil {
			return err
		}
	case r.Confidence != nil:
		l.confidence = *r.Confidence
	}
	c.support(r.To, l, dsl.Op{Source: r.Source, Agent: r.Agent, Reason: dsl.Plain(r.Reason)})
	return nil
}

// eventLink compiles a tie between two events that are there.
func (c *compiler) eventLink(r *OpRequest) error {
	if r.From == r.To {
		return invalid("event %q is linked to itself", r.From)
	}
	for _, id := range []string{r.From, r.To} {
		if err := dsl.CheckID("event id", id); err != nil {
			return err
		}
		if _, ok := c.events[id]; ok {
			continue
		}
		if _, err := c.view.Event(id); errors.Is(err, dsl.ErrNotFound) {
			return missing("event %q is not known; UPSERT_EVENT it first", id)
		} else if err != nil {
			return fmt.Errorf("event %s: %w", id, err)
		}
	}
	c.connect(r, r.From, r.To)
	return nil
}

// leftWithout gives the confidence that the witnesses of a fact give it when one
// turn is none any more; 0 where nobody else says it.
func (s *state) leftWithout(fact, turn string) (left float64, err error) {
	list, err := s.view.Fact(fact)
	if err != nil && !errors.Is(err, dsl.ErrNotFound) {
		return 0, err
	}
	e := &edit{state: s, gone: []store.Turn{{Turn: dsl.Turn{ID: turn}}}}
	f := &touchedFact{id: fact, versions: list}
	for i := range list {
		v := &list[i]
		if v.Status == dsl.StatusClosed || !slices.Contains(v.Evidence, turn) || f.onlyEnds(turn, v) {
			continue
		}
		_, confidence, _, err := e.witnesses(f, v)
		if err != nil {
			return 0, err
		}
		left = max(left, confidence)
	}
	for _, l := range s.linked[fact] {
		if !l.retract && l.turn != turn {
			left = dsl.FoldConfidence(left, l.confidence)
		}
	}
	return left, nil
}
