package tokenize

import (
	"container/heap"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A bpeModel joins the characters of a word pair by pair, the pair that was learnt first
// before all others, as RoBERTa and GPT-2 do. It knows words as byte-level pieces write
// them: each byte is one character.
type bpeModel struct {
	chars  map[rune]int32
	merges map[[2]int32]merge
	unk    int32 // -1: an unknown character gives nothing
}

// A merge is what a pair of pieces becomes, and when it was learnt.
type merge struct{ rank, id int32 }

// loadBPE reads a BPE model.
func (t *Tokenizer) loadBPE(v jsontext.Value) error {
	var m struct {
		Type         string           `json:"type"`
		Dropout      *float64         `json:"dropout"`
		Unknown      *string          `json:"unk_token"`
		Prefix       *string          `json:"continuing_subword_prefix"`
		Suffix       *string          `json:"end_of_word_suffix"`
		Fuse         bool             `json:"fuse_unk"`
		Bytes        bool             `json:"byte_fallback"`
		IgnoreMerges bool             `json:"ignore_merges"`
		Vocab        map[string]int32 `json:"vocab"`
		Merges       []filePair       `json:"merges"`
	}
	if err := component(v, "model", &m); err != nil {
		return err
	}
	set := func(s *string) bool { return s != nil && *s != "" }
	switch {
	case m.Dropout != nil && *m.Dropout != 0:
		return errors.New("model: dropout is not supported: a text has one reading")
	case set(m.Prefix) || set(m.Suffix) || m.Fuse || m.Bytes || m.IgnoreMerges:
		return errors.New("model: of BPE only the byte-level kind is supported, without prefix, suffix, fuse_unk, byte_fallback and ignore_merges")
	}
	b := &bpeModel{chars: map[rune]int32{}, merges: make(map[[2]int32]merge, len(m.Merges)), unk: -1}
	t.ids = make(map[string]int32, len(m.Vocab))
	for text, id := range m.Vocab {
		if id < 0 || id > maxID {
			return fmt.Errorf("model: vocab: %q has the id %d; ids are 0 to %d", text, id, maxID)
		}
		t.name(text, id)
		if r, size := utf8.DecodeRuneInString(text); size == len(text) && size > 0 {
			b.chars[r] = id
		}
	}
	for i, p := range m.Merges {
		left, ok := m.Vocab[p[0]]
		right, ok2 := m.Vocab[p[1]]
		id, ok3 := m.Vocab[p[0]+p[1]]
		if !ok || !ok2 || !ok3 {
			return fmt.Errorf("model: merges[%d]: the vocabulary lacks %q, %q or what they make", i, p[0], p[1])
		}
		b.merges[[2]int32{left, right}] = merge{int32(i), id}
	}
	if m.Unknown != nil {
		id, ok := m.Vocab[*m.Unknown]
		if !ok {
			return fmt.Errorf("model: the vocabulary lacks the unknown piece %q", *m.Unknown)
		}
		b.unk = id
	}
	t.model = b
	return nil
}

// A filePair is a merge as tokenizer.json writes it: two texts in brackets, or with a
// space between.
type filePair [2]string

// UnmarshalJSONFrom reads a pair.
func (p *filePair) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if d.PeekKind() == '[' {
		var list []string
		if err := json.UnmarshalDecode(d, &list); err != nil {
			return err
		}
		if len(list) != 2 {
			return fmt.Errorf("a merge of %d pieces", len(list))
		}
		*p = filePair(list)
		return nil
	}
	var s string
	if err := json.UnmarshalDecode(d, &s); err != nil {
		return err
	}
	left, right, ok := strings.Cut(s, " ")
	if !ok || left == "" || right == "" || strings.Contains(right, " ") {
		return fmt.Errorf("the merge %q is not two pieces", s)
	}
	*p = filePair{left, right}
	return nil
}

// A symbol is a piece of a word on its way, in a list.
type symbol struct {
	id         int32
	end        int32 // in bytes from the word's start
	prev, next int32 // -1: none
	gone       bool
}

// A pairAt is a pair that may be joined: where its left piece is, and what both were when
// it was found.
type pairAt struct {
	merge
	at, left, right int32
}

// pairs is a heap of pairs, the one that was learnt first on top, then the leftmost.
type pairs []pairAt

func (p pairs) Len() int { return len(p) }
func (p pairs) Less(i, j int) bool {
	if p[i].rank != p[j].rank {
		return p[i].rank < p[j].rank
	}
	return p[i].at < p[j].at
}
func (p pairs) Swap(i, j int) { p[i], p[j] = p[j], p[i] }
func (p *pairs) Push(x any)   { *p = append(*p, x.(pairAt)) }
func (p *pairs) Pop() any {
	last := (*p)[len(*p)-1]
	*p = (*p)[:len(*p)-1]
	return last
}

// cut cuts a word. Its cost grows as n log n with the word.
func (b *bpeModel) cut(s *scratch, word []byte) {
	list := make([]symbol, 0, len(word))
	for at := 0; at < len(word); {
		r, size := utf8.DecodeRune(word[at:])
		at += size
		id, ok := b.chars[r]
		if !ok {
			id = b.unk
		}
		if id < 0 {
			continue
		}
		n := int32(len(list))
		list = append(list, symbol{id: id, end: int32(at), prev: n - 1, next: n + 1})
	}
	if len(list) == 0 {
		return
	}
	list[len(list)-1].next = -1
	var open pairs
	look := func(at int32) {
		if at < 0 || list[at].next < 0 {
			return
		}
		left, right := list[at].id, list[list[at].next].id
		if m, ok := b.merges[[2]int32{left, right}]; ok {
			heap.Push(&open, pairAt{m, at, left, right})
		}
	}
	for i := range list {
		look(int32(i))
	}
	for len(open) > 0 {
		p := heap.Pop(&open).(pairAt)
		l := &list[p.at]
		if l.gone || l.id != p.left || l.next < 0 || list[l.next].id != p.right {
			continue // one of the two became another piece
		}
		r := &list[l.next]
		r.gone = true
		l.id, l.end, l.next = p.id, r.end, r.next
		if l.next >= 0 {
			list[l.next].prev = p.at
		}
		look(l.prev)
		look(p.at)
	}
	for i := range list {
		if !list[i].gone {
			s.ids, s.ends = append(s.ids, list[i].id), append(s.ends, list[i].end)
		}
	}
}

// A byteLevel cuts text as GPT-2 does, words with the space before them, and writes each
// byte as a character of its own.
type byteLevel struct {
	prefix bool // write a space before a word that begins with none
	cut    bool
}

// byteChars are the characters that bytes are written as: printable ones as they are, the
// others in their order from U+0100 on.
var byteChars = func() (out [256]rune) {
	other := rune(0x100)
	for i := range out {
		r := rune(i)
		if r >= '!' && r <= '~' || r >= 0xa1 && r <= 0xac || r >= 0xae {
			out[i] = r
			continue
		}
		out[i] = other
		other++
	}
	return out
}()

// loadByteLevel reads a ByteLevel.
func loadByteLevel(v jsontext.Value, where string) (byteLevel, error) {
	c := struct {
		Type   string `json:"type"`
		Prefix bool   `json:"add_prefix_space"`
		Trim   bool   `json:"trim_offsets"`
		Regex  *bool  `json:"use_regex"`
	}{Prefix: true}
	if err := component(v, where, &c); err != nil {
		return byteLevel{}, err
	}
	return byteLevel{prefix: c.Prefix, cut: c.Regex == nil || *c.Regex}, nil
}

// apply cuts the words of s and writes them by bytes.
func (l byteLevel) apply(s *scratch) {
	words := s.spare[:0]
	src, dst := s.cur, s.alt
	dst.reset(src.spans)
	write := func(from, to int32) {
		for i := from; i < to; i++ {
			dst.put(byteChars[src.b[i]], src, int(i))
		}
	}
	for _, w := range s.words {
		start := int32(len(dst.b))
		if w.added != 0 {
			dst.keep(src, int(w.start), int(w.end))
			words = append(words, word{start: start, end: int32(len(dst.b)), added: w.added})
			continue
		}
		text := src.b[w.start:w.end]
		before := l.prefix && text[0] != ' '
		if before {
			dst.put(byteChars[' '], src, int(w.start))
		}
		for at := 0; at < len(text); {
			n := len(text)
			if l.cut {
				n = at + gptWord(text[at:], before)
			}
			write(w.start+int32(at), w.start+int32(n))
			words = append(words, word{start: start, end: int32(len(dst.b))})
			start, at, before = int32(len(dst.b)), n, false
		}
	}
	s.words, s.spare = words, s.words
	s.swap()
}

// contractionTails are cut off by themselves.
var contractionTails = []string{"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}

// gptWord gives the length in bytes of the first word of a text: the tail of a
// contraction; letters, numbers or other marks, with a space before them; or white space,
// without its last character where a word follows. spaced tells that a space which is not
// in the text stands before it.
func gptWord(text []byte, spaced bool) int {
	const (
		letter = iota
		number
		other
		space
	)
	kind := func(r rune) int {
		switch {
		case isSpace(r):
			return space
		case unicode.IsLetter(r):
			return letter
		case unicode.In(r, unicode.N):
			return number
		}
		return other
	}
	if !spaced && text[0] == '\'' {
		if i := slices.IndexFunc(contractionTails, func(t string) bool { return strings.HasPrefix(string(text[:min(len(text), 3)]), t) }); i >= 0 {
			return len(contractionTails[i])
		}
	}
	run := func(from int) (n, k, last int) {
		for n = from; n < len(text); {
			r, size := utf8.DecodeRune(text[n:])
			if n == from {
				k = kind(r)
			} else if kind(r) != k {
				break
			}
			last = size
			n += size
		}
		return n, k, last
	}
	if text[0] == ' ' && len(text) > 1 && !spaced {
		if n, k, _ := run(1); k != space {
			return n
		}
	}
	n, k, last := run(0)
	if k == space && n < len(text) && n > last {
		return n - last
	}
	return n
}
