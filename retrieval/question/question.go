package question

import (
	"time"
	"unicode/utf8"

	"github.com/asof-db/asof/internal/analyze"
)

const (
	// MaxBytes is how much of a question is read; what comes after it is left.
	MaxBytes = 8 << 10
	// maxLookups bounds how often one analysis asks for a name.
	maxLookups = 192
)

// Span is a half-open range of bytes in the text of the question.
type Span struct{ Start, End int }

// Analysis is what a question says of itself.
type Analysis struct {
	Language Language
	// Parts are the questions in the text, in order, those that were taken back
	// left out. A text that asks one thing and says nothing beside it is one part.
	Parts []Span
	// Aside tells that some of the text is in no part: chat around the question, or
	// a question that was taken back.
	Aside bool
	// Names are the names in it that the lookup knows, in order of their place.
	Names []Name
	// Times are what it says of when, in order of their place.
	Times []Time
	Kind  Answer
	Order Order
	// Listing tells that several things are asked for ("which books", "有哪些").
	Listing bool
}

// Analyze reads a question that is asked at an instant, in a zone: the calendar
// of its time words. known may be nil.
func Analyze(text string, asked time.Time, known Known) Analysis {
	text = clip(text)
	r := newReader(text)
	a := Analysis{Language: languageOf(text)}
	a.Parts, a.Aside = r.parts()
	a.Times = r.times(asked)
	if known != nil {
		a.Names = r.names(known)
	}
	a.Order = r.order()
	a.Kind, a.Listing = r.kind(a.Order)
	return a
}

// clip gives the part of a text that is read, cut between characters.
func clip(text string) string {
	if len(text) <= MaxBytes {
		return text
	}
	n := MaxBytes
	for n > MaxBytes-utf8.UTFMax && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// reader is a text with its words.
type reader struct {
	text string
	// low is the text with ASCII letters made small; byte for byte in place.
	low string
	// words are the words of spaced scripts, in order; a run of another script is
	// in none.
	words []word
	// asked are the parts.
	asked []Span
}

type word struct {
	Span
	low string
}

func newReader(text string) *reader {
	r := &reader{text: text, low: lowerASCII(text)}
	for i := 0; i < len(text); {
		if !wordByte(r.low[i]) {
			i++
			continue
		}
		j := i
		for j < len(text) && (wordByte(r.low[j]) || r.low[j] == '\'' && j+1 < len(text) && wordByte(r.low[j+1])) {
			j++
		}
		r.words = append(r.words, word{Span{i, j}, r.low[i:j]})
		i = j
	}
	return r
}

func lowerASCII(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] >= 'A' && s[i] <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if b[i] >= 'A' && b[i] <= 'Z' {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}

func wordByte(b byte) bool { return b >= 'a' && b <= 'z' || b >= '0' && b <= '9' }

// inPart tells whether a place of the text is in a part that is asked.
func (r *reader) inPart(at int) bool {
	for _, p := range r.asked {
		if p.Start <= at && at < p.End {
			return true
		}
	}
	return false
}

// at gives the word at a place counted from the first, or "".
func (r *reader) at(i int) string {
	if i < 0 || i >= len(r.words) {
		return ""
	}
	return r.words[i].low
}

// Stop reports whether a term, as the analyzer gives it, says nothing about what
// a question is after.
func Stop(term string) bool { return analyze.Stop(term) }
