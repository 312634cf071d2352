package tokenize

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A bertNormalizer is what BERT does to text before it cuts it. Its four steps are one pass.
type bertNormalizer struct {
	clean, han, strip, lower bool
	// ascii is what each ASCII character becomes, 0 for nothing.
	ascii *[utf8.RuneSelf]byte
}

// newBertNormalizer makes one that drops control characters (clean), sets Chinese characters apart
// (han), strips accents and lowers case.
func newBertNormalizer(clean, han, strip, lower bool) bertNormalizer {
	n := bertNormalizer{clean: clean, han: han, strip: strip, lower: lower, ascii: &[utf8.RuneSelf]byte{}}
	for i := range n.ascii {
		c := byte(i)
		switch {
		case clean && (c == '\t' || c == '\n' || c == '\v' || c == '\f' || c == '\r'):
			// The reference calls \v and \f control characters, which go before spaces are looked at.
			if c != '\v' && c != '\f' {
				n.ascii[i] = ' '
			}
			continue
		case clean && (c < ' ' || c == 0x7f):
			continue
		case lower && c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
		}
		n.ascii[i] = c
	}
	return n
}

// apply appends src, normalised, to dst.
func (n bertNormalizer) apply(dst, src *buffer) {
	for i := 0; i < len(src.b); {
		c := src.b[i]
		if c < utf8.RuneSelf {
			if to := n.ascii[c]; to != 0 || c == 0 && !n.clean {
				dst.b = append(dst.b, to)
				if dst.spans {
					dst.from = append(dst.from, src.from[i])
					dst.to = append(dst.to, src.to[i])
				}
			}
			i++
			continue
		}
		r, size := utf8.DecodeRune(src.b[i:])
		n.rune(dst, src, i, r, size)
		i += size
	}
}

// rune appends what a character that is not ASCII becomes.
func (n bertNormalizer) rune(dst, src *buffer, i int, r rune, size int) {
	if isPlainHan(r) {
		if n.han {
			dst.put(' ', src, i)
			dst.keep(src, i, i+size)
			dst.put(' ', src, i)
		} else {
			dst.keep(src, i, i+size)
		}
		return
	}
	if n.clean {
		if r == utf8.RuneError || isOther(r) {
			return
		}
		if isSpace(r) {
			r = ' '
		}
	}
	han := n.han && isChinese(r)
	if han {
		dst.put(' ', src, i)
	}
	if n.strip {
		decompose(r, func(d rune) {
			if !isMark(d) {
				n.fold(dst, src, i, d)
			}
		})
	} else {
		n.fold(dst, src, i, r)
	}
	if han {
		dst.put(' ', src, i)
	}
}

// fold appends a character in lower case if that is wanted.
func (n bertNormalizer) fold(dst, src *buffer, i int, r rune) {
	if !n.lower {
		dst.put(r, src, i)
		return
	}
	lower(r, func(l rune) { dst.put(l, src, i) })
}

// lower yields the lower case of a character.
func lower(r rune, yield func(rune)) {
	if r == 'İ' {
		yield('i')
		yield('\u0307')
		return
	}
	yield(unicode.ToLower(r))
}

const (
	hangulBase, hangulEnd         = 0xAC00, 0xD7A4
	leadBase, vowelBase, tailBase = 0x1100, 0x1161, 0x11A7
	vowels, tails                 = 21, 28
)

// decompose yields the canonical decomposition of a character.
func decompose(r rune, yield func(rune)) {
	if r < 0xC0 {
		yield(r)
		return
	}
	if r >= hangulBase && r < hangulEnd {
		at := r - hangulBase
		yield(leadBase + at/(vowels*tails))
		yield(vowelBase + at%(vowels*tails)/tails)
		if tail := at % tails; tail > 0 {
			yield(tailBase + tail)
		}
		return
	}
	var buf [utf8.UTFMax]byte
	d := norm.NFD.Properties(utf8.AppendRune(buf[:0], r)).Decomposition()
	if len(d) == 0 || unicode.Is(laterForms, r) {
		yield(r)
		return
	}
	for len(d) > 0 {
		c, size := utf8.DecodeRune(d)
		yield(c)
		d = d[size:]
	}
}

// isPlainHan says whether a character is of the two great blocks of Chinese characters, which no
// step of BERT's changes.
func isPlainHan(r rune) bool {
	return r >= 0x4E00 && r <= 0x9FFF || r >= 0x3400 && r <= 0x4DBF
}

// isChinese says whether BERT sets a character apart as a Chinese one. The block at 2B820 begins
// only at 2B920, as in the reference.
func isChinese(r rune) bool {
	switch {
	case isPlainHan(r),
		r >= 0x20000 && r <= 0x2A6DF,
		r >= 0x2A700 && r <= 0x2B73F,
		r >= 0x2B740 && r <= 0x2B81F,
		r >= 0x2B920 && r <= 0x2CEAF,
		r >= 0xF900 && r <= 0xFAFF,
		r >= 0x2F800 && r <= 0x2FA1F:
		return true
	}
	return false
}

// isOther says whether BERT drops a character that is not ASCII: a control or format character, or
// one for private use.
func isOther(r rune) bool {
	switch {
	case r < 0xA0:
		return true
	case r == 0xAD:
		return true
	case r < 0x600:
		return false
	case r >= 0xE000 && r <= 0xF8FF:
		return true
	case r >= 0x2E80 && r < 0xE000:
		return false
	}
	return unicode.Is(unicode.Cf, r) && !unicode.Is(laterFormat, r) || unicode.Is(unicode.Co, r)
}

// isMark says whether a character is an accent that BERT strips.
func isMark(r rune) bool {
	if r < 0x300 || isPlainHan(r) || r >= 0x1100 && r < 0x135D || r >= 0x3041 && r < 0x3099 || r >= 0x309B && r < 0xA66F {
		return false
	}
	return unicode.Is(unicode.Mn, r) && !unicode.Is(laterMarks, r)
}

// isPunct says whether BERT sets a character apart as punctuation.
func isPunct(r rune) bool {
	if r < utf8.RuneSelf {
		return r > ' ' && r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a' || r > 'z' && r < 0x7f
	}
	if isPlainHan(r) || r >= hangulBase && r < hangulEnd {
		return false
	}
	return unicode.IsPunct(r) && !unicode.Is(laterPunctuation, r)
}

// A bertPreTokenizer cuts words at white space, which goes, and around punctuation, each character
// of which is a word.
type bertPreTokenizer struct{}

// apply cuts the words of s.
func (bertPreTokenizer) apply(s *scratch) {
	words := s.spare[:0]
	b := s.cur.b
	for _, w := range s.words {
		if w.added != 0 {
			words = append(words, w)
			continue
		}
		start := w.start
		for i := w.start; i < w.end; {
			r, size := rune(b[i]), int32(1)
			if r >= utf8.RuneSelf {
				var n int
				r, n = utf8.DecodeRune(b[i:w.end])
				size = int32(n)
			} else if r >= 'a' && r <= 'z' {
				i++
				continue
			}
			space := isSpace(r)
			if space || isPunct(r) {
				if start < i {
					words = append(words, word{start: start, end: i})
				}
				if !space {
					words = append(words, word{start: i, end: i + size})
				}
				start = i + size
			}
			i += size
		}
		if start < w.end {
			words = append(words, word{start: start, end: w.end})
		}
	}
	s.words, s.spare = words, s.words
}
