package eval

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/configs"
)

// setup is one row of Table C: how the entry is made, how its channels are put
// together, and how the result is ordered anew.
type setup struct {
	name, entry, fusion, rerank string
	// set are the keys of the configuration that make the row, by path.
	set []setting

	// profile is what the row is asked under; nil where why says why not.
	profile *asof.Profile
	why     string
}

type setting struct {
	path  string
	value any
}

// BaselineSetup names the row of Table C that all others are compared with.
const BaselineSetup = "bm25"

// makeReady makes the rows ready to ask under a configuration with their keys
// set. What this build lacks, or has no model for, is a reason and no error: the
// row is reported as not run.
func makeReady(rows []setup, cfg configs.Config) {
	for i := range rows {
		s := &rows[i]
		c, why := configured(cfg, s.set)
		if why == "" {
			p, err := asof.NewProfile(c)
			if err == nil {
				s.profile = p
				continue
			}
			why = err.Error()
		}
		s.why = why
	}
}

// configured gives a configuration with keys set, or why it cannot be had.
func configured(cfg configs.Config, set []setting) (configs.Config, string) {
	whole := cfg.Map()
	for _, s := range set {
		section := whole
		names := strings.Split(s.path, ".")
		for _, name := range names[:len(names)-1] {
			below, ok := section[name].(map[string]any)
			if !ok {
				below = map[string]any{}
				section[name] = below
			}
			section = below
		}
		section[names[len(names)-1]] = s.value
	}
	text, err := json.Marshal(whole)
	if err != nil {
		return configs.Config{}, fmt.Sprintf("configuration: %v", err)
	}
	c, faults := configs.Check(text)
	var why []string
	for _, f := range faults {
		why = append(why, strings.TrimPrefix(f.Path+": "+f.Message, ": "))
	}
	return c, strings.Join(why, "; ")
}
