package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/asof-db/asof/dsl"
)

// docRow is a document of the text index: its length and, by field, the
// numbers of session and speaker and the time of a turn, or the id and version
// of a fact or an event.
type docRow struct {
	Doc
	id      string
	version uint32
}

// append encodes a document after another one, which is the zero row for the
// first.
func (d *docRow) append(b []byte, f Field, before *Doc) []byte {
	b = appendVar(appendVar(b, uint64(d.Seq-before.Seq)), uint64(d.Length))
	if f == TurnField {
		b = appendVar(appendVar(appendVar(b, uint64(d.Context)), uint64(d.Session)), uint64(d.Speaker))
		return appendDiff(b, d.TS, before.TS)
	}
	return appendVar(appendID(b, d.id), uint64(d.version))
}

func (r *reader) docRow(f Field, before *Doc) (d docRow) {
	d.Seq, d.Length = before.Seq+dsl.Seq(r.uvar()), uint32(r.uvar())
	if f == TurnField {
		d.Context, d.Session, d.Speaker = uint32(r.uvar()), uint32(r.uvar()), uint32(r.uvar())
		d.TS = r.diff(before.TS)
		return d
	}
	d.TS = dsl.Beginning
	d.id, d.version = r.id(), uint32(r.uvar())
	return d
}

// tailRow is a document whose segment is not sealed yet: with its terms, and
// with the two turns before it in its session, the last one first.
type tailRow struct {
	docRow
	before [ContextTurns]int32 // -1 for none
	terms  []termCount
}

// termCount says how often a document holds a term, which is known by a number.
type termCount struct {
	id uint32
	tf uint32
}

// appendTail encodes the row of document doc. terms are sorted, and repeated as
// they occur.
func (d *docRow) appendTail(f Field, doc int, before [ContextTurns]int32, terms []string) []byte {
	b := d.append(make([]byte, 0, 32+10*len(terms)), f, new(Doc))
	if f == TurnField {
		for _, p := range before {
			distance := 0
			if p >= 0 {
				distance = doc - int(p)
			}
			b = appendVar(b, uint64(distance))
		}
	}
	for i := 0; i < len(terms); {
		j := i + 1
		for j < len(terms) && terms[j] == terms[i] {
			j++
		}
		b = appendVar(appendStr(b, terms[i]), uint64(j-i))
		i = j
	}
	return b
}

// decodeTail reads the row of document doc; id gives the number of a term.
func decodeTail(f Field, doc int, value []byte, id func(term []byte) uint32) (d tailRow, err error) {
	r := reader{b: value}
	d.docRow = r.docRow(f, new(Doc))
	for i := range d.before {
		d.before[i] = -1
		if f == TurnField {
			distance := r.uvar()
			if distance > uint64(doc) {
				r.fail()
			} else if distance > 0 {
				d.before[i] = int32(doc - int(distance))
			}
		}
	}
	for len(r.b) > 0 {
		term := r.take(int(min(r.uvar(), maxTermKey+1)))
		tf := r.uvar()
		if r.bad || len(term) > maxTermKey || tf == 0 || tf > maxTF {
			r.fail()
			break
		}
		d.terms = append(d.terms, termCount{id(term), uint32(tf)})
	}
	return d, r.done("document")
}

// maxTermKey is the longest term that a key has room for.
const maxTermKey = 255

// docChunk is the documents of a sealed segment. It never changes.
type docChunk struct {
	info []Doc
	raw  []byte
	id   []uint32 // where in raw the id and version of a fact or an event lie
}

func decodeChunk(f Field, raw []byte) (*docChunk, error) {
	c := &docChunk{info: make([]Doc, 0, ChunkDocs), raw: raw}
	r := reader{b: raw}
	var before Doc
	for range ChunkDocs {
		d := docRow{}
		if f == TurnField {
			d = r.docRow(f, &before)
		} else {
			d.Seq, d.Length, d.TS = before.Seq+dsl.Seq(r.uvar()), uint32(r.uvar()), dsl.Beginning
			c.id = append(c.id, uint32(len(raw)-len(r.b)))
			if r.byte() == 1 { // as appendID writes it
				r.take(16)
			} else {
				r.take(int(min(r.uvar(), uint64(len(raw)))))
			}
			r.uvar()
		}
		c.info = append(c.info, d.Doc)
		before = d.Doc
	}
	return c, r.done("documents")
}

// row gives a document whole.
func (c *docChunk) row(i int) (docRow, error) {
	d := docRow{Doc: c.info[i]}
	if c.id == nil {
		return d, nil
	}
	r := reader{b: c.raw[c.id[i]:]}
	d.id, d.version = r.id(), uint32(r.uvar())
	if r.bad {
		return d, r.done("documents")
	}
	return d, nil
}

// length gives the length of a document with its context, in tenths.
func (d *Doc) length() uint32 {
	return uint32(min(OwnWeight*uint64(d.Length)+ContextWeight*uint64(d.Context), 1<<32-1))
}

// doc gives a document of the view.
func (v *snapshot) doc(f Field, doc int) (docRow, error) {
	pos, err := v.position()
	if err != nil {
		return docRow{}, err
	}
	if doc >= 0 && uint64(doc) < pos.docs[fieldIndex(f)] {
		if c := v.s.caches.chunk(chunkID{tableID{v.space, pos.dropped, f}, uint32(doc / ChunkDocs)}); c != nil {
			return c.row(doc % ChunkDocs)
		}
	}
	x, err := v.index(f)
	if err != nil {
		return docRow{}, err
	}
	d, err := x.doc(doc)
	return d, errors.Join(err, x.Close())
}

// chunk gives the documents of a sealed segment, from memory if they are there.
func (v *snapshot) chunk(id chunkID, get func(key []byte) ([]byte, bool, error)) (*docChunk, error) {
	if c := v.s.caches.chunk(id); c != nil {
		return c, nil
	}
	value, ok, err := get(v.keys.docs(id.field, id.segment))
	if err != nil {
		return nil, err
	}
	c, err := decodeChunk(id.field, value)
	if !ok || err != nil {
		return nil, fmt.Errorf("store: %w: segment %d of the documents of field %c is missing or does not decode", dsl.ErrCorrupt, id.segment, id.field)
	}
	if v.stage == nil { // what is staged may come to nothing
		v.s.caches.putChunk(id, c)
	}
	return c, nil
}

// lastMembers gives the last turns of a session before a turn, those left out
// that were replaced up to a position, the last one first, and their lengths; -1
// and 0 for none.
func lastMembers(r pebble.Reader, k *keySpace, session, before uint32, seq dsl.Seq) (members, error) {
	m := members{doc: noMembers}
	err := m.fill(r, k, session, before, 0, func(doc uint32) (bool, error) { return replacedUpTo(r, k, doc, seq) })
	return m, err
}

// lastMembers is lastMembers of what the stage has written over the store.
func (o *overlay) lastMembers(k *keySpace, session, before uint32, seq dsl.Seq) (members, error) {
	m := members{doc: noMembers}
	gone := func(doc uint32) (bool, error) {
		lo := k.laterOf(laterReplaced, doc)
		if len(o.under(lo)) > 0 {
			return true, nil
		}
		if o.isDropped(lo) {
			return false, nil
		}
		return replacedUpTo(o.db, k, doc, seq)
	}
	lo, n := k.members(session), 0
	own := o.under(lo) // later than what is in the store
	for i := len(own) - 1; i >= 0 && n < ContextTurns; i-- {
		took, err := m.take(o.keyOf(own[i]), o.valueOf(own[i]), n, gone)
		if err != nil {
			return m, err
		}
		n += took
	}
	if n == ContextTurns || o.isDropped(lo) {
		return m, nil
	}
	return m, m.fill(o.db, k, session, before, n, gone)
}

// fill goes on from the n-th with the members that a reader holds.
func (m *members) fill(r pebble.Reader, k *keySpace, session, before uint32, n int, gone func(uint32) (bool, error)) (err error) {
	lo := k.members(session)
	it, err := r.NewIter(&pebble.IterOptions{LowerBound: lo, UpperBound: appendU32(slices.Clone(lo), before)})
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	for ok := it.Last(); ok && n < ContextTurns; ok = it.Prev() {
		took, err := m.take(it.Key(), it.Value(), n, gone)
		if err != nil {
			return err
		}
		n += took
	}
	return it.Error()
}

// take makes a turn the n-th member and gives 1, or 0 where it is gone.
func (m *members) take(key, value []byte, n int, gone func(uint32) (bool, error)) (int, error) {
	length, w := binary.Uvarint(value)
	if w <= 0 || len(key) != 18 {
		return 0, fmt.Errorf("%w: a turn of a session does not decode", dsl.ErrCorrupt)
	}
	doc := binary.BigEndian.Uint32(key[14:])
	if is, err := gone(doc); err != nil || is {
		return 0, err
	}
	m.doc[n], m.length[n] = int32(doc), uint32(length)
	return 1, nil
}

// members are the last turns of a session, the last one first.
type members struct {
	doc    [ContextTurns]int32
	length [ContextTurns]uint32
}

var noMembers = [ContextTurns]int32{-1, -1}
