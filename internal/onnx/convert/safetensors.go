package convert

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"github.com/asof-db/asof/internal/onnx/graph"
)

// tensor is one tensor of a safetensors file; data is a part of the file.
type tensor struct {
	Type    string   `json:"dtype"`
	Shape   []int64  `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
	data    []byte
}

// readSafetensors reads the directory of a safetensors file: a length of 8 bytes, little-endian, that
// many bytes of JSON, and the tensors, whose offsets count from the end of the JSON.
func readSafetensors(file []byte) (map[string]tensor, error) {
	if len(file) < 8 {
		return nil, fmt.Errorf("%w: %d bytes are no safetensors file", ErrSource, len(file))
	}
	n := binary.LittleEndian.Uint64(file)
	if n > uint64(len(file)-8) {
		return nil, fmt.Errorf("%w: the header of a safetensors file of %d bytes has %d", ErrSource, len(file), n)
	}
	header, body := file[8:8+n], file[8+n:]
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(header, &raw); err != nil {
		return nil, fmt.Errorf("%w: the header of a safetensors file: %w", ErrSource, err)
	}
	out := map[string]tensor{}
	for name, m := range raw {
		if name == "__metadata__" {
			continue
		}
		var t tensor
		if err := json.Unmarshal(m, &t); err != nil {
			return nil, fmt.Errorf("%w: tensor %s: %w", ErrSource, name, err)
		}
		if t.Offsets[0] < 0 || t.Offsets[1] < t.Offsets[0] || t.Offsets[1] > int64(len(body)) {
			return nil, fmt.Errorf("%w: tensor %s lies at %v of %d bytes", ErrSource, name, t.Offsets, len(body))
		}
		t.data = body[t.Offsets[0]:t.Offsets[1]]
		out[name] = t
	}
	return out, nil
}

// floats returns a tensor's elements as float32, little-endian, if it has the shape.
func (t tensor) floats(dims ...int64) ([]byte, error) {
	count := int64(1)
	same := len(t.Shape) == len(dims)
	for i := 0; same && i < len(dims); i++ {
		same = t.Shape[i] == dims[i]
		count *= dims[i]
	}
	if !same {
		return nil, fmt.Errorf("%w: its shape is %v, not %v", ErrSource, t.Shape, dims)
	}
	size := map[string]int64{"F32": 4, "F16": 2, "BF16": 2}[t.Type]
	if size == 0 {
		return nil, fmt.Errorf("%w: it is of the type %s; F32, F16 and BF16 are known", ErrSource, t.Type)
	}
	if int64(len(t.data)) != count*size {
		return nil, fmt.Errorf("%w: it has %d bytes for the shape %v of %s", ErrSource, len(t.data), t.Shape, t.Type)
	}
	if t.Type == "F32" {
		return t.data, nil
	}
	out := make([]byte, 0, count*4)
	for i := 0; i < len(t.data); i += 2 {
		h := binary.LittleEndian.Uint16(t.data[i:])
		bits := uint32(h) << 16
		if t.Type == "F16" {
			bits = math.Float32bits(half(h))
		}
		out = binary.LittleEndian.AppendUint32(out, bits)
	}
	return out, nil
}

// half is the value of a 16-bit float of IEEE 754, which is exact in 32 bits.
func half(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	exponent, fraction := uint32(h>>10)&0x1f, uint32(h)&0x3ff
	switch {
	case exponent == 0x1f:
		return math.Float32frombits(sign | 0xff<<23 | fraction<<13)
	case exponent != 0:
		return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
	}
	v := float32(fraction) * (1.0 / (1 << 24)) // A power of two: exact.
	if sign != 0 {
		return -v
	}
	return v
}

// BertConfig is what a config.json says of a BERT encoder.
type BertConfig struct {
	Type       string  `json:"model_type"`
	Hidden     int     `json:"hidden_size"`
	Layers     int     `json:"num_hidden_layers"`
	Heads      int     `json:"num_attention_heads"`
	Feed       int     `json:"intermediate_size"`
	Positions  int     `json:"max_position_embeddings"`
	Segments   int     `json:"type_vocab_size"`
	Vocabulary int     `json:"vocab_size"`
	Epsilon    float32 `json:"layer_norm_eps"`
	Activation string  `json:"hidden_act"`
	Embedding  string  `json:"position_embedding_type"`
}

// Bert converts a BERT encoder: config is its config.json, file its safetensors. The network takes
// input_ids, attention_mask and token_type_ids, int64 [batch, sequence], and gives last_hidden_state,
// float32 [batch, sequence, hidden].
func Bert(config, file []byte) (*graph.Model, error) {
	m, err := convertBert(config, file)
	if err != nil {
		return nil, fmt.Errorf("convert: a BERT encoder: %w", err)
	}
	return m, nil
}

func convertBert(config, file []byte) (*graph.Model, error) {
	var c BertConfig
	if err := json.Unmarshal(config, &c); err != nil {
		return nil, fmt.Errorf("%w: config.json: %w", ErrSource, err)
	}
	if c.Type != "bert" || c.Activation != "gelu" || c.Embedding != "absolute" && c.Embedding != "" {
		return nil, fmt.Errorf("%w: config.json is of a %s with %s and positions %s; bert, gelu and absolute are known", ErrSource, c.Type, c.Activation, c.Embedding)
	}
	s := bert{layers: c.Layers, hidden: c.Hidden, heads: c.Heads, feed: c.Feed, vocabulary: c.Vocabulary, positions: c.Positions,
		segments: c.Segments, epsilon: c.Epsilon}
	if err := s.check(); err != nil {
		return nil, err
	}
	tensors, err := readSafetensors(file)
	if err != nil {
		return nil, err
	}
	w := safeWeights{tensors: tensors, s: s}
	if _, ok := tensors["bert.embeddings.word_embeddings.weight"]; ok {
		w.prefix = "bert."
	}
	const layer = "encoder.layer.%d."
	return s.network("bert", w, names{
		words: "embeddings.word_embeddings.weight", positions: "embeddings.position_embeddings.weight",
		segments: "embeddings.token_type_embeddings.weight", embedNorm: "embeddings.LayerNorm",
		query: layer + "attention.self.query", key: layer + "attention.self.key", value: layer + "attention.self.value",
		attended: layer + "attention.output.dense", attendedNorm: layer + "attention.output.LayerNorm",
		up: layer + "intermediate.dense", down: layer + "output.dense", downNorm: layer + "output.LayerNorm",
		scale: ".weight", shift: ".bias",
	}, 8, 17)
}

// safeWeights are weights of a safetensors file.
type safeWeights struct {
	tensors map[string]tensor
	prefix  string
	s       bert
}

func (w safeWeights) get(name string, dims ...int64) ([]byte, error) {
	t, ok := w.tensors[w.prefix+name]
	if !ok {
		return nil, fmt.Errorf("%w: it has no tensor %s", ErrSource, w.prefix+name)
	}
	b, err := t.floats(dims...)
	if err != nil {
		return nil, fmt.Errorf("tensor %s: %w", w.prefix+name, err)
	}
	return b, nil
}

func (w safeWeights) constant(b *graph.Builder, name string, dims ...int64) (string, error) {
	raw, err := w.get(name, dims...)
	if err != nil {
		return "", err
	}
	return b.Constant(graph.Tensor{Name: name, Type: graph.Float32, Dims: dims, Raw: raw}), nil
}

func (w safeWeights) rows(b *graph.Builder, table, ids string) (string, error) {
	t, err := w.constant(b, table, int64(w.s.vocabulary), int64(w.s.hidden))
	if err != nil {
		return "", err
	}
	return b.Op("Gather", graph.In(t, ids)), nil
}

func (w safeWeights) linear(b *graph.Builder, name, x string, out, in int) (string, error) {
	raw, err := w.get(name+".weight", int64(out), int64(in))
	if err != nil {
		return "", err
	}
	matrix := b.Constant(graph.Tensor{Name: name + ".weight", Type: graph.Float32, Dims: []int64{int64(in), int64(out)}, Raw: transpose(raw, out, in)})
	bias, err := w.constant(b, name+".bias", int64(out))
	if err != nil {
		return "", err
	}
	return b.Op("Add", graph.In(bias, b.Op("MatMul", graph.In(x, matrix)))), nil
}

// transpose turns a matrix of float32 of rows by columns round.
func transpose(raw []byte, rows, columns int) []byte {
	out := make([]byte, len(raw))
	for r := range rows {
		for c := range columns {
			copy(out[4*(c*rows+r):], raw[4*(r*columns+c):4*(r*columns+c)+4])
		}
	}
	return out
}
