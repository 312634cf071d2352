package store

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/google/uuid"

	"github.com/asof-db/asof/dsl"
)

// The values of rows are sequences of the primitives below: unsigned varints,
// big-endian integers of fixed width, and strings with their length in front.
// FORMAT.md lists every row.

func appendU64(b []byte, v uint64) []byte { return binary.BigEndian.AppendUint64(b, v) }
func appendU32(b []byte, v uint32) []byte { return binary.BigEndian.AppendUint32(b, v) }
func appendU16(b []byte, v uint16) []byte { return binary.BigEndian.AppendUint16(b, v) }
func appendVar(b []byte, v uint64) []byte { return binary.AppendUvarint(b, v) }

func appendStr(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// timeBits maps an instant to an integer whose big-endian order is time order.
func timeBits(t dsl.Instant) uint64     { return uint64(t) ^ 1<<63 }
func timeFromBits(b uint64) dsl.Instant { return dsl.Instant(b ^ 1<<63) }

func appendTime(b []byte, t dsl.Instant) []byte { return appendU64(b, timeBits(t)) }

// appendDiff writes a finite instant as its signed distance from base.
func appendDiff(b []byte, t, base dsl.Instant) []byte {
	return binary.AppendVarint(b, int64(t-base))
}

func (r *reader) diff(base dsl.Instant) dsl.Instant {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.b = r.b[n:]
	return base + dsl.Instant(v)
}

// appendText writes an envelope: its key (empty for plain text) and its bytes.
func appendText(b []byte, t dsl.Text) []byte {
	if t.Key() == "" {
		s, _ := t.Open() // plain: cannot fail
		return appendStr(append(b, 0), s)
	}
	enc, _ := dsl.Canonical(t) // valid: it came through Canonical or Decode before
	return appendStr(append(b, 1), string(enc))
}

// appendID writes an id: 16 bytes when it is the usual text of a UUID, else the
// string itself.
func appendID(b []byte, id string) []byte {
	if u, ok := parseUUID(id); ok {
		return append(append(b, 1), u[:]...)
	}
	return appendStr(append(b, 0), id)
}

// parseUUID reads the usual lower-case text of a UUID; other spellings keep their
// own text.
func parseUUID(id string) (u uuid.UUID, ok bool) {
	if len(id) != 36 || id[8] != '-' || id[13] != '-' || id[18] != '-' || id[23] != '-' {
		return u, false
	}
	bad := byte(0)
	for i, at := range uuidBytes {
		hi, lo := hexDigits[id[at]], hexDigits[id[at+1]]
		u[i] = hi<<4 | lo&15
		bad |= hi | lo
	}
	return u, bad < 16
}

// uuidBytes says where in its text the bytes of a UUID lie.
var uuidBytes = [16]uint8{0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34}

// hexDigits gives the value of a lower-case digit; 255 for other bytes.
var hexDigits = func() (t [256]byte) {
	for i := range t {
		switch {
		case i >= '0' && i <= '9':
			t[i] = byte(i - '0')
		case i >= 'a' && i <= 'f':
			t[i] = byte(i - 'a' + 10)
		default:
			t[i] = 255
		}
	}
	return t
}()

// id16 gives the fixed-width form of an id in keys: the UUID's bytes, or the
// first half of the SHA-256 of any other string.
func id16(id string) [16]byte {
	if u, ok := parseUUID(id); ok {
		return u
	}
	h := sha256.Sum256([]byte(id))
	return [16]byte(h[:16])
}

func hash8(s string) [8]byte {
	h := sha256.Sum256([]byte(s))
	return [8]byte(h[:8])
}

// reader takes the primitives off a value; after the first fault it yields
// zeros and keeps the fault.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) fail() { r.b, r.bad = nil, true }

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.fail()
		return nil
	}
	p := r.b[:n:n]
	r.b = r.b[n:]
	return p
}

func (r *reader) u64() uint64 {
	if p := r.take(8); p != nil {
		return binary.BigEndian.Uint64(p)
	}
	return 0
}

func (r *reader) byte() byte {
	if p := r.take(1); p != nil {
		return p[0]
	}
	return 0
}

func (r *reader) uvar() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.b = r.b[n:]
	return v
}

// count reads the length of a list whose items have at least size bytes, so
// that a corrupt length cannot ask for more memory than the value has.
func (r *reader) count(size int) int {
	v := r.uvar()
	if v > uint64(len(r.b)/max(size, 1)) {
		r.fail()
		return 0
	}
	return int(v)
}

func (r *reader) str() string {
	v := r.uvar()
	if v > uint64(len(r.b)) {
		r.fail()
		return ""
	}
	return string(r.take(int(v)))
}

func (r *reader) time() dsl.Instant { return timeFromBits(r.u64()) }

func (r *reader) interval() dsl.Interval { return dsl.Interval{Start: r.time(), End: r.time()} }

func (r *reader) text() dsl.Text {
	sealed := r.byte()
	s := r.str()
	if sealed == 0 {
		return dsl.Plain(s)
	}
	var t dsl.Text
	if dsl.Decode([]byte(s), &t) != nil {
		r.fail()
	}
	return t
}

func (r *reader) id() string {
	if r.byte() == 0 {
		return r.str()
	}
	var u uuid.UUID
	copy(u[:], r.take(16))
	return u.String()
}

func (r *reader) float() float64 { return math.Float64frombits(r.u64()) }

func (r *reader) hash() (h dsl.Hash) {
	copy(h[:], r.take(len(h)))
	return h
}

func (r *reader) strs() []string {
	n := r.count(1)
	if n == 0 {
		return nil
	}
	s := make([]string, n)
	for i := range s {
		s[i] = r.str()
	}
	return s
}

func appendStrs(b []byte, s []string) []byte {
	b = appendVar(b, uint64(len(s)))
	for _, x := range s {
		b = appendStr(b, x)
	}
	return b
}

func appendInterval(b []byte, v dsl.Interval) []byte {
	return appendTime(appendTime(b, v.Start), v.End)
}

func appendFloat(b []byte, f float64) []byte { return appendU64(b, math.Float64bits(f)) }

// done reports a fault of the value, or bytes left over.
func (r *reader) done(what string) error {
	if r.bad || len(r.b) != 0 {
		return fmt.Errorf("%w: %s row does not decode", dsl.ErrCorrupt, what)
	}
	return nil
}
