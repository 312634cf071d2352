package head_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/asof-db/asof/internal/models/modelstest"
	"github.com/asof-db/asof/internal/onnx"
	"github.com/asof-db/asof/internal/onnx/graph"
	"github.com/asof-db/asof/internal/onnx/head"
	"github.com/asof-db/asof/internal/tokenize"
)

// The networks here have the inputs, outputs and shapes of the real ones, and almost nothing between:
// what comes out is a row of a table for each piece, so that what a head makes of it can be said.

type object = map[string]any

func loadTokenizer(t *testing.T, o object) *tokenize.Tokenizer {
	t.Helper()
	b, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	tok, err := tokenize.Load(b)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

func special(name string, id int) object {
	return object{"id": name, "ids": []int{id}, "tokens": []string{name}}
}

// template is a post-processor that sets pieces around a text or a pair; $A and $B are the texts.
func template(single, pair string, specials map[string]int) object {
	parts := func(s string) []object {
		var out []object
		segment := 0
		for _, p := range strings.Fields(s) {
			switch p {
			case "$A", "$B":
				if p == "$B" {
					segment = 1
				}
				out = append(out, object{"Sequence": object{"id": p[1:], "type_id": segment}})
			default:
				out = append(out, object{"SpecialToken": object{"id": p, "type_id": segment}})
			}
		}
		return out
	}
	known := object{}
	for name, id := range specials {
		known[name] = special(name, id)
	}
	return object{"type": "TemplateProcessing", "single": parts(single), "pair": parts(pair), "special_tokens": known}
}

// bertPieces are the vocabulary of a tiny BERT.
var bertPieces = []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[unused0]", "[unused1]", "anna", "##s", "lives", "in", "paris", ",", "bob", "acme"}

func bertTokenizer(t *testing.T) *tokenize.Tokenizer {
	vocab, added := object{}, []object{}
	for i, p := range bertPieces {
		vocab[p] = i
		if strings.HasPrefix(p, "[") && i < 5 {
			added = append(added, object{"id": i, "content": p, "special": true, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false})
		}
	}
	return loadTokenizer(t, object{
		"version": "1.0", "added_tokens": added,
		"normalizer":     object{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": nil, "lowercase": true},
		"pre_tokenizer":  object{"type": "BertPreTokenizer"},
		"post_processor": template("[CLS] $A [SEP]", "[CLS] $A [SEP] $B [SEP]", map[string]int{"[CLS]": 2, "[SEP]": 3}),
		"model":          object{"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": vocab},
	})
}

// unigramTokenizer is one of a tiny T5 or XLM-R.
func unigramTokenizer(t *testing.T, pieces []string, single string, specials map[string]int) *tokenize.Tokenizer {
	var vocab [][2]any
	added := []object{}
	unknown := 0
	for i, p := range pieces {
		vocab = append(vocab, [2]any{p, -float64(len(pieces)-i) / 10})
		if strings.HasPrefix(p, "<") {
			added = append(added, object{"id": i, "content": p, "special": true, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false})
		}
		if p == "<unk>" {
			unknown = i
		}
	}
	return loadTokenizer(t, object{
		"version": "1.0", "added_tokens": added, "normalizer": nil,
		"pre_tokenizer":  object{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true},
		"post_processor": template(single, single+" $B </s>", specials),
		"model":          object{"type": "Unigram", "unk_id": unknown, "vocab": vocab},
	})
}

// table is rows of a width: the values that f gives.
func table(name string, rows, width int, f func(r, c int) float32) graph.Tensor {
	values := make([]float32, 0, rows*width)
	for r := range rows {
		for c := range width {
			values = append(values, f(r, c))
		}
	}
	return graph.Floats(name, []int64{int64(rows), int64(width)}, values...)
}

// built loads a graph that was built here.
func built(t *testing.T, b *graph.Builder, spec onnx.Spec) *onnx.Model {
	t.Helper()
	file, err := b.Model(8, 17).Encode()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model.onnx")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := modelstest.Runtime(t, 1).Open(onnx.ModelOptions{Name: b.Graph.Name, Path: path, Spec: spec})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

var batchAxis, sequenceAxis = graph.Open("batch_size"), graph.Open("sequence_length")

// inputs are the first n of input_ids, attention_mask and token_type_ids.
func inputs(b *graph.Builder, n int) (ids string) {
	for _, name := range []string{"input_ids", "attention_mask", "token_type_ids"}[:n] {
		b.Input(name, graph.Int64, batchAxis, sequenceAxis)
	}
	return "input_ids"
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-5 }

// bge-m3: no token types, and vectors that the network has pooled, beside those of the tokens.
func TestTinyBGE(t *testing.T) {
	const dim = 1024
	pieces := []string{"<s>", "<pad>", "</s>", "<unk>", "▁anna", "▁lives", "▁in", "▁paris", "▁"}
	tok := unigramTokenizer(t, pieces, "<s> $A </s>", map[string]int{"<s>": 0, "</s>": 2})
	b := graph.NewBuilder("tiny-bge")
	ids := inputs(b, 2)
	hidden := b.Op("Gather", graph.In(b.Constant(table("w", len(pieces), dim, func(r, c int) float32 { return float32((r*7+c)%5) + 1 })), ids))
	first := b.Op("Squeeze", graph.In(b.Op("Slice", graph.In(hidden, b.Constant(graph.Ints("", []int64{1}, 1)), b.Constant(graph.Ints("", []int64{1}, 2)), b.Constant(graph.Ints("", []int64{1}, 1)))), b.Constant(graph.Ints("", []int64{1}, 1))))
	b.Output(hidden, "token_embeddings", graph.Float32, batchAxis, sequenceAxis, graph.Dim{Size: dim})
	b.Output(first, "sentence_embedding", graph.Float32, batchAxis, graph.Dim{Size: dim})
	o := head.EmbedderOptions{Options: head.Options{Tokenizer: tok, Limit: 8192, Pad: 1}, Dim: dim, Pooling: head.Pooled, Output: "sentence_embedding"}
	e, err := head.NewEmbedder(built(t, b, head.EmbedderSpec(o)), o)
	if err != nil {
		t.Fatal(err)
	}
	got, err := e.Embed(context.Background(), []string{"paris", "anna lives in paris", "anna"}, head.Query)
	if err != nil {
		t.Fatal(err)
	}
	// The tiny network pools by the second token, so the vector is the row of the text's first piece.
	for i, row := range []int{7, 4, 4} {
		var length float64
		for c := range dim {
			length += math.Pow(float64((row*7+c)%5)+1, 2)
		}
		if want := (float64((row*7+3)%5) + 1) / math.Sqrt(length); e.Dim() != dim || !near(float64(got[i][3]), want) {
			t.Errorf("text %d: %g, want %g", i, got[i][3], want)
		}
	}
	// CLS and mean pooling over the tokens' vectors of the same network.
	for _, c := range []struct {
		pooling head.Pooling
		want    float64
	}{{head.CLS, 1}, {head.Mean, (1 + float64((7*7)%5+1) + float64((2*7)%5+1)) / 3}} {
		o.Pooling, o.Output, o.Raw = c.pooling, "token_embeddings", true
		e, err := head.NewEmbedder(built(t, b, head.EmbedderSpec(o)), o)
		if err != nil {
			t.Fatal(err)
		}
		got, err := e.Embed(context.Background(), []string{"paris"}, head.Passage)
		if err != nil || !near(float64(got[0][0]), c.want) {
			t.Errorf("%s: %v, want %g (%v)", c.pooling, got[0][:2], c.want, err)
		}
	}
}

// ColBERT: markers after [CLS], questions filled up with [MASK], passages without punctuation.
func TestTinyColBERT(t *testing.T) {
	const dim = 128
	tok := bertTokenizer(t)
	b := graph.NewBuilder("tiny-colbert")
	ids := inputs(b, 3)
	// Each piece has a direction of its own.
	w := b.Constant(table("w", len(bertPieces), dim, func(r, c int) float32 {
		if c == r {
			return 3
		}
		return 0
	}))
	b.Output(b.Op("Gather", graph.In(w, ids)), "contextual", graph.Float32, batchAxis, sequenceAxis, graph.Dim{Size: dim})
	o := head.LateOptions{Options: head.Options{Tokenizer: tok}, Dim: dim}
	l, err := head.NewTokenEmbedder(built(t, b, head.LateSpec(o)), o)
	if err != nil {
		t.Fatal(err)
	}
	q, err := l.EmbedTokens(context.Background(), []string{"anna lives in paris", strings.Repeat("anna ", 60)}, head.Query)
	if err != nil {
		t.Fatal(err)
	}
	p, err := l.EmbedTokens(context.Background(), []string{"Bob, Anna lives in Paris", "bob", ""}, head.Passage)
	if err != nil {
		t.Fatal(err)
	}
	if q[0].Len() != 32 || q[1].Len() != 32 {
		t.Errorf("questions have %d and %d vectors, want 32", q[0].Len(), q[1].Len())
	}
	if p[0].Len() != 8 || p[1].Len() != 4 || p[2].Len() != 3 {
		t.Errorf("passages have %d, %d and %d vectors, want 8, 4, 3", p[0].Len(), p[1].Len(), p[2].Len())
	}
	direction := func(v head.Vectors, k int) int {
		return slices.IndexFunc(v.Values[k*dim:(k+1)*dim], func(x float32) bool { return near(float64(x), 1) })
	}
	for k, piece := range []string{"[CLS]", "[unused0]", "anna", "lives", "in", "paris", "[SEP]", "[MASK]"} {
		if got := bertPieces[direction(q[0], k)]; got != piece {
			t.Errorf("the question's vector %d is of %s, want %s", k, got, piece)
		}
	}
	if got := bertPieces[direction(p[0], 1)]; got != "[unused1]" {
		t.Errorf("the passage's second vector is of %s", got)
	}
	// [CLS], [SEP] and the four words find themselves; the marker and the masks find nothing.
	if s := head.MaxSim(q[0], p[0]); !near(float64(s), 6) {
		t.Errorf("MaxSim is %g, want 6", s)
	}
	if s := head.MaxSim(q[0], p[1]); !near(float64(s), 2) {
		t.Errorf("MaxSim with another passage is %g, want 2", s)
	}
	if s := head.MaxSim(q[0], head.Vectors{Dim: dim}); s != 0 {
		t.Errorf("MaxSim with nothing is %g", s)
	}
}

// MonoT5: an encoder, and a decoder of one step over all that the encoder gave.
func TestTinyMonoT5(t *testing.T) {
	const width = 16
	pieces := []string{"<pad>", "</s>", "<unk>", "▁true", "▁false", "▁Query:", "▁Document:", "▁Relevant:", "▁anna", "▁bob", "▁paris", "▁"}
	tok := unigramTokenizer(t, pieces, "$A </s>", map[string]int{"</s>": 1})
	e := graph.NewBuilder("tiny-t5-encoder")
	ids := inputs(e, 2)
	// Width 0 counts "paris", width 1 "bob", width 2 "Relevant:".
	count := map[string]int{"▁paris": 0, "▁bob": 1, "▁Relevant:": 2}
	rows := e.Constant(table("w", len(pieces), width, func(r, c int) float32 {
		if at, ok := count[pieces[r]]; ok && at == c {
			return 1
		}
		return 0
	}))
	e.Output(e.Op("Gather", graph.In(rows, ids)), "last_hidden_state", graph.Float32, batchAxis, graph.Open("encoder_sequence_length"), graph.Dim{Size: width})

	d := graph.NewBuilder("tiny-t5-decoder")
	d.Input("encoder_attention_mask", graph.Int64, batchAxis, graph.Open("encoder_sequence_length"))
	d.Input("input_ids", graph.Int64, batchAxis, graph.Open("decoder_sequence_length"))
	d.Input("encoder_hidden_states", graph.Float32, batchAxis, graph.Open("encoder_sequence_length"), graph.Dim{Size: width})
	axis := d.Constant(graph.Ints("", []int64{1}, 2))
	there := d.Op("Unsqueeze", graph.In(d.Op("Cast", graph.In("encoder_attention_mask"), graph.Int("to", int64(graph.Float32))), axis))
	sum := d.Op("ReduceSum", graph.In(d.Op("Mul", graph.In("encoder_hidden_states", there)), d.Constant(graph.Ints("", []int64{1}, 1))), graph.Int("keepdims", 1))
	out := d.Constant(table("o", width, len(pieces), func(r, c int) float32 {
		switch {
		case r == 0 && pieces[c] == "▁true", r == 1 && pieces[c] == "▁false", r == 2 && pieces[c] == "▁false":
			return 1
		}
		return 0
	}))
	d.Output(d.Op("MatMul", graph.In(sum, out)), "logits", graph.Float32, batchAxis, graph.Open("decoder_sequence_length"), graph.Dim{Size: int64(len(pieces))})

	s, err := head.NewSeq2Seq(built(t, e, head.Seq2SeqEncoderSpec()), built(t, d, head.Seq2SeqDecoderSpec()), head.Seq2SeqOptions{Options: head.Options{Tokenizer: tok, Limit: 32}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Score(context.Background(), "anna", []string{"paris paris", "bob", strings.Repeat("paris ", 60)})
	if err != nil {
		t.Fatal(err)
	}
	// The logits differ by what is counted. Of the long passage stays what the limit leaves: 32 tokens
	// less </s>, "Relevant:", "Query:", "anna" and "Document:".
	for i, difference := range []float64{2 - 1, 0 - 1 - 1, 27 - 1} {
		if want := -math.Log1p(math.Exp(-difference)); !near(float64(got[i]), want) {
			t.Errorf("passage %d: %g, want %g", i, got[i], want)
		}
	}
}

// RoBERTa-NER and its kin: a logit for each piece and label.
func TestTinyNER(t *testing.T) {
	tok := bertTokenizer(t)
	labels := []string{"O", "B-PER", "I-PER", "B-LOC", "I-LOC", "B-ORG", "I-ORG"}
	says := map[string]string{"anna": "B-PER", "##s": "B-LOC", "bob": "I-PER", "paris": "B-LOC", "acme": "I-ORG", ",": "O"}
	b := graph.NewBuilder("tiny-ner")
	ids := inputs(b, 2)
	w := b.Constant(table("w", len(bertPieces), len(labels), func(r, c int) float32 {
		want := says[bertPieces[r]]
		if want == labels[c] || want == "" && c == 0 {
			return 4
		}
		return 0
	}))
	b.Output(b.Op("Gather", graph.In(w, ids)), "logits", graph.Float32, batchAxis, sequenceAxis, graph.Dim{Size: int64(len(labels))})
	o := head.TaggerOptions{Options: head.Options{Tokenizer: tok}, Labels: labels}
	n, err := head.NewTagger(built(t, b, head.TaggerSpec(o)), o)
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{"Anna Bob lives in Paris", "Annas, bob", "acme acme paris paris", "lives in", ""}
	got, err := n.Tag(context.Background(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]string{
		{"Anna Bob=PER", "Paris=LOC"}, // I- goes on what B- began.
		{"Annas=PER", "bob=PER"},      // The first piece speaks for its word; I- after O begins.
		{"acme acme=ORG", "paris=LOC", "paris=LOC"},
		nil, nil,
	} {
		var parts []string
		for _, p := range got[i] {
			parts = append(parts, texts[i][p.Start:p.End]+"="+p.Label)
			if p.Score < 0.8 || p.Score > 1 {
				t.Errorf("%q: the score of %+v", texts[i], p)
			}
		}
		if !slices.Equal(parts, want) {
			t.Errorf("%q: %q, want %q", texts[i], parts, want)
		}
	}
}

// A classifier of one label, and one of several at once.
func TestTinyClassifier(t *testing.T) {
	tok := bertTokenizer(t)
	b := graph.NewBuilder("tiny-classifier")
	ids := inputs(b, 3)
	w := b.Constant(table("w", len(bertPieces), 2, func(r, c int) float32 {
		if bertPieces[r] == map[int]string{0: "anna", 1: "bob"}[c] {
			return 2
		}
		return 0
	}))
	rows := b.Op("Gather", graph.In(w, ids))
	b.Output(b.Op("ReduceSum", graph.In(rows, b.Constant(graph.Ints("", []int64{1}, 1))), graph.Int("keepdims", 0)), "logits", graph.Float32, batchAxis, graph.Dim{Size: 2})
	for _, many := range []bool{false, true} {
		o := head.ClassifierOptions{Options: head.Options{Tokenizer: tok}, Labels: []string{"about anna", "about bob"}, Many: many}
		c, err := head.NewClassifier(built(t, b, head.ClassifierSpec(o)), o)
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.Classify(context.Background(), []string{"anna", "lives in paris", "bob bob"})
		if err != nil {
			t.Fatal(err)
		}
		want := [][2]float64{{1 / (1 + math.Exp(-2)), 1 / (1 + math.Exp(2))}, {.5, .5}, {1 / (1 + math.Exp(4)), 1 / (1 + math.Exp(-4))}}
		if many {
			want = [][2]float64{{1 / (1 + math.Exp(-2)), .5}, {.5, .5}, {.5, 1 / (1 + math.Exp(-4))}}
		}
		for i, w := range want {
			if !near(float64(got[i][0]), w[0]) || !near(float64(got[i][1]), w[1]) {
				t.Errorf("many %t, text %d: %v, want %v", many, i, got[i], w)
			}
		}
	}
	// The same network as a cross-encoder of two logits: what speaks for less what speaks against.
	o := head.CrossEncoderOptions{Options: head.Options{Tokenizer: tok}, Classes: 2, Sigmoid: true}
	s, err := head.NewCrossEncoder(built(t, b, head.CrossEncoderSpec(o)), o)
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Score(context.Background(), "paris", []string{"bob", "anna", "lives"})
	if err != nil || !near(float64(got[0]), 1/(1+math.Exp(-2))) || !near(float64(got[1]), 1/(1+math.Exp(2))) || !near(float64(got[2]), .5) {
		t.Errorf("scores %v, %v", got, err)
	}
}

// RoBERTa-NER: pieces of byte-level BPE, which mark the begin of a word and not its going
// on; the first piece of a word speaks for it all the same.
func TestTinyRoBERTaNER(t *testing.T) {
	file, err := os.ReadFile(filepath.Join("..", "..", "tokenize", "testdata", "bpe.json"))
	if err != nil {
		t.Fatal(err)
	}
	tok, err := tokenize.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	labels := []string{"O", "B-PER", "I-PER", "B-LOC", "I-LOC"}
	says := map[string]string{"Q": "B-PER", "ĠQ": "B-PER", "x": "B-LOC", "Z": "I-LOC", "ĠZ": "I-LOC"}
	b := graph.NewBuilder("tiny-roberta")
	ids := inputs(b, 2)
	w := b.Constant(table("w", tok.Size(), len(labels), func(r, c int) float32 {
		want := says[tok.Token(int32(r))]
		if want == labels[c] || want == "" && c == 0 {
			return 4
		}
		return 0
	}))
	b.Output(b.Op("Gather", graph.In(w, ids)), "logits", graph.Float32, batchAxis, sequenceAxis, graph.Dim{Size: int64(len(labels))})
	o := head.TaggerOptions{Options: head.Options{Tokenizer: tok, Pad: 1}, Labels: labels}
	n, err := head.NewTagger(built(t, b, head.TaggerSpec(o)), o)
	if err != nil {
		t.Fatal(err)
	}
	text := "The cat Quux sat on Zxé, Qx."
	got, err := n.Tag(context.Background(), []string{text})
	if err != nil {
		t.Fatal(err)
	}
	var parts []string
	for _, p := range got[0] {
		parts = append(parts, text[p.Start:p.End]+"="+p.Label)
	}
	if want := []string{"Quux=PER", "Zxé=LOC", "Qx=PER"}; !slices.Equal(parts, want) || !slices.Equal(n.Labels(), []string{"PER", "LOC"}) {
		t.Errorf("%q, want %q; labels %q", parts, want, n.Labels())
	}
}
