package head

import (
	"encoding/json"
	"fmt"

	"github.com/asof-db/asof/internal/tokenize"
)

// pieces is a Tokenizer over BERT's word pieces.
type pieces struct {
	words    *tokenize.WordPiece
	cls, sep int64
}

// NewTokenizer reads a tokenizer.json.
func NewTokenizer(file []byte) (Tokenizer, error) {
	var f struct {
		Normalizer struct {
			Lower bool `json:"lowercase"`
		} `json:"normalizer"`
		Model struct {
			Type  string         `json:"type"`
			Vocab map[string]int `json:"vocab"`
		} `json:"model"`
	}
	if err := json.Unmarshal(file, &f); err != nil {
		return nil, fmt.Errorf("head: tokenizer.json: %w", err)
	}
	vocabulary := make([]string, len(f.Model.Vocab))
	for piece, id := range f.Model.Vocab {
		if id < 0 || id >= len(vocabulary) {
			return nil, fmt.Errorf("head: tokenizer.json: piece %q has the id %d of %d", piece, id, len(vocabulary))
		}
		vocabulary[id] = piece
	}
	words, err := tokenize.NewWordPiece(vocabulary, tokenize.WordPieceOptions{KeepCase: !f.Normalizer.Lower,
		Special: []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}})
	if err != nil {
		return nil, fmt.Errorf("head: tokenizer.json: %w", err)
	}
	cls, okC := f.Model.Vocab["[CLS]"]
	sep, okS := f.Model.Vocab["[SEP]"]
	if !okC || !okS {
		return nil, fmt.Errorf("head: tokenizer.json: a %s without [CLS] and [SEP]", f.Model.Type)
	}
	return &pieces{words: words, cls: int64(cls), sep: int64(sep)}, nil
}

func (p *pieces) Encode(first string, second *string, limit int) Encoding {
	a := p.words.AppendIDs(nil, first)
	e := Encoding{}
	if second == nil {
		a = a[:min(len(a), limit-2)]
		e.add(p.cls, a, p.sep, 0)
		return e
	}
	b := p.words.AppendIDs(nil, *second)
	a = a[:min(len(a), limit-4)]
	b = b[:min(len(b), limit-3-len(a))]
	e.add(p.cls, a, p.sep, 0)
	e.add(-1, b, p.sep, 1)
	return e
}

// add appends a piece, unless it is negative, pieces and a piece.
func (e *Encoding) add(before int64, ids []int32, after int64, segment int64) {
	n := len(e.IDs)
	if before >= 0 {
		e.IDs = append(e.IDs, before)
	}
	for _, id := range ids {
		e.IDs = append(e.IDs, int64(id))
	}
	e.IDs = append(e.IDs, after)
	for range len(e.IDs) - n {
		e.Segments = append(e.Segments, segment)
	}
}
