package events

import (
	"slices"

	"github.com/asof-db/asof/dsl"
)

// emit gives the operations, a version for each draft.
func (b *builder) emit() error {
	for _, d := range b.drafts {
		if d.into != nil {
			b.absorbed(d)
			continue
		}
		if err := b.emitOne(d); err != nil {
			return err
		}
	}
	return nil
}

// absorbed gives the last version of an event that another has taken in, and the
// link to that one. Nothing of what it said is left in it.
func (b *builder) absorbed(d *draft) {
	e := d.old
	span := e.Span
	b.out.Operations = append(b.out.Operations,
		dsl.Op{Kind: dsl.UpsertEvent, ID: e.ID, Version: e.Version + 1, Span: &span, Participants: e.Participants,
			Includes: e.Includes, Evidence: e.Evidence, Status: Merged, Reason: dsl.Plain("merged into event " + d.into.id)},
		dsl.Op{Kind: dsl.Link, Link: dsl.EventLink, ID: dsl.LinkID(b.in.Space, dsl.EventLink, e.ID, d.into.id), From: e.ID, To: d.into.id,
			Reason: dsl.Plain("they tell of the same")})
}

func (b *builder) emitOne(d *draft) error {
	version := uint32(1)
	at := len(b.in.Ops) + len(b.out.Operations)
	if d.old != nil {
		version = d.old.Version + 1
	} else {
		d.id = dsl.EventID(b.in.Space, b.in.Seq, at)
	}
	c, err := b.content(d)
	if err != nil {
		return err
	}
	if d.old != nil && len(d.writes) == 0 && len(d.taken) == 0 && d.same(&c) {
		return nil
	}
	b.word(d, version, &c)
	b.out.Operations = append(b.out.Operations, dsl.Op{Kind: dsl.UpsertEvent, ID: d.id, Version: version, Summary: dsl.Plain(c.summary), Span: &c.span,
		Participants: c.participants, Includes: d.includes, Evidence: c.evidence, Status: c.status, Reason: dsl.Plain(d.reason)})
	for _, w := range d.writes {
		b.out.Writes[w] = at
	}
	return nil
}

// same tells whether a rebuilt event says what it said, on the same evidence.
func (d *draft) same(c *content) bool {
	return c.summary == d.old.Summary.String() && c.span == d.old.Span && c.status == d.old.Status &&
		slices.Equal(c.participants, d.old.Participants) && slices.Equal(c.evidence, d.old.Evidence)
}
