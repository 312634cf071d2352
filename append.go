package asof

import (
	"context"
	"errors"
	"sync"

	"github.com/asof-db/asof/dsl/ledger"
)

// logEnd is where the log ended when this process last looked or appended.
type logEnd struct {
	expect []uint64 // the last message of each partition
	last   uint64   // that of the log
	// unknown is set while the store may lack some of the log up to there.
	unknown bool
}

// appendRecords appends records, those of a space in order of position, and
// gives for each the message that holds it. moved tells that others appended
// messages before or between them. db.commit is held.
//
// Records of one partition are one message. Where this process owns all
// partitions, so are those of several: one message, one sync, all or nothing.
// Where it does not, each partition gets a message of its own, sent without
// waiting for the others; each is atomic, and transactions of different spaces
// owe each other nothing. A list that no message holds is several in any case.
// After an error some of them may be stored, and catchUp tells which.
func (db *DB) appendRecords(ctx context.Context, recs []ledger.Record) (places []uint64, moved bool, err error) {
	partitions := db.ledger.Partitions()
	parts := map[int][]int{} // indexes of the records by partition
	var order []int
	space, p := "", 0
	for i := range recs {
		if i == 0 || recs[i].Space != space {
			space = recs[i].Space
			p = ledger.Partition(space, partitions)
		}
		if parts[p] == nil {
			order = append(order, p)
		}
		parts[p] = append(parts[p], i)
	}
	places = make([]uint64, len(recs))
	before, messages := db.end.last, 0
	switch {
	case len(order) == 1:
		messages, err = db.appendPart(ctx, order[0], recs, places)
	case db.ledger.Groups():
		messages, err = db.appendPart(ctx, ledger.Several, recs, places)
	default:
		messages, err = db.appendParts(ctx, order, parts, recs, places)
	}
	for _, seq := range places {
		db.end.last = max(db.end.last, seq)
	}
	return places, db.end.last != before+uint64(messages), err
}

// appendPart appends the records of one partition, or of Several, in as many
// messages as they take.
func (db *DB) appendPart(ctx context.Context, p int, recs []ledger.Record, places []uint64) (messages int, err error) {
	for len(recs) > 0 {
		n := fitting(recs, db.ledger.MaxBatchBytes())
		expect := db.end.last
		if p != ledger.Several {
			expect = db.end.expect[p]
		}
		seq, err := db.ledger.Append(ctx, p, expect, recs[:n])
		if err != nil {
			return messages, err
		}
		messages++
		db.end.add(p, seq)
		for i := range n {
			places[i] = seq
		}
		recs, places = recs[n:], places[n:]
	}
	return messages, nil
}

// add notes a message that was appended.
func (e *logEnd) add(p int, seq uint64) {
	if p != ledger.Several {
		e.expect[p] = seq
		return
	}
	e.last = seq
	for i := range e.expect {
		e.expect[i] = seq
	}
}

// appendParts appends each partition's records at the same time.
func (db *DB) appendParts(ctx context.Context, order []int, parts map[int][]int, recs []ledger.Record, places []uint64) (messages int, err error) {
	counts, errs := make([]int, len(order)), make([]error, len(order))
	seqs := make([][]uint64, len(order))
	var all sync.WaitGroup
	for k, p := range order {
		list := make([]ledger.Record, len(parts[p]))
		for i, at := range parts[p] {
			list[i] = recs[at]
		}
		seqs[k] = make([]uint64, len(list))
		all.Go(func() { counts[k], errs[k] = db.appendPart(ctx, p, list, seqs[k]) }) // of expect it touches its own element
	}
	all.Wait()
	for k, p := range order {
		messages += counts[k]
		for i, at := range parts[p] {
			places[at] = seqs[k][i]
		}
	}
	return messages, errors.Join(errs...)
}

// fitting gives how many of the records, one at least, one message holds.
func fitting(recs []ledger.Record, limit int) int {
	size := ledger.EncodedSize(recs[0])
	n := 1
	for n < len(recs) && n < ledger.MaxRecords {
		if size += ledger.RecordSize(recs[n]); size > limit {
			break
		}
		n++
	}
	return n
}
