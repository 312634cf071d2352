package store

import (
	"fmt"
	"slices"

	"github.com/asof-db/asof/dsl"
)

// entry is one fact version as the state of its (src, rel) key holds it, with
// confidence and evidence folded up to the position of the state.
type entry struct {
	id         string
	version    uint32
	dst        string
	relation   dsl.Text
	valid      dsl.Interval
	opened     dsl.Seq
	openedAt   dsl.Instant
	op         int
	archived   bool
	confidence float64
	source     string
	evidence   []string
	// closed and closedAt are set only where a whole history is folded.
	closed   dsl.Seq
	closedAt dsl.Instant
}

// The changes that a state row may hold.
const (
	chOpen     byte = 1
	chClose    byte = 2
	chArchive  byte = 3
	chEvidence byte = 4
	chForget   byte = 5
)

// change is one change of a key's state. Which fields count depends on kind:
// chOpen has an entry; chClose id and version; chArchive id; chEvidence id,
// turn and confidence; chForget id and turn.
type change struct {
	kind       byte
	entry      entry
	id         string
	version    uint32
	turn       string
	confidence float64
}

// keyState is the state of one (src, rel) key: its versions in order of
// opening.
type keyState struct {
	versions []entry
	// whole keeps closed versions too.
	whole bool
	// since counts the changes after the last whole state that was written.
	since int
}

// fold applies one change, recorded at seq and time at.
func (s *keyState) fold(c *change, seq dsl.Seq, at dsl.Instant) error {
	open := func(e *entry) bool { return e.closed == 0 && e.id == c.id }
	switch c.kind {
	case chOpen:
		e := c.entry
		e.opened, e.openedAt = seq, at
		s.versions = append(s.versions, e)
		return nil
	case chClose:
		for i := range s.versions {
			if e := &s.versions[i]; open(e) && e.version == c.version {
				if s.whole {
					e.closed, e.closedAt = seq, at
				} else {
					s.versions = slices.Delete(s.versions, i, i+1)
				}
				return nil
			}
		}
		return fmt.Errorf("%w: fact %s version %d is closed at %s but was not open", dsl.ErrCorrupt, c.id, c.version, seq)
	case chArchive:
		for i := range s.versions {
			if e := &s.versions[i]; open(e) {
				e.archived = true
			}
		}
	case chEvidence:
		for i := range s.versions {
			if e := &s.versions[i]; open(e) {
				e.confidence = dsl.FoldConfidence(e.confidence, c.confidence)
				if !slices.Contains(e.evidence, c.turn) {
					e.evidence = append(slices.Clone(e.evidence), c.turn)
				}
			}
		}
	case chForget:
		for i := range s.versions {
			if e := &s.versions[i]; open(e) {
				e.evidence = slices.DeleteFunc(slices.Clone(e.evidence), func(t string) bool { return t == c.turn })
			}
		}
	default:
		return fmt.Errorf("%w: state change of kind %d", dsl.ErrCorrupt, c.kind)
	}
	return nil
}

// due tells whether the next row should hold the whole state. A row with the
// whole state costs the open versions; writing one only after a number of
// changes in proportion to them keeps writes linear, and keeps the changes that
// a read folds within a constant plus half of its result.
func (s *keyState) due() bool { return s.since >= 8+len(s.versions)/2 }

// State rows: record time; changes; a byte that says whether the whole state
// after them follows.

// The flags in front of an entry: what is usual takes no bytes.
const (
	fArchived    = 1 << iota // out of the working set
	fSure                    // confidence 1
	fFromAlways              // valid from −∞
	fForever                 // valid to ∞
	fRelation                // a relation follows
	fSource                  // a source follows
	fEvidence                // evidence follows
	fSameInstant             // valid from the instant it was opened
)

// appendEntry writes an entry; times are written as differences, the first one
// to base.
func appendEntry(b []byte, e *entry, base dsl.Instant) []byte {
	flags := byte(0)
	for _, f := range []struct {
		bit byte
		on  bool
	}{{fArchived, e.archived}, {fSure, e.confidence == 1}, {fFromAlways, e.valid.Start == dsl.Beginning},
		{fForever, e.valid.End == dsl.Forever}, {fRelation, !e.relation.IsZero()}, {fSource, e.source != ""},
		{fEvidence, len(e.evidence) > 0}, {fSameInstant, e.valid.Start == e.openedAt}} {
		if f.on {
			flags |= f.bit
		}
	}
	b = append(b, flags)
	b = appendDiff(b, e.openedAt, base)
	if flags&(fFromAlways|fSameInstant) == 0 {
		b = appendDiff(b, e.valid.Start, e.openedAt)
	}
	if flags&fForever == 0 {
		b = appendDiff(b, e.valid.End, e.openedAt)
	}
	b = appendVar(b, uint64(e.opened))
	b = appendVar(b, uint64(e.op))
	b = appendID(b, e.id)
	b = appendVar(b, uint64(e.version))
	b = appendID(b, e.dst)
	if flags&fSure == 0 {
		b = appendFloat(b, e.confidence)
	}
	if flags&fRelation != 0 {
		b = appendText(b, e.relation)
	}
	if flags&fSource != 0 {
		b = appendStr(b, e.source)
	}
	if flags&fEvidence != 0 {
		b = appendStrs(b, e.evidence)
	}
	return b
}

func (r *reader) entry(base dsl.Instant) (e entry) {
	flags := r.byte()
	e.archived = flags&fArchived != 0
	e.openedAt = r.diff(base)
	switch {
	case flags&fFromAlways != 0:
		e.valid.Start = dsl.Beginning
	case flags&fSameInstant != 0:
		e.valid.Start = e.openedAt
	default:
		e.valid.Start = r.diff(e.openedAt)
	}
	e.valid.End = dsl.Forever
	if flags&fForever == 0 {
		e.valid.End = r.diff(e.openedAt)
	}
	e.opened = dsl.Seq(r.uvar())
	e.op = int(r.uvar())
	e.id = r.id()
	e.version = uint32(r.uvar())
	e.dst = r.id()
	e.confidence = 1
	if flags&fSure == 0 {
		e.confidence = r.float()
	}
	if flags&fRelation != 0 {
		e.relation = r.text()
	}
	if flags&fSource != 0 {
		e.source = r.str()
	}
	if flags&fEvidence != 0 {
		e.evidence = r.strs()
	}
	return e
}

func appendChange(b []byte, c *change, base dsl.Instant) []byte {
	b = append(b, c.kind)
	switch c.kind {
	case chOpen:
		return appendEntry(b, &c.entry, base)
	case chClose:
		return appendVar(appendID(b, c.id), uint64(c.version))
	case chEvidence:
		return appendFloat(appendStr(appendID(b, c.id), c.turn), c.confidence)
	case chForget:
		return appendStr(appendID(b, c.id), c.turn)
	}
	return appendID(b, c.id)
}

func (r *reader) change(base dsl.Instant) (c change) {
	c.kind = r.byte()
	switch c.kind {
	case chOpen:
		c.entry = r.entry(base)
		return c
	case chClose:
		c.id, c.version = r.id(), uint32(r.uvar())
	case chArchive:
		c.id = r.id()
	case chEvidence:
		c.id, c.turn, c.confidence = r.id(), r.str(), r.float()
	case chForget:
		c.id, c.turn = r.id(), r.str()
	default:
		r.fail()
	}
	return c
}

func appendStateRow(b []byte, at dsl.Instant, changes []change, whole []entry, withWhole bool) []byte {
	b = appendTime(b, at)
	if withWhole { // in front, so that a read that needs only this stops here
		b = appendVar(append(b, 1), uint64(len(whole)))
		for i := range whole {
			b = appendEntry(b, &whole[i], at)
		}
	} else {
		b = append(b, 0)
	}
	b = appendVar(b, uint64(len(changes)))
	for i := range changes {
		b = appendChange(b, &changes[i], at)
	}
	return b
}

// stateRow is a state row with its changes not yet decoded.
type stateRow struct {
	seq      dsl.Seq
	at       dsl.Instant
	hasWhole bool
	whole    []entry
	rest     reader
}

func decodeStateRow(seq dsl.Seq, value []byte, wantWhole bool) (stateRow, error) {
	row := stateRow{seq: seq, rest: reader{b: value}}
	r := &row.rest
	row.at = r.time()
	row.hasWhole = r.byte() != 0
	if row.hasWhole {
		n := r.count(8)
		row.whole = make([]entry, 0, n)
		for range n {
			e := r.entry(row.at)
			row.whole = append(row.whole, e)
		}
		if wantWhole {
			if r.bad {
				return row, r.done("state")
			}
			return row, nil
		}
	}
	return row, nil
}

// changes applies the row's changes to s.
func (row *stateRow) apply(s *keyState) error {
	r := &row.rest
	n := r.count(2)
	for range n {
		c := r.change(row.at)
		if r.bad {
			break
		}
		if err := s.fold(&c, row.seq, row.at); err != nil {
			return err
		}
		s.since++
	}
	return r.done("state")
}
