package model

import (
	"fmt"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// remember takes in the working memory that a transaction leaves.
func (s *state) remember(tx *dsl.Tx) {
	for i, d := range tx.Decisions {
		if d.Action != dsl.Hold {
			continue
		}
		h := store.Held{Candidate: tx.Candidates[i], By: turnOf(tx)}
		if tx.Kind == dsl.TxBackfill {
			h.By = h.Candidate.Turn
		}
		if s.held == nil {
			s.held = map[dsl.HeldRef]store.Held{}
		}
		s.held[dsl.HeldRef{Candidate: i, Position: tx.Seq}] = h
	}
	if tx.Memory != nil {
		s.memories = append(s.memories, *tx.Memory)
	}
}

// Memory implements store.View.
func (v *view) Memory() (dsl.Memory, error) {
	if n := len(v.s.memories); n > 0 {
		return v.s.memories[n-1], nil
	}
	return dsl.Memory{}, nil
}

// SessionMemory implements store.View.
func (v *view) SessionMemory(session string) (m dsl.Memory, err error) {
	for _, x := range v.s.memories {
		if x.Session == session {
			m = x
		}
	}
	return m, nil
}

// Held implements store.View.
func (v *view) Held(ref dsl.HeldRef) (store.Held, error) {
	h, ok := v.s.held[ref]
	if !ok {
		return h, fmt.Errorf("model: %w: no candidate %d of %s is held", dsl.ErrNotFound, ref.Candidate, ref.Position)
	}
	return h, nil
}
