package asof

import (
	"fmt"

	"github.com/asof-db/asof/assimilate"
	"github.com/asof-db/asof/dsl"
)

// Item is one thing to take in: a turn (with or without candidates of the
// caller's own), a further set of candidates for a turn that is known, a list
// of operations, a gap to fill, or the dropping of a space.
type Item struct {
	// Space names the memory it is for.
	Space string
	// Turn is a turn to record.
	Turn *dsl.Turn
	// TurnID names a turn that is recorded already, for Candidates alone.
	TurnID string
	// Candidates, where not nil, take the place of what the extractor finds.
	Candidates []dsl.Candidate
	// Ops are operations to commit as one transaction at the record time At.
	Ops []assimilate.OpRequest
	At  dsl.Instant
	// Ref is the caller's name of that transaction, kept in the log.
	Ref string
	// Gap is a gap to fill from earlier turns; see Backfill.
	Gap *GapRequest
	// Drop takes the whole space out of every view.
	Drop bool
	// Line is where the item stood in its input, for messages; 0 for nowhere.
	Line int
}

// Fate is what became of an item.
type Fate string

// The fates: recorded; known already, so nothing changed.
const (
	New       Fate = "new"
	Duplicate Fate = "duplicate"
	refused   Fate = "refused"
)

// Receipt says what became of an item. What it speaks of is durable.
type Receipt struct {
	Space string
	// Seq is the position of its transaction, or of the one that made it a
	// duplicate.
	Seq  dsl.Seq
	Fate Fate
	// Facts and Events count the versions that the transaction opened.
	Facts, Events int
	// Unknown names the predicates that the registry lacks; they were taken as
	// many-valued.
	Unknown []string
	// Filled is what a backfill read again, nil for all else; Candidates counts what
	// it found.
	Filled     *dsl.Gap
	Candidates int
}

// ItemError says which item was refused and why. Everything before it is
// durable and nothing after it was taken.
type ItemError struct {
	// Index is the item's place in its call, from 0; Line its line in the input.
	Index, Line int
	Err         error
}

// Error gives the line, where there is one, and the reason.
func (e *ItemError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("line %d: %v", e.Line, e.Err)
	}
	return fmt.Sprintf("item %d: %v", e.Index, e.Err)
}

// Unwrap gives the reason.
func (e *ItemError) Unwrap() error { return e.Err }

// IngestOption changes one call of Ingest.
type IngestOption func(*ingestOptions)

type ingestOptions struct {
	allowFuture, strict bool
}

// AllowFuture takes turns however far ahead of the clock they are.
func AllowFuture() IngestOption { return func(o *ingestOptions) { o.allowFuture = true } }

// Strict refuses operations and candidates with a predicate that the registry
// lacks.
func Strict() IngestOption { return func(o *ingestOptions) { o.strict = true } }

// validate checks what can be checked without any state.
func (it *Item) validate() error {
	if err := dsl.CheckSpace(it.Space); err != nil {
		return err
	}
	kinds := 0
	for _, is := range []bool{it.Turn != nil, it.TurnID != "", len(it.Ops) > 0, it.Gap != nil, it.Drop} {
		if is {
			kinds++
		}
	}
	if kinds != 1 {
		return fmt.Errorf("%w: an item is one of a turn, candidates for a turn, operations, a gap, a drop; this is %d of them", dsl.ErrInvalid, kinds)
	}
	if it.Turn != nil {
		if err := it.Turn.Validate(); err != nil {
			return err
		}
	}
	if it.Gap != nil {
		if err := it.Gap.validate(); err != nil {
			return err
		}
	}
	if it.TurnID != "" && it.Candidates == nil {
		return fmt.Errorf("%w: turn_id %q without candidates", dsl.ErrInvalid, it.TurnID)
	}
	if len(it.Candidates) > 0 && it.Turn == nil && it.TurnID == "" {
		return fmt.Errorf("%w: candidates without a turn", dsl.ErrInvalid)
	}
	for i := range it.Candidates {
		if err := it.Candidates[i].Validate(); err != nil {
			return fmt.Errorf("candidate %d: %w", i, err)
		}
	}
	if len(it.Ops) > 0 && !it.At.Finite() {
		return fmt.Errorf("%w: operations need \"at\", their record time", dsl.ErrInvalid)
	}
	return nil
}
