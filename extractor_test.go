package asof

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/dsl/ledger"
	"github.com/asof-db/asof/extract"
	"github.com/asof-db/asof/internal/models"
	"github.com/asof-db/asof/internal/models/modelstest"
	"github.com/asof-db/asof/internal/onnx"
	"github.com/asof-db/asof/internal/onnx/graph"
)

// tinyPieces are the vocabulary of networks that label pieces of text.
var tinyPieces = []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "zorbulon", "##s", "lives", "in", "quux", "labs", ".", "springfield", "she", "works", "at"}

// tinyClassifier writes a token classifier into a folder of models, as exporters do: a
// network of the real shapes that is a table of a label for each piece.
func tinyClassifier(t *testing.T, dir, name string, labels []string, says map[string]string) {
	t.Helper()
	vocab, added := map[string]any{}, []any{}
	for i, p := range tinyPieces {
		vocab[p] = i
		if i < 4 {
			added = append(added, map[string]any{"id": i, "content": p, "special": true, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false})
		}
	}
	special := func(p string) map[string]any {
		return map[string]any{"SpecialToken": map[string]any{"id": p, "type_id": 0}}
	}
	single := []any{special("[CLS]"), map[string]any{"Sequence": map[string]any{"id": "A", "type_id": 0}}, special("[SEP]")}
	tokenizer := map[string]any{
		"version": "1.0", "added_tokens": added,
		"normalizer":    map[string]any{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": nil, "lowercase": true},
		"pre_tokenizer": map[string]any{"type": "BertPreTokenizer"},
		"post_processor": map[string]any{"type": "TemplateProcessing", "single": single, "pair": append(slices.Clone(single), map[string]any{"Sequence": map[string]any{"id": "B", "type_id": 1}}, special("[SEP]")), "special_tokens": map[string]any{
			"[CLS]": map[string]any{"id": "[CLS]", "ids": []int{2}, "tokens": []string{"[CLS]"}},
			"[SEP]": map[string]any{"id": "[SEP]", "ids": []int{3}, "tokens": []string{"[SEP]"}}}},
		"model": map[string]any{"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": vocab},
	}
	id2label := map[string]string{}
	for i, l := range labels {
		id2label[string(rune('0'+i))] = l
	}
	config := map[string]any{"architectures": []string{"BertForTokenClassification"}, "model_type": "bert", "id2label": id2label, "max_position_embeddings": 64}

	b := graph.NewBuilder(name)
	batch, sequence := graph.Open("batch_size"), graph.Open("sequence_length")
	for _, in := range []string{"input_ids", "attention_mask", "token_type_ids"} {
		b.Input(in, graph.Int64, batch, sequence)
	}
	var table []float32
	for _, p := range tinyPieces {
		for i, l := range labels {
			if says[p] == l || says[p] == "" && i == 0 {
				table = append(table, 4)
			} else {
				table = append(table, 0)
			}
		}
	}
	w := b.Constant(graph.Floats("w", []int64{int64(len(tinyPieces)), int64(len(labels))}, table...))
	b.Output(b.Op("Gather", graph.In(w, "input_ids")), "logits", graph.Float32, batch, sequence, graph.Dim{Size: int64(len(labels))})
	network, err := b.Model(8, 17).Encode()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]any{"tokenizer.json": tokenizer, "config.json": config, "model.onnx": network}
	if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
		t.Fatal(err)
	}
	for file, v := range files {
		data, ok := v.([]byte)
		if !ok {
			if data, err = json.Marshal(v); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, name, file), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// tinyModels gives a folder with ONNX Runtime and two networks: tiny-ner and tiny-seg.
func tinyModels(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	library := filepath.Dir(modelstest.Options(t, 1).Library)
	if err := os.Symlink(library, filepath.Join(dir, "onnxruntime")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	tinyClassifier(t, dir, "tiny-ner", []string{"O", "B-PER", "I-PER", "B-ORG", "I-ORG", "B-LOC"},
		map[string]string{"zorbulon": "B-PER", "##s": "B-LOC", "quux": "B-ORG", "labs": "I-ORG", "springfield": "B-LOC"})
	tinyClassifier(t, dir, "tiny-seg", []string{"O", "EOS"}, map[string]string{"springfield": "EOS"})
	return dir
}

// TestOwnModels: networks of the user's own label names and sentences, for extraction
// alone and in a memory, whose log and settings name them.
func TestOwnModels(t *testing.T) {
	cfg := configs.Default()
	cfg.Models.Dir, cfg.Models.Device = tinyModels(t), string(onnx.CPU)
	cfg.NER = configs.NER{Mode: configs.ModeB, Model: "tiny-ner", ModelZh: configs.ModeOff}
	cfg.Preprocess.TinySeg, cfg.Preprocess.Model = true, "tiny-seg"
	x, err := OpenPipeline(cfg, PipelineOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	turn := dsl.Turn{ID: "t", Speaker: dsl.Plain("Maria"), Text: dsl.Plain("zorbulons lives in Springfield she works at Quux Labs.")}
	r := x.Extract(extract.Context{Turn: turn})
	var got []string
	for _, m := range r.Entities {
		got = append(got, m.Text+"="+m.Type)
	}
	if strings.Join(got, " ") != "zorbulons=PERSON Springfield=LOC Quux Labs=ORG" || len(r.Sentences) != 2 || len(r.Answers) != 2 {
		t.Fatalf("%q, %d sentences, %+v", got, len(r.Sentences), r.Answers)
	}
	if v := x.Version(); !strings.Contains(v, "tiny-ner@") || !strings.Contains(v, "tiny-seg@") {
		t.Errorf("the version %q does not name the networks", v)
	}

	db, err := Open(t.Context(), Options{Config: &cfg, Ledger: ledger.NewMemory(1)})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Ingest(t.Context(), []Item{{Space: "s", Turn: &turn}}); err != nil {
		t.Fatal(err)
	}
	if db.Extractor() != x.Version() {
		t.Errorf("the memory extracts by %q, want %q", db.Extractor(), x.Version())
	}
	// A profile to ask under names the same extraction.
	p, err := NewProfile(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if p.engine.settingsHash != db.SettingsHash() {
		t.Error("the same configuration has two settings")
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// TestOwnModelFaults: what is wrong with a folder is said before anything is read.
func TestOwnModelFaults(t *testing.T) {
	cfg := configs.Default()
	cfg.NER = configs.NER{Mode: configs.ModeB, Model: "mine", ModelZh: configs.ModeOff}
	open := func() error {
		x, err := OpenPipeline(cfg, PipelineOptions{})
		if err == nil {
			err = errors.Join(errors.New("it opened"), x.Close())
		}
		return err
	}
	if err := open(); !strings.Contains(err.Error(), "models.dir") {
		t.Errorf("without a folder of models: %v", err)
	}
	cfg.Models.Dir = t.TempDir()
	if err := open(); !errors.Is(err, models.ErrUnknown) || !strings.Contains(err.Error(), "ner.model") {
		t.Errorf("an unknown model: %v", err)
	}
	for config, says := range map[string]string{
		`{"architectures": ["T5ForConditionalGeneration"]}`:                                             "ForTokenClassification",
		`{"architectures": ["BertForTokenClassification"], "id2label": {"0": "O"}}`:                     "1 labels",
		`{"architectures": ["BertForTokenClassification"], "id2label": {"0": "O", "7": "PER"}}`:         `"7" of 2 labels`,
		`{"architectures": ["BertForSequenceClassification"], "id2label": {"0": "no", "1": "yes"}}`:     "sequence-classifier",
		`{"architectures": ["BertForTokenClassification"], "id2label": {"0": "O", "1": "B-PER"}}`:       "tokenizer.json",
		`{"architectures": ["BertForTokenClassification"], "id2label": {"0": "O", "1": "B-PER"}, "x": `: "config.json",
	} {
		if err := os.MkdirAll(filepath.Join(cfg.Models.Dir, "mine"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(cfg.Models.Dir, "mine", "config.json"), []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := open(); !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q in it", config, err, says)
		}
	}
	cfg.NER = configs.NER{Mode: configs.ModeB, Model: configs.ModeOff, ModelZh: configs.ModeOff}
	if err := open(); !errors.Is(err, extract.ErrMissingPart) {
		t.Errorf("no model at all: %v", err)
	}
}
