package events

import (
	"errors"
	"fmt"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/extract"
	"github.com/asof-db/asof/store"
)

// Version names this version of the rules and templates. It is part of the
// settings that a space runs under.
const Version = "events/1"

// The triggers of writes about changes; every other trigger writes a summary of
// facts.
const (
	Strong   = "strong"
	Salience = "salience"
	Backfill = "backfill"
)

// The statuses of an event.
const (
	Occurred  = "occurred"
	Planned   = "planned"
	Ended     = "ended"
	Corrected = "corrected"
	Merged    = "merged"
	Retired   = "retired"
)

// The roles of participants.
const (
	Speaker      = "speaker"
	Listener     = "listener"
	Subject      = "subject"
	Object       = "object"
	Place        = "place"
	Organization = "organization"
)

// Change is one change of layer 1 that the transaction makes.
type Change struct {
	// Action is what was decided: INSERT, REPLACE, CLOSE or RETRO_CORRECT.
	Action dsl.Action
	// Before is the version that was believed, After the one that is; either may
	// be nil. After has its id, version and names. Their facts may differ: a
	// replacement has the old value's fact before and the new one's after.
	Before, After *dsl.FactVersion
}

// Write is an event that is to be written.
type Write struct {
	// Trigger is what asks for it.
	Trigger string
	// Changes are what it is about, for strong, salience and backfill.
	Changes []Change
	// Facts are what it sums up, for the other triggers; versions that do not stand
	// after the transaction are left out.
	Facts []dsl.FactVersion
	// Turns are those a summary may take as evidence, in the order of preference.
	// Each must be in the view, or be the Turn of the input.
	Turns []dsl.Turn
}

// Input is one transaction.
type Input struct {
	Space string
	// Seq is the position that the transaction will have, Time its record time.
	Seq  dsl.Seq
	Time dsl.Instant
	// Turn is the turn that says it; zero for none. The view does not have it yet.
	Turn dsl.Turn
	// Nodes are the nodes that the transaction writes.
	Nodes []dsl.Node
	// Ops are all operations of layer 1 of the transaction, in order. The
	// operations of Build follow them: the first has the index len(Ops).
	Ops []dsl.Op
	// Writes are the events that layer 2 writes, in order; none is only to rebuild
	// what the transaction makes stale.
	Writes []Write
}

// Options say how events are built.
type Options struct {
	// Registry says what predicates mean. It is needed.
	Registry *extract.Registry
	// Merge joins events that tell of the same (see Build).
	Merge bool
	// Words bounds a summary: a clause that would make it longer than this many
	// words (characters, in Chinese) is counted instead of told. Zero is 30.
	Words int
	// Summarizer, if any, words the summary anew. What it gives is recorded, so a
	// replay never asks it; on an error the template holds.
	Summarizer Summarizer
}

// Output is what layer 2 adds to a transaction.
type Output struct {
	// Nodes are speakers and listeners that neither the view nor the transaction
	// has, in order of first use.
	Nodes []dsl.Node
	// Operations are complete: applying them needs no further decision.
	Operations []dsl.Op
	// Writes has, for each write of the input, the index in the transaction of the
	// operation that carries its event, or −1 where it had nothing to tell.
	Writes []int
	// Fallbacks are the errors of the Summarizer, for a log; the template held.
	Fallbacks []error
}

const defaultWords = 30

func (o *Options) validate() error {
	if o.Registry == nil {
		return fmt.Errorf("%w: the options have no predicate registry", dsl.ErrInvalid)
	}
	if o.Words < 0 {
		return fmt.Errorf("%w: words %d is negative", dsl.ErrInvalid, o.Words)
	}
	return nil
}

func (in *Input) validate(view store.View) error {
	if err := dsl.CheckSpace(in.Space); err != nil {
		return err
	}
	b := view.Basis()
	switch {
	case in.Seq <= b.Seq:
		return fmt.Errorf("%w: position %s is not after the view's %s", dsl.ErrConflict, in.Seq, b.Seq)
	case !in.Time.Finite():
		return fmt.Errorf("%w: the record time is not a time in years 1 to 9999", dsl.ErrInvalid)
	}
	for i, w := range in.Writes {
		for j, c := range w.Changes {
			if c.Before == nil && c.After == nil {
				return fmt.Errorf("%w: write %d: change %d has neither before nor after", dsl.ErrInvalid, i, j)
			}
		}
	}
	return nil
}

// Build gives the UPSERT_EVENT and LINK operations of a transaction: first new
// versions of the events that its layer-1 operations make stale, then those of
// the writes.
func Build(view store.View, in Input, opt Options) (Output, error) {
	if err := errors.Join(opt.validate(), in.validate(view)); err != nil {
		return Output{}, fmt.Errorf("events: build: %w", err)
	}
	if opt.Words == 0 {
		opt.Words = defaultWords
	}
	b := newBuilder(view, &in, &opt)
	for _, step := range []func() error{b.stale, b.writes, b.emit} {
		if err := step(); err != nil {
			return Output{}, fmt.Errorf("events: build: %w", err)
		}
	}
	return b.out, nil
}

// Stale gives what Build gives for an input without writes: the new versions of
// the events whose facts the transaction corrects, closes, retracts or archives.
func Stale(view store.View, in Input, opt Options) (Output, error) {
	in.Writes = nil
	return Build(view, in, opt)
}
