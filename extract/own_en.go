package extract

import (
	"github.com/asof-db/asof/dsl"
)

// acquiring are verbs by which a thing comes to be one's own; the particle that
// must follow, if any.
var acquiring = map[string]string{
	"bought": "", "purchased": "", "acquired": "", "inherited": "", "adopted": "", "got": "", "gotten": "", "ordered": "",
	"received": "", "picked": "up", "snagged": "", "scored": "", "grabbed": "", "splurged": "on", "invested": "in",
	"upgraded": "to", "rescued": "", "won": "", "added": "", "gifted": "", "given": "", "thrifted": "", "collected": "",
}

// loose are verbs of acquiring that say many other things too: their object must
// be a thing of the lists.
var loose = wordSet("got gotten have has had found won added given received own owns collected scored")

// owns: "have two cats and a dog", "bought a camera yesterday", "'ve got a car".
func (s *sentenceEn) owns(sub subjectEn, g verbGroup) {
	w := s.low(g.verb)
	k := g.verb + 1
	if s.low(k) == "got" && w != "got" {
		k++
	}
	particle, acquired := acquiring[w]
	if w == "got" && g.perfect {
		acquired = false
	}
	if acquired && particle != "" {
		if s.low(k) != particle {
			return
		}
		k++
	}
	switch {
	case w == "had" && !(g.perfect && !g.past) && !g.used:
		return
	case (w == "have" || w == "own") && g.past && !g.did, g.did && g.past && !g.neg, g.neg && acquired:
		return
	case (w == "gifted" || w == "given") != g.be, w == "owned":
		return
	case g.be && w != "gifted" && w != "given":
		return
	}
	if (w == "got" || w == "gotten" || w == "have" || w == "has") && s.job(sub, g, k) {
		return
	}
	if acquired && (s.low(k) == "myself" || s.low(k) == "me" || s.low(k) == "us" || s.low(k) == "ourselves") {
		k++
	}
	if sub.self && s.gapAfter(k) && k == g.verb+1+len(particle)/2 {
		return
	}
	var v validity
	if acquired {
		v = s.began(sub, g)
	} else {
		v = s.stated(sub, g)
	}
	if x := s.low(k); acquired && (x == "it" || x == "them") && sub.self && (w == "bought" || w == "purchased" || w == "inherited" || w == "adopted" || w == "got" && (s.low(k+1) == "from" || s.low(k+1) == "on" || s.timeAt(s.tok(k+1).start) != nil)) {
		if t := s.topicBefore(k); t.text != "" && t.class&(lastingHead) != 0 && !t.named {
			c := claim{src: sub.name, rel: "owns", dst: t.text, valid: v, change: s.mood(), confidence: likely}
			c.start, c.end = s.span(sub.start, k+1)
			s.emit(c)
		}
		return
	}
	switch s.low(k) {
	case "his", "her", "your", "to", "it", "their":
		return
	case "my", "our":
		if !acquired || loose[w] && !s.gapAfterPhrase(k) {
			return
		}
	case "the":
		if !acquired || loose[w] {
			return
		}
	case "this", "these":
		k++ // "I just adopted this kitten"
	}
	s.ownedList(sub, g, k, w, acquired, v)
}

// gapAfterPhrase tells whether the clause, times aside, ends after the phrase at
// token k: "I got my camera last year", not "I got my guitar serviced".
func (s *sentenceEn) gapAfterPhrase(k int) bool {
	p, ok := s.phrase(k)
	return ok && s.gapAfter(p.end) && s.low(p.end) != "back"
}

// ownedList emits the things that start at token k.
func (s *sentenceEn) ownedList(sub subjectEn, g verbGroup, k int, w string, acquired bool, v validity) {
	for n := 0; n < 6; n++ {
		p, ok := s.thing(k, lastingHead)
		if !ok || !p.head && !(p.product && s.ownedProduct(p, w)) {
			return
		}
		if p.head && s.tok(p.end-1).class&(ownWord|petWord) == 0 && !acquired && w != "own" && w != "owns" && p.definite {
			return
		}
		if s.low(p.end-1) == "collection" && s.low(p.end) == "of" {
			return // of them
		}
		if s.low(p.end-1) == "watch" && p.end-p.start == 1 && s.low(p.start-1) != "a" && s.low(p.start-1) != "new" {
			return
		}
		if acquired && s.low(p.end) == "for" && (s.is(p.end+1, possWord) || s.low(p.end+1) == "you" || s.tok(p.end+1).upper) && !s.is(p.end+2, lastingHead) && !s.is(p.end+3, lastingHead) {
			return // a present
		}
		if e := s.tok(p.end); e.kind == wordToken && endsAside[e.low] {
			return // "got my hair done", "have the car washed"
		}
		s.place(sub, g, "owns", p.start, p.end, sure, v)
		k = p.end
		if s.low(k) == "," && s.low(k+1) == "and" {
			k++
		}
		if w := s.low(k); w != "," && w != "and" && w != "&" {
			return
		}
		k++
	}
}

// endsAside are words after a thing that say that the clause is about something
// done to it.
var endsAside = wordSet("fixed repaired serviced cleaned washed done installed delivered painted replaced sent shipped ready")

// ownedProduct tells whether a named product that the lists do not know is owned
// by the verb's word.
func (s *sentenceEn) ownedProduct(p thingEn, verb string) bool {
	m := s.mentionAt(s.tok(p.start).start)
	if !loose[verb] {
		return m == nil || m.Type != typePerson && m.Type != typeLoc
	}
	if fleeting[s.low(p.end-1)] || verb == "found" || verb == "received" || verb == "given" || verb == "added" || verb == "won" || verb == "scored" {
		return false
	}
	digits := false
	for j := p.start; j < p.end; j++ {
		digits = digits || s.tok(j).kind == numToken
	}
	return m != nil && m.Type == typeOrg && (digits || p.end-p.start > 1) && s.is(p.start-1, detWord)
}

// relativeOwned reads "the ring that I bought": the thing stands before the
// subject.
func (s *sentenceEn) relativeOwned(sub subjectEn, g verbGroup) bool {
	w := s.low(g.verb)
	particle, ok := acquiring[w]
	if !ok || g.neg || g.modal || g.be || g.did || !sub.self || w == "found" || w == "collected" {
		return false
	}
	k := g.verb + 1
	if particle != "" {
		if s.low(k) != particle {
			return false
		}
		k++
	}
	if !s.gapAfter(k) || s.low(k) == "to" {
		return false
	}
	p, ok := s.nounBefore(sub.start)
	if !ok || s.low(k) == "for" && (s.is(k+1, possWord) || s.tok(k+1).upper) {
		return false
	}
	c := claim{src: sub.name, rel: "owns", dst: s.value(p.nounPhrase), valid: s.began(sub, g), change: s.mood(), confidence: likely}
	c.start, c.end = s.span(p.start, g.verb+1)
	s.emit(c)
	return true
}

// keepsake reads "this ring … is a gift from my grandma"; i is the token "gift".
func (s *sentenceEn) keepsake(i int) {
	if s.low(i-1) != "a" || s.low(i+1) != "from" || s.low(i+2) == "me" {
		return
	}
	for k := s.from; k < min(i, s.from+12); k++ {
		switch s.low(k) {
		case "this", "these":
		case "my":
		default:
			continue
		}
		p, ok := s.thing(k+1, lastingHead)
		if !ok || !p.head || p.end >= i {
			return
		}
		if w := s.low(p.end); w != "is" && w != "was" && w != "'s" && w != "are" && w != "were" {
			return
		}
		a, b := s.span(k, i+1)
		s.emit(claim{src: s.d.Speaker, rel: "owns", dst: s.value(p.nounPhrase), start: a, end: b, change: s.mood(), confidence: likely})
		return
	}
}

// job: "got a (new) job at X".
func (s *sentenceEn) job(sub subjectEn, g verbGroup, k int) bool {
	if s.low(k) != "a" && s.low(k) != "an" || g.neg {
		return false
	}
	for k++; s.low(k) == "new" || s.is(k, advWord|evaluativeWord); k++ {
	}
	if p, ok := s.phrase(k); ok && p.end-p.start < 5 {
		k = p.end - 1
	}
	if w := s.low(k); w != "job" && w != "position" && w != "internship" && w != "role" || s.low(k+1) != "at" && s.low(k+1) != "with" {
		return false
	}
	if a, b, conf, ok := s.employer(k + 2); ok {
		v := validity{}
		if w := s.low(g.verb); w == "got" || w == "gotten" {
			v = s.began(sub, g)
		}
		s.place(sub, verbGroup{verb: g.verb}, "works_at", a, b, conf, v)
	}
	return true
}

// disposed: "sold my car last week", "gave away my old bike", "lost my ring".
func (s *sentenceEn) disposed(sub subjectEn, g verbGroup) {
	if g.neg || g.used || g.did {
		return
	}
	k := g.verb + 1
	switch s.low(g.verb) {
	case "gave":
		if s.low(k) != "away" {
			return
		}
		k++
	case "got":
		if s.low(k) != "rid" || s.low(k+1) != "of" {
			return
		}
		k += 2
	case "threw":
		if s.low(k) != "away" && s.low(k) != "out" {
			return
		}
		k++
	case "parted":
		if s.low(k) != "with" {
			return
		}
		k++
	}
	if w := s.low(k); (w == "it" || w == "them") && sub.self && s.low(g.verb) != "returned" {
		if t := s.topicBefore(k); t.text != "" && t.class&lastingHead != 0 && !t.named {
			c := claim{src: sub.name, rel: "owns", dst: t.text, change: dsl.End, valid: s.ended(sub, g), confidence: weak}
			c.start, c.end = s.span(sub.start, k+1)
			s.emit(c)
		}
		return
	}
	if w := s.low(k); w != "my" && w != "our" && w != "the" && w != "his" && w != "her" {
		return
	}
	if s.low(g.verb) == "lost" && s.low(k+1) == "job" && s.low(k+2) == "at" {
		if a, b, _, ok := s.employer(k + 3); ok {
			s.place(sub, verbGroup{verb: g.verb, noLonger: true}, "works_at", a, b, sure, s.ended(sub, g))
		}
		return
	}
	p, ok := s.thing(k+1, lastingHead)
	if !ok || !p.head && !(p.product && s.low(g.verb) == "sold") || s.low(k) == "the" && s.low(g.verb) != "sold" {
		return
	}
	for p.start < p.end-1 && s.low(p.start) == "old" {
		p.start++
	}
	c := claim{src: sub.name, rel: "owns", dst: s.value(p.nounPhrase), change: dsl.End, valid: s.ended(sub, g), confidence: sure}
	c.start, c.end = s.span(sub.start, p.end)
	s.emit(c)
}
