package eval

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/asof-db/asof/dsl"
	"github.com/go-json-experiment/json/jsontext"
)

// DataError says where a data file is not what its format asks for.
// errors.Is(err, dsl.ErrInvalid) holds unless the file could not be read.
type DataError struct {
	// File is the name that the data was opened under.
	File string
	// Offset is where in the unpacked text reading stopped, in bytes; the fault
	// lies at or just before it.
	Offset int64
	// Record is the number of the conversation, from 0.
	Record int
	// Key is a JSON pointer to the faulty value inside the file (or inside the
	// line, for JSONL); empty for the whole of it.
	Key string
	// Err says what is wrong.
	Err error
	// Want says what was expected there.
	Want string
}

// Error gives file, place, fault and expectation in one line.
func (e *DataError) Error() string {
	s := fmt.Sprintf("eval: %s: conversation %d, byte %d", e.File, e.Record, e.Offset)
	if e.Key != "" {
		s += ", key " + e.Key
	}
	s += ": " + e.Err.Error()
	if e.Want != "" {
		s += "; expected " + e.Want
	}
	return s
}

// Unwrap gives the cause.
func (e *DataError) Unwrap() error { return e.Err }

// cursor reads JSON token by token, so that nothing larger than one value that
// is wanted is ever in memory and every fault has its place.
type cursor struct {
	dec    *jsontext.Decoder
	limit  *meter
	file   string
	base   int64 // bytes before the decoder's first
	record int
}

// newCursor starts reading r. A record longer than max bytes is refused.
func newCursor(r io.Reader, file string, max int64) *cursor {
	m := &meter{r: r, max: max, left: max}
	b := bufio.NewReader(m)
	c := &cursor{limit: m, file: file}
	// Some editors put a byte order mark before UTF-8; JSON knows none.
	if head, err := b.Peek(3); err == nil && string(head) == "\xef\xbb\xbf" {
		n, _ := b.Discard(3)
		c.base = int64(n)
	}
	c.dec = jsontext.NewDecoder(b)
	return c
}

// place is a spot in the file that a later check may point back to.
type place struct {
	offset int64
	key    string
}

func (c *cursor) here() place {
	return place{c.base + c.dec.InputOffset(), string(c.dec.StackPointer())}
}

// bad reports content that breaks the format, at a place.
func (c *cursor) bad(at place, want, format string, args ...any) error {
	err := fmt.Errorf("%w: %w", dsl.ErrInvalid, fmt.Errorf(format, args...))
	return &DataError{File: c.file, Offset: at.offset, Record: c.record, Key: at.key, Err: err, Want: want}
}

// failed reports an error of the JSON decoder or of the reader below it.
func (c *cursor) failed(err error, want string) error {
	at := c.here()
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, dsl.ErrInvalid): // our own, from a reader below
	case errors.As(err, &syntax):
		at = place{c.base + syntax.ByteOffset, string(syntax.JSONPointer)}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = fmt.Errorf("%w: the file ends in the middle of a value: %w", dsl.ErrInvalid, io.ErrUnexpectedEOF)
		} else {
			err = fmt.Errorf("%w: %w", dsl.ErrInvalid, syntax.Err)
		}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		err = fmt.Errorf("%w: the file ends too early: %w", dsl.ErrInvalid, io.ErrUnexpectedEOF)
	}
	return &DataError{File: c.file, Offset: at.offset, Record: c.record, Key: at.key, Err: err, Want: want}
}

// unexpected reports a value of the wrong kind, or what the decoder says about
// it when it is no value at all.
func (c *cursor) unexpected(want string) error {
	at := c.here()
	k := c.dec.PeekKind()
	if k == jsontext.KindInvalid {
		_, err := c.dec.ReadToken()
		if err == nil {
			err = io.ErrUnexpectedEOF
		}
		return c.failed(err, want)
	}
	return c.bad(at, want, "found %s", kindName(k))
}

func kindName(k jsontext.Kind) string {
	switch k {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 't', 'f':
		return "a truth value"
	case 'n':
		return "null"
	}
	return "the end of an object or array"
}

// object walks an object; each must read the value of its key.
func (c *cursor) object(want string, each func(key string) error) error {
	if c.dec.PeekKind() != '{' {
		return c.unexpected(want)
	}
	if _, err := c.dec.ReadToken(); err != nil {
		return c.failed(err, want)
	}
	for c.dec.PeekKind() != '}' {
		t, err := c.dec.ReadToken()
		if err != nil {
			return c.failed(err, want)
		}
		if err := each(t.String()); err != nil {
			return err
		}
	}
	if _, err := c.dec.ReadToken(); err != nil {
		return c.failed(err, want)
	}
	return nil
}

// array walks an array; each must read one value.
func (c *cursor) array(want string, each func() error) error {
	if c.dec.PeekKind() != '[' {
		return c.unexpected(want)
	}
	if _, err := c.dec.ReadToken(); err != nil {
		return c.failed(err, want)
	}
	for {
		switch c.dec.PeekKind() {
		case ']':
			if _, err := c.dec.ReadToken(); err != nil {
				return c.failed(err, want)
			}
			return nil
		case jsontext.KindInvalid:
			return c.unexpected(want)
		}
		if err := each(); err != nil {
			return err
		}
	}
}

// skip passes over one value of any size.
func (c *cursor) skip() error {
	if err := c.dec.SkipValue(); err != nil {
		return c.failed(err, "a JSON value")
	}
	return nil
}

// str reads a string.
func (c *cursor) str(want string) (string, error) {
	if c.dec.PeekKind() != '"' {
		return "", c.unexpected(want)
	}
	return c.scalar(want)
}

// scalar reads a string, number or truth value as text, a number as it is
// spelled in the file; null is the empty text.
func (c *cursor) scalar(want string) (string, error) {
	switch c.dec.PeekKind() {
	case '"', '0', 't', 'f', 'n':
	default:
		return "", c.unexpected(want)
	}
	t, err := c.dec.ReadToken()
	if err != nil {
		return "", c.failed(err, want)
	}
	if t.Kind() == 'n' {
		return "", nil
	}
	return t.String(), nil
}

// scalars reads one scalar or an array of them, without the nulls.
func (c *cursor) scalars(want string) ([]string, error) {
	var out []string
	one := func() error {
		null := c.dec.PeekKind() == 'n'
		s, err := c.scalar(want)
		if err == nil && !null {
			out = append(out, s)
		}
		return err
	}
	var err error
	if c.dec.PeekKind() == '[' {
		err = c.array(want, one)
	} else {
		err = one()
	}
	return out, err
}

// meter bounds how much one record may make us read.
type meter struct {
	r         io.Reader
	max, left int64
}

func (m *meter) Read(p []byte) (int, error) {
	if m.left <= 0 {
		return 0, fmt.Errorf("%w: one conversation is longer than %d bytes", dsl.ErrInvalid, m.max)
	}
	if int64(len(p)) > m.left {
		p = p[:m.left]
	}
	n, err := m.r.Read(p)
	m.left -= int64(n)
	return n, err
}
