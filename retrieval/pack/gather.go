package pack

import (
	"context"
	"errors"
	"fmt"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/retrieval"
	"github.com/asof-db/asof/store"
)

// pool is how many candidates of all kinds an evidence pack chooses from.
const pool = 128

// found is all that a pack is compiled from: plain values, read from the view.
type found struct {
	result retrieval.Result
	query  string
	// at is the instant that items are held against; known is false in an empty
	// view.
	at    dsl.Instant
	known bool
	turns []turnFound
	facts []factFound
	// events are visible and open in the view.
	events []eventFound
}

// turnFound is a turn with its place in the search.
type turnFound struct {
	store.Turn
	rank  int
	score float64
}

// factFound is a fact version with its place in the search.
type factFound struct {
	dsl.FactVersion
	evidence []string // of the view, best first
	rank     int
	score    float64
}

// eventFound is an event with its place in the search.
type eventFound struct {
	dsl.Event
	evidence []string
	// stand are the included facts that are open in the view, hold those of them
	// that hold at the instant.
	stand, hold []string
	rank        int
	score       float64
}

// gather searches and reads what was found.
func gather(ctx context.Context, v store.View, q retrieval.Query, opt *Options) (*found, error) {
	q.K, q.More, q.Kinds = pool, opt.Search.Expansion.Most, []retrieval.Kind{retrieval.Turn, retrieval.Fact, retrieval.Event}
	result, err := retrieval.Search(ctx, v, q, opt.Search)
	if err != nil {
		return nil, err
	}
	f := &found{result: result, query: q.Text}
	f.at, f.known = instantOf(&result)
	for i := range result.Hits {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		h := &result.Hits[i]
		switch h.Kind {
		case retrieval.Turn:
			turn, err := v.Turn(h.ID)
			if err != nil {
				return nil, fmt.Errorf("turn %q: %w", h.ID, err)
			}
			f.turns = append(f.turns, turnFound{Turn: turn, rank: h.Rank, score: h.Score})
		case retrieval.Fact:
			version, err := openVersion(v, h.ID, h.Version)
			if err != nil {
				return nil, fmt.Errorf("fact %s.%d: %w", h.ID, h.Version, err)
			}
			f.facts = append(f.facts, factFound{FactVersion: version, evidence: h.Turns, rank: h.Rank, score: h.Score})
		case retrieval.Event:
			event, err := f.event(v, h)
			if err != nil {
				return nil, fmt.Errorf("event %s.%d: %w", h.ID, h.Version, err)
			}
			f.events = append(f.events, event)
		}
	}
	return f, nil
}

// instantOf gives the instant that the items of a result are held against.
func instantOf(r *retrieval.Result) (at dsl.Instant, known bool) {
	if r.Valid != nil {
		return *r.Valid, true
	}
	return r.Basis.Time, r.Basis.Seq > 0
}

// openVersion gives a version of a fact as the view shows it.
func openVersion(v store.View, id string, version uint32) (dsl.FactVersion, error) {
	all, err := v.Fact(id)
	if err != nil {
		return dsl.FactVersion{}, err
	}
	for i := range all {
		if all[i].FactVersion.Version == version {
			return all[i].FactVersion, nil
		}
	}
	return dsl.FactVersion{}, fmt.Errorf("%w: it has no such version", dsl.ErrCorrupt)
}

// event reads an event and which of its facts stand.
func (f *found) event(v store.View, h *retrieval.Hit) (eventFound, error) {
	out := eventFound{evidence: h.Turns, rank: h.Rank, score: h.Score}
	all, err := v.Event(h.ID)
	if err != nil {
		return out, err
	}
	for i := range all {
		if all[i].Version == h.Version {
			out.Event = all[i]
		}
	}
	for _, id := range out.Includes {
		versions, err := v.Fact(id)
		if errors.Is(err, dsl.ErrNotFound) {
			continue
		}
		if err != nil {
			return out, err
		}
		stands, holds := false, false
		for i := range versions {
			if versions[i].Status == dsl.StatusOpen {
				stands = true
				holds = holds || versions[i].Valid.Contains(f.at)
			}
		}
		if stands {
			out.stand = append(out.stand, id)
		}
		if holds {
			out.hold = append(out.hold, id)
		}
	}
	return out, nil
}
