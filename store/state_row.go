package store

import (
	"github.com/asof-db/asof/dsl"
)

// A state row belongs to one node of the tree of one (src, rel) key (DESIGN.md,
// "Point reads") and to one position: its record time; a body, or none; the
// changes that the position made in the node. The body is the node as it was
// after the changes; without one the node is what it was, changed. In front of
// the changes, so that a read that needs only it stops there.
const (
	bodyNone    byte = 0
	bodyEntries byte = 1 // a leaf: its open versions in order of their spots
	bodyKids    byte = 2 // an inner node: the next free number, its children in order
)

// kid is a child of an inner node.
type kid struct {
	node uint32
	// from is where the child begins; the first child begins before everything,
	// whatever its from.
	from spot
	// reach is Beginning while no version below the child ends behind the next
	// child's start; else nothing below it ends behind reach.
	reach dsl.Instant
}

// The ways in which a reach is written.
const (
	reachWithin  byte = 0
	reachInstant byte = 1
	reachForever byte = 2
)

func appendKids(b []byte, next uint32, kids []kid, base dsl.Instant) []byte {
	b = appendVar(b, uint64(next))
	b = appendVar(b, uint64(len(kids)))
	for i := range kids {
		k := &kids[i]
		b = appendVar(b, uint64(k.node))
		b = appendDiff(b, k.from.start, base) // wraps around at the ends of time, and back
		b = appendVar(appendVar(b, uint64(k.from.seq)), uint64(k.from.op))
		switch k.reach {
		case dsl.Beginning:
			b = append(b, reachWithin)
		case dsl.Forever:
			b = append(b, reachForever)
		default:
			b = appendDiff(append(b, reachInstant), k.reach, base)
		}
	}
	return b
}

func (r *reader) kids(base dsl.Instant) (next uint32, kids []kid) {
	next = uint32(r.uvar())
	kids = make([]kid, r.count(5))
	for i := range kids {
		k := &kids[i]
		k.node = uint32(r.uvar())
		k.from = spot{start: r.diff(base), seq: dsl.Seq(r.uvar()), op: int(r.uvar())}
		switch r.byte() {
		case reachWithin:
			k.reach = dsl.Beginning
		case reachInstant:
			k.reach = r.diff(base)
		case reachForever:
			k.reach = dsl.Forever
		default:
			r.fail()
		}
		if k.node == 0 || k.node >= next && next != 0 {
			r.fail()
		}
	}
	if len(kids) == 0 {
		r.fail()
	}
	return next, kids
}

func appendEntries(b []byte, list []entry, base dsl.Instant) []byte {
	b = appendVar(b, uint64(len(list)))
	for i := range list {
		b = appendSized(b, &list[i], base)
	}
	return b
}

// stateRow is a state row up to its body.
type stateRow struct {
	at   dsl.Instant
	body byte
	reader
}

func openStateRow(value []byte) stateRow {
	row := stateRow{reader: reader{b: value}}
	row.at, row.body = row.time(), row.byte()
	if row.body > bodyKids {
		row.fail()
	}
	return row
}

// skipBody goes on to the changes.
func (row *stateRow) skipBody() {
	switch row.body {
	case bodyEntries:
		for range row.count(2) {
			row.take(row.count(1))
		}
	case bodyKids:
		row.kids(row.at)
	}
}

// appendStateRow writes a row. n is the node as it is after its changes.
func appendStateRow(b []byte, at dsl.Instant, body byte, n *treeNode, next uint32) []byte {
	b = append(appendTime(b, at), body)
	switch body {
	case bodyEntries:
		b = appendEntries(b, n.entries, at)
	case bodyKids:
		b = appendKids(b, next, n.kids, at)
	}
	b = appendVar(b, uint64(len(n.changes)))
	for i := range n.changes {
		b = appendChange(b, &n.changes[i], at)
	}
	return b
}

// decodeStateRow reads all of a row: the node that its body holds, if it has
// one, and its changes.
func decodeStateRow(value []byte) (row stateRow, n treeNode, next uint32, err error) {
	row = openStateRow(value)
	switch row.body {
	case bodyEntries:
		n.leaf = true
		for range row.count(2) {
			n.entries = append(n.entries, row.sized(row.at))
		}
	case bodyKids:
		next, n.kids = row.kids(row.at)
	}
	for range row.count(2) {
		c := row.change(row.at)
		if row.bad {
			break
		}
		n.changes = append(n.changes, c)
	}
	return row, n, next, row.done("state")
}
