package main

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/extract"
)

func (a *app) extractCommand() *cobra.Command {
	var zone string
	cmd := &cobra.Command{
		Use:   "extract [FILE|-]",
		Short: "Extraction alone: turns in, what is found in them out",
		Long: `Reads turns, one JSON object a line ("prev" may hold the text before), and prints
for each what the extractor finds, in the same order. No store is involved.
Offsets count characters (code points) and are half-open.`,
		Example: `  echo '{"id":"1","speaker":"Anna","ts":"2023-05-08T10:00:00Z","text":"I moved to Berlin last week."}' | asof extract`,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := a.config()
			if err != nil {
				return err
			}
			if zone, err = a.zone(cmd, zone, cfg); err != nil {
				return err
			}
			logger, err := a.logger()
			if err != nil {
				return err
			}
			x, err := a.extractor(cmd.Context(), cfg, logger)
			if err != nil {
				return err
			}
			defer x.Close()
			r, name, _, err := a.input(args)
			if err != nil {
				return err
			}
			defer r.Close()
			reading := x.NewReading(zone)
			reading.Waiting, reading.Heard = cmd.Context(), func(turn string, h *extract.Answer) {
				if h.FellBack() {
					logger.Warn("an option of extraction gave no answer of use; a cheaper one reads the turn",
						"stage", h.Stage, "option", h.Option, "fate", h.Fate, "err", h.Err, "turn", turn)
				}
			}
			return a.eachLine(cmd.Context(), r, cfg.Ingest.MaxLineBytes, func(line []byte, number int) error {
				out, err := reading.Line(line)
				if err != nil {
					return fmt.Errorf("%s: line %d: %w", name, number, err)
				}
				_, err = a.out.Write(append(out, '\n'))
				return err
			})
		},
	}
	cmd.Flags().StringVar(&zone, "tz", "", "zone of times that name none (default: that of the configuration, UTC)")
	return cmd
}

// extractor opens the extractor of a configuration.
func (a *app) extractor(ctx context.Context, cfg configs.Config, logger *slog.Logger) (*asof.Extractor, error) {
	o := asof.PipelineOptions{Logger: logger}
	var err error
	if o.LanguageModel, err = languageModel(&cfg.LLM, a.env); err != nil {
		return nil, err
	}
	if o.Parser, err = asof.OpenParser(ctx, cfg, pause); err != nil {
		return nil, err
	}
	a.findModels(&cfg)
	return asof.OpenPipeline(cfg, o)
}

// zone gives the zone of times that name none: that of the flag, else that of
// the configuration.
func (a *app) zone(cmd *cobra.Command, flag string, cfg configs.Config) (string, error) {
	if !cmd.Flags().Changed("tz") {
		return cfg.Timezone, nil
	}
	if _, err := dsl.ParseZone(flag); err != nil {
		return "", wrongUsage("--tz: %w", err)
	}
	return flag, nil
}
