package main

import (
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/retrieval"
	"github.com/asof-db/asof/retrieval/pack"
	"github.com/asof-db/asof/retrieval/scaffold"
)

const packLong = `Compiles what the memory held at --at about a question into an evidence pack: a
text of at most --budget tokens, and the items that it is made of, each with its
valid and record intervals and the turns that are its evidence. The same question
at the same basis gives the same bytes.

--scaffold adds what can be worked out from the pack alone: a timeline, statements
by freshness, the values that hold, what is to be counted. A pack that contradicts
itself gets none, and the exit status is 1.

flags here; configs/detchain.yaml and configs/compass.yaml pack whole sessions.

Without --json the text is printed, and the number of its tokens and the digest to
the standard error.`

func (a *app) packCommand() *cobra.Command {
	var basis basisFlags
	var opt asof.PackOptions
	var mode, scaffolds, gaps string
	var stats, active, partial bool
	cmd := &cobra.Command{
		Use:   "pack QUERY",
		Short: "The evidence about a question, within a budget of tokens",
		Long:  packLong,
		Example: "  asof pack 'where does Anna live?'\n  asof pack 安娜住在哪里 --at 2023-06-01 --budget 200 --json\n" +
			"  asof pack 'how many pets does Ben have?' --scaffold auto",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := basis.check(); err != nil {
				return err
			}
			query := strings.Join(args, " ")
			given := cmd.Flags().Changed
			switch {
			case !utf8.ValidString(query):
				return wrongUsage("the question is not valid UTF-8")
			case given("budget") && opt.Budget < 1:
				return wrongUsage("--budget %d: at least one token has to be allowed", opt.Budget)
			case opt.Lang != "" && opt.Lang != "en" && opt.Lang != "zh":
				return wrongUsage("--lang %q is neither en nor zh", opt.Lang)
			}
			switch opt.Mode = pack.Mode(mode); opt.Mode {
			case "", pack.Evidence, pack.Detchain, pack.Compass:
			default:
				return wrongUsage("--mode %q is none of evidence, detchain, compass", mode)
			}
			kinds, err := scaffoldKinds(scaffolds)
			if err != nil {
				return err
			}
			if given("stats") {
				opt.Stats = &stats
			}
			if given("active") {
				opt.Active = &active
			}
			return a.withView(cmd.Context(), basis.at, func(_ *asof.DB, v *asof.View) error {
				q := asof.SearchQuery{Text: query, View: retrieval.ViewKind(basis.kind)}
				var err error
				if q.Valid, err = basis.validAt(v); err != nil {
					return err
				}
				if q.Part, err = a.coverage(v, []retrieval.Kind{retrieval.Turn, retrieval.Fact, retrieval.Event}, partial); err != nil {
					return err
				}
				p, err := v.Pack(cmd.Context(), q, opt)
				if err != nil {
					return err
				}
				if !given("at") { // only what is lacking now can be filled
					gap, err := v.Gap(q.Text, &p.Result)
					if err == nil && gap != nil {
						err = a.reportGap(gap, gaps)
					}
					if err != nil {
						return err
					}
				}
				if scaffolds == "auto" {
					kinds = asof.FittingScaffolds(p)
				}
				e, err := v.Scaffolds(p, kinds)
				if err != nil {
					return err
				}
				if a.json {
					if err := a.line(e); err != nil {
						return err
					}
				} else {
					a.show(p.Text)
					for _, s := range e.Scaffolds {
						a.show(s.Text)
					}
				}
				if e.Contradiction != "" {
					a.note("no scaffold (没有推理脚手架): %s", e.Contradiction)
					return errNo
				}
				if a.json {
					return nil
				}
				a.note("%s by %s, %s; digest %s", plural(p.Tokens, "token"), p.Tokenizer, plural(len(p.Items), "item"), p.Digest)
				return nil
			})
		},
	}
	basis.register(cmd, true)
	f := cmd.Flags()
	f.IntVar(&opt.Budget, "budget", 0, "most tokens of the text (default memory.read_budget_tokens_per_qa_avg, 600)")
	f.StringVar(&mode, "mode", "", "evidence, detchain or compass (default pack.mode)")
	f.StringVar(&opt.Lang, "lang", "", "language of the words that the pack adds: en or zh (default that of the question)")
	f.BoolVar(&stats, "stats", false, "say in one line what did not fit (default pack.stats)")
	f.BoolVar(&active, "active", true, "say what does not hold at the time of the pack (default pack.active)")
	f.StringVar(&scaffolds, "scaffold", "", "add what can be worked out mechanically: off, auto, or some of timeline,freshness,invariants,count (default pack.scaffold)")
	f.BoolVar(&partial, "partial", false, partialHelp)
	f.StringVar(&gaps, "gaps", "", "file that a question which finds too little is appended to, for 'asof backfill --gaps'")
	return cmd
}

// scaffoldKinds reads --scaffold: nothing where the configuration or the question
// decides, an empty list where there are to be none.
func scaffoldKinds(list string) ([]scaffold.Kind, error) {
	switch list {
	case "", "auto":
		return nil, nil
	case "off":
		return []scaffold.Kind{}, nil
	}
	kinds, err := scaffold.ParseKinds(list)
	if err != nil {
		return nil, wrongUsage("--scaffold: %w", err)
	}
	return kinds, nil
}

// show prints a text line by line.
func (a *app) show(text string) {
	for line := range strings.Lines(text) {
		a.print("%s", escape(strings.TrimSuffix(line, "\n")))
	}
}
