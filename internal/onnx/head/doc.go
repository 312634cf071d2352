// Package head turns what a network gives into what its user wants: a vector of a text, the score of a
// passage for a question, the labels of a text's parts. Each kind of network is one type with one small
// interface; which tokenizer, names of outputs, pooling and prefixes a model has comes in as options.
//
// # Same bits
//
// Texts are cut by the model's tokenizer, sorted by length and run in small groups, each padded to its
// own longest: on a processor that is 2.5 times as fast as one padded batch. In a float32 network a
// text then has the same bits in any group, on any number of threads, if two things are seen to.
// Lengths are rounded up to a multiple of 8, because a sum over fewer elements than a register holds is
// added up in another order; and where a network ends in a product with one row a text, no group has
// one row alone, because ONNX Runtime multiplies a single row by other code. Both are part of every run
// here. Networks that quantise their activations have no such property: [Options.Unbatched] runs each
// of their texts alone and unpadded.
//
// What is returned is in the order of what was given.
package head

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/asof-db/asof/internal/onnx"
	"github.com/asof-db/asof/internal/onnx/graph"
	"github.com/asof-db/asof/internal/tokenize"
)

// Network is a network as this package runs it; *onnx.Model is one.
type Network interface {
	// Run runs it once, on tensors in the order of its spec.
	Run(ctx context.Context, inputs ...onnx.Tensor) ([]onnx.Tensor, error)
	// Parallel is how many runs are worth starting at once.
	Parallel() int
}

// Options are common to all heads.
type Options struct {
	// Tokenizer cuts the texts.
	Tokenizer *tokenize.Tokenizer
	// Limit is how many tokens a text or pair may have, special ones counted; 0 is 512. What is beyond
	// is cut off, of a pair from the longer text first.
	Limit int
	// Batch is how many texts go into one run; 0 is 4. It changes no result.
	Batch int
	// Unbatched runs each text alone and unpadded, as dynamically quantised networks want.
	Unbatched bool
	// Pad is the id that fills a shorter text up.
	Pad int32
}

// ensureDefaults gives what is not set its default and says what is wrong.
func (o *Options) ensureDefaults() error {
	if o.Limit == 0 {
		o.Limit = 512
	}
	if o.Batch == 0 {
		o.Batch = 4
	}
	if o.Unbatched {
		o.Batch = 1
	}
	var errs []error
	if o.Tokenizer == nil {
		errs = append(errs, errors.New("head: there is no tokenizer"))
	}
	if o.Limit < 8 {
		errs = append(errs, fmt.Errorf("head: a limit of %d tokens leaves no room for text", o.Limit))
	}
	if o.Batch < 1 {
		errs = append(errs, fmt.Errorf("head: groups of %d texts", o.Batch))
	}
	return errors.Join(errs...)
}

// encode cuts texts.
func (o Options) encode(texts []string) ([]tokenize.Encoding, error) {
	out := make([]tokenize.Encoding, len(texts))
	for i, t := range texts {
		var err error
		if out[i], err = o.Tokenizer.Encode(t, tokenize.Options{MaxTokens: o.Limit}); err != nil {
			return nil, fmt.Errorf("text %d: %w", i, err)
		}
	}
	return out, nil
}

// pairs cuts pairs of one text with many.
func (o Options) pairs(first string, seconds []string) ([]tokenize.Encoding, error) {
	out := make([]tokenize.Encoding, len(seconds))
	for i, s := range seconds {
		var err error
		if out[i], err = o.Tokenizer.EncodePair(first, s, tokenize.Options{MaxTokens: o.Limit}); err != nil {
			return nil, fmt.Errorf("passage %d: %w", i, err)
		}
	}
	return out, nil
}

// encoderPorts is what an encoder takes.
func encoderPorts() []onnx.Port {
	return []onnx.Port{
		{Names: []string{"input_ids"}, Type: graph.Int64, Dims: []int64{onnx.Varies, onnx.Varies}},
		{Names: []string{"attention_mask"}, Type: graph.Int64, Dims: []int64{onnx.Varies, onnx.Varies}},
		{Names: []string{"token_type_ids"}, Type: graph.Int64, Dims: []int64{onnx.Varies, onnx.Varies}, Optional: true},
	}
}

// A piece is one that a head needs by its text: that of the options, or the usual one.
type piece struct {
	id          *int32
	name, usual string
}

// find fills in the ids of pieces.
func (o *Options) find(pieces []piece) error {
	for _, p := range pieces {
		name := cmp.Or(p.name, p.usual)
		id, ok := o.Tokenizer.ID(name)
		if !ok {
			return fmt.Errorf("the tokenizer has no piece %s", name)
		}
		*p.id = id
	}
	return nil
}
