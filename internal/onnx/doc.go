// Package onnx runs neural networks in ONNX Runtime.
//
// A [Runtime] is the shared library, loaded once in a process and kept until its end; a [Model] is one
// network on one device. A model is one session, which many callers may run at once: as many runs as
// [Options.Parallel] go on side by side, each on [Options.Threads] threads, and a context that ends
// ends its run. What a network takes and gives is compared with what its user expects when it is
// loaded, so that a wrong file is named there and not by a failing run.
//
// # Reproducibility
//
// A float32 network gives the same bits over reruns, threads, padding and batch mates; it may give
// others in another version of ONNX Runtime, on another device or on a processor with other
// instructions. [Identity] names these, and belongs into the basis of every answer that a model had a
// part in. Networks whose activations are quantised as they run (dynamic int8) do depend on their
// batch mates: they are run one text at a time.
//
// # Building without cgo
//
// ONNX Runtime is reached through cgo. Without it the package builds, and [Load] returns
// [ErrUnsupported].
package onnx

import "errors"

// Errors of this package, for errors.Is.
var (
	// ErrUnsupported says that this program was built without cgo and runs no models.
	ErrUnsupported = errors.New("this program was built without cgo and cannot run models: build it with CGO_ENABLED=1 and a C compiler, or leave models out of the configuration")
	// ErrNoLibrary says that ONNX Runtime is not where it was looked for.
	ErrNoLibrary = errors.New("ONNX Runtime is not there; 'asof models pull onnxruntime' fetches it")
	// ErrVersion says that the library is too old for this program.
	ErrVersion = errors.New("this ONNX Runtime is too old")
	// ErrDevice says that the wanted device is not there.
	ErrDevice = errors.New("no such device")
	// ErrModel says that a network is not what its user expects, or no network.
	ErrModel = errors.New("wrong model")
	// ErrClosed says that the model has been closed.
	ErrClosed = errors.New("the model is closed")
)

// APIVersion is the version of ONNX Runtime's C interface that this program speaks, and
// OldestRuntime the first release that has it. Every later release has it too.
const (
	APIVersion    = 24
	OldestRuntime = "1.24"
)

// Device is where a network runs.
type Device string

// The devices. Auto is CUDA where that works, else CPU; CUDA never falls back.
const (
	Auto Device = "auto"
	CPU  Device = "cpu"
	CUDA Device = "cuda"
)
