package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/asof-db/asof/dsl"
)

var errStop = errors.New("enough")

// Divergence is the first place at which two stores differ in a space.
type Divergence struct {
	Space string `json:"space"`
	// Position is the first position at which they differ.
	Position dsl.Seq `json:"position"`
	// Here and There are the digests after it, zero where it is absent.
	Here  dsl.Hash `json:"here"`
	There dsl.Hash `json:"there"`
	// Row is the first logical row of that position that differs.
	Row *DivergentRow `json:"row"`
	// Looked counts the positions whose digests were compared.
	Looked int `json:"looked"`
}

// DivergentRow is a row that two stores do not hold alike.
type DivergentRow struct {
	Class string `json:"class"`
	ID    string `json:"id"`
	Key   string `json:"key"`
	// Here and There are what it says in either, nil where it is absent.
	Here  *DecodedRow `json:"here"`
	There *DecodedRow `json:"there"`
}

// Compare finds the first position at which a space differs in two stores, nil
// where they are equal. The digests at positions are bisected: what is equal at
// one is equal at all before it. Then the logical rows themselves are held
// against each other, which finds the row, and also rows that were changed
// behind the digests' back.
func (f *Frozen) Compare(ctx context.Context, other *Frozen, space string) (*Divergence, error) {
	fail := func(err error) (*Divergence, error) { return nil, fmt.Errorf("store: compare %q: %w", space, err) }
	here, first, err := f.Head(space)
	if err != nil {
		return fail(err)
	}
	there, otherFirst, err := other.Head(space)
	if err != nil {
		return fail(err)
	}
	d := &Divergence{Space: space}
	from := max(first, otherFirst, 1) // what is before a drop is in no view
	if n := max(here.Seq, there.Seq); n > 0 {
		lo := from
		if first != otherFirst && first > 0 && otherFirst > 0 {
			d.Position = from // one was dropped there, the other was not
			lo = n + 1
		}
		for hi := n + 1; lo < hi; { // the first that differs lies in [lo, hi]; n+1 stands for none
			mid := lo + (hi-lo)/2
			equal, err := f.equalAt(other, space, mid, d)
			if err != nil {
				return fail(err)
			}
			if equal {
				lo = mid + 1
			} else {
				hi, d.Position = mid, mid
			}
		}
	}
	if err := f.divergentRow(ctx, other, space, from, d); err != nil {
		return fail(err)
	}
	if d.Position == 0 {
		return nil, nil
	}
	if _, err := f.equalAt(other, space, d.Position, d); err != nil {
		return fail(err)
	}
	return d, nil
}

// equalAt compares the position rows, and notes both digests.
func (f *Frozen) equalAt(other *Frozen, space string, seq dsl.Seq, d *Divergence) (bool, error) {
	d.Looked++
	var rows [2]positionRow
	for i, side := range []*Frozen{f, other} {
		v := side.at(space, seq)
		row, err := v.positionAt(seq)
		if err != nil && !errors.Is(err, dsl.ErrNotFound) {
			return false, errors.Join(err, v.Close())
		}
		rows[i] = row
		if err := v.Close(); err != nil {
			return false, err
		}
	}
	d.Here, d.There = rows[0].Digest, rows[1].Digest
	return rows[0].Digest == rows[1].Digest && rows[0].Entry == rows[1].Entry && rows[0].Time == rows[1].Time, nil
}

// divergentRow finds the differing logical row of the least position, and moves
// the divergence there if that is before the one at which the digests differ.
// Where no logical row differs it is the position's own row. Rows before from
// are passed over.
func (f *Frozen) divergentRow(ctx context.Context, other *Frozen, space string, from dsl.Seq, d *Divergence) error {
	var logical, own *DivergentRow
	least, rank := dsl.Seq(0), 0
	_, err := f.Diff(ctx, other, space, func(x RowDifference) bool {
		switch {
		case isLogical(x.Key[0]):
			row, seq := divergent(x)
			if seq != 0 && seq < from {
				break
			}
			// Of one position: what came in before what was made of it.
			at := bytes.IndexByte(logicalClasses, x.Key[0])
			if logical == nil || seq < least || seq == least && at < rank {
				logical, least, rank = row, seq, at
			}
		case x.Key[0] == clPosition && keySeq(x.Key, 1) == d.Position:
			own, _ = divergent(x)
		}
		return true
	})
	if err != nil {
		return err
	}
	switch {
	case logical != nil && (d.Position == 0 || least <= d.Position):
		d.Position, d.Row = least, logical
	case own != nil:
		d.Row = own
	}
	return nil
}

// divergent decodes both sides of a difference, and gives the lesser position
// that they name.
func divergent(x RowDifference) (*DivergentRow, dsl.Seq) {
	row := &DivergentRow{Class: x.Class, Key: fmt.Sprintf("%x", x.Key)}
	seq := dsl.Seq(0)
	for _, side := range []struct {
		value []byte
		to    **DecodedRow
	}{{x.Here, &row.Here}, {x.There, &row.There}} {
		if side.value == nil {
			continue
		}
		r := describe(x.Key, side.value)
		*side.to = &r
		if row.ID == "" {
			row.ID = r.ID
		}
		if seq == 0 || r.Position != 0 && r.Position < seq {
			seq = r.Position
		}
	}
	return row, seq
}
