package asof

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/dsl/ledger"
	"github.com/asof-db/asof/store"
)

// ReplayReport says whether a store rebuilt from the log has the same digest at
// every position.
type ReplayReport struct {
	Positions       int         `json:"positions"`
	Equal           bool        `json:"equal"`
	FirstDifference *Difference `json:"first_difference"`
}

// Difference is a position at which two stores disagree.
type Difference struct {
	Space    string   `json:"space"`
	Position dsl.Seq  `json:"position"`
	Here     dsl.Hash `json:"here"`
	Replayed dsl.Hash `json:"replayed"`
}

// Replay builds a whole memory in an empty folder from the log alone, its own or
// an exported one, and compares the digests at every position with the store's.
// The folder can be opened afterwards. An empty space compares all.
func (db *DB) Replay(ctx context.Context, to string, from io.Reader, space string) (rep ReplayReport, err error) {
	if list, err := os.ReadDir(to); err == nil && len(list) > 0 {
		return rep, fmt.Errorf("asof: replay: %w: the folder %s is not empty", ErrNotEmpty, to)
	}
	other, err := Open(ctx, Options{Dir: to, Config: &db.cfg, Logger: db.opt.Logger})
	if err != nil {
		return rep, fmt.Errorf("asof: replay: %w", err)
	}
	defer func() { err = errors.Join(err, other.Close()) }()
	if from == nil {
		err = db.copyLog(ctx, other, space)
	} else {
		err = other.importFrom(ctx, from)
	}
	if err != nil {
		return rep, err
	}
	return db.compare(ctx, other, space)
}

// copyLog appends this log's entries to another's and applies them there.
func (db *DB) copyLog(ctx context.Context, other *DB, space string) error {
	other.commit.Lock()
	defer other.commit.Unlock()
	a := appender{db: other}
	err := db.ledger.Read(ctx, 1, func(m ledger.Message) error {
		for _, r := range m.Records {
			if space != "" && r.Space != space {
				continue
			}
			if err := a.add(ctx, r); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = a.flush(ctx)
	}
	if err != nil {
		return fmt.Errorf("asof: replay: %w", err)
	}
	return other.catchUp(ctx)
}

// importFrom imports from a stream, which is put into a file first: an import
// reads it twice.
func (db *DB) importFrom(ctx context.Context, r io.Reader) error {
	f, err := os.CreateTemp("", "asof-import-")
	if err != nil {
		return fmt.Errorf("asof: import: %w", err)
	}
	defer os.Remove(f.Name())
	_, err = io.Copy(f, r)
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("asof: import: %w", err)
	}
	_, err = db.Import(ctx, f.Name())
	return err
}

// compare walks the positions of both stores.
func (db *DB) compare(ctx context.Context, other *DB, space string) (ReplayReport, error) {
	rep := ReplayReport{Equal: true}
	names, err := db.store.Spaces()
	if err != nil {
		return rep, err
	}
	more, err := other.store.Spaces()
	if err != nil {
		return rep, err
	}
	for _, name := range more {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		if space != "" && name != space {
			continue
		}
		here, err := db.store.Head(name)
		if err != nil {
			return rep, err
		}
		there, err := other.store.Head(name)
		if err != nil {
			return rep, err
		}
		if err := comparePositions(ctx, db.store, other.store, name, max(here.Seq, there.Seq), &rep); err != nil {
			return rep, err
		}
	}
	return rep, nil
}

func comparePositions(ctx context.Context, a, b *store.Store, space string, last dsl.Seq, rep *ReplayReport) error {
	va, da, err := headView(a, space)
	if err != nil {
		return err
	}
	defer va.Close()
	vb, db, err := headView(b, space)
	if err != nil {
		return err
	}
	defer vb.Close()
	for n := max(da, db, 1); n <= last; n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		pa, errA := va.PositionAt(n)
		pb, errB := vb.PositionAt(n)
		for _, err := range []error{errA, errB} {
			if err != nil && !errors.Is(err, dsl.ErrNotFound) {
				return err
			}
		}
		rep.Positions++
		if pa.Digest != pb.Digest || pa.Time != pb.Time || errA != nil || errB != nil {
			rep.Equal = false
			rep.FirstDifference = &Difference{Space: space, Position: n, Here: pa.Digest, Replayed: pb.Digest}
			return nil
		}
	}
	return nil
}

// headView opens the view at a space's head and gives the first position that
// it holds.
func headView(s *store.Store, space string) (store.View, dsl.Seq, error) {
	h, err := s.Head(space)
	if err != nil {
		return nil, 0, err
	}
	v, err := s.At(space, h.Seq)
	if err != nil {
		return nil, 0, err
	}
	first, err := s.First(space)
	return v, first, err
}
