package neo4j

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/dsl/ledger"
)

// Projector keeps the graph at what the store holds. One call at a time.
type Projector struct {
	opt     Options
	src     Source
	graph   graph
	log     *slog.Logger
	lag     *lag
	metrics *metrics

	// rows is how many rows a batch may have; it falls where the server has too
	// little memory.
	rows int
	// alone makes every batch one of a single space, to find the one whose rows are
	// refused.
	alone bool
	// dead are the spaces that are not projected any more, with the reason.
	dead map[string]error
	// progressed tells that something was committed since the last failure.
	progressed bool
	// told is the last message that Committed was called with.
	told uint64
}

// Open connects to the server, checks that it can be used, and makes constraints
// and indexes where they are missing. Errors wrap dsl.ErrInvalid, ErrUnreachable,
// ErrDenied or ErrServer and say what to do.
func Open(ctx context.Context, src Source, o Options) (*Projector, error) {
	o.EnsureDefaults()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	g, err := o.dial(ctx)
	if err != nil {
		return nil, err
	}
	return newProjector(ctx, src, o, g)
}

// newProjector makes a projector over any graph, which it closes.
func newProjector(ctx context.Context, src Source, o Options, g graph) (*Projector, error) {
	p := &Projector{opt: o, src: src, graph: g, log: o.Logger, rows: o.Rows, dead: map[string]error{}, lag: &lag{now: o.Now}}
	err := p.retry(ctx, func() error { return g.setup(ctx) })
	if err != nil {
		return nil, errors.Join(o.explain(err), g.close(ctx))
	}
	p.metrics = newMetrics(o.Registerer, p.lag)
	return p, nil
}

// Close closes the connections, and takes the metrics out of their registry. It is
// idempotent.
func (p *Projector) Close(ctx context.Context) error {
	p.metrics.close()
	return p.graph.close(ctx)
}

// Sync brings the graph to what the store holds now, and removes what is retired.
// A space whose rows were refused is named in the error; the others are done.
func (p *Projector) Sync(ctx context.Context) error {
	if err := p.run(ctx, current, false); err != nil {
		return err
	}
	if err := p.sweep(ctx); err != nil {
		return err
	}
	return p.deadSpaces()
}

// Follow is Sync that goes on with what comes, until ctx ends; it then returns nil.
func (p *Projector) Follow(ctx context.Context) error {
	err := p.run(ctx, current, true)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// Rebuild makes the graph anew beside the present one, which readers see until the
// new one has caught up, and then removes the old one. A rebuild that was
// interrupted goes on where it was.
func (p *Projector) Rebuild(ctx context.Context) error {
	if err := p.run(ctx, building, false); err != nil {
		return err
	}
	err := p.retry(ctx, func() error {
		list, err := p.graph.generations(ctx)
		if err != nil {
			return err
		}
		for _, g := range list {
			if g.state == building && p.wanted(g.space) && p.dead[g.space] == nil {
				if err := p.graph.activate(ctx, g); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return p.opt.explain(err)
	}
	if err := p.sweep(ctx); err != nil {
		return err
	}
	return p.deadSpaces()
}

// Drop removes the graph of the spaces, in small transactions; constraints and
// indexes stay. Readers lose it at once.
func (p *Projector) Drop(ctx context.Context) error {
	err := p.retry(ctx, func() error {
		list, err := p.graph.generations(ctx)
		if err != nil {
			return err
		}
		for _, g := range list {
			if !p.wanted(g.space) {
				continue
			}
			if err := p.graph.retire(ctx, g); err != nil {
				return err
			}
			if err := p.graph.remove(ctx, g.number); err != nil {
				return err
			}
		}
		return nil
	})
	return p.opt.explain(err)
}

// sweep removes retired generations.
func (p *Projector) sweep(ctx context.Context) error {
	err := p.retry(ctx, func() error {
		list, err := p.graph.generations(ctx)
		for _, g := range list {
			if err == nil && g.state == retired && p.wanted(g.space) {
				err = p.graph.remove(ctx, g.number)
			}
		}
		return err
	})
	return p.opt.explain(err)
}

func (p *Projector) wanted(space string) bool { return p.opt.Space == "" || p.opt.Space == space }

func (p *Projector) deadSpaces() error {
	var errs []error
	for _, space := range slices.Sorted(maps.Keys(p.dead)) {
		errs = append(errs, fmt.Errorf("neo4j: space %q is not projected further: %w", space, p.dead[space]))
	}
	return errors.Join(errs...)
}

// kill stops the projection of a space.
func (p *Projector) kill(space string, err error) {
	p.log.Error("space is not projected further", "space", space, "err", err)
	p.dead[space] = err
	p.metrics.stopped.Set(float64(len(p.dead)))
}

// sourceError marks what the store or the log said: another try would not help.
type sourceError struct{ err error }

func (e *sourceError) Error() string { return e.err.Error() }
func (e *sourceError) Unwrap() error { return e.err }

// spaceError names the space that a batch was of.
type spaceError struct {
	space string
	err   error
}

func (e *spaceError) Error() string { return e.err.Error() }
func (e *spaceError) Unwrap() error { return e.err }

// errReplan says that the plan does not fit any more: a space was dropped.
var errReplan = fmt.Errorf("%w: a space was dropped meanwhile", errMoved)

// run projects what the store holds into the generations of a state; with follow it
// goes on until ctx ends.
func (p *Projector) run(ctx context.Context, state string, follow bool) error {
	var t *tail
	for tries := 0; ; {
		err := p.round(ctx, &t, state)
		if err == nil {
			tries, p.alone = 0, false
			if !follow {
				return nil
			}
			if err := p.opt.Pause(ctx, p.opt.Poll); err != nil {
				return err
			}
			continue
		}
		t = nil // nothing is taken for granted (N3)
		if p.progressed {
			tries, p.progressed = 0, false
		}
		tries++
		if err := p.recover(ctx, err, tries); err != nil {
			return err
		}
	}
}

// round makes a plan where there is none, and brings the graph to what the store
// holds now.
func (p *Projector) round(ctx context.Context, t **tail, state string) (err error) {
	if err := p.src.Advance(ctx); err != nil {
		return &sourceError{err}
	}
	until, err := p.src.Applied()
	if err != nil {
		return &sourceError{err}
	}
	p.lag.saw(until)
	if *t == nil {
		if *t, err = p.plan(ctx, state, until); err != nil {
			return err
		}
	}
	if (*t).next <= until {
		if err := p.pass(ctx, *t, until); err != nil {
			return err
		}
	}
	p.lag.reached(until)
	if p.opt.Committed != nil && p.told < until {
		p.opt.Committed(Progress{Message: until}) // a batch ended within the last message, or there was nothing to write
	}
	p.told = until
	return p.episodes(ctx, *t)
}

// recover decides what follows from an error: it returns it, or changes something,
// waits and returns nil.
func (p *Projector) recover(ctx context.Context, err error, tries int) error {
	var of *spaceError
	var source *sourceError
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.As(err, &source) && !errors.Is(err, ledger.ErrUnavailable) {
		return err
	}
	c := classify(err)
	if c == tooLarge && p.rows <= minRows {
		c = ofRows
	}
	switch c {
	case final:
		return p.opt.explain(err)
	case tooLarge:
		p.rows = max(p.rows/4, minRows)
	case ofRows:
		if errors.As(err, &of) && p.alone {
			p.kill(of.space, p.opt.explain(err))
			return nil
		}
		p.alone = true
	}
	if p.opt.Tries > 0 && tries >= p.opt.Tries {
		if source != nil {
			return err
		}
		return p.opt.explain(err)
	}
	p.metrics.retries.WithLabelValues(classNames[c]).Inc()
	p.log.Warn("neo4j: trying again", "try", tries, "class", classNames[c], "err", err)
	return p.pause(ctx, tries)
}

// minRows is the least batch that is tried where memory is short.
const minRows = 50

// pause waits before another try: twice as long each time, and less by chance.
func (p *Projector) pause(ctx context.Context, tries int) error {
	d := p.opt.LastPause
	if tries < 16 {
		d = min(d, p.opt.FirstPause<<(tries-1))
	}
	half := d / 2
	return p.opt.Pause(ctx, half+jittered(half, p.opt.Jitter()))
}

// retry makes an operation that is not a batch again where its error may pass.
func (p *Projector) retry(ctx context.Context, f func() error) error {
	for tries := 1; ; tries++ {
		err := f()
		c := classify(err)
		if err == nil || c != passing && c != moved || p.opt.Tries > 0 && tries >= p.opt.Tries {
			return err
		}
		if err := p.pause(ctx, tries); err != nil {
			return err
		}
	}
}

// plan reads the positions of the graph and finds where the log has to be read
// from.
func (p *Projector) plan(ctx context.Context, state string, until uint64) (*tail, error) {
	list, err := p.graph.generations(ctx)
	if err != nil {
		return nil, err
	}
	waits, err := p.graph.waiting(ctx)
	if err != nil {
		return nil, err
	}
	names, err := p.src.Spaces()
	if err != nil {
		return nil, &sourceError{err}
	}
	t := &tail{state: state, places: map[string]*place{}, next: until + 1}
	for _, g := range list {
		if g.state == state {
			t.places[g.space] = &place{generation: g, at: g.position} // the newest comes last
		}
	}
	for _, space := range names {
		if !p.wanted(space) || p.dead[space] != nil {
			continue
		}
		x := t.places[space]
		if x == nil {
			if x, err = p.begin(ctx, t, space); err != nil {
				return nil, err
			}
		}
		if err := p.check(ctx, t, x, waits[x.number]); err != nil {
			return nil, err
		}
		if p.dead[space] != nil {
			continue
		}
		from, err := p.nextMessage(space, t.places[space].at)
		if errors.Is(err, dsl.ErrNotFound) {
			return nil, errReplan
		}
		if err != nil {
			return nil, &sourceError{err}
		}
		if from > 0 {
			t.next = min(t.next, from)
		}
	}
	return t, nil
}

// nextMessage gives the message that holds the position after one, 0 where there is
// none.
func (p *Projector) nextMessage(space string, at dsl.Seq) (uint64, error) {
	head, err := p.src.Head(space)
	if err != nil || head.Seq <= at {
		return 0, err
	}
	return p.src.Place(space, at+1)
}

// begin makes a generation of a space, where its views begin.
func (p *Projector) begin(ctx context.Context, t *tail, space string) (*place, error) {
	g := generation{space: space, state: t.state}
	first, err := p.src.First(space)
	if err != nil {
		return nil, &sourceError{err}
	}
	if first > 1 { // dropped there; the drop itself is in no row
		at, err := p.positionAt(space, first)
		if err != nil {
			return nil, err
		}
		g.position, g.time, g.entry = first, at.Time, at.Entry.String()
	}
	made, err := p.graph.begin(ctx, g)
	if err != nil {
		return nil, err
	}
	x := &place{generation: made, at: made.position, waits: waiting{}}
	t.places[space] = x
	return x, nil
}

// check holds a generation against the store. One that lies before a drop is
// replaced, one that is of another log stops the space.
func (p *Projector) check(ctx context.Context, t *tail, x *place, waits []eventRef) error {
	first, err := p.src.First(x.space)
	if err != nil {
		return &sourceError{err}
	}
	head, err := p.src.Head(x.space)
	if err != nil {
		return &sourceError{err}
	}
	var fault error
	switch {
	case x.format != format:
		fault = fmt.Errorf("%w: it is of version %d, this build writes %d", ErrOtherFormat, x.format, format)
	case x.position > head.Seq:
		fault = fmt.Errorf("the graph is at %s and the store at %s: it is of another store", x.position, head.Seq)
	case x.position < first && first > 1:
		_, err := p.begin(ctx, t, x.space)
		return err
	case x.position > 0:
		pos, err := p.positionAt(x.space, x.position)
		if err != nil {
			return err
		}
		if got := pos.Entry.String(); got != x.entry {
			fault = fmt.Errorf("the graph is of another log: at %s it has entry %s, the store %s", x.position, x.entry, got)
		}
	}
	if fault != nil && t.state == building {
		_, err := p.begin(ctx, t, x.space)
		return err
	}
	if fault != nil {
		p.kill(x.space, fmt.Errorf("%w; 'asof neo4j rebuild' makes it again", fault))
		return nil
	}
	return p.wait(x, waits)
}

// wait notes the event versions that are not visible, by what they lack.
func (p *Projector) wait(x *place, refs []eventRef) error {
	if x.waits = (waiting{}); len(refs) == 0 {
		return nil
	}
	view, err := p.at(x.space, x.at)
	if err != nil {
		return err
	}
	f := newFold(x.space, x.number, view, x.waits)
	for _, ref := range refs {
		if err = f.look(ref); err != nil {
			err = &sourceError{fmt.Errorf("neo4j: space %q: %w", x.space, err)}
			break
		}
	}
	return errors.Join(err, view.Close())
}
