package model

import (
	"fmt"
	"slices"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// state is all that a prefix of the transactions says, in the order said.
type state struct {
	basis     store.Basis
	positions []store.Position
	settings  []*dsl.Settings
	nodes     []dsl.Node
	turns     []store.Turn
	versions  []*version
	events    []*dsl.Event
	links     []*link
	known     []known
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
	if _, err := s.settingsAt(tx.SettingsHash); err != nil {
		return fmt.Errorf("%w: settings %s were never written", dsl.ErrCorrupt, tx.SettingsHash)
	}
	for _, n := range tx.Nodes {
		if _, ok := s.node(n.ID); ok {
			return fmt.Errorf("%w: node %s is written again", dsl.ErrCorrupt, n.ID)
		}
		s.nodes = append(s.nodes, n)
	}
	turn, err := s.source(tx)
	if err != nil {
		return err
	}
	for i := range tx.Operations {
		if err := s.operation(tx, i, turn); err != nil {
			return fmt.Errorf("operation %d: %w", i, err)
		}
	}
	s.positions = append(s.positions, store.Position{
		Seq: tx.Seq, Time: tx.Time, Entry: entry, Kind: tx.Kind, Turn: turn, Settings: tx.SettingsHash,
		Facts: uint64(len(s.versions)), Events: uint64(len(s.events)), Turns: uint64(len(s.turns)),
	})
	return nil
}

// source records what the transaction came from and gives the id of its turn,
// if it has one.
func (s *state) source(tx *dsl.Tx) (string, error) {
	switch tx.Kind {
	case dsl.TxTurn:
		if _, ok := s.turn(tx.Turn.ID); ok {
			return "", fmt.Errorf("%w: turn %q is recorded again", dsl.ErrCorrupt, tx.Turn.ID)
		}
		s.turns = append(s.turns, store.Turn{
			Turn: *tx.Turn, Seq: tx.Seq, Record: tx.Time, Hash: tx.TurnHash, Doc: len(s.turns),
		})
		s.known = append(s.known, known{store.CandidatesKey(tx.Turn.ID, tx.CandidatesHash), tx.Seq})
		return tx.Turn.ID, nil
	case dsl.TxCandidates:
		if _, ok := s.turn(tx.TurnID); !ok {
			return "", fmt.Errorf("%w: candidates for turn %q, which is not recorded", dsl.ErrCorrupt, tx.TurnID)
		}
		s.known = append(s.known, known{store.CandidatesKey(tx.TurnID, tx.CandidatesHash), tx.Seq})
		return tx.TurnID, nil
	case dsl.TxOps:
		s.known = append(s.known, known{store.OpsKey(tx.OpsHash), tx.Seq})
		return "", nil
	}
	return "", fmt.Errorf("%w: kind %q", dsl.ErrCorrupt, tx.Kind)
}

// operation folds operation i of tx, whose turn is given.
func (s *state) operation(tx *dsl.Tx, i int, turn string) error {
	at := place{tx.Seq, i}
	op := &tx.Operations[i]
	if err := op.Validate(); err != nil {
		return fmt.Errorf("%w: %v", dsl.ErrCorrupt, err)
	}
	switch op.Kind {
	case dsl.UpsertEdge:
		return s.open(tx, at, turn, op, op.Version, op.Src, op.Rel, false)
	case dsl.RetroCorrectOp:
		return s.correct(tx, at, turn, op)
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
func (s *state) open(tx *dsl.Tx, at place, turn string, op *dsl.Op, number uint32, src, rel string, archived bool) error {
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
	v.Op, v.Reason, v.Turn = op.Kind, op.Reason, turn
	s.versions = append(s.versions, v)
	return nil
}

// correct closes a version and opens its successor, if it has one.
func (s *state) correct(tx *dsl.Tx, at place, turn string, op *dsl.Op) error {
	old := s.version(op.ID, op.Version)
	if old == nil || !old.isOpen() {
		return fmt.Errorf("%w: fact %s version %d is closed but was not open", dsl.ErrCorrupt, op.ID, op.Version)
	}
	old.Record.End, old.Closed = tx.Time, tx.Seq
	old.CloseOp, old.CloseReason, old.CloseTurn = op.Kind, op.Reason, turn
	if op.Retract {
		return nil
	}
	return s.open(tx, at, turn, op, op.Next, old.Src, old.Rel, old.archived)
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
	for _, e := range s.events {
		if e.ID != op.ID {
			continue
		}
		if e.Version >= op.Version {
			return fmt.Errorf("%w: event %s version %d follows version %d", dsl.ErrCorrupt, op.ID, op.Version, e.Version)
		}
		if e.Closed == 0 {
			e.Record.End, e.Closed = tx.Time, tx.Seq
		}
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
		return
	}
	if !slices.Contains(v.Evidence, op.From) {
		v.Evidence = append(v.Evidence, op.From)
	}
	v.Confidence = dsl.FoldConfidence(v.Confidence, op.Confidence)
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
