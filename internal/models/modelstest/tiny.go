package modelstest

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/asof-db/asof/internal/onnx/graph"
)

// Tiny makes a folder of models that holds ONNX Runtime and tiny networks in the
// place of real ones, with the inputs, outputs and shapes of those: "colbertv2", a
// vector for each token, and "bge-m3", one for a text, the mean of its tokens. Words
// of one group are the same to them, words of none say nothing. The files have no
// known hash, so nothing tells them from the real ones. The test is skipped where
// ONNX Runtime is not installed.
func Tiny(t testing.TB, groups ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := WriteTiny(dir, Options(t, 1).Library, groups...); err != nil {
		t.Fatal(err)
	}
	return dir
}

// WriteTiny is Tiny for a folder that is there already; library is the file of ONNX
// Runtime.
func WriteTiny(dir, library string, groups ...string) error {
	if err := os.Symlink(filepath.Dir(library), filepath.Join(dir, "onnxruntime")); err != nil {
		return err
	}
	if err := writeModel(filepath.Join(dir, "colbertv2"), colbert(groups), pieces("[PAD]", groups)); err != nil {
		return err
	}
	return writeModel(filepath.Join(dir, "bge-m3"), bge(groups), pieces("<pad>", groups))
}

// specials are the pieces of no word, the one that fills up first.
var specials = []string{"[UNK]", "[CLS]", "[SEP]", "[MASK]", "[unused0]", "[unused1]"}

// pieces are the vocabulary: the special ones, then the words of the groups.
func pieces(pad string, groups []string) []string {
	list := append([]string{pad}, specials...)
	for _, g := range groups {
		list = append(list, strings.Fields(g)...)
	}
	return list
}

// rows gives each piece a direction: that of its group, none to special ones.
func rows(groups []string, dim int) graph.Tensor {
	list := pieces("", groups)
	values := make([]float32, len(list)*dim)
	at := len(specials) + 1
	for _, g := range groups {
		h := fnv.New32a()
		h.Write([]byte(g))
		for range strings.Fields(g) {
			values[at*dim+int(h.Sum32()%uint32(dim))] = 3
			at++
		}
	}
	return graph.Floats("w", []int64{int64(len(list)), int64(dim)}, values...)
}

var batchAxis, sequenceAxis = graph.Open("batch_size"), graph.Open("sequence_length")

func colbert(groups []string) *graph.Builder {
	const dim = 128
	b := graph.NewBuilder("tiny-colbert")
	for _, name := range []string{"input_ids", "attention_mask", "token_type_ids"} {
		b.Input(name, graph.Int64, batchAxis, sequenceAxis)
	}
	b.Output(b.Op("Gather", graph.In(b.Constant(rows(groups, dim)), "input_ids")), "contextual", graph.Float32, batchAxis, sequenceAxis, graph.Dim{Size: dim})
	return b
}

func bge(groups []string) *graph.Builder {
	const dim = 1024
	b := graph.NewBuilder("tiny-bge")
	for _, name := range []string{"input_ids", "attention_mask"} {
		b.Input(name, graph.Int64, batchAxis, sequenceAxis)
	}
	tokens := b.Op("Gather", graph.In(b.Constant(rows(groups, dim)), "input_ids"))
	b.Output(b.Op("ReduceMean", graph.In(tokens), graph.List("axes", 1), graph.Int("keepdims", 0)), "sentence_embedding", graph.Float32, batchAxis, graph.Dim{Size: dim})
	return b
}

type object = map[string]any

// writeModel writes a network and a tokenizer of whole words.
func writeModel(dir string, b *graph.Builder, words []string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	network, err := b.Model(8, 17).Encode()
	if err != nil {
		return err
	}
	vocab, added := object{}, []object{}
	for i, p := range words {
		if _, twice := vocab[p]; twice {
			return fmt.Errorf("modelstest: the word %q is in two groups", p)
		}
		vocab[p] = i
		if i < 5 {
			added = append(added, object{"id": i, "content": p, "special": true, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false})
		}
	}
	piece := func(name string) object {
		return object{"SpecialToken": object{"id": name, "type_id": 0}}
	}
	known := func(name string) object {
		return object{"id": name, "ids": []any{vocab[name]}, "tokens": []string{name}}
	}
	text := object{"Sequence": object{"id": "A", "type_id": 0}}
	tokenizer, err := json.Marshal(object{
		"version": "1.0", "added_tokens": added,
		"normalizer":    object{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": nil, "lowercase": true},
		"pre_tokenizer": object{"type": "BertPreTokenizer"},
		"post_processor": object{"type": "TemplateProcessing", "single": []object{piece("[CLS]"), text, piece("[SEP]")},
			"pair":           []object{piece("[CLS]"), text, piece("[SEP]"), {"Sequence": object{"id": "B", "type_id": 1}}, piece("[SEP]")},
			"special_tokens": object{"[CLS]": known("[CLS]"), "[SEP]": known("[SEP]")}},
		"model": object{"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": vocab},
	})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "model.onnx"), network, 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "tokenizer.json"), tokenizer, 0o600)
}
