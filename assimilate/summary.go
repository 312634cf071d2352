package assimilate

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/events"
)

// endSession plans the summary of the session that the turn ends.
func (w *working) endSession(s *state) error {
	if !w.opt.Periodic || len(w.Pending) == 0 {
		return nil
	}
	p, err := w.summary(s, dsl.SessionEnd)
	if err != nil || p == nil {
		return err
	}
	p.wrote = fmt.Sprintf("the session %q has ended", w.previous.Session)
	if w.previous.Periodic >= w.opt.PeriodicQuota {
		w.withhold(p, "the session %q has its %d periodic writes", w.previous.Session, w.opt.PeriodicQuota)
		return nil
	}
	w.plans = append(w.plans, *p)
	return nil
}

// gather plans a summary of what waits: at a border between topics, or where
// enough has gathered. more tells whether the turn added to it.
func (w *working) gather(s *state, more bool) error {
	if !w.opt.Periodic || w.in.Kind != dsl.TxTurn || len(w.Pending) == 0 || slices.ContainsFunc(w.plans, func(p plan) bool { return p.decision.Trigger == dsl.SessionEnd }) {
		return nil
	}
	trigger, wrote := dsl.Trigger(""), ""
	if w.Periodic < w.opt.PeriodicQuota { // else the words need not be read
		cosine, is, err := w.border()
		if err != nil {
			return err
		}
		if is {
			trigger, wrote = dsl.Periodic, fmt.Sprintf("the topic has changed: the halves of the window have cosine %.3f", cosine)
		}
	}
	if trigger == "" && more && len(w.Pending) >= w.opt.Reflect {
		trigger, wrote = dsl.Reflect, fmt.Sprintf("%d changes have gathered", len(w.Pending))
	}
	if trigger == "" {
		return nil
	}
	p, err := w.summary(s, trigger)
	if err != nil || p == nil {
		return err
	}
	p.wrote = wrote
	why := ""
	switch {
	case w.Periodic >= w.opt.PeriodicQuota:
		why = fmt.Sprintf("the session has its %d periodic writes", w.opt.PeriodicQuota)
	case w.Written > 0 && w.turn-w.Written < w.opt.Cooldown:
		why = fmt.Sprintf("the last write was %d turns ago, and %d must lie between", w.turn-w.Written, w.opt.Cooldown)
	case slices.ContainsFunc(w.plans, func(p plan) bool { return p.decision.Trigger == dsl.Strong || p.decision.Trigger == dsl.Salience }) && w.opt.Cooldown > 0:
		why = "the turn writes something else"
	default:
		w.plans = append(w.plans, *p)
		return nil
	}
	w.withhold(p, "%s, but %s", wrote, why)
	return nil
}

// summary gives the plan of an event that sums up what waits; nil where nothing
// of it stands any more, which is then let go of.
func (w *working) summary(s *state, trigger dsl.Trigger) (*plan, error) {
	p := &plan{}
	p.decision.Trigger, p.Trigger = trigger, string(trigger)
	var gone []dsl.VersionRef
	var turns []string
	kept := w.Pending[:0]
	for _, x := range w.Pending {
		list, err := s.versions(x.Fact)
		if err != nil {
			return nil, err
		}
		stands := false
		for i := range list {
			if list[i].Status != dsl.StatusOpen {
				continue
			}
			stands = true
			if r := list[i].Ref(); !slices.Contains(p.decision.Facts, r) {
				p.decision.Facts = append(p.decision.Facts, r)
				p.Facts = append(p.Facts, list[i])
				turns = append(turns, list[i].Evidence...)
			}
		}
		if !stands {
			gone = append(gone, dsl.VersionRef{ID: x.Fact, Version: x.Version})
			continue
		}
		kept = append(kept, x)
	}
	w.Pending = kept
	if len(gone) > 0 {
		w.tell(dsl.TriggerDecision{Trigger: dsl.Drop, Action: dsl.TriggerDrop, Facts: gone}, "what waited does not stand any more")
	}
	if len(p.Facts) == 0 {
		return nil, nil
	}
	for _, id := range distinct(turns) {
		if id == w.in.TurnID && w.in.Kind == dsl.TxTurn {
			p.Turns = append(p.Turns, w.in.Turn)
			continue
		}
		t, err := w.view.Turn(id)
		switch {
		case errors.Is(err, dsl.ErrNotFound):
		case err != nil:
			return nil, fmt.Errorf("turn %s: %w", id, err)
		default:
			p.Turns = append(p.Turns, t.Turn)
		}
	}
	return p, nil
}

// write builds the events that are planned, and those that the transaction makes
// stale. What would break the budget is withheld, the least urgent first.
func (w *working) write(s *state) error {
	stale := len(s.ended) > 0 || len(s.archived) > 0
	if len(w.plans) == 0 && !stale {
		return nil
	}
	for {
		in := events.Input{Space: w.in.Space, Seq: w.in.Seq, Time: w.in.Time, Nodes: s.nodes, Ops: s.ops}
		if w.in.Kind != dsl.TxBackfill {
			in.Turn = w.in.Turn
		}
		for i := range w.plans {
			in.Writes = append(in.Writes, w.plans[i].Write)
		}
		opt := w.opt.Events
		opt.Registry = s.registry
		out, err := events.Build(w.view, in, opt)
		if err != nil {
			return err
		}
		tokens := 0
		for i := range out.Operations {
			tokens += summaryTokens(&out.Operations[i])
		}
		if len(w.plans) > 0 && !w.room(tokens) {
			w.cutBack(tokens)
			if len(w.plans) > 0 || stale {
				continue
			}
			return nil
		}
		w.carry(s, &out, tokens)
		return nil
	}
}

// cutBack withholds the least urgent plan.
func (w *working) cutBack(tokens int) {
	last := 0
	for i := range w.plans {
		if urgency(w.plans[i].decision.Trigger) <= urgency(w.plans[last].decision.Trigger) {
			last = i
		}
	}
	p := w.plans[last]
	w.plans = slices.Delete(w.plans, last, last+1)
	p.decision.Tokens = tokens
	w.withhold(&p, "%s, but %d tokens are written, %d more would be, and the budget of %d sessions is %d", p.wrote, w.Tokens, tokens, w.Sessions, w.allowance())
}

// urgency orders triggers: what goes last when the budget is short.
func urgency(t dsl.Trigger) int {
	return slices.Index([]dsl.Trigger{dsl.Periodic, dsl.Reflect, dsl.SessionEnd, dsl.Salience, dsl.BackfillTrigger, dsl.Strong}, t)
}

// carry takes what was built into the transaction and counts it.
func (w *working) carry(s *state, out *events.Output, tokens int) {
	base := len(s.ops)
	tokens += w.rewrite(out.Operations)
	s.nodes, s.ops = append(s.nodes, out.Nodes...), append(s.ops, out.Operations...)
	w.Tokens += tokens
	for i := range w.plans {
		p := &w.plans[i]
		d := p.decision
		if out.Writes[i] < base {
			d.Action = dsl.TriggerDrop
			w.tell(d, "%s, but there is nothing to tell", p.wrote)
		} else {
			d.Action, d.Operations, d.Tokens = dsl.TriggerWrite, []int{out.Writes[i]}, summaryTokens(&s.ops[out.Writes[i]])
			w.tell(d, "%s", p.wrote)
			w.count(d.Trigger)
		}
		w.settle(p.decision.Facts)
	}
}

// rewrite words the summaries of events anew, where that is wanted, and gives how
// many tokens longer they are then, negative for shorter. Whether an event is
// written was decided by the template's tokens; what was written is counted.
func (w *working) rewrite(ops []dsl.Op) (longer int) {
	if !w.opt.Rewrite || w.in.Rewrite == nil {
		return 0
	}
	for i := range ops {
		o := &ops[i]
		before := summaryTokens(o)
		if before == 0 {
			continue
		}
		text, agent := w.in.Rewrite(o)
		if text == "" || !Rewritten(o.Summary.String(), text) {
			continue
		}
		o.Summary, o.Agent = dsl.Plain(text), agent
		longer += summaryTokens(o) - before
	}
	return longer
}

// rewrittenMore is how many tokens a summary may have beyond twice those of the
// template.
const rewrittenMore = 12

// Rewritten tells whether a text may stand for a template's summary: one line,
// not empty, without control characters, and at most about twice as long.
func Rewritten(template, text string) bool {
	n := Tokens(text)
	return n > 0 && n <= 2*Tokens(template)+rewrittenMore && strings.TrimSpace(text) == text &&
		!strings.ContainsFunc(text, unicode.IsControl) && dsl.CheckText("summary", text) == nil
}

// count counts a write.
func (w *working) count(t dsl.Trigger) {
	switch t {
	case dsl.SessionEnd: // of the session before: see begin
		return
	case dsl.BackfillTrigger:
		return
	case dsl.Strong:
		w.Strong++
	case dsl.Periodic, dsl.Reflect:
		w.Periodic++
	}
	w.Written = max(w.turn, 1)
}

// settle takes out of working memory what an event tells.
func (w *working) settle(facts []dsl.VersionRef) {
	w.Pending = slices.DeleteFunc(w.Pending, func(p dsl.Pending) bool {
		return slices.ContainsFunc(facts, func(r dsl.VersionRef) bool { return r.ID == p.Fact })
	})
}

// expire lets go of changes that waited for the whole window.
func (w *working) expire() {
	var gone []dsl.VersionRef
	w.Pending = slices.DeleteFunc(w.Pending, func(p dsl.Pending) bool {
		if w.turn-p.Turn < w.opt.Window {
			return false
		}
		gone = append(gone, dsl.VersionRef{ID: p.Fact, Version: p.Version})
		return true
	})
	if len(gone) > 0 {
		w.tell(dsl.TriggerDecision{Trigger: dsl.Drop, Action: dsl.TriggerDrop, Facts: gone}, "it waited for %d turns; the facts stand, no event tells of them", w.opt.Window)
	}
}

// evict keeps working memory to its capacity: the least salient goes first, of
// equals the oldest. A candidate is as salient as it is sure.
func (w *working) evict() error {
	if len(w.Held)+len(w.Pending) <= w.opt.Capacity {
		return nil
	}
	if _, err := w.waits(); err != nil {
		return err
	}
	for len(w.Held)+len(w.Pending) > w.opt.Capacity {
		held, pending := -1, -1
		least := 2.0
		for i := range w.Pending {
			if s := w.Pending[i].Salience; s < least {
				least, pending = s, i
			}
		}
		for i := range w.Held {
			if s := w.sureness(w.Held[i]); s < least || s == least && pending >= 0 && w.Held[i].Turn < w.Pending[pending].Turn {
				least, held = s, i
			}
		}
		if held >= 0 {
			ref := w.Held[held].Ref()
			w.Held = slices.Delete(w.Held, held, held+1)
			w.tell(dsl.TriggerDecision{Trigger: dsl.Drop, Action: dsl.TriggerDrop, Held: &ref}, "working memory holds %d: it was the least sure", w.opt.Capacity)
			continue
		}
		p := w.Pending[pending]
		w.Pending = slices.Delete(w.Pending, pending, pending+1)
		w.tell(dsl.TriggerDecision{Trigger: dsl.Drop, Action: dsl.TriggerDrop, Salience: p.Salience, Facts: []dsl.VersionRef{{ID: p.Fact, Version: p.Version}}},
			"working memory holds %d: it was the least salient; the fact stands, no event tells of it", w.opt.Capacity)
	}
	return nil
}

// sureness gives the confidence of a candidate that is held.
func (w *working) sureness(h dsl.Held) float64 {
	if h.Position == w.in.Seq {
		return w.in.Candidates[h.Candidate].Confidence
	}
	for i := range w.held {
		if w.held[i].Ref() == h.Ref() {
			return w.held[i].candidate.Confidence
		}
	}
	return 0
}
