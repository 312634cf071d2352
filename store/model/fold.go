package model

import (
	"fmt"
	"slices"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// state is all that a prefix of the transactions says, in the order said.
type state struct {
	basis store.Basis
	// dropped is the last position that dropped the space, 0 for none.
	dropped   dsl.Seq
	positions []store.Position
	settings  []*dsl.Settings
	nodes     []dsl.Node
	turns     []store.Turn
	versions  []*version
	events    []*dsl.Event
	links     []*link
	known     []known
	memories  []dsl.Memory // of each that was left, in order
	held      map[dsl.HeldRef]store.Held
	// witnesses are the evidence links, as they came.
	witnesses []dsl.Op
}

// version is a fact version and where it was opened and archived.
type version struct {
	store.Version
	// archived tells whether it is out of the working set; archivedAt is the
	// operation that took it out, if it was not born so.
	archived   bool
	archivedAt place
	openedAt   place
}

// place is an operation of a transaction.
type place struct {
	seq dsl.Seq
	op  int
}

type link struct {
	id       string
	kind     dsl.LinkKind
	from, to string
	open     bool
}

type known struct {
	key dsl.Hash
	seq dsl.Seq
}

func newState(space string) *state {
	return &state{basis: store.Basis{Space: space, Time: dsl.Beginning}}
}

// apply folds the next transaction.
func (s *state) apply(tx *dsl.Tx, entry dsl.Hash) error {
	s.basis.Seq, s.basis.Time, s.basis.Settings = tx.Seq, tx.Time, tx.SettingsHash
	if tx.Settings != nil {
		s.settings = append(s.settings, tx.Settings)
	}
	inForce, err := s.settingsAt(tx.SettingsHash)
	if err != nil {
		return fmt.Errorf("%w: settings %s were never written", dsl.ErrCorrupt, tx.SettingsHash)
	}
	if tx.Kind == dsl.TxDrop {
		*s = state{basis: s.basis, dropped: tx.Seq, settings: []*dsl.Settings{inForce}}
	}
	for _, n := range tx.Nodes {
		if _, ok := s.node(n.ID); ok {
			return fmt.Errorf("%w: node %s is written again", dsl.ErrCorrupt, n.ID)
		}
		s.nodes = append(s.nodes, n)
	}
	if err := s.source(tx); err != nil {
		return err
	}
	s.remember(tx)
	for i := range tx.Operations {
		if err := s.operation(tx, i); err != nil {
			return fmt.Errorf("operation %d: %w", i, err)
		}
	}
	s.positions = append(s.positions, store.Position{
		Seq: tx.Seq, Time: tx.Time, Entry: entry, Kind: tx.Kind, Turn: turnOf(tx), Settings: tx.SettingsHash,
		Turns: uint64(len(s.turns)), Facts: uint64(len(s.versions)), Events: uint64(len(s.events)),
		Open: s.countOpen(),
	})
	return nil
}

// source records what the transaction came from.
func (s *state) source(tx *dsl.Tx) error {
	_, recorded := s.turn(turnOf(tx))
	switch tx.Kind {
	case dsl.TxTurn:
		if recorded {
			return fmt.Errorf("%w: turn %q is recorded again", dsl.ErrCorrupt, tx.Turn.ID)
		}
		s.replace(tx.Turn)
		s.turns = append(s.turns, store.Turn{
			Turn: *tx.Turn, Seq: tx.Seq, Record: tx.Time, Hash: tx.TurnHash, Doc: len(s.turns),
		})
		s.known = append(s.known, known{store.CandidatesKey(tx.Turn.ID, tx.CandidatesHash), tx.Seq})
	case dsl.TxCandidates:
		if !recorded {
			return fmt.Errorf("%w: candidates for turn %q, which is not recorded", dsl.ErrCorrupt, tx.TurnID)
		}
		s.known = append(s.known, known{store.CandidatesKey(tx.TurnID, tx.CandidatesHash), tx.Seq})
	case dsl.TxOps:
		s.known = append(s.known, known{store.OpsKey(tx.OpsHash), tx.Seq})
	case dsl.TxBackfill:
		s.known = append(s.known, known{store.GapKey(tx.Gap.ID), tx.Seq})
	case dsl.TxDrop:
	default:
		return fmt.Errorf("%w: kind %q", dsl.ErrCorrupt, tx.Kind)
	}
	return nil
}

// replace lets a turn stand in the place of the one that it is an edit of, or of
// the one that stands there.
func (s *state) replace(edit *dsl.Turn) {
	id := edit.Replaces
	for i := 0; i < len(s.turns); i++ {
		t := &s.turns[i] // an edit comes after what it replaces
		if t.ID != id {
			continue
		}
		if t.ReplacedBy == "" {
			t.ReplacedBy = edit.ID
			return
		}
		id = t.ReplacedBy
	}
}

// turnOf gives the id of the turn that a transaction is about, if any.
func turnOf(tx *dsl.Tx) string {
	if tx.Turn != nil {
		return tx.Turn.ID
	}
	return tx.TurnID
}

// operation folds operation i of tx.
func (s *state) operation(tx *dsl.Tx, i int) error {
	at := place{tx.Seq, i}
	op := &tx.Operations[i]
	if err := op.Validate(); err != nil {
		return fmt.Errorf("%w: %v", dsl.ErrCorrupt, err)
	}
	switch op.Kind {
	case dsl.UpsertEdge:
		return s.open(tx, at, op, op.Version, op.Src, op.Rel, false)
	case dsl.RetroCorrectOp:
		return s.correct(tx, at, op)
	case dsl.ArchiveEdge:
		return s.archive(at, op)
	case dsl.UpsertEvent:
		return s.event(tx, op)
	case dsl.Link:
		s.link(op)
		return nil
	default:
		return fmt.Errorf("%w: op %q", dsl.ErrCorrupt, op.Kind)
	}
}

// open opens a version of fact op.ID with the values of op.
func (s *state) open(tx *dsl.Tx, at place, op *dsl.Op, number uint32, src, rel string, archived bool) error {
	from, ok1 := s.node(src)
	to, ok2 := s.node(op.Dst)
	if !ok1 || !ok2 {
		return fmt.Errorf("%w: fact %s joins %s and %s, not both of which are written", dsl.ErrCorrupt, op.ID, src, op.Dst)
	}
	if s.version(op.ID, number) != nil {
		return fmt.Errorf("%w: fact %s version %d is opened again", dsl.ErrCorrupt, op.ID, number)
	}
	v := &version{archived: archived, openedAt: at}
	v.FactVersion = dsl.FactVersion{
		ID: op.ID, Version: number,
		Src: src, SrcName: from.Name, Rel: rel, Relation: op.Relation,
		Dst: op.Dst, DstName: to.Name, DstKind: to.Kind,
		Valid: *op.Valid, Record: dsl.Since(tx.Time), Opened: tx.Seq,
		Source: op.Source, Evidence: slices.Clone(op.Evidence), Confidence: op.Confidence,
	}
	v.Op, v.Reason, v.Turn, v.Rule, v.Stated = op.Kind, op.Reason, turnOf(tx), tx.Rules()[at.op], op.Confidence
	s.versions = append(s.versions, v)
	return nil
}

// correct closes a version and opens its successor, if it has one.
func (s *state) correct(tx *dsl.Tx, at place, op *dsl.Op) error {
	old := s.version(op.ID, op.Version)
	if old == nil || !old.isOpen() {
		return fmt.Errorf("%w: fact %s version %d is closed but was not open", dsl.ErrCorrupt, op.ID, op.Version)
	}
	old.Record.End, old.Closed = tx.Time, tx.Seq
	old.CloseOp, old.CloseReason, old.CloseTurn, old.CloseRule = op.Kind, op.Reason, turnOf(tx), tx.Rules()[at.op]
	if op.Retract {
		return nil
	}
	return s.open(tx, at, op, op.Next, old.Src, old.Rel, old.archived)
}

func (s *state) archive(at place, op *dsl.Op) error {
	found := false
	for _, v := range s.versions {
		if v.ID != op.ID {
			continue
		}
		found = true
		if v.isOpen() && !v.archived {
			v.archived, v.archivedAt = true, at
		}
	}
	if !found {
		return fmt.Errorf("%w: fact %s is archived but was never opened", dsl.ErrCorrupt, op.ID)
	}
	return nil
}

func (s *state) event(tx *dsl.Tx, op *dsl.Op) error {
	var last *dsl.Event
	next := uint32(1)
	for _, e := range s.events {
		if e.ID == op.ID {
			last, next = e, e.Version+1
		}
	}
	if op.Version != next {
		return fmt.Errorf("%w: the next version of event %s is %d, not %d", dsl.ErrCorrupt, op.ID, next, op.Version)
	}
	if last != nil {
		last.Record.End, last.Closed = tx.Time, tx.Seq
	}
	s.events = append(s.events, &dsl.Event{
		ID: op.ID, Version: op.Version, Summary: op.Summary, Span: *op.Span, Status: op.Status,
		Participants: slices.Clone(op.Participants), Includes: slices.Clone(op.Includes), Evidence: slices.Clone(op.Evidence),
		Record: dsl.Since(tx.Time), Opened: tx.Seq,
	})
	return nil
}

func (s *state) link(op *dsl.Op) {
	if op.Link == dsl.EvidenceLink {
		s.witnesses = append(s.witnesses, *op)
		for _, v := range s.versions {
			if v.ID == op.To && v.isOpen() {
				v.evidence(op)
			}
		}
		return
	}
	for _, l := range s.links {
		if l.id == op.ID {
			l.open = !op.Retract
			return
		}
	}
	if !op.Retract {
		s.links = append(s.links, &link{id: op.ID, kind: op.Link, from: op.From, to: op.To, open: true})
	}
}

// evidence folds one evidence link into the version.
func (v *version) evidence(op *dsl.Op) {
	if op.Retract {
		v.Evidence = slices.DeleteFunc(v.Evidence, func(id string) bool { return id == op.From })
		if op.Confidence > 0 {
			v.Confidence = op.Confidence
		}
		return
	}
	if !slices.Contains(v.Evidence, op.From) {
		v.Evidence = append(v.Evidence, op.From)
	}
	v.Confidence = dsl.FoldConfidence(v.Confidence, op.Confidence)
}

func (s *state) countOpen() (n uint64) {
	for _, v := range s.versions {
		if v.isOpen() && !v.archived {
			n++
		}
	}
	return n
}

func (v *version) isOpen() bool { return v.Closed == 0 }

func (s *state) node(id string) (dsl.Node, bool) {
	for _, n := range s.nodes {
		if n.ID == id {
			return n, true
		}
	}
	return dsl.Node{}, false
}

func (s *state) turn(id string) (store.Turn, bool) {
	for _, t := range s.turns {
		if t.ID == id {
			return t, true
		}
	}
	return store.Turn{}, false
}

func (s *state) version(id string, number uint32) *version {
	for _, v := range s.versions {
		if v.ID == id && v.FactVersion.Version == number {
			return v
		}
	}
	return nil
}

func (s *state) settingsAt(h dsl.Hash) (*dsl.Settings, error) {
	for _, x := range s.settings {
		if got, err := x.Hash(); err != nil {
			return nil, err
		} else if got == h {
			return x, nil
		}
	}
	return nil, fmt.Errorf("settings %s: %w", h, dsl.ErrNotFound)
}
