package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/dsl"
)

func (a *app) logCommand() *cobra.Command {
	var from, to moment
	var all bool
	cmd := &cobra.Command{
		Use:   "log",
		Short: "The log of a space as canonical JSON lines",
		Long: `The log of a space, one line an entry: {"entry":E,"sha256":H}, H the SHA-256 of
E's bytes; then a head line with the last position and its hash, so that a cut
tail shows. --from and --to are positions or record times and both included.`,
		Example: "  asof log > default.log\n  asof log --from '#10' --to '#20'\n  asof log --all-spaces > all.log && asof log import all.log --dir copy.db",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case all && a.spaceGiven:
				return wrongUsage("give either --space or --all-spaces")
			case from.given() && to.given() && from.isSeq == to.isSeq && (from.seq > to.seq || from.time > to.time):
				return wrongUsage("--from %s is later than --to %s", from.text, to.text)
			}
			return a.with(cmd.Context(), existing, func(db *asof.DB) error {
				spaces := []string{a.space}
				if all {
					var err error
					if spaces, err = db.Spaces(); err != nil {
						return err
					}
				}
				for _, space := range spaces {
					if err := a.export(cmd, db, space, from, to); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	f := cmd.Flags()
	f.Var(&from, "from", "first position, or the record time from which on")
	f.Var(&to, "to", "last position, or the record time until which")
	f.BoolVar(&all, "all-spaces", false, "the logs of all spaces, one after the other, in order of name")
	cmd.AddCommand(a.importCommand())
	return cmd
}

// export writes the log of one space between two moments.
func (a *app) export(cmd *cobra.Command, db *asof.DB, space string, from, to moment) error {
	head, err := db.Head(space)
	if err != nil {
		return err
	}
	if head.Seq == 0 {
		a.note("space %q holds nothing", space)
	}
	first, last := from.seq, to.seq
	if from.given() && !from.isSeq {
		before, err := positionAt(db, space, from.time-1)
		if err != nil {
			return err
		}
		first = before + 1
	}
	if to.given() && !to.isSeq {
		if last, err = positionAt(db, space, to.time); err != nil {
			return err
		}
	}
	if to.given() && last == 0 {
		return nil // The view at --to is empty; 0 would stand for the head.
	}
	return db.Export(cmd.Context(), a.out, space, first, last)
}

// positionAt gives the position of the view at a time.
func positionAt(db *asof.DB, space string, t dsl.Instant) (dsl.Seq, error) {
	v, err := db.View(space, asof.AtTime(t))
	if err != nil {
		return 0, err
	}
	seq := v.Basis().Seq
	return seq, v.Close()
}

func (a *app) importCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "import FILE|-",
		Short: "Append an exported log to an empty store",
		Long: `Appends a file that 'asof log' wrote to an empty store: all of it, or, if a hash,
the chain or the head line of a space does not fit, nothing.`,
		Example: "  asof log --all-spaces > all.log\n  asof log import all.log --dir copy.db\n  asof log | asof log import - --dir copy.db",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, name, size, err := a.input(args)
			if err != nil {
				return err
			}
			defer r.Close()
			path := args[0]
			if size < 0 { // An import reads its file twice.
				if path, err = spool(r); err != nil {
					return fmt.Errorf("import %s: %w", name, err)
				}
				defer os.Remove(path)
			}
			return a.with(cmd.Context(), creating, func(db *asof.DB) error {
				r, err := db.Import(cmd.Context(), path)
				if err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
				if a.json {
					return a.line(r)
				}
				a.print("%s of %s", plural(r.Entries, "entry"), plural(len(r.Spaces), "space"))
				return nil
			})
		},
	}
}

// spool puts a stream into a file that the caller removes.
func spool(r io.Reader) (string, error) {
	f, err := os.CreateTemp("", "asof-import-")
	if err != nil {
		return "", err
	}
	_, err = io.Copy(f, r)
	if err = errors.Join(err, f.Close()); err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), err
}
