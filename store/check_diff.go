package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/asof-db/asof/dsl"
)

// RowDifference is a row of a space that two stores do not hold alike.
type RowDifference struct {
	// Class says what the row is, Key is its key from the class on.
	Class string
	Key   []byte
	// Position is that which wrote the row, 0 where the row does not tell.
	Position dsl.Seq
	// Here and There are its values, nil where it is absent.
	Here, There []byte
}

// String names the row and how it differs.
func (d *RowDifference) String() string {
	row := fmt.Sprintf("the %s row %x ", d.Class, d.Key[1:])
	switch {
	case d.Here == nil:
		return row + "is missing"
	case d.There == nil:
		return row + "should not be there"
	}
	return row + fmt.Sprintf("holds %x and should hold %x", clipBytes(string(d.Here)), clipBytes(string(d.There)))
}

// Diff calls fn with every row of a space that differs between two stores, in
// order of key, until fn returns false. Where in the log a position lies is left
// out: two logs may hold the same entries in other messages. So are vectors,
// which are no part of the log. It reads both side
// by side and keeps nothing.
func (f *Frozen) Diff(ctx context.Context, other *Frozen, space string, fn func(RowDifference) bool) (rows int, err error) {
	p := spaceKeys(space)
	lo := p.prefix[:]
	var its [2]*pebble.Iterator
	for i, r := range []*pebble.Snapshot{f.snap, other.snap} {
		if its[i], err = r.NewIter(&pebble.IterOptions{LowerBound: lo, UpperBound: after(lo)}); err != nil {
			return 0, fmt.Errorf("store: diff: %w", err)
		}
		defer func() { err = errors.Join(err, its[i].Close()) }()
		its[i].First()
	}
	a, b := its[0], its[1]
	for a.Valid() || b.Valid() {
		if rows++; rows%4096 == 0 && ctx.Err() != nil {
			return rows, ctx.Err()
		}
		isA := a.Valid() && (!b.Valid() || string(a.Key()) <= string(b.Key()))
		isB := b.Valid() && (!a.Valid() || string(b.Key()) <= string(a.Key()))
		d := RowDifference{}
		if isB {
			d.Key, d.There = b.Key(), b.Value()
		}
		if isA {
			d.Key, d.Here = a.Key(), a.Value()
		}
		d.Key = append([]byte(nil), d.Key[len(lo):]...)
		differ := !isA || !isB || string(d.Here) != string(d.There)
		if differ && (len(d.Key) == 0 || d.Key[0] != clPlace && d.Key[0] != clVector) {
			if len(d.Key) == 0 {
				d.Key = []byte{0}
			}
			d.Class = classNames[d.Key[0]]
			if d.Position = rowPosition(d.Key, d.There); d.There == nil {
				d.Position = rowPosition(d.Key, d.Here)
			}
			d.Here, d.There = copyOf(d.Here, isA), copyOf(d.There, isB)
			if !fn(d) {
				return rows, nil
			}
		}
		if isA {
			a.Next()
		}
		if isB {
			b.Next()
		}
	}
	return rows, errors.Join(a.Error(), b.Error())
}

// rowPosition gives the position that wrote a row, 0 where key and value do not
// tell.
func rowPosition(key, value []byte) dsl.Seq {
	if !wellFormed(key) {
		return 0
	}
	switch key[0] {
	case clPosition, clKey, clChange, clEventKey, clMemory, clHeld:
		return keySeq(key, 1)
	case clArchive, clLink, clAlias, clEvidence, clRel, clDst, clInvolved:
		return keySeq(key, 17)
	case clSession:
		return keySeq(key, 17)
	case clLater:
		return keySeq(key, 6)
	case clState:
		return ^keySeq(key, 25)
	case clTurn, clKnown, clSettings, clNode, clDoc, clClosing:
		r := reader{b: value}
		return dsl.Seq(r.uvar())
	case clVersion:
		v, err := decodeVersion(value)
		if err == nil {
			return v.opened
		}
	case clEvent:
		e, err := decodeEvent(value)
		if err == nil {
			return e.Opened
		}
	}
	return 0
}

func copyOf(value []byte, is bool) []byte {
	if !is {
		return nil
	}
	return append([]byte{}, value...)
}
