package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/dsl"
)

// gapLine is a gap as search reports it and backfill takes it: one line of JSON.
type gapLine struct {
	Space string      `json:"space,omitzero"`
	Kind  dsl.GapKind `json:"kind,omitzero"`
	Query string      `json:"query"`
}

func (a *app) backfillCommand() *cobra.Command {
	var gaps, kind string
	cmd := &cobra.Command{
		Use:   "backfill [QUERY…]",
		Short: "Read earlier turns again for what a question did not find",
		Long: `A query never writes. Where one falls short (search says so, and --gaps keeps it),
backfill reads the last turns of the space again with a wider context, takes in
what fits the question with the turn that says it as evidence, candidates that
were too unsure by themselves among it, and records that at a time of its own: no
view of an earlier time changes. The same gap is filled once.

--gaps takes gaps as lines of JSON, {"query", "kind"?, "space"?}, as 'asof search
--gaps FILE' writes them; "-" is standard input.`,
		Example: "  asof backfill 'Where does Anna work?'\n  asof search 'Where does Anna work?' --gaps gaps.jsonl; asof backfill --gaps gaps.jsonl --json",
		RunE: func(cmd *cobra.Command, args []string) error {
			g := gapLine{Space: a.space, Kind: dsl.GapKind(kind), Query: strings.Join(args, " ")}
			switch {
			case g.Query == "" && gaps == "":
				return wrongUsage("name a question that fell short, or --gaps FILE")
			case g.Query != "" && gaps != "":
				return wrongUsage("a question and --gaps are two ways to say it; give one")
			case g.Kind != dsl.GapEmpty && g.Kind != dsl.GapAbstention && g.Kind != dsl.GapConflict:
				return wrongUsage("--kind %q is none of empty, abstention, conflict", kind)
			}
			if gaps != "" {
				return a.backfillFile(cmd.Context(), gaps, g)
			}
			a.asksModel = true
			return a.with(cmd.Context(), existing, func(db *asof.DB) error { return a.backfill(cmd.Context(), db, g) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&gaps, "gaps", "", "file of gaps, one a line; - is standard input")
	f.StringVar(&kind, "kind", string(dsl.GapEmpty), "how the question fell short: empty, abstention or conflict")
	return cmd
}

// backfill fills one gap and prints what became of it.
func (a *app) backfill(ctx context.Context, db *asof.DB, g gapLine) error {
	list, err := db.Backfill(ctx, g.Space, asof.GapRequest{Kind: g.Kind, Query: g.Query})
	if err != nil {
		return err
	}
	for _, b := range list {
		if a.json {
			if err := a.line(b); err != nil {
				return err
			}
			continue
		}
		if b.Fate == asof.Duplicate {
			a.print("filled at %s already: %s", b.Position, escape(b.Query))
			continue
		}
		lacked := "nothing"
		if len(b.Missing) > 0 {
			lacked = strings.Join(b.Missing, ", ")
		}
		a.print("%s  turns %d to %d read again, %d candidates, %d facts, %d events; lacked: %s  %s",
			b.Position, b.From, b.To-1, b.Candidates, b.Facts, b.Events, lacked, escape(b.Query))
	}
	return nil
}

// backfillFile fills the gaps of a file, in order; what a line does not say is as
// the flags have it.
func (a *app) backfillFile(ctx context.Context, file string, flags gapLine) error {
	return a.withLines(ctx, file, func(db *asof.DB, name string, each lines) error {
		return each(func(line []byte, number int) error {
			g := flags
			if err := json.Unmarshal(line, &g, json.RejectUnknownMembers(true)); err != nil {
				return fmt.Errorf("%s: line %d: %w: %v", name, number, dsl.ErrInvalid, err)
			}
			if err := a.backfill(ctx, db, g); err != nil {
				return fmt.Errorf("%s: line %d: %w", name, number, err)
			}
			return nil
		})
	})
}

// reportGap says on standard error that a question found too little, and appends
// the gap to a file for backfill, if there is one.
func (a *app) reportGap(g *asof.GapRequest, file string) error {
	hint := "'asof backfill' reads earlier turns again for it"
	if file != "" {
		hint = "kept in " + file
		b, err := asof.EncodeJSON(gapLine{Space: a.space, Kind: g.Kind, Query: g.Query})
		if err != nil {
			return fmt.Errorf("--gaps: %w", err)
		}
		f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return fmt.Errorf("--gaps: %w", err)
		}
		_, err = f.Write(append(b, '\n'))
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			return fmt.Errorf("--gaps: %w", err)
		}
	}
	a.note("the memory holds little about %q (记忆中几乎没有相关内容); %s", g.Query, hint)
	return nil
}
