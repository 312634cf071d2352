package extract

import (
	"github.com/asof-db/asof/dsl"
)

// owned reads a lasting thing or a pet at token k: a phrase whose head the lists
// know.
func (s *sentenceEn) owned(k int) (nounPhrase, bool) {
	p, ok := s.phrase(k)
	if !ok || p.end-p.start > 8 {
		return p, false
	}
	if !s.is(p.end-1, ownWord|petWord) {
		return p, false
	}
	if s.low(p.end-1) == "watch" && p.end-p.start == 1 && s.low(p.start-1) != "a" && s.low(p.start-1) != "new" {
		return p, false
	}
	for p.start < p.end-1 && (s.low(p.start) == "new" || s.is(p.start, advWord)) {
		p.start++
	}
	// "a dog named Toby" keeps the name.
	if (s.low(p.end) == "named" || s.low(p.end) == "called") && s.properEnd(p.end+1) > p.end+1 && s.is(p.end-1, petWord) {
		p.end = s.properEnd(p.end + 1)
	}
	return p, true
}

// owns: "have two cats and a dog", "bought a camera yesterday", "'ve got a car".
func (s *sentenceEn) owns(sub subjectEn, g verbGroup) {
	w := s.low(g.verb)
	k := g.verb + 1
	if s.low(k) == "got" {
		k++
	}
	acquired := w != "have" && w != "has" && w != "own" && w != "owns" && !(w == "got" && g.perfect)
	if w == "had" && !g.used || (w == "have" || w == "own") && g.past && !g.did || g.did && g.past || g.neg && acquired {
		return
	}
	if w == "had" {
		return
	}
	if w == "got" || w == "gotten" || w == "have" || w == "has" {
		if s.job(sub, g, k) {
			return
		}
	}
	if first := s.low(k); first == "my" || first == "his" || first == "her" || first == "your" || first == "our" || first == "the" || first == "to" || first == "it" {
		return
	}
	var v validity
	if acquired {
		v = s.began(sub, g)
	} else {
		v = s.stated(sub, g)
	}
	if acquired && s.low(k) == "this" {
		k++ // "I just adopted this kitten"
	}
	for n := 0; n < 5; n++ {
		p, ok := s.owned(k)
		if !ok {
			return
		}
		if acquired && s.low(p.end) == "for" && (s.is(p.end+1, possWord) || s.low(p.end+1) == "you" || s.tok(p.end+1).upper) && !s.is(p.end+2, petWord) && !s.is(p.end+3, petWord) {
			return // a present
		}
		s.place(sub, g, "owns", p.start, p.end, sure, v)
		k = p.end
		if s.low(k) == "," && s.low(k+1) == "and" {
			k++
		}
		if w := s.low(k); w != "," && w != "and" {
			return
		}
		k++
	}
}

// job: "got a (new) job at X".
func (s *sentenceEn) job(sub subjectEn, g verbGroup, k int) bool {
	if s.low(k) != "a" || g.neg {
		return false
	}
	for k++; s.low(k) == "new" || s.is(k, advWord|evaluativeWord); k++ {
	}
	if s.low(k) != "job" && s.low(k) != "position" || s.low(k+1) != "at" && s.low(k+1) != "with" {
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
	if s.low(g.verb) == "gave" {
		if s.low(k) != "away" {
			return
		}
		k++
	}
	if !s.is(k, possWord) && s.low(k) != "the" {
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
	p, ok := s.owned(k + 1)
	if !ok || s.low(k) == "the" && s.low(g.verb) != "sold" {
		return
	}
	for p.start < p.end-1 && s.low(p.start) == "old" {
		p.start++
	}
	c := claim{src: sub.name, rel: "owns", dst: s.value(p), change: dsl.End, valid: s.ended(sub, g), confidence: sure}
	c.start, c.end = s.span(sub.start, p.end)
	s.emit(c)
}

// uses: "use Notion", "have been using my road bike", "no longer use X".
func (s *sentenceEn) uses(sub subjectEn, g verbGroup) {
	w := s.low(g.verb)
	if w == "used" || g.past || w == "using" && !g.be {
		if !g.used && !g.noLonger {
			return
		}
	}
	k := g.verb + 1
	poss := s.is(k, possWord) || s.low(k) == "the" || s.low(k) == "a" || s.low(k) == "an"
	if poss {
		k++
	}
	e := s.properEnd(k)
	if e > k {
		m := s.mentionAt(s.tok(k).start)
		if m != nil && (m.Type == typePerson || m.Type == typeLoc || m.Type == typeMoney) || s.is(k, commonWord) {
			return
		}
		if n := s.low(e); n == "app" || n == "apps" {
			if s.low(e-1) != "app" {
				e++
			}
		}
		if s.low(e) == "'s" {
			return
		}
	} else {
		p, ok := s.owned(k)
		if !ok || !poss || s.low(g.verb+1) == "a" || p.start != k {
			return
		}
		e = p.end
	}
	conf := likely
	if w == "use" || w == "uses" {
		conf = sure
	}
	s.place(sub, g, "uses", k, e, conf, s.stated(sub, g))
}
