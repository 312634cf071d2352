//go:build cgo && !windows

package onnx

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestTooOld(t *testing.T) {
	for version, want := range map[string]bool{"0.9.0": true, "1.9.0": true, "1.23.2": true, "1.24.0": false, "1.32.0": false, "2.0.0": false, "": false, "odd": false} {
		if tooOld(version) != want {
			t.Errorf("%q: %t", version, !want)
		}
	}
}

// An ONNX Runtime that is too old is named before any other of its functions is called, and so is a
// library that is none.
func TestOldLibrary(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("there is no C compiler to make an old library with")
	}
	dir := t.TempDir()
	make := func(name, text string) string {
		c, so := filepath.Join(dir, name+".c"), filepath.Join(dir, name+".so")
		if err := os.WriteFile(c, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(cc, "-shared", "-fPIC", "-o", so, c).CombinedOutput(); err != nil {
			t.Skipf("the C compiler here makes no libraries: %v: %s", err, out)
		}
		return so
	}
	old := make("old", `#include <stdlib.h>
static const void *api(unsigned int v) { abort(); }
static const char *version(void) { return "1.22.1"; }
static struct { const void *(*a)(unsigned int); const char *(*v)(void); } base = {api, version};
void *OrtGetApiBase(void) { return &base; }`)
	if _, err := Load(Options{Library: old}); !errors.Is(err, ErrVersion) || !strings.Contains(err.Error(), "is version 1.22.1") || !strings.Contains(err.Error(), "1.24 or later") {
		t.Errorf("an old library: %v", err)
	}
	if _, err := Load(Options{Library: make("none", `int nothing;`)}); err == nil || !strings.Contains(err.Error(), "no ONNX Runtime") {
		t.Errorf("another library: %v", err)
	}
	text := filepath.Join(dir, "text.so")
	if err := os.WriteFile(text, []byte("no library"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(Options{Library: text}); err == nil || !strings.Contains(err.Error(), "cannot be loaded") {
		t.Errorf("no library: %v", err)
	}
}
