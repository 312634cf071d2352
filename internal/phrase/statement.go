package phrase

import (
	"fmt"
	"slices"
	"strings"
)

// Kinds are the kinds of value that a slot may name.
var Kinds = []string{"any", "app", "campus", "email", "event", "firm", "liked", "method", "name", "org", "owned", "person", "phone", "place", "platform", "role",
	"school", "thing", "time", "used", "work"}

// Statement is a pattern of the configuration: one that says something of {src} and
// {dst}.
type Statement struct {
	Pattern *Pattern
	// Ends tells that it says that something is over, Denies that it is not so.
	Ends, Denies bool
}

// ParseStatement reads a pattern of the configuration. "end: " before it tells that the
// relation is over, "not: " that it does not hold. Words alone, "is a mentor of", stand
// between {src} and {dst}.
func ParseStatement(lang, text string) (Statement, error) {
	var s Statement
	for {
		word, rest, ok := strings.Cut(text, ": ")
		if !ok {
			break
		}
		switch strings.TrimSpace(word) {
		case "end":
			s.Ends = true
		case "not":
			s.Denies = true
		default:
			return s, fmt.Errorf("%q before the colon; want end or not", word)
		}
		text = rest
	}
	if s.Ends && s.Denies {
		return s, fmt.Errorf("end and not; want one of them")
	}
	if !strings.ContainsAny(text, "{}") {
		text = "{src} " + text + " {dst}"
	}
	p, err := Parse(lang, text)
	if err != nil {
		return s, err
	}
	s.Pattern = p
	for _, slot := range p.slots {
		if slot.Name != "src" && slot.Name != "dst" {
			return s, fmt.Errorf("{%s} is no slot; want {src} and {dst}", slot.Name)
		}
		if slot.Kind != "" && !slices.Contains(Kinds, slot.Kind) {
			return s, fmt.Errorf("%q is no kind of value; want one of %s", slot.Kind, strings.Join(Kinds, ", "))
		}
	}
	for _, name := range []string{"src", "dst"} {
		if p.Slot(name) < 0 {
			return s, fmt.Errorf("{%s} is missing", name)
		}
	}
	if p.touching != "" {
		return s, fmt.Errorf("{%s} follows another slot; a word must stand between", p.touching)
	}
	return s, nil
}
