package store

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"
)

// Documents are sealed into segments: every 256 into one of the last tier, 16 of
// those into one of the tier before, 16 of those into one of tier 0. Which
// segments there are follows from the number of documents alone.
var tiers = [...]int{1 << 16, 1 << 12, ChunkDocs}

// span is a segment: the documents [start, end).
type span struct {
	tier, start, end int
}

func (s span) number() uint32 { return uint32(s.start / tiers[s.tier]) }

// spans gives the segments of the first sealed documents that hold documents
// before n, in order.
func spans(sealed, n int) []span {
	var list []span
	tier := 0
	for at := 0; at < min(sealed, n); {
		for at+tiers[tier] > sealed { // tiers only shrink: larger ones come first
			tier++
		}
		list = append(list, span{tier, at, at + tiers[tier]})
		at += tiers[tier]
	}
	return list
}

// sealed gives how many of the first n documents are in segments.
func sealed(n uint64) int { return int(n) / ChunkDocs * ChunkDocs }

// inverter turns documents with their terms into postings of terms.
type inverter struct {
	ids   map[string]uint32
	terms []string
	lists [][]Posting
}

func newInverter() *inverter { return &inverter{ids: map[string]uint32{}} }

func (v *inverter) id(term []byte) uint32 {
	if id, ok := v.ids[string(term)]; ok {
		return id
	}
	return v.idOf(string(term))
}

func (v *inverter) idOf(term string) uint32 {
	if id, ok := v.ids[term]; ok {
		return id
	}
	id := uint32(len(v.terms))
	v.ids[term] = id
	v.terms, v.lists = append(v.terms, term), append(v.lists, nil)
	return id
}

// at gives the posting of a term in the document that is being added.
func (v *inverter) at(doc int32, id uint32) *Posting {
	list := v.lists[id]
	if n := len(list); n == 0 || list[n-1].Doc != doc {
		list = append(list, Posting{Doc: doc})
		v.lists[id] = list
	}
	return &list[len(list)-1]
}

// add adds a document that comes after all others, with its own terms and those
// of the turns before it.
func (v *inverter) add(doc int32, own []termCount, before [ContextTurns][]termCount) {
	for _, t := range own {
		v.at(doc, t.id).TF += t.tf
	}
	for _, terms := range before {
		for _, t := range terms {
			v.at(doc, t.id).Context += t.tf
		}
	}
}

// termsOf counts the terms of a text.
func (v *inverter) termsOf(terms []string) []termCount {
	slices.Sort(terms)
	return v.counted(terms)
}

// counted counts sorted terms.
func (v *inverter) counted(terms []string) []termCount {
	out := make([]termCount, 0, len(terms))
	for i := 0; i < len(terms); {
		j := i + 1
		for j < len(terms) && terms[j] == terms[i] {
			j++
		}
		out = append(out, termCount{v.idOf(terms[i]), uint32(j - i)})
		i = j
	}
	return out
}

// seal makes a segment of the last ChunkDocs documents of a field, which end at
// document end, and joins segments where one of a larger tier is full. What is
// superseded is deleted in the same batch, so a reader finds one or the other.
func (a *apply) seal(f Field, end int) error {
	if err := a.sealChunk(f, span{len(tiers) - 1, end - ChunkDocs, end}); err != nil {
		return fmt.Errorf("seal documents up to %d of field %c: %w", end, f, err)
	}
	for tier := len(tiers) - 2; tier >= 0 && end%tiers[tier] == 0; tier-- {
		if err := a.join(f, span{tier, end - tiers[tier], end}); err != nil {
			return fmt.Errorf("join segments up to %d of field %c: %w", end, f, err)
		}
	}
	return nil
}

// sealChunk replaces the rows of single documents by one row of all and by their
// postings.
func (a *apply) sealChunk(f Field, s span) error {
	b, err := a.wholeTail(f, s)
	if err != nil {
		return err
	}
	raw := make([]byte, 0, 16*ChunkDocs)
	var before Doc
	for i := range b.rows {
		d := &b.rows[i]
		raw = d.append(raw, f, &before)
		before = d.Doc
		if f == FactField {
			continue // it has no row of its own
		}
		if err := a.st.rows.Delete(a.keys.doc(f, s.start+i)); err != nil {
			return err
		}
	}
	if err := a.set(a.keys.docs(f, s.number()), raw); err != nil {
		return err
	}
	order := make([]uint32, len(b.terms))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(x, y uint32) int {
		s, t := b.terms[x], b.terms[y]
		return cmp.Or(cmp.Compare(len(s), len(t)), cmp.Compare(s, t))
	})
	w := a.segmentWriter(f, s, b.length)
	for _, id := range order {
		if err := w.list([]byte(b.terms[id]), b.lists[id]); err != nil {
			return err
		}
	}
	return w.flush()
}

// wholeTail gives the documents of a segment that is going to be sealed.
func (a *apply) wholeTail(f Field, s span) (*tail, error) {
	if f == FactField {
		if t, ok := a.st.s.tails.get(a.tx.Space); ok && t.start == s.start && len(t.rows) == s.end-s.start {
			return t, nil
		}
	}
	pos := a.pos
	pos.changed, pos.changes = a.changeCount, a.changeBytes
	t := newTail(s.start)
	from := tailSource{r: a.st.rows, keys: &a.keys, f: f, analyzer: &a.st.s.analyzer, pos: &pos, name: a.name}
	from.scan = func(lo, hi []byte, f func(key, value []byte) error) error {
		key := bytes.Clone(lo) // documents lie side by side
		for ; string(key) < string(hi); binary.BigEndian.PutUint32(key[len(key)-4:], binary.BigEndian.Uint32(key[len(key)-4:])+1) {
			value, ok, err := a.st.rows.get(key)
			if err != nil || !ok {
				return err // a document that is missing is told
			}
			if err := f(key, value); err != nil {
				return err
			}
		}
		return nil
	}
	return t, t.extend(&from, s.end)
}

// segmentWriter writes the lists of a segment in order of term.
type segmentWriter struct {
	entryWriter
	start  int32
	length func(doc int32) uint32
	data   []byte
}

func (a *apply) segmentWriter(f Field, s span, length func(doc int32) uint32) *segmentWriter {
	return &segmentWriter{entryWriter: entryWriter{prefix: a.keys.segment(f, s.tier, s.number()), put: a.set}, start: int32(s.start), length: length}
}

func (w *segmentWriter) list(term []byte, list []Posting) error {
	for len(list) > 0 {
		part := list[:min(len(list), partBlocks*blockSize)]
		w.data = appendPart(w.data[:0], w.start, part, w.length)
		if err := w.add(term, uint32(part[0].Doc), w.data); err != nil {
			return err
		}
		list = list[len(part):]
	}
	return nil
}

// join replaces the segments of the next tier that lie in s by s.
func (a *apply) join(f Field, s span) (err error) {
	lengths, err := lengthsOf(a.st.rows, &a.keys, f, s)
	if err != nil {
		return err
	}
	var parts []*segmentReader
	size := tiers[s.tier+1]
	for at := s.start; at < s.end; at += size {
		from := span{s.tier + 1, at, at + size}
		p, err := readSegment(a.st.rows, &a.keys, f, from)
		if err != nil {
			return err
		}
		parts = append(parts, p)
		for _, key := range p.keys {
			if err := a.st.rows.Delete(key); err != nil {
				return err
			}
		}
	}
	w := a.segmentWriter(f, s, func(doc int32) uint32 { return lengths[int(doc)-s.start] })
	var term []byte
	var list []Posting
	for {
		least := -1
		for i, p := range parts {
			if !p.done && (least < 0 || compareTerms(p.term, parts[least].term) < 0) {
				least = i
			}
		}
		if least < 0 {
			return w.flush()
		}
		term, list = append(term[:0], parts[least].term...), list[:0]
		for _, p := range parts[least:] { // in order of document
			for !p.done && bytes.Equal(p.term, term) {
				if list, err = p.postings(list); err != nil {
					return err
				}
				if err := p.next(); err != nil {
					return err
				}
			}
		}
		if err := w.list(term, list); err != nil {
			return err
		}
	}
}

// lengthsOf gives the lengths of the documents of a segment, in tenths.
func lengthsOf(r pebble.Reader, k *keySpace, f Field, s span) ([]uint32, error) {
	var out []uint32
	for at := s.start; at < s.end; at += ChunkDocs {
		value, _, err := get(r, k.docs(f, uint32(at/ChunkDocs)))
		if err != nil {
			return nil, err
		}
		c, err := decodeChunk(f, value)
		if err != nil {
			return nil, fmt.Errorf("documents from %d: %w", at, err)
		}
		for i := range c.info {
			out = append(out, c.info[i].length())
		}
	}
	return out, nil
}

// segmentReader walks the entries of a segment, which it holds in memory.
type segmentReader struct {
	span
	entryReader
	keys, rows [][]byte
	done       bool
	scratch    TermList
}

func readSegment(o *overlay, k *keySpace, f Field, s span) (*segmentReader, error) {
	x := &segmentReader{span: s}
	err := o.scan(k.segment(f, s.tier, s.number()), func(key, value []byte) (bool, error) {
		x.keys, x.rows = append(x.keys, slices.Clone(key)), append(x.rows, slices.Clone(value))
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	return x, x.next()
}

func (x *segmentReader) next() error {
	for !x.entryReader.next() {
		if err := x.err(); err != nil {
			return err
		}
		if len(x.rows) == 0 {
			x.done = true
			return nil
		}
		x.entryReader = entryReader{r: reader{b: x.rows[0]}, term: x.term[:0]}
		x.rows = x.rows[1:]
	}
	return nil
}

// postings appends those of the present entry.
func (x *segmentReader) postings(dst []Posting) ([]Posting, error) {
	x.scratch = TermList{blocks: x.scratch.blocks[:0], impacts: x.scratch.impacts[:0], parts: x.scratch.parts[:0]}
	if _, err := x.scratch.decodePart(x.data, int32(x.start), int32(x.end), int32(x.end)); err != nil {
		return dst, err
	}
	for i := range x.scratch.blocks {
		var err error
		if dst, err = x.scratch.Decode(i, dst); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// find adds the postings of a term in a segment to a list, as far as they are
// of documents before limit. The rows are those behind the iterator; read counts
// their bytes.
func (s span) find(it *pebble.Iterator, prefix []byte, term string, limit int, l *TermList, read *int) error {
	ok := it.SeekGE(appendTermKey(slices.Clip(prefix), term, 0))
	for ; ok && bytes.HasPrefix(it.Key(), prefix); ok = it.Next() {
		last := it.Key()[len(prefix):]
		value := it.Value()
		*read += len(value)
		x := entryReader{r: reader{b: value}}
		more := true
		for more && x.next() {
			order := compareTerms(x.term, []byte(term))
			if order > 0 {
				return nil
			}
			if order < 0 {
				continue
			}
			var err error
			if more, err = l.decodePart(slices.Clone(x.data), int32(s.start), int32(s.end), int32(min(limit, s.end))); err != nil {
				return fmt.Errorf("store: postings of %q: %w", term, err)
			}
		}
		if err := x.err(); err != nil {
			return fmt.Errorf("store: postings of %q: %w", term, err)
		}
		if !more || len(last) != 1+len(term)+4 || string(last[1:1+len(term)]) != term {
			return nil // no later row has a part of the list
		}
		if first := binary.BigEndian.Uint32(last[1+len(term):]); int64(first) >= int64(limit) {
			return nil
		}
	}
	if err := it.Error(); err != nil {
		return fmt.Errorf("store: postings of %q: %w", term, err)
	}
	return nil
}
