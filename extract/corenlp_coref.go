package extract

import (
	"slices"
	"strings"

	"github.com/asof-db/asof/internal/analyze"
	"github.com/asof-db/asof/internal/corenlp"
)

// serverCoref is option B of coref: the rules, and chains of a CoreNLP server for the
// pronouns that the rules leave alone.
type serverCoref struct {
	server
	rules CorefResolver
}

// Version names the rules and the server.
func (c serverCoref) Version() string { return c.by(c.rules.Version(), "coref.server/1") }

// backTurns is how many turns before a turn are read for its pronouns.
const backTurns = 2

// onePerson are the pronouns of one person, thingOrSome those that may also stand for
// nothing that was named.
var (
	onePerson   = wordSet("he she him her his hers himself herself")
	thingOrSome = wordSet("it its they them their theirs itself themselves")
)

// ResolveCoref gives the pronouns whose referent is clear, in order.
func (c serverCoref) ResolveCoref(d *Document) []Coref {
	found := c.rules.ResolveCoref(d)
	if !unresolved(d, found) {
		return found
	}
	doc, from, ok := c.readWithin(d, "coref", backTurns)
	if !ok {
		return found
	}
	n := len(found)
	for _, chain := range doc.Chains {
		for i := range chain {
			if len(found) >= maxCorefs {
				break
			}
			ref := &chain[i]
			if ref.Kind != "PRONOMINAL" || ref.Start < from || resolved(found, ref.Start-from) || d.quoted(ref.Start-from) {
				continue
			}
			if r, ok := d.referredTo(chain[:i], ref, from); ok {
				found = append(found, r)
			}
		}
	}
	if len(found) > n {
		slices.SortStableFunc(found, func(a, b Coref) int { return a.Start - b.Start })
	}
	return found
}

// unresolved tells whether the turn, being English, has a pronoun that stands for nobody
// yet; one that may stand for nothing counts where something was named before it.
func unresolved(d *Document, found []Coref) bool {
	if !latinText(d.tokens) {
		return false
	}
	named := false
	for _, p := range d.Previous[max(0, len(d.Previous)-backTurns):] {
		if text, err := p.Text.Open(); err == nil && len(text) <= contextBytes {
			named = named || slices.ContainsFunc(tokenize(text), func(t token) bool { return nameLike(&t) })
		}
	}
	for i := range d.tokens {
		t := &d.tokens[i]
		if t.kind == wordToken && (onePerson[t.low] || named && thingOrSome[t.low]) && !resolved(found, t.start) {
			return true
		}
		named = named || nameLike(t)
	}
	return false
}

// resolved tells whether the pronoun at a byte stands for somebody.
func resolved(found []Coref, at int) bool {
	return slices.ContainsFunc(found, func(c Coref) bool { return c.Start == at })
}

// referredTo gives what a pronoun stands for: of what its chain named before it the
// nearest name, else, for a person, the nearest noun phrase. from is the byte of the
// server's text where the turn begins.
func (d *Document) referredTo(before corenlp.Chain, ref *corenlp.Reference, from int) (Coref, bool) {
	start, end := ref.Start-from, ref.End-from
	word := lower(d.Text[start:end])
	person := onePerson[word]
	if !person && !thingOrSome[word] {
		return Coref{}, false
	}
	phrase := ""
	for i := len(before) - 1; i >= 0; i-- {
		r := &before[i]
		text := d.serverPhrase(r, from)
		switch {
		case text == "" || len(text) > maxReferent || strings.ContainsAny(text, "\n\r"):
		case r.Kind == "PROPER":
			name, typ := d.properOf(r, text, from)
			if name != "" && (typ == "" || person == (typ == typePerson)) {
				c := Coref{Text: d.Text[start:end], Start: start, End: end, RefersTo: name}
				if person {
					c.Subject = name
				}
				return c, true
			}
		case r.Kind == "NOMINAL" && phrase == "" && person && r.Number != "PLURAL":
			phrase = withoutArticle(text)
		}
	}
	if phrase == "" {
		return Coref{}, false
	}
	return Coref{Text: d.Text[start:end], Start: start, End: end, RefersTo: phrase}, true
}

// maxReferent bounds what a pronoun refers to, in bytes.
const maxReferent = 80

// serverPhrase gives the text of a reference, of the turn or of the turns before it, without
// the sign of a possessive.
func (d *Document) serverPhrase(r *corenlp.Reference, from int) string {
	text := ""
	if r.Start >= from {
		text = d.Text[r.Start-from : r.End-from]
	} else {
		text = d.server.before[r.Start:min(r.End, from)]
	}
	return strings.TrimSuffix(strings.TrimSuffix(text, "'s"), "’s")
}

// withoutArticle gives a phrase without the article that opens it.
func withoutArticle(text string) string {
	if first, rest, ok := strings.Cut(text, " "); ok && articles[lower(first)] {
		return rest
	}
	return text
}

// properOf gives the name in a reference, with its type where that is known: of a person
// the entity that holds its main word, else the reference without its article. The two who
// speak are "I" and "you" and not "she"; an amount is no name.
func (d *Document) properOf(r *corenlp.Reference, text string, from int) (name, typ string) {
	if r.Start >= from {
		for i := range d.Entities {
			if m := &d.Entities[i]; m.Start <= r.Head.Start-from && r.Head.Start-from < m.End {
				if typ = m.Type; typ == typePerson {
					text = m.Text
				}
			}
		}
	}
	if typ != typeWork {
		text = withoutArticle(text)
	}
	if n := analyze.NormalizeName(text); n == analyze.NormalizeName(d.Speaker) || n == analyze.NormalizeName(d.Listener) || typ == typeMoney || text == "" || isDigit(text[0]) || text[0] == '$' {
		return "", ""
	}
	return text, typ
}
