package eval

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"iter"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/asof-db/asof/dsl"
)

// Format names a data set by the shape of its files.
type Format string

// The data sets that are read here. AnyFormat looks at the file.
const (
	AnyFormat    Format = ""
	LoCoMoFormat Format = "locomo"
	MemoraFormat Format = "memora"
)

// ParseFormat reads a format's name; the empty name is AnyFormat.
func ParseFormat(s string) (Format, error) {
	switch f := Format(s); f {
	case AnyFormat, LoCoMoFormat, MemoraFormat:
		return f, nil
	}
	return "", fmt.Errorf("eval: %w: format %q is neither locomo nor memora", dsl.ErrInvalid, s)
}

// Dialogue is what one space takes in, of either data set.
type Dialogue struct {
	Space string
	Turns []dsl.Turn
	// Conversation or Persona is what the data set says about it.
	Conversation *Conversation
	Persona      *Persona
}

// questions gives the texts of the data set's questions.
func (d *Dialogue) questions() []string {
	var out []string
	if d.Conversation != nil {
		for _, q := range d.Conversation.Questions {
			out = append(out, q.Text)
		}
	}
	if d.Persona != nil {
		for _, q := range d.Persona.Questions {
			out = append(out, q.Text)
		}
	}
	return out
}

// ReadDialogues streams the spaces of a data set, as ReadLoCoMo or ReadMemora
// does. With AnyFormat the start of the file tells which; the format that was
// found is given back.
func ReadDialogues(r io.Reader, name string, f Format) (iter.Seq2[Dialogue, error], Format, error) {
	if f == AnyFormat {
		b := bufio.NewReaderSize(r, sniffed)
		head, err := b.Peek(sniffed)
		if err != nil && err != io.EOF {
			return nil, "", fmt.Errorf("eval: %s: %w", name, err)
		}
		if f = sniff(head); f == AnyFormat {
			return nil, "", &DataError{File: name, Err: fmt.Errorf("%w: it looks like no data set that is known here", dsl.ErrInvalid),
				Want: "a LoCoMo or a Memora file; name it (--format) if it is one"}
		}
		r = b
	}
	if f == MemoraFormat {
		return func(yield func(Dialogue, error) bool) {
			for p, err := range ReadMemora(r, name) {
				if !yield(Dialogue{Space: p.Space, Turns: p.Turns, Persona: &p}, err) {
					return
				}
			}
		}, f, nil
	}
	return func(yield func(Dialogue, error) bool) {
		for c, err := range ReadLoCoMo(r, name) {
			if !yield(Dialogue{Space: c.Space, Turns: c.Turns, Conversation: &c}, err) {
				return
			}
		}
	}, LoCoMoFormat, nil
}

// sniffed is how much of a file tells its format, in bytes.
const sniffed = 4096

// sniff tells the format from the first key of the first object, or from the
// mark of a tar.
func sniff(head []byte) Format {
	const markAt = 257
	if len(head) >= markAt+5 && string(head[markAt:markAt+5]) == "ustar" {
		return MemoraFormat
	}
	dec := jsontext.NewDecoder(bytes.NewReader(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))))
	for dec.PeekKind() == '[' && dec.StackDepth() == 0 {
		if _, err := dec.ReadToken(); err != nil {
			return AnyFormat
		}
	}
	if dec.PeekKind() != '{' {
		return AnyFormat
	}
	if _, err := dec.ReadToken(); err != nil {
		return AnyFormat
	}
	key, err := dec.ReadToken()
	if err != nil {
		return AnyFormat
	}
	switch key.String() {
	case "sample_id", "qa", "event_summary", "observation", "session_summary":
		return LoCoMoFormat
	case "session_id", "session_type", "operation", "operation_details", "date", "persona", "date_range", "questions":
		return MemoraFormat
	case "conversation":
		if dec.PeekKind() == '[' {
			return MemoraFormat
		}
		return LoCoMoFormat
	}
	return AnyFormat
}
