package store

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/asof-db/asof/dsl"
)

// Held is a candidate that was held, with the turn that made it.
type Held struct {
	dsl.Candidate
	// By is the id of that turn.
	By string
}

// GapKey gives the content key of a gap.
func GapKey(gap dsl.Hash) dsl.Hash { return dsl.Sum(append([]byte("gap\x00"), gap[:]...)) }

// memory writes the working memory that a transaction leaves, and the candidates
// that it holds.
func (a *apply) memory() error {
	for i := range a.tx.Decisions {
		if a.tx.Decisions[i].Action != dsl.Hold {
			continue
		}
		c := a.tx.Candidates[i]
		by := a.turnID
		if a.tx.Kind == dsl.TxBackfill {
			by = c.Turn
		}
		text, err := dsl.Canonical([]dsl.Candidate{c})
		if err != nil {
			return err
		}
		if err := a.setLogical(a.keys.seqOp(clHeld, a.tx.Seq, i), append(appendStr(nil, by), text...)); err != nil {
			return err
		}
	}
	m := a.tx.Memory
	if m == nil {
		return nil
	}
	text, err := dsl.Canonical(m)
	if err != nil {
		return err
	}
	a.pos.memory = a.tx.Seq
	if err := a.set(a.keys.idSeq(clSession, m.Session, a.tx.Seq), nil); err != nil {
		return err
	}
	return a.setLogical(a.keys.seq(clMemory, a.tx.Seq), text)
}

// Memory implements View.
func (v *snapshot) Memory() (dsl.Memory, error) {
	p, err := v.position()
	if err != nil || p.memory == 0 {
		return dsl.Memory{}, err
	}
	return v.memoryAt(p.memory)
}

func (v *snapshot) memoryAt(seq dsl.Seq) (m dsl.Memory, err error) {
	value, ok, err := get(v.r, v.keys.seq(clMemory, seq))
	if err != nil {
		return m, err
	}
	if !ok {
		return m, fmt.Errorf("store: %w: the working memory of %s of %q is missing", dsl.ErrCorrupt, seq, v.space)
	}
	if err := dsl.Decode(value, &m); err != nil {
		return m, fmt.Errorf("store: working memory of %s of %q: %w", seq, v.space, err)
	}
	return m, nil
}

// SessionMemory implements View.
func (v *snapshot) SessionMemory(session string) (m dsl.Memory, err error) {
	prefix := v.keys.id(clSession, session)
	it, err := v.r.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: v.keys.idSeq(clSession, session, v.basisSeq+1)})
	if err != nil {
		return m, fmt.Errorf("store: session %q: %w", session, err)
	}
	var last dsl.Seq
	if it.Last() {
		last = keySeq(it.Key(), len(prefix))
	}
	if err := it.Close(); err != nil {
		return m, fmt.Errorf("store: session %q: %w", session, err)
	}
	if last == 0 {
		return m, nil
	}
	if m, err = v.memoryAt(last); err == nil && m.Session != session { // another name with the same key
		m = dsl.Memory{}
	}
	return m, err
}

// Held implements View.
func (v *snapshot) Held(ref dsl.HeldRef) (h Held, err error) {
	missing := ref.Position > v.basisSeq || ref.Position == 0 || ref.Candidate < 0 || ref.Candidate > 1<<16-1
	var value []byte
	if !missing {
		var ok bool
		if value, ok, err = get(v.r, v.keys.seqOp(clHeld, ref.Position, ref.Candidate)); err != nil {
			return h, err
		}
		missing = !ok
	}
	if missing {
		return h, fmt.Errorf("store: %w: no candidate %d of %s is held", dsl.ErrNotFound, ref.Candidate, ref.Position)
	}
	return decodeHeld(value)
}

func decodeHeld(value []byte) (h Held, err error) {
	r := reader{b: value}
	h.By = r.str()
	var list []dsl.Candidate
	if r.bad || dsl.Decode(r.b, &list) != nil || len(list) != 1 {
		return h, fmt.Errorf("%w: held row does not decode", dsl.ErrCorrupt)
	}
	h.Candidate = list[0]
	return h, nil
}

// memoryRows checks the rows of working memory.
func (c *checker) memoryRows() error {
	err := c.rows(clMemory, func(key, value []byte) error {
		seq := keySeq(key, 1)
		var m dsl.Memory
		if err := dsl.Decode(value, &m); err != nil {
			c.broken(seq, key, "does not decode")
			return nil
		}
		c.logical(seq, key, value)
		c.told(seq, c.bare(c.keys.idSeq(clSession, m.Session, seq)), nil)
		return nil
	})
	if err != nil {
		return err
	}
	return c.rows(clHeld, func(key, value []byte) error {
		seq := keySeq(key, 1)
		if _, err := decodeHeld(value); err != nil {
			c.broken(seq, key, "does not decode")
			return nil
		}
		c.logical(seq, key, value)
		return nil
	})
}

// remembers checks that a position names the last working memory.
func (c *checker) remembers(p, before *positionRow) {
	want := before.memory
	if p.Kind == dsl.TxDrop {
		want = 0
	}
	if _, ok := c.get(c.keys.seq(clMemory, p.Seq)); ok {
		want = p.Seq
	}
	if p.memory != want {
		c.fault(p.Seq, "rows", "it names the working memory of %s, the last is that of %s", p.memory, want)
	}
}
