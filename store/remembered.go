package store

import "encoding/binary"

// remembered is a small cache of the writer: what is put in takes the place of
// what had its slot before.
type remembered[V any] struct {
	slots []rememberedSlot[V]
}

// rowKey names a node or a fact version of a space: hash of the space, id, number
// of the version.
type rowKey [28]byte

type rememberedSlot[V any] struct {
	key   rowKey
	full  bool
	value V
}

// rememberedSlots is how many slots a cache has: 5 MB of versions, 2 MB of names.
const rememberedSlots = 1 << 15

func (m *remembered[V]) slot(k *rowKey) *rememberedSlot[V] {
	h := binary.LittleEndian.Uint64(k[8:]) ^ binary.LittleEndian.Uint64(k[:])
	h = hashWord(h) ^ binary.LittleEndian.Uint64(k[16:]) ^ uint64(binary.LittleEndian.Uint32(k[24:]))
	return &m.slots[hashWord(h)%rememberedSlots]
}

func (m *remembered[V]) get(k *rowKey) (v V, ok bool) {
	if len(m.slots) == 0 {
		return v, false
	}
	if s := m.slot(k); s.full && s.key == *k {
		return s.value, true
	}
	return v, false
}

func (m *remembered[V]) put(k *rowKey, v V) {
	if len(m.slots) == 0 {
		m.slots = make([]rememberedSlot[V], rememberedSlots)
	}
	*m.slot(k) = rememberedSlot[V]{*k, true, v}
}

// clear forgets all.
func (m *remembered[V]) clear() { clear(m.slots) }
