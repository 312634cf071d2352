package models

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/asof-db/asof/internal/onnx"
	"github.com/asof-db/asof/internal/onnx/head"
	"github.com/asof-db/asof/internal/tokenize"
)

// SetOptions say where models lie and how they run.
type SetOptions struct {
	// Registry is what is known of them.
	Registry *Registry
	// Dir is the folder of models.
	Dir string
	// Device is where they run; empty is auto.
	Device onnx.Device
	// Threads is how many threads one run uses; 0 is 1. It changes no result.
	Threads int
	// Logger is told of fallbacks; nil for none.
	Logger *slog.Logger
	// Registerer takes the metrics; nil for none.
	Registerer prometheus.Registerer
}

// Set opens installed models as heads. ONNX Runtime is loaded with the first of them. It may be used
// by several goroutines; each model is loaded once.
type Set struct {
	o SetOptions

	mu       sync.Mutex // Guards all below.
	runtime  *onnx.Runtime
	networks map[string]*onnx.Model
	order    []string
	closed   bool
}

// Opened is a head with what a basis has to say of it.
type Opened[H any] struct {
	// Head is the model's use.
	Head H
	// Model is its entry in the registry.
	Model Model
	// Identities are those of its networks, one or two.
	Identities []onnx.Identity
	// Note says why it does not run on the device that was hoped for, or is empty.
	Note string
}

// NewSet makes a set; nothing is loaded yet.
func NewSet(o SetOptions) *Set { return &Set{o: o, networks: map[string]*onnx.Model{}} }

// Close waits for the runs that go on and frees all models. Closing again does nothing.
func (s *Set) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	var first error
	for i := len(s.order) - 1; i >= 0; i-- {
		if err := s.networks[s.order[i]].Close(); err != nil && first == nil {
			first = err
		}
	}
	s.order, s.networks = nil, nil
	if s.runtime != nil {
		s.runtime.Close()
	}
	return first
}

// Embedder opens a model of the kind [Embedder].
func (s *Set) Embedder(name string) (Opened[head.Embedder], error) {
	return open(s, name, func(m Model, o head.Options) (head.Embedder, []*onnx.Model, error) {
		eo := head.EmbedderOptions{Options: o, Dim: m.Dimension, Pooling: head.Pooling(m.Pooling), Output: m.Output,
			QueryPrefix: m.Prefixes.Query, PassagePrefix: m.Prefixes.Passage}
		net, err := s.network(m, m.Network, head.EmbedderSpec(eo))
		if err != nil {
			return nil, nil, err
		}
		h, err := head.NewEmbedder(net, eo)
		return h, []*onnx.Model{net}, err
	}, Embedder)
}

// Scorer opens a model of the kind [CrossEncoder] or [Seq2Seq].
func (s *Set) Scorer(name string) (Opened[head.Scorer], error) {
	return open(s, name, func(m Model, o head.Options) (head.Scorer, []*onnx.Model, error) {
		if m.Kind == Seq2Seq {
			return s.seq2seq(m, o)
		}
		co := head.CrossEncoderOptions{Options: o, Classes: len(m.Labels)}
		net, err := s.network(m, m.Network, head.CrossEncoderSpec(co))
		if err != nil {
			return nil, nil, err
		}
		h, err := head.NewCrossEncoder(net, co)
		return h, []*onnx.Model{net}, err
	}, CrossEncoder, Seq2Seq)
}

func (s *Set) seq2seq(m Model, o head.Options) (head.Scorer, []*onnx.Model, error) {
	encoder, err := s.network(m, m.Network, head.Seq2SeqEncoderSpec())
	if err != nil {
		return nil, nil, err
	}
	decoder, err := s.network(m, m.Decoder, head.Seq2SeqDecoderSpec())
	if err != nil {
		return nil, nil, err
	}
	h, err := head.NewSeq2Seq(encoder, decoder, head.Seq2SeqOptions{Options: o, True: m.True, False: m.False})
	return h, []*onnx.Model{encoder, decoder}, err
}

// TokenEmbedder opens a model of the kind [LateInteraction].
func (s *Set) TokenEmbedder(name string) (Opened[head.TokenEmbedder], error) {
	return open(s, name, func(m Model, o head.Options) (head.TokenEmbedder, []*onnx.Model, error) {
		lo := head.LateOptions{Options: o, Dim: m.Dimension, Output: m.Output}
		net, err := s.network(m, m.Network, head.LateSpec(lo))
		if err != nil {
			return nil, nil, err
		}
		h, err := head.NewTokenEmbedder(net, lo)
		return h, []*onnx.Model{net}, err
	}, LateInteraction)
}

// Tagger opens a model of the kind [TokenClassifier] or [CRFTagger].
func (s *Set) Tagger(name string) (Opened[head.Tagger], error) {
	return open(s, name, func(m Model, o head.Options) (head.Tagger, []*onnx.Model, error) {
		if m.Kind == CRFTagger {
			return s.lac(m)
		}
		to := head.TaggerOptions{Options: o, Labels: m.Labels}
		net, err := s.network(m, m.Network, head.TaggerSpec(to))
		if err != nil {
			return nil, nil, err
		}
		h, err := head.NewTagger(net, to)
		return h, []*onnx.Model{net}, err
	}, TokenClassifier, CRFTagger)
}

func (s *Set) lac(m Model) (head.Tagger, []*onnx.Model, error) {
	var f head.LACFiles
	for _, part := range []struct {
		into *[]byte
		name string
	}{{&f.Transitions, "lac_crf_transitions.npy"}, {&f.Words, "word.dic"}, {&f.Tags, "tag.dic"}, {&f.Folding, "q2b.dic"}} {
		var err error
		if *part.into, err = s.read(m, part.name); err != nil {
			return nil, nil, err
		}
	}
	net, err := s.network(m, m.Network, head.LACSpec())
	if err != nil {
		return nil, nil, err
	}
	h, err := head.NewLAC(net, f, m.MaxTokens)
	return h, []*onnx.Model{net}, err
}

// Classifier opens a model of the kind [SequenceClassifier].
func (s *Set) Classifier(name string) (Opened[head.Classifier], error) {
	return open(s, name, func(m Model, o head.Options) (head.Classifier, []*onnx.Model, error) {
		co := head.ClassifierOptions{Options: o, Labels: m.Labels}
		net, err := s.network(m, m.Network, head.ClassifierSpec(co))
		if err != nil {
			return nil, nil, err
		}
		h, err := head.NewClassifier(net, co)
		return h, []*onnx.Model{net}, err
	}, SequenceClassifier)
}

// open finds a model, reads its tokenizer and makes its head.
func open[H any](s *Set, name string, f func(Model, head.Options) (H, []*onnx.Model, error), want ...Kind) (Opened[H], error) {
	var none Opened[H]
	m, err := s.find(name)
	if err != nil {
		return none, err
	}
	fits := false
	for _, k := range want {
		fits = fits || m.Kind == k
	}
	if !fits {
		return none, fmt.Errorf("models: %w: %s is of the kind %s, and one of %v is wanted", ErrUnknown, name, m.Kind, want)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return none, fmt.Errorf("models: open %s: %w", name, onnx.ErrClosed)
	}
	o := head.Options{Limit: m.MaxTokens, Unbatched: m.Unbatched}
	if m.Tokenizer != "" {
		if err := s.tokenizer(m, &o); err != nil {
			return none, fmt.Errorf("models: open %s: %w", name, err)
		}
	}
	h, networks, err := f(m, o)
	if err != nil {
		return none, fmt.Errorf("models: open %s: %w", name, err)
	}
	out := Opened[H]{Head: h, Model: m}
	for _, n := range networks {
		out.Identities = append(out.Identities, n.Identity())
		out.Note = n.Note()
	}
	return out, nil
}

// tokenizer reads a model's tokenizer into the options of its head.
func (s *Set) tokenizer(m Model, o *head.Options) error {
	b, err := s.read(m, m.Tokenizer)
	if err != nil {
		return err
	}
	if o.Tokenizer, err = tokenize.Load(b); err != nil {
		return err
	}
	names := []string{"[PAD]", "<pad>"}
	if m.Pad != "" {
		names = []string{m.Pad}
	}
	for _, name := range names {
		if id, ok := o.Tokenizer.ID(name); ok {
			o.Pad = id
			return nil
		}
	}
	return fmt.Errorf("%s: it has no piece %v to fill texts up with", m.Tokenizer, names)
}

// hash is the SHA-256 that a file of a model must have; "" where nobody knows it.
func (s *Set) hash(m Model, name string) (string, error) {
	pins, err := readPins(s.o.Dir, m)
	if err != nil {
		return "", err
	}
	want := wanted(m.file(name), pins)
	if want == Unknown {
		return "", nil
	}
	return want, nil
}

// read reads a file of a model and checks its hash.
func (s *Set) read(m Model, name string) ([]byte, error) {
	want, err := s.hash(m, name)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(s.o.Dir, m.Name, filepath.FromSlash(name))
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w: %w; 'asof models pull %s' fetches it", ErrMissing, err, m.Name)
	}
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(b)
	if have := hex.EncodeToString(sum[:]); want != "" && have != want {
		return nil, fmt.Errorf("%w: %s has SHA-256 %s, and should have %s; 'asof models pull %s' fetches the right one", ErrHash, path, have, want, m.Name)
	}
	return b, nil
}

// network loads a network of a model, once.
func (s *Set) network(m Model, file string, spec onnx.Spec) (*onnx.Model, error) {
	key := m.Name + "/" + file
	if n := s.networks[key]; n != nil {
		return n, nil
	}
	want, err := s.hash(m, file)
	if err != nil {
		return nil, err
	}
	if err := s.load(); err != nil {
		return nil, err
	}
	n, err := s.runtime.Open(onnx.ModelOptions{Name: m.Name, Path: filepath.Join(s.o.Dir, m.Name, filepath.FromSlash(file)), SHA256: want, Spec: spec})
	if err != nil {
		return nil, err
	}
	s.networks[key] = n
	s.order = append(s.order, key)
	return n, nil
}

// load loads ONNX Runtime, if it is not.
func (s *Set) load() error {
	if s.runtime != nil {
		return nil
	}
	m, err := s.library()
	if err != nil {
		return err
	}
	want, err := s.hash(m, m.Network)
	if err != nil {
		return err
	}
	dir := filepath.Join(s.o.Dir, m.Name)
	path := filepath.Join(dir, m.Network)
	have, _, err := hashFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w: %s: %w", ErrMissing, path, onnx.ErrNoLibrary)
	} else if err != nil {
		return err
	}
	if want != "" && have != want {
		return fmt.Errorf("%w: %s has SHA-256 %s, and should have %s; 'asof models pull %s' fetches the right one", ErrHash, path, have, want, m.Name)
	}
	o := onnx.Options{Library: path, Device: s.o.Device, Threads: s.o.Threads, Logger: s.o.Logger, Registerer: s.o.Registerer}
	if m.Name == cudaLibrary {
		o.Companions = []string{filepath.Join(dir, "cuda")}
	}
	s.runtime, err = onnx.Load(o)
	return err
}

// The builds of ONNX Runtime.
const (
	cpuLibrary  = "onnxruntime"
	cudaLibrary = "onnxruntime-cuda"
)

// library chooses the build of ONNX Runtime: for cuda the one for it, for cpu the plain one, and for
// auto the one for cuda where that is installed.
func (s *Set) library() (Model, error) {
	platform := runtime.GOOS + "/" + runtime.GOARCH
	if s.o.Device == onnx.CUDA {
		return s.o.Registry.Find(cudaLibrary, platform)
	}
	if s.o.Device != onnx.CPU {
		if m, err := s.o.Registry.Find(cudaLibrary, platform); err == nil && Installed(s.o.Dir, m) {
			return m, nil
		}
	}
	return s.o.Registry.Find(cpuLibrary, platform)
}
