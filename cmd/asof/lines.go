package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/dsl"
)

// lineSource reads entries from lines.
type lineSource struct {
	lines  *asof.Lines
	format asof.Format
	opt    asof.ParseOptions
	// keep keeps the text of lines, to set bad ones aside.
	keep bool
}

// next reads a line. At the end ok is false.
func (s *lineSource) next() (text []byte, line inputLine, err error, ok bool) {
	text, number, err := s.lines.Next()
	if errors.Is(err, io.EOF) {
		return nil, inputLine{}, nil, false
	}
	line = inputLine{number: number}
	if s.keep {
		line.text, line.cut = bytes.Clone(text), err != nil
	}
	return text, line, err, true
}

// items yields an entry for each line of turns or candidates.
func (s *lineSource) items(yield func(entry) bool) {
	for {
		text, line, err, ok := s.next()
		if !ok {
			return
		}
		if !yield(s.entry(text, line, err)) || err != nil && !errors.Is(err, dsl.ErrInvalid) {
			return
		}
	}
}

// entry makes the entry of a line; readErr is what was wrong with reading it.
func (s *lineSource) entry(text []byte, line inputLine, readErr error) entry {
	e := entry{lines: []inputLine{line}, size: len(text) + len(line.text), fault: readErr}
	switch {
	case readErr != nil && !errors.Is(readErr, dsl.ErrInvalid):
		e.broken = readErr
	case readErr == nil:
		p, err := asof.ParseLine(s.format, text, s.opt)
		e.item, e.fault, e.zoneless, e.ignored = p.Item, err, p.Zoneless, p.Ignored
		e.item.Line = line.number
	}
	return e
}

// label names a transaction of several lines.
type label struct{ space, tx string }

// rememberedLabels bounds how far back a label that comes again is noticed.
const rememberedLabels = 4096

// txSource joins lines of operations into transactions.
type txSource struct {
	*lineSource
	yield func(entry) bool
	// open is the transaction being read, if any; ended tells that its reader
	// wants no more.
	open  *entry
	label label
	ended bool
	// closed are the last labels whose transaction is complete, oldest first.
	closed []label
}

// transactions yields an entry for each transaction of operations.
func (s *lineSource) transactions(yield func(entry) bool) {
	t := &txSource{lineSource: s, yield: yield}
	for !t.ended {
		text, line, err, ok := t.next()
		if !ok {
			break
		}
		t.line(text, line, err)
	}
	t.close()
}

// line takes one line.
func (t *txSource) line(text []byte, line inputLine, readErr error) {
	if readErr != nil && !errors.Is(readErr, dsl.ErrInvalid) {
		// A transaction that cannot be read to its end is not taken.
		t.open = nil
		t.give(entry{broken: readErr})
		return
	}
	e := entry{lines: []inputLine{line}, size: len(text) + len(line.text), fault: readErr}
	var p asof.Parsed
	if readErr == nil {
		p, e.fault = asof.ParseLine(asof.FormatOps, text, t.opt)
	}
	if e.fault != nil {
		t.bad(text, e)
		return
	}
	e.item, e.zoneless = p.Item, p.Zoneless
	e.item.Line = line.number
	l := label{p.Space, p.Tx}
	if p.Tx == "" {
		t.close()
		t.give(e)
		return
	}
	if t.open != nil && t.label == l {
		t.join(e, p)
		return
	}
	t.close()
	t.label, t.open = l, &e
	switch {
	case t.came(l):
		t.fault(0, fmt.Errorf("%w: transaction %q came before; its lines have to follow one another", dsl.ErrInvalid, l.tx))
	case !p.HasAt:
		t.fault(0, fmt.Errorf("%w: the first line of transaction %q lacks \"at\", its record time", dsl.ErrInvalid, l.tx))
	}
}

// join adds a line to the open transaction.
func (t *txSource) join(e entry, p asof.Parsed) {
	i := len(t.open.lines)
	t.open.lines = append(t.open.lines, e.lines...)
	t.open.size += e.size
	t.open.zoneless = t.open.zoneless || e.zoneless
	switch {
	case t.open.fault != nil:
	case p.HasAt && p.At != t.open.item.At:
		t.fault(i, fmt.Errorf("%w: at %s is not the %s of the first line of transaction %q", dsl.ErrInvalid, p.At, t.open.item.At, p.Tx))
	case len(t.open.item.Ops) == dsl.MaxOperations || t.open.size > maxTxBytes:
		t.fault(i, fmt.Errorf("%w: transaction %q is too large (at most %d operations, %d bytes)", dsl.ErrInvalid, p.Tx, dsl.MaxOperations, maxTxBytes))
	default:
		t.open.item.Ops = append(t.open.item.Ops, e.item.Ops...)
		return
	}
	t.shed()
}

// shedLines bounds the lines that are held of a transaction that is refused.
const shedLines = 1024

// shed drops what is held of a transaction that is refused already, and gives
// its lines away once they are many.
func (t *txSource) shed() {
	t.open.item.Ops = nil
	if len(t.open.lines) < shedLines {
		return
	}
	e := *t.open
	t.give(e)
	first := e.lines[e.faulty].number
	t.open = &entry{lines: nil, fault: fmt.Errorf("line %d of its transaction was refused", first)}
}

// maxTxBytes bounds the lines of one transaction: its entry has to fit one
// message of the log, which is 8 MiB.
const maxTxBytes = 16 << 20

// bad takes a line that cannot be read. If it is one of the open transaction,
// or nothing tells of which it is, that one is refused with it: committing what
// may be a part of it is worse than asking for it again.
func (t *txSource) bad(text []byte, e entry) {
	var in struct {
		Space string          `json:"space"`
		Tx    json.RawMessage `json:"tx"`
	}
	known := json.Unmarshal(text, &in) == nil
	if in.Space == "" {
		in.Space = t.opt.Space
	}
	var tx string
	if json.Unmarshal(in.Tx, &tx) != nil {
		tx = string(in.Tx)
	}
	l := label{in.Space, tx}
	if t.open != nil && (!known || t.label == l) {
		i := len(t.open.lines)
		t.open.lines = append(t.open.lines, e.lines...)
		if t.open.fault == nil {
			t.fault(i, e.fault)
		}
		t.shed()
		return
	}
	t.close()
	if known && tx != "" && tx != "null" {
		t.label, t.open = l, &e // The lines after it share its fate.
		return
	}
	t.give(e)
}

// fault marks the open transaction as bad at one of its lines.
func (t *txSource) fault(i int, err error) { t.open.fault, t.open.faulty = err, i }

// came tells whether a transaction of this label is complete already.
func (t *txSource) came(l label) bool {
	for _, c := range t.closed {
		if c == l {
			return true
		}
	}
	return false
}

// close gives the open transaction away.
func (t *txSource) close() {
	if t.open == nil {
		return
	}
	if len(t.closed) == rememberedLabels {
		t.closed = append(t.closed[:0], t.closed[rememberedLabels/2:]...)
	}
	t.closed = append(t.closed, t.label)
	e := *t.open
	t.open = nil
	t.give(e)
}

func (t *txSource) give(e entry) {
	if !t.ended {
		t.ended = !t.yield(e) || e.broken != nil
	}
}
