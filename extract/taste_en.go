package extract

import (
	"strings"

	"github.com/asof-db/asof/dsl"
)

// taste emits likes and dislikes of the values that start at token k. A denied
// like is a dislike, unless it is over.
func (s *sentenceEn) taste(sub subjectEn, g verbGroup, k int, rel string, denied bool) {
	ended := s.over(g, k)
	w := s.low(g.verb)
	told := !ended && (g.past && !g.perfect && w != "stand" || !g.perfect && !g.be && !g.did && pastTastes[w])
	if x := s.low(k); x == "them" || x == "it" || x == "that" && s.gapAfter(k+1) {
		s.tasteIt(sub, g, k, rel, denied, ended, told)
		return
	}
	if w := s.low(k); w == "her" || w == "his" || w == "their" {
		s.tasteOfTheirs(sub, k, rel, denied, ended)
		return
	}
	for n := 0; n < 6; n++ {
		p, ok := s.tasted(k)
		if !ok {
			return
		}
		if told && !s.lastingTaste(p.nounPhrase) {
			return // "I loved the concert" speaks of the concert
		}
		if s.low(p.end) == "," && s.isGerund(p.start) && s.is(p.end-2, detWord) && s.isGerund(p.end+1) && adjectival(s.low(p.end-1)) {
			return // "building a warm, welcoming home"
		}
		if w := s.low(p.end); n == 0 && w == "'s" || w == "," && s.low(p.end+1) == "more" {
			return
		}
		p = s.sharedHead(p)
		s.emitTaste(sub, p, rel, ended, denied)
		// More of a list: "hiking, swimming and chess".
		k = p.resume()
		if s.low(k) == "," && (s.low(k+1) == "and" || s.low(k+1) == "or") {
			k++
		}
		if w := s.low(k); w == "-" && s.tok(k).space && s.isGerund(k+1) && s.isGerund(p.start) {
		} else if w == "-" && (s.low(k+1) == "plus" || s.low(k+1) == "and") && s.isGerund(p.start) {
			k++
		} else if w != "," && w != "and" && w != "or" && w != "&" && w != "plus" {
			return
		}
		if k++; !s.listItem(k, p) {
			return
		}
	}
}

// pastTastes are tastes told as past.
var pastTastes = wordSet("hated loved liked disliked enjoyed adored preferred")

// lastingTaste tells whether what one liked at a time is a taste that stays: a
// work, a named thing, music of a kind.
func (s *sentenceEn) lastingTaste(p nounPhrase) bool {
	if p.act || s.isGerund(p.start) {
		return false
	}
	if m := s.mentionAt(s.tok(p.start).start); m != nil {
		return m.Type == typeWork || m.Type == typePerson && m.Text != s.d.Listener
	}
	for i := p.start; i < p.end; i++ {
		if s.low(i) == "music" && i+1 < p.end {
			return true
		}
	}
	return false
}

// tasteIt reads "it" and "them": what the sentence spoke of before.
func (s *sentenceEn) tasteIt(sub subjectEn, g verbGroup, k int, rel string, denied, ended, told bool) {
	r := rel
	if denied {
		r = "dislikes"
	}
	dst := s.liked
	if dst == "" {
		if t := s.topicIn(s.from, k); t.named && t.class&platformWord == 0 {
			dst = t.text // "I finished X and really liked it"
		} else if t := s.topic; told && t.named && t.class&platformWord == 0 && s.liked == "" {
			dst = t.text
		}
	} else if ended == strings.HasSuffix(s.likedRel, "/end") && s.likedRel != "" && (ended || strings.HasPrefix(s.likedRel, r)) {
		return
	}
	if dst == "" || told && s.liked != "" {
		return
	}
	a, b := s.span(sub.start, k+1)
	change := s.mood()
	if ended {
		r, change = rel, dsl.End
	}
	if r == "likes" && rel == "likes" && strings.HasPrefix(s.likedRel, "prefers_") && dst == s.liked {
		r, _, _ = strings.Cut(s.likedRel, "/") // what it was just now
	}
	s.emit(claim{src: sub.name, rel: r, dst: dst, start: a, end: b, change: change, confidence: likely})
	s.likedRel = r
	if ended {
		s.likedRel += "/end"
	}
}

var performed = wordSet("acting movies films music songs voice books novels work style performances performance art singing writing albums shows comedy humor poetry paintings")

// tasteOfTheirs reads "her films": a taste for whom the pronoun means.
func (s *sentenceEn) tasteOfTheirs(sub subjectEn, k int, rel string, denied, ended bool) {
	e := k + 1
	for e < k+3 && s.tok(e).kind == wordToken && !performed[s.low(e)] {
		e++
	}
	if !performed[s.low(e)] {
		return
	}
	for _, c := range s.d.Corefs {
		if c.Start != s.tok(k).start || c.Subject == "" || strings.Contains(c.Subject, "/") {
			continue
		}
		t := claim{src: sub.name, rel: rel, dst: c.Subject, change: s.mood(), confidence: likely}
		t.start, t.end = s.span(sub.start, e+1)
		switch {
		case ended:
			t.change = dsl.End
		case denied:
			t.rel = "dislikes"
		case rel == "likes" && (s.is(e, musicWord) || s.low(e) == "singing"):
			t.rel = "prefers_music"
		}
		s.emit(t)
		return
	}
}

// emitTaste emits one value.
func (s *sentenceEn) emitTaste(sub subjectEn, p tasteEn, rel string, ended, denied bool) {
	c := claim{src: sub.name, rel: rel, dst: trimQuotes(s.value(p.nounPhrase)), change: s.mood(), confidence: likely}
	c.start, c.end = s.span(sub.start, p.end)
	if rel == "likes" {
		if c.rel = s.likedAs(p.nounPhrase); c.rel == "likes" && p.kind != "" {
			c.rel = p.kind
		}
		if c.rel == "likes" && (p.named || s.tok(p.start).upper) && s.aboutMusic(p.nounPhrase) {
			c.rel = "prefers_music"
		}
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
}

// musical are words that tell that a name beside them is of music.
var musical = wordSet("band bands album albums song songs music musician singer lyrics concert playlist genre sound melodies melody guitarist vocals discography")

// aboutMusic tells whether the words around a name, in its sentence and the next,
// are of music.
func (s *sentenceEn) aboutMusic(p nounPhrase) bool {
	if m := s.mentionAt(s.tok(p.start).start); m != nil && (m.Type == typeLoc || m.Type == typeWork) {
		return false
	}
	toks := s.d.tokens
	stops := 0
	for i := max(s.from, p.start-20); i < min(len(toks), p.end+25) && stops < 2; i++ {
		if i >= p.start && i < p.end {
			continue
		}
		if toks[i].kind == punctToken && i > p.end && (toks[i].low == "." || toks[i].low == "!" || toks[i].low == "?") {
			stops++
		}
		if musical[toks[i].low] {
			return true
		}
	}
	return false
}

// sorts are words for things of many kinds; a clause tells which.
var sorts = wordSet("movies films books novels games shows stories songs places restaurants recipes podcasts documentaries series activities hotels")

var genres = wordSet("movies films books novels games shows stories fiction music technology movie film book song songs")

// sharedHead takes "horror and crime novels" as one value: the head belongs to
// both.
func (s *sentenceEn) sharedHead(p tasteEn) tasteEn {
	if p.end-p.start != 1 || s.low(p.end) != "and" || s.is(p.start, foodWord|activityWord|musicWord|edibleWord|pastimeWord) || s.isGerund(p.start) || p.next > p.end {
		return p
	}
	if q, ok := s.phrase(p.end + 1); ok && genres[s.low(q.end-1)] && q.start == p.end+1 {
		p.end = q.end
	}
	return p
}

// tasteEn is a value that is liked or not. kind is what the word for its sort
// says ("the band X"), next where the text goes on after all of it.
type tasteEn struct {
	nounPhrase
	kind string
	next int
}

// resume gives the token after the value.
func (p tasteEn) resume() int { return max(p.next, p.end) }

// tasted reads what is liked at token k: an activity, or a phrase that names
// something.
func (s *sentenceEn) tasted(k int) (tasteEn, bool) {
	if s.low(k) == "to" && s.tok(k+1).kind == wordToken {
		k++
		for s.adverb(k) {
			k++
		}
		if w := s.low(k); w == "be" || w == "know" || w == "see" || w == "hear" || w == "think" || w == "say" || w == "thank" {
			return tasteEn{}, false
		}
		p, ok := s.gerund(k)
		p.act = true
		return tasteEn{nounPhrase: p}, ok && !(p.end == k+1 && vagueVerbs[s.low(k)])
	}
	if s.low(k) == "both" {
		k++
	}
	if s.low(k) == "more" && s.tok(k+1).kind == wordToken && !stopWords[s.low(k+1)] {
		k++
	}
	k = s.unwrapped(k)
	if s.isGerund(k) {
		return s.tastedAct(k)
	}
	if p, ok := s.ofKind(k); ok {
		return p, true
	}
	p, ok := s.phrase(k)
	if !ok {
		return tasteEn{}, false
	}
	if p, ok = s.joinedAdjectives(p); !ok {
		return tasteEn{}, false
	}
	t := tasteEn{nounPhrase: p}
	if s.low(k) == "my" || s.low(k) == "our" || s.low(k) == "your" {
		return t, false
	}
	t.nounPhrase = s.withTail(p)
	if t.end == p.end && s.low(p.end) == "and" && fixedPairs[s.low(p.end-1)+" "+s.low(p.end+1)] {
		t.end, p.end = p.end+2, p.end+2
	}
	if p.definite && !p.named && t.end == p.end && !generic[s.low(p.end-1)] && !isDecade(s.low(p.end-1)) && !(s.tok(p.start).upper && regional[s.low(p.end-1)]) && !(s.tok(p.start).upper && s.tok(p.end-1).upper && s.low(p.start-1) == "the" && s.low(p.end) != "and") {
		return t, false
	}
	p = t.nounPhrase
	// A clause follows: "I love you", "I like people who".
	if w := s.low(p.end); w == "i" || w == "you" || (w == "who" || w == "that" || w == "which") && (abstract[s.low(p.end-1)] || s.tok(p.end+1).low == "you") {
		return t, false
	}
	if m := s.mentionAt(s.tok(p.start).start); m != nil && m.Type == typePerson && strings.EqualFold(m.Text, s.d.Listener) {
		return t, false
	}
	if (abstract[s.low(p.end-1)] || abstract[s.low(p.start)] && p.end-p.start < 3) && !s.theirWork(p) {
		return t, false
	}
	// "reducing waste" after "love": what a thing does is no value.
	if p.end-p.start == 1 && s.tok(p.start).class&(auxWord|leadWord|negWord) != 0 && !p.named {
		return t, false
	}
	return t, true
}

// fixedPairs are pairs of words with "and" between that name one thing.
var fixedPairs = map[string]bool{
	"mac cheese": true, "macaroni cheese": true, "fish chips": true, "rock roll": true, "arts crafts": true, "biscuits gravy": true,
	"rice beans": true, "bacon eggs": true, "ham cheese": true, "chicken waffles": true, "drum bass": true, "peanut butter jelly": true, "butter jelly": true,
	"surf turf": true, "meat potatoes": true, "milk cookies": true, "science technology": true, "r b": true, "dungeons dragons": true, "hot sour": true,
	"salt pepper": true, "sweet sour": true, "bread butter": true, "wine cheese": true, "cookies cream": true, "chips salsa": true, "spaghetti meatballs": true,
}

// theirWork tells whether a phrase is what a person other than the listener makes:
// "Lena Roth's work".
func (s *sentenceEn) theirWork(p nounPhrase) bool {
	m := s.mentionAt(s.tok(p.start).start)
	w := s.low(p.end - 1)
	person := m != nil && m.Type == typePerson && !strings.EqualFold(m.Text, s.d.Listener)
	if m == nil && s.tok(p.start).upper && s.tok(p.start+1).upper && p.end-p.start >= 4 {
		person = true // a first name that the lists do not know
	}
	return person && performed[w] && (s.low(p.end-2) == "'s" || s.low(p.end-2) == "'")
}

// regional are words for a part of a country that has a name.
var regional = wordSet("region area coast islands mountains countryside peninsula")

// isDecade tells whether a word names a decade: "1920s".
func isDecade(w string) bool {
	return len(w) == 5 && w[4] == 's' && isDigit(w[0]) && isDigit(w[1]) && isDigit(w[2]) && w[3] == '0'
}

// generic are things that "the" does not make a particular one.
var generic = wordSet("outdoors ocean sea beach mountains countryside city piano guitar violin cello drums saxophone theater theatre theater gym cold heat rain snow sun 1980s 1990s arts opera blues woods wilderness stars water guitar harp flute desert forest")

// unwrapped moves past words that wrap a value: "the idea of visiting X" speaks
// of X, "movies with X" of X.
func (s *sentenceEn) unwrapped(k int) int {
	j := k
	if s.low(k) == "the" && (s.low(k+1) == "sound" || s.low(k+1) == "look") && s.low(k-1) == "like" {
		return k // "I like the sound of X" is a first impression
	}
	if s.low(j) == "the" {
		j++
	}
	if (s.low(j) == "idea" || s.low(j) == "thought") && s.low(j+1) == "of" {
		switch s.low(j + 2) {
		case "experiencing", "exploring", "visiting", "traveling", "travelling", "going":
			j += 3
			if s.low(j) == "to" {
				j++
			}
			return j
		}
		return k
	}
	if w := s.low(j); (w == "flavor" || w == "flavour" || w == "taste" || w == "smell" || w == "sound" || w == "sounds" || w == "texture") && s.low(j+1) == "of" && s.low(j+2) != "the" {
		return j + 2
	}
	if genres[s.low(j)] && (s.low(j+1) == "with" || s.low(j+1) == "by" || s.low(j+1) == "starring") && s.properEnd(j+2) > j+2 {
		return j + 2
	}
	return k
}

// joinedAdjectives takes "quiet, slow films" as one value: the first word is no thing by
// itself. ok is false where such a word stands alone.
func (s *sentenceEn) joinedAdjectives(p nounPhrase) (nounPhrase, bool) {
	if p.end-p.start != 1 || p.named || s.low(p.end) != "," && s.low(p.end) != "and" {
		return p, true
	}
	const nouns = foodWord | edibleWord | musicWord | tuneWord | activityWord | pastimeWord | thingWord | ownWord | goodsWord | petWord | breedWord | eventNoun
	k := p.end + 1
	if s.is(p.start, nouns) && s.low(k) != "more" || s.isGerund(p.start) || s.tok(p.start).upper {
		return p, true
	}
	if s.low(k) == "more" {
		k++
	}
	q, ok := s.phrase(k)
	w := s.low(p.start)
	if !ok || q.definite || q.named || q.end-q.start < 2 || !s.is(q.end-1, nouns) && !adjectival(w) || s.low(p.end) == "and" && !adjectival(w) {
		return p, s.low(p.end) == "and" && !shortAdjectives[w] || !adjectival(w)
	}
	p.end = q.end
	return p, true
}

var shortAdjectives = wordSet("hot cold dry wet warm cool quiet loud slow fast dark bright small large rich spicy sweet sour salty modern simple busy calm soft hard deep light heavy serene scary funny cozy lively")

// adjectival tells whether a word is, or ends like, an adjective.
func adjectival(w string) bool {
	if shortAdjectives[w] {
		return true
	}
	for _, e := range []string{"ic", "ous", "ful", "ive", "able", "ible", "al", "less", "ish", "ant", "ent", "er", "ex"} {
		if len(w) > len(e)+2 && strings.HasSuffix(w, e) {
			return true
		}
	}
	return false
}

// tastedAct reads an activity at token k.
func (s *sentenceEn) tastedAct(k int) (tasteEn, bool) {
	switch s.low(k) {
	case "being", "having", "seeing", "hearing", "talking", "chatting", "getting", "knowing", "working", "using":
		switch {
		case s.low(k) == "being" && s.low(k+1) != "able":
		case s.low(k) == "having":
			if p, ok := s.phrase(k + 1); ok && s.is(p.end-1, activityWord|pastimeWord) && s.low(k+1) != "the" {
				return tasteEn{nounPhrase: nounPhrase{start: p.start, end: p.end, act: true}}, true
			}
			return tasteEn{}, false
		case s.low(k) == "hearing" && s.low(k+1) == "about":
			if p, ok := s.phrase(k + 2); ok && (p.named || s.low(p.end-2) == "'" || s.low(p.end-2) == "'s") {
				return tasteEn{nounPhrase: p}, true
			}
			return tasteEn{}, false
		case s.low(k) == "working" && s.low(k+1) == "out":
		default:
			return tasteEn{}, false
		}
	case "going":
		if s.low(k+1) == "for" || s.low(k+1) == "on" {
			if p, ok := s.phrase(k + 2); ok && s.is(p.end-1, activityWord|pastimeWord|eventNoun) {
				return tasteEn{nounPhrase: nounPhrase{start: p.start, end: p.end, act: true}}, true
			}
		}
	case "playing", "doing":
		// A game and a sport are named by themselves.
		if p, ok := s.phrase(k + 1); ok && !p.definite && s.is(p.end-1, activityWord|pastimeWord) && !stopWords[s.low(k+1)] {
			return tasteEn{nounPhrase: nounPhrase{start: p.start, end: p.end, act: true}}, true
		}
		if p, ok := s.phrase(k + 1); ok && !p.definite && (s.low(p.end-1) == "games" || s.low(p.end-1) == "sports") && p.end-p.start <= 3 {
			return tasteEn{nounPhrase: nounPhrase{start: p.start, end: p.end, act: true}}, true
		}
	}
	p, ok := s.gerund(k)
	return tasteEn{nounPhrase: p}, ok
}

// ofKind reads a name with the word for its sort: "the band Lowtide", "the 'Deep
// Field' podcast", "authors like Lena Roth".
func (s *sentenceEn) ofKind(k int) (tasteEn, bool) {
	j := k
	for s.low(j) == "the" || s.low(j) == "this" || s.low(j) == "a" || s.low(j) == "an" {
		j++
	}
	quote := func(i int) bool {
		w := s.low(i)
		return s.tok(i).kind == punctToken && (w == "\"" || w == "“" || w == "'" || w == "‘" || w == "*" || w == "”")
	}
	// A kind of one or two words: "music genre".
	h := j
	for h < j+3 && !s.is(h, kindWord) && s.tok(h).kind == wordToken && !s.tok(h).upper && !stopWords[s.low(h)] {
		h++
	}
	if s.is(h, kindWord) && !s.tok(h).upper {
		for s.is(h+1, kindWord) && !s.tok(h+1).upper {
			h++
		}
		n := h + 1
		if s.low(n) == "like" || s.low(n) == "called" || s.low(n) == "named" || s.low(n) == ":" {
			n++
		} else if s.low(n) == "such" && s.low(n+1) == "as" {
			n += 2
		}
		quoted := quote(n)
		if quoted {
			n++
		}
		e := s.properEnd(n)
		if m := s.mentionAt(s.tok(n).start); m != nil && m.Start == s.tok(n).start {
			e = s.d.tokenAt(m.End)
		}
		if quoted {
			for q := n; q < min(s.to, n+10); q++ {
				if quote(q) {
					if e = q; e > n && (s.low(e-1) == "," || s.low(e-1) == ".") {
						e--
					}
					break
				}
			}
		}
		if e > n && (j > k || n > h+1) {
			kind := s.kindOf(s.tok(h))
			if w := s.low(h); w == "songs" || w == "song" || w == "band" || w == "genre" || w == "singer" || w == "composer" {
				kind = "prefers_music"
			}
			next := e
			for quote(next) || quoted && (s.low(next) == "." || s.low(next) == ",") && quote(next+1) {
				next++
			}
			if s.low(e) == "'s" {
				return tasteEn{}, false
			}
			return tasteEn{nounPhrase: nounPhrase{start: n, end: e, named: true}, kind: kind, next: next}, true
		}
		return tasteEn{}, false
	}
	// "the 'Deep Field' podcast"
	if quote(j) && j > k {
		if m := s.mentionAt(s.tok(j + 1).start); m != nil && m.Type == typeWork {
			e := s.d.tokenAt(m.End)
			n := e
			if quote(n) {
				n++
			}
			if s.is(n, kindWord) {
				n++
			}
			return tasteEn{nounPhrase: nounPhrase{start: j + 1, end: e, named: true}, next: n}, true
		}
	}
	return tasteEn{}, false
}

// withTail adds to a phrase the words that tell which it is: "music from the
// 1970s", "books on the sea", "songs by Lena Roth".
func (s *sentenceEn) withTail(p nounPhrase) nounPhrase {
	w := s.low(p.end)
	head := s.tok(p.end - 1)
	if (w == "that" || w == "which") && sorts[head.low] && !p.named && s.tok(p.end+1).kind == wordToken && s.tok(p.end+1).class&(detWord|possWord) == 0 && !refused[s.low(p.end+1)] {
		// "books that deal with the sea": the clause is what makes them liked.
		e := s.clauseEnd(p.end + 1)
		if s.low(e) == "and" && e == p.end+4 && s.gapAfter(e+2) {
			e += 2
		}
		for e > p.end+2 && (s.is(e-1, advWord) || s.timeAt(s.tok(e-1).start) != nil) {
			e--
		}
		if e-p.end <= 9 && e > p.end+2 {
			p.end = e
		}
		return p
	}
	if s.low(p.end) == "and" && p.end-p.start >= 3 && s.low(p.end-2) == "about" && genres[s.low(p.end-3)] && !s.isGerund(p.end+1) && s.gapAfter(p.end+2) && s.tok(p.end+1).kind == wordToken && !s.is(p.end+1, detWord|auxWord|advWord|commonWord) {
		p.end += 2 // books about war and peace
		return p
	}
	if p.named && head.upper || head.class&(musicWord|thingWord|foodWord|activityWord) == 0 {
		return p
	}
	switch {
	case w == "from" || w == "by":
		j := p.end + 1
		if s.low(j) == "the" {
			j++
		}
		if e := s.timeAt(s.tok(j).start); e != nil {
			p.end = s.d.tokenAt(e.End)
			return p
		}
		if s.tok(j).kind == numToken && s.low(j+1) == "s" {
			p.end = j + 2
			return p
		}
		if e := s.properEnd(j); e > j {
			p.end = e
		}
	case (w == "about" || w == "on" || w == "with") && genres[head.low]:
		if q, ok := s.phrase(p.end + 1); ok && !q.definite && !s.isGerund(q.start) && q.end-p.start < 9 {
			p.end = q.end
			if s.low(p.end) == "and" && !s.is(p.end+1, detWord|auxWord|advWord) && q.end-q.start == 1 {
				if r, ok := s.phrase(p.end + 1); ok && r.end-r.start == 1 && s.gapAfter(r.end) {
					p.end = r.end
				}
			}
		}
	}
	return p
}

// vagueVerbs say nothing without an object.
var vagueVerbs = wordSet("help share chat talk go do meet try get have make give take use work keep start learn")

// abstract are words for what was just said or shown, not for a thing liked.
var abstract = wordSet("idea ideas suggestion suggestions advice recommendation recommendations plan plans help thought thoughts way ways fact part parts vibe vibes energy attitude approach photo photos picture pictures pic pics question list lists tips tip option options concept look looks sound message support post posts work job design feedback point perspective much lot more less better best spirit enthusiasm challenge challenges time times moment moments feeling feelings person people stuff things thing result results news details opportunity opportunities experience experiences effort efforts guidance insight insights patience kindness thoughtfulness reminder template structure outline format layout mix combination variety flexibility convenience portability ease freedom sense quality balance contrast color colors view views atmosphere ambiance setting conversation discussion suggestion example examples detail process progress change changes")

// listItem tells whether what starts at k can go on a list that p began: not a
// new clause.
func (s *sentenceEn) listItem(k int, p tasteEn) bool {
	act := p.act || s.isGerund(p.start)
	if s.isGerund(k) {
		return act
	}
	t := s.tok(k)
	if t.kind != wordToken || s.is(k, auxWord|detWord|commonWord) && !s.is(k, foodWord|musicWord|activityWord|thingWord|edibleWord) || refused[t.low] || stopWords[t.low] {
		return false
	}
	e := k
	for e < s.to && e < k+4 && s.tok(e).kind == wordToken && !s.is(e, boundaryWord) && !stopWords[s.low(e)] {
		e++
	}
	if act {
		return s.tok(e-1).class&(activityWord|pastimeWord|eventNoun) != 0 && e-k <= 3
	}
	return s.tok(e-1).class&(foodWord|musicWord|activityWord|thingWord|edibleWord|tuneWord|pastimeWord) != 0 || s.properEnd(k) > k
}
