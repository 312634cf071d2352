package extract

import "strings"

// roleHeads are heads of roles that are no occupation by themselves.
var roleHeads = wordSet("expert specialist professional vp treasurer guide chairman chairwoman freelancer intern major apprentice trainee co-founder cofounder lead chef coordinator instructor assistant associate officer rep representative student owner captain")

// titleHeads take "of" and a name: "Head of Product".
var titleHeads = wordSet("head director vp president professor dean chief manager minister chair")

// isRole tells whether the word at k can be the head of a role.
func (s *sentenceEn) isRole(k int) bool {
	return s.is(k, occupationWord|careerWord) || roleHeads[s.low(k)] || titleHeads[s.low(k)]
}

// rolePhrase reads a role at token k, after its article.
func (s *sentenceEn) rolePhrase(k int) (nounPhrase, bool) {
	p, ok := s.phrase(k)
	if !ok || p.end-p.start > 7 {
		return p, false
	}
	for j := p.start + 1; j < p.end; j++ {
		if s.low(j) == "of" { // the founder of a company
			if titleHeads[s.low(j-1)] && s.tok(j+1).upper {
				return p, p.end-p.start <= 6
			}
			p.end = j
		}
	}
	if p.end-p.start > 5 || !s.isRole(p.end-1) || s.is(p.start-1, evaluativeWord) && !s.is(p.end-1, occupationWord) {
		return p, false
	}
	for p.start < p.end-1 && (s.is(p.start, advWord) || roleColour[s.low(p.start)]) {
		p.start++
	}
	switch s.low(p.start) {
	case "former", "aspiring", "natural", "future", "potential", "wannabe", "bad", "terrible", "fast", "slow", "hard", "great", "good":
		return p, false
	}
	if s.low(p.end) == "-" || s.low(p.end) == "'s" || s.low(p.end) == "at" && s.low(p.end+1) == "heart" {
		return p, false
	}
	return p, true
}

// roleColour are adjectives that are no part of a role.
var roleColour = wordSet("busy proud full time part new lifelong current dedicated passionate successful young single working")

// described: "am a nurse", "am a big fan of X", "am a student at X".
func (s *sentenceEn) described(sub subjectEn, g verbGroup) {
	k := g.verb + 1
	for n := 0; n < 3 && (s.is(k, evaluativeWord|advWord) || s.low(k) == "huge" || s.low(k) == "massive" || s.low(k) == "such" || s.low(k) == "lifelong" || s.low(k) == "long" || s.low(k) == "time" || s.low(k) == "-" || s.low(k) == "major"); n++ {
		k++
	}
	switch w := s.low(k); {
	case (w == "fan" || w == "lover" || w == "admirer") && s.low(k+1) == "of":
		s.taste(sub, g, k+2, "likes", g.neg)
		return
	}
	if s.low(g.verb) == "the" && !titleHeads[s.low(k)] && !s.is(k, occupationWord) || s.low(g.verb) == "one" || s.low(g.verb) == "now" && s.low(k) != "a" && s.low(g.verb+1) != "a" {
		return
	}
	if s.low(g.verb) == "now" {
		g.verb++
	}
	if s.low(g.verb+1) == "big" || s.low(g.verb+1) == "natural" || g.past && !g.used {
		return
	}
	p, ok := s.rolePhrase(g.verb + 1)
	if !ok {
		return
	}
	conf := sure
	if !s.is(p.end-1, occupationWord) {
		conf = likely
	}
	s.place(sub, g, "role", p.start, p.end, conf, validity{})
	s.roleAt(sub, g, p)
	// "a software engineer, specifically a backend developer", "a teacher and a
	// writer"
	k = p.end
	if s.low(k) == "," {
		k++
	}
	if w := s.low(k); w == "and" || w == "specifically" || w == "more" {
		for k++; s.is(k, advWord) || s.low(k) == "specifically"; k++ {
		}
		if w := s.low(k); w == "a" || w == "an" {
			if q, ok := s.rolePhrase(k + 1); ok && !g.neg && !g.used {
				s.place(sub, g, "role", q.start, q.end, conf, validity{})
			}
		}
	}
}

// degree reads "a degree in physics from the University of X", of the speaker; i
// is the token "degree".
func (s *sentenceEn) degree(i int) {
	self := false
	for j := i - 1; j >= max(s.from, i-8); j-- {
		w := s.low(j)
		if w == "i" || w == "my" {
			self = true
		}
		if w == "he" || w == "she" || w == "they" || w == "who" || s.is(j, kinWord) || hedged[w] || w == "pursuing" || w == "get" {
			return
		}
	}
	if !self {
		return
	}
	for k := i + 1; k < min(s.to, i+8); k++ {
		if w := s.low(k); (w == "from" || w == "at") && k > i {
			if a, b, _, ok := s.employer(k + 1); ok && s.isSchool(a, b) {
				s.place(subjectEn{s.d.Speaker, i, k, true, false}, verbGroup{verb: i}, "studies_at", a, b, likely, validity{})
			}
			return
		}
		if s.tok(k).kind != wordToken {
			return
		}
	}
}

// roleAt reads the employer or the school after a role: "at Acme".
func (s *sentenceEn) roleAt(sub subjectEn, g verbGroup, p nounPhrase) {
	k := p.end
	if s.low(k) == "here" {
		return
	}
	if w := s.low(k); w != "at" && w != "for" && w != "with" || g.neg || g.used {
		return
	}
	if a, b, conf, ok := s.employer(k + 1); ok {
		rel := "works_at"
		if s.low(p.end-1) == "student" || s.low(p.end-1) == "major" {
			rel = "studies_at"
		}
		s.place(sub, g, rel, a, b, min(conf, likely), validity{})
	}
}

// roleAs: "(work) as a nurse".
func (s *sentenceEn) roleAs(sub subjectEn, g verbGroup, k int) {
	if s.past(g) && !g.used {
		return
	}
	if w := s.low(k); w != "a" && w != "an" && w != "the" {
		return
	}
	if p, ok := s.rolePhrase(k + 1); ok {
		s.place(sub, g, "role", p.start, p.end, sure, validity{})
		s.roleAt(sub, g, p)
	}
}

// promoted: "got promoted to manager", "was hired as a data analyst at X".
func (s *sentenceEn) promoted(sub subjectEn, g verbGroup) {
	if g.neg || g.did || g.used {
		return
	}
	k := g.verb + 1
	switch s.low(k) {
	case "to", "as":
		k++
		for s.is(k, detWord|advWord) {
			k++
		}
		if p, ok := s.rolePhrase(k); ok {
			s.place(sub, verbGroup{verb: g.verb}, "role", p.start, p.end, sure, s.began(sub, g))
			s.roleAt(sub, verbGroup{verb: g.verb}, p)
		}
	case "by", "at":
		if a, b, _, ok := s.employer(k + 1); ok && s.low(g.verb) == "hired" {
			s.place(sub, verbGroup{verb: g.verb}, "works_at", a, b, likely, s.began(sub, g))
		}
	}
}

// inCapacity: "As a nurse, I …": the role of who speaks.
func (s *sentenceEn) inCapacity(i int) {
	if s.low(i) != "as" || s.low(i+1) != "a" && s.low(i+1) != "an" || !s.onlyLead(i) && s.low(i-1) != "," && s.low(i-1) != "and" {
		return
	}
	if p, ok := s.phrase(i + 2); ok && s.low(p.end-1) == "user" && p.end-p.start > 1 && s.low(p.end) == "," && s.low(p.end+1) == "i" && s.tok(p.start).upper {
		a, b := s.span(i, p.end)
		s.emit(claim{src: s.d.Speaker, rel: "uses", dst: s.text(p.start, p.end-1), start: a, end: b, confidence: likely})
		return
	}
	p, ok := s.rolePhrase(i + 2)
	if !ok || s.low(p.end) != "," && s.low(p.end) != "at" && s.low(p.end) != "in" && s.low(p.end) != "with" {
		return
	}
	// The speaker must be what follows.
	for k := p.end; k < min(s.to, p.end+12); k++ {
		if s.low(k) == "," {
			if w := s.low(k + 1); w != "i" && w != "my" {
				return
			}
			a, b := s.span(i, p.end)
			s.emit(claim{src: s.d.Speaker, rel: "role", dst: s.value(p), start: a, end: b, change: s.mood(), confidence: likely})
			return
		}
	}
}

// apposed reads what stands beside a person's name at token i: "Tom, a marketing
// expert", "Rachel, an old colleague", "Oscar, my guinea pig", "the director
// Lena Roth", "Mia, who works at Acme".
func (s *sentenceEn) apposed(i int) {
	m := s.mentionAt(s.tok(i).start)
	if m == nil && s.tok(i+1).upper && s.tok(i+1).kind == wordToken && s.low(i+2) == "," && !s.tok(i-1).upper && !s.is(i, commonWord) && !s.is(i+1, commonWord|locHead|orgHead) {
		// Two capitals that a role stands beside are a name: "Dana Weiss, Head of
		// Design".
		if _, ok := s.titleAt(i + 3); ok || (s.low(i+3) == "a" || s.low(i+3) == "an") && s.tok(i+4).kind == wordToken {
			a, b := s.span(i, i+2)
			m = &Mention{Text: s.text(i, i+2), Start: a, End: b, Type: typePerson}
		}
	}
	if m == nil || m.Type != typePerson || m.Start != s.tok(i).start {
		return
	}
	k := s.d.tokenAt(m.End)
	if s.is(i-1, occupationWord|careerWord) && !s.tok(i-1).upper && s.low(i-2) != "my" && !s.is(i-2, kinWord|possWord) && !s.is(i-1, kinWord) {
		a := i - 1
		x, y := s.span(a, k)
		s.emit(claim{src: m.Text, rel: "role", dst: s.text(a, i), start: x, end: y, confidence: likely})
	}
	dash := s.low(k) == "-" || s.low(k) == "–" || s.low(k) == "—"
	if s.low(k) != "," && s.low(k) != "(" && !dash && s.low(k) != "who" {
		return
	}
	if s.low(k) != "who" {
		k++
	}
	switch w := s.low(k); w {
	case "who":
		sub := subjectEn{m.Text, i, k + 1, false, false}
		s.predicate(sub)
	case "a", "an", "the", "our", "my":
		if w == "my" || w == "a" || w == "an" {
			if s.apposedKin(m, i, k) {
				// "Rachel, an old colleague from there, who is now at Acme"
				for j := k + 1; j < min(s.to, k+12); j++ {
					if s.low(j) == "who" && s.low(j-1) == "," {
						s.predicate(subjectEn{m.Text, i, j + 1, false, false})
						return
					}
				}
				return
			}
		}
		if w == "my" || w == "our" {
			return
		}
		p, ok := s.rolePhrase(k + 1)
		if !ok || !s.closes(p.end) {
			return
		}
		s.roleOf(m, i, p)
	default:
		// "Lena Roth, Head of Product": a title in capitals.
		if !s.tok(k).upper {
			return
		}
		if s.mentionAt(s.tok(k).start) != nil && s.mentionAt(s.tok(k).start).Type == typePerson {
			return
		}
		e, ok := s.titleAt(k)
		if !ok {
			return
		}
		s.roleOf(m, i, nounPhrase{start: k, end: e})
		// More of a list: "…, Marco Rossi, Head of Product, and …".
		for range 8 {
			j := e
			if s.low(j) == "," {
				j++
			}
			if s.low(j) == "and" {
				j++
			}
			n := j
			for n < j+3 && s.tok(n).kind == wordToken && s.tok(n).upper {
				n++
			}
			if j == e || n < j+2 || s.low(n) != "," {
				return
			}
			if e, ok = s.titleAt(n + 1); !ok {
				return
			}
			x, y := s.span(j, e)
			s.emit(claim{src: s.text(j, n), rel: "role", dst: s.text(n+1, e), start: x, end: y, confidence: likely})
		}
	}
}

// titleAt reads a title in capitals at token k: "Head of Product".
func (s *sentenceEn) titleAt(k int) (end int, ok bool) {
	e := k
	for e < min(s.to, k+7) && (s.tok(e).upper && s.tok(e).kind == wordToken || s.low(e) == "of" || s.low(e) == "&") {
		e++
	}
	for e > k && (s.low(e-1) == "of" || s.low(e-1) == "&") {
		e--
	}
	for j := k; j < e; j++ {
		ok = ok || s.isRole(j) && (j == e-1 || s.low(j+1) == "of" || s.low(j+1) == "&")
	}
	return e, ok && s.closes(e)
}

// locAt is placeAt for a mention of a location alone.
func (s *sentenceEn) locAt(k int) (a, b int, ok bool) {
	if a, b, ok = s.placeAt(k); ok {
		m := s.mentionAt(s.tok(a).start)
		ok = m != nil && m.Type == typeLoc
	}
	return a, b, ok
}

// stopsAt tells whether the sentence ends at token k, or a punctuation mark
// stands there that is no part of a word.
func (s *sentenceEn) stopsAt(k int) bool {
	return k >= s.to || s.tok(k).kind == punctToken && s.low(k) != "'"
}

// closes tells whether an apposition may end at token k.
func (s *sentenceEn) closes(k int) bool {
	if s.stopsAt(k) {
		return true
	}
	switch s.low(k) {
	case "of", "at", "from", "in", "who", "with", "for", "and", "were", "was", "is":
		return true
	}
	return false
}

func (s *sentenceEn) roleOf(m *Mention, i int, p nounPhrase) {
	a, b := s.span(i, p.end)
	s.emit(claim{src: m.Text, rel: "role", dst: s.value(p), start: a, end: b, confidence: likely})
	sub := subjectEn{m.Text, i, p.end, false, false}
	s.roleAt(sub, verbGroup{verb: i}, p)
}

// apposedKin reads the relation after a name: "Rachel, an old colleague".
func (s *sentenceEn) apposedKin(m *Mention, i, k int) bool {
	end := k + 1
	for n := 0; n < 2 && kinAdjectives[s.low(end)]; n++ {
		end++
	}
	a := end
	for n := 0; n < 2 && s.tok(end).kind == wordToken && !s.is(end, kinWord|petWord|breedWord) && s.is(end+1, petWord|breedWord) && !s.is(end, stopClass); n++ {
		end++
	}
	for s.is(end, kinWord|petWord|breedWord) && s.is(end+1, petWord|breedWord) {
		end++
	}
	if !s.is(end, kinWord|petWord|breedWord) && !(s.is(end+1, petWord) && s.low(end) == "guinea") || s.tok(end).upper || s.low(end+1) == "'s" || s.low(end+1) == "-" {
		return false
	}
	if s.low(k) != "my" && (s.is(end, petWord|breedWord) || s.low(end+1) == "of" && s.low(end+2) != "mine" || !friendly[s.low(end)]) {
		return false
	}
	x, y := s.span(i, end+1)
	s.emit(claim{src: s.d.Speaker, rel: "related_to", dst: m.Text, relation: s.text(a, end+1), start: x, end: y, confidence: likely})
	if s.askedPets && s.is(end, petWord|breedWord) {
		s.emit(claim{src: s.d.Speaker, rel: "owns", dst: s.text(a, end+1), start: x, end: y, confidence: likely})
	}
	return true
}

// friendly are relations that "an old …" tells of the speaker.
var friendly = wordSet("friend colleague coworker classmate roommate neighbor neighbour buddy teammate acquaintance")

// stopClass are words that end no compound.
const stopClass = auxWord | negWord | boundaryWord

// stands: "I'm in Boston", "I'm in the 12345 zip code": where the speaker lives,
// unless the sentence tells of a journey.
func (s *sentenceEn) stands(sub subjectEn, g verbGroup) {
	k := g.verb + 1
	if s.low(k) == "the" && s.tok(k+1).kind == numToken && s.low(k+2) == "zip" {
		s.place(sub, g, "lives_in", k+1, k+2, likely, validity{})
		return
	}
	a, b, ok := s.locAt(k)
	if !ok {
		return
	}
	if s.low(b) == "area" || s.low(b) == "region" {
		s.place(sub, g, "lives_in", a, b, likely, validity{})
		return
	}
	for i := s.from; i < s.to; i++ {
		if journey[s.low(i)] || s.timeAt(s.tok(i).start) != nil {
			return
		}
	}
	if !s.gapAfter(b) || s.low(b) == "for" || s.low(b) == "with" || s.low(b) == "to" {
		return
	}
	s.place(sub, g, "lives_in", a, b, weak, validity{})
}

var journey = wordSet("trip visiting visit vacation holiday traveling travelling travel conference honeymoon tour touring flight hotel now today currently week weekend when while here")

// employedAt: "is currently at Acme Corp".
func (s *sentenceEn) employedAt(sub subjectEn, g verbGroup) {
	e := s.properEnd(g.verb + 1)
	if e == g.verb+1 || s.is(g.verb+1, commonWord) {
		return
	}
	m := s.mentionAt(s.tok(g.verb + 1).start)
	if m == nil || m.Type != typeOrg {
		// A name in capitals inside, after "currently at".
		if !s.is(g.verb-1, advWord) || !camel(s.text(g.verb+1, e)) {
			return
		}
	}
	if s.low(e) == "'s" || s.low(g.verb) == "with" && !s.is(g.verb-1, advWord) {
		return
	}
	if sub.self && !s.is(g.verb-1, advWord) {
		return // "I'm at Target": shopping
	}
	s.place(sub, g, "works_at", g.verb+1, e, likely, validity{})
}

// camel tells whether a capital stands inside the word.
func camel(w string) bool {
	return len(w) > 1 && strings.ContainsAny(w[1:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
}

// homeland reads "my home country, Sweden", "my hometown is Bergen", "back home
// in Sweden"; i is the token "my".
func (s *sentenceEn) homeland(i int) {
	k := i + 1
	switch w := s.low(k); {
	case w == "hometown" || w == "homeland":
	case w == "home" && (s.low(k+1) == "country" || s.low(k+1) == "town" || s.low(k+1) == "city" || s.low(k+1) == "state"):
		k++
	case w == "native":
		k--
	default:
		return
	}
	k++
	switch s.low(k) {
	case ",", "of", "is", "'s", ":":
		k++
	case "native":
		k++
	default:
		return
	}
	a, b, ok := s.locAt(k)
	if !ok {
		return
	}
	x, y := s.span(i, b)
	s.emit(claim{src: s.d.Speaker, rel: "lives_in", dst: s.text(a, b), start: x, end: y, change: s.mood(), confidence: likely})
}

// myPost reads "my job as a nurse", "my apartment in Lyon"; i is the token "my".
func (s *sentenceEn) myPost(i int) {
	k := i + 1
	for n := 0; n < 3 && (s.is(k, evaluativeWord|advWord) || s.low(k) == "new" || s.low(k) == "current" || s.low(k) == "day"); n++ {
		k++
	}
	switch s.low(k) {
	case "job", "role", "position", "career", "work":
		if s.low(k+1) != "as" || s.low(k+2) != "a" && s.low(k+2) != "an" && s.low(k+2) != "the" {
			return
		}
		for j := max(s.from, i-5); j < i; j++ {
			if w := s.low(j); w == "quit" || w == "left" || w == "lost" || w == "former" || w == "old" || w == "in" && s.low(i+1) == "previous" {
				return
			}
		}
		if p, ok := s.rolePhrase(k + 3); ok {
			s.place(subjectEn{s.d.Speaker, i, k, true, false}, verbGroup{verb: i}, "role", p.start, p.end, likely, validity{})
			s.roleAt(subjectEn{s.d.Speaker, i, k, true, false}, verbGroup{verb: i}, p)
		}
	case "apartment", "flat", "place", "studio", "condo", "neighborhood":
		if s.low(k+1) != "in" {
			return
		}
		a, b, ok := s.locAt(k + 2)
		if !ok {
			return
		}
		x, y := s.span(i, b)
		s.emit(claim{src: s.d.Speaker, rel: "lives_in", dst: s.text(a, b), start: x, end: y, change: s.mood(), confidence: weak})
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

// nicknamed: "call me AJ", "you can call me AJ"; i is the token "call".
func (s *sentenceEn) nicknamed(i int) {
	if s.low(i) != "call" || s.low(i+1) != "me" {
		return
	}
	for k := max(s.from, i-6); k < i; k++ {
		if w := s.low(k); w == "n't" || w == "not" || w == "they" || w == "people" || s.is(k, kinWord) || w == "to" || w == "will" || w == "'ll" {
			return
		}
	}
	e := s.properEnd(i + 2)
	if e == i+2 || e-i > 5 || s.is(i+2, commonWord|weekdayWord) || !s.gapAfter(e) || s.low(e) == "at" || s.low(e) == "on" {
		return
	}
	a, b := s.span(i, e)
	s.emit(claim{src: s.d.Speaker, rel: "name", dst: s.text(i+2, e), start: a, end: b, change: s.mood(), confidence: sure})
}
