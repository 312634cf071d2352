package extract

import (
	"strings"

	"github.com/asof-db/asof/dsl"
)

// eventOver reads, behind an event's name in tokens p, that it will not be: "my
// appointment was cancelled", "the wedding is off".
func (s *sentenceEn) eventOver(i int, p nounPhrase) bool {
	k := p.end
	// A time or a date between: "the meeting on Friday is cancelled".
	for n := 0; n < 4 && k < s.to; n++ {
		if e := s.timeAt(s.tok(k).start); e != nil {
			k = s.d.tokenAt(e.End)
			continue
		}
		if w := s.low(k); (w == "on" || w == "in" || w == "at" || w == "for") && s.timeAt(s.tok(k+1).start) != nil {
			k++
			continue
		}
		break
	}
	neg, be, noLonger, wont := false, false, false, false
	for n := 0; n < 7; n++ {
		switch w := s.low(k); {
		case w == "is" || w == "was" || w == "are" || w == "'s" || w == "has" || w == "have" || w == "been" || w == "got" || w == "be" || w == "being":
			be = true
		case w == "wo" || w == "will":
			wont = true
		case s.is(k, negWord):
			neg = true
		case w == "no" && s.low(k+1) == "longer":
			noLonger = true
			k++
		case s.adverb(k) || w == "now":
		default:
			n = 7
			continue
		}
		k++
	}
	off := neg || noLonger
	switch s.low(k) {
	case "cancelled", "canceled", "scrapped":
		off = be && !neg
	case "off":
		off = be && !neg && s.stopsAt(k+1) || be && !neg && (s.low(k+1) == "because" || s.low(k+1) == "now" || s.low(k+1) == "due")
	case "called":
		off = be && !neg && s.low(k+1) == "off"
	case "happening":
		off = off && be
	case "happen":
		off = neg && (wont || s.low(k-1) == "not")
	case "fell":
		off = s.low(k+1) == "through"
	case "on":
		off = (noLonger || neg) && be && s.stopsAt(k+1)
	default:
		off = false
	}
	if off {
		s.eventEnd(s.nameOfEvent(p), i, k)
	}
	return off
}

// eventEnd emits that a planned event will not be, or is done.
func (s *sentenceEn) eventEnd(name string, a, k int) {
	if name == "" {
		return
	}
	c := claim{src: name, rel: "scheduled_at", dst: Past, change: dsl.End, confidence: likely}
	c.start, c.end = s.span(a, min(k+1, s.to))
	s.emit(c)
}

// done tells whether a verb at token i is told as done by "I" or "we": where the
// subject stands, and that nothing between leaves it open.
func (s *sentenceEn) done(i int) (sub int, ok bool) {
	for j := i - 1; j >= max(s.from, i-6); j-- {
		switch w := s.low(j); w {
		case "i", "we", "they":
			return j, s.opens(j)
		case "had", "have", "'ve", "has", "to", "decided", "just", "ended", "up", "also", "forced", "were", "was", "finally":
		default:
			if !s.adverb(j) && s.timeAt(s.tok(j).start) == nil {
				return 0, false
			}
		}
	}
	return 0, false
}

// calledOff reads "I cancelled my trip", "we had to cancel the dinner", "we called
// off the picnic"; i is the verb.
func (s *sentenceEn) calledOff(i int) {
	sub, ok := s.done(i)
	if !ok {
		return
	}
	k := i + 1
	switch s.low(i) {
	case "called":
		if s.low(k) != "off" {
			return
		}
		k++
	case "cancel", "skip":
		// "had to cancel", "decided to skip"
		if w := s.low(i - 2); s.low(i-1) != "to" || w != "had" && w != "decided" && w != "forced" {
			return
		}
	}
	if p, ok := s.eventNamed(k); ok {
		s.eventEnd(s.nameOfEvent(p), sub, p.end-1)
	}
}

// eventNamed reads an event at token k, after "my", "our" or "the": its phrase,
// with where a journey goes.
func (s *sentenceEn) eventNamed(k int) (nounPhrase, bool) {
	if w := s.low(k); w != "my" && w != "our" && w != "the" {
		return nounPhrase{}, false
	}
	p, ok := s.phrase(k)
	if !ok || p.end-p.start > 6 || !s.is(p.end-1, eventNoun|occasionWord) {
		return p, false
	}
	if s.low(p.end) == "to" {
		if _, e, ok := s.placeAt(p.end + 1); ok {
			p.end = e
		}
	}
	return p, true
}

// notGoing reads "I'm not going to the conference anymore", "I can't make it to
// the reunion", of the speaker's clause.
func (s *sentenceEn) notGoing(sub subjectEn, g verbGroup) {
	if !sub.self || !g.neg && !g.noLonger {
		return
	}
	k := g.verb + 1
	switch s.low(g.verb) {
	case "going":
		if !s.over(g, g.verb) || s.low(k) != "to" {
			return
		}
		k++
	case "attending", "joining":
		if !s.over(g, g.verb) {
			return
		}
	case "make":
		if !g.modal || s.low(k) != "it" || s.low(k+1) != "to" {
			return
		}
		k += 2
	case "attend", "come":
		if !g.modal {
			return
		}
		if s.low(g.verb) == "come" {
			if s.low(k) != "to" {
				return
			}
			k++
		}
	default:
		return
	}
	if p, ok := s.eventNamed(k); ok {
		s.eventEnd(s.nameOfEvent(p), sub.start, p.end-1)
	}
}

// lists are what one keeps plans in.
var lists = wordSet("list lists calendar schedule agenda tasks planner reminders diary todos to-dos")

// requested reads what a sentence asks to be taken from the speaker's calendar or
// list: "remove the dentist appointment from my calendar", "take 'buy milk' off my
// list", "forget about the barbecue".
func (s *sentenceEn) requested() {
	for i := s.from; i < min(s.to, s.from+40); i++ {
		from := "from"
		switch s.low(i) {
		case "remove", "delete", "drop", "clear", "erase":
		case "take", "cross", "strike", "scratch", "check":
			from = "off"
		case "forget":
			if s.low(i+1) == "about" && s.asks(i) {
				if p, ok := s.eventNamed(i + 2); ok {
					s.eventEnd(s.nameOfEvent(p), i, p.end-1)
				}
			}
			continue
		default:
			continue
		}
		if !s.asks(i) {
			continue
		}
		if a, b, ok := s.listed(i+1, from); ok {
			s.taskEnd(i, a, b)
		}
	}
}

// asks tells whether the verb at token i asks something of the listener: it opens
// the sentence, "please", "you can", "could you".
func (s *sentenceEn) asks(i int) bool {
	j := i - 1
	for n := 0; n < 5 && j >= s.from; n, j = n+1, j-1 {
		switch w := s.low(j); w {
		case "please", "you", "can", "could", "just", "so", "yes", "also", ",", "and", "ok", "okay", "let", "'s", "actually", "hey", "to", "like", "would", "i", "'d", "want", "need", "should", "may":
		default:
			return s.tok(j).kind == punctToken
		}
	}
	return j < s.from || s.low(j+1) == ","
}

// listed reads the thing in tokens [a, b) before "from my calendar".
func (s *sentenceEn) listed(k int, from string) (a, b int, ok bool) {
	for e := k; e < min(s.to, k+14); e++ {
		w := s.low(e)
		if w != "from" && w != "off" {
			if s.tok(e).kind == punctToken && (w == "." || w == "!" || w == "?") {
				return 0, 0, false
			}
			continue
		}
		if w != from && !(from == "off" && w == "from") {
			return 0, 0, false
		}
		n := e + 1
		if s.low(n) == "of" {
			n++
		}
		if x := s.low(n); x != "my" && x != "our" && !(x == "the" && (s.low(n+1) == "calendar" || s.low(n+1) == "schedule" || s.low(n+1) == "to")) {
			return 0, 0, false
		}
		for n++; n < e+6; n++ {
			if lists[s.low(n)] {
				return k, e, e > k
			}
		}
		return 0, 0, false
	}
	return 0, 0, false
}

// taskEnd emits the end of the task or event that tokens [a, b) name. Lists hold much that was never a plan with a
// time, so a name that is no appointment's must be known to the space.
func (s *sentenceEn) taskEnd(i, a, b int) {
	if p, ok := s.eventNamed(a); ok && p.end <= b {
		s.eventEnd(s.nameOfEvent(p), i, p.end-1)
		return
	}
	if name := s.taskName(a, b); s.knownEvent(name) {
		s.eventEnd(name, i, b-1)
	}
}

// taskName gives the name of a task in tokens [a, b): without article and marks,
// its verb in the base form. The space may know it with an article inside: then by
// that name.
func (s *sentenceEn) taskName(a, b int) string {
	for a < b && (s.is(a, detWord) && s.low(a) != "all" || s.tok(a).kind == punctToken) {
		a++
	}
	for a < b && s.tok(b-1).kind == punctToken {
		b--
	}
	if a >= b || b-a > 9 {
		return ""
	}
	name := s.text(a, b)
	if strings.ContainsAny(name, "\n\r") {
		return ""
	}
	if w := s.low(a); strings.HasSuffix(w, "ing") && s.isGerund(a) {
		name = baseForm(w) + name[len(w):]
	}
	if s.d.Memory == nil {
		return name
	}
	for _, n := range spellings(name) {
		if typ, ok := s.d.Memory.EntityType(n); ok && typ == Event {
			return n
		}
	}
	return name
}

// spellings gives a task's name as it is, without the article after its verb, and
// with others.
func spellings(name string) []string {
	verb, rest, ok := strings.Cut(name, " ")
	if !ok {
		return []string{name}
	}
	if det, bare, ok := strings.Cut(rest, " "); ok {
		switch lower(det) {
		case "the", "my", "a", "an", "some", "our", "all", "those", "these":
			rest = bare
		}
	}
	out := []string{name}
	for _, d := range []string{"", "the ", "my ", "some ", "a ", "an ", "all the "} {
		if n := verb + " " + d + rest; n != name {
			out = append(out, n)
		}
	}
	return out
}

// knownEvent tells whether the space knows an event of the name.
func (s *sentenceEn) knownEvent(name string) bool {
	if s.d.Memory == nil || name == "" {
		return false
	}
	typ, ok := s.d.Memory.EntityType(name)
	return ok && typ == Event
}

// baseForm gives the base form of a verb from its -ing form.
func baseForm(w string) string {
	stem := strings.TrimSuffix(w, "ing")
	n := len(stem)
	if n < 2 {
		return w
	}
	if last := stem[n-1]; n > 2 && last == stem[n-2] && strings.IndexByte("bdgmnprt", last) >= 0 {
		return stem[:n-1] // planning
	}
	if silentE[stem] {
		return stem + "e"
	}
	for _, e := range []string{"at", "iz", "is", "ang", "uc", "rv", "iv", "ov", "as", "ur", "ar", "ir", "ag", "ak", "ic", "ul", "ot", "ut", "bl", "dl", "pl", "tl", "gl", "rg", "dg", "ys", "us", "ud", "ad", "id", "ib", "ok", "ik"} {
		if strings.HasSuffix(stem, e) && (n == len(e) || !isVowel(stem[n-len(e)-1]) || len(e) > 2) && !keepsStem[stem] {
			return stem + "e"
		}
	}
	return stem
}

func isVowel(b byte) bool { return strings.IndexByte("aeiou", b) >= 0 }

var (
	silentE   = wordSet("writ mak tak us clos chang shar sav hir fil fin refin defin combin examin outlin determin imagin driv rid receiv compos arrang challeng reconcil schedul handl compil renam")
	keepsStem = wordSet("visit submit edit audit credit limit fix mix repair clear finish chat meet collect pick book cook look wear hear appear gather register pack check track unpack load read spread plant mail email upload download await treat eat beat repeat seat")
)

// nameOfEvent gives the name of an event by which the space may know it: "portfolio
// review" for "portfolio review meeting".
func (s *sentenceEn) nameOfEvent(p nounPhrase) string {
	name := s.value(p)
	if s.d.Memory == nil || s.knownEvent(name) {
		return name
	}
	if w := s.low(p.end - 1); p.end-p.start > 1 && plainEvent[w] {
		if short := s.text(p.start, p.end-1); s.knownEvent(short) {
			return short
		}
	}
	for _, w := range []string{"appointment", "meeting", "session"} {
		if long := name + " " + w; s.knownEvent(long) {
			return long
		}
	}
	return name
}

var plainEvent = wordSet("meeting appointment session event")

// taskDone reads "I finished preparing the slides", "I no longer need to call the
// bank": a plan that is done or dropped.
func (s *sentenceEn) taskDone(sub subjectEn, g verbGroup, w string) {
	if !sub.self || g.modal && w != "need" {
		return
	}
	k := g.verb + 1
	dropped := false
	switch w {
	case "finished", "completed":
	case "done":
		if s.low(k) == "with" {
			k++
		}
	case "need", "have":
		// "no longer need to", "don't need to … anymore"
		if s.low(k) != "to" || !s.over(g, g.verb) {
			return
		}
		dropped = true
		k++
	case "planning", "tracking":
		if !g.be || !s.over(g, g.verb) {
			return
		}
		dropped = true
		if s.low(k) == "to" || s.low(k) == "on" {
			k++
		}
	default:
		return
	}
	if g.neg && !dropped {
		return
	}
	if x := s.low(k); dropped && (x == "track" || x == "remember" || x == "worry" || x == "bother") {
		k++
		if y := s.low(k); y == "to" || y == "about" || y == "with" {
			k++
		}
	}
	if dropped && s.is(k, detWord) {
		k++
	}
	end := s.taskEndAt(k)
	if end <= k {
		return
	}
	if w == "planning" && !s.isGerund(k) && s.low(g.verb+1) != "to" {
		k = g.verb // "planning quiet time" is the task
	}
	name := s.taskName(k, end)
	if s.knownEvent(name) {
		s.eventEnd(name, sub.start, end-1)
	}
}

// taskEndAt gives where the name of a task that starts at token k ends: the end of
// the marks around it, or of its clause.
func (s *sentenceEn) taskEndAt(k int) int {
	if w := s.low(k); s.tok(k).kind == punctToken && (w == "\"" || w == "“" || w == "'" || w == "‘") {
		for e := k + 1; e < min(s.to, k+12); e++ {
			if x := s.low(e); s.tok(e).kind == punctToken && (x == "\"" || x == "”" || x == "'" || x == "’") {
				return e + 1
			}
		}
		return k
	}
	end := min(s.clauseEnd(k), k+10)
	for e := k + 1; e < end; e++ {
		switch s.low(e) {
		case "anymore", "now", "today", "yesterday", "already", "any", "from", "on", "off", "as", "for":
			return e
		}
		if s.timeAt(s.tok(e).start) != nil {
			return e
		}
	}
	return end
}

// rescheduled reads "we moved the call to Tuesday", "I had to reschedule the tour
// to May 29"; i is the verb.
func (s *sentenceEn) rescheduled(i int) {
	sub, ok := s.done(i)
	if !ok {
		return
	}
	switch s.low(i) {
	case "move", "reschedule", "postpone", "push", "change", "shift", "bring":
		if w := s.low(i - 2); s.low(i-1) != "to" || w != "had" && w != "decided" {
			return
		}
	}
	k := i + 1
	p, ok := s.eventPhrase(k)
	if w := s.low(k); !ok && (w == "the" || w == "my" || w == "our") {
		if m := s.quotedAt(k + 1); m.end > m.start {
			p, ok = m, true
		}
	}
	if !ok || s.low(k) != "the" && s.low(k) != "my" && s.low(k) != "our" {
		return
	}
	e := p.end
	if s.low(e) == "\"" || s.low(e) == "”" {
		e++
	}
	for n := 0; n < 4; n++ {
		switch s.low(e) {
		case "back", "forward", "up", "to", "until", "for":
			e++
		case "from":
			t := s.timeAt(s.tok(e + 1).start)
			if t == nil {
				return
			}
			e = s.d.tokenAt(t.End)
		}
	}
	if t := s.timeAt(s.tok(e).start); t != nil && s.future(t) && e > p.end {
		s.schedule(sub, p, t, true)
	}
}

// quotedAt gives the tokens between marks that open at token k.
func (s *sentenceEn) quotedAt(k int) nounPhrase {
	if w := s.low(k); w != "\"" && w != "“" {
		return nounPhrase{}
	}
	for e := k + 1; e < min(s.to, k+9); e++ {
		if w := s.low(e); w == "\"" || w == "”" {
			return nounPhrase{start: k + 1, end: e, named: true}
		}
	}
	return nounPhrase{}
}
