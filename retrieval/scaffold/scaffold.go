package scaffold

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/asof-db/asof/assimilate"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/extract"
	"github.com/asof-db/asof/retrieval/pack"
)

// ErrContradiction marks a scaffold that contradicts itself.
var ErrContradiction = errors.New("the evidence contradicts itself")

// Kind is a kind of scaffold.
type Kind string

// The kinds, in the order that they are given in.
const (
	Timeline   Kind = "timeline"
	Freshness  Kind = "freshness"
	Invariants Kind = "invariants"
	Count      Kind = "count"
)

// Kinds lists every kind, in order.
var Kinds = []Kind{Timeline, Freshness, Invariants, Count}

// ParseKinds reads a comma-separated list of kinds.
func ParseKinds(list string) ([]Kind, error) {
	var kinds []Kind
	for _, word := range strings.Split(list, ",") {
		k := Kind(strings.TrimSpace(word))
		if !slices.Contains(Kinds, k) {
			return nil, fmt.Errorf("%w: scaffold %q, want some of timeline, freshness, invariants, count", dsl.ErrInvalid, k)
		}
		kinds = append(kinds, k)
	}
	return kinds, nil
}

// Scaffold is what was worked out, line by line.
type Scaffold struct {
	Kind  Kind   `json:"kind"`
	Lines []Line `json:"lines"`
	// Text is what a reader gets: a title and the lines.
	Text string `json:"text"`
	// Tokens are those of Text by the tokenizer of the pack.
	Tokens int `json:"tokens"`
}

// Line is one thing that was worked out.
type Line struct {
	Text string `json:"text"`
	// Valid is the time that the line is about.
	Valid dsl.Interval `json:"valid"`
	// Evidence are the turns that it rests on, all of them of the pack.
	Evidence []string `json:"evidence_id"`
}

// Options say how scaffolds are built. The zero value is the default.
type Options struct {
	// Pipeline reads the sentences of the pack; nil stands for the default one.
	Pipeline *extract.Pipeline
	// Lang is the language of titles, "en" or "zh"; "" stands for "en".
	Lang string
}

// Build works out scaffolds from a pack alone. A kind for which the pack holds
// nothing gives none. The error wraps ErrContradiction for a pack that contradicts
// itself.
func Build(p *pack.Pack, kinds []Kind, opt Options) ([]Scaffold, error) {
	if opt.Pipeline == nil {
		var err error
		if opt.Pipeline, err = extract.New(extract.DefaultConfig()); err != nil {
			return nil, fmt.Errorf("scaffold: %w", err)
		}
	}
	if err := sound(p); err != nil {
		return nil, fmt.Errorf("scaffold: %w", err)
	}
	r := read(p, &opt)
	var out []Scaffold
	for _, k := range Kinds {
		if !slices.Contains(kinds, k) {
			continue
		}
		var lines []Line
		var err error
		switch k {
		case Timeline:
			lines = r.timeline()
		case Freshness:
			lines, err = r.freshness()
		case Invariants:
			lines, err = r.invariants()
		default:
			lines, err = r.count()
		}
		if err != nil {
			return nil, fmt.Errorf("scaffold: %s: %w", k, err)
		}
		if len(lines) > 0 {
			out = append(out, r.finish(k, lines))
		}
	}
	return out, nil
}

// titles are the first lines, in English and Chinese.
var titles = map[Kind][2]string{
	Timeline:   {"Timeline:", "时间线："},
	Freshness:  {"Newest first:", "由新到旧："},
	Invariants: {"What holds:", "成立的取值："},
	Count:      {"To count:", "计数："},
}

// finish puts a scaffold into words.
func (r *reading) finish(k Kind, lines []Line) Scaffold {
	s := Scaffold{Kind: k, Lines: lines}
	parts := []string{r.word(titles[k][0], titles[k][1])}
	for _, l := range lines {
		text := l.Text
		if len(l.Evidence) > 0 {
			text += " [" + strings.Join(l.Evidence, ", ") + "]"
		}
		parts = append(parts, text)
	}
	s.Text = strings.Join(parts, "\n")
	s.Tokens = assimilate.Tokens(s.Text)
	return s
}

func (r *reading) word(en, zh string) string {
	if r.opt.Lang == "zh" {
		return zh
	}
	return en
}

// contradiction makes the error of two things that cannot both be.
func contradiction(evidence []string, format string, args ...any) error {
	return fmt.Errorf("%w: %s (evidence %s)", ErrContradiction, fmt.Sprintf(format, args...), strings.Join(evidence, ", "))
}

// sound refuses a pack whose items cannot be what they say.
func sound(p *pack.Pack) error {
	for i := range p.Items {
		it := &p.Items[i]
		if it.Valid.Start > it.Valid.End || it.Record.Start > it.Record.End {
			return contradiction(it.Evidence, "%s %s holds in %s and was held in %s", it.Kind, it.ID, it.Valid, it.Record)
		}
		for _, s := range it.Said {
			if !slices.Contains(it.Evidence, s.ID) {
				return contradiction(it.Evidence, "%s %s shows turn %q, which is none of its evidence", it.Kind, it.ID, s.ID)
			}
			if p.At == nil || s.At > *p.At && it.ActiveAt != nil {
				return contradiction([]string{s.ID}, "it was said at %s, after the instant of the pack", s.At)
			}
		}
	}
	return nil
}
