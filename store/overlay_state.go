package store

import (
	"bytes"
	"slices"

	"github.com/cockroachdb/pebble/v2"
)

// stateRows goes over the state rows of a key, those of the overlay and those of
// the store. None is in both, and none is deleted.
type stateRows struct {
	o    *overlay
	own  []*overlayRow
	next int // of own
	// below is the iterator over the store's rows, nil where there are none; valid
	// while it stands at a row of the store.
	below *pebble.Iterator
	epoch uint64
	valid bool
}

// state opens the state rows under the prefix of a key.
func (o *overlay) state(prefix []byte) (*stateRows, error) {
	s := &stateRows{o: o, own: o.under(prefix)}
	if len(o.dropped) > 0 && o.isDropped(prefix) || !o.seen.mayHave(prefix) {
		return s, nil
	}
	var err error
	s.below, s.epoch, err = o.iters.take()
	return s, err
}

// SeekGE goes to the first row from key on.
func (s *stateRows) SeekGE(key []byte) bool {
	s.next, _ = slices.BinarySearchFunc(s.own, key, func(r *overlayRow, key []byte) int { return bytes.Compare(s.o.keyOf(r), key) })
	s.valid = s.below != nil && s.below.SeekGE(key)
	return s.next < len(s.own) || s.valid
}

// isOwn tells whether the row it stands at is one of the overlay.
func (s *stateRows) isOwn() bool {
	return s.next < len(s.own) && (!s.valid || bytes.Compare(s.o.keyOf(s.own[s.next]), s.below.Key()) < 0)
}

// Next goes to the next row.
func (s *stateRows) Next() bool {
	if s.isOwn() {
		s.next++
	} else {
		s.valid = s.below.Next()
	}
	return s.next < len(s.own) || s.valid
}

// Key is the key of the row.
func (s *stateRows) Key() []byte {
	if s.isOwn() {
		return s.o.keyOf(s.own[s.next])
	}
	return s.below.Key()
}

// Value is the value of the row.
func (s *stateRows) Value() []byte {
	if s.isOwn() {
		return s.o.valueOf(s.own[s.next])
	}
	return s.below.Value()
}

// Error is what reading failed with.
func (s *stateRows) Error() error {
	if s.below == nil {
		return nil
	}
	return s.below.Error()
}

// Close gives back what was lent.
func (s *stateRows) Close() error {
	if s.below == nil {
		return nil
	}
	return s.o.iters.put(s.below, s.epoch)
}
