package eval

import (
	"encoding/json"
	"fmt"
	"regexp"
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
	// model tells that the row needs one, and is only run where it is named.
	model bool

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
// set, and gives the models that they share. What this build lacks, or has no model
// for, is a reason and no error: the row is reported as not run.
func makeReady(rows []setup, cfg configs.Config) *asof.Models {
	models := asof.NewModels(cfg)
	for i := range rows {
		s := &rows[i]
		if s.why != "" {
			continue
		}
		c, why := configured(cfg, s.set)
		if why == "" {
			p, err := models.Profile(c)
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
		// A model that the configuration names stays.
		reset = func(o *retrieval.Options, r retrieval.Rerank) {
			r.Scorer, r.ScorerTop, r.Dated = o.Rerank.Scorer, o.Rerank.ScorerTop, o.Rerank.Dated
			o.Cues, o.Expand, o.Expansion, o.Rerank = retrieval.Cues{}, retrieval.Expand{}, retrieval.Expansion{}, r
		}
		alone    = func(o *retrieval.Options) { reset(o, retrieval.Rerank{}) }
		cues     = func(o *retrieval.Options) { alone(o); o.Cues = retrieval.DefaultCues() }
		expanded = func(mode retrieval.ExpandMode) func(*retrieval.Options) {
			return func(o *retrieval.Options) { cues(o); o.Expand = retrieval.Expand{Depth: 2, Fanout: 4, Mode: mode} }
		}
		reranked = func(r retrieval.Rerank) func(*retrieval.Options) {
			return func(o *retrieval.Options) { reset(o, r); o.Cues = retrieval.DefaultCues() }
		}
	)
	const full = "bm25 + static + next + cues"
	rows := []setup{
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
		{name: "colbert", entry: full + " + late interaction", fusion: "weighted", rerank: "none", set: with("retrieval.use_colbert_lite", true), change: cues, model: true},
		{name: "monot5", entry: full, fusion: "weighted", rerank: "monot5", set: with("rerank.monot5", true), change: cues, model: true},
		{name: "features+cross-encoder", entry: full, fusion: "weighted", rerank: "features, cross-encoder", set: with("rerank.mode", "cross_encoder"),
			change: reranked(retrieval.Rerank{Features: true}), model: true},
	}
	return append(rows, gridC(full, plain, next, alone, reranked)...)
}

// gridC are the rows of Table C that take every entry to every way of ordering it
// anew, those left out that setupsC has: BM25, all of it fused, and that with a model
// of vectors.
func gridC(full string, plain, fused []setting, alone func(*retrieval.Options), reranked func(retrieval.Rerank) func(*retrieval.Options)) (rows []setup) {
	dense := func(model string) []setting {
		return append([]setting{{"retrieval.use_e5", true}, {"retrieval.dense_model", model}}, fused...)
	}
	for _, e := range []struct {
		name, entry, fusion string
		set                 []setting
	}{
		{"bm25", "bm25 with context", "", plain}, {"", full, "weighted", fused},
		{"minilm", full + " + MiniLM", "weighted", dense("all-minilm-l6-v2")}, {"e5", full + " + e5", "weighted", dense("multilingual-e5-small")},
	} {
		for _, by := range []struct {
			name   string
			rerank retrieval.Rerank
		}{{"none", retrieval.Rerank{}}, {"mmr", retrieval.Rerank{MMR: true}}, {"features", retrieval.Rerank{Features: true}}, {"cross-encoder", retrieval.Rerank{}}} {
			ce := by.name == "cross-encoder"
			if e.name == "" && !ce || e.name == "bm25" && by.name == "none" {
				continue // a row of setupsC
			}
			s := setup{name: strings.Trim(e.name+"-"+by.name, "-"), entry: e.entry, fusion: e.fusion, rerank: by.name, set: e.set,
				change: reranked(by.rerank), model: ce || strings.Contains(e.entry, " + MiniLM") || strings.Contains(e.entry, " + e5")}
			if e.name == "bm25" {
				s.change = func(o *retrieval.Options) {
					r := by.rerank
					r.Scorer, r.ScorerTop = o.Rerank.Scorer, o.Rerank.ScorerTop
					alone(o)
					o.Rerank = r
				}
			}
			if by.name == "none" {
				s.name = e.name
			}
			if ce {
				s.set = append([]setting{{"rerank.mode", "cross_encoder"}}, e.set...)
			}
			rows = append(rows, s)
		}
	}
	return rows
}

// notAsked says of the rows that a pattern leaves out why they are not run: without
// a pattern those that need a model. The baseline is always run.
func notAsked(rows []setup, pattern *regexp.Regexp) {
	for i := range rows {
		s := &rows[i]
		switch {
		case s.name == BaselineSetup:
		case pattern == nil && s.model:
			s.why = "it needs a model; --rows names such rows"
		case pattern != nil && !pattern.MatchString(s.name):
			s.why = "not among --rows"
		}
	}
}
