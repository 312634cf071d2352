package asof

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/dsl/ledger"
	"github.com/asof-db/asof/internal/models"
	"github.com/asof-db/asof/internal/models/modelstest"
	"github.com/asof-db/asof/internal/onnx"
)

// A model that the configuration asks for and that is not there is an error that
// says how it is had, never a search without it.
func TestMissingModel(t *testing.T) {
	cfg := configs.Default()
	cfg.Rerank.Mode = configs.RerankCrossEncoder
	open := func() error {
		db, err := Open(t.Context(), Options{Config: &cfg, Ledger: ledger.NewMemory(1)})
		if err == nil {
			err = errors.Join(errors.New("it opened"), db.Close())
		}
		return err
	}
	if err := open(); !strings.Contains(err.Error(), "models.dir") {
		t.Errorf("without a folder: %v", err)
	}
	cfg.Models.Dir = t.TempDir()
	if err := open(); !errors.Is(err, models.ErrMissing) || !strings.Contains(err.Error(), "asof models pull ce-minilm-lme") {
		t.Errorf("without the model: %v", err)
	}
	cfg.Rerank.Model = "no-such-model"
	if err := open(); !errors.Is(err, models.ErrUnknown) {
		t.Errorf("another model: %v", err)
	}
	cfg.Rerank.Mode, cfg.Rerank.Model, cfg.Retrieval.UseE5 = configs.RerankFeatures, "ce-minilm-lme", true
	if err := open(); !errors.Is(err, models.ErrMissing) || !strings.Contains(err.Error(), "asof models pull multilingual-e5-small") {
		t.Errorf("without the model of vectors: %v", err)
	}
}

// With models, a search names them in its basis and says the same twice.
func TestSearchWithModels(t *testing.T) {
	modelstest.Set(t, 1, "ce-minilm-lme", "all-minilm-l6-v2")
	cfg := configs.Default()
	cfg.Rerank.Mode, cfg.Retrieval.UseE5, cfg.Retrieval.DenseModel = configs.RerankCrossEncoder, true, "all-minilm-l6-v2"
	cfg.Models.Dir, cfg.Models.Device = modelstest.Dir(), string(onnx.CPU)
	db, err := Open(t.Context(), Options{Config: &cfg, Ledger: ledger.NewMemory(1)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	var items []Item
	for i, text := range []string{"We grew tomatoes behind the house last spring.", "I moved to Berlin in May.", "The train was late again.", "My garden has basil now."} {
		items = append(items, Item{Space: "s", Turn: &dsl.Turn{ID: string(rune('a' + i)), Session: "1", Speaker: dsl.Plain("Anna"), TS: dsl.Instant(int64(i+1) * 1e6), Text: dsl.Plain(text)}})
	}
	if _, err := db.Ingest(t.Context(), items); err != nil {
		t.Fatal(err)
	}
	var answers []string
	for range 2 {
		r, err := db.Search(t.Context(), "s", At{}, SearchQuery{Text: "What vegetables did Anna plant?", K: 4})
		if err != nil {
			t.Fatal(err)
		}
		out := db.SearchOut("q", &r)
		if s := out.Basis.Scoring; !strings.Contains(s, "all-minilm-l6-v2 sha256:86aa5b35") || !strings.Contains(s, "ce-minilm-lme sha256:08292458") || out.Basis.Notes != nil {
			t.Errorf("the basis has the scoring %q and the notes %q", s, out.Basis.Notes)
		}
		if len(out.Hits) == 0 || out.Hits[0].ID != "a" {
			t.Errorf("hits: %+v", out.Hits)
		}
		b, err := EncodeJSON(out)
		if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, string(b))
	}
	if !slices.Equal(answers[:1], answers[1:]) {
		t.Error("the same question has two answers")
	}
}
