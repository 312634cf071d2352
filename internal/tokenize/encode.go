package tokenize

import (
	"fmt"
	"math"
)

// A Tokenizer does all that a model's file asks of text. It never changes once made, and serves any
// number of goroutines.
type Tokenizer struct {
	normalizers   []normalizer
	preTokenizers []preTokenizer
	model         model
	template      template
	raw, normal   *adder // tokens found before and after normalizing
	needSpans     bool   // a step asks where in the original it stands
	ids           map[string]int32
	texts         []string
}

// A Strategy says which text gives way when two are too long together.
type Strategy int

const (
	// LongestFirst shortens the longer text down to the other, then both.
	LongestFirst Strategy = iota
	// OnlyFirst shortens the first text, and it is an error if that is not enough.
	OnlyFirst
	// OnlySecond shortens the second text, and it is an error if that is not enough.
	OnlySecond
)

// Options say how a text or a pair is encoded. The zero value encodes all of it with its special
// tokens.
type Options struct {
	// MaxTokens is the number of tokens, special ones included, from which on texts are cut at
	// their ends. 0 means no limit.
	MaxTokens int
	// Truncate says which text gives way.
	Truncate Strategy
	// Bare leaves special tokens out.
	Bare bool
}

// A Span is the half-open run of bytes of a text that a token stands for.
type Span struct{ Start, End int32 }

// An Encoding is a text or a pair as a model takes it. Its slices have one length and belong to the
// caller.
type Encoding struct {
	IDs []int32
	// Types are the type ids, as the model knows first and second texts apart.
	Types []int32
	// Texts are 0 for a token of the first text, 1 for one of the second, -1 for a special token.
	Texts []int8
	// Spans are in bytes of the text that the token is of, empty at 0 for a special token.
	Spans []Span
}

// MaxTextBytes is the length up to which a text is encoded, in bytes.
const MaxTextBytes = math.MaxInt32 / 4

// Encode encodes one text.
func (t *Tokenizer) Encode(text string, o Options) (Encoding, error) {
	return t.encode([]string{text}, t.template.single, o)
}

// EncodePair encodes two texts, such as a question and a passage.
func (t *Tokenizer) EncodePair(first, second string, o Options) (Encoding, error) {
	return t.encode([]string{first, second}, t.template.pair, o)
}

// AppendIDs appends the ids of the text's pieces to dst, without special tokens, and returns it.
// Beyond dst it allocates nothing once warm. Of a text longer than MaxTextBytes it takes the
// beginning.
func (t *Tokenizer) AppendIDs(dst []int32, text string) []int32 {
	s := scratches.Get().(*scratch)
	defer s.release()
	s.clear()
	t.pieces(s, text[:min(len(text), MaxTextBytes)], false)
	return append(dst, s.ids...)
}

// Size is one more than the highest id.
func (t *Tokenizer) Size() int { return len(t.texts) }

// ID returns the id of a piece or a special token by its text.
func (t *Tokenizer) ID(token string) (int32, bool) {
	id, ok := t.ids[token]
	return id, ok
}

// Token returns the text of an id, empty where there is none.
func (t *Tokenizer) Token(id int32) string {
	if id < 0 || int(id) >= len(t.texts) {
		return ""
	}
	return t.texts[id]
}

// Specials is how many special tokens Encode adds to a text, or EncodePair to a pair.
func (t *Tokenizer) Specials(pair bool) int {
	if pair {
		return added(t.template.pair)
	}
	return added(t.template.single)
}

// encode encodes texts and sets them into the slots.
func (t *Tokenizer) encode(texts []string, slots []slot, o Options) (Encoding, error) {
	if o.MaxTokens < 0 {
		return Encoding{}, fmt.Errorf("tokenize: encode: at most %d tokens: the limit is 0 or more", o.MaxTokens)
	}
	special := 0
	if !o.Bare {
		special = added(slots)
	}
	s := scratches.Get().(*scratch)
	defer s.release()
	s.clear()
	var n [2]int // where each text's pieces end
	for i, text := range texts {
		if len(text) > MaxTextBytes {
			return Encoding{}, fmt.Errorf("tokenize: encode: a text of %d bytes; at most %d are taken", len(text), MaxTextBytes)
		}
		t.pieces(s, text, true)
		n[i] = len(s.ids)
	}
	n[1] = len(s.ids)
	ids := [2][]int32{s.ids[:n[0]], s.ids[n[0]:n[1]]}
	spans := [2][]Span{s.spans[:n[0]], s.spans[n[0]:n[1]]}
	if o.MaxTokens > 0 {
		if o.MaxTokens < special {
			return Encoding{}, fmt.Errorf("tokenize: encode: at most %d tokens, and %d of them special", o.MaxTokens, special)
		}
		most, err := lengths(len(ids[0]), len(ids[1]), o.MaxTokens-special, o.Truncate, len(texts) == 2)
		if err != nil {
			return Encoding{}, fmt.Errorf("tokenize: encode: %w", err)
		}
		for i := range ids {
			ids[i], spans[i] = ids[i][:most[i]], spans[i][:most[i]]
		}
	}
	all := len(ids[0]) + len(ids[1]) + special
	e := Encoding{
		IDs:   make([]int32, 0, all),
		Types: make([]int32, 0, all),
		Texts: make([]int8, 0, all),
		Spans: make([]Span, 0, all),
	}
	for _, at := range slots {
		if at.text < 0 && o.Bare {
			continue
		}
		from := at.ids
		if at.text >= 0 {
			from = ids[at.text]
			e.Spans = append(e.Spans, spans[at.text]...)
		} else {
			e.Spans = append(e.Spans, make([]Span, len(from))...)
		}
		e.IDs = append(e.IDs, from...)
		for range from {
			e.Types = append(e.Types, at.typeID)
			e.Texts = append(e.Texts, int8(at.text))
		}
	}
	return e, nil
}

// lengths says how many tokens of two texts stay of a and b, so that together they are at most limit.
func lengths(a, b, limit int, strategy Strategy, two bool) ([2]int, error) {
	over := a + b - limit
	if over <= 0 {
		return [2]int{a, b}, nil
	}
	if limit == 0 {
		return [2]int{}, nil // Nothing stays, whoever gives way.
	}
	switch strategy {
	case LongestFirst:
		if !two {
			return [2]int{limit, 0}, nil
		}
		short := min(a, b)
		long := max(short, limit-short)
		if short+long > limit {
			short = limit / 2
			long = short + limit%2
		}
		if a > b {
			short, long = long, short
		}
		return [2]int{short, long}, nil
	case OnlyFirst:
		if over > a {
			return [2]int{}, fmt.Errorf("the first text has %d tokens and should lose %d: shorten the second, or cut the longest first", a, over)
		}
		return [2]int{a - over, b}, nil
	case OnlySecond:
		if !two {
			return [2]int{}, fmt.Errorf("there is no second text to shorten")
		}
		if over > b {
			return [2]int{}, fmt.Errorf("the second text has %d tokens and should lose %d: shorten the first, or cut the longest first", b, over)
		}
		return [2]int{a, b - over}, nil
	}
	return [2]int{}, fmt.Errorf("there is no strategy %d", strategy)
}

// clear makes room for the pieces of texts.
func (s *scratch) clear() { s.ids, s.ends, s.spans = s.ids[:0], s.ends[:0], s.spans[:0] }

// pieces cuts a text: it appends the ids of its pieces to s.ids and, where they are wanted, what they
// stand for to s.spans.
func (t *Tokenizer) pieces(s *scratch, text string, spans bool) {
	s.text, s.first = text, len(s.spans)
	if t.raw == nil {
		t.part(s, text, 0, spans)
		return
	}
	b := []byte(text)
	from := 0
	for {
		start, end, id, ok := t.raw.next(b, from, from)
		if !ok {
			break
		}
		t.part(s, text[from:start], from, spans)
		s.ids = append(s.ids, id)
		s.ends = append(s.ends, int32(end-start))
		s.spans = append(s.spans, t.template.trim.apply(b[start:end], text, Span{int32(start), int32(end)}, len(s.spans) == s.first))
		from = end
	}
	t.part(s, text[from:], from, spans)
}

// part cuts a part of a text that begins at byte at of it.
func (t *Tokenizer) part(s *scratch, text string, at int, spans bool) {
	keep := spans || t.needSpans
	s.at = at
	s.cur.fill(text, at, keep)
	for _, n := range t.normalizers {
		s.alt.reset(keep)
		n.apply(s.alt, s.cur)
		s.swap()
	}
	s.whole()
	t.normal.cut(s)
	for _, p := range t.preTokenizers {
		p.apply(s)
	}
	for _, w := range s.words {
		first := len(s.ids)
		if w.added != 0 {
			s.ids = append(s.ids, w.added-1)
			s.ends = append(s.ends, w.end-w.start)
		} else {
			t.model.cut(s, s.cur.b[w.start:w.end])
		}
		if !spans {
			continue
		}
		start := w.start
		for i, end := range s.ends[first:] {
			if i > 0 && end == s.ends[first+i-1] {
				// One of several bytes that stand for what is unknown together.
				s.spans = append(s.spans, s.spans[len(s.spans)-1])
				continue
			}
			span := Span{s.cur.from[start], s.cur.to[w.start+end-1]}
			piece := s.cur.b[start : w.start+end]
			s.spans = append(s.spans, t.template.trim.apply(piece, s.text, span, len(s.spans) == s.first))
			start = w.start + end
		}
	}
}
