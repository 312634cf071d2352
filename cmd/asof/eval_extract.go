package main

import (
	"context"
	"fmt"
	"text/tabwriter"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/eval"
)

// evalExtract measures extraction on marked turns.
func (a *app) evalExtract(ctx context.Context, file string, fl *evalFlags) error {
	if a.dirGiven {
		return wrongUsage("--dir: extraction is measured without a memory")
	}
	logger, err := a.logger()
	if err != nil {
		return err
	}
	return a.withData(file, func(cfg configs.Config, data *eval.Data, name string, bar *progress) error {
		x, err := a.extractor(ctx, cfg, logger)
		if err != nil {
			return err
		}
		extractor := x.Version()
		if err := x.Close(); err != nil {
			return err
		}
		s, err := eval.RunExtract(ctx, data, name, fl.out, eval.ExtractOptions{
			Manifest: eval.ManifestOptions{Command: a.evalLine(), Config: cfg.Semantic(), Data: data.Info,
				Versions: map[string]string{"asof": version, "extractor": extractor}},
			Setups: eval.ExtractSetups(cfg), MaxLine: cfg.Ingest.MaxLineBytes,
			Open: func(c configs.Config) (*asof.Extractor, error) { return a.extractor(ctx, c, logger) },
		})
		bar.finish()
		if err != nil {
			return err
		}
		return a.tableA(&s, fl.out)
	})
}

// rowAJSON is a line of Table A for machines.
type rowAJSON struct {
	Module  string             `json:"module"`
	Option  string             `json:"option"`
	Lang    string             `json:"lang"`
	Why     string             `json:"not_run,omitempty"`
	Figures map[string]float64 `json:"figures,omitempty"`
}

// tableA prints what extraction was measured at.
func (a *app) tableA(s *eval.ExtractSummary, out string) error {
	if a.json {
		for i := range s.Rows {
			r := &s.Rows[i]
			if err := a.line(rowAJSON{r.Module, r.Option, r.Lang, r.Why, r.Figures()}); err != nil {
				return err
			}
		}
		return nil
	}
	a.print("extract: %s; results in %s", plural(s.Turns, "turn"), escape(out))
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "module\toption\tlanguage\tentities f1\tfacts p\tfacts r\ttimes\tvalues\tcoref\tsentences\tfell back\n")
	for i := range s.Rows {
		r := &s.Rows[i]
		fmt.Fprintf(w, "%s\t%s\t%s\t", r.Module, r.Option, r.Lang)
		if r.Why != "" {
			fmt.Fprintf(w, "not run: %s\n", escape(r.Why))
			continue
		}
		f := r.Figures()
		for _, name := range []string{"entities_f1", "relations_p", "relations_r", "time_coverage", "time_value", "coref_accuracy", "sentences", "fell_back"} {
			if v, ok := f[name]; ok {
				fmt.Fprintf(w, "%.3f\t", v)
			} else {
				fmt.Fprint(w, "-\t")
			}
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}
