package store

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/asof-db/asof/dsl"
)

// keyRef is a (src, rel) key and where it first appeared.
type keyRef struct {
	src, rel string
	seq      dsl.Seq
	op       int
}

// factVersion gives an entry as the view shows it.
func (v *snapshot) factVersion(src, rel string, e *entry) (dsl.FactVersion, error) {
	srcNode, err := v.Node(src)
	if err != nil {
		return dsl.FactVersion{}, err
	}
	dstNode, err := v.Node(e.dst)
	if err != nil {
		return dsl.FactVersion{}, err
	}
	f := dsl.FactVersion{
		ID: e.id, Version: e.version, Src: src, Dst: e.dst, SrcName: srcNode.Name, DstName: dstNode.Name,
		DstKind: dstNode.Kind, Rel: rel, Relation: e.relation, Valid: e.valid,
		Record: dsl.Since(e.openedAt), Opened: e.opened, Status: dsl.StatusOpen,
		Source: e.source, Evidence: e.evidence, Confidence: e.confidence,
	}
	switch {
	case e.closed != 0:
		f.Closed, f.Record.End, f.Status = e.closed, e.closedAt, dsl.StatusClosed
	case e.archived:
		f.Status = dsl.StatusArchived
	}
	return f, nil
}

// Facts implements View.
func (v *snapshot) Facts(q FactQuery) iter.Seq2[dsl.FactVersion, error] {
	return func(yield func(dsl.FactVersion, error) bool) {
		err := v.eachEntry(q, func(src, rel string, e *entry) error {
			f, err := v.factVersion(src, rel, e)
			if err != nil {
				return err
			}
			if !yield(f, nil) {
				return errStopped
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStopped) {
			yield(dsl.FactVersion{}, err)
		}
	}
}

// eachEntry calls f with every entry that the query selects, in its order.
func (v *snapshot) eachEntry(q FactQuery, f func(src, rel string, e *entry) error) error {
	if v.basisSeq == 0 {
		return nil
	}
	one := func(k keyRef) error {
		var versions []entry
		if never, err := v.neverHeld(k.src, k.rel, q.Dst); never || err != nil {
			return err
		}
		var err error
		switch {
		case q.All:
			versions, err = v.readHistory(k.src, k.rel)
		case q.Valid != nil:
			versions, _, err = v.readWindow(k.src, k.rel, validWindow{*q.Valid, *q.Valid})
		default:
			versions, _, err = v.readWindow(k.src, k.rel, everything)
		}
		if err != nil {
			return err
		}
		for i := range versions {
			e := &versions[i]
			if (e.archived && !q.All) ||
				(q.Valid != nil && !e.valid.Contains(*q.Valid)) ||
				(len(q.Dst) > 0 && !slices.Contains(q.Dst, e.dst)) {
				continue
			}
			if err := f(k.src, k.rel, e); err != nil {
				return err
			}
		}
		return nil
	}
	if len(q.Src) == 1 && q.Rel != "" {
		return one(keyRef{src: q.Src[0], rel: q.Rel})
	}
	if len(q.Src) == 0 && len(q.Dst) == 0 {
		return v.eachKey(q.Rel, one)
	}
	keys, err := v.keysOf(q)
	if err != nil {
		return err
	}
	for _, k := range keys {
		if err := one(k); err != nil {
			return err
		}
	}
	return nil
}

// maxHeldRows is how many rows of a value are looked through before its key is
// read after all.
const maxHeldRows = 32

// neverHeld tells whether (src, rel) certainly had none of the values by the
// basis: a key that holds much, such as all that one person likes, need not be
// read for a value that is new to it. It looks at a bounded number of rows, and
// without a value it says nothing.
func (v *snapshot) neverHeld(src, rel string, dsts []string) (bool, error) {
	if len(dsts) == 0 {
		return false, nil
	}
	rows, held := 0, false
	for _, dst := range dsts {
		err := v.eachHolder(dst, func(s, r string) bool {
			rows++
			held = s == src && r == rel || rows > maxHeldRows
			return !held
		})
		if held || err != nil {
			return false, err
		}
	}
	return true, nil
}

// eachHolder calls f with the subject and relation of every version of a value
// that was opened by the basis, in order of opening, until f returns false.
func (v *snapshot) eachHolder(dst string, f func(src, rel string) bool) error {
	prefix := v.keys.id(clDst, dst)
	return v.scan(prefix, func(key, value []byte) (bool, error) {
		if keySeq(key, len(prefix)) > v.basisSeq {
			return false, nil
		}
		r := reader{b: value}
		src := r.id()
		if r.bad {
			return false, r.done("dst")
		}
		return f(src, string(r.b)), nil
	})
}

// eachKey streams every key known at the basis, in order of first appearance.
func (v *snapshot) eachKey(rel string, f func(keyRef) error) error {
	return v.scanRange(v.keys.class(clKey), v.keys.seq(clKey, v.basisSeq+1), func(_, value []byte) (bool, error) {
		r := reader{b: value}
		k := keyRef{src: r.id()}
		if r.bad {
			return false, r.done("key")
		}
		k.rel = string(r.b)
		if rel != "" && rel != k.rel {
			return true, nil
		}
		return true, f(k)
	})
}

// keysOf gives the keys that a query by src or dst looks at, in order of first
// appearance.
func (v *snapshot) keysOf(q FactQuery) ([]keyRef, error) {
	srcs := q.Src
	wanted := map[[2]string]bool{}
	if len(srcs) == 0 {
		seen := map[string]bool{}
		for _, dst := range q.Dst {
			err := v.eachHolder(dst, func(src, rel string) bool {
				wanted[[2]string{src, rel}] = true
				if !seen[src] {
					seen[src] = true
					srcs = append(srcs, src)
				}
				return true
			})
			if err != nil {
				return nil, err
			}
		}
	}
	var keys []keyRef
	for _, src := range srcs {
		prefix := v.keys.id(clRel, src)
		err := v.scan(prefix, func(key, value []byte) (bool, error) {
			k := keyRef{src: src, rel: string(value), seq: keySeq(key, len(prefix)), op: int(key[len(key)-2])<<8 | int(key[len(key)-1])}
			if k.seq > v.basisSeq {
				return false, nil
			}
			if (q.Rel == "" || q.Rel == k.rel) && (len(q.Src) > 0 || wanted[[2]string{src, k.rel}]) {
				keys = append(keys, k)
			}
			return true, nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(keys, func(a, b keyRef) int {
		return cmp.Or(cmp.Compare(a.seq, b.seq), cmp.Compare(a.op, b.op))
	})
	return slices.Compact(keys), nil
}

// versionRow reads what opened a version.
func (v *snapshot) versionRow(id string, version uint32) (versionRow, error) {
	value, ok, err := get(v.r, v.keys.idVersion(clVersion, id, version))
	if err != nil {
		return versionRow{}, err
	}
	if !ok {
		return versionRow{}, fmt.Errorf("store: %w: fact %s version %d", dsl.ErrNotFound, id, version)
	}
	row, err := decodeVersion(value)
	if err != nil {
		return row, fmt.Errorf("store: fact %s version %d: %w", id, version, err)
	}
	return row, nil
}

// versionAsOf gives a version with status, confidence and evidence as of the
// basis.
func (v *snapshot) versionAsOf(row versionRow) (dsl.FactVersion, error) {
	e, err := v.readVersion(&row)
	if err != nil {
		return dsl.FactVersion{}, err
	}
	return v.factVersion(row.src, row.rel, &e)
}

// FactsByEvidence implements View.
func (v *snapshot) FactsByEvidence(turn string) ([]dsl.FactVersion, error) {
	prefix := v.keys.id(clEvidence, turn)
	var ids []string
	err := v.scan(prefix, func(key, value []byte) (bool, error) {
		if keySeq(key, len(prefix)) > v.basisSeq {
			return false, nil
		}
		r := reader{b: value}
		id := r.id()
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
		return true, r.done("evidence")
	})
	if err != nil {
		return nil, err
	}
	var out []dsl.FactVersion
	var ops []int
	for _, id := range ids {
		all, err := v.Fact(id)
		if err != nil {
			return nil, err
		}
		for _, f := range all {
			if slices.Contains(f.Evidence, turn) {
				row, err := v.versionRow(f.ID, f.Version)
				if err != nil {
					return nil, err
				}
				out, ops = append(out, f.FactVersion), append(ops, row.op)
			}
		}
	}
	order := make([]int, len(out))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(out[a].Opened, out[b].Opened), cmp.Compare(ops[a], ops[b]))
	})
	byOpening := make([]dsl.FactVersion, len(out))
	for i, o := range order {
		byOpening[i] = out[o]
	}
	return byOpening, nil
}

// versionRows reads all versions of a fact, in order of number.
func versionRows(r pebble.Reader, prefix []byte) (rows []versionRow, err error) {
	it, err := r.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: after(prefix)})
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	for ok := it.First(); ok; ok = it.Next() {
		row, err := decodeVersion(it.Value())
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, it.Error()
}

// firstVersion reads the version of a fact with the lowest number.
func firstVersion(r pebble.Reader, prefix []byte) (row versionRow, ok bool, err error) {
	it, err := r.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: after(prefix)})
	if err != nil {
		return row, false, fmt.Errorf("store: %w", err)
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	if !it.First() {
		return row, false, it.Error()
	}
	row, err = decodeVersion(it.Value())
	return row, err == nil, err
}
