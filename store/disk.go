package store

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// ErrStopped says that a write to the store's files has failed. The store takes
// no more transactions until it is opened again; reads go on. What the log has
// acknowledged is in the log, and comes back from it.
var ErrStopped = errors.New("the store has stopped writing")

// disk is the file system that Pebble gets. Pebble ends the process when it
// cannot write its log or manifest. Here the first write that fails stops the
// disk instead: from then on nothing more reaches it, as if the machine had
// crashed at that moment, and Pebble is not told, so that it can go on answering
// from what it has. That is right here because no one relies on what Pebble
// writes (the log is the truth), and because what is left on disk is what a
// crash leaves: a state that opens as a prefix.
//
// Tables are the exception: they are read again, so a table that cannot be
// written is an error, which Pebble takes (it keeps the memtable, or the tables
// that it wanted to merge) and tries again at once. A new table therefore waits
// until the store is closed.
//
// disk also keeps SEAL (see seal).
type disk struct {
	vfs.FS
	dir string
	log *slog.Logger

	sealing sync.Mutex // held while SEAL is written

	mu      sync.Mutex // guards what follows
	failed  error
	closing bool
	waits   bool
	seal    seal
	// stopped is closed at the first failure, gone when the store is closing.
	stopped, gone chan struct{}
}

func newDisk(fs vfs.FS, dir string, log *slog.Logger) *disk {
	return &disk{FS: fs, dir: fs.PathDir(fs.PathJoin(dir, "x")), log: log, stopped: make(chan struct{}), gone: make(chan struct{})}
}

// stop notes the first failure. A nil err is none.
func (d *disk) stop(op, name string, err error) {
	if err == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.failed != nil {
		return
	}
	what := "see to the disk, then close it and open it again"
	if pebble.IsCorruptionError(err) {
		err, what = damage(err), "'asof doctor' says what to do"
	}
	d.failed = fmt.Errorf("%w: %s %s: %w; reads go on and nothing acknowledged is lost; %s", ErrStopped, op, name, err, what)
	close(d.stopped)
	d.log.Error("store: writing stopped", "op", op, "file", name, "err", err)
}

// failure is what stopped the disk, nil while it runs.
func (d *disk) failure() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.failed
}

// opened lets new tables wait once the disk has stopped: before, Open waits for
// them itself.
func (d *disk) opened() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.waits = true
}

// release ends all waiting; the store is about to be closed.
func (d *disk) release() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.closing {
		d.closing = true
		close(d.gone)
	}
}

// wait returns when the store is about to be closed.
func (d *disk) wait() {
	d.mu.Lock()
	waits := d.waits
	d.mu.Unlock()
	if waits {
		<-d.gone
	}
}

func isTable(name string) bool {
	return strings.HasSuffix(name, ".sst") || strings.HasSuffix(name, ".blob")
}
func isWAL(name string) bool { return strings.HasSuffix(name, ".log") }

// ours tells the store's own files from those that a checkpoint makes.
func (d *disk) ours(name string) bool { return d.FS.PathDir(name) == d.dir }

// make opens a file for writing by f.
func (d *disk) make(op, name string, f func() (vfs.File, error)) (vfs.File, error) {
	if d.failure() == nil {
		file, err := f()
		if err == nil && isWAL(name) {
			d.sealLog(name, true)
		}
		if err == nil {
			return newDiskFile(d, file, name), nil
		}
		d.stop(op, name, err)
		if isTable(name) {
			return nil, err
		}
	}
	if isTable(name) {
		d.wait()
		return nil, d.failure()
	}
	return &diskFile{File: nowhere{}, d: d, name: name}, nil
}

// Create implements vfs.FS.
func (d *disk) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if !d.ours(name) {
		return d.FS.Create(name, c)
	}
	return d.make("create", name, func() (vfs.File, error) { return d.FS.Create(name, c) })
}

// OpenReadWrite implements vfs.FS.
func (d *disk) OpenReadWrite(name string, c vfs.DiskWriteCategory, o ...vfs.OpenOption) (vfs.File, error) {
	if !d.ours(name) {
		return d.FS.OpenReadWrite(name, c, o...)
	}
	return d.make("open", name, func() (vfs.File, error) { return d.FS.OpenReadWrite(name, c, o...) })
}

// ReuseForWrite implements vfs.FS.
func (d *disk) ReuseForWrite(from, to string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return d.make("reuse", to, func() (vfs.File, error) {
		if isWAL(from) {
			d.sealLog(from, false)
			if err := d.failure(); err != nil {
				return nil, err
			}
		}
		return d.FS.ReuseForWrite(from, to, c)
	})
}

// OpenDir implements vfs.FS.
func (d *disk) OpenDir(name string) (vfs.File, error) {
	f, err := d.FS.OpenDir(name)
	if err != nil || d.FS.PathDir(d.FS.PathJoin(name, "x")) != d.dir {
		return f, err
	}
	return newDiskFile(d, f, name), nil
}

// Remove implements vfs.FS. A file that cannot be removed is no loss.
func (d *disk) Remove(name string) error {
	if !d.ours(name) {
		return d.FS.Remove(name)
	}
	if isWAL(name) {
		d.sealLog(name, false)
	}
	if d.failure() != nil {
		return nil
	}
	return d.FS.Remove(name)
}

// Rename implements vfs.FS.
func (d *disk) Rename(from, to string) error {
	if !d.ours(to) {
		return d.FS.Rename(from, to)
	}
	if d.failure() == nil {
		d.stop("rename", to, d.FS.Rename(from, to))
	}
	return nil
}

// GetDiskUsage implements vfs.FS. Pebble only reports it.
func (d *disk) GetDiskUsage(path string) (vfs.DiskUsage, error) {
	u, err := d.FS.GetDiskUsage(path)
	if err != nil {
		return u, vfs.ErrUnsupported
	}
	return u, nil
}

// Unwrap implements vfs.FS.
func (d *disk) Unwrap() vfs.FS { return d.FS }

// diskFile is a file of the store that is written.
type diskFile struct {
	vfs.File
	d     *disk
	name  string
	table bool
	// manifest hashes what is written to a manifest; nil for other files.
	manifest *manifestSum
}

func newDiskFile(d *disk, f vfs.File, name string) *diskFile {
	w := &diskFile{File: f, d: d, name: name, table: isTable(name)}
	if strings.HasPrefix(filepath.Base(name), "MANIFEST-") {
		w.manifest = newManifestSum(filepath.Base(name))
	}
	return w
}

// do runs one operation unless the disk has stopped, and stops it if that fails.
func (f *diskFile) do(op string, run func() error) error {
	err := f.d.failure()
	if err == nil {
		if err = run(); err == nil {
			return nil
		}
		f.d.stop(op, f.name, err)
	}
	if f.table {
		return err
	}
	return nil
}

// Write implements vfs.File.
func (f *diskFile) Write(p []byte) (n int, err error) {
	err = f.do("write", func() error {
		if f.manifest != nil {
			f.manifest.write(p)
		}
		n, err := f.File.Write(p)
		if err == nil && n < len(p) {
			err = io.ErrShortWrite
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

// WriteAt implements vfs.File.
func (f *diskFile) WriteAt(p []byte, off int64) (int, error) {
	err := f.do("write", func() error {
		_, err := f.File.WriteAt(p, off)
		return err
	})
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

// Preallocate implements vfs.File. It is of use only where it works.
func (f *diskFile) Preallocate(off, length int64) error {
	if f.d.failure() == nil {
		_ = f.File.Preallocate(off, length) // a full disk shows at the write
	}
	return nil
}

// Sync implements vfs.File.
func (f *diskFile) Sync() error { return f.synced(f.File.Sync) }

// SyncData implements vfs.File.
func (f *diskFile) SyncData() error { return f.synced(f.File.SyncData) }

// SyncTo implements vfs.File.
func (f *diskFile) SyncTo(length int64) (full bool, err error) {
	err = f.do("sync", func() (err error) {
		full, err = f.File.SyncTo(length)
		return err
	})
	return full, err
}

func (f *diskFile) synced(sync func() error) error {
	return f.do("sync", func() error {
		err := sync()
		if err == nil && f.manifest != nil {
			f.d.sealManifest(f.manifest)
		}
		return err
	})
}

// Close implements vfs.File.
func (f *diskFile) Close() error {
	closed := false
	err := f.do("close", func() error {
		closed = true
		return f.File.Close()
	})
	if !closed {
		_ = f.File.Close() // nothing more is written; what it says changes nothing
	}
	return err
}

// nowhere takes the writes that come after the disk has stopped.
type nowhere struct{ vfs.File }

func (nowhere) Close() error                      { return nil }
func (nowhere) Read([]byte) (int, error)          { return 0, io.EOF }
func (nowhere) ReadAt([]byte, int64) (int, error) { return 0, io.EOF }
func (nowhere) Stat() (vfs.FileInfo, error)       { return nowhereInfo{}, nil }
func (nowhere) Prefetch(int64, int64) error       { return nil }
func (nowhere) Fd() uintptr                       { return vfs.InvalidFd }

// nowhereInfo is of an empty file.
type nowhereInfo struct{}

func (nowhereInfo) Name() string           { return "nowhere" }
func (nowhereInfo) Size() int64            { return 0 }
func (nowhereInfo) Mode() os.FileMode      { return 0o644 }
func (nowhereInfo) ModTime() (t time.Time) { return t }
func (nowhereInfo) IsDir() bool            { return false }
func (nowhereInfo) Sys() any               { return nil }
func (nowhereInfo) DeviceID() vfs.DeviceID { return vfs.DeviceID{} }

// listener watches what Pebble does by itself: space that it makes, and what
// it fails at.
func (d *disk) listener(done func()) *pebble.EventListener {
	return &pebble.EventListener{
		FlushEnd:      func(pebble.FlushInfo) { done() },
		CompactionEnd: func(pebble.CompactionInfo) { done() },
		BackgroundError: func(err error) {
			if !errors.Is(err, ErrStopped) {
				d.stop("work in the background on", d.dir, err)
			}
		},
		DataCorruption: func(i pebble.DataCorruptionInfo) {
			d.stop("read", i.Path, fmt.Errorf("%w: %w", pebble.ErrCorruption, i.Details))
		},
	}
}
