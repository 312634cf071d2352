package scaffold

import (
	"cmp"
	"slices"
	"strings"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/retrieval"
)

// timeline lists what the pack dates, in the order of the world. Where two things
// begin together, the one that is known more exactly comes first.
func (r *reading) timeline() []Line {
	type entry struct {
		Line
		clock clock
	}
	var list []entry
	add := func(c clock, text string, evidence []string) {
		list = append(list, entry{Line{Text: when(c) + ": " + text, Valid: c.in, Evidence: evidence}, c})
	}
	for i := range r.mentions {
		if m := &r.mentions[i]; m.clock.stated {
			add(m.clock, spoken(m), []string{m.turn.ID})
		}
	}
	for i := range r.p.Items {
		it := &r.p.Items[i]
		c := clock{in: it.Valid, stated: true}
		bounded := it.Valid.Start.Finite() && it.Valid.End != dsl.Forever
		switch {
		case it.Kind == retrieval.Event && it.Valid.Start.Finite():
			add(c, strings.TrimPrefix(it.Text, "* "), it.Evidence)
		case it.Fact != nil && bounded:
			add(c, it.Fact.Src+" "+it.Fact.Rel+" "+it.Fact.Dst, it.Evidence)
		}
	}
	slices.SortStableFunc(list, func(x, y entry) int {
		return cmp.Or(cmp.Compare(x.clock.in.Start, y.clock.in.Start), cmp.Compare(x.clock.in.End, y.clock.in.End))
	})
	var lines []Line
	for _, e := range list {
		lines = append(lines, e.Line)
	}
	return lines
}

// spoken shows who says a sentence.
func spoken(m *mention) string {
	if m.turn.Speaker == "" {
		return m.text
	}
	return m.turn.Speaker + ": " + m.text
}
