package events_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/events"
	"github.com/asof-db/asof/extract"
	"github.com/asof-db/asof/store"
	"github.com/asof-db/asof/store/model"
)

const space = "test"

// world is a memory that is written to step by step: the facts by hand, the
// events by the package under test. It is kept by the model; every transaction
// passes through its canonical text.
type world struct {
	m        *model.Model
	opt      events.Options
	prev     dsl.Hash
	settings dsl.Hash
	last     dsl.Instant
	txs      []*dsl.Tx
	entries  []dsl.Hash
	inputs   []events.Input
	// ids are the facts by label.
	ids map[string]string
}

func newWorld() *world {
	return &world{m: model.New(space), opt: events.Options{Registry: extract.DefaultRegistry(), Merge: true}, ids: map[string]string{}}
}

func (w *world) view() store.View { return w.m.At(w.m.Head()) }

// step is one transaction that is being made.
type step struct {
	w       *world
	turn    dsl.Turn
	nodes   []dsl.Node
	ops     []dsl.Op
	changes []events.Change
	now     map[string]dsl.FactVersion // open versions, with those of this transaction
	at      dsl.Instant
}

// begin begins a transaction; a turn without an id is none.
func (w *world) begin(turn dsl.Turn, at dsl.Instant) *step {
	if w.m.Head() > 0 {
		at = max(at, w.last+1)
	}
	return &step{w: w, turn: turn, at: at, now: map[string]dsl.FactVersion{}}
}

func (s *step) node(kind dsl.NodeKind, name string) string {
	n := dsl.Node{ID: dsl.NodeID(space, kind, name), Kind: kind, Name: dsl.Plain(name)}
	if _, err := s.w.view().Node(n.ID); err != nil && !slices.Contains(s.nodes, n) {
		s.nodes = append(s.nodes, n)
	}
	return n.ID
}

// fact gives the open version of a labelled fact.
func (s *step) fact(label string) dsl.FactVersion {
	if f, ok := s.now[label]; ok {
		return f
	}
	list, err := s.w.view().Fact(s.w.ids[label])
	if err != nil {
		panic(fmt.Sprintf("fact %s: %v", label, err))
	}
	for _, v := range slices.Backward(list) {
		if v.Status != dsl.StatusClosed {
			return v.FactVersion
		}
	}
	panic("fact " + label + " has no open version")
}

func (s *step) evidence() []string {
	if s.turn.ID == "" {
		return nil
	}
	return []string{s.turn.ID}
}

// insert opens a new fact.
func (s *step) insert(label, src, rel, dst, relation string, valid dsl.Interval) *dsl.FactVersion {
	reg := s.w.opt.Registry
	f := dsl.FactVersion{Version: 1, Src: s.node(dsl.Entity, src), SrcName: dsl.Plain(src), Rel: rel, DstKind: reg.DstKind(rel), DstName: dsl.Plain(dst),
		Relation: dsl.Plain(relation), Valid: valid, Confidence: 0.9, Source: "rule", Evidence: s.evidence(), Status: dsl.StatusOpen}
	f.Dst = s.node(f.DstKind, dst)
	f.ID = dsl.FactID(space, s.w.m.Head()+1, len(s.ops))
	s.w.ids[label] = f.ID
	s.ops = append(s.ops, dsl.Op{Kind: dsl.UpsertEdge, ID: f.ID, Version: 1, Src: f.Src, Rel: rel, Dst: f.Dst, Relation: f.Relation,
		Valid: &valid, Confidence: f.Confidence, Source: f.Source, Evidence: f.Evidence})
	s.now[label] = f
	return &f
}

// succeed corrects a fact; edit changes the successor.
func (s *step) succeed(label string, edit func(f *dsl.FactVersion)) (before, after *dsl.FactVersion) {
	old := s.fact(label)
	f := old
	f.Version++
	f.Evidence = slices.Clone(old.Evidence)
	for _, t := range s.evidence() {
		if !slices.Contains(f.Evidence, t) {
			f.Evidence = append(f.Evidence, t)
		}
	}
	edit(&f)
	valid := f.Valid
	s.ops = append(s.ops, dsl.Op{Kind: dsl.RetroCorrectOp, ID: f.ID, Version: old.Version, Next: f.Version, Dst: f.Dst, Relation: f.Relation,
		Valid: &valid, Confidence: f.Confidence, Source: f.Source, Evidence: f.Evidence})
	s.now[label] = f
	return &old, &f
}

func (s *step) change(a dsl.Action, before, after *dsl.FactVersion) {
	s.changes = append(s.changes, events.Change{Action: a, Before: before, After: after})
}

func (s *step) retract(label string) {
	old := s.fact(label)
	s.ops = append(s.ops, dsl.Op{Kind: dsl.RetroCorrectOp, ID: old.ID, Version: old.Version, Retract: true, Evidence: s.evidence()})
	s.change(dsl.RetroCorrect, &old, nil)
}

func (s *step) archive(label string) {
	s.ops = append(s.ops, dsl.Op{Kind: dsl.ArchiveEdge, ID: s.w.ids[label]})
}

// support says a fact again.
func (s *step) support(label string) {
	id := s.w.ids[label]
	s.ops = append(s.ops, dsl.Op{Kind: dsl.Link, Link: dsl.EvidenceLink, ID: dsl.LinkID(space, dsl.EvidenceLink, s.turn.ID, id),
		From: s.turn.ID, To: id, Confidence: 0.5})
}

// input is what Build gets.
func (s *step) input(writes []events.Write) events.Input {
	return events.Input{Space: space, Seq: s.w.m.Head() + 1, Time: s.at, Turn: s.turn, Nodes: s.nodes, Ops: s.ops, Writes: writes}
}

// end builds the events and records the transaction.
func (s *step) end(writes ...events.Write) (events.Output, error) {
	in := s.input(writes)
	in.Ops, in.Nodes = slices.Clone(in.Ops), slices.Clone(in.Nodes)
	out, err := events.Build(s.w.view(), in, s.w.opt)
	if err != nil {
		return out, err
	}
	s.w.inputs = append(s.w.inputs, in)
	s.nodes = append(s.nodes, out.Nodes...)
	s.ops = append(s.ops, out.Operations...)
	tx := &dsl.Tx{Kind: dsl.TxOps, OpsHash: dsl.Sum([]byte(fmt.Sprint(s.w.m.Head())))}
	if s.turn.ID != "" {
		tx = &dsl.Tx{Kind: dsl.TxTurn, Turn: &s.turn}
	}
	return out, s.w.commit(tx, s)
}

func (w *world) commit(tx *dsl.Tx, s *step) error {
	if err := w.seal(tx, s, w.m.Head()+1); err != nil {
		return err
	}
	if err := w.m.Apply(tx, w.prev); err != nil {
		return err
	}
	w.txs, w.entries = append(w.txs, tx), append(w.entries, w.prev)
	return nil
}

// seal completes a transaction and takes it through its canonical text.
func (w *world) seal(tx *dsl.Tx, s *step, seq dsl.Seq) (err error) {
	tx.Version, tx.Space, tx.Seq, tx.Prev, tx.Time = dsl.FormatVersion, space, seq, w.prev, s.at
	tx.Nodes, tx.Operations = s.nodes, s.ops
	if tx.Kind == dsl.TxTurn {
		if tx.TurnHash, err = dsl.TurnHash(tx.Turn); err != nil {
			return err
		}
		if tx.CandidatesHash, err = dsl.CandidatesHash(tx.Candidates); err != nil {
			return err
		}
	}
	if tx.Seq == 1 {
		tx.Settings = &dsl.Settings{Analyzer: "a", Config: []byte("{}"), Extractor: "e", Policy: "p", Registry: []byte("[]"), Scoring: "s"}
		if w.settings, err = tx.Settings.Hash(); err != nil {
			return err
		}
	}
	tx.SettingsHash = w.settings
	b, err := tx.Encode()
	if err != nil {
		return err
	}
	decoded, err := dsl.DecodeTx(b)
	if err != nil {
		return err
	}
	*tx = *decoded
	w.prev, w.last = dsl.Sum(b), s.at
	return nil
}

// label gives the label of a fact.
func (w *world) label(id string) string {
	for l, x := range w.ids {
		if x == id {
			return l
		}
	}
	return id
}

// eventLabels numbers the events of the log in order of first appearance.
func (w *world) eventLabels() map[string]string {
	out := map[string]string{}
	for _, tx := range w.txs {
		for i := range tx.Operations {
			if op := &tx.Operations[i]; op.Kind == dsl.UpsertEvent && out[op.ID] == "" {
				out[op.ID] = fmt.Sprintf("E%d", len(out)+1)
			}
		}
	}
	return out
}

// eventLine shows an event version.
func (w *world) eventLine(v store.View, e *dsl.Event) string {
	var who, facts []string
	for _, p := range e.Participants {
		name := p.Entity
		if n, err := v.Node(p.Entity); err == nil {
			name = n.Name.String()
		}
		who = append(who, name+"/"+p.Role.String())
	}
	for _, id := range e.Includes {
		facts = append(facts, w.label(id))
	}
	line := fmt.Sprintf("%s.%d %s %s %q", w.eventLabels()[e.ID], e.Version, e.Status, brief(e.Span), e.Summary.String())
	return fmt.Sprintf("%s\n  who: %s\n  facts: %s  turns: %s\n", line, strings.Join(who, " "), strings.Join(facts, " "), strings.Join(e.Evidence, " "))
}

// short writes an instant as people do: a date where it is midnight.
func short(t dsl.Instant) string {
	switch s := t.String(); {
	case t == dsl.Beginning:
		return "-∞"
	case t == dsl.Forever:
		return "∞"
	case strings.HasSuffix(s, "T00:00:00Z"):
		return s[:10]
	default:
		return s
	}
}

func brief(v dsl.Interval) string { return "[" + short(v.Start) + ", " + short(v.End) + ")" }
