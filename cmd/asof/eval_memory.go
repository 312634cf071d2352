package main

import (
	"context"
	"iter"
	"runtime"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/eval"
)

// evalRun opens the data of a run that keeps no memory, and calls f with it.
func (a *app) evalRun(ctx context.Context, file string, fl *evalFlags, f func(configs.Config, iter.Seq2[eval.Dialogue, error], eval.ManifestOptions, *progress) error) error {
	format, err := eval.ParseFormat(fl.format)
	if err != nil {
		return wrongUsage("--format: %w", err)
	}
	if a.dirGiven {
		return wrongUsage("--dir: this run makes memories of its own and keeps none")
	}
	cfg, err := a.config()
	if err != nil {
		return err
	}
	r, name, size, err := a.input([]string{file})
	if err != nil {
		return err
	}
	defer r.Close()
	bar := a.progress("eval", size)
	defer bar.finish()
	data, err := eval.NewData(bar.reader(r), name)
	if err != nil {
		return err
	}
	defer data.Close()
	in, _, err := eval.ReadDialogues(data, name, format)
	if err != nil {
		return err
	}
	m := eval.ManifestOptions{Command: eval.CommandLine(append([]string{"asof"}, a.args...), "--out", "--dir"), Config: cfg.Semantic(), Data: data.Info}
	err = a.withIn(ctx, "", cfg, func(db *asof.DB) error {
		m.Versions, err = versions(cfg, db)
		return err
	})
	if err != nil {
		return err
	}
	return f(cfg, in, m, bar)
}

// evalLeak probes the memory for what its past views should not know.
func (a *app) evalLeak(ctx context.Context, file string, fl *evalFlags) error {
	if fl.probes < 1 {
		return wrongUsage("--probes %d: at least one is needed", fl.probes)
	}
	return a.evalRun(ctx, file, fl, func(cfg configs.Config, in iter.Seq2[eval.Dialogue, error], m eval.ManifestOptions, bar *progress) error {
		s, err := eval.RunLeak(ctx, in, fl.out, eval.LeakOptions{Probes: fl.probes, Seed: fl.seed, Config: &cfg, Workers: runtime.GOMAXPROCS(0),
			Manifest: m, Progress: bar.of})
		bar.finish()
		if err != nil {
			return err
		}
		if a.json {
			if err := a.line(leakJSON{fl.out, s.Spaces, s.Turns, s.Positions, s.Probes, s.Leaks}); err != nil {
				return err
			}
		} else {
			a.print("leak: %d leaks in %s (%s, %s, %s); results in %s", s.Leaks, plural(s.Probes, "probe"), plural(s.Spaces, "space"),
				plural(s.Turns, "turn"), plural(s.Positions, "position"), escape(fl.out))
		}
		if s.Leaks > 0 {
			return errNo
		}
		return nil
	})
}

// leakJSON is the summary of a leak run for machines.
type leakJSON struct {
	Out       string `json:"out"`
	Spaces    int    `json:"spaces"`
	Turns     int    `json:"turns"`
	Positions int    `json:"positions"`
	Probes    int    `json:"probes"`
	Leaks     int    `json:"leaks"`
}
