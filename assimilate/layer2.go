package assimilate

import (
	"errors"
	"fmt"
	"slices"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/events"
	"github.com/asof-db/asof/store"
)

// Layer2 is what triggers, working memory and budgets are configured by. They
// govern events, summaries and what waits; no change of a fact that the rules
// accept is ever withheld by them. The zero value never writes an event.
type Layer2 struct {
	// Window is the short-term memory: how many turns something waits (from 1).
	Window int
	// Capacity is how many candidates and changes wait at most.
	Capacity int
	// Budget is the mean number of tokens (see Tokens) that may be written in a
	// session.
	Budget int
	// StrongQuota and PeriodicQuota bound the strong and the periodic writes of a
	// session.
	StrongQuota, PeriodicQuota int
	// Keep and Archive are the saliences, in [0, 1], at or above which an event is
	// written, and at or below which a new fact leaves the working set.
	Keep, Archive float64
	// Salience scores changes that no strong trigger takes; without it they wait.
	Salience bool
	// Weights are those of the features.
	Weights Weights
	// Periodic writes summaries at topic borders and session ends, and of what has
	// gathered.
	Periodic bool
	// TopicCosine is the cosine, in [0, 1], of the words of the halves of the
	// window below which there is a topic border.
	TopicCosine float64
	// Reflect is how many changes that wait start a summary (from 1).
	Reflect int
	// Cooldown is how many turns lie between a write and the next one that is not
	// strong.
	Cooldown int
	// Rewrite lets Said.Rewrite word the summaries of events anew. Nothing but the
	// words is its: what an event includes, and its evidence, stay.
	Rewrite bool
	// Events says how events are built; its registry is that of the policy.
	Events events.Options
}

func (l *Layer2) validate() error {
	switch {
	case l.Window < 0 || l.Capacity < 0 || l.Capacity > dsl.MaxMemory || l.Budget < 0 || l.StrongQuota < 0 || l.PeriodicQuota < 0 || l.Reflect < 0 || l.Cooldown < 0:
		return fmt.Errorf("%w: a count of layer 2 is out of range", dsl.ErrInvalid)
	case !(l.Keep >= 0 && l.Keep <= 1 && l.Archive >= 0 && l.Archive <= 1):
		return fmt.Errorf("%w: salience thresholds %v and %v lie outside [0, 1]", dsl.ErrInvalid, l.Keep, l.Archive)
	}
	return nil
}

// Said is what a transaction came from: a turn, further candidates for one, or
// candidates that a gap found in earlier turns.
type Said struct {
	Input
	// Kind is turn, candidates or backfill.
	Kind dsl.TxKind
	// Turn is the turn that says it; zero for a backfill.
	Turn dsl.Turn
	// Gap is what a backfill fills.
	Gap *dsl.Gap
	// Rewrite gives another summary for an event that is about to be written, and
	// who says it; an empty text keeps the template's. It is asked only where
	// Layer2.Rewrite is on, and must give for the same operation what it gave
	// before: an audit gives what the log holds. Nil is the template's.
	Rewrite func(o *dsl.Op) (summary, agent string)
}

// Take assimilates what was said, as Assimilate does, and lets layer 2 decide
// about what came of it: candidates that wait are promoted by a second mention,
// changes are written as events, wait or are archived, summaries are written,
// and what is held back is told with its reason. The output depends on nothing
// but the arguments; the work does not grow with the memory.
func Take(view store.View, in Said, p Policy) (Output, error) {
	out, err := take(view, in, p)
	if err != nil {
		return Output{}, fmt.Errorf("assimilate: %w", err)
	}
	return out, nil
}

func take(view store.View, in Said, p Policy) (Output, error) {
	if err := p.Layer2.validate(); err != nil {
		return Output{}, err
	}
	w, err := remember(view, &in, &p.Layer2)
	if err != nil {
		return Output{}, err
	}
	s, decisions, err := decide(view, in.Input, p, w)
	if err != nil {
		return Output{}, err
	}
	if err := w.react(s, decisions); err != nil {
		return Output{}, err
	}
	out := Output{Nodes: s.nodes, Operations: s.ops, Decisions: decisions, Triggers: w.triggers}
	if w.changed() {
		out.Memory = &w.Memory
	}
	return out, nil
}

// working is working memory while a transaction is made.
type working struct {
	dsl.Memory
	before dsl.Memory
	opt    *Layer2
	view   store.View
	in     *Said
	// turn is the number of the turn, from 1; for others than turns that of the
	// last one.
	turn int
	// ended is the session that the turn ends, with its counters as they were.
	ended    bool
	previous dsl.Memory
	// held are the candidates that wait, read when the first is asked for.
	held []waiting
	read bool
	// promoted are the held candidates that another mention supports.
	promoted []promotion

	triggers []dsl.TriggerDecision
	plans    []plan
}

// remember reads the working memory and turns to the turn's session.
func remember(view store.View, in *Said, opt *Layer2) (*working, error) {
	m, err := view.Memory()
	if err != nil {
		return nil, fmt.Errorf("working memory: %w", err)
	}
	w := &working{Memory: m, before: m, opt: opt, view: view, in: in}
	// Lists are written anew: those of the view are not ours.
	w.Held, w.Pending = append([]dsl.Held(nil), m.Held...), append([]dsl.Pending(nil), m.Pending...)
	if b := view.Basis(); b.Seq > 0 {
		pos, err := view.PositionAt(b.Seq)
		if err != nil && !errors.Is(err, dsl.ErrNotFound) {
			return nil, fmt.Errorf("position %s: %w", b.Seq, err)
		}
		w.turn = int(pos.Turns)
	}
	if in.Kind != dsl.TxTurn {
		if w.Sessions == 0 && w.turn > 0 { // layer 2 came into force after the turns
			w.Session, w.Sessions, w.Since = in.Turn.Session, 1, w.turn
		}
		return w, nil
	}
	w.turn++
	return w, w.begin(in.Turn.Session)
}

// begin turns to the session of a turn, if it is not the one under way.
func (w *working) begin(session string) error {
	if w.Sessions > 0 && w.Session == session {
		return nil
	}
	w.ended, w.previous = w.Sessions > 0, w.Memory
	old, err := w.view.SessionMemory(session)
	if err != nil {
		return fmt.Errorf("session %q: %w", session, err)
	}
	w.Session, w.Since, w.Written = session, w.turn, 0
	w.Strong, w.Periodic = old.Strong, old.Periodic
	switch {
	case old.Sessions == 0:
		w.Sessions++
	case w.opt.Periodic && len(old.Pending) > 0 && w.Periodic < w.opt.PeriodicQuota:
		w.Periodic++ // its end was summed up, in the memory of the session that came
	}
	return nil
}

// changed tells whether the memory is another than before.
func (w *working) changed() bool {
	if w.Sessions == 0 {
		return false
	}
	a, b := &w.Memory, &w.before
	return a.Session != b.Session || a.Sessions != b.Sessions || a.Since != b.Since || a.Strong != b.Strong || a.Periodic != b.Periodic ||
		a.Tokens != b.Tokens || a.Written != b.Written || !slices.Equal(a.Held, b.Held) || !slices.Equal(a.Pending, b.Pending)
}

// tell notes a decision of layer 2.
func (w *working) tell(d dsl.TriggerDecision, format string, args ...any) {
	d.Reason = dsl.Plain(fmt.Sprintf(format, args...))
	w.triggers = append(w.triggers, d)
}

// Rebuild adds to operations that were compiled what they make stale: new
// versions of the events whose facts they correct, retract or archive, so that no
// summary outlives what it rests on. Where they write events themselves, nothing
// is added: the caller looks after events.
func Rebuild(view store.View, in OpsInput, out Output, p Policy) (Output, error) {
	stale := false
	for i := range out.Operations {
		switch out.Operations[i].Kind {
		case dsl.UpsertEvent:
			return out, nil
		case dsl.RetroCorrectOp, dsl.ArchiveEdge:
			stale = true
		}
	}
	if !stale {
		return out, nil
	}
	opt := p.Layer2.Events
	opt.Registry = p.Registry
	more, err := events.Stale(view, events.Input{Space: in.Space, Seq: in.Seq, Time: in.Time, Nodes: out.Nodes, Ops: out.Operations}, opt)
	if err != nil {
		return Output{}, fmt.Errorf("assimilate: %w", err)
	}
	out.Nodes, out.Operations = append(out.Nodes, more.Nodes...), append(out.Operations, more.Operations...)
	return out, nil
}
