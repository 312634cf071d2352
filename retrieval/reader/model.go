package reader

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/asof-db/asof/internal/llm"
	"github.com/asof-db/asof/retrieval/pack"
	"github.com/asof-db/asof/retrieval/question"
)

// Completer is a language model that answers requests: an llm.Client, or a Recorder
// of one.
type Completer interface {
	// Model is the name of the model.
	Model() string
	// Complete answers. The error is for the reader's caller.
	Complete(ctx context.Context, r llm.Request) (llm.Response, error)
}

// Model answers by a language model. The prompt says what the pack holds and how
// questions of the kind are answered; the kind is read from the question alone.
type Model struct {
	Ask Completer
	// MaxTokens bounds an answer, in the model's own tokens; 0 stands for 300.
	MaxTokens int
}

// Name implements Reader.
func (m Model) Name() string { return "llm:" + m.Ask.Model() }

// Type is the kind of prompt that a question gets.
type Type string

// The types, as LongMemEval's are but for being read from the question.
const (
	Plain      Type = "plain"
	Several    Type = "several"
	Update     Type = "update"
	Temporal   Type = "temporal"
	Preferring Type = "preference"
)

// TypeOf gives the type of a question, by its words alone.
func TypeOf(a *question.Analysis) Type {
	switch {
	case a.Kind == question.Preference:
		return Preferring
	case a.Kind == question.When || len(a.Times) > 0 && a.Kind != question.Count:
		return Temporal
	case a.Kind == question.Count || a.Listing:
		return Several
	case a.Order == question.Newest || a.Kind == question.Latest:
		return Update
	}
	return Plain
}

// Version names the prompts; it changes whenever any of them does.
const Version = "reader/1"

const system = `You answer a question from the notes of a conversation memory, and from nothing else.
The notes give turns with their speaker and day, facts with the time in which they hold, and events. Words such as "yesterday" in a turn are meant from the day of that turn.
Answer in as few words as the question allows: a name, a date, a number, a short phrase. Write in the language of the question. Write dates as "7 May 2023".
If the notes do not hold the answer, or hold it of somebody else than the question asks about, say that you cannot tell.
Answer with one JSON object: {"answer": "...", "evidence": ["turn id", ...], "abstain": true or false}. With "abstain": true the answer says why.`

// hints say how questions of a type are answered.
var hints = map[Type]string{
	Several: "List what each session says about it, take what is the same thing once, then count or list the rest.",
	Update:  "Where the notes say different things at different times, the latest holds.",
	Temporal: "Work out the date from the day of the turn before you answer. For a span of time, find both dates and count between them; " +
		"the question is asked on the day given below.",
	Preferring: "Say what the person likes or wants in words that a recommendation could follow; what the notes say of related things counts.",
}

// prompt makes the request of an input.
func (m Model) prompt(in Input) llm.Request {
	a := in.question()
	var b strings.Builder
	b.WriteString("Notes:\n")
	for i := range in.Pack.Items {
		it := &in.Pack.Items[i]
		fmt.Fprintf(&b, "[%s] %s\n", strings.Join(it.Evidence, ", "), it.Text)
	}
	for _, s := range in.Scaffolds {
		b.WriteString("\n" + s.Text + "\n")
	}
	if h := hints[TypeOf(&a)]; h != "" {
		b.WriteString("\n" + h + "\n")
	}
	if in.Asked != 0 {
		fmt.Fprintf(&b, "\nThe question is asked on %s.\n", in.Asked.Time().Format("Monday, 2 January 2006"))
	}
	b.WriteString("Question: " + in.Pack.Query + "\n")
	n := m.MaxTokens
	if n == 0 {
		n = 300
	}
	return llm.Request{System: system, User: b.String(), MaxTokens: n}
}

// ErrUnreadable says that what a model said is no answer.
var ErrUnreadable = errors.New("the model's answer is not what was asked for")

// Read implements Reader. The error is the model's, or wraps ErrUnreadable.
func (m Model) Read(ctx context.Context, in Input) (Answer, error) {
	if len(in.Pack.Items) == 0 {
		return abstain(Empty, in.Pack.Lang), nil
	}
	resp, err := m.Ask.Complete(ctx, m.prompt(in))
	if err != nil {
		return Answer{}, fmt.Errorf("reader: %w", err)
	}
	a, err := parse(resp.Text, in.Pack)
	if err != nil {
		return Answer{}, fmt.Errorf("reader: %s: %w", m.Ask.Model(), err)
	}
	a.Read, a.Written, a.Model = resp.Read, resp.Written, resp.Model
	return a, nil
}

// maxAnswer bounds the answer of a model, in bytes.
const maxAnswer = 4096

// parse reads an answer: the JSON object that was asked for, wherever it stands in
// the text. Evidence that is none of the pack's is left out.
func parse(text string, p *pack.Pack) (Answer, error) {
	start, end := strings.Index(text, "{"), strings.LastIndex(text, "}")
	if start < 0 || end < start {
		return Answer{}, fmt.Errorf("%w: it has no JSON object: %s", ErrUnreadable, clip(text))
	}
	var out struct {
		Answer   any      `json:"answer"`
		Evidence []string `json:"evidence"`
		Abstain  bool     `json:"abstain"`
	}
	if err := json.Unmarshal([]byte(text[start:end+1]), &out); err != nil {
		return Answer{}, fmt.Errorf("%w: %w: %s", ErrUnreadable, err, clip(text))
	}
	a := Answer{Evidence: []string{}, Abstained: out.Abstain}
	switch v := out.Answer.(type) {
	case string:
		a.Text = strings.TrimSpace(v)
	case float64, bool:
		a.Text = fmt.Sprint(v)
	}
	if a.Abstained {
		a.Reason = Declined
		if a.Text == "" {
			a.Text = word(p.Lang, reasons[Declined][0], reasons[Declined][1])
		}
		return a, nil
	}
	if a.Text == "" || len(a.Text) > maxAnswer || !utf8.ValidString(a.Text) {
		return Answer{}, fmt.Errorf("%w: its answer is empty, too long, or no text: %s", ErrUnreadable, clip(text))
	}
	for _, id := range out.Evidence {
		if inPack(p, id) && !slices.Contains(a.Evidence, id) {
			a.Evidence = append(a.Evidence, id)
		}
	}
	return a, nil
}

func inPack(p *pack.Pack, turn string) bool {
	return slices.ContainsFunc(p.Items, func(it pack.Item) bool { return slices.Contains(it.Evidence, turn) })
}

// clip gives the start of a text for an error.
func clip(s string) string {
	const most = 200
	if len(s) <= most {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprintf("%q…", strings.ToValidUTF8(s[:most], ""))
}
