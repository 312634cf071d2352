package store

import (
	"sync"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/recent"
)

// caches hold what never changes once it is written, so that a view of any
// basis may use them. A space begins anew after a drop: life is the position of
// its last drop, so that a late reader of the life before leaves nothing for the
// next.
type caches struct {
	mu    sync.Mutex // guards tails, names, chunks and edits
	tails generations[tableID, *tail]
	names generations[tableID, *speakers]
	// chunks are decoded documents: 8 KiB each of turns, some 14 of facts.
	chunks generations[chunkID, *docChunk]
	edits  generations[tableID, *edits]

	nodesMu sync.Mutex // guards nodes
	nodes   generations[nodeID, nodeRow]

	times timesCache
	// turns are as they were recorded, lists the postings in all segments of a field.
	turns recent.Map[turnID, Turn]
	lists recent.Map[listID, *TermList]

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

type tableID struct {
	space string
	life  dsl.Seq
	field Field
}

type chunkID struct {
	tableID
	segment uint32
}

type turnID struct {
	space string
	life  dsl.Seq
	doc   int32
}

// listID names the postings of a term in the first so many documents, which are
// sealed.
type listID struct {
	tableID
	sealed int32
	term   string
}

type nodeID struct {
	space, id string
	life      dsl.Seq
}

// The sizes of one of the two generations of each cache. A tail takes some
// hundreds of kilobytes when it is full.
const (
	tailGeneration  = 64
	chunkGeneration = 1 << 12
	editGeneration  = 1 << 10
	nodeGeneration  = 1 << 15
)

func (c *caches) init() {
	c.tails.init(tailGeneration)
	c.names.init(tailGeneration)
	c.chunks.init(chunkGeneration)
	c.edits.init(editGeneration)
	c.nodes.init(nodeGeneration)
	c.turns.Init(turnsKept)
	c.lists.Init(listsKept)
}

// generations is a map that is bounded by forgetting what was not used lately:
// when the young generation is full, the old one is dropped.
type generations[K comparable, V any] struct {
	size       int
	young, old map[K]V
}

func (g *generations[K, V]) init(size int) {
	g.size, g.young, g.old = size, map[K]V{}, map[K]V{}
}

func (g *generations[K, V]) get(k K) (v V, ok bool) {
	if v, ok = g.young[k]; ok {
		return v, true
	}
	if v, ok = g.old[k]; ok {
		delete(g.old, k)
		g.put(k, v)
	}
	return v, ok
}

func (g *generations[K, V]) put(k K, v V) {
	if len(g.young) >= g.size {
		g.old, g.young = g.young, map[K]V{}
	}
	g.young[k] = v
}

func (g *generations[K, V]) forget(drop func(K) bool) {
	for _, m := range []map[K]V{g.young, g.old} {
		for k := range m {
			if drop(k) {
				delete(m, k)
			}
		}
	}
}

// tail gives the tail of a field that starts at a document. Where readers have
// gone on to a later segment it is one of the caller's own.
func (c *caches) tail(id tableID, start int) *tail {
	c.mu.Lock()
	defer c.mu.Unlock()
	old, ok := c.tails.get(id)
	if ok && old.start == start {
		return old
	}
	t := newTail(start)
	if !ok || old.start < start {
		c.tails.put(id, t)
	}
	return t
}

// forgetTail drops a tail that could not be read.
func (c *caches) forgetTail(id tableID, t *tail) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if have, ok := c.tails.get(id); ok && have == t {
		c.tails.forget(func(k tableID) bool { return k == id })
	}
}

func (c *caches) speakers(id tableID) *speakers {
	c.mu.Lock()
	defer c.mu.Unlock()
	t, ok := c.names.get(id)
	if !ok {
		t = &speakers{byTerm: map[string][]uint32{}}
		c.names.put(id, t)
	}
	return t
}

func (c *caches) editsOf(id tableID) *edits {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.edits.get(id)
	if !ok {
		e = new(edits)
		c.edits.put(id, e)
	}
	return e
}

// chunk gives the documents of a sealed segment, nil if they are not there.
func (c *caches) chunk(id chunkID) *docChunk {
	c.mu.Lock()
	defer c.mu.Unlock()
	x, _ := c.chunks.get(id)
	return x
}

func (c *caches) putChunk(id chunkID, x *docChunk) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.chunks.put(id, x)
}

func (c *caches) node(space, id string, life dsl.Seq) (nodeRow, bool) {
	c.nodesMu.Lock()
	defer c.nodesMu.Unlock()
	return c.nodes.get(nodeID{space, id, life})
}

func (c *caches) putNode(space string, n nodeRow, life dsl.Seq) {
	c.nodesMu.Lock()
	defer c.nodesMu.Unlock()
	c.nodes.put(nodeID{space, n.ID, life}, n)
}

// drop forgets everything of a space.
func (c *caches) drop(space string) {
	c.times.drop(space)
	c.turns.Forget(func(k turnID) bool { return k.space == space })
	c.lists.Forget(func(k listID) bool { return k.space == space })
	c.mu.Lock()
	c.tails.forget(func(k tableID) bool { return k.space == space })
	c.names.forget(func(k tableID) bool { return k.space == space })
	c.edits.forget(func(k tableID) bool { return k.space == space })
	c.chunks.forget(func(k chunkID) bool { return k.space == space })
	c.mu.Unlock()
	c.nodesMu.Lock()
	defer c.nodesMu.Unlock()
	c.nodes.forget(func(k nodeID) bool { return k.space == space })
}

// trees are what the writer has read of the trees of keys, as of the head,
// staged transactions included. They belong to the one who holds Store.writer.
type trees struct {
	young, old map[treeID]*keyTree
	// entries counts what young holds, about.
	entries int
	// used are the trees of the transaction under way: they stay until it ends.
	used []*keyTree
}

// treeID names a key: hash of the space, id of the subject, hash of the relation.
type treeID [32]byte

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
	c.use(t)
	return t
}

func (c *trees) put(id treeID, t *keyTree) {
	c.keep(id, t)
	c.use(t)
}

func (c *trees) use(t *keyTree) {
	if !t.used {
		t.used = true
		c.used = append(c.used, t)
	}
}

func (c *trees) keep(id treeID, t *keyTree) {
	if c.young == nil {
		c.young = map[treeID]*keyTree{}
	}
	c.young[id] = t
	c.entries += t.entries + 4
	t.counted = t.entries
}

// trim ends a transaction: it lets go of what is beyond the bounds.
func (c *trees) trim() {
	for _, t := range c.used {
		if len(t.nodes) > treeNodes {
			root := t.nodes[0]
			t.nodes, t.entries = map[uint32]*treeNode{0: root}, len(root.entries)+len(root.kids)/4
		}
		c.entries += t.entries - t.counted
		t.used, t.counted = false, t.entries
	}
	c.used = c.used[:0]
	if c.entries > treeEntries {
		c.young, c.old, c.entries = nil, c.young, 0
	}
}

// forget drops the trees of a space.
func (c *trees) forget(space [8]byte) {
	for _, m := range []map[treeID]*keyTree{c.young, c.old} {
		for id := range m {
			if [8]byte(id[:8]) == space {
				delete(m, id)
			}
		}
	}
}

// clear forgets all: what was staged is not going to be.
func (c *trees) clear() { *c = trees{} }
