package question

import (
	"strings"
	"unicode/utf8"

	"github.com/asof-db/asof/internal/analyze"
)

// Role says what a name has to do with the answer.
type Role string

// By: what the named one said is wanted ("what did Mina say"). About: what is
// said of the named one, or was said to them ("about Mina", "to Mina"). Either:
// the text does not tell, or it is the one who did what is asked about, of which
// they and others may speak.
const (
	By     Role = "by"
	About  Role = "about"
	Either Role = "either"
)

// Entity is what a lookup knows of a name.
type Entity struct {
	// Names are the names of the entity and of its aliases, the one asked for
	// among them or not.
	Names []string
	// Speaker tells that it is the name of one who speaks.
	Speaker bool
}

// Known tells what a name stands for, as of the view that is asked; ok is false
// for one it does not know.
type Known func(name string) (e Entity, ok bool)

// Name is a name in the question.
type Name struct {
	Span
	Text string
	// Aliases are the other names of what is named.
	Aliases []string
	Speaker bool
	Role    Role
}

const (
	// maxNameWords is of how many words in a row a name is looked for, and
	// maxNameChars of how many characters of a script without spaces.
	maxNameWords = 4
	maxNameChars = 6
	// maxSaidTo is within how many bytes a verb of saying follows the one who is
	// spoken to.
	maxSaidTo = 24
)

var (
	sayEN = set("say said says tell told tells mention mentioned mentions talk talked think thinks thought believe believes describe described describes explain explained suggest suggested recommend recommended share shared express ask asked feel feels felt call advise advised")
	// aboutEN stand before one who is spoken of or to.
	aboutEN = set("about to with for from regarding concerning")
	sayZH   = []string{"说", "提到", "告诉", "讲", "认为", "觉得", "建议", "推荐", "分享", "描述", "表示"}
	aboutZH = []string{"关于", "对", "跟", "给", "向", "从", "为"}
	// toZH stand between one who says something and whom they say it to.
	toZH = []string{"对", "跟", "向", "和"}
)

// names looks up what could be a name: words in a row, and characters in a row,
// the longest first.
func (r *reader) names(known Known) (names []Name) {
	left := maxLookups
	look := func(s Span) (Entity, bool) {
		if left == 0 {
			return Entity{}, false
		}
		left--
		return known(r.text[s.Start:s.End])
	}
	add := func(s Span, e Entity) {
		n := Name{Span: s, Text: r.text[s.Start:s.End], Speaker: e.Speaker, Role: r.role(s)}
		for _, x := range e.Names {
			if !strings.EqualFold(x, n.Text) {
				n.Aliases = append(n.Aliases, x)
			}
		}
		names = append(names, n)
	}
	w := 0
	for i := 0; i < len(r.text) && left > 0; {
		for w < len(r.words) && r.words[w].Start < i {
			w++
		}
		switch {
		case w < len(r.words) && r.words[w].Start == i:
			next := r.words[w].End
			for n := min(maxNameWords, len(r.words)-w); n > 0; n-- {
				last := r.words[w+n-1]
				if n > 1 && !nameGap(r.text[r.words[w].Start:last.Start]) {
					continue
				}
				s := Span{i, last.End}
				if rest, ok := strings.CutSuffix(r.low[s.Start:s.End], "'s"); ok {
					s.End = s.Start + len(rest)
				}
				if n == 1 && (analyze.Stop(r.words[w].low) || stopWords[r.words[w].low]) {
					break
				}
				if e, ok := look(s); ok {
					add(s, e)
					next = last.End
					break
				}
			}
			i = next
		case hanAt(r.text, i):
			next := i
			ends := hanEnds(r.text, i, maxNameChars)
			for n := len(ends); n > 1; n-- {
				s := Span{i, ends[n-1]}
				if e, ok := look(s); ok {
					add(s, e)
					next = s.End
					break
				}
			}
			if next == i {
				next = ends[0]
			}
			i = next
		default:
			_, size := utf8.DecodeRuneInString(r.text[i:])
			i += size
		}
	}
	return names
}

// stopWords are words of questions that are nobody's name and no stop words.
var stopWords = set("what's who's where's how's go get make give many much often long kind kinds type types time times")

// nameGap tells whether what stands between the words of a name is only spaces,
// and marks that names have.
func nameGap(text string) bool { return !strings.ContainsAny(text, "?!,;:()\n") }

// hanEnds gives the ends of up to n characters of a run from i.
func hanEnds(text string, i, n int) (ends []int) {
	for at, c := range text[i:] {
		if !isHan(c) || len(ends) == n {
			break
		}
		ends = append(ends, i+at+utf8.RuneLen(c))
	}
	return ends
}

// role tells what a name at a place has to do with the answer.
func (r *reader) role(s Span) Role {
	before, after := strings.TrimRight(r.low[:s.Start], " "), strings.TrimLeft(r.low[s.End:], " ")
	if own := strings.HasPrefix(after, "'s") || strings.HasPrefix(after, "’s") || strings.HasPrefix(after, "的"); own {
		return Either
	}
	if prev := lastWord(before); prev != "" {
		if aboutEN[prev] {
			return About
		}
		// "did she tell Mina": a verb of saying right before the name.
		if sayEN[prev] {
			return About
		}
		if prev == "and" || prev == "or" || prev == "both" {
			return Either
		}
	}
	for i := range r.words {
		if r.words[i].Start < s.End {
			continue
		}
		// A verb of saying within two words, and no other name between.
		for j := i; j < min(i+2, len(r.words)); j++ {
			if sayEN[r.words[j].low] {
				return By
			}
		}
		break
	}
	for _, x := range aboutZH {
		if strings.HasSuffix(before, x) {
			return About
		}
	}
	if prefixOf(after, sayZH) > 0 {
		return By
	}
	if n := prefixOf(after, toZH); n > 0 {
		// "A 对 B 说": a verb of saying within four characters or so.
		rest := after[n:min(len(after), n+maxSaidTo)]
		for _, x := range sayZH {
			if at := strings.Index(rest, x); at > 0 && !strings.ContainsAny(rest[:at], "，。？") {
				return By
			}
		}
	}
	for _, x := range sayZH {
		if strings.HasSuffix(before, x) {
			return About
		}
	}
	return Either
}

// lastWord gives the word that a text ends with.
func lastWord(text string) string {
	i := len(text)
	for i > 0 && wordByte(text[i-1]) {
		i--
	}
	return text[i:]
}
