package asof

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// View is the state of one space at one basis, with names resolved as of it. It
// never changes. Close it after use.
type View struct {
	store.View
	db *DB
	// engine is what questions are asked under: the memory's own, or that of
	// SearchUnder.
	engine *engine
	// Final tells that nothing recorded later can change the view: the head's
	// record time has reached the time asked for.
	Final bool
}

// View opens the view of a space. A space that holds nothing gives the empty
// view, so that a question about a time before it began has its answer. A
// position beyond the head is dsl.ErrNotFound.
func (db *DB) View(space string, at At) (*View, error) {
	if err := dsl.CheckSpace(space); err != nil {
		return nil, fmt.Errorf("asof: view: %w", err)
	}
	head, err := db.store.Head(space)
	if err != nil {
		return nil, err
	}
	var v store.View
	final := true
	switch {
	case at.isTime:
		v, err = db.store.AtTime(space, at.time)
		final = head.Seq > 0 && head.Time >= at.time
	case at.isSeq:
		v, err = db.store.At(space, at.seq)
	default:
		v, err = db.store.At(space, head.Seq)
	}
	if err != nil {
		return nil, err
	}
	db.metrics.viewed(head.Time, v.Basis().Time)
	return &View{View: v, db: db, engine: db.engine, Final: final}, nil
}

// Lookup selects facts by name.
type Lookup struct {
	// Src and Dst are names, or "id:" with a node id; empty selects all. Rel is a
	// predicate or a synonym of one.
	Src, Rel, Dst string
	// Valid restricts to versions that hold at the instant.
	Valid *dsl.Instant
	// All includes closed and archived versions.
	All bool
}

// Resolve gives the ids of the nodes that a name denotes in the view, with
// their aliases as of it, sorted. An unknown name gives none.
func (v *View) Resolve(name string) ([]string, error) {
	var ids []string
	if id, ok := strings.CutPrefix(name, "id:"); ok {
		if _, err := v.Node(id); err != nil {
			if errors.Is(err, dsl.ErrNotFound) {
				return nil, nil
			}
			return nil, err
		}
		ids = []string{id}
	} else {
		nodes, err := v.NodesNamed(name)
		if err != nil {
			return nil, err
		}
		for _, n := range nodes {
			ids = append(ids, n.ID)
		}
	}
	var out []string
	for _, id := range ids {
		group, err := v.Aliases(id)
		if err != nil {
			return nil, err
		}
		out = append(out, group...)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// Query resolves the names of a lookup. known is false when a name denotes
// nothing in the view: then nothing matches.
func (v *View) Query(l Lookup) (q store.FactQuery, known bool, err error) {
	q = store.FactQuery{Valid: l.Valid, All: l.All}
	if l.Rel != "" {
		q.Rel = v.Predicate(l.Rel)
	}
	for _, end := range []struct {
		name string
		ids  *[]string
	}{{l.Src, &q.Src}, {l.Dst, &q.Dst}} {
		if end.name == "" {
			continue
		}
		if *end.ids, err = v.Resolve(end.name); err != nil {
			return q, false, err
		}
		if len(*end.ids) == 0 {
			return q, false, nil
		}
	}
	return q, true, nil
}

// Predicate gives the predicate that a name or synonym stands for under the
// present configuration; a name that the registry lacks stands for itself.
func (v *View) Predicate(name string) string { return v.engine.registry.Canonical(name) }
