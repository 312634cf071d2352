package neo4j

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/dsl/ledger"
	"github.com/asof-db/asof/store"
)

// tail is how far a run has read the log. It is the reader's, and is thrown away
// with any error.
type tail struct {
	// state is that of the generations that are written.
	state  string
	places map[string]*place
	// next is the first message that was not read; whole is the last one of which
	// all is in a batch.
	next, whole uint64
	// open are the places with something folded, in order of first record.
	open   []*place
	weight int
}

// place is how far a run has read one space.
type place struct {
	generation
	at    dsl.Seq
	waits waiting
	fold  *fold
	// stirred tells that the space's episodes may have changed; drawn is when they
	// were written last.
	stirred bool
	drawn   time.Time
}

// rowBytes is how many bytes of the log weigh as much as a row, so that long turns
// make no batch that a server has too little memory for.
const rowBytes = 2 << 10

var errEnough = errors.New("enough")

// at opens the view of a space; one that a drop has taken away asks for a new plan.
func (p *Projector) at(space string, seq dsl.Seq) (store.View, error) {
	v, err := p.src.At(space, seq)
	if errors.Is(err, dsl.ErrNotFound) {
		return nil, fmt.Errorf("%w (space %q, %s)", errReplan, space, seq)
	}
	if err != nil {
		return nil, &sourceError{err}
	}
	return v, nil
}

func (p *Projector) positionAt(space string, seq dsl.Seq) (pos store.Position, err error) {
	v, err := p.at(space, seq)
	if err != nil {
		return pos, err
	}
	if pos, err = v.PositionAt(seq); err != nil {
		err = &sourceError{err}
	}
	return pos, errors.Join(err, v.Close())
}

// pass reads the log from where the tail is up to a message and writes it. The next
// batch is made while one is written.
func (p *Projector) pass(ctx context.Context, t *tail, until uint64) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w := &batches{p: p, in: make(chan *batch, 1), cancel: cancel}
	w.done.Go(func() { w.write(ctx) })
	err := p.src.ReadLog(ctx, t.next, func(m ledger.Message) error {
		if m.Seq > until {
			return errEnough
		}
		for _, r := range m.Records {
			if err := p.record(ctx, t, w, r); err != nil {
				return err
			}
		}
		t.next, t.whole = m.Seq+1, m.Seq
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	if err == nil {
		err = p.cut(ctx, t, w)
	}
	close(w.in)
	w.done.Wait()
	for _, x := range t.open { // after an error
		if x.fold != nil {
			err = errors.Join(err, x.fold.base.Close())
		}
	}
	var source *sourceError
	switch {
	case w.err != nil:
		return w.err
	case err == nil || errors.As(err, &source) || errors.Is(err, errMoved) || ctx.Err() != nil || w.asked(err):
		return err
	}
	return &sourceError{err}
}

// record folds one record of the log, and cuts a batch when there is enough.
func (p *Projector) record(ctx context.Context, t *tail, w *batches, r ledger.Record) error {
	if !p.wanted(r.Space) || p.dead[r.Space] != nil {
		return nil
	}
	x := t.places[r.Space]
	if x == nil {
		var err error
		if x, err = w.begin(ctx, t, r.Space); err != nil {
			return err
		}
	}
	if dsl.Seq(r.Seq) <= x.at {
		return nil
	}
	tx, err := dsl.DecodeTx(r.Data)
	if err != nil {
		p.lose(t, x, err)
		return nil
	}
	if tx.Kind == dsl.TxDrop {
		return p.dropped(ctx, t, w, x)
	}
	if x.fold == nil {
		base, err := p.at(x.space, x.at)
		if err != nil {
			return err
		}
		x.fold = newFold(x.space, x.number, base, x.waits)
		t.open = append(t.open, x)
	}
	before := x.fold.out.weight
	if err := x.fold.add(tx, dsl.Sum(r.Data)); err != nil {
		if ctx.Err() != nil {
			return err
		}
		p.lose(t, x, err)
		return nil
	}
	x.at = tx.Seq
	t.weight += x.fold.out.weight - before + 1 + len(r.Data)/rowBytes
	if t.weight >= p.rows {
		return p.cut(ctx, t, w)
	}
	return nil
}

// lose stops a space in the middle of a batch; what was folded of it is not
// written, and the others go on.
func (p *Projector) lose(t *tail, x *place, err error) {
	p.kill(x.space, err)
	kept := t.open[:0]
	for _, o := range t.open {
		if o != x {
			kept = append(kept, o)
			continue
		}
		if err := x.fold.base.Close(); err != nil {
			p.log.Warn("neo4j: closing a view", "space", x.space, "err", err)
		}
		x.fold = nil
	}
	t.open = kept
}

// dropped begins a new generation where a space was dropped.
func (p *Projector) dropped(ctx context.Context, t *tail, w *batches, x *place) error {
	if err := p.cut(ctx, t, w); err != nil {
		return err
	}
	made, err := w.begin(ctx, t, x.space)
	if err != nil {
		return err
	}
	made.stirred = true
	return nil
}

// cut makes a batch of what is folded, or with alone one of each space, and gives
// it to the writer.
func (p *Projector) cut(ctx context.Context, t *tail, w *batches) error {
	if len(t.open) == 0 {
		return nil
	}
	b := &batch{message: t.whole}
	for len(t.open) > 0 {
		x := t.open[0]
		f := x.fold
		c, err := f.finish()
		x.fold, t.open = nil, t.open[1:]
		if err := errors.Join(err, f.base.Close()); err != nil {
			if ctx.Err() != nil {
				return err
			}
			p.kill(x.space, err)
			continue
		}
		x.stirred = x.stirred || len(c.rows[eventTable])+len(c.links)+len(c.sights)+len(c.endings) > 0
		b.marks = append(b.marks, mark{x.number, x.space, f.from, f.to, f.time, f.entry})
		b.changes = append(b.changes, c)
		b.weight += c.weight
		if p.alone && len(t.open) > 0 {
			if err := w.put(ctx, &batch{marks: b.marks, changes: b.changes, weight: b.weight}); err != nil {
				return err
			}
			b.marks, b.changes, b.weight = nil, nil, 0
		}
	}
	t.weight = 0
	if len(b.marks) == 0 {
		return nil
	}
	return w.put(ctx, b)
}

// batches is the way from the reader to the writer.
type batches struct {
	p      *Projector
	in     chan *batch
	cancel context.CancelFunc
	done   sync.WaitGroup
	// flying counts the batches that are put and not yet written.
	flying sync.WaitGroup
	// err is the writer's; it is read once the writer is done, or nothing flies.
	err error
	// graphErr is what the server said to the reader.
	graphErr error
}

// put gives a batch to the writer, and waits until it has room.
func (w *batches) put(ctx context.Context, b *batch) error {
	w.flying.Add(1)
	select {
	case w.in <- b:
		return nil
	case <-ctx.Done():
		w.flying.Done()
		return ctx.Err()
	}
}

// asked tells whether an error came from the server.
func (w *batches) asked(err error) bool { return w.graphErr != nil && errors.Is(err, w.graphErr) }

// begin makes a generation once all batches are written.
func (w *batches) begin(ctx context.Context, t *tail, space string) (*place, error) {
	w.flying.Wait()
	if w.err != nil {
		return nil, w.err
	}
	x, err := w.p.begin(ctx, t, space)
	if err != nil {
		w.graphErr = err
	}
	return x, err
}

// write writes batches in order until one fails.
func (w *batches) write(ctx context.Context) {
	for b := range w.in {
		if w.err == nil {
			if w.err = w.p.write(ctx, b); w.err != nil {
				w.cancel()
			}
		}
		w.flying.Done()
	}
}

// write commits one batch.
func (p *Projector) write(ctx context.Context, b *batch) error {
	began := p.opt.Now()
	made, err := p.graph.commit(ctx, b)
	if err != nil {
		if len(b.marks) == 1 {
			return &spaceError{b.marks[0].space, err}
		}
		return err
	}
	p.progressed = true
	n := 0
	for _, m := range b.marks {
		n += int(m.to - m.from)
	}
	p.metrics.batch.Observe(p.opt.Now().Sub(began).Seconds())
	p.metrics.transactions.Add(float64(n))
	p.metrics.nodes.Add(float64(made.nodes))
	p.metrics.relationships.Add(float64(made.relationships))
	p.lag.reached(b.message)
	p.told = b.message
	if p.opt.Committed != nil {
		p.opt.Committed(Progress{Message: b.message, Transactions: n, Nodes: made.nodes, Relationships: made.relationships})
	}
	return nil
}

// jittered gives a part of a pause.
func jittered(d time.Duration, part float64) time.Duration {
	return time.Duration(float64(float64(d) * part))
}
