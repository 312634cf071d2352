package configs

import (
	"errors"
	"fmt"
	"strings"
)

// ErrInvalid marks an error of [Load] that holds at least one fault of kind [Invalid].
var ErrInvalid = errors.New("invalid configuration")

// ErrUnavailable marks an error of [Load] that holds at least one fault of kind [Unavailable].
var ErrUnavailable = errors.New("configuration asks for what is not available yet")

// Kind says what is wrong with a value: whether the file is at fault, or this build.
type Kind int

const (
	// Invalid is a value that no build would take.
	Invalid Kind = iota
	// Unavailable is a valid value whose part this build does not have.
	Unavailable
)

// String returns "invalid" or "unavailable".
func (k Kind) String() string {
	if k == Unavailable {
		return "unavailable"
	}
	return "invalid"
}

// Fault is one thing wrong with a configuration.
type Fault struct {
	// Path is the key as the file spells it, dots between its parts and [n] for the n-th entry of a
	// list, from 0: predicates[2].inverse. It is empty for a fault of the file as a whole.
	Path string `json:"path"`
	// Line is the line of the file, from 1; 0 where the value came from no file.
	Line int `json:"line,omitempty"`
	// Message says what is wrong and what would be right.
	Message string `json:"message"`
	// Kind tells a fault of the file from one of this build.
	Kind Kind `json:"-"`

	// also is a second key that the fault is of, to point at where the file has only that one.
	also string
}

// String returns the fault as "line 3: ner.mode: …", without the parts that are not known.
func (f Fault) String() string {
	var b strings.Builder
	if f.Line > 0 {
		fmt.Fprintf(&b, "line %d: ", f.Line)
	}
	if f.Path != "" {
		b.WriteString(f.Path + ": ")
	}
	b.WriteString(f.Message)
	return b.String()
}

// Error is what [Load] returns: every fault of one file, in the order of its lines.
type Error struct {
	// Name is the file, as the caller named it.
	Name string
	// Faults has at least one entry.
	Faults []Fault
}

// Error returns one line a fault, each beginning with the file's name.
func (e *Error) Error() string {
	lines := make([]string, len(e.Faults))
	for i, f := range e.Faults {
		lines[i] = fmt.Sprintf("%s: %s", e.Name, f)
	}
	return strings.Join(lines, "\n")
}

// Is reports whether the error holds a fault of the kind that target, [ErrInvalid] or
// [ErrUnavailable], stands for.
func (e *Error) Is(target error) bool {
	for _, f := range e.Faults {
		if f.Kind == Invalid && target == ErrInvalid || f.Kind == Unavailable && target == ErrUnavailable {
			return true
		}
	}
	return false
}
