package ledgertest

import (
	"context"
	"fmt"
	"sync"

	"github.com/asof-db/asof/dsl/ledger"
)

// Fault is what goes wrong with one append. The zero value is nothing.
type Fault struct {
	// Before fails the append with nothing stored; it stands for what the broker
	// refuses, and is returned as it is.
	Before error
	// After stores the message and loses its acknowledgement: ErrUnknownOutcome,
	// with this as the reason.
	After error
	// Wait is called first, with the append's context: latency. Its error ends the
	// append before anything is stored, as ErrUnavailable.
	Wait func(context.Context) error
	// Tear stores the message and breaks the stored form: readers get all before
	// it, then ErrCorrupt. The append itself is acknowledged.
	Tear bool
}

// Faulty is a ledger that goes wrong where it is told to. It wraps any other.
type Faulty struct {
	ledger.Ledger
	// Plan gives what goes wrong with the n-th append, from 1; nil for nothing.
	// Appends that are tried again count again.
	Plan func(n int) Fault
	// KeepOpen makes Close leave the ledger beneath open, for a test that opens
	// the same one again.
	KeepOpen bool

	mu   sync.Mutex // guards what follows
	n    int
	torn uint64 // the first message whose stored form is broken, 0 for none
	lost int
}

var _ ledger.Ledger = (*Faulty)(nil)

// Lost counts the appends that were stored and not acknowledged.
func (f *Faulty) Lost() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.lost
}

// Append implements ledger.Ledger.
func (f *Faulty) Append(ctx context.Context, p int, expect uint64, recs []ledger.Record) (uint64, error) {
	f.mu.Lock()
	f.n++
	var fault Fault
	if f.Plan != nil {
		fault = f.Plan(f.n)
	}
	f.mu.Unlock()
	if fault.Wait != nil {
		if err := fault.Wait(ctx); err != nil {
			return 0, fmt.Errorf("ledger: append: %w: %w", ledger.ErrUnavailable, err)
		}
	}
	if fault.Before != nil {
		return 0, fault.Before
	}
	seq, err := f.Ledger.Append(ctx, p, expect, recs)
	if err != nil {
		return 0, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if fault.Tear && f.torn == 0 {
		f.torn = seq
	}
	if fault.After != nil {
		f.lost++
		return 0, fmt.Errorf("ledger: append: %w: %w", ledger.ErrUnknownOutcome, fault.After)
	}
	return seq, nil
}

// Read implements ledger.Ledger.
func (f *Faulty) Read(ctx context.Context, from uint64, g func(ledger.Message) error) error {
	return f.Ledger.Read(ctx, from, f.through(g))
}

// Follow implements ledger.Ledger.
func (f *Faulty) Follow(ctx context.Context, from uint64, g func(ledger.Message) error) error {
	return f.Ledger.Follow(ctx, from, f.through(g))
}

// through passes messages on up to the one that is torn.
func (f *Faulty) through(g func(ledger.Message) error) func(ledger.Message) error {
	return func(m ledger.Message) error {
		f.mu.Lock()
		torn := f.torn
		f.mu.Unlock()
		if torn != 0 && m.Seq >= torn {
			return fmt.Errorf("ledger: read: %w: message %d is torn", ledger.ErrCorrupt, m.Seq)
		}
		return g(m)
	}
}

// Close implements ledger.Ledger.
func (f *Faulty) Close() error {
	if f.KeepOpen {
		return nil
	}
	return f.Ledger.Close()
}
