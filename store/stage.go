package store

import (
	"errors"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/asof-db/asof/dsl"
)

// Stage is a group of transactions that is not yet committed: it can be read
// (so that the next transaction is decided upon what the ones before it did)
// and is either committed as one batch or discarded without a trace. There is
// one Stage at a time; making the next one waits.
//
// The order that keeps the store behind its log is: apply to a stage, append to
// the log, commit the stage. A Stage is for one goroutine.
type Stage struct {
	s       *Store
	rows    *overlay
	heads   map[string]head
	applied uint64
	dropped []string
	// places are the last log messages that were noted, by space.
	places map[string]uint64
	// lasts are the last turns of the sessions that were touched, caches what
	// views of the stage have read.
	lasts  map[memberID]*members
	caches caches
	broken error
	done   bool
	// took is how long the transactions took to be folded in, for the metrics.
	took time.Duration
}

// Stage begins a group. The caller must Commit or Discard it.
func (s *Store) Stage() (*Stage, error) {
	s.writer.Lock()
	if err := errors.Join(s.live(), s.writable(), s.Stopped()); err != nil {
		s.writer.Unlock()
		return nil, err
	}
	st := &Stage{s: s, rows: &overlay{db: s.db, iters: &s.iters, seen: s.seen}, heads: map[string]head{}, lasts: map[memberID]*members{}, places: map[string]uint64{}}
	if s.lastBytes > 0 {
		st.rows.expect(s.lastBytes, s.lastRows)
	}
	st.caches.init()
	return st, nil
}

func (st *Stage) head(space string) (head, error) {
	if h, ok := st.heads[space]; ok {
		return h, nil
	}
	return st.s.head(space)
}

// committed gives the last position of a space that is no more staged.
func (st *Stage) committed(space string) dsl.Seq {
	st.s.mu.RLock()
	defer st.s.mu.RUnlock()
	return st.s.heads[space].Seq
}

// Head gives the last position of a space, staged ones included.
func (st *Stage) Head(space string) (Position, error) {
	h, err := st.head(space)
	if h.Seq > 0 {
		h.Digest = h.acc.digest(h.Seq)
	}
	return h.Position, err
}

// View gives the view of a space at its head, staged transactions included. It
// must be closed before the stage is committed or discarded.
func (st *Stage) View(space string) (View, error) {
	if st.done {
		return nil, fmt.Errorf("store: stage: %w", dsl.ErrClosed)
	}
	h, err := st.head(space)
	if err != nil {
		return nil, err
	}
	v := newSnapshot(st.s, st.rows, space, h.Seq, st)
	v.life = h.dropped
	return v, nil
}

// Full tells whether the group has become so large that committing it costs the
// least for each row: Pebble then takes it as it is, sorted, and need not put row
// by row into a memtable.
func (st *Stage) Full() bool { return int64(st.rows.size()) >= st.s.room.limit }

// Apply adds a transaction whose log entry hashes to entry. The transaction
// must be the next of its space; anything that does not fit the state wraps
// dsl.ErrCorrupt, names the position, and breaks the stage: it can only be
// discarded.
func (st *Stage) Apply(tx *dsl.Tx, entry dsl.Hash) error {
	if st.done || st.broken != nil {
		return fmt.Errorf("store: stage: %w", errors.Join(dsl.ErrClosed, st.broken))
	}
	began := st.s.metrics.clock()
	err := st.apply(tx, entry)
	st.took += st.s.metrics.clock().Sub(began)
	if err != nil {
		st.broken = fmt.Errorf("store: apply %q %s: %w", tx.Space, tx.Seq, err)
		return st.broken
	}
	return nil
}

// Placed notes that the log holds a staged position in the message with this
// stream sequence.
func (st *Stage) Placed(space string, seq dsl.Seq, message uint64) error {
	fail := func(err error) error { return fmt.Errorf("store: place %q %s: %w", space, seq, err) }
	st.applied = max(st.applied, message)
	h, err := st.head(space)
	if err != nil {
		return fail(err)
	}
	last, ok := st.places[space]
	if !ok {
		if last, _, err = st.s.lastPlace(space, dsl.MaxSeq); err != nil {
			return fail(err)
		}
	}
	st.places[space] = last
	if seq < h.dropped || message == last {
		return nil // it is in no view, or lies where the one before does
	}
	k := spaceKeys(space)
	if err := st.rows.Set(k.seq(clPlace, seq), appendVar(nil, message)); err != nil {
		return fail(err)
	}
	st.places[space] = message
	return nil
}

// Commit makes the group visible, all at once. It is not synced: the log is.
// ErrStopped where the store has stopped writing.
func (st *Stage) Commit() error {
	if st.done {
		return fmt.Errorf("store: stage: %w", dsl.ErrClosed)
	}
	if st.broken != nil {
		return st.broken
	}
	began := st.s.metrics.clock()
	if st.applied > 0 {
		if err := st.rows.Set(keyApplied, appendU64(nil, st.applied)); err != nil {
			return fmt.Errorf("store: commit: %w", err)
		}
	}
	size := st.rows.size()
	st.s.lastBytes, st.s.lastRows = len(st.rows.arena), len(st.rows.rows)
	if err := st.s.room.wait(size); err != nil {
		return fmt.Errorf("store: commit: %w", err)
	}
	if err := st.rows.commit(pebble.NoSync); err != nil {
		st.s.forgetWritten()
		return fmt.Errorf("store: commit: %w", err)
	}
	// Iterators before heads: who sees the new head must not read by an iterator
	// that does not see its rows.
	if err := st.s.iters.renew(false); err != nil {
		st.end()
		return fmt.Errorf("store: commit: %w", err)
	}
	st.s.mu.Lock()
	for space, h := range st.heads {
		h.Digest = h.acc.digest(h.Seq)
		st.s.heads[space] = h
	}
	for space, message := range st.places {
		st.s.places.put(space, message)
	}
	st.s.mu.Unlock()
	for _, space := range st.dropped {
		st.s.caches.drop(space)
	}
	if st.s.seen.full() {
		st.s.seen = nil
	}
	st.s.metrics.committed(size, len(st.heads), st.took+st.s.metrics.clock().Sub(began))
	st.end()
	return nil
}

// Discard drops the group. It is idempotent, and does nothing after Commit.
func (st *Stage) Discard() error {
	if st.done {
		return nil
	}
	if st.broken != nil || !st.rows.empty() {
		st.s.forgetWritten()
	}
	st.rows.close()
	st.end()
	return nil
}

func (st *Stage) end() {
	st.done = true
	st.s.writer.Unlock()
}
