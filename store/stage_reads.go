package store

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/asof-db/asof/dsl"
)

// What the writer has in memory answers most of what is asked of a stage: the
// trees of the keys as of the staged head, and where the versions lie that were
// opened lately.

// versionAt says where the open version lies if it is open.
type versionAt struct {
	src, rel string
	spot
}

// forgetWritten drops what the writer has in memory: what was staged is not going to
// be.
func (s *Store) forgetWritten() {
	s.trees.clear()
	s.recent.clear()
	s.names.clear()
	s.tails.init(tailGeneration)
}

// tree gives the tree of (src, rel) as of the staged head, nil if there is no
// such key yet, and what loads its nodes.
func (st *Stage) tree(id *treeID, space string, head dsl.Seq, src, rel string) (*keyTree, nodeLoader, error) {
	t := st.s.trees.get(*id)
	isNew := t == nil
	if isNew {
		t = &keyTree{shape: st.s.shape, nodes: map[uint32]*treeNode{}, next: 1}
	}
	load := func(node uint32) (*treeNode, error) {
		return newSnapshot(st.s, st.rows, space, head, st).loader(src, rel, t)(node)
	}
	if !isNew {
		return t, load, nil
	}
	root, err := load(0)
	if errors.Is(err, dsl.ErrNotFound) {
		return nil, load, nil
	}
	if err != nil {
		return nil, nil, err
	}
	t.nodes[0] = root
	t.entries = len(root.entries)
	st.s.trees.put(*id, t)
	return t, load, nil
}

// treeID names a key as its state rows do.
func (v *snapshot) treeID(src, rel string) (id treeID) {
	copy(id[:8], v.keys.prefix[1:])
	u, h := id16(src), v.s.caches.hash8(rel)
	copy(id[8:24], u[:])
	copy(id[24:], h[:])
	return id
}

// prefix is that of the key's state rows.
func (id *treeID) prefix() []byte {
	p := append(make([]byte, 0, 64), tableData)
	p = append(append(p, id[:8]...), clState)
	return append(p, id[8:]...)
}

// atHead tells whether a view of a stage is that of its head, still.
func (v *snapshot) atHead() bool {
	if v.stage == nil {
		return false
	}
	h, err := v.stage.head(v.space)
	return err == nil && h.Seq == v.basisSeq
}

// stagedWindow is readWindow for the head of a stage.
func (v *snapshot) stagedWindow(src, rel string, w validWindow) (list []entry, found bool, err error) {
	id := v.treeID(src, rel)
	t, load, err := v.stage.tree(&id, v.space, v.basisSeq, src, rel)
	if err != nil || t == nil {
		return nil, false, err
	}
	if err := t.visit(0, w, load, &list, 0); err != nil {
		return nil, true, err
	}
	slices.SortFunc(list, byOpening)
	return list, true, nil
}

// stagedVersion gives an open version as of the head of a stage; ok is false
// where it is not open.
func (v *snapshot) stagedVersion(row *versionRow) (e entry, ok bool, err error) {
	id := v.treeID(row.src, row.rel)
	t, load, err := v.stage.tree(&id, v.space, v.basisSeq, row.src, row.rel)
	if err != nil || t == nil {
		return e, false, err
	}
	n, err := t.leafFor(row.spot(), load, false)
	if err != nil {
		return e, false, err
	}
	i, ok := n.find(row.spot())
	if !ok {
		return e, false, nil
	}
	return n.entries[i], true, nil
}

// visit gathers the versions below a node that hold in a window.
func (t *keyTree) visit(id uint32, w validWindow, load nodeLoader, out *[]entry, depth int) error {
	if depth > treeDepth {
		return tooDeep()
	}
	n, err := t.node(id, load)
	if err != nil {
		return err
	}
	for i := range n.entries {
		if w.holds(n.entries[i].valid) {
			*out = append(*out, n.entries[i])
		}
	}
	for i := range n.kids {
		if i > 0 && n.kids[i].from.start > w.hi {
			break
		}
		if i+1 < len(n.kids) && n.kids[i+1].from.start <= w.lo && n.kids[i].reach <= w.lo {
			continue
		}
		if err := t.visit(n.kids[i].node, w, load, out, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// versionRows reads all versions of a fact, in order of number.
func (st *Stage) versionRows(prefix []byte) (rows []versionRow, err error) {
	err = st.rows.scan(prefix, func(_, value []byte) (bool, error) {
		row, err := decodeVersion(value)
		rows = append(rows, row)
		return err == nil, err
	})
	return rows, err
}

// lastVersion gives the highest version number under a prefix, 0 for none.
func (st *Stage) lastVersion(prefix []byte) (n uint32, err error) {
	err = st.rows.scan(prefix, func(key, _ []byte) (bool, error) {
		n = binary.BigEndian.Uint32(key[len(prefix):])
		return true, nil
	})
	return n, err
}

// scanned tells whether an overlay can answer a scan of a prefix, without sorting
// all its rows.
func (v *snapshot) scanned(prefix []byte) (*overlay, bool) {
	if v.stage == nil || prefixLength(prefix) != len(prefix) {
		return nil, false
	}
	return v.stage.rows, true
}
