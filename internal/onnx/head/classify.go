package head

import (
	"context"
	"fmt"

	"github.com/asof-db/asof/internal/num"
	"github.com/asof-db/asof/internal/onnx"
	"github.com/asof-db/asof/internal/onnx/graph"
)

// Classifier says how probable each label is for a text, or a pair of texts.
type Classifier interface {
	// Classify gives one probability a label, in the order of Labels, for each text.
	Classify(ctx context.Context, texts []string) ([][]float32, error)
	// Labels are what the probabilities are of.
	Labels() []string
}

// ClassifierOptions say how a classifier's logits are read.
type ClassifierOptions struct {
	Options
	// Labels are those of the logits, in their order.
	Labels []string
	// Many lets several labels hold at once: each has a probability of its own. Otherwise they sum to 1.
	Many bool
}

// ClassifierSpec is what a network for [NewClassifier] takes and gives.
func ClassifierSpec(o ClassifierOptions) onnx.Spec {
	return onnx.Spec{Inputs: encoderPorts(), Outputs: []onnx.Port{
		{Names: []string{"logits", "output", "scores"}, Type: graph.Float32, Dims: []int64{onnx.Varies, int64(len(o.Labels))}}}}
}

// classifier is a Classifier over a network.
type classifier struct {
	net Network
	o   ClassifierOptions
}

// NewClassifier makes a classifier of a network that was loaded with [ClassifierSpec].
func NewClassifier(net Network, o ClassifierOptions) (Classifier, error) {
	if err := o.ensureDefaults(); err != nil {
		return nil, err
	}
	if len(o.Labels) == 0 {
		return nil, fmt.Errorf("head: a classifier without labels")
	}
	return &classifier{net, o}, nil
}

func (c *classifier) Labels() []string { return c.o.Labels }

func (c *classifier) Classify(ctx context.Context, texts []string) ([][]float32, error) {
	encodings, err := c.o.encode(texts)
	if err != nil {
		return nil, fmt.Errorf("head: classify: %w", err)
	}
	out := make([][]float32, len(texts))
	n := len(c.o.Labels)
	err = c.o.run(ctx, c.net, encodings, 2, func(b batch, logits onnx.Tensor) {
		for row, i := range b.members {
			out[i] = c.probabilities(logits.Float[row*n : (row+1)*n])
		}
	})
	if err != nil {
		return nil, fmt.Errorf("head: classify: %w", err)
	}
	return out, nil
}

func (c *classifier) probabilities(logits []float32) []float32 {
	if !c.o.Many {
		return softmax(logits)
	}
	out := make([]float32, len(logits))
	for i, x := range logits {
		out[i] = float32(num.Sigmoid(float64(x)))
	}
	return out
}

// softmax makes probabilities of logits.
func softmax(logits []float32) []float32 {
	top := float64(logits[0])
	for _, x := range logits {
		top = max(top, float64(x))
	}
	shares := make([]float64, len(logits))
	var sum float64
	for i, x := range logits {
		shares[i] = num.Exp(float64(x) - top)
		sum += shares[i]
	}
	out := make([]float32, len(logits))
	for i, s := range shares {
		out[i] = float32(s / sum)
	}
	return out
}
