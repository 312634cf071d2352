package tagger

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is the shape of a token.
type kind uint8

const (
	word   kind = iota // letters, digits inside
	number             // digits, inner points, commas and colons
	han                // one Chinese character
	mark               // any other character
)

// tok is one unit of a text: bytes [start, end).
type tok struct {
	start, end int
	kind       kind
	// upper tells that a letter of it is a capital, initial that the first is.
	upper, initial bool
	// first tells that it opens a sentence, space that white space stands before.
	first, space bool
	// quote is 1 inside quotation or title marks and 2 for the first token there.
	quote uint8
	// flags are what the lists know of it: bits in English, see the lists.
	flags uint32
	// next is its first character, low and form hash it in lower case and as
	// written, shape its shape, runs of one kind drawn together.
	next             rune
	low, form, shape uint64
}

// maxWord bounds how much of one word is looked at; longer ones are no names.
const maxWord = 64

func isHan(r rune) bool {
	return r >= 0x3400 && r <= 0x9fff || r >= 0x20000 && r <= 0x3ffff || r == 0x3007
}

func isLetter(r rune) bool {
	if r < utf8.RuneSelf {
		return r|0x20 >= 'a' && r|0x20 <= 'z'
	}
	return unicode.IsLetter(r) && !isHan(r)
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

// clitic tells whether the letters after an apostrophe are a word of their own.
func clitic(s string) int {
	for _, c := range [...]string{"s", "m", "re", "ve", "ll", "d", "t"} {
		if len(s) >= len(c) && strings.EqualFold(s[:len(c)], c) {
			if r, _ := utf8.DecodeRuneInString(s[len(c):]); !isLetter(r) && !isDigit(r) || len(s) == len(c) {
				return len(c)
			}
		}
	}
	return 0
}

// tokenize appends the tokens of a text to dst.
func tokenize(dst []tok, text string) []tok {
	first, space := true, false
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if unicode.IsSpace(r) {
			space = true
			first = first || r == '\n'
			i += n
			continue
		}
		t := tok{start: i, first: first, space: space, next: r}
		space = false
		first = false
		switch {
		case isHan(r):
			t.kind, t.end = han, i+n
			t.form = hashRune(seed, r)
			t.low = t.form
		case isLetter(r):
			t.kind, t.end = word, wordEnd(text, i)
			describe(&t, text[i:t.end])
		case isDigit(r):
			t.kind, t.end = number, numberEnd(text, i)
			describe(&t, text[i:t.end])
		default:
			t.kind, t.end = mark, i+n
			if r == '\'' || r == '’' {
				if c := clitic(text[i+n:]); c > 0 && i > 0 && !t.space {
					t.end += c
				}
			}
			switch r {
			case '.', '!', '?', '…', '。', '！', '？', '；', '~', '～':
				first = true
			}
			t.low = hashLower(seed, text[i:t.end])
			t.form, t.shape = t.low, t.low
		}
		i = t.end
		dst = append(dst, t)
	}
	return dst
}

// wordEnd gives the end of the word at i: letters and digits, apostrophes inside
// that start no clitic, hyphens before a capital, "&" before a letter, and the
// points of initials (U.S.).
func wordEnd(text string, i int) int {
	j, letters := i, 0
	for j < len(text) {
		r, n := utf8.DecodeRuneInString(text[j:])
		if isLetter(r) || isDigit(r) || unicode.IsMark(r) {
			j += n
			letters++
			continue
		}
		after, _ := utf8.DecodeRuneInString(text[j+n:])
		switch {
		case (r == '\'' || r == '’') && isLetter(after) && clitic(text[j+n:]) == 0:
		case r == '-' && (unicode.IsUpper(after) || isDigit(after)):
		case r == '&' && isLetter(after):
		case r == '.' && letters == 1 && unicode.IsUpper(rune(text[j-1])) && (unicode.IsUpper(after) && single(text[j+n:]) || j > i+1):
		default:
			return j
		}
		j += n
		letters = 0
	}
	return j
}

// single tells whether s starts with one letter and a point.
func single(s string) bool {
	_, n := utf8.DecodeRuneInString(s)
	return strings.HasPrefix(s[n:], ".")
}

func numberEnd(text string, i int) int {
	for i < len(text) {
		if isDigit(rune(text[i])) || (text[i] == ',' || text[i] == '.' || text[i] == ':') && i+1 < len(text) && isDigit(rune(text[i+1])) {
			i++
			continue
		}
		break
	}
	return i
}

// describe fills in the hashes of a word or a number.
func describe(t *tok, s string) {
	if len(s) > maxWord {
		s = s[:maxWord]
	}
	t.form, t.low = hashText(seed, s), hashLower(seed, s)
	shape, last := uint64(seed), rune(0)
	for i, r := range s {
		c := r
		switch {
		case unicode.IsUpper(r):
			c = 'X'
			t.upper = true
			t.initial = t.initial || i == 0
		case isDigit(r):
			c = 'd'
		case isLetter(r):
			c = 'x'
		}
		if c != last {
			shape = hashRune(shape, c)
			last = c
		}
	}
	t.shape = shape
}
