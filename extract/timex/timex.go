package timex

import (
	"strings"
	"time"
)

// Options says how a text is read.
type Options struct {
	// Ref is when it was said, local; only its clock face counts.
	Ref time.Time
	// Tense tells of the clause at a byte whether it is told as past (-1) or as to
	// come (1); nil knows nothing.
	Tense func(at int) int
}

// maxWhole bounds the text that Whole reads, in bytes: an expression is short.
const maxWhole = 120

// Whole reads a text that is one expression, apart from space and punctuation
// around it; ok is false where it is not.
func Whole(text string, ref time.Time) (m Match, ok bool) {
	s, e := trimmed(text)
	if s >= e || e-s > maxWhole {
		return m, false
	}
	toks, _ := tokenize(text[s:e])
	return whole(text, s, e, toks, ref)
}

// Read reads a text as one expression where it is one (whole), else as running
// text.
func Read(text string, o Options) (out []Match, isWhole bool) {
	s, e := trimmed(text)
	if s < e && e-s <= maxWhole {
		toks, _ := tokenize(text[s:e])
		if m, ok := whole(text, s, e, toks, o.Ref); ok {
			return []Match{m}, true
		}
	}
	return Find(text, o), false
}

// whole reads bytes [s, e), cut into tokens, as one expression.
func whole(text string, s, e int, toks []token, ref time.Time) (m Match, ok bool) {
	_, seconds := ref.Zone()
	ref = wall(ref)
	if hasHan(text[s:e]) {
		x, ok := newChinese(text[s:e], ref, true).whole()
		if !ok {
			return m, false
		}
		return x.match(s, e), true
	}
	g := english{text: text[s:e], toks: toks, ref: ref, bare: true, offset: seconds / 60}
	x, ok := g.whole()
	if !ok {
		return m, false
	}
	return x.match(s, e), true
}

// trimmed gives the text without outer space and punctuation.
func trimmed(text string) (s, e int) {
	const marks = " \t\n.,;:!?，。；：！？、\"“”"
	return len(text) - len(strings.TrimLeft(text, marks)), len(strings.TrimRight(text, marks))
}

// wall gives the clock face of t in UTC clothes.
func wall(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
}

// Find gives the expressions of running text in order of their place, not
// overlapping.
func Find(text string, o Options) []Match {
	out, _ := find(text, o)
	return out
}

// Work gives how many rules were tried for a text: a measure of cost that no
// machine changes.
func Work(text string, o Options) int {
	_, n := find(text, o)
	return n
}

func find(text string, o Options) ([]Match, int) {
	ref := wall(o.Ref)
	var out []Match
	work := 0
	if toks, carries := tokenize(text); carries {
		g := english{text: text, toks: toks, ref: ref, tense: o.Tense}
		out = g.find(out)
		work = g.work
	}
	if hasHan(text) {
		z := newChinese(text, ref, false)
		out = merged(out, z.find())
		work += z.work
	}
	return out, work
}

// merged joins two lists in order; where they overlap the longer stays.
func merged(a, b []Match) []Match {
	if len(a) == 0 {
		return b
	}
	out := make([]Match, 0, len(a)+len(b))
	for len(a) > 0 || len(b) > 0 {
		var m Match
		if len(b) == 0 || len(a) > 0 && a[0].Start <= b[0].Start {
			m, a = a[0], a[1:]
		} else {
			m, b = b[0], b[1:]
		}
		if n := len(out); n > 0 && out[n-1].End > m.Start {
			if m.End-m.Start > out[n-1].End-out[n-1].Start {
				out[n-1] = m
			}
			continue
		}
		out = append(out, m)
	}
	return out
}

// hasHan tells whether a text has a Chinese character.
func hasHan(text string) bool {
	for i := 0; i+2 < len(text); i++ {
		if text[i] >= 0xe3 && text[i] <= 0xe9 {
			return true
		}
	}
	return false
}
