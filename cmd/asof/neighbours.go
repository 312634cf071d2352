package main

import (
	"github.com/spf13/cobra"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/store"
)

func (a *app) neighboursCommand() *cobra.Command {
	var basis basisFlags
	var q store.NeighbourQuery
	cmd := &cobra.Command{
		Use:   "neighbours NODE",
		Short: "The facts around a node of a view",
		Long: `The facts that start or end at a node, and with --depth 2 those around the nodes at
their other ends: as recorded at --at, and with --valid, or --view aw, those that
hold in the world at that time. NODE is a name, or id:<uuid>; aliases as of the view
are one node. From each node the newest --fanout facts are followed; no fact comes
twice.

An arrow → leads from the subject to the value, ← back. The JSON is {"depth","from",
"from_name","to","to_name","inverse","fact": FactVersion}.`,
		Example: "  asof neighbours Anna\n  asof neighbours Anna --depth 2 --fanout 8 --rel related_to,lives_in --at 2023-06-01\n" +
			"  asof neighbours Anna --view aw --valid 2023-06-01",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := basis.check(); err != nil {
				return err
			}
			if q.Depth != 1 && q.Depth != 2 {
				return wrongUsage("--depth %d is neither 1 nor 2", q.Depth)
			}
			if q.Fanout < 1 || q.Fanout > store.MaxFanout {
				return wrongUsage("--fanout %d lies outside 1 to %d", q.Fanout, store.MaxFanout)
			}
			return a.withView(cmd.Context(), basis.at, func(_ *asof.DB, v *asof.View) error {
				return a.neighbours(v, args[0], q, &basis)
			})
		},
	}
	basis.register(cmd, true)
	f := cmd.Flags()
	f.IntVar(&q.Depth, "depth", 1, "how many facts away: 1 or 2")
	f.IntVar(&q.Fanout, "fanout", 4, "how many facts are followed from one node")
	f.StringSliceVar(&q.Rels, "rel", nil, "predicates that are followed, separated by commas (default: all)")
	return cmd
}

// neighbours writes the neighbourhoods of all nodes that a name denotes.
func (a *app) neighbours(v *asof.View, name string, q store.NeighbourQuery, basis *basisFlags) (err error) {
	if q.Valid, err = basis.validAt(v); err != nil {
		return err
	}
	for i, rel := range q.Rels {
		q.Rels[i] = v.Predicate(rel)
	}
	ids, err := v.Resolve(name)
	if err != nil {
		return err
	}
	started := map[string]bool{}
	for _, id := range ids {
		group, err := v.Aliases(id)
		if err != nil {
			return err
		}
		if q.Node = group[0]; started[q.Node] {
			continue
		}
		started[q.Node] = true
		for n, err := range store.Neighbours(v, q) {
			if err != nil {
				return err
			}
			out, err := v.NeighbourOut(&n)
			if err != nil {
				return err
			}
			if a.json {
				if err := a.line(out); err != nil {
					return err
				}
				continue
			}
			arrow := "→"
			if out.Inverse {
				arrow = "←"
			}
			a.print("%d  %s %s %s  %s", out.Depth, escape(out.FromName), arrow, escape(out.ToName), factLine(out.Fact))
		}
	}
	return nil
}
