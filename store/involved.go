package store

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/asof-db/asof/dsl"
)

// involved gives the facts and participants of an event version, each once.
func involved(e *dsl.Event) []string {
	out := make([]string, 0, len(e.Includes)+len(e.Participants))
	add := func(id string) {
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	for _, id := range e.Includes {
		add(id)
	}
	for _, p := range e.Participants {
		add(p.Entity)
	}
	return out
}

// EventsOf implements View. The rows lie by position, so that the newest of the
// view are found by one seek back from its basis.
func (v *snapshot) EventsOf(id string, limit int) (_ []string, err error) {
	prefix := v.keys.id(clInvolved, id)
	it, err := v.r.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: v.keys.idSeqOp(clInvolved, id, v.basisSeq+1, 0)})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	var out []string
	n := 0
	for ok := it.Last(); ok && (limit <= 0 || n < limit); ok = it.Prev() {
		r := reader{b: it.Value()}
		event := r.str()
		if err := r.done("event of"); err != nil {
			return nil, fmt.Errorf("store: %w", err)
		}
		if !slices.Contains(out, event) {
			out = append(out, event)
		}
		n++
	}
	return out, it.Error()
}
