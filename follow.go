package asof

import (
	"context"
	"errors"
	"fmt"

	"github.com/asof-db/asof/dsl/ledger"
)

// Follow applies what other processes append to the log as it arrives, until ctx
// ends (it returns ctx's error), the memory is closed, or the log cannot be
// applied. A memory over a log that it shares needs it to answer views of what
// others recorded; one with a log of its own sees everything without it. While the
// log's server is away Follow waits for it.
//
// applied, where it is not nil, is told the last message of the log that the store
// has: what it has now first, then whenever a message is in it, be it this
// process's own. It is called in Follow's goroutine, one call at a time.
func (db *DB) Follow(ctx context.Context, applied func(message uint64)) error {
	last, err := db.store.Applied()
	if err != nil {
		return fmt.Errorf("asof: follow: %w", err)
	}
	if applied == nil {
		applied = func(uint64) {}
	}
	applied(last)
	err = db.ledger.Follow(ctx, last+1, func(m ledger.Message) error {
		now, err := db.take(m)
		if err != nil || now <= last {
			return err
		}
		last = now
		applied(last)
		return nil
	})
	return fmt.Errorf("asof: follow: %w", err)
}

// take folds a message of the log into the store, unless it is there, and gives
// the last one that is.
func (db *DB) take(m ledger.Message) (applied uint64, err error) {
	db.commit.Lock()
	defer db.commit.Unlock()
	if applied, err = db.store.Applied(); err != nil || applied >= m.Seq {
		return applied, err
	}
	a := &applier{db: db, checked: true}
	if err := a.message(m); err != nil {
		err = errors.Join(fmt.Errorf("read the log: %w", err), a.discard())
		db.fail(err)
		return applied, err
	}
	if err := a.flush(); err != nil {
		return applied, err
	}
	db.end.add(m.Partition, m.Seq)
	db.end.last = m.Seq
	db.caughtUp++
	return m.Seq, nil
}
