package store

// keyFilter says of keys that the store does not hold them: a Bloom filter over
// the keys that the writer looks for to find out whether something is new. Almost
// always it is, and Pebble would say so only after it has looked through its
// memtables. It knows all keys only of a store that this process has made, such
// as one that is made again from its log; of others there is none (nil), and
// Pebble is asked. It belongs to the writer.
type keyFilter struct {
	parts []filterPart
}

// filterPart is a filter for a number of keys. When it is full, one of twice the
// size follows.
type filterPart struct {
	blocks []filterBlock
	room   int
}

// filterBlock is one cache line: all bits of a key lie in one.
type filterBlock [8]uint64

// A filter begins with room for filterFirst keys, has filterBits bits for each,
// and is given up beyond filterMost bytes.
const (
	filterFirst = 1 << 15
	filterBits  = 12
	filterMost  = 32 << 20
)

// filtered tells whether keys of a class and length are in the filter. Versions
// are asked for one by one and by fact, state rows by (src, rel).
func filtered(key []byte) bool {
	if len(key) < 10 || key[0] != tableData {
		return false
	}
	switch n := len(key) - 9; key[9] {
	case clNode, clTurnID, clKnown, clEvent, clAlias:
		return n == 17
	case clVersion:
		return n == 17 || n == 21
	case clState:
		return n == 25
	}
	return false
}

// mayHave is false for a key that is not in the store.
func (f *keyFilter) mayHave(key []byte) bool {
	if f == nil || !filtered(key) {
		return true
	}
	return f.has(hashBytes(key))
}

func (f *keyFilter) has(h uint64) bool {
	for i := range f.parts {
		if f.parts[i].has(h) {
			return true
		}
	}
	return false
}

// add notes that a row is going to be in the store.
func (f *keyFilter) add(key []byte) {
	if f == nil || len(key) < 10 || key[0] != tableData {
		return
	}
	switch key[9] {
	case clVersion:
		f.put(key)
		f.put(key[:26])
	case clNode, clTurnID, clKnown:
		f.put(key)
	case clEvent, clAlias:
		f.put(key[:26])
	case clState:
		f.put(key[:34])
	}
}

func (f *keyFilter) put(key []byte) {
	h := hashBytes(key)
	if f.has(h) {
		return
	}
	n := len(f.parts)
	if n == 0 || f.parts[n-1].room == 0 {
		room := filterFirst << n
		f.parts = append(f.parts, filterPart{blocks: make([]filterBlock, room*filterBits/512), room: room})
		n++
	}
	f.parts[n-1].put(h)
}

// full tells whether the filter has outgrown its bound.
func (f *keyFilter) full() bool {
	return f != nil && len(f.parts) > 0 && len(f.parts[len(f.parts)-1].blocks)*64 > filterMost/2
}

// bits gives the block of a hash and the seven bits of it in 63.
func (p *filterPart) bits(h uint64) (*filterBlock, uint64) {
	return &p.blocks[(h>>32)*uint64(len(p.blocks))>>32], hashWord(h)
}

func (p *filterPart) has(h uint64) bool {
	b, bits := p.bits(h)
	for range 7 {
		if b[bits>>6&7]>>(bits&63)&1 == 0 {
			return false
		}
		bits >>= 9
	}
	return true
}

func (p *filterPart) put(h uint64) {
	p.room--
	b, bits := p.bits(h)
	for range 7 {
		b[bits>>6&7] |= 1 << (bits & 63)
		bits >>= 9
	}
}
