// Package recent remembers what was used lately, within a bound: a memory of what
// could be read or reckoned again, which changes how fast an answer comes and
// nothing else.
package recent

import "sync"

// Map holds values whose weights together stay near a bound. There are two
// generations: what is used goes to the young one, and when that has half of the
// bound, the old one is dropped. It may be used by goroutines.
type Map[K comparable, V any] struct {
	mu         sync.Mutex // guards what follows
	bound      int
	young, old map[K]entry[V]
	weight     int // of young
}

type entry[V any] struct {
	value  V
	weight int
}

// Init gives the map its bound, in whatever weights are counted in. A map without
// a bound holds nothing.
func (m *Map[K, V]) Init(bound int) { m.bound = bound }

// Get gives the value of a key, if it is there.
func (m *Map[K, V]) Get(k K) (v V, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	x, ok := m.young[k]
	if ok {
		return x.value, true
	}
	if x, ok = m.old[k]; ok {
		delete(m.old, k)
		m.keep(k, x)
	}
	return x.value, ok
}

// Put remembers the value of a key. One that weighs more than a 64th of the bound
// is not kept: it would drive out too much else.
func (m *Map[K, V]) Put(k K, v V, weight int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if weight <= m.bound/64 {
		m.keep(k, entry[V]{v, weight})
	}
}

func (m *Map[K, V]) keep(k K, x entry[V]) {
	if m.young == nil || m.weight+x.weight > m.bound/2 {
		m.old, m.young, m.weight = m.young, map[K]entry[V]{}, 0
	}
	if before, ok := m.young[k]; ok {
		m.weight -= before.weight
	}
	m.young[k] = x
	m.weight += x.weight
}

// Forget drops the keys that a test tells.
func (m *Map[K, V]) Forget(drop func(K) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, all := range []map[K]entry[V]{m.young, m.old} {
		for k := range all {
			if drop(k) {
				delete(all, k)
			}
		}
	}
}
