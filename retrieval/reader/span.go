package reader

import (
	"slices"
	"strings"
	"unicode"

	"github.com/asof-db/asof/internal/analyze"
	"github.com/asof-db/asof/retrieval/question"
)

// longest is the most words of an answer that is cut out of a sentence; characters
// count two to a word.
const longest = 14

// span answers with what the first of sentences says beside the question.
func (r *reading) span(from ...*sentence) Answer {
	for _, s := range from {
		text := ""
		if s.fact != nil {
			text = s.fact.Dst
		} else {
			text = r.cut(s)
		}
		if text != "" {
			return r.found(text, s)
		}
	}
	return abstain(NoValue, r.lang)
}

// piece is a token of a sentence with what it says.
type piece struct {
	start, end int
	term       string
	// asked tells that the question says it, plain that it is a function word.
	asked, plain bool
}

// cut gives the part of a sentence that the question does not say: what follows the
// last word of the question, up to the end of its clause; where nothing does, what
// comes before the first.
func (r *reading) cut(s *sentence) string {
	var list []piece
	for _, t := range r.analyzer.Tokens(nil, s.text) {
		list = append(list, piece{start: t.Start, end: t.End, term: t.Term, asked: slices.Contains(r.terms, t.Term), plain: question.Stop(t.Term)})
	}
	if len(list) == 0 {
		return ""
	}
	first, last := -1, -1
	for i := range list {
		if list[i].asked {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	if first < 0 {
		return r.clause(s.text, list, 0)
	}
	for at := last; at >= 0; at-- { // the last word of the question that something follows
		if !list[at].asked {
			continue
		}
		if text := r.clause(s.text, list, at+1); telling(&r.analyzer, text, r.terms) {
			return text
		}
	}
	if text := trim(s.text[:list[first].start]); telling(&r.analyzer, text, r.terms) {
		return text
	}
	return trim(s.text)
}

// clause gives the text from a token on to the end of its clause.
func (r *reading) clause(text string, list []piece, from int) string {
	for from < len(list) && list[from].plain && leading[strings.ToLower(text[list[from].start:list[from].end])] {
		from++
	}
	if from >= len(list) {
		return ""
	}
	end, n := len(text), 0
	for i := from; i < len(list); i++ {
		if n++; n > longest {
			end = list[i-1].end
			break
		}
		// Pairs of characters overlap: nothing stands between them.
		between := text[min(list[max(i, 1)-1].end, list[i].start):list[i].start]
		if i > from && strings.ContainsAny(between, ".;!?。；！？，—") || i > from+1 && breaking[strings.ToLower(text[list[i].start:list[i].end])] {
			end = list[i-1].end
			break
		}
	}
	return trim(text[list[from].start:end])
}

// leading are function words that no answer begins with; breaking begin another
// clause.
var (
	leading  = wordSet("that is are was were be been to and but so then has have had do did it as of for with at in on from about")
	breaking = wordSet("because but which who while when although since so")
)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}

// telling tells whether a text has a word that says something and is none of the
// question's.
func telling(a *analyze.Analyzer, text string, asked []string) bool {
	for _, t := range a.Terms(nil, text) {
		if !question.Stop(t) && !slices.Contains(asked, t) {
			return true
		}
	}
	return false
}

// trim takes punctuation and white space off both ends.
func trim(s string) string {
	return strings.TrimFunc(s, func(c rune) bool {
		return unicode.IsSpace(c) || unicode.IsPunct(c) && !strings.ContainsRune("()\"“”《》'", c) || unicode.Is(unicode.So, c)
	})
}
