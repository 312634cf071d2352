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
	// scan calls f with the rows of [lo, hi); nil scans r.
	scan func(lo, hi []byte, f func(key, value []byte) error) error
}

// extend reads the documents up to number end. After an error the tail is of no
// use.
func (t *tail) extend(from *tailSource, end int) error {
	next := t.start + len(t.rows)
	if next >= end {
		return nil
	}
	scan := from.scan
	if scan == nil {
		scan = func(lo, hi []byte, f func(key, value []byte) error) error { return eachRow(from.r, lo, hi, f) }
	}
	err := scan(from.keys.doc(from.f, next), from.keys.doc(from.f, end), func(key, value []byte) error {
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
