package extract

import "strings"

// leanings are the words after "am" by which one likes something, with the
// preposition that goes with them.
var leanings = map[string]string{
	"into": "", "fond": "of", "passionate": "about", "obsessed": "with", "fascinated": "by", "interested": "in", "drawn": "to",
	"crazy": "about", "keen": "on", "partial": "to", "addicted": "to", "hooked": "on", "enamored": "with", "captivated": "by",
	"mad": "about", "nuts": "about", "big": "on", "huge": "on", "all": "about", "leaning": "towards", "gravitating": "towards", "gravitate": "towards",
}

// leaning: "am into X", "am fond of X", "am all about X".
func (s *sentenceEn) leaning(sub subjectEn, g verbGroup, w string) {
	k := g.verb + 1
	if s.low(k) == "more" {
		k++ // "drawn more to"
	}
	if want := leanings[w]; want != "" {
		if x := s.low(k); x != want && !(want == "towards" && (x == "toward" || x == "to")) && !(want == "on" && x == "about") && !(w == "fascinated" && x == "with") {
			return
		}
		k++
	}
	// "interested in learning more" is a request.
	if s.isGerund(k) && (w == "interested" || w == "keen" || w == "leaning" || w == "big") {
		return
	}
	if w == "drawn" && s.past(g) && !g.used && !g.perfect {
		return
	}
	// A choice among what was offered is no taste.
	if (w == "leaning" || w == "gravitating") && !strings.HasSuffix(s.likedRel, "/end") {
		return
	}
	if w == "interested" && !s.interest(g, k) {
		return
	}
	if w == "into" && !g.be {
		return
	}
	if w == "all" && (s.low(k) == "this" || s.low(k) == "these") && s.is(k+1, foodWord|edibleWord) {
		k++
	}
	s.taste(sub, g, k, "likes", g.neg)
}

// interest tells whether "interested in" at hand tells a taste and does not ask
// for more about what was offered.
func (s *sentenceEn) interest(g verbGroup, k int) bool {
	if g.perfect || g.used {
		return true
	}
	if s.past(g) {
		return false
	}
	switch s.low(g.verb - 1) {
	case "more", "particularly", "mostly", "still", "also", "mainly", "especially":
		return false
	}
	p, ok := s.phrase(k)
	return ok && !p.definite && !p.named && s.low(k) != "a" && s.low(k) != "an" && s.is(p.start, thingWord|activityWord|musicWord|pastimeWord)
}

// likes reads the verbs and turns by which one likes and dislikes. It reports
// whether w is one of them.
func (s *sentenceEn) likes(sub subjectEn, g verbGroup, w string) bool {
	k := g.verb + 1
	switch w {
	case "like", "likes", "love", "loves", "enjoy", "enjoys", "adore", "adores", "prefer", "prefers", "enjoying", "loving", "liking", "preferring", "liked", "loved", "enjoyed", "adored", "preferred":
		if g.be && (w == "like" || w == "likes") {
			return true
		}
		s.taste(sub, g, k, "likes", g.neg)
	case "appreciate", "appreciating", "appreciates":
		// "appreciate your help" is a courtesy.
		if s.isGerund(k) || helping[s.low(g.verb-2)] || s.properEnd(k) > k && s.mentionAt(s.tok(k).start) != nil {
			s.taste(sub, g, k, "likes", g.neg)
		}
	case "hate", "hates", "dislike", "dislikes", "detest", "detests", "despise", "despises", "loathe", "loathes", "disliked", "hated", "disliking":
		if !g.neg {
			s.taste(sub, g, k, "dislikes", false)
		}
	case "into", "fond", "passionate", "obsessed", "fascinated", "interested", "drawn", "crazy", "keen", "partial", "addicted", "hooked", "enamored", "captivated", "mad", "nuts", "big", "huge", "all", "leaning", "gravitating":
		if g.be {
			s.leaning(sub, g, w)
		}
	case "gravitate":
		s.leaning(sub, g, w)
	case "fell", "fallen":
		switch {
		case s.low(k) == "in" && s.low(k+1) == "love" && s.low(k+2) == "with":
			if w := s.low(k + 3); w != "a" && w != "an" && w != "this" {
				g.past = false
				s.taste(sub, g, k+3, "likes", g.neg)
			}
		case s.low(k) == "out" && s.low(k+1) == "of" && s.low(k+2) == "love" && s.low(k+3) == "with":
			s.turned(sub, g, k+4)
		}
	case "gotten", "got":
		if s.low(k) != "into" && !(s.is(k, advWord) && s.low(k+1) == "into") {
			return false
		}
		if s.low(k) != "into" {
			k++
		}
		g.past = false
		s.taste(sub, g, k+1, "likes", g.neg)
	case "gone", "went":
		if s.low(k) != "off" {
			return false
		}
		s.turned(sub, g, k+1)
	case "outgrown", "outgrew":
		s.turned(sub, g, k)
	case "tired", "sick", "bored", "over", "done":
		if !g.be || sub.listener {
			return true
		}
		if x := s.low(k); x == "of" || x == "with" {
			k++
		} else if w != "over" {
			return true
		}
		s.turned(sub, g, k)
	case "avoid", "avoiding", "avoids":
		if !g.neg && !g.past && (s.isGenre(k) || s.properEnd(k) > k) {
			s.taste(sub, g, k, "dislikes", false)
		}
	default:
		return false
	}
	return true
}

// isGenre tells whether a phrase at k starts with a word for works of a kind:
// "avoid movies with X" speaks of X.
func (s *sentenceEn) isGenre(k int) bool {
	return genres[s.low(k)] && (s.low(k+1) == "with" || s.low(k+1) == "by")
}

// turned reads that a like is over: "have gone off X", "am tired of X".
func (s *sentenceEn) turned(sub subjectEn, g verbGroup, k int) {
	if g.neg || g.did {
		return
	}
	g.noLonger = true
	s.taste(sub, g, k, "likes", false)
}

// has reads the likes that "have" tells: "have a passion for X".
func (s *sentenceEn) has(sub subjectEn, g verbGroup) bool {
	k := g.verb + 1
	if w := s.low(k); w != "a" && w != "an" {
		if s.low(k) == "no" && s.low(k+1) == "interest" && s.low(k+2) == "in" {
			s.taste(sub, g, k+3, "dislikes", false)
			return true
		}
		return false
	}
	for k++; s.is(k, advWord|evaluativeWord) || s.low(k) == "huge" || s.low(k) == "real" || s.low(k) == "deep" || s.low(k) == "strong" || s.low(k) == "soft" || s.low(k) == "sweet"; k++ {
	}
	rel := "likes"
	switch s.low(k) {
	case "passion", "love", "thing", "weakness", "fondness", "spot", "liking", "preference", "taste":
		if s.low(k+1) != "for" {
			return false
		}
	case "tooth":
		return false
	case "fear", "phobia":
		return false
	case "dislike", "aversion", "hatred":
		rel = "dislikes"
		if x := s.low(k + 1); x != "for" && x != "of" && x != "to" {
			return false
		}
	case "interest":
		if s.low(k+1) != "in" {
			return false
		}
	default:
		return false
	}
	if g.past && !g.perfect && !g.used {
		return true
	}
	s.taste(sub, g, k+2, rel, g.neg)
	return true
}

// stopped: "stopped using X", "quit my job at X", "stopped liking X".
func (s *sentenceEn) stopped(sub subjectEn, g verbGroup, w string) {
	if w == "quit" {
		s.quit(sub, g)
	}
	if g.neg || g.did {
		return
	}
	x := s.low(g.verb + 1)
	switch x {
	case "liking", "loving", "enjoying":
		g.noLonger = true
		s.taste(sub, g, g.verb+2, "likes", false)
	case "working":
		g.noLonger, g.verb = true, g.verb+1
		s.works(sub, g)
	case "using":
		g.noLonger, g.verb = true, g.verb+1
		s.uses(sub, g)
	case "living":
		g.noLonger, g.verb = true, g.verb+1
		s.lives(sub, g)
	case "studying", "attending":
		g.noLonger, g.verb = true, g.verb+1
		s.studies(sub, g)
	default:
		if p, ok := s.tasted(g.verb + 1); ok && s.isGerund(p.start) && s.is(p.end-1, activityWord|pastimeWord|musicWord) && !p.act {
			s.emitHabitEnd(sub, p)
		}
	}
}

// givenUp: "gave up coffee", "gave up on Notion".
func (s *sentenceEn) givenUp(sub subjectEn, g verbGroup, k int) {
	if g.neg || g.did {
		return
	}
	if s.low(k) == "on" {
		k++
	}
	if s.low(k) == "being" {
		s.roleOver(sub, g, k+1)
		return
	}
	if p, ok := s.usedThing(k); ok && p.product {
		s.place(sub, verbGroup{verb: g.verb, noLonger: true}, "uses", p.start, p.end, likely, s.ended(sub, g))
		return
	}
	if p, ok := s.tasted(k); ok && !p.definite && (s.isGerund(p.start) || s.is(p.end-1, foodWord|edibleWord|activityWord|pastimeWord)) {
		s.emitHabitEnd(sub, p)
	}
}

// cancelled: "cancelled my Netflix subscription", "deleted Instagram".
func (s *sentenceEn) cancelled(sub subjectEn, g verbGroup) {
	if g.neg || g.did || g.used {
		return
	}
	k := g.verb + 1
	own := s.is(k, possWord) || s.low(k) == "the"
	if own {
		k++
	}
	e := s.properEnd(k)
	if e == k || s.is(k, commonWord) {
		return
	}
	w := s.low(e)
	if own && w != "subscription" && w != "membership" && w != "account" && w != "app" || !own && !s.is(k, platformWord) {
		return
	}
	s.place(sub, verbGroup{verb: g.verb, noLonger: true}, "uses", k, e, likely, s.ended(sub, g))
}

// favourite: "my favorite food is sushi", "one of my favorite bands is X".
func (s *sentenceEn) favourite(i int) {
	p, ok := s.phrase(i + 2)
	head := s.tok(p.end - 1)
	if !ok && (s.low(i+2) == "is" || s.low(i+2) == "are") {
		p, head = nounPhrase{start: i + 2, end: i + 2}, &noToken // "my favorite is X"
	} else if !ok {
		return
	}
	k := p.end
	for n := 0; n < 8 && (s.low(k) == "of" || s.low(k) == "in" || s.low(k) == "to" || s.timeAt(s.tok(k).start) != nil || n > 0 && s.low(k) != "is" && s.low(k) != "are" && s.tok(k).kind == wordToken); n++ {
		k++ // "my favorite way to relax is …"
	}
	if w := s.low(k); w != "is" && w != "are" && w != "'s" || s.low(k+1) == "not" || s.low(k+1) == "n't" {
		if genres[head.low] && strings.HasSuffix(head.low, "s") && p.end-p.start == 2 && !s.tok(p.start).upper && s.gapAfter(p.end) && s.low(i-1) != "of" && s.low(p.end) != "from" {
			// "a shelf of my favorite fantasy novels"
			a, b := s.span(i, p.end)
			s.emit(claim{src: s.d.Speaker, rel: s.likedAs(p), dst: s.value(p), start: a, end: b, confidence: weak})
			return
		}
		s.favouriteBefore(i, p)
		return
	}
	isAt := k
	k++
	for s.is(k, advWord) || s.low(k) == "this" {
		k++
	}
	q, ok := s.tasted(k)
	if !ok {
		return
	}
	if k > isAt+1 && s.low(k-1) == "this" && s.is(q.end-1, commonWord) {
		return
	}
	rel := s.likedAs(q.nounPhrase)
	if rel == "likes" {
		rel = s.kindOf(head)
	}
	for n := 0; n < 5; n++ {
		a, b := s.span(i, q.end)
		s.emit(claim{src: s.d.Speaker, rel: rel, dst: s.value(q.nounPhrase), start: a, end: b, change: s.mood(), confidence: sure})
		s.liked, s.likedRel = s.value(q.nounPhrase), rel
		k = q.resume()
		if s.low(k) == "," && s.low(k+1) == "and" {
			k++
		}
		if w := s.low(k); w != "," && w != "and" {
			return
		}
		if k++; !s.listItem(k, q) && s.properEnd(k) == k {
			return
		}
		if q, ok = s.tasted(k); !ok {
			return
		}
	}
}

// favouriteBefore: "sushi is my favorite (food)", "X, my favorite band".
func (s *sentenceEn) favouriteBefore(i int, p nounPhrase) {
	v := i - 1
	for s.is(v, advWord) || s.low(v) == "of" || s.low(v) == "one" || s.low(v) == "definitely" {
		v--
	}
	if w := s.low(v); w != "is" && w != "are" && w != "'s" && w != "," {
		return
	}
	// The phrase before: back to the clause's start.
	a := v
	for a > s.from && v-a < 7 {
		t := s.tok(a - 1)
		if t.kind == punctToken && !(t.low == "-" && !t.space) && t.low != "'" || s.is(a-1, boundaryWord) {
			break
		}
		a--
	}
	for s.is(a, leadWord|advWord) && a < v {
		a++
	}
	q, ok := s.tasted(a)
	if !ok || q.end != v || s.low(v) == "," && !q.named {
		return
	}
	rel := s.likedAs(q.nounPhrase)
	if rel == "likes" && p.end > p.start {
		rel = s.kindOf(s.tok(p.end - 1))
	}
	x, y := s.span(q.start, max(p.end, i+2))
	s.emit(claim{src: s.d.Speaker, rel: rel, dst: s.value(q.nounPhrase), start: x, end: y, change: s.mood(), confidence: sure})
}

// kindOf gives the relation of a favourite by the word for its kind.
func (s *sentenceEn) kindOf(head *token) string { return kindOfWord(head) }

func kindOfWord(head *token) string {
	switch w := head.low; {
	case head.class&musicWord != 0 || w == "artist" || w == "artists" || w == "genre" || w == "singers" || w == "composer" || w == "musician":
		return "prefers_music"
	case w == "movie" || w == "book" || w == "show" || w == "film":
		return "likes"
	case head.class&(foodWord|edibleWord) != 0 || w == "meal" || w == "drink" || w == "drinks" || w == "recipe" || w == "flavor" || w == "ingredient":
		return "prefers_food"
	case w == "hobby" || w == "hobbies" || w == "sport" || w == "activity" || w == "activities" || w == "pastime" || w == "exercise" || w == "workout" || head.class&(activityWord|pastimeWord) != 0:
		return "prefers_activity"
	}
	return "likes"
}

// notMyThing: "X is not my cup of tea", "it's just not my thing", "jazz doesn't
// click with me". i is the token "my" or "for".
func (s *sentenceEn) notMyThing(i int) {
	w := s.low(i + 1)
	switch {
	case w == "thing", w == "jam", w == "style", w == "cup" && s.low(i+2) == "of" && s.low(i+3) == "tea":
	default:
		return
	}
	denied, is := false, -1
	for k := i - 1; k >= max(s.from, i-6); k-- {
		x := s.low(k)
		if x == "not" || x == "n't" || x == "never" {
			denied = true
		}
		if x == "is" || x == "are" || x == "'s" || x == "'re" {
			is = k
			break
		}
		if !s.is(k, advWord|negWord) && x != "quite" && x != "been" {
			return
		}
	}
	if is < 0 {
		return
	}
	rel := "likes"
	if denied {
		rel = "dislikes"
	}
	if !denied && w != "thing" && w != "jam" {
		return
	}
	c := claim{src: s.d.Speaker, change: s.mood(), confidence: likely}
	if x := s.low(is - 1); x == "it" || x == "they" || x == "that" {
		if s.liked == "" || !denied {
			return
		}
		c.rel, c.dst = rel, s.liked
		c.start, c.end = s.span(is-1, i+2)
		s.emit(c)
		return
	}
	for is > s.from+1 && s.is(is-1, advWord) {
		is--
	}
	a := is
	for a > s.from && is-a < 6 && s.tok(a-1).kind != punctToken && !s.is(a-1, boundaryWord) {
		a--
	}
	q, ok := s.tasted(a)
	if !ok || q.end != is {
		return
	}
	if c.rel = rel; rel == "likes" {
		c.rel = s.likedAs(q.nounPhrase)
	}
	c.dst = s.value(q.nounPhrase)
	c.start, c.end = s.span(q.start, i+2)
	s.emit(c)
}

// fondness reads "my love for X", "our shared passion for X", "my dancing
// passion"; i is the token "my" or "our".
func (s *sentenceEn) fondness(i int) {
	k := i + 1
	for n := 0; n < 3 && s.tok(k).kind == wordToken && !fondWords[s.low(k)]; n++ {
		k++
	}
	if !fondWords[s.low(k)] {
		return
	}
	for j := max(s.from, i-4); j < i; j++ {
		if w := s.low(j); w == "lost" || w == "not" || w == "n't" {
			return
		}
	}
	sub := subjectEn{s.d.Speaker, i, k, true, false}
	g := verbGroup{verb: k}
	if w := s.low(k + 1); w == "for" || w == "of" {
		if p, ok := s.tasted(k + 2); ok && s.faded(p.resume()) {
			s.emitTaste(sub, p, "likes", true, false)
			return
		}
		if p, ok := s.tasted(k + 2); ok {
			s.emitTaste(sub, p, "likes", false, false)
			if s.low(p.resume()) == "and" && s.listItem(p.resume()+1, p) {
				if q, ok := s.tasted(p.resume() + 1); ok {
					s.emitTaste(sub, q, "likes", false, false)
				}
			}
		}
		return
	}
	if s.low(k) == "passion" && k == i+2 && s.isGerund(i+1) && s.low(k+1) != "project" {
		s.place(sub, g, "prefers_activity", i+1, i+2, likely, validity{})
	}
}

// faded reads "is gone", "has faded" at token k.
func (s *sentenceEn) faded(k int) bool {
	n := k
	for n < k+4 && s.is(n, auxWord|advWord) {
		n++
	}
	switch s.low(n) {
	case "gone", "over", "faded", "died", "vanished", "cooled", "fizzled", "dead", "disappeared":
		return n > k && !s.is(n-1, negWord)
	}
	return false
}

var fondWords = wordSet("love passion fondness enthusiasm obsession fascination")

// tasteMoved reads "my music tastes have shifted towards X": what one likes now.
func (s *sentenceEn) tasteMoved(i int) {
	k := i + 1
	for n := 0; n < 3 && s.low(k) != "taste" && s.low(k) != "tastes" && s.low(k) != "preferences" && s.low(k) != "preference"; n++ {
		k++
	}
	if w := s.low(k); w != "taste" && w != "tastes" && w != "preferences" && w != "preference" {
		return
	}
	music := s.low(k-1) == "music" || s.low(k-1) == "musical" || s.low(k+1) == "in" && s.low(k+2) == "music"
	if s.low(k+1) == "in" {
		k += 2
	}
	g, ok := s.group(k + 1)
	if !ok || g.neg || g.modal {
		return
	}
	switch s.low(g.verb) {
	case "shifted", "moved", "changed", "turned", "drifted", "leaned":
	default:
		return
	}
	k = g.verb + 1
	for s.is(k, advWord) || s.low(k) == "more" {
		k++
	}
	if w := s.low(k); w != "towards" && w != "toward" && w != "to" {
		return
	}
	p, ok := s.tasted(k + 1)
	if !ok {
		return
	}
	if q, ok := s.phrase(p.end + 1); ok && p.end-p.start == 1 && s.low(p.end) == "and" && s.is(q.end-1, musicWord) && s.is(p.start, musicWord) {
		p.end = q.end // indie and alternative rock
	}
	if music {
		p.kind = "prefers_music"
	}
	s.emitTaste(subjectEn{s.d.Speaker, i, k, true, false}, p, "likes", false, false)
}

// trimQuotes drops the marks around a title.
func trimQuotes(v string) string { return strings.Trim(v, "\"“”'‘’*") }
