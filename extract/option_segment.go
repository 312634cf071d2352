package extract

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/asof-db/asof/dsl"
)

// modelSplitter is option B of preprocess: a network labels where sentences begin or
// end. Where it fails the rules split the turn.
type modelSplitter struct {
	model TokenClassifier
	rules ruleSplitter
}

// beginLabels are labels of a sentence or its begin, endLabels those of its last piece,
// in small letters.
var (
	beginLabels = wordSet("b bos begin start s sent sentence sent_start sentence_start")
	endLabels   = wordSet("e eos end sep eou sent_end sentence_end boundary . ? ! 。 ？ ！ period question exclamation")
)

// modelSplitter gives option B of preprocess.
func (a *assembly) modelSplitter() Splitter {
	c := a.Parts.Segmenter
	if c == nil {
		a.missing("preprocess.tiny_seg", "true", "a model that splits sentences",
			"name one by preprocess.model, and have it in the folder of models")
		return nil
	}
	if !slices.ContainsFunc(c.Labels(), func(l string) bool { return beginLabels[lower(l)] || endLabels[lower(l)] }) {
		a.errs = append(a.errs, fmt.Errorf("%w: extract: preprocess.model: none of the labels of %s stands for the begin or the end of a sentence: %s",
			dsl.ErrInvalid, c.Name(), strings.Join(c.Labels(), " ")))
	}
	return modelSplitter{model: c}
}

// Version names the network.
func (m modelSplitter) Version() string {
	return "sentence.model/1(" + m.model.Name() + "," + m.rules.Version() + ")"
}

// Split gives the sentences: bytes, half-open, in order, without outer white space. A
// piece without a letter or digit belongs to the sentence before it.
func (m modelSplitter) Split(d *Document) []dsl.Span {
	byRule := m.rules.Split(d)
	if len(byRule) == 0 {
		return byRule
	}
	cuts, err := m.cuts(d, byRule)
	d.Answered("preprocess", "B", m.model.Name(), err)
	if err != nil {
		return byRule
	}
	return sentencesBetween(d.Text, cuts)
}

// cuts asks the network for the bytes between which sentences lie, rising.
func (m modelSplitter) cuts(d *Document, byRule []dsl.Span) ([]int, error) {
	if len(d.Text) > maxRead {
		return nil, fmt.Errorf("%w: %d bytes, %d are read", ErrTooLong, len(d.Text), maxRead)
	}
	spans := pieces(d, byRule, hanPiece)
	tagged, err := tagPieces(d, m.model, spans)
	if err != nil {
		return nil, err
	}
	cuts := []int{0}
	cut := func(at int) {
		if at > cuts[len(cuts)-1] {
			cuts = append(cuts, at)
		}
	}
	for i, parts := range tagged {
		// Pieces end where a rule ends a sentence, or where a sentence is too long.
		if i > 0 && slices.ContainsFunc(byRule, func(s dsl.Span) bool { return s.Start == spans[i].Start }) {
			cut(spans[i].Start)
		}
		for _, p := range parts {
			switch l := lower(p.Label); {
			case beginLabels[l]:
				cut(spans[i].Start + p.Start)
			case endLabels[l]:
				cut(spans[i].Start + p.End)
			}
		}
	}
	cut(len(d.Text))
	return cuts, nil
}

// sentencesBetween gives what stands between cuts.
func sentencesBetween(text string, cuts []int) []dsl.Span {
	var out []dsl.Span
	solid := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	for i := 1; i < len(cuts); i++ {
		part := text[cuts[i-1]:cuts[i]]
		start := cuts[i-1] + len(part) - len(strings.TrimLeftFunc(part, unicode.IsSpace))
		end := cuts[i-1] + len(strings.TrimRightFunc(part, unicode.IsSpace))
		switch {
		case start >= end:
		case len(out) > 0 && !strings.ContainsFunc(part, solid):
			out[len(out)-1].End = end
		default:
			out = append(out, dsl.Span{Start: start, End: end})
		}
	}
	return out
}
