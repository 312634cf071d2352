package models_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/asof-db/asof/internal/models"
	"github.com/asof-db/asof/internal/models/modelstest"
	"github.com/asof-db/asof/internal/onnx"
	"github.com/asof-db/asof/internal/onnx/head"
)

func TestSetOpensInstalledModels(t *testing.T) {
	s := modelstest.Set(t, 1, "all-minilm-l6-v2", "ce-minilm-lme", "lac")
	ctx := context.Background()
	e, err := s.Embedder("all-minilm-l6-v2")
	if err != nil {
		t.Fatal(err)
	}
	again, err := s.Embedder("all-minilm-l6-v2")
	if err != nil || again.Identities[0] != e.Identities[0] {
		t.Errorf("opened again: %v, %v", again.Identities, err)
	}
	if v, err := again.Head.Embed(ctx, []string{"anna"}, head.Query); err != nil || len(v[0]) != e.Model.Dimension {
		t.Errorf("embed: %v", err)
	}
	if id := e.Identities[0]; id.SHA256 != e.Model.Files[3].SHA256 || id.Device != onnx.CPU || e.Note != "" {
		t.Errorf("identity %s, note %q", id, e.Note)
	}
	r, err := s.Scorer("ce-minilm-lme")
	if err != nil {
		t.Fatal(err)
	}
	if scores, err := r.Head.Score(ctx, "What did Anna plant?", []string{"Anna: I planted basil.", "Bob: Hello!"}); err != nil || scores[0] <= scores[1] {
		t.Errorf("scores %v, %v", scores, err)
	}
	l, err := s.Tagger("lac")
	if err != nil {
		t.Fatal(err)
	}
	if parts, err := l.Head.Tag(ctx, []string{"张三在北京"}); err != nil || len(parts[0]) != 3 || parts[0][2].Label != "LOC" {
		t.Errorf("parts %v, %v", parts, err)
	}
	if _, err := s.Scorer("lac"); !errors.Is(err, models.ErrUnknown) || !strings.Contains(err.Error(), "crf-tagger") {
		t.Errorf("a tagger as a scorer: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Embedder("all-minilm-l6-v2"); !errors.Is(err, onnx.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

func TestSetSaysWhatIsMissing(t *testing.T) {
	r := modelstest.Registry(t)
	s := models.NewSet(models.SetOptions{Registry: r, Dir: t.TempDir(), Device: onnx.CPU})
	if _, err := s.Embedder("all-minilm-l6-v2"); !errors.Is(err, models.ErrMissing) || !strings.Contains(err.Error(), "asof models pull all-minilm-l6-v2") {
		t.Errorf("without the model: %v", err)
	}
	// With the tokenizer alone, it is ONNX Runtime that is missing.
	dir := t.TempDir()
	write(t, filepath.Join(dir, "colbertv2", "tokenizer.json"), []byte(`{"version":"1.0","model":{"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##","max_input_chars_per_word":100,"vocab":{"[PAD]":0,"[UNK]":1}}}`))
	s = models.NewSet(models.SetOptions{Registry: r, Dir: dir, Device: onnx.CPU})
	if _, err := s.TokenEmbedder("colbertv2"); !errors.Is(err, onnx.ErrNoLibrary) || !strings.Contains(err.Error(), "asof models pull onnxruntime") {
		t.Errorf("without ONNX Runtime: %v", err)
	}
	// A wrong file is named with both hashes before it is used.
	write(t, filepath.Join(dir, "lac", "lac_crf_transitions.npy"), []byte("no"))
	if _, err := s.Tagger("lac"); !errors.Is(err, models.ErrHash) || strings.Count(err.Error(), "446a54b4ad0596519b8fe1bfaac40290f70e3aef3c5686a8dab05c6405faef6b") != 1 {
		t.Errorf("a wrong file: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("opening made files: %v, %v", entries, err)
	}
}
