package extract

import "unicode/utf8"

// zhEnds holds the words of each list, for a look-up of a value's last characters.
var zhEnds = endIndex(zhLists)

// wordEnds are the words of a list and the characters of the longest.
type wordEnds struct {
	words   map[string]bool
	longest int
}

func endIndex(lists map[string][]string) map[string]wordEnds {
	out := map[string]wordEnds{}
	for name, list := range lists {
		e := wordEnds{words: make(map[string]bool, len(list))}
		for _, w := range list {
			e.words[w] = true
			e.longest = max(e.longest, utf8.RuneCountInString(w))
		}
		out[name] = e
	}
	return out
}

// zhListed tells whether the value ends with a word of a list.
func zhListed(list, v string) bool {
	e := zhEnds[list]
	at := len(v)
	for n := 0; n < e.longest && at > 0; n++ {
		_, w := utf8.DecodeLastRuneInString(v[:at])
		if at -= w; e.words[v[at:]] {
			return true
		}
	}
	return false
}
