package ledger

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"unicode"
	"unicode/utf8"
)

// Limits of what one record may hold. They are part of the format (FORMAT.md).
const (
	// MaxSpaceBytes is the longest name of a space, in bytes of UTF-8.
	MaxSpaceBytes = 512
	// MaxKindBytes is the longest kind of an intake item, in bytes.
	MaxKindBytes = 32
	// MaxPartitions is the largest number of partitions that a log may have.
	MaxPartitions = 1024
	// MaxRecords is the largest number of records in one message.
	MaxRecords = 1 << 20
	// DefaultPartitions is the number of partitions of a log that is made without saying one.
	DefaultPartitions = 16
	// Several stands in for a partition where records of any partitions share one message.
	Several = -1
	// DefaultMaxPayload is the largest message, in bytes, that a log takes unless told otherwise.
	DefaultMaxPayload = 8 << 20
)

// Errors that callers tell apart. An error wraps one of them, or none; only an append that was waiting when its ledger was closed
// wraps two, ErrUnknownOutcome and ErrClosed.
var (
	// ErrConflict says that the partition's last message is not the expected one: another owner
	// has committed, or an append whose outcome was unknown did go through. Nothing was stored.
	ErrConflict = errors.New("the partition has moved on")
	// ErrUnknownOutcome says that the answer to an append was lost: the message may be in the log, may
	// still arrive, or may be lost. Read the partition's tail; an append again with the same
	// expectation is safe, since at most one of the two can be stored.
	ErrUnknownOutcome = errors.New("outcome unknown")
	// ErrCorrupt says that stored bytes are not what was written.
	ErrCorrupt = errors.New("corrupt log")
	// ErrGap says that the log lacks a message that it must have had, since nothing deletes from it.
	ErrGap = errors.New("gap in the log")
	// ErrClosed says that the ledger has been closed.
	ErrClosed = errors.New("ledger is closed")
	// ErrTooLarge says that a record or a batch exceeds what one message may hold; nothing was stored.
	ErrTooLarge = errors.New("too large for one message")
	// ErrInvalid says that an argument breaks the format's rules; nothing was stored.
	ErrInvalid = errors.New("invalid argument")
	// ErrUnsupportedFormat says that the bytes or the stream were written by another version.
	ErrUnsupportedFormat = errors.New("unsupported format")
	// ErrMismatch says that an existing log was made with other settings than those asked for.
	ErrMismatch = errors.New("the log was made otherwise")
	// ErrLocked says that another process (or another ledger of this one) has the folder open.
	ErrLocked = errors.New("the log is in use")
	// ErrUnavailable says that the broker did not take the request; nothing was stored.
	ErrUnavailable = errors.New("broker is not available")
)

// Record is one transaction of one space as it lies in the log.
type Record struct {
	// Space is the space's name: 1 to MaxSpaceBytes bytes of UTF-8 without control characters.
	Space string
	// Seq is the space's position, from 1. Records of one space in one message have consecutive positions.
	Seq uint64
	// Data is the transaction's canonical bytes, opaque here. The Record owns them.
	Data []byte
}

// Message is one stored message, committed atomically: one or more records of one partition, or of any.
type Message struct {
	// Seq is the stream sequence, from 1, rising by one from message to message over the whole log.
	Seq uint64
	// Partition is the partition of all its records, from 0, or Several.
	Partition int
	// Prev is the stream sequence of the partition's message before this one, 0 for its first. A message of Several is
	// the last one of every partition, whether it has a record of it or not, and Prev is Seq - 1.
	Prev uint64
	// Records are the message's records in the order in which they were appended; never empty.
	Records []Record
}

// Ledger is an append-only log of transactions. Its methods may be called from many goroutines.
// A context without a deadline gets the ledger's default time-out for each call to the broker.
type Ledger interface {
	// Partitions is the number of partitions, fixed when the log was made.
	Partitions() int
	// Groups says whether one message may hold records of several partitions: whether Append takes Several. It does where
	// one process owns them all. It never changes.
	Groups() bool
	// MaxBatchBytes is the largest EncodedSize that one Append takes, in bytes.
	MaxBatchBytes() int
	// Append commits recs, all of partition p, as one message that is durable before Append returns, and gives
	// its stream sequence. expect is the sequence of the partition's last message as the caller knows it, 0 for none. With
	// Several for p the records may be of any partitions, and expect is the last sequence of the whole log.
	// ErrConflict when it is another; ErrTooLarge when the records do not fit one message; ErrUnknownOutcome
	// when the answer was lost. It keeps nothing of recs.
	Append(ctx context.Context, p int, expect uint64, recs []Record) (seq uint64, err error)
	// Last gives for each partition the stream sequence of its last message (0 for none) and the log's last sequence.
	Last(ctx context.Context) (perPartition []uint64, last uint64, err error)
	// Read calls f for each message with a sequence in [from, end], in order, where end is the log's last
	// sequence at the time of the call; from 0 means 1. It holds a bounded number of bytes. An error of f ends it and is
	// returned as it is. ErrGap when a message is missing, ErrCorrupt when one is damaged: f then has seen all before it.
	Read(ctx context.Context, from uint64, f func(Message) error) error
	// Follow is Read that goes on with what arrives, until ctx ends (it returns ctx's error), the ledger is closed
	// (ErrClosed) or f fails.
	Follow(ctx context.Context, from uint64, f func(Message) error) error
	// Intake is the queue of what waits for its transaction. It lives as long as the ledger.
	Intake() Intake
	// Close ends all calls, waits for them and gives back every resource. It may be called again, without effect.
	Close() error
}

// Intake is a durable queue of what waits for its transaction: turns, candidates, operations.
// It is never the truth: what is in the log counts, so an item may be seen again after it was done.
type Intake interface {
	// Put stores it, durably, before it returns its sequence, which rises from item to item.
	Put(ctx context.Context, it Item) (seq uint64, err error)
	// Pending calls f for all that waited at the time of the call, in order. An error of f ends it and is returned.
	Pending(ctx context.Context, f func(seq uint64, it Item) error) error
	// Done removes items. A sequence that is not there is no error.
	Done(ctx context.Context, seqs ...uint64) error
}

// Item is one entry of the intake.
type Item struct {
	// Space is the space that it is for; the same rules as in Record.
	Space string
	// Kind says what Data is: 1 to MaxKindBytes bytes of a-z, 0-9, '-' and '_'.
	Kind string
	// Data is opaque here. The Item owns it.
	Data []byte
}

// Partition gives the partition of a space in a log of the given number of partitions (1 or more): the first eight
// bytes of the SHA-256 of its name, read big-endian, modulo that number. It never changes.
func Partition(space string, partitions int) int {
	sum := sha256.Sum256([]byte(space))
	return int(binary.BigEndian.Uint64(sum[:8]) % uint64(partitions))
}

// ValidSpace says what is wrong with a space's name, wrapping ErrInvalid, or nil.
func ValidSpace(space string) error {
	switch {
	case space == "":
		return fmt.Errorf("%w: the space has no name", ErrInvalid)
	case len(space) > MaxSpaceBytes:
		return fmt.Errorf("%w: the space's name has %d bytes, at most %d are allowed", ErrInvalid, len(space), MaxSpaceBytes)
	case !utf8.ValidString(space):
		return fmt.Errorf("%w: the space's name %q is not valid UTF-8", ErrInvalid, space)
	}
	for i, r := range space {
		if unicode.IsControl(r) {
			return fmt.Errorf("%w: the space's name %q has a control character at byte %d", ErrInvalid, space, i)
		}
	}
	return nil
}

// validBatch says what is wrong with the records of one message, wrapping ErrInvalid, or nil.
func validBatch(p, partitions int, recs []Record) error {
	if p != Several && (p < 0 || p >= partitions) {
		return fmt.Errorf("%w: partition %d is not in [0, %d)", ErrInvalid, p, partitions)
	}
	if len(recs) == 0 || len(recs) > MaxRecords {
		return fmt.Errorf("%w: a message has 1 to %d records, not %d", ErrInvalid, MaxRecords, len(recs))
	}
	var order spaceOrder
	for i := range recs {
		r := &recs[i]
		if i == 0 || recs[i-1].Space != r.Space {
			if err := ValidSpace(r.Space); err != nil {
				return fmt.Errorf("record %d: %w", i, err)
			}
			if p != Several {
				if got := Partition(r.Space, partitions); got != p {
					return fmt.Errorf("record %d: %w: space %q is of partition %d, not %d", i, ErrInvalid, r.Space, got, p)
				}
			}
		}
		if err := order.check(r.Space, r.Seq); err != nil {
			return fmt.Errorf("record %d: %w: %w", i, ErrInvalid, err)
		}
	}
	return nil
}

// spaceOrder checks that positions are at least 1 and that those of one space follow each other within a message.
type spaceOrder struct {
	first    string
	firstSeq uint64
	rest     map[string]uint64 // made only when a second space turns up
}

func (o *spaceOrder) check(space string, seq uint64) error {
	if seq == 0 {
		return fmt.Errorf("space %q has position 0; positions start at 1", space)
	}
	last, seen := o.firstSeq, o.firstSeq != 0 && o.first == space
	if !seen {
		last, seen = o.rest[space]
	}
	if seen && seq != last+1 {
		return fmt.Errorf("space %q goes from position %d to %d in one message", space, last, seq)
	}
	switch {
	case o.firstSeq == 0:
		o.first, o.firstSeq = space, seq
	case o.first == space:
		o.firstSeq = seq
	default:
		if o.rest == nil {
			o.rest = make(map[string]uint64)
		}
		o.rest[space] = seq
	}
	return nil
}
