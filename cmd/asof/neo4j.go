package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/events"
	"github.com/asof-db/asof/store"
	"github.com/asof-db/asof/store/neo4j"
)

// graphFlags say where the graph is.
type graphFlags struct {
	uri, database, user, passwordFile string
	rows, tries                       int
}

func (a *app) neo4jCommand() *cobra.Command {
	var g graphFlags
	cmd := &cobra.Command{
		Use:   "neo4j",
		Short: "The memory as a graph in Neo4j",
		Long: `Projects the memory into Neo4j (5.7 or later), where people look at it and query it
with Cypher; store/neo4j/SCHEMA.md has the schema and queries. The graph is never a
source: it can be dropped, made again and verified against the store at any time.
All spaces, unless --space names one.

The server is that of --uri, $ASOF_NEO4J_URI or neo4j.uri of the configuration, in
this order; the same for database and user. The password comes from
$ASOF_NEO4J_PASSWORD, or from the file that --password-file or
$ASOF_NEO4J_PASSWORD_FILE names. bolt+s:// and neo4j+s:// ask for TLS with a
certificate that an authority has signed, +ssc takes any; neo4j:// finds the leader
of a cluster.`,
		Example: "  asof neo4j sync\n  asof neo4j verify --json",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	f := cmd.PersistentFlags()
	f.StringVar(&g.uri, "uri", "", "server, such as bolt://127.0.0.1:7687 (also $ASOF_NEO4J_URI)")
	f.StringVar(&g.database, "database", "", "database; none is the user's default one (also $ASOF_NEO4J_DATABASE)")
	f.StringVar(&g.user, "user", "", "user; neo4j where there is a password and no user (also $ASOF_NEO4J_USER)")
	f.StringVar(&g.passwordFile, "password-file", "", "file that holds the password (also $ASOF_NEO4J_PASSWORD_FILE)")
	f.IntVar(&g.rows, "batch", 4000, "rows that one transaction of the graph writes")
	f.IntVar(&g.tries, "tries", 10, "tries in a row before a failing server is given up; 0 for no end, as with --follow")
	cmd.AddCommand(a.neo4jSyncCommand(&g), a.neo4jRebuildCommand(&g), a.neo4jVerifyCommand(&g), a.neo4jDropCommand(&g))
	return cmd
}

func (a *app) neo4jSyncCommand(g *graphFlags) *cobra.Command {
	var follow bool
	cmd := &cobra.Command{
		Use:   "sync",
		Short: "Bring the graph to where the memory is",
		Long: `Writes to the graph what the memory has and the graph has not, from the graph's own
position on, and says what is in it. With --follow it goes on with what other
processes write to the log (ledger.url), until it is interrupted.`,
		Example: "  asof neo4j sync\n  ASOF_NEO4J_PASSWORD=secret asof neo4j sync --uri neo4j+s://graph.example.org --follow",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if follow && !cmd.Flags().Changed("tries") {
				g.tries = 0 // a server that is away comes back
			}
			return a.withGraph(cmd.Context(), g, func(ctx context.Context, p *neo4j.Projector) error {
				var err error
				if follow {
					if cfg, err := a.config(); err == nil && cfg.Ledger.URL == "" {
						a.note("the log of this memory is its own (no ledger.url): nothing else can write to it while this runs")
					}
					if err = p.Follow(ctx); err == nil {
						ctx = context.WithoutCancel(ctx) // interrupted, which is how it ends
					}
				} else {
					err = p.Sync(ctx)
				}
				if err != nil {
					return err
				}
				r, err := p.Status(ctx)
				return a.graphReport(r, "projected", err)
			})
		},
	}
	cmd.Flags().BoolVar(&follow, "follow", false, "go on with what comes, until interrupted")
	return cmd
}

func (a *app) neo4jRebuildCommand(g *graphFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "rebuild",
		Short: "Make the graph anew beside the present one, then put it in its place",
		Long: `Writes a new generation of the graph from the log. Readers, who begin at
(:Projection), see the old one until the new one has caught up. Interrupted, it goes
on where it was when it is called again.`,
		Example: "  asof neo4j rebuild\n  asof neo4j rebuild --space support",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withGraph(cmd.Context(), g, func(ctx context.Context, p *neo4j.Projector) error {
				if err := p.Rebuild(ctx); err != nil {
					return err
				}
				r, err := p.Status(ctx)
				return a.graphReport(r, "rebuilt", err)
			})
		},
	}
}

func (a *app) neo4jVerifyCommand(g *graphFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "verify",
		Short: "Compare every row of the graph with the store",
		Long: `Computes every node and relationship from the store, at the graph's position, reads
those that the graph holds, and compares their digests. Where they differ the rows
are named: missing, extra or changed. The exit status is 1 then, and also where the
graph lacks a space or is behind the store.`,
		Example: "  asof neo4j verify\n  asof neo4j verify --json --space default",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withGraph(cmd.Context(), g, func(ctx context.Context, p *neo4j.Projector) error {
				r, err := p.Verify(ctx)
				for i := range r.Spaces {
					if s := &r.Spaces[i]; s.Position != s.Head && s.Fault == "" {
						s.Fault, s.Equal, r.Equal = fmt.Sprintf("the graph is at %s, the store at %s; 'asof neo4j sync' brings it there", s.Position, s.Head), false, false
					}
				}
				return a.graphReport(r, "verified", err)
			})
		},
	}
}

func (a *app) neo4jDropCommand(g *graphFlags) *cobra.Command {
	return &cobra.Command{
		Use:     "drop",
		Short:   "Remove the graph; the memory stays",
		Example: "  asof neo4j drop --space default",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withGraph(cmd.Context(), g, func(ctx context.Context, p *neo4j.Projector) error {
				if err := p.Drop(ctx); err != nil {
					return err
				}
				if a.json {
					return a.line(neo4j.Report{Equal: true, Spaces: []neo4j.SpaceReport{}})
				}
				a.print("dropped")
				return nil
			})
		},
	}
}

// graphReport shows a report; its exit status is 1 where something is not equal.
func (a *app) graphReport(r neo4j.Report, done string, err error) error {
	if err != nil {
		return err
	}
	if a.json {
		if err := a.line(r); err != nil {
			return err
		}
	} else {
		for _, s := range r.Spaces {
			a.print("space %s: %s of %s, %s, %s", escape(s.Space), s.Position, s.Head, plural(s.Nodes, "node"), plural(s.Relationships, "relationship"))
			if s.Fault != "" {
				a.print("  %s", escape(s.Fault))
			}
			for _, d := range s.Differences {
				a.print("  %s %s %s", d.Kind, d.Table, escape(d.Key))
				for _, c := range d.Columns {
					a.print("    %s: the store has %s, the graph %s", c.Column, escape(fmt.Sprint(c.Store)), escape(fmt.Sprint(c.Graph)))
				}
			}
			if more := s.Differing - len(s.Differences); more > 0 {
				a.print("  and %s more", plural(more, "row"))
			}
		}
		word := "equal"
		if !r.Equal {
			word = "not equal"
		}
		a.print("%s: %s, %s, %s", done, plural(r.Nodes, "node"), plural(r.Relationships, "relationship"), word)
	}
	if !r.Equal {
		return errNo
	}
	return nil
}

// withGraph opens memory and graph, runs f until it is done or interrupted, and
// closes both.
func (a *app) withGraph(ctx context.Context, g *graphFlags, f func(context.Context, *neo4j.Projector) error) error {
	return a.with(ctx, existing, func(db *asof.DB) error {
		o, err := a.graphOptions(g, db.Config())
		if err != nil {
			return err
		}
		ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
		defer stop()
		p, err := neo4j.Open(ctx, db.Tail(), o)
		if err != nil {
			return err
		}
		return errors.Join(f(ctx, p), p.Close(context.WithoutCancel(ctx)))
	})
}

// graphOptions gathers where the graph is, and who writes it.
func (a *app) graphOptions(g *graphFlags, cfg configs.Config) (o neo4j.Options, err error) {
	first := func(values ...string) string {
		for _, v := range values {
			if v != "" {
				return v
			}
		}
		return ""
	}
	logger, err := a.logger()
	if err != nil {
		return o, err
	}
	o = neo4j.Options{
		URI:      first(g.uri, a.env("ASOF_NEO4J_URI"), cfg.Neo4j.URI),
		Database: first(g.database, a.env("ASOF_NEO4J_DATABASE"), cfg.Neo4j.Database),
		User:     first(g.user, a.env("ASOF_NEO4J_USER"), cfg.Neo4j.User),
		Password: a.env("ASOF_NEO4J_PASSWORD"), Space: a.only(), Rows: g.rows, Tries: g.tries,
		Now: time.Now, Pause: pause, Jitter: rand.Float64, Logger: logger, Registerer: a.registerer, Episodes: episodesOf(cfg.Episode),
	}
	file := g.passwordFile // goes before the environment
	if file == "" && o.Password == "" {
		file = a.env("ASOF_NEO4J_PASSWORD_FILE")
	}
	if file != "" {
		b, err := os.ReadFile(file)
		if err != nil {
			return o, fmt.Errorf("the password of Neo4j: %w", err)
		}
		if o.Password = strings.TrimRight(string(b), "\r\n"); o.Password == "" {
			return o, fmt.Errorf("the password of Neo4j: %s is empty", file)
		}
	}
	if o.User == "" && o.Password != "" {
		o.User = "neo4j"
	}
	return o, nil
}

// episodesOf gives the episodes of a view under a configuration.
func episodesOf(c configs.Episode) func(store.View) ([]neo4j.Episode, error) {
	return func(v store.View) ([]neo4j.Episode, error) {
		list, err := events.Episodes(v, asof.EpisodeOptions(c))
		out := make([]neo4j.Episode, len(list))
		for i, e := range list {
			out[i] = neo4j.Episode{ID: e.ID, Events: e.Events, Span: e.Span, Visible: e.Visible, Sessions: e.Sessions}
		}
		return out, err
	}
}
