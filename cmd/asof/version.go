package main

import (
	"runtime"

	"github.com/spf13/cobra"

	"github.com/asof-db/asof/assimilate"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/analyze"
	"github.com/asof-db/asof/retrieval"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "The versions of the program and of what decides its answers",
		Example: "  asof version --json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if a.json {
				return a.line(struct {
					Version  string `json:"version"`
					Format   int    `json:"format"`
					Analyzer string `json:"analyzer"`
					Policy   string `json:"policy"`
					Scoring  string `json:"scoring"`
					Go       string `json:"go"`
					Platform string `json:"platform"`
				}{version, dsl.FormatVersion, analyze.Version, assimilate.PolicyVersion, retrieval.Version, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH})
			}
			a.print("asof %s (%s %s/%s)", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return nil
		},
	}
}
