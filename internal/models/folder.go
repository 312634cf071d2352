package models

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// maxConfig bounds a config.json in bytes.
const maxConfig = 4 << 20

// find gives the entry of a model: that of the registry, or what the folder of the
// model says of itself. A folder of the user's own is one as exporters write it:
// model.onnx (or onnx/model.onnx), tokenizer.json, and config.json with the
// architecture and the labels. It has no hash to hold to; what runs is named by the one
// that it has.
func (s *Set) find(name string) (Model, error) {
	m, err := s.o.Registry.Find(name, runtime.GOOS+"/"+runtime.GOARCH)
	if err == nil || !modelName.MatchString(name) || slices.ContainsFunc(s.o.Registry.Models, func(m Model) bool { return m.Name == name }) {
		return m, err
	}
	own, ownErr := folder(s.o.Dir, name)
	if errors.Is(ownErr, fs.ErrNotExist) {
		return m, err
	}
	return own, ownErr
}

// exported is what a config.json says that is of use here.
type exported struct {
	Architectures []string          `json:"architectures"`
	Type          string            `json:"model_type"`
	Labels        map[string]string `json:"id2label"`
	Positions     int               `json:"max_position_embeddings"`
}

// folder reads the entry of a model of the user's own.
func folder(dir, name string) (Model, error) {
	at := filepath.Join(dir, name)
	path := filepath.Join(at, "config.json")
	info, err := os.Stat(path)
	if err != nil {
		return Model{}, err
	}
	if info.Size() > maxConfig {
		return Model{}, fmt.Errorf("models: %s: %d bytes, want at most %d", path, info.Size(), maxConfig)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return Model{}, err
	}
	var c exported
	if err := json.Unmarshal(b, &c); err != nil {
		return Model{}, fmt.Errorf("models: %s: %w", path, err)
	}
	m := Model{Name: name, About: "of a folder of one's own", Licence: "unknown", Network: "model.onnx", Tokenizer: "tokenizer.json"}
	if _, err := os.Stat(filepath.Join(at, m.Network)); errors.Is(err, fs.ErrNotExist) {
		m.Network = "onnx/model.onnx"
	}
	for _, a := range c.Architectures {
		switch {
		case strings.HasSuffix(a, "ForTokenClassification"):
			m.Kind = TokenClassifier
		case strings.HasSuffix(a, "ForSequenceClassification"):
			m.Kind = SequenceClassifier
		}
	}
	if m.Kind == "" {
		return Model{}, fmt.Errorf("models: %s: architectures %q: want one that ends in ForTokenClassification or ForSequenceClassification", path, c.Architectures)
	}
	if m.Labels, err = c.labels(); err != nil {
		return Model{}, fmt.Errorf("models: %s: %w", path, err)
	}
	m.MaxTokens = min(512, cmp.Or(max(0, c.Positions-c.reserved()), 512))
	for _, f := range []string{m.Network, m.Tokenizer, "config.json"} {
		m.Files = append(m.Files, File{Name: f, SHA256: Unknown})
	}
	return m, nil
}

// reserved is how many positions a network numbers before that of the first token.
func (c *exported) reserved() int {
	if strings.Contains(c.Type, "roberta") || c.Type == "camembert" {
		return 2
	}
	return 0
}

// labels gives the labels in the order of the logits.
func (c *exported) labels() ([]string, error) {
	out := make([]string, len(c.Labels))
	for key, label := range c.Labels {
		i, err := strconv.Atoi(key)
		if err != nil || i < 0 || i >= len(out) || label == "" {
			return nil, fmt.Errorf("id2label: %q of %d labels is %q", key, len(out), label)
		}
		out[i] = label
	}
	if len(out) < 2 {
		return nil, fmt.Errorf("id2label: %d labels, want at least 2", len(out))
	}
	return out, nil
}
