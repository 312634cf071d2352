package main

import (
	"context"
	"iter"
	"runtime"
	"time"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/eval"
)

// memoryRun is what a run that keeps no memory works with.
type memoryRun struct {
	cfg      configs.Config
	in       iter.Seq2[eval.Dialogue, error]
	format   eval.Format
	manifest eval.ManifestOptions
	bar      *progress
}

// evalRun opens the data of a run that keeps no memory, and calls f with it.
func (a *app) evalRun(ctx context.Context, file string, fl *evalFlags, f func(*memoryRun) error) error {
	format, err := eval.ParseFormat(fl.format)
	if err != nil {
		return wrongUsage("--format: %w", err)
	}
	if a.dirGiven {
		return wrongUsage("--dir: this run makes memories of its own and keeps none")
	}
	return a.withData(file, func(cfg configs.Config, data *eval.Data, name string, bar *progress) error {
		run := &memoryRun{cfg: cfg, bar: bar}
		run.in, run.format, err = eval.ReadDialogues(data, name, format)
		if err != nil {
			return err
		}
		run.manifest = eval.ManifestOptions{Command: a.evalLine(), Config: cfg.Semantic(), Data: data.Info}
		err = a.withIn(ctx, "", cfg, func(db *asof.DB) error {
			run.manifest.Versions, err = versions(cfg, db)
			return err
		})
		if err != nil {
			return err
		}
		return f(run)
	})
}

// evalLeak probes the memory for what its past views should not know.
func (a *app) evalLeak(ctx context.Context, file string, fl *evalFlags) error {
	if fl.probes < 1 {
		return wrongUsage("--probes %d: at least one is needed", fl.probes)
	}
	return a.evalRun(ctx, file, fl, func(r *memoryRun) error {
		s, err := eval.RunLeak(ctx, r.in, fl.out, eval.LeakOptions{Probes: fl.probes, Seed: fl.seed, Config: &r.cfg, Workers: runtime.GOMAXPROCS(0),
			Manifest: r.manifest, Progress: r.bar.of})
		r.bar.finish()
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

// evalAssimilate measures what assimilation and layer 2 make of a data set.
func (a *app) evalAssimilate(ctx context.Context, file string, fl *evalFlags) error {
	return a.evalRun(ctx, file, fl, func(r *memoryRun) error {
		s, err := eval.RunAssimilate(ctx, r.in, r.format, fl.out, eval.AssimilateOptions{Config: &r.cfg, Ablations: fl.ablations,
			Workers: runtime.GOMAXPROCS(0), Manifest: r.manifest, Clock: time.Now, Progress: r.bar.of})
		r.bar.finish()
		if err != nil {
			return err
		}
		if a.json {
			return a.line(assimilateJSON{string(s.Format), fl.out, s.Spaces, s.Turns, s.Candidates, s.Rows})
		}
		value := func(metric, category string) float64 {
			v, _ := s.Value(metric, category)
			return v
		}
		a.print("assimilate: %s, %s, %s; results in %s", plural(s.Spaces, "space"), plural(s.Turns, "turn"), plural(s.Candidates, "candidate"), escape(fl.out))
		a.print("duplicate writes saved %.4f; I7 violations %.0f; events %.0f, purity %.4f, evidence closure %.4f", value("duplicate_reduction", "all"),
			value("i7_violations", "all"), value("events", "all"), value("event_purity", "all"), value("event_closure", "all"))
		a.print("a session: %.2f tokens written, %.2f strong writes, %.2f periodic writes", value("tokens_per_session", "mean"),
			value("strong_per_session", "mean"), value("periodic_per_session", "mean"))
		if _, ok := s.Value("superseded_gone", "all"); ok {
			a.print("values superseded or deleted: no longer asserted %.4f, kept in earlier views %.4f", value("superseded_gone", "all"), value("recorded_kept", "all"))
		}
		return nil
	})
}

// assimilateJSON is the summary of a run for machines.
type assimilateJSON struct {
	Dataset    string     `json:"dataset"`
	Out        string     `json:"out"`
	Spaces     int        `json:"spaces"`
	Turns      int        `json:"turns"`
	Candidates int        `json:"candidates"`
	Metrics    []eval.Row `json:"metrics"`
}
