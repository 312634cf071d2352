package onnx

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/asof-db/asof/internal/onnx/graph"
)

// ModelOptions say which network to load and what is expected of it.
type ModelOptions struct {
	// Name is the model's, for messages, metrics and the [Identity].
	Name string
	// Path is the .onnx file. Weights that lie outside it lie in its folder.
	Path string
	// SHA256 is the file's, in lower-case hexadecimal; empty takes the file as it is.
	SHA256 string
	// Spec is what the network must take and give.
	Spec Spec
}

// Model is a network that is loaded. Its methods may be called from several goroutines at once.
type Model struct {
	name     string
	identity Identity
	note     string
	spec     Spec
	names    resolved
	session  session
	slots    chan struct{}
	metrics  *metrics

	mu     sync.Mutex // Guards closed, and the adding to runs against it.
	closed bool
	runs   sync.WaitGroup
}

// session is a network in ONNX Runtime.
type session interface {
	// run runs it once; names without an input are left out by the caller.
	run(ctx context.Context, inputs []Tensor) ([]Tensor, error)
	close() error
}

// Open loads a network and compares it with what is expected of it.
func (r *Runtime) Open(o ModelOptions) (*Model, error) {
	m, err := r.open(o)
	if err != nil {
		return nil, fmt.Errorf("onnx: load %s: %w", o.Name, err)
	}
	return m, nil
}

func (r *Runtime) open(o ModelOptions) (*Model, error) {
	file, err := os.ReadFile(o.Path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w; 'asof models pull %s' fetches it", err, o.Name)
	} else if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(file)
	hash := hex.EncodeToString(sum[:])
	if o.SHA256 != "" && hash != o.SHA256 {
		return nil, fmt.Errorf("%w: %s has SHA-256 %s, and should have %s; 'asof models pull %s' fetches the right one", ErrModel, o.Path, hash, o.SHA256, o.Name)
	}
	ports, err := graph.ReadPorts(file)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrModel, o.Path, err)
	}
	names, err := o.Spec.match(ports)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Path, err)
	}
	for _, outside := range ports.External {
		h, err := hashBeside(o.Path, outside)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o.Path, err)
		}
		hash += "+" + h
	}
	s, device, note, err := r.newSession(o.Path, names)
	if err != nil {
		return nil, err
	}
	m := &Model{name: o.Name, note: note, spec: o.Spec, names: names, session: s, slots: make(chan struct{}, r.options.Parallel), metrics: r.metrics,
		identity: Identity{Model: o.Name, SHA256: hash, Runtime: r.Version(), Device: device, Processor: processor()}}
	if device == CUDA {
		m.identity.Processor = graphics()
	}
	if note != "" {
		r.metrics.fallbacks.Inc()
		r.logger.Warn("onnx: a model fell back to the processor", "model", o.Name, "why", note)
	}
	return m, nil
}

// hashBeside hashes a file of weights in the folder of a network's file.
func hashBeside(path, name string) (hash string, err error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", fmt.Errorf("%w: its weights lie in %q, outside its folder", ErrModel, name)
	}
	f, err := os.Open(filepath.Join(filepath.Dir(path), filepath.FromSlash(name)))
	if err != nil {
		return "", fmt.Errorf("its weights: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("its weights: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Identity names what the network's results depend on.
func (m *Model) Identity() Identity { return m.identity }

// Note says why the network does not run on the device that was hoped for, or is empty. It belongs
// beside every answer that the model had a part in.
func (m *Model) Note() string { return m.note }

// Has tells whether the network has the i-th input of its spec, which may be optional.
func (m *Model) Has(i int) bool { return m.names.inputs[i] != "" }

// Parallel is how many runs go on at once; more than that wait for one another.
func (m *Model) Parallel() int { return cap(m.slots) }

// Run runs the network once. inputs are in the order of the spec, and so is what it returns. It waits
// while as many runs go on as may; when ctx ends it ends the run and returns ctx's error.
func (m *Model) Run(ctx context.Context, inputs ...Tensor) ([]Tensor, error) {
	out, err := m.run(ctx, inputs)
	if err != nil {
		return nil, fmt.Errorf("onnx: run %s: %w", m.name, err)
	}
	return out, nil
}

func (m *Model) run(ctx context.Context, inputs []Tensor) ([]Tensor, error) {
	if len(inputs) != len(m.spec.Inputs) {
		return nil, fmt.Errorf("%w: %d inputs were given, and %d are expected", ErrModel, len(inputs), len(m.spec.Inputs))
	}
	present := make([]Tensor, 0, len(inputs))
	for i, in := range inputs {
		if !m.Has(i) {
			continue
		}
		if err := in.check(m.spec.Inputs[i], m.names.inputs[i]); err != nil {
			return nil, err
		}
		present = append(present, in)
	}
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return nil, ErrClosed
	}
	m.runs.Add(1)
	m.mu.Unlock()
	defer m.runs.Done()

	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	select {
	case m.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-m.slots }()
	out, err := m.session.run(ctx, present)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return nil, cause // The run ended because it was told to.
		}
		return nil, err
	}
	for i, t := range out {
		if err := checkOutput(t.Dims, m.spec.Outputs[i], m.names.outputs[i]); err != nil {
			return nil, err
		}
	}
	m.metrics.runs.WithLabelValues(m.name, string(m.identity.Device)).Inc()
	if len(present) > 0 {
		m.metrics.rows.WithLabelValues(m.name, string(m.identity.Device)).Add(float64(present[0].Dims[0]))
	}
	return out, nil
}

// Close waits for the runs that go on and frees the network. Closing again does nothing.
func (m *Model) Close() error {
	m.mu.Lock()
	was := m.closed
	m.closed = true
	m.mu.Unlock()
	if was {
		return nil
	}
	m.runs.Wait()
	if err := m.session.close(); err != nil {
		return fmt.Errorf("onnx: close %s: %w", m.name, err)
	}
	return nil
}

// given returns the names that are not "".
func given(names []string) []string {
	var out []string
	for _, n := range names {
		if strings.TrimSpace(n) != "" {
			out = append(out, n)
		}
	}
	return out
}
