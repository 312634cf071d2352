package reader

import (
	"context"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/extract"
	"github.com/asof-db/asof/retrieval/pack"
	"github.com/asof-db/asof/retrieval/question"
	"github.com/asof-db/asof/retrieval/scaffold"
)

// Input is what a reader gets.
type Input struct {
	// Pack is the evidence; its Query is the question.
	Pack *pack.Pack
	// Scaffolds are what was worked out from it; they may be none.
	Scaffolds []scaffold.Scaffold
	// Asked is when the question is asked: its "last week" is counted from there,
	// in UTC. It is finite.
	Asked dsl.Instant
}

// question reads the question of the pack.
func (in *Input) question() question.Analysis {
	return question.Analyze(in.Pack.Query, in.Asked.Time(), nil)
}

// Answer is what a reader says.
type Answer struct {
	// Text is the answer in few words; for an abstention the reason, in words for
	// people.
	Text string
	// Abstained tells that the pack does not hold the answer, as far as the reader
	// sees; Reason is one of the Reasons then.
	Abstained bool
	Reason    Reason
	// Evidence are the turns that the answer rests on, best first, all of the pack.
	Evidence []string
	// Read and Written are the tokens that a model counted, Model its name; without a
	// model Read is what the pack's own tokenizer counts.
	Read, Written int
	Model         string
}

// Reason is why a reader abstained.
type Reason string

// The reasons.
const (
	// Empty: the pack holds nothing.
	Empty Reason = "empty"
	// Unsaid: nothing in it says what is asked of.
	Unsaid Reason = "unsaid"
	// OtherSubject: what is asked of was said, but of somebody else.
	OtherSubject Reason = "other_subject"
	// NoValue: it is spoken of, but no date, number or name of the kind that is asked for.
	NoValue Reason = "no_value"
	// Declined: a model said that it cannot tell.
	Declined Reason = "declined"
)

// reasons in words, English and Chinese.
var reasons = map[Reason][2]string{
	Empty:        {"the memory holds nothing about it", "记忆里没有相关内容"},
	Unsaid:       {"nothing that was said answers it", "没有人说过这件事"},
	OtherSubject: {"it was said of somebody else", "说的是另一个人"},
	NoValue:      {"it was spoken of, but not that", "提到过，但没有说到这一点"},
	Declined:     {"the model could not tell from the evidence", "模型无法从证据中得出答案"},
}

// abstain makes an abstention.
func abstain(r Reason, lang string) Answer {
	return Answer{Abstained: true, Reason: r, Text: word(lang, reasons[r][0], reasons[r][1]), Evidence: []string{}}
}

func word(lang, en, zh string) string {
	if lang == "zh" {
		return zh
	}
	return en
}

// Reader answers from a pack.
type Reader interface {
	// Name names the reader, and the model that it asks if it asks one.
	Name() string
	// Read answers. An error means that there is no answer, not even an abstention.
	Read(ctx context.Context, in Input) (Answer, error)
}

// Extractive answers without a model.
type Extractive struct {
	// Pipeline reads the turns of packs; nil stands for the default one.
	Pipeline *extract.Pipeline
}

// ExtractiveName is the name of the reader that needs no model.
const ExtractiveName = "extractive"

// Name implements Reader.
func (Extractive) Name() string { return ExtractiveName }
