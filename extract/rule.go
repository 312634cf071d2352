package extract

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/phrase"
)

// rule is a text pattern and what a match of it says: a line of lexicon/phrases_en.txt
// and phrases_zh.txt, or a pattern of the configuration.
type rule struct {
	// id names the rule where a candidate's origin is told: "en/lives_in/3".
	id      string
	pattern *phrase.Pattern
	rel     string
	// what is the kind of the relation's value, as Slot.Kind names it.
	what     string
	change   dsl.Change
	negative bool
	// anywhere tells that the words may stand anywhere in a sentence, not only where a
	// clause opens that the speaker asserts.
	anywhere bool
	// began tells that the words tell of the moment when the fact began.
	began bool
	// src, dst, old, kin and time are places of slots, -1 where there is none: who it
	// is about, the value, the value that is put right, the word for a relative, a
	// time.
	src, dst, old, kin, time int
	// openEnd tells that the pattern ends with a slot.
	openEnd bool
	// eventful tells that the subject is an event.
	eventful   bool
	confidence float64
}

// valueKind gives the kind of value that a built-in relation takes.
var valueKind = map[string]string{
	"name": "name", "role": "role", "lives_in": "place", "works_at": "org", "studies_at": "school", "email": "email", "phone": "phone",
	"scheduled_at": "time", "located_at": "any", "prefers_food": "liked", "prefers_music": "liked", "prefers_activity": "liked",
	"likes": "liked", "dislikes": "liked", "related_to": "name", "owns": "owned", "uses": "used",
}

// rules are rules of a language by the words of which each match holds one.
type rules struct {
	byCue map[string][]*rule
	// starts are the first characters of the cues, for Chinese.
	cues zhIndex
}

//go:embed lexicon/phrases_en.txt
var phrasesEn string

//go:embed lexicon/phrases_zh.txt
var phrasesZh string

var rulesEn, rulesZh = builtinRules("en", phrasesEn), builtinRules("zh", phrasesZh)

// builtinRules reads a list of rules; a test holds that they are well formed.
func builtinRules(lang, text string) *rules {
	var all []*rule
	count := map[string]int{}
	lines(text, func(key, rest string) {
		r, err := readRule(lang, key, rest)
		if err != nil {
			panic(fmt.Sprintf("extract: lexicon/phrases_%s.txt: %s: %s: %v", lang, key, rest, err))
		}
		count[r.rel]++
		r.id = lang + "/" + r.rel + "/" + strconv.Itoa(count[r.rel])
		all = append(all, r)
	})
	return indexRules(all)
}

func indexRules(all []*rule) *rules {
	out := &rules{byCue: map[string][]*rule{}}
	var words []string
	for _, r := range all {
		for _, w := range r.pattern.Cues() {
			if !slices.Contains(out.byCue[w], r) {
				if out.byCue[w] == nil {
					words = append(words, w)
				}
				out.byCue[w] = append(out.byCue[w], r)
			}
		}
	}
	out.cues = newZhIndex(words)
	return out
}

// readRule reads "end works_at 0.9" and a pattern.
func readRule(lang, head, text string) (*rule, error) {
	r := &rule{change: dsl.Assert, confidence: likely}
	defer func() { r.anywhere = r.anywhere || r.rel == "email" || r.rel == "phone" }()
	for _, w := range strings.Fields(head) {
		switch w {
		case "end":
			r.change = dsl.End
		case "correct":
			r.change = dsl.Correct
		case "not":
			r.negative = true
		case "began":
			r.began = true
		case "anywhere":
			r.anywhere = true
		default:
			if f, err := strconv.ParseFloat(w, 64); err == nil {
				r.confidence = f
				continue
			}
			r.rel = w
		}
	}
	r.what = valueKind[r.rel]
	if r.what == "" {
		return nil, fmt.Errorf("%q is no relation", r.rel)
	}
	return r, r.compile(lang, text)
}

// compile reads the pattern of a rule.
func (r *rule) compile(lang, text string) error {
	p, err := phrase.Parse(lang, text)
	if err != nil {
		return err
	}
	for _, s := range p.Slots() {
		switch s.Name {
		case "src", "dst", "old", "kin", "time":
		default:
			return fmt.Errorf("{%s} is no slot; want src, dst, old, kin or time", s.Name)
		}
		if s.Kind != "" && !slices.Contains(phrase.Kinds, s.Kind) {
			return fmt.Errorf("%q is no kind of value; want one of %s", s.Kind, strings.Join(phrase.Kinds, ", "))
		}
	}
	r.takes(p)
	if r.dst < 0 && !(r.change == dsl.End && r.src >= 0 && r.rel == "scheduled_at") {
		return fmt.Errorf("{dst}, the value, is missing")
	}
	return nil
}

// takes sets the pattern of a rule.
func (r *rule) takes(p *phrase.Pattern) {
	r.pattern = p
	r.src, r.dst, r.old, r.kin, r.time = p.Slot("src"), p.Slot("dst"), p.Slot("old"), p.Slot("kin"), p.Slot("time")
	r.openEnd = p.SlotLast()
	r.eventful = r.src >= 0 && r.kindOf(p.Slots()[r.src]) != "src"
}

// kindOf gives the kind of value that a slot takes.
func (r *rule) kindOf(s phrase.Slot) string {
	switch {
	case s.Kind != "":
		return s.Kind
	case s.Name == "src" && (r.rel == "scheduled_at" || r.rel == "located_at"):
		return "event"
	case s.Name == "dst" || s.Name == "old":
		return r.what
	}
	return s.Name
}

// userRules compiles the text patterns of a predicate of the configuration; the error
// says what is wrong with the first that is none.
func userRules(p *Predicate, lang string) ([]*rule, error) {
	kind := "any"
	if p.Range == dsl.TimeInstant {
		kind = "time"
	}
	var out []*rule
	for i, text := range p.Text[lang] {
		s, err := phrase.ParseStatement(lang, text)
		if err != nil {
			return nil, fmt.Errorf("text %s %d: %w", lang, i+1, err)
		}
		r := &rule{
			id: lang + "/" + p.Name + "/" + strconv.Itoa(i+1), rel: p.Name, what: kind, change: dsl.Assert, negative: s.Denies, confidence: likely,
		}
		if s.Ends {
			r.change = dsl.End
		}
		r.takes(s.Pattern)
		out = append(out, r)
	}
	return out, nil
}
