package events

import (
	"slices"

	"github.com/asof-db/asof/dsl"
)

// stale makes drafts of the events whose facts the transaction corrects, closes,
// retracts or archives, or takes evidence from. Only the events of those facts
// are read.
func (b *builder) stale() error {
	done := map[string]bool{}
	for i := range b.in.Ops {
		op := &b.in.Ops[i]
		fact := op.ID
		switch {
		case op.Kind == dsl.RetroCorrectOp, op.Kind == dsl.ArchiveEdge:
		case op.Kind == dsl.Link && op.Link == dsl.EvidenceLink && op.Retract:
			fact = op.To
		default:
			continue
		}
		if done[fact] {
			continue
		}
		done[fact] = true
		if err := b.staleOf(fact); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) staleOf(fact string) error {
	list, err := b.view.EventsOf(fact, 0)
	if err != nil {
		return err
	}
	slices.Sort(list) // two events of one fact get their versions in order of id
	for _, id := range list {
		e, err := b.event(id)
		if err != nil {
			return err
		}
		if e.Status == Merged || e.Status == Retired || !slices.Contains(e.Includes, fact) {
			continue
		}
		d := b.revise(e)
		d.reason = rebuilt
		right, err := b.putRight(fact)
		if err != nil {
			return err
		}
		d.corrected = d.corrected || right
	}
	return nil
}

// rebuilt is the reason of a version that only says what still stands.
const rebuilt = "rebuilt"

// putRight tells whether the transaction gives a version of a fact another value
// or another start; an earlier end alone is news, not a correction.
func (b *builder) putRight(fact string) (bool, error) {
	list, err := b.versions(fact)
	if err != nil {
		return false, err
	}
	for _, i := range b.ops[fact] {
		op := &b.in.Ops[i]
		if op.Kind != dsl.RetroCorrectOp || op.Retract {
			continue
		}
		at := func(version uint32) *dsl.FactVersion {
			return &list[slices.IndexFunc(list, func(f dsl.FactVersion) bool { return f.Version == version })]
		}
		if old, now := at(op.Version), at(op.Next); old.Dst != now.Dst || old.Relation != now.Relation || old.Valid.Start != now.Valid.Start {
			return true, nil
		}
	}
	return false, nil
}
