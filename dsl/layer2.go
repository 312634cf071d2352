package dsl

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/asof-db/asof/internal/analyze"
)

// Trigger names what made layer 2 decide.
type Trigger string

// The triggers. Strong: an update, a correction, a commitment, a lasting
// preference. Salience: the weighted features of any other change. Periodic: a
// border between topics. SessionEnd: a turn of another session has come.
// Reflect: enough changes wait. HoldTrigger: a candidate of too little
// confidence. Promote: a second mention of one that waits. Drop: working memory
// lets something go. BackfillTrigger: a gap that a query reported.
const (
	Strong          Trigger = "strong"
	Salience        Trigger = "salience"
	Periodic        Trigger = "periodic"
	SessionEnd      Trigger = "session_end"
	Reflect         Trigger = "reflect"
	HoldTrigger     Trigger = "hold"
	Promote         Trigger = "promote"
	Drop            Trigger = "drop"
	BackfillTrigger Trigger = "backfill"
)

// TriggerAction says what layer 2 did.
type TriggerAction string

// The actions of layer 2: it wrote (an event, or a fact that was waited for),
// took out of the working set, keeps in working memory, withheld a write with a
// reason, or let go of what waited.
const (
	TriggerWrite    TriggerAction = "write"
	TriggerArchive  TriggerAction = "archive"
	TriggerWait     TriggerAction = "wait"
	TriggerWithhold TriggerAction = "withhold"
	TriggerDrop     TriggerAction = "drop"
)

// Triggers and TriggerActions list all of them.
var (
	Triggers       = []Trigger{Strong, Salience, Periodic, SessionEnd, Reflect, HoldTrigger, Promote, Drop, BackfillTrigger}
	TriggerActions = []TriggerAction{TriggerWrite, TriggerArchive, TriggerWait, TriggerWithhold, TriggerDrop}
)

// TriggerDecision is one decision of layer 2, and why.
type TriggerDecision struct {
	// Action is what was done.
	Action TriggerAction `json:"action"`
	// Facts are the versions that it is about.
	Facts []VersionRef `json:"facts,omitempty"`
	// Features are those of the salience that are not 0, in order of name.
	Features []Feature `json:"features,omitempty"`
	// Held names the candidate that waited, or begins to.
	Held *HeldRef `json:"held,omitzero"`
	// Operations are indexes of the transaction's operations that follow from it.
	Operations []int `json:"operations,omitempty"`
	// Reason says it for people.
	Reason Text `json:"reason"`
	// Salience lies in [0, 1]; it is 0 where none was computed.
	Salience float64 `json:"salience,omitzero"`
	// Tokens counts what it wrote, or would have written.
	Tokens int `json:"tokens,omitzero"`
	// Trigger is what made it.
	Trigger Trigger `json:"trigger"`
}

// Feature is one feature of a salience.
type Feature struct {
	Name string `json:"name"`
	// Value lies in [0, 1].
	Value float64 `json:"value"`
}

// HeldRef names a candidate that is held: its transaction and its index there.
type HeldRef struct {
	Candidate int `json:"candidate"`
	Position  Seq `json:"position"`
}

// Memory is the working memory of a space after a transaction. Turns are counted
// from 1 in the order of positions, as the store counts them.
type Memory struct {
	// Held are the candidates that wait for support, in the order they came.
	Held []Held `json:"held,omitempty"`
	// Pending are the changes that wait for an event, in the order they came.
	Pending []Pending `json:"pending,omitempty"`
	// Periodic and Strong count the writes of the session under way.
	Periodic int `json:"periodic,omitzero"`
	// Session is the session under way; Sessions counts those begun. A session that
	// is taken up again is begun once.
	Session  string `json:"session,omitzero"`
	Sessions int    `json:"sessions"`
	// Since is the first turn of the session under way, as it goes on.
	Since  int `json:"since"`
	Strong int `json:"strong,omitzero"`
	// Tokens counts what was written in all.
	Tokens int `json:"tokens,omitzero"`
	// Written is the turn of the last write of layer 2 in the session, 0 for none.
	Written int `json:"written,omitzero"`
}

// Pending is a change of layer 1 that waits in working memory.
type Pending struct {
	Fact     string  `json:"fact"`
	Salience float64 `json:"salience"`
	// Turn is the number of the turn that made it.
	Turn    int    `json:"turn"`
	Version uint32 `json:"version"`
}

// Held is a candidate that waits in working memory.
type Held struct {
	Candidate int `json:"candidate"`
	Position  Seq `json:"position"`
	// Turn is the number of the turn that made it.
	Turn int `json:"turn"`
}

// Ref names the candidate.
func (h Held) Ref() HeldRef { return HeldRef{Candidate: h.Candidate, Position: h.Position} }

// MaxMemory bounds what working memory holds of each kind.
const MaxMemory = 1 << 16

// GapKind says how a query fell short.
type GapKind string

// The kinds of gap: nothing was found; a reader abstained; what was found
// contradicts itself in time.
const (
	GapEmpty      GapKind = "empty"
	GapAbstention GapKind = "abstention"
	GapConflict   GapKind = "conflict"
)

// GapKinds lists every kind of gap.
var GapKinds = []GapKind{GapEmpty, GapAbstention, GapConflict}

// Gap is what a transaction of kind backfill tried to fill.
type Gap struct {
	// From and To bound the turns that were read again, [From, To), counted from 1.
	From int `json:"from"`
	// ID is that of GapID.
	ID   Hash    `json:"id"`
	Kind GapKind `json:"kind"`
	// Missing says what the query lacked: entity, relation, time.
	Missing []string `json:"missing,omitempty"`
	Query   Text     `json:"query"`
	To      int      `json:"to"`
}

// GapID names a gap: the SHA-256 of (space, kind, normalised query), each
// preceded by its length. Two queries that differ in case or space alone are one.
func GapID(space string, kind GapKind, query string) Hash {
	var b []byte
	for _, p := range []string{"gap", space, string(kind), analyze.NormalizeName(query)} {
		b = strconv.AppendInt(b, int64(len(p)), 10)
		b = append(append(b, ':'), p...)
	}
	return Sum(b)
}

// checkLayer2 checks what layer 2 adds to an entry, and that version 1 has none
// of it.
func (tx *Tx) checkLayer2() error {
	if (tx.Kind == TxBackfill) != (tx.Gap != nil) {
		return fmt.Errorf("%w: kind %q with the wrong parts", ErrCorrupt, tx.Kind)
	}
	for i := range tx.Candidates {
		if id := tx.Candidates[i].Turn; (tx.Kind == TxBackfill) != (id != "") {
			return fmt.Errorf("%w: candidate %d of kind %q with turn %q", ErrCorrupt, i, tx.Kind, clip(id))
		}
	}
	if tx.Version < 2 && (tx.Gap != nil || tx.Memory != nil || len(tx.Triggers) > 0) {
		return fmt.Errorf("%w: version %d has no layer 2", ErrCorrupt, tx.Version)
	}
	if err := tx.Gap.check(); err != nil {
		return err
	}
	for i := range tx.Triggers {
		if err := tx.Triggers[i].check(len(tx.Operations), tx.Seq); err != nil {
			return fmt.Errorf("%w: trigger %d: %v", ErrCorrupt, i, err)
		}
	}
	if err := tx.Memory.check(tx.Seq); err != nil {
		return fmt.Errorf("%w: memory: %v", ErrCorrupt, err)
	}
	return nil
}

func (g *Gap) check() error {
	if g == nil {
		return nil
	}
	if !slices.Contains(GapKinds, g.Kind) || g.From < 1 || g.To < g.From {
		return fmt.Errorf("%w: gap of kind %q in turns [%d, %d)", ErrCorrupt, clip(string(g.Kind)), g.From, g.To)
	}
	if err := checkText("query", g.Query, func(s string) error { return validText("query", s) }); err != nil {
		return fmt.Errorf("%w: gap: %v", ErrCorrupt, err)
	}
	return nil
}

func (d *TriggerDecision) check(operations int, seq Seq) error {
	if !slices.Contains(Triggers, d.Trigger) || !slices.Contains(TriggerActions, d.Action) {
		return fmt.Errorf("%w: trigger %q, action %q", ErrInvalid, clip(string(d.Trigger)), clip(string(d.Action)))
	}
	for _, o := range d.Operations {
		if o < 0 || o >= operations {
			return fmt.Errorf("%w: it names operation %d of %d", ErrInvalid, o, operations)
		}
	}
	if !inUnit(d.Salience) || d.Tokens < 0 {
		return fmt.Errorf("%w: salience %v, tokens %d", ErrInvalid, d.Salience, d.Tokens)
	}
	for _, f := range d.Features {
		if !inUnit(f.Value) {
			return fmt.Errorf("%w: feature %s has value %v", ErrInvalid, clip(f.Name), f.Value)
		}
	}
	if h := d.Held; h != nil && !h.past(seq) {
		return fmt.Errorf("%w: it names the candidate %d of %s", ErrInvalid, h.Candidate, h.Position)
	}
	return nil
}

// past tells whether the reference is to a transaction up to seq.
func (h HeldRef) past(seq Seq) bool { return h.Position > 0 && h.Position <= seq && h.Candidate >= 0 }

func (m *Memory) check(seq Seq) error {
	if m == nil {
		return nil
	}
	if len(m.Held) > MaxMemory || len(m.Pending) > MaxMemory {
		return fmt.Errorf("%w: %d candidates held, %d changes pending", ErrInvalid, len(m.Held), len(m.Pending))
	}
	if err := validName("session", m.Session, MaxID, true); err != nil {
		return err
	}
	if m.Sessions < 1 || m.Since < 1 || min(m.Strong, m.Periodic, m.Tokens, m.Written) < 0 {
		return fmt.Errorf("%w: a count is out of range", ErrInvalid)
	}
	for _, h := range m.Held {
		if !h.Ref().past(seq) || h.Turn < 1 {
			return fmt.Errorf("%w: it holds the candidate %d of %s", ErrInvalid, h.Candidate, h.Position)
		}
	}
	for i := range m.Pending {
		p := &m.Pending[i]
		if err := CheckID("fact", p.Fact); err != nil {
			return err
		}
		if !inUnit(p.Salience) || p.Turn < 1 || p.Version < 1 {
			return fmt.Errorf("%w: pending %s %d has salience %v", ErrInvalid, p.Fact, p.Version, p.Salience)
		}
	}
	return nil
}
