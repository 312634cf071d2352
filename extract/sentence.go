package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/asof-db/asof/dsl"
)

// ruleSplitter is option A of preprocess: sentence ends by their marks.
type ruleSplitter struct{}

// Version names the rules.
func (ruleSplitter) Version() string { return "sentence.rule/1" }

// Split gives the sentences: bytes, half-open, in order, without outer white
// space. A piece without a letter or digit belongs to the sentence before it.
func (ruleSplitter) Split(d *Document) []dsl.Span {
	var out []dsl.Span
	begin := -1 // first token of the sentence at hand
	solid := false
	flush := func(end int) {
		if begin < 0 {
			return
		}
		s := dsl.Span{Start: d.tokens[begin].start, End: end}
		if !solid && len(out) > 0 {
			out[len(out)-1].End = end
		} else {
			out = append(out, s)
		}
		begin, solid = -1, false
	}
	for i := range d.tokens {
		t := &d.tokens[i]
		if t.line && begin >= 0 {
			flush(d.tokens[i-1].end)
		}
		if begin < 0 {
			begin = i
		}
		solid = solid || t.kind != punctToken
		if i+1 < len(d.tokens) && endsSentence(d, i) {
			flush(t.end)
		}
	}
	if len(d.tokens) > 0 {
		flush(d.tokens[len(d.tokens)-1].end)
	}
	return out
}

// Sentences splits any text into sentences as a turn's text is split: bytes,
// half-open, in order, without outer white space.
func Sentences(text string) []dsl.Span {
	d := &Document{Text: text, tokens: tokenize(text)}
	d.quotes = quoteRanges(d.tokens)
	return ruleSplitter{}.Split(d)
}

// abbreviations are words whose point ends no sentence.
var abbreviations = wordSet("mr mrs ms dr prof st mt vs jr sr etc inc ltd co corp dept est approx e.g i.e no fig vol a.m p.m u.s u.k ph.d jan feb mar apr jun jul aug sep sept oct nov dec")

// endsSentence tells whether a sentence ends after token i, which is not the
// last one.
func endsSentence(d *Document, i int) bool {
	t, next := &d.tokens[i], &d.tokens[i+1]
	if t.kind != punctToken {
		return false
	}
	r, _ := utf8.DecodeRuneInString(t.low)
	switch r {
	case '.', '…':
		return pointEnds(d, i)
	case '!', '?':
		return !isCloser(next) && !lowerAhead(next) && (next.kind != punctToken || next.space)
	case '。', '！', '？', '｡':
		return !isCloser(next) && !isTerminator(next)
	case '"', '”', '\'', '’', ')', '）', '」', '』', '》', '】', ']', '*':
		// A closing mark ends the sentence whose end it follows.
		if i == 0 || t.space {
			return false
		}
		p := &d.tokens[i-1]
		if r == '"' && !d.quoted(p.start) {
			return false
		}
		if p.low == "." || p.low == "!" || p.low == "?" {
			return next.space && !lowerAhead(next)
		}
		return isTerminator(p) && !isCloser(next) && r != '》'
	}
	return false
}

// pointEnds decides about a point, a run of points or an ellipsis.
func pointEnds(d *Document, i int) bool {
	t, next := &d.tokens[i], &d.tokens[i+1]
	if isCloser(next) || isTerminator(next) || lowerAhead(next) {
		return false
	}
	if len(t.low) > 1 { // an ellipsis goes on unless a new sentence starts
		return next.upper || next.kind == hanToken && strings.HasPrefix(t.low, "……")
	}
	if i == 0 {
		return false
	}
	p := &d.tokens[i-1]
	if !next.space {
		// "word.Next": a forgotten space, but not "J.K." or "Node.js".
		return p.kind == wordToken && !p.upper && len(p.low) > 1 && next.upper || p.kind == hanToken || next.kind == hanToken
	}
	if p.kind == wordToken && !t.space {
		if abbreviations[p.low] && p.low != "etc" && (p.low != "no" || next.kind == numToken) {
			return false
		}
		if len(p.low) == 1 && p.upper && p.low != "i" {
			return i < 2 || d.tokens[i-2].low != "." && !next.upper
		}
		if len(p.low) == 1 && i >= 3 && d.tokens[i-2].low == "." && !d.tokens[i-2].space { // a.m., e.g.
			return next.upper
		}
	}
	// "1. First": the number of a list.
	if p.kind == numToken && (i == 1 || d.tokens[i-1].line) {
		return false
	}
	return true
}

func lowerAhead(t *token) bool {
	return t.kind == wordToken && !t.upper && t.start < t.end && unicode.IsLower(firstRune(t.low))
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

func isTerminator(t *token) bool {
	if t.kind != punctToken {
		return false
	}
	switch firstRune(t.low) {
	case '.', '!', '?', '。', '！', '？', '…', '~', '～':
		return true
	}
	return false
}

// isCloser tells whether the token is a mark that belongs to what stands before
// it.
func isCloser(t *token) bool {
	if t.kind != punctToken || t.space || t.line {
		return false
	}
	switch firstRune(t.low) {
	case ')', '）', ']', '】', '”', '’', '」', '』', '》', '"', '\'', '*':
		return true
	}
	return false
}

// quoteRanges gives the byte ranges that stand in double quotes or Chinese
// quotes, in order. A quote that is never closed ends with its line.
func quoteRanges(toks []token) []dsl.Span {
	var out []dsl.Span
	open, mark := -1, rune(0)
	for i := range toks {
		t := &toks[i]
		if open >= 0 && t.line {
			open = -1
		}
		if t.kind != punctToken {
			continue
		}
		r := firstRune(t.low)
		switch {
		case open >= 0 && r == mark:
			out = append(out, dsl.Span{Start: open, End: t.end})
			open = -1
		case open >= 0:
		case r == '"' || r == '“' || r == '「' || r == '『':
			open = t.start
			mark = map[rune]rune{'"': '"', '“': '”', '「': '」', '『': '』'}[r]
		}
	}
	return out
}
