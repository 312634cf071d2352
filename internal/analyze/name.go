package analyze

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// NormalizeName returns the key under which an entity's name is found: two
// spellings name the same entity exactly when their keys are equal.
//
// The key is in NFKC and case-folded. White space at the ends is dropped and
// white space within becomes one space; typographic apostrophes, quotation
// marks, hyphens and dashes become their ASCII forms; format characters (soft
// hyphen, joiners, byte order mark), variation selectors and control characters
// are dropped; bytes that are not UTF-8 become U+FFFD. Everything else stays,
// accents and inner punctuation too, so St. Mary’s and "st.  mary's" are one
// name, and José and Jose are two. A key is its own key.
func NormalizeName(s string) string {
	if key, ok := plainName(s); ok {
		return key
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	// Folding can undo the normal form and tidying can bring together what
	// composes, so repeat until nothing changes; twice is nearly always enough.
	for range 8 {
		next := tidyName(norm.NFKC.String(cases.Fold().String(norm.NFKC.String(s))))
		if next == s {
			break
		}
		s = next
	}
	return s
}

// plainName does the common case, ASCII with single spaces.
func plainName(s string) (string, bool) {
	for i := range len(s) {
		b := s[i]
		if b < ' ' || b >= 0x7F || b == ' ' && (i == 0 || i == len(s)-1 || s[i-1] == ' ') {
			return "", false
		}
	}
	return strings.ToLower(s), true
}

func tidyName(s string) string {
	var b strings.Builder
	space := false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			space = b.Len() > 0
			continue
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), selector(r):
			continue
		case apostrophe(r):
			r = '\''
		case r == '“' || r == '”' || r == '„' || r == '‟':
			r = '"'
		case r >= '‐' && r <= '―' || r == '−':
			r = '-'
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
	}
	return b.String()
}
