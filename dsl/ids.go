package dsl

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"github.com/asof-db/asof/internal/analyze"
)

// Limits of identifiers and texts, in bytes.
const (
	// MaxSpaceName bounds the name of a space.
	MaxSpaceName = 256
	// MaxID bounds a turn, session, fact or event id.
	MaxID = 512
	// MaxName bounds the name of a node and a speaker.
	MaxName = 4096
	// MaxText bounds a turn's text and any other free text.
	MaxText = 1 << 20
)

// Namespace is the UUIDv5 namespace of every id that asof derives from content.
var Namespace = uuid.MustParse("5f55477a-4b05-54be-8b5a-eed1bc8d2a58")

// Seq is a position: the n-th transaction of a space is Seq n, counted from 1.
// Seq 0 is the empty space.
type Seq uint64

// MaxSeq is the last position: canonical JSON has no larger exact integer.
const MaxSeq Seq = 1 << 53

// String gives the position as users write it: #42.
func (s Seq) String() string { return "#" + strconv.FormatUint(uint64(s), 10) }

// Hash is a SHA-256. The zero value stands for "nothing before".
type Hash [sha256.Size]byte

// Sum gives the SHA-256 of b.
func Sum(b []byte) Hash { return sha256.Sum256(b) }

// String gives 64 lower-case hex digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// IsZero tells whether h is the hash of nothing.
func (h Hash) IsZero() bool { return h == Hash{} }

// ParseHash reads 64 lower-case hex digits.
func ParseHash(s string) (h Hash, err error) {
	if len(s) != 2*len(h) {
		return h, fmt.Errorf("%w: a hash has 64 hex digits, this has %d characters", ErrInvalid, len(s))
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return h, fmt.Errorf("%w: hash %q holds %q at %d", ErrInvalid, s, c, i)
		}
	}
	_, err = hex.Decode(h[:], []byte(s))
	return h, err
}

// MarshalJSONTo writes the hex digits.
func (h Hash) MarshalJSONTo(e *jsontext.Encoder) error {
	b := hex.AppendEncode(append(e.AvailableBuffer(), '"'), h[:])
	return e.WriteValue(append(b, '"'))
}

// UnmarshalJSONFrom reads the hex digits.
func (h *Hash) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	t, err := d.ReadToken()
	if err != nil {
		return err
	}
	if t.Kind() != '"' {
		return fmt.Errorf("%w: a hash is a string", ErrCorrupt)
	}
	*h, err = ParseHash(t.String())
	return err
}

// CheckSpace checks the name of a space.
func CheckSpace(name string) error { return validName("space name", name, MaxSpaceName, false) }

// CheckID checks an identifier; what names it in the error.
func CheckID(what, id string) error { return validName(what, id, MaxID, false) }

// CheckName checks a name of a person or thing; what names it in the error.
func CheckName(what, name string) error { return validName(what, name, MaxName, false) }

// CheckText checks a free text; what names it in the error.
func CheckText(what, text string) error { return validText(what, text) }

// derive gives the UUIDv5 of the parts, each preceded by its length so that no
// two lists of parts collide.
func derive(parts ...string) string {
	var b []byte
	for _, p := range parts {
		b = strconv.AppendInt(b, int64(len(p)), 10)
		b = append(append(b, ':'), p...)
	}
	return uuid.NewSHA1(Namespace, b).String()
}

// NodeKind says what a node is.
type NodeKind string

// The kinds of node.
const (
	Entity      NodeKind = "entity"
	Literal     NodeKind = "literal"
	TimeInstant NodeKind = "time"
	Mention     NodeKind = "mention"
	Document    NodeKind = "document"
)

// NodeKinds lists every kind, in the order of their names.
var NodeKinds = []NodeKind{Document, Entity, Literal, Mention, TimeInstant}

// NodeID gives the id of the node that a name denotes in a space: the UUIDv5 of
// (space, kind, normalised name). Two spaces never share a node.
func NodeID(space string, kind NodeKind, name string) string {
	return derive("node", space, string(kind), analyze.NormalizeName(name))
}

// FactID gives the id of the fact that operation index of transaction seq
// opens: the UUIDv5 of (space, transaction, index).
func FactID(space string, seq Seq, index int) string {
	return derive("fact", space, strconv.FormatUint(uint64(seq), 10), strconv.Itoa(index))
}

// EventID is FactID for events.
func EventID(space string, seq Seq, index int) string {
	return derive("event", space, strconv.FormatUint(uint64(seq), 10), strconv.Itoa(index))
}

// EpisodeID gives the id of the episode that begins with an event: the UUIDv5 of
// (space, event).
func EpisodeID(space, event string) string { return derive("episode", space, event) }

// LinkID gives the id of a link: the UUIDv5 of (space, kind, from, to). A link
// that is made again after it was closed is the same link.
func LinkID(space string, kind LinkKind, from, to string) string {
	return derive("link", space, string(kind), from, to)
}
