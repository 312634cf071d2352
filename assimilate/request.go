package assimilate

import (
	"fmt"
	"slices"

	"github.com/asof-db/asof/dsl"
)

// OpRequest is one operation that a caller writes directly. Names stand where a
// committed operation has node ids: each is resolved by its exact normalised
// form, and "id:" with a node id names a node that is known. A field that the
// operation does not use is refused.
type OpRequest struct {
	Op dsl.OpKind
	// ID is the fact or event, any string of the caller's; empty gives a new one
	// the derived id. Version is 0 where the caller names none.
	ID      string
	Version uint32

	// Src, Rel and Dst name subject, predicate and value of a fact.
	Src, Rel, Dst string
	// Relation qualifies related_to.
	Relation string
	// Valid is when it holds.
	Valid *dsl.Interval
	// Portion restricts a RETRO_CORRECT to a part of the valid time: what was
	// believed before and behind it stays. It is left out of the text of requests
	// that have none, whose hashes are as they were before there were portions.
	Portion *dsl.Interval `json:",omitzero"`
	// Source names what says so.
	Source string
	// Evidence holds turn ids; the turns need not be known yet.
	Evidence []string
	// Confidence lies in [0, 1]; nil counts as 1, or as what it was.
	Confidence *float64
	// Retract withdraws a version, or closes a link.
	Retract bool
	// Agent and Reason say who asked for it and why.
	Agent, Reason string

	// Link, From and To are those of a LINK: names of entities for alias_of, the
	// text of a mention and the name of an entity for mention, a turn id and a fact
	// id for evidence, event ids for event.
	Link     dsl.LinkKind
	From, To string

	// Summary, Span, Participants, Includes and Status make up an event. Includes
	// are fact ids; while one is not known, the event is not visible.
	Summary      string
	Span         *dsl.Interval
	Participants []ParticipantRequest
	Includes     []string
	Status       string
}

// ParticipantRequest is one who takes part in an event.
type ParticipantRequest struct {
	// Entity is a name, or id: with a node id.
	Entity string
	// Role is free text and may be empty.
	Role string
}

// OpError says which of the operations was refused and why.
type OpError struct {
	// Index counts the operations from 0.
	Index int
	// Op is the operation's kind.
	Op dsl.OpKind
	// Invariant is the invariant of the store that it would break, such as "I7";
	// empty if it is at fault in itself.
	Invariant string
	// Err says what is wrong and what to do. It wraps dsl.ErrInvalid,
	// dsl.ErrConflict or dsl.ErrNotFound.
	Err error
}

// Error names the operation, the invariant and the fault.
func (e *OpError) Error() string {
	if e.Invariant != "" {
		return fmt.Sprintf("operation %d (%s): %s: %v", e.Index, e.Op, e.Invariant, e.Err)
	}
	return fmt.Sprintf("operation %d (%s): %v", e.Index, e.Op, e.Err)
}

// Unwrap gives the cause.
func (e *OpError) Unwrap() error { return e.Err }

// breach is a fault that breaks an invariant.
type breach struct {
	invariant string
	error
}

func (b *breach) Unwrap() error { return b.error }

// conflict makes a breach that wraps dsl.ErrConflict.
func conflict(invariant, format string, args ...any) error {
	return &breach{invariant, fmt.Errorf("%w: "+format, append([]any{dsl.ErrConflict}, args...)...)}
}

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{dsl.ErrInvalid}, args...)...)
}

func missing(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{dsl.ErrNotFound}, args...)...)
}

// fields are the fields that an operation may use, by the names that INTERFACE
// gives them.
var fields = map[dsl.OpKind][]string{
	dsl.UpsertEdge:     {"id", "src", "rel", "dst", "relation", "valid", "source", "evidence_id", "confidence"},
	dsl.RetroCorrectOp: {"id", "version", "src", "rel", "dst", "relation", "valid", "portion", "source", "evidence_id", "confidence", "retract"},
	dsl.ArchiveEdge:    {"id", "source", "evidence_id"},
	dsl.UpsertEvent:    {"id", "summary", "time_span", "participants", "includes_fact", "status", "source", "evidence_id"},
	dsl.Link:           {"kind", "from", "to", "source", "confidence", "retract"},
}

// check refuses what is wrong with a request by itself: its kind, a field that
// the kind does not use, an interval that is turned around, text that no name or
// id may hold.
func (r *OpRequest) check() error {
	allowed, ok := fields[r.Op]
	if !ok {
		return invalid("op %q is none of UPSERT_EDGE, RETRO_CORRECT, ARCHIVE_EDGE, UPSERT_EVENT, LINK", r.Op)
	}
	for _, f := range [...]struct {
		name string
		set  bool
	}{
		{"id", r.ID != ""}, {"version", r.Version != 0}, {"src", r.Src != ""}, {"rel", r.Rel != ""}, {"dst", r.Dst != ""},
		{"relation", r.Relation != ""}, {"valid", r.Valid != nil}, {"portion", r.Portion != nil}, {"source", r.Source != ""},
		{"evidence_id", len(r.Evidence) > 0}, {"confidence", r.Confidence != nil}, {"retract", r.Retract},
		{"kind", r.Link != ""}, {"from", r.From != ""}, {"to", r.To != ""}, {"summary", r.Summary != ""},
		{"time_span", r.Span != nil}, {"participants", len(r.Participants) > 0}, {"includes_fact", len(r.Includes) > 0},
		{"status", r.Status != ""},
	} {
		if f.set && !slices.Contains(allowed, f.name) {
			return invalid("%s means nothing in %s; leave it out", f.name, r.Op)
		}
	}
	if c := r.Confidence; c != nil && !(*c >= 0 && *c <= 1) {
		return invalid("confidence %v lies outside [0, 1]", *c)
	}
	for _, iv := range [...]*dsl.Interval{r.Valid, r.Portion, r.Span} {
		if iv != nil && !iv.Valid() {
			return &breach{"I1", invalid("interval %s starts after it ends, or its ends are not times; give [from, to) with null for an open end", *iv)}
		}
	}
	return r.checkWords()
}

func (r *OpRequest) checkWords() error {
	for _, f := range [...]struct {
		name, value string
		check       func(what, s string) error
	}{
		{"id", r.ID, dsl.CheckID}, {"rel", r.Rel, dsl.CheckID}, {"source", r.Source, dsl.CheckID}, {"status", r.Status, dsl.CheckID},
		{"agent", r.Agent, dsl.CheckID}, {"src", r.Src, dsl.CheckName}, {"dst", r.Dst, dsl.CheckName},
		{"relation", r.Relation, dsl.CheckName}, {"from", r.From, dsl.CheckName}, {"to", r.To, dsl.CheckName},
		{"reason", r.Reason, dsl.CheckText}, {"summary", r.Summary, dsl.CheckText},
	} {
		if f.value == "" {
			continue
		}
		if err := f.check(f.name, f.value); err != nil {
			return err
		}
	}
	for _, id := range r.Evidence {
		if err := dsl.CheckID("evidence_id", id); err != nil {
			return err
		}
	}
	for _, id := range r.Includes {
		if err := dsl.CheckID("includes_fact", id); err != nil {
			return err
		}
	}
	for _, p := range r.Participants {
		if err := dsl.CheckName("participant", p.Entity); err != nil {
			return err
		}
		if err := dsl.CheckText("role", p.Role); err != nil {
			return err
		}
	}
	return nil
}
