package store_test

import (
	"cmp"
	"slices"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// brute answers the reads of the package from the transactions alone: a list of
// rectangles, filled in one pass, and loops over it.
type brute struct {
	versions []*rectangle
	links    []dsl.Op // the alias links that are open
	seq      dsl.Seq
	time     dsl.Instant
}

// rectangle is a version as far as the reads look at it.
type rectangle struct {
	id            string
	version       uint32
	src, rel, dst string
	relation      dsl.Text
	valid         dsl.Interval
	opened        dsl.Seq
	record        dsl.Interval
	archived      bool
	reason        dsl.Text // of the closing
	turn          string   // of the closing
}

func (r *rectangle) ref() dsl.VersionRef { return dsl.VersionRef{ID: r.id, Version: r.version} }

func (r *rectangle) open() bool { return r.record.End == dsl.Forever }

// bruteOf folds transactions.
func bruteOf(txs []*dsl.Tx) *brute {
	b := new(brute)
	for _, tx := range txs {
		b.seq, b.time = tx.Seq, tx.Time
		turn := tx.TurnID
		if tx.Turn != nil {
			turn = tx.Turn.ID
		}
		for i := range tx.Operations {
			b.operation(tx, &tx.Operations[i], turn)
		}
	}
	return b
}

func (b *brute) operation(tx *dsl.Tx, op *dsl.Op, turn string) {
	add := func(src, rel string, number uint32, archived bool) {
		b.versions = append(b.versions, &rectangle{id: op.ID, version: number, src: src, rel: rel, dst: op.Dst, relation: op.Relation,
			valid: *op.Valid, opened: tx.Seq, record: dsl.Since(tx.Time), archived: archived})
	}
	switch op.Kind {
	case dsl.UpsertEdge:
		add(op.Src, op.Rel, op.Version, false)
	case dsl.RetroCorrectOp:
		for _, r := range b.versions {
			if r.id == op.ID && r.version == op.Version {
				r.record.End, r.reason, r.turn = tx.Time, op.Reason, turn
				if !op.Retract {
					add(r.src, r.rel, op.Next, r.archived)
				}
				break
			}
		}
	case dsl.ArchiveEdge:
		for _, r := range b.versions {
			if r.id == op.ID && r.open() {
				r.archived = true
			}
		}
	case dsl.Link:
		if op.Link == dsl.AliasOf {
			b.links = slices.DeleteFunc(b.links, func(l dsl.Op) bool { return l.ID == op.ID })
			if !op.Retract {
				b.links = append(b.links, *op)
			}
		}
	}
}

// believed tells whether the rectangle is in the working set.
func (r *rectangle) believed() bool { return r.open() && !r.archived }

// where gives the refs of the rectangles that a condition takes.
func (b *brute) where(takes func(*rectangle) bool) []dsl.VersionRef {
	var refs []dsl.VersionRef
	for _, r := range b.versions {
		if takes(r) {
			refs = append(refs, r.ref())
		}
	}
	sortRefs(refs)
	return refs
}

func sortRefs(refs []dsl.VersionRef) {
	slices.SortFunc(refs, func(a, b dsl.VersionRef) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Version, b.Version))
	})
}

// group gives the least node of an alias group: links are followed until nothing
// new comes.
func (b *brute) group(id string) string {
	in := []string{id}
	for grown := true; grown; {
		grown = false
		for _, l := range b.links {
			for _, ends := range [][2]string{{l.From, l.To}, {l.To, l.From}} {
				if slices.Contains(in, ends[0]) && !slices.Contains(in, ends[1]) {
					in, grown = append(in, ends[1]), true
				}
			}
		}
	}
	return slices.Min(in)
}

// neighbours gives the edges around a node, by sorting all edges of the view for
// each node that is followed.
func (b *brute) neighbours(q store.NeighbourQuery) []edge {
	var out []edge
	told := map[dsl.VersionRef]bool{}
	level := []string{b.group(q.Node)}
	followed := map[string]bool{level[0]: true}
	for depth := 1; depth <= q.Depth; depth++ {
		var next []string
		for _, from := range level {
			var edges []*rectangle
			for _, r := range b.versions {
				touches := b.group(r.src) == from || b.group(r.dst) == from
				holds := q.Valid == nil || r.valid.Contains(*q.Valid)
				if r.believed() && touches && holds && !told[r.ref()] && (len(q.Rels) == 0 || slices.Contains(q.Rels, r.rel)) {
					edges = append(edges, r)
				}
			}
			slices.SortFunc(edges, func(x, y *rectangle) int {
				return cmp.Or(-cmp.Compare(x.opened, y.opened), cmp.Compare(x.id, y.id), cmp.Compare(x.version, y.version))
			})
			for _, r := range edges[:min(q.Fanout, len(edges))] {
				told[r.ref()] = true
				e := edge{depth, from, b.group(r.dst), false, r.ref()}
				if b.group(r.src) != from {
					e.to, e.inverse = b.group(r.src), true
				}
				out = append(out, e)
				if !followed[e.to] {
					followed[e.to] = true
					next = append(next, e.to)
				}
			}
		}
		level = next
	}
	return out
}

// edge is a store.Neighbour that can be compared.
type edge struct {
	depth    int
	from, to string
	inverse  bool
	ref      dsl.VersionRef
}

// belief is what a net difference compares.
type belief struct {
	id, src, rel, dst string
	relation          dsl.Text
	valid             dsl.Interval
}

// beliefs gives those of the working set; two versions may say the same only with
// empty valid intervals.
func (b *brute) beliefs() map[belief]int {
	set := map[belief]int{}
	for _, r := range b.versions {
		if r.believed() {
			set[belief{r.id, r.src, r.rel, r.dst, r.relation, r.valid}]++
		}
	}
	return set
}
