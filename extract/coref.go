package extract

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/asof-db/asof/internal/analyze"
)

// nearestCoref is option A of coref: a third-person pronoun stands for the most
// salient of what was named before it that agrees with it in gender, number and
// animacy; see [resolver].
type nearestCoref struct{}

// Version names the rule.
func (nearestCoref) Version() string { return "coref.rule/2" }

const (
	// maxCorefs bounds the pronouns that are resolved in one turn.
	maxCorefs = 64
	// maxReferents bounds what a pronoun may choose from.
	maxReferents = 48
	// maxBack is how many turns back a pronoun looks.
	maxBack = 3
	// maxBackText bounds the part of an earlier turn that is read, in bytes from
	// its end.
	maxBackText = 2 << 10
)

// ResolveCoref gives the pronouns whose referent is found, in order.
func (nearestCoref) ResolveCoref(d *Document) []Coref {
	r := resolver{d: d, speaker: d.Speaker, listener: d.Listener}
	if !r.asks() {
		return nil
	}
	r.read()
	return r.out
}

// role is the place of a phrase in its clause.
type role uint8

const (
	obliqueRole role = iota
	ownerRole
	objectRole
	subjectRole
)

// referent is something that the talk has named.
type referent struct {
	// text is what a pronoun for it refers to, subject what a fact calls it: a name,
	// or "Anna/sister"; empty where no fact can.
	text, subject string
	// head is its last word in lower case, by which "the dog" is "a dog" again.
	head  string
	kinds kinds
	// leans is the pronoun that a name lets expect without saying so.
	leans kinds
	// start and end are the bytes of its last mention; sentence and clause count
	// within the turn.
	start, end       int
	sentence, clause int
	role             role
	// count is how often it was mentioned; back how many turns before.
	count, back int
	// weak: a bare noun, or one that the lists do not know; fresh: one that "a"
	// brings in.
	weak, fresh bool
}

// pronoun is one that is to be resolved.
type pronoun struct {
	start, end int
	kinds      kinds
	role       role
	// owner is a possessive, reflexive one of "himself".
	owner, reflexive bool
	// wants is what the words around it say that it is: aWork, aPlace, anOrg,
	// aPerson or anAnimal.
	wants kinds
}

// resolver reads a turn from left to right. It keeps what was named, the latest
// mention of each, and gives a pronoun to the best by score: near ones, subjects,
// names and what was spoken of before come first. What the pronoun cannot stand
// for beside another word of its own clause is left out.
type resolver struct {
	d *Document
	// speaker and listener are those of the turn that is read.
	speaker, listener string
	refs              []referent
	out               []Coref
	sentence, clause  int
	// subject is the first clause whose subject still holds: "Henry saw Oscar and
	// waved".
	subject int
	// before holds what the turns before named, read when first asked for.
	before []referent
	looked bool
	// inner: an earlier turn is read, which looks no further back; open are its
	// pronouns that nothing in it stood for.
	inner bool
	open  kinds
}

// asks tells whether the turn has a pronoun at all.
func (r *resolver) asks() bool {
	for i := range r.d.tokens {
		t := &r.d.tokens[i]
		switch t.kind {
		case wordToken:
			if _, ok := pronounsEn[t.low]; ok {
				return true
			}
		case hanToken:
			if strings.ContainsAny(r.d.Text[t.start:t.end], "他她它") {
				return true
			}
		}
	}
	return false
}

// read goes through the sentences.
func (r *resolver) read() {
	toks := r.d.tokens
	i := 0
	for n, s := range r.d.Sentences {
		r.sentence = n
		r.clause++
		r.subject = r.clause
		j := i
		for j < len(toks) && toks[j].start < s.End {
			j++
		}
		r.span(i, j)
		i = j
		if len(r.out) >= maxCorefs {
			return
		}
	}
}

// span reads tokens [a, b), a sentence, in the language that most of it is in.
func (r *resolver) span(a, b int) {
	han, latin := 0, 0
	for i := a; i < b; i++ {
		switch t := &r.d.tokens[i]; t.kind {
		case hanToken:
			han += t.end - t.start
		case wordToken:
			latin += t.end - t.start
		}
	}
	if han > 0 && 2*han >= latin {
		r.chinese(a, b)
		return
	}
	r.english(a, b)
}

// entityAt gives the entity that starts at a byte, nil where none does.
func (r *resolver) entityAt(at int) *Mention {
	all := r.d.Entities
	k, ok := slices.BinarySearchFunc(all, at, func(m Mention, at int) int { return m.Start - at })
	if !ok {
		return nil
	}
	return &all[k]
}

// add takes in a mention: of what is known already, or of something new.
func (r *resolver) add(m referent) *referent {
	m.sentence, m.clause, m.count = r.sentence, r.clause, 1
	if k := r.find(&m); k >= 0 {
		old := r.refs[k]
		m.count = old.count + 1
		if m.kinds&hasName == 0 && old.kinds&hasName != 0 || m.subject == "" {
			m.text, m.subject = old.text, old.subject
		}
		if both := m.kinds & old.kinds; both&asPronoun != 0 {
			m.kinds = both | (m.kinds|old.kinds)&^asPronoun
		}
		m.weak = m.weak && old.weak
		m.leans |= old.leans
		r.refs = append(r.refs[:k], r.refs[k+1:]...)
	} else if len(r.refs) >= maxReferents {
		r.refs = append(r.refs[:0], r.refs[1:]...)
	}
	r.refs = append(r.refs, m)
	return &r.refs[len(r.refs)-1]
}

// find gives the place of what a mention names again, or -1.
func (r *resolver) find(m *referent) int {
	for k := len(r.refs) - 1; k >= 0; k-- {
		o := &r.refs[k]
		if o.text == m.text && o.kinds&isMany == m.kinds&isMany {
			return k
		}
		if o.kinds&m.kinds&hasName != 0 && o.kinds&m.kinds&aPerson != 0 && (strings.HasPrefix(o.text, m.text+" ") || strings.HasPrefix(m.text, o.text+" ")) {
			return k // Anna, Anna Berg
		}
		if m.kinds&hasName == 0 && !m.weak && m.head != "" && o.head == m.head && m.kinds&isMany == o.kinds&isMany && m.subject == o.subject {
			return k // a dog, the dog
		}
	}
	return -1
}

// touch makes a pronoun the latest mention of what it stands for.
func (r *resolver) touch(k int, p *pronoun) {
	m := r.refs[k]
	m.count++
	m.start, m.end, m.role = p.start, p.end, p.role
	m.sentence, m.clause = r.sentence, r.clause
	if m.kinds&isMany == 0 {
		m.kinds = m.kinds&^asPronoun | p.kinds
	}
	copy(r.refs[k:], r.refs[k+1:])
	r.refs[len(r.refs)-1] = m
}

// resolve gives a pronoun to the best of what it may stand for.
func (r *resolver) resolve(p pronoun) {
	if len(r.out) >= maxCorefs {
		return
	}
	best, score, second := r.best(r.refs, &p)
	from := r.refs
	if !r.inner && score < needsNoLook {
		if !r.looked {
			r.looked = true
			r.lookBack()
		}
		if b, s, next := r.best(r.before, &p); s > score {
			from, best, score, second = r.before, b, s, max(next, score)
		} else {
			second = max(second, s)
		}
	}
	if best < 0 {
		r.open |= p.kinds
		return
	}
	c := Coref{Text: r.d.Text[p.start:p.end], Start: p.start, End: p.end, RefersTo: from[best].text}
	if score-second >= sureLead {
		c.Subject = from[best].subject
	}
	r.out = append(r.out, c)
	if len(r.before) > 0 && &from[0] == &r.before[0] {
		m := from[best]
		m.back = 0
		if len(r.refs) >= maxReferents {
			r.refs = append(r.refs[:0], r.refs[1:]...)
		}
		r.refs = append(r.refs, m)
		best = len(r.refs) - 1
	}
	r.touch(best, &p)
}

// lookBack reads the turns before, the nearest first, as far as maxBack.
func (r *resolver) lookBack() {
	prev := r.d.Previous
	open := kinds(0)
	for back := 1; back <= min(maxBack, len(prev)); back++ {
		t := &prev[len(prev)-back]
		text, err := t.Text.Open()
		if err != nil || text == "" {
			continue
		}
		text = tail(text)
		speaker, _ := t.Speaker.Open()
		listener, _ := t.Listener.Open()
		if listener == "" {
			if listener = r.d.Speaker; sameName(speaker, listener) {
				listener = r.d.Listener
			}
		}
		p := &Document{Text: text, Speaker: speaker, Listener: listener, Memory: r.d.Memory, Registry: r.d.Registry, tokens: tokenize(text)}
		p.quotes = quoteRanges(p.tokens)
		p.Sentences = ruleSplitter{}.Split(p)
		p.Entities = ruleEntities{}.ExtractEntities(p)
		q := resolver{d: p, speaker: speaker, listener: listener, inner: true}
		q.read()
		for k := range q.refs {
			m := q.refs[k]
			if r.knows(r.before, &m) {
				continue
			}
			m.back = back
			m.sentence -= len(p.Sentences) // counted back from this turn's start
			if m.kinds&open&(asHe|asShe) != 0 && m.kinds&(aPerson|anAnimal) != 0 {
				m.back, m.sentence, m.count = 1, -1, m.count+2 // the turns between spoke of it
			}
			m.clause = -1
			r.before = append(r.before, m)
		}
		open |= q.open
	}
}

// knows tells whether what a referent names is in the list.
func (r *resolver) knows(list []referent, m *referent) bool {
	for k := range list {
		if list[k].text == m.text {
			return true
		}
	}
	return false
}

// tail gives the end of a long text, from the start of a line or a word on.
func tail(text string) string {
	if len(text) <= maxBackText {
		return text
	}
	text = text[len(text)-maxBackText:]
	if k := strings.IndexAny(text, " \n。"); k >= 0 {
		return text[k+1:]
	}
	for len(text) > 0 && !utf8.RuneStart(text[0]) {
		text = text[1:]
	}
	return text
}

// sameName tells whether two names of participants are one.
func sameName(a, b string) bool {
	return analyze.NormalizeName(a) == analyze.NormalizeName(b)
}

// talks tells whether a name is that of one of the two who speak, who are "I" and
// "you" to each other.
func (r *resolver) talks(name string) bool {
	n := analyze.NormalizeName(name)
	for _, p := range [...]string{r.d.Speaker, r.d.Listener} {
		if p == "" || n == "" {
			continue
		}
		q := analyze.NormalizeName(p)
		if q == n || strings.HasPrefix(q, n) && (len(n) >= 3 || q[len(n):][0] == ' ') || strings.HasPrefix(n, q+" ") {
			return true
		}
	}
	return false
}
