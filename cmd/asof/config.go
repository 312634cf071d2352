package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/asof-db/asof/configs"
)

func (a *app) configCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "config",
		Short:   "The effective configuration",
		Long:    "The effective configuration as a file that --config takes: the built-in profile and what --config changes of it.",
		Example: "  asof config > my.yaml\n  asof config check my.yaml\n  asof config --config my.yaml --json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			cfg, err := a.config()
			if err != nil {
				return err
			}
			if a.json {
				return a.line(cfg.Map())
			}
			_, err = a.out.Write(cfg.YAML())
			return err
		},
	}
	cmd.AddCommand(a.configCheckCommand())
	return cmd
}

// configReport is what config check found.
type configReport struct {
	File  string `json:"file"`
	Valid bool   `json:"valid"`
	// Available tells whether this build has all that the file asks for.
	Available bool        `json:"available"`
	Faults    []faultJSON `json:"faults"`
}

type faultJSON struct {
	Path    string `json:"path"`
	Line    int    `json:"line"`
	Kind    string `json:"kind"`
	Message string `json:"message"`
}

func (a *app) configCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE",
		Short: "All faults of a configuration file at once",
		Long: `Names every fault of a configuration file with its line and path. What is right
but not available in this build yet is told apart from what is wrong; the exit
status is 1 for both.`,
		Example: "  asof config check configs/p1.yaml",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			b, err := os.ReadFile(args[0])
			if err != nil {
				return err
			}
			_, faults := configs.Check(b)
			r := configReport{File: args[0], Valid: true, Available: true, Faults: []faultJSON{}}
			invalid, unavailable := 0, 0
			for _, f := range faults {
				if f.Kind == configs.Unavailable {
					unavailable++
				} else {
					invalid++
				}
				r.Faults = append(r.Faults, faultJSON{f.Path, f.Line, f.Kind.String(), f.Message})
			}
			r.Valid, r.Available = invalid == 0, unavailable == 0
			if a.json {
				err = a.line(r)
			} else {
				a.configText(args[0], faults, invalid, unavailable)
			}
			if err == nil && len(faults) > 0 {
				err = errNo
			}
			return err
		},
	}
}

func (a *app) configText(name string, faults []configs.Fault, invalid, unavailable int) {
	for _, f := range faults {
		place := escape(name)
		if f.Line > 0 {
			place = fmt.Sprintf("%s:%d", place, f.Line)
		}
		if f.Path != "" {
			place += ": " + escape(f.Path)
		}
		a.print("%s: %s", place, escape(f.Message))
	}
	switch {
	case invalid > 0 && unavailable > 0:
		a.print("invalid: %s; and %s not available yet", plural(invalid, "fault"), plural(unavailable, "value"))
	case invalid > 0:
		a.print("invalid: %s", plural(invalid, "fault"))
	case unavailable > 0:
		a.print("valid, but %s not available yet", plural(unavailable, "value"))
	default:
		a.print("valid")
	}
}
