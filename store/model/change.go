package model

import (
	"iter"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

func (v *view) Changes(after dsl.Seq) iter.Seq2[store.Change, error] {
	var found []store.Change
	for _, tx := range v.txs {
		if tx.Seq > after && tx.Seq > v.s.dropped {
			found = append(found, v.prefix(tx.Seq).changes(tx)...)
		}
	}
	return each(found)
}

// changes gives what tx did, where s is the state right after it.
func (s *state) changes(tx *dsl.Tx) []store.Change {
	var found []store.Change
	for i := range tx.Operations {
		op := &tx.Operations[i]
		change := store.Change{Seq: tx.Seq, At: tx.Time, Turn: turnOf(tx), Reason: op.Reason, Rule: tx.Rules()[i]}
		add := func(kind store.ChangeKind, before, after *version) {
			c := change
			c.Kind, c.Before, c.After = kind, before.fact(), after.fact()
			found = append(found, c)
		}
		switch op.Kind {
		case dsl.UpsertEdge:
			add(store.Learned, nil, s.version(op.ID, op.Version))
		case dsl.RetroCorrectOp:
			before := s.version(op.ID, op.Version)
			if op.Retract {
				add(store.Retracted, before, nil)
				break
			}
			after := s.version(op.ID, op.Next)
			add(kindOf(before, after), before, after)
		case dsl.ArchiveEdge:
			for _, x := range s.versions { // in order of opening
				if x.archivedAt == (place{tx.Seq, i}) {
					add(store.Archived, x, nil)
				}
			}
		}
	}
	return found
}

// kindOf tells an ending from any other correction.
func kindOf(before, after *version) store.ChangeKind {
	if before.Dst == after.Dst && before.Relation == after.Relation &&
		before.Valid.Start == after.Valid.Start && after.Valid.End < before.Valid.End {
		return store.Ended
	}
	return store.Corrected
}

// fact gives what a Change shows of a version, nil of none.
func (x *version) fact() *dsl.FactVersion {
	if x == nil {
		return nil
	}
	f := x.show().FactVersion
	return &f
}
