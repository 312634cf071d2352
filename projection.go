package asof

import (
	"context"
	"errors"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/dsl/ledger"
	"github.com/asof-db/asof/store"
)

// Tail is what a projection follows: the store of a memory, and its log up to what
// the store has applied. It holds nothing, and is of no use once the memory is
// closed.
type Tail struct{ db *DB }

// Tail gives the memory as a projection follows it.
func (db *DB) Tail() Tail { return Tail{db} }

// Advance brings the store up to a log that another process writes. A memory that
// owns its log is there already.
func (t Tail) Advance(ctx context.Context) error {
	if t.db.cfg.Ledger.URL == "" {
		return nil
	}
	t.db.commit.Lock()
	defer t.db.commit.Unlock()
	return t.db.catchUp(ctx)
}

// Applied gives the stream sequence of the last log message that the store holds.
func (t Tail) Applied() (uint64, error) { return t.db.store.Applied() }

// ReadLog calls f with the messages of the log from a sequence on, in order, as far
// as the store holds them.
func (t Tail) ReadLog(ctx context.Context, from uint64, f func(ledger.Message) error) error {
	applied, err := t.db.store.Applied()
	if err != nil || from > applied {
		return err
	}
	err = t.db.ledger.Read(ctx, from, func(m ledger.Message) error {
		if m.Seq > applied {
			return errEnough
		}
		return f(m)
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// Spaces gives the names of all spaces, dropped ones too.
func (t Tail) Spaces() ([]string, error) { return t.db.store.Spaces() }

// Head gives the last position of a space; its Seq is 0 if there is none.
func (t Tail) Head(space string) (store.Position, error) { return t.db.store.Head(space) }

// First gives the first position of a space that is in a view.
func (t Tail) First(space string) (dsl.Seq, error) { return t.db.store.First(space) }

// Place gives the log message that holds a position.
func (t Tail) Place(space string, seq dsl.Seq) (uint64, error) { return t.db.store.Place(space, seq) }

// At gives the view of a space at a position.
func (t Tail) At(space string, seq dsl.Seq) (store.View, error) { return t.db.store.At(space, seq) }

// Freeze holds on to what the store holds now.
func (t Tail) Freeze() (*store.Frozen, error) { return t.db.store.Freeze() }
