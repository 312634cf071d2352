package eval

import (
	"encoding/json"
	"fmt"
	"strings"
)

// ManifestOptions are what a manifest says about a run that the run itself does
// not know.
type ManifestOptions struct {
	// Command is the command line as CommandLine gives it.
	Command string
	// Config is the effective configuration.
	Config map[string]any
	// Versions names what else decides the result (program, analyser, models).
	Versions map[string]string
	// Data names the data file; usually (*Data).Info. It is called once, when all
	// of the data was read. Nil leaves it out.
	Data func() (DataInfo, error)
}

// runManifest is the manifest.json of the runs that rank nothing.
type runManifest struct {
	Run      string            `json:"run"`
	Data     *DataInfo         `json:"data"`
	Command  string            `json:"command"`
	Config   map[string]any    `json:"config"`
	Versions map[string]string `json:"versions"`
	// Counts say how much was measured.
	Counts map[string]int `json:"counts"`
	// Files are the SHA-256 of the other files that two runs must agree on.
	Files map[string]string `json:"files"`
}

// writeRunManifest seals the files so far, but for the one that holds
// latencies, and names them in manifest.json.
func writeRunManifest(dir *folder, run string, o *ManifestOptions, info *DataInfo, counts map[string]int) error {
	files, err := sealed(dir)
	if err != nil {
		return err
	}
	return writeJSON(dir, "manifest.json", runManifest{Run: run, Data: info, Command: o.Command, Config: o.Config, Versions: o.Versions,
		Counts: counts, Files: files})
}

// sealed seals the files so far, but for the one that holds latencies, and gives
// their SHA-256 by name.
func sealed(dir *folder) (map[string]string, error) {
	sums := map[string]string{}
	for _, f := range dir.files {
		if latent(f.name) {
			continue
		}
		sum, err := f.seal()
		if err != nil {
			return nil, err
		}
		sums[f.name] = sum
	}
	return sums, nil
}

// latencyFile holds latencies by question.
const latencyFile = "latency.csv"

// latent tells the files that two runs may differ in.
func latent(name string) bool { return name == latencyFile || strings.HasPrefix(name, "figs/latency-") }

// writeJSON writes one indented JSON value as a file.
func writeJSON(dir *folder, name string, v any) error {
	f, err := dir.create(name)
	if err != nil {
		return err
	}
	e := json.NewEncoder(f)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("eval: write %s: %w", name, err)
	}
	return nil
}

// dataInfo names the data file, where it is known.
func (o *ManifestOptions) dataInfo() (*DataInfo, error) {
	if o.Data == nil {
		return nil, nil
	}
	info, err := o.Data()
	if err != nil {
		return nil, err
	}
	return &info, nil
}
