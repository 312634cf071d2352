package tokenize

import (
	"cmp"
	"slices"
	"strings"
)

// A trie finds the keys that a run of bytes begins with.
// It is a double array: a step costs one look at one entry, and a node has no pointers.
type trie struct {
	units []unit
}

// A unit is a node. Its child under byte c is at base^c, and is its child only if that one's
// check names it. val is the value of the key that ends here, -1 when none does.
type unit struct {
	base, check, val int32
}

// root is the node where every walk begins.
const root int32 = 0

// A trieKey is a key with its value, which is 0 or more.
type trieKey struct {
	key string
	val int32
}

// newTrie builds a trie of the keys, which it sorts. Of equal keys the one with the highest value
// counts, empty ones are left out.
func newTrie(keys []trieKey) *trie {
	slices.SortFunc(keys, func(a, b trieKey) int {
		return cmp.Or(strings.Compare(a.key, b.key), cmp.Compare(a.val, b.val))
	})
	last := keys[:0]
	for i, k := range keys {
		if k.key != "" && (i+1 == len(keys) || keys[i+1].key != k.key) {
			last = append(last, k)
		}
	}
	b := newTrieBuilder(nodes(last))
	b.grow()
	b.take(root)
	b.units[root] = unit{check: -1, val: -1}
	b.place(last, 0, root)
	return &trie{units: b.units}
}

// nodes counts the nodes but for the root of a trie of sorted keys.
func nodes(keys []trieKey) int {
	n, before := 0, ""
	for _, k := range keys {
		shared := 0
		for shared < min(len(before), len(k.key)) && before[shared] == k.key[shared] {
			shared++
		}
		n += len(k.key) - shared
		before = k.key
	}
	return n
}

// step goes from node s over byte c. The second result is false where no key goes on.
func (t *trie) step(s int32, c byte) (int32, bool) {
	n := t.units[s].base ^ int32(c)
	return n, t.units[n].check == s
}

// get returns the value of a whole key.
func (t *trie) get(key []byte) (int32, bool) {
	s := root
	for _, c := range key {
		n, ok := t.step(s, c)
		if !ok {
			return -1, false
		}
		s = n
	}
	v := t.units[s].val
	return v, v >= 0
}

// A trieBuilder keeps the entries not yet taken in a ring, so that a place for a node's children
// is looked for among free entries only.
type trieBuilder struct {
	units      []unit
	next, prev []int32
	head       int32 // a free entry, meaningful when free > 0
	free       int
}

// newTrieBuilder makes one with room for n nodes, as long as few entries remain empty.
func newTrieBuilder(n int) *trieBuilder {
	n += n/16 + 512
	return &trieBuilder{units: make([]unit, 0, n), next: make([]int32, 0, n), prev: make([]int32, 0, n)}
}

// maxTries bounds how many free entries are tried before a new block is taken: building stays
// linear, at the price of some entries that remain empty.
const maxTries = 24

// grow adds a block of 256 free entries.
func (b *trieBuilder) grow() {
	begin := int32(len(b.units))
	for i := begin; i < begin+256; i++ {
		b.units = append(b.units, unit{check: -1, val: -1})
		b.next = append(b.next, i+1)
		b.prev = append(b.prev, i-1)
	}
	end := begin + 255
	if b.free == 0 {
		b.head = begin
		b.next[end], b.prev[begin] = begin, end
	} else {
		tail := b.prev[b.head]
		b.next[tail], b.prev[begin] = begin, tail
		b.next[end], b.prev[b.head] = b.head, end
	}
	b.free += 256
}

// taken says whether an entry is in use: it is when the ring no longer holds it.
func (b *trieBuilder) taken(i int32) bool { return b.next[i] < 0 }

// take removes an entry from the ring.
func (b *trieBuilder) take(i int32) {
	n, p := b.next[i], b.prev[i]
	b.next[p], b.prev[n] = n, p
	if b.head == i {
		b.head = n
	}
	b.next[i] = -1
	b.free--
}

// place puts the keys, which share their first depth bytes, under node.
func (b *trieBuilder) place(keys []trieKey, depth int, node int32) {
	if len(keys) > 0 && len(keys[0].key) == depth {
		b.units[node].val = keys[0].val
		keys = keys[1:]
	}
	if len(keys) == 0 {
		return
	}
	var all [256]byte
	labels := all[:0]
	for i := range keys {
		if c := keys[i].key[depth]; len(labels) == 0 || labels[len(labels)-1] != c {
			labels = append(labels, c)
		}
	}
	base := b.find(labels)
	b.units[node].base = base
	for _, c := range labels {
		n := base ^ int32(c)
		b.take(n)
		b.units[n].check = node
	}
	for begin := 0; begin < len(keys); {
		c, end := keys[begin].key[depth], begin+1
		for end < len(keys) && keys[end].key[depth] == c {
			end++
		}
		b.place(keys[begin:end], depth+1, base^int32(c))
		begin = end
	}
}

// find returns a base under which the entries of all labels are free.
func (b *trieBuilder) find(labels []byte) int32 {
	tries := min(maxTries, b.free)
	for at := b.head; tries > 0; tries-- {
		base := at ^ int32(labels[0])
		fits := true
		for _, c := range labels[1:] {
			if b.taken(base ^ int32(c)) {
				fits = false
				break
			}
		}
		if fits {
			return base
		}
		at = b.next[at]
	}
	// The entries at the ring's beginning serve few: the next search begins behind them.
	if b.free > 0 {
		for range min(maxTries, b.free) / 2 {
			b.head = b.next[b.head]
		}
	}
	begin := int32(len(b.units))
	b.grow()
	return begin ^ int32(labels[0])
}
