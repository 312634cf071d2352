package extract

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/asof-db/asof/dsl"
)

// Parts are what options beyond the rules work with. A pipeline closes none of
// them. All of them have to be safe for concurrent use.
type Parts struct {
	// Tagger reads names in text that is not in Chinese characters, TaggerHan in
	// text that is; ner.mode B needs one of them, and rules read the other script
	// where there is none.
	Tagger, TaggerHan TokenClassifier
	// Segmenter finds sentences, for preprocess.tiny_seg.
	Segmenter TokenClassifier
	// Model is the language model, for ner.mode and relation.mode C, coref.mode A+C
	// and time.llm_low_conf.
	Model LanguageModel
	// Parser is a CoreNLP server, for ner.mode B', coref.mode B, time.sutime and
	// relation.parse.
	Parser Parser
}

// TokenClassifier labels parts of texts, as a network that was trained on BIO,
// BIOES or plain labels does.
type TokenClassifier interface {
	// Name names the model and its content, as versions and the log do: printable
	// ASCII without spaces.
	Name() string
	// Labels are the labels that it can give, without the letters for a part's
	// begin and end.
	Labels() []string
	// Tag gives the labelled parts of each text, in order, none overlapping. What it
	// does not read, because the text is too long, has none.
	Tag(ctx context.Context, texts []string) ([][]Labelled, error)
}

// Labelled is a part of a text with its label.
type Labelled struct {
	// Start and End are bytes of the text, half-open.
	Start, End int
	Label      string
}

// LanguageModel answers what it is asked in words.
type LanguageModel interface {
	// Name names the model as the log does: printable ASCII without spaces.
	Name() string
	// Complete answers with at most maxTokens tokens of the model's own.
	Complete(ctx context.Context, system, user string, maxTokens int) (string, error)
}

// SchemaModel is a language model whose answer can be held to a JSON schema while it
// is written. One that cannot is asked in words alone; its answer is checked all the
// same.
type SchemaModel interface {
	LanguageModel
	// CompleteJSON is Complete for an answer that is a JSON value of the schema.
	CompleteJSON(ctx context.Context, system, user string, schema []byte, maxTokens int) (string, error)
}

// ErrMissingPart says that an option is switched on and the part that it works with
// is not there; the error says what to configure.
var ErrMissingPart = errors.New("the part is missing")

// Errors of an option that did answer. An option's error that wraps neither, nor
// a context's end, counts as Failed.
var (
	// ErrMalformed is for an answer that is not in the form that was asked for.
	ErrMalformed = errors.New("malformed answer")
	// ErrNonsense is for an answer in the right form that cannot be true: places outside
	// the text, unknown types.
	ErrNonsense = errors.New("nonsensical answer")
	// ErrTooLong is for a turn that is longer than the option reads.
	ErrTooLong = errors.New("turn too long")
)

// Fate is what became of an option's answer.
type Fate string

// The fates. All but Taken mean that a turn fell back to the cheaper option.
const (
	// Taken is an answer that was used, be it an empty one.
	Taken Fate = "taken"
	// Failed is none at all: no connection, an error of the server, a refusal.
	Failed Fate = "failed"
	// Late is none in time.
	Late Fate = "late"
	// Malformed, Nonsense and TooLong are as the errors of these names say.
	Malformed Fate = "malformed"
	Nonsense  Fate = "nonsense"
	TooLong   Fate = "too_long"
)

// Fates gives all fates, Taken first.
func Fates() []Fate { return []Fate{Taken, Failed, Late, Malformed, Nonsense, TooLong} }

// FateOf sorts an option's error; nil is Taken.
func FateOf(err error) Fate {
	for _, x := range []struct {
		err  error
		fate Fate
	}{{nil, Taken}, {ErrMalformed, Malformed}, {ErrNonsense, Nonsense}, {ErrTooLong, TooLong}, {context.DeadlineExceeded, Late}} {
		if errors.Is(err, x.err) {
			return x.fate
		}
	}
	var t interface{ Timeout() bool }
	if errors.As(err, &t) && t.Timeout() {
		return Late
	}
	return Failed
}

// Answer is one time that a stage asked an option beyond the rules.
type Answer struct {
	// Stage is the section of the configuration that chose the option: preprocess,
	// ner, alias, coref, time, relation.
	Stage string
	// Option is B or C.
	Option string
	// By names the model or server that was asked, a language model with "llm:" before
	// its name.
	By   string
	Fate Fate
	// Err says why the answer was not taken; nil where it was.
	Err error
}

// FellBack tells whether the stage went on without the option.
func (a *Answer) FellBack() bool { return a.Fate != Taken }

// Answered keeps what became of an option that a stage asked, and by whom; nil for an answer that
// was taken. A stage calls it once for each time it asks, and then does what the
// cheaper option does if err is not nil.
func (d *Document) Answered(stage, option, by string, err error) {
	d.answers = append(d.answers, Answer{stage, option, by, FateOf(err), err})
}

// Waiting gives the context in which a stage may wait for a part; it ends when
// nobody waits for the turn any more.
func (d *Document) Waiting() context.Context {
	if d.waiting == nil {
		return context.Background()
	}
	return d.waiting
}

// assembly puts a pipeline together and collects all faults of its configuration.
type assembly struct {
	Config
	errs []error
}

// missing notes a key whose option lacks a part, and what to do about it.
func (a *assembly) missing(key, value, what, do string) {
	a.errs = append(a.errs, fmt.Errorf("extract: %s: %s needs %s: %w; %s", key, value, what, ErrMissingPart, do))
}

// mode checks that the value of a key is one of its modes.
func (a *assembly) mode(key, got string, all ...string) {
	if !slices.Contains(all, got) {
		a.errs = append(a.errs, fmt.Errorf("%w: extract: %s: %q is none of %s", dsl.ErrInvalid, key, got, strings.Join(all, ", ")))
	}
}

// wantsModel notes that a key's option asks the language model, and tells whether
// there is one.
func (a *assembly) wantsModel(key, value string) bool {
	if a.Parts.Model == nil {
		a.missing(key, value, "a language model", "name one by llm.url and llm.model")
		return false
	}
	return true
}
