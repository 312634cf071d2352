package store

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/asof-db/asof/dsl"
)

// changeRow says which rows an operation wrote: enough to tell the change
// again.
type changeRow struct {
	kind           dsl.OpKind
	id             string
	closed, opened uint32
	// archived are the versions that an ARCHIVE_EDGE took out of the working set.
	archived []uint32
}

// opChange is the change of one operation of a position.
type opChange struct {
	op int
	changeRow
}

// maxChanges bounds the changes that a position row holds, in bytes; more lie in
// a row of class o, so that the row stays small for those who ask it for a time.
const maxChanges = 1 << 10

func appendChangeRow(b []byte, op int, c *changeRow) []byte {
	b = appendID(appendOpKind(appendVar(b, uint64(op)), c.kind), c.id)
	b = appendVar(appendVar(b, uint64(c.closed)), uint64(c.opened))
	b = appendVar(b, uint64(len(c.archived)))
	for _, v := range c.archived {
		b = appendVar(b, uint64(v))
	}
	return b
}

func (r *reader) opChange() (c opChange) {
	c.op = int(r.uvar())
	c.kind, c.id = r.opKind(), r.id()
	c.closed, c.opened = uint32(r.uvar()), uint32(r.uvar())
	for range r.count(1) {
		c.archived = append(c.archived, uint32(r.uvar()))
	}
	return c
}

// changeList gives the changes that a position made, in order of operation.
func changeList(from pebble.Reader, k *keySpace, p *positionRow) ([]opChange, error) {
	if p.changed == 0 {
		return nil, nil
	}
	b := p.changes
	if len(b) == 0 {
		var err error
		if b, _, err = get(from, k.seq(clChange, p.Seq)); err != nil {
			return nil, err
		}
	}
	return decodeChanges(b, p.changed)
}

func decodeChanges(b []byte, n uint64) (list []opChange, err error) {
	r := reader{b: b}
	if n > uint64(len(b)) {
		r.fail()
	}
	for range n {
		if r.bad {
			break
		}
		list = append(list, r.opChange())
	}
	if err := r.done("change"); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	return list, nil
}

// factRef is a fact version as a document.
type factRef struct {
	seq     dsl.Seq
	id      string
	version uint32
}

// factRefs gives the documents [start, end) of facts, from the positions that
// opened them. p is a position at which there are at least end of them.
func factRefs(from pebble.Reader, k *keySpace, p positionRow, start, end int) ([]factRef, error) {
	list := make([]factRef, end-start)
	left := p.docs[fieldIndex(FactField)]
	for {
		if p.docs[fieldIndex(FactField)] != left {
			return nil, fmt.Errorf("store: %w: position %s counts %d fact versions, those behind it leave %d", dsl.ErrCorrupt, p.Seq, p.docs[fieldIndex(FactField)], left)
		}
		changes, err := changeList(from, k, &p)
		if err != nil {
			return nil, err
		}
		for i := len(changes) - 1; i >= 0; i-- {
			c := &changes[i]
			if c.opened == 0 || left == 0 {
				continue
			}
			if left--; int(left) >= start && int(left) < end {
				list[int(left)-start] = factRef{p.Seq, c.id, c.opened}
			}
		}
		if int(left) <= start {
			return list, nil
		}
		if p.factsBefore == 0 || p.factsBefore >= p.Seq {
			return nil, fmt.Errorf("store: %w: no position before %s opened fact version %d", dsl.ErrCorrupt, p.Seq, left)
		}
		value, _, err := get(from, k.seq(clPosition, p.factsBefore))
		if err != nil {
			return nil, err
		}
		if p, err = decodePosition(p.factsBefore, value); err != nil {
			return nil, fmt.Errorf("store: %w", err)
		}
	}
}
