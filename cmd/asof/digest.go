package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/dsl"
)

// digestJSON is the digest of a view.
type digestJSON struct {
	Space    string   `json:"space"`
	Position dsl.Seq  `json:"position"`
	Digest   dsl.Hash `json:"digest"`
}

func (a *app) digestCommand() *cobra.Command {
	var basis basisFlags
	var all bool
	var other string
	cmd := &cobra.Command{
		Use:   "digest",
		Short: "One hash of the whole state of a view",
		Long: `One hash of the whole logical state of a space at --at: equal on every replica,
after every replay.

--compare holds the memory against another: the folder of a memory or of a store,
or a file that 'asof log' wrote. It names the first position and the first row at
which they differ; the exit status is 1 if they do.`,
		Example: "  asof digest --at '#42'\n  asof digest --all-spaces --json\n  asof digest --compare copy.db",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if all && a.spaceGiven {
				return wrongUsage("give either --space or --all-spaces")
			}
			if other != "" {
				if basis.at.given() {
					return wrongUsage("--compare compares all positions; it takes no --at")
				}
				return a.compare(cmd, other, all)
			}
			if !all {
				return a.withView(cmd.Context(), basis.at, func(_ *asof.DB, v *asof.View) error {
					return a.digest(a.space, v)
				})
			}
			return a.with(cmd.Context(), existing, func(db *asof.DB) error {
				spaces, err := db.Spaces()
				if err != nil {
					return err
				}
				for _, space := range spaces {
					v, err := a.view(db, space, basis.at)
					if err != nil {
						return err
					}
					// A space that began later is not named.
					if v.Basis().Seq > 0 {
						err = a.digest(space, v)
					}
					if err := errors.Join(err, v.Close()); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	basis.register(cmd, false)
	cmd.Flags().BoolVar(&all, "all-spaces", false, "every space, in order of name, one a line")
	cmd.Flags().StringVar(&other, "compare", "", "the memory, store or exported log to compare with")
	return cmd
}

// digest writes the digest of a view.
func (a *app) digest(space string, v *asof.View) error {
	h, err := v.Digest()
	if err != nil {
		return err
	}
	if a.json {
		return a.line(digestJSON{space, v.Basis().Seq, h})
	}
	a.print("%s  %s  %s", h, v.Basis().Seq, escape(space))
	return nil
}
