package store

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"sort"

	"github.com/asof-db/asof/dsl"
)

// A window is a run of positions whose rows are checked in one pass. Every row
// of a space belongs to a position: it is added to the set hashes of its
// position's slot, wherever in the order of keys it lies, and at the end of the
// pass each slot must balance. So memory does not depend on the number of rows.
type window struct {
	lo    dsl.Seq
	slots []slot
	// base is the position row before the window, end its last one.
	base, end positionRow
	// factsBefore is the last position up to the end that opened fact versions.
	factsBefore dsl.Seq
}

// slot gathers what belongs to one position.
type slot struct {
	present bool
	kind    dsl.TxKind
	turn    [8]byte // hash of the id of the turn it is about
	time    dsl.Instant
	// acc is what the position row added to the accumulator, logical what the
	// logical rows found add.
	acc, logical accumulator
	// told is the set hash of the derived rows that the logical ones tell, found
	// that of those that are there.
	told, found accumulator
	// total are the counters of the position row, got those of the rows found.
	total, got counters
}

// counters are those of a position row, in its order: turns, facts, events,
// open, docs and terms by field, sessions, speakers, context.
type counters [13]uint64

const (
	nTurns = iota
	nFacts
	nEvents
	nOpen
	nDocs
	nTerms    = nDocs + 3
	nSessions = nTerms + 3
	nSpeakers = nSessions + 1
	nContext  = nSpeakers + 1
)

var counterNames = [13]string{"turns", "facts", "events", "open facts", "turn documents", "fact documents", "event documents",
	"turn terms", "fact terms", "event terms", "sessions", "speakers", "terms of context"}

func countersOf(p *positionRow) counters {
	return counters{p.Turns, p.Facts, p.Events, p.Open, p.docs[0], p.docs[1], p.docs[2],
		p.terms[0], p.terms[1], p.terms[2], p.sessions, p.speakers, p.context}
}

// slot gives the slot of a position, nil if it lies in another window.
func (w *window) slot(seq dsl.Seq) *slot {
	if seq < w.lo || seq >= w.lo+dsl.Seq(len(w.slots)) {
		return nil
	}
	return &w.slots[seq-w.lo]
}

// byCounter gives the position at which a counter went past n: that of document
// n, or of name n. ok is false if it is before the window.
func (w *window) byCounter(counter int, n uint64) (seq dsl.Seq, ok bool) {
	base := countersOf(&w.base)
	if n < base[counter] {
		return 0, false
	}
	i := sort.Search(len(w.slots), func(i int) bool { return w.slots[i].total[counter] > n })
	return w.lo + dsl.Seq(i), true // past the window where i is its length
}

// window checks the positions from lo on, as many as a window holds.
func (c *checker) window(lo dsl.Seq) error {
	n := min(uint64(c.opt.Window), uint64(c.head-lo)+1)
	c.win.lo = lo
	if uint64(cap(c.win.slots)) < n {
		c.win.slots = make([]slot, n)
	}
	c.win.slots = c.win.slots[:n]
	clear(c.win.slots)
	if err := c.loadPositions(); err != nil {
		return err
	}
	before := c.walk
	if err := c.pass(); err != nil {
		return err
	}
	after := c.walk
	wrong, err := c.balance()
	if err != nil || len(wrong) == 0 {
		return err
	}
	// The rows of the first few are gathered to name those that differ.
	const named = 16
	for _, seq := range wrong[min(named, len(wrong)):] {
		c.fault(seq, "index", "derived rows of the position are not those that its logical rows tell")
	}
	c.walk, c.mute = before, true
	c.collect = newCollected(wrong[:min(named, len(wrong))])
	err = c.pass()
	list := c.collect
	c.collect, c.mute, c.walk = nil, false, after
	if err == nil {
		c.explain(list)
	}
	return err
}

// pass walks all rows once for the window.
func (c *checker) pass() error {
	for _, step := range []func() error{c.times, c.settingsAndNodes, c.facts, c.links, c.eventRows, c.memoryRows, c.turns, c.documents, c.states, c.derivedRows, c.index} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// loadPositions reads the position rows of the window and checks what they say
// of each other (I3, I5).
func (c *checker) loadPositions() error {
	w := &c.win
	if w.lo == c.first {
		w.end, w.factsBefore = positionRow{}, 0
	}
	w.base = w.end
	before, next, end := w.base, w.lo, w.lo+dsl.Seq(len(w.slots))
	missing := func(to dsl.Seq) {
		if next < to {
			c.fault(next, "I5", "the positions from %s to %s are missing; the store is applied up to %s", next, to-1, c.head)
		}
		for ; next < to; next++ {
			w.slot(next).total = countersOf(&before) // keeps counters rising
		}
	}
	err := eachRow(c.f.snap, c.keys.seq(clPosition, w.lo), c.keys.seq(clPosition, c.head+1), func(key, value []byte) error {
		if len(key) != len(c.keys.prefix)+9 || next >= end {
			return nil
		}
		p, err := decodePosition(keySeq(key, len(c.keys.prefix)+1), value)
		if err != nil || p.Seq >= end {
			return nil // told by begin, or of a later window
		}
		c.count("I3", 1)
		c.count("I5", 1)
		missing(p.Seq)
		next = p.Seq + 1
		if before.Seq != 0 && p.Time <= before.Time {
			c.fault(p.Seq, "I3", "its record time %s does not rise above %s of %s", p.Time, before.Time, before.Seq)
		}
		if want := c.first; p.dropped != 0 && p.dropped != want || p.dropped == 0 && want > 1 {
			c.fault(p.Seq, "I5", "it says that the space was dropped at %s, the head at %s", p.dropped, want)
		}
		c.remembers(&p, &before)
		changes, err := changeList(c.f.snap, &c.keys, &p)
		if err != nil {
			c.fault(p.Seq, "rows", "its changes do not decode")
		}
		opened := 0
		for i := range changes {
			if changes[i].opened != 0 {
				opened++
			}
		}
		if p.factsBefore != c.win.factsBefore {
			c.fault(p.Seq, "counts", "it says that %s opened fact versions before it, and %s did", p.factsBefore, c.win.factsBefore)
		}
		if opened > 0 {
			c.win.factsBefore = p.Seq
		}
		s := w.slot(p.Seq)
		if _, ok := c.get(c.keys.hash(clSettings, p.Settings)); !ok {
			c.fault(p.Seq, "rows", "it runs under settings %s, which are not there", p.Settings)
		}
		*s = slot{present: true, kind: p.Kind, turn: hash8(p.Turn), time: p.Time, acc: p.acc.sub(before.acc), total: countersOf(&p)}
		s.got = countersOf(&before) // raised by what is found
		before = p
		return nil
	})
	missing(end)
	w.end = before
	return err
}

// balance compares both sides of every slot and gives the positions at which
// derived rows differ.
func (c *checker) balance() (wrong []dsl.Seq, err error) {
	before := countersOf(&c.win.base)
	for i := range c.win.slots {
		s, seq := &c.win.slots[i], c.win.lo+dsl.Seq(i)
		if !s.present {
			continue
		}
		c.count("digest", 1)
		if s.acc != s.logical {
			c.fault(seq, "digest", "the logical rows of the position have the set hash %x, its row was written with %x", s.logical[:8], s.acc[:8])
		}
		c.count("counts", 1)
		if s.kind == dsl.TxTurn && s.got[nTurns] == before[nTurns] {
			c.fault(seq, "rows", "its turn is not there")
		}
		before = s.total
		for k := range s.got {
			if s.got[k] != s.total[k] {
				c.fault(seq, "counts", "it counts %d %s, there are %d", s.total[k], counterNames[k], s.got[k])
			}
		}
		if s.told != s.found {
			wrong = append(wrong, seq)
		}
	}
	return wrong, c.ctx.Err()
}

// logical takes a logical row that belongs to a position.
func (c *checker) logical(seq dsl.Seq, key, value []byte) {
	if s := c.slot(seq, key); s != nil && c.collect == nil {
		s.logical.add(key, value)
	}
}

// told takes a derived row that a logical one tells, found one that is there.
func (c *checker) told(seq dsl.Seq, key, value []byte) {
	s := c.win.slot(seq)
	switch {
	case s == nil:
	case c.collect != nil:
		c.collect.add(true, seq, key, value)
	default:
		s.told.add(key, value)
		c.count("index", 1)
	}
}

func (c *checker) found(seq dsl.Seq, key, value []byte) {
	s := c.slot(seq, key)
	switch {
	case s == nil:
	case c.collect != nil:
		c.collect.add(false, seq, key, value)
	default:
		s.found.add(key, value)
	}
}

// raise adds to a counter of a position.
func (c *checker) raise(seq dsl.Seq, counter int, by int) {
	if s := c.win.slot(seq); s != nil && c.collect == nil {
		s.got[counter] += uint64(by) // a negative one wraps round and back
	}
}

// slot gives the slot of the position that a row says it belongs to, and notes
// one that says it belongs to none.
func (c *checker) slot(seq dsl.Seq, key []byte) *slot {
	if last := c.win.lo+dsl.Seq(len(c.win.slots)) > c.head; last && (seq < c.first || seq > c.head) {
		kind := "index"
		if isLogical(key[0]) {
			kind = "digest"
		}
		c.fault(seq, kind, "the %s row %x belongs to no position from %s to %s", classNames[key[0]], key[1:], c.first, c.head)
	}
	return c.win.slot(seq)
}

func isLogical(class byte) bool { return bytes.IndexByte(logicalClasses, class) >= 0 }

// logicalClasses are those whose rows enter the digest.
var logicalClasses = []byte{clTurn, clSettings, clNode, clVersion, clClosing, clArchive, clLink, clEvent, clMemory, clHeld}

// classNames say what the rows of a class are.
var classNames = map[byte]string{
	clPosition: "position", clPlace: "place", clTurn: "turn", clTurnID: "turn id", clKnown: "content key",
	clSettings: "settings", clNode: "node", clVersion: "version", clClosing: "closing", clArchive: "archive", clLink: "link",
	clEvent: "event", clAlias: "alias", clEvidence: "evidence", clState: "state", clRel: "relation", clKey: "key", clDst: "value",
	clChange: "change", clEventKey: "event key", clInvolved: "event of", clPosting: "posting", clDoc: "document", clDocs: "documents", clMember: "member", clVector: "vector", clName: "name", clNameID: "name number", clLater: "later",
	clMemory: "memory", clHeld: "held", clSession: "session",
}

// collected gathers the derived rows of a few positions.
type collected struct {
	of   map[dsl.Seq]*[2]map[string]string // told, found
	size int
}

// maxCollected bounds the rows that are gathered.
const maxCollected = 1 << 17

func newCollected(seqs []dsl.Seq) *collected {
	l := &collected{of: map[dsl.Seq]*[2]map[string]string{}}
	for _, seq := range seqs {
		l.of[seq] = &[2]map[string]string{{}, {}}
	}
	return l
}

func (l *collected) add(told bool, seq dsl.Seq, key, value []byte) {
	sides := l.of[seq]
	if l.size++; sides == nil || l.size > maxCollected {
		return
	}
	side := 1
	if told {
		side = 0
	}
	sides[side][string(key)] += string(value)
}

// explain names the derived rows that differ.
func (c *checker) explain(l *collected) {
	for _, seq := range slices.Sorted(maps.Keys(l.of)) {
		told, found := l.of[seq][0], l.of[seq][1]
		any := false
		for _, key := range union(told, found) {
			t, isTold := told[key]
			f, isFound := found[key]
			if t == f && isTold == isFound {
				continue
			}
			any = true
			kind := "index"
			if key[0] == clState {
				kind = "state"
			}
			what := fmt.Sprintf("the %s row %x ", classNames[key[0]], key[1:])
			switch {
			case !isFound:
				what += "is missing"
			case !isTold:
				what += "is told by no logical row"
			default:
				what += fmt.Sprintf("holds %x, the logical rows tell %x", clipBytes(f), clipBytes(t))
			}
			c.fault(seq, kind, "%s", what)
		}
		if !any {
			c.fault(seq, "index", "derived rows of the position are not those that its logical rows tell; there are too many to name them")
		}
	}
}

func union(a, b map[string]string) []string {
	keys := slices.Collect(maps.Keys(a))
	for k := range b {
		if _, ok := a[k]; !ok {
			keys = append(keys, k)
		}
	}
	return sorted(keys)
}

func clipBytes(s string) []byte { return []byte(s[:min(len(s), 48)]) }
