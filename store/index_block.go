package store

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/asof-db/asof/dsl"
)

// A turn counts its own terms whole and those of the turns before it in its
// session in part. Weights and lengths are whole numbers of tenths, so that sums
// of them are exact.
const (
	// OwnWeight is what a term counts in its document, ContextWeight what it
	// counts in the ContextTurns turns after it in its session.
	OwnWeight, ContextWeight, ContextTurns = 10, 3, 2
)

// blockSize is how many postings a block holds but for the last of a list, and
// partBlocks how many blocks a row holds at most, so that a view reads no more
// than a few kilobytes of a list beyond its own end.
const (
	blockSize  = 128
	partBlocks = 32
	// plainBlock is below how many postings a block has one impact only.
	plainBlock = 16
	// maxImpacts bounds the impacts of a block.
	maxImpacts = 6
)

// maxTF bounds how often a term can be in a document: more often than a text
// and its attachments have bytes for, and seldom enough to be counted in tenths.
const maxTF = 1 << 27

// A Posting says how often a document holds a term.
type Posting struct {
	// Doc is the number of the document.
	Doc int32
	// TF counts the term in the document itself, Context in the two turns before
	// it in its session. At least one is not 0; Context is 0 but for turns.
	TF, Context uint32
}

// Weight gives how much the term counts in the document, in tenths.
func (p Posting) Weight() uint32 { return OwnWeight*p.TF + ContextWeight*p.Context }

// Impact bounds postings from above for every score that rises with the weight
// of a term and falls with the length of the document.
type Impact struct {
	// Weight is at least that of the postings, Length at most that of their
	// documents, both in tenths.
	Weight, Length uint32
}

// TermList is the postings of one term in one view, in order of document, in
// blocks that can be looked at before they are decoded. It may be read by many
// goroutines.
type TermList struct {
	blocks  []block
	impacts []Impact    // of all blocks
	parts   [][]byte    // encoded postings
	lists   [][]Posting // decoded postings
	count   int
}

// block is a run of postings. They are encoded in parts[from][lo:hi], or decoded
// in lists[from] where hi is 0.
type block struct {
	after, last  int32
	count        int32
	from, lo, hi uint32
	impact       uint32 // the first of its impacts
	impacts      uint32
}

// Count gives how many documents of the view hold the term or have it in their
// context.
func (l *TermList) Count() int { return l.count }

// Blocks gives the number of blocks.
func (l *TermList) Blocks() int { return len(l.blocks) }

// Range gives the interval (after, last] that the documents of block i lie in;
// last is one of them.
func (l *TermList) Range(i int) (after, last int32) { return l.blocks[i].after, l.blocks[i].last }

// Impacts gives the impacts of block i: for each of its postings there is one
// that is not below it in weight and not above it in length. They must not be
// changed.
func (l *TermList) Impacts(i int) []Impact {
	b := &l.blocks[i]
	return l.impacts[b.impact:][:b.impacts:b.impacts]
}

// Decode appends the postings of block i to dst.
func (l *TermList) Decode(i int, dst []Posting) ([]Posting, error) {
	b := &l.blocks[i]
	if b.hi == 0 {
		return append(dst, l.lists[b.from]...), nil
	}
	dst, err := decodeBlock(dst, l.parts[b.from][b.lo:b.hi], b)
	if err != nil {
		return dst, fmt.Errorf("store: %w", err)
	}
	return dst, nil
}

// NewTermList makes a list of postings in memory, which must be in order of
// document. length gives the length of a document with its context, in tenths.
func NewTermList(postings []Posting, length func(doc int32) uint32) *TermList {
	l := &TermList{}
	l.appendDecoded(postings, length)
	return l
}

// appendDecoded adds postings that follow those of the list and never change.
func (l *TermList) appendDecoded(postings []Posting, length func(doc int32) uint32) {
	for len(postings) > 0 {
		list := postings[:min(len(postings), blockSize)]
		from := len(l.impacts)
		l.impacts = impactsOf(l.impacts, list, length)
		l.addList(list, uint32(from), uint32(len(l.impacts)-from))
		postings = postings[len(list):]
	}
}

func (l *TermList) addList(list []Posting, impact, impacts uint32) {
	n := len(list)
	l.blocks = append(l.blocks, block{after: list[0].Doc - 1, last: list[n-1].Doc, count: int32(n), from: uint32(len(l.lists)), impact: impact, impacts: impacts})
	l.lists = append(l.lists, list[:n:n])
	l.count += n
}

// impactsOf appends the impacts of a block, in order of falling weight.
func impactsOf(dst []Impact, list []Posting, length func(doc int32) uint32) []Impact {
	from := len(dst)
next:
	for _, p := range list {
		x := Impact{p.Weight(), length(p.Doc)}
		keep := from
		for i := from; i < len(dst); i++ {
			y := dst[i]
			if y.Weight >= x.Weight && y.Length <= x.Length {
				continue next // y bounds x; then x bounds no other, so none was dropped
			}
			if y.Weight > x.Weight || y.Length < x.Length {
				dst[keep] = y
				keep++
			}
		}
		dst = append(dst[:keep], x)
	}
	found := dst[from:]
	slices.SortFunc(found, func(a, b Impact) int { return cmp.Compare(b.Weight, a.Weight) })
	groups := maxImpacts
	if len(list) < plainBlock {
		groups = 1
	}
	if len(found) <= groups {
		return dst
	}
	// Neighbours are joined: the weight of the first, the length of the last.
	for g := range groups {
		lo, hi := g*len(found)/groups, (g+1)*len(found)/groups
		found[g] = Impact{found[lo].Weight, found[hi-1].Length}
	}
	return dst[:from+groups]
}

// The codes of the commonest postings, which share a number with the distance
// to the document before; codeOther is followed by both counts.
const (
	codeOwn     = 0 // TF 1
	codeOnce    = 1 // Context 1
	codeTwice   = 2 // Context 2
	codeOther   = 3
	codeBits    = 2
	maxDistance = 1 << 31
)

func appendPostings(b []byte, after int32, list []Posting) []byte {
	for _, p := range list {
		code := uint64(codeOther)
		switch {
		case p.TF == 1 && p.Context == 0:
			code = codeOwn
		case p.TF == 0 && p.Context == 1:
			code = codeOnce
		case p.TF == 0 && p.Context == 2:
			code = codeTwice
		}
		b = appendVar(b, uint64(p.Doc-after-1)<<codeBits|code)
		if code == codeOther {
			b = appendVar(appendVar(b, uint64(p.TF)), uint64(p.Context))
		}
		after = p.Doc
	}
	return b
}

func decodeBlock(dst []Posting, data []byte, b *block) ([]Posting, error) {
	bad := func() ([]Posting, error) {
		return dst, fmt.Errorf("%w: a block of postings after document %d does not decode", dsl.ErrCorrupt, b.after)
	}
	doc := int64(b.after)
	for range b.count {
		var v uint64
		if len(data) > 0 && data[0] < 0x80 { // most are one byte
			v, data = uint64(data[0]), data[1:]
		} else {
			w := 0
			if v, w = binary.Uvarint(data); w <= 0 || v>>codeBits >= maxDistance {
				return bad()
			}
			data = data[w:]
		}
		doc += int64(v>>codeBits) + 1
		if doc > int64(b.last) {
			return bad()
		}
		p := Posting{Doc: int32(doc)}
		switch v & (1<<codeBits - 1) {
		case codeOwn:
			p.TF = 1
		case codeOnce:
			p.Context = 1
		case codeTwice:
			p.Context = 2
		default:
			tf, w := binary.Uvarint(data)
			if w <= 0 {
				return bad()
			}
			context, x := binary.Uvarint(data[w:])
			if x <= 0 || tf > maxTF || context > ContextTurns*maxTF || tf+context == 0 {
				return bad()
			}
			p.TF, p.Context, data = uint32(tf), uint32(context), data[w+x:]
		}
		dst = append(dst, p)
	}
	if len(data) != 0 || doc != int64(b.last) {
		return bad()
	}
	return dst, nil
}

// appendPart encodes up to partBlocks × blockSize postings of a term in a
// segment that begins at document start: how many there are, the first
// document, the headers of the blocks, the blocks.
func appendPart(b []byte, start int32, list []Posting, length func(doc int32) uint32) []byte {
	b = appendVar(appendVar(b, uint64(len(list))), uint64(list[0].Doc-start))
	var data []byte
	var impacts []Impact
	after := list[0].Doc - 1
	for len(list) > 0 {
		n := min(len(list), blockSize)
		block, rest := list[:n], list[n:]
		size := len(data)
		data = appendPostings(data, after, block)
		last := block[n-1].Doc
		b = appendVar(b, uint64(last-after-1))
		if len(rest) > 0 {
			b = appendVar(b, uint64(len(data)-size))
		}
		impacts = impactsOf(impacts[:0], block, length)
		if n >= plainBlock {
			b = appendVar(b, uint64(len(impacts)))
		}
		for _, x := range impacts {
			b = appendVar(appendVar(b, uint64(x.Weight)), uint64(x.Length))
		}
		after, list = last, rest
	}
	return append(b, data...)
}

// decodePart adds the blocks of a part to the list as far as they hold
// documents before limit. The documents of the segment lie in [start, end). The
// list keeps data. more is false if the limit was reached.
func (l *TermList) decodePart(data []byte, start, end, limit int32) (more bool, err error) {
	r := reader{b: data}
	count, first := r.uvar(), int64(start)
	first += int64(min(r.uvar(), maxDistance))
	if r.bad || count == 0 || count > partBlocks*blockSize || first >= int64(end) ||
		len(l.blocks) > 0 && first <= int64(l.blocks[len(l.blocks)-1].last) {
		return false, fmt.Errorf("%w: a part of a list of postings does not decode", dsl.ErrCorrupt)
	}
	from, lo, after := len(l.blocks), uint64(0), first-1
	for left := int(count); left > 0; left -= blockSize {
		b := block{after: int32(after), count: int32(min(left, blockSize)), from: uint32(len(l.parts)), impact: uint32(len(l.impacts)), impacts: 1}
		last := after + 1 + int64(min(r.uvar(), maxDistance))
		b.lo = uint32(lo)
		if left > blockSize {
			size := min(r.uvar(), uint64(len(data)))
			if size == 0 {
				r.fail() // a block is never empty
			}
			lo += size
			b.hi = uint32(lo)
		}
		if b.count >= plainBlock {
			b.impacts = uint32(r.count(2))
		}
		if b.impacts == 0 || b.impacts > maxImpacts || last >= int64(end) {
			r.fail()
		}
		for range b.impacts {
			w, length := r.uvar(), r.uvar()
			l.impacts = append(l.impacts, Impact{uint32(min(w, math.MaxUint32)), uint32(min(length, math.MaxUint32))})
		}
		if r.bad {
			break
		}
		b.last, after = int32(last), last
		l.blocks = append(l.blocks, b)
	}
	if r.bad || lo >= uint64(len(r.b)) {
		l.blocks = l.blocks[:from]
		return false, fmt.Errorf("%w: the blocks of a list of postings do not decode", dsl.ErrCorrupt)
	}
	l.blocks[len(l.blocks)-1].hi = uint32(len(r.b))
	l.parts = append(l.parts, r.b)
	for i := from; i < len(l.blocks); i++ {
		b := l.blocks[i]
		switch {
		case b.after+1 >= limit:
			l.blocks = l.blocks[:i]
			return false, nil
		case b.last < limit:
			l.count += int(b.count)
			continue
		}
		// Only a part of the block is in the view.
		list, err := l.Decode(i, make([]Posting, 0, b.count))
		l.blocks = l.blocks[:i]
		if err != nil {
			return false, err
		}
		n, _ := slices.BinarySearchFunc(list, limit, func(p Posting, doc int32) int { return cmp.Compare(p.Doc, doc) })
		if n > 0 {
			l.addList(list[:n], b.impact, b.impacts)
		}
		return false, nil
	}
	return after+1 < int64(limit), nil
}
