package tokenize

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// LoadSentencePiece makes a Tokenizer of a SentencePiece model (spiece.model), which has to be a
// Unigram. A model says nothing of special tokens around a text: ending is the control piece behind
// each text, such as T5's "</s>", empty for none.
//
// Text is normalised as SentencePiece does it: the longest mapped run of characters at each place,
// single spaces, none at the ends.
func LoadSentencePiece(data []byte, ending string) (*Tokenizer, error) {
	t, err := loadSentencePiece(data, ending)
	if err != nil {
		return nil, fmt.Errorf("tokenize: load a SentencePiece model: %w", err)
	}
	return t, nil
}

// The types of pieces in a SentencePiece model.
const (
	pieceUnknown = 2
	pieceControl = 3
	pieceUser    = 4
	pieceUnused  = 5
	pieceByte    = 6
)

// A spiece is what is read of a SentencePiece model.
type spiece struct {
	pieces     []Piece
	unk        int
	special    map[string]bool // control pieces and unused ones
	modelType  uint64
	byteBack   bool
	suffix     bool
	charsmap   []byte
	prefix     bool // a space before the text
	squeeze    bool // single spaces, none at the ends
	escape     bool // spaces written as U+2581
	userPieces int
}

// loadSentencePiece is LoadSentencePiece without the operation's name.
func loadSentencePiece(data []byte, ending string) (*Tokenizer, error) {
	m := spiece{unk: -1, special: map[string]bool{}, modelType: 1, prefix: true, squeeze: true, escape: true}
	err := message(data, func(field, number uint64, text []byte) error {
		switch field {
		case 1:
			return m.piece(text)
		case 2:
			return message(text, func(field, number uint64, _ []byte) error {
				switch field {
				case 3:
					m.modelType = number
				case 24:
					m.suffix = number != 0
				case 35:
					m.byteBack = number != 0
				}
				return nil
			})
		case 3:
			return message(text, func(field, number uint64, text []byte) error {
				switch field {
				case 2:
					m.charsmap = text
				case 3:
					m.prefix = number != 0
				case 4:
					m.squeeze = number != 0
				case 5:
					m.escape = number != 0
				}
				return nil
			})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	switch {
	case len(m.pieces) == 0:
		return nil, errors.New("it has no pieces")
	case m.modelType != 1:
		return nil, fmt.Errorf("it is of type %d; only 1, Unigram, is supported", m.modelType)
	case m.userPieces > 0:
		return nil, fmt.Errorf("it has %d pieces defined by the user, which are not supported", m.userPieces)
	case m.suffix:
		return nil, errors.New("it writes spaces behind words, which is not supported")
	case m.prefix && !m.escape:
		return nil, errors.New("it puts a space before texts and keeps it one, which is not supported")
	}
	return m.tokenizer(ending)
}

// piece reads a piece.
func (m *spiece) piece(data []byte) error {
	var p Piece
	kind := uint64(1)
	err := message(data, func(field, number uint64, text []byte) error {
		switch field {
		case 1:
			p.Text = string(text)
		case 2:
			p.Score = float64(math.Float32frombits(uint32(number)))
		case 3:
			kind = number
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("piece %d: %w", len(m.pieces), err)
	}
	switch kind {
	case pieceUnknown:
		m.unk = len(m.pieces)
	case pieceControl, pieceUnused:
		m.special[p.Text] = true
	case pieceUser:
		m.userPieces++
	case pieceByte:
		m.byteBack = true
	}
	m.pieces = append(m.pieces, p)
	return nil
}

// tokenizer makes the tokenizer of a model read.
func (m *spiece) tokenizer(ending string) (*Tokenizer, error) {
	t := &Tokenizer{ids: make(map[string]int32, len(m.pieces)), template: bare()}
	for i, p := range m.pieces {
		t.name(p.Text, int32(i))
	}
	model, err := newUnigramModel(m.pieces, m.unk, m.byteBack, m.special)
	if err != nil {
		return nil, err
	}
	model.single, model.unkScore = true, float64(float32(model.unkScore))
	t.model = model
	if m.prefix && !m.squeeze {
		// Of a text of which nothing stays, the space before it does.
		t.normalizers = append(t.normalizers, prepender{"▁"})
	}
	if len(m.charsmap) > 0 {
		c, err := readCharsmap(m.charsmap)
		if err != nil {
			return nil, err
		}
		t.normalizers = append(t.normalizers, longestCharsmap{c})
	}
	if m.squeeze {
		t.normalizers = append(t.normalizers, spacesReplacer{}, spaceTrimmer{})
	}
	if m.prefix && m.squeeze {
		t.normalizers = append(t.normalizers, prepender{"▁"})
	}
	if m.escape {
		// The text stays whole: rounded sums depend on what came before.
		t.preTokenizers = append(t.preTokenizers, metaspace{mark: '▁', prepend: prependNever})
	}
	if ending == "" {
		return t, nil
	}
	id, ok := t.ids[ending]
	if !ok || !m.special[ending] {
		return nil, fmt.Errorf("it has no control piece %q to end texts with", ending)
	}
	end := slot{text: -1, ids: []int32{id}}
	t.template = template{
		single: []slot{{text: 0}, end},
		pair:   []slot{{text: 0}, end, {text: 1}, end},
	}
	return t, nil
}

// message reads the fields of a protocol buffer message: a number for those of fixed or variable
// length, a text, which is part of data, for the others.
func message(data []byte, field func(field, number uint64, text []byte) error) error {
	errShort := errors.New("it ends within a field")
	for len(data) > 0 {
		tag, n := binary.Uvarint(data)
		if n <= 0 {
			return errShort
		}
		data = data[n:]
		var number uint64
		var text []byte
		switch wire := tag & 7; wire {
		case 0:
			if number, n = binary.Uvarint(data); n <= 0 {
				return errShort
			}
		case 1:
			if n = 8; len(data) < n {
				return errShort
			}
			number = binary.LittleEndian.Uint64(data)
		case 2:
			size, k := binary.Uvarint(data)
			if k <= 0 || size > uint64(len(data)-k) {
				return errShort
			}
			text, n = data[k:k+int(size)], k+int(size)
		case 5:
			if n = 4; len(data) < n {
				return errShort
			}
			number = uint64(binary.LittleEndian.Uint32(data))
		default:
			return fmt.Errorf("field %d is of the wire type %d", tag>>3, wire)
		}
		if err := field(tag>>3, number, text); err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}

// A longestCharsmap maps the longest run of characters at each place, as SentencePiece does it.
type longestCharsmap struct{ m *charsmap }

// apply appends src, mapped, to dst.
func (c longestCharsmap) apply(dst, src *buffer) {
	for i := 0; i < len(src.b); {
		if place, n := c.m.longest(src.b[i:]); n > 0 {
			c.m.write(dst, src, i, i+n, place)
			i += n
			continue
		}
		end := i + 1
		for end < len(src.b) && src.b[end]&0xC0 == 0x80 {
			end++
		}
		dst.keep(src, i, end)
		i = end
	}
}

// A spaceTrimmer drops spaces at the text's ends, at its end also U+2581, which SentencePiece cannot
// tell from a space by then.
type spaceTrimmer struct{}

// apply appends src without them.
func (spaceTrimmer) apply(dst, src *buffer) {
	begin := len(src.b) - len(bytes.TrimLeft(src.b, " "))
	end := max(begin, len(bytes.TrimRight(src.b, " ▁")))
	dst.keep(src, begin, end)
}
