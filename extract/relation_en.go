package extract

import (
	"strings"

	"github.com/asof-db/asof/dsl"
)

// isVerbLed tells whether a determiner or verb starts at k, so that what follows
// "from" is no place.
func (s *sentenceEn) isVerbLed(k int) bool { return s.is(k, detWord) && s.low(k) != "the" }

// never tells whether the clause from token i on says that it is over: "anymore".
func (s *sentenceEn) over(g verbGroup, i int) bool {
	if g.noLonger || g.used {
		return true
	}
	if s.butNotNow(s.clauseEnd(i)) {
		return true
	}
	if !g.neg {
		return false
	}
	for k := i; k < s.clauseEnd(i); k++ {
		if w := s.low(k); w == "anymore" || w == "any" && (s.low(k+1) == "more" || s.low(k+1) == "longer") {
			return true
		}
	}
	return false
}

// butNotNow reads ", but not anymore" at token k, where a clause ends.
func (s *sentenceEn) butNotNow(k int) bool {
	if s.low(k) == "," {
		k++
	}
	if w := s.low(k); w == "but" || w == "though" {
		k++
	}
	switch s.low(k) {
	case "not":
		switch s.low(k + 1) {
		case "anymore", "now":
			return s.stopsAt(k + 2)
		case "any":
			return (s.low(k+2) == "more" || s.low(k+2) == "longer") && s.stopsAt(k+3)
		}
	case "no":
		return s.low(k+1) == "longer" && s.stopsAt(k+2)
	}
	return false
}

// place emits a claim about a value in tokens [a, b), with ending, denial and
// correction as the clause gives them.
func (s *sentenceEn) place(sub subjectEn, g verbGroup, rel string, a, b int, conf float64, v validity) {
	c := claim{src: sub.name, rel: rel, dst: s.text(a, b), confidence: conf, valid: v, change: s.mood()}
	c.start, c.end = s.span(sub.start, b)
	switch {
	case s.over(g, b):
		c.change = dsl.End
		c.valid = validity{to: v.to, toAt: v.toAt, hasTo: v.hasTo}
	case g.neg:
		c.negative = true
		c.valid = validity{}
	default:
		c.corrects = s.notInstead(b)
		if c.corrects != "" {
			_, c.end = s.span(sub.start, min(b+3, s.to))
		} else if s.setsRight && v == (validity{}) && s.d.Registry.Functional(rel) && !s.happens(g) {
			c.change = dsl.Correct
		}
	}
	s.emit(c)
}

// happens tells whether a verb tells of a change in the world, which corrects
// nothing: "Actually, I moved to Seattle" leaves Boston true before.
func (s *sentenceEn) happens(g verbGroup) bool { return eventVerbs[s.low(g.verb)] }

var eventVerbs = wordSet("move moved moving relocated joined join joining started start starting transferred switched left got settled")

// notInstead reads ", not Portland" at token k: the value that a correction takes
// back. It is empty where a sentence only contrasts.
func (s *sentenceEn) notInstead(k int) string {
	if s.low(k) == "," {
		k++
	}
	if s.low(k) != "not" {
		return ""
	}
	k++
	if s.low(k) == "in" || s.low(k) == "at" || s.low(k) == "on" {
		k++
	}
	if e := s.timeAt(s.tok(k).start); e != nil && k < s.to {
		return e.Value
	}
	if e := s.properEnd(k); e > k {
		return s.text(k, e)
	}
	if s.actually || s.correction {
		if p, ok := s.phrase(k); ok {
			return s.value(p)
		}
	}
	return ""
}

// stated gives the validity of a state from the times of its clause: since, from
// … to, until, "for four years", and for what is told as past the time itself.
func (s *sentenceEn) stated(sub subjectEn, g verbGroup) validity {
	var v validity
	end := s.clauseEnd(g.verb)
	if end <= sub.start {
		return v
	}
	a, b := s.span(sub.start, end)
	for _, t := range s.timesIn(a, b) {
		k := s.d.tokenAt(t.Start)
		prev := s.low(k - 1)
		if prev == "the" || prev == "about" || prev == "around" || prev == "over" || prev == "almost" || prev == "nearly" || prev == "early" || prev == "late" {
			prev = s.low(k - 2)
		}
		switch {
		case !t.OnCalendar():
			if back := grainBack(s.d.Local, t.Value); back != "" && prev == "for" && (g.perfect || !g.past) && !v.hasFrom {
				x := TimeExpr{Value: back}
				x.From, x.To, _ = calendarSpan(back, s.d.Local.Location())
				v = v.since(&x)
			}
		case prev == "since", prev == "from":
			v = v.since(&t)
		case prev == "until", prev == "till", prev == "to" && v.hasFrom, prev == "through":
			v = v.until(&t, s.d.TS)
		case (prev == "in" || prev == "during") && g.isPast(s) && !g.perfect:
			v = v.since(&t).until(&t, s.d.TS)
		}
	}
	return v
}

// isPast tells whether the main verb is in the simple past.
func (g verbGroup) isPast(s *sentenceEn) bool {
	w := s.low(g.verb)
	return g.past || strings.HasSuffix(w, "ed") && !g.be && !g.perfect
}

// happened gives the time of an event, such as a move: the one calendar time of
// its clause, or of the sentence if that has no other.
func (s *sentenceEn) happened(sub subjectEn, g verbGroup) *TimeExpr {
	a, b := s.span(sub.start, max(s.clauseEnd(g.verb), sub.start+1))
	pick := func(all []TimeExpr) (one *TimeExpr, many bool) {
		for i := range all {
			if all[i].OnCalendar() && all[i].Value[0] != 'T' {
				if one != nil {
					return nil, true
				}
				one = &all[i]
			}
		}
		return one, false
	}
	if t, many := pick(s.timesIn(a, b)); t != nil || many {
		return t
	}
	x, y := s.span(s.from, s.to)
	t, _ := pick(s.timesIn(x, y))
	if t != nil && t.End <= a && s.d.tokenAt(a)-s.d.tokenAt(t.End) <= 2 { // "Last month, I moved"
		return t
	}
	return nil
}

// began and ended turn an event's time into a validity.
func (s *sentenceEn) began(sub subjectEn, g verbGroup) validity {
	if t := s.happened(sub, g); t != nil {
		return validity{}.since(t)
	}
	return validity{}
}

func (s *sentenceEn) ended(sub subjectEn, g verbGroup) validity {
	if t := s.happened(sub, g); t != nil {
		return validity{}.until(t, s.d.TS)
	}
	return validity{}
}

// placeAt reads a named place at token k: the tokens after an optional article.
func (s *sentenceEn) placeAt(k int) (a, b int, ok bool) {
	if s.low(k) == "the" {
		k++
	}
	if s.is(k, possWord) {
		return 0, 0, false
	}
	e := s.properEnd(k)
	if e == k {
		if m := s.mentionAt(s.tok(k).start); m == nil || m.Type != typeLoc {
			return 0, 0, false
		}
	}
	if m := s.mentionAt(s.tok(k).start); m != nil && (m.Type == typeWork || m.Type == typeEmail || m.Type == typeURL || m.Type == typeMoney || m.Type == typePhone) {
		return 0, 0, false
	}
	if s.low(e) == "'s" || s.is(k, commonWord) && e == k+1 {
		return 0, 0, false
	}
	// "Austin, Texas" is one place.
	if s.low(e) == "," && e+1 < s.to {
		if m := s.mentionAt(s.tok(e + 1).start); m != nil && m.Type == typeLoc && m.Start == s.tok(e+1).start {
			e = s.d.tokenAt(m.End)
		}
	}
	return k, e, true
}

// lives: "live in Boston", "am based in Berlin", "have lived in Rome since 2019".
func (s *sentenceEn) lives(sub subjectEn, g verbGroup) {
	k := g.verb + 1
	for s.is(k, advWord) {
		k++
	}
	if w := s.low(k); w != "in" && w != "at" && w != "on" && !(w == "out" && s.low(k+1) == "of") {
		return
	}
	if s.low(k) == "out" {
		return
	}
	a, b, ok := s.placeAt(k + 1)
	if !ok {
		return
	}
	v := s.stated(sub, g)
	if g.neg && g.perfect && v.hasFrom && !g.past {
		// "I haven't lived in Rome since 2020"
		g.noLonger, v = true, validity{to: v.from, toAt: v.fromAt, hasTo: true}
	}
	if s.past(g) && !g.used && !g.noLonger && !(g.perfect && (v.hasFrom || !g.past)) {
		// "I lived in Paris" is over; only its time makes it a fact.
		if g.neg || !v.hasTo {
			return
		}
		g.perfect = true
	}
	if g.perfect && s.low(g.verb) == "lived" && !v.hasFrom && !g.neg && !v.hasTo {
		return // "I've lived in Paris and Rome": once
	}
	s.place(sub, g, "lives_in", a, b, sure, v)
	if g.neg {
		return
	}
}

// past tells whether the group, with its main verb, speaks of the past.
func (s *sentenceEn) past(g verbGroup) bool {
	w := s.low(g.verb)
	return g.past || !g.perfect && !g.be && (w == "lived" || w == "worked" || w == "studied" || w == "disliked" || w == "hated" || w == "used" && !g.used)
}

// home: "I'm from Sweden".
func (s *sentenceEn) home(sub subjectEn, g verbGroup) {
	a, b, ok := s.placeAt(g.verb + 1)
	if !ok {
		return
	}
	if m := s.mentionAt(s.tok(a).start); m == nil || m.Type != typeLoc || s.low(b) == "originally" || s.low(g.verb-1) == "originally" {
		return
	}
	s.place(sub, g, "lives_in", a, b, likely, validity{})
}

// moved: "moved from A to B last month", "moved out of A".
func (s *sentenceEn) moved(sub subjectEn, g verbGroup) {
	if g.neg || g.used || g.did {
		return
	}
	end := min(g.verb+12, s.clauseEnd(g.verb))
	began := s.began(sub, g)
	var v2 validity
	if t := s.happened(sub, g); t != nil {
		v2 = validity{}.until(t, s.d.TS)
	}
	seen := false
	for k := g.verb + 1; k < end; k++ {
		w := s.low(k)
		switch {
		case w == "from" || w == "of" && s.low(k-1) == "out":
			if a, b, ok := s.placeAt(k + 1); ok {
				x, y := s.span(sub.start, b)
				s.emit(claim{src: sub.name, rel: "lives_in", dst: s.text(a, b), start: x, end: y, change: dsl.End, valid: v2, confidence: sure})
				k = b - 1
			}
		case w == "to" && !seen:
			a, b, ok := s.placeAt(k + 1)
			if !ok {
				return
			}
			seen = true
			s.place(sub, verbGroup{verb: g.verb}, "lives_in", a, b, sure, began)
			k = b - 1
		}
	}
}

// employer reads "Google", "a local bank" at token k.
func (s *sentenceEn) employer(k int) (a, b int, conf float64, ok bool) {
	if e := s.properEnd(k); e > k && !(s.is(k, commonWord) && e == k+1) {
		if m := s.mentionAt(s.tok(k).start); m != nil && (m.Type == typePerson || m.Type == typeWork || m.Type == typeMoney) {
			return 0, 0, 0, false
		}
		if s.low(e) == "," && s.is(e-1, orgHead) && s.tok(e+1).upper && s.properEnd(e+1) > e+1 && s.low(s.properEnd(e+1)) != "and" {
			e = s.properEnd(e + 1) // University of California, Berkeley
		}
		return k, e, sure, true
	}
	if s.low(k) != "a" && s.low(k) != "an" && s.low(k) != "the" {
		return 0, 0, 0, false
	}
	if e := s.properEnd(k + 1); s.low(k) == "the" && e > k+1 {
		return k + 1, e, sure, true
	}
	if s.low(k) == "the" {
		return 0, 0, 0, false
	}
	p, ok := s.phrase(k + 1)
	if !ok || !s.is(p.end-1, orgNoun) || p.end-p.start > 4 {
		return 0, 0, 0, false
	}
	return p.start, p.end, likely, true
}

// works: "work at Google as an engineer", "don't work for X anymore".
func (s *sentenceEn) works(sub subjectEn, g verbGroup) {
	k := g.verb + 1
	for s.is(k, advWord) || s.low(k) == "remotely" || s.low(k) == "full" || s.low(k) == "part" || s.low(k) == "-" || s.low(k) == "time" {
		k++
	}
	if s.low(k) == "as" {
		s.roleAs(sub, g, k+1)
		return
	}
	if w := s.low(k); w != "at" && w != "for" && w != "by" {
		return
	}
	a, b, conf, ok := s.employer(k + 1)
	if !ok || s.low(b) == "'s" && s.tok(b+1).kind == wordToken {
		return
	}
	v := s.stated(sub, g)
	if s.past(g) && !g.used && !g.noLonger {
		if g.neg || !v.hasTo || !v.hasFrom {
			return
		}
	}
	if g.perfect && s.low(g.verb) == "worked" && !v.hasFrom && !g.neg {
		return
	}
	s.place(sub, g, "works_at", a, b, conf, v)
	if s.low(b) == "as" && !g.neg && !s.past(g) {
		s.roleAs(sub, g, b+1)
	}
}

// joined: "joined Google", "started (working | a new job) at Google".
func (s *sentenceEn) joined(sub subjectEn, g verbGroup) {
	if g.neg || g.used || g.did {
		return
	}
	k := g.verb + 1
	if s.low(g.verb) == "started" {
		switch {
		case s.low(k) == "working":
			k++
		case s.is(k, detWord):
			for k++; s.low(k) == "new"; k++ {
			}
			if s.low(k) != "job" && s.low(k) != "position" {
				return
			}
			k++
		default:
			return
		}
		if s.low(k) != "at" && s.low(k) != "for" && s.low(k) != "with" {
			return
		}
		k++
	}
	a, b, _, ok := s.employer(k)
	if !ok {
		return
	}
	m := s.mentionAt(s.tok(a).start)
	if s.low(g.verb) == "joined" && (m == nil || m.Type != typeOrg) && s.low(b) != "as" {
		return
	}
	s.place(sub, verbGroup{verb: g.verb}, "works_at", a, b, likely, s.began(sub, g))
	if s.low(b) == "as" {
		s.roleAs(sub, verbGroup{verb: sub.start}, b+1)
	}
}

// quit: "quit my job at X last month", "left Google", "got laid off from X".
func (s *sentenceEn) quit(sub subjectEn, g verbGroup) {
	if g.neg || g.used || g.did {
		return
	}
	k := g.verb + 1
	switch s.low(g.verb) {
	case "resigned", "retired", "fired", "laid":
		if s.low(k) == "off" {
			k++
		}
		if s.low(k) != "from" && s.low(k) != "by" {
			return
		}
		k++
	default:
		job := false
		if s.is(k, possWord) || s.low(k) == "the" {
			for j := k + 1; j < k+4; j++ {
				w := s.low(j)
				if w != "job" && w != "position" && w != "role" {
					continue
				}
				if s.low(j+1) == "as" {
					s.roleOver(sub, g, j+2)
					return
				}
				if s.low(j+1) == "at" || s.low(j+1) == "with" {
					job, k = true, j+2
					break
				}
			}
			if !job {
				return
			}
		}
		m := s.mentionAt(s.tok(k).start)
		if bare := s.low(g.verb) == "quit" && m == nil && sub.self && s.properEnd(k) > k && !s.is(k, commonWord) && s.gapAfter(s.properEnd(k)); !job && !bare && (m == nil || m.Type != typeOrg) {
			return
		}
	}
	if a, b, _, ok := s.employer(k); ok {
		s.place(sub, verbGroup{verb: g.verb, noLonger: true}, "works_at", a, b, sure, s.ended(sub, g))
	}
}

// studies: "study (physics) at MIT", "go to Stanford", "attend X University".
func (s *sentenceEn) studies(sub subjectEn, g verbGroup) {
	k := g.verb + 1
	w := s.low(g.verb)
	if (g.isPast(s) || w == "went") && !g.used && w != "graduated" && w != "enrolled" && w != "attended" && w != "went" && w != "studied" {
		return
	}
	need := true // the name must look like a school
	switch {
	case strings.HasPrefix(w, "stud"):
		for n := 0; s.low(k) != "at" && n < 4; n++ {
			if s.tok(k).kind != wordToken || stopWords[s.low(k)] {
				return
			}
			k++
		}
		k, need = k+1, false
	case w == "attending" || w == "attend" || w == "attends" || w == "attended":
	case (w == "graduated" || w == "enrolled") && (s.low(k) == "from" || s.low(k) == "at" || s.low(k) == "in"):
		k++
	case s.low(k) == "to":
		k++
	default:
		return
	}
	a, b, _, ok := s.employer(k)
	if !ok || need && !s.isSchool(a, b) {
		return
	}
	s.place(sub, g, "studies_at", a, b, likely, s.stated(sub, g))
}

// knownSchools are names by which a school goes without a word for one.
var knownSchools = wordSet("mit stanford harvard princeton berkeley yale cornell oxford cambridge ucla nyu usc ucsd caltech purdue rutgers tufts vanderbilt georgetown emory juilliard upenn lse ucl duke dartmouth brandeis wellesley vassar mcgill carnegie eth ucsf umass suny cuny nus tsinghua swarthmore northwestern")

// isSchool tells whether a name is that of a school.
func (s *sentenceEn) isSchool(a, b int) bool {
	for i := a; i < b; i++ {
		switch s.low(i) {
		case "university", "college", "school", "academy", "institute", "conservatory", "polytechnic", "seminary":
			return s.tok(i).upper
		case "state", "tech", "uni":
			if i > a && s.tok(i).upper {
				return true
			}
		}
		if knownSchools[s.low(i)] && s.tok(i).upper {
			return true
		}
	}
	return false
}
