// Package head turns what a network gives into what its user wants: a vector of a text, the score of a
// passage for a question, the labels of a text's parts. Each kind of network is one type with one small
// interface; which tokenizer, names of outputs, pooling and prefixes a model has comes in as options.
//
// Texts are cut by the model's tokenizer, sorted by length and run in small groups, each padded to its
// own longest: on a processor that is 2.5 times as fast as one padded batch. A float32 network gives a
// text the same bits in any group; for others, [Options.Unbatched] runs each text alone and unpadded.
// What is returned is in the order of what was given.
package head

import (
	"context"
	"fmt"

	"github.com/asof-db/asof/internal/onnx"
)

// Network is a network as this package runs it; *onnx.Model is one.
type Network interface {
	Run(ctx context.Context, inputs ...onnx.Tensor) ([]onnx.Tensor, error)
	// Parallel is how many runs are worth starting at once.
	Parallel() int
}

// Tokenizer cuts texts for one model.
type Tokenizer interface {
	// Encode cuts a text, or a pair where there is a second, with the special tokens of the model. It
	// takes from the end of the longer one, of a pair from the second alone, what is beyond limit.
	Encode(first string, second *string, limit int) Encoding
}

// Encoding is a text, or a pair, as a network takes it. All slices are equally long.
type Encoding struct {
	// IDs are the pieces.
	IDs []int64
	// Segments are 0 for the first text and 1 for the second; nil where all are 0.
	Segments []int64
	// Spans are the half-open byte ranges of the pieces in their text; a special token has an empty
	// one. It is nil where a tokenizer has none to give.
	Spans [][2]int
}

// Options are common to all heads.
type Options struct {
	// Tokenizer cuts the texts.
	Tokenizer Tokenizer
	// Limit is how many tokens a text or pair may have, special ones counted; 0 is 512.
	Limit int
	// Batch is how many texts go into one run; 0 is 4.
	Batch int
	// Unbatched runs each text alone and unpadded, as dynamically quantised networks want.
	Unbatched bool
	// Pad is the id that fills a shorter text up.
	Pad int64
}

func (o *Options) ensureDefaults() {
	if o.Limit == 0 {
		o.Limit = 512
	}
	if o.Batch == 0 {
		o.Batch = 4
	}
	if o.Unbatched {
		o.Batch = 1
	}
}

func (o Options) validate() error {
	switch {
	case o.Tokenizer == nil:
		return fmt.Errorf("head: there is no tokenizer")
	case o.Limit < 4:
		return fmt.Errorf("head: a limit of %d tokens leaves no room for text", o.Limit)
	case o.Batch < 1:
		return fmt.Errorf("head: groups of %d texts", o.Batch)
	}
	return nil
}
