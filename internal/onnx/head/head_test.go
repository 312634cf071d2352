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
