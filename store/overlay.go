package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/asof-db/asof/dsl"
)

// overlay is what a stage has written, over the rows of the store. Pebble's own
// indexed batch keeps its rows sorted from the start, which costs more than all
// else that is done with them; almost all that is asked of a stage is a row by
// its key, or the few rows of one fact or node. So rows lie in the order of
// writing, with a hash table over their keys and one over the prefixes that are
// asked for, and are sorted once, when they are committed.
//
// No row of the store is written twice (doc.go), so a row that a stage has
// written and deletes again is in no table yet.
type overlay struct {
	db    *pebble.DB
	iters *iterators
	seen  *keyFilter // nil where it is not known what the store holds

	arena []byte
	rows  []overlayRow
	// byKey is an open hash table of indexes of rows, plus 1.
	byKey    []uint32
	byPrefix [256]prefixIndex // by class
	dropped  [][]byte         // what was in the store under these prefixes is gone

	// batch has the first synced rows, for those who need an iterator over all.
	batch  *pebble.Batch
	synced int
}

// prefixIndex finds the rows of one class by prefix. It is an open hash table of
// the last row of each prefix, plus 1; earlier ones follow by overlayRow.before.
// It knows the first upTo rows, and goes on when it is asked.
type prefixIndex struct {
	table    []uint32
	prefixes int
	upTo     int
}

// overlayRow is a row, or the deletion of one.
type overlayRow struct {
	at           uint32 // of the key in the arena; the value follows
	key          uint32 // length
	value        uint32 // length
	hash, before uint32
	gone         rowState
}

type rowState uint8

const (
	rowSet      rowState = iota
	rowDeleted           // it was in the store
	rowReplaced          // by a later row of the overlay, or never to be written
)

func (o *overlay) keyOf(r *overlayRow) []byte { return o.arena[r.at : r.at+r.key : r.at+r.key] }

func (o *overlay) valueOf(r *overlayRow) []byte {
	at := r.at + r.key
	return o.arena[at : at+r.value : at+r.value]
}

// empty tells whether nothing was written.
func (o *overlay) empty() bool { return len(o.rows) == 0 && len(o.dropped) == 0 }

// size is about what a batch of the rows takes, in bytes.
func (o *overlay) size() int { return len(o.arena) + 8*len(o.rows) }

// hashBytes spreads keys over a table. It needs to be no better than that: keys
// are hashes or counters.
func hashBytes(b []byte) uint64 {
	h := uint64(len(b))
	for len(b) >= 8 {
		h = hashWord(h ^ binary.LittleEndian.Uint64(b))
		b = b[8:]
	}
	var last uint64
	for i, c := range b {
		last |= uint64(c) << (8 * i)
	}
	return hashWord(h ^ last)
}

func hashWord(w uint64) uint64 {
	hi, lo := bits.Mul64(w^0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9)
	return hi ^ lo
}

// prefixLength gives the length of the prefix by which rows of a class are asked
// for, 0 for none: those of a fact, node or turn, of a segment, of a session.
func prefixLength(key []byte) int {
	if len(key) < 10 || key[0] != tableData {
		return 0
	}
	n := 0
	switch key[9] {
	case clVersion, clArchive, clLink, clEvent, clAlias, clEvidence, clRel, clDst:
		n = 26
	case clState:
		n = 34
	case clPosting:
		n = 16
	case clMember:
		n = 14
	case clLater:
		n = 15
	}
	if n > len(key) {
		return 0
	}
	return n
}

// find gives the last row of a key, nil if there is none.
func (o *overlay) find(key []byte, hash uint32) *overlayRow {
	if len(o.byKey) == 0 {
		return nil
	}
	mask := uint32(len(o.byKey) - 1)
	for i := hash & mask; o.byKey[i] != 0; i = (i + 1) & mask {
		if r := &o.rows[o.byKey[i]-1]; r.hash == hash && bytes.Equal(o.keyOf(r), key) {
			return r
		}
	}
	return nil
}

// Set writes a row. Key and value are copied.
func (o *overlay) Set(key, value []byte) error { return o.write(key, value, rowSet) }

// Delete deletes a row.
func (o *overlay) Delete(key []byte) error { return o.write(key, nil, rowDeleted) }

// maxOverlay bounds what a stage may hold; a Pebble batch is bounded likewise.
const maxOverlay = math.MaxUint32 - 1<<20

func (o *overlay) write(key, value []byte, gone rowState) error {
	if len(o.arena)+len(key)+len(value) > maxOverlay {
		return fmt.Errorf("store: %w: a stage holds at most 4 GiB; commit smaller groups", dsl.ErrInvalid)
	}
	hash := uint32(hashBytes(key))
	row := overlayRow{at: uint32(len(o.arena)), key: uint32(len(key)), value: uint32(len(value)), hash: hash, gone: gone}
	o.room(len(key) + len(value))
	o.arena = append(append(o.arena, key...), value...)
	if 2*len(o.rows) >= len(o.byKey) {
		o.grow()
	}
	mask := uint32(len(o.byKey) - 1)
	i := hash & mask
	for ; o.byKey[i] != 0; i = (i + 1) & mask {
		r := &o.rows[o.byKey[i]-1]
		if r.hash != hash || !bytes.Equal(o.keyOf(r), key) {
			continue
		}
		if gone == rowDeleted && r.gone == rowSet {
			row.gone = rowReplaced // it is in the overlay alone
		}
		r.gone = rowReplaced
		break
	}
	o.byKey[i] = uint32(len(o.rows) + 1)
	o.rows = append(o.rows, row)
	return nil
}

// room makes room in the arena; by doubling, for it may become large.
func (o *overlay) room(n int) {
	if need := len(o.arena) + n; need > cap(o.arena) {
		arena := make([]byte, len(o.arena), max(2*cap(o.arena), need, 4096))
		copy(arena, o.arena)
		o.arena = arena
	}
}

// expect makes room for a stage as large as another one.
func (o *overlay) expect(bytes, rows int) {
	o.arena, o.rows = make([]byte, 0, bytes), make([]overlayRow, 0, rows)
}

// grow makes room in the table of keys.
func (o *overlay) grow() {
	table := make([]uint32, max(1024, 4*len(o.byKey)))
	mask := uint32(len(table) - 1)
	for _, n := range o.byKey {
		if n == 0 {
			continue
		}
		i := o.rows[n-1].hash & mask
		for table[i] != 0 {
			i = (i + 1) & mask
		}
		table[i] = n
	}
	o.byKey = table
}

// place gives the place of a prefix in the table of its class.
func (o *overlay) place(x *prefixIndex, p []byte) *uint32 {
	mask := uint32(len(x.table) - 1)
	i := uint32(hashBytes(p)) & mask
	for ; x.table[i] != 0; i = (i + 1) & mask {
		if bytes.HasPrefix(o.keyOf(&o.rows[x.table[i]-1]), p) {
			break
		}
	}
	return &x.table[i]
}

// last gives the last row under a prefix, plus 1, or 0.
func (o *overlay) last(prefix []byte) uint32 {
	x := &o.byPrefix[prefix[9]]
	for ; x.upTo < len(o.rows); x.upTo++ {
		r := &o.rows[x.upTo]
		key := o.keyOf(r)
		if len(key) < len(prefix) || key[9] != prefix[9] || key[0] != tableData {
			continue
		}
		if 2*x.prefixes >= len(x.table) {
			old := x.table
			x.table = make([]uint32, max(256, 4*len(old)))
			for _, n := range old {
				if n != 0 {
					*o.place(x, o.keyOf(&o.rows[n-1])[:len(prefix)]) = n
				}
			}
		}
		at := o.place(x, key[:len(prefix)])
		if *at == 0 {
			x.prefixes++
		}
		r.before, *at = *at, uint32(x.upTo+1)
	}
	if len(x.table) == 0 {
		return 0
	}
	return *o.place(x, prefix)
}

// drop deletes every row under a prefix that is no class's.
func (o *overlay) drop(prefix []byte) {
	for i := range o.rows {
		if r := &o.rows[i]; bytes.HasPrefix(o.keyOf(r), prefix) {
			r.gone = rowReplaced
		}
	}
	o.dropped = append(o.dropped, bytes.Clone(prefix))
	o.close()
}

func (o *overlay) isDropped(key []byte) bool {
	for _, p := range o.dropped {
		if bytes.HasPrefix(key, p) {
			return true
		}
	}
	return false
}

// get gives a value, which must not be changed; ok is false when the key is
// absent.
func (o *overlay) get(key []byte) (value []byte, ok bool, err error) {
	if r := o.find(key, uint32(hashBytes(key))); r != nil {
		return o.valueOf(r), r.gone == rowSet, nil
	}
	if len(o.dropped) > 0 && o.isDropped(key) || !o.seen.mayHave(key) {
		return nil, false, nil
	}
	return get(o.db, key)
}

// under gives the rows of the overlay under a prefix of the length that its class
// has, in order, deletions among them.
func (o *overlay) under(prefix []byte) []*overlayRow {
	var own []*overlayRow
	for n := o.last(prefix); n != 0; n = o.rows[n-1].before {
		if r := &o.rows[n-1]; r.gone != rowReplaced {
			own = append(own, r)
		}
	}
	slices.SortFunc(own, func(a, b *overlayRow) int { return bytes.Compare(o.keyOf(a), o.keyOf(b)) })
	return own
}

// scan calls f with every row under a prefix of the length that its class has,
// in order, until f returns false.
func (o *overlay) scan(prefix []byte, f func(key, value []byte) (bool, error)) (err error) {
	own := o.under(prefix)
	next := func(limit []byte) (bool, error) {
		for len(own) > 0 && (limit == nil || bytes.Compare(o.keyOf(own[0]), limit) < 0) {
			r := own[0]
			own = own[1:]
			if r.gone == rowDeleted {
				continue
			}
			if more, err := f(o.keyOf(r), o.valueOf(r)); err != nil || !more {
				return false, err
			}
		}
		return true, nil
	}
	if len(o.dropped) > 0 && o.isDropped(prefix) || !o.seen.mayHave(prefix) {
		_, err := next(nil)
		return err
	}
	it, epoch, err := o.iters.take()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.iters.put(it, epoch)) }()
	for ok := it.SeekGE(prefix); ok && bytes.HasPrefix(it.Key(), prefix); ok = it.Next() {
		if more, err := next(it.Key()); err != nil || !more {
			return err
		}
		if len(own) > 0 && bytes.Equal(o.keyOf(own[0]), it.Key()) {
			continue // deleted, or written again
		}
		if more, err := f(it.Key(), it.Value()); err != nil || !more {
			return err
		}
	}
	if err := it.Error(); err != nil {
		return err
	}
	_, err = next(nil)
	return err
}

// Get implements pebble.Reader.
func (o *overlay) Get(key []byte) ([]byte, io.Closer, error) {
	value, ok, err := o.get(key)
	if err == nil && !ok {
		err = pebble.ErrNotFound
	}
	return value, noCloser{}, err
}

type noCloser struct{}

func (noCloser) Close() error { return nil }

// NewIter implements pebble.Reader.
func (o *overlay) NewIter(opt *pebble.IterOptions) (*pebble.Iterator, error) {
	return o.NewIterWithContext(context.Background(), opt)
}

// NewIterWithContext implements pebble.Reader. It is for what is rare: it makes
// Pebble sort all rows.
func (o *overlay) NewIterWithContext(ctx context.Context, opt *pebble.IterOptions) (*pebble.Iterator, error) {
	if o.batch == nil {
		o.batch = o.db.NewIndexedBatch()
		for _, p := range o.dropped {
			if err := o.batch.DeleteRange(p, after(p), nil); err != nil {
				return nil, err
			}
		}
	}
	for ; o.synced < len(o.rows); o.synced++ {
		r := &o.rows[o.synced]
		var err error
		if r.gone == rowSet {
			err = o.batch.Set(o.keyOf(r), o.valueOf(r), nil)
		} else if last := o.find(o.keyOf(r), r.hash); last == r { // what is replaced comes later
			err = o.batch.Delete(o.keyOf(r), nil)
		}
		if err != nil {
			return nil, err
		}
	}
	return o.batch.NewIterWithContext(ctx, opt)
}

// Close implements pebble.Reader.
func (o *overlay) Close() error {
	o.close()
	return nil
}

// close drops the batch that iterators read. Those that are open keep it.
func (o *overlay) close() {
	if o.batch != nil {
		_ = o.batch.Close() // it was never to be committed
	}
	o.batch, o.synced = nil, 0
}

// commit writes all rows as one batch.
func (o *overlay) commit(opt *pebble.WriteOptions) error {
	o.close()
	b := o.db.NewBatchWithSize(o.size() + 64)
	for _, p := range o.dropped {
		if err := b.DeleteRange(p, after(p), nil); err != nil {
			return errors.Join(err, b.Close())
		}
	}
	for _, x := range o.sorted() {
		r := &o.rows[x.row]
		var err error
		if r.gone == rowDeleted {
			err = b.Delete(o.keyOf(r), nil)
		} else {
			err = b.Set(o.keyOf(r), o.valueOf(r), nil)
		}
		if err != nil {
			return errors.Join(err, b.Close())
		}
	}
	return errors.Join(b.Commit(opt), b.Close())
}
