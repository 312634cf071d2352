package tokenize

import (
	"sync"
	"unicode/utf8"
)

// A buffer is text on its way through the normalizers: UTF-8, always valid. Where spans are wanted,
// from[i] and to[i] are the half-open run of bytes of the original that byte i stands for.
type buffer struct {
	b        []byte
	from, to []int32
	spans    bool
}

// reset empties the buffer and says whether it is to keep spans.
func (t *buffer) reset(spans bool) {
	t.b, t.from, t.to = t.b[:0], t.from[:0], t.to[:0]
	t.spans = spans
}

// fill takes an original text that begins at byte at of a larger one. A byte that is not UTF-8
// becomes U+FFFD.
func (t *buffer) fill(text string, at int, spans bool) {
	t.reset(spans)
	if !spans && utf8.ValidString(text) {
		t.b = append(t.b, text...)
		return
	}
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			t.b = append(t.b, c)
			if spans {
				t.from = append(t.from, int32(at+i))
				t.to = append(t.to, int32(at+i+1))
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		t.add(r, int32(at+i), int32(at+i+size))
		i += size
	}
}

// add appends a character that stands for the bytes [from, to) of the original.
func (t *buffer) add(r rune, from, to int32) {
	n := len(t.b)
	t.b = utf8.AppendRune(t.b, r)
	if t.spans {
		for range len(t.b) - n {
			t.from = append(t.from, from)
			t.to = append(t.to, to)
		}
	}
}

// put appends a character in place of the byte i of src, with the span of that.
func (t *buffer) put(r rune, src *buffer, i int) {
	if !t.spans {
		t.b = utf8.AppendRune(t.b, r)
		return
	}
	t.add(r, src.from[i], src.to[i])
}

// keep appends the bytes [i, j) of src with their spans.
func (t *buffer) keep(src *buffer, i, j int) {
	t.b = append(t.b, src.b[i:j]...)
	if t.spans {
		t.from = append(t.from, src.from[i:j]...)
		t.to = append(t.to, src.to[i:j]...)
	}
}

// A word is a half-open run of bytes of a buffer that the model cuts into pieces by itself.
type word struct {
	start, end int32
	added      int32 // 0, or one more than the id of the added token that the word is
}

// A scratch holds what one encoding needs and the next one can use again.
type scratch struct {
	cur, alt *buffer
	text     string // the original
	first    int    // how many spans there were before it
	at       int    // where in it the part at hand begins
	words    []word
	spare    []word
	ids      []int32 // pieces of the word or text at hand
	ends     []int32 // their ends, in bytes from the word's start
	nodes    []node  // the best path to each byte
	path     []int32 // a path backwards
	spans    []Span  // what the pieces stand for
}

// scratches keeps them between encodings; which one a caller gets changes no result.
var scratches = sync.Pool{New: func() any { return &scratch{cur: &buffer{}, alt: &buffer{}} }}

// keepBytes bounds the scratch that is kept: one very long text does not hold its memory for ever.
const keepBytes = 1 << 20

// release gives a scratch back.
func (s *scratch) release() {
	s.text = ""
	if cap(s.cur.b) > keepBytes || cap(s.alt.b) > keepBytes || cap(s.nodes) > keepBytes {
		return
	}
	scratches.Put(s)
}

// swap makes what was written the text.
func (s *scratch) swap() { s.cur, s.alt = s.alt, s.cur }
