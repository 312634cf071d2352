package store

import (
	"encoding/binary"
	"errors"

	"github.com/asof-db/asof/dsl"
)

// turns tells the rows that follow from turns.
func (c *checker) turns() error {
	return c.rows(clTurn, func(key, value []byte) error {
		r := reader{b: value}
		seq := dsl.Seq(r.uvar())
		c.logical(seq, key, value)
		s := c.win.slot(seq)
		if s == nil {
			return nil
		}
		doc := int(binary.BigEndian.Uint32(key[1:]))
		t, err := decodeTurn(doc, value)
		if err != nil {
			c.fault(seq, "rows", "the turn row %x does not decode: %v", key[1:], err)
			return nil
		}
		c.recorded(seq, key, t.Record)
		if s.present && (s.kind != dsl.TxTurn || s.turn != hash8(t.ID)) {
			c.fault(seq, "rows", "it holds the turn %q, and its position is of another one, or of kind %s", t.ID, s.kind)
		}
		c.raise(seq, nTurns, 1)
		c.told(seq, c.bare(c.keys.id(clTurnID, t.ID)), appendVar(nil, uint64(doc)))
		c.edit(&t)
		text, err := turnText(&t.Turn)
		speaker, serr := t.Speaker.Open()
		if err := errors.Join(err, serr); err != nil {
			c.fault(seq, "rows", "turn %q: %v", t.ID, err)
			return nil
		}
		d := docRow{Doc: Doc{Seq: seq, TS: t.TS}}
		d.Session = c.number(seq, nameSession, t.Session, &c.walk.sessions, nSessions)
		d.Speaker = c.number(seq, nameSpeaker, speaker, &c.walk.speakers, nSpeakers)
		before, err := c.before(d.Session, doc, seq)
		if err != nil {
			return err
		}
		c.indexed(seq, TurnField, doc, text, d, before)
		return nil
	})
}

// number gives the number of a session or speaker. At its first appearance it
// must be the next one.
func (c *checker) number(seq dsl.Seq, kind byte, name string, next *uint64, counter int) uint32 {
	key := c.keys.nameID(kind, name)
	value, _ := c.get(key)
	n, w := binary.Uvarint(value)
	switch {
	case w <= 0 || n > *next:
		c.fault(seq, "index", "%q has no number among the names of kind %c, or one out of order", name, kind)
		return 0
	case n == *next:
		*next++
		c.raise(seq, counter, 1)
		c.told(seq, c.bare(key), appendVar(nil, n))
		c.told(seq, c.bare(c.keys.name(kind, uint32(n))), []byte(name))
	default:
		if v, _ := c.get(c.keys.name(kind, uint32(n))); string(v) != name {
			c.fault(seq, "index", "%q has the number %d among the names of kind %c, which is that of %q", name, n, kind, v)
		}
	}
	return uint32(n)
}

// documents tells the documents of facts and events and their postings: each is
// of a version that its position opened, in order of opening.
func (c *checker) documents() error {
	view := c.f.at(c.space, c.head)
	defer view.Close()
	for _, f := range []Field{FactField, EventField} {
		var last place
		err := c.eachDoc(f, func(doc int, d docRow) error {
			seq, ok := c.win.byCounter(nDocs+fieldIndex(f), uint64(doc))
			if !ok || c.win.slot(seq) == nil {
				return nil
			}
			c.found(seq, docIdentity(f, d.id, d.version), nil)
			var text string
			var err error
			at := place{seq: seq}
			if f == FactField {
				text, at, err = c.factText(view, &d)
			} else {
				text, at.seq, err = c.eventText(&d)
			}
			if err != nil {
				c.fault(seq, "index", "document %d of field %c: %v", doc, f, err)
				return nil
			}
			if at.seq != seq || f == FactField && !last.before(at) {
				c.fault(seq, "index", "document %d of field %c is version %d of %s, opened at %s: not in order of opening", doc, f, d.version, d.id, at.seq)
			}
			if f == FactField {
				last = at
			}
			c.indexed(seq, f, doc, text, docRow{Doc: Doc{Seq: at.seq, TS: dsl.Beginning}, id: d.id, version: d.version}, noMembers)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) factText(view *snapshot, d *docRow) (text string, at place, err error) {
	row, err := view.versionRow(d.id, d.version)
	if err != nil {
		return "", at, err
	}
	at = place{row.opened, row.op}
	src, err := c.nodeName(view, row.src)
	if err != nil {
		return "", at, err
	}
	dst, err := c.nodeName(view, row.dst)
	if err != nil {
		return "", at, err
	}
	relation, err := row.relation.Open()
	return FactText(src, row.rel, relation, dst), at, err
}

func (c *checker) eventText(d *docRow) (text string, at dsl.Seq, err error) {
	value, _ := c.get(c.keys.idVersion(clEvent, d.id, d.version))
	e, err := decodeEvent(value)
	if err != nil {
		return "", 0, err
	}
	text, err = e.Summary.Open()
	return text, e.Opened, err
}

// changeRows takes the changes that the positions of the window made.
func (c *checker) changeRows() error {
	end := c.win.lo + dsl.Seq(len(c.win.slots))
	err := eachRow(c.f.snap, c.keys.seq(clPosition, c.win.lo), c.keys.seq(clPosition, min(end, c.head+1)), func(key, value []byte) error {
		if err := c.tick(); err != nil {
			return err
		}
		if key = c.bare(key); !wellFormed(key) {
			return nil
		}
		p, err := decodePosition(keySeq(key, 1), value)
		if err != nil {
			return nil // told by begin
		}
		list, err := changeList(c.f.snap, &c.keys, &p)
		if err != nil {
			return nil // told with the positions
		}
		var again []byte
		for i := range list {
			b := appendChangeRow(nil, list[i].op, &list[i].changeRow)
			c.found(p.Seq, changeIdentity(p.Seq, list[i].op), b)
			again = append(again, b...)
		}
		if here := len(again) <= maxChanges; c.once && len(list) > 0 && here != (len(p.changes) > 0) {
			c.fault(p.Seq, "index", "its changes take %d bytes and lie in the wrong row", len(again))
		}
		return nil
	})
	if err != nil || !c.once {
		return err
	}
	return c.rows(clChange, func(key, _ []byte) error {
		value, _ := c.get(c.keys.seq(clPosition, keySeq(key, 1)))
		if p, err := decodePosition(keySeq(key, 1), value); err != nil || p.changed == 0 || len(p.changes) > 0 {
			c.fault(keySeq(key, 1), "index", "the change row %x is of no position that has one", key[1:])
		}
		return nil
	})
}

// derivedRows takes the derived rows that are there, but for the state rows.
func (c *checker) derivedRows() error {
	seqAt := func(at int) func(key, value []byte) (dsl.Seq, bool) {
		return func(key, _ []byte) (dsl.Seq, bool) { return keySeq(key, at), true }
	}
	number := func(value []byte) uint64 {
		n, w := binary.Uvarint(value)
		if w <= 0 {
			return 1 << 62 // no number: beyond every position
		}
		return n
	}
	names := func(kind byte, n uint64) (dsl.Seq, bool) {
		if kind == nameSession {
			return c.win.byCounter(nSessions, n)
		}
		return c.win.byCounter(nSpeakers, n)
	}
	for _, x := range []struct {
		class byte
		seq   func(key, value []byte) (dsl.Seq, bool)
	}{
		{clTurnID, func(_, value []byte) (dsl.Seq, bool) { return c.win.byCounter(nTurns, number(value)) }},
		{clAlias, seqAt(17)}, {clEvidence, seqAt(17)}, {clRel, seqAt(17)}, {clDst, seqAt(17)}, {clSession, seqAt(17)},
		{clKey, seqAt(1)}, {clLater, seqAt(6)},
		{clMember, func(key, _ []byte) (dsl.Seq, bool) {
			return c.win.byCounter(nDocs, uint64(binary.BigEndian.Uint32(key[5:])))
		}},
		{clName, func(key, _ []byte) (dsl.Seq, bool) { return names(key[1], uint64(binary.BigEndian.Uint32(key[2:]))) }},
		{clNameID, func(key, value []byte) (dsl.Seq, bool) { return names(key[1], number(value)) }},
	} {
		err := c.rows(x.class, func(key, value []byte) error {
			if seq, ok := x.seq(key, value); ok {
				c.found(seq, key, value)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if err := c.changeRows(); err != nil {
		return err
	}
	err := c.rows(clEventKey, func(key, value []byte) error {
		r := reader{b: value}
		id := r.str()
		if r.done("event key") != nil {
			c.broken(keySeq(key, 1), key, "does not decode")
			return nil
		}
		c.found(keySeq(key, 1), eventIdentity(keySeq(key, 1), id), nil)
		return nil
	})
	if err != nil {
		return err
	}
	err = c.rows(clInvolved, func(key, value []byte) error {
		r := reader{b: value}
		id := r.str()
		if r.done("event of") != nil {
			c.broken(keySeq(key, 17), key, "does not decode")
			return nil
		}
		c.found(keySeq(key, 17), involvedIdentity(key[1:17], keySeq(key, 17), id), nil)
		return nil
	})
	if err != nil || !c.once {
		return err
	}
	if err := c.places(); err != nil {
		return err
	}
	return c.rows(clKnown, func(key, value []byte) error {
		if seq := dsl.Seq(number(value)); seq < c.first || seq > c.head {
			c.fault(seq, "index", "the content key %x belongs to no position", key[1:])
		}
		return nil
	})
}

// places checks that the store knows in which log message each position lies, in
// order and up to the last that was applied (I5): each row holds for the positions
// from it to the next one. A store that no log was applied to has no places.
func (c *checker) places() error {
	last := uint64(0)
	err := c.rows(clPlace, func(key, value []byte) error {
		seq := keySeq(key, 1)
		r := reader{b: value}
		n := r.uvar()
		switch {
		case r.done("place") != nil:
			c.fault(seq, "I5", "its place row does not decode")
		case seq < c.first || seq > c.head:
			c.fault(seq, "I5", "it has a place in the log, and is no position of the store")
		case n > c.applied:
			c.fault(seq, "I5", "it lies in message %d of the log, the store is applied up to %d", n, c.applied)
		case n <= last:
			c.fault(seq, "I5", "it lies in message %d of the log, those before it in %d", n, last)
		}
		if last == 0 && seq > c.first {
			c.fault(c.first, "I5", "the store does not know in which message of the log it lies, nor those before %s", seq)
		}
		last = max(last, min(n, c.applied), 1)
		return nil
	})
	if err == nil && last == 0 && c.applied > 0 {
		c.fault(c.first, "I5", "the store does not know in which message of the log it lies, nor those up to %s", c.head)
	}
	return err
}
