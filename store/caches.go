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

	times timesCache

	hashMu sync.RWMutex // guards hashes
	hashes map[string][8]byte
}

// hashesKept bounds the names whose hashes are cached.
const hashesKept = 1 << 12

// hash8 is hash8 for the few names that every read hashes: of spaces and
// predicates.
func (c *caches) hash8(name string) [8]byte {
	c.hashMu.RLock()
	h, ok := c.hashes[name]
	c.hashMu.RUnlock()
	if ok {
		return h
	}
	h = hash8(name)
	c.hashMu.Lock()
	defer c.hashMu.Unlock()
	if c.hashes == nil || len(c.hashes) >= hashesKept {
		c.hashes = map[string][8]byte{}
	}
	c.hashes[name] = h
	return h
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
	c.times.drop(space)
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

// trees are what the writer has read of the trees of keys, as of the head,
// staged transactions included. They belong to the one who holds Store.writer.
type trees struct {
	young, old map[treeID]*keyTree
	// entries counts what young holds, about.
	entries int
	// used are the trees of the transaction under way.
	used []treeUse
}

type treeID struct{ space, src, rel string }

type treeUse struct {
	tree   *keyTree
	before int
}

// treeEntries bounds the versions in each of the two generations of trees, and
// treeNodes what is kept of one tree.
const (
	treeEntries = 1 << 15
	treeNodes   = 256
)

func (c *trees) get(id treeID) *keyTree {
	t := c.young[id]
	if t == nil {
		if t = c.old[id]; t == nil {
			return nil
		}
		c.keep(id, t)
	}
	c.used = append(c.used, treeUse{t, t.entries})
	return t
}

func (c *trees) put(id treeID, t *keyTree) {
	c.keep(id, t)
	c.used = append(c.used, treeUse{t, t.entries})
}

func (c *trees) keep(id treeID, t *keyTree) {
	if c.young == nil {
		c.young = map[treeID]*keyTree{}
	}
	c.young[id] = t
	c.entries += t.entries + 4
}

// trim ends a transaction: it lets go of what is beyond the bounds.
func (c *trees) trim() {
	for _, u := range c.used {
		c.entries += u.tree.entries - u.before
		if len(u.tree.nodes) > treeNodes {
			root := u.tree.nodes[0]
			u.tree.nodes = map[uint32]*treeNode{0: root}
		}
	}
	c.used = c.used[:0]
	if c.entries > treeEntries {
		c.young, c.old, c.entries = nil, c.young, 0
	}
}

// clear forgets all: what was staged is not going to be.
func (c *trees) clear() { *c = trees{} }
