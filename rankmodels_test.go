package asof_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/dsl"
)

func TestModelThatIsMissingIsNamed(t *testing.T) {
	for name, change := range map[string]func(*configs.Config){
		"multilingual-e5-small": func(c *configs.Config) { c.Retrieval.UseE5 = true },
		"ce-minilm-lme":         func(c *configs.Config) { c.Rerank.Mode = configs.RerankCrossEncoder },
		"monot5-small":          func(c *configs.Config) { c.Rerank.MonoT5, c.Rerank.Model = true, "monot5-small" },
	} {
		cfg := configs.Default()
		change(&cfg)
		if _, err := asof.Open(t.Context(), asof.Options{Config: &cfg}); !errors.Is(err, dsl.ErrInvalid) || !strings.Contains(err.Error(), "models.dir") {
			t.Errorf("%s, without a folder: %v, want ErrInvalid that names models.dir", name, err)
		}
		cfg.Models.Dir = t.TempDir()
		if _, err := asof.Open(t.Context(), asof.Options{Config: &cfg}); err == nil || !strings.Contains(err.Error(), "asof models pull "+name) {
			t.Errorf("%s, not in its folder: %v, want the command that fetches it", name, err)
		}
		if _, err := asof.NewProfile(cfg); err == nil || !strings.Contains(err.Error(), "asof models pull "+name) {
			t.Errorf("%s, as a profile: %v, want the command that fetches it", name, err)
		}
	}
	cfg := configs.Default()
	cfg.Rerank.Mode, cfg.Rerank.Model, cfg.Models.Dir = configs.RerankCrossEncoder, "no-such-model", t.TempDir()
	if _, err := asof.Open(t.Context(), asof.Options{Config: &cfg}); err == nil || !strings.Contains(err.Error(), "no-such-model") {
		t.Errorf("an unknown model: %v", err)
	}
}

// TestSearchWithModels runs where the models are installed.
func TestSearchWithModels(t *testing.T) {
	dir := os.Getenv("ASOF_MODELS")
	for _, file := range []string{"onnxruntime/libonnxruntime.so", "all-minilm-l6-v2/model.onnx", "ce-minilm-lme/model.onnx"} {
		if _, err := os.Stat(filepath.Join(dir, file)); dir == "" || err != nil {
			t.Skipf("no %s in $ASOF_MODELS=%q; 'asof models pull onnxruntime all-minilm-l6-v2 ce-minilm-lme' fetches it", file, dir)
		}
	}
	cfg := configs.Default()
	cfg.Models.Dir, cfg.Models.Device = dir, "cpu"
	cfg.Retrieval.UseE5, cfg.Retrieval.DenseModel = true, "all-minilm-l6-v2"
	cfg.Rerank.Mode = configs.RerankCrossEncoder
	db, err := asof.Open(t.Context(), asof.Options{Config: &cfg})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for i, text := range []string{"We adopted a puppy last week.", "The train was late again.", "I paint on Sundays.", "It rained all day."} {
		turn := dsl.Turn{ID: string(rune('a' + i)), Session: "s", Speaker: dsl.Plain("Mina"), Text: dsl.Plain(text), TS: dsl.Instant(i) * dsl.Second}
		if _, err := db.Ingest(t.Context(), []asof.Item{{Space: "x", Turn: &turn}}); err != nil {
			t.Fatal(err)
		}
	}
	q := asof.SearchQuery{Text: "Does Mina have a dog?", K: 4}
	first, err := db.Search(t.Context(), "x", asof.At{}, q)
	if err != nil || len(first.Hits) == 0 || first.Hits[0].Turns[0] != "a" {
		t.Fatalf("%+v, %v, want the puppy first", first.Hits, err)
	}
	again, err := db.Search(t.Context(), "x", asof.At{}, q)
	if err != nil || len(again.Hits) != len(first.Hits) {
		t.Fatalf("asked again: %+v, %v", again.Hits, err)
	}
	for i := range again.Hits {
		if again.Hits[i].ID != first.Hits[i].ID || again.Hits[i].Score != first.Hits[i].Score {
			t.Errorf("asked again, hit %d is %+v, before %+v", i+1, again.Hits[i], first.Hits[i])
		}
	}
	scoring := db.BasisOut(first.Basis).Scoring
	for _, part := range []string{"all-minilm-l6-v2 sha256:", "ce-minilm-lme sha256:", "cpu:"} {
		if !strings.Contains(scoring, part) {
			t.Errorf("the basis says %q, want %q in it", scoring, part)
		}
	}
}
