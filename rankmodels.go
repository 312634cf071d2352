package asof

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/onnx"
	"github.com/asof-db/asof/internal/onnx/head"
	"github.com/asof-db/asof/retrieval"
	"github.com/asof-db/asof/retrieval/rerank"
	"github.com/asof-db/asof/store"
)

// rankModels are the models that a configuration names for searches.
type rankModels struct {
	dense  []retrieval.Dense
	scorer rerank.Scorer
	// identities are what results depend on, in order; notes say of models that
	// do not run where they were hoped to run.
	identities, notes []string
}

// wantsRankModels tells whether a configuration names a model for searches.
func wantsRankModels(cfg *configs.Config) bool {
	return cfg.Retrieval.UseE5 || cfg.Retrieval.UseColBERTLite || readerOf(cfg) != ""
}

// readerOf gives the mode of the model that reads question and passage, "" for
// none.
func readerOf(cfg *configs.Config) string {
	switch {
	case cfg.Rerank.MonoT5:
		return configs.RerankMonoT5
	case cfg.Rerank.Mode == configs.RerankCrossEncoder || cfg.Rerank.Mode == configs.RerankMonoT5:
		return cfg.Rerank.Mode
	}
	return ""
}

// openRankModels opens the models that the configuration names and has the engine
// work with them. One that is not there is an error that says how to fetch it.
func openRankModels(e *engine, cfg *configs.Config, from *modelSet) (m rankModels, err error) {
	if !wantsRankModels(cfg) {
		return m, nil
	}
	set, err := from.open()
	if err != nil {
		return m, err
	}
	if cfg.Retrieval.UseE5 {
		opened, err := set.Embedder(cfg.Retrieval.DenseModel)
		if err != nil {
			return m, fmt.Errorf("asof: retrieval.dense_model: %w", err)
		}
		name := m.note(opened.Identities, opened.Note)
		m.dense = append(m.dense, retrieval.Dense{Name: cfg.Retrieval.DenseModel, Weight: cfg.Retrieval.DenseWeight, Encoder: &modelEncoder{opened.Head, name},
			Slow: true, First: cfg.Models.EmbedFirst})
	}
	if cfg.Retrieval.UseColBERTLite {
		opened, err := set.TokenEmbedder(cfg.Retrieval.ColBERTModel)
		if err != nil {
			return m, fmt.Errorf("asof: retrieval.colbert_model: %w", err)
		}
		name := m.note(opened.Identities, opened.Note)
		m.dense = append(m.dense, retrieval.Dense{Name: cfg.Retrieval.ColBERTModel, Weight: cfg.Retrieval.ColBERTWeight, Late: &lateEncoder{opened.Head, name},
			Slow: true, First: cfg.Models.EmbedFirst})
	}
	if readerOf(cfg) != "" {
		opened, err := set.Scorer(cfg.Rerank.Model)
		if err != nil {
			return m, fmt.Errorf("asof: rerank.model: %w", err)
		}
		m.note(opened.Identities, opened.Note)
		m.scorer = opened.Head
	}
	return m, e.use(&m, readerOf(cfg) == configs.RerankMonoT5)
}

// note adds identities to those that results depend on, and gives a hash of them.
func (m *rankModels) note(identities []onnx.Identity, fallback string) string {
	if fallback != "" {
		m.notes = append(m.notes, identities[0].Model+": "+fallback)
	}
	var lines []string
	for _, i := range identities {
		lines = append(lines, i.String())
	}
	m.identities = append(m.identities, lines...)
	sum := dsl.Sum([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:])
}

// use lets searches work with models, and has the basis name them: the settings
// that a present answer is computed under say which model on which runtime, device
// and processor scores.
func (e *engine) use(m *rankModels, dated bool) (err error) {
	e.ranking.Dense = append(slices.Clone(e.ranking.Dense), m.dense...)
	e.ranking.Rerank.Scorer, e.ranking.Rerank.Dated = m.scorer, dated
	e.pack.Models = map[string]string{}
	for i, id := range m.identities {
		e.pack.Models[fmt.Sprint("model ", i+1)] = id
	}
	e.settings.Scoring = strings.Join(append([]string{e.settings.Scoring}, m.identities...), "; ")
	if e.settingsHash, err = e.settings.Hash(); err != nil {
		return fmt.Errorf("asof: %w", err)
	}
	return nil
}

// modelEncoder is a channel of vectors that a model makes.
type modelEncoder struct {
	head head.Embedder
	name string
}

// Model implements retrieval.Encoder.
func (e *modelEncoder) Model() store.VectorModel {
	return store.VectorModel{Name: "model/" + e.name, Dim: e.head.Dim()}
}

// Query implements retrieval.Encoder.
func (e *modelEncoder) Query(ctx context.Context, text string) ([]float32, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	vectors, err := e.head.Embed(ctx, []string{text}, head.Query)
	if err != nil {
		return nil, err
	}
	return vectors[0], nil
}

// Documents implements retrieval.Encoder.
func (e *modelEncoder) Documents(ctx context.Context, texts []string) ([][]float32, error) {
	return e.head.Embed(ctx, texts, head.Passage)
}

// lateEncoder is a channel of late interaction by a model.
type lateEncoder struct {
	head head.TokenEmbedder
	name string
}

// Model implements retrieval.TokenEncoder.
func (e *lateEncoder) Model() store.VectorModel {
	return store.VectorModel{Name: "tokens/" + e.name, Dim: e.head.Dim(), Tokens: true}
}

// Query implements retrieval.TokenEncoder.
func (e *lateEncoder) Query(ctx context.Context, text string) ([]byte, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	list, err := e.embed(ctx, []string{text}, head.Query)
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// Documents implements retrieval.TokenEncoder.
func (e *lateEncoder) Documents(ctx context.Context, texts []string) ([][]byte, error) {
	return e.embed(ctx, texts, head.Passage)
}

func (e *lateEncoder) embed(ctx context.Context, texts []string, kind head.Kind) ([][]byte, error) {
	vectors, err := e.head.EmbedTokens(ctx, texts, kind)
	if err != nil {
		return nil, err
	}
	list := make([][]byte, len(vectors))
	for i := range vectors {
		list[i] = store.TokenBytes(vectors[i].Values)
	}
	return list, nil
}
