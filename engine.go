package asof

import (
	"fmt"

	"github.com/asof-db/asof/assimilate"
	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/extract"
	"github.com/asof-db/asof/internal/analyze"
	"github.com/asof-db/asof/retrieval"
)

// engine is what a configuration makes of the parts: all that turns input into
// transactions. It never changes.
type engine struct {
	pipeline     *extract.Pipeline
	policy       assimilate.Policy
	registry     *extract.Registry
	settings     dsl.Settings
	settingsHash dsl.Hash
}

func newEngine(cfg configs.Config) (*engine, error) {
	registry, err := buildRegistry(cfg)
	if err != nil {
		return nil, err
	}
	pipeline, err := extract.New(extract.Config{
		PreprocessRule: cfg.Preprocess.Rule, PreprocessTinySeg: cfg.Preprocess.TinySeg, NERMode: cfg.NER.Mode,
		AliasJW: float64(cfg.Alias.JW), AliasTokenSet: float64(cfg.Alias.TokenSet), CorefMode: cfg.Coref.Mode,
		TimeRule: cfg.Time.Rule, TimeSUTime: cfg.Time.SUTime, TimeLLM: cfg.Time.LLMLowConf,
		RelationMode: cfg.Relation.Mode, Registry: registry,
	})
	if err != nil {
		return nil, fmt.Errorf("asof: configuration: %w", err)
	}
	e := &engine{pipeline: pipeline, registry: registry,
		policy: assimilate.Policy{Registry: registry, WMMin: cfg.Assimilate.WMMin, Fuzzy: cfg.RBU.Fuzzy}}
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

// retrieval gives what a search works with.
func (e *engine) retrieval(a *analyze.Analyzer) retrieval.Options {
	return retrieval.Options{Analyzer: a}
}

// buildRegistry gives the built-in predicates and those that the configuration
// adds.
func buildRegistry(cfg configs.Config) (*extract.Registry, error) {
	var more []extract.Predicate
	for _, p := range cfg.Predicates {
		domain, rng := dsl.NodeKind(p.Domain), dsl.NodeKind(p.Range)
		if domain == "" {
			domain = dsl.Entity
		}
		if rng == "" {
			rng = dsl.Entity
		}
		more = append(more, extract.Predicate{Name: p.Name, Functional: p.Functional, Domain: domain, Range: rng,
			Inverse: p.Inverse, Phrase: p.Phrase, Synonyms: p.Synonyms})
	}
	r, err := extract.DefaultRegistry().With(more...)
	if err != nil {
		return nil, fmt.Errorf("asof: configuration: predicates: %w", err)
	}
	return r, nil
}
