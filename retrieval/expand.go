package retrieval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/analyze"
	"github.com/asof-db/asof/retrieval/question"
	"github.com/asof-db/asof/store"
)

// ExpandMode says which links between facts (layer 1) and events (layer 2) are
// followed, and what comes of it.
type ExpandMode string

// Plain follows every link. Gated follows a link to a fact only where its relation
// fits the question by the schema. Learned follows every link, and leaves what it
// is worth to the ranker of signals.
const (
	ExpandPlain   ExpandMode = "plain"
	ExpandGated   ExpandMode = "gate"
	ExpandLearned ExpandMode = "linear"
)

// Expand says how the evidence of facts and events that are linked to the best
// ones joins the turns. The zero value is no expansion.
type Expand struct {
	// Depth is how many links are followed from a fact or event that was found, 0
	// (off) to 2; Fanout how many of one, 1 to 64; 0 stands for 4.
	Depth, Fanout int
	// Facts and Events are how many of the best are followed, 1 to 1,000; 0 stands
	// for 32 and 16.
	Facts, Events int
	// Mode is Plain where it is "".
	Mode ExpandMode
	// Weight is what a turn to which links lead gains at most, as a share of the
	// best score: above 0, to 10; 0 stands for 0.1. Learned leaves it to the weights.
	Weight float64
}

const (
	expandFanout = 4
	expandFacts  = 32
	expandEvents = 16
	expandWeight = 0.1
	// linkLoss is what each link leaves of the strength before it.
	linkLoss = 0.5
)

func (e *Expand) check() error {
	set := func(x *int, y int) {
		if *x == 0 {
			*x = y
		}
	}
	set(&e.Fanout, expandFanout)
	set(&e.Facts, expandFacts)
	set(&e.Events, expandEvents)
	e.Mode = cmp.Or(e.Mode, ExpandPlain)
	e.Weight = cmp.Or(e.Weight, expandWeight)
	in := func(n, lo, hi int) bool { return n >= lo && n <= hi }
	if !in(e.Depth, 0, 2) || !in(e.Fanout, 1, 64) || !in(e.Facts, 1, 1000) || !in(e.Events, 1, 1000) || !(e.Weight > 0 && e.Weight <= 10) {
		return fmt.Errorf("%w: expansion is %+v, want depth 0 to 2, fanout 1 to 64, facts and events 1 to 1000, weight above 0, to 10", dsl.ErrInvalid, *e)
	}
	if !slices.Contains([]ExpandMode{ExpandPlain, ExpandGated, ExpandLearned}, e.Mode) {
		return fmt.Errorf("%w: expansion mode %q, want plain, gate or linear", dsl.ErrInvalid, e.Mode)
	}
	return nil
}

// node is a fact or an event on the way of an expansion.
type node struct {
	event    bool
	id       string
	strength float64
}

// expansion is an expansion under way.
type expansion struct {
	*searcher
	reached  map[node]float64 // by node without strength
	strength map[int32]float64
}

// expand gives the turns that are evidence of what is linked to the best facts and
// events, by document, with the strength of the links in (0, 1]: what was found is
// as strong as its score beside the best of its kind, and every link halves.
// Evidence of what was found itself counts too.
func (s *searcher) expand(ctx context.Context) (map[int32]float64, error) {
	e := &s.opt.Expand
	if e.Depth == 0 {
		return nil, nil
	}
	x := &expansion{searcher: s, reached: map[node]float64{}, strength: map[int32]float64{}}
	front, err := x.entry(ctx)
	if err != nil {
		return nil, err
	}
	for step := 0; ; step++ {
		for _, n := range front {
			if err := x.testify(n); err != nil {
				return nil, err
			}
		}
		if step == e.Depth {
			return x.strength, nil
		}
		var next []node
		for _, n := range front {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			linked, err := x.links(n)
			if err != nil {
				return nil, err
			}
			for _, m := range linked {
				if x.reach(m) {
					next = append(next, m)
				}
			}
		}
		front = next
	}
}

// reach notes a node, and tells whether it was not reached as strongly before.
func (x *expansion) reach(n node) bool {
	key := node{event: n.event, id: n.id}
	if x.reached[key] >= n.strength {
		return false
	}
	x.reached[key] = n.strength
	return true
}

// entry gives the best facts and events for the question.
func (x *expansion) entry(ctx context.Context) ([]node, error) {
	var front []node
	add := func(k int, event bool, field store.Field, make func(int) (*Hit, error)) error {
		entry, plan, read := *x.searcher, *x.plan, *x.read
		plan.k = k
		entry.plan, entry.read = &plan, &read
		hits, err := entry.versions(ctx, field, make)
		if err != nil {
			return err
		}
		for i := range hits {
			n := node{event, hits[i].ID, hits[i].Score / hits[0].Score}
			if x.reach(n) {
				front = append(front, n)
			}
		}
		return nil
	}
	err := add(x.opt.Expand.Facts, false, store.FactField, x.factHit)
	if err == nil {
		err = add(x.opt.Expand.Events, true, store.EventField, x.eventHit)
	}
	return front, err
}

// fact gives the version of a fact that may be a hit, nil where there is none.
func (x *expansion) fact(id string) (*dsl.FactVersion, error) {
	versions, err := x.view.Fact(id)
	if err != nil {
		return nil, absent(err)
	}
	for i := len(versions) - 1; i >= 0; i-- {
		f := &versions[i].FactVersion
		if f.Status == dsl.StatusOpen && (x.plan.valid == nil || f.Valid.Contains(*x.plan.valid)) {
			return f, nil
		}
	}
	return nil, nil
}

// event gives the version of an event that may be a hit, nil where there is none.
func (x *expansion) event(id string) (*dsl.Event, error) {
	versions, err := x.view.Event(id)
	if err != nil {
		return nil, absent(err)
	}
	for i := len(versions) - 1; i >= 0; i-- {
		e := &versions[i]
		if e.Closed == 0 && e.Visible <= x.plan.basis.Time && (x.plan.valid == nil || e.Span.Start <= *x.plan.valid) {
			return e, nil
		}
	}
	return nil, nil
}

// absent lets pass that the view does not have what a link names.
func absent(err error) error {
	if errors.Is(err, dsl.ErrNotFound) {
		return nil
	}
	return err
}

// testify notes the turns that are evidence of a node.
func (x *expansion) testify(n node) error {
	var evidence []string
	if n.event {
		e, err := x.event(n.id)
		if err != nil || e == nil {
			return err
		}
		evidence = e.Evidence
	} else {
		f, err := x.fact(n.id)
		if err != nil || f == nil {
			return err
		}
		evidence = f.Evidence
	}
	for _, id := range evidence {
		turn, err := x.view.Turn(id)
		if err != nil {
			if err = absent(err); err != nil {
				return err
			}
			continue
		}
		if turn.ReplacedBy == "" && (x.plan.valid == nil || turn.TS <= *x.plan.valid) {
			doc := int32(turn.Doc)
			x.strength[doc] = max(x.strength[doc], n.strength)
		}
	}
	return nil
}

// links gives what a node is linked to: the events that a fact is part of, the
// newest first, or the facts that an event is made of, in order.
func (x *expansion) links(n node) ([]node, error) {
	fanout := x.opt.Expand.Fanout
	next := n.strength * linkLoss
	var linked []node
	if !n.event {
		events, err := x.view.EventsOf(n.id, fanout)
		for _, id := range events {
			linked = append(linked, node{true, id, next})
		}
		return linked[:min(len(linked), fanout)], err
	}
	e, err := x.event(n.id)
	if err != nil || e == nil {
		return nil, err
	}
	for _, id := range e.Includes {
		if len(linked) == fanout {
			break
		}
		if x.opt.Expand.Mode == ExpandGated {
			f, err := x.fact(id)
			if err != nil {
				return nil, err
			}
			if f == nil || !x.fits(f) {
				continue
			}
		}
		linked = append(linked, node{false, id, next})
	}
	return linked, nil
}

// fits tells whether a fact may have to do with the question by the schema: a word
// of its relation or of either end is asked for, or its kind of value or its times
// are what the question is after.
func (x *expansion) fits(f *dsl.FactVersion) bool {
	switch x.read.Kind {
	case question.When:
		if f.Valid.Start.Finite() || f.Valid.End.Finite() || f.DstKind == dsl.TimeInstant {
			return true
		}
	case question.Count:
		if f.DstKind == dsl.Literal {
			return true
		}
	}
	text := store.FactText(f.SrcName.String(), f.Rel, f.Relation.String(), f.DstName.String())
	for _, term := range x.analyzer.Terms(nil, text) {
		if !analyze.Stop(term) && slices.Contains(x.plan.terms, term) {
			return true
		}
	}
	return false
}

// join lets expansion add to turns that were found, best first, and puts all in
// order. Those that were not found count as if they had no score of their own.
func (s *searcher) join(found []candidate, strength map[int32]float64) []candidate {
	if len(strength) == 0 {
		return found
	}
	weight := s.opt.Expand.Weight
	if s.opt.Expand.Mode == ExpandLearned {
		weight = 0
	}
	top := 1.0
	if len(found) > 0 {
		top = found[0].score
	}
	seen := map[int32]bool{}
	for i := range found {
		x := &found[i]
		seen[x.doc] = true
		x.score = (x.score + float64(float64(weight*top)*strength[x.doc])) / (1 + weight)
	}
	docs := make([]int32, 0, len(strength))
	for doc := range strength {
		if !seen[doc] {
			docs = append(docs, doc)
		}
	}
	slices.Sort(docs)
	least := top
	if len(found) > 0 {
		least = found[len(found)-1].score
	}
	for _, doc := range docs {
		score := float64(float64(weight*top)*strength[doc]) / (1 + weight)
		if weight == 0 { // behind all that were found, the stronger links first
			score = float64(least*strength[doc]) / 2
		}
		found = append(found, candidate{doc: doc, score: score})
	}
	slices.SortFunc(found, bestFirst)
	return found
}
