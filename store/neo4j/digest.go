package neo4j

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/asof-db/asof/dsl"
)

// buckets is how many parts the rows of a space are told apart by when their
// digests differ, so that only the rows of the parts that differ are held in memory.
const buckets = 4096

// tally is a set hash of rows: the sum modulo 2^256 of the SHA-256 of each, which
// does not depend on their order. Rows of one key fall into one bucket.
type tally struct {
	sum     dsl.Hash
	parts   [buckets]uint64
	nodes   int
	edges   int
	scratch []byte
}

// add adds a row.
func (t *tally) add(of *table, r row) {
	t.scratch = appendRow(t.scratch[:0], of, r)
	h := dsl.Sum(t.scratch)
	carry := uint16(0)
	for i := len(h) - 1; i >= 0; i-- {
		s := uint16(t.sum[i]) + uint16(h[i]) + carry
		t.sum[i], carry = byte(s), s>>8
	}
	t.parts[bucketOf(of, r)] += binary.BigEndian.Uint64(h[:])
	if of.isNode() {
		t.nodes++
	} else {
		t.edges++
	}
}

// bucketOf gives the bucket of a row by its table and key.
func bucketOf(of *table, r row) int {
	h := dsl.Sum([]byte(of.title() + "\x00" + of.key(r)))
	return int(binary.BigEndian.Uint32(h[:]) % buckets)
}

// digest gives the digest of a space's graph at a position.
func (t *tally) digest(space string, position dsl.Seq) dsl.Hash {
	b := fmt.Appendf(nil, "asof neo4j %d\n%q %d %d %d\n", format, space, position, t.nodes, t.edges)
	return dsl.Sum(append(b, t.sum[:]...))
}

// appendRow appends a row's bytes: every value with its type and length. The
// generation, which two graphs of the same log need not share, is left out.
func appendRow(b []byte, of *table, r row) []byte {
	b = append(append(b, of.title()...), 0)
	for _, v := range r[1:] {
		b = appendValue(b, v)
	}
	return b
}

func appendValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, 'n')
	case int64:
		return binary.BigEndian.AppendUint64(append(b, 'i'), uint64(v))
	case float64:
		return binary.BigEndian.AppendUint64(append(b, 'f'), math.Float64bits(v))
	case string:
		return append(binary.AppendUvarint(append(b, 's'), uint64(len(v))), v...)
	case bool:
		if v {
			return append(b, 't')
		}
		return append(b, 'F')
	case []any:
		b = binary.AppendUvarint(append(b, 'l'), uint64(len(v)))
		for _, x := range v {
			b = appendValue(b, x)
		}
		return b
	}
	// A type that asof never writes, such as a date: someone else did.
	s := fmt.Sprintf("%T %v", v, v)
	return append(binary.AppendUvarint(append(b, '?'), uint64(len(s))), s...)
}
