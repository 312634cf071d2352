package extract

import (
	"strings"

	"github.com/asof-db/asof/dsl"
)

// leaning: "am into X", "am fond of X", "am passionate about X".
func (s *sentenceEn) leaning(sub subjectEn, g verbGroup) {
	k := g.verb + 1
	want := map[string]string{"fond": "of", "passionate": "about", "obsessed": "with", "fascinated": "by", "interested": "in", "drawn": "to", "crazy": "about", "keen": "on"}[s.low(g.verb)]
	if want != "" {
		if s.low(k) != want {
			return
		}
		k++
	}
	// "interested in learning more" is a request.
	if s.isGerund(k) && (s.low(g.verb) == "interested" || s.low(g.verb) == "keen" || s.low(g.verb) == "drawn") {
		return
	}
	if s.low(g.verb) == "interested" && s.past(g) {
		return
	}
	s.taste(sub, g, k, "likes", g.neg)
}

// taste emits likes and dislikes of the values that start at token k. A denied
// like is a dislike, unless it is over.
func (s *sentenceEn) taste(sub subjectEn, g verbGroup, k int, rel string, denied bool) {
	ended := s.over(g, k)
	if !ended && g.past && !g.perfect && s.low(g.verb) != "stand" {
		return // "I loved the concert" speaks of the concert
	}
	if w := s.low(g.verb); !ended && (w == "hated" || w == "loved") {
		return
	}
	if w := s.low(k); s.liked != "" && (w == "them" || w == "it") {
		// "I used to dislike them, but now I like them".
		if ended != strings.HasSuffix(s.likedRel, "/end") {
			a, b := s.span(sub.start, k+1)
			r := rel
			if denied {
				r = "dislikes"
			}
			change := s.mood()
			if ended {
				r, change = rel, dsl.End
			}
			s.emit(claim{src: sub.name, rel: r, dst: s.liked, start: a, end: b, change: change, confidence: likely})
			s.likedRel = r
			if ended {
				s.likedRel += "/end"
			}
		}
		return
	}
	for n := 0; n < 6; n++ {
		p, ok := s.tasted(k)
		if !ok {
			return
		}
		if s.low(p.end) == "," && s.isGerund(p.start) && s.is(p.end-2, detWord) && s.isGerund(p.end+1) {
			return // "building a warm, welcoming home"
		}
		if w := s.low(p.end); n == 0 && w == "'s" || w == "," && s.low(p.end+1) == "more" {
			return
		}
		p = s.sharedHead(p)
		c := claim{src: sub.name, rel: rel, dst: s.value(p), change: s.mood(), confidence: likely}
		c.start, c.end = s.span(sub.start, p.end)
		if rel == "likes" {
			c.rel = s.likedAs(p)
		}
		switch {
		case ended:
			c.change = dsl.End
		case denied:
			c.rel = "dislikes"
		}
		if c.rel != "likes" || p.named {
			c.confidence = sure
		}
		if (s.actually || s.correction) && !ended {
			c.corrects = s.notInstead(p.end)
		}
		s.emit(c)
		s.liked, s.likedRel = c.dst, c.rel
		if ended {
			s.likedRel += "/end"
		}
		// More of a list: "hiking, swimming and chess".
		k = p.end
		if s.low(k) == "," && (s.low(k+1) == "and" || s.low(k+1) == "or") {
			k++
		}
		if w := s.low(k); w != "," && w != "and" && w != "or" && w != "&" {
			return
		}
		if k++; !s.listItem(k, p) {
			return
		}
	}
}

var genres = wordSet("movies films books novels games shows stories fiction music technology")

// sharedHead takes "horror and crime novels" as one
// value: the head belongs to both.
func (s *sentenceEn) sharedHead(p nounPhrase) nounPhrase {
	if p.end-p.start != 1 || s.low(p.end) != "and" || s.is(p.start, foodWord|activityWord|musicWord) || s.isGerund(p.start) {
		return p
	}
	if q, ok := s.phrase(p.end + 1); ok && genres[s.low(q.end-1)] && q.start == p.end+1 {
		p.end = q.end
	}
	return p
}

// tasted reads what is liked at token k: an activity, or a phrase that names
// something.
func (s *sentenceEn) tasted(k int) (nounPhrase, bool) {
	if s.low(k) == "to" && s.tok(k+1).kind == wordToken {
		k++
		for s.is(k, advWord) {
			k++
		}
		if w := s.low(k); w == "be" || w == "know" || w == "see" || w == "hear" || w == "think" || w == "say" {
			return nounPhrase{}, false
		}
		p, ok := s.gerund(k)
		p.act = true
		return p, ok && !(p.end == k+1 && vagueVerbs[s.low(k)])
	}
	if s.isGerund(k) {
		switch s.low(k) {
		case "being", "having", "seeing", "hearing", "talking", "chatting", "getting", "knowing":
			if s.low(k) != "being" || s.low(k+1) == "able" {
				return nounPhrase{}, false
			}
		}
		return s.gerund(k)
	}
	p, ok := s.phrase(k)
	if !ok || p.definite && !p.named && s.low(k) != "the" {
		return p, false
	}
	if p.definite && !p.named && !s.specific(p) {
		return p, false
	}
	// A clause follows: "I love you", "I like people who".
	if w := s.low(p.end); w == "who" || w == "that" || w == "i" || w == "you" {
		return p, false
	}
	if m := s.mentionAt(s.tok(p.start).start); m != nil && m.Type == typePerson && strings.EqualFold(m.Text, s.d.Listener) {
		return p, false
	}
	if abstract[s.low(p.end-1)] || abstract[s.low(p.start)] {
		return p, false
	}
	return p, true
}

// vagueVerbs say nothing without an object.
var vagueVerbs = wordSet("help share chat talk go do meet try get have make give take use work keep start learn")

// abstract are words for what was just said or shown, not for a thing liked.
var abstract = wordSet("idea ideas suggestion suggestions advice recommendation recommendations plan plans help thought thoughts way fact part vibe vibes energy attitude approach photo photos picture pictures pic pics question list tips tip option options concept look looks sound message support post posts work job design feedback point perspective much lot more less better best spirit enthusiasm challenge time times moment feeling feelings person people stuff things thing result results news")

// specific tells whether a definite phrase says of itself which it is: "the songs
// from Brazil".
func (s *sentenceEn) specific(p nounPhrase) bool {
	return s.low(p.end) == "from" && s.tok(p.end-1).class&(musicWord|thingWord|foodWord) != 0
}

// listItem tells whether what starts at k can go on a list that p began: not a
// new clause.
func (s *sentenceEn) listItem(k int, p nounPhrase) bool {
	if s.isGerund(k) {
		return s.isGerund(p.start)
	}
	t := s.tok(k)
	if t.kind != wordToken || s.is(k, auxWord|detWord|commonWord) || refused[t.low] || stopWords[t.low] {
		return false
	}
	e := k
	for e < s.to && e < k+4 && s.tok(e).kind == wordToken && !s.is(e, boundaryWord) && !stopWords[s.low(e)] {
		e++
	}
	if s.isGerund(p.start) {
		return s.tok(e-1).class&(activityWord|eventNoun) != 0 && e-k <= 3
	}
	return s.tok(e-1).class&(foodWord|musicWord|activityWord|thingWord) != 0 || s.properEnd(k) > k
}

// favourite: "my favorite food is sushi".
func (s *sentenceEn) favourite(i int) {
	p, ok := s.phrase(i + 2)
	if !ok || s.low(p.end) != "is" && s.low(p.end) != "are" || s.low(p.end+1) == "not" || s.low(p.end+1) == "n't" {
		return
	}
	k := p.end + 1
	for s.is(k, advWord) {
		k++
	}
	q, ok := s.tasted(k)
	if !ok {
		return
	}
	rel := s.likedAs(q)
	if rel == "likes" {
		if s.tok(p.end-1).class&musicWord != 0 {
			rel = "prefers_music"
		} else if s.tok(p.end-1).class&foodWord != 0 || s.low(p.end-1) == "meal" || s.low(p.end-1) == "drink" {
			rel = "prefers_food"
		} else if w := s.low(p.end - 1); w == "hobby" || w == "sport" || w == "activity" || w == "pastime" {
			rel = "prefers_activity"
		}
	}
	a, b := s.span(i, q.end)
	s.emit(claim{src: s.d.Speaker, rel: rel, dst: s.value(q), start: a, end: b, change: s.mood(), confidence: sure})
}

// described: "am a nurse", "am a big fan of X", "am a student at X".
func (s *sentenceEn) described(sub subjectEn, g verbGroup) {
	k := g.verb + 1
	for n := 0; n < 3 && (s.is(k, evaluativeWord|advWord) || s.low(k) == "huge" || s.low(k) == "massive" || s.low(k) == "such"); n++ {
		k++
	}
	if s.low(k) == "fan" && s.low(k+1) == "of" {
		s.taste(sub, g, k+2, "likes", g.neg)
		return
	}
	p, ok := s.phrase(g.verb + 1)
	if !ok || !s.is(p.end-1, occupationWord) || p.end-p.start > 4 {
		return
	}
	if s.low(p.start) == "former" || s.low(p.start) == "aspiring" || s.low(p.start) == "big" || s.low(p.start) == "natural" || s.low(p.end) == "of" || s.low(p.end) == "-" {
		return
	}
	if g.past && !g.used {
		return
	}
	s.place(sub, g, "role", p.start, p.end, sure, validity{})
	if k := p.end; (s.low(k) == "at" || s.low(k) == "for" || s.low(k) == "with") && !g.neg && !g.used {
		if a, b, conf, ok := s.employer(k + 1); ok {
			rel := "works_at"
			if s.low(p.end-1) == "student" {
				rel = "studies_at"
			}
			s.place(sub, g, rel, a, b, min(conf, likely), validity{})
		}
	}
}

// introduced: "I'm Anna", where Anna is who speaks or nothing else is said.
func (s *sentenceEn) introduced(sub subjectEn, g verbGroup) {
	k := g.verb
	e := s.properEnd(k)
	if e == k || e-k > 3 || s.is(k, commonWord) || e < s.to && s.tok(e).kind != punctToken && s.low(e) != "and" || s.low(sub.start) != "i" {
		return
	}
	name := s.text(k, e)
	first, _, _ := strings.Cut(lower(s.d.Speaker), " ")
	if lower(name) != lower(s.d.Speaker) && lower(name) != first {
		// Someone else's name only after a greeting.
		m := s.mentionAt(s.tok(k).start)
		if sub.start > s.from+3 || m == nil || m.Type != typePerson || !greeting[s.low(s.from)] {
			return
		}
	}
	a, b := s.span(sub.start, e)
	s.emit(claim{src: sub.name, rel: "name", dst: name, start: a, end: b, change: s.mood(), confidence: sure})
}

var greeting = wordSet("hi hey hello")
