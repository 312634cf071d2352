package scaffold

import (
	"fmt"
	"slices"
	"strings"

	"github.com/asof-db/asof/internal/analyze"
)

// groups gives the statements by subject and relation, in the order of their first
// appearance.
func (r *reading) groups() [][]statement {
	at := map[string]int{}
	var out [][]statement
	for _, s := range r.statements {
		i, ok := at[s.key()]
		if !ok {
			i = len(out)
			at[s.key()] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], s)
	}
	return out
}

// phrase puts a subject and its relation into words.
func (r *reading) phrase(s *statement) string {
	rel := s.rel
	if p := r.opt.Pipeline.Registry().Phrase(s.rel); p != "" {
		rel = p
	}
	if s.relation != "" {
		rel += " " + s.relation
	}
	return s.src + " " + rel
}

// freshness lists what was stated of each subject and relation, the newest first.
func (r *reading) freshness() ([]Line, error) {
	var lines []Line
	for _, group := range r.groups() {
		functional := r.opt.Pipeline.Registry().Functional(group[0].rel)
		if functional {
			if err := oneTurn(group); err != nil {
				return nil, err
			}
		}
		byClock(group)
		for i := range group {
			s := &group[i]
			mark := ""
			if i > 0 {
				if _, same := newer(group[i-1].clock, s.clock); same && differ(&group[i-1], s) {
					mark = r.word(" (the stated times do not tell these apart; later said first)", "（陈述的时间无法区分先后，按说出先后）")
				}
			}
			not := ""
			if s.negative || s.ended {
				not = r.word("not (any more) ", "不再 ")
			}
			lines = append(lines, Line{Text: fmt.Sprintf("%s: %s %s%s%s", when(s.clock), r.phrase(s), not, s.dst, mark), Valid: s.clock.in, Evidence: s.evidence})
		}
	}
	return lines, nil
}

// differ tells whether two statements give different values.
func differ(x, y *statement) bool {
	return analyze.NormalizeName(x.dst) != analyze.NormalizeName(y.dst) || x.negative != y.negative || x.ended != y.ended
}

// oneTurn refuses two values of a functional relation that one turn states for
// times that overlap.
func oneTurn(group []statement) error {
	for i := range group {
		for j := range i {
			x, y := &group[j], &group[i]
			if x.fact || y.fact || x.negative || y.negative || x.ended || y.ended || x.evidence[0] != y.evidence[0] {
				continue
			}
			if _, same := newer(x.clock, y.clock); same && differ(x, y) && x.clock.stated && y.clock.stated {
				return contradiction(x.evidence, "%s %s is %q and %q at one time", x.src, x.rel, x.dst, y.dst)
			}
		}
	}
	return nil
}

// invariants lists the values that hold, that held, and that are denied.
func (r *reading) invariants() ([]Line, error) {
	reg := r.opt.Pipeline.Registry()
	for i := range r.statements {
		for j := range i {
			x, y := &r.statements[j], &r.statements[i]
			if !x.active || !y.active || analyze.NormalizeName(x.src) != analyze.NormalizeName(y.src) {
				continue
			}
			both := append(slices.Clone(x.evidence), y.evidence...)
			if x.key() == y.key() && reg.Functional(x.rel) && differ(x, y) {
				return nil, contradiction(both, "%s %s is both %q and %q", x.src, x.rel, x.dst, y.dst)
			}
			if slices.Contains(reg.Opposites(x.rel), y.rel) && !differ(x, y) {
				return nil, contradiction(both, "%s %s and %s %q", x.src, x.rel, y.rel, x.dst)
			}
		}
	}
	var lines []Line
	for _, group := range r.groups() {
		functional := reg.Functional(group[0].rel)
		byClock(group)
		var hold, held, denied, evidence []string
		seen := map[string]bool{}
		for i := range group {
			s := &group[i]
			name := analyze.NormalizeName(s.dst)
			if seen[name] {
				continue // an older word about the same value
			}
			seen[name] = true
			evidence = append(evidence, s.evidence...)
			switch {
			case s.negative || s.ended:
				denied = append(denied, s.dst)
			case s.fact && !s.active, functional && len(hold) > 0:
				held = append(held, s.dst)
			default:
				hold = append(hold, s.dst)
			}
		}
		var parts []string
		if len(hold) > 0 {
			parts = append(parts, strings.Join(hold, ", "))
		}
		if len(held) > 0 {
			parts = append(parts, r.word("before: ", "此前：")+strings.Join(held, ", "))
		}
		if len(denied) > 0 {
			parts = append(parts, r.word("not: ", "不是：")+strings.Join(denied, ", "))
		}
		text := r.phrase(&group[0]) + ": " + strings.Join(parts, r.word("; ", "；"))
		lines = append(lines, Line{Text: text, Valid: group[0].clock.in, Evidence: unique(evidence)})
	}
	return lines, nil
}

// unique gives each id once, in order.
func unique(ids []string) []string {
	out := []string{}
	for _, id := range ids {
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}
