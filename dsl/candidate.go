package dsl

import (
	"fmt"
	"math"
)

// Polarity says whether a candidate affirms or denies.
type Polarity string

// Change says what a candidate does to what was known.
type Change string

// The polarities and changes of a candidate, as in INTERFACE.md.
const (
	Positive Polarity = "+"
	Negative Polarity = "-"

	Assert  Change = "assert"
	Correct Change = "correct"
	End     Change = "end"
)

// Candidate is a fact that an extractor proposes: an assertion, an ending or a
// correction, with its evidence and confidence; not yet believed.
type Candidate struct {
	// Change is assert, correct or end.
	Change Change `json:"change"`
	// Confidence lies in [0, 1]; an input without one counts as 1.
	Confidence float64 `json:"confidence"`
	// Corrects names the old value that a correction speaks of, if it does.
	Corrects Text `json:"corrects,omitzero"`
	// Dst names the value.
	Dst Text `json:"dst"`
	// DstKind is the kind of node that Dst denotes.
	DstKind NodeKind `json:"dst_kind"`
	// Polarity is + or -.
	Polarity Polarity `json:"polarity"`
	// Rel is the predicate's canonical name.
	Rel string `json:"rel"`
	// Relation is the relation of a related_to, such as "sister".
	Relation Text `json:"relation,omitzero"`
	// Source names what proposed it, such as "rule".
	Source string `json:"source,omitzero"`
	// Span is the part of the turn's text that says it, in bytes, half-open.
	Span *Span `json:"span,omitzero"`
	// Src names the subject.
	Src Text `json:"src"`
	// Turn is the turn that it comes from, in a transaction of kind backfill and
	// only there.
	Turn string `json:"turn,omitzero"`
	// Valid is the time that the text gives; nil where it gives none.
	Valid *Interval `json:"valid,omitzero"`
}

// Span is a half-open range of bytes [Start, End) of a turn's text.
type Span struct {
	End   int `json:"end"`
	Start int `json:"start"`
}

// Validate checks every field and returns the first fault, wrapping ErrInvalid.
func (c *Candidate) Validate() error {
	if err := checkText("src", c.Src, func(s string) error { return CheckName("src", s) }); err != nil {
		return err
	}
	if err := CheckID("rel", c.Rel); err != nil {
		return err
	}
	if err := checkText("dst", c.Dst, func(s string) error { return CheckName("dst", s) }); err != nil {
		return err
	}
	if err := checkText("relation", c.Relation, func(s string) error { return validName("relation", s, MaxName, true) }); err != nil {
		return err
	}
	if err := checkText("corrects", c.Corrects, func(s string) error { return validName("corrects", s, MaxName, true) }); err != nil {
		return err
	}
	if err := validName("source", c.Source, MaxID, true); err != nil {
		return err
	}
	if err := validName("turn", c.Turn, MaxID, true); err != nil {
		return err
	}
	if c.Polarity != Positive && c.Polarity != Negative {
		return fmt.Errorf("%w: polarity %q is neither \"+\" nor \"-\"", ErrInvalid, clip(string(c.Polarity)))
	}
	switch c.Change {
	case Assert, Correct, End:
	default:
		return fmt.Errorf("%w: change %q is none of assert, correct, end", ErrInvalid, clip(string(c.Change)))
	}
	switch c.DstKind {
	case Entity, Literal, TimeInstant:
	default:
		return fmt.Errorf("%w: dst_kind %q is none of entity, literal, time", ErrInvalid, clip(string(c.DstKind)))
	}
	if !inUnit(c.Confidence) {
		return fmt.Errorf("%w: confidence %v lies outside [0, 1]", ErrInvalid, c.Confidence)
	}
	if c.Valid != nil && !c.Valid.Valid() {
		return fmt.Errorf("%w: valid %s starts after it ends (I1)", ErrInvalid, c.Valid)
	}
	if s := c.Span; s != nil && (s.Start < 0 || s.End < s.Start || s.End > MaxText) {
		return fmt.Errorf("%w: span [%d, %d) is no range of bytes of a text", ErrInvalid, s.Start, s.End)
	}
	return nil
}

// inUnit tells whether f lies in [0, 1] and has one spelling: −0 has another
// than 0.
func inUnit(f float64) bool { return f >= 0 && f <= 1 && !math.Signbit(f) }

// Action is what the assimilator decided about a candidate.
type Action string

// The actions of DESIGN §6. Hold keeps a candidate in working memory (its
// confidence is below wm_min); None says that nothing follows from it, with the
// reason.
const (
	Skip         Action = "SKIP"
	Insert       Action = "INSERT"
	Replace      Action = "REPLACE"
	Close        Action = "CLOSE"
	RetroCorrect Action = "RETRO_CORRECT"
	Hold         Action = "HOLD"
	None         Action = "NONE"
)

// Decision is what was decided about one candidate, and why.
type Decision struct {
	// Action is what was decided.
	Action Action `json:"action"`
	// Candidate is the index of the candidate in its transaction.
	Candidate int `json:"candidate"`
	// Operations are the indexes of the operations that follow from it.
	Operations []int `json:"operations,omitempty"`
	// Read lists the versions that the decision was made from, in the order read.
	Read []VersionRef `json:"read,omitempty"`
	// Reason says it for people.
	Reason Text `json:"reason"`
	// Rule names the rule that decided.
	Rule string `json:"rule"`
}

// VersionRef names one version of one fact.
type VersionRef struct {
	ID      string `json:"id"`
	Version uint32 `json:"version"`
}
