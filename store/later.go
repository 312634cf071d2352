package store

import (
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/asof-db/asof/dsl"
)

// A turn may be an edit of another (dsl.Turn.Replaces): it takes the place of
// that turn, or, where that one has been replaced already, of the turn that
// stands in its place now. So edits form chains, a turn is replaced at most once,
// and a view knows what stands where from the rows up to its basis. The turn that
// was replaced stays: it is in the log, in its session and in every statistic.

// replaces notes which turn an edit replaces. One that names no turn of the
// space replaces none.
func (a *apply) replaces(t *dsl.Turn, doc uint32) error {
	if t.Replaces == "" {
		return nil
	}
	old, ok, err := a.view.turnNumber(t.Replaces)
	if err != nil || !ok {
		return err
	}
	for {
		by, replaced, err := a.view.replacedBy(old)
		if err != nil {
			return err
		}
		if !replaced {
			break
		}
		old = by
	}
	if err := a.set(a.keys.later(laterReplaced, old, a.tx.Seq), appendVar(nil, uint64(doc))); err != nil {
		return err
	}
	return a.set(a.keys.later(laterReplaces, doc, a.tx.Seq), appendVar(nil, uint64(old)))
}

// candidates notes that further candidates were given for a turn.
func (a *apply) candidates() error {
	if a.tx.Kind != dsl.TxCandidates {
		return nil
	}
	doc, ok, err := a.view.turnNumber(a.turnID)
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("%w: candidates for turn %q, which is not recorded", dsl.ErrCorrupt, a.turnID)
	}
	return a.set(a.keys.later(laterCandidates, doc, a.tx.Seq), nil)
}

// turnNumber gives the number of a turn of the view.
func (v *snapshot) turnNumber(id string) (doc uint32, ok bool, err error) {
	value, ok, err := get(v.r, v.keys.id(clTurnID, id))
	if err != nil || !ok {
		return 0, false, err
	}
	pos, err := v.position()
	if err != nil {
		return 0, false, err
	}
	r := reader{b: value}
	n := r.uvar()
	if err := r.done("turn id"); err != nil {
		return 0, false, fmt.Errorf("store: %w", err)
	}
	return uint32(n), n < pos.Turns, nil
}

// replacedBy gives the number of the turn that replaces another in the view.
func (v *snapshot) replacedBy(doc uint32) (by uint32, ok bool, err error) {
	prefix := v.keys.laterOf(laterReplaced, doc)
	err = v.scan(prefix, func(key, value []byte) (bool, error) {
		if keySeq(key, len(prefix)) > v.basisSeq {
			return false, nil
		}
		r := reader{b: value}
		by, ok = uint32(r.uvar()), true
		return false, r.done("later")
	})
	return by, ok, err
}

// withReplaced says in a turn which one stands in its place in the view.
func (v *snapshot) withReplaced(t Turn) (Turn, error) {
	by, ok, err := v.standing(uint32(t.Doc))
	if err != nil || !ok {
		return t, err
	}
	edit, err := readTurn(v.r, &v.keys, int(by))
	t.ReplacedBy = edit.ID
	return t, err
}

// standing is replacedBy by way of what is kept in memory, where the view is of
// what is committed.
func (v *snapshot) standing(doc uint32) (by uint32, ok bool, err error) {
	if v.stage != nil {
		return v.replacedBy(doc)
	}
	edits, pos, err := v.edits()
	if err != nil {
		return 0, false, err
	}
	by, ok = edits.of(doc, pos.Turns)
	return by, ok, nil
}

// edits gives the edits of the space, as far as the view knows them.
func (v *snapshot) edits() (*edits, positionRow, error) {
	pos, err := v.position()
	if err != nil {
		return nil, pos, err
	}
	e := &edits{}
	if v.stage == nil { // what is staged may come to nothing
		e = v.s.caches.editsOf(tableID{v.space, pos.dropped, TurnField})
	}
	return e, pos, e.read(v, pos.Turns)
}

// edits are the edits among the first turns of a space: what a search must pass
// over. They are kept as they never change, and grow with the log.
type edits struct {
	mu    sync.Mutex // guards what follows
	turns uint64     // the turns looked at
	by    map[uint32]uint32
}

// read takes in the edits among the first turns of the space, as many as the
// view holds.
func (e *edits) read(v *snapshot, turns uint64) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if turns <= e.turns {
		return nil
	}
	at := len(v.keys.prefix) + 2
	err := v.scanRange(v.keys.laterOf(laterReplaces, uint32(e.turns)), v.keys.laterOf(laterReplaces, uint32(turns)), func(key, value []byte) (bool, error) {
		r := reader{b: value}
		old := uint32(r.uvar())
		if e.by == nil {
			e.by = map[uint32]uint32{}
		}
		e.by[old] = binary.BigEndian.Uint32(key[at:])
		return true, r.done("later")
	})
	if err == nil {
		e.turns = turns
	}
	return err
}

// of gives the turn that replaces another, in a view of so many turns.
func (e *edits) of(doc uint32, turns uint64) (by uint32, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	by, ok = e.by[doc]
	return by, ok && uint64(by) < turns
}

// About implements View.
func (v *snapshot) About(turn string) ([]dsl.Seq, error) {
	doc, ok, err := v.turnNumber(turn)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("store: %w: turn %q", dsl.ErrNotFound, turn)
	}
	t, err := readTurn(v.r, &v.keys, int(doc))
	if err != nil {
		return nil, err
	}
	list := []dsl.Seq{t.Seq}
	prefix := v.keys.laterOf(laterCandidates, doc)
	err = v.scan(prefix, func(key, _ []byte) (bool, error) {
		seq := keySeq(key, len(prefix))
		if seq <= v.basisSeq {
			list = append(list, seq)
		}
		return seq <= v.basisSeq, nil
	})
	return list, err
}

// Witness implements View.
func (v *snapshot) Witness(turn, fact string) (confidence float64, open bool, err error) {
	prefix := v.keys.id(clLink, dsl.LinkID(v.space, dsl.EvidenceLink, turn, fact))
	err = v.scan(prefix, func(key, value []byte) (bool, error) {
		if keySeq(key, len(prefix)) > v.basisSeq {
			return false, nil
		}
		l, err := decodeLink(value)
		if err != nil {
			return false, err
		}
		if l.from == turn && l.to == fact {
			confidence, open = l.confidence, !l.retract
		}
		return true, nil
	})
	if !open {
		confidence = 0
	}
	return confidence, open, err
}

// Replaced implements Index.
func (x *indexReader) Replaced(doc int32) (bool, error) {
	if x.f != TurnField {
		return false, nil
	}
	if x.closed {
		return false, x.live()
	}
	if x.edits == nil {
		e, _, err := x.v.edits()
		if err != nil {
			return false, err
		}
		x.edits = e
	}
	_, ok := x.edits.of(uint32(doc), uint64(x.stats.Docs))
	return ok, nil
}

// edit tells the rows of a turn that is an edit.
func (c *checker) edit(t *Turn) {
	old, ok := c.turnNumber(t.Replaces)
	if t.Replaces == "" || !ok || old >= uint32(t.Doc) {
		return
	}
	view := c.f.at(c.space, t.Seq-1)
	defer view.Close()
	for {
		by, replaced, err := view.replacedBy(old)
		if err != nil || !replaced || by <= old || by >= uint32(t.Doc) {
			break // rows that lie are found by what is told from here
		}
		old = by
	}
	c.told(t.Seq, c.bare(c.keys.later(laterReplaced, old, t.Seq)), appendVar(nil, uint64(t.Doc)))
	c.told(t.Seq, c.bare(c.keys.later(laterReplaces, uint32(t.Doc), t.Seq)), appendVar(nil, uint64(old)))
}

// further tells the row of a position that gave further candidates for a turn.
func (c *checker) further(seq dsl.Seq) {
	value, _ := c.get(c.keys.seq(clPosition, seq))
	p, err := decodePosition(seq, value)
	if err != nil {
		return
	}
	if doc, ok := c.turnNumber(p.Turn); ok {
		c.told(seq, c.bare(c.keys.later(laterCandidates, doc, seq)), nil)
	}
}

func (c *checker) turnNumber(id string) (uint32, bool) {
	value, ok := c.get(c.keys.id(clTurnID, id))
	r := reader{b: value}
	n := r.uvar()
	return uint32(n), ok && r.done("turn id") == nil
}
