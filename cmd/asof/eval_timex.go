package main

import (
	"context"
	"errors"

	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/eval"
)

// evalTimex measures the extractor on the public suites of time expressions.
func (a *app) evalTimex(ctx context.Context, file, out string) error {
	return a.withData(file, func(cfg configs.Config, data *eval.Data, _ string, bar *progress) (err error) {
		logger, err := a.logger()
		if err != nil {
			return err
		}
		x, err := a.extractor(ctx, cfg, logger)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, x.Close()) }()
		p := x.Pipeline
		sum, err := eval.RunTimex(ctx, data, out, eval.TimexOptions{Pipeline: p, Manifest: eval.ManifestOptions{
			Command: a.evalLine(), Config: cfg.Semantic(), Versions: map[string]string{"extract": p.Version()}, Data: data.Info,
		}})
		bar.finish()
		if err != nil {
			return err
		}
		if a.json {
			return a.line(timexJSON{out, sum.Scores, sum.Unusable})
		}
		for i := range sum.Scores {
			s := &sum.Scores[i]
			a.print("%-22s value right %.3f, coverage %.3f of %s", s.Suite, s.Value(), s.Coverage(), plural(s.Gold, "expression"))
		}
		a.print("results in %s", escape(out))
		return nil
	})
}

// timexJSON is the summary of a run for machines.
type timexJSON struct {
	Out      string            `json:"out"`
	Suites   []eval.TimexScore `json:"suites"`
	Unusable int               `json:"unusable"`
}
