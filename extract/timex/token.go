package timex

import (
	"unicode"
	"unicode/utf8"
)

// tokenKind is the shape of a token.
type tokenKind uint8

const (
	wordTok  tokenKind = iota // letters
	numTok                    // digits
	markTok                   // any other character
	otherTok                  // a run of a script that the English grammar does not read
)

// token is bytes [s, e) of the text.
type token struct {
	s, e int
	kind tokenKind
	// glued tells that no space stands before it, upper that it starts with a
	// capital, poss that a possessive ending was cut off it.
	glued, upper, poss bool
	// low is the text in lower case, without a possessive ending.
	low string
	// n is the number of a numTok, -1 where it has more than nine digits.
	n int
	// word is what the table of words knows of it.
	word word
}

// maxWord bounds the words that the table is asked about.
const maxWord = 14

// tokenize cuts a text and tells whether it has a word or number that can carry
// a time. Letters and digits are cut apart: "3pm" is two tokens.
func tokenize(text string) (toks []token, carries bool) {
	toks = make([]token, 0, len(text)/4+4)
	glued := false
	for i := 0; i < len(text); {
		c := text[i]
		t := token{s: i, glued: glued, n: -1}
		next := i
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			glued = false
			i++
			continue
		case c >= '0' && c <= '9':
			t.kind, t.n = numTok, 0
			for t.e = i; t.e < len(text) && text[t.e] >= '0' && text[t.e] <= '9'; t.e++ {
				if t.e-i < 9 {
					t.n = 10*t.n + int(text[t.e]-'0')
				} else {
					t.n = -1
				}
			}
			t.low = text[i:t.e]
			carries = true
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			t.e = wordEnd(text, i)
			t.upper = c < 'a'
			t.low = lowerASCII(text[i:t.e])
			next = t.cutPossessive(text)
			if n := len(t.low); n > 0 && n <= maxWord && wordShapes[t.low[0]-'a'][n] {
				t.word = words[t.low]
				carries = carries || t.word.class&carrier != 0
			}
		default:
			r, n := utf8.DecodeRuneInString(text[i:])
			if unicode.IsSpace(r) {
				glued = false
				i += n
				continue
			}
			t.kind, t.e = markTok, i+n
			if unicode.IsLetter(r) || unicode.IsMark(r) {
				t.kind = otherTok
				for t.e < len(text) {
					r, n := utf8.DecodeRuneInString(text[t.e:])
					if r < 0x80 || !unicode.IsLetter(r) && !unicode.IsMark(r) {
						break
					}
					t.e += n
				}
			}
			t.low = text[i:min(t.e, i+4)]
			if r == '’' || r == '‘' {
				t.low = "'"
			} else if r == '：' {
				t.low = ":"
			} else if r == '–' || r == '—' || r == '~' || r == '～' {
				t.low = "-"
			}
		}
		glued = true
		i = max(t.e, next)
		toks = append(toks, t)
	}
	return toks, carries
}

// wordEnd gives the end of Latin letters; "o'clock" and "mother's" are one word.
func wordEnd(text string, i int) int {
	for i < len(text) {
		c := text[i]
		if c|0x20 >= 'a' && c|0x20 <= 'z' {
			i++
			continue
		}
		if n := apostrophe(text, i); n > 0 && i+n < len(text) && text[i+n]|0x20 >= 'a' && text[i+n]|0x20 <= 'z' {
			i += n + 1
			continue
		}
		break
	}
	return i
}

// apostrophe gives the length of an apostrophe at i, or 0.
func apostrophe(text string, i int) int {
	if text[i] == '\'' {
		return 1
	}
	if len(text) >= i+3 && text[i] == 0xe2 && text[i+1] == 0x80 && text[i+2] == 0x99 {
		return 3
	}
	return 0
}

// cutPossessive takes "'s" off the word and joins what else stands around an
// apostrophe. It gives where the next token may start.
func (t *token) cutPossessive(text string) (next int) {
	next = t.e
	for i := t.s; i < t.e; i++ {
		n := apostrophe(text, i)
		if n == 0 {
			continue
		}
		head, tail := lowerASCII(text[t.s:i]), lowerASCII(text[i+n:t.e])
		if tail == "s" {
			t.low, t.poss, t.e = head, true, i
		} else {
			t.low = head + tail
		}
		break
	}
	return next
}

// lowerASCII gives s in lower case; most words are already.
func lowerASCII(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] >= 'A' && s[i] <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if b[i] >= 'A' && b[i] <= 'Z' {
					b[i] |= 0x20
				}
			}
			return string(b)
		}
	}
	return s
}
