package store

import "sync"

// turnCache holds turns as they were recorded, which never change: what an edit
// does to one is known by its view. It is bounded by forgetting what was not read
// lately.
type turnCache struct {
	mu         sync.Mutex // guards what follows
	young, old map[chunkID]Turn // by number, in place of a segment
	bytes      int // of the rows of young
}

// turnGeneration bounds the rows in one of the two generations, in bytes, and
// largestTurn a row that is kept at all.
const (
	turnGeneration = 8 << 20
	largestTurn    = turnGeneration / 64
	// turnCost is what a turn takes beside its row.
	turnCost = 256
)

// recorded gives a turn as it was recorded, from memory if it is there.
func (v *snapshot) recorded(doc int) (Turn, error) {
	if v.stage != nil { // what is staged may come to nothing
		return readTurn(v.r, &v.keys, doc)
	}
	pos, err := v.position()
	if err != nil {
		return Turn{}, err
	}
	id := chunkID{tableID{v.space, pos.dropped, TurnField}, uint32(doc)}
	if t, ok := v.s.caches.turns.get(id); ok {
		return t, nil
	}
	t, err := readTurn(v.r, &v.keys, doc)
	if err == nil {
		v.s.caches.turns.put(id, t)
	}
	return t, err
}

func (c *turnCache) get(id chunkID) (t Turn, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t, ok = c.young[id]; ok {
		return t, true
	}
	if t, ok = c.old[id]; ok {
		delete(c.old, id)
		c.keep(id, t)
	}
	return t, ok
}

func (c *turnCache) put(id chunkID, t Turn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keep(id, t)
}

func (c *turnCache) keep(id chunkID, t Turn) {
	size := turnCost + len(t.Text.String())
	for _, a := range t.Attachments {
		size += turnCost + len(a.Text.String())
	}
	if size > largestTurn {
		return
	}
	if c.young == nil || c.bytes+size > turnGeneration {
		c.old, c.young, c.bytes = c.young, map[chunkID]Turn{}, 0
	}
	c.young[id] = t
	c.bytes += size
}

// drop forgets the turns of a space.
func (c *turnCache) drop(space string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range []map[chunkID]Turn{c.young, c.old} {
		for id := range m {
			if id.space == space {
				delete(m, id)
			}
		}
	}
}
