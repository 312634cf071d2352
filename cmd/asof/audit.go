package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/asof-db/asof"
)

func (a *app) auditCommand() *cobra.Command {
	var file string
	var again bool
	cmd := &cobra.Command{
		Use:   "audit [FILE]",
		Short: "Prove a memory, or an exported log, from its entries",
		Long: `Proves a memory from its log: every hash, the chain, every decision made again
from its candidates and the state before it, the digest at every position, and
that the store is where the log is. All spaces, unless --space names one. With
FILE (or --from-file) it proves an exported log, without any store. The exit
status is 1 on a fault. What another version of the rules decided is not made
again, and said to be so: that is no fault.

--re-extract also makes the candidates again from the turns, where this build's own
extraction made them, and compares their hashes. Those of a caller, or of another
version, are counted and not judged.`,
		Example: "  asof audit\n  asof audit --re-extract\n  asof log --all-spaces > all.log && asof audit all.log",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && file != "" {
				return wrongUsage("give either FILE or --from-file")
			}
			if file != "" {
				args = []string{file}
			}
			if len(args) == 1 && a.spaceGiven {
				return wrongUsage("--space does not go with a file: a file is proved whole")
			}
			var opts []asof.AuditOption
			if again {
				opts = append(opts, asof.ReExtract())
			}
			r, err := a.audit(cmd.Context(), args, opts)
			if err != nil {
				return err
			}
			if a.json {
				err = a.line(r)
			} else {
				a.faults(r.Faults)
				a.faults(r.Notes)
				for _, x := range r.NotExtracted {
					a.print("candidates of %s by %q are not made again", plural(x.Entries, "entry"), escape(x.Extractor))
				}
				if again {
					a.print("extraction %s (%s made again)", r.Extraction, plural(r.Extracted, "turn"))
				}
				a.print("%s: chain %s, decisions %s (%d made again), digest %s, projection %s; %s", plural(r.Entries, "entry"),
					r.Chain, r.Decisions, r.Decided, r.Digest, r.Projection, plural(len(r.Faults), "fault"))
			}
			if err == nil && !r.OK() {
				err = errNo
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&again, "re-extract", false, "also make the candidates again from the turns")
	cmd.Flags().StringVar(&file, "from-file", "", "exported log to prove, instead of the memory in --dir")
	return cmd
}

func (a *app) audit(ctx context.Context, args []string, opts []asof.AuditOption) (r asof.AuditReport, err error) {
	if len(args) == 1 {
		f, _, _, err := a.input(args)
		if err != nil {
			return r, err
		}
		defer f.Close()
		return asof.AuditFile(ctx, f, opts...)
	}
	err = a.with(ctx, existing, func(db *asof.DB) (err error) {
		r, err = db.Audit(ctx, a.only(), opts...)
		return err
	})
	return r, err
}

// faults prints what an audit or a check found, one line each.
func (a *app) faults(list []asof.Fault) {
	for _, f := range list {
		a.print("space %s %s: %s: %s", escape(f.Space), f.Position, f.Kind, escape(f.Message))
	}
}
