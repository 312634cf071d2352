package extract

import (
	"cmp"
	"slices"

	"github.com/asof-db/asof/internal/corenlp"
)

// parsedRelations is option A of relation where a parse is there: the patterns, and in
// sentences that gave none of a relation the dependency path from its verb to who and to
// what, however much stands between them.
type parsedRelations struct {
	server
	rules RelationFinder
}

// Version names the patterns and the server.
func (p parsedRelations) Version() string { return p.by(p.rules.Version(), "relation.parse/1") }

// sourceServer is the source of candidates that dependency paths gave.
const sourceServer = "corenlp"

// pathVerbs are the relations of verbs by dictionary form.
var pathVerbs = map[string]string{
	"live": "lives_in", "reside": "lives_in", "move": "lives_in", "relocate": "lives_in",
	"work": "works_at", "intern": "works_at", "study": "studies_at",
	"like": "likes", "love": "likes", "enjoy": "likes", "adore": "likes", "own": "owns", "buy": "owns", "adopt": "owns",
}

// pathForms are forms of these verbs with their relations, by which a turn is known to be
// worth a parse.
var pathForms = func() map[string]string {
	m := map[string]string{}
	for rel, forms := range map[string]string{
		"lives_in": "live lives living lived reside resides residing moved relocated",
		"works_at": "work works working worked intern interns interning", "studies_at": "study studies studying",
		"likes": "like likes love loves loving enjoy enjoys enjoying adore adores", "owns": "own owns bought adopted",
	} {
		for f := range wordSet(forms) {
			m[f] = rel
		}
	}
	return m
}()

// ExtractRelations gives the candidates in order of their place, each once.
func (p parsedRelations) ExtractRelations(d *Document) []Relation {
	found := p.rules.ExtractRelations(d)
	if d.Speaker == "" || !unread(d, found) {
		return found
	}
	doc, ok := p.read(d, "relation")
	if !ok {
		return found
	}
	n := len(found)
	for i := range doc.Sentences {
		for _, r := range parsed(d, &doc.Sentences[i]) {
			if !said(d, found, &r) {
				r.Source, r.Confidence = sourceServer, min(r.Confidence, weak)
				found = append(found, r)
			}
		}
	}
	if len(found) > n {
		slices.SortStableFunc(found, func(a, b Relation) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
	}
	return found
}

// unread tells whether the turn, being English, has a verb of a relation that no candidate of
// the relation covers. Liking has several relations: any candidate covers its verbs.
func unread(d *Document, found []Relation) bool {
	if !latinText(d.tokens) {
		return false
	}
	for i := range d.tokens {
		t := &d.tokens[i]
		rel := pathForms[t.low]
		if t.kind == wordToken && rel != "" && !slices.ContainsFunc(found, func(r Relation) bool {
			return r.Span.Start <= t.start && t.start < r.Span.End && (r.Rel == rel || rel == "likes")
		}) {
			return true
		}
	}
	return false
}

// said tells whether the candidates have one of the same relation, or kind of liking, and
// subject from the same sentence, or the same value of the subject anywhere.
func said(d *Document, found []Relation, r *Relation) bool {
	from, to := 0, len(d.Text)
	for _, s := range d.Sentences {
		if s.Start <= r.Span.Start && r.Span.Start < s.End {
			from, to = s.Start, s.End
		}
	}
	return slices.ContainsFunc(found, func(x Relation) bool {
		return x.Dst == r.Dst && x.Src == r.Src || x.Rel == r.Rel && from <= x.Span.Start && x.Span.Start < to
	})
}

// parse is a sentence with the server's arcs; tokens are ours, by index.
type parse struct {
	s    sentenceEn
	from *corenlp.Sentence
	// ours gives for each of the server's words the token of ours that starts where it does, or -1.
	ours []int
}

// parsed gives what the paths of a sentence say.
func parsed(d *Document, from *corenlp.Sentence) []Relation {
	if len(from.Arcs) != len(from.Tokens) || d.quoted(from.Start) {
		return nil
	}
	a, b := d.tokenAt(from.Start), d.tokenAt(from.End)
	p := parse{s: sentenceEn{relater: &relater{d: d}, from: a, to: b, hypothesis: b}, from: from}
	for i := a; i < b; i++ {
		t := &d.tokens[i]
		if t.kind == punctToken && t.low == "?" {
			return nil
		}
		if hypothetical[t.low] {
			p.s.hypothesis = min(p.s.hypothesis, i)
		}
	}
	for i := range from.Tokens {
		k := d.tokenAt(from.Tokens[i].Start)
		if k >= b || d.tokens[k].start != from.Tokens[i].Start {
			k = -1
		}
		p.ours = append(p.ours, k)
	}
	for i := range from.Tokens {
		if rel := pathVerbs[from.Tokens[i].Lemma]; rel != "" {
			p.verb(i, rel)
		}
	}
	return p.s.out
}

// verb reads one verb: word i of the server's.
func (p *parse) verb(i int, rel string) {
	tag := p.from.Tokens[i].PartOfSpeech
	if len(tag) < 2 || tag[:2] != "VB" || p.ours[i] < 0 || p.ours[i] >= p.s.hypothesis || !p.asserted(i) {
		return
	}
	sub, ok := p.subject(i)
	if !ok || sub.listener {
		return
	}
	g, ok := p.group(i)
	if !ok {
		return
	}
	sub.verb = g.verb
	switch lemma := p.from.Tokens[i].Lemma; {
	case lemma == "move" || lemma == "relocate":
		if (tag == "VBD" || tag == "VBN") && !g.neg && !g.be {
			p.oblique(i, "to", func(k int) bool { return p.placed(sub, g, rel, k, p.s.began(sub, g)) })
		}
	case rel == "likes":
		if k, ok := p.object(i); ok && tag != "VBD" && !g.past {
			p.s.taste(sub, g, k, rel, g.neg)
		}
	case rel == "owns":
		if k, ok := p.object(i); ok && k == g.verb+1 {
			p.s.owns(sub, g)
		}
	case tag == "VBD" || g.past || tag == "VBN" && !g.be && !g.perfect:
		// What one did is no state that holds.
	case g.perfect && !p.s.stated(sub, g).hasFrom && !g.neg:
		// "I've lived in Paris and Rome": once.
	case rel == "lives_in":
		p.oblique(i, "in", func(k int) bool { return p.placed(sub, g, rel, k, p.s.stated(sub, g)) })
	default:
		p.oblique(i, "at", func(k int) bool { return p.employed(sub, g, rel, k) })
		if rel == "works_at" {
			p.oblique(i, "for", func(k int) bool { return p.employed(sub, g, rel, k) })
		}
	}
}

// placed emits a place that stands at token k, and tells whether one does.
func (p *parse) placed(sub subjectEn, g verbGroup, rel string, k int, v validity) bool {
	a, b, ok := p.s.placeAt(k)
	if !ok {
		return false
	}
	m := p.s.mentionAt(p.s.tok(a).start)
	if m == nil || m.Type != typeLoc {
		return false
	}
	p.s.place(sub, g, rel, a, b, likely, v)
	return true
}

// employed emits an employer or a school that stands at token k, and tells whether one
// does.
func (p *parse) employed(sub subjectEn, g verbGroup, rel string, k int) bool {
	a, b, conf, ok := p.s.employer(k)
	if ok {
		p.s.place(sub, g, rel, a, b, conf, p.s.stated(sub, g))
	}
	return ok
}

// maxPath bounds the arcs from a verb to the root.
const maxPath = 6

// asserted tells whether what word i says is told as a fact: from it to the root lead only
// clauses side by side, those that say more of a person, and those that a verb such as
// "know" of the speaker's takes.
func (p *parse) asserted(i int) bool {
	for n := 0; n < maxPath; n++ {
		for j, arc := range p.from.Arcs {
			if arc.Head == i && arc.Rel == "mark" && p.from.Tokens[j].Lemma != "that" && p.from.Tokens[j].Lemma != "since" && p.from.Tokens[j].Lemma != "because" {
				return false
			}
		}
		arc := p.from.Arcs[i]
		switch arc.Rel {
		case "ROOT", "root":
			return true
		case "conj", "parataxis":
		case "acl:relcl":
			// The clause is told of somebody; what is said of that one is another matter.
			i = arc.Head
			switch arc = p.from.Arcs[i]; arc.Rel {
			case "ROOT", "root":
				return true
			case "nsubj", "obj", "obl", "nmod", "appos", "conj":
			default:
				return false
			}
		case "ccomp":
			if k := p.ours[arc.Head]; k < 0 || !factVerbs[p.s.low(k)] || p.s.others(k) {
				return false
			}
		default:
			return false
		}
		if i = arc.Head; i < 0 || p.modal(i) {
			return false
		}
	}
	return false
}

// modal tells whether a verb has a modal verb, so that it is no fact.
func (p *parse) modal(i int) bool {
	for j, arc := range p.from.Arcs {
		if arc.Head == i && arc.Rel == "aux" && p.from.Tokens[j].PartOfSpeech == "MD" {
			return true
		}
	}
	return false
}

// child gives the first word that depends on word i in a relation, -1 for none.
func (p *parse) child(i int, rel string) int {
	for j, arc := range p.from.Arcs {
		if arc.Head == i && arc.Rel == rel {
			return j
		}
	}
	return -1
}

// subject gives who does what verb i says: its own subject, that of the verb beside it, or
// the person of whom its clause says more.
func (p *parse) subject(i int) (subjectEn, bool) {
	for n := 0; n < maxPath; n++ {
		arc := p.from.Arcs[i]
		j := p.child(i, "nsubj")
		switch {
		case arc.Rel == "acl:relcl" && p.who(i):
			return p.person(arc.Head)
		case j >= 0:
			return p.person(j)
		case arc.Rel != "conj" || arc.Head < 0 || p.child(i, "csubj") >= 0 || p.child(i, "nsubj:pass") >= 0:
			return subjectEn{}, false
		}
		i = arc.Head
	}
	return subjectEn{}, false
}

// who tells whether the clause of verb i opens with "who", its subject.
func (p *parse) who(i int) bool {
	for j, arc := range p.from.Arcs[:i] {
		if arc.Head == i && p.from.Tokens[j].Lemma == "who" {
			return true
		}
		if arc.Head == i && arc.Rel == "nsubj" {
			return false
		}
	}
	return false
}

// person gives who a phrase is about, by its main word.
func (p *parse) person(head int) (subjectEn, bool) {
	first := head
	for j, arc := range p.from.Arcs {
		switch {
		case arc.Head != head:
		case arc.Rel == "conj" || arc.Rel == "cc":
			return subjectEn{}, false // several
		case j < first && (arc.Rel == "nmod:poss" || arc.Rel == "compound" || arc.Rel == "amod"):
			first = j
		}
	}
	if p.ours[first] < 0 || p.ours[head] < 0 || p.s.d.quoted(p.s.tok(p.ours[first]).start) {
		return subjectEn{}, false
	}
	sub, ok := p.s.subject(p.ours[first])
	return sub, ok && sub.verb > p.ours[head]
}

// group gives the verb with what stands before it, as [sentenceEn.group] does; ok is false
// for what is no fact.
func (p *parse) group(i int) (g verbGroup, ok bool) {
	g.verb = p.ours[i]
	for j, arc := range p.from.Arcs {
		if arc.Head != i {
			continue
		}
		t := &p.from.Tokens[j]
		switch arc.Rel {
		case "aux":
			switch t.Lemma {
			case "have":
				g.perfect, g.past = true, g.past || t.PartOfSpeech == "VBD"
			case "be":
				g.be, g.past = true, g.past || t.PartOfSpeech == "VBD"
			case "do":
				g.did, g.past = true, g.past || t.PartOfSpeech == "VBD"
			default:
				return g, false // would, will, to …
			}
		case "aux:pass":
			return g, false
		case "advmod":
			switch t.Lemma {
			case "not", "never", "n't":
				g.neg = true
			case "longer", "anymore", "when", "where", "why", "how":
				return g, false // what is over is the rules' matter
			}
		}
	}
	return g, true
}

// object gives the token where the object of verb i starts.
func (p *parse) object(i int) (int, bool) {
	j := p.child(i, "obj")
	if j < 0 {
		return 0, false
	}
	return p.phraseAt(j)
}

// oblique calls f with the tokens where the phrases start that the verb has with a
// preposition, until it takes one. "In Boston" of "live with my kids in Boston" may hang on
// the kids.
func (p *parse) oblique(i int, word string, f func(k int) bool) {
	for j, arc := range p.from.Arcs {
		c := p.child(j, "case")
		if j < i || c < 0 || p.from.Tokens[c].Lemma != word || p.ours[c] < 0 {
			continue
		}
		for n := 0; n < maxPath && arc.Head > i && (arc.Rel == "nmod" || arc.Rel == "conj" || arc.Rel == "obl"); n++ {
			arc = p.from.Arcs[arc.Head]
		}
		if arc.Head == i && arc.Rel == "obl" && f(p.ours[c]+1) {
			return
		}
	}
}

// phraseAt gives the token where the phrase of a main word starts: its own words before it.
func (p *parse) phraseAt(head int) (int, bool) {
	first := head
	for j := head - 1; j >= 0; j-- {
		if p.from.Arcs[j].Head != head {
			if k := p.from.Arcs[j].Head; k < j || k > head {
				break
			}
		}
		first = j
	}
	return p.ours[first], p.ours[first] >= 0
}
