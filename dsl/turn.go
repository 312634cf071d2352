package dsl

import (
	"fmt"
	"time"
)

// Turn is one utterance, kept verbatim (layer 0). Its space is that of the
// transaction that holds it.
type Turn struct {
	// Attachments are what came with the text, such as an image's caption.
	Attachments []Attachment `json:"attachments,omitempty"`
	// ID is the caller's name of the turn, unique in its space.
	ID string `json:"id"`
	// Listener is the name of who was spoken to, empty if unknown.
	Listener Text `json:"listener,omitzero"`
	// Replaces is the id of the turn that this one is an edit of, if any.
	Replaces string `json:"replaces,omitzero"`
	// Session groups turns; empty is a session like any other.
	Session string `json:"session,omitzero"`
	// Speaker is the name of who spoke.
	Speaker Text `json:"speaker"`
	// Text is what was said; it may be empty.
	Text Text `json:"text"`
	// TS is when it was said.
	TS Instant `json:"ts"`
	// Zone is the zone that TS was given in: "+08:00", an IANA name, or empty
	// for UTC. Local dates in the text are read in it.
	Zone string `json:"zone,omitzero"`
}

// Attachment is something that came with a turn, as text.
type Attachment struct {
	// Kind says what it is, such as "image".
	Kind string `json:"kind"`
	// Text is what it says: a caption, a transcript, a file name.
	Text Text `json:"text"`
}

// MaxAttachments bounds the attachments of one turn.
const MaxAttachments = 64

// Validate checks every field and returns the first fault, wrapping ErrInvalid.
func (t *Turn) Validate() error {
	if err := CheckID("id", t.ID); err != nil {
		return err
	}
	if err := validName("session", t.Session, MaxID, true); err != nil {
		return err
	}
	if err := validName("replaces", t.Replaces, MaxID, true); err != nil {
		return err
	}
	if t.Replaces == t.ID {
		return fmt.Errorf("%w: turn %q replaces itself", ErrInvalid, t.ID)
	}
	if err := checkText("speaker", t.Speaker, func(s string) error { return CheckName("speaker", s) }); err != nil {
		return err
	}
	if err := checkText("listener", t.Listener, func(s string) error { return validName("listener", s, MaxName, true) }); err != nil {
		return err
	}
	if err := checkText("text", t.Text, func(s string) error { return validText("text", s) }); err != nil {
		return err
	}
	if !t.TS.Finite() {
		return fmt.Errorf("%w: ts is not a time in years 1 to 9999", ErrInvalid)
	}
	if _, err := ParseZone(t.Zone); err != nil {
		return err
	}
	if len(t.Attachments) > MaxAttachments {
		return fmt.Errorf("%w: %d attachments, at most %d are allowed", ErrInvalid, len(t.Attachments), MaxAttachments)
	}
	for _, a := range t.Attachments {
		if err := CheckID("attachment kind", a.Kind); err != nil {
			return err
		}
		if err := checkText("attachment", a.Text, func(s string) error { return validText("attachment", s) }); err != nil {
			return err
		}
	}
	return nil
}

// checkText applies a check to plain text; ciphertext was checked before it was
// sealed.
func checkText(what string, t Text, check func(string) error) error {
	if t.Key() != "" {
		return nil
	}
	s, err := t.Open()
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return check(s)
}

// ParseZone gives the location of a zone: "" and "UTC" are UTC, "+08:00" is a
// fixed offset, anything else an IANA name.
func ParseZone(zone string) (*time.Location, error) {
	switch {
	case zone == "" || zone == "UTC" || zone == "Z":
		return time.UTC, nil
	case zone[0] == '+' || zone[0] == '-':
		t, err := time.Parse("-07:00", zone)
		if err != nil {
			return nil, fmt.Errorf("%w: zone %q is not of the form +08:00", ErrInvalid, clip(zone))
		}
		_, off := t.Zone()
		return time.FixedZone(zone, off), nil
	case zone == "Local":
		return nil, fmt.Errorf("%w: zone \"Local\" means another zone on every machine; name one", ErrInvalid)
	}
	loc, err := time.LoadLocation(zone)
	if err != nil {
		return nil, fmt.Errorf("%w: unknown time zone %q (use an IANA name such as Asia/Shanghai, or +08:00)", ErrInvalid, clip(zone))
	}
	return loc, nil
}

// Local gives the turn's time in its own zone.
func (t *Turn) Local() time.Time {
	loc, err := ParseZone(t.Zone)
	if err != nil {
		loc = time.UTC // refused by Validate before it could be stored
	}
	return t.TS.Time().In(loc)
}
