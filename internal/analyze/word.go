package analyze

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// maxRawBytes bounds how much of a piece is looked at: more than enough for
// MaxTermBytes of term, and little enough that a megabyte without a boundary
// costs nothing.
const maxRawBytes = 4 * MaxTermBytes

func asciiAlnum(b byte) bool {
	return b-'0' < 10 || (b|0x20)-'a' < 26
}

// plainWord reports whether raw is ASCII letters and digits and nothing else.
func plainWord(raw string) bool {
	for i := range len(raw) {
		if !asciiAlnum(raw[i]) {
			return false
		}
	}
	return true
}

// initials joins single letters between full stops, as in U.S.A.
func initials(raw string) (string, bool) {
	if len(raw) < 3 || len(raw) > MaxTermBytes {
		return "", false
	}
	var b strings.Builder
	letter := true
	for _, r := range raw {
		if letter != unicode.IsLetter(r) || !letter && r != '.' {
			return "", false
		}
		if letter {
			b.WriteRune(r)
		}
		letter = !letter
	}
	return b.String(), true
}

func apostrophe(r rune) bool {
	switch r {
	case '\'', '’', '‘', '‛', 'ʼ', '＇':
		return true
	}
	return false
}

// piece finds the next part of a word at or after byte at that makes one term:
// letters, digits and their marks, with an apostrophe between letters and with
// a full stop or comma between digits. start equals end where there is none.
func piece(raw string, at int) (start, end int) {
	start = -1
	var prev rune
	for end = at; end < len(raw); {
		r, size := utf8.DecodeRuneInString(raw[end:])
		switch {
		case unicode.IsLetter(r) || unicode.IsNumber(r):
			if start < 0 {
				start = end
			}
		case start < 0:
		case unicode.IsMark(r) || unicode.Is(unicode.Cf, r):
			end += size
			continue // leaves prev what it was
		case !inner(r, prev, raw[end+size:]):
			return start, end
		}
		prev = r
		end += size
	}
	if start < 0 {
		start = end
	}
	return start, end
}

// inner reports whether r joins what stands before and after it.
func inner(r, prev rune, rest string) bool {
	next, _ := utf8.DecodeRuneInString(rest)
	if apostrophe(r) {
		return unicode.IsLetter(prev) && unicode.IsLetter(next)
	}
	return (r == '.' || r == ',') && unicode.IsDigit(prev) && unicode.IsDigit(next)
}

// makeTerm returns the term of one piece, or "" for none.
func makeTerm(raw string) string {
	if len(raw) > maxRawBytes {
		raw = cut(raw, maxRawBytes)
	}
	text := foldText(raw)
	if i := strings.LastIndexByte(text, '\''); i > 0 && clitic(text[i+1:]) {
		text = text[:i]
	}
	buf := make([]byte, 0, MaxTermBytes+utf8.UTFMax)
	latin := true       // only Latin letters so far
	afterLatin := false // marks that come now are accents
	for _, r := range text {
		switch {
		case r >= 'a' && r <= 'z':
			afterLatin = true
		case unicode.IsMark(r):
			if afterLatin {
				continue
			}
			latin = false
		case unicode.IsLetter(r):
			afterLatin = unicode.Is(unicode.Latin, r)
			latin = latin && afterLatin
		case unicode.IsNumber(r), r == '.':
			latin, afterLatin = false, false
		default:
			continue // an apostrophe, a thousands separator, a format character
		}
		if buf = utf8.AppendRune(buf, r); len(buf) > MaxTermBytes {
			break
		}
	}
	term := strings.Trim(cut(string(buf), MaxTermBytes), ".")
	if latin && len(term) > 2 {
		if stem := english.Stem(term, true); stem != "" {
			term = stem
		}
	}
	return term
}

// clitic reports whether rest, what follows an apostrophe, is one of the
// endings that English hangs on a word of its own.
func clitic(rest string) bool {
	switch rest {
	case "s", "ll", "re", "ve", "d", "m":
		return true
	}
	return false
}

// foldText returns s with compatibility forms and case differences removed,
// and with one kind of apostrophe. Accents of Latin letters stand apart, as
// marks of their own.
func foldText(s string) string {
	ascii := true
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			ascii = false
			break
		}
	}
	if ascii {
		return strings.ToLower(s)
	}
	s = cases.Fold().String(norm.NFKC.String(s))
	var b strings.Builder
	for _, r := range norm.NFKC.String(s) {
		switch {
		case apostrophe(r):
			b.WriteByte('\'')
		case unicode.Is(unicode.Latin, r):
			b.WriteString(norm.NFKD.String(string(r)))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// cut returns the longest prefix of s that has at most n bytes and does not
// split a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
