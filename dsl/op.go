package dsl

import "fmt"

// OpKind is one of the five operations.
type OpKind string

// The operations.
const (
	UpsertEdge     OpKind = "UPSERT_EDGE"
	ArchiveEdge    OpKind = "ARCHIVE_EDGE"
	RetroCorrectOp OpKind = "RETRO_CORRECT"
	UpsertEvent    OpKind = "UPSERT_EVENT"
	Link           OpKind = "LINK"
)

// LinkKind says what a LINK connects.
type LinkKind string

// The kinds of link: an entity is an alias of another; a mention denotes an
// entity; a turn is evidence of a fact; an event is tied to an event.
const (
	AliasOf      LinkKind = "alias_of"
	MentionLink  LinkKind = "mention"
	EvidenceLink LinkKind = "evidence"
	EventLink    LinkKind = "event"
)

// Op is one committed operation. It is resolved: nodes by id, versions by
// number, every value explicit, so that applying it needs no decision.
//
//   - UPSERT_EDGE opens Version of fact ID: Src, Rel, Dst, Relation, Valid,
//     Confidence, Source, Evidence.
//   - RETRO_CORRECT closes Version of fact ID; unless Retract is set it opens
//     version Next in the same step with Dst, Relation, Valid, Confidence,
//     Source and Evidence.
//   - ARCHIVE_EDGE takes every open version of fact ID out of the working set.
//   - UPSERT_EVENT opens Version of event ID and closes the one before.
//   - LINK makes the link ID between From and To (node ids; a turn id and a
//     fact id; event ids); with Retract it closes it. An evidence link carries
//     the Confidence of what was said again.
type Op struct {
	Agent        string        `json:"agent,omitzero"`
	Confidence   float64       `json:"confidence,omitzero"`
	Dst          string        `json:"dst,omitzero"`
	Evidence     []string      `json:"evidence_id,omitempty"`
	From         string        `json:"from,omitzero"`
	ID           string        `json:"id"`
	Includes     []string      `json:"includes_fact,omitempty"`
	Link         LinkKind      `json:"kind,omitzero"`
	Next         uint32        `json:"next,omitzero"`
	Kind         OpKind        `json:"op"`
	Participants []Participant `json:"participants,omitempty"`
	Reason       Text          `json:"reason,omitzero"`
	Rel          string        `json:"rel,omitzero"`
	Relation     Text          `json:"relation,omitzero"`
	Retract      bool          `json:"retract,omitzero"`
	Source       string        `json:"source,omitzero"`
	Src          string        `json:"src,omitzero"`
	Status       string        `json:"status,omitzero"`
	Summary      Text          `json:"summary,omitzero"`
	Span         *Interval     `json:"time_span,omitzero"`
	To           string        `json:"to,omitzero"`
	Valid        *Interval     `json:"valid,omitzero"`
	Version      uint32        `json:"version,omitzero"`
}

// Validate checks the operation's own shape (I1 included); whether it fits the
// state is for the one who compiles it. It returns the first fault, wrapping
// ErrInvalid.
func (o *Op) Validate() error {
	if err := CheckID("id", o.ID); err != nil {
		return err
	}
	for _, iv := range []*Interval{o.Valid, o.Span} {
		if iv != nil && !iv.Valid() {
			return fmt.Errorf("%w: %s %s: interval %s starts after it ends (I1)", ErrInvalid, o.Kind, o.ID, *iv)
		}
	}
	if !inUnit(o.Confidence) {
		return fmt.Errorf("%w: %s %s: confidence %v lies outside [0, 1]", ErrInvalid, o.Kind, o.ID, o.Confidence)
	}
	need := func(ok bool, what string) error {
		if ok {
			return nil
		}
		return fmt.Errorf("%w: %s %s lacks %s", ErrInvalid, o.Kind, o.ID, what)
	}
	switch o.Kind {
	case UpsertEdge:
		return need(o.Src != "" && o.Rel != "" && o.Dst != "" && o.Valid != nil && o.Version > 0, "src, rel, dst, valid or version")
	case RetroCorrectOp:
		if o.Retract {
			return need(o.Version > 0 && o.Next == 0, "the version it retracts, or names a successor")
		}
		return need(o.Version > 0 && o.Next > o.Version && o.Dst != "" && o.Valid != nil, "version, next, dst or valid")
	case ArchiveEdge:
		return nil
	case UpsertEvent:
		return need(o.Version > 0 && o.Span != nil, "version or time_span")
	case Link:
		switch o.Link {
		case AliasOf, MentionLink, EvidenceLink, EventLink:
		default:
			return fmt.Errorf("%w: LINK %s: kind %q is none of alias_of, mention, evidence, event", ErrInvalid, o.ID, clip(string(o.Link)))
		}
		return need(o.From != "" && o.To != "", "from or to")
	}
	return fmt.Errorf("%w: op %q is none of UPSERT_EDGE, ARCHIVE_EDGE, RETRO_CORRECT, UPSERT_EVENT, LINK", ErrInvalid, clip(string(o.Kind)))
}
