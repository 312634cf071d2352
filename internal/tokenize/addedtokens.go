package tokenize

import (
	"unicode"
	"unicode/utf8"
)

// An addedToken is a token that stands beside the vocabulary and is looked for in the text itself.
// Special ones are not: what a user writes is never one.
type addedToken struct {
	ID         int32  `json:"id"`
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"`
	LeftStrip  bool   `json:"lstrip"`
	RightStrip bool   `json:"rstrip"`
	Normalized bool   `json:"normalized"`
	Special    bool   `json:"special"`
}

// An adder finds added tokens. The nil adder finds none.
type adder struct {
	trie   *trie
	tokens []addedToken
}

// newAdder makes an adder, nil where there is nothing to find. texts[i] is what tokens[i] is found by.
func newAdder(tokens []addedToken, texts []string) *adder {
	if len(tokens) == 0 {
		return nil
	}
	keys := make([]trieKey, len(tokens))
	for i, text := range texts {
		keys[i] = trieKey{text, int32(i)}
	}
	return &adder{trie: newTrie(keys), tokens: tokens}
}

// next finds the first added token in b from at on, the longest of those that begin at one place, and
// the run of bytes that it takes with the spaces it strips. from is where the one before ended.
func (a *adder) next(b []byte, at, from int) (start, end int, id int32, ok bool) {
	for ; at < len(b); at++ {
		if !utf8.RuneStart(b[at]) {
			continue
		}
		n, end, which := root, 0, int32(-1)
		for i := at; i < len(b); i++ {
			next, ok := a.trie.step(n, b[i])
			if !ok {
				break
			}
			n = next
			if v := a.trie.units[n].val; v >= 0 {
				end, which = i+1, v
			}
		}
		if which < 0 {
			continue
		}
		t := a.tokens[which]
		if t.SingleWord && !alone(b, at, end) {
			at = end - 1 // As in the reference, what was found is passed over.
			continue
		}
		start := at
		for t.LeftStrip && start > from {
			r, size := utf8.DecodeLastRune(b[from:start])
			if !isSpace(r) {
				break
			}
			start -= size
		}
		for t.RightStrip && end < len(b) {
			r, size := utf8.DecodeRune(b[end:])
			if !isSpace(r) {
				break
			}
			end += size
		}
		return start, end, t.ID, true
	}
	return 0, 0, 0, false
}

// alone says whether no character of a word stands before or behind b[i:j].
func alone(b []byte, i, j int) bool {
	before, _ := utf8.DecodeLastRune(b[:i])
	behind, _ := utf8.DecodeRune(b[j:])
	return (i == 0 || !isWord(before)) && (j == len(b) || !isWord(behind))
}

// isWord says whether a character is part of words.
func isWord(r rune) bool {
	return r == '_' || unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Nl, unicode.Pc, unicode.Other_Alphabetic, unicode.Join_Control)
}

// cut cuts the text of s, which is one word or none, at the added tokens in it.
func (a *adder) cut(s *scratch) {
	if a == nil || len(s.words) == 0 {
		return
	}
	b := s.cur.b
	s.words = s.words[:0]
	from := 0
	for {
		start, end, id, ok := a.next(b, from, from)
		if !ok {
			break
		}
		if start > from {
			s.words = append(s.words, word{start: int32(from), end: int32(start)})
		}
		s.words = append(s.words, word{start: int32(start), end: int32(end), added: id + 1})
		from = end
	}
	if from < len(b) {
		s.words = append(s.words, word{start: int32(from), end: int32(len(b))})
	}
}
