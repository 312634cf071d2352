package extract

import "github.com/asof-db/asof/dsl"

// endings reads what the sentence says is over of which the speaker is not the
// subject: "golf no longer interests me", "my phone was stolen", "my last day at
// Acme was Friday".
func (s *sentenceEn) endings() {
	for i := s.from; i < min(s.to, s.hypothesis); i++ {
		t := s.tok(i)
		if t.kind != wordToken || s.d.quoted(t.start) {
			continue
		}
		switch t.low {
		case "interest", "interests", "interesting", "excite", "excites", "resonate", "resonates", "appeal", "appeals", "do", "does", "doing", "click", "clicks", "thing", "jam", "tea":
			s.leavesCold(i)
		case "stole", "stolen":
			s.stolen(i)
		case "my":
			s.postOver(i)
			s.contactOver(i)
		case "our":
			s.ourPetGone(i)
		case "me":
			s.sentAway(i)
		case "cancel", "cancelled", "canceled", "cancelling", "canceling", "called", "scrapped", "skip":
			s.calledOff(i)
		case "moved", "move", "rescheduled", "reschedule", "postponed", "postpone", "pushed", "push", "changed", "change", "shifted", "shift", "updated", "brought", "bring":
			s.rescheduled(i)
		}
	}
}

// ended emits the end of a value in tokens [a, b), said from token at on.
func (s *sentenceEn) endOf(src, rel string, at, a, b int, conf float64, v validity) {
	if b <= a {
		return
	}
	c := claim{src: src, rel: rel, dst: s.text(a, b), change: dsl.End, confidence: conf, valid: v}
	c.start, c.end = s.span(min(at, a), max(b, at+1))
	s.emit(c)
}

// toMe tells whether what the verb at token i says is said of the speaker's
// feelings, and where the words for it start.
func (s *sentenceEn) toMe(i int) bool {
	k := i + 1
	switch s.low(i) {
	case "do", "does", "doing":
		return s.low(k) == "it" && s.low(k+1) == "for" && s.low(k+2) == "me"
	case "thing", "jam":
		return s.low(i-1) == "my"
	case "tea":
		return s.low(i-1) == "of" && s.low(i-2) == "cup" && s.low(i-3) == "my"
	case "resonate", "resonates", "click", "clicks":
		return s.low(k) == "with" && s.low(k+1) == "me"
	case "appeal", "appeals", "interesting":
		return s.low(k) == "to" && s.low(k+1) == "me"
	}
	return s.low(k) == "me"
}

// leavesCold reads "X no longer interests me", "X doesn't do it for me anymore",
// "X isn't my thing anymore"; i is the verb or the noun.
func (s *sentenceEn) leavesCold(i int) {
	if !s.toMe(i) {
		return
	}
	over, neg := false, false
	a := i
	for n := 0; n < 8 && a > s.from; n++ {
		w := s.low(a - 1)
		switch {
		case w == "longer" && s.low(a-2) == "no":
			over = true
			a--
		case s.is(a-1, negWord):
			neg = true
		case s.is(a-1, auxWord), w == "my", w == "cup", w == "of", s.adverb(a - 1), w == "quite", w == "just":
		default:
			n = 8
			continue
		}
		a--
	}
	for k := i + 1; neg && k < s.clauseEnd(i); k++ {
		if w := s.low(k); w == "anymore" || w == "any" && (s.low(k+1) == "more" || s.low(k+1) == "longer") {
			over = true
		}
	}
	if !over || a == i {
		return
	}
	if w := s.low(a - 1); w == "they" || w == "it" {
		if s.liked != "" && s.likedRel == "" {
			c := claim{src: s.d.Speaker, rel: "likes", dst: s.liked, change: dsl.End, confidence: likely}
			c.start, c.end = s.span(a-1, i+1)
			s.emit(c)
		}
		return
	}
	b := a
	for a > s.from && b-a < 7 {
		t := s.tok(a - 1)
		if t.kind == punctToken && !(t.low == "-" && !t.space) && t.low != "'" || s.is(a-1, boundaryWord|auxWord) {
			break
		}
		a--
	}
	for s.is(a, leadWord|advWord) && a < b-1 {
		a++
	}
	if s.is(a, possWord) || refused[s.low(a)] && s.low(a) != "the" {
		return
	}
	p, ok := s.tasted(a)
	if !ok {
		if q, is := s.phrase(a); is && s.tok(q.start).upper {
			p, ok = tasteEn{nounPhrase: q}, true // The Beatles
		}
	}
	if !ok || p.end != b {
		return
	}
	if s.low(p.start-1) == "the" && s.tok(p.start).upper && p.start > a {
		p.start--
	}
	n := len(s.out)
	s.emitTaste(subjectEn{s.d.Speaker, a, a, true, false}, p, "likes", true, false)
	// What the words say else of it is the same.
	for j := n - 1; j >= 0; j-- {
		if x := &s.out[j]; x.Span != nil && x.Rel == "dislikes" && x.Change == dsl.Assert && x.Dst == s.out[n].Dst {
			s.out = append(s.out[:j], s.out[j+1:]...)
			break
		}
	}
}

// stolen reads "someone stole my bike", "my phone was stolen".
func (s *sentenceEn) stolen(i int) {
	if s.low(i) == "stole" {
		if s.low(i+1) != "my" && s.low(i+1) != "our" {
			return
		}
		if p, ok := s.thing(i+2, lastingHead); ok && (p.head || p.product) {
			s.endOf(s.d.Speaker, "owns", i-1, p.start, p.end, sure, s.ended(subjectEn{start: i}, verbGroup{verb: i}))
		}
		return
	}
	k := i - 1
	for k > s.from && (s.is(k, auxWord|advWord) || s.low(k) == "got" || s.low(k) == "get") {
		if s.is(k, negWord|modalWord) {
			return
		}
		k--
	}
	for d := k; d >= max(s.from, k-4); d-- {
		if w := s.low(d); w != "my" && w != "our" {
			continue
		}
		if p, ok := s.thing(d+1, lastingHead); ok && p.head && p.end == k+1 {
			s.endOf(s.d.Speaker, "owns", i, p.start, p.end, sure, s.ended(subjectEn{start: d}, verbGroup{verb: i}))
		}
		return
	}
}

// ourPetGone reads "our hamster died"; i is the token "our".
func (s *sentenceEn) ourPetGone(i int) {
	at, kin, _, next := s.kinAt(i)
	if at == 0 || !s.is(at, petWord) {
		return
	}
	if g, ok := s.group(next); ok && !g.neg && !g.modal && (s.low(g.verb) == "died" || s.low(g.verb) == "passed" && s.low(g.verb+1) == "away") {
		c := claim{src: s.d.Speaker, rel: "owns", dst: kin, change: dsl.End, confidence: likely, valid: s.ended(subjectEn{start: i}, g)}
		c.start, c.end = s.span(i, g.verb+1)
		s.emit(c)
	}
}

// sentAway reads "Acme let me go", "Acme laid me off", "Acme fired me"; i is the
// token "me".
func (s *sentenceEn) sentAway(i int) {
	switch s.low(i - 1) {
	case "let":
		if s.low(i+1) != "go" {
			return
		}
	case "laid":
		if s.low(i+1) != "off" {
			return
		}
	case "fired", "sacked", "dismissed":
	default:
		return
	}
	e := i - 1
	for e > s.from && (s.is(e-1, auxWord|advWord)) {
		if s.is(e-1, negWord|modalWord) {
			return
		}
		e--
	}
	for a := e - 1; a >= max(s.from, e-4); a-- {
		if m := s.mentionAt(s.tok(a).start); m != nil && m.Start == s.tok(a).start && m.Type == typeOrg && s.d.tokenAt(m.End) == e {
			s.endOf(s.d.Speaker, "works_at", i, a, e, sure, s.ended(subjectEn{start: a}, verbGroup{verb: i}))
			return
		}
	}
}

// postOver reads "my last day at Acme was Friday", "my contract with Acme ended";
// i is the token "my".
func (s *sentenceEn) postOver(i int) {
	k := i + 1
	last := s.low(k) == "last" || s.low(k) == "final"
	if last {
		k++
	}
	switch s.low(k) {
	case "day", "shift":
		if !last {
			return
		}
	case "contract", "job", "internship", "time", "stint", "employment", "tenure":
	default:
		return
	}
	if w := s.low(k + 1); w != "at" && w != "with" {
		return
	}
	a, b, _, ok := s.employer(k + 2)
	if !ok {
		return
	}
	g, ok := s.group(b)
	if last && s.low(b) == "was" {
		g, ok = verbGroup{verb: b, be: true, past: true}, true
	}
	if !ok || g.neg || g.modal {
		return
	}
	v := validity{}
	if t := s.happened(subjectEn{start: i}, g); t != nil {
		if t.From.After(s.d.Local) {
			return // still ahead
		}
		v = v.until(t, s.d.TS)
	}
	switch w := s.low(g.verb); {
	case w == "ended" || w == "expired" || w == "finished" || w == "over" && g.be:
	case last && (s.low(b) == "was" || g.be && g.past):
	default:
		return
	}
	s.endOf(s.d.Speaker, "works_at", i, a, b, likely, v)
}

// contactOver reads "my email a@b.c is no longer active", "my old number …
// doesn't work anymore"; i is the token "my".
func (s *sentenceEn) contactOver(i int) {
	for k := i + 1; k < min(s.to, i+7); k++ {
		m := s.mentionAt(s.tok(k).start)
		if m == nil || m.Type != typeEmail && m.Type != typePhone {
			if s.tok(k).kind == punctToken && s.low(k) != "," && s.low(k) != "-" {
				return
			}
			continue
		}
		e := s.d.tokenAt(m.End)
		if s.low(e) == "," {
			e++
		}
		g, ok := s.group(e)
		if !ok || !s.over(g, g.verb) && !(g.be && (s.low(g.verb) == "dead" || s.low(g.verb) == "deactivated" || s.low(g.verb) == "disconnected" || s.low(g.verb) == "gone")) {
			return
		}
		s.contactEnd(m, i)
		return
	}
}

// contactEnd emits the end of an address or a number.
func (s *sentenceEn) contactEnd(m *Mention, at int) {
	rel := "email"
	if m.Type == typePhone {
		rel = "phone"
	}
	s.emit(claim{src: s.d.Speaker, rel: rel, dst: m.Text, start: s.tok(at).start, end: max(m.End, s.tok(at).end), change: dsl.End, confidence: sure})
}

// contactIn gives the address or number at token k, after an article and the word
// for it.
func (s *sentenceEn) contactIn(k int) *Mention {
	for n := 0; n < 4; n++ {
		if m := s.mentionAt(s.tok(k).start); m != nil && (m.Type == typeEmail || m.Type == typePhone) {
			return m
		}
		if s.tok(k).kind != wordToken {
			return nil
		}
		k++
	}
	return nil
}

// consumed are verbs of habits: what one does no more, one hardly prefers.
var consumed = wordSet("eat eating drink drinking play playing watch watching read reading listen listening practice practicing practise do doing follow following")

// gaveUpHabit reads "stopped drinking coffee", "don't eat meat anymore" at the
// habit's verb.
func (s *sentenceEn) gaveUpHabit(sub subjectEn, v int) {
	k := v + 1
	if w := s.low(v); w == "listen" || w == "listening" {
		if s.low(k) != "to" {
			return
		}
		k++
	}
	p, ok := s.tasted(k)
	if !ok || p.definite && !p.named || s.low(k) == "a" || s.low(k) == "an" {
		return
	}
	const known = foodWord | edibleWord | musicWord | tuneWord | activityWord | pastimeWord | thingWord
	if !s.is(p.end-1, known) && !p.named {
		return
	}
	s.emitHabitEnd(sub, p)
}

func (s *sentenceEn) emitHabitEnd(sub subjectEn, p tasteEn) {
	n := len(s.out)
	s.emitTaste(sub, p, "likes", true, false)
	for i := n; i < len(s.out); i++ {
		s.out[i].Confidence = weak
	}
}

// opinionOver reads "used to think X would be fun", "used to find X charming",
// "used to dream of X", where the sentence goes on with "but".
func (s *sentenceEn) opinionOver(sub subjectEn, k int, w string) {
	switch w {
	case "dream":
		if x := s.low(k); x != "of" && x != "about" {
			return
		}
		k++
	case "think":
		if s.low(k) == "that" {
			k++
		}
	case "find":
	default:
		return
	}
	k = s.unwrapped(k)
	if s.low(k) == "the" && s.low(k+1) == "idea" && s.low(k+2) == "of" {
		k += 3
	}
	if w := s.low(k); w == "visiting" || w == "seeing" || w == "exploring" {
		k++
	}
	p, ok := s.tasted(k)
	if !ok {
		return
	}
	if w == "find" && p.end-p.start > 1 && (adjectival(s.low(p.end-1)) || s.is(p.end-1, evaluativeWord)) {
		p.end-- // "find X charming"
	}
	j := p.end
	if w == "think" {
		if x := s.low(j); x != "would" && x != "was" && x != "were" && x != "is" {
			return
		}
		for j < p.end+3 && (s.is(j, auxWord) || s.low(j) == "be") {
			j++
		}
	}
	if w != "dream" {
		for s.is(j, advWord) {
			j++
		}
		if bad := s.low(j); s.tok(j).kind != wordToken || s.is(j, negWord) || dull[bad] {
			return
		}
	}
	// Only what the rest takes back is over.
	for ; j < s.to && j < p.end+14; j++ {
		if x := s.low(j); x == "but" || x == "until" {
			s.emitTaste(sub, p, "likes", true, false)
			return
		}
	}
}

// dull are words of a low opinion.
var dull = wordSet("boring dull bad terrible awful overrated annoying ugly stupid silly hard difficult weird scary gross disgusting too so in at on of")
