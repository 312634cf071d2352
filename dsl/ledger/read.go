package ledger

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// retryFollow is how long Follow waits after a failure of the broker before it reads again.
const retryFollow = 100 * time.Millisecond

// Last implements Ledger.
func (j *JetStream) Last(ctx context.Context) ([]uint64, uint64, error) {
	per, last, err := j.lastRetry(ctx)
	if err != nil {
		return nil, 0, fmt.Errorf("ledger: last: %w", err)
	}
	return per, last, nil
}

func (j *JetStream) lastRetry(ctx context.Context) ([]uint64, uint64, error) {
	inner, end, err := j.begin(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer end()
	inner, cancel := j.deadline(inner)
	defer cancel()
	info, err := j.log.Info(inner) // the leader answers it
	if err != nil {
		return nil, 0, j.cause(ctx, err)
	}
	if info.State.LastSeq == 0 {
		return make([]uint64, j.partitions), 0, nil
	}
	for {
		per, seen, err := j.lastOnce(inner)
		if err != nil {
			return nil, 0, j.cause(ctx, err)
		}
		if seen >= info.State.LastSeq { // what answered has all that the leader had when this call began
			return per, seen, nil
		}
		if j.replicas == 1 {
			return nil, 0, fmt.Errorf("%w: the stream ends at %d, its partitions at %d", ErrGap, info.State.LastSeq, seen)
		}
		if err := sleep(inner, lagWait); err != nil {
			return nil, 0, j.cause(ctx, err)
		}
	}
}

// lastOnce asks for the last message of each subject, without its data.
func (j *JetStream) lastOnce(ctx context.Context) (per []uint64, last uint64, err error) {
	c, err := j.log.CreateConsumer(ctx, jetstream.ConsumerConfig{
		DeliverPolicy:     jetstream.DeliverLastPerSubjectPolicy,
		FilterSubject:     j.subjects.allLog(),
		AckPolicy:         jetstream.AckNonePolicy,
		HeadersOnly:       true,
		MemoryStorage:     true,
		Replicas:          1,
		InactiveThreshold: j.opts.Timeout,
	})
	if err != nil {
		return nil, 0, err
	}
	info := c.CachedInfo()
	defer j.log.DeleteConsumer(ctx, info.Name) //nolint:errcheck // the broker deletes it when it lies idle
	per = make([]uint64, j.partitions)
	if info.NumPending == 0 {
		return per, 0, nil
	}
	batch, err := c.Fetch(int(info.NumPending), jetstream.FetchContext(ctx))
	if err != nil {
		return nil, 0, err
	}
	for m := range batch.Messages() {
		meta, err := m.Metadata()
		if err != nil {
			return nil, 0, err
		}
		p, err := j.subjects.partition(m.Subject())
		if err != nil {
			return nil, 0, err
		}
		if p >= j.partitions {
			return nil, 0, fmt.Errorf("%w: message %d is in partition %d of %d", ErrCorrupt, meta.Sequence.Stream, p, j.partitions)
		}
		per[p] = meta.Sequence.Stream
		last = max(last, meta.Sequence.Stream)
	}
	return per, last, batch.Error()
}

// Read implements Ledger.
func (j *JetStream) Read(ctx context.Context, from uint64, f func(Message) error) error {
	inner, end, err := j.begin(ctx)
	if err != nil {
		return fmt.Errorf("ledger: read from %d: %w", from, err)
	}
	defer end()
	r := newReader(from, j.partitions, f)
	if err := j.catchUp(inner, r); err != nil {
		return r.fail(fmt.Sprintf("ledger: read from %d", from), j.cause(ctx, err))
	}
	return nil
}

// catchUp passes to r all that the log holds as of now.
func (j *JetStream) catchUp(ctx context.Context, r *reader) error {
	short, cancel := j.deadline(ctx)
	info, err := j.log.Info(short)
	cancel()
	if err != nil {
		return err
	}
	s := scanner{j: j, stream: j.opts.Stream, dense: true}
	return s.run(ctx, r.next, info.State.LastSeq, func(m stored) error { return j.pass(r, m) })
}

// pass checks and counts one stored message and gives it to the reader's function.
func (j *JetStream) pass(r *reader, m stored) error {
	if err := r.take(m.seq, m.data); err != nil {
		return err
	}
	j.metrics.readMessages.Inc()
	j.metrics.readBytes.Add(float64(len(m.data)))
	return nil
}

// Follow implements Ledger.
func (j *JetStream) Follow(ctx context.Context, from uint64, f func(Message) error) error {
	inner, end, err := j.begin(ctx)
	if err != nil {
		return fmt.Errorf("ledger: follow from %d: %w", from, err)
	}
	defer end()
	op := fmt.Sprintf("ledger: follow from %d", from)
	r := newReader(from, j.partitions, f)
	for {
		err := j.catchUp(inner, r)
		if err == nil {
			err = j.tail(inner, r)
		}
		if inner.Err() != nil || r.final(err) {
			return r.fail(op, j.cause(ctx, err))
		}
		// The broker is away or has moved: what was passed on stays passed on, and reading goes on behind it.
		j.opts.Logger.Warn("ledger: following the log was interrupted", "next", r.next, "err", err)
		if err := sleep(inner, retryFollow); err != nil {
			return r.fail(op, j.cause(ctx, err))
		}
	}
}

// tail passes on what arrives from r.next on, until something fails.
func (j *JetStream) tail(ctx context.Context, r *reader) error {
	short, cancel := j.deadline(ctx)
	c, err := j.js.OrderedConsumer(short, j.opts.Stream, jetstream.OrderedConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy,
		OptStartSeq:   max(r.next, 1),
	})
	cancel()
	if err != nil {
		return err
	}
	it, err := c.Messages(jetstream.PullMaxBytes(2*DefaultMaxPayload), jetstream.WithMessagesErrOnMissingHeartbeat(true))
	if err != nil {
		return err
	}
	defer it.Stop()
	for {
		m, err := it.Next(jetstream.NextContext(ctx))
		if err != nil {
			return err
		}
		meta, err := m.Metadata()
		if err != nil {
			return err
		}
		if err := j.pass(r, stored{seq: meta.Sequence.Stream, data: m.Data()}); err != nil {
			return err
		}
	}
}
