package question

import "unicode/utf8"

// Language is what a question is written in.
type Language string

// The languages that are told apart. Unknown is a text without a letter of
// either.
const (
	Unknown Language = ""
	English Language = "en"
	Chinese Language = "zh"
)

// languageOf counts: a Chinese question may be full of names in Latin letters,
// so one character weighs as much as four letters.
func languageOf(text string) Language {
	han, latin := 0, 0
	for _, c := range text {
		switch {
		case isHan(c):
			han++
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			latin++
		}
	}
	switch {
	case han > 0 && 4*han >= latin:
		return Chinese
	case latin > 0:
		return English
	}
	return Unknown
}

func isHan(c rune) bool { return c >= 0x3400 && c <= 0x9FFF || c >= 0x20000 && c <= 0x3FFFF }

// hanAt tells whether a character of a Han script starts at a byte.
func hanAt(text string, i int) bool {
	c, _ := utf8.DecodeRuneInString(text[i:])
	return isHan(c)
}
