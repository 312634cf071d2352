package asof

import (
	"context"
	"errors"
	"fmt"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/dsl/ledger"
	"github.com/asof-db/asof/store"
)

// catchUp applies what the log holds and the store lacks, and notes the last
// message of each partition. It refuses a store that is ahead of its log, or
// whose last applied message is not the one in the log. After an error the end of
// the log is not known. db.commit is held.
func (db *DB) catchUp(ctx context.Context) (err error) {
	defer func() { db.end.unknown = err != nil }()
	expect, last, err := db.ledger.Last(ctx)
	if err != nil {
		return fmt.Errorf("asof: open: %w", err)
	}
	db.end = logEnd{expect: expect, last: last}
	db.caughtUp++
	applied, err := db.store.Applied()
	if err != nil {
		return fmt.Errorf("asof: open: %w", err)
	}
	if applied > last {
		return fmt.Errorf("asof: open: %w: it has applied message %d, the log ends at %d: the log was cut, or is another one",
			ErrStoreAhead, applied, last)
	}
	if applied == last && last == 0 {
		return nil
	}
	a := &applier{db: db, checked: applied == 0}
	if err := db.ledger.Read(ctx, max(applied, 1), a.message); err != nil {
		return errors.Join(fmt.Errorf("asof: read the log: %w", err), a.discard())
	}
	return a.flush()
}

func (db *DB) storeDir() string {
	if db.opt.Dir == "" {
		return "store"
	}
	return db.opt.Dir + "/store"
}

// applier folds messages of the log into the store.
type applier struct {
	db    *DB
	stage *store.Stage
	// checked is set once the last applied message was compared.
	checked bool
}

func (a *applier) message(m ledger.Message) error {
	if !a.checked {
		a.checked = true
		return a.compare(m)
	}
	if a.stage == nil {
		st, err := a.db.store.Stage()
		if err != nil {
			return err
		}
		a.stage = st
	}
	for _, r := range m.Records {
		tx, err := decodeRecord(r)
		if err != nil {
			return fmt.Errorf("message %d: %w", m.Seq, err)
		}
		if err := a.stage.Apply(tx, dsl.Sum(r.Data)); err != nil {
			return fmt.Errorf("message %d: %w", m.Seq, err)
		}
		if err := a.stage.Placed(r.Space, tx.Seq, m.Seq); err != nil {
			return err
		}
	}
	if a.stage.Full() {
		return a.flush()
	}
	return nil
}

// compare holds the last applied message against what the store remembers.
func (a *applier) compare(m ledger.Message) error {
	for _, r := range m.Records {
		v, err := a.db.store.At(r.Space, dsl.Seq(r.Seq))
		if err != nil {
			if errors.Is(err, dsl.ErrNotFound) { // dropped since, or never applied
				if h, herr := a.db.store.Head(r.Space); herr == nil && uint64(h.Seq) > r.Seq {
					continue
				}
			}
			return fmt.Errorf("message %d: %w", m.Seq, err)
		}
		p, err := v.PositionAt(dsl.Seq(r.Seq))
		if err := errors.Join(err, v.Close()); err != nil {
			return err
		}
		if p.Entry != dsl.Sum(r.Data) {
			return fmt.Errorf("message %d: %w: the log holds another entry %q %s than the store applied; restore the log from an export, or delete the folder %s to make the store again",
				m.Seq, dsl.ErrCorrupt, r.Space, p.Seq, a.db.storeDir())
		}
	}
	return nil
}

func (a *applier) flush() error {
	if a.stage == nil {
		return nil
	}
	st := a.stage
	a.stage = nil
	return errors.Join(st.Commit(), st.Discard())
}

func (a *applier) discard() error {
	if a.stage == nil {
		return nil
	}
	return a.stage.Discard()
}

// decodeRecord reads the transaction of a record and checks that the two name
// the same place.
func decodeRecord(r ledger.Record) (*dsl.Tx, error) {
	tx, err := dsl.DecodeTx(r.Data)
	if err != nil {
		return nil, fmt.Errorf("space %q #%d: %w", r.Space, r.Seq, err)
	}
	if tx.Space != r.Space || uint64(tx.Seq) != r.Seq {
		return nil, fmt.Errorf("%w: the record of space %q #%d holds the entry %q %s", dsl.ErrCorrupt, r.Space, r.Seq, tx.Space, tx.Seq)
	}
	return tx, nil
}
