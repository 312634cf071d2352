package extract

import "strings"

// uses: "use Notion", "have been using my road bike", "no longer use X".
func (s *sentenceEn) uses(sub subjectEn, g verbGroup) {
	w := s.low(g.verb)
	if w == "used" || g.past || w == "using" && !g.be {
		if !g.used && !g.noLonger && !(w == "using" && s.over(g, g.verb+1)) {
			return
		}
	}
	s.usedList(sub, g, g.verb+1, w == "use" || w == "uses")
}

// startedUsing: "started using X last month", "switched to X", "stopped using X".
func (s *sentenceEn) startedUsing(sub subjectEn, g verbGroup) {
	if g.neg || g.did || g.used {
		return
	}
	n := len(s.out)
	s.usedList(sub, g, g.verb+2, false)
	if v := s.began(sub, g); v.hasFrom {
		for i := n; i < len(s.out); i++ {
			s.out[i].Valid, s.out[i].Stated = v.interval(), Stated{From: v.from}
		}
	}
}

// switched: "switched (from X) to Y", of tools.
func (s *sentenceEn) switched(sub subjectEn, g verbGroup) {
	if g.neg || g.did || g.used {
		return
	}
	k := g.verb + 1
	if s.low(k) == "over" {
		k++
	}
	if s.low(k) == "from" {
		p, ok := s.usedThing(k + 1)
		if !ok {
			return
		}
		k = p.end
		if s.low(k) == "to" {
			if q, ok := s.usedThing(k + 1); ok {
				s.place(sub, verbGroup{verb: g.verb, noLonger: true}, "uses", p.start, p.end, likely, s.ended(sub, g))
				s.place(sub, verbGroup{verb: g.verb}, "uses", q.start, q.end, likely, s.began(sub, g))
			}
		}
		return
	}
	if s.low(k) != "to" {
		return
	}
	q, ok := s.usedThing(k + 1)
	if !ok {
		return
	}
	s.place(sub, verbGroup{verb: g.verb}, "uses", q.start, q.end, likely, s.began(sub, g))
	if s.low(q.end) == "from" || s.low(q.end) == "instead" && s.low(q.end+1) == "of" {
		k = q.end + 1
		if s.low(q.end) == "instead" {
			k++
		}
		if p, ok := s.usedThing(k); ok {
			s.place(sub, verbGroup{verb: g.verb, noLonger: true}, "uses", p.start, p.end, likely, s.ended(sub, g))
		}
	}
}

// usedThing reads a tool, a device, a product or a service at token k.
func (s *sentenceEn) usedThing(k int) (thingEn, bool) {
	for s.is(k, advWord) {
		k++
	}
	p, ok := s.thing(k, usedHead)
	if !ok {
		return p, false
	}
	if s.low(p.start) == "app" || s.low(p.start) == "apps" && p.end-p.start == 1 {
		return p, false
	}
	// "the Strava app" is Strava's app; "an app called X" is X.
	if (s.low(p.end) == "called" || s.low(p.end) == "named") && (s.tok(p.end+1).upper || s.tok(p.end+1).kind == punctToken) {
		if e := s.properEnd(p.end + 1); e > p.end+1 {
			p.start, p.end, p.product = p.end+1, e, true
			return p, true
		}
	}
	if e := s.properEnd(p.start); e > p.start && !s.is(p.start, commonWord) {
		m := s.mentionAt(s.tok(p.start).start)
		if m != nil && (m.Type == typePerson || m.Type == typeLoc || m.Type == typeMoney) && e >= p.end {
			return p, false
		}
		p.product = true
		return p, s.low(p.end) != "'s"
	}
	return p, p.head || p.product
}

// usedList emits the tools that start at token k.
func (s *sentenceEn) usedList(sub subjectEn, g verbGroup, k int, plain bool) {
	if w := s.low(k); w == "it" || w == "them" || w == "this" && s.gapAfter(k+1) {
		t := s.topicBefore(k)
		if t.text != "" && t.class&(usedHead) != 0 && sub.self && !g.neg {
			c := claim{src: sub.name, rel: "uses", dst: t.text, change: s.mood(), valid: s.stated(sub, g), confidence: likely}
			c.start, c.end = s.span(sub.start, k+1)
			s.emit(c)
		}
		return
	}
	switch s.low(k) {
	case "their":
		if p, ok := s.usedThing(k + 1); ok && p.product {
			s.place(sub, g, "uses", p.start, p.end, likely, s.stated(sub, g))
		}
		return
	case "your", "his", "her", "this", "that", "these", "those", "some", "any", "one", "all", "more":
		return
	}
	for n := 0; n < 6; n++ {
		p, ok := s.usedThing(k)
		if !ok && (n > 0 || !s.usedStuff(p, k)) {
			return
		}
		conf := likely
		if plain {
			conf = sure
		}
		s.place(sub, g, "uses", p.start, p.end, conf, s.stated(sub, g))
		k = p.end
		if s.low(k) == "instead" && s.low(k+1) == "of" && !g.neg && !s.over(g, k) {
			if q, ok := s.usedThing(k + 2); ok && q.product {
				s.place(sub, verbGroup{verb: g.verb, noLonger: true}, "uses", q.start, q.end, likely, validity{})
			}
			return
		}
		if s.low(k) == "for" || s.low(k) == "to" {
			// "my road bike for commuting and my mountain bike for trails"
			for j := k + 1; j < k+6; j++ {
				if s.low(j) == "and" && s.is(j+1, possWord) {
					k = j
					break
				}
			}
		}
		if s.low(k) == "," && s.low(k+1) == "and" {
			k++
		}
		if w := s.low(k); w != "," && w != "and" && w != "&" && w != "or" {
			return
		}
		k++
	}
}

// usedStuff tells whether a phrase that the lists do not know is something in
// use: "a metronome", "neem oil".
func (s *sentenceEn) usedStuff(p thingEn, k int) bool {
	if p.end <= p.start || p.end-p.start > 4 || p.definite || s.isGerund(p.start) {
		return false
	}
	w := s.tok(p.end - 1)
	if w.class&(eventNoun|kinWord|unitWord|daypartWord|commonWord|advWord) != 0 || w.kind != wordToken || abstract[w.low] || notUsed[w.low] || refused[s.low(p.start)] {
		return false
	}
	for j := p.start; j < p.end; j++ {
		if notUsed[s.low(j)] {
			return false
		}
	}
	m := s.mentionAt(s.tok(p.start).start)
	return m == nil || m.Type == typeOrg
}

// notUsed are words for what one uses up, or makes use of, without its being a
// tool.
var notUsed = wordSet("mixture mix combination time energy skills skill experience commute miles points leftovers leftover money break vacation words word language talent talents knowledge creativity imagination voice space room day days week weekends savings budget range series number array amount kind sort type types set same ingredients ingredient bit names name help resources source sources images data phrase hands body mind brain")

// usingMine reads "using my Fitbit", "using their Cartwheel app", wherever it
// stands; i is the token "using".
func (s *sentenceEn) usingMine(i int) {
	k := i + 1
	w := s.low(k)
	if w != "my" && w != "their" && w != "the" {
		return
	}
	for j := i - 1; j >= max(s.from, i-8); j-- {
		switch s.low(j) {
		case "not", "n't", "stop", "stopped", "quit", "without", "if", "he", "she", "they", "you", "thinking", "considering", "try", "trying", "could", "might":
			return
		}
		if s.is(j, kinWord) {
			return
		}
	}
	p, ok := s.usedThing(k)
	if !ok || !p.product && w != "my" || w == "the" && s.low(p.end-1) != "app" && s.low(p.end) != "app" {
		return
	}
	a, b := s.span(i, p.end)
	s.emit(claim{src: s.d.Speaker, rel: "uses", dst: s.value(p.nounPhrase), start: a, end: b, change: s.mood(), confidence: likely})
}

// hasPlatform: "have HBO Max and Hulu": a service without an article.
func (s *sentenceEn) hasPlatform(sub subjectEn, g verbGroup, w string) bool {
	k := g.verb + 1
	if w == "have" && s.low(k) == "both" {
		k++
	}
	if w != "have" && w != "has" || g.neg || g.past || !s.is(k, platformWord) || !s.tok(k).upper {
		return false
	}
	s.usedList(sub, g, k, false)
	return true
}

// onPlatform: "have been watching cooking shows on Netflix", "have completed
// twelve courses on Coursera": the service after "on" is in use.
func (s *sentenceEn) onPlatform(sub subjectEn, g verbGroup) {
	if !sub.self || g.neg || g.modal || g.used || !g.perfect && !g.be && !repeated[s.low(g.verb)] {
		return
	}
	if w := s.low(g.verb); !platformVerbs[w] && (!strings.HasSuffix(w, "ing") || pondering[w]) {
		return
	}
	end := min(s.to, g.verb+20)
	for k := g.verb + 1; k+1 < end; k++ {
		t := s.tok(k)
		if t.kind == punctToken && t.low != "-" && t.low != "'" || s.is(k, boundaryWord) && t.low != "and" {
			return
		}
		if (t.low == "on" || t.low == "using" || t.low == "through" || t.low == "via" || t.low == "with") && s.is(k+1, platformWord) && s.tok(k+1).upper {
			m := s.mentionAt(s.tok(k + 1).start)
			e := k + 2
			if m != nil {
				e = s.d.tokenAt(m.End)
			}
			if s.low(e) == "'s" {
				return
			}
			s.place(sub, verbGroup{verb: g.verb}, "uses", k+1, e, likely, validity{})
			return
		}
	}
}

// pondering are verbs of what is not done yet.
var pondering = wordSet("having thinking looking considering planning hoping wondering trying going wanting wishing meaning searching")

var platformVerbs = wordSet("watching watch watched listening listen following follow posting post posted sharing share shared taking take taken completed completing finished tracking track tracked logging log using learning learn streaming stream selling sell sold reading read organizing organize managing manage playing play engaging engage studying study practicing practice have has scrolling browsing browse chatting booking book ordering order shopping shop creating create editing edit planning")

var repeated = wordSet("watch listen follow post share track log stream sell read organize manage play engage study practice browse shop use create edit have")

// bought are words for what is got from a platform once.
var bought = wordSet("order orders package delivery driver purchase gift ride trip booking ticket tickets reservation")

// ownPlatform: "my Instagram stories", "my Netflix account".
func (s *sentenceEn) ownPlatform(i int) {
	k := i + 1
	if !s.is(k, platformWord) || !s.tok(k).upper {
		return
	}
	e := k + 1
	if m := s.mentionAt(s.tok(k).start); m != nil && m.Start == s.tok(k).start {
		e = s.d.tokenAt(m.End)
	}
	if w := s.tok(e); w.kind != wordToken || w.upper || stopWords[w.low] && w.low != "is" && w.low != "has" || bought[w.low] {
		return
	}
	for j := max(s.from, i-3); j < i; j++ {
		switch s.low(j) {
		case "canceled", "cancelled", "deleted", "ditched", "closed", "cancel", "cancelling", "canceling", "lost":
			return
		}
	}
	a, b := s.span(i, e)
	s.emit(claim{src: s.d.Speaker, rel: "uses", dst: s.text(k, e), start: a, end: b, change: s.mood(), confidence: likely})
}
