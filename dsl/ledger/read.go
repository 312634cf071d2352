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
	e := j.end
	if err := e.take(inner); err != nil {
		return nil, 0, j.cause(ctx, err)
	}
	defer e.release()
	if j.emb == nil { // others may have appended
		e.known = false
		e.away.Store(false)
	}
	if err := j.know(inner); err != nil {
		return nil, 0, j.cause(ctx, err)
	}
	return e.perPartition(), e.last, nil
}

// bounds are the last sequences of the log.
type bounds struct {
	last  uint64   // of the whole log
	group uint64   // of the messages of several partitions
	alone []uint64 // of the messages of each partition alone
}

// of gives the last sequence of a partition, or of the log for Several.
func (b *bounds) of(p int) uint64 {
	if p == Several {
		return b.last
	}
	return max(b.alone[p], b.group)
}

func (b *bounds) perPartition() []uint64 {
	per := make([]uint64, len(b.alone))
	for p := range per {
		per[p] = b.of(p)
	}
	return per
}

// add notes a message that was stored.
func (b *bounds) add(p int, seq uint64) {
	b.last = seq
	if p == Several {
		b.group = seq
	} else {
		b.alone[p] = seq
	}
}

// bounds asks the broker for where the log ends.
func (j *JetStream) bounds(ctx context.Context) (bounds, error) {
	info, err := j.log.Info(ctx) // the leader answers it
	if err != nil {
		return bounds{}, err
	}
	if info.State.LastSeq == 0 {
		return bounds{alone: make([]uint64, j.partitions)}, nil
	}
	for {
		b, err := j.boundsOnce(ctx)
		if err != nil {
			return b, err
		}
		if b.last >= info.State.LastSeq { // what answered has all that the leader had when this call began
			return b, nil
		}
		if j.replicas == 1 {
			return b, fmt.Errorf("%w: the stream ends at %d, its partitions at %d", ErrGap, info.State.LastSeq, b.last)
		}
		if err := sleep(ctx, lagWait); err != nil {
			return b, err
		}
	}
}

// boundsOnce asks for the last message of each subject, without its data.
func (j *JetStream) boundsOnce(ctx context.Context) (b bounds, err error) {
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
		return b, err
	}
	info := c.CachedInfo()
	defer j.log.DeleteConsumer(ctx, info.Name) //nolint:errcheck // the broker deletes it when it lies idle
	b.alone = make([]uint64, j.partitions)
	if info.NumPending == 0 {
		return b, nil
	}
	batch, err := c.Fetch(int(info.NumPending), jetstream.FetchContext(ctx))
	if err != nil {
		return b, err
	}
	for m := range batch.Messages() {
		meta, err := m.Metadata()
		if err != nil {
			return b, err
		}
		p, err := j.subjects.partition(m.Subject())
		if err != nil {
			return b, err
		}
		seq := meta.Sequence.Stream
		if p >= j.partitions {
			return b, fmt.Errorf("%w: message %d is in partition %d of %d", ErrCorrupt, seq, p, j.partitions)
		}
		last := max(b.last, seq)
		b.add(p, seq)
		b.last = last
	}
	return b, batch.Error()
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
