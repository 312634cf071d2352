package ledger

import (
	"errors"
	"fmt"
)

// reader checks what a ledger gives out, in order: every sequence is there, every message decodes, and within each
// partition every message names the one before it. A message of several partitions counts as one of each.
type reader struct {
	from       uint64
	next       uint64
	partitions int
	seen       []uint64 // the last message of each partition alone since from, 0 for none
	group      uint64   // the last message of several partitions since from, 0 for none
	f          func(Message) error
	stop       error // what ended it for good: an error of f, or a fault of the log
	byCaller   bool  // stop came from f
}

// newReader makes a reader that expects message from first; 0 means 1.
func newReader(from uint64, partitions int, f func(Message) error) *reader {
	from = max(from, 1)
	return &reader{from: from, next: from, partitions: partitions, seen: make([]uint64, partitions), f: f}
}

// take checks the message seq with the bytes b and passes it on. It keeps b.
func (r *reader) take(seq uint64, b []byte) error {
	m, err := r.check(seq, b)
	if err != nil {
		r.stop = err
		return err
	}
	if err := r.f(m); err != nil {
		r.stop, r.byCaller = err, true
		return err
	}
	return nil
}

func (r *reader) check(seq uint64, b []byte) (Message, error) {
	if seq != r.next {
		return Message{}, fmt.Errorf("%w: message %d came where %d must be", ErrGap, seq, r.next)
	}
	m, err := decodeMessage(seq, b, r.partitions)
	if err != nil {
		return Message{}, err
	}
	if m.Partition == Several { // that it follows the message before it was found by decoding it
		r.group, r.next = seq, seq+1
		return m, nil
	}
	before := max(r.seen[m.Partition], r.group)
	if before != 0 && m.Prev != before || before == 0 && m.Prev >= r.from {
		return Message{}, fmt.Errorf("%w: message %d of partition %d follows message %d, but the last one there is %d", ErrGap, seq,
			m.Partition, m.Prev, before)
	}
	r.seen[m.Partition] = seq
	r.next = seq + 1
	return m, nil
}

// final says whether err, or what the reader itself found, is no passing trouble.
func (r *reader) final(err error) bool {
	return r.stop != nil || errors.Is(err, ErrGap) || errors.Is(err, ErrCorrupt) || errors.Is(err, ErrUnsupportedFormat)
}

// fail wraps err with the operation unless it is the caller's own.
func (r *reader) fail(op string, err error) error {
	if r.byCaller {
		return r.stop
	}
	if r.stop != nil {
		err = r.stop
	}
	return fmt.Errorf("%s: %w", op, err)
}
