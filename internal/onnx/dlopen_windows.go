//go:build cgo && windows

package onnx

import "errors"

// loadCompanions says that CUDA is set up for Linux alone.
func loadCompanions(folders []string) error {
	if len(folders) > 0 {
		return errors.New("CUDA's libraries are loaded from folders on Linux alone; put them on the PATH")
	}
	return nil
}

// libraryVersion does not know: loading tells.
func libraryVersion(string) (string, error) { return "", nil }
