package asof

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/dsl/ledger"
	"github.com/asof-db/asof/store"
)

// maxExportLine bounds a line of an export: an entry is at most one message.
const maxExportLine = 2 * ledger.DefaultMaxPayload

// readExport folds an exported log: spaces one after the other, each closed by
// its head line. Faults are noted with their place; after a fault in a space the
// rest of it is only counted.
func (f *folder) readExport(ctx context.Context, r io.Reader) (entries int, err error) {
	var now headLine // the space being read, and the last entry of it
	open := false    // entries were read and no head line yet
	partial := false // the export begins after position 1
	lines := NewLines(r, maxExportLine)
	done := map[string]bool{}
	for {
		line, n, err := lines.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && !errors.Is(err, dsl.ErrInvalid) {
			return entries, err
		}
		if err := ctx.Err(); err != nil {
			return entries, err
		}
		bad := func(format string, args ...any) {
			space := now.Space
			f.kill(space, now.Position+1, "entry", "line %d: %s", n, fmt.Sprintf(format, args...))
		}
		if err != nil {
			bad("%v", err)
			continue
		}
		if !bytes.HasPrefix(line, []byte(exportOpen)) {
			var h headLine
			if err := dsl.Decode(line, &h); err != nil {
				bad("%v", err)
			} else if !open || h != now {
				f.fault(h.Space, h.Position, "tail", "line %d: the head line says %s %s, the entries before it end at %q %s %s: lines are missing", n, h.Position, h.Hash, now.Space, now.Position, now.Hash)
			}
			open = false
			done[now.Space] = true
			continue
		}
		entry, err := parseExport(line)
		if err != nil {
			bad("%v", err)
			// The chain goes on behind a damaged line as far as positions tell.
			entries++
			now.Position++
			continue
		}
		space, seq, err := peekEntry(entry)
		if err != nil {
			bad("%v", err)
			continue
		}
		if !open {
			if done[space] {
				f.kill(space, seq, "chain", "line %d: the space was closed by a head line before", n)
			}
			now, open, partial = headLine{Space: space, Position: seq - 1}, true, seq != 1
			if partial {
				f.kill(space, seq, "chain", "line %d: the export begins at %s; only one from #1 can be folded", n, seq)
			}
		}
		if space != now.Space || seq != now.Position+1 {
			f.kill(space, seq, "chain", "line %d: it follows %q %s", n, now.Space, now.Position)
		}
		entries++
		now = headLine{Hash: dsl.Sum(entry), Position: seq, Space: space}
		if err := f.add(space, seq, entry); err != nil {
			return entries, err
		}
	}
	if open {
		f.fault(now.Space, now.Position, "tail", "the export ends without a head line: its tail was cut")
	}
	if entries == 0 && len(f.faults) == 0 {
		f.fault("", 0, "tail", "the file holds no entry")
	}
	return entries, nil
}

// peekEntry reads the space and position of an entry without the rest.
func peekEntry(entry []byte) (string, dsl.Seq, error) {
	var p struct {
		Seq   dsl.Seq        `json:"position"`
		Space string         `json:"space"`
		Rest  jsontext.Value `json:",embed"`
	}
	if err := unmarshal(entry, &p); err != nil {
		return "", 0, fmt.Errorf("%w: %v", dsl.ErrCorrupt, err)
	}
	return p.Space, p.Seq, nil
}

// exported takes an exported line apart and says where its entry belongs.
func exported(line []byte) (space string, seq dsl.Seq, entry []byte, err error) {
	if entry, err = parseExport(line); err == nil {
		space, seq, err = peekEntry(entry)
	}
	return space, seq, entry, err
}

// ImportReport says what an import took. New counts the entries that were not
// there already.
type ImportReport struct {
	Entries int      `json:"entries"`
	New     int      `json:"new"`
	Spaces  []string `json:"spaces"`
}

// ErrNotEmpty says that a memory holds something that is not in the log that it
// is to be made from.
var ErrNotEmpty = errors.New("the memory is not empty")

// Import appends an exported log to an empty memory, or to one that holds the
// beginning of that very log: so an import that was cut short is simply made
// again. The whole file is proved first (every hash, the chain, the fold, the
// head lines); a fault names its line and position, and nothing is appended.
func (db *DB) Import(ctx context.Context, path string) (ImportReport, error) {
	var rep ImportReport
	db.commit.Lock()
	defer db.commit.Unlock()
	file, err := os.Open(path)
	if err != nil {
		return rep, fmt.Errorf("asof: import: %w", err)
	}
	defer file.Close()
	if err := proveExport(ctx, file); err != nil {
		return rep, err
	}
	here, err := db.heldEntries(file)
	if err != nil {
		return rep, fmt.Errorf("asof: import: %w", err)
	}
	a := appender{db: db}
	err = eachExported(file, func(space string, seq dsl.Seq, entry []byte) error {
		if !slices.Contains(rep.Spaces, space) {
			rep.Spaces = append(rep.Spaces, space)
		}
		rep.Entries++
		if seq <= here[space] {
			return nil
		}
		rep.New++
		return a.add(ctx, ledger.Record{Space: space, Seq: uint64(seq), Data: bytes.Clone(entry)})
	})
	if err == nil {
		err = a.flush(ctx)
	}
	// Whatever was appended is applied, also before an error.
	return rep, errors.Join(err, db.catchUp(ctx))
}

// heldEntries gives the positions up to which the memory holds the file's log
// already. Anything else in it is ErrNotEmpty.
func (db *DB) heldEntries(file *os.File) (map[string]dsl.Seq, error) {
	names, err := db.store.Spaces()
	if err != nil {
		return nil, err
	}
	here := map[string]dsl.Seq{}
	views := map[string]store.View{}
	defer func() {
		for _, v := range views {
			_ = v.Close() // a view of committed rows has nothing that could fail to close
		}
	}()
	for _, name := range names {
		h, err := db.store.Head(name)
		if err != nil {
			return nil, err
		}
		here[name] = h.Seq
		if views[name], err = db.store.At(name, h.Seq); err != nil {
			return nil, err
		}
	}
	found := map[string]dsl.Seq{}
	err = eachExported(file, func(space string, seq dsl.Seq, entry []byte) error {
		if seq > here[space] {
			return nil
		}
		p, err := views[space].PositionAt(seq)
		if errors.Is(err, dsl.ErrNotFound) { // before a drop: the chain behind it proves it
			found[space] = seq
			return nil
		}
		if err == nil && p.Entry != dsl.Sum(entry) {
			err = fmt.Errorf("%w: space %q %s is another entry than the file's; use a new --dir", ErrNotEmpty, space, seq)
		}
		found[space] = seq
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if found[name] != here[name] {
			return nil, fmt.Errorf("%w: space %q goes on to %s, the file to %s; use a new --dir", ErrNotEmpty, name, here[name], found[name])
		}
	}
	return here, nil
}

// eachExported calls f with every entry of a proved export, from its beginning.
// f must not keep the bytes.
func eachExported(file *os.File, f func(space string, seq dsl.Seq, entry []byte) error) error {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	lines := NewLines(file, maxExportLine)
	for {
		line, _, err := lines.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if !bytes.HasPrefix(line, []byte(exportOpen)) {
			continue
		}
		space, seq, entry, err := exported(line)
		if err != nil {
			return err
		}
		if err := f(space, seq, entry); err != nil {
			return err
		}
	}
}

// proveExport folds the file and fails on the first fault.
func proveExport(ctx context.Context, r io.Reader) error {
	f, err := newFolder(false)
	if err != nil {
		return err
	}
	_, err = f.readExport(ctx, r)
	if err == nil {
		err = f.flush()
	}
	if err := errors.Join(err, f.close()); err != nil {
		return fmt.Errorf("asof: import: %w", err)
	}
	if len(f.faults) > 0 {
		x := f.faults[0]
		return fmt.Errorf("asof: import: %w: space %q %s: %s (%d faults in all; nothing was imported)", dsl.ErrCorrupt, x.Space, x.Position, x.Message, len(f.faults))
	}
	return nil
}

// appendGroup bounds the records that are appended to the log at once.
const appendGroup = 1024

// appender writes records to the log in groups, each of one append.
type appender struct {
	db    *DB
	recs  []ledger.Record
	bytes int
}

func (a *appender) add(ctx context.Context, r ledger.Record) error {
	size := ledger.RecordSize(r)
	if len(a.recs) > 0 && (a.bytes+size > a.db.ledger.MaxBatchBytes()/2 || len(a.recs) >= appendGroup) {
		if err := a.flush(ctx); err != nil {
			return err
		}
	}
	a.recs, a.bytes = append(a.recs, r), a.bytes+size
	return nil
}

func (a *appender) flush(ctx context.Context) error {
	if len(a.recs) == 0 {
		return nil
	}
	if _, _, err := a.db.appendRecords(ctx, a.recs); err != nil {
		return fmt.Errorf("asof: append: %w", err)
	}
	a.recs, a.bytes = nil, 0
	return nil
}
