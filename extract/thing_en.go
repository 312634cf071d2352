package extract

import "strings"

// Heads of phrases by what a pattern takes.
const (
	lastingHead = ownWord | petWord | goodsWord | breedWord
	usedHead    = ownWord | goodsWord | toolWord | platformWord
)

// fleeting are heads that a brand or a number does not make a lasting thing.
var fleeting = wordSet("ticket tickets membership subscription pass deal discount coupon code job degree certificate upgrade refund reply email message call appointment meeting class course lesson session order delivery offer promotion raise bonus haircut tattoo massage flight trip room night meal lunch dinner breakfast drink score grade email cold flu fever shot vaccine response feedback idea chance opportunity invitation loan mortgage policy plan quote estimate reservation booking hug ride lot bit few couple package order serving team friend group time account accounts card cards profile page followers certification license visa")

// thingEn is a noun phrase that may name a thing.
type thingEn struct {
	nounPhrase
	// head tells that its last word is of a class that was asked for; product that
	// it bears a name or a model's number.
	head, product bool
}

// thing reads a thing at token k: a phrase, the class of its head, and whether it
// names a product.
func (s *sentenceEn) thing(k int, heads class) (thingEn, bool) {
	var t thingEn
	p, ok := s.phrase(k)
	if !ok || p.end-p.start > 9 {
		return t, false
	}
	for p.start < p.end-1 && (s.low(p.start) == "new" || s.low(p.start) == "own" || s.low(p.start) == "current" || s.low(p.start) == "beloved" || s.low(p.start) == "trusty" || s.low(p.start) == "second" && s.low(p.start+1) == "-" || s.is(p.start, advWord)) {
		p.start++
	}
	// "a dog named Toby" keeps the name.
	if (s.low(p.end) == "named" || s.low(p.end) == "called") && s.is(p.end-1, petWord|breedWord) && s.properEnd(p.end+1) > p.end+1 {
		t.nounPhrase, t.head = p, true
		t.end = s.properEnd(p.end + 1)
		return t, true
	}
	t.nounPhrase = p
	last := p.end - 1
	for j := p.start + 1; j < p.end; j++ {
		if s.low(j) == "of" && !s.is(last, heads) {
			last = j - 1 // a box of old photographs
			break
		}
	}
	w := s.tok(last)
	if (w.low == "card" || w.low == "cards") && (s.low(last-1) == "graphics" || s.low(last-1) == "video" || s.low(last-1) == "memory" || s.low(last-1) == "trading" || s.low(last-1) == "baseball") {
		t.head = true
		return t, true
	}
	t.head = w.class&heads != 0 && !fleeting[w.low] && !(w.class&(foodWord|edibleWord) != 0 && w.class&(ownWord|petWord|toolWord) == 0)
	if m := s.mentionAt(s.tok(p.start).start); m != nil {
		switch m.Type {
		case typePerson, typeLoc, typeMoney, typeEmail, typePhone:
			if s.d.tokenAt(m.End) >= p.end {
				return t, false
			}
		}
	}
	upper, digits := 0, 0
	for j := p.start; j < p.end; j++ {
		x := s.tok(j)
		switch {
		case x.kind == numToken || x.kind == wordToken && strings.ContainsAny(x.low, "0123456789"):
			if j > p.start || x.kind == wordToken || len(x.low) == 4 {
				digits++
			}
		case x.upper && x.kind == wordToken:
			upper++
		}
	}
	t.product = upper > 0 && (digits > 0 || upper > 1 || s.mentionAt(s.tok(p.start).start) != nil) && !fleeting[w.low] && w.class&(foodWord|edibleWord|eventNoun) == 0
	return t, true
}

// topic is what a sentence speaks of: the first thing that it names, which "it"
// in what follows takes up.
type topic struct {
	text  string
	class class
	named bool
	at    int // where it stands
}

// topicBefore gives what "it" or "them" at token k takes up: the first thing
// that this sentence named before it, or else the topic of the one before.
func (s *sentenceEn) topicBefore(k int) topic {
	if t := s.topicIn(s.from, k); t.text != "" {
		return t
	}
	return s.topic
}

// topicIn gives the first thing named in tokens [a, b).
func (s *sentenceEn) topicIn(a, b int) topic {
	for i := a; i < min(b, a+60); i++ {
		t := s.tok(i)
		if t.kind != wordToken {
			continue
		}
		if m := s.mentionAt(t.start); m != nil && m.Start == t.start && (m.Type == typeWork || m.Type == typeOrg && t.class&platformWord != 0) {
			if e := s.d.tokenAt(m.End); e <= b && s.low(e) != "'s" {
				return topic{text: m.Text, class: t.class, named: true, at: t.start}
			}
		}
		switch t.low {
		case "my", "our", "a", "an", "this", "these", "the":
		default:
			continue
		}
		p, ok := s.thing(i, lastingHead|toolWord)
		if !ok || p.end > b || !p.head && !p.product || s.low(p.end) == "'s" && (t.low == "my" || t.low == "our") {
			continue
		}
		if w := s.low(p.end); (w == "is" || w == "'s") && (s.low(p.end+1) == "a" || s.low(p.end+1) == "an") {
			if q, ok := s.thing(p.end+1, lastingHead|toolWord); ok && q.product && q.end <= b {
				p = q // "my laptop is a Dell Inspiron"
			}
		}
		return topic{text: s.value(p.nounPhrase), class: s.tok(p.end-1).class | goodsWord, at: t.start}
	}
	return topic{}
}

// nounBefore reads backwards the phrase that ends before token e, as the thing
// that a relative clause speaks of: "the ring (that) I bought".
func (s *sentenceEn) nounBefore(e int) (thingEn, bool) {
	if w := s.low(e - 1); w == "that" || w == "which" {
		e--
		if w == "which" && s.low(e-1) == "," {
			e--
		}
	}
	for d := e - 1; d >= max(s.from, e-9); d-- {
		t := s.tok(d)
		if t.kind == punctToken && !(t.low == "-" && !t.space) && t.low != "'" {
			return thingEn{}, false
		}
		switch t.low {
		case "a", "an", "the", "my", "this", "these", "that", "those", "another", "some", "one", "two", "three", "four", "five":
			p, ok := s.thing(d, lastingHead)
			if t.low == "this" || t.low == "these" || t.low == "that" || t.low == "those" || t.low == "another" {
				p, ok = s.thing(d+1, lastingHead)
			}
			return p, ok && p.end == e && (p.head || p.product)
		}
	}
	return thingEn{}, false
}

// gapAfter tells whether nothing stands at token k that could be an object.
func (s *sentenceEn) gapAfter(k int) bool {
	t := s.tok(k)
	if k >= s.to || t.kind == punctToken || s.timeAt(t.start) != nil {
		return true
	}
	switch t.low {
	case "from", "at", "in", "on", "for", "with", "during", "off", "when", "because", "and", "but", "while", "through", "as", "back", "is", "was", "has", "are", "were", "to":
		return true
	}
	return s.is(k, advWord)
}
