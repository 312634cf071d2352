package store

import (
	"errors"
	"fmt"
	"iter"

	"github.com/asof-db/asof/dsl"
)

// withReasons adds what opened and closed a version.
func (v *snapshot) withReasons(f dsl.FactVersion) (Version, error) {
	row, err := v.versionRow(f.ID, f.Version)
	if err != nil {
		return Version{}, err
	}
	out := Version{FactVersion: f, Op: row.opKind, Reason: row.reason, Turn: row.turn, Rule: row.rule, Stated: row.confidence}
	if f.Closed == 0 {
		return out, nil
	}
	value, ok, err := get(v.r, v.keys.idVersion(clClosing, f.ID, f.Version))
	if err != nil {
		return out, err
	}
	if !ok {
		return out, fmt.Errorf("store: %w: fact %s version %d is closed but has no closing", dsl.ErrCorrupt, f.ID, f.Version)
	}
	c, err := decodeClosing(value)
	if err != nil {
		return out, fmt.Errorf("store: %w", err)
	}
	out.CloseOp, out.CloseReason, out.CloseTurn, out.CloseRule = c.opKind, c.reason, c.turn, c.rule
	return out, nil
}

// Fact implements View.
func (v *snapshot) Fact(id string) ([]Version, error) {
	prefix := v.keys.id(clVersion, id)
	var rows []versionRow
	err := v.scan(prefix, func(_, value []byte) (bool, error) {
		row, err := decodeVersion(value)
		if err != nil {
			return false, err
		}
		if row.id == id && row.opened <= v.basisSeq {
			rows = append(rows, row)
		}
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("store: %w: fact %s", dsl.ErrNotFound, id)
	}
	var out []Version
	for _, row := range rows {
		f, err := v.versionAsOf(row)
		if err != nil {
			return nil, err
		}
		ver, err := v.withReasons(f)
		if err != nil {
			return nil, err
		}
		out = append(out, ver)
	}
	return out, nil
}

// History implements View.
func (v *snapshot) History(q FactQuery) iter.Seq2[Version, error] {
	q.All = true
	return func(yield func(Version, error) bool) {
		for f, err := range v.Facts(q) {
			var ver Version
			if err == nil {
				ver, err = v.withReasons(f)
			}
			if !yield(ver, err) || err != nil {
				return
			}
		}
	}
}

// Changes implements View.
func (v *snapshot) Changes(since dsl.Seq) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		stop := errors.New("stop")
		if since >= v.basisSeq {
			return
		}
		err := v.scanRange(v.keys.seq(clPosition, since+1), v.keys.seq(clPosition, v.basisSeq+1), func(key, value []byte) (bool, error) {
			pos, err := decodePosition(keySeq(key, len(v.keys.prefix)+1), value)
			if err != nil {
				return false, err
			}
			list, err := changeList(v.r, &v.keys, &pos)
			if err != nil {
				return false, err
			}
			for i := range list {
				changes, err := v.tell(&list[i].changeRow, &pos, list[i].op)
				if err != nil {
					return false, err
				}
				for _, c := range changes {
					if !yield(c, nil) {
						return false, stop
					}
				}
			}
			return true, nil
		})
		if err != nil && !errors.Is(err, stop) {
			yield(Change{}, err)
		}
	}
}

// tell makes the changes of one operation from the rows it wrote.
func (v *snapshot) tell(row *changeRow, pos *positionRow, op int) ([]Change, error) {
	seq := pos.Seq
	then := newSnapshot(v.s, v.r, v.space, seq, v.stage)
	then.life = v.life
	defer then.Close()
	show := func(version uint32) (*dsl.FactVersion, versionRow, error) {
		r, err := then.versionRow(row.id, version)
		if err != nil {
			return nil, r, err
		}
		f, err := then.versionAsOf(r)
		return &f, r, err
	}
	c := Change{Seq: seq, At: pos.Time, Turn: pos.Turn}
	if row.kind == dsl.ArchiveEdge {
		value, ok, err := get(v.r, v.keys.idSeqOp(clArchive, row.id, seq, op))
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, fmt.Errorf("%w: archive of %s is missing", dsl.ErrCorrupt, row.id)
		}
		a, err := decodeClosing(value)
		if err != nil {
			return nil, err
		}
		c.Kind, c.Reason, c.Rule = Archived, a.reason, a.rule
		var out []Change
		for _, version := range row.archived {
			f, _, err := show(version)
			if err != nil {
				return nil, err
			}
			c.Before = f
			out = append(out, c)
		}
		return out, nil
	}
	if row.opened != 0 {
		f, r, err := show(row.opened)
		if err != nil {
			return nil, err
		}
		c.Kind, c.After, c.Reason, c.Rule = Learned, f, r.reason, r.rule
	}
	if row.closed != 0 {
		f, _, err := show(row.closed)
		if err != nil {
			return nil, err
		}
		c.Before = f
		switch {
		case c.After == nil:
			c.Kind = Retracted
			ver, err := then.withReasons(*f)
			if err != nil {
				return nil, err
			}
			c.Reason, c.Rule = ver.CloseReason, ver.CloseRule
		case c.After.Dst == f.Dst && c.After.Relation == f.Relation &&
			c.After.Valid.Start == f.Valid.Start && c.After.Valid.End < f.Valid.End:
			c.Kind = Ended
		default:
			c.Kind = Corrected
		}
	}
	return []Change{c}, nil
}

// Event implements View.
func (v *snapshot) Event(id string) ([]dsl.Event, error) {
	prefix := v.keys.id(clEvent, id)
	var out []dsl.Event
	err := v.scan(prefix, func(_, value []byte) (bool, error) {
		e, err := decodeEvent(value)
		if err != nil {
			return false, err
		}
		if e.Opened > v.basisSeq || e.ID != id {
			return false, nil
		}
		if n := len(out); n > 0 {
			out[n-1].Closed, out[n-1].Record.End = e.Opened, e.Record.Start
		}
		out = append(out, e.Event)
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("store: %w: event %s", dsl.ErrNotFound, id)
	}
	for i := range out {
		if out[i].Visible, err = v.visible(&out[i]); err != nil {
			return nil, err
		}
		if i > 0 && out[i-1].Visible != dsl.Forever { // I9
			out[i].Visible = max(out[i].Visible, out[i-1].Visible)
		}
	}
	return out, nil
}

// visible gives the earliest record time at which the evidence of an event
// version is complete: its own record start, the first version of each fact it
// includes and each turn it names. Forever while something is not recorded.
func (v *snapshot) visible(e *dsl.Event) (dsl.Instant, error) {
	t := e.Record.Start
	for _, id := range e.Includes {
		row, ok, err := firstVersion(v.r, v.keys.id(clVersion, id))
		if err != nil {
			return 0, err
		}
		if !ok || row.opened > v.basisSeq {
			return dsl.Forever, nil
		}
		t = max(t, row.openedAt)
	}
	for _, id := range e.Evidence {
		turn, err := v.Turn(id)
		if errors.Is(err, dsl.ErrNotFound) {
			return dsl.Forever, nil
		}
		if err != nil {
			return 0, err
		}
		t = max(t, turn.Record)
	}
	return t, nil
}

// Events implements View.
func (v *snapshot) Events(all bool) iter.Seq2[dsl.Event, error] {
	return func(yield func(dsl.Event, error) bool) {
		stop := errors.New("stop")
		err := v.scanRange(v.keys.class(clEventKey), v.keys.seq(clEventKey, v.basisSeq+1), func(_, value []byte) (bool, error) {
			r := reader{b: value}
			id := r.str()
			if err := r.done("event key"); err != nil {
				return false, err
			}
			versions, err := v.Event(id)
			if err != nil {
				return false, err
			}
			if !all {
				versions = versions[len(versions)-1:]
			}
			for _, e := range versions {
				if (all || e.Visible != dsl.Forever) && !yield(e, nil) {
					return false, stop
				}
			}
			return true, nil
		})
		if err != nil && !errors.Is(err, stop) {
			yield(dsl.Event{}, err)
		}
	}
}
