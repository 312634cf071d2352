package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/asof-db/asof"
)

func (a *app) eventsCommand() *cobra.Command {
	var basis basisFlags
	var all, episodes bool
	cmd := &cobra.Command{
		Use:   "events",
		Short: "Events of a view",
		Long: `Events of a view: of each event that is visible, the version that the memory
held at --at. An event is visible once its evidence is complete.`,
		Example: "  asof events --at 2023-06-01\n  asof events --all --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if episodes {
				return wrongUsage("--episodes: episodes are not available yet")
			}
			return a.withView(cmd.Context(), basis.at, func(_ *asof.DB, v *asof.View) error {
				for e, err := range v.Events(all) {
					if err != nil {
						return err
					}
					out, err := v.EventOut(&e)
					if err != nil {
						return err
					}
					if err := a.event(out); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	basis.register(cmd, false)
	cmd.Flags().BoolVar(&all, "all", false, "closed versions and those that are not visible yet too")
	cmd.Flags().BoolVar(&episodes, "episodes", false, "episodes instead of events (not available yet)")
	return cmd
}

// event writes one event version.
func (a *app) event(e asof.EventJSON) error {
	if a.json {
		return a.line(e)
	}
	var who []string
	for _, p := range e.Participants {
		name := p.EntityName
		if p.Role != "" {
			name += " (" + p.Role + ")"
		}
		who = append(who, name)
	}
	a.print("%s  %s  %s  recorded %s  %s  %s.%d", escape(e.Summary), e.TimeSpan, escape(strings.Join(who, ", ")), e.Record, escape(e.Status), escape(e.ID), e.Version)
	return nil
}
