package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

func (a *app) diffCommand() *cobra.Command {
	var from, to moment
	var net bool
	cmd := &cobra.Command{
		Use:   "diff --from T1 [--to T2]",
		Short: "What the memory learned, corrected and closed between two views",
		Long: `What changed after the view at --from, up to and with the view at --to, in the
order in which it was recorded. Without --from it starts at the beginning,
without --to it goes to the head.

With --net only what is left of it: what is believed in the one view and not in the
other, whatever happened in between. A belief is a fact with its value and valid
interval; - stands before those of --from, + before those of --to. The JSON is
{"before": FactVersion} or {"after": FactVersion}, in order of subject id and
predicate.`,
		Example: "  asof diff --from 2023-06-01 --to 2023-07-01\n  asof diff --from 2023-06-01 --net\n  asof diff --from '#10' --to '#20' --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if from.given() && to.given() && from.isSeq == to.isSeq && (from.seq > to.seq || from.time > to.time) {
				return wrongUsage("--from %s is later than --to %s", from.text, to.text)
			}
			return a.withView(cmd.Context(), to, func(db *asof.DB, v *asof.View) error {
				start, err := db.View(a.space, from.atOr(asof.AtSeq(0)))
				if errors.Is(err, dsl.ErrNotFound) {
					return nil // after the head there is nothing that could have changed
				}
				if err != nil {
					return err
				}
				switch {
				case start.Basis().Seq >= v.Basis().Seq: // nothing lies between, and nothing later than --to is shown
				case net:
					err = a.netDifference(start, v)
				default:
					err = a.changes(v, start.Basis().Seq)
				}
				return errors.Join(err, start.Close())
			})
		},
	}
	cmd.Flags().Var(&from, "from", "record time or position of the earlier view")
	cmd.Flags().Var(&to, "to", "record time or position of the later view")
	cmd.Flags().BoolVar(&net, "net", false, "only what the two views believe differently")
	return cmd
}

// changes writes what changed after a position.
func (a *app) changes(v *asof.View, after dsl.Seq) error {
	for c, err := range v.Changes(after) {
		if err != nil {
			return err
		}
		if err := a.change(asof.ChangeOut(&c)); err != nil {
			return err
		}
	}
	return nil
}

// netDifference writes what two views believe differently.
func (a *app) netDifference(from, to *asof.View) error {
	for d, err := range store.NetDifference(from, to, store.FactQuery{}) {
		if err != nil {
			return err
		}
		out := asof.DifferenceOut(&d)
		switch {
		case a.json:
			if err := a.line(out); err != nil {
				return err
			}
		case out.Before != nil:
			a.print("- %s", factLine(*out.Before))
		default:
			a.print("+ %s", factLine(*out.After))
		}
	}
	return nil
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
