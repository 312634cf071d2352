package asof

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/dsl/ledger"
)

// RestoreOptions say what is restored, and where to.
type RestoreOptions struct {
	// From is the folder of a backup, To the data folder to make: it must not be
	// there, or be empty.
	From, To string
	// Config is the profile that the memory is opened under; nil is the built-in
	// one. Its log must be the embedded one.
	Config *configs.Config
	// Rebuild makes the store from the log though the backup holds one.
	Rebuild bool
	// Logger may be nil.
	Logger *slog.Logger
}

// RestoreReport says what a restore made.
type RestoreReport struct {
	To       string `json:"to"`
	Messages uint64 `json:"messages"`
	Entries  int    `json:"entries"`
	Waiting  int    `json:"waiting"`
	// Store is "checkpoint" where the backed up store was taken, else "rebuilt";
	// Why says why it was not taken, where it could have been.
	Store string `json:"store"`
	Why   string `json:"why,omitzero"`
	// Heads are the spaces, each with the digest that was verified.
	Heads []BackupHead `json:"heads"`
}

// Restore makes a data folder from a backup: it holds every file of the backup
// against its hash, writes the log, takes the store from the checkpoint where
// that opens and fits the log (else the log makes it again), and compares the
// digest of every space with the one in the backup. All of it happens in a
// folder beside To, which gets its name at the end, so a backup that is damaged
// or not whole (dsl.ErrCorrupt, every fault named) leaves nothing behind.
func Restore(ctx context.Context, o RestoreOptions) (rep RestoreReport, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("asof: restore %s: %w", o.From, err)
		}
	}()
	cfg := configs.Default()
	if o.Config != nil {
		cfg = *o.Config
	}
	if cfg.Ledger.URL != "" {
		return rep, fmt.Errorf("%w: the configuration names the log server %s; restore with an embedded log, then 'asof log --all-spaces' and 'asof log import' move it there", dsl.ErrInvalid, cfg.Ledger.URL)
	}
	list, err := os.ReadDir(o.To)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return rep, err
	}
	if len(list) > 0 {
		return rep, fmt.Errorf("%w: %s holds %s; name a folder that is not there", ErrNotEmpty, o.To, list[0].Name())
	}
	b, err := readBackup(o.From)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w: it is no backup, or not a whole one: %w", dsl.ErrCorrupt, err)
		}
		return rep, err
	}
	if err := verifyBackup(ctx, o.From, b); err != nil {
		return rep, err
	}
	cfg.Ledger.Partitions = b.Partitions
	tmp := filepath.Clean(o.To) + ".restoring"
	if err := os.RemoveAll(tmp); err != nil { // of a restore that was broken off
		return rep, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(tmp))
		}
	}()
	if err := os.MkdirAll(tmp, 0o755); err != nil {
		return rep, err
	}
	r := restorer{o: o, cfg: cfg, b: b, tmp: tmp, rep: &rep}
	rep.To, rep.Store, rep.Heads = o.To, "rebuilt", b.Heads
	if err := r.log(ctx); err != nil {
		return rep, err
	}
	if err := r.store(ctx); err != nil {
		return rep, err
	}
	if len(list) == 0 { // an empty folder may be there
		if err := os.Remove(o.To); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return rep, err
		}
	}
	if err := os.Rename(tmp, o.To); err != nil {
		return rep, err
	}
	return rep, syncFolder(filepath.Dir(filepath.Clean(o.To)))
}

// verifyBackup holds every file against its hash and names all that differ.
func verifyBackup(ctx context.Context, dir string, b backupFile) error {
	var faults []error
	for _, part := range b.Files {
		sum, size, err := hashFile(ctx, filepath.Join(dir, filepath.FromSlash(part.Path)))
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, fs.ErrNotExist):
			faults = append(faults, fmt.Errorf("%w: the file %s is missing", dsl.ErrCorrupt, part.Path))
		case err != nil:
			faults = append(faults, err)
		case size != part.Bytes || sum != part.SHA256:
			faults = append(faults, fmt.Errorf("%w: the file %s has %d bytes that hash to %s, it was written with %d that hash to %s",
				dsl.ErrCorrupt, part.Path, size, sum, part.Bytes, part.SHA256))
		}
	}
	return errors.Join(faults...)
}

// restorer restores one backup into a folder of its own.
type restorer struct {
	o   RestoreOptions
	cfg configs.Config
	b   backupFile
	tmp string
	rep *RestoreReport
}

// log writes the log and the intake.
func (r *restorer) log(ctx context.Context) (err error) {
	l, err := ledger.Open(ctx, ledger.Options{Dir: filepath.Join(r.tmp, "log"), Stream: r.cfg.Ledger.Stream, Partitions: r.b.Partitions, Logger: r.o.Logger})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	for _, part := range r.b.Files {
		path := filepath.Join(r.o.From, filepath.FromSlash(part.Path))
		switch {
		case strings.HasPrefix(part.Path, backupLogDir+"/"):
			err = eachLine(path, func(next func() ([]byte, error)) error { return r.message(ctx, l, next) })
		case strings.HasPrefix(part.Path, backupWaiting+"/"):
			err = eachLine(path, func(next func() ([]byte, error)) error { return r.item(ctx, l, next) })
		}
		if err != nil {
			return fmt.Errorf("%s: %w", part.Path, err)
		}
	}
	if r.rep.Messages != r.b.Messages {
		return fmt.Errorf("%w: it holds the log up to message %d, and says %d", dsl.ErrCorrupt, r.rep.Messages, r.b.Messages)
	}
	return nil
}

// eachLine calls f, which takes lines by next, until it has taken the last.
func eachLine(path string, f func(next func() ([]byte, error)) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := NewLines(file, maxExportLine)
	n := 0
	next := func() ([]byte, error) {
		line, at, err := lines.Next()
		if err == nil {
			n = at
		}
		return line, err
	}
	for {
		err := f(next)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
}

// message appends one message. Message n of the backup is message n of the new
// log, so a store that knows its places fits both.
func (r *restorer) message(ctx context.Context, l ledger.Ledger, next func() ([]byte, error)) error {
	line, err := next()
	if err != nil {
		return err
	}
	var m messageLine
	if err := unmarshal(line, &m, strict); err != nil {
		return fmt.Errorf("%w: %v", dsl.ErrCorrupt, err)
	}
	if m.Message != r.rep.Messages+1 || m.Records < 1 || m.Records > ledger.MaxRecords {
		return fmt.Errorf("%w: message %d with %d records follows message %d", dsl.ErrCorrupt, m.Message, m.Records, r.rep.Messages)
	}
	var recs []ledger.Record
	for range m.Records {
		line, err := next()
		if errors.Is(err, io.EOF) {
			err = fmt.Errorf("%w: message %d is cut off", dsl.ErrCorrupt, m.Message)
		}
		if err != nil {
			return err
		}
		space, seq, entry, err := exported(line)
		if err != nil {
			return err
		}
		recs = append(recs, ledger.Record{Space: space, Seq: uint64(seq), Data: bytes.Clone(entry)})
	}
	seq, err := l.Append(ctx, m.Partition, m.Prev, recs)
	if err != nil {
		return err
	}
	if seq != m.Message {
		return fmt.Errorf("message %d became message %d", m.Message, seq)
	}
	r.rep.Messages = seq
	r.rep.Entries += len(recs)
	return nil
}

// item puts one item back into the intake.
func (r *restorer) item(ctx context.Context, l ledger.Ledger, next func() ([]byte, error)) error {
	line, err := next()
	if err != nil {
		return err
	}
	var w waitingLine
	if err := unmarshal(line, &w, strict); err != nil {
		return fmt.Errorf("%w: %v", dsl.ErrCorrupt, err)
	}
	r.rep.Waiting++
	_, err = l.Intake().Put(ctx, ledger.Item{Space: w.Space, Kind: w.Kind, Data: w.Data})
	return err
}

// store puts the store in place and verifies the memory.
func (r *restorer) store(ctx context.Context) error {
	to := filepath.Join(r.tmp, "store")
	if r.b.Store != "" && !r.o.Rebuild {
		if err := os.CopyFS(to, os.DirFS(filepath.Join(r.o.From, r.b.Store))); err != nil {
			return err
		}
		err := r.verify(ctx)
		if err == nil {
			r.rep.Store = "checkpoint"
			return nil
		}
		if ctx.Err() != nil {
			return err
		}
		r.rep.Why = err.Error()
		if err := os.RemoveAll(to); err != nil {
			return err
		}
	}
	return r.verify(ctx)
}

// verify opens the memory without finishing what waits, so that it stands where
// the backup did, and compares.
func (r *restorer) verify(ctx context.Context) (err error) {
	db, err := open(ctx, Options{Dir: r.tmp, Config: &r.cfg, Logger: r.o.Logger})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	names, err := db.store.Spaces()
	if err != nil {
		return err
	}
	if len(names) != len(r.b.Heads) {
		return fmt.Errorf("%w: the restored memory has %d spaces, the backup %d", dsl.ErrCorrupt, len(names), len(r.b.Heads))
	}
	for _, want := range r.b.Heads {
		h, err := db.store.Head(want.Space)
		if err != nil {
			return err
		}
		if h.Seq != want.Position || h.Entry != want.Entry || h.Digest != want.Digest {
			return fmt.Errorf("%w: space %q is at %s with the digest %s, the backup says %s and %s", dsl.ErrCorrupt, want.Space, h.Seq, h.Digest, want.Position, want.Digest)
		}
	}
	return nil
}
