package convert

import (
	"encoding/binary"
	"maps"
	"slices"
)

// charsmap compiles a map of characters as SentencePiece does: the length of a trie in bytes, the trie,
// and the texts that it leads to, each ended by a zero byte.
//
// The trie is a double array of 32-bit words. A node at index i has its children at i ^ offset ^ label,
// the label being a byte of the key; the word has the label in bits 0-7, whether a value hangs below in
// bit 8, and the offset from bit 10 on. The value is a child with the label 0, whose word is the place
// in the texts with bit 31 set.
func charsmap(from []rune, to []string) []byte {
	root := &trieNode{}
	var texts []byte
	for i, r := range from {
		n := root
		for _, c := range []byte(string(r)) {
			n = n.child(c)
		}
		n.place, n.valued = uint32(len(texts)), true
		texts = append(append(texts, to[i]...), 0)
	}
	b := &arrayBuilder{words: make([]uint32, 256), taken: map[uint32]bool{0: true}}
	b.place(root, 0, 0)
	for len(b.words)%256 != 0 {
		b.words = append(b.words, 0)
	}
	out := binary.LittleEndian.AppendUint32(nil, uint32(4*len(b.words)))
	for _, w := range b.words {
		out = binary.LittleEndian.AppendUint32(out, w)
	}
	return append(out, texts...)
}

// trieNode is a node with its children by the next byte.
type trieNode struct {
	children map[byte]*trieNode
	place    uint32
	valued   bool
}

func (n *trieNode) child(c byte) *trieNode {
	if n.children == nil {
		n.children = map[byte]*trieNode{}
	}
	if n.children[c] == nil {
		n.children[c] = &trieNode{}
	}
	return n.children[c]
}

// arrayBuilder lays nodes into the double array.
type arrayBuilder struct {
	words []uint32
	// taken are the words that hold a node or a value, and bases the starts of children that are in
	// use: no two nodes share one, or each would have the other's children.
	taken map[uint32]bool
	bases map[uint32]bool
	// next is the first base that may be free.
	next uint32
}

// place writes a node, which lies at an index and is reached by a label, and all below it.
func (b *arrayBuilder) place(n *trieNode, at uint32, label byte) {
	labels := slices.Sorted(maps.Keys(n.children))
	if n.valued {
		labels = append([]byte{0}, labels...)
	}
	base := b.free(labels)
	word := uint32(label) | (at^base)<<10
	if n.valued {
		word |= 1 << 8
	}
	b.words[at] = word
	for _, c := range labels {
		b.taken[base^uint32(c)] = true
	}
	for _, c := range labels {
		if c == 0 {
			b.words[base] = n.place | 1<<31
			continue
		}
		b.place(n.children[c], base^uint32(c), c)
	}
}

// free finds a base under which all labels are free.
func (b *arrayBuilder) free(labels []byte) uint32 {
	if b.bases == nil {
		b.bases = map[uint32]bool{}
	}
	for base := b.next; ; base++ {
		if base == b.next && b.bases[base] {
			b.next++
			continue
		}
		if b.bases[base] || slices.ContainsFunc(labels, func(c byte) bool { return b.taken[base^uint32(c)] }) {
			continue
		}
		b.bases[base] = true
		for uint32(len(b.words)) <= base|0xff {
			b.words = append(b.words, make([]uint32, 256)...)
		}
		return base
	}
}
