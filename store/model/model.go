package model

import (
	"fmt"
	"slices"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// Model holds the transactions of one space. Apply is for one goroutine at a
// time, with At, AtTime and Head; the views it gave are free of it.
type Model struct {
	space   string
	txs     []*dsl.Tx
	entries []dsl.Hash
	// head is the fold of txs. It serves to refuse what does not fit; no view
	// reads it.
	head *state
}

// New gives the model of an empty space.
func New(space string) *Model { return &Model{space: space, head: newState(space)} }

// Apply adds the next transaction; entry is the SHA-256 of its canonical text.
// The model keeps tx, which must not be changed. The error wraps dsl.ErrCorrupt
// and names the position: the transaction is of another space, not the next, not
// chained to the last entry, not later than it, or speaks of what is not there.
// The model is then as before.
func (m *Model) Apply(tx *dsl.Tx, entry dsl.Hash) error {
	if err := m.follows(tx); err != nil {
		return fmt.Errorf("model: apply %s %s: %w", m.space, tx.Seq, err)
	}
	if err := m.head.apply(tx, entry); err != nil {
		m.head = m.fold(len(m.txs)) // it may have stopped half way
		return fmt.Errorf("model: apply %s %s: %w", m.space, tx.Seq, err)
	}
	m.txs = append(m.txs, tx)
	m.entries = append(m.entries, entry)
	return nil
}

// follows tells whether tx is the next of the chain.
func (m *Model) follows(tx *dsl.Tx) error {
	var last dsl.Hash
	if n := len(m.entries); n > 0 {
		last = m.entries[n-1]
	}
	switch next := m.Head() + 1; {
	case tx.Space != m.space:
		return fmt.Errorf("%w: it is of space %q", dsl.ErrCorrupt, tx.Space)
	case tx.Seq != next:
		return fmt.Errorf("%w: the next position is %s", dsl.ErrCorrupt, next)
	case tx.Prev != last:
		return fmt.Errorf("%w: it follows entry %s, the last is %s", dsl.ErrCorrupt, tx.Prev, last)
	case tx.Time <= m.head.basis.Time:
		return fmt.Errorf("%w: record time %s is not after %s (I3)", dsl.ErrCorrupt, tx.Time, m.head.basis.Time)
	}
	return nil
}

// fold gives the state after the first n transactions.
func (m *Model) fold(n int) *state { return foldAll(m.space, m.txs[:n], m.entries[:n]) }

func foldAll(space string, txs []*dsl.Tx, entries []dsl.Hash) *state {
	s := newState(space)
	for i, tx := range txs {
		if err := s.apply(tx, entries[i]); err != nil {
			panic(err) // Apply took the very same transactions in the same order
		}
	}
	return s
}

// Head gives the last position, 0 for an empty space.
func (m *Model) Head() dsl.Seq { return dsl.Seq(len(m.txs)) }

// At gives the view at a position; one past the head is the view at the head. The
// model still has the views from before a drop, which a store has not.
func (m *Model) At(seq dsl.Seq) store.View {
	n := int(min(seq, m.Head()))
	return newView(m.space, slices.Clone(m.txs[:n]), slices.Clone(m.entries[:n]))
}

// AtTime gives the view of what was recorded at or before t.
func (m *Model) AtTime(t dsl.Instant) store.View {
	n := 0
	for n < len(m.txs) && m.txs[n].Time <= t {
		n++
	}
	return m.At(dsl.Seq(n))
}
