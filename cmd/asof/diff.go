package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/dsl"
)

func (a *app) diffCommand() *cobra.Command {
	var from, to moment
	cmd := &cobra.Command{
		Use:   "diff --from T1 [--to T2]",
		Short: "What the memory learned, corrected and closed between two views",
		Long: `What changed after the view at --from, up to and with the view at --to, in the
order in which it was recorded. Without --from it starts at the beginning,
without --to it goes to the head.`,
		Example: "  asof diff --from 2023-06-01 --to 2023-07-01\n  asof diff --from '#10' --to '#20' --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if from.given() && to.given() && from.isSeq == to.isSeq && (from.seq > to.seq || from.time > to.time) {
				return wrongUsage("--from %s is later than --to %s", from.text, to.text)
			}
			return a.withView(cmd.Context(), to, func(db *asof.DB, v *asof.View) error {
				after := dsl.Seq(0)
				if from.given() {
					start, err := db.View(a.space, from.at())
					if errors.Is(err, dsl.ErrNotFound) {
						return nil // after the head there is nothing that could have changed
					}
					if err != nil {
						return err
					}
					after = start.Basis().Seq
					if err := start.Close(); err != nil {
						return err
					}
				}
				for c, err := range v.Changes(min(after, v.Basis().Seq)) {
					if err != nil {
						return err
					}
					if err := a.change(asof.ChangeOut(&c)); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	cmd.Flags().Var(&from, "from", "record time or position of the earlier view")
	cmd.Flags().Var(&to, "to", "record time or position of the later view")
	return cmd
}

// change writes one change.
func (a *app) change(c asof.ChangeJSON) error {
	if a.json {
		return a.line(c)
	}
	a.print("%s  %s%s: %s", c.At, c.Change, ofTurn(c.Turn), escape(c.Reason))
	for _, side := range []struct {
		sign string
		fact *asof.FactJSON
	}{{"-", c.Before}, {"+", c.After}} {
		if side.fact != nil {
			a.print("  %s %s", side.sign, factLine(*side.fact))
		}
	}
	return nil
}
