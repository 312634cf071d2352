package extract

import (
	"cmp"
	"slices"
	"strings"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/phrase"
)

// ruleRelations is option A of relation: clause patterns over the whitelist.
type ruleRelations struct{}

// Version names the patterns.
func (ruleRelations) Version() string { return "relation.rule/5" }

// Confidences of the patterns: how often such a match is right.
const (
	sure   = 0.9  // the words say it and nothing else
	likely = 0.8  // the words say it of a value that the lists do not know
	weak   = 0.65 // said in passing
)

// ExtractRelations gives the candidates in order of their place, each once.
func (ruleRelations) ExtractRelations(d *Document) []Relation {
	if d.Speaker == "" {
		return nil
	}
	r := relater{d: d}
	r.english()
	r.chinese()
	slices.SortStableFunc(r.out, func(a, b Relation) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
	return settle(r.out)
}

// near is how many candidates beside one another are held against each other.
const near = 32

// settle drops what another candidate beside it says too, or says better.
func settle(all []Relation) []Relation {
	kept := make([]Relation, 0, len(all))
	for i := range all {
		x := &all[i]
		first := max(0, len(kept)-near)
		same := slices.IndexFunc(kept[first:], func(y Relation) bool { return sameClaim(&y, x) })
		if same >= 0 && x.Rule == "" && kept[first+same].Rule != "" {
			kept[first+same] = *x // the patterns in code read more of the clause
		}
		drop := same >= 0
		for j := max(0, i-near); j < min(len(all), i+near) && !drop; j++ {
			drop = j != i && outdone(x, &all[j])
		}
		if !drop {
			kept = append(kept, *x)
		}
	}
	return kept
}

// outdone tells whether what candidate a says is put better by b, found in the same
// words.
func outdone(a, b *Relation) bool {
	if a.Span == nil || b.Span == nil || a.Span.Start >= b.Span.End || b.Span.Start >= a.Span.End {
		return false
	}
	if a.Src != b.Src {
		// One event under two names.
		return (a.Rel == "scheduled_for.datetime" || a.Rel == "scheduled_for.location") && a.Rel == b.Rel && a.Dst == b.Dst && a.Rule != "" && b.Rule == "" &&
			(strings.Contains(a.Src.String(), b.Src.String()) || strings.Contains(b.Src.String(), a.Src.String()))
	}
	if a.Dst == b.Dst {
		switch {
		case a.Rel != b.Rel:
			// A taste of no kind, where the other knows its kind.
			return a.Rel == "likes" && tastes[b.Rel] && a.Change == b.Change && a.Polarity == b.Polarity
		case a.Change == dsl.Assert && b.Change != dsl.Assert:
			return true // it is over, or put right
		case a.Change == b.Change && !a.Corrects.IsZero() != !b.Corrects.IsZero():
			return a.Corrects.IsZero()
		}
		return a.Change == dsl.Correct && b.Change == dsl.End
	}
	if a.Rule == "" || b.Rule != "" || a.Rel != b.Rel || a.Change != b.Change {
		return false
	}
	// A pattern of the lists took more words, or other ones, for the value.
	x, y := a.Dst.String(), b.Dst.String()
	return strings.Contains(x, y) || strings.Contains(y, x)
}

// tastes are the relations of a liking of one kind.
var tastes = map[string]bool{"prefers.food": true, "prefers.music": true, "prefers.activity": true}

func sameClaim(a, b *Relation) bool {
	return a.Src == b.Src && a.Rel == b.Rel && a.Dst == b.Dst && a.Change == b.Change && a.Polarity == b.Polarity
}

// relater collects the candidates of one turn.
type relater struct {
	d   *Document
	out []Relation
	// matcher is what the text patterns are matched with.
	matcher phrase.Matcher
}

// claim is a candidate in the making.
type claim struct {
	src, rel, dst      string
	relation, corrects string
	start, end         int
	change             dsl.Change
	negative           bool
	valid              validity
	confidence         float64
	// rule names the text pattern that found it; empty for the patterns in code.
	rule string
}

// validity is what a clause says about when. Both are empty where it says
// nothing.
type validity struct {
	from, to     string
	fromAt, toAt dsl.Instant
	hasFrom      bool
	hasTo        bool
}

// interval gives the valid interval, nil where nothing is said.
func (v validity) interval() *dsl.Interval {
	if !v.hasFrom && !v.hasTo {
		return nil
	}
	i := dsl.Always
	if v.hasFrom {
		i.Start = v.fromAt
	}
	if v.hasTo {
		i.End = v.toAt
	}
	if !i.Valid() || i.Start > i.End {
		return nil
	}
	return &i
}

// since gives a validity from the start of the time on.
func (v validity) since(t *TimeExpr) validity {
	if iv, ok := t.Interval(); ok {
		v.from, v.fromAt, v.hasFrom = t.Value, iv.Start, true
	}
	return v
}

// until gives a validity to the end of the time. What is told as past did not
// last longer than the telling.
func (v validity) until(t *TimeExpr, ts dsl.Instant) validity {
	if iv, ok := t.Interval(); ok {
		v.to, v.toAt, v.hasTo = t.Value, iv.End, true
		if iv.Start <= ts && iv.End > ts {
			v.toAt = ts
		}
	}
	return v
}

// emit adds a claim as a candidate.
func (r *relater) emit(c claim) {
	c.dst = strings.TrimSpace(c.dst)
	if c.src == "" || c.dst == "" || c.start >= c.end || strings.ContainsAny(c.dst, "\n\r") {
		return
	}
	if c.change == "" {
		c.change = dsl.Assert
	}
	if c.corrects != "" {
		c.change = dsl.Correct
	}
	rel := r.d.Registry.Canonical(c.rel)
	k := dsl.Candidate{
		Change: c.change, Confidence: r.calibrated(&c, rel), Corrects: dsl.Plain(c.corrects), Dst: dsl.Plain(c.dst),
		DstKind: r.d.Registry.DstKind(rel), Polarity: dsl.Positive, Rel: rel, Relation: dsl.Plain(c.relation), Source: "rule",
		Span: &dsl.Span{Start: c.start, End: c.end}, Src: dsl.Plain(c.src),
	}
	if c.negative {
		k.Polarity = dsl.Negative
	}
	k.Valid = c.valid.interval()
	if k.Valid != nil && c.change != dsl.End && !c.valid.hasFrom && k.Valid.End > r.d.TS {
		k.Valid.Start = r.d.TS // "until June": from now on
	}
	s := Stated{}
	if k.Valid != nil {
		s = Stated{From: c.valid.from, To: c.valid.to}
	}
	r.out = append(r.out, Relation{Candidate: k, Stated: s, Rule: c.rule, Level: c.confidence})
}

// timesIn gives the time expressions that lie in bytes [a, b).
func (r *relater) timesIn(a, b int) []TimeExpr {
	all := r.d.Times
	i, _ := slices.BinarySearchFunc(all, a, func(t TimeExpr, at int) int { return cmp.Compare(t.Start, at) })
	j := i
	for j < len(all) && all[j].End <= b {
		j++
	}
	return all[i:j]
}

// mentionsIn gives the mentions that lie in bytes [a, b).
func (r *relater) mentionsIn(a, b int) []Mention {
	all := r.d.Entities
	i, _ := slices.BinarySearchFunc(all, a, func(m Mention, at int) int { return cmp.Compare(m.Start, at) })
	j := i
	for j < len(all) && all[j].End <= b {
		j++
	}
	return all[i:j]
}

// timeAt gives the time expression that holds byte at, or nil.
func (r *relater) timeAt(at int) *TimeExpr {
	all := r.d.Times
	i, found := slices.BinarySearchFunc(all, at, func(t TimeExpr, at int) int { return cmp.Compare(t.Start, at) })
	if !found {
		i--
	}
	if i >= 0 && i < len(all) && all[i].Start <= at && at < all[i].End {
		return &all[i]
	}
	return nil
}

// mentionAt gives the mention that holds byte at, or nil.
func (r *relater) mentionAt(at int) *Mention {
	all := r.d.Entities
	i, found := slices.BinarySearchFunc(all, at, func(m Mention, at int) int { return cmp.Compare(m.Start, at) })
	if !found {
		i--
	}
	if i >= 0 && i < len(all) && all[i].Start <= at && at < all[i].End {
		return &all[i]
	}
	return nil
}
