package tokenize

import "unicode/utf8"

// A preTokenizer cuts the words of a text into smaller ones. It may write the text anew.
type preTokenizer interface {
	apply(s *scratch)
}

// A whitespaceSplit cuts at white space, which goes.
type whitespaceSplit struct{}

// apply cuts the words of s.
func (whitespaceSplit) apply(s *scratch) {
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
			}
			if isSpace(r) {
				if start < i {
					words = append(words, word{start: start, end: i})
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

// A prepend says before which words a metaspace writes its mark.
type prepend int

const (
	prependAlways prepend = iota
	prependFirst          // only the word that begins where the text does
	prependNever
)

// A metaspace writes a mark in place of each space, and before words that do not begin with one, so
// that pieces tell where words begin.
type metaspace struct {
	mark    rune
	prepend prepend
	split   bool // cut before each mark
}

// apply writes the words of s with their marks.
func (m metaspace) apply(s *scratch) {
	words := s.spare[:0]
	src, dst := s.cur, s.alt
	dst.reset(src.spans)
	var mark [utf8.UTFMax]byte
	size := utf8.EncodeRune(mark[:], m.mark)
	for _, w := range s.words {
		start := int32(len(dst.b))
		if w.added != 0 {
			dst.keep(src, int(w.start), int(w.end))
			words = append(words, word{start: start, end: int32(len(dst.b)), added: w.added})
			continue
		}
		text := src.b[w.start:w.end]
		if first, _ := utf8.DecodeRune(text); first != m.mark && first != ' ' &&
			(m.prepend == prependAlways || m.prepend == prependFirst && (s.at == 0 && w.start == 0 || src.from[w.start] == 0)) {
			dst.put(m.mark, src, int(w.start))
		}
		for i := 0; i < len(text); {
			at := int(w.start) + i
			space := text[i] == ' '
			is := space || text[i] == mark[0] && i+size <= len(text) && string(text[i:i+size]) == string(mark[:size])
			if is && m.split && start < int32(len(dst.b)) {
				words = append(words, word{start: start, end: int32(len(dst.b))})
				start = int32(len(dst.b))
			}
			switch {
			case space:
				dst.put(m.mark, src, at)
				i++
			case is:
				dst.keep(src, at, at+size)
				i += size
			default:
				end := i + 1
				for end < len(text) && text[end] != ' ' && text[end] != mark[0] {
					end++
				}
				dst.keep(src, at, int(w.start)+end)
				i = end
			}
		}
		words = append(words, word{start: start, end: int32(len(dst.b))})
	}
	s.words, s.spare = words, s.words
	s.swap()
}
