package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/asof-db/asof"
)

func (a *app) backupCommand() *cobra.Command {
	var incremental bool
	cmd := &cobra.Command{
		Use:   "backup DIR [--incremental]",
		Short: "Copy the log and the store to a folder, while in use",
		Long: `Writes the log and a checkpoint of the store to DIR, with the SHA-256 of every
file. --incremental adds to a backup what the log has since, and replaces the
checkpoint; without a backup in DIR it makes a first one. 'asof restore' makes a
data folder of it.`,
		Example: "  asof backup /backups/asof\n  asof backup /backups/asof --incremental --json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.with(cmd.Context(), existing, func(db *asof.DB) error {
				r, err := db.Backup(cmd.Context(), args[0], asof.BackupOptions{Incremental: incremental})
				if err != nil {
					return err
				}
				if a.json {
					return a.line(r)
				}
				if r.To < r.From {
					a.print("nothing new since message %d; %s and a checkpoint, %d bytes", r.To, plural(len(r.Heads), "space"), r.Bytes)
					return nil
				}
				a.print("messages %d to %d (%s), %s waiting, %s and a checkpoint, %d bytes", r.From, r.To, plural(r.Entries, "entry"),
					plural(r.Waiting, "item"), plural(len(r.Heads), "space"), r.Bytes)
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&incremental, "incremental", false, "add to the backup in DIR what is new")
	return cmd
}

func (a *app) restoreCommand() *cobra.Command {
	var to string
	var rebuild bool
	cmd := &cobra.Command{
		Use:   "restore DIR --to DIR2 [--rebuild]",
		Short: "Make a data folder from a backup",
		Long: `Makes the data folder DIR2 from the backup in DIR: every file is held against its
hash, the log is written, the store is taken from the checkpoint (or, where that
does not fit, made again from the log), and the digest of every space compared.
A backup that is damaged or not whole is named and leaves nothing behind.`,
		Example: "  asof restore /backups/asof --to restored.db\n  asof restore /backups/asof --to restored.db --rebuild --json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if to == "" {
				return wrongUsage("--to has to name a folder that is not there")
			}
			cfg, err := a.config()
			if err != nil {
				return err
			}
			logger, err := a.logger()
			if err != nil {
				return err
			}
			r, err := asof.Restore(cmd.Context(), asof.RestoreOptions{From: args[0], To: to, Config: &cfg, Rebuild: rebuild, Logger: logger})
			if err != nil {
				return err
			}
			if a.json {
				return a.line(r)
			}
			if r.Why != "" {
				a.note("the checkpoint was not taken: %s", r.Why)
			}
			a.print("%s, %s of %s, store: %s, digests equal", plural(int(r.Messages), "message"), plural(r.Entries, "entry"), plural(len(r.Heads), "space"), r.Store)
			return nil
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "data folder to make")
	cmd.Flags().BoolVar(&rebuild, "rebuild", false, "make the store from the log, not from the checkpoint")
	return cmd
}

func (a *app) doctorCommand() *cobra.Command {
	var rebuild bool
	var salvage string
	cmd := &cobra.Command{
		Use:   "doctor [--rebuild-store | --salvage DIR2]",
		Short: "Say what is wrong with a data folder and how to mend it",
		Long: `Opens what can be opened in --dir, reads all of it, and says for each damage what
is wrong, where, and the commands that mend it. It changes nothing.

--rebuild-store makes the store again from the log; --salvage makes a new data
folder from what can be read of a damaged log before the damage. The exit status
is 1 when something is wrong.`,
		Example: "  asof doctor\n  asof doctor --rebuild-store\n  asof doctor --salvage saved.db --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := a.config()
			if err != nil {
				return err
			}
			logger, err := a.logger()
			if err != nil {
				return err
			}
			open := asof.Options{Dir: a.dir, Config: &cfg, Logger: logger}
			switch {
			case rebuild && salvage != "":
				return wrongUsage("give either --rebuild-store or --salvage")
			case rebuild:
				r, err := asof.RebuildStore(cmd.Context(), open)
				if err != nil {
					return err
				}
				if a.json {
					return a.line(r)
				}
				a.print("the store is made again from the log: %s", plural(len(r.Heads), "space"))
				return nil
			case salvage != "":
				return a.salvage(cmd, open, salvage)
			}
			r, err := asof.Doctor(cmd.Context(), asof.DoctorOptions{Dir: a.dir, Config: &cfg, Logger: logger})
			if err != nil {
				return err
			}
			if err := a.diagnosis(r); err != nil {
				return err
			}
			if !r.OK() {
				return errNo
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&rebuild, "rebuild-store", false, "make the store again from the log")
	cmd.Flags().StringVar(&salvage, "salvage", "", "make this data folder from what can be read of the log")
	return cmd
}

// diagnosis writes what the doctor found.
func (a *app) diagnosis(r asof.DoctorReport) error {
	if a.json {
		return a.line(r)
	}
	for _, p := range r.Parts {
		a.print("%-6s  %-11s  %s", p.Part, p.State, escape(p.Detail))
	}
	for _, f := range r.Faults {
		a.print("\n%s, %s:\n  %s", f.Part, escape(f.Where), escape(f.Problem))
		for i, m := range f.Mend {
			lead := "to mend it"
			if i > 0 {
				lead = "or"
			}
			a.print("  %-10s  %s", lead, escape(m))
		}
	}
	a.print("\n%s", plural(len(r.Faults), "fault"))
	return nil
}

// salvage makes a new data folder from what can be read.
func (a *app) salvage(cmd *cobra.Command, open asof.Options, to string) error {
	r, err := asof.Salvage(cmd.Context(), a.dir, to, open)
	if err != nil {
		return err
	}
	if a.json {
		return a.line(r)
	}
	end := "the log is whole"
	if r.Damage != "" {
		end = "then: " + r.Damage
	}
	a.print("%s, %s of %s saved in %s; %s", plural(int(r.Messages), "message"), plural(r.Entries, "entry"), plural(len(r.Heads), "space"), escape(to), escape(end))
	if r.Damage != "" {
		return fmt.Errorf("what lies behind the damage is not saved")
	}
	return nil
}
