package store

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/asof-db/asof/dsl"
)

// validWindow is the stretch of valid time that a read of a key is about: lo to hi,
// both inside it.
type validWindow struct{ lo, hi dsl.Instant }

// everything is the window that leaves nothing out, not even what never holds.
var everything = validWindow{dsl.Beginning, dsl.Forever}

// holds tells whether a version holds at some instant of the window.
func (w validWindow) holds(v dsl.Interval) bool {
	return w == everything || v.Start <= w.hi && v.End > w.lo && v.Start < v.End
}

// treeReader reads the tree of one (src, rel) key as of a position.
type treeReader struct {
	lent lent // it, where the view is one of what is committed
	it   stateIter
	key  []byte // the prefix of the key's rows, a node, an inverted position
	n    int    // length of the prefix
	seq  dsl.Seq
	win  validWindow

	out []entry
	// since counts the changes folded into the last leaf read.
	since int
	next  uint32 // of an inner root
	*rowScratch
}

// stateIter goes over the state rows of a key.
type stateIter interface {
	SeekGE(key []byte) bool
	Next() bool
	Key() []byte
	Value() []byte
	Error() error
	Close() error
}

// rowScratch holds rows on their way from the newest to the oldest. It is used
// again by the next reader.
type rowScratch struct {
	later []byte
	rows  []laterRow
}

// laterRow is a row in rowScratch.later that begins at off.
type laterRow struct {
	off int
	seq dsl.Seq
}

func (v *snapshot) treeReader(src, rel string, seq dsl.Seq, w validWindow) (treeReader, error) {
	key := v.keys.stateOf(src, v.s.caches.hash8(rel))
	var one lent
	var it stateIter
	var err error
	if v.stage != nil {
		it, err = v.stage.rows.state(key)
	} else {
		one, err = v.iter()
		it = one
	}
	if err != nil {
		return treeReader{}, err
	}
	scratch, _ := v.s.scratch.Get().(*rowScratch)
	if scratch == nil {
		scratch = new(rowScratch)
	}
	r := treeReader{lent: one, it: it, rowScratch: scratch, key: key, seq: seq, win: w}
	r.n = len(r.key)
	r.key = append(r.key, make([]byte, 12)...)
	return r, nil
}

// scratchKept bounds the scratch that is kept for the next reader, in bytes.
const scratchKept = 1 << 16

// done gives back what was lent to a reader.
func (v *snapshot) done(r *treeReader) {
	if v.stage != nil {
		_ = r.it.Close() // what it read was checked
	} else {
		v.put(r.lent)
	}
	if cap(r.later) <= scratchKept {
		r.later, r.rows = r.later[:0], r.rows[:0]
		v.s.scratch.Put(r.rowScratch)
	}
}

// seek goes to the newest row of a node at or before the reader's position.
func (r *treeReader) seek(node uint32) bool {
	binary.BigEndian.PutUint32(r.key[r.n:], node)
	binary.BigEndian.PutUint64(r.key[r.n+4:], ^uint64(r.seq))
	return r.it.SeekGE(r.key) && r.at()
}

// at tells whether the iterator stands at a row of the node that was sought.
func (r *treeReader) at() bool {
	key := r.it.Key()
	return len(key) == len(r.key) && string(key[:r.n+4]) == string(r.key[:r.n+4])
}

// node reads one node: the children of an inner node, or the versions of a
// leaf that hold in the window, which it adds to out. found is false where the
// node was not there yet.
func (r *treeReader) node(id uint32) (kids []kid, found bool, err error) {
	base := len(r.out)
	r.later, r.rows, r.since = r.later[:0], r.rows[:0], 0
	for ok := r.seek(id); ok; ok = r.it.Next() && r.at() {
		found = true
		value := r.it.Value()
		row := openStateRow(value)
		if row.body == bodyKids {
			r.next, kids = row.kids(row.at)
			if row.bad {
				return nil, true, row.done("state")
			}
			return kids, true, r.it.Error()
		}
		if row.body == bodyEntries {
			for range row.count(2) {
				r.take(&row.reader, row.at)
			}
			if row.bad {
				return nil, true, row.done("state")
			}
			break
		}
		r.rows = append(r.rows, laterRow{len(r.later), ^keySeq(r.it.Key(), r.n+4)})
		r.later = append(r.later, value...)
	}
	if err := r.it.Error(); err != nil {
		return nil, found, fmt.Errorf("state: %w", err)
	}
	for i, end := len(r.rows)-1, len(r.later); i >= 0; i-- {
		row := openStateRow(r.later[r.rows[i].off:end])
		end = r.rows[i].off
		if err := r.changes(&row, base, r.rows[i].seq, false); err != nil {
			return nil, true, err
		}
	}
	return nil, found, nil
}

// take reads an entry, and keeps it if it holds in the window.
func (r *treeReader) take(from *reader, base dsl.Instant) {
	one := reader{b: from.take(from.count(1))}
	peek := one
	_, _, valid := peek.head(base)
	if !peek.bad && !r.win.holds(valid) {
		return
	}
	e := one.entry(base)
	if one.bad || len(one.b) != 0 {
		from.fail()
		return
	}
	r.out = append(r.out, e)
}

// changes applies the changes of a row to the versions from base on. With keep,
// what it closes stays, marked.
func (r *treeReader) changes(row *stateRow, base int, seq dsl.Seq, keep bool) error {
	row.skipBody()
	n := row.count(2)
	for range n {
		r.since++
		if len(row.b) > 0 && row.b[0] == chOpen {
			row.b = row.b[1:]
			r.take(&row.reader, row.at)
			continue
		}
		c := row.change(row.at)
		if row.bad {
			break
		}
		i := base
		for i < len(r.out) && (r.out[i].version != c.version || r.out[i].id != c.id) {
			i++
		}
		switch {
		case i == len(r.out):
			if r.win == everything {
				return fmt.Errorf("%w: fact %s version %d is changed at %s but was not open", dsl.ErrCorrupt, c.id, c.version, seq)
			}
		case c.kind != chClose:
			c.change(&r.out[i])
		case keep:
			r.out[i].closed, r.out[i].closedAt = seq, row.at
		default:
			r.out = slices.Delete(r.out, i, i+1)
		}
	}
	return row.done("state")
}

// visit reads a node and all below it that may hold something of the window.
func (r *treeReader) visit(id uint32, depth int) (found bool, err error) {
	if depth > treeDepth {
		return false, tooDeep()
	}
	kids, found, err := r.node(id)
	if err != nil {
		return found, err
	}
	for i := range kids {
		if i > 0 && kids[i].from.start > r.win.hi {
			break
		}
		if i+1 < len(kids) && kids[i+1].from.start <= r.win.lo && kids[i].reach <= r.win.lo {
			continue
		}
		below, err := r.visit(kids[i].node, depth+1)
		if err != nil {
			return found, err
		}
		if !below {
			return found, fmt.Errorf("%w: node %d of a state tree is missing", dsl.ErrCorrupt, kids[i].node)
		}
	}
	return found, nil
}

// readWindow gives the versions of (src, rel) that are open at the basis and
// hold in the window, in order of opening.
func (v *snapshot) readWindow(src, rel string, w validWindow) (list []entry, found bool, err error) {
	if v.atHead() {
		if list, found, err = v.stagedWindow(src, rel, w); err != nil {
			err = fmt.Errorf("store: state of (%s, %s): %w", src, rel, err)
		}
		return list, found, err
	}
	r, err := v.treeReader(src, rel, v.basisSeq, w)
	if err != nil {
		return nil, false, err
	}
	defer v.done(&r)
	if found, err = r.visit(0, 0); err != nil {
		return nil, found, fmt.Errorf("store: state of (%s, %s): %w", src, rel, err)
	}
	slices.SortFunc(r.out, byOpening)
	return r.out, found, nil
}

// readHistory gives every version of (src, rel) that was opened up to the
// basis, closed ones included, in order of opening. Nodes are numbered as they
// come into being, so those that the basis knows come first.
func (v *snapshot) readHistory(src, rel string) ([]entry, error) {
	r, err := v.treeReader(src, rel, v.basisSeq, everything)
	if err != nil {
		return nil, err
	}
	defer v.done(&r)
	for id := uint32(0); r.seek(id); id++ {
		for ok := true; ok; ok = r.it.Next() && r.at() {
			r.rows = append(r.rows, laterRow{len(r.later), ^keySeq(r.it.Key(), r.n+4)})
			row := openStateRow(r.it.Value())
			if row.skipBody(); row.bad {
				return nil, fmt.Errorf("store: state of (%s, %s): %w", src, rel, row.done("state"))
			}
			r.later = append(append(appendTime(r.later, row.at), bodyNone), row.b...)
		}
	}
	if err := r.it.Error(); err != nil {
		return nil, fmt.Errorf("store: state: %w", err)
	}
	ends := len(r.later)
	order := make([]int, len(r.rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(r.rows[a].seq, r.rows[b].seq) })
	s := keyState{whole: true}
	for _, i := range order {
		end := ends
		if i+1 < len(r.rows) {
			end = r.rows[i+1].off
		}
		row := openStateRow(r.later[r.rows[i].off:end])
		for range row.count(2) {
			c := row.change(row.at)
			if row.bad {
				break
			}
			if err := s.fold(&c, r.rows[i].seq, row.at); err != nil {
				return nil, fmt.Errorf("store: %w", err)
			}
		}
		if err := row.done("state"); err != nil {
			return nil, fmt.Errorf("store: state of (%s, %s): %w", src, rel, err)
		}
	}
	slices.SortFunc(s.versions, byOpening)
	return s.versions, nil
}

// readVersion gives a version as of the basis: from the leaf that holds it, or,
// if it is closed, from the row of the leaf that closed it.
func (v *snapshot) readVersion(row *versionRow) (entry, error) {
	missing := func(why error) (entry, error) {
		if why == nil {
			why = fmt.Errorf("%w: it is in no state of its key", dsl.ErrCorrupt)
		}
		return entry{}, fmt.Errorf("store: fact %s version %d: %w", row.id, row.version, why)
	}
	value, ok, err := get(v.r, v.keys.idVersion(clClosing, row.id, row.version))
	if err != nil {
		return missing(err)
	}
	seq, path, closed := v.basisSeq, v.basisSeq, false
	if ok {
		c, err := decodeClosing(value)
		if err != nil {
			return missing(err)
		}
		if c.seq <= v.basisSeq {
			seq, path, closed = c.seq, c.seq-1, true
		}
	}
	if !closed && v.atHead() {
		e, open, err := v.stagedVersion(row)
		if err != nil || !open {
			return missing(err)
		}
		return e, nil
	}
	start := row.valid.Start
	r, err := v.treeReader(row.src, row.rel, path, validWindow{start, start})
	if err != nil {
		return missing(err)
	}
	defer v.done(&r)
	if row.valid.Empty() {
		r.win = everything // it holds nowhere, and yet it is there
	}
	leaf, err := r.leafOf(row.spot())
	if err != nil {
		return missing(err)
	}
	r.seq = seq
	if closed {
		if err := r.lastRow(leaf); err != nil {
			return missing(err)
		}
	}
	i := slices.IndexFunc(r.out, func(e entry) bool { return e.id == row.id && e.version == row.version })
	if i < 0 || closed != (r.out[i].closed != 0) {
		return missing(nil)
	}
	return r.out[i], nil
}

// leafOf reads the leaf that a spot belongs to and gives its number: that of the
// root where the tree is not there yet.
func (r *treeReader) leafOf(at spot) (uint32, error) {
	id := uint32(0)
	for range treeDepth {
		kids, _, err := r.node(id)
		if err != nil || kids == nil {
			return id, err
		}
		id = kids[kidFor(kids, at)].node
	}
	return 0, tooDeep()
}

// lastRow reads a leaf as it was before the reader's position, and then applies
// the changes of that position, keeping what they close.
func (r *treeReader) lastRow(leaf uint32) error {
	seq := r.seq
	if !r.seek(leaf) || ^keySeq(r.it.Key(), r.n+4) != seq {
		return fmt.Errorf("%w: position %s did nothing to it", dsl.ErrCorrupt, seq)
	}
	last := slices.Clone(r.it.Value())
	r.out, r.seq = r.out[:0], seq-1
	if _, _, err := r.node(leaf); err != nil {
		return err
	}
	row := openStateRow(last)
	return r.changes(&row, 0, seq, true)
}

// loader reads nodes of a key for the writer.
func (v *snapshot) loader(src, rel string, t *keyTree) nodeLoader {
	return func(id uint32) (*treeNode, error) {
		r, err := v.treeReader(src, rel, v.basisSeq, everything)
		if err != nil {
			return nil, err
		}
		defer v.done(&r)
		kids, found, err := r.node(id)
		if err != nil {
			return nil, err
		}
		if !found {
			return nil, fmt.Errorf("%w: node %d of the state tree of (%s, %s)", dsl.ErrNotFound, id, src, rel)
		}
		if kids != nil {
			if id == 0 {
				t.next = r.next
			}
			return &treeNode{kids: kids}, nil
		}
		sortBySpot(r.out)
		return &treeNode{leaf: true, entries: r.out, since: r.since}, nil
	}
}
