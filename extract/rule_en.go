package extract

import (
	"slices"
	"strings"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/phrase"
)

// ruleText is an English sentence as the patterns see it: places are tokens.
type ruleText struct {
	*sentenceEn
	r *rule
}

// Word gives the token after a word; adverbs before it do not count, nor do marks of
// quotation.
func (t *ruleText) Word(w string, at int, first bool) int {
	for n := 0; n < 3; n++ {
		if at >= t.to {
			return -1
		}
		if t.low(at) == w {
			return at + 1
		}
		if first || t.r.change == dsl.Correct && t.low(at) == "now" || !t.adverb(at) && t.low(at) != "also" && t.low(at) != "just" {
			return -1
		}
		at++
	}
	return -1
}

// Skip gives the token after a word.
func (t *ruleText) Skip(at int) int {
	if at >= t.to || t.tok(at).kind == punctToken && t.low(at) != "-" && t.low(at) != "'" {
		return -1
	}
	return at + 1
}

// Starts tells whether nothing but words that lead in stands before a token in its
// clause.
func (t *ruleText) Starts(at int) bool {
	for k := at - 1; k >= t.from; k-- {
		if t.tok(k).kind == punctToken || t.is(k, boundaryWord) {
			return true
		}
		if !t.is(k, leadWord|advWord) || at-k > 4 {
			return false
		}
	}
	return true
}

// Ends tells whether the clause ends at a token, times and words of manner aside.
func (t *ruleText) Ends(at int) bool {
	for n := 0; n < 6; n++ {
		x := t.tok(at)
		if x.low == "originally" {
			return false
		}
		if at >= t.to || x.kind == punctToken || t.is(at, boundaryWord) {
			return true
		}
		if e := t.timeAt(x.start); e != nil {
			at = max(at+1, t.d.tokenAt(e.End))
			continue
		}
		switch x.low {
		case "too", "now", "anymore", "lately", "recently", "these", "days", "right", "all", "at", "in", "on", "for", "since", "with", "from", "so", "though", "ago", "when", "who", "that", "which", "if", "during", "while", "after", "before", "until", "by":
			if x.low == "days" || x.low == "these" || x.low == "right" || x.low == "ago" || x.low == "all" {
				at++
				continue
			}
			return true
		}
		if !t.adverb(at) {
			return false
		}
		at++
	}
	return false
}

// Values offers what a slot may take at a token.
func (t *ruleText) Values(slot phrase.Slot, at int, first bool, ends []int) []int {
	if at >= t.to {
		return ends
	}
	if slot.Name == "src" && t.r.kindOf(slot) == "src" {
		if _, end, ok := t.who(at, first); ok {
			ends = append(ends, end)
		}
		return ends
	}
	for n := 0; n < 2 && !first && t.adverb(at) && t.mentionAt(t.tok(at).start) == nil; n++ {
		at++
	}
	kind := t.r.kindOf(slot)
	a, b, ok := t.value(kind, at)
	if ok {
		ends = append(ends, b)
	}
	// "a jazz fan": the fan is no part of it.
	if ok && kind == "liked" && b-a > 1 {
		ends = append(ends, b-1)
	}
	// "my milk allergy", where the allergy is the pattern's.
	for n := b - 1; ok && kind == "any" && n > a; n-- {
		ends = append(ends, n)
	}
	return ends
}

// who reads whom a slot is about; the token after it.
func (t *ruleText) who(at int, first bool) (subjectEn, int, bool) {
	switch w := t.low(at); w {
	case "me", "us", "myself":
		if first {
			return subjectEn{}, 0, false
		}
		return subjectEn{t.d.Speaker, at, at + 1, true, false}, at + 1, true
	case "our":
		if k, kin, name, next := t.kinAt(at); k > 0 && t.low(next) != "'s" {
			if name == "" {
				name = t.d.Speaker + "/" + kin
			}
			return subjectEn{name, at, next, false, false}, next, true
		}
		return subjectEn{}, 0, false
	}
	sub, ok := t.subject(at)
	if !ok {
		return sub, 0, false
	}
	if sub.listener && t.r.rel != "lives_in" && t.r.rel != "works_at" && t.r.rel != "studies_at" {
		return sub, 0, false
	}
	return sub, sub.verb, true
}

// value reads a value of a kind at a token: tokens [a, b).
func (t *ruleText) value(kind string, k int) (a, b int, ok bool) {
	switch kind {
	case "place":
		a, b, ok = t.placeAt(k)
	case "org":
		a, b, _, ok = t.employer(k)
	case "school", "campus":
		a, b, _, ok = t.employer(k)
		// "a local school" is none; a campus is known by its name.
		ok = ok && t.tok(a).upper && (kind == "school" || t.isSchool(a, b))
	case "role":
		if t.is(k, detWord) && t.low(k) != "my" {
			k++
		}
		var p nounPhrase
		p, ok = t.rolePhrase(k)
		a, b = p.start, p.end
	case "name", "kin", "person":
		if kind == "kin" {
			b = k
			for n := 0; n < 2 && kinAdjectives[t.low(b)]; n++ {
				b++
			}
			c := kinWord | petWord
			if t.low(k-1) == "a" || t.low(k-1) == "an" {
				c = kinWord // "a dog named Toby" is a thing that one has
			}
			return b, b + 1, t.is(b, c) && !t.tok(b).upper
		}
		for t.low(k) == "dr" || t.low(k) == "mr" || t.low(k) == "mrs" || t.low(k) == "ms" || t.low(k) == "." {
			k++
		}
		if t.r.rel == "related_to" {
			m := t.mentionAt(t.tok(k).start)
			unknown := m == nil && t.tok(k).class == 0 && t.tok(k).upper && (t.is(k-1, kinWord|petWord) || t.is(k-2, kinWord|petWord))
			if !unknown && (m == nil || m.Type != typePerson || m.Start != t.tok(k).start) || strings.EqualFold(t.low(k), t.d.Listener) {
				return 0, 0, false
			}
		}
		a, b = k, t.properEnd(k)
		ok = b > a && t.tok(a).upper && !t.is(a, commonWord) && b-a <= 3
		if m := t.mentionAt(t.tok(k).start); ok && m != nil && m.Type != typePerson && m.Type != "" && t.r.rel == "name" && b-a > 1 {
			ok = false
		}
	case "owned":
		for t.low(k) == "my" || t.low(k) == "our" {
			k++
		}
		var p thingEn
		p, ok = t.thing(k, lastingHead)
		for ok && t.r.change == dsl.End && p.start < p.end-1 && t.low(p.start) == "old" {
			p.start++
		}
		a, b, ok = p.start, p.end, ok && (p.head || p.product)
	case "used":
		for t.is(k, possWord) || t.low(k) == "a" || t.low(k) == "an" || t.low(k) == "the" {
			k++
		}
		var p thingEn
		p, ok = t.usedThing(k)
		a, b = p.start, p.end
		if !ok {
			ok = t.usedStuff(p, k) && p.end > p.start
		}
	case "app":
		for t.is(k, possWord) || t.low(k) == "a" || t.low(k) == "an" || t.low(k) == "the" {
			k++
		}
		var p thingEn
		p, ok = t.usedThing(k)
		a, b, ok = p.start, p.end, ok && (p.product || t.is(p.end-1, platformWord|toolWord))
		// "my Hulu subscription" is Hulu.
		for ok && b-a > 1 && accountWords[t.low(b-1)] {
			b--
		}
	case "platform":
		m := t.mentionAt(t.tok(k).start)
		a, b = k, k+1
		if m != nil && m.Start == t.tok(k).start {
			b = t.d.tokenAt(m.End)
		}
		ok = t.tok(k).upper && (t.is(k, platformWord) || m != nil && m.Type == typeOrg && platforms[t.low(k)]) && t.low(b) != "'s"
	case "method":
		var p nounPhrase
		p, ok = t.phrase(k)
		a, b = p.start, p.end
		ok = ok && b-a >= 2 && b-a <= 5 && t.is(b-1, toolWord) && !fleeting[t.low(b-1)]
	case "work":
		m := t.mentionAt(t.tok(k).start)
		for n := 0; n < 2 && m == nil && (t.tok(k).kind == punctToken || t.is(k, detWord)); n++ {
			k++
			m = t.mentionAt(t.tok(k).start)
		}
		if m == nil || m.Type != typeWork || m.Start != t.tok(k).start {
			return 0, 0, false
		}
		a, b, ok = k, t.d.tokenAt(m.End), true
		for t.tok(b).kind == punctToken && (t.low(b) == "\"" || t.low(b) == "”" || t.low(b) == "'" || t.low(b) == "*") {
			b++
		}
	case "liked":
		var p tasteEn
		p, ok = t.tasted(k)
		if !ok && (t.low(k) == "my" || t.low(k) == "our") {
			return 0, 0, false
		}
		a, b = p.start, p.end
	case "time":
		switch t.low(k) {
		case "on", "in", "at", "for", "to":
			k++
		}
		if t.low(k) == "the" {
			k++
		}
		e := t.timeAt(t.tok(k).start)
		if e == nil || !e.OnCalendar() || !e.To.After(t.d.Local) {
			return 0, 0, false
		}
		a, b, ok = k, t.d.tokenAt(e.End), true
	case "email", "phone":
		typ := map[string]string{"email": typeEmail, "phone": typePhone}[kind]
		for n := 0; n < 3 && t.tok(k).kind == punctToken && t.mentionAt(t.tok(k).start) == nil; n++ {
			k++
		}
		m := t.mentionAt(t.tok(k).start)
		if m == nil || m.Type != typ || m.Start != t.tok(k).start {
			return 0, 0, false
		}
		a, b, ok = k, t.d.tokenAt(m.End), true
	case "event":
		return t.event(k)
	default:
		if e := t.properEnd(k); e > k && !t.is(k, commonWord) {
			return k, e, true
		}
		var p nounPhrase
		p, ok = t.phrase(k)
		a, b = p.start, p.end
	}
	return a, b, ok && b > a && b <= t.to
}

// event reads an event of the lists at token k: its head, "graduation party", and with
// what or whom.
func (t *ruleText) event(k int) (a, b int, ok bool) {
	for n := 0; n < 3 && (t.is(k, detWord|evaluativeWord) || t.low(k) == "upcoming"); n++ {
		k++
	}
	if t.is(k, kinWord) && t.low(k+1) == "'s" {
		k += 2
	}
	for b = k; b < min(t.to, k+5); b++ {
		x := t.tok(b)
		if x.kind != wordToken && x.low != "-" || stopWords[x.low] || t.is(b, possWord|auxWord) {
			break
		}
		if t.is(b, eventNoun|occasionWord) || x.low == "call" {
			ok = true
			break
		}
	}
	if !ok {
		return 0, 0, false
	}
	for b++; t.is(b, eventNoun|occasionWord) && !t.tok(b).upper; b++ {
	}
	if w := t.low(b); (w == "to" || w == "with" || w == "for") && t.tok(b+1).upper {
		if e := t.properEnd(b + 1); e > b+1 {
			b = e
		}
	}
	return k, b, true
}

// platforms are services that the entity rules know as organisations and the word lists
// do not have.
var platforms = wordSet("google apple microsoft amazon")

// accountWords stand after the name of a service.
var accountWords = wordSet("account subscription membership plan trial app profile")

// phrases runs the patterns of the lists and of the configuration over the sentence.
func (s *sentenceEn) phrases() {
	s.ruled(rulesEn)
	if own := s.d.Registry.rules["en"]; own != nil {
		s.ruled(own)
	}
}

// ruled runs a set of rules.
func (s *sentenceEn) ruled(all *rules) {
	n := 0
	for k := s.from; k < min(s.to, s.hypothesis) && n < 64; k++ {
		t := s.tok(k)
		if !t.cue && all == rulesEn || t.kind == hanToken {
			continue
		}
		for _, r := range all.byCue[t.low] {
			n++
			s.tryRule(r, k)
		}
	}
}

// tryRule looks for a match of the rule that holds the cue at token k.
func (s *sentenceEn) tryRule(r *rule, k int) {
	t := &ruleText{s, r}
	words, listed := r.pattern.Opens()
	for i := max(s.from, k-maxRuleLead); i <= k; i++ {
		x := s.tok(i)
		if x.kind == punctToken || listed && !slices.Contains(words, x.low) || r.src == 0 && !r.eventful && r.pattern.SlotFirst() && !mayBeSubject(x) || s.d.quoted(x.start) {
			continue
		}
		end, ok := s.matcher.Match(r.pattern, t, i)
		if !ok || end <= k || !r.anywhere && !s.opens(i) {
			continue
		}
		s.say(r, t, i, end)
		return
	}
}

// mayBeSubject tells whether a subject of a pattern may start with a token.
func mayBeSubject(t *token) bool {
	switch t.low {
	case "i", "we", "you", "he", "she", "my", "our":
		return true
	}
	return t.upper
}

// maxRuleLead bounds how many tokens may stand between the start of a match and its
// cue.
const maxRuleLead = 14

// say emits what a match of the rule in tokens [i, end) says.
func (s *sentenceEn) say(r *rule, t *ruleText, i, end int) {
	sub := subjectEn{s.d.Speaker, i, min(i+1, s.to), true, false}
	if r.src >= 0 {
		a, b := s.matcher.Value(r.src)
		if kind := r.kindOf(r.pattern.Slots()[r.src]); kind == "event" {
			x, y, _ := t.value(kind, a)
			sub = subjectEn{s.text(x, y), a, b, false, false}
		} else if who, _, ok := t.who(a, a == i); ok {
			sub.name, sub.self = who.name, who.self
		}
	}
	from := sub.verb
	if r.src == 0 {
		_, from = s.matcher.Value(r.src)
	}
	g, ok := s.group(min(from, s.to-1))
	if !ok || g.verb >= s.to {
		g = verbGroup{verb: min(from, s.to-1)}
	}
	if g.modal && r.change == dsl.Assert && r.src == 0 {
		return
	}
	s.sayValue(r, t, sub, g, i, end)
}

// sayValue emits the value of a match.
func (s *sentenceEn) sayValue(r *rule, t *ruleText, sub subjectEn, g verbGroup, i, end int) {
	var v validity
	switch {
	case r.change == dsl.End:
		v = s.ended(sub, g)
	case r.began:
		v = s.began(sub, g)
	case r.what != "time" && r.rel != "located_at":
		v = s.stated(sub, g)
	}
	c := claim{src: sub.name, rel: r.rel, change: r.change, negative: r.negative, valid: v, confidence: r.confidence, rule: r.id}
	c.start, c.end = s.span(i, max(i+1, min(end, s.to)))
	if r.change == dsl.Assert {
		c.change = s.mood()
	}
	if r.dst < 0 { // an event that will not be
		c.dst, c.valid = Past, validity{}
		s.emit(c)
		return
	}
	at, _ := s.matcher.Value(r.dst)
	if r.old >= 0 && r.change == dsl.Correct {
		a, _ := s.matcher.Value(r.old)
		if x, y, ok := t.value(r.kindOf(r.pattern.Slots()[r.old]), a); ok {
			c.corrects = s.oldText(r, x, y)
		}
	}
	if r.kin >= 0 {
		a, b := s.matcher.Value(r.kin)
		if x, y, ok := t.value("kin", a); ok {
			a, b = x, y
		}
		switch kin := s.text(a, b); {
		case r.rel == "related_to":
			c.relation = kin
		case r.src < 0 && r.rel != "owns":
			c.src = s.d.Speaker + "/" + kin
		}
	}
	kind := r.kindOf(r.pattern.Slots()[r.dst])
	if kind == "liked" {
		s.sayLiked(r, c, sub, at, end)
		return
	}
	for n := 0; n < 6; n++ {
		a, b, ok := t.value(kind, at)
		if !ok {
			return
		}
		if _, e := s.matcher.Value(r.dst); n == 0 && e > a {
			b = min(b, e)
		}
		if kind == "owned" && c.change != dsl.End && s.low(b) == "for" && (s.is(b+1, possWord) || s.low(b+1) == "you" || s.tok(b+1).upper) && s.low(b+2) != "birthday" {
			return // a present
		}
		c.dst = s.oldText(r, a, b)
		s.emit(c)
		if r.rel == "name" && strings.Contains(c.src, "/") && c.change != dsl.End && !c.negative {
			k := c
			k.src, k.relation, _ = strings.Cut(c.src, "/")
			k.rel = "related_to"
			s.emit(k)
		}
		// More of a list, where the value is the last of the pattern.
		if b < end || kind != "owned" && kind != "used" && kind != "app" && kind != "platform" {
			return
		}
		if s.low(b) == "," && s.low(b+1) == "and" {
			b++
		}
		if w := s.low(b); w != "," && w != "and" && w != "&" {
			return
		}
		at = b + 1
	}
}

// oldText gives the text of a value: for a time its TIMEX3 value.
func (s *sentenceEn) oldText(r *rule, a, b int) string {
	if r.what == "time" {
		if e := s.timeAt(s.tok(a).start); e != nil {
			return e.Value
		}
	}
	return trimQuotes(s.text(a, b))
}

// sayLiked emits a taste.
func (s *sentenceEn) sayLiked(r *rule, c claim, sub subjectEn, at, end int) {
	p, ok := s.tasted(at)
	if !ok {
		return
	}
	if _, b := s.matcher.Value(r.dst); b == p.end-1 {
		p.end, p.next = b, b
	}
	if r.change == dsl.End || r.change == dsl.Correct {
		c.dst = trimQuotes(s.value(p.nounPhrase))
		if c.rel == "likes" {
			if c.rel = s.likedAs(p.nounPhrase); c.rel == "likes" && p.kind != "" {
				c.rel = p.kind
			}
		}
		s.emit(c)
		s.liked, s.likedRel = c.dst, c.rel
		if r.change == dsl.End {
			s.likedRel += "/end"
		}
		return
	}
	sub.start = min(sub.start, at)
	if p.end >= end {
		s.taste(sub, verbGroup{verb: max(s.from, at-1), perfect: true, be: true}, at, r.rel, r.negative)
		return
	}
	n := len(s.out)
	s.emitTaste(sub, p, r.rel, false, r.negative)
	if strings.HasPrefix(r.rel, "prefers_") {
		for i := n; i < len(s.out); i++ {
			s.out[i].Rel = s.d.Registry.Canonical(r.rel)
		}
	}
}
