package asof

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/dsl/ledger"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// RebuildReport says what became of a store that was made again.
type RebuildReport struct {
	Dir   string       `json:"dir"`
	Heads []BackupHead `json:"heads"`
}

// RebuildStore makes the store of a data folder again from its log, which must
// be whole. The old one is kept until the new one stands, and comes back if it
// cannot be made.
func RebuildStore(ctx context.Context, o Options) (rep RebuildReport, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("asof: rebuild the store: %w", err)
		}
	}()
	if o.Dir == "" || o.Ledger == nil && !isDir(filepath.Join(o.Dir, "log")) && (o.Config == nil || o.Config.Ledger.URL == "") {
		return rep, fmt.Errorf("%w: %q holds no log to make it from", dsl.ErrNotFound, o.Dir)
	}
	lock, err := lockFolder(o.Dir)
	if err != nil {
		return rep, err
	}
	now, old := filepath.Join(o.Dir, "store"), filepath.Join(o.Dir, "store.old")
	err = func() error {
		if isDir(old) && isDir(now) { // a rebuild that was broken off: the old one is there still
			return os.RemoveAll(now)
		}
		if err := os.Rename(now, old); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}()
	if err := errors.Join(err, lock.release()); err != nil {
		return rep, err
	}
	db, err := open(ctx, o)
	if err == nil {
		rep = RebuildReport{Dir: o.Dir}
		rep.Heads, err = db.heads()
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		if !isDir(old) {
			return rep, err
		}
		return rep, errors.Join(err, os.RemoveAll(now), os.Rename(old, now))
	}
	return rep, os.RemoveAll(old)
}

// heads gives where all spaces stand.
func (db *DB) heads() ([]BackupHead, error) {
	names, err := db.store.Spaces()
	if err != nil {
		return nil, err
	}
	heads := []BackupHead{}
	for _, name := range names {
		h, err := db.store.Head(name)
		if err != nil {
			return nil, err
		}
		heads = append(heads, BackupHead{Space: name, Position: h.Seq, Entry: h.Entry, Digest: h.Digest})
	}
	return heads, nil
}

// SalvageReport says what was saved of a damaged log.
type SalvageReport struct {
	To       string       `json:"to"`
	Messages uint64       `json:"messages"`
	Entries  int          `json:"entries"`
	Heads    []BackupHead `json:"heads"`
	// Damage is what ended it, empty where the log is whole.
	Damage string `json:"damage"`
}

// Salvage makes a new memory in the folder to, which must not be there or be
// empty, from the log of a data folder up to its first damage. The damaged one is
// not changed.
func Salvage(ctx context.Context, from, to string, o Options) (rep SalvageReport, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("asof: salvage: %w", err)
		}
	}()
	if list, err := os.ReadDir(to); err == nil && len(list) > 0 {
		return rep, fmt.Errorf("%w: %s holds %s", ErrNotEmpty, to, list[0].Name())
	}
	lock, err := lockFolder(from)
	if err != nil {
		return rep, err
	}
	defer func() { err = errors.Join(err, lock.release()) }()
	o.Dir, o.Ledger = to, nil
	stream := ""
	if o.Config != nil {
		stream = o.Config.Ledger.Stream
	}
	db, err := open(ctx, o)
	if err != nil {
		return rep, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	rep.To = to
	db.commit.Lock()
	defer db.commit.Unlock()
	a := appender{db: db}
	var mine error
	damage := ledger.Salvage(filepath.Join(from, "log"), stream, func(m ledger.Message) error {
		for _, r := range m.Records {
			if mine = errors.Join(ctx.Err(), a.add(ctx, r)); mine != nil {
				return mine
			}
			rep.Entries++
		}
		rep.Messages = m.Seq
		return nil
	})
	if mine != nil {
		return rep, mine
	}
	if damage != nil {
		if !errors.Is(damage, ledger.ErrCorrupt) && !errors.Is(damage, ledger.ErrGap) {
			return rep, damage
		}
		rep.Damage = damage.Error()
	}
	if err := a.flush(ctx); err != nil {
		return rep, err
	}
	if err := db.catchUp(ctx); err != nil {
		return rep, err
	}
	rep.Heads, err = db.heads()
	return rep, err
}
