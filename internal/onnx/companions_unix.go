//go:build cgo && !windows

package onnx

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdlib.h>

// open_library opens a library for good and returns what is wrong, or NULL.
static const char *open_library(const char *path) {
	return dlopen(path, RTLD_NOW | RTLD_GLOBAL) ? NULL : dlerror();
}
*/
import "C"

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"unsafe"
)

// companions are the folders that have been loaded.
var companions struct {
	mu   sync.Mutex // Guards done, and the loading.
	done map[string]bool
}

// loadCompanions loads the libraries in folders. The provider for CUDA names libraries by name alone,
// and a name is found where a library of that name has been loaded already: so no search path of the
// process need be changed. Libraries may need each other in any order, so those that fail are tried
// again as long as others succeed.
func loadCompanions(folders []string) error {
	companions.mu.Lock()
	defer companions.mu.Unlock()
	var waiting []string
	for _, folder := range folders {
		if companions.done[folder] {
			continue
		}
		libraries, err := filepath.Glob(filepath.Join(folder, "*.so*"))
		if err != nil {
			return fmt.Errorf("libraries of %s: %w", folder, err)
		}
		waiting = append(waiting, libraries...)
	}
	for len(waiting) > 0 {
		var failed []string
		var errs []error
		for _, library := range waiting {
			if err := openLibrary(library); err != nil {
				failed, errs = append(failed, library), append(errs, err)
			}
		}
		if len(failed) == len(waiting) {
			return fmt.Errorf("libraries for CUDA cannot be loaded: %w", errors.Join(errs...))
		}
		waiting = failed
	}
	if companions.done == nil {
		companions.done = map[string]bool{}
	}
	for _, folder := range folders {
		companions.done[folder] = true
	}
	return nil
}

func openLibrary(path string) error {
	c := C.CString(path)
	defer C.free(unsafe.Pointer(c))
	if wrong := C.open_library(c); wrong != nil {
		return errors.New(C.GoString(wrong))
	}
	return nil
}
