package asof

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/dsl/ledger"
)

// A backup is a folder:
//
//	BACKUP                 what it holds (backupFile), with the hash of everything
//	log/000001.jsonl …     the log, one file a backup, each going on where the last ended
//	intake/000002.jsonl    what waited in the intake at the last backup
//	store-000002/          a checkpoint of the store at the last backup
//
// The numbers count the backups. docs/BACKUP.md gives the lines.
const (
	backupName    = "BACKUP"
	backupFormat  = 1
	backupLogDir  = "log"
	backupStore   = "store-"
	backupWaiting = "intake"
)

// ErrOtherLog says that a backup is of another log than the one at hand.
var ErrOtherLog = errors.New("the backup is of another log")

// backupFile is the content of the file BACKUP.
type backupFile struct {
	Format     int `json:"format"`
	Partitions int `json:"partitions"`
	// Messages is the last log message that the backup holds.
	Messages uint64       `json:"messages"`
	Backups  int          `json:"backups"`
	Store    string       `json:"store"`
	Files    []backupPart `json:"files"`
	Heads    []BackupHead `json:"heads"`
	// Sum is the SHA-256 of the canonical JSON of this object without it.
	Sum dsl.Hash `json:"sum"`
}

// backupPart is one file of a backup.
type backupPart struct {
	Path   string   `json:"path"`
	Bytes  int64    `json:"bytes"`
	SHA256 dsl.Hash `json:"sha256"`
}

// BackupHead is where a space stood.
type BackupHead struct {
	Space    string   `json:"space"`
	Position dsl.Seq  `json:"position"`
	Entry    dsl.Hash `json:"entry"`
	Digest   dsl.Hash `json:"digest"`
}

// BackupReport says what a backup holds.
type BackupReport struct {
	Dir         string `json:"dir"`
	Incremental bool   `json:"incremental"`
	// From and To are the log messages that this backup added, both included; To
	// is From-1 where there was nothing new.
	From    uint64       `json:"from"`
	To      uint64       `json:"to"`
	Entries int          `json:"entries"`
	Waiting int          `json:"waiting"`
	Bytes   int64        `json:"bytes"`
	Heads   []BackupHead `json:"heads"`
}

// BackupOptions change a backup.
type BackupOptions struct {
	// Incremental adds to the backup in the folder what the log has since, and
	// replaces the checkpoint. A folder without a backup gets a first one.
	Incremental bool
}

// Backup writes the log and a checkpoint of the store to a folder, while reads
// and writes go on: writes wait only for the checkpoint, which links the files
// of the store where the file system can. What it holds is one moment: the store
// as of the last message of the log that is in it. The folder is synced before
// Backup returns; a backup that is broken off leaves the one before it whole.
func (db *DB) Backup(ctx context.Context, dir string, o BackupOptions) (rep BackupReport, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("asof: backup to %s: %w", dir, err)
		}
	}()
	last, err := previousBackup(dir, o.Incremental)
	if err != nil {
		return rep, err
	}
	if err := os.MkdirAll(filepath.Join(dir, backupLogDir), 0o755); err != nil {
		return rep, err
	}
	if err := os.MkdirAll(filepath.Join(dir, backupWaiting), 0o755); err != nil {
		return rep, err
	}
	next := backupFile{Format: backupFormat, Partitions: db.ledger.Partitions(), Backups: last.Backups + 1}
	if last.Backups > 0 && last.Partitions != next.Partitions {
		return rep, fmt.Errorf("%w: it has %d partitions, this one %d", ErrOtherLog, last.Partitions, next.Partitions)
	}
	number := fmt.Sprintf("%06d", next.Backups)
	if db.opt.Dir != "" { // a memory without a folder has no files to copy
		next.Store = backupStore + number
	}
	if err := clearLeftovers(dir, last); err != nil {
		return rep, err
	}
	if next.Messages, next.Heads, err = db.backupStore(dir, next.Store); err != nil {
		return rep, err
	}
	if err := db.sameLog(last); err != nil {
		return rep, err
	}
	rep = BackupReport{Dir: dir, Incremental: last.Backups > 0, From: last.Messages + 1, To: next.Messages, Heads: next.Heads}
	for _, part := range last.Files {
		if strings.HasPrefix(part.Path, backupLogDir+"/") {
			next.Files = append(next.Files, part)
		}
	}
	if rep.To >= rep.From {
		part, entries, err := db.backupLog(ctx, dir, backupLogDir+"/"+number+".jsonl", rep.From, rep.To)
		if err != nil {
			return rep, err
		}
		rep.Entries = entries
		next.Files = append(next.Files, part)
	}
	part, waiting, err := db.backupIntake(ctx, dir, backupWaiting+"/"+number+".jsonl")
	if err != nil {
		return rep, err
	}
	rep.Waiting = waiting
	next.Files = append(next.Files, part)
	if next.Store != "" {
		stored, err := hashFiles(ctx, dir, next.Store)
		if err != nil {
			return rep, err
		}
		next.Files = append(next.Files, stored...)
	}
	if err := next.write(dir); err != nil {
		return rep, err
	}
	for _, part := range next.Files {
		rep.Bytes += part.Bytes
	}
	return rep, clearLeftovers(dir, next)
}

// backupStore makes the checkpoint, and gives the log message that it has
// applied last and the heads of all spaces.
func (db *DB) backupStore(dir, name string) (messages uint64, heads []BackupHead, err error) {
	db.commit.Lock()
	defer db.commit.Unlock()
	if name == "" {
		messages, err = db.store.Applied()
	} else {
		messages, err = db.store.Checkpoint(filepath.Join(dir, name))
	}
	if err != nil {
		return 0, nil, err
	}
	heads, err = db.heads()
	return messages, heads, err
}

// sameLog checks that what a backup holds is the beginning of this log.
func (db *DB) sameLog(last backupFile) error {
	for _, h := range last.Heads {
		now, err := db.store.Head(h.Space)
		if err != nil {
			return err
		}
		first, err := db.store.First(h.Space)
		if err != nil {
			return err
		}
		if now.Seq >= h.Position && first > h.Position {
			continue // dropped since
		}
		if now.Seq < h.Position {
			return fmt.Errorf("%w: it holds %q up to %s, the log here ends at %s", ErrOtherLog, h.Space, h.Position, now.Seq)
		}
		v, err := db.store.At(h.Space, h.Position)
		if err != nil {
			return err
		}
		p, err := v.PositionAt(h.Position)
		if err := errors.Join(err, v.Close()); err != nil {
			return err
		}
		if p.Entry != h.Entry {
			return fmt.Errorf("%w: %q %s hashes to %s there and to %s here", ErrOtherLog, h.Space, h.Position, h.Entry, p.Entry)
		}
	}
	return nil
}

// messageLine begins a message of a backed up log; its entries follow, each a
// line as 'asof log' writes them.
type messageLine struct {
	Message   uint64 `json:"message"`
	Partition int    `json:"partition"`
	Prev      uint64 `json:"prev"`
	Records   int    `json:"records"`
}

// backupLog writes the messages from ≤ n ≤ to.
func (db *DB) backupLog(ctx context.Context, dir, name string, from, to uint64) (part backupPart, entries int, err error) {
	w, err := newBackupWriter(dir, name)
	if err != nil {
		return part, 0, err
	}
	next := from
	var line []byte
	err = db.ledger.Read(ctx, from, func(m ledger.Message) error {
		if m.Seq > to {
			return errEnough
		}
		b, err := EncodeJSON(messageLine{m.Seq, m.Partition, m.Prev, len(m.Records)})
		if err != nil {
			return err
		}
		if err := w.line(b); err != nil {
			return err
		}
		for _, r := range m.Records {
			line = appendExport(line[:0], r.Data)
			if err := w.line(line); err != nil {
				return err
			}
			entries++
		}
		next = m.Seq + 1
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	if err == nil && next != to+1 {
		err = fmt.Errorf("%w: the log ends at message %d, the store has applied %d", ErrStoreAhead, next-1, to)
	}
	part, closeErr := w.close()
	return part, entries, errors.Join(err, closeErr)
}

// waitingLine is one item that waits in the intake.
type waitingLine struct {
	Space string `json:"space"`
	Kind  string `json:"kind"`
	Data  []byte `json:"data"`
}

func (db *DB) backupIntake(ctx context.Context, dir, name string) (part backupPart, n int, err error) {
	w, err := newBackupWriter(dir, name)
	if err != nil {
		return part, 0, err
	}
	err = db.ledger.Intake().Pending(ctx, func(_ uint64, it ledger.Item) error {
		b, err := EncodeJSON(waitingLine{it.Space, it.Kind, it.Data})
		if err != nil {
			return err
		}
		n++
		return w.line(b)
	})
	part, closeErr := w.close()
	return part, n, errors.Join(err, closeErr)
}

// backupWriter writes a file of lines and hashes it.
type backupWriter struct {
	file *os.File
	buf  *bufio.Writer
	sum  hash.Hash
	part backupPart
}

func newBackupWriter(dir, name string) (*backupWriter, error) {
	f, err := os.Create(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	return &backupWriter{file: f, buf: bufio.NewWriterSize(f, 1<<18), sum: sha256.New(), part: backupPart{Path: name}}, nil
}

func (w *backupWriter) line(b []byte) error {
	for _, p := range [][]byte{b, {'\n'}} {
		if _, err := w.buf.Write(p); err != nil {
			return err
		}
		w.sum.Write(p)
		w.part.Bytes += int64(len(p))
	}
	return nil
}

// close makes the file durable.
func (w *backupWriter) close() (backupPart, error) {
	w.part.SHA256 = dsl.Hash(w.sum.Sum(nil))
	return w.part, errors.Join(w.buf.Flush(), w.file.Sync(), w.file.Close(), syncFolder(filepath.Dir(w.file.Name())))
}

func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// hashFiles hashes the files under a folder of a backup, in order of path.
func hashFiles(ctx context.Context, dir, sub string) ([]backupPart, error) {
	var parts []backupPart
	err := filepath.WalkDir(filepath.Join(dir, sub), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		part := backupPart{Path: filepath.ToSlash(rel)}
		if part.SHA256, part.Bytes, err = hashFile(ctx, path); err != nil {
			return err
		}
		parts = append(parts, part)
		return nil
	})
	return parts, err
}

func hashFile(ctx context.Context, path string) (sum dsl.Hash, size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return sum, 0, err
	}
	defer f.Close()
	h := sha256.New()
	buf := make([]byte, 1<<20)
	for {
		n, err := f.Read(buf)
		h.Write(buf[:n])
		size += int64(n)
		if errors.Is(err, io.EOF) {
			return dsl.Hash(h.Sum(nil)), size, nil
		}
		if err := errors.Join(err, ctx.Err()); err != nil {
			return sum, size, err
		}
	}
}

// seal gives the hash of what the file says.
func (b backupFile) seal() (dsl.Hash, error) {
	b.Sum = dsl.Hash{}
	text, err := EncodeJSON(b)
	return dsl.Sum(text), err
}

// write puts the file BACKUP in place, durably.
func (b backupFile) write(dir string) (err error) {
	if b.Sum, err = b.seal(); err != nil {
		return err
	}
	text, err := EncodeJSON(b)
	if err != nil {
		return err
	}
	tmp := filepath.Join(dir, backupName+".new")
	f, err := os.Create(tmp)
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return errors.Join(os.Rename(tmp, filepath.Join(dir, backupName)), syncFolder(dir))
}

// readBackup reads the file BACKUP of a folder and checks it against itself.
func readBackup(dir string) (b backupFile, err error) {
	path := filepath.Join(dir, backupName)
	text, err := os.ReadFile(path)
	if err != nil {
		return b, err
	}
	if err := unmarshal(text, &b); err != nil {
		return b, fmt.Errorf("%w: %s: %v", dsl.ErrCorrupt, path, err)
	}
	if b.Format != backupFormat {
		return b, fmt.Errorf("%w: %s has format %d, this program reads %d", dsl.ErrUnsupportedFormat, path, b.Format, backupFormat)
	}
	sum, err := b.seal()
	if err != nil {
		return b, err
	}
	if sum != b.Sum {
		return b, fmt.Errorf("%w: %s hashes to %s and says %s", dsl.ErrCorrupt, path, sum, b.Sum)
	}
	for _, part := range b.Files {
		if !filepath.IsLocal(filepath.FromSlash(part.Path)) {
			return b, fmt.Errorf("%w: %s names the file %q outside the backup", dsl.ErrCorrupt, path, part.Path)
		}
	}
	return b, nil
}

// previousBackup gives what a backup in the folder goes on from; its Backups is
// 0 for a first one.
func previousBackup(dir string, incremental bool) (backupFile, error) {
	last, err := readBackup(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		list, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return last, err
		}
		for _, d := range list {
			if name := d.Name(); name != backupLogDir && name != backupWaiting && !strings.HasPrefix(name, backupStore) && name != backupName+".new" {
				return last, fmt.Errorf("%w: it holds %s and no backup; name an empty folder", ErrNotEmpty, name)
			}
		}
		return backupFile{}, nil
	case err != nil:
		return last, err
	case !incremental:
		return last, fmt.Errorf("%w: it holds a backup; --incremental adds to it, or name another folder", ErrNotEmpty)
	}
	// The log files are what an increment builds on. Their sizes are looked at
	// here, their hashes at the restore.
	for _, part := range last.Files {
		if !strings.HasPrefix(part.Path, backupLogDir+"/") {
			continue
		}
		info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(part.Path)))
		if err != nil {
			return last, fmt.Errorf("%w: %w; make a new backup in another folder", dsl.ErrCorrupt, err)
		}
		if info.Size() != part.Bytes {
			return last, fmt.Errorf("%w: %s has %d bytes, it had %d; make a new backup in another folder", dsl.ErrCorrupt, part.Path, info.Size(), part.Bytes)
		}
	}
	return last, nil
}

// clearLeftovers removes what a backup that was broken off, or the one before,
// left: files that the backup at hand does not name.
func clearLeftovers(dir string, b backupFile) error {
	var keep []string
	for _, part := range b.Files {
		keep = append(keep, part.Path)
	}
	for _, sub := range []string{backupLogDir, backupWaiting} {
		list, err := os.ReadDir(filepath.Join(dir, sub))
		if err != nil {
			return err
		}
		for _, d := range list {
			if !slices.Contains(keep, sub+"/"+d.Name()) {
				if err := os.Remove(filepath.Join(dir, sub, d.Name())); err != nil {
					return err
				}
			}
		}
	}
	list, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, d := range list {
		if strings.HasPrefix(d.Name(), backupStore) && d.Name() != b.Store {
			if err := os.RemoveAll(filepath.Join(dir, d.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
