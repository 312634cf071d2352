package store

import (
	"bytes"
	"cmp"
	"fmt"

	"github.com/asof-db/asof/dsl"
)

// A segment is a table of terms and their postings, cut into rows of about
// rowBytes. A row is a run of entries in order of term and part; its key is that
// of its last entry, so that one seek forward finds the row that holds a term.
// An entry shares the first bytes of its term with the entry before it:
//
//	shared  varint  bytes of the term before that begin this one, 0 for the first
//	rest    string  the bytes after them
//	data    string  a part of the term's postings (see appendPart)
const rowBytes = 4 << 10

// compareTerms gives the order of terms in a segment: by length, then by bytes.
func compareTerms(a, b []byte) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), bytes.Compare(a, b))
}

// entryWriter cuts entries into rows.
type entryWriter struct {
	prefix []byte // of the segment
	put    func(key, value []byte) error

	row  []byte
	term []byte // of the last entry
	last uint32 // first document of the last entry
}

func (w *entryWriter) add(term []byte, first uint32, data []byte) error {
	if len(w.row) > 0 && len(w.row)+len(data) > rowBytes {
		if err := w.flush(); err != nil {
			return err
		}
	}
	shared := 0
	if len(w.row) > 0 {
		for shared < min(len(term), len(w.term)) && term[shared] == w.term[shared] {
			shared++
		}
	}
	w.row = appendVar(w.row, uint64(shared))
	w.row = append(appendVar(w.row, uint64(len(term)-shared)), term[shared:]...)
	w.row = append(appendVar(w.row, uint64(len(data))), data...)
	w.term, w.last = append(w.term[:0], term...), first
	return nil
}

func (w *entryWriter) flush() error {
	if len(w.row) == 0 {
		return nil
	}
	key := appendTermKey(append([]byte(nil), w.prefix...), string(w.term), w.last)
	err := w.put(key, w.row)
	w.row = w.row[:0]
	return err
}

// entryReader takes the entries off a row.
type entryReader struct {
	r    reader
	term []byte // valid until the next entry
	data []byte // part of the row
}

// next reads an entry; it gives false at the end of the row and at a fault.
func (x *entryReader) next() bool {
	if x.r.bad || len(x.r.b) == 0 {
		return false
	}
	shared := x.r.uvar()
	rest := x.r.take(int(min(x.r.uvar(), maxTermKey+1)))
	data := x.r.take(int(min(x.r.uvar(), uint64(len(x.r.b)+1))))
	if x.r.bad || shared > uint64(len(x.term)) || int(shared)+len(rest) > maxTermKey || len(data) == 0 {
		x.r.fail()
		return false
	}
	x.term, x.data = append(x.term[:shared], rest...), data
	return true
}

func (x *entryReader) err() error {
	if x.r.bad {
		return fmt.Errorf("%w: a row of postings does not decode", dsl.ErrCorrupt)
	}
	return nil
}
