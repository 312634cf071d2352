package corenlp

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Document is what the server found in a text. Its owner may change it.
type Document struct {
	Sentences []Sentence
	// Mentions are names, quantities and times, in order of their place, as the server's lists and rules
	// have them: pronouns are among the persons.
	Mentions []Mention
	// Times are the time expressions, in order of their place, each once.
	Times []Time
	// Chains are ordered by the place of their first reference; none below depth Chains.
	Chains []Chain
}

// Sentence is one sentence: bytes [Start, End) of the text.
type Sentence struct {
	Start, End int
	Tokens     []Token
	// Arcs say for each token on which token of the sentence it depends, and how; none below depth
	// Relations.
	Arcs []Arc
}

// Token is one word or sign: bytes [Start, End) of the text.
type Token struct {
	Start, End int
	// Lemma is the word's dictionary form, PartOfSpeech its Penn Treebank tag.
	Lemma, PartOfSpeech string
}

// Arc is how a token depends on another.
type Arc struct {
	// Rel is the Universal Dependencies relation: nsubj, obj, obl …
	Rel string
	// Head is the token's index in the sentence, -1 for the root.
	Head int
}

// Mention is a name, a quantity or a time: bytes [Start, End) of the text.
type Mention struct {
	Start, End int
	// Type is the server's: PERSON, ORGANIZATION, CITY, DATE …
	Type string
	// Value is what the server makes of a quantity: "$12.0". Empty for names.
	Value string
}

// Time is a time expression: bytes [Start, End) of the text.
type Time struct {
	Start, End int
	// Value is the server's TIMEX3 value, which may have words of its own, and Type one of DATE, TIME,
	// DURATION, SET.
	Value, Type string
}

// Chain is what means the same, in order of its place.
type Chain []Reference

// Reference is one place at which a chain's thing is spoken of: bytes [Start, End) of the text.
type Reference struct {
	Start, End int
	// Kind is PROPER, NOMINAL, PRONOMINAL or LIST.
	Kind string
	// Number is SINGULAR, PLURAL or UNKNOWN, Gender MALE, FEMALE, NEUTRAL or UNKNOWN.
	Number, Gender string
	// Head are the bytes [Head.Start, Head.End) of its main word.
	Head struct{ Start, End int }
}

// The server's answer, as far as it is read.
type (
	answer struct {
		Sentences []answerSentence       `json:"sentences"`
		Corefs    map[string][]answerRef `json:"corefs"`
	}
	answerSentence struct {
		Tokens   []answerToken   `json:"tokens"`
		Mentions []answerMention `json:"entitymentions"`
		Arcs     []answerArc     `json:"basicDependencies"`
	}
	answerToken struct {
		Begin *int         `json:"characterOffsetBegin"`
		End   *int         `json:"characterOffsetEnd"`
		Lemma string       `json:"lemma"`
		POS   string       `json:"pos"`
		Timex *answerTimex `json:"timex"`
	}
	answerTimex struct {
		TID   string `json:"tid"`
		Type  string `json:"type"`
		Value string `json:"value"`
	}
	answerMention struct {
		Begin int    `json:"tokenBegin"`
		End   int    `json:"tokenEnd"`
		Type  string `json:"ner"`
		Value string `json:"normalizedNER"`
	}
	answerArc struct {
		Rel       string `json:"dep"`
		Governor  int    `json:"governor"`
		Dependent int    `json:"dependent"`
	}
	answerRef struct {
		Sentence int    `json:"sentNum"`
		Start    int    `json:"startIndex"`
		End      int    `json:"endIndex"`
		Head     int    `json:"headIndex"`
		Type     string `json:"type"`
		Number   string `json:"number"`
		Gender   string `json:"gender"`
	}
)

// document checks an answer and gives it with byte offsets into the text.
func (a *answer) document(text string, d Depth) (*Document, error) {
	if a.Sentences == nil {
		return nil, errors.New("it has no list of sentences")
	}
	if d >= Chains && a.Corefs == nil {
		return nil, errors.New("it has no chains of coreference")
	}
	out := &Document{}
	at := utf16Counter{text: text}
	words := 0
	for i := range a.Sentences {
		if words += len(a.Sentences[i].Tokens); words > 2*len(text) {
			return nil, fmt.Errorf("it has more than %d words for a text of %d bytes", 2*len(text), len(text))
		}
		s, err := a.Sentences[i].sentence(&at, d)
		if err != nil {
			return nil, fmt.Errorf("sentence %d: %w", i+1, err)
		}
		out.Sentences = append(out.Sentences, s)
		if err := a.Sentences[i].mentions(&s, out); err != nil {
			return nil, fmt.Errorf("sentence %d: %w", i+1, err)
		}
		a.Sentences[i].times(&s, out)
	}
	return out, a.chains(out)
}

// sentence gives the words and arcs of a sentence.
func (a *answerSentence) sentence(at *utf16Counter, d Depth) (s Sentence, err error) {
	if len(a.Tokens) == 0 {
		return s, errors.New("it has no words")
	}
	for i := range a.Tokens {
		t := &a.Tokens[i]
		if t.Begin == nil || t.End == nil || *t.Begin > *t.End {
			return s, fmt.Errorf("word %d has no place", i+1)
		}
		start, ok := at.byteOf(*t.Begin)
		end, ok2 := at.byteOf(*t.End)
		if !ok || !ok2 {
			return s, fmt.Errorf("word %d is said to be at UTF-16 units %d to %d, which the text does not have", i+1, *t.Begin, *t.End)
		}
		s.Tokens = append(s.Tokens, Token{start, end, t.Lemma, t.POS})
	}
	s.Start, s.End = s.Tokens[0].Start, s.Tokens[len(s.Tokens)-1].End
	if d < Relations {
		return s, nil
	}
	s.Arcs = make([]Arc, len(s.Tokens))
	for i := range s.Arcs {
		s.Arcs[i].Head = -1
	}
	for _, arc := range a.Arcs {
		if arc.Dependent < 1 || arc.Dependent > len(s.Tokens) || arc.Governor < 0 || arc.Governor > len(s.Tokens) || arc.Governor == arc.Dependent {
			return s, fmt.Errorf("word %d cannot depend on word %d of %d", arc.Dependent, arc.Governor, len(s.Tokens))
		}
		s.Arcs[arc.Dependent-1] = Arc{arc.Rel, arc.Governor - 1}
	}
	return s, nil
}

// mentions adds the mentions of a sentence to the document.
func (a *answerSentence) mentions(s *Sentence, out *Document) error {
	for _, m := range a.Mentions {
		if m.Begin < 0 || m.End <= m.Begin || m.End > len(s.Tokens) {
			return fmt.Errorf("a %s is said to be of words %d to %d of %d", m.Type, m.Begin+1, m.End, len(s.Tokens))
		}
		out.Mentions = append(out.Mentions, Mention{s.Tokens[m.Begin].Start, s.Tokens[m.End-1].End, m.Type, m.Value})
	}
	return nil
}

// times adds the time expressions of a sentence to the document: the words of one are those that follow each
// other under one identifier. The server's mentions may cut one into several.
func (a *answerSentence) times(s *Sentence, out *Document) {
	last := ""
	for i := range a.Tokens {
		x := a.Tokens[i].Timex
		switch {
		case x == nil:
			last = ""
		case x.TID != "" && x.TID == last:
			out.Times[len(out.Times)-1].End = s.Tokens[i].End
		default:
			last = x.TID
			out.Times = append(out.Times, Time{s.Tokens[i].Start, s.Tokens[i].End, x.Value, x.Type})
		}
	}
}

// chains adds the chains to the document.
func (a *answer) chains(out *Document) error {
	for id, refs := range a.Corefs {
		var c Chain
		for _, r := range refs {
			if r.Sentence < 1 || r.Sentence > len(out.Sentences) {
				return fmt.Errorf("chain %s speaks of sentence %d of %d", strconv.Quote(id), r.Sentence, len(out.Sentences))
			}
			tokens := out.Sentences[r.Sentence-1].Tokens
			if r.Start < 1 || r.End <= r.Start || r.End > len(tokens)+1 || r.Head < r.Start || r.Head >= r.End {
				return fmt.Errorf("chain %s speaks of words %d to %d of %d", strconv.Quote(id), r.Start, r.End-1, len(tokens))
			}
			ref := Reference{Start: tokens[r.Start-1].Start, End: tokens[r.End-2].End, Kind: r.Type, Number: r.Number, Gender: r.Gender}
			ref.Head.Start, ref.Head.End = tokens[r.Head-1].Start, tokens[r.Head-1].End
			c = append(c, ref)
		}
		if len(c) == 0 {
			continue
		}
		slices.SortFunc(c, func(x, y Reference) int {
			return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(y.End, x.End), strings.Compare(x.Kind, y.Kind))
		})
		out.Chains = append(out.Chains, c)
	}
	slices.SortFunc(out.Chains, func(x, y Chain) int {
		return cmp.Or(cmp.Compare(x[0].Start, y[0].Start), cmp.Compare(x[0].End, y[0].End), cmp.Compare(len(x), len(y)))
	})
	return nil
}

// utf16Counter turns offsets in UTF-16 units into bytes, in steps from the last one.
type utf16Counter struct {
	text     string
	at, unit int
}

// byteOf gives the byte of an offset; ok is false where the text has no character that begins there, nor its
// end.
func (c *utf16Counter) byteOf(unit int) (at int, ok bool) {
	if unit < c.unit {
		c.at, c.unit = 0, 0
	}
	for c.unit < unit && c.at < len(c.text) {
		r, size := utf8.DecodeRuneInString(c.text[c.at:])
		c.at += size
		if c.unit++; r > 0xffff {
			c.unit++
		}
	}
	return c.at, c.unit == unit
}
