package asof

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/dsl/ledger"
	"github.com/asof-db/asof/store"
)

// request is one call of Ingest on its way through the writer.
type request struct {
	items    []Item
	opt      ingestOptions
	receipts []Receipt
	err      error
	done     chan struct{}
}

// Ingest takes items in order and returns when they are durable and
// assimilated. It stops at the first that is refused: the error is then an
// *ItemError, everything before it is durable (and has its receipt), nothing
// after it was taken. The same item again changes nothing and says so, so a call
// whose outcome is unknown is simply made again.
//
// Calls of many goroutines share syncs of the log. When ctx ends first, the
// outcome is unknown.
func (db *DB) Ingest(ctx context.Context, items []Item, opts ...IngestOption) ([]Receipt, error) {
	r := &request{items: items, done: make(chan struct{})}
	for _, o := range opts {
		o(&r.opt)
	}
	db.mu.Lock()
	closed, failed := db.closed, db.failed
	db.mu.Unlock()
	if closed {
		return nil, fmt.Errorf("asof: ingest: %w", dsl.ErrClosed)
	}
	if failed != nil {
		return nil, fmt.Errorf("asof: ingest: writes stopped: %w", failed)
	}
	if len(items) == 0 {
		return nil, nil
	}
	for i := range items {
		if err := cmp.Or(db.wantsModel(&items[i]), db.wantsParser(&items[i])); err != nil {
			return nil, fmt.Errorf("asof: ingest: %w", err)
		}
	}
	select {
	case db.queue <- r:
	case <-db.stop:
		return nil, fmt.Errorf("asof: ingest: %w", dsl.ErrClosed)
	case <-ctx.Done():
		return nil, fmt.Errorf("asof: ingest: %w", ctx.Err())
	}
	select {
	case <-r.done:
		db.logTaken(ctx, r)
		return r.receipts, r.err
	case <-ctx.Done():
		return nil, fmt.Errorf("asof: ingest: the outcome is unknown, send it again: %w", ctx.Err())
	}
}

// write is the writer: it takes what waits, as one group, and commits it.
func (db *DB) write() {
	defer db.writer.Done()
	b := newBuilder(db)
	for {
		var first *request
		select {
		case first = <-db.queue:
		case <-db.stop:
			db.refuseWaiting()
			return
		}
		group := db.gather(first)
		db.serve(b, group)
		for _, r := range group {
			close(r.done)
		}
	}
}

// gather takes what waits behind a first request. Callers that were answered
// together mostly come again together; the writer, woken by the first of them,
// lets the others run before it goes on, so that they share a sync. That costs
// nothing where nobody else is ready to run.
func (db *DB) gather(first *request) []*request {
	group, n := []*request{first}, len(first.items)
	for more := true; more && n < db.cfg.Ingest.GroupTurns; {
		runtime.Gosched()
		for more = false; n < db.cfg.Ingest.GroupTurns; more = true {
			var r *request
			select {
			case r = <-db.queue:
			default:
			}
			if r == nil {
				break
			}
			group, n = append(group, r), n+len(r.items)
		}
	}
	return group
}

// refuseWaiting answers what is still in the queue when the DB closes.
func (db *DB) refuseWaiting() {
	for {
		select {
		case r := <-db.queue:
			r.err = fmt.Errorf("asof: ingest: %w", dsl.ErrClosed)
			close(r.done)
		default:
			return
		}
	}
}

// place is an item's place among the requests of a group.
type place struct {
	r *request
	i int
}

// serve takes the items of all requests, in order, in as few commits as their
// number and size allow.
func (db *DB) serve(b *builder, group []*request) {
	var todo []place
	for _, r := range group {
		for i := range r.items {
			todo = append(todo, place{r, i})
		}
	}
	db.commit.Lock()
	defer db.commit.Unlock()
	if db.end.unknown {
		if err := db.catchUpLate(); err != nil {
			refuseAll(todo, err)
			return
		}
	}
	tries := 0
	for len(todo) > 0 {
		n, err := db.commitSome(b, todo)
		if err == nil {
			todo, tries = todo[n:], 0
			continue
		}
		b.forget()
		if stopped := db.stopped(err); stopped != nil {
			db.fail(stopped)
			refuseAll(todo, err)
			return
		}
		if caught := db.catchUpLate(); caught != nil {
			refuseAll(todo, errors.Join(err, caught))
			return
		} else if tries++; tries <= 10 && errors.Is(err, ledger.ErrConflict) {
			continue // another owner wrote in between; it is applied now
		}
		refuseAll(todo[:n], err)
		todo = todo[n:]
	}
}

// refuseAll fails the requests of items.
func refuseAll(todo []place, err error) {
	for _, p := range todo {
		p.refuse(fmt.Errorf("asof: ingest: %w", err))
	}
}

// catchUpLate is catchUp after something went wrong. Where a log server is only
// away, the end of the log is not known until it answers again, and nothing is
// taken before; whatever else keeps log and store apart stops all writing.
// db.commit is held.
func (db *DB) catchUpLate() error {
	err := db.catchUp(context.Background())
	if err == nil {
		return nil
	}
	_, served := db.ledger.(*ledger.JetStream)
	if !served || db.cfg.Ledger.URL == "" || db.store.Stopped() != nil || lasting(err) {
		db.fail(err)
	}
	return err
}

// lasting tells whether an error of reading the log will not go by itself.
func lasting(err error) bool {
	for _, is := range []error{ErrStoreAhead, dsl.ErrCorrupt, dsl.ErrClosed, ledger.ErrCorrupt, ledger.ErrGap, ledger.ErrClosed,
		ledger.ErrMismatch, ledger.ErrUnsupportedFormat, dsl.ErrUnsupportedFormat} {
		if errors.Is(err, is) {
			return true
		}
	}
	return false
}

// refuse fails a request at an item, unless it has failed before.
func (p place) refuse(err error) {
	if p.r.err == nil {
		p.r.err = &ItemError{Index: p.i, Line: p.r.items[p.i].Line, Err: err}
		p.r.receipts = p.r.receipts[:min(p.i, len(p.r.receipts))]
	}
}

// commitSome stages and commits the first n items. On an error nothing of them
// is in the store, but messages of some partitions may be in the log.
func (db *DB) commitSome(b *builder, todo []place) (n int, err error) {
	st, err := db.store.Stage()
	if err != nil {
		return len(todo), err
	}
	defer func() { err = errors.Join(err, st.Discard()) }()
	b.refresh()
	g := group{db: db}
	var fates []Fate
	for n < len(todo) && g.weight < OpsPerTurn*db.cfg.Ingest.GroupTurns && g.bytes < db.ledger.MaxBatchBytes()/2 {
		p := todo[n]
		n++
		if p.r.err != nil { // an item before it in its call was refused
			continue
		}
		it := &p.r.items[p.i]
		out, err := b.add(st, it, p.r.opt)
		var broken *stageError
		if errors.As(err, &broken) {
			return n, err
		}
		if err != nil {
			p.refuse(err)
			db.metrics.fate(refused)
			continue
		}
		if out.tx != nil {
			g.add(out)
		}
		p.r.receipts = append(p.r.receipts[:p.i], out.receipt)
		fates = append(fates, out.receipt.Fate)
	}
	if err := g.commit(st); err != nil {
		return n, err
	}
	for _, f := range fates {
		db.metrics.fate(f)
	}
	return n, nil
}

// group is what is committed together, in order.
type group struct {
	db   *DB
	recs []ledger.Record
	// weight counts transactions of operations, others as OpsPerTurn of them.
	weight, bytes int
	// turns tells that there is a turn among them.
	turns bool
}

// OpsPerTurn is how many transactions of operations take the place of one turn in
// a group: nothing is extracted from them.
const OpsPerTurn = 8

func (g *group) add(b built) {
	rec := ledger.Record{Space: b.tx.Space, Seq: uint64(b.tx.Seq), Data: b.data}
	g.recs = append(g.recs, rec)
	g.bytes += ledger.RecordSize(rec)
	g.turns = g.turns || b.tx.Turn != nil
	if b.tx.Kind == dsl.TxOps {
		g.weight++
	} else {
		g.weight += OpsPerTurn
	}
}

// commit appends the group to the log and then makes it visible.
func (g *group) commit(st *store.Stage) error {
	if len(g.recs) == 0 {
		return st.Discard()
	}
	places, moved, err := g.db.appendRecords(context.Background(), g.recs)
	if err != nil {
		return fmt.Errorf("asof: commit: %w", err)
	}
	if moved {
		// The store takes messages in the log's order and without a gap, so that
		// what others wrote before and between these comes in with them.
		if err := errors.Join(st.Discard(), g.db.catchUp(context.Background())); err != nil {
			return err
		}
	} else {
		for i, r := range g.recs {
			if err := st.Placed(r.Space, dsl.Seq(r.Seq), places[i]); err != nil {
				return err
			}
		}
		if err := st.Commit(); err != nil {
			return err
		}
	}
	g.db.metrics.group(len(g.recs))
	for i, r := range g.recs {
		if g.turns && (i == 0 || g.recs[i-1].Space != r.Space) {
			g.db.encoding.note(r.Space)
		}
	}
	return nil
}

// stopped gives what keeps this process from writing again, if anything does:
// the store or the embedded log has failed to write. A log server that is away
// comes back.
func (db *DB) stopped(err error) error {
	if stopped := db.store.Stopped(); stopped != nil {
		return stopped
	}
	_, own := db.ledger.(*ledger.JetStream)
	if own && db.cfg.Ledger.URL == "" && errors.Is(err, ledger.ErrUnavailable) {
		return err
	}
	return nil
}

// fail stops all further writes; reads go on.
func (db *DB) fail(err error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.failed == nil {
		db.failed = err
		db.log.Error("writes stopped", "err", err)
	}
}
