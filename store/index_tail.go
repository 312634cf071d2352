package store

import (
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/analyze"
)

// tail is the documents of a field behind its last sealed segment, inverted in
// memory. It only grows until its segment is sealed, so a view is a prefix of
// it, and what was handed out stays as it is.
type tail struct {
	start int

	mu sync.Mutex // guards what follows
	inverter
	rows []tailRow
	info []Doc // of rows
	// broken is set once reading failed midway.
	broken error
}

func newTail(start int) *tail { return &tail{inverter: *newInverter(), start: start} }

// read reads the documents up to number end, and gives them from the start of
// the tail.
func (t *tail) read(from *tailSource, end int) ([]Doc, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.broken == nil {
		t.broken = t.extend(from, end)
	}
	if t.broken != nil {
		return nil, t.broken
	}
	return t.info[: end-t.start : end-t.start], nil
}

// list gives the postings of a term as far as the tail was read.
func (t *tail) list(term string) []Posting {
	t.mu.Lock()
	defer t.mu.Unlock()
	id, ok := t.ids[term]
	if !ok {
		return nil
	}
	return t.lists[id]
}

// tailSource is where a tail reads its rows.
type tailSource struct {
	r        pebble.Reader
	keys     *keySpace
	f        Field
	analyzer *analyze.Analyzer
	// scan calls f with the rows of [lo, hi).
	scan func(lo, hi []byte, f func(key, value []byte) error) error
	// pos is a position that has the documents, and name gives the names of nodes:
	// the documents of facts have no rows of their own until they are sealed.
	pos  *positionRow
	name func(id string) (string, error)
}

// facts adds the documents of facts up to number end, which are those versions
// that the positions opened.
func (t *tail) facts(from *tailSource, end int) error {
	refs, err := factRefs(from.r, from.keys, *from.pos, t.start+len(t.rows), end)
	if err != nil {
		return err
	}
	for _, ref := range refs {
		value, ok, err := get(from.r, from.keys.idVersion(clVersion, ref.id, ref.version))
		if err != nil {
			return err
		}
		row, err := decodeVersion(value)
		if err != nil || !ok {
			return fmt.Errorf("store: %w: fact %s version %d, which %s opened, is missing or does not decode", dsl.ErrCorrupt, ref.id, ref.version, ref.seq)
		}
		src, err := from.name(row.src)
		if err != nil {
			return err
		}
		dst, err := from.name(row.dst)
		if err != nil {
			return err
		}
		relation, err := row.relation.Open()
		if err != nil {
			return err
		}
		terms := from.analyzer.Terms(nil, FactText(src, row.rel, relation, dst))
		d := tailRow{docRow: docRow{Doc: Doc{Seq: ref.seq, Length: uint32(len(terms)), TS: dsl.Beginning}, id: ref.id, version: ref.version},
			before: noMembers, terms: t.termsOf(terms)}
		t.append(&d)
	}
	return nil
}

// append adds a document without context.
func (t *tail) append(d *tailRow) {
	t.add(int32(t.start+len(t.rows)), d.terms, [ContextTurns][]termCount{})
	t.rows, t.info = append(t.rows, *d), append(t.info, d.Doc)
}

// row gives a document that was read.
func (t *tail) row(doc int) docRow {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.rows[doc-t.start].docRow
}

// extend reads the documents up to number end. After an error the tail is of no
// use.
func (t *tail) extend(from *tailSource, end int) error {
	next := t.start + len(t.rows)
	if next >= end {
		return nil
	}
	if from.f == FactField {
		return t.facts(from, end)
	}
	err := from.scan(from.keys.doc(from.f, next), from.keys.doc(from.f, end), func(key, value []byte) error {
		if doc := int(binary.BigEndian.Uint32(key[len(key)-4:])); doc != next {
			return fmt.Errorf("%w: document %d of field %c is missing", dsl.ErrCorrupt, next, from.f)
		}
		d, err := decodeTail(from.f, next, value, t.id)
		if err != nil {
			return fmt.Errorf("document %d of field %c: %w", next, from.f, err)
		}
		var before [ContextTurns][]termCount
		for i, p := range d.before {
			if p >= 0 {
				if before[i], err = t.termsBefore(from, int(p)); err != nil {
					return err
				}
			}
		}
		t.add(int32(next), d.terms, before)
		t.rows, t.info = append(t.rows, d), append(t.info, d.Doc)
		next++
		return nil
	})
	if err == nil && next < end {
		err = fmt.Errorf("%w: field %c has %d documents, the position says %d", dsl.ErrCorrupt, from.f, next, end)
	}
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return nil
}

// termsBefore gives the terms of an earlier turn: from its row, or, if its segment is
// sealed, by analysing it again.
func (t *tail) termsBefore(from *tailSource, doc int) ([]termCount, error) {
	if doc >= t.start {
		if doc-t.start >= len(t.rows) {
			return nil, fmt.Errorf("%w: turn %d comes before itself in its session", dsl.ErrCorrupt, doc)
		}
		return t.rows[doc-t.start].terms, nil
	}
	turn, err := readTurn(from.r, from.keys, doc)
	if err != nil {
		return nil, err
	}
	text, err := turnText(&turn.Turn)
	if err != nil {
		return nil, err
	}
	return t.termsOf(from.analyzer.Terms(nil, text)), nil
}

// length gives the length of a document with its context, in tenths.
func (t *tail) length(doc int32) uint32 { return t.info[int(doc)-t.start].length() }
