package head

import (
	"context"
	"fmt"
	"slices"

	"github.com/asof-db/asof/internal/num"
	"github.com/asof-db/asof/internal/onnx"
	"github.com/asof-db/asof/internal/onnx/graph"
	"github.com/asof-db/asof/internal/tokenize"
)

// Seq2SeqOptions say how a sequence-to-sequence reranker is asked. The zero values are MonoT5's ways
// (Nogueira et al., 2020).
type Seq2SeqOptions struct {
	Options
	// True and False are the pieces whose logits are compared; empty is ▁true and ▁false.
	True, False string
	// End ends the input; empty is </s>.
	End string
	// Start is the id that the decoder begins with; T5's is 0.
	Start int64
}

// Seq2SeqEncoderSpec is what the first network for [NewSeq2Seq] takes and gives.
func Seq2SeqEncoderSpec() onnx.Spec {
	return onnx.Spec{
		Inputs:  encoderPorts()[:2],
		Outputs: []onnx.Port{{Names: []string{"last_hidden_state", "encoder_hidden_states", "hidden_states"}, Type: graph.Float32, Dims: []int64{onnx.Varies, onnx.Varies, onnx.Varies}}},
	}
}

// Seq2SeqDecoderSpec is what the second network for [NewSeq2Seq] takes and gives: no cache of earlier
// steps, for there is one step.
func Seq2SeqDecoderSpec() onnx.Spec {
	return onnx.Spec{
		Inputs: []onnx.Port{
			{Names: []string{"input_ids", "decoder_input_ids"}, Type: graph.Int64, Dims: []int64{onnx.Varies, onnx.Varies}},
			{Names: []string{"encoder_hidden_states"}, Type: graph.Float32, Dims: []int64{onnx.Varies, onnx.Varies, onnx.Any}},
			{Names: []string{"encoder_attention_mask"}, Type: graph.Int64, Dims: []int64{onnx.Varies, onnx.Varies}, Optional: true},
		},
		Outputs: []onnx.Port{{Names: []string{"logits"}, Type: graph.Float32, Dims: []int64{onnx.Varies, onnx.Varies, onnx.Varies}}},
	}
}

// seq2seq is a Scorer over an encoder and a decoder.
type seq2seq struct {
	encoder, decoder Network
	o                Seq2SeqOptions
	yes, no, end     int32
	suffix           []int32
}

// NewSeq2Seq makes a scorer of two networks that were loaded with [Seq2SeqEncoderSpec] and
// [Seq2SeqDecoderSpec]. A score is the logarithm of the probability of True against False as the
// first word of the answer; it is at most 0.
func NewSeq2Seq(encoder, decoder Network, o Seq2SeqOptions) (Scorer, error) {
	if err := o.ensureDefaults(); err != nil {
		return nil, err
	}
	s := &seq2seq{encoder: encoder, decoder: decoder, o: o}
	if err := o.find([]piece{{&s.yes, o.True, "▁true"}, {&s.no, o.False, "▁false"}, {&s.end, o.End, "</s>"}}); err != nil {
		return nil, fmt.Errorf("head: sequence to sequence: %w", err)
	}
	e, err := o.Tokenizer.Encode("Relevant:", tokenize.Options{Bare: true})
	if err != nil {
		return nil, fmt.Errorf("head: sequence to sequence: %w", err)
	}
	s.suffix = e.IDs
	if o.Limit < len(s.suffix)+8 {
		return nil, fmt.Errorf("head: sequence to sequence: a limit of %d tokens leaves no room for a passage", o.Limit)
	}
	return s, nil
}

func (s *seq2seq) Score(ctx context.Context, query string, passages []string) ([]float32, error) {
	encodings := make([]tokenize.Encoding, len(passages))
	for i, p := range passages {
		var err error
		if encodings[i], err = s.encode(query, p); err != nil {
			return nil, fmt.Errorf("head: score: passage %d: %w", i, err)
		}
	}
	scores := make([]float32, len(passages))
	err := overGroups(ctx, s.encoder.Parallel(), groups(encodings, s.o.Batch), func(ctx context.Context, members []int) error {
		b := s.o.pack(encodings, members, 2)
		hidden, err := s.encoder.Run(ctx, b.ids, b.mask)
		if err != nil {
			return err
		}
		if err := b.check(hidden[0]); err != nil {
			return err
		}
		start := onnx.IntTensor(slices.Repeat([]int64{s.o.Start}, b.rows), int64(b.rows), 1)
		out, err := s.decoder.Run(ctx, start, hidden[0], b.mask)
		if err != nil {
			return err
		}
		width := int(out[0].Dims[2])
		if out[0].Dims[0] != int64(b.rows) || out[0].Dims[1] != 1 || width <= int(max(s.yes, s.no)) {
			return fmt.Errorf("%w: logits of the shape %v for %d passages, one step and the pieces %d and %d", onnx.ErrModel, out[0].Dims, b.rows, s.yes, s.no)
		}
		for row, i := range b.members {
			logits := out[0].Float[row*width : (row+1)*width]
			scores[i] = float32(logSigmoid(float64(logits[s.yes]) - float64(logits[s.no])))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("head: score: %w", err)
	}
	return scores, nil
}

// encode writes question and passage as MonoT5 was taught. What is too long loses the passage's end;
// the words that ask for the answer stay.
func (s *seq2seq) encode(query, passage string) (tokenize.Encoding, error) {
	e, err := s.o.Tokenizer.Encode("Query: "+query+" Document: "+passage+" Relevant:", tokenize.Options{Bare: true})
	if err != nil {
		return e, err
	}
	if room := s.o.Limit - 1; len(e.IDs) > room {
		e.IDs = append(e.IDs[:room-len(s.suffix)], s.suffix...)
	}
	e.IDs = append(e.IDs, s.end)
	e.Types = make([]int32, len(e.IDs))
	return e, nil
}

// logSigmoid is log(1 / (1 + e^-x)), without overflow.
func logSigmoid(x float64) float64 {
	if x < 0 {
		return x - num.Log(1+num.Exp(x))
	}
	return -num.Log(1 + num.Exp(-x))
}
