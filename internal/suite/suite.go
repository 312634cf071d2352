// Package suite reads lists of statements and the facts in them, one a line, by which
// extraction is tested and its noise filter trained:
//
//	facts | text
//	I>lives_in>Boston;I>owns>dog | {Where do you live?} In Boston, with my dog.
//
// A fact is [not |end |correct ]src>rel[:relation]>dst; "I" is the speaker, "you" the
// listener, "-" stands for none. The turn before stands in braces. A line that starts
// with # is a comment.
package suite

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Statement is a text with the facts that it states, in lower case.
type Statement struct {
	Text, Previous string
	Facts          []string
}

// Read reads a list. The error names the line that is none.
func Read(r io.Reader) ([]Statement, error) {
	var out []Statement
	in := bufio.NewScanner(r)
	for n := 1; in.Scan(); n++ {
		line := strings.TrimSpace(in.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		facts, text, ok := strings.Cut(line, " | ")
		if !ok {
			return nil, fmt.Errorf("line %d: %q has no text", n, line)
		}
		s := Statement{Text: strings.TrimSpace(text)}
		if strings.HasPrefix(s.Text, "{") {
			s.Previous, s.Text, ok = strings.Cut(s.Text[1:], "}")
			if s.Text = strings.TrimSpace(s.Text); !ok || s.Text == "" {
				return nil, fmt.Errorf("line %d: %q has no text behind the braces", n, line)
			}
		}
		if facts = strings.TrimSpace(facts); facts != "-" {
			for f := range strings.SplitSeq(facts, ";") {
				s.Facts = append(s.Facts, strings.ToLower(strings.TrimSpace(f)))
			}
		}
		out = append(out, s)
	}
	return out, in.Err()
}

// Fact is a fact as extraction gives it.
type Fact struct {
	Src, Rel, Dst, Relation string
	// Change is assert, end or correct.
	Change   string
	Negative bool
}

// Say writes a fact of a turn by a speaker to a listener in the form of the lists.
func (f Fact) Say(speaker, listener string) string {
	var b strings.Builder
	if f.Change == "end" || f.Change == "correct" {
		b.WriteString(f.Change + " ")
	}
	if f.Negative {
		b.WriteString("not ")
	}
	switch f.Src {
	case speaker:
		b.WriteString("I")
	case listener:
		b.WriteString("you")
	default:
		b.WriteString(f.Src)
	}
	b.WriteString(">" + f.Rel)
	if f.Relation != "" {
		b.WriteString(":" + f.Relation)
	}
	b.WriteString(">" + f.Dst)
	return strings.ToLower(b.String())
}

// Same tells whether two facts of the lists are one; of an event one name may hold the
// other.
func Same(a, b string) bool {
	if a == b {
		return true
	}
	x, y := strings.Split(a, ">"), strings.Split(b, ">")
	if len(x) != 3 || len(y) != 3 || x[1] != y[1] || x[2] != y[2] || x[1] != "scheduled_at" && x[1] != "located_at" {
		return false
	}
	return strings.Contains(x[0], y[0]) || strings.Contains(y[0], x[0])
}
