package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/retrieval"
	"github.com/asof-db/asof/retrieval/reader"
)

const askLong = `Compiles the evidence pack of a question and answers from it, or abstains and says
why (exit status 1 then). The reader 'extractive' needs no model: dates are
resolved, spans of time computed, numbers and names cut out of what was said; the
same question at the same basis gives the same answer. The reader 'llm' asks the
language model that the configuration names (llm.url, llm.model).

--record FILE appends every call of a model to a file; --replay FILE answers from
such a file, without the model and without a network.`

// The readers of ask.
const readerLLM = "llm"

func (a *app) askCommand() *cobra.Command {
	var basis basisFlags
	var opt asof.PackOptions
	var name, record, replay string
	cmd := &cobra.Command{
		Use:     "ask QUERY",
		Short:   "Answer a question from the evidence that the memory holds",
		Long:    askLong,
		Example: "  asof ask 'where does Anna live?'\n  asof ask 安娜什么时候搬家的 --at 2023-06-01 --json\n  asof ask 'what does Ben do?' --reader llm --record calls.jsonl",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if err := basis.check(); err != nil {
				return err
			}
			query := strings.Join(args, " ")
			switch {
			case !utf8.ValidString(query):
				return wrongUsage("the question is not valid UTF-8")
			case cmd.Flags().Changed("budget") && opt.Budget < 1:
				return wrongUsage("--budget %d: at least one token has to be allowed", opt.Budget)
			case name != reader.ExtractiveName && name != readerLLM:
				return wrongUsage("--reader %q is neither extractive nor llm", name)
			case name != readerLLM && (record != "" || replay != ""):
				return wrongUsage("--record and --replay are of --reader llm")
			case record != "" && replay != "":
				return wrongUsage("--record and --replay: one of them")
			}
			r, closeReader, err := a.reader(name, record, replay)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, closeReader()) }()
			return a.withView(cmd.Context(), basis.at, func(_ *asof.DB, v *asof.View) error {
				q := asof.SearchQuery{Text: query, View: retrieval.ViewKind(basis.kind)}
				var err error
				if q.Valid, err = basis.validAt(v); err != nil {
					return err
				}
				reply, err := v.Ask(cmd.Context(), q, opt, r)
				if err != nil {
					return err
				}
				return a.reply(&reply)
			})
		},
	}
	basis.register(cmd, true)
	f := cmd.Flags()
	f.StringVar(&name, "reader", reader.ExtractiveName, "who answers: extractive (no model) or llm (llm.url, llm.model)")
	f.IntVar(&opt.Budget, "budget", 0, "most tokens of the evidence (default memory.read_budget_tokens_per_qa_avg, 600)")
	f.StringVar(&record, "record", "", "file that calls of the model are appended to")
	f.StringVar(&replay, "replay", "", "file of recorded calls to answer from, in place of the model")
	return cmd
}

// reply prints a reply; an abstention is the answer "no".
func (a *app) reply(r *asof.Reply) error {
	switch {
	case a.json:
		if err := a.line(r.Out()); err != nil {
			return err
		}
	case r.Abstained:
		a.note("no answer (无法回答): %s", r.Text)
	default:
		a.print("%s", escape(r.Text))
		a.note("by %s, from %s; pack %s", r.Reader, strings.Join(r.Answer.Evidence, ", "), r.From.Digest)
	}
	if r.Abstained {
		return errNo
	}
	return nil
}

// reader gives the reader of a name, nil for the extractive one, and what is to be
// called after it was used.
func (a *app) reader(name, record, replay string) (reader.Reader, func() error, error) {
	done := func() error { return nil }
	if name != readerLLM {
		return nil, done, nil
	}
	if replay != "" {
		f, err := os.Open(replay)
		if err != nil {
			return nil, nil, fmt.Errorf("--replay: %w", err)
		}
		defer f.Close()
		rec, err := reader.Replay(f)
		if err != nil {
			return nil, nil, fmt.Errorf("--replay %s: %w", replay, err)
		}
		return reader.Model{Ask: rec}, done, nil
	}
	cfg, err := a.config()
	if err != nil {
		return nil, nil, err
	}
	client, err := languageClient(&cfg.LLM, a.env)
	if err != nil {
		return nil, nil, err
	}
	if client == nil {
		return nil, nil, errors.New("--reader llm: no language model is named; llm.url and llm.model of the configuration do that")
	}
	if record == "" {
		return reader.Model{Ask: client}, done, nil
	}
	f, err := os.OpenFile(record, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, fmt.Errorf("--record: %w", err)
	}
	return reader.Model{Ask: reader.NewRecorder(client, f)}, f.Close, nil
}
