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

// OrtApiBase is what every version of ONNX Runtime begins with.
typedef struct {
	const void *(*GetApi)(unsigned int version);
	const char *(*GetVersionString)(void);
} ort_base;

// library_version returns the version of the ONNX Runtime in a file, which stays open: the text is a
// part of it. Otherwise it returns NULL, and sets wrong.
static const char *library_version(const char *path, const char **wrong) {
	void *handle = dlopen(path, RTLD_LAZY);
	if (!handle) {
		*wrong = dlerror();
		return NULL;
	}
	const ort_base *(*base)(void) = (const ort_base *(*)(void))dlsym(handle, "OrtGetApiBase");
	if (!base || !base()) {
		*wrong = "it is no ONNX Runtime: it has no OrtGetApiBase";
		return NULL;
	}
	return base()->GetVersionString();
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

// libraryVersion asks a file for the version of the ONNX Runtime in it. It has to be asked before the
// library is used: what is too old must not be called.
func libraryVersion(path string) (string, error) {
	c := C.CString(path)
	defer C.free(unsafe.Pointer(c))
	var wrong *C.char
	version := C.library_version(c, &wrong)
	if version == nil {
		return "", errors.New(C.GoString(wrong))
	}
	return C.GoString(version), nil
}

func openLibrary(path string) error {
	c := C.CString(path)
	defer C.free(unsafe.Pointer(c))
	if wrong := C.open_library(c); wrong != nil {
		return errors.New(C.GoString(wrong))
	}
	return nil
}
