package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/dsl"
)

// spaceJSON is what is known of a space at its head.
type spaceJSON struct {
	Space string `json:"space"`
	Turns uint64 `json:"turns"`
	// Facts counts the fact versions that 'asof facts' shows; Versions all that
	// were ever opened.
	Facts    uint64      `json:"facts"`
	Versions uint64      `json:"versions"`
	Events   uint64      `json:"events"`
	Position dsl.Seq     `json:"position"`
	HeadTime dsl.Instant `json:"head_time"`
	Digest   dsl.Hash    `json:"digest"`
}

func (a *app) spacesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "spaces",
		Short:   "The spaces with their turns, facts, head and digest",
		Example: "  asof spaces\n  asof spaces --json | jq .space\n  asof spaces drop default",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.with(cmd.Context(), existing, func(db *asof.DB) error {
				names, err := db.Spaces()
				if err != nil {
					return err
				}
				for _, name := range names {
					if a.spaceGiven && name != a.space {
						continue
					}
					if err := a.spaceLine(db, name); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	cmd.AddCommand(a.dropCommand())
	return cmd
}

func (a *app) spaceLine(db *asof.DB, name string) error {
	p, err := db.Head(name)
	if err != nil {
		return err
	}
	if a.json {
		return a.line(spaceJSON{name, p.Turns, p.Open, p.Facts, p.Events, p.Seq, p.Time, p.Digest})
	}
	a.print("%s  %s, %s  %s  %s  %s", escape(name), plural(int(p.Turns), "turn"), plural(int(p.Open), "fact"), p.Seq, p.Time, p.Digest)
	return nil
}

func (a *app) dropCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "drop NAME",
		Short: "Take a space out of every view",
		Long: `Takes a space out of every view, past ones included. Its log stays: the dropping
is an entry like any other, and a replay drops the space again.`,
		Example: "  asof spaces drop conv-26",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := dsl.CheckSpace(args[0]); err != nil {
				return &usageError{err}
			}
			return a.with(cmd.Context(), existing, func(db *asof.DB) error {
				r, err := db.Ingest(cmd.Context(), []asof.Item{{Space: args[0], Drop: true}})
				var refusal *asof.ItemError
				if errors.As(err, &refusal) && errors.Is(err, dsl.ErrNotFound) {
					return fmt.Errorf("there is no space %q", args[0])
				}
				if err != nil {
					return err
				}
				if a.json {
					return a.line(struct {
						Space    string  `json:"space"`
						Position dsl.Seq `json:"position"`
					}{args[0], r[0].Seq})
				}
				a.print("%s is dropped at %s", escape(args[0]), r[0].Seq)
				return nil
			})
		},
	}
}
