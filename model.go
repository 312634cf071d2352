package asof

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/asof-db/asof/assimilate"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/analyze"
	"github.com/asof-db/asof/store"
)

// LanguageModel is a language model that a memory may ask. What it says is
// written into the log, under its name, and is never asked for again: a replay
// and an audit need no model.
type LanguageModel interface {
	// Name names the model, as the log does: printable ASCII without spaces.
	Name() string
	// Complete answers with at most maxTokens tokens of the model's own. An error,
	// of whatever kind, makes the memory do without.
	Complete(ctx context.Context, system, user string, maxTokens int) (string, error)
}

// What a language model is asked for, as metrics name it.
const (
	useSummary  = "summary"
	useBackfill = "backfill"
)

// agentPrefix marks operations and candidates that a language model worded.
const agentPrefix = "llm:"

// wantsModel refuses an item for which the configuration asks a model, where
// there is none.
func (db *DB) wantsModel(it *Item) error {
	if db.opt.LanguageModel != nil {
		return nil
	}
	switch {
	case db.cfg.Events.LLMSummary && !it.Drop && len(it.Ops) == 0:
		return fmt.Errorf("%w: events.llm_summary: true asks a language model, and there is none; name one by llm.url and llm.model", dsl.ErrInvalid)
	case asksModel(&db.cfg) && (it.Turn != nil && it.Candidates == nil || it.Gap != nil):
		return fmt.Errorf("%w: an option of extraction (ner.mode or relation.mode C, coref.mode A+C, time.llm_low_conf) asks a language model, and there is none; name one by llm.url and llm.model", dsl.ErrInvalid)
	case db.cfg.Backfill.LLM && it.Gap != nil:
		return fmt.Errorf("%w: backfill.llm: true asks a language model, and there is none; name one by llm.url and llm.model", dsl.ErrInvalid)
	}
	return nil
}

// agent names the language model in the log.
func (b *builder) agent() string { return agentPrefix + b.db.opt.LanguageModel.Name() }

// complete asks the language model. ok is false where it gave no answer, which
// is logged and counted.
func (b *builder) complete(use, system, user string, maxTokens int) (text string, ok bool) {
	text, err := b.db.opt.LanguageModel.Complete(b.db.asking, system, user, maxTokens)
	if err != nil {
		b.db.metrics.asked(use, "failed")
		b.db.log.Warn("the language model gave no answer; the memory does without", "use", use, "err", err)
		return "", false
	}
	return strings.TrimSpace(text), true
}

// answered counts an answer and logs one that is of no use.
func (b *builder) answered(use string, err error) {
	if err != nil {
		b.db.metrics.asked(use, "refused")
		b.db.log.Warn("the language model's answer is of no use; the memory does without", "use", use, "err", err)
		return
	}
	b.db.metrics.asked(use, "taken")
}

// Bounds of what a language model reads and writes, in its own tokens or bytes.
const (
	summaryAnswer  = 200
	backfillAnswer = 2000
	promptTurn     = 2000
)

const summarySystem = `You word one line of a conversation memory. You are given a summary that a program made of recorded facts, and the turn it comes from.
Write the same in one plain sentence, in the language of the summary. Keep every name, value and date of the summary. Add nothing that the summary does not say. Answer with the sentence alone.`

// rewriter gives what words the summaries of events anew, nil where nothing does.
func (b *builder) rewriter(in *assimilate.Said) func(*dsl.Op) (string, string) {
	if !b.db.engine.policy.Layer2.Rewrite || b.db.opt.LanguageModel == nil {
		return nil
	}
	said := ""
	if in.Kind != dsl.TxBackfill {
		if text, err := in.Turn.Text.Open(); err == nil {
			said = "\n\nTurn of " + in.Turn.Speaker.String() + " on " + in.TurnTime.String() + ":\n" + clipText(text, promptTurn)
		}
	}
	return func(o *dsl.Op) (string, string) {
		template, err := o.Summary.Open()
		if err != nil {
			return "", ""
		}
		text, ok := b.complete(useSummary, summarySystem, "Summary:\n"+template+said, summaryAnswer)
		if !ok {
			return "", ""
		}
		if !assimilate.Rewritten(template, text) {
			b.answered(useSummary, fmt.Errorf("%q is no line that could stand for %q", clipText(text, 200), template))
			return "", ""
		}
		b.answered(useSummary, nil)
		return text, b.agent()
	}
}

// recordedSummaries gives the summaries that a transaction records as worded by
// a language model: those of its own operations, by event and version.
func recordedSummaries(tx *dsl.Tx) func(*dsl.Op) (string, string) {
	return func(o *dsl.Op) (string, string) {
		for i := range tx.Operations {
			x := &tx.Operations[i]
			if x.Kind == dsl.UpsertEvent && x.ID == o.ID && x.Version == o.Version && strings.HasPrefix(x.Agent, agentPrefix) {
				if text, err := x.Summary.Open(); err == nil {
					return text, x.Agent
				}
			}
		}
		return "", ""
	}
}

// clipText cuts a text at a whole character.
func clipText(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "")
}

const backfillSystem = `You read turns of a conversation for facts that answer a question which a memory could not.
Answer with a JSON array alone, possibly empty. Each element: {"turn": id of the turn that says it, "src": subject, "rel": one of the relations given, "dst": value, "relation": only for related_to, such as "sister", "polarity": "+" or "-", "change": "assert", "correct" or "end", "valid": [from, to] as ISO dates or null, only where the turn gives a time, "confidence": 0 to 1}.
Only what a turn plainly states: no guess, no question, no wish. "I" is the speaker.`

// modelConfidence bounds the confidence of what a language model proposes.
const modelConfidence = 0.9

// askModel asks the language model what the turns of a gap say of it, beyond
// what was found. An answer that cannot be read, or that names turns, relations
// or subjects that are not asked for, adds nothing.
func (b *builder) askModel(view store.View, ask *assimilate.Ask, gap *dsl.Gap, found []dsl.Candidate) ([]dsl.Candidate, error) {
	query, err := gap.Query.Open()
	if err != nil {
		return nil, nil
	}
	var prompt strings.Builder
	fmt.Fprintf(&prompt, "Question: %s\nWhat the memory lacks: %s\n\nRelations:", query, strings.Join(gap.Missing, ", "))
	registry := b.db.engine.registry
	for _, p := range registry.List() {
		fmt.Fprintf(&prompt, " %s", p.Name)
	}
	prompt.WriteString("\n\nTurns:\n")
	turns := map[string]bool{}
	for t, err := range view.Turns(gap.From - 1) {
		if err != nil {
			return nil, err
		}
		text, err := t.Text.Open()
		if err != nil || t.ReplacedBy != "" {
			continue
		}
		turns[t.ID] = true
		fmt.Fprintf(&prompt, "[%s] %s, %s: %s\n", t.ID, t.TS, t.Speaker, clipText(text, promptTurn))
	}
	answer, ok := b.complete(useBackfill, backfillSystem, prompt.String(), backfillAnswer)
	if !ok {
		return nil, nil
	}
	list, err := b.proposed(answer)
	b.answered(useBackfill, err)
	var out []dsl.Candidate
	space := view.Basis().Space
	for i := range list {
		c := &list[i]
		if !turns[c.Turn] || len(found)+len(out) >= maxRefound || among(found, c) || among(out, c) || !ask.Fits(space, registry, c) {
			continue
		}
		said, err := view.FactsByEvidence(c.Turn)
		if err != nil {
			return nil, err
		}
		if !evident(said, space, registry, c) {
			out = append(out, *c)
		}
	}
	return out, nil
}

// proposal is a candidate as a language model writes it.
type proposal struct {
	candidateInput
	Turn txLabel `json:"turn"` // a string, or a number where ids look like one
}

// proposed reads the array in a language model's answer, whatever stands around
// it. Elements that are no candidate over the registry are left out.
func (b *builder) proposed(answer string) ([]dsl.Candidate, error) {
	from, to := strings.IndexByte(answer, '['), strings.LastIndexByte(answer, ']')
	if from < 0 || to < from {
		return nil, errors.New("it holds no array")
	}
	var in []proposal
	if err := unmarshal([]byte(answer[from:to+1]), &in); err != nil {
		return nil, err
	}
	registry := b.db.engine.registry
	p := &parser{opt: ParseOptions{Registry: registry}}
	var err error
	if p.loc, err = dsl.ParseZone(b.db.cfg.Timezone); err != nil {
		return nil, err
	}
	var out []dsl.Candidate
	for i := range in {
		if _, known := registry.Lookup(in[i].Rel); !known || analyze.NormalizeName(in[i].Src) == "" || analyze.NormalizeName(in[i].Dst) == "" {
			continue
		}
		c, err := p.candidate(&in[i].candidateInput)
		if err != nil {
			continue
		}
		c.Turn, c.Source, c.Confidence = string(in[i].Turn), b.agent(), min(c.Confidence, modelConfidence)
		if !slices.ContainsFunc(out, func(x dsl.Candidate) bool {
			return x.Turn == c.Turn && x.Rel == c.Rel && x.Src == c.Src && x.Dst == c.Dst
		}) {
			out = append(out, c)
		}
	}
	return out, nil
}
