package extract

import "strings"

// pronoun resolves the pronoun at token i, unless it stands for nothing named.
func (e *readerEn) pronoun(i int, p pronounEn) {
	t := e.tok(i)
	next := e.tok(i + 1)
	q := pronoun{start: t.start, end: t.end, kinds: p.kinds, reflexive: p.reflexive}
	q.owner = p.owner && next.kind == wordToken && !stopWords[next.low] && !prepositions[next.low]
	if t.low == "his" || t.low == "its" || t.low == "their" {
		q.owner = true
	}
	switch {
	case p.reflexive || p.owner && q.owner:
		q.role = ownerRole
	case p.subject:
		q.role = objectRole
		if t.low != "it" || next.class&auxWord != 0 && !prepositions[e.low(i-1)] || e.role(i, i+1) == subjectRole {
			q.role = subjectRole
		}
	default:
		q.role = objectRole
	}
	if q.role == objectRole && prepositions[e.low(i-1)] {
		q.role = obliqueRole
	}
	if t.low == "it" && e.empty(i, q.role == subjectRole) {
		return
	}
	if e.ahead(i, &q) {
		return
	}
	q.wants = e.wants(i, &q)
	e.resolve(q)
}

// weather, phase: what "it" is said to be without standing for anything.
var (
	emptyStates = wordSet("raining snowing pouring freezing cold hot warm sunny cloudy windy rainy late early dark noon midnight morning evening monday tuesday wednesday thursday friday saturday sunday spring summer autumn fall winter christmas time okay ok alright fine")
	emptyVerbs  = wordSet("comes shows showed proves proved rained snowed rains snows turns turned takes took seems seemed appears appeared happens happened depends matters hurts means meant")
	emptyNouns  = wordSet("idea while time shame pity pleasure honor honour privilege blast joy day year month week ages years months weeks days minute hour")
	// idioms are what a verb and "it" say together.
	idioms    = wordSet("got get make made makes take call screw dig nail nailed lose rock crush hit wing")
	idiomTail = map[string]string{"give": "a shot try go", "gave": "a shot try go", "giving": "a shot try go"}
	clauseIt  = wordSet("to that how when if what whether why who where")
	opinion   = wordSet("find found finding make makes made making consider think keep")
)

// empty tells whether "it" at token i stands for nothing that was named: it is
// that of the weather or the time, or what it stands for follows.
func (e *readerEn) empty(i int, subject bool) bool {
	before := e.low(i - 1)
	if !subject {
		next := e.low(i + 1)
		switch {
		case idiomTail[before] != "" && (next == "a" || next == "my" || next == "another"):
			return true
		case idioms[before] && (e.gap(i+1) || next == "easy" || next == "up" || next == "out") && before != "make" && before != "made" && before != "makes":
			return before == "got" && e.tok(i-2).kind == punctToken || before == "call" || before == "rock" || before == "crush" || before == "nail" || next == "easy"
		case opinion[before]:
			return e.clauseAfter(i+1, 4)
		case before == "appreciate" || before == "worth" || before == "hear" || before == "believe" || before == "bet" || before == "mean" || before == "hope":
			return true
		}
		return false
	}
	k := i + 1
	for e.tok(k).class&advWord != 0 {
		k++
	}
	if emptyVerbs[e.low(k)] {
		switch w := e.low(k); w {
		case "takes", "took", "means", "meant":
			return e.clauseAfter(k+1, 5) || w[0] == 'm' && e.low(k+1) == "a" && e.low(k+2) == "lot"
		case "turns", "turned":
			n := e.tok(k + 2)
			return e.low(k+1) == "out" && (n.kind == punctToken || clauseIt[n.low] || n.class&detWord != 0 || n.low == "i" || pronounsEn[n.low].subject)
		case "comes":
			return e.low(k+1) == "to"
		case "seems", "seemed", "appears", "appeared":
			return e.low(k+1) == "that" || e.low(k+1) == "like" && e.tok(k+2).class&(detWord|possWord) == 0 || e.clauseAfter(k+1, 3) && e.low(k+1) != "to"
		default:
			return true
		}
	}
	if w := e.low(k); (w == "looks" || w == "sounds" || w == "feels" || w == "looked" || w == "felt") && e.low(k+1) == "like" {
		n := e.low(k + 2)
		return n == "i" || n == "you" || n == "we" || n == "they" || n == "he" || n == "she" || n == "a" && w[0] == 'l'
	}
	// it is/was/has been/would be …
	k = i + 1
	be := false
	for k < i+5 && (e.tok(k).class&(auxWord|advWord|negWord) != 0) {
		switch e.low(k) {
		case "is", "'s", "was", "be", "been", "'ll":
			be = true
		}
		k++
	}
	if !be {
		return false
	}
	for e.tok(k).class&(advWord|evaluativeWord) != 0 && e.tok(k+1).kind == wordToken && !stopWords[e.low(k+1)] && !clauseIt[e.low(k+1)] || e.low(k) == "such" || e.low(k) == "a" || e.low(k) == "an" || e.low(k) == "been" {
		if k++; k > i+9 {
			break
		}
	}
	switch t := e.tok(k); {
	case emptyStates[t.low] && (e.gap(k+1) || t.low == "time" || emptyStates[e.low(k+1)]), emptyNouns[t.low]:
		return true
	case t.kind == numToken && (e.low(k+1) == "pm" || e.low(k+1) == "am" || e.low(k+1) == "degrees" || e.low(k+1) == "o'clock"):
		return true
	case t.low == "like" && e.gap(k+1):
		return true
	}
	return e.clauseAfter(k+1, 3)
}

// clauseAfter tells whether a clause opens within n tokens from k on: "nice to …",
// "hard for me to …", "great seeing …".
func (e *readerEn) clauseAfter(k, n int) bool {
	for j := k; j < k+n; j++ {
		t := e.tok(j)
		if t.kind == punctToken || j >= e.to {
			return false
		}
		if clauseIt[t.low] {
			return true
		}
		if j == k && strings.HasSuffix(t.low, "ing") && t.kind == wordToken && !notGerund[t.low] && len(t.low) > 4 {
			return true
		}
		if t.low == "for" {
			n += 3
		}
	}
	return false
}

// ahead tells whether what a pronoun of a subordinate clause stands for may follow
// it, "When she arrived, Anna …", and nothing before it does.
func (e *readerEn) ahead(i int, p *pronoun) bool {
	if !clauseWords[e.low(i-1)] && e.low(i-1) != "although" && e.low(i-1) != "while" || i-1 != e.from {
		return false
	}
	if b, _, _ := e.best(e.refs, p); b >= 0 {
		return false
	}
	for k := i + 1; k < min(e.to, i+20); k++ {
		if e.low(k) == "," {
			m := e.mentionAt(k + 1)
			return m != nil && m.Type == typePerson && !e.talks(m.Text)
		}
	}
	return false
}

// What verbs and nouns say about an "it" beside them.
var (
	workVerbs  = wordSet("read reading watch watching watched listen finish finished reread rewatch rewatched stream streaming binge directed wrote")
	placeVerbs = wordSet("visit visiting visited")
	orgVerbs   = wordSet("use using used download downloading downloaded install installed")
	workNouns  = wordSet("book novel movie film show series song album game story read memoir podcast play documentary musical comedy thriller anime")
	placeNouns = wordSet("city place country town village beach park destination neighborhood island")
	eventNouns = wordSet("experience moment day night adventure ride journey trip time feeling event party blast memory milestone honor treat achievement step decision")
	orgNouns   = wordSet("app company tool platform brand website service store startup")
)

// wants gives what the words around a pronoun say that it is.
func (e *readerEn) wants(i int, p *pronoun) kinds {
	if p.kinds != asIt {
		return 0
	}
	if p.role != subjectRole {
		w := e.low(i - 1)
		if w == "to" && e.low(i-2) == "listen" {
			w = "listen"
		}
		switch {
		case workVerbs[w]:
			return aWork
		case placeVerbs[w], w == "to" && (e.low(i-2) == "been" || e.low(i-2) == "travel" || e.low(i-2) == "went"):
			return aPlace
		case orgVerbs[w]:
			return anOrg
		}
		return 0
	}
	k := i + 1
	if w := e.low(k); w != "is" && w != "'s" && w != "was" && !(w == "sounds" || w == "looks") {
		return 0
	}
	for k++; k < i+9 && e.tok(k).kind == wordToken; k++ {
		switch w := e.low(k); {
		case workNouns[w]:
			return aWork
		case placeNouns[w]:
			return aPlace
		case eventNouns[w]:
			return anEvent
		case orgNouns[w]:
			return anOrg
		case prepositions[w] && w != "like":
			return 0
		}
	}
	return 0
}
