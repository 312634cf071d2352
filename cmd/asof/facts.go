package main

import (
	"github.com/spf13/cobra"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/store"
)

func (a *app) factsCommand() *cobra.Command {
	var (
		basis   basisFlags
		look    asof.Lookup
		read    reads
		queries string
	)
	cmd := &cobra.Command{
		Use:   "facts",
		Short: "Fact versions of a view",
		Long: `Fact versions of a view: those that the memory held at --at, whatever their
validity; with --valid, those of them that hold in the world at that time.

--src and --dst are names, resolved as of the view, or id:<uuid>. --queries reads
many look-ups, one JSON object a line: {"src","rel"?,"dst"?,"at"?,"valid"?,"view"?,
"all"?,"space"?}; what a line does not say is taken from the flags. It answers
each with {"i": n, "facts": […]}, n counted from 0, in order and as they come.

Spans A..B are half-open, and either end may be left out. --valid-range selects by
how the time of validity stands to a span, in the words of Allen's interval
algebra (--allen, by default: overlapping); --became and --ended by where it starts
or ends; all three as believed in the view, with --all also what is believed no
longer. --record-range does the same with the time of belief, and --no-longer
--since T gives what was believed at T and is not any more: both with the reasons,
as history gives them.`,
		Example: "  asof facts --src Anna --rel lives_in\n" +
			"  asof facts --src Anna --view aw --valid 2023-06-01 --at '#42'\n" +
			"  asof facts --valid-range 2023-01-01..2024-01-01 --allen during,overlaps\n" +
			"  asof facts --became 2023-05-01..2023-06-01\n" +
			"  asof facts --no-longer --since 2023-06-01\n" +
			"  echo '{\"src\":\"Anna\",\"at\":\"2023-06-01\"}' | asof facts --queries -",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := basis.check(); err != nil {
				return err
			}
			if err := read.check(cmd); err != nil {
				return err
			}
			if queries != "" {
				if read.some() {
					return wrongUsage("--queries takes no spans")
				}
				return a.factQueries(cmd.Context(), queries, factQuery{space: a.space, look: look, basis: basis})
			}
			return a.withView(cmd.Context(), basis.at, func(_ *asof.DB, v *asof.View) error {
				q, known, err := basis.query(v, look)
				switch {
				case err != nil || !known:
					return err
				case read.some():
					return a.spanReads(v, q, &read)
				}
				return a.facts(v.Facts(q))
			})
		},
	}
	basis.register(cmd, true)
	read.register(cmd)
	f := cmd.Flags()
	f.StringVar(&look.Src, "src", "", "subject: a name, or id:<uuid>")
	f.StringVar(&look.Rel, "rel", "", "predicate")
	f.StringVar(&look.Dst, "dst", "", "value: a name, or id:<uuid>")
	f.BoolVar(&look.All, "all", false, "closed and archived versions too")
	f.StringVar(&queries, "queries", "", "file of look-ups, - for standard input")
	return cmd
}

// fact writes one fact version.
func (a *app) fact(f asof.FactJSON) error {
	if a.json {
		return a.line(f)
	}
	a.print("%s", factLine(f))
	return nil
}

// query resolves a look-up in the view; known is false where a name denotes
// nothing in it.
func (b *basisFlags) query(v *asof.View, look asof.Lookup) (q store.FactQuery, known bool, err error) {
	if look.Valid, err = b.validAt(v); err != nil {
		return q, false, err
	}
	return v.Query(look)
}

// eachFact gives the fact versions of a look-up in the view.
func (a *app) eachFact(v *asof.View, look asof.Lookup, basis *basisFlags, f func(asof.FactJSON) error) error {
	q, known, err := basis.query(v, look)
	if err != nil || !known {
		return err
	}
	for fact, err := range v.Facts(q) {
		if err != nil {
			return err
		}
		if err := f(asof.FactOut(&fact)); err != nil {
			return err
		}
	}
	return nil
}
