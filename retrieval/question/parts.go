package question

import "strings"

// joints are what people say between two questions.
var jointsZH = []string{"另外，", "另外,", "另外问", "此外，", "还有一个问题", "还想问", "再问一下", "顺便问", "；", "\n"}

var jointsEN = []string{"also,", "additionally,", "another question", "one more thing", "one more question", "and also,", "besides that,", ";", "\n"}

// corrections take back what was said before them and announce the question. A
// correction is one of the heads and, no more than correctionReach characters on, one of
// the ends.
var (
	headsZH = []string{"对了，我想问", "对了，我想知道", "真正", "实际上", "实际", "其实", "本来", "原本"}
	verbsZH = []string{"问题", "想问", "要问", "问的", "弄清楚", "搞清楚", "了解", "想说", "要说", "想知道"}
	headsEN = []string{"what i actually", "what i really", "what i meant", "what i wanted to ask", "what i want to ask", "my actual question", "my real question", "the question is", "i meant to ask"}
	endsEN  = []string{":", ",", " is", " was", " ask"}
)

// correctionReach is how many bytes after its head a Chinese correction ends.
const correctionReach = 54

// parts finds the questions in the text.
func (r *reader) parts() (parts []Span, aside bool) {
	for _, group := range r.groups() {
		start := group.Start
		for i := group.Start; i < group.End; {
			end := r.correction(i, group.End)
			if end > i {
				start, i = end, end
				continue
			}
			i++
		}
		if start > group.Start {
			aside = true
			group = Span{start, r.sentenceEnd(start, group.End)}
		}
		if group = r.trim(group); group.End > group.Start {
			parts = append(parts, group)
		}
	}
	if len(parts) == 0 {
		parts, aside = append(parts, Span{0, len(r.text)}), false
	}
	if total := len(strings.TrimSpace(r.text)); !aside && len(parts) == 1 && parts[0].End-parts[0].Start < total {
		parts[0] = Span{0, len(r.text)}
	}
	r.asked = parts
	return parts, aside
}

// groups cuts the text at joints that stand at the start of a sentence.
func (r *reader) groups() (groups []Span) {
	start := 0
	for i := 0; i < len(r.text); i++ {
		n := 0
		if c := r.low[i]; c >= 0x80 || c == '\n' {
			n = prefixOf(r.low[i:], jointsZH)
		} else if (c == 'a' || c == 'o' || c == 'b' || c == ';') && r.opens(i) {
			n = prefixOf(r.low[i:], jointsEN)
		}
		if n == 0 {
			continue
		}
		if r.asks(start, i) && strings.TrimSpace(r.text[i+n:]) != "" {
			groups = append(groups, Span{start, i})
			start = i + n
		}
		i += n - 1
	}
	return append(groups, Span{start, len(r.text)})
}

// asks tells whether there is enough before a joint to be a question.
func (r *reader) asks(from, to int) bool {
	s := r.low[from:to]
	return strings.ContainsAny(s, "?？") || strings.Contains(s, "什么") || strings.Contains(s, "怎么") || strings.Contains(s, "谁") || strings.Contains(s, "几")
}

// opens tells whether a place is at the start of a sentence or a clause.
func (r *reader) opens(i int) bool {
	before := strings.TrimRight(r.low[:i], " \t")
	return before == "" || strings.ContainsRune("?!.;,\n", rune(before[len(before)-1])) || r.low[i] == ';'
}

// prefixOf gives the length of the first of the words that a text starts with.
func prefixOf(text string, words []string) int {
	for _, w := range words {
		if strings.HasPrefix(text, w) {
			return len(w)
		}
	}
	return 0
}

// correction gives where the question starts that a correction at i announces, or
// 0.
func (r *reader) correction(i, end int) int {
	text := r.low[i:end]
	if text[0] < 0x80 {
		n := 0
		if (text[0] == 'w' || text[0] == 'm' || text[0] == 't' || text[0] == 'i') && (i == 0 || !wordByte(r.low[i-1])) {
			n = prefixOf(text, headsEN)
		}
		if n == 0 {
			return 0
		}
		rest := text[n:min(len(text), n+40)]
		for _, e := range endsEN {
			if at := strings.Index(rest, e); at >= 0 && !strings.ContainsAny(rest[:at], ".?!") {
				return r.skip(i+n+at+len(e), end)
			}
		}
		return 0
	}
	n := prefixOf(text, headsZH)
	if n == 0 {
		return 0
	}
	if strings.HasPrefix(text, "对了") {
		return r.skip(i+n, end)
	}
	rest := text[n:min(len(text), n+correctionReach)]
	stop := strings.IndexAny(rest, "，：,:。？?！")
	if stop < 0 || prefixOf(rest[stop:], []string{"，", "：", ",", ":"}) == 0 {
		return 0
	}
	for _, v := range verbsZH {
		if strings.Contains(rest[:stop], v) {
			return r.skip(i+n+stop, end)
		}
	}
	return 0
}

// skip passes over marks and spaces.
func (r *reader) skip(i, end int) int {
	for i < end {
		n := prefixOf(r.low[i:], []string{" ", ",", ":", "，", "：", "\"", "“", "(", "（", "\n", "\t"})
		if n == 0 {
			break
		}
		i += n
	}
	return min(i, end)
}

// sentenceEnd gives the end of the first question after a correction, or else of
// all there is.
func (r *reader) sentenceEnd(start, end int) int {
	at := strings.IndexAny(r.low[start:end], "?？")
	if at < 0 {
		return end
	}
	if r.low[start+at] == '?' {
		return start + at + 1
	}
	return start + at + len("？")
}

func (r *reader) trim(s Span) Span {
	for s.Start < s.End && strings.ContainsRune(" \t\n,", rune(r.low[s.Start])) {
		s.Start++
	}
	for s.End > s.Start && strings.ContainsRune(" \t\n", rune(r.low[s.End-1])) {
		s.End--
	}
	return s
}
