package extract

import "github.com/asof-db/asof/dsl"

// sentenceEn is an English sentence on its way through the patterns: tokens
// [from, to).
type sentenceEn struct {
	*relater
	from, to int
	// hypothesis is the first token of an if-clause or a wish; what follows it is
	// not asserted.
	hypothesis int
	// correction tells that the sentence says outright that it corrects; actually
	// that it has the word.
	correction, actually bool
	// setsRight tells that the sentence begins with "Actually": a state that it
	// gives takes the place of what was said before, which was never so.
	setsRight bool
	// liked is the last value that the sentence spoke of, which "it" and "them"
	// take up.
	liked, likedRel string
	// topic is what the sentence before spoke of.
	topic topic
	// dated holds where the times stand that are some event's already.
	dated []int
	// askedPets tells that the turn before asked for the speaker's pets.
	askedPets bool
	// hops counts the further verbs that the subject at hand took.
	hops int
}

var hypothetical = wordSet("if unless whether suppose supposing imagine pretend wish hopefully assuming hypothetically")

// english runs the patterns over every sentence that asserts.
func (r *relater) english() {
	toks := r.d.tokens
	at := 0
	var said topic
	asked := r.questionBefore()
	var denied func(*Relation) string
	goesOn := false // the sentence before took something back, for this one to put right
	for n, span := range r.d.Sentences {
		s := sentenceEn{relater: r, from: at, topic: said, askedPets: asked.pets}
		for at < len(toks) && toks[at].start < span.End {
			at++
		}
		s.to, s.hypothesis = at, at
		words, asks := 0, false
		for i := s.from; i < s.to; i++ {
			t := &toks[i]
			if t.kind == wordToken {
				words++
			}
			if t.kind == punctToken && (t.low == "?" || t.low == "？") {
				asks = true
			}
			switch {
			case hypothetical[t.low] && s.hypothesis == at:
				s.hypothesis = i
			case t.low == "actually":
				s.actually = true
				s.setsRight = words == 1
			case s.corrects(i):
				s.correction = true
			}
		}
		if t := s.topicIn(s.from, s.to); t.text != "" && !(said.text != "" && s.takesUp(t)) {
			said = t
		}
		s.requested()
		if asks {
			// Only what stands before the question is asserted.
			k, ok := s.asked()
			if s.hypothesis == s.to {
				s.upcoming(s.to, true)
			}
			if !ok {
				continue
			}
			s.to, s.hypothesis = k, min(s.hypothesis, k)
		}
		if words > 1 {
			s.correction = s.correction || goesOn
			n := len(s.out)
			s.elided()
			s.phrases()
			s.run()
			s.endings()
			s.planned()
			s.setRight(n, denied)
			goesOn, denied = len(s.out) == n && s.onlyCorrects(), nil
			if words <= 5 && len(s.out) == n {
				before := s
				denied = before.takenBack() // "Sorry, not Bern. I live in Basel."
			}
		}
		if n < 2 && !asks && len(s.out) == 0 {
			s.answer(asked)
		}
	}
}

// takesUp tells whether the sentence goes on about what was spoken of before: "it"
// stands before anything else that it names.
func (s *sentenceEn) takesUp(t topic) bool {
	for i := s.from; i < min(s.to, s.from+30) && s.tok(i).start < t.at; i++ {
		if w := s.low(i); w == "it" || w == "them" || w == "it's" {
			return true
		}
	}
	return false
}

// noToken stands outside every sentence; nothing writes to it.
var noToken = token{kind: punctToken}

// tok gives token i of the sentence; an empty one outside it.
func (s *sentenceEn) tok(i int) *token {
	if i < s.from || i >= s.to {
		return &noToken
	}
	return &s.d.tokens[i]
}

func (s *sentenceEn) low(i int) string         { return s.tok(i).low }
func (s *sentenceEn) is(i int, c class) bool   { return s.tok(i).class&c != 0 }
func (s *sentenceEn) text(a, b int) string     { return s.d.Text[s.d.tokens[a].start:s.d.tokens[b-1].end] }
func (s *sentenceEn) span(a, b int) (int, int) { return s.d.tokens[a].start, s.d.tokens[b-1].end }

// run looks for subjects and lets the patterns read what follows each.
func (s *sentenceEn) run() {
	for i := s.from; i < s.to; i++ {
		t := s.tok(i)
		if t.kind != wordToken || s.d.quoted(t.start) {
			continue
		}
		if t.low == "my" || t.low == "our" {
			s.possessed(i)
		}
		if t.upper {
			s.apposed(i)
		}
		if i >= s.hypothesis {
			continue
		}
		switch t.low {
		case "as":
			s.inCapacity(i)
		case "call":
			s.nicknamed(i)
		case "using":
			s.usingMine(i)
		case "degree", "diploma", "phd", "bachelor", "mba":
			s.degree(i)
		case "gift", "present":
			s.keepsake(i)
		case "our":
			s.fondness(i)
		case "my":
			s.homeland(i)
			s.myPost(i)
			s.fondness(i)
			s.tasteMoved(i)
			s.notMyThing(i)
		}
		if t.low == "about" && s.low(i-1) == "mind" { // "changed my mind about X"
			if p, ok := s.phrase(i + 1); ok {
				s.liked, s.likedRel = s.value(p), ""
			}
		}
		s.hops = 0
		if sub, ok := s.subject(i); ok {
			if s.opens(i) {
				s.predicate(sub)
			} else {
				s.relative(sub)
			}
		}
	}
}

// subjectEn is who a clause speaks of.
type subjectEn struct {
	name string
	// start and verb are the tokens where it starts and where what follows starts.
	start, verb int
	// self: the speaker; listener: who is spoken to; plural or "I": base verb forms.
	self, listener bool
}

// subject reads a subject at token i.
func (s *sentenceEn) subject(i int) (subjectEn, bool) {
	t := s.tok(i)
	switch t.low {
	case "i", "we":
		if t.low == "i" && !t.upper && len(s.d.Text) > t.end && s.d.Text[t.end] == '.' {
			return subjectEn{}, false
		}
		return subjectEn{s.d.Speaker, i, i + 1, true, false}, true
	case "you":
		if isAssistant(s.d.Listener) {
			return subjectEn{}, false
		}
		return subjectEn{s.d.Listener, i, i + 1, false, true}, true
	case "he", "she":
		for _, c := range s.d.Corefs {
			if c.Start == t.start && c.Subject != "" {
				return subjectEn{c.Subject, i, i + 1, false, false}, true
			}
		}
		return subjectEn{}, false
	case "my":
		k, kin, name, next := s.kinAt(i)
		if k == 0 || s.low(next) == "'s" && !s.copula(next) || s.low(next) == "and" {
			return subjectEn{}, false
		}
		if name != "" {
			return subjectEn{name, i, next, false, false}, true
		}
		return subjectEn{s.d.Speaker + "/" + kin, i, next, false, false}, true
	}
	if t.upper {
		if m := s.mentionAt(t.start); m != nil && m.Start == t.start && m.Type == typePerson {
			next := s.d.tokenAt(m.End)
			if s.low(next) == "," || s.low(next) == "'s" && !s.copula(next) || s.low(next) == "and" || s.is(i-1, kinWord|petWord) {
				return subjectEn{}, false
			}
			return subjectEn{m.Text, i, next, false, false}, true
		}
	}
	return subjectEn{}, false
}

// copula tells whether "'s" at i is "is": an article or a role follows.
func (s *sentenceEn) copula(i int) bool {
	n := s.low(i + 1)
	switch n {
	case "a", "an", "not", "at", "in", "from", "into", "allergic", "obsessed", "working", "living", "studying", "called", "based", "retired", "currently", "crazy", "fond", "really", "also", "still":
		return true
	}
	return false
}

var kinAdjectives = wordSet("older younger elder little big best good dear old late former ex current new close longtime twin oldest youngest eldest beloved lovely dearest great childhood college")

// kinAt reads "my (older) sister (Anna)" at i: at is the token of the kin
// word (0 where there is none), next the token after all of it.
func (s *sentenceEn) kinAt(i int) (at int, kin, name string, next int) {
	k := i + 1
	for n := 0; n < 2 && kinAdjectives[s.low(k)]; n++ {
		k++
	}
	end := k
	for end < k+3 && end < s.to && s.tok(end).kind == wordToken && !s.is(end, kinWord|petWord) && !s.tok(end).upper && s.is(end+1, petWord) {
		end++ // golden retriever
	}
	if !s.is(end, kinWord|petWord) || s.tok(end).upper {
		return 0, "", "", 0
	}
	if s.is(end+1, petWord) && !s.tok(end+1).upper {
		end++
	}
	kin, next = s.text(k, end+1), end+1
	if s.low(next) == "-" || s.is(next, kinWord|ownWord|eventNoun) && !s.tok(next).upper {
		return 0, "", "", 0
	}
	n := next
	comma := s.low(n) == ","
	if comma {
		n++
	}
	if s.low(n) == "dr" || s.low(n) == "mr" || s.low(n) == "mrs" || s.low(n) == "ms" {
		n++
		if s.low(n) == "." {
			n++
		}
	}
	if m := s.mentionAt(s.tok(n).start); n < s.to && s.tok(n).upper && m != nil && m.Start == s.tok(n).start && (m.Type == typePerson || m.Type == "") {
		e := s.d.tokenAt(m.End)
		if !comma || s.low(e) == "," || s.low(e) == "." || s.low(e) == "!" || e >= s.to {
			// "my sister, Anna, said": in apposition, not a list or an address.
			if comma && (s.low(e) == "," && s.tok(e+1).upper && s.low(e+1) != "i" || m.Text == s.d.Listener || s.is(e, boundaryWord)) {
				return end, kin, "", next
			}
			name, next = m.Text, e
			if comma && s.low(next) == "," {
				next++
			}
		}
	}
	return end, kin, name, next
}

// possessed handles what "my …" alone says: a named relative, a favourite, a
// name, an address, a planned event.
func (s *sentenceEn) possessed(i int) {
	kinAt, kin, name, next := s.kinAt(i)
	if kinAt > 0 {
		if name != "" {
			a, b := s.span(i, max(kinAt+1, next))
			s.emit(claim{src: s.d.Speaker, rel: "related_to", dst: name, relation: kin, start: a, end: b, confidence: sure})
		}
		if i < s.hypothesis && s.low(kinAt+1) == "'s" && s.low(kinAt+2) == "name" && (s.low(kinAt+3) == "is" || s.low(kinAt+3) == "'s") {
			s.named(i, kinAt+4, s.d.Speaker+"/"+kin, kin)
		}
		return
	}
	if i >= s.hypothesis || s.low(i) != "my" {
		return
	}
	switch s.low(i + 1) {
	case "name":
		if s.low(i+2) == "is" || s.low(i+2) == "'s" {
			s.named(i, i+3, s.d.Speaker, "")
		}
	case "email", "e-mail", "phone", "number", "mobile", "cell":
		s.contact(i)
	case "favorite", "favourite":
		s.favourite(i)
	default:
		s.ownPlatform(i)
	}
}

// named emits the name that starts at token k; kin also relates it.
func (s *sentenceEn) named(i, k int, src, kin string) {
	e := s.properEnd(k)
	if e == k || s.is(k, commonWord) {
		return
	}
	a, b := s.span(i, e)
	s.emit(claim{src: src, rel: "name", dst: s.text(k, e), start: a, end: b, change: s.mood(), confidence: sure})
	if kin != "" {
		s.emit(claim{src: s.d.Speaker, rel: "related_to", dst: s.text(k, e), relation: kin, start: a, end: b, change: s.mood(), confidence: sure})
	}
}

// contact emits an address or a number: "my email is x@y.z".
func (s *sentenceEn) contact(i int) {
	for k := i + 2; k < min(s.to, i+8); k++ {
		t := s.tok(k)
		if t.low == "not" || t.low == "n't" {
			return
		}
		m := s.mentionAt(t.start)
		if m == nil || m.Start != t.start || m.Type != typeEmail && m.Type != typePhone {
			continue
		}
		seen := false
		for j := i + 2; j < k; j++ {
			seen = seen || s.low(j) == "is" || s.low(j) == "'s" || s.low(j) == ":"
		}
		if seen {
			rel := map[string]string{typeEmail: "email", typePhone: "phone"}[m.Type]
			s.emit(claim{src: s.d.Speaker, rel: rel, dst: m.Text, start: s.tok(i).start, end: m.End, change: s.mood(), confidence: sure})
		}
		return
	}
}

// mood gives the change of a plain statement of the sentence.
func (s *sentenceEn) mood() dsl.Change {
	if s.correction {
		return dsl.Correct
	}
	return dsl.Assert
}

// clauseEnd gives the token after the clause that token i stands in: up to a
// mark or a word that starts another clause.
func (s *sentenceEn) clauseEnd(i int) int {
	k := i
	for k < s.to && k < i+40 {
		t := s.tok(k)
		if t.kind == punctToken && t.low != "'" && t.low != "/" && t.low != "&" && !(t.low == "-" && !t.space) {
			if t.low == "-" || t.low == "," || t.low != "." || k > i {
				break
			}
		}
		if k > i && s.is(k, boundaryWord) && !(t.low == "since" && s.timeAt(s.tok(k+1).start) != nil) {
			break
		}
		k++
	}
	return k
}

// properEnd gives the end of the proper name that starts at k, k if there is
// none: a mention, or capitalised words.
func (s *sentenceEn) properEnd(k int) int {
	t := s.tok(k)
	if k >= s.to || t.kind == punctToken {
		return k
	}
	if m := s.mentionAt(t.start); m != nil && m.Start == t.start {
		return s.d.tokenAt(m.End)
	}
	if t.kind == hanToken || t.kind != wordToken || !t.upper || t.low == "i" || t.class&(monthWord|weekdayWord) != 0 {
		return k
	}
	toks := s.d.tokens
	j := k + 1
	for j < s.to && j < k+8 {
		t := &toks[j]
		if t.kind == wordToken && t.upper && t.low != "i" && t.class&(monthWord|weekdayWord) == 0 ||
			(t.low == "of" || t.low == "&" || t.low == "-" && !t.space) && j+1 < s.to && toks[j+1].upper {
			j++
			continue
		}
		break
	}
	return j
}
