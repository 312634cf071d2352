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
	// LongMemEvalFormat is that of its files oracle and S alike.
	LongMemEvalFormat Format = "longmemeval"
	MemDailyFormat    Format = "memdaily"
)

// ParseFormat reads a format's name; the empty name is AnyFormat.
func ParseFormat(s string) (Format, error) {
	switch f := Format(s); f {
	case AnyFormat, LoCoMoFormat, MemoraFormat, LongMemEvalFormat, MemDailyFormat:
		return f, nil
	}
	return "", fmt.Errorf("eval: %w: format %q is none of locomo, longmemeval, memora, memdaily", dsl.ErrInvalid, s)
}

// Dialogue is what one space takes in, of any data set.
type Dialogue struct {
	Space string
	Turns []dsl.Turn
	// One of them is what the data set says about it.
	Conversation *Conversation
	Persona      *Persona
	History      *History
	Trajectory   *Trajectory
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
	if d.History != nil {
		out = append(out, d.History.Text)
	}
	if d.Trajectory != nil {
		for _, q := range d.Trajectory.Questions {
			out = append(out, q.Text)
		}
	}
	return out
}

// ReadDialogues streams the spaces of a data set, as ReadLoCoMo, ReadMemora,
// ReadLongMemEval or ReadMemDaily does. With AnyFormat the start of the file
// tells which; the format that was found is given back.
func ReadDialogues(r io.Reader, name string, f Format) (iter.Seq2[Dialogue, error], Format, error) {
	if f == AnyFormat {
		b := bufio.NewReaderSize(r, sniffed)
		head, err := b.Peek(sniffed)
		if err != nil && err != io.EOF {
			return nil, "", fmt.Errorf("eval: %s: %w", name, err)
		}
		if f = sniff(head); f == AnyFormat {
			return nil, "", &DataError{File: name, Err: fmt.Errorf("%w: it looks like no data set that is known here", dsl.ErrInvalid),
				Want: "a file of LoCoMo, LongMemEval, Memora or MemDaily; name it (--format) if it is one"}
		}
		r = b
	}
	switch f {
	case MemoraFormat:
		return mapped(ReadMemora(r, name), func(p Persona) Dialogue {
			return Dialogue{Space: p.Space, Turns: p.Turns, Persona: &p}
		}), f, nil
	case LongMemEvalFormat:
		return mapped(ReadLongMemEval(r, name), func(h History) Dialogue {
			return Dialogue{Space: h.Space, Turns: h.Turns, History: &h}
		}), f, nil
	case MemDailyFormat:
		return mapped(ReadMemDaily(r, name), func(t Trajectory) Dialogue {
			return Dialogue{Space: t.Space, Turns: t.Turns, Trajectory: &t}
		}), f, nil
	}
	return mapped(ReadLoCoMo(r, name), conversationDialogue), LoCoMoFormat, nil
}

func conversationDialogue(c Conversation) Dialogue {
	return Dialogue{Space: c.Space, Turns: c.Turns, Conversation: &c}
}

// mapped makes a sequence of one thing out of a sequence of another; errors pass.
func mapped[T, R any](in iter.Seq2[T, error], f func(T) R) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		for x, err := range in {
			if !yield(f(x), err) {
				return
			}
		}
	}
}

// sniffed is how much of a file tells its format, in bytes.
const sniffed = 4096

// sniff tells the format from the first telling key of the first object, or from
// the mark of a tar.
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
	for dec.PeekKind() == '"' {
		key, err := dec.ReadToken()
		if err != nil {
			return AnyFormat
		}
		if f := keyFormat(key.String(), dec.PeekKind()); f != AnyFormat {
			return f
		}
		if dec.SkipValue() != nil {
			return AnyFormat
		}
	}
	return AnyFormat
}

// keyFormat tells the format from a key that only one has, with the kind of its
// value.
func keyFormat(key string, kind jsontext.Kind) Format {
	switch key {
	case "sample_id", "qa", "event_summary", "observation", "session_summary":
		return LoCoMoFormat
	case "question_id", "question_type", "question_date", "haystack_session_ids", "haystack_dates", "haystack_sessions", "answer_session_ids":
		return LongMemEvalFormat
	case "message_list", "question_list":
		return MemDailyFormat
	case "session_id", "session_type", "operation", "operation_details", "date", "persona", "date_range", "questions":
		return MemoraFormat
	case "conversation":
		if kind == '[' {
			return MemoraFormat
		}
		return LoCoMoFormat
	}
	return AnyFormat
}
