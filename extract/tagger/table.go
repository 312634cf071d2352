package tagger

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// table maps keys to rows of eight bytes by open addressing.
type table struct {
	mask uint32
	keys []uint32
	rows [][8]int8
}

// maxRows bounds what a damaged file can ask for.
const maxRows = 1 << 22

// newTable builds the table of the keys, which differ and are none of them 0.
func newTable(keys []uint32, rows [][8]int8) *table {
	size := 16
	for size < 2*len(keys) {
		size *= 2
	}
	t := &table{mask: uint32(size - 1), keys: make([]uint32, size), rows: make([][8]int8, size)}
	for i, k := range keys {
		at := k & t.mask
		for t.keys[at] != 0 {
			at = (at + 1) & t.mask
		}
		t.keys[at], t.rows[at] = k, rows[i]
	}
	return t
}

// find gives the row of a key, or nil.
func (t *table) find(k uint32) *[8]int8 {
	for at := k & t.mask; ; at = (at + 1) & t.mask {
		switch t.keys[at] {
		case k:
			if k == 0 {
				return nil
			}
			return &t.rows[at]
		case 0:
			return nil
		}
	}
}

// encodeTable writes rows of the given width in order of their keys: the number
// of rows, the keys as differences, then the rows column by column.
func encodeTable(entries map[uint32][8]int8, width int) []byte {
	keys := make([]uint32, 0, len(entries))
	for k := range entries {
		if k != 0 {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	out := binary.AppendUvarint(nil, uint64(len(keys)))
	last := uint32(0)
	for _, k := range keys {
		out = binary.AppendUvarint(out, uint64(k-last))
		last = k
	}
	for c := range width {
		for _, k := range keys {
			out = append(out, byte(entries[k][c]))
		}
	}
	return out
}

var errTable = errors.New("damaged table")

// decodeTable reads what encodeTable wrote and gives what follows it.
func decodeTable(b []byte, width int) (*table, []byte, error) {
	n, w := binary.Uvarint(b)
	if w <= 0 || n > maxRows || n > uint64(len(b)) {
		return nil, nil, errTable
	}
	b = b[w:]
	keys := make([]uint32, n)
	last := uint64(0)
	for i := range keys {
		d, w := binary.Uvarint(b)
		if w <= 0 || d == 0 || last+d > 1<<32-1 {
			return nil, nil, errTable
		}
		last += d
		keys[i] = uint32(last)
		b = b[w:]
	}
	if uint64(len(b)) < n*uint64(width) {
		return nil, nil, errTable
	}
	rows := make([][8]int8, n)
	for c := range width {
		for i := range rows {
			rows[i][c] = int8(b[uint64(c)*n+uint64(i)])
		}
	}
	return newTable(keys, rows), b[n*uint64(width):], nil
}

// pack compresses a file of the folder data, unpack reads it.
func pack(b []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestCompression)
	if err != nil {
		return nil, fmt.Errorf("tagger: pack: %w", err)
	}
	if _, err := w.Write(b); err != nil {
		return nil, fmt.Errorf("tagger: pack: %w", err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("tagger: pack: %w", err)
	}
	return out.Bytes(), nil
}

// maxUnpacked bounds what a packed file may grow to.
const maxUnpacked = 64 << 20

func unpack(b []byte) ([]byte, error) {
	out, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(b)), maxUnpacked))
	if err != nil {
		return nil, fmt.Errorf("tagger: unpack: %w", err)
	}
	return out, nil
}
