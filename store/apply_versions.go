package store

import (
	"fmt"

	"github.com/asof-db/asof/dsl"
)

// touched gives the key if it was touched before.
func (a *apply) touched(id *treeID) *touched {
	const few = 8
	if len(a.states) <= few {
		for _, t := range a.states {
			if t.id == *id {
				return t
			}
		}
		return nil
	}
	if a.byKey == nil {
		a.byKey = map[treeID]*touched{}
		for _, t := range a.states {
			a.byKey[t.id] = t
		}
	}
	return a.byKey[*id]
}

// touch finds the tree of (src, rel) once and keeps it for the transaction.
func (a *apply) touch(src, rel string) (*touched, error) {
	id := a.view.treeID(src, rel)
	if t := a.touched(&id); t != nil {
		return t, nil
	}
	t := &touched{id: id, src: src, rel: rel}
	var err error
	if t.tree, t.load, err = a.st.tree(&t.id, a.tx.Space, a.view.basisSeq, src, rel); err != nil {
		return nil, err
	}
	isNew := t.tree == nil
	if isNew {
		t.tree = &keyTree{shape: a.st.s.shape, nodes: map[uint32]*treeNode{0: {leaf: true}}, next: 1}
		a.st.s.trees.put(t.id, t.tree)
	}
	if a.byKey != nil {
		a.byKey[id] = t
	}
	a.states = append(a.states, t)
	if isNew {
		if err := a.set(a.keys.idSeqOp(clRel, src, a.tx.Seq, a.op), []byte(rel)); err != nil {
			return nil, err
		}
		if err := a.set(a.keys.seqOp(clKey, a.tx.Seq, a.op), append(appendID(nil, src), rel...)); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// openVersion is an open version of a fact, with the key that it belongs to.
type openVersion struct {
	*touched
	id      string
	version uint32
	at      spot
	// archived is as of the operation under way.
	archived bool
}

// version gives a version of a fact if it is open.
func (a *apply) version(id string, version uint32, at *versionAt) (o openVersion, open bool, err error) {
	t, err := a.touch(at.src, at.rel)
	if err != nil {
		return o, false, err
	}
	n, err := t.tree.leafFor(at.spot, t.load, false)
	if err != nil {
		return o, false, err
	}
	i, open := n.find(at.spot)
	if !open {
		return o, false, nil
	}
	return openVersion{t, id, version, at.spot, n.entries[i].archived}, true, nil
}

// where finds the place of a version; ok is false if it was never opened.
func (a *apply) where(id string, version uint32) (at versionAt, ok bool, err error) {
	key := a.keys.idVersion(clVersion, id, version)
	if at, ok = a.st.s.recent.get(versionKeyOf(key)); ok {
		return at, true, nil
	}
	value, ok, err := a.st.rows.get(key)
	if err != nil || !ok {
		return at, false, err
	}
	row, err := decodeVersion(value)
	return versionAt{row.src, row.rel, row.spot()}, true, err
}

// versionKeyOf takes the key of a version row for one of the writer's memory.
func versionKeyOf(row []byte) *rowKey {
	var k rowKey
	copy(k[:8], row[1:9])
	copy(k[8:], row[10:])
	return &k
}

// openVersions gives the open versions of a fact, in order of number.
func (a *apply) openVersions(id string) ([]openVersion, error) {
	rows, err := a.st.versionRows(a.keys.id(clVersion, id))
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%w: there is no fact %s", dsl.ErrCorrupt, id)
	}
	var out []openVersion
	for _, row := range rows {
		o, open, err := a.version(row.id, row.version, &versionAt{row.src, row.rel, row.spot()})
		if err != nil {
			return nil, err
		}
		if open {
			out = append(out, o)
		}
	}
	return out, nil
}

// change puts a change of the version into its tree.
func (o *openVersion) change(c change) error {
	c.id, c.version = o.id, o.version
	return o.tree.put(&c, o.at, o.load)
}
