package extract

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/asof-db/asof/dsl"
)

// Option C asks a language model with a JSON schema and a few examples, and takes of its
// answer what is in the text. What it said is in the log as candidates with its name as
// their source; a replay asks nobody.

// modelPrefix stands before the name of a language model where the log names it.
const modelPrefix = "llm:"

// Bounds of a question: the bytes of a turn that is asked about, and of a turn before it.
const (
	maxAsked  = 8 << 10
	maxBefore = 1 << 10
)

// inquiry is what a stage asks a language model.
type inquiry struct {
	// system says what is wanted, with examples.
	system string
	// schema is the JSON schema of the answer.
	schema string
	// tokens bounds the answer, in the model's own.
	tokens int
}

// asked is a language model that a stage asks.
type asked struct{ model LanguageModel }

// by names the model as the log does.
func (a asked) by() string { return modelPrefix + a.model.Name() }

// ask asks about a turn and reads the answer into a pointer.
func (a asked) ask(d *Document, q *inquiry, user string, into any) error {
	if len(d.Text) > maxAsked {
		return fmt.Errorf("%w: %d bytes, %d are asked about", ErrTooLong, len(d.Text), maxAsked)
	}
	var answer string
	var err error
	if m, ok := a.model.(SchemaModel); ok {
		answer, err = m.CompleteJSON(d.Waiting(), q.system, user, []byte(q.schema), q.tokens)
	} else {
		answer, err = a.model.Complete(d.Waiting(), q.system+"\nAnswer with a JSON object of this schema alone:\n"+q.schema, user, q.tokens)
	}
	if err != nil {
		return err
	}
	return readAnswer(answer, into)
}

// readAnswer reads the JSON object in an answer, whatever stands around it.
func readAnswer(answer string, into any) error {
	from, to := strings.IndexByte(answer, '{'), strings.LastIndexByte(answer, '}')
	if from < 0 || to < from {
		return fmt.Errorf("%w: there is no JSON object in %q", ErrMalformed, clip(answer, 200))
	}
	if err := json.Unmarshal([]byte(answer[from:to+1]), into, jsontext.AllowDuplicateNames(false)); err != nil {
		return fmt.Errorf("%w: %v", ErrMalformed, err)
	}
	return nil
}

// clip cuts a text at a whole character.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "")
}

// sift keeps what check has nothing against. An answer of which more than half does
// not hold is nonsense as a whole.
func sift[T any](list []T, check func(*T) error) ([]T, error) {
	var kept []T
	var faults []error
	for i := range list {
		if err := check(&list[i]); err != nil {
			faults = append(faults, err)
			continue
		}
		kept = append(kept, list[i])
	}
	if 2*len(faults) > len(list) {
		return nil, fmt.Errorf("%w: %d of %d parts do not hold: %w", ErrNonsense, len(faults), len(list), errors.Join(faults[:min(3, len(faults))]...))
	}
	return kept, nil
}

// asking words the turn for a question, with the turn before it.
func asking(d *Document) *strings.Builder {
	var b strings.Builder
	fmt.Fprintf(&b, "Speaker: %s\n", d.Speaker)
	if d.Listener != "" {
		fmt.Fprintf(&b, "Listener: %s\n", d.Listener)
	}
	fmt.Fprintf(&b, "Said at: %s\n", d.Local.Format("Monday 2006-01-02T15:04"))
	if n := len(d.Previous); n > 0 {
		if text, err := d.Previous[n-1].Text.Open(); err == nil && text != "" {
			fmt.Fprintf(&b, "Before, by %s: %s\n", d.Previous[n-1].Speaker, clip(text, maxBefore))
		}
	}
	fmt.Fprintf(&b, "Text: %s\n", d.Text)
	return &b
}

// placed gives the next place of a part of the text that none of taken overlaps, whole
// words first; ok is false where there is none.
func placed(text, part string, taken []dsl.Span) (s dsl.Span, ok bool) {
	if part == "" {
		return s, false
	}
	for _, whole := range []bool{true, false} {
		for from := 0; ; {
			k := strings.Index(text[from:], part)
			if k < 0 {
				break
			}
			s := dsl.Span{Start: from + k, End: from + k + len(part)}
			from = s.Start + len(part)
			if whole && !wholeWords(text, s) {
				continue
			}
			free := true
			for _, t := range taken {
				free = free && (t.End <= s.Start || s.End <= t.Start)
			}
			if free {
				return s, true
			}
		}
	}
	return s, false
}

// wholeWords tells whether no word goes on at an end of a part.
func wholeWords(text string, s dsl.Span) bool {
	word := func(b byte) bool { return b < 0x80 && isAlnum(rune(b)) }
	inside := func(at int) bool { return at > 0 && at < len(text) && word(text[at-1]) && word(text[at]) }
	return !inside(s.Start) && !inside(s.End)
}
