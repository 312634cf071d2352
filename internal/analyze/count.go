package analyze

import (
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

// Words counts the words of text the way a reader would: one for each word
// that has a letter or a digit, one for each character of a script that does
// not mark its words. It is a measure of length, not of terms.
func Words(text string) int {
	n := 0
	for at := 0; at < len(text); {
		end, kind := span(text, at)
		switch kind {
		case unspaced:
			n += utf8.RuneCountInString(text[at:end])
		case spaced:
			it := words.FromString(text[at:end])
			for it.Next() {
				word := it.Value()
				if start, stop := piece(word, 0); start < stop {
					n++
				}
			}
		}
		at = end
	}
	return n
}
