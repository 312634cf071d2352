package neo4j

import (
	"errors"
	"fmt"
	"slices"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// fold turns transactions of one space, which follow each other, into what they
// change in the graph. base is the view before the first of them; it answers what
// a transaction refers to and does not say.
type fold struct {
	space      string
	generation int64
	base       store.View
	from, to   dsl.Seq
	time       dsl.Instant
	entry      dsl.Hash

	out changes
	// facts are those touched, with the versions that are open; order is that of
	// first touch.
	facts map[string]*fact
	order []*version
	// turns and replaced are the turns recorded and replaced here.
	turns    map[string]dsl.Instant
	replaced map[string]string
	// waits are the event versions that are not visible, by what they lack.
	waits waiting
	// events are the event versions made here.
	events map[eventRef]*event
}

// changes are the rows of a batch, by what is done with them.
type changes struct {
	rows map[*table][]row
	// facts and turns set properties of fact versions, and of turns, that are there.
	facts, turns []row // generation, space, id, version | replaced_by, …
	// steps append to the steps of a version's confidence.
	steps []row
	// forgets close evidence; endings close event versions; sights make event
	// versions visible.
	forgets, endings, sights []row
	// links are made and closed in order.
	links  []linkChange
	weight int
}

// linkChange makes or closes a link between two nodes or events.
type linkChange struct {
	table   *table
	retract bool
	row     row
}

func (c *changes) add(t *table, r row) {
	if c.rows == nil {
		c.rows = map[*table][]row{}
	}
	c.rows[t] = append(c.rows[t], r)
	c.weight++
}

// fact is a fact as a batch knows it.
type fact struct {
	open []*version
	// first is the record time of its first version.
	first dsl.Instant
}

// version is a fact version that is open, or was when the batch began.
type version struct {
	row        row // all of it, where it was opened here
	set        map[string]any
	steps      []any
	stepsFrom  []any
	id         string
	number     uint32
	src, rel   string
	archived   bool
	confidence float64
	evidence   []string
	// said is set once confidence or evidence have changed.
	said bool
}

func newFold(space string, generation int64, base store.View, waits waiting) *fold {
	return &fold{space: space, generation: generation, base: base, from: base.Basis().Seq, to: base.Basis().Seq, facts: map[string]*fact{},
		turns: map[string]dsl.Instant{}, replaced: map[string]string{}, waits: waits, events: map[eventRef]*event{}}
}

// row begins a row: the generation, the space and what follows.
func (f *fold) row(values ...any) row { return append(row{f.generation, f.space}, values...) }

// add folds the next transaction, whose log entry hashes to entry.
func (f *fold) add(tx *dsl.Tx, entry dsl.Hash) error {
	if tx.Seq != f.to+1 {
		return fmt.Errorf("neo4j: space %q: %w: %s comes after %s", f.space, dsl.ErrCorrupt, tx.Seq, f.to)
	}
	f.to, f.time, f.entry = tx.Seq, tx.Time, entry
	for _, n := range tx.Nodes {
		f.out.add(nodeTable, f.row(n.ID, string(n.Kind), text(n.Name), norm(n.Name), int64(tx.Seq), at(tx.Time)))
	}
	if tx.Turn != nil {
		if err := f.turn(tx); err != nil {
			return err
		}
	}
	for i := range tx.Operations {
		if err := f.operation(tx, i); err != nil {
			return fmt.Errorf("neo4j: space %q %s operation %d: %w", f.space, tx.Seq, i, err)
		}
	}
	return nil
}

// turn folds the turn of a transaction, which may replace another.
func (f *fold) turn(tx *dsl.Tx) error {
	t := tx.Turn
	f.out.add(turnTable, f.row(turnRow(t, tx.Seq, tx.Time)...))
	f.turns[t.ID] = tx.Time
	for id := t.Replaces; id != ""; {
		next, here := f.replaced[id]
		if !here {
			old, err := f.base.Turn(id)
			if _, fresh := f.turns[id]; errors.Is(err, dsl.ErrNotFound) && !fresh {
				return nil
			} else if err != nil && !errors.Is(err, dsl.ErrNotFound) {
				return err
			}
			next = old.ReplacedBy
		}
		if next == "" {
			f.replaced[id] = t.ID
			f.out.turns = append(f.out.turns, f.row(id, t.ID, at(tx.Time)))
			f.out.weight++
			return nil
		}
		id = next
	}
	return nil
}

// turnRow gives the columns of a turn behind the space. Whether another replaces
// it is set later.
func turnRow(t *dsl.Turn, seq dsl.Seq, recorded dsl.Instant) row {
	return row{t.ID, str(t.Session), text(t.Speaker), text(t.Listener), at(t.TS), str(t.Zone), text(t.Text), str(t.Replaces), int64(seq), at(recorded), nil, nil}
}

// turnOf gives the turn that a transaction is about.
func turnOf(tx *dsl.Tx) string {
	if tx.Turn != nil {
		return tx.Turn.ID
	}
	return tx.TurnID
}

func (f *fold) operation(tx *dsl.Tx, i int) error {
	op := &tx.Operations[i]
	switch op.Kind {
	case dsl.UpsertEdge:
		return f.open(tx, i, op.Version, op.Src, op.Rel, false)
	case dsl.RetroCorrectOp:
		old, err := f.version(op.ID, op.Version)
		if err != nil {
			return err
		}
		f.close(old, tx, op)
		if op.Retract {
			return nil
		}
		return f.open(tx, i, op.Next, old.src, old.rel, old.archived)
	case dsl.ArchiveEdge:
		x, err := f.fact(op.ID)
		if err != nil {
			return err
		}
		for _, v := range x.open {
			if !v.archived {
				v.archived = true
				f.change(v, "archived_from", at(tx.Time))
			}
		}
		return nil
	case dsl.UpsertEvent:
		return f.event(tx, op)
	case dsl.Link:
		if op.Link == dsl.EvidenceLink {
			return f.witness(tx, i)
		}
		f.link(tx, op)
		return nil
	}
	return fmt.Errorf("%w: operation %q", dsl.ErrCorrupt, op.Kind)
}

// fact gives a fact with its open versions; one that is not there has none.
func (f *fold) fact(id string) (*fact, error) {
	if x := f.facts[id]; x != nil {
		return x, nil
	}
	x := &fact{first: dsl.Forever}
	list, err := f.base.Fact(id)
	if err != nil && !errors.Is(err, dsl.ErrNotFound) {
		return nil, err
	}
	for i := range list {
		b := &list[i]
		x.first = min(x.first, b.Record.Start)
		if b.Closed != 0 {
			continue
		}
		v := &version{id: id, number: b.FactVersion.Version, src: b.Src, rel: b.Rel, archived: b.Status == dsl.StatusArchived,
			confidence: b.Confidence, evidence: slices.Clone(b.Evidence)}
		x.open = append(x.open, v)
		f.order = append(f.order, v)
	}
	f.facts[id] = x
	return x, nil
}

// version gives an open version.
func (f *fold) version(id string, number uint32) (*version, error) {
	x, err := f.fact(id)
	if err != nil {
		return nil, err
	}
	for _, v := range x.open {
		if v.number == number {
			return v, nil
		}
	}
	return nil, fmt.Errorf("%w: fact %s has no open version %d", dsl.ErrCorrupt, id, number)
}

// open opens a version with the values of operation i.
func (f *fold) open(tx *dsl.Tx, i int, number uint32, src, rel string, archived bool) error {
	op := &tx.Operations[i]
	x := f.facts[op.ID]
	if x == nil && op.Kind == dsl.UpsertEdge && number == 1 {
		x = &fact{first: tx.Time} // the store has seen to it that it is the first
		f.facts[op.ID] = x
	}
	if x == nil {
		var err error
		if x, err = f.fact(op.ID); err != nil {
			return err
		}
	}
	if number == 1 {
		f.out.add(anchorTable, f.row(op.ID))
	}
	x.first = min(x.first, tx.Time)
	v := &version{id: op.ID, number: number, src: src, rel: rel, archived: archived, confidence: op.Confidence, evidence: slices.Clone(op.Evidence)}
	archivedFrom := dsl.Forever
	if archived {
		archivedFrom = tx.Time
	}
	v.row = f.row(src, op.Dst, op.ID, int64(number), rel, text(op.Relation), at(op.Valid.Start), at(op.Valid.End), int64(tx.Seq), int64(0),
		at(tx.Time), at(dsl.Forever), at(archivedFrom), op.Confidence, op.Confidence, nil, nil, str(op.Source), texts(op.Evidence),
		string(op.Kind), text(op.Reason), str(turnOf(tx)), nil, nil, nil)
	x.open = append(x.open, v)
	f.order = append(f.order, v)
	f.out.weight++
	for n, turn := range op.Evidence {
		f.out.add(evidenceTable, f.row(turn, op.ID, int64(number), int64(tx.Seq), int64(i), int64(n), at(tx.Time), at(dsl.Forever)))
	}
	return nil
}

// close ends a version's record interval.
func (f *fold) close(v *version, tx *dsl.Tx, op *dsl.Op) {
	f.change(v, "closed", int64(tx.Seq))
	f.change(v, "record_to", at(tx.Time))
	f.change(v, "close_op", string(op.Kind))
	f.change(v, "close_reason", text(op.Reason))
	f.change(v, "close_turn", str(turnOf(tx)))
	x := f.facts[v.id]
	x.open = slices.DeleteFunc(x.open, func(o *version) bool { return o == v })
}

// change sets a property of a version.
func (f *fold) change(v *version, name string, value any) {
	if v.row != nil {
		v.row[factTable.column(name)] = value
		return
	}
	if v.set == nil {
		v.set = map[string]any{}
		f.out.weight++
	}
	v.set[name] = value
}

// witness folds an evidence link: a turn says a fact again, or is taken back.
func (f *fold) witness(tx *dsl.Tx, i int) error {
	op := &tx.Operations[i]
	x, err := f.fact(op.To)
	if err != nil {
		return err
	}
	for _, v := range x.open {
		had := slices.Contains(v.evidence, op.From)
		before := v.confidence
		switch {
		case op.Retract:
			v.evidence = slices.DeleteFunc(v.evidence, func(id string) bool { return id == op.From })
			if op.Confidence > 0 {
				v.confidence = op.Confidence
			}
			if had {
				f.out.forgets = append(f.out.forgets, f.row(op.From, op.To, int64(v.number), int64(tx.Seq), int64(i), at(tx.Time)))
				f.out.weight++
			}
		default:
			if !had {
				v.evidence = append(v.evidence, op.From)
				f.out.add(evidenceTable, f.row(op.From, op.To, int64(v.number), int64(tx.Seq), int64(i), int64(0), at(tx.Time), at(dsl.Forever)))
			}
			v.confidence = dsl.FoldConfidence(v.confidence, op.Confidence)
		}
		v.said = v.said || had == op.Retract
		if v.confidence != before {
			v.said = true
			v.steps, v.stepsFrom = append(v.steps, v.confidence), append(v.stepsFrom, at(tx.Time))
		}
	}
	return nil
}

// linkTables are the tables of links by kind.
var linkTables = map[dsl.LinkKind]*table{dsl.AliasOf: aliasTable, dsl.MentionLink: mentionTable, dsl.EventLink: tiedTable}

// link folds a link between two nodes or events. Whether it is open already the
// graph tells.
func (f *fold) link(tx *dsl.Tx, op *dsl.Op) {
	t := linkTables[op.Link]
	f.out.links = append(f.out.links, linkChange{t, op.Retract,
		f.row(linkEnds(op.Link, op.From, op.To, op.ID, int64(tx.Seq), at(tx.Time), at(dsl.Forever), text(op.Reason))...)})
	f.out.weight++
}

// linkEnds gives the columns of a link behind the space: events are linked at
// their first versions, which are always there.
func linkEnds(kind dsl.LinkKind, from, to string, more ...any) row {
	if kind == dsl.EventLink {
		return append(row{from, int64(1), to, int64(1)}, more...)
	}
	return append(row{from, to}, more...)
}

// finish completes the rows. The fold takes no more transactions.
func (f *fold) finish() (*changes, error) {
	for _, v := range f.order {
		switch {
		case v.row != nil:
			if v.said {
				v.row[factTable.column("confidence")], v.row[factTable.column("evidence")] = v.confidence, texts(v.evidence)
			}
			if len(v.steps) > 0 {
				v.row[factTable.column("confidence_steps")], v.row[factTable.column("confidence_from")] = v.steps, v.stepsFrom
			}
			f.out.add(factTable, v.row)
			continue
		case v.said:
			f.change(v, "confidence", v.confidence)
			f.change(v, "evidence", texts(v.evidence))
		}
		if v.set != nil {
			f.out.facts = append(f.out.facts, f.row(v.id, int64(v.number), v.set))
		}
		if len(v.steps) > 0 {
			f.out.steps = append(f.out.steps, f.row(v.id, int64(v.number), v.steps, v.stepsFrom))
		}
	}
	return &f.out, f.settle()
}
