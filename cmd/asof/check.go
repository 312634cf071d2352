package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/asof-db/asof"
)

func (a *app) checkCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Verify the invariants I1 to I10 on the live store",
		Long: `Verifies the invariants of the store on what is in it now. All spaces, unless
--space names one. The exit status is 1 on a fault.`,
		Example: "  asof check\n  asof check --space conv-26 --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.with(cmd.Context(), existing, func(db *asof.DB) error {
				r, err := db.Check(cmd.Context(), a.only())
				if err != nil {
					return err
				}
				if a.json {
					err = a.line(r)
				} else {
					a.faults(r.Faults)
					var counts []string
					for _, name := range slices.SortedFunc(maps.Keys(r.Checked), byNumber) {
						counts = append(counts, fmt.Sprintf("%s %d", name, r.Checked[name]))
					}
					a.print("checked %s; %s", strings.Join(counts, ", "), plural(len(r.Faults), "fault"))
				}
				if err == nil && len(r.Faults) > 0 {
					err = errNo
				}
				return err
			})
		},
	}
}

// byNumber orders I2 before I10.
func byNumber(x, y string) int {
	if len(x) != len(y) {
		return len(x) - len(y)
	}
	return strings.Compare(x, y)
}
