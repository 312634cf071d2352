package retrieval

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/analyze"
	"github.com/asof-db/asof/store"
)

// Kind is a kind of document.
type Kind string

// The kinds of document, in the order in which equal scores are listed.
const (
	Turn    Kind = "turn"
	Fact    Kind = "fact"
	Event   Kind = "event"
	Session Kind = "session"
)

// Kinds lists every kind, in order.
var Kinds = []Kind{Turn, Fact, Event, Session}

// ParseKinds reads a comma-separated list of kinds; an empty list is nil, which
// stands for the default.
func ParseKinds(list string) ([]Kind, error) {
	if strings.TrimSpace(list) == "" {
		return nil, nil
	}
	var kinds []Kind
	for _, word := range strings.Split(list, ",") {
		kinds = append(kinds, Kind(strings.TrimSpace(word)))
	}
	return kinds, checkKinds(kinds)
}

func checkKinds(kinds []Kind) error {
	for _, k := range kinds {
		if !slices.Contains(Kinds, k) {
			return fmt.Errorf("%w: kind %q, want some of turn, fact, event, session", dsl.ErrInvalid, k)
		}
	}
	return nil
}

// ViewKind says which question of time is asked.
type ViewKind string

// As recorded: what the memory held. As was: of that, what held in the world at
// an instant of valid time.
const (
	AsRecorded ViewKind = "ar"
	AsWas      ViewKind = "aw"
)

const (
	// MaxQueryBytes is how much of a question's text is looked at; what comes
	// after it is ignored.
	MaxQueryBytes = 32 << 10
	// MaxQueryTerms is how many different terms of a question count, the first
	// ones.
	MaxQueryTerms = 128
)

// Query is a question to one view.
type Query struct {
	// Text is the question. Any text is fine; one without terms finds nothing.
	Text string
	// K is the most hits wanted, at least 1.
	K int
	// More is how many turns the expansion may add behind the best K; without it,
	// it only fills what the K leave room for.
	More int
	// Part, where it is not nil, takes an answer from the documents that the
	// watermarks cover, by channels whose vectors a model makes, and makes none.
	Part []Watermark
	// Kinds are the kinds of document wanted; none stands for DefaultKinds.
	Kinds []Kind
	// Asked is when the question is asked, by which its time words are read; nil is
	// the record time of the view.
	Asked *dsl.Instant
	// View is AsRecorded, which "" also means, or AsWas.
	View ViewKind
	// Valid is the instant of valid time that hits must hold at: turns said by
	// then, facts whose valid interval holds it, events begun by then, sessions
	// with a turn said by then. Nil means any under AsRecorded, and the record
	// time of the view under AsWas.
	Valid *dsl.Instant
}

// DefaultKinds are searched when a query names none: what was said and what is
// believed. Events and sessions tell the same again at greater length, and
// would push their own turns out of a short list.
var DefaultKinds = []Kind{Turn, Fact}

// plan is a query made ready: what to look for, where, and when.
type plan struct {
	k     int
	more  int // turns that the expansion may add behind them
	part  []Watermark
	kinds []Kind
	text  string
	terms []string
	valid *dsl.Instant
	asked dsl.Instant
	basis store.Basis
}

func newPlan(a *analyze.Analyzer, basis store.Basis, q Query) (*plan, error) {
	if q.K < 1 {
		return nil, fmt.Errorf("%w: k is %d, want at least 1", dsl.ErrInvalid, q.K)
	}
	if q.More < 0 {
		return nil, fmt.Errorf("%w: the expansion may add %d, want 0 or more", dsl.ErrInvalid, q.More)
	}
	if err := checkKinds(q.Kinds); err != nil {
		return nil, err
	}
	p := &plan{k: q.K, more: q.More, part: q.Part, valid: q.Valid, asked: basis.Time, basis: basis, text: clip(q.Text), terms: queryTerms(a, q.Text)}
	if q.Asked != nil {
		p.asked = *q.Asked
	}
	switch q.View {
	case "", AsRecorded:
	case AsWas:
		if p.valid == nil {
			p.valid = &basis.Time
		}
	default:
		return nil, fmt.Errorf("%w: view %q, want ar or aw", dsl.ErrInvalid, q.View)
	}
	asked := q.Kinds
	if len(asked) == 0 {
		asked = DefaultKinds
	}
	for _, k := range Kinds {
		if slices.Contains(asked, k) {
			p.kinds = append(p.kinds, k)
		}
	}
	return p, nil
}

// clip gives the part of a question that is looked at.
func clip(text string) string {
	if len(text) <= MaxQueryBytes {
		return text
	}
	n := MaxQueryBytes
	for n > MaxQueryBytes-utf8.UTFMax && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// queryTerms gives the different terms of a question, in order of first
// appearance.
func queryTerms(a *analyze.Analyzer, text string) []string {
	text = clip(text)
	var all, telling []string
	seen := make(map[string]bool)
	for _, term := range a.Terms(nil, text) {
		if seen[term] {
			continue
		}
		seen[term] = true
		if len(all) < MaxQueryTerms {
			all = append(all, term)
		}
		if len(telling) < MaxQueryTerms && !analyze.Stop(term) {
			telling = append(telling, term)
		}
	}
	if len(telling) == 0 {
		return all
	}
	return telling
}
