package store

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/asof-db/asof/dsl"
)

// sealName is the file that says which of Pebble's files must be there. Pebble
// takes a manifest that is cut, or a write-ahead log that is gone, for one that
// ends there, and would open with a hole in the middle of its rows: later
// batches without earlier ones. What is sealed when a write-ahead log is removed
// must still be there when the store is opened.
//
// The file is text: "asof seal 1", "manifest NAME BYTES SHA256" for what was
// synced of the manifest, "wal NAME" for each write-ahead log, and "sum SHA256"
// of the lines before.
const (
	sealName = "SEAL"
	sealHead = "asof seal 1"
)

// seal is the content of SEAL.
type seal struct {
	manifest string
	size     int64
	sum      dsl.Hash
	logs     map[string]bool
}

func (s *seal) encode() []byte {
	b := fmt.Appendf(nil, "%s\n", sealHead)
	if s.manifest != "" {
		b = fmt.Appendf(b, "manifest %s %d %s\n", s.manifest, s.size, s.sum)
	}
	for _, name := range slices.Sorted(maps.Keys(s.logs)) {
		b = fmt.Appendf(b, "wal %s\n", name)
	}
	return fmt.Appendf(b, "sum %s\n", dsl.Sum(b))
}

// decodeSeal reads a SEAL; ok is false for one that is not whole.
func decodeSeal(b []byte) (s seal, ok bool) {
	text := string(b)
	at := strings.LastIndex(text, "sum ")
	if at < 0 || text[at:] != "sum "+dsl.Sum(b[:at]).String()+"\n" {
		return s, false
	}
	s.logs = map[string]bool{}
	lines := strings.Split(strings.TrimSuffix(text[:at], "\n"), "\n")
	if lines[0] != sealHead {
		return s, false
	}
	for _, line := range lines[1:] {
		f := strings.Fields(line)
		switch {
		case len(f) == 2 && f[0] == "wal":
			s.logs[f[1]] = true
		case len(f) == 4 && f[0] == "manifest":
			var errSize, errSum error
			s.manifest = f[1]
			s.size, errSize = strconv.ParseInt(f[2], 10, 64)
			s.sum, errSum = dsl.ParseHash(f[3])
			if errSize != nil || errSum != nil || s.size < 0 {
				return s, false
			}
		default:
			return s, false
		}
	}
	return s, true
}

// manifestSum hashes a manifest as it is written.
type manifestSum struct {
	name string
	size int64
	sum  hash.Hash
}

func newManifestSum(name string) *manifestSum { return &manifestSum{name: name, sum: sha256.New()} }

func (m *manifestSum) write(p []byte) {
	m.sum.Write(p)
	m.size += int64(len(p))
}

// sealManifest notes what is synced of the manifest. It is written with the
// next change of the logs, before which nothing relies on it.
func (d *disk) sealManifest(m *manifestSum) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.seal.manifest, d.seal.size, d.seal.sum = m.name, m.size, dsl.Hash(m.sum.Sum(nil))
}

// sealLog notes that a write-ahead log begins, or that one is about to go.
func (d *disk) sealLog(name string, begins bool) {
	d.sealing.Lock()
	defer d.sealing.Unlock()
	d.mu.Lock()
	if d.failed != nil {
		d.mu.Unlock()
		return
	}
	if d.seal.logs == nil {
		d.seal.logs = map[string]bool{}
	}
	base := filepath.Base(name)
	if begins {
		d.seal.logs[base] = true
	} else {
		delete(d.seal.logs, base)
	}
	b := d.seal.encode()
	d.mu.Unlock()
	// What begins must be durable before the seal that names it is, and what goes
	// must go after the seal that lacks it is.
	var err error
	if begins {
		err = d.syncDir()
	}
	if err == nil {
		err = d.writeSeal(b)
	}
	if err == nil && !begins {
		err = d.syncDir()
	}
	d.stop("write", d.FS.PathJoin(d.dir, sealName), err)
}

func (d *disk) syncDir() error {
	dir, err := d.FS.OpenDir(d.dir)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

func (d *disk) writeSeal(b []byte) error {
	to := d.FS.PathJoin(d.dir, sealName)
	f, err := d.FS.Create(to+".new", vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	n, err := f.Write(slices.Clone(b))
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return d.FS.Rename(to+".new", to)
}

// verify holds the files of the store against its SEAL before Pebble looks at
// them. What is wrong wraps dsl.ErrCorrupt and names the file.
func (d *disk) verify() error {
	names, err := d.FS.List(d.dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("list: %w", err)
	}
	desc, err := pebble.Peek(d.dir, d.FS)
	if err != nil {
		return fmt.Errorf("%w: %w", dsl.ErrCorrupt, err)
	}
	if !desc.Exists {
		for _, name := range names {
			if isTable(name) || isWAL(name) {
				return fmt.Errorf("%w: it holds %s but no marker that names a manifest", dsl.ErrCorrupt, name)
			}
		}
		return nil
	}
	b, err := readFile(d.FS, d.FS.PathJoin(d.dir, sealName), -1)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	s, ok := decodeSeal(b)
	if !ok {
		d.log.Warn("store: the seal is not whole, so the store's files cannot be held against it", "file", d.FS.PathJoin(d.dir, sealName))
		return nil
	}
	current := filepath.Base(desc.ManifestFilename)
	if s.manifest != current {
		// Another manifest has begun since, by a crash in between or by a tool that
		// opened the store without us; what is sealed says nothing of it.
		return nil
	}
	path := d.FS.PathJoin(d.dir, current)
	m, err := readFile(d.FS, path, s.size)
	if err != nil {
		return damage(err)
	}
	if got := dsl.Sum(m); int64(len(m)) != s.size || got != s.sum {
		return fmt.Errorf("%w: %s is not what was written: its first %d bytes hashed to %s, now it has %d of them, which hash to %s",
			dsl.ErrCorrupt, path, s.size, s.sum, len(m), got)
	}
	for _, name := range slices.Sorted(maps.Keys(s.logs)) {
		if !slices.Contains(names, name) {
			return fmt.Errorf("%w: the write-ahead log %s is missing", dsl.ErrCorrupt, d.FS.PathJoin(d.dir, name))
		}
	}
	d.seal = s
	return nil
}

// readFile reads at most limit bytes of a file, all where limit is negative.
func readFile(fs vfs.FS, name string, limit int64) ([]byte, error) {
	f, err := fs.Open(name)
	if err != nil {
		return nil, err
	}
	var r io.Reader = f
	if limit >= 0 {
		r = io.LimitReader(f, limit)
	}
	b, err := io.ReadAll(r)
	return b, errors.Join(err, f.Close())
}
