package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/asof-db/asof/dsl"
)

// walked is how far the walk over the turns has come; it goes on from window to
// window.
type walked struct {
	// sessions and speakers count the names met so far.
	sessions, speakers uint64
}

func decodeLink(value []byte) (l linkRow, err error) {
	r := reader{b: value}
	l.id = r.str()
	if i := int(r.byte()); i < len(linkKinds) {
		l.kind = linkKinds[i]
	} else {
		r.fail()
	}
	l.from, l.to = r.str(), r.str()
	l.retract = r.byte() != 0
	l.confidence, l.reason = r.float(), r.text()
	return l, r.done("link")
}

// bare gives a key from its class on.
func (c *checker) bare(key []byte) []byte { return key[len(c.keys.prefix):] }

// broken notes, once, a row that does not decode or lies under a wrong key.
func (c *checker) broken(seq dsl.Seq, key []byte, format string, args ...any) {
	if c.once {
		c.fault(seq, "rows", "the %s row %x "+format, append([]any{classNames[key[0]], key[1:]}, args...)...)
	}
}

// recorded checks that a row bears the record time of its position.
func (c *checker) recorded(seq dsl.Seq, key []byte, at dsl.Instant) {
	if s := c.win.slot(seq); s != nil && s.present && at != s.time {
		c.fault(seq, "I3", "the %s row %x was recorded at %s, its position at %s", classNames[key[0]], key[1:], at, s.time)
	}
}

// interval checks I1.
func (c *checker) interval(seq dsl.Seq, key []byte, what string, v dsl.Interval) {
	if !c.once {
		return
	}
	c.count("I1", 1)
	if !v.Valid() {
		c.fault(seq, "I1", "the %s row %x has the %s interval from %d to %d µs", classNames[key[0]], key[1:], what, v.Start, v.End)
	}
}

// times tells the rows that follow from positions alone.
func (c *checker) times() error {
	for i := range c.win.slots {
		if s := &c.win.slots[i]; s.present && s.kind == dsl.TxCandidates {
			c.further(c.win.lo + dsl.Seq(i))
		}
	}
	return nil
}

func (c *checker) settingsAndNodes() error {
	err := c.rows(clSettings, func(key, value []byte) error {
		r := reader{b: value}
		seq := dsl.Seq(r.uvar())
		if h := dsl.Sum(r.b); r.bad || string(h[:]) != string(key[1:]) {
			c.broken(seq, key, "holds settings of another hash")
		}
		c.logical(seq, key, value)
		return nil
	})
	if err != nil {
		return err
	}
	return c.rows(clNode, func(key, value []byte) error {
		n, err := decodeNode(value)
		if err != nil {
			c.broken(n.seq, key, "does not decode")
			return nil
		}
		if id := id16(n.ID); string(id[:]) != string(key[1:]) {
			c.broken(n.seq, key, "holds the node %s", n.ID)
		}
		c.logical(n.seq, key, value)
		return nil
	})
}

// cursor walks the rows of a class.
type cursor struct {
	c  *checker
	it *pebble.Iterator
}

func (c *checker) cursor(class byte) (*cursor, error) {
	lo := c.keys.class(class)
	it, err := c.f.snap.NewIter(&pebble.IterOptions{LowerBound: lo, UpperBound: after(lo)})
	if err != nil {
		return nil, err
	}
	u := &cursor{c, it}
	it.First()
	u.skip()
	return u, nil
}

func (u *cursor) skip() {
	for u.it.Valid() && !wellFormed(u.c.bare(u.it.Key())) {
		u.it.Next()
	}
}

// key is the row's key from the class on, nil at the end.
func (u *cursor) key() []byte {
	if !u.it.Valid() {
		return nil
	}
	return u.c.bare(u.it.Key())
}

func (u *cursor) next() {
	u.it.Next()
	u.skip()
}

// factRows are all logical rows of one fact.
type factRows struct {
	versions []versionRow // in order of opening
	closings map[uint32]closingRow
	archives []archiveRow
}

// archiveRow is one ARCHIVE_EDGE with the versions that it took out.
type archiveRow struct {
	seq      dsl.Seq
	op       int
	kind     dsl.OpKind
	versions []uint32
}

// facts walks versions, closings and archives side by side, fact by fact.
func (c *checker) facts() (err error) {
	var u [3]*cursor
	for i, class := range []byte{clVersion, clClosing, clArchive} {
		if u[i], err = c.cursor(class); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, u[i].it.Close()) }()
	}
	for {
		var id []byte // the least fact that any of the three stands at
		for _, x := range u {
			if k := x.key(); k != nil && (id == nil || string(k[1:17]) < string(id)) {
				id = k[1:17]
			}
		}
		if id == nil {
			return errors.Join(u[0].it.Error(), u[1].it.Error(), u[2].it.Error())
		}
		id = slices.Clone(id)
		f := factRows{closings: map[uint32]closingRow{}}
		for i, x := range u {
			for k := x.key(); k != nil && string(k[1:17]) == string(id); k = x.key() {
				if err := c.tick(); err != nil {
					return err
				}
				c.factRow(i, &f, k, x.it.Value())
				x.next()
			}
		}
		c.fact(id, &f)
	}
}

// factRow takes one row of a fact.
func (c *checker) factRow(which int, f *factRows, key, value []byte) {
	switch which {
	case 0:
		v, err := decodeVersion(value)
		if err != nil {
			c.broken(v.opened, key, "does not decode")
			return
		}
		if id := id16(v.id); string(id[:]) != string(key[1:17]) || v.version != binary.BigEndian.Uint32(key[17:]) {
			c.broken(v.opened, key, "holds version %d of fact %s", v.version, v.id)
			return
		}
		c.logical(v.opened, key, value)
		c.recorded(v.opened, key, v.openedAt)
		c.interval(v.opened, key, "valid", v.valid)
		f.versions = append(f.versions, v)
	case 1:
		cl, err := decodeClosing(value)
		if err != nil {
			c.broken(cl.seq, key, "does not decode")
			return
		}
		c.logical(cl.seq, key, value)
		c.recorded(cl.seq, key, cl.at)
		f.closings[binary.BigEndian.Uint32(key[17:])] = cl
	case 2:
		seq, op := keySeq(key, 17), int(binary.BigEndian.Uint16(key[25:]))
		a, err := decodeClosing(value)
		if err != nil || a.seq != seq || a.op != op {
			c.broken(seq, key, "does not decode, or names another operation")
		}
		c.logical(seq, key, value)
		c.recorded(seq, key, a.at)
		f.archives = append(f.archives, archiveRow{seq: seq, op: op, kind: a.opKind})
	}
}

// place is where in the log something was done.
type place struct {
	seq dsl.Seq
	op  int
}

func (p place) before(q place) bool { return p.seq < q.seq || p.seq == q.seq && p.op < q.op }

// fact checks I1 and I2 of one fact and tells its derived rows.
func (c *checker) fact(id []byte, f *factRows) {
	slices.SortFunc(f.versions, func(a, b versionRow) int {
		if (place{a.opened, a.op}).before(place{b.opened, b.op}) {
			return -1
		}
		return 1
	})
	c.archived(f)
	if c.once {
		c.overlaps(id, f)
	}
	for i := range f.versions {
		v := &f.versions[i]
		c.raise(v.opened, nFacts, 1)
		if !v.archived {
			c.raise(v.opened, nOpen, 1)
		}
		if c.win.slot(v.opened) == nil {
			continue
		}
		srcRel := append(appendID(nil, v.src), v.rel...)
		c.told(v.opened, c.bare(c.keys.idSeqOp(clDst, v.dst, v.opened, v.op)), srcRel)
		for j, turn := range v.evidence {
			if !slices.Contains(v.evidence[:j], turn) {
				c.told(v.opened, c.bare(c.keys.idSeqOp(clEvidence, turn, v.opened, v.op)), appendID(nil, v.id))
			}
		}
		if v.opKind == dsl.UpsertEdge {
			c.toldChange(v.opened, v.op, changeRow{kind: v.opKind, id: v.id, opened: v.version})
		}
		c.toldState(v.opened, v.src, v.rel, &change{kind: chOpen, entry: v.entry})
		c.told(v.opened, docIdentity(FactField, v.id, v.version), nil)
	}
	byNumber, successor := map[uint32]int{}, map[place]uint32{}
	for i := range f.versions {
		v := &f.versions[i]
		byNumber[v.version] = i
		if v.opKind == dsl.RetroCorrectOp {
			successor[place{v.opened, v.op}] = v.version
		}
	}
	for n, cl := range f.closings {
		i, ok := byNumber[n]
		if !ok {
			if c.once {
				c.fault(cl.seq, "I2", "version %d of the fact under %x is closed and was never opened", n, id)
			}
			continue
		}
		v := &f.versions[i]
		c.toldChange(cl.seq, cl.op, changeRow{kind: cl.opKind, id: v.id, closed: n, opened: successor[place{cl.seq, cl.op}]})
		c.toldState(cl.seq, v.src, v.rel, &change{kind: chClose, id: v.id, version: n})
	}
	for _, a := range f.archives {
		if len(f.versions) == 0 {
			continue // the archive's logical row is there, its fact is not: the digest tells
		}
		first := slices.MinFunc(f.versions, func(a, b versionRow) int { return int(a.version) - int(b.version) })
		c.toldChange(a.seq, a.op, changeRow{kind: a.kind, id: first.id, archived: a.versions})
		at := place{a.seq, a.op}
		for i := range f.versions {
			v := &f.versions[i]
			cl, closed := f.closings[v.version]
			if openAt(v, &cl, closed, at) {
				c.toldState(a.seq, first.src, first.rel, &change{kind: chArchive, id: v.id, version: v.version})
			}
		}
		c.raise(a.seq, nOpen, -len(a.versions))
	}
}

// archived finds what each ARCHIVE_EDGE took out of the working set, and counts
// the closings of what was in it.
func (c *checker) archived(f *factRows) {
	out := make([]bool, len(f.versions))
	for i, v := range f.versions {
		out[i] = v.archived
	}
	for i := range f.archives {
		a := &f.archives[i]
		at := place{a.seq, a.op}
		for j, v := range f.versions {
			cl, closed := f.closings[v.version]
			if out[j] || !openAt(&v, &cl, closed, at) {
				continue
			}
			out[j] = true
			a.versions = append(a.versions, v.version)
		}
	}
	for j, v := range f.versions {
		if cl, closed := f.closings[v.version]; closed && !out[j] {
			c.raise(cl.seq, nOpen, -1)
		}
	}
}

// openAt tells whether an operation at a place finds a version open.
func openAt(v *versionRow, cl *closingRow, closed bool, at place) bool {
	return (place{v.opened, v.op}).before(at) && !(closed && (place{cl.seq, cl.op}).before(at))
}

// overlaps checks the record intervals (I1) and that no two versions of the
// fact overlap in both times (I2). Only what was open when a version opened can
// overlap it.
func (c *checker) overlaps(id []byte, f *factRows) {
	type open struct {
		v   *versionRow
		end dsl.Seq
	}
	var list []open
	for i := range f.versions {
		v := &f.versions[i]
		c.count("I1", 1)
		c.count("I2", 1)
		end := dsl.MaxSeq + 1
		if cl, ok := f.closings[v.version]; ok {
			if end = cl.seq; end < v.opened || cl.at < v.openedAt {
				c.fault(v.opened, "I1", "version %d of fact %s is recorded from %s %s to %s %s", v.version, v.id, v.opened, v.openedAt, cl.seq, cl.at)
			}
		}
		if v.src != f.versions[0].src || v.rel != f.versions[0].rel {
			c.fault(v.opened, "I2", "version %d of fact %s is about another subject or relation than version %d", v.version, v.id, f.versions[0].version)
		}
		list = slices.DeleteFunc(list, func(o open) bool { return o.end <= v.opened })
		for _, o := range list {
			if end > v.opened && o.v.valid.Overlaps(v.valid) {
				c.fault(v.opened, "I2", "versions %d and %d of fact %s hold in %s and %s, both believed from %s on",
					o.v.version, v.version, v.id, o.v.valid, v.valid, v.opened)
			}
		}
		if end > v.opened {
			list = append(list, open{v, end})
		}
	}
}

// docIdentity stands for the document of a version, whatever its number.
func docIdentity(f Field, id string, version uint32) []byte {
	return appendU32(append([]byte{clDoc, byte(f), '#'}, id...), version)
}

func (c *checker) toldChange(seq dsl.Seq, op int, row changeRow) {
	if c.win.slot(seq) != nil {
		c.told(seq, changeIdentity(seq, op), appendChangeRow(nil, op, &row))
	}
}

// changeIdentity stands for the change of an operation, in whatever row it lies.
func changeIdentity(seq dsl.Seq, op int) []byte {
	return appendU16(appendU64([]byte{clChange}, uint64(seq)), uint16(op))
}

// toldState tells a change of a state row, whatever the node that it belongs to.
// It is one row to the set hash.
func (c *checker) toldState(seq dsl.Seq, src, rel string, ch *change) {
	if c.win.slot(seq) != nil {
		c.told(seq, appendChange(appendU64(c.bare(c.keys.state(src, rel)), ^uint64(seq)), ch, 0), nil)
	}
}

// links tells the rows that follow from LINK operations.
func (c *checker) links() error {
	return c.rows(clLink, func(key, value []byte) error {
		seq, op := keySeq(key, 17), int(binary.BigEndian.Uint16(key[25:]))
		c.logical(seq, key, value)
		if c.win.slot(seq) == nil {
			return nil
		}
		l, err := decodeLink(value)
		if id := id16(l.id); err != nil || string(id[:]) != string(key[1:17]) {
			c.fault(seq, "rows", "the link row %x does not decode, or is of another link", key[1:])
			return nil
		}
		switch l.kind {
		case dsl.AliasOf:
			for i, end := range [][2]string{{l.from, l.to}, {l.to, l.from}} {
				if i == 0 && l.from == l.to {
					continue // both ends have one key, the far end is written last
				}
				flags := byte(i << 1)
				if l.retract {
					flags |= 1
				}
				c.told(seq, c.bare(c.keys.idSeqOp(clAlias, end[0], seq, op)), append(appendID(nil, end[1]), flags))
			}
		case dsl.EvidenceLink:
			versions, err := versionRows(c.f.snap, c.keys.id(clVersion, l.to))
			if err != nil || len(versions) == 0 {
				c.fault(seq, "rows", "turn %q is linked as evidence of the fact %s, which cannot be read", l.from, l.to)
				return nil
			}
			for i := range versions {
				v := &versions[i]
				ch := change{kind: chEvidence, id: l.to, version: v.version, turn: l.from, confidence: l.confidence}
				if l.retract {
					ch.kind = chForget
				}
				value, closed := c.get(c.keys.idVersion(clClosing, l.to, v.version))
				cl, err := decodeClosing(value)
				if openAt(v, &cl, closed && err == nil, place{seq, op}) {
					c.toldState(seq, v.src, v.rel, &ch)
				}
			}
			c.told(seq, c.bare(c.keys.idSeqOp(clEvidence, l.from, seq, op)), appendID(nil, l.to))
		}
		return nil
	})
}

// eventRows tells the rows that follow from versions of events.
func (c *checker) eventRows() error {
	return c.rows(clEvent, func(key, value []byte) error {
		e, err := decodeEvent(value)
		if id := id16(e.ID); err != nil || string(id[:]) != string(key[1:17]) || e.Version != binary.BigEndian.Uint32(key[17:]) {
			c.broken(e.Opened, key, "does not decode, or is of another event")
			return nil
		}
		c.logical(e.Opened, key, value)
		c.recorded(e.Opened, key, e.Record.Start)
		c.interval(e.Opened, key, "time span", e.Span)
		c.raise(e.Opened, nEvents, 1)
		if c.win.slot(e.Opened) == nil {
			return nil
		}
		if e.Version == 1 {
			c.told(e.Opened, eventIdentity(e.Opened, e.ID), nil)
		}
		for _, id := range involved(&e.Event) {
			h := id16(id)
			c.told(e.Opened, involvedIdentity(h[:], e.Opened, e.ID), nil)
		}
		c.told(e.Opened, docIdentity(EventField, e.ID, e.Version), nil)
		return nil
	})
}

// eventIdentity stands for the first appearance of an event in a transaction,
// whichever operation it was: the logical row does not tell.
func eventIdentity(seq dsl.Seq, id string) []byte {
	return append(appendU64([]byte{clEventKey}, uint64(seq)), id...)
}

// involvedIdentity stands for a row that leads from a fact or a participant to an
// event that a transaction wrote, whichever operation it was.
func involvedIdentity(id []byte, seq dsl.Seq, event string) []byte {
	return append(appendU64(append([]byte{clInvolved}, id...), uint64(seq)), event...)
}

// get reads a row; what cannot be read is as good as absent, and told.
func (c *checker) get(key []byte) ([]byte, bool) {
	v, ok, err := get(c.f.snap, key)
	if err != nil {
		c.fault(0, "rows", "reading %x: %v", c.bare(key), err)
		return nil, false
	}
	return v, ok
}

// nodeName gives the name that a fact is indexed by.
func (c *checker) nodeName(view *snapshot, id string) (string, error) {
	n, err := view.Node(id)
	if err != nil {
		return "", fmt.Errorf("node %s: %w", id, err)
	}
	return n.Name.Open()
}
