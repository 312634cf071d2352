package store

import (
	"sync"

	"github.com/asof-db/asof/dsl"
)

// caches hold what never changes once it is written, so that a view of any
// basis may use them.
type caches struct {
	mu     sync.Mutex // guards tables
	tables map[tableID]*docTable

	nodesMu sync.Mutex // guards both generations of nodes
	young   map[nodeID]nodeRow
	old     map[nodeID]nodeRow
}

// A space begins anew after a drop: life is the position of its last drop, so
// that a late reader of the life before leaves nothing for the next.
type tableID struct {
	space string
	field Field
	life  dsl.Seq
}

type nodeID struct {
	space, id string
	life      dsl.Seq
}

// nodeGeneration bounds each of the two generations of cached nodes.
const nodeGeneration = 1 << 15

// docTable is the table of a field's documents as far as it was read.
type docTable struct {
	mu                 sync.Mutex // guards all fields
	docs               []Doc
	sessions, speakers []string
}

func (c *caches) init() {
	c.tables = map[tableID]*docTable{}
	c.young, c.old = map[nodeID]nodeRow{}, map[nodeID]nodeRow{}
}

func (c *caches) table(space string, f Field, life dsl.Seq) *docTable {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := tableID{space, f, life}
	t := c.tables[id]
	if t == nil {
		t = &docTable{}
		c.tables[id] = t
	}
	return t
}

func (c *caches) node(space, id string, life dsl.Seq) (nodeRow, bool) {
	c.nodesMu.Lock()
	defer c.nodesMu.Unlock()
	key := nodeID{space, id, life}
	n, ok := c.young[key]
	if !ok {
		if n, ok = c.old[key]; ok {
			c.keep(key, n)
		}
	}
	return n, ok
}

func (c *caches) putNode(space string, n nodeRow, life dsl.Seq) {
	c.nodesMu.Lock()
	defer c.nodesMu.Unlock()
	c.keep(nodeID{space, n.ID, life}, n)
}

// keep is called with nodesMu held.
func (c *caches) keep(key nodeID, n nodeRow) {
	if len(c.young) >= nodeGeneration {
		c.old, c.young = c.young, map[nodeID]nodeRow{}
	}
	c.young[key] = n
}

// drop forgets everything of a space.
func (c *caches) drop(space string) {
	c.mu.Lock()
	for id := range c.tables {
		if id.space == space {
			delete(c.tables, id)
		}
	}
	c.mu.Unlock()
	c.nodesMu.Lock()
	defer c.nodesMu.Unlock()
	for _, m := range []map[nodeID]nodeRow{c.young, c.old} {
		for k := range m {
			if k.space == space {
				delete(m, k)
			}
		}
	}
}
