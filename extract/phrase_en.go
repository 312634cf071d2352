package extract

import (
	_ "embed"
	"strings"
)

// nounPhrase is a value: tokens [start, end) without article, possessive and
// praise.
type nounPhrase struct {
	start, end int
	// definite: "the", "this", "your"; named: starts with a proper name.
	definite, named bool
	// act: what follows "to", an activity whatever its words.
	act bool
}

// stopWords end a noun phrase.
var stopWords = wordSet("in on at with for from since when after before during as because that which who whom whose where to by than then while if about into over under through is are was were am be been has have had will would can could do does did 's 've 'm 're 'd 'll not n't too also so just now lately recently anymore either though although but and or yet plus ever more a an the this that regularly religiously constantly nonstop everyday almost nearly again together alone these got i you he she we they it me him them us my your named called this last next coming scheduled planned really like every each until till up out off away down back here there even no instead any")

// refused are first words of what is no value: pronouns and what points at the
// talk.
var refused = wordSet("it its this that these those them him her you your his their our us me how what when where why who whom whether everything anything something nothing all everyone everybody someone one ones each i we he she they so to not no being there here seeing hearing talking the")

// phrase reads the noun phrase at token k; ok is false where there is none or
// it names nothing that can be stored.
func (s *sentenceEn) phrase(k int) (nounPhrase, bool) {
	p := nounPhrase{start: k}
	for n := 0; n < 6; n++ {
		t := s.tok(p.start)
		if s.timeAt(t.start) != nil && t.kind == wordToken && s.mentionAt(t.start) == nil && !isDecade(s.low(p.start+1)) && !isDecade(t.low) {
			return p, false
		}
		switch {
		case t.low == "the":
			p.definite = true
		case t.low == "a" || t.low == "an" || t.low == "some" || t.low == "any":
		case t.low == "my" || t.low == "our":
			p.definite = true
		case (t.low == "lots" || t.low == "pair" || t.low == "bunch" || t.low == "couple" || t.low == "set" || t.low == "kind" || t.low == "stash" || t.low == "total" || t.low == "collection") && s.low(p.start+1) == "of":
			p.start++
		case (s.is(p.start, evaluativeWord) || s.is(p.start, advWord)) && !s.namedFrom(p.start) && s.tok(p.start+1).kind == wordToken && !stopWords[s.low(p.start+1)]:
		default:
			n = 6
			continue
		}
		p.start++
	}
	first := s.tok(p.start)
	if first.kind == punctToken && first.low != "\"" && first.low != "“" && first.low != "'" && first.low != "*" || refused[first.low] && !first.upper {
		return p, false
	}
	// A title in marks.
	if first.kind == punctToken {
		if m := s.mentionAt(s.tok(p.start + 1).start); m != nil && m.Type == typeWork {
			p.start, p.end, p.named = p.start+1, s.d.tokenAt(m.End), true
			return p, true
		}
		// "coming of age" books: a kind, in marks.
		if q := s.quotedAt(p.start); q.end > q.start && genres[s.low(q.end+1)] {
			return q, true
		}
		return p, false
	}
	p.end = p.start
	if e := s.timeAt(first.start); first.kind == numToken && e != nil && e.Start == first.start {
		p.end = s.d.tokenAt(e.End) // 1970s songs
	}
	if m := s.mentionAt(first.start); m != nil && m.Start == first.start {
		p.end, p.named = s.d.tokenAt(m.End), true
		// "Miyazaki's films".
		if s.low(p.end) == "'s" && s.tok(p.end+1).kind == wordToken && !stopWords[s.low(p.end+1)] {
			p.end++
		}
	}
	for p.end < s.to && p.end < p.start+9 {
		t := s.tok(p.end)
		if t.kind == punctToken {
			if t.low == "'" && p.end > p.start && strings.HasSuffix(s.low(p.end-1), "s") && s.tok(p.end+1).kind == wordToken && !stopWords[s.low(p.end+1)] {
				p.end++ // kids' books
				continue
			}
			if (t.low == "-" || t.low == "/" || t.low == "&" || t.low == "'") && !t.space && !s.tok(p.end+1).space && p.end > p.start {
				p.end++
				continue
			}
			break
		}
		if t.low == "about" && p.end > p.start && genres[s.low(p.end-1)] && s.tok(p.end+1).kind == wordToken {
			p.end++ // books about trains
			continue
		}
		if t.low == "'s" && p.end > p.start && s.tok(p.end-1).upper && s.mentionAt(s.tok(p.end-1).start) == nil && s.tok(p.end+1).kind == wordToken && s.tok(p.end+1).class&(auxWord|detWord|advWord|negWord) == 0 && !stopWords[s.low(p.end+1)] {
			p.end++ // Lumino's drawing kit
			continue
		}
		if t.low == "for" && p.end-p.start >= 2 && s.tok(p.start).upper && s.tok(p.end-1).upper && s.tok(p.end+1).upper && s.tok(p.end+1).class == 0 && s.mentionAt(s.tok(p.start).start) == nil && s.mentionAt(s.tok(p.end+1).start) == nil {
			p.end += 2 // Death Cab for Cutie
			continue
		}
		if stopWords[t.low] && t.kind == wordToken && !(!t.space && s.low(p.end-1) == "-") && !(p.end > p.start && t.upper && s.tok(p.end-1).upper && !stopWords[s.low(p.end-1)] && t.low != "i") {
			break
		}
		if e := s.timeAt(t.start); e != nil && e.Type != typeDuration && p.end > p.start && s.mentionAt(t.start) == nil {
			break
		}
		if t.low == "non" && s.low(p.end+2) == "stop" {
			break
		}
		if t.low == "of" && (p.end == p.start || s.low(p.end+1) == "course") {
			break
		}
		p.end++
	}
	for p.end > p.start && (s.low(p.end-1) == "of" || s.low(p.end-1) == "about" || s.is(p.end-1, advWord) && p.end-1 > p.start || s.low(p.end-1) == "-") {
		p.end--
	}
	return p, p.end > p.start
}

// namedFrom tells whether a name of more than a word starts at token k: New York.
func (s *sentenceEn) namedFrom(k int) bool {
	m := s.mentionAt(s.tok(k).start)
	return m != nil && m.Start == s.tok(k).start && m.End > s.tok(k).end
}

// gerund reads "baking bread", "walking along the river" at token k: up to
// the clause's end, a time, or a second of its prepositions.
func (s *sentenceEn) gerund(k int) (nounPhrase, bool) {
	p := nounPhrase{start: k, end: k + 1}
	preps := 0
	for p.end < s.to && p.end < k+9 {
		t := s.tok(p.end)
		if t.kind == punctToken && !(t.low == "-" && !t.space && !s.tok(p.end+1).space) {
			break
		}
		if t.low == "and" && p.end > k+1 && strings.HasSuffix(s.low(p.end-1), "s") && s.pairs(p.end+1) {
			p.end += 2 // museums and galleries
			continue
		}
		if s.is(p.end, boundaryWord) || t.low == "or" || t.low == "anymore" || t.low == "any" && (s.low(p.end+1) == "more" || s.low(p.end+1) == "longer") || s.timeAt(t.start) != nil {
			break
		}
		switch t.low {
		case "how", "what", "why", "something", "anything", "it", "them", "him", "this", "that", "you", "us", "sure":
			return p, false // cut there, it would name nothing
		case "when", "because", "which", "who", "as", "if", "after", "before", "during", "since", "for", "while", "where", "too", "lately", "recently", "i", "is", "are":
			return p, p.end > k
		case "in", "at", "on", "with", "from", "to", "about", "into", "around", "through", "by":
			if preps++; preps > 1 {
				return p, true
			}
			if m := s.mentionAt(s.tok(p.end + 1).start); m != nil && m.Type == typeOrg {
				return p, true
			}
		}
		p.end++
	}
	if w := s.low(p.end - 1); p.end > k+1 && (w == "on" || w == "in" || w == "at" || w == "during") {
		p.end-- // "baking on weekends"
	}
	if p.end > k+1 && (s.is(p.end-1, detWord) || s.low(p.end-1) == "into" || s.low(p.end-1) == "to" || s.low(p.end-1) == "with" || s.low(p.end-1) == "for") {
		return p, false // cut before what it is about
	}
	return p, true
}

// pairs tells whether a plural stands alone at token k, the second of a pair.
func (s *sentenceEn) pairs(k int) bool {
	w := s.low(k)
	return s.tok(k).kind == wordToken && len(w) > 3 && strings.HasSuffix(w, "s") && !stopWords[w] && !s.is(k, auxWord|detWord|advWord|commonWord) && !s.isGerund(k) && s.gapAfter(k+1)
}

// isGerund tells whether the word at k is the -ing form of a verb.
func (s *sentenceEn) isGerund(k int) bool {
	w := s.low(k)
	return len(w) > 4 && strings.HasSuffix(w, "ing") && s.tok(k).kind == wordToken && !s.is(k, thingWord|foodWord|seasonWord|evaluativeWord) && !notGerund[w] && !s.tok(k).upper
}

var notGerund = wordSet("thing nothing anything everything something morning evening building wedding ring king spring string ceiling feeling meeting wing sibling clothing lightning earring")

// likedAs gives the relation of a liked value by its words: the plan keeps food,
// music and activities apart.
func (s *sentenceEn) likedAs(p nounPhrase) string {
	if p.act || s.isGerund(p.start) {
		return "prefers_activity"
	}
	for i := p.start; i < p.end; i++ {
		if w := s.low(i); w == "music" || w == "songs" || w == "song" || w == "band" || w == "album" {
			return "prefers_music"
		}
	}
	for i := p.end - 1; i >= p.start; i-- {
		if s.low(i) == "of" {
			return s.likedAs(nounPhrase{start: p.start, end: i})
		}
	}
	if p.named || s.tok(p.start).upper {
		if artists[lower(trimQuotes(s.value(p)))] {
			return "prefers_music"
		}
	}
	if p.named && p.end-p.start == 1 {
		return "likes"
	}
	switch head := s.tok(p.end - 1).class; {
	case head&thingWord != 0:
		return "likes"
	case head&(foodWord|edibleWord) != 0 && head&breedWord == 0:
		return "prefers_food"
	case head&(musicWord|tuneWord) != 0:
		return "prefers_music"
	case head&(activityWord|pastimeWord) != 0:
		return "prefers_activity"
	}
	return "likes"
}

//go:embed lexicon/artists.txt
var artistsText string

// artists are musicians, bands and composers, in lower case.
var artists = readArtists(artistsText)

func readArtists(text string) map[string]bool {
	m := map[string]bool{}
	lines(text, func(_, rest string) {
		for a := range strings.SplitSeq(rest, ", ") {
			m[a] = true
		}
	})
	return m
}

// value gives the text of a phrase.
func (s *sentenceEn) value(p nounPhrase) string { return s.text(p.start, p.end) }
