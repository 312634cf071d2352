package extract

import (
	"slices"

	"github.com/asof-db/asof/dsl"
)

// planned reads plans of the sentence: "my dentist appointment is on Friday", "I
// have a meeting next week", "the party was moved to June 3".
func (s *sentenceEn) planned() {
	for i := s.from; i < min(s.to, s.hypothesis); i++ {
		t := s.tok(i)
		if t.kind != wordToken || s.d.quoted(t.start) {
			continue
		}
		switch t.low {
		case "my", "our", "the":
			if s.opens(i) {
				s.eventAt(i)
			}
		case "i", "we":
			if s.opens(i) {
				s.eventHad(i)
				s.intended(i)
			}
		}
	}
	s.upcoming(min(s.to, s.hypothesis), false)
}

// eventPhrase reads a phrase whose head is an event at token k.
func (s *sentenceEn) eventPhrase(k int) (nounPhrase, bool) {
	p, ok := s.phrase(k)
	if !ok || p.end-p.start > 5 || !s.is(p.end-1, eventNoun|occasionWord) {
		return p, false
	}
	return p, true
}

// eventAt: "the meeting is on Friday", "is scheduled for", "has been moved to".
func (s *sentenceEn) eventAt(i int) {
	p, ok := s.eventPhrase(i)
	if !ok {
		return
	}
	if s.eventOver(i, p) {
		return
	}
	k, is, moved, neg := p.end, false, false, false
	for n := 0; n < 8; n++ {
		switch w := s.low(k); w {
		case "is", "'s", "are", "was", "has", "been", "got":
			is = true
		case "actually", "scheduled", "set", "booked", "happening", "on", "at", "for", "in", "to", "just", "until", "back", "forward", "up", "instead":
		case "not", "n't":
			neg = true
		case "now":
			moved = is // "is now on": it was not
		case "moved", "changed", "rescheduled", "postponed", "pushed", "shifted", "delayed", "brought":
			is, moved = true, true
		default:
			n = 7
			continue
		}
		if e := s.timeAt(s.tok(k).start); e != nil && e.Value != presentRef {
			break
		}
		k++
	}
	if !neg {
		s.eventPlace(i, p, k, is, moved)
	}
	t := s.timeAt(s.tok(k).start)
	if neg && is && t != nil {
		s.notThen(i, p, t)
		return
	}
	if !is || t == nil || !s.future(t) || s.d.tokenAt(t.Start) != k {
		return
	}
	if s.low(p.end) == "was" && !moved {
		return
	}
	s.schedule(i, p, t, moved || s.setsRight && i <= s.from+2)
}

// notThen reads, behind "the recital isn't on June 6", the time that is right: ",
// it's on June 7".
func (s *sentenceEn) notThen(i int, p nounPhrase, old *TimeExpr) {
	k := s.d.tokenAt(old.End)
	for n := 0; n < 6; n++ {
		switch s.low(k) {
		case ",", "but", "it", "is", "'s", "on", "at", "in":
			k++
		}
	}
	t := s.timeAt(s.tok(k).start)
	if t == nil || k >= s.to || s.d.tokenAt(t.Start) != k || !s.future(t) || slices.Contains(s.dated, t.Start) {
		return
	}
	s.dated = append(s.dated, t.Start, old.Start)
	c := claim{src: s.value(p), rel: "scheduled_at", dst: t.Value, corrects: old.Value, confidence: likely}
	c.start, c.end = s.span(i, s.d.tokenAt(t.End))
	s.emit(c)
}

// eventPlace reads where a planned event will be: "the conference is in Rome, not
// Milan", "the concert has been moved to Vienna". Without a change said of it, a
// place is no plan.
func (s *sentenceEn) eventPlace(i int, p nounPhrase, k int, is, moved bool) {
	if w := s.low(k); w == "takes" && s.low(k+1) == "place" {
		k += 2
		if w := s.low(k); w == "in" || w == "at" {
			k++
		}
		is, moved = true, moved || s.correction
	} else if w := s.low(k - 1); w != "in" && w != "at" && w != "to" {
		return
	}
	a, b, ok := s.locAt(k)
	if !is || !ok || !moved && !s.correction && !s.actually && s.low(b+1) != "not" || s.low(p.end) == "was" && !moved {
		return
	}
	c := claim{src: s.value(p), rel: "located_at", dst: s.text(a, b), change: s.mood(), confidence: likely}
	if moved {
		c.change = dsl.Correct
	}
	c.start, c.end = s.span(i, b)
	s.emit(c)
}

// eventHad: "I have a dentist appointment on Friday", "Next week I have a …".
func (s *sentenceEn) eventHad(i int) {
	g, ok := s.group(i + 1)
	if !ok || g.neg || g.modal || g.past || g.used || g.perfect && s.low(g.verb) != "got" {
		return
	}
	k := g.verb + 1
	if s.low(g.verb) == "planning" && g.be && (s.low(k) == "a" || s.low(k) == "an" || s.low(k) == "our" || s.low(k) == "my") {
		s.eventPlanned(i, k)
		return
	}
	if w := s.low(g.verb); w != "have" && w != "got" || w == "have" && s.low(k) == "to" {
		return
	}
	if s.low(k) == "got" {
		k++
	}
	if s.low(k) != "a" && s.low(k) != "an" && s.low(k) != "my" && s.low(k) != "another" {
		return
	}
	p, ok := s.eventPhrase(k)
	if !ok {
		return
	}
	end := s.clauseEnd(p.end)
	a, b := s.span(i, max(end, p.end))
	for _, t := range s.timesIn(a, b) {
		if s.future(&t) {
			s.schedule(i, p, &t, false)
			return
		}
	}
	// A time that opens the sentence: "Next week I have …".
	if t := s.timeAt(s.tok(s.from).start); t != nil && s.future(t) && i-s.d.tokenAt(t.End) <= 2 {
		s.schedule(i, p, t, false)
	}
}

// eventPlanned: "I'm planning a trip to Norway in July".
func (s *sentenceEn) eventPlanned(i, k int) {
	p, ok := s.eventPhrase(k)
	if !ok {
		return
	}
	b, where, e := p.end, 0, 0
	if s.low(b) == "to" {
		if x, y, ok := s.locAt(b + 1); ok {
			where, e, b = x, y, y
		}
	}
	if w := s.low(b); w == "in" || w == "for" || w == "on" {
		b++
	}
	t := s.timeAt(s.tok(b).start)
	if b >= s.to || t == nil || !s.future(t) {
		return // a trip without a time is no plan yet
	}
	s.schedule(i, p, t, false)
	if where > 0 {
		x, y := s.span(i, e)
		s.emit(claim{src: s.value(p), rel: "located_at", dst: s.text(where, e), start: x, end: y, confidence: likely})
	}
}

// future tells whether the time lies on the calendar and is not over.
func (s *sentenceEn) future(t *TimeExpr) bool {
	return t.OnCalendar() && t.Value[0] != 'T' && t.To.After(s.d.Local) && len(t.Value) >= len("2006-01")
}

// schedule emits the time of an event, with what it corrects.
func (s *sentenceEn) schedule(i int, p nounPhrase, t *TimeExpr, moved bool) {
	if slices.Contains(s.dated, t.Start) {
		return // the time of another event already
	}
	s.dated = append(s.dated, t.Start)
	k := s.d.tokenAt(t.End)
	c := claim{src: s.value(p), rel: "scheduled_at", dst: t.Value, change: s.mood(), confidence: likely}
	c.start, c.end = s.span(i, max(k, p.end))
	c.corrects = s.notInstead(k)
	if moved {
		c.change, c.src = dsl.Correct, s.nameOfEvent(p)
	}
	s.emit(c)
}
