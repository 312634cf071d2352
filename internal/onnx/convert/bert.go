package convert

import (
	"fmt"
	"math"

	"github.com/asof-db/asof/internal/onnx/graph"
)

// bert is the shape of a BERT encoder.
type bert struct {
	layers, hidden, heads, feed, vocabulary, positions, segments int
	epsilon                                                      float32
}

func (s bert) check() error {
	for _, n := range []int{s.layers, s.hidden, s.heads, s.feed, s.vocabulary, s.positions, s.segments} {
		if n < 1 || n > maxDim {
			return fmt.Errorf("%w: a size of the network is %d: %+v", ErrSource, n, s)
		}
	}
	if s.hidden%s.heads != 0 {
		return fmt.Errorf("%w: %d heads do not share a width of %d", ErrSource, s.heads, s.hidden)
	}
	return nil
}

// weights give a network's weights to the graph that is built.
type weights interface {
	// rows looks the rows of a table up.
	rows(b *graph.Builder, table, ids string) (string, error)
	// linear is x·Wᵀ + bias, W being [out, in].
	linear(b *graph.Builder, name, x string, out, in int) (string, error)
	// constant is a tensor of float32.
	constant(b *graph.Builder, name string, dims ...int64) (string, error)
}

// names are the names of a source's weights. Those of layers have a %d.
type names struct {
	words, positions, segments, embedNorm               string
	query, key, value, attended, attendedNorm, up, down string
	downNorm                                            string
	scale, shift                                        string // The ends of the two halves of a norm.
}

// encoder adds a BERT encoder over ids and mask (and segments, where it has some) and returns its last
// hidden state, [batch, seq, hidden]. It is the network of Devlin et al. (2018): word, position and
// segment embeddings, then layers of attention and of two dense steps with a GELU between, each added
// to its input and normalised.
func (s bert) encoder(b *graph.Builder, w weights, n names, ids, mask, segments string) (string, error) {
	f := &builder{Builder: b, w: w, n: n, s: s}
	x := f.embed(ids, segments)
	bias := f.maskBias(mask)
	for l := 0; l < s.layers && f.err == nil; l++ {
		x = f.layer(l, x, bias)
	}
	if f.err != nil {
		return "", f.err
	}
	return x, nil
}

// builder builds until the first error.
type builder struct {
	*graph.Builder
	w   weights
	n   names
	s   bert
	err error
}

func (f *builder) keep(name string, err error) string {
	if f.err == nil {
		f.err = err
	}
	return name
}

func (f *builder) scalar(v float32) string { return f.Constant(graph.Floats("", nil, v)) }

func (f *builder) list(v ...int64) string {
	return f.Constant(graph.Ints("", []int64{int64(len(v))}, v...))
}

// embed sums the three embeddings of each token and normalises.
func (f *builder) embed(ids, segments string) string {
	words := f.keep(f.w.rows(f.Builder, f.n.words, ids))
	table := f.keep(f.w.constant(f.Builder, f.n.positions, int64(f.s.positions), int64(f.s.hidden)))
	length := f.Op("Slice", graph.In(f.Op("Shape", graph.In(ids)), f.list(1), f.list(2)))
	positions := f.Op("Slice", graph.In(table, f.list(0), length, f.list(0)))
	kinds := f.keep(f.w.constant(f.Builder, f.n.segments, int64(f.s.segments), int64(f.s.hidden)))
	kind := f.Op("Gather", graph.In(kinds, segments))
	sum := f.Op("Add", graph.In(f.Op("Add", graph.In(words, kind)), positions))
	return f.norm(f.n.embedNorm, sum)
}

// maskBias is 0 where a token stands and so low where none does that its weight is exactly 0:
// [batch, 1, 1, seq].
func (f *builder) maskBias(mask string) string {
	there := f.Op("Cast", graph.In(f.Op("Unsqueeze", graph.In(mask, f.list(1, 2)))), graph.Int("to", int64(graph.Float32)))
	return f.Op("Mul", graph.In(f.Op("Sub", graph.In(f.scalar(1), there)), f.scalar(-10000)))
}

func (f *builder) layer(l int, x, bias string) string {
	at := func(pattern string) string { return fmt.Sprintf(pattern, l) }
	h, width := f.s.hidden, f.s.hidden/f.s.heads
	split := f.list(0, 0, int64(f.s.heads), int64(width))
	part := func(pattern string, perm ...int64) string {
		y := f.keep(f.w.linear(f.Builder, at(pattern), x, h, h))
		return f.Op("Transpose", graph.In(f.Op("Reshape", graph.In(y, split))), graph.List("perm", perm...))
	}
	q, k, v := part(f.n.query, 0, 2, 1, 3), part(f.n.key, 0, 2, 3, 1), part(f.n.value, 0, 2, 1, 3)
	scores := f.Op("Div", graph.In(f.Op("MatMul", graph.In(q, k)), f.scalar(float32(math.Sqrt(float64(width))))))
	share := f.Op("Softmax", graph.In(f.Op("Add", graph.In(scores, bias))), graph.Int("axis", -1))
	mixed := f.Op("Transpose", graph.In(f.Op("MatMul", graph.In(share, v))), graph.List("perm", 0, 2, 1, 3))
	mixed = f.Op("Reshape", graph.In(mixed, f.list(0, 0, int64(h))))
	attended := f.keep(f.w.linear(f.Builder, at(f.n.attended), mixed, h, h))
	x = f.norm(at(f.n.attendedNorm), f.Op("Add", graph.In(attended, x)))
	up := f.gelu(f.keep(f.w.linear(f.Builder, at(f.n.up), x, f.s.feed, h)))
	down := f.keep(f.w.linear(f.Builder, at(f.n.down), up, h, f.s.feed))
	return f.norm(at(f.n.downNorm), f.Op("Add", graph.In(down, x)))
}

// gelu is x/2 · (1 + erf(x/√2)).
func (f *builder) gelu(x string) string {
	e := f.Op("Erf", graph.In(f.Op("Div", graph.In(x, f.scalar(math.Sqrt2)))))
	return f.Op("Mul", graph.In(f.Op("Mul", graph.In(x, f.Op("Add", graph.In(e, f.scalar(1))))), f.scalar(0.5)))
}

func (f *builder) norm(name, x string) string {
	scale := f.keep(f.w.constant(f.Builder, name+f.n.scale, int64(f.s.hidden)))
	shift := f.keep(f.w.constant(f.Builder, name+f.n.shift, int64(f.s.hidden)))
	return f.Op("LayerNormalization", graph.In(x, scale, shift), graph.Int("axis", -1), graph.Real("epsilon", f.s.epsilon))
}

// network wraps an encoder in a model with the names that exports of BERT have.
func (s bert) network(name string, w weights, n names, ir, version int64, opsets ...graph.Opset) (*graph.Model, error) {
	b := graph.NewBuilder(name)
	batch, seq := graph.Open("batch"), graph.Open("sequence")
	ids := b.Input("input_ids", graph.Int64, batch, seq)
	mask := b.Input("attention_mask", graph.Int64, batch, seq)
	kinds := b.Input("token_type_ids", graph.Int64, batch, seq)
	x, err := s.encoder(b, w, n, ids, mask, kinds)
	if err != nil {
		return nil, err
	}
	b.Output(x, "last_hidden_state", graph.Float32, batch, seq, graph.Dim{Size: int64(s.hidden)})
	return b.Model(ir, version, opsets...), nil
}
