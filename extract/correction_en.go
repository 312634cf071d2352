package extract

import (
	"strings"

	"github.com/asof-db/asof/dsl"
)

// corrects tells whether the words at token i say that what goes with them takes
// something back: "correction", "I misspoke", "I meant", "scratch that".
func (s *sentenceEn) corrects(i int) bool {
	prev, next := s.low(i-1), s.low(i+1)
	switch s.low(i) {
	case "correction", "misspoke", "mistaken", "mistyped", "misremembered", "mix-up", "mixup":
		return true
	case "meant":
		return prev == "i" || s.is(i-1, advWord) && s.low(i-2) == "i"
	case "scratch", "strike":
		return next == "that" && (i+2 >= s.to || s.tok(i+2).kind == punctToken || s.low(i+2) == "i" || s.low(i+2) == "my")
	case "mistake", "error", "bad":
		return prev == "my" && (i == s.from+1 || s.tok(i-2).kind == punctToken || s.is(i-2, leadWord)) ||
			(s.low(i) == "mistake" || s.low(i) == "error") && (prev == "a" || prev == "an") && (s.low(i-2) == "made" && s.low(i-3) == "i" && s.stopsAt(i+1))
	case "correct":
		return next == "myself" || prev == "me" && next == "that" || prev == "to" && next == "that"
	case "plans", "plan":
		return prev == "of" && s.low(i-2) == "change"
	case "wrong":
		switch next {
		case "number", "email", "e-mail", "address", "name", "date", "day", "time", "city", "place":
			return true
		}
		return prev == "that" || prev == "it" || prev == "name" && s.low(i-2) == "my"
	case "wait":
		return next == "," && (prev == "oh" || s.low(i+2) == "no" || s.low(i+2) == "actually" || s.low(i+2) == "sorry")
	case "accurate", "precise", "exact":
		return prev == "be" && s.low(i-2) == "to" && i <= s.from+4
	case "mixed":
		return next == "up" && (s.low(i+2) == "the" || s.low(i+2) == "my" || s.stopsAt(i+2))
	}
	return false
}

// onlyCorrects tells whether the sentence does nothing but take back: what it
// puts in place comes in the next one.
func (s *sentenceEn) onlyCorrects() bool {
	words := 0
	for i := s.from; i < s.to; i++ {
		if s.tok(i).kind == wordToken {
			words++
		}
	}
	return s.correction && words <= 9
}

// setRight reads, once a sentence was read into out[n:], what its statements take
// back: "…, not Y" behind one, a denial before one, "Not Y, …" at the start.
func (s *sentenceEn) setRight(n int, before func(*Relation) string) {
	s.deniedFirst(n)
	if b := s.takenBack(); b != nil {
		before = b
	}
	for i := n; i < len(s.out); i++ {
		c := &s.out[i]
		if c.Span == nil || c.Polarity == dsl.Negative || c.Change == dsl.End || !c.Corrects.IsZero() {
			continue
		}
		old, end := s.contrasted(c)
		if old == "" && before != nil && before(c) != "" {
			old = before(c)
		}
		if old == "" && s.setsRight && c.Change == dsl.Assert && c.Valid == nil && s.rights(c) {
			c.Change = dsl.Correct // "Actually, my name is …"
		}
		if old == "" || old == c.Dst.String() {
			continue
		}
		c.Change, c.Corrects = dsl.Correct, dsl.Plain(old)
		c.Span.End = max(c.Span.End, end)
	}
}

// rights tells whether a state behind "Actually" takes the place of what was said
// before: of a relation that holds one value, and told by no verb of change.
func (s *sentenceEn) rights(c *Relation) bool {
	if c.Rel != "persona.role" && c.Rel != "has_contact.email" && c.Rel != "has_contact.phone" && !s.d.Registry.Functional(c.Rel) {
		return false
	}
	for k := s.d.tokenAt(c.Span.Start); k < s.to && s.tok(k).start < c.Span.End; k++ {
		if eventVerbs[s.low(k)] {
			return false
		}
	}
	return true
}

// oneValued tells whether a value of the relation usually rules out another, so
// that "X, not Y" corrects Y whatever the sentence says beside.
func (s *sentenceEn) oneValued(c *Relation) bool {
	switch c.Rel {
	case "persona.role", "has_contact.email", "has_contact.phone", "owns", "uses", "related_to":
		return true
	}
	return s.d.Registry.Functional(c.Rel)
}

// deniedFirst joins a denial with the statement after it that says otherwise: "I'm
// not a doctor, I'm a nurse".
func (s *sentenceEn) deniedFirst(n int) {
	kept := s.out[:n]
	for i := n; i < len(s.out); i++ {
		if i+1 == len(s.out) {
			kept = append(kept, s.out[i])
			break
		}
		a, b := &s.out[i], &s.out[i+1]
		if a.Polarity != dsl.Negative || a.Change == dsl.End || b.Polarity != dsl.Positive || b.Change == dsl.End ||
			a.Src != b.Src || a.Rel != b.Rel || a.Dst == b.Dst || !s.oneValued(b) || a.Span == nil || b.Span == nil || a.Span.Start > b.Span.Start {
			kept = append(kept, *a)
			continue
		}
		b.Change, b.Corrects = dsl.Correct, a.Dst
		b.Span.Start = a.Span.Start
	}
	s.out = kept
}

// contrasted reads ", not Y" behind a statement, and where it ends.
func (s *sentenceEn) contrasted(c *Relation) (old string, end int) {
	k := s.d.tokenAt(c.Span.End)
	if k <= s.from || k >= s.to {
		return "", 0
	}
	if s.low(k) == "," {
		k++
	}
	if s.low(k) == "and" {
		k++
	}
	weakly := false
	switch {
	case s.low(k) == "not":
		k++
	case s.low(k) == "instead" && s.low(k+1) == "of" && c.Rel != "uses":
		k += 2
	case s.low(k) == "rather" && s.low(k+1) == "than":
		k, weakly = k+2, true
	default:
		return "", 0
	}
	if !s.oneValued(c) || weakly {
		if !s.actually && !s.correction && !s.sorry() && !s.low3(c.Span.Start, "favorite", "favourite") {
			return "", 0
		}
	}
	if w := s.low(k); w == "in" || w == "at" || w == "on" || w == "for" || w == "called" || w == "named" {
		k++
	}
	return s.oldValue(c, k)
}

// low3 tells whether one of two words is among the first three from a byte on.
func (s *sentenceEn) low3(at int, a, b string) bool {
	k := s.d.tokenAt(at)
	for j := k; j < k+3; j++ {
		if w := s.low(j); w == a || w == b {
			return true
		}
	}
	return false
}

// sorry tells whether the sentence starts with "no" or "sorry", or ends with
// "sorry": it puts right.
func (s *sentenceEn) sorry() bool {
	if w := s.low(s.from); (w == "no" || w == "nope" || w == "sorry" || w == "oops") && s.low(s.from+1) == "," {
		return true
	}
	for i := s.to - 1; i > s.from && i >= s.to-7; i-- {
		if s.low(i) == "sorry" && s.low(i-1) == "," {
			return true
		}
	}
	return false
}

// oldValue reads, at token k, a value that one of the statement's relation may
// have.
func (s *sentenceEn) oldValue(c *Relation, k int) (string, int) {
	if k >= s.to {
		return "", 0
	}
	t := s.tok(k)
	m := s.mentionAt(t.start)
	cut := func(a, b int) (string, int) {
		if b <= a {
			return "", 0
		}
		_, end := s.span(a, b)
		return s.text(a, b), end
	}
	switch c.Rel {
	case "scheduled_for.datetime":
		for j := k; j < k+2; j++ {
			if e := s.timeAt(s.tok(j).start); e != nil && e.OnCalendar() && s.d.tokenAt(e.Start) == j {
				if day, _, ok := strings.Cut(c.Dst.String(), "T"); ok && e.Value[0] == 'T' && day != "" {
					return day + e.Value, e.End // "at 5 pm today, not 4 pm"
				}
				return e.Value, e.End
			}
		}
		return "", 0
	case "has_contact.email", "has_contact.phone":
		if m != nil && m.Start == t.start && (m.Type == typeEmail || m.Type == typePhone) {
			return m.Text, m.End
		}
		return "", 0
	case "persona.role":
		if w := t.low; w == "a" || w == "an" || w == "the" {
			k++
		}
		if p, ok := s.rolePhrase(k); ok {
			return cut(p.start, p.end)
		}
		return "", 0
	case "lives_in", "works_at", "studies_at", "scheduled_for.location", "persona.name", "related_to":
		if t.low == "the" {
			k++
		}
		if s.timeAt(s.tok(k).start) != nil && s.mentionAt(s.tok(k).start) == nil {
			return "", 0
		}
		return cut(k, s.properEnd(k))
	}
	p, ok := s.phrase(k)
	if !ok || p.end-p.start > 5 || c.Rel == "owns" && t.low != "a" && t.low != "an" && t.kind != numToken && !s.is(k, numberWord) {
		return "", 0
	}
	return cut(p.start, p.end)
}

// takenBack reads a value that the start of the sentence takes back, for the
// statement that follows: "Not Thursday, …", "I said Oslo, but …", "It's not Kyoto
// …". It gives nil where nothing is.
func (s *sentenceEn) takenBack() func(*Relation) string {
	k := s.from
	for k < s.from+3 && (s.low(k) == "no" || s.low(k) == "sorry" || s.low(k) == "wait" || s.low(k) == "oh") && s.low(k+1) == "," {
		k += 2
	}
	switch w, next := s.low(k), s.low(k+1); {
	case w == "not":
		k++
	case w == "i" && (next == "meant" || next == "mean") && s.from+9 > s.to-3:
		for k += 2; k < s.to && s.low(k) != "not"; k++ {
		}
		k++
	case w == "i" && (next == "did" || next == "do") && s.low(k+2) == "n't" && s.low(k+3) == "mean":
		k += 4
	case w == "i" && (next == "said" || next == "wrote" || next == "told"):
		if k += 2; next == "told" {
			k++
		}
		if s.low(k) == "i" {
			k++
		}
		for s.is(k, auxWord|advWord) || s.low(k) == "that" || s.low(k) == "live" || s.low(k) == "lived" || s.low(k) == "work" || s.low(k) == "worked" {
			k++
		}
	default:
		return nil
	}
	if w := s.low(k); w == "in" || w == "at" || w == "on" || w == "a" || w == "an" {
		k++
	}
	return func(c *Relation) string {
		if !s.oneValued(c) || c.Span == nil || k >= s.to || c.Span.Start < s.tok(k).end {
			return ""
		}
		old, end := s.oldValue(c, k)
		if j := s.d.tokenAt(end); old == "" || s.low(j) != "," && s.low(j) != "but" && !s.stopsAt(j) {
			return ""
		}
		return old
	}
}
