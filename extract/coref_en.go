package extract

import "strings"

// english reads tokens [a, b) for referents and pronouns.
func (r *resolver) english(a, b int) {
	e := readerEn{r, a, b}
	for i := a; i < b; {
		if len(r.out) >= maxCorefs {
			return
		}
		t := &r.d.tokens[i]
		if t.kind == punctToken {
			if t.low != "'" && !(t.low == "-" && !t.space) && t.low != "\"" && t.low != "*" && t.low != "“" && t.low != "”" {
				r.clause++
				r.subject = r.clause
			}
			i++
			continue
		}
		if t.kind == wordToken && (t.class&boundaryWord != 0 || clauseWords[t.low]) {
			if !(t.low == "and" || t.low == "but") || e.fresh(i+1) {
				r.subject = r.clause + 1
			}
			r.clause++
		}
		if p, ok := pronounsEn[t.low]; ok && t.kind == wordToken {
			e.pronoun(i, p)
			if !p.owner {
				i++
				continue
			}
		}
		i = max(e.phrase(i), i+1)
	}
}

// fresh tells whether a clause with a subject of its own starts at token k.
func (e *readerEn) fresh(k int) bool {
	t := e.tok(k)
	return t.kind != wordToken || t.upper || t.class&(detWord|possWord) != 0 || pronounsEn[t.low].kinds != 0 || t.low == "i" || t.low == "you" || t.low == "we" || nounOf(t) != 0
}

// clauseWords open a clause beside the boundary words of the lexicon.
var clauseWords = wordSet("that which who whom whose when how if where before after as than why what unless until once")

// readerEn reads one stretch of English: tokens [from, to).
type readerEn struct {
	*resolver
	from, to int
}

func (e *readerEn) tok(i int) *token {
	if i < e.from || i >= e.to {
		return &noToken
	}
	return &e.d.tokens[i]
}

func (e *readerEn) low(i int) string { return e.tok(i).low }

// mentionAt gives the entity that starts at token i, nil where none does.
func (e *readerEn) mentionAt(i int) *Mention {
	if i < e.from || i >= e.to {
		return nil
	}
	return e.entityAt(e.d.tokens[i].start)
}

// nounEn is a phrase that was read: tokens [start, end), without articles from
// bare on, its head at head.
type nounEn struct {
	start, bare, head, end int
	kinds                  kinds
	weak                   bool
}

// phrase reads what starts at token i and takes it in; it gives the token after
// it, or i where nothing starts there.
func (e *readerEn) phrase(i int) int {
	if m := e.mentionAt(i); m != nil {
		return e.name(i, i, m)
	}
	if end := e.quotation(i); end > 0 {
		return end
	}
	n, ok := e.noun(i)
	if !ok {
		return i
	}
	if m := e.mentionAt(n.end); m != nil && m.Type == typePerson && n.kinds&(aPerson|anAnimal) != 0 && n.kinds&isMany == 0 {
		return e.appose(i, &n, n.end, m) // my cousin John
	}
	if m := e.mentionAt(n.end + 1); m != nil && m.Type == typePerson && n.kinds&(aPerson|anAnimal) != 0 && n.kinds&isMany == 0 && (e.low(n.end) == "," || e.low(n.end) == "named" || e.low(n.end) == "called") && !e.talks(m.Text) {
		if after := e.tokenAfter(m); e.low(n.end) != "," || e.tok(after).kind == punctToken || after >= e.to || e.low(after) == "who" {
			return e.appose(i, &n, n.end+1, m) // my dog, Max,
		}
	}
	if n.kinds&hasName != 0 && e.naming(n.start, e.d.Text[e.tok(n.bare).start:e.tok(n.end-1).end]) || e.tells(&n) {
		return n.end
	}
	if m := e.mentionAt(n.bare); m != nil && n.end == e.tokenAfter(m) {
		return e.name(i, n.bare, m)
	}
	e.enter(&n)
	return n.end
}

// quotation takes in a title in quotes that is no entity; it gives the token after
// it, 0 where none stands.
func (e *readerEn) quotation(i int) int {
	if i == e.from || e.low(i-1) != "\"" && e.low(i-1) != "“" || !e.d.quoted(e.tok(i).start) {
		return 0
	}
	k := i
	for k < min(e.to, i+14) && e.d.quoted(e.tok(k).start) && e.low(k) != "\"" && e.low(k) != "”" {
		k++
	}
	end := k
	for end > i && e.tok(end-1).kind == punctToken {
		end--
	}
	if end-i < 2 || !titleCase(e.d.tokens[i:end]) {
		return 0
	}
	e.add(referent{
		text: e.d.Text[e.tok(i).start:e.tok(end-1).end], head: e.tok(end - 1).low, kinds: asIt | hasName,
		start: e.tok(i).start, end: e.tok(end - 1).end, role: e.role(i-1, k+1), weak: nounOf(e.tok(k+1)) != 0,
	})
	return k
}

func (e *readerEn) tokenAfter(m *Mention) int { return e.d.tokenAt(m.End) }

// enter takes in a common noun or the name of a product.
func (e *readerEn) enter(n *nounEn) {
	m := referent{
		text: e.d.Text[e.tok(n.bare).start:e.tok(n.end-1).end], head: e.tok(n.head).low, kinds: n.kinds,
		start: e.tok(n.start).start, end: e.tok(n.end - 1).end, role: e.role(n.start, n.end), weak: n.weak,
		fresh: e.low(n.start) == "a" || e.low(n.start) == "an",
	}
	if n.kinds&aPerson != 0 && n.kinds&isMany == 0 {
		if m.subject = e.relative(n); n.kinds&hasName != 0 {
			m.subject = m.text
		}
	}
	e.add(m)
	e.pair(n.start)
}

// relative gives what a fact calls a relative of one of the two who speak, by the
// words of the text: "Anna/sister".
func (e *readerEn) relative(n *nounEn) string {
	who := ""
	switch e.low(n.start) {
	case "my", "our":
		who = e.speaker
	case "your":
		if !isAssistant(e.listener) {
			who = e.listener
		}
	}
	if who == "" || e.tok(n.head).class&(kinWord|petWord) == 0 {
		return ""
	}
	k := n.start + 1
	for k < n.head && kinAdjectives[e.low(k)] {
		k++
	}
	return who + "/" + e.d.Text[e.tok(k).start:e.tok(n.head).end]
}

// name takes in an entity that stands at token i; the phrase starts at start.
func (e *readerEn) name(start, i int, m *Mention) int {
	end := max(e.tokenAfter(m), i+1)
	if e.naming(start, m.Text) {
		return end
	}
	ref := referent{text: m.Text, head: lower(m.Text), start: m.Start, end: m.End, role: e.role(start, end)}
	switch m.Type {
	case typePerson:
		if e.talks(m.Text) {
			return end
		}
		ref.kinds, ref.subject = e.genderOf(i, m), m.Text
	case typeOrg:
		ref.kinds = asIt | asThey | hasName | anOrg
	case typeLoc:
		ref.kinds = asIt | asThey | hasName | aPlace
	case typeWork:
		ref.kinds = asIt | hasName | aWork
	default:
		return end
	}
	// "Netflix show", "Dell laptop": the name only opens the phrase.
	if n, ok := e.noun(i); ok && n.end > end && m.Type != typePerson && e.low(end) != "'s" {
		ref.text = e.d.Text[m.Start:e.tok(n.end-1).end]
		ref.end, ref.role, end = e.tok(n.end-1).end, e.role(start, n.end), n.end
		if n.kinds&(aPerson|isMany) != 0 {
			ref.kinds = n.kinds
		}
	}
	e.add(ref)
	e.pair(start)
	return end
}

// genderOf gives the kinds of a person by the title before the name and the given
// name.
func (e *readerEn) genderOf(i int, m *Mention) kinds {
	k := kinds(aPerson | hasName)
	p := i - 1
	if e.low(p) == "." {
		p--
	}
	switch e.low(p) {
	case "mr", "sir", "uncle":
		return k | asHe
	case "mrs", "ms", "miss", "aunt", "auntie":
		return k | asShe
	}
	if g := givenKinds[e.tok(i).low]; g == asHe || g == asShe {
		return k | g
	}
	return k | asHe | asShe | asThey
}

// appose takes in a noun and the name beside it as one: "my cousin John".
func (e *readerEn) appose(start int, n *nounEn, at int, m *Mention) int {
	end := max(e.tokenAfter(m), at+1)
	k := e.genderOf(at, m)
	if n.kinds&anAnimal != 0 {
		k = k&^aPerson | anAnimal | asIt
	}
	// The noun's gender is surer than the name's.
	if both := n.kinds & (asHe | asShe); both == asHe || both == asShe {
		k = k&^(asHe|asShe|asThey) | both
	}
	e.add(referent{
		text: m.Text, subject: m.Text, head: e.tok(n.head).low, kinds: k,
		start: e.tok(start).start, end: m.End, role: e.role(start, end),
	})
	e.pair(start)
	return end
}

// tells tells whether a phrase only says more about what was named before it: "Tom,
// a marketing expert", "Anna is my sister", "he's a great leader". The gender of
// its noun holds for the name.
func (e *readerEn) tells(n *nounEn) bool {
	k := n.start - 1
	for k > e.from && e.tok(k).class&(advWord|negWord) != 0 {
		k--
	}
	copula := beWords[e.low(k)]
	if n.kinds&hasName != 0 || k < e.from || !copula && e.low(k) != "," {
		return false
	}
	if w := e.low(k - 1); copula && (pronounsEn[w].subject || w == "i" || w == "you" || w == "we") {
		return true
	}
	if len(e.refs) == 0 {
		return false
	}
	last := &e.refs[len(e.refs)-1]
	if last.end != e.tok(k-1).end || last.sentence != e.sentence || (last.kinds^n.kinds)&(isMany|anAnimal) != 0 || last.kinds&n.kinds&asPronoun == 0 {
		return false
	}
	if w := e.low(n.start); !copula && (last.kinds&hasName == 0 || w != "a" && w != "an" && w != "my" && w != "the" && w != "our") {
		return false
	}
	last.kinds = last.kinds&^asPronoun | last.kinds&n.kinds&asPronoun | n.kinds&aPerson
	if last.kinds&(aPerson|hasName) == aPerson|hasName && last.subject == "" {
		last.subject = last.text
	}
	last.count++
	return true
}

var beWords = wordSet("is 's was are 're were be been being 'm am")

// pair takes in two people side by side, "Anna and Ben", as several.
func (e *readerEn) pair(start int) {
	if e.low(start-1) != "and" || len(e.refs) < 2 {
		return
	}
	a, b := e.refs[len(e.refs)-2], e.refs[len(e.refs)-1]
	if a.end != e.tok(start-2).end || a.sentence != b.sentence || a.kinds&b.kinds&aPerson == 0 {
		return
	}
	e.add(referent{text: e.d.Text[a.start:b.end], kinds: asThey | aPerson | isMany, start: a.start, end: b.end, role: max(a.role, b.role)})
}

// after follows a noun phrase and is no part of it.
var after = wordSet("first already once twice instead myself yourself online offline")

// determiners are the words before a noun phrase that belong to it.
var determiners = wordSet("a an the this that these those my our your his her their its some any another each every no both one two three four five six seven eight nine ten many several few")

// noHeads are words that lists take for nouns, or that are none to speak of.
var noHeads = wordSet("makes needs online offline outside inside abroad blast favorite favourite ones pic while lot bit way time times thing things one ones kind sort type few couple day days week weeks month months year years morning evening afternoon night weekend today moment second minute hour point part side end start rest half idea fact case chance course advice help thanks luck fun love work talk rain snow")

// noun reads a noun phrase without an entity at its start.
func (e *readerEn) noun(i int) (nounEn, bool) {
	n := nounEn{start: i, head: -1}
	k := i
	for k < i+3 && determiners[e.low(k)] && e.tok(k).kind == wordToken {
		k++
	}
	opened := k > i
	n.bare = k
	if w := e.low(i); k == i+1 && (w == "my" || w == "our" || w == "your" || w == "his" || w == "her" || w == "their") || k > i && e.tok(k-1).class&numberWord != 0 && !(k == i+1 && w == "one") {
		n.bare = k - 1
	}
	plain := 0 // unknown words after a known head
	named := false
	for ; k < min(e.to, i+9); k++ {
		t := e.tok(k)
		if t.kind == numToken && (named || opened && k == n.bare && e.tok(k+1).upper) {
			if named {
				n.head, n.end = k, k+1
			}
			continue
		}
		if t.low == "-" && !t.space && !e.tok(k+1).space && k > i || t.low == "&" && named && e.tok(k+1).upper {
			continue
		}
		if t.kind != wordToken || stopWords[t.low] && !(t.upper && named) || k > n.bare && (t.class&(advWord|possWord) != 0 || after[t.low] || t.low == "his" || t.low == "her") {
			break
		}
		if m := e.mentionAt(k); m != nil && k > i {
			// "my friend Anna" is two; "my black Fender Stratocaster guitar" one.
			next := e.tok(e.tokenAfter(m))
			if n.head >= 0 && n.kinds&aPerson != 0 || m.Type == typePerson && (n.head >= 0 || next.upper || nounOf(next) == 0) {
				break
			}
		}
		kd := nounOf(t)
		capital := t.upper && (e.properWord(k) || kd == 0 || !e.opens(k))
		switch {
		case noHeads[t.low] && k > n.bare && n.head < 0:
			return n, false // a bit lower
		case capital && e.properWord(k):
			if kd&(aPerson|anAnimal) == 0 {
				switch g := givenKinds[t.low]; {
				case g != 0 && !named && !opened:
					kd = g | aPerson
				case named:
					kd = n.kinds
				case !opened && placing[e.low(k-1)]:
					kd = asIt | aPlace
				case !opened:
					kd = asIt | asHe | asShe | asThey
				default:
					kd = asIt
				}
			}
			n.head, n.end, named = k, k+1, true
			n.kinds = kd | hasName
		case kd != 0 && !capital:
			n.head, n.end = k, k+1
			if named && kd&(aPerson|anAnimal|isMany) == 0 {
				kd |= hasName
			}
			n.kinds = kd
		case n.head >= 0 && e.low(k-1) == "-":
			n.head = -1 // service-focused
		case n.head >= 0 && n.kinds&aPerson != 0:
			k = e.to // what follows a person is no part of it
		case n.head >= 0:
			if next := e.tok(k + 1); nounOf(next) != 0 && !next.upper && !commonVerbs[t.low] && !strings.HasSuffix(t.low, "ed") {
				continue // the machine learning course
			}
			if plain++; plain > 1 || verbal(t.low) || !e.gap(k+1) {
				k = e.to
				continue
			}
			n.head, n.end = k, k+1 // the TrueMove3 sensor, an animal shelter
			n.kinds &^= anAnimal | asHe | asShe
		}
	}
	if n.head < 0 {
		return e.unknownNoun(n, k, opened)
	}
	if t := e.tok(n.head); noHeads[t.low] || t.class&(unitWord|weekdayWord|monthWord|seasonWord|daypartWord|weekdaysWord) != 0 {
		return n, false
	}
	n.weak = !opened && !named && n.kinds&aPerson == 0 || n.kinds&(asIt|asHe) == asIt|asHe && n.kinds&anAnimal == 0 && n.end == n.start+1
	if !opened && !named && n.kinds&(aPerson|isMany) == aPerson && !calledSo[e.low(n.head)] {
		return n, false // user-friendly
	}
	if !opened {
		e.bare(&n)
		if p := e.tok(n.start - 1); !named && n.end == n.start+1 && n.kinds&(aPerson|isMany) == 0 && (p.class&(auxWord|modalWord) != 0 || p.low == "to" || pronounsEn[p.low].kinds != 0 || p.low == "i" || p.low == "you" || p.low == "we") {
			return n, false // a verb
		}
	}
	if n.kinds&isMany == 0 && n.kinds&asPronoun == asIt && (e.low(i) == "these" || e.low(i) == "those") {
		n.kinds = n.kinds&^asIt | asThey | isMany
	}
	return n, true
}

// calledSo are people who are named by what they are.
var calledSo = wordSet("mom mum mommy mama dad daddy papa grandma grandpa granny nana auntie someone somebody everyone everybody anyone anybody")

// bare sets the start of a phrase without an article: only nouns and names belong
// to it.
func (e *readerEn) bare(n *nounEn) {
	from := n.bare
	for n.bare = n.head; n.bare > from; n.bare-- {
		t := e.tok(n.bare - 1)
		if t.upper && e.properWord(n.bare-1) || t.kind == numToken || t.low == "-" {
			continue
		}
		if n.kinds&hasName != 0 || nounOf(t) == 0 && (t.class&evaluativeWord == 0 || t.class&advWord != 0) {
			break
		}
	}
	n.start = n.bare
}

// naming takes a name that is told, "her name is Coco", for that of the last one
// who was spoken of; ok is false where none is told.
func (e *readerEn) naming(start int, name string) bool {
	k := start - 1
	if !beWords[e.low(k)] || e.low(k-1) != "name" || len(e.refs) == 0 {
		return false
	}
	last := &e.refs[len(e.refs)-1]
	if last.sentence != e.sentence || last.kinds&isMany != 0 {
		return false
	}
	last.text, last.kinds = name, last.kinds|hasName
	if last.kinds&(asHe|asShe) != 0 {
		last.subject = name
	}
	return true
}

// unknownNoun takes the last word of a phrase with an article for its head.
func (e *readerEn) unknownNoun(n nounEn, end int, opened bool) (nounEn, bool) {
	for end > n.start && (verbal(e.low(end-1)) && !isPlural(e.low(end-1)) || e.tok(end-1).kind != wordToken) {
		end--
	}
	k := end - 1
	t := e.tok(k)
	if !opened || k < n.bare || determiners[t.low] || noHeads[t.low] || t.class&(unitWord|weekdayWord|monthWord|seasonWord|daypartWord|weekdaysWord|evaluativeWord|advWord) != 0 || len(t.low) < 3 {
		return n, false
	}
	n.head, n.end, n.weak, n.kinds = k, end, true, asIt
	if isPlural(t.low) {
		n.kinds = asThey | isMany
	}
	return n, true
}

// properWord tells whether the capital of token k is that of a name.
func (e *readerEn) properWord(k int) bool {
	t := e.tok(k)
	if t.class&(commonWord|monthWord|weekdayWord|weekdaysWord|seasonWord|negWord) != 0 || len(t.low) < 2 {
		return false
	}
	if e.opens(k) {
		next := e.tok(k + 1)
		return t.class == 0 && !commonVerbs[t.low] && !verbal(t.low) && (next.upper || next.kind == numToken || next.low == "'s" || next.class&auxWord != 0 || givenKinds[t.low] != 0 ||
			len(t.low) > 3 && (commonVerbs[next.low] || strings.HasSuffix(next.low, "ed")))
	}
	return true
}

// opens tells whether token k opens a sentence or follows a mark.
func (e *readerEn) opens(k int) bool {
	w := e.low(k - 1)
	return k == e.from || e.tok(k-1).kind == punctToken && w != "-" && w != "\"" && w != "*" && w != "'" && w != "&"
}

// placing are the prepositions that a place follows.
var placing = wordSet("in near around visit visiting visited")

// verbal tells whether a word has the look of a verb or an adverb.
func verbal(w string) bool {
	return strings.HasSuffix(w, "ed") || strings.HasSuffix(w, "ly") || strings.HasSuffix(w, "ing") || len(w) > 3 && w[len(w)-1] == 's' && w[len(w)-2] != 's' || commonVerbs[w]
}

var commonVerbs = wordSet("give gave made took said told went got came saw knew thought felt found left kept let put ran read set sat stood spent taught wrote won broke began brought bought chose drew drove ate fell flew forgot grew heard held hurt led lost meant met paid rode sang sent slept spoke swam wore make take say tell go come see know think feel find leave keep run sit stand spend teach write win break begin bring buy look seem sound become start stop try love like enjoy hate need want work help live move turn show")

// gap tells whether nothing at token k goes on with a noun phrase.
func (e *readerEn) gap(k int) bool {
	t := e.tok(k)
	return k >= e.to || t.kind == punctToken || stopWords[t.low]
}

// prepositions come before what is neither subject nor object.
var prepositions = wordSet("in on at with from for to of by about into over under through than as like between near besides after before during without against among behind inside outside around along across toward towards onto upon within via beyond beneath beside past since until till except per")

// role gives the place of the phrase in tokens [a, b).
func (e *readerEn) role(a, b int) role {
	next := e.tok(b)
	if _, pro := pronounsEn[e.low(a)]; !(pro && b == a+1) && (next.low == "'s" && !possessiveIsVerb(e.tok(b+1)) || next.low == "'" && !next.space) {
		return ownerRole
	}
	p := a - 1
	for e.tok(p).class&advWord != 0 && p > e.from {
		p--
	}
	prev := e.tok(p)
	if prepositions[prev.low] && !clauseWords[prev.low] {
		return obliqueRole
	}
	verb := next.kind == wordToken && !prepositions[next.low] && next.low != "and" && next.low != "or" && next.low != "but"
	opens := p < e.from || prev.kind == punctToken || prev.class&(boundaryWord|leadWord|auxWord) != 0 || clauseWords[prev.low]
	switch {
	case prev.class&auxWord != 0 && !e.inverted(p):
		return objectRole
	case opens && (verb || b >= e.to):
		return subjectRole
	case opens && next.low == ",":
		return objectRole
	case prev.low == "and":
		return subjectRole
	}
	return objectRole
}

// inverted tells whether the auxiliary at token p opens a question.
func (e *readerEn) inverted(p int) bool {
	q := e.tok(p - 1)
	return p-1 < e.from || q.kind == punctToken || clauseWords[q.low] || q.class&boundaryWord != 0
}

// possessiveIsVerb tells whether "'s" before the token is "is" or "has".
func possessiveIsVerb(t *token) bool {
	return t.class&(detWord|negWord|advWord|auxWord) != 0 || strings.HasSuffix(t.low, "ing") || strings.HasSuffix(t.low, "ed") || prepositions[t.low] || t.class&evaluativeWord != 0 || t.kind == punctToken
}
