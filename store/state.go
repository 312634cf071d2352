package store

import (
	"cmp"
	"encoding/binary"
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
// chOpen has an entry, all others id and version; chEvidence a turn and a
// confidence beside, and so does chForget: the confidence that is left, 0 for the
// one it had.
type change struct {
	kind       byte
	entry      entry
	id         string
	version    uint32
	turn       string
	confidence float64
}

// keyState is what was recorded of one (src, rel) key, or of a part of it: its
// versions in order of opening.
type keyState struct {
	versions []entry
	// whole keeps closed versions too.
	whole bool
	// at finds the open versions of a whole state: a long history must not be
	// searched once a change.
	at map[string][]int
}

// fold applies one change, recorded at seq and time at. A change that names
// version 0 is one of all open versions of its fact.
func (s *keyState) fold(c *change, seq dsl.Seq, at dsl.Instant) error {
	if c.kind == chOpen {
		e := c.entry
		e.opened, e.openedAt = seq, at
		s.versions = append(s.versions, e)
		if s.whole {
			if s.at == nil {
				s.at = map[string][]int{}
			}
			s.at[e.id] = append(s.at[e.id], len(s.versions)-1)
		}
		return nil
	}
	hit := false
	if open := s.at[c.id]; s.whole {
		kept := open[:0]
		for _, i := range open {
			e := &s.versions[i]
			if c.version == 0 || e.version == c.version {
				hit = true
				if c.kind == chClose {
					e.closed, e.closedAt = seq, at
					continue
				}
				c.change(e)
			}
			kept = append(kept, i)
		}
		if hit {
			s.at[c.id] = kept
		}
	} else {
		kept := s.versions[:0]
		for i := range s.versions {
			e := &s.versions[i]
			if e.id == c.id && (c.version == 0 || e.version == c.version) {
				hit = true
				if c.kind == chClose {
					continue
				}
				c.change(e)
			}
			kept = append(kept, *e)
		}
		s.versions = kept
	}
	if !hit && c.version != 0 {
		return fmt.Errorf("%w: fact %s version %d is changed at %s but was not open", dsl.ErrCorrupt, c.id, c.version, seq)
	}
	return nil
}

// change does to an open version what the change says; closing is for the
// caller.
func (c *change) change(e *entry) {
	switch c.kind {
	case chArchive:
		e.archived = true
	case chEvidence:
		e.confidence = dsl.FoldConfidence(e.confidence, c.confidence)
		if !slices.Contains(e.evidence, c.turn) {
			e.evidence = append(slices.Clone(e.evidence), c.turn)
		}
	case chForget:
		e.evidence = slices.DeleteFunc(slices.Clone(e.evidence), func(t string) bool { return t == c.turn })
		if c.confidence > 0 {
			e.confidence = c.confidence
		}
	}
}

// A spot is where an open version lies in the order of its key: by valid start,
// then by opening.
type spot struct {
	start dsl.Instant
	seq   dsl.Seq
	op    int
}

func (e *entry) spot() spot { return spot{e.valid.Start, e.opened, e.op} }

func (a spot) compare(b spot) int {
	return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.seq, b.seq), cmp.Compare(a.op, b.op))
}

// byOpening is the order in which reads show versions.
func byOpening(a, b entry) int {
	return cmp.Or(cmp.Compare(a.opened, b.opened), cmp.Compare(a.op, b.op))
}

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

// head reads the part of an entry that says when it holds.
func (r *reader) head(base dsl.Instant) (flags byte, openedAt dsl.Instant, valid dsl.Interval) {
	flags = r.byte()
	openedAt = r.diff(base)
	switch {
	case flags&fFromAlways != 0:
		valid.Start = dsl.Beginning
	case flags&fSameInstant != 0:
		valid.Start = openedAt
	default:
		valid.Start = r.diff(openedAt)
	}
	valid.End = dsl.Forever
	if flags&fForever == 0 {
		valid.End = r.diff(openedAt)
	}
	return flags, openedAt, valid
}

func (r *reader) entry(base dsl.Instant) (e entry) {
	var flags byte
	flags, e.openedAt, e.valid = r.head(base)
	e.archived = flags&fArchived != 0
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

// appendChange writes a change. Every change but an opening names the version
// that it is about; what is opened has its length in front.
func appendChange(b []byte, c *change, base dsl.Instant) []byte {
	b = append(b, c.kind)
	if c.kind == chOpen {
		return appendSized(b, &c.entry, base)
	}
	b = appendVar(appendID(b, c.id), uint64(c.version))
	switch c.kind {
	case chEvidence, chForget:
		return appendFloat(appendStr(b, c.turn), c.confidence)
	}
	return b
}

func (r *reader) change(base dsl.Instant) (c change) {
	c.kind = r.byte()
	if c.kind == chOpen {
		c.entry = r.sized(base)
		return c
	}
	c.id, c.version = r.id(), uint32(r.uvar())
	switch c.kind {
	case chClose, chArchive:
	case chEvidence, chForget:
		c.turn, c.confidence = r.str(), r.float()
	default:
		r.fail()
	}
	return c
}

// appendSized writes an entry with its length in front, so that a reader can
// step over it.
func appendSized(b []byte, e *entry, base dsl.Instant) []byte {
	at := len(b)
	b = appendEntry(append(b, 0), e, base)
	n := len(b) - at - 1
	if n < 0x80 {
		b[at] = byte(n)
		return b
	}
	var size [binary.MaxVarintLen64]byte
	w := binary.PutUvarint(size[:], uint64(n))
	b = append(b, size[:w-1]...)
	copy(b[at+w:], b[at+1:at+1+n])
	copy(b[at:], size[:w])
	return b
}

func (r *reader) sized(base dsl.Instant) entry {
	one := reader{b: r.take(r.count(1))}
	e := one.entry(base)
	if one.bad || len(one.b) != 0 {
		r.fail()
	}
	return e
}
