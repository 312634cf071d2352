package eval

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/retrieval"
)

// setup is one row of Table C: how the entry is made, how its channels are put
// together, and how the result is ordered anew.
type setup struct {
	name, entry, fusion, rerank string
	// set are the keys of the configuration that make the row, by path, and change
	// what no key names.
	set    []setting
	change func(*retrieval.Options)

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
// set, and gives the models that they share, nil where there is no folder of any.
// What this build lacks, or has no model for, is a reason and no error: the row is
// reported as not run.
func makeReady(rows []setup, cfg configs.Config) *asof.Models {
	profile := asof.NewProfile
	models, err := asof.NewModels(cfg)
	if err == nil {
		profile = models.Profile
	}
	for i := range rows {
		s := &rows[i]
		c, why := configured(cfg, s.set)
		if why == "" {
			p, err := profile(c)
			if err == nil {
				if s.change != nil {
					p = p.Ranking(s.change)
				}
				s.profile = p
				continue
			}
			why = err.Error()
		}
		s.why = why
	}
	return models
}

// configured gives a configuration with keys set, or why it cannot be had.
func configured(cfg configs.Config, set []setting) (configs.Config, string) {
	whole := cfg.Map()
	for _, s := range set {
		configs.Put(whole, s.path, s.value)
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

// setupsC are the rows of Table C. Each adds to the one that it builds on, so
// that what an option is worth can be read off.
func setupsC() []setup {
	var (
		plain   = []setting{{"retrieval.speaker_boost", 1.0}, {"retrieval.next_weight", 0.0}, {"retrieval.use_static", false}}
		speaker = plain[1:]
		static  = []setting{{"retrieval.next_weight", 0.0}, {"retrieval.use_static", true}}
		next    = []setting{{"retrieval.use_static", true}, {"retrieval.next_weight", 0.3}}
		fused   = func(how string) []setting { return append([]setting{{"retrieval.fusion", how}}, static...) }
		with    = func(path string, value any) []setting { return append([]setting{{path, value}}, next...) }
		alone   = func(o *retrieval.Options) {
			o.Cues, o.Expand, o.Rerank = retrieval.Cues{}, retrieval.Expand{}, retrieval.Rerank{}
		}
		cues     = func(o *retrieval.Options) { alone(o); o.Cues = retrieval.DefaultCues() }
		expanded = func(mode retrieval.ExpandMode) func(*retrieval.Options) {
			return func(o *retrieval.Options) { cues(o); o.Expand = retrieval.Expand{Depth: 2, Fanout: 4, Mode: mode} }
		}
		reranked = func(r retrieval.Rerank) func(*retrieval.Options) {
			return func(o *retrieval.Options) { cues(o); o.Rerank = r }
		}
	)
	const full = "bm25 + static + next + cues"
	return []setup{
		{name: "configured", entry: "as configured", fusion: "as configured", rerank: "as configured"},
		{name: BaselineSetup, entry: "bm25 with context", rerank: "none", set: plain, change: alone},
		{name: "bm25+speaker", entry: "bm25 + speaker", rerank: "none", set: speaker, change: alone},
		{name: "static", entry: "static", rerank: "none", set: append([]setting{{"retrieval.use_bm25", false}}, static...), change: alone},
		{name: "bm25+static", entry: "bm25 + static", fusion: "weighted", rerank: "none", set: fused("weighted"), change: alone},
		{name: "bm25+static-rrf", entry: "bm25 + static", fusion: "rrf", rerank: "none", set: fused("rrf"), change: alone},
		{name: "bm25+static-adaptive", entry: "bm25 + static", fusion: "rrf_adaptive", rerank: "none", set: fused("rrf_adaptive"), change: alone},
		{name: "next", entry: "bm25 + static + next", fusion: "weighted", rerank: "none", set: next, change: alone},
		{name: "cues", entry: full, fusion: "weighted", rerank: "none", set: next, change: cues},
		{name: "expand-plain", entry: full + " + expansion A", fusion: "weighted", rerank: "none", set: next, change: expanded(retrieval.ExpandPlain)},
		{name: "expand-gated", entry: full + " + expansion B", fusion: "weighted", rerank: "none", set: next, change: expanded(retrieval.ExpandGated)},
		{name: "expand-learned", entry: full + " + expansion C", fusion: "weighted", rerank: "none", set: next, change: expanded(retrieval.ExpandLearned)},
		{name: "mmr", entry: full, fusion: "weighted", rerank: "mmr", set: next, change: reranked(retrieval.Rerank{MMR: true})},
		{name: "features", entry: full, fusion: "weighted", rerank: "features", set: next, change: reranked(retrieval.Rerank{Features: true})},
		{name: "mmr+features", entry: full, fusion: "weighted", rerank: "mmr, features", set: next, change: reranked(retrieval.Rerank{MMR: true, Features: true})},
		{name: "e5", entry: full + " + e5", fusion: "weighted", rerank: "none", set: with("retrieval.use_e5", true), change: cues},
		{name: "colbert", entry: full + " + late interaction", fusion: "weighted", rerank: "none", set: with("retrieval.use_colbert_lite", true), change: cues},
		{name: "monot5", entry: full, fusion: "weighted", rerank: "monot5", set: with("rerank.monot5", true), change: cues},
		{name: "cross-encoder", entry: full, fusion: "weighted", rerank: "cross-encoder", set: with("rerank.mode", "cross_encoder"), change: cues},
	}
}
