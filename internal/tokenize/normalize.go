package tokenize

import (
	"bytes"
	"regexp"
	"unicode"
	"unicode/utf8"
)

// A normalizer appends src, changed, to dst.
type normalizer interface {
	apply(dst, src *buffer)
}

// A stripper drops white space at the text's ends.
type stripper struct{ left, right bool }

// apply appends src without it.
func (n stripper) apply(dst, src *buffer) {
	i, j := 0, len(src.b)
	if n.left {
		i = j - len(bytes.TrimLeftFunc(src.b, isSpace))
	}
	if n.right {
		j = max(i, len(bytes.TrimRightFunc(src.b, isSpace)))
	}
	dst.keep(src, i, j)
}

// A replacer writes a text in place of each match of a pattern.
type replacer struct {
	find    func(b []byte) []int // the first match, nil for none; never empty
	content string
}

// findText finds a text.
func findText(pattern string) func([]byte) []int {
	want := []byte(pattern)
	return func(b []byte) []int {
		i := bytes.Index(b, want)
		if i < 0 {
			return nil
		}
		return []int{i, i + len(want)}
	}
}

// findPattern finds what matches an expression, leftmost first.
func findPattern(e *regexp.Regexp) func([]byte) []int {
	return func(b []byte) []int { return e.FindIndex(b) }
}

// apply appends src with the content for each match. It has the span of the match's last character.
func (n replacer) apply(dst, src *buffer) {
	at := 0
	for at < len(src.b) {
		m := n.find(src.b[at:])
		if m == nil || m[1] <= m[0] {
			break
		}
		dst.keep(src, at, at+m[0])
		end := at + m[1]
		for _, r := range n.content {
			dst.put(r, src, end-1)
		}
		at = end
	}
	dst.keep(src, at, len(src.b))
}

// A spacesReplacer does what a replacer of the expression " {2,}" by one space does.
type spacesReplacer struct{}

// apply appends src with single spaces.
func (spacesReplacer) apply(dst, src *buffer) {
	b, at := src.b, 0
	for i := 0; i+1 < len(b); i++ {
		if b[i] == ' ' && b[i+1] == ' ' {
			dst.keep(src, at, i)
			at = i + 1
		}
	}
	dst.keep(src, at, len(b))
}

// A lowercaser writes lower case.
type lowercaser struct{}

// apply appends src in lower case.
func (lowercaser) apply(dst, src *buffer) {
	for i := 0; i < len(src.b); {
		r, size := utf8.DecodeRune(src.b[i:])
		lower(r, func(l rune) { dst.put(l, src, i) })
		i += size
	}
}

// An accentStripper drops combining characters.
type accentStripper struct{}

// apply appends src without them.
func (accentStripper) apply(dst, src *buffer) {
	for i := 0; i < len(src.b); {
		r, size := utf8.DecodeRune(src.b[i:])
		if r < 0x300 || !unicode.Is(unicode.M, r) || unicode.Is(laterAccents, r) {
			dst.keep(src, i, i+size)
		}
		i += size
	}
}

// A prepender writes a text before one that is not empty.
type prepender struct{ text string }

// apply appends src with the text, which has the span of src's first character.
func (n prepender) apply(dst, src *buffer) {
	if len(src.b) == 0 {
		return
	}
	for _, r := range n.text {
		dst.put(r, src, 0)
	}
	dst.keep(src, 0, len(src.b))
}

// An nmtNormalizer drops control characters and writes spaces for other kinds of them.
type nmtNormalizer struct{}

// apply appends src so.
func (nmtNormalizer) apply(dst, src *buffer) {
	for i := 0; i < len(src.b); {
		r, size := utf8.DecodeRune(src.b[i:])
		switch {
		case r >= 0x01 && r <= 0x08, r == 0x0B, r >= 0x0E && r <= 0x1F, r == 0x7F, r == 0x8F, r == 0x9F:
		case r == 0x09, r == 0x0A, r == 0x0C, r == 0x0D, r == 0x1680, r >= 0x200B && r <= 0x200F,
			r == 0x2028, r == 0x2029, r == 0x2581, r == 0xFEFF, r == 0xFFFD:
			dst.put(' ', src, i)
		default:
			dst.keep(src, i, i+size)
		}
		i += size
	}
}
