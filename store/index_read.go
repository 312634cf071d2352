package store

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/asof-db/asof/dsl"
)

// indexReader is the Index of the Pebble store. All it reads of the index it
// reads by one iterator, so that it sees the segments of one moment, however
// many are sealed and joined meanwhile; which there are follows from the number
// of documents at that moment.
type indexReader struct {
	v  *snapshot
	f  Field
	it lent

	stats   IndexStats
	dropped dsl.Seq
	// sealed is how many documents are in segments at the iterator's moment; the
	// view may hold fewer.
	sealed int
	spans  []span
	tail   *tail
	info   []Doc   // of the tail, as far as the view holds it
	chunks [][]Doc // those that were asked for, nil for others
	edits  *edits
	// read counts the bytes of rows of the index that were read.
	read   int
	closed bool
}

// Index implements View.
func (v *snapshot) Index(f Field) (Index, error) {
	x, err := v.index(f)
	if err != nil {
		return nil, err
	}
	return x, nil
}

func (v *snapshot) index(f Field) (*indexReader, error) {
	fi := fieldIndex(f)
	if fi < 0 {
		return nil, fmt.Errorf("store: %w: field %q", dsl.ErrInvalid, f)
	}
	pos, err := v.position()
	if err != nil {
		return nil, err
	}
	x := &indexReader{v: v, f: f, dropped: pos.dropped}
	x.stats = IndexStats{Docs: int(pos.docs[fi]), Terms: pos.terms[fi]}
	if f == TurnField {
		x.stats.Context, x.stats.Sessions, x.stats.Speakers = pos.context, int(pos.sessions), int(pos.speakers)
	}
	if x.it, err = v.iter(); err != nil {
		return nil, err
	}
	if pos.Seq == 0 {
		return x, nil
	}
	if err := x.begin(fi); err != nil {
		v.put(x.it)
		return nil, err
	}
	return x, nil
}

// begin finds the segments of the iterator's moment.
func (x *indexReader) begin(fi int) error {
	prefix := x.v.keys.class(clPosition)
	if !x.it.SeekLT(after(prefix)) || len(x.it.Key()) != len(prefix)+8 || string(x.it.Key()[:len(prefix)]) != string(prefix) {
		return cmp.Or(x.it.Error(), x.gone())
	}
	head, err := decodePosition(keySeq(x.it.Key(), len(prefix)), x.it.Value())
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	if head.Seq < x.v.basisSeq || head.dropped != x.dropped {
		return x.gone()
	}
	x.sealed = sealed(head.docs[fi])
	x.spans = spans(x.sealed, x.stats.Docs)
	return nil
}

// gone is the error of a view whose rows were dropped.
func (x *indexReader) gone() error {
	return fmt.Errorf("store: %w: space %q was dropped; %s is in no view any more", dsl.ErrNotFound, x.v.space, x.v.basisSeq)
}

// Close implements Index.
func (x *indexReader) Close() error {
	if !x.closed {
		x.closed = true
		x.v.put(x.it)
		x.v.s.metrics.indexRead(x.read)
	}
	return nil
}

// Stats implements Index.
func (x *indexReader) Stats() IndexStats { return x.stats }

// scan calls f with the rows of [lo, hi).
func (x *indexReader) scan(lo, hi []byte, f func(key, value []byte) error) error {
	for ok := x.it.SeekGE(lo); ok && string(x.it.Key()) < string(hi); ok = x.it.Next() {
		if err := f(x.it.Key(), x.it.Value()); err != nil {
			return err
		}
	}
	return x.it.Error()
}

// openTail reads the tail as far as the view holds it.
func (x *indexReader) openTail() error {
	if x.tail != nil {
		return nil
	}
	from := tailSource{r: x.v.r, keys: &x.v.keys, f: x.f, analyzer: &x.v.s.reading, scan: func(lo, hi []byte, f func(key, value []byte) error) error {
		return x.scan(lo, hi, func(key, value []byte) error {
			x.read += len(value)
			return f(key, value)
		})
	}}
	if x.f == FactField {
		pos, err := x.v.position()
		if err != nil {
			return err
		}
		from.pos = &pos
		from.name = func(id string) (string, error) {
			n, err := x.v.Node(id)
			if err != nil {
				return "", err
			}
			return n.Name.Open()
		}
	}
	id := tableID{x.v.space, x.dropped, x.f}
	c := &x.v.s.caches
	if x.v.stage != nil {
		c = &x.v.stage.caches
	}
	t := c.tail(id, x.sealed)
	info, err := t.read(&from, x.stats.Docs)
	if err != nil {
		c.forgetTail(id, t)
		return err
	}
	x.tail, x.info = t, info
	return nil
}

// Term implements Index.
func (x *indexReader) Term(term string) (*TermList, error) {
	if x.closed || len(term) > maxTermKey {
		return &TermList{}, x.live()
	}
	l, err := x.sealedList(term)
	if err != nil || x.stats.Docs <= x.sealed {
		return l, err
	}
	if err := x.openTail(); err != nil {
		return nil, err
	}
	list := x.tail.list(term)
	n, _ := slices.BinarySearchFunc(list, int32(x.stats.Docs), func(p Posting, doc int32) int { return cmp.Compare(p.Doc, doc) })
	if n == 0 {
		return l, nil
	}
	l = l.extended()
	l.appendDecoded(list[:n], func(doc int32) uint32 { return x.info[int(doc)-x.sealed].length() })
	return l, nil
}

func (x *indexReader) live() error {
	if x.closed {
		return fmt.Errorf("store: index: %w", dsl.ErrClosed)
	}
	return nil
}

// Chunk implements Index.
func (x *indexReader) Chunk(n int) ([]Doc, error) {
	lo, hi := n*ChunkDocs, min((n+1)*ChunkDocs, x.stats.Docs)
	switch {
	case x.closed:
		return nil, x.live()
	case n < 0 || lo >= hi:
		return nil, fmt.Errorf("store: %w: documents from %d of field %c", dsl.ErrNotFound, lo, x.f)
	case lo >= x.sealed:
		if err := x.openTail(); err != nil {
			return nil, err
		}
		return x.info[:hi-lo], nil
	}
	if n < len(x.chunks) && x.chunks[n] != nil {
		return x.chunks[n], nil
	}
	c, err := x.v.chunk(chunkID{tableID{x.v.space, x.dropped, x.f}, uint32(n)}, x.get)
	if err != nil {
		return nil, err
	}
	if n >= len(x.chunks) {
		x.chunks = slices.Grow(x.chunks, n+1-len(x.chunks))[:n+1]
	}
	x.chunks[n] = c.info[: hi-lo : hi-lo]
	return x.chunks[n], nil
}

// ID implements Index.
func (x *indexReader) ID(doc int32) (id string, version uint32, err error) {
	if x.closed {
		return "", 0, x.live()
	}
	if x.f == TurnField {
		if doc < 0 || int(doc) >= x.stats.Docs {
			return "", 0, fmt.Errorf("store: %w: turn number %d", dsl.ErrNotFound, doc)
		}
		id, err := x.turnID(doc)
		return id, 0, err
	}
	d, err := x.doc(int(doc))
	return d.id, d.version, err
}

// doc gives a document of the view.
func (x *indexReader) doc(doc int) (docRow, error) {
	switch {
	case doc < 0 || doc >= x.stats.Docs:
		return docRow{}, fmt.Errorf("store: %w: document %d of field %c", dsl.ErrNotFound, doc, x.f)
	case doc >= x.sealed:
		if err := x.openTail(); err != nil {
			return docRow{}, err
		}
		return x.tail.row(doc), nil
	}
	c, err := x.v.chunk(chunkID{tableID{x.v.space, x.dropped, x.f}, uint32(doc / ChunkDocs)}, x.get)
	if err != nil {
		return docRow{}, err
	}
	d, err := c.row(doc % ChunkDocs)
	if err != nil {
		err = fmt.Errorf("store: document %d of field %c: %w", doc, x.f, err)
	}
	return d, err
}

// get reads one row at the iterator's moment.
func (x *indexReader) get(key []byte) (value []byte, ok bool, err error) {
	if x.it.SeekGE(key) && string(x.it.Key()) == string(key) {
		x.read += len(x.it.Value())
		return slices.Clone(x.it.Value()), true, nil
	}
	return nil, false, x.it.Error()
}

// Speakers implements Index.
func (x *indexReader) Speakers(term string) ([]uint32, error) {
	if x.closed || x.stats.Speakers == 0 {
		return nil, x.live()
	}
	c := &x.v.s.caches
	if x.v.stage != nil {
		c = &x.v.stage.caches
	}
	return c.speakers(tableID{x.v.space, x.dropped, x.f}).named(x, term)
}

// Session implements Index.
func (x *indexReader) Session(n uint32) (string, error) {
	if x.closed {
		return "", x.live()
	}
	value, ok, err := x.get(x.v.keys.name(nameSession, n))
	if err != nil {
		return "", fmt.Errorf("store: %w", err)
	}
	if !ok || int64(n) >= int64(x.stats.Sessions) {
		return "", fmt.Errorf("store: %w: session number %d", dsl.ErrNotFound, n)
	}
	return string(value), nil
}

// fewDocs is up to how many turns looking through their documents, which are in
// memory, is quicker than seeking the rows of a session.
const fewDocs = 1 << 11

// Members implements Index.
func (x *indexReader) Members(session uint32) ([]int32, error) {
	if x.closed || x.f != TurnField {
		return nil, x.live()
	}
	var out []int32
	if x.stats.Docs <= fewDocs {
		for from := 0; from < x.stats.Docs; from += ChunkDocs {
			chunk, err := x.Chunk(from / ChunkDocs)
			if err != nil {
				return nil, err
			}
			for i := range chunk {
				if chunk[i].Session == session {
					out = append(out, int32(from+i))
				}
			}
		}
		return out, nil
	}
	prefix := x.v.keys.members(session)
	err := x.scan(prefix, appendU32(slices.Clone(prefix), uint32(x.stats.Docs)), func(key, _ []byte) error {
		out = append(out, int32(binary.BigEndian.Uint32(key[len(key)-4:])))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("store: members of session %d: %w", session, err)
	}
	return out, nil
}
