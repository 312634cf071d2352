package asof

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/extract"
	"github.com/asof-db/asof/internal/onnx"
	"github.com/asof-db/asof/internal/onnx/head"
)

// PipelineOptions are what an extractor may work with beside what its configuration
// names. All of it may be nil.
type PipelineOptions struct {
	LanguageModel LanguageModel
	Parser        extract.Parser
	Logger        *slog.Logger
	Registerer    prometheus.Registerer
}

// Extractor is a pipeline with the models that it works with.
type Extractor struct {
	*extract.Pipeline
	set *modelSet
}

// Close frees the models.
func (x *Extractor) Close() error { return x.set.close() }

// OpenPipeline gives the extractor of a memory that runs under the configuration. A
// model that is not there is an error that says how to fetch it, and so is an option
// that asks a language model where there is none.
func OpenPipeline(cfg configs.Config, o PipelineOptions) (*Extractor, error) {
	registry, err := buildRegistry(cfg)
	if err != nil {
		return nil, err
	}
	set := &modelSet{cfg: &cfg, logger: o.Logger, registerer: o.Registerer}
	parts, err := extractParts(&cfg, set, o.LanguageModel, o.Parser)
	if err != nil {
		return nil, errors.Join(err, set.close())
	}
	p, err := pipelineOf(&cfg, registry, parts)
	if err != nil {
		return nil, errors.Join(err, set.close())
	}
	return &Extractor{p, set}, nil
}

// openEngine makes an engine with what the extraction of its configuration works
// with; model and parser may be nil.
func openEngine(cfg configs.Config, from *modelSet, model LanguageModel, parser extract.Parser) (*engine, error) {
	parts, err := extractParts(&cfg, from, model, parser)
	if err != nil {
		return nil, err
	}
	return newEngine(cfg, parts)
}

// pipelineOf makes the pipeline of a configuration.
func pipelineOf(cfg *configs.Config, registry *extract.Registry, parts extract.Parts) (*extract.Pipeline, error) {
	p, err := extract.New(extract.Config{
		PreprocessRule: cfg.Preprocess.Rule, PreprocessTinySeg: cfg.Preprocess.TinySeg, NERMode: cfg.NER.Mode,
		AliasJW: float64(cfg.Alias.JW), AliasTokenSet: float64(cfg.Alias.TokenSet), AliasNickname: cfg.Alias.Nickname, CorefMode: cfg.Coref.Mode,
		TimeRule: cfg.Time.Rule, TimeSUTime: cfg.Time.SUTime, TimeLLM: cfg.Time.LLMLowConf,
		RelationMode: cfg.Relation.Mode, RelationParse: cfg.Relation.Parse, Registry: registry, Parts: parts,
	})
	if err != nil {
		return nil, fmt.Errorf("asof: configuration: %w", err)
	}
	return p, nil
}

// plainPipeline gives the pipeline of a configuration with its options beyond the
// rules switched off: what reads questions and packs, and asks nobody.
func plainPipeline(cfg configs.Config, registry *extract.Registry) (*extract.Pipeline, error) {
	cfg.Preprocess = configs.Preprocess{Rule: true}
	cfg.NER.Mode, cfg.Relation.Mode = configs.ModeA, configs.ModeA
	if cfg.Coref.Mode != configs.ModeOff {
		cfg.Coref.Mode = configs.ModeA
	}
	cfg.Time.SUTime, cfg.Time.LLMLowConf, cfg.Relation.Parse = false, false, false
	return pipelineOf(&cfg, registry, extract.Parts{})
}

// asksModel tells whether the extraction of a configuration asks a language model.
func asksModel(cfg *configs.Config) bool {
	return cfg.NER.Mode == configs.ModeC || cfg.Relation.Mode == configs.ModeC || cfg.Coref.Mode == configs.ModeAC || cfg.Time.LLMLowConf
}

// extractParts opens what the options of a configuration work with; model and
// parser may be nil.
func extractParts(cfg *configs.Config, from *modelSet, model LanguageModel, parser extract.Parser) (p extract.Parts, err error) {
	p.Parser = parser
	if model != nil {
		p.Model = model
	}
	wanted := []struct {
		key, name string
		on        bool
		into      *extract.TokenClassifier
	}{
		{"ner.model", cfg.NER.Model, cfg.NER.Mode == configs.ModeB, &p.Tagger},
		{"ner.model_zh", cfg.NER.ModelZh, cfg.NER.Mode == configs.ModeB, &p.TaggerHan},
		{"preprocess.model", cfg.Preprocess.Model, cfg.Preprocess.TinySeg, &p.Segmenter},
	}
	for _, w := range wanted {
		if !w.on || w.name == configs.ModeOff {
			continue
		}
		set, err := from.open()
		if err != nil {
			return p, err
		}
		opened, err := set.Tagger(w.name)
		if err != nil {
			return p, fmt.Errorf("asof: %s: %w", w.key, err)
		}
		*w.into = &tokenClassifier{opened.Head, opened.Identities[0]}
	}
	return p, nil
}

// tokenClassifier is a network that labels parts of texts, as extraction asks it.
type tokenClassifier struct {
	head     head.Tagger
	identity onnx.Identity
}

// Name implements extract.TokenClassifier: the network, and the first of its hash.
func (c *tokenClassifier) Name() string {
	return c.identity.Model + "@" + c.identity.SHA256[:min(12, len(c.identity.SHA256))]
}

// Labels implements extract.TokenClassifier.
func (c *tokenClassifier) Labels() []string { return c.head.Labels() }

// Tag implements extract.TokenClassifier.
func (c *tokenClassifier) Tag(ctx context.Context, texts []string) ([][]extract.Labelled, error) {
	tagged, err := c.head.Tag(ctx, texts)
	if err != nil {
		return nil, err
	}
	out := make([][]extract.Labelled, len(tagged))
	for i, parts := range tagged {
		for _, p := range parts {
			out[i] = append(out[i], extract.Labelled{Start: p.Start, End: p.End, Label: p.Label})
		}
	}
	return out, nil
}

// absentModel stands for a language model in a process that has none: reads go on,
// and what would ask it is refused before it does (wantsModel).
type absentModel struct{}

func (absentModel) Name() string { return "none" }

func (absentModel) Complete(context.Context, string, string, int) (string, error) {
	return "", errors.New("there is no language model")
}

// extractor names what made candidates: the pipeline, the language models that were
// asked, and the options that fell back, with the reason.
func (e *engine) extractor(answers []extract.Answer) string {
	name := e.pipeline.Version()
	for i := range answers {
		a := &answers[i]
		more := " " + a.Stage + "." + a.Option + ":" + a.By
		if a.FellBack() {
			more += ":" + string(a.Fate)
		} else if strings.Contains(name, a.By) {
			continue
		}
		if !strings.Contains(name, more) {
			name += more
		}
	}
	return name
}
