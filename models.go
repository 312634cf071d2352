package asof

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/internal/models"
	"github.com/asof-db/asof/internal/onnx"
	"github.com/asof-db/asof/internal/onnx/head"
	"github.com/asof-db/asof/retrieval"
	"github.com/asof-db/asof/store"
)

// The models that stand behind the plan's switches where the configuration names
// no other.
const (
	usualCrossEncoder = "ce-minilm-lme"
	usualMonoT5       = "monot5-small"
)

// dense is the name of the channel of a model's vectors.
const dense = "dense"

// scorerOf names the model that is to read question and passage, or "".
func scorerOf(r *configs.Rerank) (name string, dated bool) {
	switch {
	case r.MonoT5 || r.Mode == configs.RerankMonoT5:
		name, dated = usualMonoT5, true
	case r.Mode == configs.RerankCrossEncoder:
		name = usualCrossEncoder
	default:
		return "", false
	}
	if r.Model != "" {
		name = r.Model
	}
	return name, dated
}

// openModels opens the models that a configuration asks for. One that is missing
// is an error that says how it is had; there is no going on without it.
func (e *engine) openModels(cfg *configs.Config, log *slog.Logger, reg prometheus.Registerer) error {
	scorer, dated := scorerOf(&cfg.Rerank)
	encoder := ""
	if cfg.Retrieval.UseE5 && cfg.Retrieval.DenseWeight > 0 {
		encoder = cfg.Retrieval.DenseModel
	}
	if scorer == "" && encoder == "" {
		return nil
	}
	if cfg.Models.Dir == "" {
		return fmt.Errorf("asof: the configuration asks for a model, and models.dir names no folder that has it")
	}
	known, err := models.Parse(configs.ModelsYAML())
	if err != nil {
		return fmt.Errorf("asof: %w", err)
	}
	e.models = models.NewSet(models.SetOptions{Registry: known, Dir: cfg.Models.Dir, Device: onnx.Device(cfg.Models.Device), Threads: cfg.Models.Threads,
		Logger: log, Registerer: reg})
	if encoder != "" {
		m, err := e.models.Embedder(encoder)
		if err != nil {
			return fmt.Errorf("asof: retrieval.use_e5: %w", err)
		}
		e.name(m.Identities, m.Note)
		e.ranking.Dense = append(e.ranking.Dense, retrieval.Dense{Name: dense, Encoder: modelEncoder{m}, Weight: cfg.Retrieval.DenseWeight})
	}
	if scorer != "" {
		m, err := e.models.Scorer(scorer)
		if err != nil {
			return fmt.Errorf("asof: rerank.mode: %w", err)
		}
		e.name(m.Identities, m.Note)
		r := &e.ranking.Rerank
		r.Scorer, r.Dated, r.Features = m.Head, dated, true
	}
	return nil
}

// name notes what a model adds to every basis.
func (e *engine) name(identities []onnx.Identity, note string) {
	for _, i := range identities {
		e.identities = append(e.identities, i.String())
	}
	if note != "" {
		e.notes = append(e.notes, identities[0].Model+": "+note)
	}
}

// closeModels frees what openModels opened.
func (e *engine) closeModels() error {
	if e == nil || e.models == nil {
		return nil
	}
	return e.models.Close()
}

// modelEncoder gives the vectors of a model.
type modelEncoder struct{ models.Opened[head.Embedder] }

// Model implements retrieval.Encoder: vectors are of one network on one kind of
// machine, and others are made anew.
func (m modelEncoder) Model() store.VectorModel {
	return store.VectorModel{Name: "model/" + m.Identities[0].String(), Dim: m.Head.Dim()}
}

// Query implements retrieval.Encoder.
func (m modelEncoder) Query(ctx context.Context, text string) ([]float32, error) {
	v, err := m.Head.Embed(ctx, []string{text}, head.Query)
	if err != nil {
		return nil, err
	}
	return v[0], nil
}

// Documents implements retrieval.Encoder.
func (m modelEncoder) Documents(ctx context.Context, texts []string) ([][]float32, error) {
	return m.Head.Embed(ctx, texts, head.Passage)
}
