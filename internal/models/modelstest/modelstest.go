// Package modelstest finds installed models for tests. A test that needs one which is not there is
// skipped, and says which command fetches it; no test fetches anything.
package modelstest

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/asof-db/asof/internal/models"
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

// Registry reads the registry of this repository.
func Registry(t testing.TB) *models.Registry {
	t.Helper()
	dir, err := os.Getwd()
	for err == nil {
		b, readErr := os.ReadFile(filepath.Join(dir, "configs", "models.yaml"))
		if readErr == nil {
			r, err := models.Parse(b)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		if dir == filepath.Dir(dir) {
			err = readErr
		}
		dir = filepath.Dir(dir)
	}
	t.Fatal(err)
	return nil
}

// Set opens installed models on the processor. It skips the test unless ONNX Runtime and the named
// models are all there.
func Set(t testing.TB, threads int, names ...string) *models.Set {
	t.Helper()
	Options(t, threads)
	r := Registry(t)
	for _, name := range names {
		m, err := r.Find(name, runtime.GOOS+"/"+runtime.GOARCH)
		if err != nil {
			t.Fatal(err)
		}
		if !models.Installed(Dir(), m) {
			t.Skipf("the model %s is not installed in %s: asof models pull %s", name, Dir(), name)
		}
	}
	s := models.NewSet(models.SetOptions{Registry: r, Dir: Dir(), Device: onnx.CPU, Threads: threads})
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
