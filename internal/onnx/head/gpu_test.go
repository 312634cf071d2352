package head_test

import (
	"cmp"
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/asof-db/asof/internal/models/modelstest"
	"github.com/asof-db/asof/internal/onnx"
	"github.com/asof-db/asof/internal/onnx/head"
)

// What a graphics processor may change: sums in another order, in float32 throughout.
const (
	scoreTolerance  = 2e-3
	vectorTolerance = 1e-3
)

// TestGPU compares cuda with cpu. 'make gpu-check' runs it on a machine that has an NVIDIA GPU.
func TestGPU(t *testing.T) {
	if os.Getenv("ASOF_GPU_CHECK") == "" {
		t.Skip("the check of a GPU is asked for by ASOF_GPU_CHECK=1: make gpu-check")
	}
	library := modelstest.File(t, "onnxruntime-cuda", "libonnxruntime.so")
	runtime := func(d onnx.Device) *onnx.Runtime {
		rt, err := onnx.Load(onnx.Options{Library: library, Companions: []string{filepath.Join(filepath.Dir(library), "cuda")}, Device: d})
		if err != nil {
			t.Fatal(err)
		}
		return rt
	}
	passages := corpus(256)
	ce := head.CrossEncoderOptions{Options: head.Options{Tokenizer: tokenizer(t, "ce-minilm-lme"), Batch: 32}}
	em := head.EmbedderOptions{Options: head.Options{Tokenizer: tokenizer(t, "all-minilm-l6-v2"), Limit: 256, Batch: 32}, Dim: 384}
	scores, vectors := map[onnx.Device][]float32{}, map[onnx.Device][][]float32{}
	for _, d := range []onnx.Device{onnx.CPU, onnx.CUDA} {
		m := load(t, runtime(d), "ce-minilm-lme", "model.onnx", head.CrossEncoderSpec(ce))
		t.Log(m.Identity())
		s, err := head.NewCrossEncoder(m, ce)
		if err != nil {
			t.Fatal(err)
		}
		e, err := head.NewEmbedder(load(t, runtime(d), "all-minilm-l6-v2", "model.onnx", head.EmbedderSpec(em)), em)
		if err != nil {
			t.Fatal(err)
		}
		scores[d] = scored(t, s, passages)
		if vectors[d], err = e.Embed(context.Background(), passages, head.Passage); err != nil {
			t.Fatal(err)
		}
		if again := scored(t, s, passages); bits([][]float32{again}) != bits([][]float32{scores[d]}) {
			t.Errorf("%s: two runs give other scores", d)
		}
		again, err := e.Embed(context.Background(), passages, head.Passage)
		if err != nil || bits(again) != bits(vectors[d]) {
			t.Errorf("%s: two runs give other vectors (%v)", d, err)
		}
		var each []time.Duration
		begun := time.Now()
		for range 20 {
			at := time.Now()
			scored(t, s, passages[:64])
			each = append(each, time.Since(at))
		}
		slices.Sort(each)
		t.Logf("%s: %.0f pairs/s, p95 of 64 pairs %s", d, 20*64/time.Since(begun).Seconds(), each[18])
		begun = time.Now()
		for range 5 {
			if _, err := e.Embed(context.Background(), passages, head.Passage); err != nil {
				t.Fatal(err)
			}
		}
		t.Logf("%s: %.0f documents/s", d, 5*256/time.Since(begun).Seconds())
	}
	cpu, cuda := scores[onnx.CPU], scores[onnx.CUDA]
	if d := furthest(cpu, cuda); d > scoreTolerance {
		t.Errorf("a score differs by %g; %g is tolerated", d, scoreTolerance)
	}
	order := make([]int, len(passages))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(cuda[b], cuda[a]) })
	for i := 1; i < len(order); i++ {
		if rise := float64(cpu[order[i]]) - float64(cpu[order[i-1]]); rise > 2*scoreTolerance {
			t.Errorf("places %d and %d are the other way round on the processor, by %g", i-1, i, rise)
		}
	}
	for i := range passages {
		if d := furthest(vectors[onnx.CPU][i], vectors[onnx.CUDA][i]); d > vectorTolerance || math.IsNaN(d) {
			t.Errorf("vector %d differs by %g; %g is tolerated", i, d, vectorTolerance)
		}
	}
}

func scored(t *testing.T, s head.Scorer, passages []string) []float32 {
	t.Helper()
	out, err := s.Score(context.Background(), "What did Anna plant in the garden behind the house?", passages)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
