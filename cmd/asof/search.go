package main

import (
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/retrieval"
)

// partialHelp is the help of --partial.
const partialHelp = "answer from what models have embedded by now, and say in the basis how far that goes"

// coverage says on standard error how far the vectors of models go, and gives it to
// a search that takes a part.
func (a *app) coverage(v *asof.View, kinds []retrieval.Kind, partial bool) ([]retrieval.Watermark, error) {
	marks, err := v.Watermarks(kinds)
	if err != nil {
		return nil, err
	}
	for _, w := range marks {
		if w.Documents < w.Of {
			a.note("%d of %d documents (%s) are embedded (已嵌入)", w.Documents, w.Of, asof.KindOf(w.Field))
		}
	}
	if !partial {
		return nil, nil
	}
	return append([]retrieval.Watermark{}, marks...), nil
}

func (a *app) searchCommand() *cobra.Command {
	var basis basisFlags
	var asked moment
	var k int
	var kinds, gaps string
	var explain, partial bool
	cmd := &cobra.Command{
		Use:   "search QUERY",
		Short: "What the memory holds about a question, best first",
		Long: `Ranks what the memory held at --at for a question. Scores too are those that a
memory that ended there would give. Time words of the question ("last week") are
read as of --asked-at, or else of the view; they raise what was said or held then
and keep nothing out. --explain says how the question was read and what made the
score of each hit.`,
		Example: "  asof search 'where does Anna live?'\n  asof search 安娜住在哪里 --at 2023-06-01 -k 5 --kind turn,fact --json",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := basis.check(); err != nil {
				return err
			}
			if k < 1 {
				return wrongUsage("-k %d: at least one hit has to be asked for", k)
			}
			query := strings.Join(args, " ")
			if !utf8.ValidString(query) {
				return wrongUsage("the question is not valid UTF-8")
			}
			list, err := retrieval.ParseKinds(kinds)
			if err != nil {
				return wrongUsage("--kind: %w", err)
			}
			return a.withView(cmd.Context(), basis.at, func(db *asof.DB, v *asof.View) error {
				q := asof.SearchQuery{Text: query, K: k, Kinds: list, View: retrieval.ViewKind(basis.kind)}
				var err error
				if q.Valid, err = basis.validAt(v); err != nil {
					return err
				}
				if asked.given() {
					t, err := asked.instant(v)
					if err != nil {
						return err
					}
					q.Asked = &t
				} else if basis.at.given() && !basis.at.isSeq {
					q.Asked = &basis.at.time
				}
				if q.Part, err = a.coverage(v, list, partial); err != nil {
					return err
				}
				r, err := v.Search(cmd.Context(), q)
				if err != nil {
					return err
				}
				if !cmd.Flags().Changed("at") { // only what is lacking now can be filled
					gap, err := v.Gap(q.Text, &r)
					if err == nil && gap != nil {
						err = a.reportGap(gap, gaps)
					}
					if err != nil {
						return err
					}
				}
				out := db.SearchOut(q.Text, &r)
				if explain {
					out = db.SearchExplained(q.Text, &r)
				}
				if a.json {
					return a.line(out)
				}
				if explain {
					for _, line := range questionLines(out.Question) {
						a.print("%s", line)
					}
				}
				for _, h := range out.Hits {
					a.print("%s", hitLine(h))
					if line := whyLine(h); line != "" {
						a.print("    %s", line)
					}
				}
				return nil
			})
		},
	}
	basis.register(cmd, true)
	f := cmd.Flags()
	f.IntVarP(&k, "k", "k", 10, "the most hits wanted")
	f.StringVar(&kinds, "kind", "", "kinds of hit: some of turn,fact,event,session (default turn,fact)")
	f.Var(&asked, "asked-at", "when the question is asked (default: the time of the view)")
	f.BoolVar(&explain, "explain", false, "also how the question was read, and what made each score")
	f.BoolVar(&partial, "partial", false, partialHelp)
	f.StringVar(&gaps, "gaps", "", "file that a question which finds too little is appended to, for 'asof backfill --gaps'")
	return cmd
}
