package head

import (
	"context"
	"fmt"
	"math"

	"github.com/asof-db/asof/internal/onnx"
	"github.com/asof-db/asof/internal/onnx/graph"
)

// Kind is what a text is to a model that tells questions from passages.
type Kind int

// The kinds of texts.
const (
	Passage Kind = iota
	Query
)

// Pooling is how the vectors of a text's tokens become its own.
type Pooling string

// The poolings: the mean over the tokens, special ones counted; the first token's vector; or none, for a
// network that gives one vector a text itself.
const (
	Mean   Pooling = "mean"
	CLS    Pooling = "cls"
	Pooled Pooling = "none"
)

// Embedder gives texts vectors. It is what users of embeddings want of a model.
type Embedder interface {
	// Embed gives one vector a text, in their order, each [Dim] long. Texts may be empty.
	Embed(ctx context.Context, texts []string, kind Kind) ([][]float32, error)
	// Dim is the length of a vector.
	Dim() int
}

// EmbedderOptions say how a network's vectors are made.
type EmbedderOptions struct {
	Options
	// Dim is the length of a vector.
	Dim int
	// Pooling makes one vector of many; empty is Mean.
	Pooling Pooling
	// Raw leaves vectors as long as they come; otherwise they have length 1.
	Raw bool
	// QueryPrefix and PassagePrefix stand before each text of their kind.
	QueryPrefix, PassagePrefix string
	// Output names the network's output; empty is the usual names.
	Output string
}

// EmbedderSpec is what a network for [NewEmbedder] takes and gives.
func EmbedderSpec(o EmbedderOptions) onnx.Spec {
	out := onnx.Port{Names: []string{"last_hidden_state", "token_embeddings", "hidden_states"}, Type: graph.Float32, Dims: []int64{onnx.Varies, onnx.Varies, int64(o.Dim)}}
	if o.Pooling == Pooled {
		out = onnx.Port{Names: []string{"sentence_embedding", "dense_vecs", "embedding"}, Type: graph.Float32, Dims: []int64{onnx.Varies, int64(o.Dim)}}
	}
	if o.Output != "" {
		out.Names = []string{o.Output}
	}
	return onnx.Spec{Inputs: encoderPorts(), Outputs: []onnx.Port{out}}
}

// embedder is an Embedder over a network.
type embedder struct {
	net Network
	o   EmbedderOptions
}

// NewEmbedder makes an embedder of a network that was loaded with [EmbedderSpec].
func NewEmbedder(net Network, o EmbedderOptions) (Embedder, error) {
	if o.Pooling == "" {
		o.Pooling = Mean
	}
	if err := o.ensureDefaults(); err != nil {
		return nil, err
	}
	switch o.Pooling {
	case Mean, CLS, Pooled:
	default:
		return nil, fmt.Errorf("head: pooling %q is none of mean, cls, none", o.Pooling)
	}
	if o.Dim < 1 {
		return nil, fmt.Errorf("head: vectors of %d dimensions", o.Dim)
	}
	return &embedder{net, o}, nil
}

func (e *embedder) Dim() int { return e.o.Dim }

func (e *embedder) Embed(ctx context.Context, texts []string, kind Kind) ([][]float32, error) {
	prefix := e.o.PassagePrefix
	if kind == Query {
		prefix = e.o.QueryPrefix
	}
	whole := texts
	if prefix != "" {
		whole = make([]string, len(texts))
		for i, t := range texts {
			whole[i] = prefix + t
		}
	}
	encodings, err := e.o.encode(whole)
	if err != nil {
		return nil, fmt.Errorf("head: embed: %w", err)
	}
	rows := 1
	if e.o.Pooling == Pooled {
		rows = 2
	}
	vectors := make([][]float32, len(texts))
	err = e.o.run(ctx, e.net, encodings, rows, func(b batch, out onnx.Tensor) {
		for row, i := range b.members {
			vectors[i] = e.pool(out, b, row, len(encodings[i].IDs))
			if !e.o.Raw {
				unit(vectors[i])
			}
		}
	})
	if err != nil {
		return nil, fmt.Errorf("head: embed: %w", err)
	}
	return vectors, nil
}

// pool makes the vector of the text in a row, which has n tokens.
func (e *embedder) pool(t onnx.Tensor, b batch, row, n int) []float32 {
	d := e.o.Dim
	out := make([]float32, d)
	if e.o.Pooling == Pooled {
		copy(out, t.Float[row*d:])
		return out
	}
	tokens := t.Float[row*b.length*d:]
	if e.o.Pooling == CLS {
		copy(out, tokens)
		return out
	}
	// Sums in 64 bits: the rounding of the mean is then that of one division.
	sum := make([]float64, d)
	for k := range n {
		for i, v := range tokens[k*d : (k+1)*d] {
			sum[i] += float64(v)
		}
	}
	for i, s := range sum {
		out[i] = float32(s / float64(n))
	}
	return out
}

// unit makes a vector's length 1; a zero vector stays.
func unit(v []float32) {
	var squares float64
	for _, x := range v {
		squares += float64(float64(x) * float64(x))
	}
	if squares == 0 {
		return
	}
	length := math.Sqrt(squares)
	for i, x := range v {
		v[i] = float32(float64(x) / length)
	}
}
