package neo4j

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// expected makes the rows that a generation has to hold, from the store alone: from
// its rows and its view at the position. Nothing of it is shared with the fold but
// the tables.
type expected struct {
	ctx        context.Context
	frozen     *store.Frozen
	view       store.View
	space      string
	generation int64
	position   dsl.Seq
	emit       func(*table, row) error

	// links are those of the space up to the position: evidence by fact, the others
	// by link, in order of log. It is held in memory.
	evidence map[string][]stated
	// stubs are the turns, facts and events that are named and not recorded.
	stubTurns, stubFacts, stubEvents map[string]bool
}

// stated is one LINK operation of kind evidence.
type stated struct {
	seq        dsl.Seq
	op         int
	turn       string
	retract    bool
	confidence float64
}

// rowsOf calls emit with every row of a generation as the store has it.
func rowsOf(ctx context.Context, frozen *store.Frozen, g generation, episodes func(store.View) ([]Episode, error), emit func(*table, row) error) (err error) {
	view := frozen.At(g.space, g.position)
	defer func() { err = errors.Join(err, view.Close()) }()
	x := &expected{ctx: ctx, frozen: frozen, view: view, space: g.space, generation: g.number, position: g.position, emit: emit,
		evidence: map[string][]stated{}, stubTurns: map[string]bool{}, stubFacts: map[string]bool{}, stubEvents: map[string]bool{}}
	for _, step := range []func() error{x.nodes, x.turns, x.links, x.facts, x.events, x.stubs} {
		if err := step(); err != nil {
			return fmt.Errorf("neo4j: rows of space %q: %w", g.space, err)
		}
	}
	if episodes == nil {
		return nil
	}
	return x.episodes(g.episodes, episodes)
}

func (x *expected) row(values ...any) row { return append(row{x.generation, x.space}, values...) }

// class yields the rows of a class that were written up to the position.
func (x *expected) class(name string) iter.Seq2[*store.DecodedRow, error] {
	return func(yield func(*store.DecodedRow, error) bool) {
		err := x.frozen.Rows(x.ctx, x.space, name, func(r store.DecodedRow) bool {
			if r.Class != name {
				return false
			}
			if r.Fault != "" {
				yield(nil, fmt.Errorf("%w: a row of class %s: %s", dsl.ErrCorrupt, name, r.Fault))
				return false
			}
			return r.Position > x.position || yield(&r, nil)
		})
		if err != nil {
			yield(nil, err)
		}
	}
}

// field gives a value of a row.
func field[T any](r *store.DecodedRow, name string) T {
	v, _ := r.Value[name].(T)
	return v
}

func (x *expected) nodes() error {
	for r, err := range x.class("node") {
		if err != nil {
			return err
		}
		pos, err := x.view.PositionAt(r.Position)
		if err != nil {
			return err
		}
		name := field[dsl.Text](r, "name")
		err = x.emit(nodeTable, x.row(r.ID, string(field[dsl.NodeKind](r, "kind")), text(name), norm(name), int64(r.Position), at(pos.Time)))
		if err != nil {
			return err
		}
	}
	return nil
}

func (x *expected) turns() error {
	for t, err := range x.view.Turns(0) {
		if err != nil {
			return err
		}
		r := x.row(turnRow(&t.Turn, t.Seq, t.Record)...)
		if t.ReplacedBy != "" {
			by, err := x.view.Turn(t.ReplacedBy)
			if err != nil {
				return err
			}
			r[turnTable.column("replaced_by")], r[turnTable.column("replaced_from")] = t.ReplacedBy, at(by.Record)
		}
		if err := x.emit(turnTable, r); err != nil {
			return err
		}
	}
	return nil
}

// links emits the links between nodes and events, and gathers evidence by fact.
func (x *expected) links() error {
	var link row // the one that is open, of the id before
	var t *table
	var id string
	flush := func() error {
		if link == nil {
			return nil
		}
		r := link
		link = nil
		return x.emit(t, r)
	}
	for r, err := range x.class("link") {
		if err != nil {
			return err
		}
		kind, from, to := field[dsl.LinkKind](r, "kind"), field[string](r, "from"), field[string](r, "to")
		retract := field[bool](r, "retract")
		if kind == dsl.EvidenceLink {
			x.evidence[to] = append(x.evidence[to], stated{r.Position, field[int](r, "operation"), from, retract, field[float64](r, "confidence")})
			continue
		}
		pos, err := x.view.PositionAt(r.Position)
		if err != nil {
			return err
		}
		if kind == dsl.EventLink {
			for _, end := range []string{from, to} {
				if _, err := x.view.Event(end); errors.Is(err, dsl.ErrNotFound) {
					x.stubEvents[end] = true
				} else if err != nil {
					return err
				}
			}
		}
		if id != r.ID {
			if err := flush(); err != nil {
				return err
			}
			id, t = r.ID, linkTables[kind]
		}
		switch {
		case link == nil && !retract:
			link = x.row(linkEnds(kind, from, to, r.ID, int64(r.Position), at(pos.Time), at(dsl.Forever), text(field[dsl.Text](r, "reason")))...)
		case link != nil && retract:
			link[t.column("record_to")] = at(pos.Time)
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// opened is a version row with what it was opened with.
type opened struct {
	id       string
	version  uint32
	op       int
	archived bool
	evidence []string
}

// facts emits fact versions, their anchors and their evidence. Versions and their
// closings lie in one order, so both are read side by side.
func (x *expected) facts() error {
	archives := map[string][]*store.DecodedRow{}
	for r, err := range x.class("archive") {
		if err != nil {
			return err
		}
		archives[field[string](r, "fact_key")] = append(archives[field[string](r, "fact_key")], r)
	}
	next, stop := iter.Pull2(x.class("closing"))
	defer stop()
	closing, err, more := next()
	var versions []store.Version
	for r, rowErr := range x.class("version") {
		if rowErr != nil {
			return rowErr
		}
		key := r.Key[2:] // behind the class
		for more && err == nil && closing.Key[2:] < key {
			closing, err, more = next()
		}
		if err != nil {
			return err
		}
		o := opened{r.ID, field[uint32](r, "version"), field[int](r, "operation"), field[bool](r, "archived"), field[[]string](r, "evidence_id")}
		if len(versions) == 0 || versions[0].ID != o.id {
			if versions, err = x.view.Fact(o.id); err != nil {
				return err
			}
			if err := x.emit(anchorTable, x.row(o.id)); err != nil {
				return err
			}
		}
		closedAt := -1 // the operation that closed it
		if more && closing.Key[2:] == key {
			closedAt = field[int](closing, "operation")
		}
		if err := x.version(&o, versions, closedAt, archives[key[:32]]); err != nil {
			return err
		}
	}
	return err
}

// version emits one version with its evidence.
func (x *expected) version(o *opened, versions []store.Version, closedAt int, archives []*store.DecodedRow) error {
	var v *store.Version
	for i := range versions {
		if versions[i].FactVersion.Version == o.version {
			v = &versions[i]
		}
	}
	if v == nil {
		return fmt.Errorf("%w: the view lacks version %d of fact %s", dsl.ErrCorrupt, o.version, o.id)
	}
	// lives tells whether the version is open at an operation.
	lives := func(seq dsl.Seq, op int) bool {
		return (seq > v.Opened || seq == v.Opened && op > o.op) && (v.Closed == 0 || seq < v.Closed || seq == v.Closed && op < closedAt)
	}
	archivedFrom := dsl.Forever
	if o.archived {
		archivedFrom = v.Record.Start
	}
	for _, a := range archives {
		if lives(a.Position, field[int](a, "operation")) {
			archivedFrom = min(archivedFrom, field[dsl.Instant](a, "record"))
		}
	}
	steps, from, err := x.said(o, v, lives)
	if err != nil {
		return err
	}
	end := []any{nil, nil, nil}
	if v.Closed != 0 {
		end = []any{str(v.CloseOp), text(v.CloseReason), str(v.CloseTurn)}
	}
	return x.emit(factTable, append(x.row(v.Src, v.Dst, v.ID, int64(o.version), v.Rel, text(v.Relation), at(v.Valid.Start), at(v.Valid.End),
		int64(v.Opened), int64(v.Closed), at(v.Record.Start), at(v.Record.End), at(archivedFrom), v.Confidence, v.Stated, steps, from,
		str(v.Source), texts(v.Evidence), string(v.Op), text(v.Reason), str(v.Turn)), end...))
}

// said emits the evidence of a version and gives the steps of its confidence.
func (x *expected) said(o *opened, v *store.Version, lives func(dsl.Seq, int) bool) (steps, from any, err error) {
	var list []row
	for n, turn := range o.evidence {
		list = append(list, x.row(turn, v.ID, int64(o.version), int64(v.Opened), int64(o.op), int64(n), at(v.Record.Start), at(dsl.Forever)))
	}
	ends := evidenceTable.column("record_to")
	holds := func(turn string) (some bool) {
		for _, r := range list {
			some = some || r[2] == turn && r[ends] == at(dsl.Forever)
		}
		return some
	}
	confidence := v.Stated
	var values, times []any
	for _, l := range inLogOrder(x.evidence[v.ID]) {
		if !lives(l.seq, l.op) {
			continue
		}
		pos, err := x.view.PositionAt(l.seq)
		if err != nil {
			return nil, nil, err
		}
		before := confidence
		if l.retract {
			for _, r := range list {
				if r[2] == l.turn && r[ends] == at(dsl.Forever) {
					r[ends] = at(pos.Time)
				}
			}
			if l.confidence > 0 {
				confidence = l.confidence
			}
		} else {
			if !holds(l.turn) {
				list = append(list, x.row(l.turn, v.ID, int64(o.version), int64(l.seq), int64(l.op), int64(0), at(pos.Time), at(dsl.Forever)))
			}
			confidence = dsl.FoldConfidence(confidence, l.confidence)
		}
		if confidence != before {
			values, times = append(values, confidence), append(times, at(pos.Time))
		}
	}
	for _, r := range list {
		turn, _ := r[2].(string)
		if err := x.named(turn); err != nil {
			return nil, nil, err
		}
		if err := x.emit(evidenceTable, r); err != nil {
			return nil, nil, err
		}
	}
	if len(values) == 0 {
		return nil, nil, nil
	}
	return values, times, nil
}

// inLogOrder sorts what was said of a fact.
func inLogOrder(list []stated) []stated {
	slices.SortFunc(list, func(a, b stated) int { return cmp.Or(cmp.Compare(a.seq, b.seq), cmp.Compare(a.op, b.op)) })
	return list
}

// named notes a turn that may not be recorded.
func (x *expected) named(turn string) error {
	_, err := x.view.Turn(turn)
	if errors.Is(err, dsl.ErrNotFound) {
		x.stubTurns[turn] = true
		return nil
	}
	return err
}

// events emits event versions and what they name.
func (x *expected) events() error {
	ends := map[eventRef]*store.DecodedRow{}
	for r, err := range x.class("event") {
		if err != nil {
			return err
		}
		ends[eventRef{r.ID, field[uint32](r, "version") - 1}] = r
	}
	for r, err := range x.class("event") {
		if err != nil {
			return err
		}
		if err := x.event(r, ends[eventRef{r.ID, field[uint32](r, "version")}]); err != nil {
			return err
		}
	}
	return nil
}

func (x *expected) event(r, next *store.DecodedRow) error {
	version, recorded, span := int64(field[uint32](r, "version")), field[dsl.Instant](r, "record"), field[dsl.Interval](r, "time_span")
	closed, ended := dsl.Seq(0), dsl.Forever
	if next != nil {
		closed, ended = next.Position, field[dsl.Instant](next, "record")
	}
	visible := recorded
	for i, id := range field[[]string](r, "includes_fact") {
		list, err := x.view.Fact(id)
		switch {
		case errors.Is(err, dsl.ErrNotFound):
			visible, x.stubFacts[id] = dsl.Forever, true
		case err != nil:
			return err
		default:
			visible = max(visible, list[0].Record.Start)
		}
		if err := x.emit(includesTable, x.row(r.ID, version, id, int64(i))); err != nil {
			return err
		}
	}
	for i, id := range field[[]string](r, "evidence_id") {
		turn, err := x.view.Turn(id)
		switch {
		case errors.Is(err, dsl.ErrNotFound):
			visible, x.stubTurns[id] = dsl.Forever, true
		case err != nil:
			return err
		default:
			visible = max(visible, turn.Record)
		}
		if err := x.emit(witnessTable, x.row(id, r.ID, version, int64(i))); err != nil {
			return err
		}
	}
	for i, p := range field[[]dsl.Participant](r, "participants") {
		if err := x.emit(participantTable, x.row(r.ID, version, p.Entity, int64(i), text(p.Role))); err != nil {
			return err
		}
	}
	return x.emit(eventTable, x.row(r.ID, version, text(field[dsl.Text](r, "summary")), str(field[string](r, "status")), at(span.Start), at(span.End),
		int64(r.Position), int64(closed), at(recorded), at(ended), at(visible), text(field[dsl.Text](r, "reason")), str(field[string](r, "turn"))))
}

// stubs emits what is named and not recorded.
func (x *expected) stubs() error {
	for _, s := range []struct {
		table *table
		ids   map[string]bool
		more  []any
	}{{turnTable, x.stubTurns, nil}, {anchorTable, x.stubFacts, nil}, {eventTable, x.stubEvents, []any{int64(1)}}} {
		for _, id := range slices.Sorted(maps.Keys(s.ids)) {
			r := append(x.row(id), s.more...)
			for len(r) < len(s.table.columns) {
				r = append(r, nil)
			}
			if err := x.emit(s.table, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// episodes emits the episodes as of the position that they were written at.
func (x *expected) episodes(position dsl.Seq, of func(store.View) ([]Episode, error)) (err error) {
	view := x.frozen.At(x.space, position)
	defer func() { err = errors.Join(err, view.Close()) }()
	nodes, contains, err := episodeRows(view, x.generation, of)
	for _, r := range nodes {
		if err == nil {
			err = x.emit(episodeTable, r)
		}
	}
	for _, r := range contains {
		if err == nil {
			err = x.emit(containsTable, r)
		}
	}
	return err
}
