package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/asof-db/asof"
)

// only gives the space that was asked for, or "" for all.
func (a *app) only() string {
	if a.spaceGiven {
		return a.space
	}
	return ""
}

func (a *app) replayCommand() *cobra.Command {
	var to, file string
	cmd := &cobra.Command{
		Use:   "replay --to DIR2 [--from-file LOG]",
		Short: "Rebuild a memory from the log alone and compare every digest",
		Long: `Builds a memory in the empty folder DIR2 from the log alone (that of --dir, or an
exported one) and compares its digest with the one of --dir at every position.
All spaces, unless --space names one. The exit status is 1 if they differ.`,
		Example: "  asof replay --to copy.db\n  asof replay --to copy.db --from-file all.log --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if to == "" {
				return wrongUsage("--to has to name an empty folder")
			}
			return a.with(cmd.Context(), existing, func(db *asof.DB) error {
				var from io.Reader
				if file != "" {
					f, _, _, err := a.input([]string{file})
					if err != nil {
						return err
					}
					defer f.Close()
					from = f
				}
				r, err := db.Replay(cmd.Context(), to, from, a.only())
				if err != nil {
					return err
				}
				switch d := r.FirstDifference; {
				case a.json:
					err = a.line(r)
				case d != nil:
					a.print("%s compared; they differ at %s of space %s: here %s, replayed %s", plural(r.Positions, "position"), d.Position, escape(d.Space), d.Here, d.Replayed)
				default:
					a.print("%s compared, all equal", plural(r.Positions, "position"))
				}
				if err == nil && !r.Equal {
					err = errNo
				}
				return err
			})
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "empty folder for the rebuilt memory")
	cmd.Flags().StringVar(&file, "from-file", "", "exported log to rebuild from, instead of the log in --dir")
	return cmd
}
