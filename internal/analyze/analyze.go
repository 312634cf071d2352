package analyze

import (
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
	"golang.org/x/text/unicode/norm"
)

// Version names this analysis. It changes whenever any text could give other
// terms than before, which includes new Unicode tables.
const Version = "uax29+snowball/1"

// MaxTermBytes is the longest term, in bytes of UTF-8.
const MaxTermBytes = 64

// Token is one term and where it stood.
type Token struct {
	Term string
	// Start and End are the half-open range of bytes in the analysed text that
	// the term was made from. Terms of a run of characters overlap; the terms of
	// one text are in order of their Start.
	Start, End int
}

// Analyzer makes terms. Its zero value is ready to use and may be shared by
// goroutines; what it holds is a bounded memory of words seen, which changes
// how fast it answers and nothing else.
type Analyzer struct {
	seen [cacheSlots]atomic.Pointer[seenWord]
}

const cacheSlots = 1 << 13

type seenWord struct{ raw, term string }

// Tokens appends the terms of text to dst, in the order they stand in, and
// returns the extended slice. A Term may share memory with text.
func (a *Analyzer) Tokens(dst []Token, text string) []Token {
	for at := 0; at < len(text); {
		end, kind := span(text, at)
		switch kind {
		case spaced:
			dst = a.words(dst, text[at:end], at)
		case unspaced:
			dst = pairs(dst, text[at:end], at)
		}
		at = end
	}
	return dst
}

// Terms appends the terms of text alone, without their places.
func (a *Analyzer) Terms(dst []string, text string) []string {
	var buf [64]Token
	for _, t := range a.Tokens(buf[:0], text) {
		dst = append(dst, t.Term)
	}
	return dst
}

// spanKind says how a stretch of text is cut into terms.
type spanKind int

const (
	spaced   spanKind = iota // words with boundaries
	unspaced                 // a run of a script that does not mark its words
	broken                   // bytes that are not UTF-8
)

// span returns the end of the longest stretch from at that is of one kind.
func span(text string, at int) (end int, kind spanKind) {
	kind = -1
	for end = at; end < len(text); {
		k, size := spaced, 1
		if text[end] >= utf8.RuneSelf {
			var r rune
			r, size = utf8.DecodeRuneInString(text[end:])
			switch {
			case r == utf8.RuneError && size == 1:
				k = broken
			case unspacedRune(r), kind == unspaced && clings(r):
				k = unspaced
			}
		}
		if kind >= 0 && k != kind {
			return end, kind
		}
		kind = k
		end += size
	}
	return end, kind
}

// unspacedScripts are those whose words are not set apart by spaces, and
// Hangul, whose words are, but carry their particles with them.
var unspacedScripts = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

func unspacedRune(r rune) bool {
	switch {
	case r < 0x0E00:
		return false // Latin to Tibetan: no script of the list, and most text
	case r >= 0x4E00 && r <= 0x9FFF:
		return true
	case r >= 0x2000 && r < 0x2E80, r >= 0x1F000 && r < 0x20000:
		return false // punctuation, symbols, emoji
	case r == 'ー' || r == 'ｰ':
		return true // the mark for a long vowel belongs to no script
	}
	return unicode.In(r, unspacedScripts...) && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.Is(unicode.Nl, r))
}

// clings reports whether r, after a character of an unspaced script, is part
// of it: a voicing mark or a variation selector.
func clings(r rune) bool { return unicode.IsMark(r) || r == 'ﾞ' || r == 'ﾟ' }

// pairs appends the overlapping pairs of characters of a run that starts at
// byte base.
func pairs(dst []Token, run string, base int) []Token {
	if !norm.NFKC.IsNormalString(run) {
		return composedPairs(dst, run, base)
	}
	first := len(dst)
	prev, end := -1, 0
	for at, r := range run {
		size := utf8.RuneLen(r)
		if selector(r) {
			return composedPairs(dst[:first], run, base)
		}
		end = at + size
		if prev >= 0 {
			dst = append(dst, Token{Term: run[prev:end], Start: base + prev, End: base + end})
		}
		prev = at
	}
	if len(dst) == first {
		dst = append(dst, Token{Term: run, Start: base, End: base + end})
	}
	return dst
}

// composedPairs is pairs for a run that is not its own normal form.
func composedPairs(dst []Token, run string, base int) []Token {
	type char struct {
		r          rune
		start, end int
	}
	var last char
	n := 0
	emit := func(c char) {
		if n++; n > 1 {
			dst = append(dst, Token{Term: string([]rune{last.r, c.r}), Start: base + last.start, End: base + c.end})
		}
		last = c
	}
	var it norm.Iter
	it.InitString(norm.NFKC, run)
	for !it.Done() {
		start := it.Pos()
		segment := it.Next()
		end := it.Pos()
		for len(segment) > 0 {
			r, size := utf8.DecodeRune(segment)
			segment = segment[size:]
			if !selector(r) && !unicode.IsSpace(r) {
				emit(char{r, start, end})
			}
		}
	}
	if n == 1 {
		dst = append(dst, Token{Term: string(last.r), Start: base + last.start, End: base + last.end})
	}
	return dst
}

// selector reports whether r only chooses among the shapes of the character
// before it.
func selector(r rune) bool { return unicode.Is(unicode.Variation_Selector, r) }

// words appends the terms of a stretch of spaced text that starts at byte base.
func (a *Analyzer) words(dst []Token, text string, base int) []Token {
	it := words.FromString(text)
	for it.Next() {
		start, end := it.Start(), it.End()
		if b := text[start]; end == start+1 && !asciiAlnum(b) {
			continue // a lone space or punctuation mark, half of all there is
		}
		dst = a.word(dst, text[start:end], base+start)
	}
	return dst
}

// word appends the terms of one word, which starts at byte base.
func (a *Analyzer) word(dst []Token, raw string, base int) []Token {
	if plainWord(raw) {
		return a.append(dst, raw, base, base+len(raw))
	}
	if joined, ok := initials(raw); ok {
		return a.append(dst, joined, base, base+len(raw))
	}
	for at := 0; at < len(raw); {
		start, end := piece(raw, at)
		if start < end {
			dst = a.append(dst, raw[start:end], base+start, base+end)
		}
		at = end
	}
	return dst
}

// append appends the term of one piece, if it has one.
func (a *Analyzer) append(dst []Token, raw string, start, end int) []Token {
	if term := a.term(raw); term != "" {
		dst = append(dst, Token{Term: term, Start: start, End: end})
	}
	return dst
}

// term returns the term of one piece, from memory where it can.
func (a *Analyzer) term(raw string) string {
	if len(raw) > MaxTermBytes {
		return makeTerm(raw)
	}
	slot := &a.seen[hash(raw)%cacheSlots]
	if w := slot.Load(); w != nil && w.raw == raw {
		return w.term
	}
	w := &seenWord{raw: string([]byte(raw))} // a copy, so as not to hold on to the whole text
	w.term = makeTerm(w.raw)
	slot.Store(w)
	return w.term
}

// hash is FNV-1a; it only chooses a slot.
func hash(s string) uint32 {
	h := uint32(2166136261)
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return h ^ h>>15
}
