package asof

import (
	"context"
	"errors"
	"fmt"

	"github.com/asof-db/asof/dsl"
)

// ErrBehind says that the store has not yet applied all that the log holds.
var ErrBehind = errors.New("the store is behind its log")

// Health tells whether the memory can do what it is there for: nil, or why writes
// are refused. That wraps dsl.ErrClosed for a memory that is closed; else log or
// store could not be written, reads go on, and only opening the memory again ends
// it: a process that is asked by a supervisor answers that it is to be started
// anew. It reads nothing and costs nothing.
func (db *DB) Health() error {
	db.mu.Lock()
	closed, failed := db.closed, db.failed
	db.mu.Unlock()
	switch {
	case closed:
		return fmt.Errorf("asof: %w", dsl.ErrClosed)
	case failed != nil:
		return fmt.Errorf("asof: writes stopped: %w", failed)
	}
	return nil
}

// Ready tells whether the memory may be asked and told things now: nil where it
// is healthy, its log answers and the store has applied all of it; an error that
// wraps ErrBehind says by how much it lags. A memory that is not ready may become
// so by itself. It asks the log's server, within the time that ctx gives.
func (db *DB) Ready(ctx context.Context) error {
	if err := db.Health(); err != nil {
		return err
	}
	_, last, err := db.ledger.Last(ctx)
	if err != nil {
		return fmt.Errorf("asof: the log does not answer: %w", err)
	}
	applied, err := db.store.Applied()
	if err != nil {
		return fmt.Errorf("asof: %w", err)
	}
	if applied < last {
		return fmt.Errorf("asof: %w: it has applied message %d of %d", ErrBehind, applied, last)
	}
	return nil
}
