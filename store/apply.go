package store

import (
	"errors"
	"fmt"
	"slices"

	"github.com/asof-db/asof/dsl"
)

// apply is one transaction on its way into a batch.
type apply struct {
	st   *Stage
	tx   *dsl.Tx
	keys keySpace
	pos  positionRow
	view *snapshot // the state before the transaction
	// nodes are those first written by this transaction.
	nodes map[string]dsl.Node
	// states are the keys touched, in order of first touch.
	states []*touched
	byKey  map[treeID]*touched // once there are many
	turnID string
	// rules are those that the operations follow from.
	rules []string
	// changeBytes are the changes so far, as a position row has them.
	changeBytes []byte
	changeCount uint64
	// index of the operation being applied.
	op int
}

// touched is a (src, rel) key with its tree as changed so far.
type touched struct {
	id       treeID
	src, rel string
	tree     *keyTree
	load     nodeLoader
}

func (st *Stage) apply(tx *dsl.Tx, entry dsl.Hash) (err error) {
	before, err := st.head(tx.Space)
	if err != nil {
		return err
	}
	if err := follows(&before, tx); err != nil {
		return err
	}
	a := &apply{st: st, tx: tx, pos: before.positionRow}
	a.view = newSnapshot(st.s, st.rows, tx.Space, before.Seq, st)
	a.keys = a.view.keys
	a.view.life = before.dropped
	defer func() { err = errors.Join(err, a.view.Close()) }()
	if before.openedFacts > 0 {
		a.pos.factsBefore = before.Seq
	}
	a.pos.changed, a.pos.changes, a.pos.openedFacts = 0, nil, 0
	a.pos.Seq, a.pos.Time, a.pos.Entry, a.pos.Kind, a.pos.Settings = tx.Seq, tx.Time, entry, tx.Kind, tx.SettingsHash
	switch {
	case tx.Turn != nil:
		a.turnID = tx.Turn.ID
	case tx.TurnID != "":
		a.turnID = tx.TurnID
	}
	a.pos.Turn, a.rules = a.turnID, tx.Rules()

	for _, step := range []func() error{a.space, a.settings, a.drop, a.writeNodes, a.turn, a.known, a.memory, a.operations, a.writeStates} {
		if err := step(); err != nil {
			return err
		}
	}
	a.pos.changed, a.pos.changes = a.changeCount, a.changeBytes
	if len(a.changeBytes) > maxChanges {
		a.pos.changes = nil
		if err := a.set(a.keys.seq(clChange, tx.Seq), a.changeBytes); err != nil {
			return err
		}
	}
	st.s.buf = a.pos.append(st.s.buf[:0])
	if err := a.set(a.keys.seq(clPosition, tx.Seq), st.s.buf); err != nil {
		return err
	}
	st.heads[tx.Space] = head{a.pos} // the digest follows from the rows, for who asks
	return nil
}

// follows checks the chain and the record time (I3).
func follows(h *head, tx *dsl.Tx) error {
	switch {
	case tx.Seq != h.Seq+1:
		return fmt.Errorf("%w: it follows %s; the log has a gap or repeats", dsl.ErrCorrupt, h.Seq)
	case tx.Prev != h.Entry:
		return fmt.Errorf("%w: it names %s as the entry before, which hashes to %s: the chain is broken", dsl.ErrCorrupt, tx.Prev, h.Entry)
	case h.Seq > 0 && tx.Time <= h.Time:
		return fmt.Errorf("%w: record time %s does not rise above %s (I3)", dsl.ErrCorrupt, tx.Time, h.Time)
	case tx.Settings == nil && tx.SettingsHash != h.Settings:
		return fmt.Errorf("%w: it runs under settings %s that were never written", dsl.ErrCorrupt, tx.SettingsHash)
	}
	return nil
}

func (a *apply) set(key, value []byte) error {
	a.st.s.seen.add(key)
	return a.st.rows.Set(key, value)
}

// setLogical writes a row that enters the digest.
func (a *apply) setLogical(key, value []byte) error {
	a.pos.acc.add(key[len(a.keys.prefix):], value)
	return a.set(key, value)
}

func (a *apply) space() error {
	if a.tx.Seq != 1 {
		return nil
	}
	h := hash8(a.tx.Space)
	key := append([]byte{tableSpace}, h[:]...)
	if name, ok, err := a.st.rows.get(key); err != nil {
		return err
	} else if ok && string(name) != a.tx.Space {
		return fmt.Errorf("%w: spaces %q and %q have the same key; rename one", dsl.ErrConflict, name, a.tx.Space)
	}
	return a.set(key, []byte(a.tx.Space))
}

func (a *apply) settings() error {
	if a.tx.Settings == nil {
		return nil
	}
	key := a.keys.hash(clSettings, a.tx.SettingsHash)
	if _, ok, err := a.st.rows.get(key); err != nil || ok {
		return err // the same settings came back into force
	}
	text, err := dsl.Canonical(a.tx.Settings)
	if err != nil {
		return err
	}
	return a.setLogical(key, append(appendVar(nil, uint64(a.tx.Seq)), text...))
}

// drop removes every row of the space. What follows starts from nothing but the
// chain.
func (a *apply) drop() error {
	if a.tx.Kind != dsl.TxDrop {
		return nil
	}
	// The settings in force must still be found by hash.
	var text []byte
	var err error
	if a.tx.Settings != nil { // not in the view, which is the one before
		text, err = dsl.Canonical(a.tx.Settings)
	} else {
		text, err = a.view.settingsText(a.tx.SettingsHash)
	}
	if err != nil {
		return err
	}
	p := a.keys.prefix[:]
	a.st.rows.drop(p)
	fresh := positionRow{Position: a.pos.Position, dropped: a.tx.Seq}
	a.st.places[a.tx.Space] = 0
	a.st.s.tails.forget(func(space string) bool { return space == a.tx.Space })
	fresh.Turns, fresh.Facts, fresh.Events, fresh.Open = 0, 0, 0, 0
	a.pos = fresh
	a.st.dropped = append(a.st.dropped, a.tx.Space)
	clear(a.st.lasts)
	a.st.s.trees.forget([8]byte(a.keys.prefix[1:]))
	a.st.s.recent.clear()
	a.st.s.names.clear()
	return a.setLogical(a.keys.hash(clSettings, a.tx.SettingsHash), append(appendVar(nil, uint64(a.tx.Seq)), text...))
}

func (a *apply) writeNodes() error {
	for _, n := range a.tx.Nodes {
		key := a.keys.id(clNode, n.ID)
		if _, ok, err := a.st.rows.get(key); err != nil {
			return err
		} else if ok {
			return fmt.Errorf("%w: node %s is written a second time", dsl.ErrCorrupt, n.ID)
		}
		if !slices.Contains(dsl.NodeKinds, n.Kind) {
			return fmt.Errorf("%w: node %s is of kind %q", dsl.ErrCorrupt, n.ID, n.Kind)
		}
		row := nodeRow{Node: n, seq: a.tx.Seq}
		if err := a.setLogical(key, row.encode()); err != nil {
			return err
		}
		if a.nodes == nil {
			a.nodes = map[string]dsl.Node{}
		}
		a.nodes[n.ID] = n
	}
	return nil
}

// name gives the name that a node was first written by.
func (a *apply) name(id string) (string, error) {
	if n, ok := a.nodes[id]; ok {
		return n.Name.Open()
	}
	var key rowKey
	u := id16(id)
	copy(key[:8], a.keys.prefix[1:])
	copy(key[8:], u[:])
	if name, ok := a.st.s.names.get(&key); ok {
		return name, nil
	}
	n, err := a.view.Node(id)
	if err != nil {
		if errors.Is(err, dsl.ErrNotFound) {
			return "", fmt.Errorf("%w: node %s was never written", dsl.ErrCorrupt, id)
		}
		return "", err
	}
	name, err := n.Name.Open()
	if err == nil {
		a.st.s.names.put(&key, name)
	}
	return name, err
}

func (a *apply) turn() error {
	t := a.tx.Turn
	if t == nil {
		return nil
	}
	idKey := a.keys.id(clTurnID, t.ID)
	if _, ok, err := a.st.rows.get(idKey); err != nil {
		return err
	} else if ok {
		return fmt.Errorf("%w: turn %q is recorded a second time", dsl.ErrCorrupt, t.ID)
	}
	doc := int(a.pos.Turns)
	row := Turn{Turn: *t, Seq: a.tx.Seq, Record: a.tx.Time}
	value, err := encodeTurn(&row)
	if err != nil {
		return err
	}
	if err := a.setLogical(appendU32(a.keys.class(clTurn), uint32(doc)), value); err != nil {
		return err
	}
	if err := a.set(idKey, appendVar(nil, uint64(doc))); err != nil {
		return err
	}
	a.pos.Turns++
	if err := a.replaces(t, uint32(doc)); err != nil {
		return err
	}
	return a.indexTurn(t)
}

func (a *apply) known() error {
	var key dsl.Hash
	switch a.tx.Kind {
	case dsl.TxTurn, dsl.TxCandidates:
		key = CandidatesKey(a.turnID, a.tx.CandidatesHash)
		if err := a.candidates(); err != nil {
			return err
		}
	case dsl.TxOps:
		key = OpsKey(a.tx.OpsHash)
	case dsl.TxBackfill:
		key = GapKey(a.tx.Gap.ID)
	default:
		return nil
	}
	return a.set(a.keys.known(key), appendVar(nil, uint64(a.tx.Seq)))
}

func (a *apply) operations() error {
	for i := range a.tx.Operations {
		a.op = i
		o := &a.tx.Operations[i]
		var err error
		switch o.Kind {
		case dsl.UpsertEdge:
			err = a.upsert(o)
		case dsl.RetroCorrectOp:
			err = a.retroCorrect(o)
		case dsl.ArchiveEdge:
			err = a.archive(o)
		case dsl.UpsertEvent:
			err = a.event(o)
		case dsl.Link:
			err = a.link(o)
		default:
			err = fmt.Errorf("%w: op %q", dsl.ErrCorrupt, o.Kind)
		}
		if err != nil {
			return fmt.Errorf("operation %d %s %s: %w", i, o.Kind, o.ID, err)
		}
	}
	return nil
}

// open writes a new version and everything that finds it.
func (a *apply) open(src, rel string, e entry, o *dsl.Op) error {
	t, err := a.touch(src, rel)
	if err != nil {
		return err
	}
	key := a.keys.idVersion(clVersion, e.id, e.version)
	if _, ok, err := a.st.rows.get(key); err != nil {
		return err
	} else if ok {
		return fmt.Errorf("%w: version %d is opened a second time", dsl.ErrCorrupt, e.version)
	}
	e.op, e.opened, e.openedAt = a.op, a.tx.Seq, a.tx.Time
	if err := t.tree.put(&change{kind: chOpen, entry: e}, e.spot(), t.load); err != nil {
		return err
	}
	a.st.s.recent.put(versionKeyOf(key), versionAt{src, rel, e.spot()})
	row := versionRow{entry: e, src: src, rel: rel, opKind: o.Kind, reason: o.Reason, turn: a.turnID, rule: a.rules[a.op]}
	buf := &a.st.s.buf
	*buf = row.append((*buf)[:0])
	if err := a.setLogical(key, *buf); err != nil {
		return err
	}
	if err := a.setValue(src, rel, &e); err != nil {
		return err
	}
	for _, turn := range e.evidence {
		if err := a.evidence(turn, e.id); err != nil {
			return err
		}
	}
	a.pos.Facts++
	a.pos.openedFacts++
	if !e.archived {
		a.pos.Open++
	}
	return a.indexFact(src, rel, &e)
}

// setValue writes the row by which the key of a version is found by its value.
func (a *apply) setValue(src, rel string, e *entry) error {
	buf := &a.st.s.buf
	*buf = append(appendID((*buf)[:0], src), rel...)
	return a.set(a.keys.idSeqOp(clDst, e.dst, a.tx.Seq, a.op), *buf)
}

func (a *apply) evidence(turn, fact string) error {
	return a.set(a.keys.idSeqOp(clEvidence, turn, a.tx.Seq, a.op), appendID(nil, fact))
}

// change notes what the operation changes, before it does.
func (a *apply) change(c changeRow) {
	a.changeBytes = appendChangeRow(a.changeBytes, a.op, &c)
	a.changeCount++
}

func (a *apply) upsert(o *dsl.Op) error {
	e := entry{id: o.ID, version: o.Version, dst: o.Dst, relation: o.Relation, valid: *o.Valid,
		confidence: o.Confidence, source: o.Source, evidence: o.Evidence}
	a.change(changeRow{kind: o.Kind, id: o.ID, opened: o.Version})
	return a.open(o.Src, o.Rel, e, o)
}

// closing gives the row of what the operation under way closes or archives.
func (a *apply) closing(o *dsl.Op) closingRow {
	return closingRow{seq: a.tx.Seq, at: a.tx.Time, op: a.op, opKind: o.Kind, reason: o.Reason, turn: a.turnID, rule: a.rules[a.op]}
}

func (a *apply) retroCorrect(o *dsl.Op) error {
	at, ok, err := a.where(o.ID, o.Version)
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("%w: fact %s has no version %d", dsl.ErrCorrupt, o.ID, o.Version)
	}
	old, open, err := a.version(o.ID, o.Version, &at)
	if err != nil {
		return err
	}
	if !open {
		return fmt.Errorf("%w: version %d is not open", dsl.ErrCorrupt, o.Version)
	}
	if err := old.change(change{kind: chClose}); err != nil {
		return err
	}
	closing := a.closing(o)
	if err := a.setLogical(a.keys.idVersion(clClosing, o.ID, o.Version), closing.encode()); err != nil {
		return err
	}
	if !old.archived {
		a.pos.Open--
	}
	c := changeRow{kind: o.Kind, id: o.ID, closed: o.Version}
	if o.Retract {
		a.change(c)
	} else {
		c.opened = o.Next
		a.change(c)
		e := entry{id: o.ID, version: o.Next, dst: o.Dst, relation: o.Relation, valid: *o.Valid, archived: old.archived,
			confidence: o.Confidence, source: o.Source, evidence: o.Evidence}
		return a.open(old.src, old.rel, e, o)
	}
	return nil
}

func (a *apply) archive(o *dsl.Op) error {
	open, err := a.openVersions(o.ID)
	if err != nil {
		return err
	}
	row := changeRow{kind: o.Kind, id: o.ID}
	for i := range open {
		v := &open[i]
		if !v.archived {
			a.pos.Open--
			row.archived = append(row.archived, v.version)
		}
		if err := v.change(change{kind: chArchive}); err != nil {
			return err
		}
	}
	closing := a.closing(o)
	if err := a.setLogical(a.keys.idSeqOp(clArchive, o.ID, a.tx.Seq, a.op), closing.encode()); err != nil {
		return err
	}
	a.change(row)
	return nil
}

func (a *apply) event(o *dsl.Op) error {
	n, err := a.st.lastVersion(a.keys.id(clEvent, o.ID))
	if err != nil {
		return err
	}
	if o.Version != n+1 {
		return fmt.Errorf("%w: event %s has %d versions, the next is not %d", dsl.ErrCorrupt, o.ID, n, o.Version)
	}
	e := eventRow{Event: dsl.Event{ID: o.ID, Version: o.Version, Summary: o.Summary, Span: *o.Span, Participants: o.Participants,
		Includes: o.Includes, Evidence: o.Evidence, Status: o.Status, Opened: a.tx.Seq,
		Record: dsl.Interval{Start: a.tx.Time}}, reason: o.Reason, turn: a.turnID}
	if err := a.setLogical(a.keys.idVersion(clEvent, o.ID, o.Version), e.encode()); err != nil {
		return err
	}
	if o.Version == 1 {
		if err := a.set(a.keys.seqOp(clEventKey, a.tx.Seq, a.op), appendStr(nil, o.ID)); err != nil {
			return err
		}
	}
	for _, id := range involved(&e.Event) {
		if err := a.set(a.keys.idSeqOp(clInvolved, id, a.tx.Seq, a.op), appendStr(nil, o.ID)); err != nil {
			return err
		}
	}
	a.pos.Events++
	return a.indexEvent(o)
}

func (a *apply) link(o *dsl.Op) error {
	row := linkRow{id: o.ID, kind: o.Link, from: o.From, to: o.To, retract: o.Retract, confidence: o.Confidence, reason: o.Reason}
	if err := a.setLogical(a.keys.idSeqOp(clLink, o.ID, a.tx.Seq, a.op), row.encode()); err != nil {
		return err
	}
	switch o.Link {
	case dsl.AliasOf:
		for i, end := range [][2]string{{o.From, o.To}, {o.To, o.From}} {
			flags := byte(i << 1) // bit 0: the link is closed; bit 1: seen from its far end
			if o.Retract {
				flags |= 1
			}
			if err := a.set(a.keys.idSeqOp(clAlias, end[0], a.tx.Seq, a.op), append(appendID(nil, end[1]), flags)); err != nil {
				return err
			}
		}
	case dsl.EvidenceLink:
		open, err := a.openVersions(o.To)
		if err != nil {
			return err
		}
		for i := range open {
			c := change{kind: chEvidence, turn: o.From, confidence: o.Confidence}
			if o.Retract {
				c.kind = chForget
			}
			if err := open[i].change(c); err != nil {
				return err
			}
		}
		return a.evidence(o.From, o.To)
	}
	return nil
}

func (a *apply) writeStates() error {
	for _, t := range a.states {
		prefix := t.id.prefix()
		w := rowWriter{at: a.tx.Time, buf: &a.st.s.buf, set: func(node uint32, row []byte) error {
			return a.set(stateAt(prefix, node, a.tx.Seq), row)
		}}
		if err := t.tree.settle(&w); err != nil {
			return err
		}
	}
	a.st.s.trees.trim()
	return nil
}
