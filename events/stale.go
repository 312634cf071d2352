package events

import (
	"slices"

	"github.com/asof-db/asof/dsl"
)

// stale makes drafts of the events whose facts the transaction corrects, closes,
// retracts or archives, or takes evidence from.
func (b *builder) stale() error {
	for i := range b.in.Ops {
		op := &b.in.Ops[i]
		fact := op.ID
		if op.Kind == dsl.Link {
			fact = op.To
		}
		corrected, is, err := b.stales(op)
		if err != nil {
			return err
		}
		if !is {
			continue
		}
		ids, err := b.view.EventsOf(fact, 0)
		if err != nil {
			return err
		}
		for _, id := range slices.Backward(ids) {
			e, err := b.event(id)
			if err != nil {
				return err
			}
			if e.Status == Merged || e.Status == Retired || !slices.Contains(e.Includes, fact) {
				continue
			}
			if op.Kind == dsl.Link && !slices.Contains(e.Evidence, op.From) {
				continue
			}
			d := b.revise(e)
			d.reason, d.says = "rebuilt from what still stands", true
			d.corrected = d.corrected || corrected
		}
	}
	return nil
}

// stales tells whether an operation changes what the events of its fact may say,
// and whether it puts the fact right.
func (b *builder) stales(op *dsl.Op) (corrected, is bool, err error) {
	switch op.Kind {
	case dsl.ArchiveEdge:
		return false, true, nil
	case dsl.Link:
		return false, op.Link == dsl.EvidenceLink && op.Retract, nil
	case dsl.RetroCorrectOp:
		if op.Retract {
			return true, true, nil
		}
		list, err := b.versions(op.ID)
		if err != nil {
			return false, false, err
		}
		for _, f := range list {
			if f.Version != op.Version {
				continue
			}
			corrected = f.Dst != op.Dst || f.Relation != op.Relation || f.Valid.Start != op.Valid.Start
			lost := slices.ContainsFunc(f.Evidence, func(t string) bool { return !slices.Contains(op.Evidence, t) })
			return corrected, corrected || lost || f.Valid != *op.Valid, nil
		}
	}
	return false, false, nil
}
