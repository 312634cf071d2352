package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Append implements Ledger. It sends no message id: the broker's duplicate window plays no part, only the expectation does.
func (j *JetStream) Append(ctx context.Context, p int, expect uint64, recs []Record) (uint64, error) {
	fail := func(err error) (uint64, error) {
		return 0, fmt.Errorf("ledger: append to %s after %d: %w", placeOf(p), expect, err)
	}
	if err := validBatch(p, j.partitions, recs); err != nil {
		return fail(err)
	}
	if p == Several && !j.Groups() {
		return fail(fmt.Errorf("%w: other processes may own partitions of this log; append to one partition at a time", ErrInvalid))
	}
	if err := fits(recs, j.maxBatch); err != nil {
		return fail(err)
	}
	inner, end, err := j.begin(ctx)
	if err != nil {
		return fail(err)
	}
	defer end()
	inner, cancel := j.deadline(inner)
	defer cancel()

	var start time.Time
	took := time.Duration(-1)
	if j.opts.Clock != nil {
		start = j.opts.Clock()
	}
	frame := encodeMessage(p, expect, recs)
	seq, err := j.commit(ctx, inner, p, expect, frame)
	if j.opts.Clock != nil {
		took = j.opts.Clock().Sub(start)
	}
	j.metrics.appended(len(recs), len(frame), took, err)
	if err != nil {
		return fail(err)
	}
	return seq, nil
}

// fits refuses records that one message cannot hold, naming the sizes.
func fits(recs []Record, limit int) error {
	for i := range recs {
		if n := EncodedSize(recs[i]); n > limit {
			return fmt.Errorf("%w: record %d (space %q, position %d) takes %d bytes, a message holds %d", ErrTooLarge, i,
				recs[i].Space, recs[i].Seq, n, limit)
		}
	}
	if n := EncodedSize(recs...); n > limit {
		return fmt.Errorf("%w: %d records take %d bytes, a message holds %d; append fewer at a time", ErrTooLarge, len(recs), n, limit)
	}
	return nil
}

// publish stores one message and gives its sequence; its errors say what became of the message.
func (j *JetStream) publish(ctx context.Context, subject string, data []byte, opts ...jetstream.PublishOpt) (uint64, error) {
	if err := ctx.Err(); err != nil {
		return 0, fmt.Errorf("%w: %w", ErrUnavailable, err) // nothing was sent
	}
	if j.emb != nil {
		if why := j.emb.log.writeError(); why != "" {
			return 0, fmt.Errorf("%w: the embedded broker has stopped writing: %s; see to the disk, then close the log and open it again",
				ErrUnavailable, why)
		}
		var end context.CancelFunc
		ctx, end = context.WithCancel(ctx) // a broker that fails to write answers nobody
		defer end()
		defer context.AfterFunc(j.emb.log.broken, end)()
	}
	ack, err := j.js.PublishMsg(ctx, &nats.Msg{Subject: subject, Data: data}, append(opts, jetstream.WithRetryAttempts(0))...)
	if err == nil {
		return ack.Sequence, nil
	}
	return 0, classify(err)
}

// lostOnTheWay replaces the end of a call's inner context, when its caller's did not end, by what ended it.
func (j *JetStream) lostOnTheWay(caller context.Context, err error) error {
	switch {
	case err == nil || !errors.Is(err, context.Canceled) || caller.Err() != nil:
		return err
	case j.ctx.Err() != nil:
		return fmt.Errorf("%w: %w", ErrUnknownOutcome, ErrClosed)
	case j.emb != nil && j.emb.log.writeError() != "":
		return fmt.Errorf("%w: the embedded broker failed to write: %s", ErrUnknownOutcome, j.emb.log.writeError())
	}
	return fmt.Errorf("%w: the connection was lost", ErrUnknownOutcome)
}

// Error codes of the broker that say that it refused a message before it stored anything.
const (
	codeNotEnabled            = 10076
	codeNotEnabledForAccount  = 10039
	codeUnavailable           = 10008
	codeInsufficientResources = 10023
	codeStorageExceeded       = 10047
	codeMessageTooLarge       = 10054
	codeWrongStream           = 10060
)

// classify says what became of a message whose publishing ended with err. What is not known to have been refused
// before storing is unknown.
func classify(err error) error {
	var api jetstream.JetStreamError
	if errors.As(err, &api) && api.APIError() != nil {
		switch api.APIError().ErrorCode {
		case jetstream.JSErrCodeStreamWrongLastSequence, jetstream.JSErrCodeStreamWrongLastSequenceConstant:
			return fmt.Errorf("%w: %w", ErrConflict, err)
		case codeNotEnabled, codeNotEnabledForAccount, codeUnavailable, codeInsufficientResources, codeStorageExceeded,
			codeMessageTooLarge, codeWrongStream:
			return fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
		return fmt.Errorf("%w: %w", ErrUnknownOutcome, err)
	}
	switch {
	case errors.Is(err, jetstream.ErrNoStreamResponse), errors.Is(err, nats.ErrReconnectBufExceeded),
		errors.Is(err, nats.ErrMaxPayload), errors.Is(err, nats.ErrInvalidConnection):
		return fmt.Errorf("%w: %w", ErrUnavailable, err) // it was not sent, or nobody listened
	}
	return fmt.Errorf("%w: %w", ErrUnknownOutcome, err)
}
