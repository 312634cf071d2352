package store

import (
	"context"
	"errors"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/asof-db/asof/dsl"
)

// Row is a row of a space as the tests outside see it: Key is the key from the
// class on.
type Row struct{ Key, Value []byte }

// RawRows gives every row of a space in order of key, past all that the store
// makes of them.
func RawRows(s *Store, space string) ([]Row, error) {
	k := spaceKeys(space)
	var rows []Row
	err := eachRow(s.db, k.prefix[:], after(k.prefix[:]), func(key, value []byte) error {
		rows = append(rows, Row{slices.Clone(key[len(k.prefix):]), slices.Clone(value)})
		return nil
	})
	return rows, err
}

// RawSet writes a row of a space, RawDelete removes one, as no transaction
// would. Views that are open may show either.
func RawSet(s *Store, space string, key, value []byte) error {
	k := spaceKeys(space)
	return errors.Join(s.db.Set(append(slices.Clone(k.prefix[:]), key...), value, pebble.NoSync), s.forgetAll())
}

func RawDelete(s *Store, space string, key []byte) error {
	k := spaceKeys(space)
	return errors.Join(s.db.Delete(append(slices.Clone(k.prefix[:]), key...), pebble.NoSync), s.forgetAll())
}

// forgetAll drops what the store remembers of its rows.
func (s *Store) forgetAll() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.heads)
	s.caches.init()
	return s.iters.renew(false)
}

// RawMeta reads and RawSetMeta writes a store-wide row.
func RawSetMeta(s *Store, key, value []byte) error { return s.db.Set(key, value, pebble.NoSync) }

// Editors change one field of a row and encode it again: a fault that decodes.

// EditVersion changes a version row.
func EditVersion(value []byte, f func(valid *dsl.Interval, openedAt *dsl.Instant, dst *string)) []byte {
	v, err := decodeVersion(value)
	if err != nil {
		panic(err)
	}
	f(&v.valid, &v.openedAt, &v.dst)
	return v.encode()
}

// EditTurnTime changes the record time of a turn row.
func EditTurnTime(value []byte, at dsl.Instant) []byte {
	t, err := decodeTurn(0, value)
	if err != nil {
		panic(err)
	}
	t.Record = at
	b, err := encodeTurn(&t)
	if err != nil {
		panic(err)
	}
	return b
}

// EditPosition changes a position row.
func EditPosition(seq dsl.Seq, value []byte, f func(p *Position, acc *[32]byte), more ...func(*positionRow)) []byte {
	p, err := decodePosition(seq, value)
	if err != nil {
		panic(err)
	}
	f(&p.Position, (*[32]byte)(&p.acc))
	for _, edit := range more {
		edit(&p)
	}
	return p.encode()
}

// NoChanges takes the changes out of a position row.
func NoChanges(p *positionRow) { p.changed, p.changes = 0, nil }

// FactsBefore lets a position row name another position that opened facts.
func FactsBefore(seq dsl.Seq) func(*positionRow) {
	return func(p *positionRow) { p.factsBefore = seq }
}

// EditEvent changes the number of an event row's version.
func EditEvent(value []byte, opened dsl.Seq, at dsl.Instant) []byte {
	e, err := decodeEvent(value)
	if err != nil {
		panic(err)
	}
	e.Opened, e.Record.Start = opened, at
	return e.encode()
}

// AliasRow is the row by which a node finds another that it is an alias of.
func AliasRow(from, to string, seq dsl.Seq, op int) Row {
	k := spaceKeys("")
	return Row{k.idSeqOp(clAlias, from, seq, op)[len(k.prefix):], append(appendID(nil, to), 0)}
}

// SmallSegments makes segments join early, for a test, and gives what undoes it.
func SmallSegments() (undo func()) {
	old := tiers
	tiers = [...]int{4 * ChunkDocs, 2 * ChunkDocs, ChunkDocs}
	return func() { tiers = old }
}

// IndexBytes gives how many bytes of rows an index has read.
func IndexBytes(x Index) int { return x.(*indexReader).read }

// DecodePart decodes a part of a list of postings of a segment of 65,536
// documents.
func DecodePart(data []byte, limit int32) (*TermList, error) {
	l := &TermList{}
	_, err := l.decodePart(data, 0, 1<<16, limit)
	return l, err
}

// EncodePart is its inverse.
func EncodePart(list []Posting, length func(int32) uint32) []byte {
	return appendPart(nil, 0, list, length)
}

// DecodeRow decodes a row of postings, and every part in it.
func DecodeRow(value []byte) error {
	x := segmentReader{span: span{0, 0, 1 << 16}, entryReader: entryReader{r: reader{b: value}}}
	for x.entryReader.next() {
		if _, err := x.postings(nil); err != nil {
			return err
		}
	}
	return x.err()
}

// DecodeChunk decodes the documents of a sealed segment, DecodeTailRow the row
// of one that is not sealed.
func DecodeChunk(f Field, value []byte) error {
	c, err := decodeChunk(f, value)
	for i := 0; err == nil && i < ChunkDocs; i++ {
		_, err = c.row(i)
	}
	return err
}

func DecodeTailRow(f Field, value []byte) error {
	_, err := decodeTail(f, 1000, value, func([]byte) uint32 { return 0 })
	return err
}

// DiskBytes flushes and compacts a store and gives the size of its tables.
func DiskBytes(s *Store) (uint64, error) {
	if err := s.db.Flush(); err != nil {
		return 0, err
	}
	if err := s.db.Compact(context.Background(), []byte{0}, []byte{0xff}, true); err != nil {
		return 0, err
	}
	m := s.db.Metrics()
	return uint64(m.Total().TablesSize), nil
}

// Flush writes what is in memory to a table, as a full memtable would; Compact
// merges the tables of all rows.
func Flush(s *Store) error { return s.db.Flush() }

func Compact(s *Store) error {
	return s.db.Compact(context.Background(), []byte{tableMeta}, []byte{tableData + 1}, false)
}
