package asof

import (
	"context"
	"errors"
	"fmt"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/dsl/ledger"
)

// Format is a shape of input lines.
type Format string

// The formats of INTERFACE.md that are not data sets.
const (
	FormatTurns      Format = "turns"
	FormatCandidates Format = "candidates"
	FormatOps        Format = "ops"
)

// Submit puts one input line into the intake: it is durable when Submit returns
// and waits there until Drain, or the next Open, has made its transaction. The
// line is checked first, so that what waits can be read.
func (db *DB) Submit(ctx context.Context, format Format, line []byte, p ParseOptions) error {
	items, err := ParseLine(format, line, p)
	if err != nil {
		return fmt.Errorf("asof: submit: %w", err)
	}
	data, err := encodeParsed(format, line, p)
	if err != nil {
		return fmt.Errorf("asof: submit: %w", err)
	}
	_, err = db.ledger.Intake().Put(ctx, ledger.Item{Space: items.Space, Kind: string(format), Data: data})
	if err != nil {
		return fmt.Errorf("asof: submit: %w", err)
	}
	return nil
}

// Drain makes the transactions of all that waits in the intake, in order, and
// takes each out once it is durable in the ledger. An item that is refused stays
// where it is and is reported in the log; n counts those that were taken.
func (db *DB) Drain(ctx context.Context) (n int, err error) {
	type waiting struct {
		seq  uint64
		item ledger.Item
	}
	var list []waiting
	if err := db.ledger.Intake().Pending(ctx, func(seq uint64, it ledger.Item) error {
		list = append(list, waiting{seq, it})
		return nil
	}); err != nil {
		return 0, fmt.Errorf("asof: drain: %w", err)
	}
	for _, w := range list {
		item, err := decodeParsed(Format(w.item.Kind), w.item.Data, db.engine.registry)
		if err == nil {
			_, err = db.Ingest(ctx, []Item{item}, AllowFuture())
		}
		var refusal *ItemError
		switch {
		case err == nil:
			if err := db.ledger.Intake().Done(ctx, w.seq); err != nil {
				return n, fmt.Errorf("asof: drain: %w", err)
			}
			n++
		case errors.As(err, &refusal) || errors.Is(err, dsl.ErrInvalid):
			db.log.Warn("an item in the intake is refused and stays there", "space", w.item.Space, "seq", w.seq, "err", err)
		default:
			return n, fmt.Errorf("asof: drain: %w", err)
		}
	}
	return n, nil
}
