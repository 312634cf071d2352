package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

func (a *app) historyCommand() *cobra.Command {
	var basis basisFlags
	var look asof.Lookup
	var picture, explain bool
	var lang string
	cmd := &cobra.Command{
		Use:   "history [FACT | --src X --rel R]",
		Short: "Every version of a fact, with the reason for each change",
		Long: `Every version of one fact, or of all facts that --src, --rel and --dst select,
with what opened it and what closed it, as known in the view.

--picture draws them: record time to the right, valid time upward, a box for each
version; the versions follow, each under its letter. A side of ^ is an end at ∞, of v
a start at −∞, of > an end of belief that is not known. Versions that were believed
at no time, or hold at none, have no box.

--explain says of each why it is, or was, believed: who said it, in which words and
when, by which rule it came in, what it replaced, and what ended it. --lang zh says
it in Chinese. With --json each version has further members: {"rule","why","because":
[{"turn","role":says|changes|unknown,"speaker","ts","text","replaced_by"}],"replaced":
[FactVersion],"end":{"rule","why","turn","now":[FactVersion]}}.

With --picture and --json it is one object a key:
{"src","src_name","rel","record":[bounds],"valid":[bounds],"rectangles":[version with
"columns","rows"]}, columns and rows telling between which bounds it lies.`,
		Example: "  asof history --src Anna --rel lives_in\n  asof history --src Anna --rel lives_in --picture\n  asof history --src Anna --rel lives_in --explain --at 2023-06-01\n  asof history 0b0e7a52-5d4c-5a0e-9d0c-4c1a6f5b8a11 --json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			selected := look != asof.Lookup{}
			if selected == (len(args) == 1) {
				return wrongUsage("give either the id of a fact or --src, --rel, --dst")
			}
			switch {
			case explain && picture:
				return wrongUsage("--explain and --picture do not go together")
			case cmd.Flags().Changed("lang") && !explain:
				return wrongUsage("--lang goes with --explain")
			case !slices.Contains(asof.Languages, lang):
				return wrongUsage("--lang %q is neither en nor zh", lang)
			}
			show := func(_ *asof.View, f *store.Version) error { return a.version(f) }
			if explain {
				show = func(v *asof.View, f *store.Version) error { return a.explain(v, f, lang) }
			}
			return a.withView(cmd.Context(), basis.at, func(_ *asof.DB, v *asof.View) error {
				if len(args) == 1 {
					versions, err := v.Fact(args[0])
					if errors.Is(err, dsl.ErrNotFound) {
						return fmt.Errorf("the view holds no fact %q", args[0])
					}
					if err != nil {
						return err
					}
					if picture {
						p := store.PlaneOf(versions)
						return a.plane(&p)
					}
					for i := range versions {
						if err := show(v, &versions[i]); err != nil {
							return err
						}
					}
					return nil
				}
				q, known, err := v.Query(look)
				if err != nil || !known {
					return err
				}
				if !picture {
					for f, err := range v.History(q) {
						if err != nil {
							return err
						}
						if err := show(v, &f); err != nil {
							return err
						}
					}
					return nil
				}
				for p, err := range store.Planes(v, q) {
					if err != nil {
						return err
					}
					if err := a.plane(&p); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	basis.register(cmd, false)
	f := cmd.Flags()
	f.StringVar(&look.Src, "src", "", "subject: a name, or id:<uuid>")
	f.StringVar(&look.Rel, "rel", "", "predicate")
	f.StringVar(&look.Dst, "dst", "", "value: a name, or id:<uuid>")
	f.BoolVar(&explain, "explain", false, "say why each version is, or was, believed")
	f.StringVar(&lang, "lang", "en", "language of --explain: en or zh")
	f.BoolVar(&picture, "picture", false, "draw the versions in both times")
	return cmd
}

// version writes one version with its reasons.
func (a *app) version(v *store.Version) error {
	h := asof.HistoryOut(v)
	if a.json {
		return a.line(h)
	}
	a.print("%s", factLine(h.FactJSON))
	a.reasons(&h)
	return nil
}

// reasons writes what opened and what closed a version.
func (a *app) reasons(h *asof.HistoryJSON) {
	a.print("    opened by %s%s: %s", h.Op, ofTurn(h.Turn), escape(h.Reason))
	if h.ClosedBy != nil {
		a.print("    closed by %s%s: %s", h.ClosedBy.Op, ofTurn(h.ClosedBy.Turn), escape(h.ClosedBy.Reason))
	}
}

// ofTurn names the turn behind a change, where there is one.
func ofTurn(id string) string {
	if id == "" {
		return ""
	}
	return " of turn " + escape(id)
}
