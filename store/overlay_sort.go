package store

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// sortedRow is a row with the parts of its key that tell most of its place: table
// and hash of the space, last byte of that hash with the class and what follows.
type sortedRow struct {
	space, rest uint64
	row         uint32
}

// sorted gives the rows that are to be written, in order of key: by counting,
// byte by byte, then by comparing what is still equal.
func (o *overlay) sorted() []sortedRow {
	list := make([]sortedRow, 0, len(o.rows))
	for i := range o.rows {
		r := &o.rows[i]
		if r.gone == rowReplaced {
			continue
		}
		var head [17]byte
		copy(head[:], o.keyOf(r))
		list = append(list, sortedRow{binary.BigEndian.Uint64(head[:]), binary.BigEndian.Uint64(head[9:]), uint32(i)})
	}
	compare := func(a, b sortedRow) int { return bytes.Compare(o.keyOf(&o.rows[a.row]), o.keyOf(&o.rows[b.row])) }
	const few = 256
	if len(list) < few {
		slices.SortFunc(list, compare)
		return list
	}
	other := make([]sortedRow, len(list))
	for pass := range 17 {
		list, other = countingPass(o, list, other, pass)
	}
	for i := 0; i < len(list); {
		j := i + 1
		for j < len(list) && list[j].space == list[i].space && list[j].rest == list[i].rest {
			j++
		}
		if j > i+1 {
			slices.SortFunc(list[i:j], compare) // with the ninth byte, where hashes of spaces are so alike
		}
		i = j
	}
	return list
}

// byteOf is the byte of a key that a pass sorts by, last ones first.
func (o *overlay) byteOf(x *sortedRow, pass int) byte {
	switch {
	case pass < 8:
		return byte(x.rest >> (8 * pass))
	case pass == 8:
		if r := &o.rows[x.row]; r.key > 8 {
			return o.arena[r.at+8]
		}
		return 0
	}
	return byte(x.space >> (8 * (pass - 9)))
}

// countingPass sorts by one byte and keeps the order of what is equal.
func countingPass(o *overlay, from, to []sortedRow, pass int) (sorted, spare []sortedRow) {
	var at [257]int
	for i := range from {
		at[int(o.byteOf(&from[i], pass))+1]++
	}
	if at[int(o.byteOf(&from[0], pass))+1] == len(from) {
		return from, to // all are equal
	}
	for i := range 256 {
		at[i+1] += at[i]
	}
	for i := range from {
		b := o.byteOf(&from[i], pass)
		to[at[b]] = from[i]
		at[b]++
	}
	return to, from
}
