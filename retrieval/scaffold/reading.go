package scaffold

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/extract"
	"github.com/asof-db/asof/internal/analyze"
	"github.com/asof-db/asof/retrieval"
	"github.com/asof-db/asof/retrieval/pack"
)

// reading is a pack taken apart.
type reading struct {
	p        *pack.Pack
	opt      *Options
	analyzer analyze.Analyzer
	// mentions are the sentences of turns, statements what they and the facts say,
	// both in the order of the pack.
	mentions   []mention
	statements []statement
}

// mention is a sentence of a turn.
type mention struct {
	turn    *pack.Said
	text    string
	clock   clock
	session string
}

// clock is when something was, as its speaker stated it.
type clock struct {
	// in is the time; stated tells that the sentence names it, else it is the day it
	// was said on.
	in     dsl.Interval
	stated bool
}

// statement is a subject, a relation and a value.
type statement struct {
	src, rel, relation, dst string
	negative, ended         bool
	clock                   clock
	said                    dsl.Instant
	evidence                []string
	// fact tells that the memory believes it, active that it holds at the instant
	// of the pack; both false for what a sentence says.
	fact, active bool
}

// key is what a functional relation holds one value of.
func (s *statement) key() string {
	return analyze.NormalizeName(s.src) + "\x00" + s.rel + "\x00" + analyze.NormalizeName(s.relation)
}

// read takes a pack apart.
func read(p *pack.Pack, opt *Options) *reading {
	r := &reading{p: p, opt: opt}
	seen := map[string]bool{}
	for i := range p.Items {
		it := &p.Items[i]
		if it.Fact != nil && it.Kind == retrieval.Fact {
			f := it.Fact
			r.statements = append(r.statements, statement{src: f.Src, rel: f.Rel, relation: f.Relation, dst: f.Dst, fact: true,
				active: it.ActiveAt != nil, clock: clock{in: it.Valid, stated: true}, said: it.Record.Start, evidence: it.Evidence})
		}
		for j := range it.Said {
			s := &it.Said[j]
			if !seen[s.ID] {
				seen[s.ID] = true
				r.readTurn(s, it.Session)
			}
		}
	}
	return r
}

// readTurn reads the sentences of a turn and what they state.
func (r *reading) readTurn(s *pack.Said, session string) {
	turn := dsl.Turn{ID: s.ID, Speaker: dsl.Plain(s.Speaker), TS: s.At, Zone: s.Zone, Text: dsl.Plain(s.Text)}
	found := r.opt.Pipeline.Extract(extract.Context{Turn: turn})
	day := dayOf(turn.Local())
	clocks := make([]clock, len(found.Sentences))
	for i, span := range found.Sentences {
		clocks[i] = clock{in: day}
		for _, t := range found.Times {
			if in, ok := t.Interval(); ok && t.Start >= span.Start && t.End <= span.End {
				clocks[i] = clock{in: in, stated: true}
				break
			}
		}
		r.mentions = append(r.mentions, mention{turn: s, text: s.Text[span.Start:span.End], clock: clocks[i], session: session})
	}
	for i := range found.Candidates {
		c := &found.Candidates[i]
		x := statement{src: c.Src.String(), rel: c.Rel, relation: c.Relation.String(), dst: c.Dst.String(),
			negative: c.Polarity == dsl.Negative, ended: c.Change == dsl.End, clock: clock{in: day}, said: s.At, evidence: []string{s.ID}}
		if c.Span != nil {
			at := slices.IndexFunc(found.Sentences, func(x dsl.Span) bool { return c.Span.Start >= x.Start && c.Span.Start < x.End })
			if at >= 0 {
				x.clock = clocks[at]
			}
		}
		r.statements = append(r.statements, x)
	}
}

// dayOf gives the local day of a time.
func dayOf(t time.Time) dsl.Interval {
	start := time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
	return dsl.Interval{Start: dsl.FromTime(start), End: dsl.FromTime(start.AddDate(0, 0, 1))}
}

// newer orders clocks, the newest first; equal is true where their grain does not
// tell them apart.
func newer(x, y clock) (order int, equal bool) {
	switch {
	case x.in.Start >= y.in.End:
		return -1, false
	case y.in.Start >= x.in.End:
		return 1, false
	}
	return 0, true
}

// byClock orders statements, the newest first: by the stated clocks, and what they
// do not tell apart by when it was said.
func byClock(list []statement) {
	slices.SortStableFunc(list, func(x, y statement) int {
		// The start of an open interval is its clock: a sort needs an order without
		// circles, which overlap does not give.
		return cmp.Or(cmp.Compare(y.clock.in.Start, x.clock.in.Start), cmp.Compare(y.said, x.said), strings.Compare(x.dst, y.dst))
	})
}

// when puts a clock into words at its own grain.
func when(c clock) string {
	start, end := c.in.Start, c.in.End
	switch {
	case !start.Finite():
		return "…"
	case !end.Finite():
		return "since " + start.Time().Format(time.DateOnly)
	}
	a, b := start.Time(), end.Time()
	switch length := end - start; {
	case length < dsl.Day:
		return a.Format("2006-01-02 15:04")
	case length == dsl.Day:
		return a.Format(time.DateOnly)
	case a.AddDate(1, 0, 0).Equal(b):
		return a.Format("2006")
	case a.AddDate(0, 1, 0).Equal(b):
		return a.Format("2006-01")
	}
	return a.Format(time.DateOnly) + " to " + b.Add(-time.Microsecond).Format(time.DateOnly)
}
