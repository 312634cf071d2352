//go:build !cgo

package onnx

// Supported tells whether this program can run models.
const Supported = false

// loadLibrary says that there is no way to a library without cgo.
func loadLibrary(string) (string, error) { return "", ErrUnsupported }

// newSession says the same.
func newSession(string, resolved, Options, Device) (session, error) { return nil, ErrUnsupported }
