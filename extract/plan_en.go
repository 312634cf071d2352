package extract

import (
	"strings"
	"time"
)

// hedged are words in a clause that leave open whether what it plans will be.
var hedged = wordSet("if whether thinking considering consider maybe perhaps might may could would should hope hoping hopefully wish want wanted wants wanna possibly probably unless looking try trying imagine recommend suggest suggestions any possible thought instead or decide")

// upcoming reads an event and its time that stand side by side, whatever the
// clause says of them: "my yoga class on Tuesday evening", "an outdoor concert
// this weekend". asked tells that the sentence asks; then only the speaker's own
// events count.
func (s *sentenceEn) upcoming(to int, asked bool) {
	if to <= s.from {
		return
	}
	a, b := s.span(s.from, to)
	for _, t := range s.timesIn(a, b) {
		if !s.future(&t) || t.Type == typeSet {
			continue
		}
		k := s.d.tokenAt(t.Start)
		if s.d.quoted(t.Start) || !t.From.After(s.d.Local) && t.To.Sub(t.From) <= 24*time.Hour || t.To.Sub(t.From) <= time.Minute && strings.Contains(t.Text, "minute") {
			continue
		}
		if s.low(k-1) == "until" || s.low(k-1) == "since" || s.low(k-1) == "by" || s.low(k-1) == "before" {
			continue
		}
		if p, where, whereEnd, ok := s.eventBefore(k); ok {
			own := s.is(p.start-1, possWord) || s.is(p.start-2, possWord)
			if asked && !own || s.hedgedBefore(p.start) && !(asked && own) || s.toldPast(p.start) {
				continue
			}
			s.schedule(p.start, p, &t, false)
			if where > 0 {
				x, y := s.span(p.start, whereEnd)
				s.emit(claim{src: s.value(p), rel: "located_at", dst: s.text(where, whereEnd), start: x, end: y, confidence: likely})
			}
			continue
		}
		// "tomorrow at the grand opening"
		if e := s.d.tokenAt(t.End); !asked && (s.low(e) == "at" || s.low(e) == "for") && (s.low(e+1) == "the" || s.is(e+1, possWord)) {
			if p, ok := s.phrase(e + 2); ok && s.isOccasion(p) && !s.hedgedBefore(k) && !s.toldPast(k) {
				s.schedule(k, p, &t, false)
			}
		}
	}
}

// isOccasion tells whether a phrase names an event.
func (s *sentenceEn) isOccasion(p nounPhrase) bool {
	return p.end-p.start <= 6 && s.is(p.end-1, eventNoun|occasionWord) && !s.is(p.start, petWord)
}

// eventBefore reads backwards the event whose time starts at token k, and the
// place between the two, if one is named.
func (s *sentenceEn) eventBefore(k int) (p nounPhrase, where, whereEnd int, ok bool) {
	e := k
	for n := 0; n < 4 && e > s.from; n++ {
		switch s.low(e - 1) {
		case "on", "in", "for", "at", "this", "the", "up", "out", "early", "late", "around", ",", "happening", "scheduled", "planned", "coming":
			e--
			continue
		}
		break
	}
	// A place: "to Japan", "at the Grand Hotel".
	for j := e - 1; j >= max(s.from, e-7); j-- {
		w := s.low(j)
		if w == "to" || w == "at" || w == "in" {
			if a, b, ok := s.placeAt(j + 1); ok && b == e {
				if m := s.mentionAt(s.tok(a).start); m != nil && (m.Type == typeLoc || m.Type == typeOrg) {
					where, whereEnd, e = a, b, j
				}
			}
			break
		}
		if s.tok(j).kind != wordToken {
			break
		}
	}
	if e <= s.from || !s.is(e-1, eventNoun|occasionWord) {
		return p, 0, 0, false
	}
	for d := e - 1; d >= max(s.from, e-7); d-- {
		t := s.tok(d)
		if t.kind != wordToken && !(t.low == "-" && !t.space) && t.low != "'s" {
			return p, 0, 0, false
		}
		switch t.low {
		case "a", "an", "the", "my", "our", "another", "this", "upcoming":
			at := d
			if t.low == "this" || t.low == "another" || t.low == "upcoming" {
				at++
			}
			p, ok = s.phrase(at)
			if ok && p.end == e && s.isOccasion(p) {
				if s.low(p.start) == "upcoming" {
					p.start++
				}
				return p, where, whereEnd, true
			}
			if s.low(d+2) == "'s" && s.is(d+1, kinWord) || s.low(d+3) == "'s" && s.is(d+2, kinWord) {
				// "my sister's wedding"
				return nounPhrase{start: d + 1, end: e}, where, whereEnd, e-d <= 7
			}
			return p, 0, 0, false
		}
	}
	return p, 0, 0, false
}

// hedgedBefore tells whether the clause before token k leaves open what it plans.
func (s *sentenceEn) hedgedBefore(k int) bool {
	for j, n := k-1, 0; j >= s.from && n < 12; j, n = j-1, n+1 {
		if hedged[s.low(j)] {
			// "trying to decide what to wear to …" does not hedge the event.
			return !s.settled(j, k)
		}
		if s.tok(j).kind == punctToken && s.low(j) != "-" && s.low(j) != "'" {
			return false
		}
	}
	return false
}

// settled tells whether what is open is only a detail of the event.
func (s *sentenceEn) settled(j, k int) bool {
	for i := j; i < k; i++ {
		switch s.low(i) {
		case "what", "wear", "wearing", "bring", "bringing", "gift", "outfit", "for", "prepare":
			if i+1 < k {
				return s.low(j) != "if"
			}
		}
	}
	return false
}

// toldPast tells whether the verb before token k speaks of the past.
func (s *sentenceEn) toldPast(k int) bool {
	for j, n := k-1, 0; j >= s.from && n < 14; j, n = j-1, n+1 {
		w := s.low(j)
		if w == "was" || w == "were" || w == "had" || w == "attended" || w == "went" || irregular[w] && w != "got" && w != "put" || strings.HasSuffix(w, "ed") && !s.is(j-1, possWord) && (w == "enjoyed" || w == "missed" || w == "visited" || w == "hosted") {
			return true
		}
		if s.tok(j).kind == punctToken {
			return false
		}
	}
	return false
}

// Verbs of a plan that is made: what one is doing, or will do, at a set time.
var (
	doing = wordSet("going visiting meeting seeing attending hosting leaving flying traveling travelling joining driving heading performing playing running competing presenting celebrating moving starting returning getting taking having throwing volunteering speaking babysitting hiking camping picking graduating teaching participating launching opening shooting recording staying coming doing starting")
	does  = wordSet("go visit meet see attend host leave fly travel join drive head perform play run compete present celebrate move start return come throw volunteer speak babysit graduate teach participate launch open stay take have")
)

// intended reads plans told by a verb: "I'm going camping next month", "we're
// meeting on Friday", "I need to call the plumber tomorrow", "I'll come over
// tomorrow".
func (s *sentenceEn) intended(i int) {
	g, k, ok := s.intention(i)
	if !ok || g.neg {
		return
	}
	end := s.clauseEnd(k)
	if end <= k {
		return
	}
	a, b := s.span(k, end)
	var t *TimeExpr
	for _, x := range s.timesIn(a, b) {
		if s.future(&x) && x.Type != typeSet {
			t = &x
			break
		}
	}
	if t == nil {
		// A time that opens the sentence: "Tomorrow I'm …".
		if x := s.timeAt(s.tok(s.from).start); x != nil && s.future(x) && x.Type != typeSet && i-s.d.tokenAt(x.End) <= 2 {
			t = x
		}
	}
	if t == nil || s.hedgedBefore(k) {
		return
	}
	at := s.d.tokenAt(t.Start)
	if at > k && (s.low(at-1) == "by" && s.low(at-2) != "come" && s.low(at-2) != "stop" && s.low(at-2) != "drop" || s.low(at-1) == "before" || s.low(at-1) == "until" || s.low(at-1) == "since") {
		return
	}
	p := s.planName(k, at, end)
	if p.end <= p.start {
		return
	}
	s.schedule(i, p, t, false)
}

// intention reads the verb of a plan after the subject at token i: k is where
// what is planned starts.
func (s *sentenceEn) intention(i int) (g verbGroup, k int, ok bool) {
	k = i + 1
	modal := false
	for n := 0; n < 6; n++ {
		w := s.low(k)
		switch {
		case w == "'m" || w == "am" || w == "are" || w == "'re" || w == "be":
			g.be = true
		case w == "'ll" || w == "will":
			modal = true
		case w == "not" || w == "n't":
			g.neg = true
		case s.adverb(k) && w != "probably":
		case s.timeAt(s.tok(k).start) != nil && s.tok(k).kind == wordToken && k > i+1:
		default:
			n = 6
			continue
		}
		k++
	}
	w, next := s.low(k), s.low(k+1)
	switch {
	case g.be && (w == "going" || w == "planning" || w == "scheduled" || w == "supposed" || w == "set" || w == "due") && next == "to":
		k += 2
		if s.is(k, detWord) || s.tok(k).upper || s.low(k) == "be" {
			// "going to a concert", "going to Rome": a journey.
			return g, k - 2, w == "going" && s.low(k) != "be"
		}
		return g, k, !undecided[s.low(k)]
	case g.be && w == "planning" && next == "on":
		return g, k + 2, s.isGerund(k + 2)
	case modal && w == "be" || g.be && modal:
		return g, k, doing[w]
	case g.be:
		return g, k, doing[w] || w == "off"
	case modal:
		return g, k, does[w] && !(w == "get" || w == "take" || w == "have") || (w == "take" || w == "have") && s.occasionAfter(k+1)
	case w == "plan" && next == "to":
		return g, k + 2, !undecided[s.low(k+2)]
	case (w == "need" || w == "have" || w == "got") && next == "to":
		k += 2
		return g, k, !undecided[s.low(k)] && s.low(k) != "be"
	case w == "'ve" && s.low(k+1) == "got" && s.low(k+2) == "to":
		return g, k + 3, !undecided[s.low(k+3)]
	}
	return g, k, false
}

// undecided are verbs that make no plan of their own.
var undecided = wordSet("schedule book finish submit complete decide figure find make get buy look consider think know check keep see try use choose ask remember")

// occasionAfter tells whether an event is the object at token k.
func (s *sentenceEn) occasionAfter(k int) bool {
	p, ok := s.phrase(k)
	return ok && s.isOccasion(p)
}

// planName gives the words for what is planned at token k, whose time stands at
// token at: the event that it names, or the verb with its object.
func (s *sentenceEn) planName(k, at, end int) nounPhrase {
	stop := end
	if at > k {
		stop = at
	}
	for j := k; j < min(stop, k+10); j++ {
		if s.is(j, eventNoun|occasionWord) && j > k {
			for d := j - 1; d >= k; d-- {
				if s.is(d, detWord) || s.low(d) == "to" || s.low(d) == "for" || s.low(d) == "at" {
					if p, ok := s.phrase(d + 1); ok && p.end == j+1 {
						return p
					}
					return nounPhrase{start: d + 1, end: j + 1}
				}
			}
		}
	}
	if s.low(k) == "going" && s.isGerund(k+1) {
		k++
	}
	e := k + 1
	for e < min(stop, k+6) {
		t := s.tok(e)
		if t.kind == punctToken && t.low != "-" && t.low != "'" {
			break
		}
		if t.low == "with" || t.low == "because" || t.low == "so" || t.low == "from" || t.low == "and" || t.low == "if" || t.low == "when" {
			break
		}
		e++
	}
	for e > k+1 {
		switch s.low(e - 1) {
		case "on", "in", "at", "for", "this", "the", "to", "a", "my", "early", "late", "an", "around", "by", "until":
			e--
			continue
		}
		break
	}
	return nounPhrase{start: k, end: e}
}
