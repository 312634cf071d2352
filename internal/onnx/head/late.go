package head

import (
	"context"
	"fmt"

	"github.com/asof-db/asof/internal/onnx"
	"github.com/asof-db/asof/internal/onnx/graph"
	"github.com/asof-db/asof/internal/tokenize"
)

// Vectors are the vectors of a text's tokens, one after the other, each Dim long and of length 1.
type Vectors struct {
	Dim    int
	Values []float32
}

// Len is the number of vectors.
func (v Vectors) Len() int {
	if v.Dim == 0 {
		return 0
	}
	return len(v.Values) / v.Dim
}

// TokenEmbedder gives texts one vector a token, for late interaction.
type TokenEmbedder interface {
	// EmbedTokens gives the vectors of each text, in their order.
	EmbedTokens(ctx context.Context, texts []string, kind Kind) ([]Vectors, error)
	// Dim is the length of a vector.
	Dim() int
}

// MaxSim is the score of late interaction (Khattab and Zaharia, 2020): for each vector of the question
// the best cosine with a vector of the passage, summed. An empty passage scores 0.
func MaxSim(query, passage Vectors) float32 {
	var sum float64
	if query.Dim != passage.Dim {
		return 0
	}
	d := query.Dim
	for q := range query.Len() {
		best, any := 0.0, false
		for p := range passage.Len() {
			var dot float64
			for i, x := range query.Values[q*d : (q+1)*d] {
				dot += float64(float64(x) * float64(passage.Values[p*d+i]))
			}
			if !any || dot > best {
				best, any = dot, true
			}
		}
		sum += best
	}
	return float32(sum)
}

// LateOptions say how a network for late interaction is fed. The zero values are ColBERTv2's ways.
type LateOptions struct {
	Options
	// Dim is the length of a vector.
	Dim int
	// QueryMarker and PassageMarker are the pieces after the first one that tell questions from
	// passages; empty is [unused0] and [unused1].
	QueryMarker, PassageMarker string
	// QueryTokens is the number that a question is filled up to, with Mask; 0 is 32, negative is not at
	// all. What fills it up has vectors too: they are the question's expansion.
	QueryTokens int
	// Mask is the piece that fills a question up; empty is [MASK].
	Mask string
	// Output names the network's output; empty is the usual names.
	Output string
}

// LateSpec is what a network for [NewTokenEmbedder] takes and gives.
func LateSpec(o LateOptions) onnx.Spec {
	out := onnx.Port{Names: []string{"contextual", "token_embeddings", "last_hidden_state", "output"}, Type: graph.Float32, Dims: []int64{onnx.Varies, onnx.Varies, int64(o.Dim)}}
	if o.Output != "" {
		out.Names = []string{o.Output}
	}
	return onnx.Spec{Inputs: encoderPorts(), Outputs: []onnx.Port{out}}
}

// late is a TokenEmbedder over a network.
type late struct {
	net                  Network
	o                    LateOptions
	query, passage, mask int32
	// punctuation are pieces whose vectors a passage leaves out.
	punctuation map[int32]bool
}

// NewTokenEmbedder makes one of a network that was loaded with [LateSpec].
func NewTokenEmbedder(net Network, o LateOptions) (TokenEmbedder, error) {
	if err := o.ensureDefaults(); err != nil {
		return nil, err
	}
	if o.Dim < 1 {
		return nil, fmt.Errorf("head: vectors of %d dimensions", o.Dim)
	}
	if o.QueryTokens == 0 {
		o.QueryTokens = 32
	}
	l := &late{net: net, o: o, punctuation: map[int32]bool{}}
	if err := o.find([]piece{{&l.query, o.QueryMarker, "[unused0]"}, {&l.passage, o.PassageMarker, "[unused1]"}, {&l.mask, o.Mask, "[MASK]"}}); err != nil {
		return nil, fmt.Errorf("head: late interaction: %w", err)
	}
	for _, r := range "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~" {
		if id, ok := o.Tokenizer.ID(string(r)); ok {
			l.punctuation[id] = true
		}
	}
	return l, nil
}

func (l *late) Dim() int { return l.o.Dim }

func (l *late) EmbedTokens(ctx context.Context, texts []string, kind Kind) ([]Vectors, error) {
	encodings := make([]tokenize.Encoding, len(texts))
	fill := make([]int, len(texts)) // How many tokens of a text are attended to.
	for i, t := range texts {
		e, err := l.encode(t, kind)
		if err != nil {
			return nil, fmt.Errorf("head: embed tokens: text %d: %w", i, err)
		}
		fill[i] = len(e.IDs)
		if kind == Query {
			for len(e.IDs) < l.o.QueryTokens {
				e.IDs, e.Types = append(e.IDs, l.mask), append(e.Types, 0)
			}
		}
		encodings[i] = e
	}
	out := make([]Vectors, len(texts))
	err := overGroups(ctx, l.net.Parallel(), groups(encodings, l.o.Batch), func(ctx context.Context, members []int) error {
		b := l.o.pack(encodings, members, 1)
		for row, i := range members {
			for k := fill[i]; k < b.length; k++ {
				b.mask.Int[row*b.length+k] = 0 // ColBERT's masks look at the text; it does not look at them.
			}
		}
		result, err := l.net.Run(ctx, b.ids, b.mask, b.segments)
		if err != nil {
			return err
		}
		if err := b.check(result[0]); err != nil {
			return err
		}
		for row, i := range members {
			out[i] = l.take(result[0].Float[row*b.length*l.o.Dim:], encodings[i].IDs, kind)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("head: embed tokens: %w", err)
	}
	return out, nil
}

// encode cuts a text and puts the marker of its kind after the first piece.
func (l *late) encode(text string, kind Kind) (tokenize.Encoding, error) {
	limit, marker := l.o.Limit-1, l.passage
	if kind == Query {
		marker = l.query
		if l.o.QueryTokens > 0 {
			limit = l.o.QueryTokens - 1
		}
	}
	e, err := l.o.Tokenizer.Encode(text, tokenize.Options{MaxTokens: limit})
	if err != nil {
		return e, err
	}
	first := min(1, len(e.IDs))
	return tokenize.Encoding{
		IDs:   append(append(append(make([]int32, 0, len(e.IDs)+1), e.IDs[:first]...), marker), e.IDs[first:]...),
		Types: make([]int32, len(e.IDs)+1),
	}, nil
}

// take takes the vectors of a text's tokens; those of a passage's punctuation are left out.
func (l *late) take(values []float32, ids []int32, kind Kind) Vectors {
	d := l.o.Dim
	v := Vectors{Dim: d, Values: make([]float32, 0, len(ids)*d)}
	for k, id := range ids {
		if kind == Passage && l.punctuation[id] {
			continue
		}
		at := len(v.Values)
		v.Values = append(v.Values, values[k*d:(k+1)*d]...)
		unit(v.Values[at:])
	}
	return v
}
