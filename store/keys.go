package store

import (
	"encoding/binary"

	"github.com/asof-db/asof/dsl"
)

// A key is the tag of its table, then (for a space's tables) the first 8 bytes
// of the SHA-256 of the space's name and a class, then fixed-width fields, so
// that byte order is the order the reads want. FORMAT.md lists them.
const (
	tableMeta  byte = 0x00 // store-wide rows
	tableSpace byte = 0x01 // one row a space: hash8 → name
	tableData  byte = 0x02 // everything that belongs to a space
)

// The classes of a space's rows. Logical rows enter the digest; the others can
// be made again from them.
const (
	clPosition byte = 'p' // seq → position row
	clPlace    byte = 'q' // seq → stream sequence of a log message whose first entry of the space this is
	clTurn     byte = 'u' // turn number → turn (logical)
	clTurnID   byte = 'U' // turn id → turn number
	clKnown    byte = 'K' // first half of a content key → seq
	clSettings byte = 'S' // settings hash → seq, settings (logical)
	clNode     byte = 'n' // node id → seq, kind, name (logical)
	clVersion  byte = 'f' // fact id, version → what was opened (logical)
	clClosing  byte = 'c' // fact id, version → what closed it (logical)
	clArchive  byte = 'a' // fact id, seq, op → archived (logical)
	clLink     byte = 'l' // link id, seq, op → link made or closed (logical)
	clEvent    byte = 'E' // event id, version → event (logical)
	clAlias    byte = 'L' // node id, seq, op → other end of an alias link
	clEvidence byte = 'e' // turn id, seq, op → fact id
	clState    byte = 'k' // src, rel, node, ^seq → changes of a node of the key's tree, sometimes the whole node
	clRel      byte = 'r' // src, seq, op → rel, where (src, rel) first appears
	clKey      byte = 'g' // seq, op → src, rel, where (src, rel) first appears
	clDst      byte = 'd' // dst, seq, op → src, rel
	clChange   byte = 'o' // seq → which rows its operations wrote, where that is too long for the position row
	clEventKey byte = 'G' // seq, op → event id, where it first appears
	clInvolved byte = 'I' // fact or node id, seq, op → event id: a version of it includes the fact or has the node as participant
	clPosting  byte = 'x' // field, tier, segment, last term and part → a stretch of the segment's postings
	clDoc      byte = 'y' // field, doc → document row of a turn or event with its terms, until its segment is sealed
	clDocs     byte = 'Y' // field, segment → the documents of a sealed segment
	clVector   byte = 'v' // model, field, kind, number → vectors, outside the log
	clMember   byte = 'm' // session number, doc → length of the turn
	clName     byte = 's' // kind, number → name of a session or speaker
	clNameID   byte = 'h' // kind, name → number
	clMemory   byte = 'w' // seq → working memory after it, where it changed (logical)
	clHeld     byte = 'H' // seq, candidate → candidate that is held (logical)
	clSession  byte = 'W' // session, seq → nothing: where the working memory is of the session
	clLater    byte = 'R' // kind, turn number, seq → what was recorded later about the turn
)

// keySpace makes the keys of one space.
type keySpace struct{ prefix [9]byte }

func spaceKeys(space string) keySpace { return keysOfHash(hash8(space)) }

func keysOfHash(space [8]byte) (k keySpace) {
	k.prefix[0] = tableData
	copy(k.prefix[1:], space[:])
	return k
}

func (k *keySpace) class(c byte) []byte {
	return append(append(make([]byte, 0, 64), k.prefix[:]...), c)
}

func (k *keySpace) seq(c byte, s dsl.Seq) []byte { return appendU64(k.class(c), uint64(s)) }

// seqOp is the key of classes that lie by position and operation.
func (k *keySpace) seqOp(c byte, s dsl.Seq, op int) []byte {
	return appendU16(appendU64(k.class(c), uint64(s)), uint16(op))
}

// id is the key (or prefix) of classes that lie by an id.
func (k *keySpace) id(c byte, id string) []byte {
	h := id16(id)
	return append(k.class(c), h[:]...)
}

func (k *keySpace) idVersion(c byte, id string, v uint32) []byte {
	return appendU32(k.id(c, id), v)
}

func (k *keySpace) idSeq(c byte, id string, s dsl.Seq) []byte {
	return appendU64(k.id(c, id), uint64(s))
}

func (k *keySpace) idSeqOp(c byte, id string, s dsl.Seq, op int) []byte {
	return appendU16(appendU64(k.id(c, id), uint64(s)), uint16(op))
}

// state is the prefix of the state rows of (src, rel).
func (k *keySpace) state(src, rel string) []byte { return k.stateOf(src, hash8(rel)) }

func (k *keySpace) stateOf(src string, rel [8]byte) []byte {
	return append(k.id(clState, src), rel[:]...)
}

// stateAt is the key of the state row of a node of (src, rel) at a position.
// Positions are inverted: the newest row comes first, so one forward seek finds
// the last row at or before a position.
func stateAt(prefix []byte, node uint32, s dsl.Seq) []byte {
	return appendU64(appendU32(prefix[:len(prefix):len(prefix)], node), ^uint64(s))
}

func (k *keySpace) hash(c byte, h dsl.Hash) []byte { return append(k.class(c), h[:]...) }

// known is the key of a content key. Half of a SHA-256 tells contents apart.
func (k *keySpace) known(h dsl.Hash) []byte { return append(k.class(clKnown), h[:16]...) }

// segment is the prefix of the rows of a segment: tier 0 holds the largest ones.
func (k *keySpace) segment(f Field, tier int, n uint32) []byte {
	return appendU32(append(k.class(clPosting), byte(f), byte(tier)), n)
}

// appendTermKey completes the key of a row of postings: a term of at most 255
// bytes (the analyzer cuts longer ones) and the first document of a part of its
// list. Terms lie by length, then by bytes.
func appendTermKey(key []byte, term string, first uint32) []byte {
	return appendU32(append(append(key, byte(len(term))), term...), first)
}

func (k *keySpace) doc(f Field, doc int) []byte {
	return appendU32(append(k.class(clDoc), byte(f)), uint32(doc))
}

func (k *keySpace) docs(f Field, segment uint32) []byte {
	return appendU32(append(k.class(clDocs), byte(f)), segment)
}

// members is the prefix of the turns of a session.
func (k *keySpace) members(session uint32) []byte { return appendU32(k.class(clMember), session) }

// names are numbered in two kinds: sessions and speakers.
const (
	nameSession byte = 's'
	nameSpeaker byte = 'p'
)

func (k *keySpace) name(kind byte, n uint32) []byte {
	return appendU32(append(k.class(clName), kind), n)
}

func (k *keySpace) nameID(kind byte, name string) []byte {
	h := hash8(name)
	return append(append(k.class(clNameID), kind), h[:]...)
}

// What is recorded later about a turn: that another replaces it (the value is
// that turn's number), that it replaces another (under its own number), that
// further candidates were given for it.
const (
	laterReplaced   byte = 'b'
	laterReplaces   byte = 'e'
	laterCandidates byte = 'c'
)

// later is the key of what position s says about a turn; laterOf is the prefix of
// all that is said.
func (k *keySpace) later(kind byte, turn uint32, s dsl.Seq) []byte {
	return appendU64(k.laterOf(kind, turn), uint64(s))
}

func (k *keySpace) laterOf(kind byte, turn uint32) []byte {
	return appendU32(append(k.class(clLater), kind), turn)
}

// after gives the first key behind every key with the prefix.
func after(prefix []byte) []byte {
	p := append([]byte(nil), prefix...)
	for i := len(p) - 1; i >= 0; i-- {
		if p[i]++; p[i] != 0 {
			return p[:i+1]
		}
	}
	return nil
}

func keySeq(key []byte, at int) dsl.Seq {
	return dsl.Seq(binary.BigEndian.Uint64(key[at:]))
}
