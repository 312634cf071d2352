package store

import (
	"fmt"
	"slices"

	"github.com/asof-db/asof/dsl"
)

// treeShape says how large nodes are. A leaf or inner node that grows beyond its
// bound is cut into pieces of about the size that follows it. The shape is part
// of the format: check grows trees again.
type treeShape struct{ leafMax, leafFill, kidsMax, kidsFill int }

var rowShape = treeShape{leafMax: 64, leafFill: 40, kidsMax: 64, kidsFill: 40}

// treeDepth bounds the depth of a tree that is read: one of 2^64 versions is far
// from it.
const treeDepth = 64

// treeNode is a node of the tree of a key as it is at the head, with what the
// transaction under way did to it.
type treeNode struct {
	leaf    bool
	entries []entry // of a leaf, by spot
	kids    []kid   // of an inner node, by from
	// since counts the changes of a leaf after the last row with a body.
	since int

	changes []change // of this transaction
	changed bool     // the children are others than the last row says
	below   bool     // some node below has changes
}

// due tells whether a leaf's row should have a body. It costs what is open in
// the leaf; writing it after a number of changes in proportion keeps writes
// linear, and bounds the rows that a read folds.
func (n *treeNode) due() bool { return n.since >= 4+len(n.entries)/4 }

// keyTree is the part of the tree of a (src, rel) key that the writer has read.
// Node 0 is the root.
type keyTree struct {
	shape treeShape
	nodes map[uint32]*treeNode
	next  uint32 // the number of the next node
	// entries counts what is held in memory, about; counted is what trees has
	// counted of it, and used is set while a transaction holds on to it.
	entries, counted int
	used             bool
}

// nodeLoader reads a node of a key as of the last transaction; that of an inner
// root sets the next free number too.
type nodeLoader func(id uint32) (*treeNode, error)

// leafFor goes down to the leaf of a spot. The nodes above it are marked when
// it is going to be changed.
func (t *keyTree) leafFor(at spot, load nodeLoader, mark bool) (*treeNode, error) {
	id := uint32(0)
	for range treeDepth {
		n, err := t.node(id, load)
		if err != nil {
			return nil, err
		}
		if n.leaf {
			return n, nil
		}
		n.below = n.below || mark
		id = n.kids[kidFor(n.kids, at)].node
	}
	return nil, tooDeep()
}

func tooDeep() error {
	return fmt.Errorf("%w: state tree is deeper than %d", dsl.ErrCorrupt, treeDepth)
}

// node gives a node, loaded where it is not in memory.
func (t *keyTree) node(id uint32, load nodeLoader) (*treeNode, error) {
	if n := t.nodes[id]; n != nil {
		return n, nil
	}
	n, err := load(id)
	if err != nil {
		return nil, err
	}
	t.nodes[id] = n
	t.entries += len(n.entries) + len(n.kids)/4
	return n, nil
}

// kidFor gives the index of the child that a spot belongs to.
func kidFor(kids []kid, at spot) int {
	i, exact := slices.BinarySearchFunc(kids, at, func(k kid, at spot) int { return k.from.compare(at) })
	if !exact {
		i--
	}
	return max(i, 0)
}

func (n *treeNode) find(at spot) (int, bool) {
	return slices.BinarySearchFunc(n.entries, at, func(e entry, at spot) int { return e.spot().compare(at) })
}

// put applies a change to the leaf that it belongs to. at is the spot of the
// version that it is about.
func (t *keyTree) put(c *change, at spot, load nodeLoader) error {
	n, err := t.leafFor(at, load, true)
	if err != nil {
		return err
	}
	i, found := n.find(at)
	switch {
	case c.kind == chOpen:
		if found {
			return fmt.Errorf("%w: fact %s version %d is opened twice", dsl.ErrCorrupt, c.entry.id, c.entry.version)
		}
		n.entries = slices.Insert(n.entries, i, c.entry)
		t.entries++
	case !found:
		return fmt.Errorf("%w: fact %s version %d is not open", dsl.ErrCorrupt, c.id, c.version)
	case c.kind == chClose:
		n.entries = slices.Delete(n.entries, i, i+1)
	default:
		c.change(&n.entries[i])
	}
	n.changes = append(n.changes, *c)
	n.since++
	return nil
}

// rowWriter takes the state rows of one key and one transaction.
type rowWriter struct {
	at  dsl.Instant
	set func(node uint32, row []byte) error
	// buf, if there is one, is used for each row anew.
	buf *[]byte
}

func (w *rowWriter) write(t *keyTree, id uint32, n *treeNode, body byte) error {
	next := uint32(0)
	if id == 0 {
		next = t.next
	}
	if body == bodyEntries {
		n.since = 0
	}
	var row []byte
	if w.buf != nil {
		row = (*w.buf)[:0]
	}
	row = appendStateRow(row, w.at, body, n, next)
	if w.buf != nil {
		*w.buf = row
	}
	err := w.set(id, row)
	n.changes, n.changed, n.below = nil, false, false
	return err
}

// settle writes the rows of a transaction, once all its changes were put.
func (t *keyTree) settle(w *rowWriter) error {
	root, next := t.nodes[0], t.next
	switch {
	case root.leaf && len(root.entries) <= t.shape.leafMax:
		if len(root.changes) == 0 {
			return nil
		}
		body := bodyNone
		if root.due() {
			body = bodyEntries
		}
		return w.write(t, 0, root, body)
	case root.leaf:
		parts, err := t.cutLeaf(root.entries, nil, dsl.Forever, w)
		if err != nil {
			return err
		}
		root.leaf, root.entries, root.since, root.kids, root.changed = false, nil, 0, parts, true
	case root.below:
		if _, err := t.settleKids(root, dsl.Forever, w); err != nil {
			return err
		}
	}
	if !root.changed && t.next == next { // the root keeps the next number
		root.below = false
		return nil
	}
	for len(root.kids) > t.shape.kidsMax {
		parts, err := t.cutKids(root.kids, nil, dsl.Forever, w)
		if err != nil {
			return err
		}
		root.kids = parts
	}
	return w.write(t, 0, root, bodyKids)
}

// settleNode writes what changed in a node and below it. It gives the children
// that stand for it in its parent, and whether nothing is left in it. hi is
// where the next node of its level begins.
func (t *keyTree) settleNode(self kid, hi dsl.Instant, w *rowWriter) (parts []kid, empty bool, err error) {
	n := t.nodes[self.node]
	if !n.leaf {
		if empty, err = t.settleKids(n, hi, w); err != nil {
			return nil, false, err
		}
		if !n.changed {
			n.below = false
			return []kid{self}, empty, nil
		}
		if len(n.kids) > t.shape.kidsMax {
			parts, err = t.cutKids(n.kids, &self, hi, w)
			return parts, false, err
		}
		self.reach = kidsReach(n.kids, hi)
		return []kid{self}, empty, w.write(t, self.node, n, bodyKids)
	}
	if len(n.entries) > t.shape.leafMax {
		parts, err = t.cutLeaf(n.entries, &self, hi, w)
		return parts, false, err
	}
	reach := entriesReach(n.entries, hi)
	body := bodyNone
	if n.due() || len(n.entries) == 0 {
		body = bodyEntries
	}
	if body == bodyEntries || reach > self.reach { // a bound is lowered only where the leaf is written anyway
		self.reach = reach
	}
	return []kid{self}, len(n.entries) == 0, w.write(t, self.node, n, body)
}

// settleKids settles the children of an inner node that have changes. A child
// with nothing left is dropped unless it is the only one; its neighbour takes
// its place.
func (t *keyTree) settleKids(n *treeNode, hi dsl.Instant, w *rowWriter) (empty bool, err error) {
	kids := make([]kid, 0, len(n.kids)+1)
	left := len(n.kids)
	for i, k := range n.kids {
		c := t.nodes[k.node]
		if c == nil || len(c.changes) == 0 && !c.below {
			kids = append(kids, k)
			continue
		}
		end := hi
		if i+1 < len(n.kids) {
			end = n.kids[i+1].from.start
		}
		parts, none, err := t.settleNode(k, end, w)
		if err != nil {
			return false, err
		}
		if none && left > 1 {
			left--
			n.changed = true
			delete(t.nodes, k.node)
			continue
		}
		empty = none
		n.changed = n.changed || len(parts) != 1 || parts[0] != k
		kids = append(kids, parts...)
	}
	n.kids = kids
	return empty && len(kids) == 1, nil
}

// cutLeaf spreads entries over leaves, the first of which is self if there is
// one, and writes them.
func (t *keyTree) cutLeaf(entries []entry, self *kid, hi dsl.Instant, w *rowWriter) ([]kid, error) {
	var parts []kid
	pieces := pieces(entries, t.shape.leafFill)
	for i, piece := range pieces {
		k := kid{from: piece[0].spot()}
		var n *treeNode
		if i == 0 && self != nil {
			k.node, k.from = self.node, least(self.from, k.from)
			n = t.nodes[k.node]
		} else {
			n = &treeNode{leaf: true}
			k.node = t.add(n)
		}
		n.entries = slices.Clone(piece)
		end := hi
		if i+1 < len(pieces) {
			end = pieces[i+1][0].valid.Start
		}
		k.reach = entriesReach(n.entries, end)
		if err := w.write(t, k.node, n, bodyEntries); err != nil {
			return nil, err
		}
		parts = append(parts, k)
	}
	return parts, nil
}

// cutKids is cutLeaf for inner nodes.
func (t *keyTree) cutKids(kids []kid, self *kid, hi dsl.Instant, w *rowWriter) ([]kid, error) {
	var parts []kid
	pieces := pieces(kids, t.shape.kidsFill)
	for i, piece := range pieces {
		k := kid{from: piece[0].from}
		var n *treeNode
		if i == 0 && self != nil {
			k.node, k.from = self.node, least(self.from, k.from)
			n = t.nodes[k.node]
		} else {
			n = &treeNode{}
			k.node = t.add(n)
		}
		n.kids = slices.Clone(piece)
		end := hi
		if i+1 < len(pieces) {
			end = pieces[i+1][0].from.start
		}
		k.reach = kidsReach(n.kids, end)
		if err := w.write(t, k.node, n, bodyKids); err != nil {
			return nil, err
		}
		parts = append(parts, k)
	}
	return parts, nil
}

func (t *keyTree) add(n *treeNode) uint32 {
	id := t.next
	t.next++
	t.nodes[id] = n
	return id
}

// least gives the lesser of two spots. The first child of a node may have got
// versions from before its from, which says nothing; cut, it has a neighbour
// whose from does.
func least(a, b spot) spot {
	if b.compare(a) < 0 {
		return b
	}
	return a
}

// pieces cuts a list into stretches of even size, about fill each.
func pieces[T any](list []T, fill int) [][]T {
	count := (len(list) + fill - 1) / fill
	out := make([][]T, 0, count)
	for i := range count {
		out = append(out, list[i*len(list)/count:(i+1)*len(list)/count])
	}
	return out
}

// entriesReach gives the reach of a leaf that ends at hi.
func entriesReach(entries []entry, hi dsl.Instant) dsl.Instant {
	reach := dsl.Beginning
	for i := range entries {
		if end := entries[i].valid.End; end > hi {
			reach = max(reach, end)
		}
	}
	return reach
}

// kidsReach gives the reach of an inner node that ends at hi.
func kidsReach(kids []kid, hi dsl.Instant) dsl.Instant {
	reach := dsl.Beginning
	for i := range kids {
		if r := kids[i].reach; r > hi {
			reach = max(reach, r)
		}
	}
	return reach
}

// sortBySpot puts versions into the order of the tree.
func sortBySpot(list []entry) {
	slices.SortFunc(list, func(a, b entry) int { return a.spot().compare(b.spot()) })
}
