package store

import (
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/asof-db/asof/dsl"
)

// MaxFanout bounds the fan-out of a neighbourhood, and so its size: at most
// MaxFanout edges of the start and MaxFanout of each of their ends.
const MaxFanout = 256

// A NeighbourQuery asks for the facts around a node.
type NeighbourQuery struct {
	// Node is the id of the node to start from.
	Node string
	// Depth is how many edges away a fact may lie: 1 or 2.
	Depth int
	// Fanout is how many edges are followed from one node, in [1, MaxFanout].
	Fanout int
	// Rels are the predicates that are followed; none for all.
	Rels []string
	// Valid restricts to facts that hold at the instant: the neighbourhood as it
	// was then. Without it, it is the one that is believed, whatever its validity.
	Valid *dsl.Instant
}

// A Neighbour is an edge of a neighbourhood.
type Neighbour struct {
	// Depth is 1 for an edge of the start, 2 for one of its neighbours.
	Depth int
	// From is the node that the edge was reached from and To its other end: each
	// the least id of its alias group at the basis. They are equal for an edge
	// within a group.
	From, To string
	// Inverse tells that the edge points to From: From is its value, not its
	// subject.
	Inverse bool
	Fact    dsl.FactVersion
}

// Neighbours yields the edges around a node in the working set of the view: those
// that start or end at the node or at one of its aliases as of the basis, and then,
// to depth 2, those of each node so reached, in the order in which it was
// reached. No edge comes twice.
//
// The edges of one node come newest first: by the position that opened them, from
// the last to the first, then by fact id and version. Only the first Fanout of
// them come and are followed; those that came before do not count. Reading costs
// all edges of the nodes it follows, but holds no more than it yields.
//
// A query that is wrong in itself is dsl.ErrInvalid, a node that the view does not
// have is dsl.ErrNotFound.
func Neighbours(v View, q NeighbourQuery) iter.Seq2[Neighbour, error] {
	return func(yield func(Neighbour, error) bool) {
		err := neighbours(v, q, yield)
		if err != nil && !errors.Is(err, errStopped) {
			yield(Neighbour{}, fmt.Errorf("store: neighbours of %s: %w", q.Node, err))
		}
	}
}

func neighbours(v View, q NeighbourQuery, yield func(Neighbour, error) bool) error {
	switch {
	case q.Depth != 1 && q.Depth != 2:
		return fmt.Errorf("%w: depth %d is neither 1 nor 2", dsl.ErrInvalid, q.Depth)
	case q.Fanout < 1 || q.Fanout > MaxFanout:
		return fmt.Errorf("%w: fan-out %d lies outside [1, %d]", dsl.ErrInvalid, q.Fanout, MaxFanout)
	}
	if _, err := v.Node(q.Node); err != nil {
		return err
	}
	w := walk{view: v, q: q, told: map[dsl.VersionRef]bool{}, groups: map[string][]string{}}
	start, err := w.group(q.Node)
	if err != nil {
		return err
	}
	reached := []string{start[0]} // the nodes to follow, each once
	for i, depth, next := 0, 1, 1; i < len(reached) && depth <= q.Depth; {
		edges, err := w.edges(reached[i], depth)
		if err != nil {
			return err
		}
		for _, e := range edges {
			w.told[e.Fact.Ref()] = true
			if depth < q.Depth && !slices.Contains(reached, e.To) {
				reached = append(reached, e.To)
			}
			if !yield(e, nil) {
				return errStopped
			}
		}
		if i++; i == next { // the last of its depth
			depth, next = depth+1, len(reached)
		}
	}
	return nil
}

// walk is the state of one neighbourhood.
type walk struct {
	view View
	q    NeighbourQuery
	told map[dsl.VersionRef]bool
	// groups holds the alias groups met, by each of their nodes.
	groups map[string][]string
}

// group gives the alias group of a node, in order of id.
func (w *walk) group(id string) ([]string, error) {
	if g, ok := w.groups[id]; ok {
		return g, nil
	}
	g, err := w.view.Aliases(id)
	if err != nil {
		return nil, err
	}
	for _, member := range g {
		w.groups[member] = g
	}
	return g, nil
}

// edges gives the newest edges of a node that were not told yet.
func (w *walk) edges(node string, depth int) ([]Neighbour, error) {
	group, err := w.group(node)
	if err != nil {
		return nil, err
	}
	var found newest
	take := func(f dsl.FactVersion, inverse bool) {
		if w.told[f.Ref()] || len(w.q.Rels) > 0 && !slices.Contains(w.q.Rels, f.Rel) {
			return
		}
		heap.Push(&found, Neighbour{Depth: depth, From: group[0], Inverse: inverse, Fact: f})
		if len(found) > w.q.Fanout {
			heap.Pop(&found)
		}
	}
	query := FactQuery{Valid: w.q.Valid}
	if len(w.q.Rels) == 1 {
		query.Rel = w.q.Rels[0]
	}
	query.Src = group
	for f, err := range w.view.Facts(query) {
		if err != nil {
			return nil, err
		}
		take(f, false)
	}
	query.Src, query.Dst = nil, group
	for f, err := range w.view.Facts(query) {
		if err != nil {
			return nil, err
		}
		if !slices.Contains(group, f.Src) { // else it was taken as an edge from the group
			take(f, true)
		}
	}
	slices.SortFunc(found, func(a, b Neighbour) int { return age(&a, &b) })
	for i := range found {
		e := &found[i]
		other := e.Fact.Dst
		if e.Inverse {
			other = e.Fact.Src
		}
		to, err := w.group(other)
		if err != nil {
			return nil, err
		}
		e.To = to[0]
	}
	return found, nil
}

// age orders edges from the newest to the oldest.
func age(a, b *Neighbour) int {
	return cmp.Or(cmp.Compare(b.Fact.Opened, a.Fact.Opened), cmp.Compare(a.Fact.ID, b.Fact.ID), cmp.Compare(a.Fact.Version, b.Fact.Version))
}

// newest is a heap with the oldest edge on top, so that it can be dropped.
type newest []Neighbour

func (n newest) Len() int           { return len(n) }
func (n newest) Less(i, j int) bool { return age(&n[i], &n[j]) > 0 }
func (n newest) Swap(i, j int)      { n[i], n[j] = n[j], n[i] }

// Push implements heap.Interface.
func (n *newest) Push(x any) { *n = append(*n, x.(Neighbour)) }

// Pop implements heap.Interface.
func (n *newest) Pop() any {
	old := *n
	last := old[len(old)-1]
	*n = old[:len(old)-1]
	return last
}
