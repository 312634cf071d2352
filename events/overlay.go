package events

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// overlay is the view with the layer-1 operations of the transaction laid over
// it. It reads only what is asked for.
type overlay struct {
	view  store.View
	in    *Input
	ops   map[string][]int // by fact
	nodes map[string]dsl.Node
	facts map[string][]dsl.FactVersion
	turns map[string]*dsl.Turn
	group map[string]string
}

func newOverlay(view store.View, in *Input) *overlay {
	o := &overlay{view: view, in: in, ops: map[string][]int{}, nodes: map[string]dsl.Node{},
		facts: map[string][]dsl.FactVersion{}, turns: map[string]*dsl.Turn{}, group: map[string]string{}}
	for i := range in.Ops {
		switch op := &in.Ops[i]; op.Kind {
		case dsl.UpsertEdge, dsl.RetroCorrectOp, dsl.ArchiveEdge:
			o.ops[op.ID] = append(o.ops[op.ID], i)
		case dsl.Link:
			if op.Link == dsl.EvidenceLink {
				o.ops[op.To] = append(o.ops[op.To], i)
			}
		}
	}
	for _, n := range in.Nodes {
		o.nodes[n.ID] = n
	}
	return o
}

// node gives a node that the view or the transaction has.
func (o *overlay) node(id string) (dsl.Node, bool, error) {
	if n, ok := o.nodes[id]; ok {
		return n, true, nil
	}
	n, err := o.view.Node(id)
	switch {
	case errors.Is(err, dsl.ErrNotFound):
		return n, false, nil
	case err != nil:
		return n, false, fmt.Errorf("node %s: %w", id, err)
	}
	o.nodes[id] = n
	return n, true, nil
}

// versions gives the versions of a fact after the transaction, in order.
func (o *overlay) versions(id string) ([]dsl.FactVersion, error) {
	if list, ok := o.facts[id]; ok {
		return list, nil
	}
	known, err := o.view.Fact(id)
	if err != nil && !errors.Is(err, dsl.ErrNotFound) {
		return nil, fmt.Errorf("fact %s: %w", id, err)
	}
	var list []dsl.FactVersion
	for _, v := range known {
		list = append(list, v.FactVersion)
	}
	for _, i := range o.ops[id] {
		if list, err = o.apply(list, &o.in.Ops[i]); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(list, func(a, b dsl.FactVersion) int { return cmp.Compare(a.Version, b.Version) })
	o.facts[id] = list
	return list, nil
}

// apply gives the versions of a fact after one more operation.
func (o *overlay) apply(list []dsl.FactVersion, op *dsl.Op) ([]dsl.FactVersion, error) {
	open := dsl.FactVersion{ID: op.ID, Version: op.Version, Src: op.Src, Rel: op.Rel}
	status := dsl.StatusOpen
	switch op.Kind {
	case dsl.ArchiveEdge:
		for i := range list {
			if list[i].Status == dsl.StatusOpen {
				list[i].Status = dsl.StatusArchived
			}
		}
		return list, nil
	case dsl.Link:
		for i := range list {
			list[i].Evidence = support(list[i].Evidence, op)
		}
		return list, nil
	case dsl.RetroCorrectOp:
		i := slices.IndexFunc(list, func(f dsl.FactVersion) bool { return f.Version == op.Version })
		if i < 0 {
			return nil, fmt.Errorf("%w: an operation corrects version %d of fact %s, which is not there", dsl.ErrInvalid, op.Version, op.ID)
		}
		old := &list[i]
		status, open.Version = old.Status, op.Next
		open.Src, open.SrcName, open.Rel = old.Src, old.SrcName, old.Rel
		old.Status, old.Closed, old.Record.End = dsl.StatusClosed, o.in.Seq, o.in.Time
		if op.Retract {
			return list, nil
		}
	}
	open.Dst, open.Relation, open.Valid, open.Confidence = op.Dst, op.Relation, *op.Valid, op.Confidence
	open.Source, open.Evidence, open.Status = op.Source, op.Evidence, status
	open.Opened, open.Record = o.in.Seq, dsl.Since(o.in.Time)
	for _, end := range []struct {
		id   string
		name *dsl.Text
		kind *dsl.NodeKind
	}{{open.Src, &open.SrcName, nil}, {open.Dst, &open.DstName, &open.DstKind}} {
		n, ok, err := o.node(end.id)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, fmt.Errorf("%w: fact %s names node %s, which is not there", dsl.ErrInvalid, op.ID, end.id)
		}
		*end.name = n.Name
		if end.kind != nil {
			*end.kind = n.Kind
		}
	}
	return append(list, open), nil
}

// support gives the evidence of a fact after an evidence link.
func support(turns []string, op *dsl.Op) []string {
	at := slices.Index(turns, op.From)
	switch {
	case op.Retract && at >= 0:
		return slices.Concat(turns[:at], turns[at+1:])
	case !op.Retract && at < 0:
		return append(slices.Clip(turns), op.From)
	}
	return turns
}

// standing gives the version of a fact that stands after the transaction: open,
// not archived, and of those the one that holds last; nil if there is none.
func (o *overlay) standing(id string) (*dsl.FactVersion, error) {
	list, err := o.versions(id)
	if err != nil {
		return nil, err
	}
	var out *dsl.FactVersion
	for i := range list {
		f := &list[i]
		if f.Status == dsl.StatusOpen && !f.Valid.Empty() && (out == nil || f.Valid.Start >= out.Valid.Start) {
			out = f
		}
	}
	return out, nil
}

// changed tells whether the transaction touches the fact.
func (o *overlay) changed(id string) bool { return len(o.ops[id]) > 0 }

// turn gives a turn; nil if neither the view nor the input has it.
func (o *overlay) turn(id string) (*dsl.Turn, error) {
	if id == o.in.Turn.ID {
		return &o.in.Turn, nil
	}
	if t, ok := o.turns[id]; ok {
		return t, nil
	}
	t, err := o.view.Turn(id)
	switch {
	case errors.Is(err, dsl.ErrNotFound):
		o.turns[id] = nil
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("turn %s: %w", id, err)
	}
	o.turns[id] = &t.Turn
	return &t.Turn, nil
}

// source gives the first turn of a fact's evidence that is known, else the turn
// of the input.
func (o *overlay) source(f *dsl.FactVersion) (*dsl.Turn, error) {
	for _, id := range f.Evidence {
		if t, err := o.turn(id); err != nil || t != nil {
			return t, err
		}
	}
	return &o.in.Turn, nil
}

// now is when the transaction speaks: the time of its turn, else its record
// time.
func (o *overlay) now() dsl.Instant {
	if o.in.Turn.ID != "" {
		return o.in.Turn.TS
	}
	return o.in.Time
}

// entity gives one id for all aliases of a node: the least of its group in the
// view.
func (o *overlay) entity(id string) (string, error) {
	if g, ok := o.group[id]; ok {
		return g, nil
	}
	all, err := o.view.Aliases(id)
	switch {
	case errors.Is(err, dsl.ErrNotFound):
	case err != nil:
		return "", fmt.Errorf("aliases of %s: %w", id, err)
	}
	least := id
	for _, a := range all {
		least = min(least, a)
	}
	o.group[id] = least
	return least, nil
}
