package extract

import (
	"github.com/asof-db/asof/internal/corenlp"
)

// serverEntities is option B' of ner: the rules, and names of a CoreNLP server where the
// rules have none.
type serverEntities struct {
	server
	rules EntityFinder
}

// Version names the rules and the server.
func (e serverEntities) Version() string { return e.by(e.rules.Version(), "ner.server/1") }

// ExtractEntities gives the mentions in order of their place, none overlapping.
func (e serverEntities) ExtractEntities(d *Document) []Mention {
	found := e.rules.ExtractEntities(d)
	if !uncovered(d, found) {
		return found
	}
	doc, ok := e.read(d, "ner")
	if !ok {
		return found
	}
	var more []Mention
	for i := range doc.Mentions {
		if m, ok := serverMention(d, &doc.Mentions[i]); ok && !overlaps(found, m.Start, m.End) && !overlaps(more, m.Start, m.End) {
			more = append(more, m)
		}
	}
	if len(more) == 0 {
		return found
	}
	more = append(more, found...)
	sortMentions(more)
	return more
}

// nameLike tells whether a token may be part of a name: a word with a capital that the
// lists do not know for another.
func nameLike(t *token) bool {
	return t.kind == wordToken && t.upper && t.low != "i" && pronounsEn[t.low].kinds == 0 && !noNames[t.low] && !notNames[t.low] && t.class&^wideWords == 0
}

// notNames are words that the server takes for names, or for parts of names.
var notNames = wordSet("he she him her his hers they them their theirs it its we us our you your yours me my mine i who whom whose i'm i've i'll i'd " +
	"hey hi hello wow yeah yep nope haha hah lol omg ok okay oh ah aw awww aww yay ooh ugh hmm thanks thank cheers congrats yes no please sorry sure definitely totally absolutely " +
	"mr mrs ms dr sir madam")

// uncovered tells whether the turn, being English, has a word that may be a name and that no
// mention covers.
func uncovered(d *Document, found []Mention) bool {
	if !latinText(d.tokens) {
		return false
	}
	for i := range d.tokens {
		if t := &d.tokens[i]; nameLike(t) && !overlaps(found, t.start, t.end) {
			return true
		}
	}
	return false
}

// overlaps tells whether a mention shares a byte with [start, end).
func overlaps(all []Mention, start, end int) bool {
	for i := range all {
		if all[i].Start < end && start < all[i].End {
			return true
		}
	}
	return false
}

// serverTypes are the types of mention that stand for types of the server. What is not here
// (titles, nationalities, dates, numbers …) is no entity.
var serverTypes = map[string]string{
	"PERSON": typePerson, "ORGANIZATION": typeOrg, "LOCATION": typeLoc, "CITY": typeLoc, "STATE_OR_PROVINCE": typeLoc, "COUNTRY": typeLoc,
}

// serverMention gives the server's mention as ours; ok is false where it is none.
func serverMention(d *Document, m *corenlp.Mention) (Mention, bool) {
	typ := serverTypes[m.Type]
	a, b := d.tokenAt(m.Start), d.tokenAt(m.End)
	for a < b && d.tokens[b-1].low == "'s" {
		b--
	}
	if typ == "" || a == b || d.tokens[a].start != m.Start || d.tokens[b-1].end > m.End || d.quoted(m.Start) || !wholeName(d, a, b, typ) {
		return Mention{}, false
	}
	if m.Type == "LOCATION" && b == a+1 && b < len(d.tokens) && d.tokens[b].kind == wordToken && !d.tokens[b].upper && !stopWords[d.tokens[b].low] {
		return Mention{}, false // "Mediterranean food": a kind
	}
	f := finder{d: d}
	return f.tidyLatin(Mention{d.Text[m.Start:d.tokens[b-1].end], m.Start, d.tokens[b-1].end, typ})
}

// maxNameWords is how many words a name has at most.
const maxNameWords = 5

// wholeName tells whether tokens [a, b) may be a name of the type by themselves: all in
// capitals but for small words inside, not cut out of a longer run of capitals, such as the
// model of a product or the title of an event, and not a kind of thing.
func wholeName(d *Document, a, b int, typ string) bool {
	toks := d.tokens
	if b-a > maxNameWords || b-a == 1 && b < len(toks) && toks[b].low == "-" {
		return false
	}
	for i := a; i < b; i++ {
		t := &toks[i]
		inside := i > a && i < b-1
		switch {
		case t.line && i > a, t.kind != wordToken && !(inside && (t.low == "." || t.low == "&" || t.low == "-" && !t.space)):
			return false
		case t.kind == wordToken && !nameLike(t) && !(inside && !t.upper) && !(t.upper && t.class&(orgHead|locHead) != 0 && b-a > 1):
			return false
		}
	}
	goesOn := func(i int) bool {
		return i >= 0 && i < len(toks) && (toks[i].kind == numToken || toks[i].kind == wordToken && toks[i].upper && toks[i].low != "i")
	}
	if a > 0 && !toks[a].line && goesOn(a-1) && !opensSentence(d, a-1) || b < len(toks) && toks[b].space && !toks[b].line && goesOn(b) {
		return false
	}
	// "the Les Paul", "my Pavlova": things that bear a name.
	return typ != typePerson || a == 0 || toks[a-1].class&(detWord|possWord) == 0
}

// opensSentence tells whether a sentence begins with token i, whose capital then says nothing.
func opensSentence(d *Document, i int) bool {
	for _, s := range d.Sentences {
		if s.Start == d.tokens[i].start {
			return d.tokens[i].class != 0
		}
	}
	return false
}
