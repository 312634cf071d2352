package asof

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

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

// TestModelExtracts: a language model proposes candidates; the log holds what it said
// under its name, and what fell back; replay, audit and a memory opened without it ask
// nobody, and only new turns want it.
func TestModelExtracts(t *testing.T) {
	fail := false
	m := &parrot{answer: func(user string) (string, error) {
		if fail {
			return "", errors.New("down")
		}
		return `{"facts":[{"quote":"flat in Quux","src":"Anna","rel":"lives_in","dst":"Quux","polarity":"+","change":"assert"}]}`, nil
	}}
	reg := prometheus.NewRegistry()
	cfg, err := configs.Load([]byte("relation: {mode: C}"), "test")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	db, err := Open(t.Context(), Options{Dir: dir, Config: &cfg, LanguageModel: m, Registerer: reg})
	if err != nil {
		t.Fatal(err)
	}
	turn := func(id, text string, at int64) Item {
		return Item{Space: "s", Turn: &dsl.Turn{ID: id, Speaker: dsl.Plain("Anna"), TS: dsl.Instant(at * 1e6), Text: dsl.Plain(text)}}
	}
	if _, err := db.Ingest(t.Context(), []Item{turn("1", "My flat in Quux is cold.", 1)}); err != nil {
		t.Fatal(err)
	}
	fail = true
	if _, err := db.Ingest(t.Context(), []Item{turn("2", "I live in Oslo.", 2)}); err != nil {
		t.Fatal(err)
	}
	for i, tx := range entriesOf(t, db) {
		c := tx.Candidates
		switch want := []string{"llm:parrot-1", "rule"}[i]; {
		case len(c) != 1 || c[0].Source != want || c[0].Dst.String() != []string{"Quux", "Oslo"}[i]:
			t.Errorf("turn %d: %+v by %s", i+1, c, tx.Extractor)
		case !strings.HasSuffix(tx.Extractor, []string{" relation.C:llm:parrot-1", " relation.C:llm:parrot-1:failed"}[i]):
			t.Errorf("turn %d is by %q", i+1, tx.Extractor)
		}
	}
	if text := counted(t, reg, "asof_extract_answers_total"); text != "fate=failed option=C stage=relation 1\nfate=taken option=C stage=relation 1\n" {
		t.Errorf("counted\n%s", text)
	}
	asked := m.asked
	audited(t, db)
	rep, err := db.Audit(t.Context(), "", ReExtract())
	if err != nil || len(rep.Faults) > 0 || rep.Extracted != 0 || len(rep.NotExtracted) != 2 {
		t.Errorf("extracted again: %+v, %v", rep, err)
	}
	if r, err := db.Replay(t.Context(), t.TempDir(), nil, ""); err != nil || !r.Equal {
		t.Errorf("replay: %+v, %v", r, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if db, err = Open(t.Context(), Options{Dir: dir, Config: &cfg}); err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Search(t.Context(), "s", At{}, SearchQuery{Text: "Where does Anna live?", K: 1}); err != nil {
		t.Errorf("a search without a model: %v", err)
	}
	if _, err := db.Ingest(t.Context(), []Item{turn("3", "I live in Rome.", 3)}); !errors.Is(err, dsl.ErrInvalid) || !strings.Contains(err.Error(), "llm.url") {
		t.Errorf("a turn without a model: %v", err)
	}
	if m.asked != asked {
		t.Errorf("the model was asked %d times more", m.asked-asked)
	}
}

// counted gives the values of a counter on lines.
func counted(t *testing.T, reg *prometheus.Registry, name string) string {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, f := range families {
		if f.GetName() != name {
			continue
		}
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				b.WriteString(l.GetName() + "=" + l.GetValue() + " ")
			}
			fmt.Fprintln(&b, m.GetCounter().GetValue())
		}
	}
	return b.String()
}
