package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// tokenKind is the shape of a token.
type tokenKind uint8

const (
	wordToken   tokenKind = iota // Latin and other alphabetic letters, digits inside
	numToken                     // digits, with inner commas and points
	hanToken                     // a run of Chinese, Japanese or Korean characters
	punctToken                   // one mark, or a run of points
	emailToken                   // an e-mail address
	urlToken                     // a URL or a bare domain
	handleToken                  // @name
)

// token is one unit of a turn's text: bytes [start, end).
type token struct {
	start, end int
	kind       tokenKind
	// space tells that white space stands before it, line that a line break does.
	space, line bool
	// upper tells that its first letter is a capital.
	upper bool
	// low is the text in lower case with straight apostrophes; a contraction is
	// split, and "can't" reads "can" + "n't".
	low string
	// class is what the lexicon knows about low, cue that text patterns are found by it.
	class class
	cue   bool
}

// Bounds on what the tokenizer looks ahead, so that no input costs more than
// linear time.
const (
	maxLocalPart = 64
	maxDomain    = 253
)

// tokenize splits a text. It accepts any bytes; invalid ones are marks.
func tokenize(text string) []token {
	toks := make([]token, 0, len(text)/4+4)
	space, line := false, false
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if unicode.IsSpace(r) {
			space = true
			line = line || r == '\n' || r == '\r' || r == 0x2028 || r == 0x2029
			i += n
			continue
		}
		t := token{start: i, space: space, line: line}
		space, line = false, false
		switch {
		case isHan(r):
			t.kind = hanToken
			for t.end = i + n; t.end < len(text); {
				r, n := utf8.DecodeRuneInString(text[t.end:])
				if !isHan(r) {
					break
				}
				t.end += n
			}
		case isAlnum(r):
			if e, k := address(text, i); e > 0 {
				t.end, t.kind = e, k
			} else if r >= '0' && r <= '9' {
				t.kind, t.end = numToken, numberEnd(text, i)
			} else {
				t.end, t.kind = wordEnd(text, i), wordToken
				t.upper = unicode.IsUpper(r)
			}
		case r == '@':
			t.kind, t.end = punctToken, i+n
			if e := handleEnd(text, i); e > 0 {
				t.kind, t.end = handleToken, e
			}
		default:
			t.kind, t.end = punctToken, i+n
			if r == '.' || r == '…' {
				for t.end < len(text) && strings.HasPrefix(text[t.end:], text[i:i+n]) {
					t.end += n
				}
			}
		}
		i = t.end
		if t.kind == wordToken {
			toks = appendWord(toks, text, t)
			continue
		}
		t.low = text[t.start:t.end]
		toks = append(toks, t)
	}
	return toks
}

// isHan tells whether r belongs to a script written without spaces.
func isHan(r rune) bool {
	return r >= 0x2e80 && (r >= 0x3400 && r <= 0x9fff || r >= 0x3040 && r <= 0x30ff || r >= 0xac00 && r <= 0xd7a3 ||
		r >= 0xf900 && r <= 0xfaff || r >= 0x20000 && r <= 0x3ffff || r == 0x3007 || r == 0x3005)
}

func isAlnum(r rune) bool {
	if r < 0x80 {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	}
	return unicode.IsLetter(r) && !isHan(r)
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// numberEnd gives the end of digits with inner commas and points.
func numberEnd(text string, i int) int {
	for i < len(text) {
		if isDigit(text[i]) || (text[i] == ',' || text[i] == '.') && i+1 < len(text) && isDigit(text[i+1]) {
			i++
			continue
		}
		break
	}
	return i
}

// wordEnd gives the end of letters, digits, combining marks and inner
// apostrophes.
func wordEnd(text string, i int) int {
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		if !isAlnum(r) && !unicode.IsMark(r) {
			if r != '\'' && r != '’' {
				break
			}
			if next, _ := utf8.DecodeRuneInString(text[i+n:]); !isAlnum(next) || next >= '0' && next <= '9' {
				break
			}
		}
		i += n
	}
	return i
}

// appendWord adds a word, splitting its contraction if it has one.
func appendWord(toks []token, text string, t token) []token {
	word := text[t.start:t.end]
	low := lower(word)
	cut := strings.IndexAny(low, "'")
	if cut < 0 {
		t.know(low)
		return append(toks, t)
	}
	// Apostrophes may be one byte or three in the text; find the last one there.
	at := max(strings.LastIndexByte(word, '\''), strings.LastIndex(word, "’"))
	cut = strings.LastIndexByte(low, '\'')
	tail := low[cut:]
	head := low[:cut]
	switch tail {
	case "'s", "'m", "'re", "'ve", "'ll", "'d":
	case "'t":
		if !strings.HasSuffix(head, "n") || at == 0 || len(head) < 2 {
			t.know(low)
			return append(toks, t)
		}
		head, tail = head[:len(head)-1], "n't"
		at--
		switch head {
		case "ca":
			head = "can"
		case "wo":
			head = "will"
		}
	default:
		t.know(low)
		return append(toks, t)
	}
	a, b := t, t
	a.end = t.start + at
	a.know(head)
	b.start, b.space, b.line, b.upper = t.start+at, false, false, false
	b.know(tail)
	return append(toks, a, b)
}

// know sets what the lexicon knows of a word in lower case.
func (t *token) know(low string) {
	c := lexicon[low]
	t.low, t.class, t.cue = low, c&^cueWord, c&cueWord != 0
}

// classOf gives the classes of a word in lower case.
func classOf(low string) class { return lexicon[low] &^ cueWord }

// lower gives s in lower case with straight apostrophes.
func lower(s string) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= 0x80 || c >= 'A' && c <= 'Z' {
			return strings.ReplaceAll(strings.ToLower(s), "’", "'")
		}
	}
	return s
}

// topDomains are the endings that make a bare domain a URL.
var topDomains = map[string]bool{"com": true, "org": true, "net": true, "io": true, "edu": true, "gov": true, "cn": true, "dev": true, "app": true, "ai": true, "uk": true, "de": true, "jp": true}

// address gives the end of an e-mail address, a URL or a bare domain that starts
// at i, or 0.
func address(text string, i int) (int, tokenKind) {
	if c := text[i] | 0x20; c == 'h' || c == 'w' {
		p := strings.ToLower(text[i:min(i+8, len(text))])
		if strings.HasPrefix(p, "http://") || strings.HasPrefix(p, "https://") || strings.HasPrefix(p, "www.") {
			if e := urlEnd(text, i); e > i+8 {
				return e, urlToken
			}
		}
	}
	if text[i] >= 0x80 {
		return 0, 0
	}
	j := i
	for j < len(text) && j < i+maxDomain && (text[j] < 0x80 && isAlnum(rune(text[j])) || strings.IndexByte("._%+-", text[j]) >= 0) {
		j++
	}
	if j < len(text) && text[j] == '@' && j-i <= maxLocalPart {
		if e := domainEnd(text, j+1); e > 0 {
			return e, emailToken
		}
		return 0, 0
	}
	if dot := strings.LastIndexByte(text[i:j], '.'); dot > 0 && isAlnum(rune(text[j-1])) && j-i-dot-1 >= 2 {
		host := text[i:j]
		if tld := strings.ToLower(host[dot+1:]); topDomains[tld] && tld == host[dot+1:] && !strings.ContainsAny(host, "_%+") && !strings.Contains(host, "..") {
			return max(urlEnd(text, i), j), urlToken
		}
	}
	return 0, 0
}

// domainEnd gives the end of the domain of an e-mail address, or 0. Letters of
// any script are taken: people write them.
func domainEnd(text string, i int) int {
	end, dots := 0, 0
	for j := i; j < len(text) && j < i+maxDomain; {
		r, n := utf8.DecodeRuneInString(text[j:])
		switch {
		case r == '.' || r == '-':
			if j == i || j+1 >= len(text) || !(text[j+1] < 0x80 && isAlnum(rune(text[j+1]))) {
				return end
			}
			if r == '.' {
				dots++
			}
		case isAlnum(r) || isHan(r) && dots == 0:
			if dots > 0 && r < 0x80 {
				end = j + n
			}
		default:
			return end
		}
		j += n
	}
	return end
}

// urlEnd gives the end of a URL, without the punctuation of the sentence.
func urlEnd(text string, i int) int {
	j := i
	for j < len(text) {
		c := text[j]
		if c <= ' ' || c >= 0x80 || strings.IndexByte("<>\"`{}|\\^", c) >= 0 {
			break
		}
		j++
	}
	for j > i && strings.IndexByte(".,;:!?'*_", text[j-1]) >= 0 || j > i && (text[j-1] == ')' || text[j-1] == ']') && strings.IndexByte(text[i:min(j, i+2048)], '(') < 0 {
		j--
	}
	return j
}

// handleEnd gives the end of @name at i, or 0.
func handleEnd(text string, i int) int {
	j := i + 1
	for j < len(text) && j < i+maxLocalPart && (text[j] < 0x80 && isAlnum(rune(text[j])) || text[j] == '_' || text[j] == '.') {
		j++
	}
	for j > i+1 && text[j-1] == '.' {
		j--
	}
	if j-i < 3 || isDigit(text[i+1]) {
		return 0
	}
	return j
}
