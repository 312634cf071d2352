package store

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/asof-db/asof/dsl"
)

// NoLonger yields the versions that q selects, closed ones too, that were believed
// at record time t and are not believed at the basis any more, with what closed
// them, why, and in which turn: in order of closing, then of fact id and version.
// A version that was archived is out of the working set and still believed. A time
// before the first version, or at or after the basis, finds nothing.
//
// Where q names a subject or a value it reads their histories, else the changes
// since t. It holds a bounded number of versions in memory: where there are more,
// it reads again.
func NoLonger(v View, q FactQuery, t dsl.Instant) iter.Seq2[Version, error] {
	return noLonger(v, q, t, passSize)
}

func noLonger(v View, q FactQuery, t dsl.Instant, limit int) iter.Seq2[Version, error] {
	over := func(f *Version) bool { return f.Closed != 0 && f.Record.Contains(t) }
	if len(q.Src) > 0 || len(q.Dst) > 0 {
		return inOrder(func() iter.Seq2[Version, error] { return keep(v.History(q), over) }, byClosing, limit)
	}
	return func(yield func(Version, error) bool) {
		since, err := positionOf(v, t)
		if err == nil && since > 0 {
			err = closings(v, q, since, over, yield)
		}
		if err != nil && !errors.Is(err, errStopped) {
			yield(Version{}, fmt.Errorf("store: no longer: %w", err))
		}
	}
}

func byClosing(a, b Version) int {
	return cmp.Or(cmp.Compare(a.Closed, b.Closed), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Version, b.Version))
}

// closings yields the versions that a condition takes of those closed after a
// position. They lie in the order of closing; only those of one transaction have
// to be sorted.
func closings(v View, q FactQuery, since dsl.Seq, takes func(*Version) bool, yield func(Version, error) bool) error {
	var seq dsl.Seq
	var closed []dsl.VersionRef
	tell := func() error {
		slices.SortFunc(closed, func(a, b dsl.VersionRef) int {
			return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Version, b.Version))
		})
		for _, ref := range slices.Compact(closed) { // archived and closed at once, it is told twice
			all, err := v.Fact(ref.ID)
			if err != nil {
				return err
			}
			i := slices.IndexFunc(all, func(f Version) bool { return f.Ref() == ref })
			if i < 0 {
				return fmt.Errorf("%w: version %d of fact %s is closed and not there", dsl.ErrCorrupt, ref.Version, ref.ID)
			}
			if takes(&all[i]) && !yield(all[i], nil) {
				return errStopped
			}
		}
		closed = closed[:0]
		return nil
	}
	for c, err := range v.Changes(since) {
		if err != nil {
			return err
		}
		if c.Seq != seq {
			if err := tell(); err != nil {
				return err
			}
			seq = c.Seq
		}
		f := c.Before
		if f == nil || f.Closed != c.Seq || f.Opened > since || !q.names(f) || q.Valid != nil && !f.Valid.Contains(*q.Valid) {
			continue
		}
		closed = append(closed, f.Ref())
	}
	return tell()
}

// positionOf gives the last position of a view that was recorded at or before t,
// or one before a drop of the space, where nothing was recorded by then.
func positionOf(v View, t dsl.Instant) (dsl.Seq, error) {
	lo, hi := dsl.Seq(0), v.Basis().Seq // the answer lies in [lo, hi]
	for lo < hi {
		mid := hi - (hi-lo)/2
		p, err := v.PositionAt(mid)
		switch {
		case errors.Is(err, dsl.ErrNotFound): // before the drop
			lo = mid
		case err != nil:
			return 0, err
		case p.Time <= t:
			lo = mid
		default:
			hi = mid - 1
		}
	}
	return lo, nil
}
