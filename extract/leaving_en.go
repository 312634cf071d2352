package extract

import "github.com/asof-db/asof/dsl"

// leaving are verbs by which one leaves a platform.
var leaving = wordSet("quit deactivated abandoned dumped dropped")

// lostOrLeft reads verbs by which a job, a thing, a tool or a taste goes. It
// reports whether w is one of them here.
func (s *sentenceEn) lostOrLeft(sub subjectEn, g verbGroup, w string) bool {
	k := g.verb + 1
	over := verbGroup{verb: g.verb, noLonger: true}
	if (w == "got" || w == "gotten") && !g.neg {
		switch x := s.low(k); x {
		case "laid", "fired":
			h := g
			h.verb = k
			s.quit(sub, h)
			return true
		case "off":
			if s.is(k+1, platformWord) && s.tok(k+1).upper {
				s.leftPlatform(sub, g, k+1)
				return true
			}
		case "tired", "bored", "sick":
			if s.low(k+1) == "of" || s.low(k+1) == "with" {
				s.turned(sub, verbGroup{verb: k, perfect: true}, k+2)
				return true
			}
		}
	}
	if g.neg && !(w == "with" || w == "use" || w == "using" || w == "have" || consumed[w] || w == "hate" || w == "dislike") || g.did && !g.neg {
		return false
	}
	if leaving[w] && s.is(k, platformWord) && s.tok(k).upper {
		s.leftPlatform(sub, g, k)
		return true
	}
	switch w {
	case "let":
		if g.be && s.low(k) == "go" && (s.low(k+1) == "from" || s.low(k+1) == "by") {
			s.leftEmployer(sub, g, k+2)
			return true
		}
	case "with":
		if g.be && s.over(g, k) {
			s.leftEmployer(sub, g, k)
			return true
		}
	case "retired", "resigned", "stepped":
		if w == "stepped" && s.low(k) == "down" {
			k++
		} else if w == "stepped" {
			return false
		}
		if s.low(k) == "as" {
			for k++; s.is(k, detWord); k++ {
			}
			if p, ok := s.rolePhrase(k); ok {
				s.place(sub, over, "role", p.start, p.end, sure, s.ended(sub, g))
			}
			return true
		}
		if w == "retired" && s.low(k) == "from" {
			s.leftEmployer(sub, g, k+1)
			return true
		}
	case "made":
		if g.be && s.low(k) == "redundant" && (s.low(k+1) == "at" || s.low(k+1) == "by" || s.low(k+1) == "from") {
			s.leftEmployer(sub, g, k+2)
			return true
		}
	case "quit":
		if a, b, _, ok := s.employer(k); ok && s.isSchool(a, b) {
			s.place(sub, over, "studies_at", a, b, likely, s.ended(sub, g))
			return true
		}
	case "dropped":
		if s.low(k) == "out" && s.low(k+1) == "of" {
			if a, b, _, ok := s.employer(k + 2); ok {
				s.place(sub, over, "studies_at", a, b, likely, s.ended(sub, g))
			}
			return true
		}
	case "left":
		if a, b, ok := s.locAt(k); ok && (s.low(b) == "for" && s.low(b+1) == "good" || s.low(b) == "permanently") {
			s.place(sub, over, "lives_in", a, b, sure, s.ended(sub, g))
			return true
		}
	case "passed", "died":
		return s.petGone(sub, g, w, k)
	case "grown", "grew", "growing":
		if s.low(k) == "out" && s.low(k+1) == "of" {
			g.past = false
			s.turned(sub, g, k+2)
			return true
		}
	case "moved", "moving":
		if s.low(k) == "on" && s.low(k+1) == "from" {
			s.turned(sub, verbGroup{verb: g.verb, perfect: true}, k+2)
			return true
		}
		if s.low(k) == "from" && s.is(k+1, platformWord) && s.tok(k+1).upper {
			s.switched(sub, g)
			return true
		}
	case "had":
		if g.perfect && s.low(k) == "enough" && s.low(k+1) == "of" {
			s.turned(sub, g, k+2)
			return true
		}
	case "lost":
		if x := s.low(k); x == "my" || x == "all" || x == "any" {
			switch s.low(k + 1) {
			case "interest", "taste", "love", "passion", "enthusiasm", "appetite":
				if x := s.low(k + 2); x == "for" || x == "in" {
					s.turned(sub, verbGroup{verb: g.verb, perfect: true}, k+3)
					return true
				}
			}
		}
	case "unsubscribed":
		if s.low(k) == "from" {
			s.leftPlatform(sub, g, k+1)
			return true
		}
	case "done", "off", "through":
		if g.be && !g.past {
			if w != "off" && s.low(k) == "with" {
				k++
			}
			if s.is(k, platformWord) && s.tok(k).upper {
				s.leftPlatform(sub, g, k)
				return true
			}
		}
	case "replaced", "swapped", "traded":
		return s.replacedBy(sub, g, w, k)
	case "closed", "deleted", "deactivate":
		if s.low(k) == "my" && s.is(k+1, platformWord) {
			if e := s.properEnd(k + 1); s.low(e) == "account" || s.low(e) == "profile" {
				s.place(sub, over, "uses", k+1, e, likely, s.ended(sub, g))
				return true
			}
		}
	case "gave":
		if s.is(k, possWord) && sub.self {
			if p, ok := s.thing(k+1, lastingHead); ok && p.head && (s.low(p.end) == "to" || s.low(p.end) == "away") {
				s.place(sub, over, "owns", p.start, p.end, likely, s.ended(sub, g))
				return true
			}
		}
	case "returned":
		if s.low(k) == "the" && sub.self {
			if p, ok := s.thing(k+1, lastingHead); ok && p.head && s.gapAfter(p.end) {
				s.place(sub, over, "owns", p.start, p.end, likely, s.ended(sub, g))
				return true
			}
		}
	}
	return s.habitOver(sub, g, w, k)
}

// habitOver reads the end of a habit, of the use of an address, and of a dislike.
func (s *sentenceEn) habitOver(sub subjectEn, g verbGroup, w string, k int) bool {
	isOver := !g.used && s.over(g, g.verb)
	switch {
	case (w == "stopped" || w == "quit") && s.low(k) == "being" && !g.neg:
		s.roleOver(sub, g, k+1)
		return true
	case (w == "stopped" || w == "quit") && !g.neg && consumed[s.low(k)]:
		s.gaveUpHabit(sub, k)
		return true
	case isOver && sub.self && consumed[w]:
		s.gaveUpHabit(sub, g.verb)
		return true
	case isOver && (w == "hate" || w == "hates" || w == "dislike" || w == "dislikes" || w == "mind"):
		if w != "mind" {
			g.noLonger = true
			s.taste(sub, g, k, "dislikes", false)
		}
		return true
	case isOver && sub.self && (w == "use" || w == "using" || w == "have"):
		if m := s.contactIn(k); m != nil {
			s.contactEnd(m, sub.start)
			return true
		}
		if x := s.low(k); w == "have" && (x == "the" || x == "my") {
			if p, ok := s.thing(k+1, lastingHead); ok && p.head {
				s.place(sub, verbGroup{verb: g.verb, noLonger: true}, "owns", p.start, p.end, likely, validity{})
				return true
			}
		}
	case g.used && (w == "find" || w == "dream"):
		s.opinionOver(sub, k, w)
		return true
	case g.used && g.neg && w == "care" && s.low(k) == "for":
		s.taste(sub, verbGroup{verb: g.verb, used: true}, k+1, "dislikes", false)
		return true
	}
	return false
}

// roleOver emits the end of a role at token k: "(stopped being) a tour guide".
func (s *sentenceEn) roleOver(sub subjectEn, g verbGroup, k int) {
	for s.is(k, detWord) {
		k++
	}
	if p, ok := s.rolePhrase(k); ok {
		s.place(sub, verbGroup{verb: g.verb, noLonger: true}, "role", p.start, p.end, sure, s.ended(sub, g))
	}
}

func (s *sentenceEn) leftEmployer(sub subjectEn, g verbGroup, k int) {
	if a, b, _, ok := s.employer(k); ok {
		s.place(sub, verbGroup{verb: g.verb, noLonger: true}, "works_at", a, b, sure, s.ended(sub, g))
	}
}

func (s *sentenceEn) leftPlatform(sub subjectEn, g verbGroup, k int) {
	if p, ok := s.usedThing(k); ok && p.product {
		s.place(sub, verbGroup{verb: g.verb, noLonger: true}, "uses", p.start, p.end, likely, s.ended(sub, g))
	}
}

// replacedBy reads "replaced X with Y", "swapped X for Y", "traded in my truck (for
// a van)".
func (s *sentenceEn) replacedBy(sub subjectEn, g verbGroup, w string, k int) bool {
	if w == "traded" {
		in := s.low(k) == "in"
		if in {
			k++
		}
		if !s.is(k, possWord) {
			return true
		}
		p, ok := s.thing(k+1, lastingHead)
		if ok && p.head && (in || s.low(p.end) == "in" || s.low(p.end) == "for") {
			s.place(sub, verbGroup{verb: g.verb, noLonger: true}, "owns", p.start, p.end, sure, s.ended(sub, g))
		}
		return true
	}
	link := "with"
	if w == "swapped" {
		link = "for"
	}
	own := s.is(k, possWord)
	if own {
		k++
	}
	p, ok := s.thing(k, usedHead|lastingHead)
	if !ok || s.low(p.end) != link {
		return true
	}
	rel := "uses"
	if own && s.is(p.end-1, lastingHead) && !p.product {
		rel = "owns"
	} else if u, ok := s.usedThing(k); !ok || !u.product || own {
		return true
	} else {
		p = u
	}
	s.place(sub, verbGroup{verb: g.verb, noLonger: true}, rel, p.start, p.end, likely, s.ended(sub, g))
	j := p.end + 1
	if q, ok := s.thing(j, usedHead|lastingHead); ok && (q.head || q.product) && s.low(j) != "the" {
		s.place(sub, verbGroup{verb: g.verb}, rel, q.start, q.end, likely, s.began(sub, g))
	}
	return true
}

// petGone reads "my dog passed away": the pet is no longer the speaker's.
func (s *sentenceEn) petGone(sub subjectEn, g verbGroup, w string, k int) bool {
	if g.modal || g.used || w == "passed" && s.low(k) != "away" || s.low(sub.start) != "my" {
		return false
	}
	at, kin, _, _ := s.kinAt(sub.start)
	if at == 0 || !s.is(at, petWord) {
		return false
	}
	c := claim{src: s.d.Speaker, rel: "owns", dst: kin, change: dsl.End, confidence: likely, valid: s.ended(sub, g)}
	c.start, c.end = s.span(sub.start, k)
	s.emit(c)
	return true
}
