package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// Memory is a ledger in memory, for tests: the same rules and the same bytes, no durability, and failures on request.
type Memory struct {
	partitions int

	mu      sync.Mutex // guards all below
	log     [][]byte   // message i+1 as it would be stored
	last    []uint64
	items   []memoryItem
	nextIn  uint64
	changed chan struct{} // closed and replaced at each append
	before  error
	after   error
	closed  bool
	done    chan struct{} // closed at Close
	calls   sync.WaitGroup
}

type memoryItem struct {
	seq     uint64
	subject string
	data    []byte
}

var _ Ledger = (*Memory)(nil)

// errMemoryPartitions is what NewMemory panics with on a number that no log has.
var errMemoryPartitions = fmt.Errorf("ledger: a log has 1 to %d partitions", MaxPartitions)

// NewMemory makes an empty ledger of the given number of partitions, 1 to MaxPartitions; it panics on others.
func NewMemory(partitions int) *Memory {
	if partitions < 1 || partitions > MaxPartitions {
		panic(errMemoryPartitions)
	}
	return &Memory{partitions: partitions, last: make([]uint64, partitions), changed: make(chan struct{}), done: make(chan struct{})}
}

// FailBefore makes the next append return err without storing anything.
func (m *Memory) FailBefore(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.before = err
}

// FailAfter makes the next append that stores its message return err nevertheless, wrapped with ErrUnknownOutcome, as
// when an acknowledgement is lost.
func (m *Memory) FailAfter(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.after = err
}

// Damage changes the stored bytes of message seq with f, for tests of what readers make of it; f may return nil to
// leave an empty message. It reports whether there is such a message.
func (m *Memory) Damage(seq uint64, f func([]byte) []byte) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if seq == 0 || seq > uint64(len(m.log)) {
		return false
	}
	m.log[seq-1] = f(slices.Clone(m.log[seq-1]))
	return true
}

// Partitions implements Ledger.
func (m *Memory) Partitions() int { return m.partitions }

// Groups implements Ledger: nobody else appends to it.
func (m *Memory) Groups() bool { return true }

// MaxBatchBytes implements Ledger; it is that of a JetStream ledger with default options.
func (m *Memory) MaxBatchBytes() int { return DefaultMaxPayload - headersReserve }

// Intake implements Ledger.
func (m *Memory) Intake() Intake { return (*memoryIntake)(m) }

// Append implements Ledger.
func (m *Memory) Append(ctx context.Context, p int, expect uint64, recs []Record) (uint64, error) {
	seq, err := m.append(ctx, p, expect, recs)
	if err != nil {
		return 0, fmt.Errorf("ledger: append to %s after %d: %w", placeOf(p), expect, err)
	}
	return seq, nil
}

func (m *Memory) append(ctx context.Context, p int, expect uint64, recs []Record) (uint64, error) {
	if err := validBatch(p, m.partitions, recs); err != nil {
		return 0, err
	}
	if err := fits(recs, m.MaxBatchBytes()); err != nil {
		return 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return 0, ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return 0, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	if err := m.before; err != nil {
		m.before = nil
		return 0, err
	}
	last := uint64(len(m.log))
	if p != Several {
		last = m.last[p]
	}
	if last != expect {
		return 0, fmt.Errorf("%w: its last message is %d", ErrConflict, last)
	}
	m.log = append(m.log, encodeMessage(p, expect, recs))
	seq := uint64(len(m.log))
	if p == Several {
		for i := range m.last {
			m.last[i] = seq
		}
	} else {
		m.last[p] = seq
	}
	close(m.changed)
	m.changed = make(chan struct{})
	if err := m.after; err != nil {
		m.after = nil
		return 0, fmt.Errorf("%w: %w", ErrUnknownOutcome, err)
	}
	return seq, nil
}

// Last implements Ledger.
func (m *Memory) Last(ctx context.Context) ([]uint64, uint64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, 0, fmt.Errorf("ledger: last: %w", ErrClosed)
	}
	if err := ctx.Err(); err != nil {
		return nil, 0, fmt.Errorf("ledger: last: %w", err)
	}
	return slices.Clone(m.last), uint64(len(m.log)), nil
}

// Read implements Ledger.
func (m *Memory) Read(ctx context.Context, from uint64, f func(Message) error) error {
	op := fmt.Sprintf("ledger: read from %d", from)
	if err := m.begin(); err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	defer m.calls.Done()
	r := newReader(from, m.partitions, f)
	m.mu.Lock()
	last := uint64(len(m.log))
	m.mu.Unlock()
	if err := m.pass(ctx, r, last); err != nil {
		return r.fail(op, err)
	}
	return nil
}

// Follow implements Ledger.
func (m *Memory) Follow(ctx context.Context, from uint64, f func(Message) error) error {
	op := fmt.Sprintf("ledger: follow from %d", from)
	if err := m.begin(); err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	defer m.calls.Done()
	r := newReader(from, m.partitions, f)
	for {
		m.mu.Lock()
		last, changed := uint64(len(m.log)), m.changed
		m.mu.Unlock()
		if err := m.pass(ctx, r, last); err != nil {
			return r.fail(op, err)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return r.fail(op, ctx.Err())
		case <-m.done:
			return r.fail(op, ErrClosed)
		}
	}
}

// pass gives r the messages up to last.
func (m *Memory) pass(ctx context.Context, r *reader, last uint64) error {
	for r.next <= last {
		if err := ctx.Err(); err != nil {
			return err
		}
		m.mu.Lock()
		closed, b := m.closed, slices.Clone(m.log[r.next-1])
		m.mu.Unlock()
		if closed {
			return ErrClosed
		}
		if err := r.take(r.next, b); err != nil {
			return err
		}
	}
	return nil
}

// begin enters a call that Close waits for.
func (m *Memory) begin() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return ErrClosed
	}
	m.calls.Add(1)
	return nil
}

// Close implements Ledger.
func (m *Memory) Close() error {
	m.mu.Lock()
	if !m.closed {
		m.closed = true
		close(m.done)
	}
	m.mu.Unlock()
	m.calls.Wait()
	return nil
}

// memoryIntake is the intake of a Memory.
type memoryIntake Memory

// memorySubjects are those that a JetStream ledger with default options has, so that tokens are exercised too.
var memorySubjects = subjectsOf(DefaultStream)

// Put implements Intake.
func (q *memoryIntake) Put(ctx context.Context, it Item) (uint64, error) {
	m := (*Memory)(q)
	err := validItem(it)
	if n := itemOverhead + len(it.Data); err == nil && n > m.MaxBatchBytes() {
		err = fmt.Errorf("%w: the item takes %d bytes, a message holds %d", ErrTooLarge, n, m.MaxBatchBytes())
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err == nil && m.closed {
		err = ErrClosed
	}
	if err == nil && ctx.Err() != nil {
		err = fmt.Errorf("%w: %w", ErrUnavailable, ctx.Err())
	}
	if err != nil {
		return 0, fmt.Errorf("ledger: put into the intake: %w", err)
	}
	m.nextIn++
	m.items = append(m.items, memoryItem{seq: m.nextIn, subject: memorySubjects.item(it.Space, it.Kind), data: encodeItem(it.Data)})
	return m.nextIn, nil
}

// Pending implements Intake.
func (q *memoryIntake) Pending(ctx context.Context, f func(seq uint64, it Item) error) error {
	m := (*Memory)(q)
	if err := m.begin(); err != nil {
		return fmt.Errorf("ledger: read the intake: %w", err)
	}
	defer m.calls.Done()
	m.mu.Lock()
	items := slices.Clone(m.items)
	m.mu.Unlock()
	for _, it := range items {
		space, kind, err := memorySubjects.parseItem(it.subject)
		data, bad := decodeItem(slices.Clone(it.data))
		if err := errors.Join(err, bad, ctx.Err()); err != nil {
			return fmt.Errorf("ledger: read the intake: item %d: %w", it.seq, err)
		}
		if err := f(it.seq, Item{Space: space, Kind: kind, Data: data}); err != nil {
			return err
		}
	}
	return nil
}

// Done implements Intake.
func (q *memoryIntake) Done(ctx context.Context, seqs ...uint64) error {
	m := (*Memory)(q)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return fmt.Errorf("ledger: take from the intake: %w", ErrClosed)
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("ledger: take from the intake: %w", err)
	}
	m.items = slices.DeleteFunc(m.items, func(it memoryItem) bool { return slices.Contains(seqs, it.seq) })
	return nil
}
