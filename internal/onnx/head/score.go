package head

import (
	"context"
	"fmt"

	"github.com/asof-db/asof/internal/num"
	"github.com/asof-db/asof/internal/onnx"
	"github.com/asof-db/asof/internal/onnx/graph"
)

// Scorer says how well passages answer a question. It is what a reranker wants of a model; more is
// better, and only scores of one model compare.
type Scorer interface {
	// Score gives one score a passage, in their order.
	Score(ctx context.Context, query string, passages []string) ([]float32, error)
}

// CrossEncoderOptions say how a cross-encoder's scores are made.
type CrossEncoderOptions struct {
	Options
	// Classes is how many logits it gives: 1, the score; or 2, of which the second speaks for the
	// passage. 0 is 1.
	Classes int
	// Sigmoid maps the logit to (0, 1). It changes no order.
	Sigmoid bool
}

// CrossEncoderSpec is what a network for [NewCrossEncoder] takes and gives.
func CrossEncoderSpec(o CrossEncoderOptions) onnx.Spec {
	return onnx.Spec{Inputs: encoderPorts(), Outputs: []onnx.Port{
		{Names: []string{"logits", "output", "scores"}, Type: graph.Float32, Dims: []int64{onnx.Varies, int64(max(o.Classes, 1))}}}}
}

// crossEncoder is a Scorer over a network that reads question and passage together.
type crossEncoder struct {
	net Network
	o   CrossEncoderOptions
}

// NewCrossEncoder makes a scorer of a network that was loaded with [CrossEncoderSpec].
func NewCrossEncoder(net Network, o CrossEncoderOptions) (Scorer, error) {
	o.Classes = max(o.Classes, 1)
	if err := o.ensureDefaults(); err != nil {
		return nil, err
	}
	if o.Classes > 2 {
		return nil, fmt.Errorf("head: a cross-encoder with %d logits; 1 and 2 are known", o.Classes)
	}
	return &crossEncoder{net, o}, nil
}

func (c *crossEncoder) Score(ctx context.Context, query string, passages []string) ([]float32, error) {
	encodings, err := c.o.pairs(query, passages)
	if err != nil {
		return nil, fmt.Errorf("head: score: %w", err)
	}
	scores := make([]float32, len(passages))
	err = c.o.run(ctx, c.net, encodings, 2, func(b batch, out onnx.Tensor) {
		for row, i := range b.members {
			scores[i] = c.score(out.Float[row*c.o.Classes:])
		}
	})
	if err != nil {
		return nil, fmt.Errorf("head: score: %w", err)
	}
	return scores, nil
}

func (c *crossEncoder) score(logits []float32) float32 {
	s := logits[0]
	if c.o.Classes == 2 {
		s = logits[1] - logits[0] // The logit of the second class against the first.
	}
	if c.o.Sigmoid {
		return float32(num.Sigmoid(float64(s)))
	}
	return s
}
