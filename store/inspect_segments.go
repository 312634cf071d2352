package store

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/asof-db/asof/dsl"
)

// Segment is a stretch of the documents of one field as it lies in the text
// index: sealed, or the tail of single documents behind the last sealed one.
type Segment struct {
	// Field is "turn", "fact" or "event".
	Field string `json:"field"`
	// Tail marks the tail. Tier is that of a sealed segment, of which 0 holds the
	// largest; it is -1 for the tail and for rows whose key does not tell.
	Tail bool `json:"tail,omitzero"`
	Tier int  `json:"tier"`
	// First and Last are the numbers of its first and last document, both in it;
	// Documents says how many of them rows are there for.
	First     int `json:"first"`
	Last      int `json:"last"`
	Documents int `json:"documents"`
	// Terms counts its different terms, Postings the documents that each of them
	// is in, added up. A sealed segment has postings for the context of a turn as
	// well; the rows of the tail only tell the terms of the documents themselves.
	Terms    int `json:"terms"`
	Postings int `json:"postings"`
	// Rows and Bytes are what postings and documents take, keys included, before
	// Pebble shares prefixes and compresses; DocumentRows and DocumentBytes are the
	// documents' part of it, which is all in the tail.
	Rows          int   `json:"rows"`
	Bytes         int64 `json:"bytes"`
	DocumentRows  int   `json:"document_rows"`
	DocumentBytes int64 `json:"document_bytes"`
	// Fault says what is wrong with it, empty where nothing was found. What is
	// looked at is whether its rows decode and are those that follow from the
	// number of documents; Check looks at the rest.
	Fault string `json:"fault,omitzero"`

	term []byte // the last one read
}

// fieldNames are the names of the fields, in fieldOrder.
var fieldNames = [3]string{"turn", "fact", "event"}

// Segments gives the segments of the text index of a space, in order of field
// and document: those of one field, or of all where the field is 0. They are
// read from the rows that are there; a row that should not be there, or cannot
// be read, is told in the Fault of its segment. A space that is not there has
// none.
func (f *Frozen) Segments(ctx context.Context, space string, field Field) ([]Segment, error) {
	if field != 0 && fieldIndex(field) < 0 {
		return nil, fmt.Errorf("store: segments: %w: field %q", dsl.ErrInvalid, rune(field))
	}
	head, err := readHead(f.snap, space)
	if err != nil {
		return nil, fmt.Errorf("store: segments of %q: %w", space, err)
	}
	var out []Segment
	for fi, x := range fieldOrder {
		if field != 0 && field != x {
			continue
		}
		w := segmentWalk{ctx: ctx, f: f, keys: spaceKeys(space), field: x, name: fieldNames[fi], docs: int(head.docs[fi])}
		list, err := w.run()
		if err != nil {
			return nil, fmt.Errorf("store: segments of %q: %w", space, err)
		}
		out = append(out, list...)
	}
	return out, nil
}

// segmentWalk reads the index of one field.
type segmentWalk struct {
	ctx   context.Context
	f     *Frozen
	keys  keySpace
	field Field
	name  string
	docs  int // that the last position tells
	read  int

	list    []Segment // sealed ones
	scratch TermList
}

func (w *segmentWalk) run() ([]Segment, error) {
	end := sealed(uint64(w.docs))
	for _, s := range spans(end, end) {
		w.list = append(w.list, Segment{Field: w.name, Tier: s.tier, First: s.start, Last: s.end - 1})
	}
	if err := w.rows(clPosting, w.postings); err != nil {
		return nil, err
	}
	if err := w.rows(clDocs, w.documents); err != nil {
		return nil, err
	}
	for i := range w.list {
		s := &w.list[i]
		if n := s.Last - s.First + 1; s.Documents != n {
			s.fault("there are rows for %d of its %d documents", s.Documents, n)
		}
	}
	slices.SortFunc(w.list, func(a, b Segment) int { return cmp.Or(cmp.Compare(a.First, b.First), cmp.Compare(a.Tier, b.Tier)) })
	tail, err := w.tail(end)
	return append(w.list, tail...), err
}

// rows calls f with the rows of the field in a class; key begins with the class.
func (w *segmentWalk) rows(class byte, f func(key, value []byte)) error {
	lo := append(w.keys.class(class), byte(w.field))
	return eachRow(w.f.snap, lo, after(lo), func(key, value []byte) error {
		if w.read++; w.read%4096 == 0 && w.ctx.Err() != nil {
			return w.ctx.Err()
		}
		f(key[len(w.keys.prefix):], value)
		return nil
	})
}

// fault notes the first thing that is wrong.
func (s *Segment) fault(format string, args ...any) {
	if s.Fault == "" {
		s.Fault = fmt.Sprintf(format, args...)
	}
}

// add counts a row; its key has lost the prefix of the space.
func (s *Segment) add(key, value []byte) int64 {
	n := int64(len(keySpace{}.prefix) + len(key) + len(value))
	s.Rows++
	s.Bytes += n
	return n
}

// at gives a segment, and makes one that should not be there where there is none.
func (w *segmentWalk) at(tier, first, last int) *Segment {
	i := slices.IndexFunc(w.list, func(s Segment) bool { return s.Tier == tier && s.First == first })
	if i < 0 {
		i = len(w.list)
		w.list = append(w.list, Segment{Field: w.name, Tier: tier, First: first, Last: last})
		w.list[i].fault("no such segment follows from %d documents", w.docs)
	}
	return &w.list[i]
}

// postings takes a row of postings.
func (w *segmentWalk) postings(key, value []byte) {
	if !wellFormed(key) {
		s := w.at(-1, -1, -1)
		s.add(key, value)
		return
	}
	tier, size := int(key[2]), 0
	if tier < len(tiers) {
		size = tiers[tier]
	}
	first := int(binary.BigEndian.Uint32(key[3:])) * size
	s := w.at(tier, first, first+size-1)
	s.add(key, value)
	if size == 0 || s.Last > math.MaxInt32-1 {
		return // no document can have such a number: it is a stray, and told
	}
	x := entryReader{r: reader{b: value}}
	for x.next() {
		w.scratch = TermList{blocks: w.scratch.blocks[:0], impacts: w.scratch.impacts[:0], parts: w.scratch.parts[:0], lists: w.scratch.lists[:0]}
		if _, err := w.scratch.decodePart(x.data, int32(s.First), int32(s.Last+1), int32(s.Last+1)); err != nil {
			s.fault("the postings of %q in row %x do not decode", x.term, key)
		}
		s.Postings += w.scratch.count
		switch order := compareTerms(s.term, x.term); {
		case order < 0 || s.Terms == 0:
			s.Terms++
		case order > 0:
			s.fault("row %x has the term %q behind %q", key, x.term, s.term)
		}
		s.term = append(s.term[:0], x.term...)
	}
	if x.err() != nil {
		s.fault("row %x does not decode", key)
	}
}

// documents takes the row of the documents of a smallest segment, which stays
// when its segment is joined to others.
func (w *segmentWalk) documents(key, value []byte) {
	var s *Segment
	if wellFormed(key) {
		first := int(binary.BigEndian.Uint32(key[2:])) * ChunkDocs
		if i := slices.IndexFunc(w.list, func(s Segment) bool { return s.First <= first && first <= s.Last }); i >= 0 {
			s = &w.list[i]
		} else {
			s = w.at(len(tiers)-1, first, first+ChunkDocs-1)
		}
	} else {
		s = w.at(-1, -1, -1)
	}
	s.DocumentBytes += s.add(key, value)
	s.DocumentRows++
	c, err := decodeChunk(w.field, value)
	if err != nil {
		s.fault("the documents of row %x do not decode", key)
		return
	}
	s.Documents += len(c.info)
}

// tail gives the tail, which begins at a document: nothing where it is empty.
func (w *segmentWalk) tail(start int) ([]Segment, error) {
	s := Segment{Field: w.name, Tail: true, Tier: -1, First: start, Last: w.docs - 1}
	if w.field == FactField { // they have no rows of their own until they are sealed
		if s.Documents = w.docs - start; s.Documents == 0 {
			return nil, nil
		}
		return []Segment{s}, nil
	}
	terms := newInverter()
	err := w.rows(clDoc, func(key, value []byte) {
		s.DocumentBytes += s.add(key, value)
		s.DocumentRows++
		if !wellFormed(key) {
			s.fault("the key %x has not the length of its class", key)
			return
		}
		doc := int(binary.BigEndian.Uint32(key[2:]))
		if doc < start || doc >= w.docs {
			s.fault("document %d is not one of the tail", doc)
			return
		}
		d, err := decodeTail(w.field, doc, value, terms.id)
		if err != nil {
			s.fault("document %d does not decode", doc)
			return
		}
		s.Documents++
		s.Postings += len(d.terms)
	})
	s.Terms = len(terms.terms)
	if n := w.docs - start; s.Documents != n {
		s.fault("there are rows for %d of its %d documents", s.Documents, n)
	}
	if err != nil || s.Rows == 0 && w.docs == start {
		return nil, err
	}
	return []Segment{s}, nil
}
