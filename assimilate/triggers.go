package assimilate

import (
	"fmt"
	"slices"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/events"
)

// plan is an event that layer 2 means to write.
type plan struct {
	events.Write
	decision dsl.TriggerDecision
	// wrote says what the event is for, for the reason.
	wrote string
	// changes are what it takes, to wait where it is withheld after all.
	changes []scored
}

// scored is a change with its salience.
type scored struct {
	change
	salience float64
	vector   vector
	why      string
}

// react lets layer 2 decide about what layer 1 did.
func (w *working) react(s *state, decisions []dsl.Decision) error {
	if err := w.withdraw(w.in.Turn.Replaces); err != nil {
		return err
	}
	w.hold(decisions)
	for i := range s.opened {
		w.Tokens += factTokens(&s.opened[i])
	}
	if w.Sessions == 0 {
		return nil // no turn yet: nothing to remember it by
	}
	if w.ended {
		if err := w.endSession(s); err != nil {
			return err
		}
	}
	waited := len(w.Pending)
	if err := w.weigh(s, decisions); err != nil {
		return err
	}
	if err := w.gather(s, len(w.Pending) > waited); err != nil {
		return err
	}
	if err := w.write(s); err != nil {
		return err
	}
	w.expire()
	return w.evict()
}

// weigh decides about each change: strong ones are written, the others by their
// salience.
func (w *working) weigh(s *state, decisions []dsl.Decision) error {
	var strong, salient, rest []scored
	var turn said
	read := false
	for i := range decisions {
		again, err := w.repeat(s, &decisions[i])
		if err != nil {
			return err
		}
		salient = append(salient, again...)
		for _, c := range s.changes(&decisions[i]) {
			x := scored{change: c}
			if w.in.Kind == dsl.TxBackfill {
				strong = append(strong, x)
				continue
			}
			if x.why = w.strongChange(c.Action, c.about(), &w.in.Turn); x.why != "" {
				strong = append(strong, x)
				continue
			}
			if !read {
				turn, read = readTurn(&w.in.Turn), true
			}
			others, err := s.beside(c.After)
			if err != nil {
				return err
			}
			x.vector = s.features(&w.in.Candidates[i], c.After, others, &turn)
			x.salience = w.opt.Weights.salience(&x.vector)
			if w.opt.Salience && x.salience >= w.opt.Keep {
				salient = append(salient, x)
			} else {
				rest = append(rest, x)
			}
		}
	}
	w.planStrong(strong)
	w.planSalient(salient)
	for i := range rest {
		x := &rest[i]
		if f := x.After; w.opt.Salience && x.salience <= w.opt.Archive && f != nil {
			w.archive(s, x)
			continue
		}
		w.wait(x, dsl.TriggerWait, "%s %s %s waits", x.After.SrcName, x.After.Rel, x.After.DstName)
	}
	return nil
}

// planStrong plans the event of the changes that must be written.
func (w *working) planStrong(list []scored) {
	if len(list) == 0 {
		return
	}
	p := planOf(list)
	p.decision.Trigger = dsl.Strong
	if w.in.Kind == dsl.TxBackfill {
		p.decision.Trigger, p.wrote = dsl.BackfillTrigger, "what the gap asked for"
	} else {
		p.wrote = list[0].why
	}
	p.Trigger = string(p.decision.Trigger)
	if p.decision.Trigger == dsl.Strong && w.Strong >= w.opt.StrongQuota {
		w.withhold(&p, "%s is not written: the session has its %d strong writes", p.wrote, w.opt.StrongQuota)
		return
	}
	w.plans = append(w.plans, p)
}

// planSalient plans the event of the changes that are salient enough.
func (w *working) planSalient(list []scored) {
	if len(list) == 0 {
		return
	}
	if w.Written > 0 && w.turn-w.Written < w.opt.Cooldown {
		for i := range list {
			w.wait(&list[i], dsl.TriggerWithhold, "the last write was %d turns ago, and %d must lie between", w.turn-w.Written, w.opt.Cooldown)
		}
		return
	}
	least := w.keep()
	var enough []scored
	for i := range list {
		if list[i].salience >= least {
			enough = append(enough, list[i])
			continue
		}
		w.wait(&list[i], dsl.TriggerWithhold, "%d of %d tokens are written, and so %.3f is needed", w.Tokens, w.allowance(), least)
	}
	if len(enough) == 0 {
		return
	}
	p := planOf(enough)
	p.decision.Trigger, p.Trigger, p.wrote = dsl.Salience, string(dsl.Salience), "salient enough"
	for i := range enough { // the decision shows the most salient
		if x := &enough[i]; x.salience > p.decision.Salience {
			p.decision.Salience, p.decision.Features = x.salience, x.vector.list()
		}
	}
	w.plans = append(w.plans, p)
}

// planOf gives the plan of an event of changes.
func planOf(list []scored) plan {
	p := plan{changes: list}
	for i := range list {
		p.Changes = append(p.Changes, list[i].Change)
		if r := list[i].about().Ref(); !slices.Contains(p.decision.Facts, r) {
			p.decision.Facts = append(p.decision.Facts, r)
		}
	}
	return p
}

// mustWait is the salience of what a quota or the budget kept from being written.
const mustWait = 1

// withhold notes that a plan is not carried out. Its changes wait for a summary.
func (w *working) withhold(p *plan, format string, args ...any) {
	d := p.decision
	d.Action = dsl.TriggerWithhold
	w.tell(d, format, args...)
	for i := range p.changes {
		if f := p.changes[i].After; f != nil {
			w.pend(f, max(p.changes[i].salience, min(mustWait, w.opt.Keep)))
		}
	}
}

// wait puts a change into working memory and tells why.
func (w *working) wait(x *scored, a dsl.TriggerAction, format string, args ...any) {
	w.tell(dsl.TriggerDecision{Trigger: dsl.Salience, Action: a, Facts: []dsl.VersionRef{x.After.Ref()}, Salience: x.salience,
		Features: x.vector.list()}, format, args...)
	w.pend(x.After, x.salience)
}

// pend puts a version into working memory; what waits already goes on waiting.
func (w *working) pend(f *dsl.FactVersion, salience float64) {
	for i := range w.Pending {
		if p := &w.Pending[i]; p.Fact == f.ID {
			p.Version, p.Salience = f.Version, max(p.Salience, salience)
			return
		}
	}
	w.Pending = append(w.Pending, dsl.Pending{Fact: f.ID, Version: f.Version, Salience: salience, Turn: max(w.turn, 1)})
}

// archive takes a new fact out of the working set.
func (w *working) archive(s *state, x *scored) {
	f := x.After
	d := dsl.TriggerDecision{Trigger: dsl.Salience, Action: dsl.TriggerArchive, Facts: []dsl.VersionRef{f.Ref()}, Salience: x.salience,
		Features: x.vector.list(), Operations: []int{len(s.ops)}}
	reason := fmt.Sprintf("%s %s: %s has salience %.3f", f.SrcName, f.Rel, f.DstName, x.salience)
	s.ops = append(s.ops, dsl.Op{Kind: dsl.ArchiveEdge, ID: f.ID, Reason: dsl.Plain(reason)})
	s.archived[f.Ref()] = true
	w.tell(d, "%s, at or below %v", reason, w.opt.Archive)
}

// repeat raises the salience of what waits and is said again, and gives what is
// salient enough then.
func (w *working) repeat(s *state, d *dsl.Decision) (due []scored, err error) {
	if d.Action != dsl.Skip || len(w.Pending) == 0 || !w.opt.Salience {
		return nil, nil
	}
	for _, o := range d.Operations {
		op := &s.ops[o]
		if op.Kind != dsl.Link || op.Link != dsl.EvidenceLink {
			continue
		}
		for i := range w.Pending {
			p := &w.Pending[i]
			if p.Fact != op.To {
				continue
			}
			if p.Salience = w.opt.Weights.again(p.Salience); p.Salience < w.opt.Keep {
				continue
			}
			list, err := s.versions(p.Fact)
			if err != nil {
				return nil, err
			}
			for j := range list {
				if f := &list[j]; f.Status == dsl.StatusOpen {
					x := scored{change: change{Change: events.Change{Action: dsl.Insert, After: f}, decision: d.Candidate}, salience: p.Salience}
					x.vector[repetition] = 1
					due = append(due, x)
					break
				}
			}
		}
	}
	return due, nil
}
