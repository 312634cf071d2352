package eval

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/assimilate"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// The things that an adversary puts into a log after a time that will be asked
// about: each of them changes what the memory says about the past it knew.
const (
	trickAlias     = "alias merge"
	trickUnalias   = "alias merge undone"
	trickEvent     = "event"
	trickPremature = "event before its evidence"
	trickMerge     = "event merge"
	trickCorrect   = "correction"
	trickRetract   = "retraction"
	trickArchive   = "archive"
	trickEvidence  = "evidence added"
	trickLate      = "late arrival"
	trickEdit      = "edited turn"
	trickMore      = "further candidates for an old turn"
	trickBackfill  = "backfill"
)

// tricks lists them in the order of reports.
func tricks() []string {
	return []string{trickAlias, trickUnalias, trickEvent, trickPremature, trickMerge, trickCorrect, trickRetract, trickArchive,
		trickEvidence, trickLate, trickEdit, trickMore, trickBackfill}
}

// adversary takes a conversation in and, between its turns, plays tricks drawn
// from the state of the memory. The same source of randomness and the same
// memory give the same log.
type adversary struct {
	db    *asof.DB
	space string
	rng   *draws
	turns []dsl.Turn
	// said are the turns taken in so far; made counts what was made up.
	said []dsl.Turn
	made int
	// links are the alias links that stand, events the ids of made-up events.
	links  [][2]string
	events []string
	// played counts the tricks that the memory took, refused those that it did
	// not, such as a merge that would break I7.
	played, refused map[string]int
}

// play plays one trick at the head: one drawn at random, or the next that the
// memory has something to work on for and does not refuse.
func (a *adversary) play(ctx context.Context) error {
	all := tricks()
	first := a.rng.upTo(len(all))
	for i := range all {
		if done, err := a.try(ctx, all[(first+i)%len(all)]); done || err != nil {
			return err
		}
	}
	return nil
}

// try plays a trick and tells whether the memory took it.
func (a *adversary) try(ctx context.Context, name string) (bool, error) {
	item, err := a.trick(name)
	if err != nil || item == nil {
		return false, err
	}
	a.made++
	item.Space = a.space
	_, err = a.db.Ingest(ctx, []asof.Item{*item}, asof.AllowFuture())
	switch {
	case errors.Is(err, dsl.ErrConflict), errors.Is(err, dsl.ErrInvalid), errors.Is(err, dsl.ErrNotFound):
		a.refused[name]++
		return false, nil
	case err != nil:
		return false, fmt.Errorf("eval: %s: a trick (%s): %w", a.space, name, err)
	}
	a.played[name]++
	a.note(name, item)
	return true, nil
}

// note remembers what later tricks build on.
func (a *adversary) note(name string, item *asof.Item) {
	switch name {
	case trickAlias:
		a.links = append(a.links, [2]string{item.Ops[0].From, item.Ops[0].To})
	case trickUnalias:
		gone := [2]string{item.Ops[0].From, item.Ops[0].To}
		a.links = slices.DeleteFunc(a.links, func(l [2]string) bool { return l == gone })
	case trickEvent, trickPremature:
		a.events = append(a.events, item.Ops[0].ID)
	case trickLate, trickEdit:
		a.said = append(a.said, *item.Turn)
	}
}

// trick makes the item of a trick, or none.
func (a *adversary) trick(name string) (item *asof.Item, err error) {
	if len(a.said) == 0 {
		return nil, nil
	}
	v, err := a.db.View(a.space, asof.At{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	var facts []dsl.FactVersion
	for f, err := range v.Facts(store.FactQuery{}) {
		if err != nil {
			return nil, err
		}
		facts = append(facts, f)
	}
	switch name {
	case trickBackfill:
		return &asof.Item{Gap: &asof.GapRequest{Kind: dsl.GapEmpty, Query: a.gap()}}, nil
	case trickLate, trickEdit, trickMore:
		return a.turnTrick(name), nil
	}
	if len(facts) == 0 {
		return nil, nil
	}
	op, more := a.op(name, facts, v)
	if op == nil {
		return nil, nil
	}
	op.Agent, op.Reason = "adversary", name
	item = &asof.Item{At: v.Basis().Time + 1 + dsl.Instant(a.rng.upTo(1000)), Ops: append([]assimilate.OpRequest{*op}, more...)}
	return item, nil
}

// turnTrick makes a trick out of turns.
func (a *adversary) turnTrick(name string) *asof.Item {
	head, old := a.said[len(a.said)-1], pick(a.rng, a.said)
	t := pick(a.rng, a.turns) // also of what comes later
	t.ID = fmt.Sprintf("adversary:%d", a.made)
	t.Session = old.Session
	switch name {
	case trickLate:
		t.TS = old.TS - dsl.Instant(a.rng.upTo(int(400*dsl.Day)))
	case trickEdit:
		t.Replaces, t.Speaker, t.Listener = old.ID, old.Speaker, old.Listener
		t.TS = max(head.TS, old.TS) + 1
	default:
		return &asof.Item{TurnID: old.ID, Candidates: []dsl.Candidate{{Src: old.Speaker, Rel: "likes", Dst: dsl.Plain(fmt.Sprintf("thing %d", a.rng.upTo(40))),
			DstKind: dsl.Entity, Polarity: dsl.Positive, Change: dsl.Assert, Confidence: 1, Source: "adversary"}}}
	}
	return &asof.Item{Turn: &t}
}

// gap makes a question that fell short: what someone said, asked about him. The
// number makes it a gap of its own.
func (a *adversary) gap() string {
	t := pick(a.rng, a.said[max(0, len(a.said)-20):])
	return fmt.Sprintf("%s: %s (%d)", t.Speaker, t.Text, a.made)
}

// op makes a trick out of operations.
func (a *adversary) op(name string, facts []dsl.FactVersion, v *asof.View) (*assimilate.OpRequest, []assimilate.OpRequest) {
	f, g := pick(a.rng, facts), pick(a.rng, facts)
	half := float64(1+a.rng.upTo(9)) / 10
	switch name {
	case trickAlias:
		return a.alias(facts), nil
	case trickUnalias:
		if len(a.links) == 0 {
			return nil, nil
		}
		l := pick(a.rng, a.links)
		return &assimilate.OpRequest{Op: dsl.Link, Link: dsl.AliasOf, From: l[0], To: l[1], Retract: true}, nil
	case trickEvent, trickPremature:
		return a.event(name, f, g), nil
	case trickMerge:
		return a.merge(v)
	case trickCorrect:
		valid := f.Valid
		if valid.End == dsl.Forever && valid.Start.Finite() {
			valid.End = max(valid.Start, v.Basis().Time)
		}
		return &assimilate.OpRequest{Op: dsl.RetroCorrectOp, ID: f.ID, Version: f.Version, Valid: &valid, Confidence: &half}, nil
	case trickRetract:
		return &assimilate.OpRequest{Op: dsl.RetroCorrectOp, ID: f.ID, Version: f.Version, Retract: true}, nil
	case trickArchive:
		return &assimilate.OpRequest{Op: dsl.ArchiveEdge, ID: f.ID}, nil
	case trickEvidence:
		return &assimilate.OpRequest{Op: dsl.Link, Link: dsl.EvidenceLink, From: pick(a.rng, a.said).ID, To: f.ID, Confidence: &half}, nil
	}
	return nil, nil
}

// alias ties two entities that facts speak of; a value may become a person.
func (a *adversary) alias(facts []dsl.FactVersion) *assimilate.OpRequest {
	var ids []string
	for i := range facts {
		for _, end := range []struct {
			id   string
			kind dsl.NodeKind
		}{{facts[i].Src, dsl.Entity}, {facts[i].Dst, facts[i].DstKind}} {
			if end.kind == dsl.Entity && !slices.Contains(ids, end.id) {
				ids = append(ids, end.id)
			}
		}
	}
	if len(ids) < 2 {
		return nil
	}
	i := a.rng.upTo(len(ids))
	j := (i + 1 + a.rng.upTo(len(ids)-1)) % len(ids)
	return &assimilate.OpRequest{Op: dsl.Link, Link: dsl.AliasOf, From: "id:" + ids[i], To: "id:" + ids[j]}
}

// event makes one of two facts. A premature one also names a turn that is still
// to come.
func (a *adversary) event(name string, f, g dsl.FactVersion) *assimilate.OpRequest {
	e := &assimilate.OpRequest{Op: dsl.UpsertEvent, ID: fmt.Sprintf("adversary:%s:%d", a.space, a.made), Status: "made up",
		Summary:      fmt.Sprintf("%s and %s, %s", f.SrcName, g.DstName, pick(a.rng, a.turns).Text),
		Span:         &dsl.Interval{Start: pick(a.rng, a.said).TS, End: dsl.Forever},
		Participants: []assimilate.ParticipantRequest{{Entity: "id:" + f.Src, Role: "one"}},
		Includes:     []string{f.ID}, Evidence: []string{pick(a.rng, a.said).ID}}
	if f.ID != g.ID {
		e.Includes = append(e.Includes, g.ID)
	}
	if name == trickPremature {
		e.Evidence = append(e.Evidence, pick(a.rng, a.turns).ID)
		if e.Evidence[0] == e.Evidence[1] {
			e.Evidence = e.Evidence[:1]
		}
	}
	return e
}

// merge gives one event a version that holds another's content too, and ties
// them.
func (a *adversary) merge(v *asof.View) (*assimilate.OpRequest, []assimilate.OpRequest) {
	var events []dsl.Event
	for e, err := range v.Events(true) {
		if err != nil {
			return nil, nil
		}
		if e.Closed == 0 {
			events = append(events, e)
		}
	}
	if len(events) < 2 {
		return nil, nil
	}
	i := a.rng.upTo(len(events))
	j := (i + 1 + a.rng.upTo(len(events)-1)) % len(events)
	e, f := events[i], events[j]
	op := &assimilate.OpRequest{Op: dsl.UpsertEvent, ID: e.ID, Status: "merged", Summary: e.Summary.String() + "; " + f.Summary.String(),
		Span:     &dsl.Interval{Start: min(e.Span.Start, f.Span.Start), End: max(e.Span.End, f.Span.End)},
		Includes: union(e.Includes, f.Includes), Evidence: union(e.Evidence, f.Evidence)}
	for _, p := range e.Participants {
		op.Participants = append(op.Participants, assimilate.ParticipantRequest{Entity: "id:" + p.Entity, Role: p.Role.String()})
	}
	return op, []assimilate.OpRequest{{Op: dsl.Link, Link: dsl.EventLink, From: e.ID, To: f.ID, Agent: "adversary", Reason: trickMerge}}
}

// union gives the elements of both lists, each once, in order.
func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, x := range b {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}
