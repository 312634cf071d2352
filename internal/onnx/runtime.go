package onnx

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// Options say which ONNX Runtime to load and how to run models in it.
type Options struct {
	// Library is the path of the shared library. The others that CUDA needs lie in its folder, and in
	// those of Companions.
	Library string
	// Companions are folders with libraries that are loaded before the provider for CUDA; nil for none.
	Companions []string
	// Device is where models run; empty is Auto.
	Device Device
	// Threads is how many threads one run uses; 0 is 1. It changes no result.
	Threads int
	// Parallel is how many runs of a model go on at once; 0 is the number of processors divided by
	// Threads. It changes no result.
	Parallel int
	// Logger is told of fallbacks; nil for none.
	Logger *slog.Logger
	// Registerer takes the metrics; nil for none.
	Registerer prometheus.Registerer
}

// EnsureDefaults gives what is not set its default.
func (o *Options) EnsureDefaults() {
	if o.Device == "" {
		o.Device = Auto
	}
	if o.Threads == 0 {
		o.Threads = 1
	}
	if o.Parallel == 0 {
		o.Parallel = max(1, runtime.GOMAXPROCS(0)/o.Threads)
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
}

// Validate returns all faults of the options.
func (o Options) Validate() error {
	var errs []error
	if o.Library == "" {
		errs = append(errs, fmt.Errorf("%w: no library is named", ErrNoLibrary))
	}
	switch o.Device {
	case Auto, CPU, CUDA:
	default:
		errs = append(errs, fmt.Errorf("%w: %q; the devices are auto, cpu, cuda", ErrDevice, o.Device))
	}
	if o.Threads < 0 || o.Parallel < 0 {
		errs = append(errs, fmt.Errorf("threads %d and parallel %d must not be negative", o.Threads, o.Parallel))
	}
	return errors.Join(errs...)
}

// Runtime is ONNX Runtime in this process. Several may be made in turn or side by side, over one
// library: a process has one, which stays loaded.
type Runtime struct {
	options Options
	logger  *slog.Logger
	metrics *metrics
	version string
}

// Close takes the runtime's metrics out of the Registerer; its models are to be closed before it. The
// library stays loaded. It is idempotent.
func (r *Runtime) Close() { r.metrics.set.Close() }

// loaded is the library that this process has.
var loaded struct {
	mu      sync.Mutex // Guards the fields below, and the loading.
	library string
	version string
}

// Load loads ONNX Runtime.
func Load(o Options) (*Runtime, error) {
	o.EnsureDefaults()
	r, err := load(o)
	if err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	return r, nil
}

func load(o Options) (_ *Runtime, err error) {
	if !Supported {
		return nil, ErrUnsupported
	}
	if err := o.Validate(); err != nil {
		return nil, err
	}
	library, err := filepath.EvalSymlinks(o.Library) // one library may have several names
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", o.Library, ErrNoLibrary)
	} else if err != nil {
		return nil, err
	}
	o.Library = library
	m, err := newMetrics(o.Registerer)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			m.set.Close()
		}
	}()
	loaded.mu.Lock()
	defer loaded.mu.Unlock()
	switch loaded.library {
	case o.Library:
	case "":
		version, err := loadLibrary(o.Library)
		if err != nil {
			return nil, err
		}
		loaded.library, loaded.version = o.Library, version
	default:
		return nil, fmt.Errorf("%s cannot be loaded: this process runs %s, and a process has one", o.Library, loaded.library)
	}
	return &Runtime{options: o, logger: o.Logger, metrics: m, version: loaded.version}, nil
}

// Version is ONNX Runtime's own.
func (r *Runtime) Version() string { return r.version }

// newSession makes a session on the wanted device. note says why it is another than was hoped for.
func (r *Runtime) newSession(path string, names resolved) (s session, on Device, note string, err error) {
	if r.options.Device != CPU {
		s, err = newSession(path, names, r.options, CUDA)
		if err == nil {
			return s, CUDA, "", nil
		}
		if r.options.Device == CUDA {
			return nil, "", "", fmt.Errorf("%w: cuda was asked for and does not work here: %w", ErrDevice, err)
		}
		note = fmt.Sprintf("device auto: CUDA does not work here (%v); it runs on the processor", err)
	}
	s, err = newSession(path, names, r.options, CPU)
	return s, CPU, note, err
}
