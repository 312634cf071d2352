package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go/jetstream"
)

// jetIntake is the intake of a JetStream ledger: a stream of its own from which items are deleted when they are done.
type jetIntake JetStream

var _ Intake = (*jetIntake)(nil)

// Put implements Intake.
func (q *jetIntake) Put(ctx context.Context, it Item) (uint64, error) {
	j := (*JetStream)(q)
	fail := func(err error) (uint64, error) {
		return 0, fmt.Errorf("ledger: put into the intake: %w", err)
	}
	if err := validItem(it); err != nil {
		return fail(err)
	}
	if n := itemOverhead + len(it.Data); n > j.maxBatch {
		return fail(fmt.Errorf("%w: the item takes %d bytes, a message holds %d", ErrTooLarge, n, j.maxBatch))
	}
	inner, end, err := j.begin(ctx)
	if err != nil {
		return fail(err)
	}
	defer end()
	inner, cancel := j.deadline(inner)
	defer cancel()
	seq, err := j.publish(inner, j.subjects.item(it.Space, it.Kind), encodeItem(it.Data),
		jetstream.WithExpectStream(j.opts.Stream+intakeSuffix))
	if err = j.lostOnTheWay(ctx, err); err != nil {
		return fail(err)
	}
	return seq, nil
}

// Pending implements Intake.
func (q *jetIntake) Pending(ctx context.Context, f func(seq uint64, it Item) error) error {
	j := (*JetStream)(q)
	inner, end, err := j.begin(ctx)
	if err != nil {
		return fmt.Errorf("ledger: read the intake: %w", err)
	}
	defer end()
	short, cancel := j.deadline(inner)
	info, err := j.in.Info(short)
	cancel()
	if err != nil {
		return fmt.Errorf("ledger: read the intake: %w", j.cause(ctx, err))
	}
	if info.State.Msgs == 0 {
		return nil
	}
	s := scanner{j: j, stream: j.opts.Stream + intakeSuffix}
	var own error
	err = s.run(inner, info.State.FirstSeq, info.State.LastSeq, func(m stored) error {
		space, kind, err := j.subjects.parseItem(m.subject)
		if err != nil {
			return fmt.Errorf("item %d: %w", m.seq, err)
		}
		data, err := decodeItem(m.data)
		if err != nil {
			return fmt.Errorf("item %d: %w", m.seq, err)
		}
		own = f(m.seq, Item{Space: space, Kind: kind, Data: data})
		return own
	})
	if own != nil {
		return own
	}
	if err != nil {
		return fmt.Errorf("ledger: read the intake: %w", j.cause(ctx, err))
	}
	return nil
}

// Done implements Intake. Items from the queue's head on are dropped with one purge, others one by one.
func (q *jetIntake) Done(ctx context.Context, seqs ...uint64) error {
	if len(seqs) == 0 {
		return nil
	}
	j := (*JetStream)(q)
	inner, end, err := j.begin(ctx)
	if err != nil {
		return fmt.Errorf("ledger: take from the intake: %w", err)
	}
	defer end()
	if err := q.drop(inner, seqs); err != nil {
		return fmt.Errorf("ledger: take from the intake: %w", j.cause(ctx, err))
	}
	return nil
}

func (q *jetIntake) drop(ctx context.Context, seqs []uint64) error {
	j := (*JetStream)(q)
	short, cancel := j.deadline(ctx)
	info, err := j.in.Info(short)
	cancel()
	if err != nil {
		return err
	}
	seqs = slices.Clone(seqs)
	slices.Sort(seqs)
	seqs = slices.Compact(seqs)
	for len(seqs) > 0 && seqs[0] < info.State.FirstSeq { // done before
		seqs = seqs[1:]
	}
	head := 0
	for head < len(seqs) && seqs[head] == info.State.FirstSeq+uint64(head) && seqs[head] <= info.State.LastSeq {
		head++
	}
	if head > 1 {
		short, cancel := j.deadline(ctx)
		err := j.in.Purge(short, jetstream.WithPurgeSequence(seqs[head-1]+1))
		cancel()
		if err != nil {
			return err
		}
		seqs = seqs[head:]
	}
	for _, seq := range seqs {
		if seq > info.State.LastSeq {
			continue
		}
		if err := q.delete(ctx, seq); err != nil {
			return err
		}
	}
	return nil
}

// codeSequenceNotFound is the broker's answer when a message to delete is not there.
const codeSequenceNotFound = 10043

// delete takes one item away; one that is not there is no error. The client library's own call gives the broker's code
// only as text, so the request is made here.
func (q *jetIntake) delete(ctx context.Context, seq uint64) error {
	j := (*JetStream)(q)
	ctx, cancel := j.deadline(ctx)
	defer cancel()
	// no_erase: the bytes need not be overwritten, only forgotten.
	req := fmt.Appendf(nil, `{"seq":%d,"no_erase":true}`, seq)
	m, err := j.nc.RequestWithContext(ctx, "$JS.API.STREAM.MSG.DELETE."+j.opts.Stream+intakeSuffix, req)
	if err != nil {
		return err
	}
	var answer struct {
		Error *jetstream.APIError `json:"error"`
	}
	if err := json.Unmarshal(m.Data, &answer); err != nil {
		return fmt.Errorf("%w: the broker answered %q", ErrUnavailable, m.Data)
	}
	if answer.Error != nil && answer.Error.ErrorCode != codeSequenceNotFound {
		return answer.Error
	}
	return nil
}
