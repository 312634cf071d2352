package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"unicode/utf8"

	"github.com/asof-db/asof"
)

// aside is the file that bad lines are set aside in.
type aside struct {
	file *os.File
	w    *bufio.Writer
}

// asideLine is a bad line: its number, why it was refused, and what it said, as
// text or, where it is not valid UTF-8, as base64.
type asideLine struct {
	Line   int    `json:"line"`
	Reason string `json:"reason"`
	Text   string `json:"text,omitzero"`
	Base64 []byte `json:"base64,omitzero"`
	// Cut tells that only the beginning of the line is kept.
	Cut bool `json:"cut,omitzero"`
}

func newAside(name string) (*aside, error) {
	f, err := os.Create(name)
	if err != nil {
		return nil, fmt.Errorf("--skip-bad: %w", err)
	}
	return &aside{f, bufio.NewWriter(f)}, nil
}

// add writes the lines of a bad entry: the faulty one with its reason, those
// that were refused with it with its number.
func (a *aside) add(e *entry, fault error, faulty int) error {
	for i, l := range e.lines {
		out := asideLine{Line: l.number, Reason: fault.Error(), Cut: l.cut}
		if i != faulty {
			out.Reason = fmt.Sprintf("line %d of its transaction was refused", e.lines[faulty].number)
		}
		if utf8.Valid(l.text) {
			out.Text = string(l.text)
		} else {
			out.Base64 = l.text
		}
		b, err := asof.EncodeJSON(out)
		if err != nil {
			return fmt.Errorf("--skip-bad: %w", err)
		}
		if _, err := a.w.Write(append(b, '\n')); err != nil {
			return fmt.Errorf("--skip-bad: %w", err)
		}
	}
	return nil
}

// close writes out what is buffered.
func (a *aside) close() error {
	if err := errors.Join(a.w.Flush(), a.file.Close()); err != nil {
		return fmt.Errorf("--skip-bad: %w", err)
	}
	return nil
}
