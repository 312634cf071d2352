package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// One request of a scan asks for at most scanMessages messages and ends at the one that reaches scanBytes; two answers
// are held at a time, one being worked on and one being fetched.
const (
	scanMessages = 1024
	scanBytes    = 4 << 20
	// lagRetries and lagWait bound how long a scan waits for a replica that has not yet got what the leader has.
	lagRetries = 100
	lagWait    = 50 * time.Millisecond

	headerStatus  = "Status"
	headerLastSeq = "Nats-Last-Sequence"
	statusEnd     = "204"
	statusNone    = "404"
)

// stored is one message as it lies in a stream. Its subject is known only where headers were asked for.
type stored struct {
	seq     uint64
	subject string
	data    []byte
}

// directGet is the broker's request for a batch of messages (its JSApiMsgGetRequest).
type directGet struct {
	Seq       uint64 `json:"seq"`
	Batch     int    `json:"batch"`
	MaxBytes  int    `json:"max_bytes"`
	NoHeaders bool   `json:"no_hdr,omitempty"`
}

// scanner reads a stretch of one stream in batches, with one request under way while the batch before it is worked on.
type scanner struct {
	j      *JetStream
	stream string
	// dense says that every sequence holds a message, so that no headers are needed to number them; where one
	// is missing the scan fails with ErrGap. A scan that is not dense passes over what is missing.
	dense bool
}

type scanBatch struct {
	msgs []stored
	err  error
}

// run calls f for the messages in [from, last] in order.
func (s *scanner) run(ctx context.Context, from, last uint64, f func(stored) error) error {
	if from > last {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	batches := make(chan scanBatch)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer close(batches)
		err := s.fetchAll(ctx, from, last, batches)
		if err != nil {
			select {
			case batches <- scanBatch{err: err}:
			case <-ctx.Done():
			}
		}
	}()
	defer func() {
		cancel()
		<-done
	}()
	for b := range batches {
		if b.err != nil {
			return b.err
		}
		for i := range b.msgs {
			if err := f(b.msgs[i]); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// fetchAll sends the batches of [from, last] to out.
func (s *scanner) fetchAll(ctx context.Context, from, last uint64, out chan<- scanBatch) error {
	inbox := s.j.nc.NewInbox()
	sub, err := s.j.nc.SubscribeSync(inbox)
	if err != nil {
		return err
	}
	defer sub.Unsubscribe()                              //nolint:errcheck // it fails only on a closed connection
	if err := sub.SetPendingLimits(-1, -1); err != nil { // each request bounds its own answer
		return err
	}
	lag := 0
	for next := from; next <= last; {
		if s.dense && s.j.emb != nil {
			if err := s.j.emb.verifier.check(next, min(last, next+scanMessages-1)); err != nil {
				return err
			}
		}
		batch, err := s.fetch(ctx, sub, inbox, next, last, s.dense)
		if err != nil {
			return err
		}
		if len(batch) == 0 {
			if !s.dense {
				return nil // the rest was deleted
			}
			if s.j.replicas > 1 && lag < lagRetries { // a replica answered that is behind the leader
				lag++
				if err := sleep(ctx, lagWait); err != nil {
					return err
				}
				continue
			}
			return fmt.Errorf("%w: message %d of %d is missing, or the broker cannot read it", ErrGap, next, last)
		}
		lag = 0
		next = batch[len(batch)-1].seq + 1
		select {
		case out <- scanBatch{msgs: batch}:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// fetch gets one batch from next on, none after last.
func (s *scanner) fetch(ctx context.Context, sub *nats.Subscription, inbox string, next, last uint64, bare bool) ([]stored, error) {
	ctx, cancel := s.j.deadline(ctx)
	defer cancel()
	count := int(min(last-next+1, scanMessages))
	req, err := json.Marshal(directGet{Seq: next, Batch: count, MaxBytes: scanBytes, NoHeaders: bare})
	if err != nil {
		return nil, err
	}
	if err := s.j.nc.PublishRequest("$JS.API.DIRECT.GET."+s.stream, inbox, req); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	batch := make([]stored, 0, count)
	var end uint64 // the sequence of the last message that the broker sent, by its own word
	for end == 0 {
		m, err := sub.NextMsgWithContext(ctx)
		if errors.Is(err, nats.ErrNoResponders) {
			return nil, fmt.Errorf("%w: stream %s does not answer reads", ErrUnavailable, s.stream)
		}
		if err != nil {
			return nil, fmt.Errorf("wait for messages from %d on: %w", next, err)
		}
		if m.Header == nil {
			batch = append(batch, stored{seq: next + uint64(len(batch)), data: m.Data})
			continue
		}
		switch status := m.Header.Get(headerStatus); status {
		case "":
			seq, err := strconv.ParseUint(m.Header.Get(jetstream.SequenceHeader), 10, 64)
			if err != nil || seq < next {
				return nil, fmt.Errorf("%w: the broker sent sequence %q after %d", ErrCorrupt, m.Header.Get(jetstream.SequenceHeader), next)
			}
			batch = append(batch, stored{seq: seq, subject: m.Header.Get(jetstream.SubjectHeader), data: m.Data})
		case statusEnd:
			if end, err = strconv.ParseUint(m.Header.Get(headerLastSeq), 10, 64); err != nil {
				return nil, fmt.Errorf("%w: the broker ended a batch with sequence %q", ErrUnavailable, m.Header.Get(headerLastSeq))
			}
			if end == 0 {
				return nil, nil
			}
		case statusNone:
			return nil, nil
		default:
			return nil, fmt.Errorf("%w: stream %s answered a read with %s %s", ErrUnavailable, s.stream, status, m.Header.Get("Description"))
		}
	}
	switch {
	case len(batch) == 0:
		return nil, nil
	case s.dense && end != next+uint64(len(batch))-1:
		if bare { // some are missing: ask again with their numbers, to keep those before the gap
			return s.fetch(ctx, sub, inbox, next, last, false)
		}
		for i := range batch {
			if batch[i].seq != next+uint64(i) {
				batch = batch[:i]
				break
			}
		}
	}
	for len(batch) > 0 && batch[len(batch)-1].seq > last { // a stream with holes can answer beyond what was asked for
		batch = batch[:len(batch)-1]
	}
	return batch, nil
}

// sleep waits, or returns early with ctx's error.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
