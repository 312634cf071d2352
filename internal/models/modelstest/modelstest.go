// Package modelstest finds installed models for tests. A test that needs one which is not there is
// skipped, and says which command fetches it; no test fetches anything.
package modelstest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/asof-db/asof/internal/onnx"
)

// Dir is the folder of models: $ASOF_MODELS, or the one in the user's cache.
func Dir() string {
	if dir := os.Getenv("ASOF_MODELS"); dir != "" {
		return dir
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "models"
	}
	return filepath.Join(cache, "asof", "models")
}

// File is the path of a file of an installed model.
func File(t testing.TB, model, name string) string {
	t.Helper()
	path := filepath.Join(Dir(), model, name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("%s of the model %s is not installed (%v): asof models pull %s", name, model, err, model)
	}
	return path
}

// Runtime loads the installed ONNX Runtime for the processor, with a number of threads.
func Runtime(t testing.TB, threads int) *onnx.Runtime {
	t.Helper()
	rt, err := onnx.Load(Options(t, threads))
	if err != nil {
		t.Fatal(err)
	}
	return rt
}

// Options are those with which [Runtime] loads.
func Options(t testing.TB, threads int) onnx.Options {
	t.Helper()
	o := onnx.Options{Library: File(t, "onnxruntime", "libonnxruntime.so"), Device: onnx.CPU, Threads: threads}
	if !onnx.Supported {
		t.Skip(onnx.ErrUnsupported)
	}
	return o
}
