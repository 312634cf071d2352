package asof

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// Comparison says whether a space is the same in two memories.
type Comparison struct {
	Space string `json:"space"`
	Equal bool   `json:"equal"`
	// FirstPosition is the first position at which they differ, nil for none.
	FirstPosition *dsl.Seq `json:"first_position"`
	// Row is the first logical row of that position that differs, if any does.
	Row *store.DivergentRow `json:"row"`
	// Here and There are the digests after that position, nil where it is absent.
	Here  *dsl.Hash `json:"here,omitzero"`
	There *dsl.Hash `json:"there,omitzero"`
}

// Compare finds out, for each space, the first position and the first row at
// which two memories differ. Other is the folder of a memory, of a store alone,
// or of a checkpoint, or a file that 'asof log' wrote, which is folded first. It
// is read and not changed; a folder that a process has open is an error. An
// empty space compares all that either holds.
func (db *DB) Compare(ctx context.Context, other, space string) ([]Comparison, error) {
	s, done, err := openForeign(ctx, other, db.cfg)
	if err != nil {
		return nil, fmt.Errorf("asof: compare with %s: %w", other, err)
	}
	out, err := compareSpaces(ctx, db.store, s, space)
	if err := errors.Join(err, done()); err != nil {
		return nil, fmt.Errorf("asof: compare with %s: %w", other, err)
	}
	return out, nil
}

// openForeign opens the store behind a path for reading.
func openForeign(ctx context.Context, path string, cfg configs.Config) (*store.Store, func() error, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if !info.IsDir() {
		return foldFile(ctx, path)
	}
	return openFolder(path, cfg)
}

// openFolder opens the store in a data folder, or a folder that is one.
func openFolder(path string, cfg configs.Config) (_ *store.Store, _ func() error, err error) {
	var lock *folderLock
	dir := path
	if sub := filepath.Join(path, "store"); isDir(sub) {
		if lock, err = lockFolder(path); err != nil {
			return nil, nil, err
		}
		dir = sub
	}
	s, err := store.Open(storeOptions(dir, cfg, true))
	if err != nil {
		return nil, nil, errors.Join(err, lock.release())
	}
	return s, func() error { return errors.Join(s.Close(), lock.release()) }, nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// storeOptions gives the options of a store that is only looked at.
func storeOptions(dir string, cfg configs.Config, readOnly bool) store.Options {
	return store.Options{Dir: dir, FS: vfs.Default, ReadOnly: readOnly,
		CacheBytes: int64(cfg.Store.CacheMB) << 20, MemtableBytes: int64(cfg.Store.MemtableMB) << 20}
}

// foldFile folds an exported log into a store of its own.
func foldFile(ctx context.Context, path string) (_ *store.Store, _ func() error, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	f, err := newFolder(false)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.close())
		}
	}()
	if _, err := f.readExport(ctx, io.Reader(file)); err != nil {
		return nil, nil, err
	}
	if err := f.flush(); err != nil {
		return nil, nil, err
	}
	if len(f.faults) > 0 {
		x := f.faults[0]
		return nil, nil, fmt.Errorf("%w: space %q %s: %s (%d faults in all)", dsl.ErrCorrupt, x.Space, x.Position, x.Message, len(f.faults))
	}
	return f.store, f.close, nil
}

func compareSpaces(ctx context.Context, a, b *store.Store, space string) (out []Comparison, err error) {
	fa, err := a.Freeze()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, fa.Close()) }()
	fb, err := b.Freeze()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, fb.Close()) }()
	names := []string{space}
	if space == "" {
		if names, err = unionSpaces(fa, fb); err != nil {
			return nil, err
		}
	}
	for _, name := range names {
		d, err := fa.Compare(ctx, fb, name)
		if err != nil {
			return nil, err
		}
		c := Comparison{Space: name, Equal: d == nil}
		if d != nil {
			c.FirstPosition, c.Row = &d.Position, d.Row
			if d.Here != (dsl.Hash{}) {
				c.Here = &d.Here
			}
			if d.There != (dsl.Hash{}) {
				c.There = &d.There
			}
		}
		out = append(out, c)
	}
	return out, nil
}

// unionSpaces gives the names of the spaces that either store holds, sorted.
func unionSpaces(a, b *store.Frozen) ([]string, error) {
	names, err := a.Spaces()
	if err != nil {
		return nil, err
	}
	more, err := b.Spaces()
	if err != nil {
		return nil, err
	}
	names = append(names, more...)
	slices.Sort(names)
	return slices.Compact(names), nil
}

// Inspect opens the store of a data folder, a store folder or a checkpoint for
// reading alone and hands it to f as it stands. It needs no log. A data folder
// that a process has open is ErrInUse. A nil cfg is the built-in profile.
func Inspect(dir string, cfg *configs.Config, f func(*store.Frozen) error) error {
	c := configs.Default()
	if cfg != nil {
		c = *cfg
	}
	s, done, err := openFolder(dir, c)
	if err != nil {
		return fmt.Errorf("asof: inspect %s: %w", dir, err)
	}
	frozen, err := s.Freeze()
	if err == nil {
		err = errors.Join(f(frozen), frozen.Close())
	}
	return errors.Join(err, done())
}
