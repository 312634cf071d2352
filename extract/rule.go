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
	// began tells that the words tell of the moment when the fact began.
	began bool
	// src, dst, old, kin and time are places of slots, -1 where there is none: who it
	// is about, the value, the value that is put right, the word for a relative, a
	// time.
	src, dst, old, kin, time int
	// eventful tells that the subject is an event.
	eventful   bool
	confidence float64
}

// slotKinds are the kinds of value that a pattern may name, and what they are.
var slotKinds = []string{"any", "app", "campus", "email", "event", "liked", "name", "org", "owned", "person", "phone", "place", "role", "school", "thing", "time", "used"}

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
	r.pattern = p
	r.src, r.dst, r.old, r.kin, r.time = p.Slot("src"), p.Slot("dst"), p.Slot("old"), p.Slot("kin"), p.Slot("time")
	for _, s := range p.Slots() {
		switch s.Name {
		case "src", "dst", "old", "kin", "time":
		default:
			return fmt.Errorf("{%s} is no slot; want {src} and {dst}", s.Name)
		}
		if s.Kind != "" && !slices.Contains(slotKinds, s.Kind) {
			return fmt.Errorf("%q is no kind of value; want one of %s", s.Kind, strings.Join(slotKinds, ", "))
		}
	}
	r.eventful = r.src >= 0 && r.kindOf(p.Slots()[r.src]) != "src"
	if r.dst < 0 && !(r.change == dsl.End && r.src >= 0 && r.rel == "scheduled_at") {
		return fmt.Errorf("{dst}, the value, is missing")
	}
	return nil
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

// userRules compiles the text patterns of a predicate of the configuration. Every one
// names {src} and {dst}; the error says what is wrong.
func userRules(p *Predicate, lang string, from int) ([]*rule, error) {
	kind := map[dsl.NodeKind]string{dsl.Entity: "any", dsl.Literal: "any", dsl.TimeInstant: "time"}[p.Range]
	var out []*rule
	for i, text := range p.Text[lang] {
		r := &rule{
			id: lang + "/" + p.Name + "/" + strconv.Itoa(from+i+1), rel: p.Name, what: kind, change: dsl.Assert, confidence: likely,
		}
		for {
			word, rest, ok := strings.Cut(text, ": ")
			if !ok {
				break
			}
			switch word {
			case "end":
				r.change = dsl.End
			case "not":
				r.negative = true
			default:
				return nil, fmt.Errorf("text %s %d: %q before the colon; want end or not", lang, i+1, word)
			}
			text = rest
		}
		if err := r.compile(lang, text); err != nil {
			return nil, fmt.Errorf("text %s %d: %w", lang, i+1, err)
		}
		if name := r.pattern.Touching(); name != "" {
			return nil, fmt.Errorf("text %s %d: {%s} follows another slot; a word must stand between", lang, i+1, name)
		}
		if r.src < 0 {
			return nil, fmt.Errorf("text %s %d: {src}, who it is about, is missing", lang, i+1)
		}
		out = append(out, r)
	}
	return out, nil
}

// CheckText tells what is wrong with a text pattern of a predicate whose values are of
// a kind, or nil.
func CheckText(lang, text string, kind dsl.NodeKind) error {
	_, err := userRules(&Predicate{Name: "x", Range: kind, Text: map[string][]string{lang: {text}}}, lang, 0)
	return err
}
