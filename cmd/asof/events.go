package main

import (
	"fmt"
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
held at --at. An event is visible once its evidence is complete. One whose facts
do not stand any more says nothing and is "retired"; one that another event has
taken in is "merged".

With --episodes, the episodes follow: containers of events that were recorded
within one window (episode.window), share a participant and, with
episode.topic_shift, a topic. They are computed from the view.`,
		Example: "  asof events --at 2023-06-01\n  asof events --all --json\n  asof events --episodes",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
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
				if episodes {
					return a.episodes(v)
				}
				return nil
			})
		},
	}
	basis.register(cmd, false)
	cmd.Flags().BoolVar(&all, "all", false, "closed versions and those that are not visible yet too")
	cmd.Flags().BoolVar(&episodes, "episodes", false, "the episodes too, after the events")
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
	if n := len(e.RetiredFact); n > 0 && e.Status != "retired" {
		who = append(who, fmt.Sprintf("%d of %d facts retired", n, len(e.IncludesFact)))
	}
	a.print("%s  %s  %s  recorded %s  %s  %s.%d", escape(e.Summary), e.TimeSpan, escape(strings.Join(who, ", ")), e.Record, escape(e.Status), escape(e.ID), e.Version)
	return nil
}

// episodes writes the episodes of a view.
func (a *app) episodes(v *asof.View) error {
	list, err := v.Episodes()
	if err != nil {
		return err
	}
	for i := range list {
		out, err := v.EpisodeOut(&list[i])
		if err != nil {
			return err
		}
		if a.json {
			if err := a.line(out); err != nil {
				return err
			}
			continue
		}
		var who []string
		for _, p := range out.Participants {
			who = append(who, p.EntityName)
		}
		count := "1 event"
		if n := len(out.Events); n > 1 {
			count = fmt.Sprintf("%d events", n)
		}
		a.print("episode of %s  %s  %s  sessions %q  visible from %s  %s", count, out.TimeSpan, escape(strings.Join(who, ", ")),
			out.Sessions, out.TVisible, escape(out.ID))
	}
	return nil
}
