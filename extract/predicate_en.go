package extract

import "strings"

// verbGroup is what stands between a subject and its main verb.
type verbGroup struct {
	verb                                               int // the main verb's token
	neg, modal, past, perfect, be, noLonger, used, did bool
}

// helping are verbs before "to" that leave the sense of the verb after it: "have
// come to like".
var helping = wordSet("come came grown grew learned learnt started began begun starting beginning tend tends continue continued managed get got")

// group reads the verb group at token k.
func (s *sentenceEn) group(k int) (verbGroup, bool) {
	var g verbGroup
	for n := 0; n < 10 && k < s.to; n++ {
		t := s.tok(k)
		if t.kind != wordToken {
			return g, false
		}
		if e := s.timeAt(t.start); e != nil && e.Start == t.start {
			k = s.d.tokenAt(e.End)
			continue
		}
		switch t.low {
		case "n't", "not", "never":
			g.neg = true
		case "no":
			if s.low(k+1) != "longer" {
				return g, false
			}
			g.noLonger = true
			k++
		case "used":
			if s.low(k+1) != "to" || g.be || g.perfect {
				g.verb = k
				return g, true
			}
			g.used = true
			k++
		case "more", "much", "kind", "sort", "of":
		case "am", "is", "are", "'m", "'re", "was", "were", "be", "been", "being":
			g.be = true
			g.past = g.past || t.low == "was" || t.low == "were"
		case "'s":
			g.be = true
		case "do", "does", "did":
			g.did = true
			g.past = g.past || t.low == "did"
		case "have", "has", "had", "'ve":
			if !s.participle(k + 1) {
				g.verb = k
				g.past = g.past || t.low == "had"
				return g, true
			}
			g.perfect = true
			g.past = g.past || t.low == "had"
		case "going", "gonna":
			if t.low == "going" && s.low(k+1) != "to" {
				g.verb = k
				return g, true
			}
			g.modal = true
		case "found", "find", "finding":
			if s.low(k+1) != "myself" && s.low(k+1) != "ourselves" {
				g.verb = k
				return g, true
			}
			k++ // "found myself drawn to"
			g.be = true
		default:
			if helping[t.low] && s.low(k+1) == "to" && s.tok(k+2).kind == wordToken && !s.is(k+2, detWord) && !s.tok(k+2).upper {
				k++
				break
			}
			if s.is(k, modalWord) {
				g.modal = true
				break
			}
			if s.adverb(k) && s.tok(k+1).kind == wordToken {
				break
			}
			g.verb = k
			return g, true
		}
		k++
	}
	return g, false
}

// adverb tells whether the word at k only colours the verb: one of the list, or
// any that ends like one.
func (s *sentenceEn) adverb(k int) bool {
	w := s.low(k)
	switch w {
	case "hardly", "barely", "rarely", "scarcely", "seldom", "nearly", "almost", "supposedly", "allegedly", "possibly", "likely", "probably":
		return false
	}
	return s.is(k, advWord) || len(w) > 4 && (strings.HasSuffix(w, "ly") || strings.HasSuffix(w, "ley")) && s.tok(k).class == 0
}

var participles = wordSet("outgrown swapped been got had bought gotten gone found lost sold left quit grown taken made done known seen fallen given become come begun won")

// participle tells whether, adverbs and denials aside, a past participle stands
// at k: the word before is then an auxiliary.
func (s *sentenceEn) participle(k int) bool {
	for n := 0; n < 4; n, k = n+1, k+1 {
		w := s.low(k)
		if participles[w] || len(w) > 3 && strings.HasSuffix(w, "ed") && !s.is(k, petWord|ownWord|goodsWord) && w != "bed" && w != "red" {
			return true
		}
		if !s.is(k, negWord) && !s.adverb(k) || w == "" {
			return false
		}
	}
	return false
}

// predicate reads what is said of a subject and emits what it asserts.
func (s *sentenceEn) predicate(sub subjectEn) {
	g, ok := s.group(sub.verb)
	if !ok {
		return
	}
	w := s.low(g.verb)
	if g.modal {
		s.could(sub, g)
		return
	}
	if sub.listener {
		switch w {
		case "live", "living", "reside", "work", "working", "study", "studying", "lived", "worked", "moved":
		default:
			return
		}
	}
	before := len(s.out)
	s.clause(sub, g, w)
	s.goesOn(sub, g, len(s.out) > before)
}

// could reads what is said with a modal verb: "can't stand X", "can't get enough
// of X".
func (s *sentenceEn) could(sub subjectEn, g verbGroup) {
	if sub.listener || !g.neg {
		return
	}
	s.notGoing(sub, g)
	if s.low(g.verb) == "to" && s.low(g.verb-1) == "going" {
		h := g
		h.verb, h.modal = g.verb-1, false
		s.notGoing(sub, h)
		return
	}
	k := g.verb + 1
	switch s.low(g.verb) {
	case "stand", "bear", "tolerate":
		if s.low(g.verb-1) == "n't" || s.low(g.verb-1) == "not" || s.is(g.verb-1, advWord) {
			if s.over(g, k) { // it was liked, or borne, before
				s.taste(sub, g, k, "likes", false)
			}
			s.taste(sub, verbGroup{verb: g.verb, perfect: true}, k, "dislikes", false)
		}
	case "need":
		s.taskDone(sub, g, "need")
	case "get":
		if s.low(k) == "into" && s.over(g, k) {
			s.taste(sub, g, k+1, "likes", false)
		}
		if s.low(k) == "enough" && s.low(k+1) == "of" {
			g.neg = false
			s.taste(sub, g, k+2, "likes", false)
		}
	}
}

// clause reads the main verb w.
func (s *sentenceEn) clause(sub subjectEn, g verbGroup, w string) {
	k := g.verb + 1
	if !sub.listener {
		s.onPlatform(sub, g)
		s.notGoing(sub, g)
		s.taskDone(sub, g, w)
		if s.lostOrLeft(sub, g, w) {
			return
		}
	}
	switch w {
	case "live", "lives", "living", "lived", "reside", "resides", "residing":
		s.lives(sub, g)
	case "based", "located", "settled":
		if s.low(k) == "in" && s.tok(k+1).kind == numToken && len(s.low(k+1)) == 5 && sub.self {
			s.place(sub, g, "lives_in", k+1, k+2, likely, validity{})
		} else if g.be || w == "settled" {
			s.lives(sub, g)
		}
	case "in":
		if g.be && !g.past && !g.perfect && !g.neg {
			s.stands(sub, g)
		}
	case "at", "with":
		if g.be && !g.past && !g.neg {
			s.employedAt(sub, g)
		}
	case "from":
		if g.be && !g.past && !s.isVerbLed(k) {
			s.home(sub, g)
		}
	case "moved", "relocated":
		s.moved(sub, g)
	case "work", "works", "working", "worked", "employed", "interning", "intern", "interned":
		s.works(sub, g)
	case "joined", "started", "began":
		if x := s.low(k); x == "using" {
			s.startedUsing(sub, g)
			return
		}
		j := k
		for s.adverb(j) {
			j++
		}
		if x := s.low(j); (w == "started" || w == "began") && tasteGerunds[x] && !g.neg && !g.used {
			s.likes(sub, verbGroup{verb: j, perfect: true}, x)
			return
		}
		s.joined(sub, g)
	case "study", "studies", "studying", "studied", "attend", "attends", "attending", "attended", "go", "goes", "going", "went", "graduated", "enrolled":
		s.studies(sub, g)
	case "called", "named":
		if g.be && !g.neg && !g.past {
			_, kin, _ := strings.Cut(sub.name, "/")
			s.named(sub.start, k, sub.name, kin)
		}
	case "a", "an", "the", "one", "now", "retired":
		if g.be {
			s.described(sub, g)
		}
	case "became", "become":
		if x := s.low(k); (x == "a" || x == "an" || x == "the") && !g.neg && !g.did {
			s.roleAs(sub, verbGroup{verb: g.verb}, k)
		}
	case "promoted", "hired", "appointed":
		s.promoted(sub, g)
	case "stopped", "quit":
		s.stopped(sub, g, w)
	case "left", "resigned", "retiring", "laid", "fired":
		s.quit(sub, g)
	case "have", "has", "own", "owns", "had", "got", "gotten":
		if w == "got" && s.low(k) == "rid" {
			s.disposed(sub, g)
			return
		}
		if s.low(k) == "into" || s.is(k, advWord) && s.low(k+1) == "into" {
			s.likes(sub, g, w)
			return
		}
		if s.has(sub, g) || s.hasPlatform(sub, g, w) {
			return
		}
		s.owns(sub, g)
	case "given":
		if s.low(k) == "up" && g.perfect {
			s.givenUp(sub, g, k+1)
		} else {
			s.owns(sub, g)
		}
	case "sold", "donated", "lost", "returned", "gave", "threw", "parted":
		if w == "lost" && s.low(k) == "interest" && s.low(k+1) == "in" {
			s.turned(sub, g, k+2)
			return
		}
		if w == "gave" && s.low(k) == "me" && !sub.self && !sub.listener {
			s.gave(sub, g, w)
			return
		}
		if w == "gave" && s.low(k) == "up" {
			s.givenUp(sub, g, k+1)
			return
		}
		s.disposed(sub, g)
	case "use", "uses", "using", "used", "utilize", "utilizing":
		s.uses(sub, g)
	case "keep", "keeps", "kept":
		if s.low(k) == "using" && !g.neg && !g.past && w != "kept" {
			s.startedUsing(sub, g)
		}
	case "rely", "relying", "swear":
		if x := s.low(k); (x == "on" || x == "by") && !g.neg {
			if _, ok := s.usedThing(k + 1); ok {
				s.usedList(sub, g, k+1, false)
			}
		}
	case "subscribed", "subscribe":
		if s.low(k) == "to" && !g.neg {
			if p, ok := s.usedThing(k + 1); ok && p.product {
				s.place(sub, g, "uses", p.start, p.end, likely, s.began(sub, g))
			}
		}
	case "treated":
		if j := k + 1; (s.low(k) == "myself" || s.low(k) == "ourselves") && s.low(j) == "to" && !g.neg && sub.self {
			s.ownedList(sub, verbGroup{verb: g.verb}, j+1, "bought", true, s.began(sub, g))
		}
	case "canceled", "cancelled", "deleted", "uninstalled", "ditched":
		s.cancelled(sub, g)
	case "switched", "migrated":
		s.switched(sub, g)
	case "think", "believe":
		// "I used to think I liked X"
		if g.used && s.low(k) != "i" {
			s.opinionOver(sub, k, w)
		} else if g.used {
			if h, ok := s.group(k + 1); ok && pastTastes[s.low(h.verb)] && !h.neg {
				h.used = true
				s.likes(sub, h, s.low(h.verb))
			}
		}
	case "trying":
		// "trying to get (more) into yoga"
		if s.low(k) == "to" && s.low(k+1) == "get" && !g.neg {
			j := k + 2
			if s.low(j) == "more" {
				j++
			}
			if s.low(j) == "into" {
				s.taste(sub, verbGroup{verb: g.verb, be: true, perfect: true}, j+1, "likes", false)
			}
		}
	case "wear", "wearing":
		if !g.neg && !g.past && (g.be || w == "wear") {
			if p, ok := s.usedThing(k); ok && p.product {
				s.place(sub, g, "uses", p.start, p.end, likely, s.stated(sub, g))
			}
		}
	default:
		if s.likes(sub, g, w) {
			return
		}
		if _, ok := acquiring[w]; ok {
			s.owns(sub, g)
			return
		}
		if sub.self && givers[w] == "" && g.be && !g.neg && !g.past {
			s.introduced(sub, g)
		}
		if !sub.self && !sub.listener {
			s.gave(sub, g, w)
		}
	}
}

// tasteGerunds are the -ing forms of verbs of taste.
var tasteGerunds = wordSet("liking loving enjoying appreciating disliking preferring")

// givers are verbs by which someone gives a thing to the speaker.
var givers = map[string]string{"gave": "me", "bought": "me", "got": "me", "gifted": "me", "made": "me", "knitted": "me", "sent": "me", "built": "me"}

// gave: "my grandma gave me this ring": it is the speaker's.
func (s *sentenceEn) gave(sub subjectEn, g verbGroup, w string) {
	if givers[w] == "" || g.neg || g.did || g.used {
		return
	}
	k := g.verb + 1
	if s.low(k) != "me" && s.low(k) != "us" {
		return
	}
	k++
	switch s.low(k) {
	case "this", "these":
		k++
	case "a", "an":
	default:
		return
	}
	p, ok := s.thing(k, lastingHead)
	if !ok || !p.head {
		return
	}
	c := claim{src: s.d.Speaker, rel: "owns", dst: s.value(p.nounPhrase), valid: s.began(sub, g), confidence: likely}
	c.start, c.end = s.span(sub.start, p.end)
	s.emit(c)
}

// relative reads "the ring (that) I bought" and the like, where the subject
// opens no clause of its own.
func (s *sentenceEn) relative(sub subjectEn) {
	if !sub.self && !sub.listener && sub.start > s.from && givers[s.low(sub.verb)] != "" && s.low(sub.verb+1) == "me" && s.gapAfter(sub.verb+2) {
		// "the ring (that) my grandma gave me"
		if p, ok := s.nounBefore(sub.start); ok && p.head {
			c := claim{src: s.d.Speaker, rel: "owns", dst: s.value(p.nounPhrase), change: s.mood(), confidence: likely}
			c.start, c.end = s.span(p.start, sub.verb+2)
			s.emit(c)
		}
		return
	}
	if !sub.self || sub.start == s.from {
		return
	}
	if t := s.tok(sub.start - 1); t.kind == punctToken {
		return
	}
	if s.low(sub.start-1) == "which" {
		s.whichLiked(sub)
	}
	g, ok := s.group(sub.verb)
	if !ok || g.modal {
		return
	}
	s.relativeOwned(sub, g)
}

// whichLiked reads "X, which I love" and "X, which I've been subscribed to", of a
// name.
func (s *sentenceEn) whichLiked(sub subjectEn) {
	g, ok := s.group(sub.verb)
	if !ok || g.modal || g.neg || g.used || !s.gapAfter(g.verb+1) {
		return
	}
	e := sub.start - 1
	if s.low(e-1) == "," {
		e--
	}
	m := s.mentionAt(s.tok(e - 1).start)
	if m == nil || s.d.tokenAt(m.End) != e || m.Start < s.tok(s.from).start {
		return
	}
	c := claim{src: sub.name, dst: m.Text, start: m.Start, end: s.tok(g.verb).end, change: s.mood(), confidence: likely}
	switch w := s.low(g.verb); w {
	case "love", "like", "enjoy", "adore", "loving", "enjoying":
		c.rel = "likes"
	case "use", "using", "subscribed":
		if c.rel = "uses"; m.Type != typeOrg {
			return
		}
	default:
		return
	}
	s.emit(c)
}

// irregular are past forms of common verbs that do not end like one.
var irregular = wordSet("went got bought took came saw met found made ran ate had left gave drove flew spent sold felt thought told heard read won began broke built chose fell forgot grew kept knew lost paid put sent sat slept spoke stood tried wore wrote")

// secondVerbs may go on with the subject of a clause after "and".
var secondVerbs = wordSet("live lives work works own owns has have love loves like likes enjoy enjoys hate hates dislike dislikes disliked loved moved bought adopted joined sold quit purchased ordered use got started left switched named")

// goesOn reads a second verb: "works at Amazon and lives in Seattle".
func (s *sentenceEn) goesOn(sub subjectEn, g verbGroup, said bool) {
	k := s.clauseEnd(g.verb)
	if s.low(k) == "," {
		k++
	}
	if w := s.low(k); w != "and" && w != "but" || k <= sub.verb || s.hops >= 3 {
		return
	}
	s.hops++
	j := k + 1
	for s.is(j, advWord) || s.low(j) == "no" || s.low(j) == "longer" || s.low(j) == "then" {
		j++
	}
	w := s.low(j)
	if !secondVerbs[w] {
		return
	}
	// A noun may look like such a verb: "love and work"; and "want to move and
	// live" asserts neither.
	past := strings.HasSuffix(w, "ed") || w == "got" || w == "quit" || w == "left" || w == "bought" || w == "sold"
	if said || past && (g.isPast(s) || g.perfect || irregular[s.low(g.verb)]) {
		sub.verb = k + 1
		s.predicate(sub)
	}
}
