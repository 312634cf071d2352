package asof

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/dsl/ledger"
)

// An exported line is {"entry":E,"sha256":"H"} where E is the entry's canonical
// text and H its SHA-256; an export of a space ends with
// {"hash":"H","position":n,"space":"S"}, so that a cut tail shows.
const (
	exportOpen  = `{"entry":`
	exportClose = `,"sha256":"`
	exportEnd   = `"}`
)

// headLine is the last line of an export.
type headLine struct {
	Hash     dsl.Hash `json:"hash"`
	Position dsl.Seq  `json:"position"`
	Space    string   `json:"space"`
}

// appendExport appends an exported line without its newline.
func appendExport(b, entry []byte) []byte {
	b = append(append(append(b, exportOpen...), entry...), exportClose...)
	return append(append(b, dsl.Sum(entry).String()...), exportEnd...)
}

// parseExport takes an exported line apart and checks its hash.
func parseExport(line []byte) (entry []byte, err error) {
	tail := len(exportClose) + 64 + len(exportEnd)
	if !bytes.HasPrefix(line, []byte(exportOpen)) || len(line) < len(exportOpen)+tail ||
		!bytes.HasSuffix(line, []byte(exportEnd)) || !bytes.HasPrefix(line[len(line)-tail:], []byte(exportClose)) {
		return nil, fmt.Errorf("%w: the line is not of the form {\"entry\":…,\"sha256\":\"…\"}", dsl.ErrCorrupt)
	}
	entry = line[len(exportOpen) : len(line)-tail]
	want, err := dsl.ParseHash(string(line[len(line)-len(exportEnd)-64 : len(line)-len(exportEnd)]))
	if err != nil {
		return nil, fmt.Errorf("%w: %v", dsl.ErrCorrupt, err)
	}
	if got := dsl.Sum(entry); got != want {
		return nil, fmt.Errorf("%w: the entry hashes to %s, its line says %s", dsl.ErrCorrupt, got, want)
	}
	return entry, nil
}

// Export writes the log of a space as canonical JSONL: the positions from ≤ n ≤
// to (0 for the first, and for the head), then the head line.
func (db *DB) Export(ctx context.Context, w io.Writer, space string, from, to dsl.Seq) error {
	head, err := db.store.Head(space)
	if err != nil {
		return err
	}
	from = max(from, 1)
	if to == 0 {
		to = head.Seq
	}
	if to > head.Seq {
		return fmt.Errorf("asof: log: %w: space %q has no position %s", dsl.ErrNotFound, space, to)
	}
	last := headLine{Space: space}
	var line []byte
	err = db.EachEntry(ctx, space, from, to, func(seq dsl.Seq, entry []byte) error {
		line = append(appendExport(line[:0], entry), '\n')
		last.Position, last.Hash = seq, dsl.Sum(entry)
		_, err := w.Write(line)
		return err
	})
	if err != nil {
		return err
	}
	b, err := dsl.Canonical(last)
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

var errEnough = errors.New("enough")

// EachEntry calls f with the log entries of a space at positions from ≤ n ≤ to,
// as they lie in the log. f must not keep the bytes.
func (db *DB) EachEntry(ctx context.Context, space string, from, to dsl.Seq, f func(seq dsl.Seq, entry []byte) error) error {
	if from > to {
		return nil
	}
	start, err := db.store.Place(space, from)
	if err != nil {
		return err
	}
	next := from
	err = db.ledger.Read(ctx, start, func(m ledger.Message) error {
		for _, r := range m.Records {
			if r.Space != space || dsl.Seq(r.Seq) < next {
				continue
			}
			if dsl.Seq(r.Seq) != next {
				return fmt.Errorf("%w: space %q has %s after %s in the log", dsl.ErrCorrupt, space, dsl.Seq(r.Seq), next-1)
			}
			if err := f(next, r.Data); err != nil {
				return err
			}
			if next++; next > to {
				return errEnough
			}
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	if err == nil {
		err = fmt.Errorf("%w: the log of space %q ends before %s", dsl.ErrCorrupt, space, next)
	}
	return fmt.Errorf("asof: log: %w", err)
}
