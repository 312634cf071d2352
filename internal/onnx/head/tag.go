package head

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/asof-db/asof/internal/onnx"
	"github.com/asof-db/asof/internal/onnx/graph"
	"github.com/asof-db/asof/internal/tokenize"
)

// Tagged is a part of a text with its label.
type Tagged struct {
	// Start and End are bytes of the text, half-open.
	Start, End int
	Label      string
	// Score is the mean probability of the label over the part's pieces; a CRF gives none, and then it
	// is 0.
	Score float32
}

// Tagger labels parts of texts.
type Tagger interface {
	// Tag gives the labelled parts of each text in their order. Parts do not overlap. What is beyond
	// the limit of tokens has no labels.
	Tag(ctx context.Context, texts []string) ([][]Tagged, error)
	// Labels are those that it can give, each once, in the order of the network's.
	Labels() []string
}

// TaggerOptions say how a token classifier's logits are read.
type TaggerOptions struct {
	Options
	// Labels are those of the logits, in their order: O, and names with B- and I- before them (E- and
	// S- too, where a network marks ends and single pieces). A name without any is as with I-.
	Labels []string
}

// TaggerSpec is what a network for [NewTagger] takes and gives.
func TaggerSpec(o TaggerOptions) onnx.Spec {
	return onnx.Spec{Inputs: encoderPorts(), Outputs: []onnx.Port{
		{Names: []string{"logits", "output"}, Type: graph.Float32, Dims: []int64{onnx.Varies, onnx.Varies, int64(len(o.Labels))}}}}
}

// tagger is a Tagger over a network that labels pieces.
type tagger struct {
	net Network
	o   TaggerOptions
}

// NewTagger makes a tagger of a network that was loaded with [TaggerSpec].
func NewTagger(net Network, o TaggerOptions) (Tagger, error) {
	if err := o.ensureDefaults(); err != nil {
		return nil, err
	}
	if len(o.Labels) < 2 {
		return nil, fmt.Errorf("head: a tagger with %d labels", len(o.Labels))
	}
	return &tagger{net, o}, nil
}

func (t *tagger) Labels() []string {
	var out []string
	for _, l := range t.o.Labels {
		if place, name := split(l); place != 'O' && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

func (t *tagger) Tag(ctx context.Context, texts []string) ([][]Tagged, error) {
	encodings, err := t.o.encode(texts)
	if err != nil {
		return nil, fmt.Errorf("head: tag: %w", err)
	}
	out := make([][]Tagged, len(texts))
	n := len(t.o.Labels)
	err = t.o.run(ctx, t.net, encodings, 1, func(b batch, logits onnx.Tensor) {
		for row, i := range b.members {
			out[i] = t.parts(texts[i], encodings[i], logits.Float[row*b.length*n:(row+1)*b.length*n])
		}
	})
	if err != nil {
		return nil, fmt.Errorf("head: tag: %w", err)
	}
	return out, nil
}

// parts reads the labels of a text's pieces. A word's first piece speaks for all of it, because
// networks are taught the labels of first pieces.
func (t *tagger) parts(text string, e tokenize.Encoding, logits []float32) []Tagged {
	n := len(t.o.Labels)
	d := decoder{}
	for k, span := range e.Spans {
		if e.Texts[k] < 0 || span.End <= span.Start {
			continue
		}
		if strings.HasPrefix(t.o.Tokenizer.Token(e.IDs[k]), "##") || withinWord(text, int(span.Start)) {
			d.extend(int(span.Start), int(span.End))
			continue
		}
		shares := softmax(logits[k*n : (k+1)*n])
		best := 0
		for i, s := range shares {
			if s > shares[best] {
				best = i
			}
		}
		d.add(int(span.Start), int(span.End), t.o.Labels[best], shares[best])
	}
	return d.done()
}

// withinWord tells whether a piece that begins at a byte goes on with a word, whatever its
// vocabulary marks: letters or digits stand on both sides, of a script that has words.
func withinWord(text string, at int) bool {
	if at == 0 || at >= len(text) {
		return false
	}
	word := func(r rune) bool {
		return (unicode.IsLetter(r) || unicode.IsDigit(r)) && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
	}
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[at:])
	return word(before) && word(after)
}

// decoder puts labelled pieces together to parts.
type decoder struct {
	parts  []Tagged
	open   bool // The last part may go on.
	inside bool // The last piece was of a part.
	sum    float64
	pieces int
}

// add takes the next piece.
func (d *decoder) add(start, end int, label string, score float32) {
	place, name := split(label)
	if place == 'O' {
		d.open, d.inside = false, false
		return
	}
	if place == 'B' || place == 'S' || !d.open || d.parts[len(d.parts)-1].Label != name {
		d.parts = append(d.parts, Tagged{Start: start, Label: name})
		d.sum, d.pieces = 0, 0
	}
	d.sum += float64(score)
	d.pieces++
	last := &d.parts[len(d.parts)-1]
	last.End, last.Score = end, float32(d.sum/float64(d.pieces))
	d.open, d.inside = place != 'E' && place != 'S', true
}

// extend lengthens the part of the last piece, if that was of one.
func (d *decoder) extend(_, end int) {
	if d.inside {
		d.parts[len(d.parts)-1].End = end
	}
}

func (d *decoder) done() []Tagged { return d.parts }

// split cuts a label into its place (B, I, E, S or O) and its name.
func split(label string) (place byte, name string) {
	if label == "O" || label == "" {
		return 'O', ""
	}
	if len(label) > 2 && (label[1] == '-' || label[1] == '_') && strings.IndexByte("BIESLU", label[0]) >= 0 {
		switch label[0] {
		case 'L': // Other letters for the end and the single one.
			return 'E', label[2:]
		case 'U':
			return 'S', label[2:]
		}
		return label[0], label[2:]
	}
	return 'I', label
}
