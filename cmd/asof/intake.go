package main

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/assimilate"
	"github.com/asof-db/asof/dsl"
)

// entry is one thing of an input: an item to take in, lines that are bad, or
// the reason why the input cannot be read further.
type entry struct {
	item asof.Item
	// lines are where it stands; a transaction of operations has one a piece.
	lines []inputLine
	// where names its place in an input that has no lines.
	where string
	// size is about what it takes in memory, in bytes.
	size     int
	zoneless bool
	ignored  []string
	// fault says why the line at index faulty of lines is bad.
	fault  error
	faulty int
	// broken ends the input.
	broken error
}

// inputLine is a line of the input; text is kept only if bad lines are set aside.
type inputLine struct {
	number int
	text   []byte
	cut    bool
}

// source yields the entries of an input in order. It stops when yield says so.
type source = iter.Seq[entry]

// Limits of what is held in memory between reading and committing.
const (
	waitingEntries = 256
	groupBytes     = 4 << 20
)

// intake takes the entries of a source into a memory.
type intake struct {
	db    *asof.DB
	name  string
	opts  []asof.IngestOption
	group int
	// patient is set when waiting for a full group costs nobody anything: the
	// input is a file that is there.
	patient bool
	aside   *aside
	sum     *summary
}

// errInterrupted ends an ingestion that was asked to stop.
var errInterrupted = errors.New("interrupted; what the summary counts is durable, the rest was not taken: ingest the same input again to go on")

// run reads and parses in one goroutine while it commits in this one. It returns
// when the source ends, at the first entry that is refused and not set aside,
// or, with what was at hand committed, when ctx ends.
func (in *intake) run(ctx context.Context, src source) error {
	reading, cancel := context.WithCancel(ctx)
	entries := make(chan entry, waitingEntries)
	defer func() {
		cancel() // The reader sees it at its next entry.
		// A file always gives one, or its end. A pipe may not: a reader that waits
		// for it ends with the process.
		for in.patient {
			if _, more := <-entries; !more {
				return
			}
		}
	}()
	go func() {
		defer close(entries)
		for e := range src {
			select {
			case entries <- e:
			case <-reading.Done():
				return
			}
		}
	}()
	for {
		group, last, more := in.next(ctx, entries)
		if err := in.take(group); err != nil {
			return err
		}
		if last != nil {
			if last.broken != nil {
				return fmt.Errorf("%s: %w", in.name, last.broken)
			}
			if err := in.refuse(last, last.fault, last.faulty); err != nil {
				return err
			}
		}
		if ctx.Err() != nil {
			return errInterrupted
		}
		if !more {
			return nil
		}
	}
}

// next collects what can be committed together. last is the entry after it if
// that one is no item; more tells whether the source may have further ones.
func (in *intake) next(ctx context.Context, entries <-chan entry) (group []entry, last *entry, more bool) {
	size := 0
	for len(group) < in.group && size < groupBytes {
		var e entry
		var ok bool
		if len(group) == 0 || in.patient {
			select {
			case e, ok = <-entries:
			case <-ctx.Done():
				return group, nil, false
			}
		} else {
			select {
			case e, ok = <-entries:
			default:
				return group, nil, true
			}
		}
		switch {
		case !ok:
			return group, nil, false
		case e.fault != nil || e.broken != nil:
			return group, &e, true
		}
		group = append(group, e)
		size += e.size
	}
	return group, nil, true
}

// take commits entries in order. An item that the memory refuses is a bad line.
// It is not interrupted, so that its outcome is known.
func (in *intake) take(group []entry) error {
	for len(group) > 0 {
		items := make([]asof.Item, len(group))
		for i := range group {
			items[i] = group[i].item
		}
		receipts, err := in.db.Ingest(context.Background(), items, in.opts...)
		for i, r := range receipts {
			in.sum.add(&group[i], r)
		}
		if err == nil {
			return nil
		}
		var refusal *asof.ItemError
		if !errors.As(err, &refusal) || !ofItem(refusal.Err) {
			return err
		}
		e, faulty := &group[refusal.Index], 0
		var op *assimilate.OpError
		if errors.As(refusal.Err, &op) && op.Index < len(e.lines) {
			faulty = op.Index
		}
		if err := in.refuse(e, refusal.Err, faulty); err != nil {
			return err
		}
		group = group[refusal.Index+1:]
	}
	return nil
}

// ofItem tells whether an error speaks of the item and not of the memory.
func ofItem(err error) bool {
	return errors.Is(err, dsl.ErrInvalid) || errors.Is(err, dsl.ErrConflict) || errors.Is(err, dsl.ErrNotFound)
}

// refuse sets a bad entry aside, or gives the error that names it.
func (in *intake) refuse(e *entry, fault error, faulty int) error {
	if in.aside != nil {
		in.sum.Skipped += len(e.lines)
		return in.aside.add(e, fault, faulty)
	}
	if len(e.lines) == 0 {
		return fmt.Errorf("%s: %s: %w", in.name, e.where, fault)
	}
	first, last := e.lines[0].number, e.lines[len(e.lines)-1].number
	if first == last {
		return fmt.Errorf("%s: line %d: %w", in.name, first, fault)
	}
	return fmt.Errorf("%s: line %d: %w; nothing of its transaction (lines %d to %d) was taken", in.name, e.lines[faulty].number, fault, first, last)
}
