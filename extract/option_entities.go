package extract

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/asof-db/asof/dsl"
)

// modelEntities is option B of ner: a network labels the names, one for each script;
// addresses, numbers and what no label stands for come by rules as in A, and so do the
// names of a script that has no network.
type modelEntities struct {
	latin, han TokenClassifier
	rules      EntityFinder
}

// typeOfLabel gives the type of mention that labels of the usual sets stand for, by
// their small letters; others stand for none.
var typeOfLabel = map[string]string{
	"per": typePerson, "person": typePerson, "nr": typePerson, "name": typePerson,
	"org": typeOrg, "organization": typeOrg, "organisation": typeOrg, "nt": typeOrg, "company": typeOrg, "corporation": typeOrg,
	"corp": typeOrg, "government": typeOrg,
	"loc": typeLoc, "location": typeLoc, "gpe": typeLoc, "fac": typeLoc, "facility": typeLoc, "ns": typeLoc, "address": typeLoc,
	"scene": typeLoc, "place": typeLoc,
	"work": typeWork, "work_of_art": typeWork, "creative-work": typeWork, "creative_work": typeWork, "nw": typeWork, "book": typeWork,
	"movie": typeWork, "game": typeWork,
}

// typesOf gives the types that the labels of a network stand for.
func typesOf(c TokenClassifier) map[string]bool {
	out := map[string]bool{}
	for _, l := range c.Labels() {
		if t := typeOfLabel[lower(l)]; t != "" {
			out[t] = true
		}
	}
	return out
}

// modelEntities gives option B of ner.
func (a *assembly) modelEntities() EntityFinder {
	m := modelEntities{a.Parts.Tagger, a.Parts.TaggerHan, ruleEntities{}}
	if m.latin == nil && m.han == nil {
		a.missing("ner.mode", "B", "a token-classification model",
			"name one by ner.model (for Latin letters) or ner.model_zh (for Chinese characters), and fetch it by 'asof models pull NAME'")
	}
	a.knowsTypes("ner.model", m.latin)
	a.knowsTypes("ner.model_zh", m.han)
	return m
}

// knowsTypes notes a network none of whose labels is of use.
func (a *assembly) knowsTypes(key string, c TokenClassifier) {
	if c != nil && len(typesOf(c)) == 0 {
		a.errs = append(a.errs, fmt.Errorf("%w: extract: %s: none of the labels of %s stands for a person, an organisation, a place or a work: %s",
			dsl.ErrInvalid, key, c.Name(), strings.Join(c.Labels(), " ")))
	}
}

// Version names the networks.
func (m modelEntities) Version() string {
	name := func(c TokenClassifier) string {
		if c == nil {
			return "rules"
		}
		return c.Name()
	}
	return "ner.model/1(" + name(m.latin) + "," + name(m.han) + "," + m.rules.Version() + ")"
}

// maxRead is the length in bytes up to which a turn is given to a model.
const maxRead = 64 << 10

// The most characters of a piece of text that a network reads at once: their limit is
// 512 tokens, in Chinese one a character.
const (
	latinPiece = 900
	hanPiece   = 480
)

// ExtractEntities gives the mentions in order of their place, none overlapping. Where a
// network fails the rules read all of the turn.
func (m modelEntities) ExtractEntities(d *Document) []Mention {
	byRule := m.rules.ExtractEntities(d)
	out := byRule
	for _, s := range []struct {
		model TokenClassifier
		piece int
		han   bool
	}{{m.latin, latinPiece, false}, {m.han, hanPiece, true}} {
		if s.model == nil || !hasScript(d.Text, s.han) {
			continue
		}
		named, err := tagNames(d, s.model, s.piece, s.han)
		d.Answered("ner", "B", s.model.Name(), err)
		if err != nil {
			return byRule
		}
		out = overlay(out, named, typesOf(s.model), s.han)
	}
	return out
}

// hasScript tells whether a text has a Chinese character, or a letter that is none.
func hasScript(text string, han bool) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return isHan(r) == han && unicode.IsLetter(r) })
}

// overlay puts the names of a network over those of the rules: of the rules stays what
// is in the other script, or of a type that the network does not know. A name of the
// network that overlaps what stays goes.
func overlay(rules, named []Mention, types map[string]bool, han bool) []Mention {
	var out []Mention
	for i := range rules {
		if r := &rules[i]; !types[r.Type] || hasScript(r.Text, true) != han {
			out = append(out, *r)
		}
	}
	stay := out
	for _, m := range named {
		// What stays is in order, and none of it overlaps.
		k, _ := slices.BinarySearchFunc(stay, m.Start, func(x Mention, at int) int { return cmp.Compare(x.End, at+1) })
		if k == len(stay) || stay[k].Start >= m.End {
			out = append(out, m)
		}
	}
	sortMentions(out)
	return out
}

// tagNames asks a network for the names in a script.
func tagNames(d *Document, c TokenClassifier, piece int, han bool) ([]Mention, error) {
	if len(d.Text) > maxRead {
		return nil, fmt.Errorf("%w: %d bytes, %d are read", ErrTooLong, len(d.Text), maxRead)
	}
	spans := pieces(d, d.Sentences, piece)
	tagged, err := tagPieces(d, c, spans)
	if err != nil {
		return nil, err
	}
	var out []Mention
	for i, parts := range tagged {
		for _, p := range parts {
			typ := typeOfLabel[lower(p.Label)]
			start, end := trimName(d.Text, spans[i].Start+p.Start, spans[i].Start+p.End)
			if typ == "" || start >= end || hasScript(d.Text[start:end], true) != han || !hasScript(d.Text[start:end], han) {
				continue
			}
			// Province and city, one after the other, are one place.
			if n := len(out); han && n > 0 && typ == typeLoc && out[n-1].Type == typeLoc && out[n-1].End == start {
				out[n-1].End, out[n-1].Text = end, d.Text[out[n-1].Start:end]
				continue
			}
			out = append(out, Mention{d.Text[start:end], start, end, typ})
		}
	}
	return out, nil
}

// tagPieces asks a network for the labels of pieces of a turn, and checks that they lie
// in them and in order.
func tagPieces(d *Document, c TokenClassifier, spans []dsl.Span) ([][]Labelled, error) {
	texts := make([]string, len(spans))
	for i, s := range spans {
		texts[i] = d.Text[s.Start:s.End]
	}
	tagged, err := c.Tag(d.Waiting(), texts)
	if err != nil {
		return nil, err
	}
	if len(tagged) != len(texts) {
		return nil, fmt.Errorf("%w: labels of %d texts for %d", ErrNonsense, len(tagged), len(texts))
	}
	for i, parts := range tagged {
		last := 0
		for _, p := range parts {
			if p.Start < last || p.End <= p.Start || p.End > len(texts[i]) {
				return nil, fmt.Errorf("%w: the part [%d, %d) of a text of %d bytes", ErrNonsense, p.Start, p.End, len(texts[i]))
			}
			last = p.End
		}
	}
	return tagged, nil
}

// pieces cuts a turn into runs of whole sentences of at most so many characters; a
// longer sentence is cut between tokens, a longer token between characters.
func pieces(d *Document, sentences []dsl.Span, most int) []dsl.Span {
	var out []dsl.Span
	open := dsl.Span{Start: -1}
	n := 0 // characters of open
	flush := func() {
		if open.Start >= 0 {
			out = append(out, open)
		}
		open, n = dsl.Span{Start: -1}, 0
	}
	add := func(start, end int) bool {
		from := start
		if open.Start >= 0 {
			from = open.End
		}
		more := utf8.RuneCountInString(d.Text[from:end])
		if n+more > most {
			return false
		}
		if open.Start < 0 {
			open.Start = start
		}
		open.End, n = end, n+more
		return true
	}
	for _, s := range sentences {
		if add(s.Start, s.End) {
			continue
		}
		flush()
		if add(s.Start, s.End) {
			continue
		}
		for i := d.tokenAt(s.Start); i < len(d.tokens) && d.tokens[i].start < s.End; i++ {
			for from, end := d.tokens[i].start, d.tokens[i].end; from < end; {
				if add(from, end) {
					break
				}
				if flush(); add(from, end) {
					break
				}
				cut := from
				for k := 0; k < most; k++ {
					_, size := utf8.DecodeRuneInString(d.Text[cut:])
					cut += size
				}
				add(from, cut)
				from = cut
			}
		}
	}
	flush()
	return out
}

// trimName takes white space and marks off the ends of a name.
func trimName(text string, start, end int) (int, int) {
	off := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) }
	name := text[start:end]
	start += len(name) - len(strings.TrimLeftFunc(name, off))
	return start, start + len(strings.TrimFunc(name, off))
}
