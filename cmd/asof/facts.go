package main

import (
	"github.com/spf13/cobra"

	"github.com/asof-db/asof"
)

func (a *app) factsCommand() *cobra.Command {
	var (
		basis   basisFlags
		look    asof.Lookup
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
each with {"i": n, "facts": […]}, n counted from 0, in order and as they come.`,
		Example: "  asof facts --src Anna --rel lives_in\n" +
			"  asof facts --src Anna --view aw --valid 2023-06-01 --at '#42'\n" +
			"  echo '{\"src\":\"Anna\",\"at\":\"2023-06-01\"}' | asof facts --queries -",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := basis.check(); err != nil {
				return err
			}
			if queries != "" {
				return a.factQueries(cmd.Context(), queries, factQuery{space: a.space, look: look, basis: basis})
			}
			return a.withView(cmd.Context(), basis.at, func(_ *asof.DB, v *asof.View) error {
				return a.eachFact(v, look, &basis, func(f asof.FactJSON) error {
					if a.json {
						return a.line(f)
					}
					a.print("%s", factLine(f))
					return nil
				})
			})
		},
	}
	basis.register(cmd, true)
	f := cmd.Flags()
	f.StringVar(&look.Src, "src", "", "subject: a name, or id:<uuid>")
	f.StringVar(&look.Rel, "rel", "", "predicate")
	f.StringVar(&look.Dst, "dst", "", "value: a name, or id:<uuid>")
	f.BoolVar(&look.All, "all", false, "closed and archived versions too")
	f.StringVar(&queries, "queries", "", "file of look-ups, - for standard input")
	return cmd
}

// eachFact gives the fact versions of a look-up in the view.
func (a *app) eachFact(v *asof.View, look asof.Lookup, basis *basisFlags, f func(asof.FactJSON) error) error {
	valid, err := basis.validAt(v)
	if err != nil {
		return err
	}
	look.Valid = valid
	q, known, err := v.Query(look)
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
