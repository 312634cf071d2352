package neo4j

import (
	"errors"
	"fmt"
	"slices"

	"github.com/asof-db/asof/dsl"
)

// eventRef names one version of an event.
type eventRef struct {
	id      string
	version uint32
}

// event is what the visibility of an event version depends on.
type event struct {
	recorded           dsl.Instant
	includes, evidence []string
}

// waiting are event versions whose evidence is not complete, by one thing that
// each lacks: "f" and a fact, or "t" and a turn.
type waiting map[string][]eventRef

// event folds a new version of an event.
func (f *fold) event(tx *dsl.Tx, op *dsl.Op) error {
	ref := eventRef{op.ID, op.Version}
	if op.Version > 1 {
		f.out.endings = append(f.out.endings, f.row(op.ID, int64(op.Version-1), int64(tx.Seq), at(tx.Time)))
		f.out.weight++
	}
	f.events[ref] = &event{tx.Time, op.Includes, op.Evidence}
	f.out.add(eventTable, f.row(op.ID, int64(op.Version), text(op.Summary), str(op.Status), at(op.Span.Start), at(op.Span.End),
		int64(tx.Seq), int64(0), at(tx.Time), at(dsl.Forever), at(dsl.Forever), text(op.Reason), str(turnOf(tx))))
	for i, p := range op.Participants {
		f.out.add(participantTable, f.row(op.ID, int64(op.Version), p.Entity, int64(i), text(p.Role)))
	}
	for i, id := range op.Includes {
		f.out.add(includesTable, f.row(op.ID, int64(op.Version), id, int64(i)))
	}
	for i, id := range op.Evidence {
		f.out.add(witnessTable, f.row(id, op.ID, int64(op.Version), int64(i)))
	}
	return nil
}

// settle finds out which event versions have become visible: those made here, and
// those that waited for what was recorded here. Those that wait on are noted.
func (f *fold) settle() error {
	for _, r := range f.out.rows[eventTable] {
		ref := eventRef{r[2].(string), uint32(r[3].(int64))}
		t, lacks, err := f.visible(f.events[ref])
		if err != nil {
			return err
		}
		if lacks != "" {
			f.waits[lacks] = append(f.waits[lacks], ref)
			continue
		}
		r[eventTable.column("visible_from")] = at(t)
	}
	if len(f.waits) == 0 {
		return nil
	}
	var came []string
	for id := range f.turns {
		came = append(came, "t"+id)
	}
	for id := range f.facts {
		came = append(came, "f"+id)
	}
	slices.Sort(came)
	for _, key := range came {
		refs := f.waits[key]
		delete(f.waits, key)
		for _, ref := range refs {
			if err := f.look(ref); err != nil {
				return err
			}
		}
	}
	return nil
}

// look asks again whether an event version is visible.
func (f *fold) look(ref eventRef) error {
	e := f.events[ref]
	if e == nil {
		list, err := f.base.Event(ref.id)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(list, func(x dsl.Event) bool { return x.Version == ref.version })
		if i < 0 {
			return fmt.Errorf("%w: event %s has no version %d", dsl.ErrCorrupt, ref.id, ref.version)
		}
		e = &event{list[i].Record.Start, list[i].Includes, list[i].Evidence}
	}
	t, lacks, err := f.visible(e)
	switch {
	case err != nil:
		return err
	case lacks != "":
		f.waits[lacks] = append(f.waits[lacks], ref)
	default:
		f.out.sights = append(f.out.sights, f.row(ref.id, int64(ref.version), at(t)))
		f.out.weight++
	}
	return nil
}

// visible gives the first record time at which all that an event version names is
// recorded, or the first thing that it lacks.
func (f *fold) visible(e *event) (t dsl.Instant, lacks string, err error) {
	t = e.recorded
	for _, id := range e.includes {
		x, err := f.fact(id)
		if err != nil {
			return 0, "", err
		}
		if x.first == dsl.Forever {
			return 0, "f" + id, nil
		}
		t = max(t, x.first)
	}
	for _, id := range e.evidence {
		recorded, ok := f.turns[id]
		if !ok {
			turn, err := f.base.Turn(id)
			if errors.Is(err, dsl.ErrNotFound) {
				return 0, "t" + id, nil
			}
			if err != nil {
				return 0, "", err
			}
			recorded = turn.Record
		}
		t = max(t, recorded)
	}
	return t, "", nil
}
