package onnx_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/asof-db/asof/internal/models/modelstest"
	"github.com/asof-db/asof/internal/onnx"
	"github.com/asof-db/asof/internal/onnx/graph"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// doubling is the network y = x·w with w = 2, x and y being of [batch, 1].
func doubling() graph.Model {
	return graph.Model{IRVersion: 8, Opsets: []graph.Opset{{Version: 17}}, Graph: graph.Graph{
		Name:         "doubling",
		Nodes:        []graph.Node{{Op: "MatMul", Inputs: []string{"x", "w"}, Outputs: []string{"y"}}},
		Initializers: []graph.Tensor{graph.Floats("w", []int64{1, 1}, 2)},
		Inputs:       []graph.Value{{Name: "x", Type: graph.Float32, Shape: []graph.Dim{graph.Open("batch"), {Size: 1}}}},
		Outputs:      []graph.Value{{Name: "y", Type: graph.Float32, Shape: []graph.Dim{graph.Open("batch"), {Size: 1}}}},
	}}
}

// slow is a network of many large products: a second of work.
func slow() graph.Model {
	const size, steps = 512, 400
	m := graph.Model{IRVersion: 8, Opsets: []graph.Opset{{Version: 17}}, Graph: graph.Graph{
		Name:         "slow",
		Initializers: []graph.Tensor{graph.Floats("w", []int64{size, size}, make([]float32, size*size)...)},
		Inputs:       []graph.Value{{Name: "x", Type: graph.Float32, Shape: []graph.Dim{graph.Open("batch"), {Size: size}}}},
		Outputs:      []graph.Value{{Name: "y", Type: graph.Float32, Shape: []graph.Dim{graph.Open("batch"), {Size: size}}}},
	}}
	at := "x"
	for i := range steps {
		to := strings.Repeat("h", i+1)
		if i == steps-1 {
			to = "y"
		}
		m.Graph.Nodes = append(m.Graph.Nodes, graph.Node{Op: "MatMul", Inputs: []string{at, "w"}, Outputs: []string{to}})
		at = to
	}
	return m
}

func write(t *testing.T, m graph.Model) string {
	t.Helper()
	b, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model.onnx")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func column(size int64) onnx.Spec {
	return onnx.Spec{
		Inputs: []onnx.Port{{Names: []string{"x"}, Type: graph.Float32, Dims: []int64{-1, size}},
			{Names: []string{"extra"}, Type: graph.Int64, Dims: []int64{-1, -1}, Optional: true}},
		Outputs: []onnx.Port{{Names: []string{"z", "y"}, Type: graph.Float32, Dims: []int64{-1, size}}},
	}
}

func open(t *testing.T, rt *onnx.Runtime, m graph.Model, spec onnx.Spec) *onnx.Model {
	t.Helper()
	model, err := rt.Open(onnx.ModelOptions{Name: m.Graph.Name, Path: write(t, m), Spec: spec})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := model.Close(); err != nil {
			t.Error(err)
		}
	})
	return model
}

func TestRun(t *testing.T) {
	rt := modelstest.Runtime(t, 1)
	m := open(t, rt, doubling(), column(1))
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for i := range 20 {
				x := []float32{float32(worker), float32(i), -1}
				out, err := m.Run(context.Background(), onnx.FloatTensor(x, 3, 1), onnx.IntTensor([]int64{1}, 1, 1))
				if err != nil {
					t.Error(err)
					return
				}
				if want := []float32{2 * x[0], 2 * x[1], -2}; !slices.Equal(out[0].Float, want) || !slices.Equal(out[0].Dims, []int64{3, 1}) {
					t.Errorf("got %v of %v, want %v", out[0].Float, out[0].Dims, want)
				}
			}
		})
	}
	wg.Wait()
	id := m.Identity()
	if id.Device != onnx.CPU || id.Runtime != rt.Version() || len(id.SHA256) != 64 || !strings.Contains(id.String(), "doubling sha256:") {
		t.Errorf("identity: %s", id)
	}
	if m.Has(1) || !m.Has(0) {
		t.Error("the network has x and not extra")
	}
}

func TestWrongInputs(t *testing.T) {
	m := open(t, modelstest.Runtime(t, 1), doubling(), column(1))
	for name, inputs := range map[string][]onnx.Tensor{
		"too few":      {},
		"another type": {onnx.IntTensor([]int64{1}, 1, 1), {}},
		"empty":        {onnx.FloatTensor([]float32{}, 0, 1), {}},
		"short":        {onnx.FloatTensor([]float32{1}, 2, 1), {}},
	} {
		if _, err := m.Run(context.Background(), inputs...); !errors.Is(err, onnx.ErrModel) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCancelEndsTheRun(t *testing.T) {
	m := open(t, modelstest.Runtime(t, 1), slow(), column(512))
	x := onnx.FloatTensor(make([]float32, 512*512), 512, 512)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer cancel()
	// A run that is not ended takes ten times as long, and then has no error.
	if _, err := m.Run(ctx, x, onnx.Tensor{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the context's error", err)
	}
	done, stop := context.WithCancel(context.Background())
	stop()
	if _, err := m.Run(done, x, onnx.Tensor{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
	// The model is as good as before.
	out, err := m.Run(context.Background(), onnx.FloatTensor(make([]float32, 512), 1, 512), onnx.Tensor{})
	if err != nil || len(out[0].Float) != 512 {
		t.Errorf("after an ended run: %v", err)
	}
}

func TestClosed(t *testing.T) {
	m := open(t, modelstest.Runtime(t, 1), doubling(), column(1))
	for range 2 {
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := m.Run(context.Background(), onnx.FloatTensor([]float32{1}, 1, 1), onnx.Tensor{}); !errors.Is(err, onnx.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

func TestMismatchIsNamedAtLoad(t *testing.T) {
	rt := modelstest.Runtime(t, 1)
	path := write(t, doubling())
	for name, c := range map[string]struct {
		spec onnx.Spec
		want string
	}{
		"another input":  {onnx.Spec{Inputs: []onnx.Port{{Names: []string{"ids", "tokens"}, Type: graph.Int64}}}, "no input ids or tokens; its inputs are x float32[batch 1]"},
		"not given":      {onnx.Spec{}, "wants an input x float32[batch 1], which is not given"},
		"another type":   {onnx.Spec{Inputs: []onnx.Port{{Names: []string{"x"}, Type: graph.Int64}}}, "input x is float32, not int64"},
		"another shape":  {onnx.Spec{Inputs: []onnx.Port{{Names: []string{"x"}, Type: graph.Float32, Dims: []int64{-1, 2}}}}, "the shape [batch 1], not [? 2]"},
		"another rank":   {onnx.Spec{Inputs: []onnx.Port{{Names: []string{"x"}, Type: graph.Float32, Dims: []int64{-1}}}}, "the shape [batch 1], not [?]"},
		"another output": {onnx.Spec{Outputs: []onnx.Port{{Names: []string{"logits"}, Type: graph.Float32}}}, "no output logits; its outputs are y float32[batch 1]"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := rt.Open(onnx.ModelOptions{Name: "m", Path: path, Spec: c.spec})
			if !errors.Is(err, onnx.ErrModel) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v\nwant …%s…", err, c.want)
			}
		})
	}
	_, err := rt.Open(onnx.ModelOptions{Name: "m", Path: path, SHA256: strings.Repeat("0", 64)})
	if !errors.Is(err, onnx.ErrModel) || strings.Count(err.Error(), "0000000000") == 0 || !strings.Contains(err.Error(), "SHA-256") {
		t.Errorf("a wrong hash: %v", err)
	}
	if _, err := rt.Open(onnx.ModelOptions{Name: "m", Path: path + ".no"}); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "asof models pull m") {
		t.Errorf("a missing file: %v", err)
	}
	bad := filepath.Join(t.TempDir(), "bad.onnx")
	if err := os.WriteFile(bad, []byte("no network at all"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := rt.Open(onnx.ModelOptions{Name: "m", Path: bad}); !errors.Is(err, graph.ErrCorrupt) {
		t.Errorf("no network: %v", err)
	}
}

func TestDevices(t *testing.T) {
	o := modelstest.Options(t, 1)
	if matches, _ := filepath.Glob("/proc/driver/nvidia/gpus/*"); len(matches) > 0 {
		t.Skip("this machine has an NVIDIA GPU: make gpu-check is for it")
	}
	load := func(d onnx.Device) *onnx.Runtime {
		o.Device = d
		rt, err := onnx.Load(o)
		if err != nil {
			t.Fatal(err)
		}
		return rt
	}
	path := write(t, doubling())
	spec := column(1)
	if _, err := load(onnx.CUDA).Open(onnx.ModelOptions{Name: "m", Path: path, Spec: spec}); !errors.Is(err, onnx.ErrDevice) {
		t.Errorf("cuda without a GPU: %v", err)
	}
	m := open(t, load(onnx.Auto), doubling(), spec)
	if m.Identity().Device != onnx.CPU || !strings.Contains(m.Note(), "CUDA does not work here") {
		t.Errorf("auto without a GPU: device %s, note %q", m.Identity().Device, m.Note())
	}
	if m := open(t, load(onnx.CPU), doubling(), spec); m.Note() != "" {
		t.Errorf("cpu: note %q", m.Note())
	}
}

func TestOptions(t *testing.T) {
	err := onnx.Options{Device: "tpu", Threads: -1}.Validate()
	if !errors.Is(err, onnx.ErrDevice) || !errors.Is(err, onnx.ErrNoLibrary) || !strings.Contains(err.Error(), "-1") {
		t.Errorf("not all faults are in %v", err)
	}
	_, err = onnx.Load(onnx.Options{Library: filepath.Join(t.TempDir(), "libonnxruntime.so")})
	if want := map[bool]error{true: onnx.ErrNoLibrary, false: onnx.ErrUnsupported}[onnx.Supported]; !errors.Is(err, want) {
		t.Errorf("a missing library: %v, want %v", err, want)
	}
}
