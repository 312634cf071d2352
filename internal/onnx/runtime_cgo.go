//go:build cgo

package onnx

import (
	"context"
	"errors"
	"fmt"
	"slices"

	ort "github.com/yalue/onnxruntime_go"

	"github.com/asof-db/asof/internal/onnx/graph"
)

// Supported tells whether this program can run models.
const Supported = true

// loadLibrary loads ONNX Runtime into the process and returns its version.
func loadLibrary(path string) (string, error) {
	version, err := libraryVersion(path)
	if err != nil {
		return "", fmt.Errorf("%s cannot be loaded: %w", path, err)
	}
	if tooOld(version) {
		return "", fmt.Errorf("%w: %s is version %s, and this program speaks version %d of its C interface: take ONNX Runtime %s or later ('asof models pull onnxruntime')",
			ErrVersion, path, version, APIVersion, OldestRuntime)
	}
	ort.SetSharedLibraryPath(path)
	if err := ort.InitializeEnvironment(ort.WithLogLevelError()); err != nil {
		return "", fmt.Errorf("%s cannot be loaded: %w", path, err)
	}
	return ort.GetVersion(), nil
}

// tooOld tells whether a release has not the interface that this program speaks: release 1.n has all
// versions up to n.
func tooOld(version string) bool {
	var major, minor int
	if n, err := fmt.Sscanf(version, "%d.%d", &major, &minor); err != nil || n != 2 {
		return false // Unknown: loading tells.
	}
	return major < 1 || major == 1 && minor < APIVersion
}

// ortSession is a session of ONNX Runtime.
type ortSession struct {
	s     *ort.DynamicAdvancedSession
	names resolved
}

// newSession loads a network on a device.
func newSession(path string, names resolved, o Options, on Device) (session, error) {
	so, err := sessionOptions(o, on)
	if err != nil {
		return nil, err
	}
	s, err := ort.NewDynamicAdvancedSession(path, given(names.inputs), names.outputs, so)
	if err := errors.Join(err, so.Destroy()); err != nil {
		return nil, err
	}
	return &ortSession{s: s, names: names}, nil
}

func sessionOptions(o Options, on Device) (so *ort.SessionOptions, err error) {
	so, err = ort.NewSessionOptions()
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, so.Destroy())
		}
	}()
	err = errors.Join(
		so.SetIntraOpNumThreads(o.Threads),
		so.SetInterOpNumThreads(1),
		so.SetExecutionMode(ort.ExecutionModeSequential),
		so.SetGraphOptimizationLevel(ort.GraphOptimizationLevelEnableAll),
		so.SetLogSeverityLevel(ort.LoggingLevelError),
		// Shapes differ from run to run: a plan of the memory of one shape helps no other.
		so.SetMemPattern(false),
		// Threads that wait by turning round take the processor from the rest of the program.
		so.AddSessionConfigEntry("session.intra_op.allow_spinning", "0"),
	)
	if err != nil || on != CUDA {
		return so, err
	}
	if err := loadCompanions(o.Companions); err != nil {
		return so, err
	}
	cuda, err := ort.NewCUDAProviderOptions()
	if err != nil {
		return so, err
	}
	// TF32 would round the factors of every product to ten bits.
	err = cuda.Update(map[string]string{"use_tf32": "0", "cudnn_conv_algo_search": "DEFAULT"})
	if err == nil {
		err = so.AppendExecutionProviderCUDA(cuda)
	}
	return so, errors.Join(err, cuda.Destroy())
}

// run runs the network once. A context that ends stops it between two of its operations.
func (s *ortSession) run(ctx context.Context, inputs []Tensor) (out []Tensor, err error) {
	values := make([]ort.Value, 0, len(inputs))
	outputs := make([]ort.Value, len(s.names.outputs))
	defer func() {
		for _, v := range slices.Concat(values, outputs) {
			if v != nil {
				err = errors.Join(err, v.Destroy())
			}
		}
	}()
	for _, in := range inputs {
		v, err := newValue(in)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	options, err := ort.NewRunOptions()
	if err != nil {
		return nil, err
	}
	told := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() { told <- options.Terminate() })
	err = s.s.RunWithOptions(values, outputs, options)
	if !stop() {
		err = errors.Join(err, <-told) // The options live until they have been told.
	}
	if err := errors.Join(err, options.Destroy()); err != nil {
		return nil, err
	}
	for i, v := range outputs {
		t, err := newTensor(v)
		if err != nil {
			return nil, fmt.Errorf("output %s: %w", s.names.outputs[i], err)
		}
		out = append(out, t)
	}
	return out, nil
}

func (s *ortSession) close() error { return s.s.Destroy() }

// newValue lends a tensor's elements to ONNX Runtime.
func newValue(t Tensor) (ort.Value, error) {
	if t.Float != nil {
		return ort.NewTensor(ort.NewShape(t.Dims...), t.Float)
	}
	return ort.NewTensor(ort.NewShape(t.Dims...), t.Int)
}

// newTensor copies what ONNX Runtime gave.
func newTensor(v ort.Value) (Tensor, error) {
	dims := slices.Clone([]int64(v.GetShape()))
	switch v := v.(type) {
	case *ort.Tensor[float32]:
		return Tensor{Dims: dims, Float: slices.Clone(v.GetData())}, nil
	case *ort.Tensor[int64]:
		return Tensor{Dims: dims, Int: slices.Clone(v.GetData())}, nil
	}
	return Tensor{}, fmt.Errorf("%w: it is %s, and float32 or int64 are expected", ErrModel, graph.Type(v.DataType()))
}
