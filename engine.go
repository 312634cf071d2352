package asof

import (
	"cmp"
	"fmt"

	"github.com/asof-db/asof/assimilate"
	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/extract"
	"github.com/asof-db/asof/internal/analyze"
	"github.com/asof-db/asof/retrieval"
	"github.com/asof-db/asof/retrieval/pack"
)

// engine is what a configuration makes of the parts: all that turns input into
// transactions. It never changes.
type engine struct {
	// pipeline extracts; plain is the same by rules alone, for what reads questions and
	// packs.
	pipeline     *extract.Pipeline
	plain        *extract.Pipeline
	policy       assimilate.Policy
	registry     *extract.Registry
	settings     dsl.Settings
	settingsHash dsl.Hash
	// ranking is what the configuration says of searches.
	ranking retrieval.Options
	// pack is what the configuration says of packs.
	pack pack.Options
	// scaffold is whether pack.scaffold is auto.
	scaffold bool
}

// Registry gives the predicates of a configuration: the built-in ones and those that
// it adds.
func Registry(cfg configs.Config) (*extract.Registry, error) { return buildRegistry(cfg) }

// policyOf gives the policy of a configuration.
func policyOf(registry *extract.Registry, cfg *configs.Config) assimilate.Policy {
	return assimilate.Policy{Registry: registry, WMMin: cfg.Assimilate.WMMin, Fuzzy: cfg.RBU.Fuzzy, OwnWord: cfg.Assimilate.OwnWord,
		Layer2: layer2Of(cfg)}
}

// newEngine makes an engine whose extraction works with parts.
func newEngine(cfg configs.Config, parts extract.Parts) (*engine, error) {
	registry, err := buildRegistry(cfg)
	if err != nil {
		return nil, err
	}
	if parts.Model == nil && asksModel(&cfg) {
		parts.Model = absentModel{}
	}
	if parts.Parser == nil && asksParser(&cfg) {
		parts.Parser = absentParser{cfg.CoreNLP.Version}
	}
	pipeline, err := pipelineOf(&cfg, registry, parts)
	if err != nil {
		return nil, err
	}
	plain, err := plainPipeline(cfg, registry)
	if err != nil {
		return nil, err
	}
	e := &engine{ranking: rankingOf(&cfg), pack: packOptions(&cfg), scaffold: cfg.Pack.Scaffold == configs.ScaffoldAuto,
		pipeline: pipeline, plain: plain, registry: registry,
		policy: policyOf(registry, &cfg)}
	if err := e.policy.Validate(); err != nil {
		return nil, fmt.Errorf("asof: configuration: %w", err)
	}
	reg, err := registry.JSON()
	if err != nil {
		return nil, fmt.Errorf("asof: registry: %w", err)
	}
	conf, err := dsl.CanonicalValue(cfg.SemanticJSON())
	if err != nil {
		return nil, fmt.Errorf("asof: configuration: %w", err)
	}
	e.settings = dsl.Settings{Analyzer: analyze.Version, Config: conf, Extractor: pipeline.Version(),
		Policy: assimilate.PolicyVersion, Registry: reg, Scoring: retrieval.Version}
	if e.settingsHash, err = e.settings.Hash(); err != nil {
		return nil, fmt.Errorf("asof: %w", err)
	}
	return e, nil
}

// rankingOf gives what a configuration says of searches.
func rankingOf(cfg *configs.Config) retrieval.Options {
	r := &cfg.Retrieval
	o := retrieval.Options{Speaker: r.SpeakerBoost, Fusion: retrieval.Fusion(r.Fusion), Pool: r.Pool, Next: r.NextWeight, Cues: cuesOf(r)}
	if r.UseStatic && r.StaticWeight > 0 {
		o.Dense = append(o.Dense, retrieval.Dense{Name: retrieval.Static, Encoder: retrieval.StaticTable(), Weight: r.StaticWeight})
	}
	o.Expand = retrieval.Expand{Depth: r.Depth, Fanout: r.Fanout, Facts: r.KL1, Events: r.KL2, Mode: retrieval.ExpandMode(r.Expand), Weight: r.ExpandWeight}
	x := &r.Expansion
	o.Expansion = retrieval.Expansion{Most: x.Most, Hits: x.Hits, Terms: x.Terms, Names: x.Names, Near: x.Near, Facts: x.Facts}
	o.Rerank = retrieval.Rerank{Top: r.RerankTop, MMR: cfg.Rerank.MMR || cfg.Rerank.Mode == configs.RerankMMR, Lambda: cfg.Rerank.Lambda,
		Features: cfg.Rerank.Mode == configs.RerankFeatures || readerOf(cfg) != "", ScorerTop: cfg.Rerank.ModelTop}
	return o
}

// cuesOf gives what a configuration says of the reading of questions.
func cuesOf(r *configs.Retrieval) retrieval.Cues {
	c := retrieval.Cues{Time: r.TimeBoost, Kind: r.KindBoost, Asking: r.Asking, Session: r.SessionShare, Alias: r.AliasWeight,
		Near: r.NearWeight, Fresh: r.FreshBoost, Parts: r.Parts, Alone: !r.ContextAlone}
	if r.AboutBoost >= 1 {
		c.About = r.AboutBoost
	}
	return c
}

// retrieval gives what a search of a memory works with.
func (e *engine) retrieval(db *DB) retrieval.Options {
	o := e.ranking
	o.Analyzer, o.Texts = &db.analyzer, &db.texts
	return o
}

// packing gives what a pack of a memory is compiled with.
func (e *engine) packing(db *DB) pack.Options {
	o := e.pack
	o.Search, o.Registry, o.Config = e.retrieval(db), e.registry, e.settingsHash
	o.Sessions.Scorer = e.ranking.Rerank.Scorer
	return o
}

// packOptions gives what a configuration says of packs.
func packOptions(cfg *configs.Config) pack.Options {
	return pack.Options{Mode: pack.Mode(cfg.Pack.Mode), Budget: cfg.Memory.ReadBudget, Stats: cfg.Pack.Stats, Active: cfg.Pack.Active,
		Sessions: pack.SessionOptions{Most: cfg.Pack.Sessions, Verbatim: cfg.Pack.Verbatim, Pool: cfg.Pack.Pool, Added: cfg.Pack.Expansion,
			Chars: cfg.Pack.SessionChars, Angles: cfg.Pack.Angles}}
}

// buildRegistry gives the built-in predicates and those that the configuration
// adds.
func buildRegistry(cfg configs.Config) (*extract.Registry, error) {
	var more []extract.Predicate
	for _, p := range cfg.Predicates {
		more = append(more, extract.Predicate{Name: p.Name, Functional: p.Functional, Inverse: p.Inverse, Opposite: p.Opposites, Phrase: p.Phrase, Synonyms: p.Synonyms, Text: p.Text,
			Domain: cmp.Or(dsl.NodeKind(p.Domain), dsl.Entity), Range: cmp.Or(dsl.NodeKind(p.Range), dsl.Entity)})
	}
	r, err := extract.DefaultRegistry().With(more...)
	if err != nil {
		return nil, fmt.Errorf("asof: configuration: predicates: %w", err)
	}
	return r, nil
}
