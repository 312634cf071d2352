package ledger

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/nats-io/nats.go/jetstream"
)

// logEnd is what a client knows of the log's end, which its appends are held against.
//
// An embedded log has one process that appends to it. Its appends take turns, know where every partition ends, and
// have the broker compare the last sequence of the whole log: which partition a message is in then makes no difference, and the
// broker need not look for the partition's last message. Whatever the outcome of an append, if it is not known, the broker
// is asked before the next one.
//
// On an external log there are no messages of several partitions but those that an embedded log wrote before its files
// came there. The broker compares the partition's own last sequence, which is another one where the partition ended with such
// a message. That is looked up once, and again after the broker was away.
type logEnd struct {
	turn  chan struct{} // holds one token; who has it may use what follows, and append to an embedded log
	known bool
	bounds

	away atomic.Bool // the connection was lost since the bounds were asked for
}

func newLogEnd() *logEnd {
	e := &logEnd{turn: make(chan struct{}, 1)}
	e.turn <- struct{}{}
	return e
}

// take waits for the turn; release gives it back.
func (e *logEnd) take(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case <-e.turn:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (e *logEnd) release() { e.turn <- struct{}{} }

// commit stores an encoded message of partition p, or of several, if expect is the last sequence there.
func (j *JetStream) commit(caller, ctx context.Context, p int, expect uint64, frame []byte) (uint64, error) {
	if j.emb == nil {
		return j.commitShared(caller, ctx, p, expect, frame)
	}
	e := j.end
	if err := e.take(ctx); err != nil {
		return 0, j.unsent(caller, err)
	}
	defer e.release()
	if err := j.know(ctx); err != nil {
		return 0, j.unsent(caller, err)
	}
	if last := e.of(p); expect != last {
		return 0, fmt.Errorf("%w: its last message is %d", ErrConflict, last)
	}
	seq, err := j.publish(ctx, j.subjects.of(p), frame, jetstream.WithExpectLastSequence(e.last), jetstream.WithExpectStream(j.opts.Stream))
	if err != nil {
		e.known = false
		return 0, j.lostOnTheWay(caller, err)
	}
	e.add(p, seq)
	if bad := j.emb.settle(); bad != nil {
		return seq, fmt.Errorf("%w: %w", ErrUnknownOutcome, bad)
	}
	return seq, nil
}

// commitShared is commit on a log that others may append to at the same time. Appends to several partitions do not wait for
// each other.
func (j *JetStream) commitShared(caller, ctx context.Context, p int, expect uint64, frame []byte) (uint64, error) {
	own, err := j.ownLast(ctx, p, expect)
	if err != nil {
		return 0, j.unsent(caller, err)
	}
	seq, err := j.publish(ctx, j.subjects.log(p), frame, jetstream.WithExpectLastSequencePerSubject(own), jetstream.WithExpectStream(j.opts.Stream))
	return seq, j.lostOnTheWay(caller, err)
}

// ownLast gives the last sequence that partition p's own subject has where the partition ends with expect.
func (j *JetStream) ownLast(ctx context.Context, p int, expect uint64) (uint64, error) {
	e := j.end
	if err := e.take(ctx); err != nil {
		return 0, err
	}
	defer e.release()
	if e.away.Swap(false) {
		e.known = false
	}
	if err := j.know(ctx); err != nil {
		return 0, err
	}
	switch {
	case e.group == 0 || expect > e.group:
		return expect, nil
	case expect == e.group && e.alone[p] < e.group:
		return e.alone[p], nil
	}
	return 0, fmt.Errorf("%w: its last message is %d", ErrConflict, e.of(p))
}

// know asks the broker for where the log ends unless it is known. The turn is taken.
func (j *JetStream) know(ctx context.Context) (err error) {
	if j.end.known {
		return nil
	}
	j.end.bounds, err = j.bounds(ctx)
	j.end.known = err == nil
	return err
}

// unsent gives the end of an append that ended before anything was sent.
func (j *JetStream) unsent(caller context.Context, err error) error {
	err = j.cause(caller, err)
	for _, is := range []error{ErrClosed, ErrConflict, ErrUnavailable} {
		if errors.Is(err, is) {
			return err
		}
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}
