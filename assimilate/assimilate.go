package assimilate

import (
	"fmt"
	"slices"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/extract"
	"github.com/asof-db/asof/internal/analyze"
	"github.com/asof-db/asof/store"
)

// Input is a set of candidates from one turn.
type Input struct {
	Space string
	// Seq is the position that the transaction will have, Time its record time.
	Seq  dsl.Seq
	Time dsl.Instant
	// TurnID is the turn that says it, TurnTime when it was said. The view need
	// not have the turn yet.
	TurnID   string
	TurnTime dsl.Instant
	// Speaker is the name of who says it; empty where nobody is known to.
	Speaker dsl.Text
	// Replaces is the id of the turn that this one is an edit of, if any: what that
	// turn did is taken back first (see Edits in the package documentation).
	Replaces string
	// Candidates are assimilated in order; later ones see the earlier ones.
	Candidates []dsl.Candidate
}

// The rules, as decisions name them.
const (
	RuleHold           = "hold/confidence"
	RuleSame           = "edit/same"
	RuleEmpty          = "assert/empty"
	RuleNothingLeft    = "assert/nothing-left"
	RuleKnown          = "assert/known"
	RuleNew            = "assert/new"
	RuleAgain          = "assert/again"
	RuleMore           = "assert/more"
	RuleBeside         = "assert/beside"
	RuleReplace        = "assert/replace"
	RuleOpposite       = "assert/opposite"
	RuleOwnWord        = "assert/own-word"
	RuleEnd            = "end/close"
	RuleEndWithdraw    = "end/withdraw"
	RuleEndUnknown     = "end/unknown"
	RuleEndOwnWord     = "end/own-word"
	RuleDeny           = "deny/close"
	RuleDenyWithdraw   = "deny/withdraw"
	RuleDenyUnknown    = "deny/unknown"
	RuleDenyOwnWord    = "deny/own-word"
	RuleCorrectValue   = "correct/value"
	RuleCorrectTime    = "correct/interval"
	RuleCorrectFrom    = "correct/from"
	RuleCorrectDeny    = "correct/withdraw"
	RuleCorrectUnknown = "correct/unknown"
)

// Assimilate decides about each candidate and gives the operations that follow,
// in order. The view is the memory as recorded just before the transaction. The
// output depends on nothing but the arguments. A candidate that breaks a rule of
// its own fields is refused, with its index, by an error that wraps
// dsl.ErrInvalid; nothing is then decided.
func Assimilate(view store.View, in Input, p Policy) (Output, error) {
	out, err := assimilate(view, in, p)
	if err != nil {
		return Output{}, fmt.Errorf("assimilate: %w", err)
	}
	return out, nil
}

func assimilate(view store.View, in Input, p Policy) (Output, error) {
	s, decisions, err := decide(view, in, p, nil)
	if err != nil {
		return Output{}, err
	}
	return Output{Nodes: s.nodes, Operations: s.ops, Decisions: decisions}, nil
}

// decide decides about each candidate. What waits in working memory, if there is
// one, supports what says the same.
func decide(view store.View, in Input, p Policy, w *working) (*state, []dsl.Decision, error) {
	s, err := newState(view, nil, in.Space, in.Seq, in.Time, p)
	if err != nil {
		return nil, nil, err
	}
	backfill := w != nil && w.in.Kind == dsl.TxBackfill
	if !backfill {
		if err := dsl.CheckID("turn id", in.TurnID); err != nil {
			return nil, nil, err
		}
		if !in.TurnTime.Finite() {
			return nil, nil, fmt.Errorf("%w: turn %q: ts is not a time in years 1 to 9999", dsl.ErrInvalid, in.TurnID)
		}
	}
	ds := make([]decider, len(in.Candidates))
	for i := range ds {
		ds[i] = decider{state: s, turn: in.TurnID, said: in.TurnTime, speaker: in.Speaker, memory: w, index: i, least: p.WMMin}
		if backfill {
			if err := ds[i].from(&in.Candidates[i]); err != nil {
				return nil, nil, fmt.Errorf("candidate %d: %w", i, err)
			}
		}
		if err := ds[i].resolve(&in.Candidates[i]); err != nil {
			return nil, nil, fmt.Errorf("candidate %d: %w", i, err)
		}
	}
	if in.Replaces != "" {
		if err := s.edit(&in, ds, p.WMMin); err != nil {
			return nil, nil, fmt.Errorf("edit of turn %q: %w", in.Replaces, err)
		}
	}
	decisions := make([]dsl.Decision, 0, len(ds))
	for i := range ds {
		d := &ds[i]
		first := len(s.ops)
		if d.decision.Rule == "" {
			if err := d.regroup(); err != nil {
				return nil, nil, fmt.Errorf("candidate %d: %w", i, err)
			}
			if err := d.candidate(d.least); err != nil {
				return nil, nil, fmt.Errorf("candidate %d: %w", i, err)
			}
		}
		d.decision.Candidate = i
		for o := first; o < len(s.ops); o++ {
			d.decision.Operations = append(d.decision.Operations, o)
		}
		decisions = append(decisions, d.decision)
	}
	return s, decisions, nil
}

// decider is the work on one candidate.
type decider struct {
	*state
	turn    string
	said    dsl.Instant
	speaker dsl.Text

	// memory is what waits, nil where nothing may; index is the candidate's. also is
	// what mentions that waited add to it; alone is then its own confidence. least is
	// the least confidence that is believed.
	memory *working
	index  int
	also   []evidence
	alone  float64
	least  float64

	c          *dsl.Candidate
	rel        string
	functional bool
	relation   string // normalised
	src, dst   dsl.Node
	srcs, dsts []string // alias groups
	// near says as what the value was taken, where near matching found one.
	near string

	decision dsl.Decision
}

// settle records the decision; the reason is for people.
func (d *decider) settle(a dsl.Action, rule, format string, args ...any) error {
	d.decision.Action, d.decision.Rule = a, rule
	d.decision.Reason = dsl.Plain(d.subject() + ": " + fmt.Sprintf(format, args...) + d.near)
	return nil
}

func (d *decider) subject() string { return d.c.Src.String() + " " + d.rel }

// resolve finds what the names of a candidate denote.
func (d *decider) resolve(c *dsl.Candidate) (err error) {
	if err := c.Validate(); err != nil {
		return err
	}
	d.c, d.rel = c, d.registry.Canonical(c.Rel)
	d.functional = d.registry.Functional(d.rel)
	relation, err := c.Relation.Open()
	if err != nil {
		return fmt.Errorf("relation: %w", err)
	}
	d.relation = analyze.NormalizeName(relation)
	d.alone = c.Confidence
	if d.src, err = d.named(dsl.Entity, c.Src); err != nil {
		return fmt.Errorf("src: %w", err)
	}
	if d.srcs, err = d.group(d.src.ID); err != nil {
		return err
	}
	if d.dst, err = d.named(c.DstKind, c.Dst); err != nil {
		return fmt.Errorf("dst: %w", err)
	}
	d.dsts, err = d.group(d.dst.ID)
	return err
}

// candidate decides.
func (d *decider) candidate(wmMin float64) error {
	if err := d.supported(wmMin); err != nil {
		return err
	}
	c := d.c
	if c.Confidence < wmMin {
		return d.settle(dsl.Hold, RuleHold, "%s is said with confidence %v, and %v is needed", c.Dst, c.Confidence, wmMin)
	}
	if d.rel == extract.AliasOf {
		return d.alias()
	}
	if d.fuzzy {
		if err := d.matchNear(); err != nil {
			return err
		}
	}
	switch {
	case c.Change == dsl.Correct && c.Polarity == dsl.Negative:
		return d.withdraw()
	case c.Change == dsl.Correct:
		return d.correct()
	case c.Change == dsl.End:
		return d.end()
	case c.Polarity == dsl.Negative:
		return d.deny()
	}
	return d.assert(RuleNew, "")
}

// neighbourhood gives the versions that the candidate may touch, those of its
// own value first: all of the (src, rel) of a functional relation, else only
// those of the value. It notes them as read.
func (d *decider) neighbourhood() (same, others []dsl.FactVersion, err error) {
	var only []string
	if !d.functional {
		only = d.dsts
	}
	list, err := d.believed(d.srcs, d.rel, only)
	if err != nil {
		return nil, nil, err
	}
	d.read(list)
	for _, f := range list {
		if is, err := d.sameValue(&f); err != nil {
			return nil, nil, err
		} else if is {
			same = append(same, f)
		} else {
			others = append(others, f)
		}
	}
	return same, others, nil
}

func (d *decider) read(list []dsl.FactVersion) {
	for i := range list {
		if r := list[i].Ref(); !slices.Contains(d.decision.Read, r) {
			d.decision.Read = append(d.decision.Read, r)
		}
	}
}

// sameValue tells whether a version says what the candidate says: the same dst
// and relation.
func (d *decider) sameValue(f *dsl.FactVersion) (bool, error) {
	if !slices.Contains(d.dsts, f.Dst) {
		return false, nil
	}
	relation, err := relationOf(f)
	return relation == d.relation, err
}

// relationOf gives the normalised relation of a version.
func relationOf(f *dsl.FactVersion) (string, error) {
	relation, err := f.Relation.Open()
	if err != nil {
		return "", fmt.Errorf("fact %s: relation: %w", f.ID, err)
	}
	return analyze.NormalizeName(relation), nil
}

// meant gives those that an ending, a denial or a correction speaks of: those of
// the value, in its own words or others; a candidate without a relation means any.
// An ending of a functional relation that names no value, only that it is past,
// means whatever holds.
func (d *decider) meant(same, others []dsl.FactVersion) ([]dsl.FactVersion, error) {
	if d.relation != "" {
		return same, nil
	}
	out := slices.Clone(same)
	for _, f := range others {
		if slices.Contains(d.dsts, f.Dst) || d.functional && d.unnamed() {
			out = append(out, f)
		}
	}
	more, err := d.worded(out)
	return append(out, more...), err
}

// unnamed tells whether the candidate is an ending that names no value.
func (d *decider) unnamed() bool {
	if d.c.Change != dsl.End || d.dst.Kind != dsl.TimeInstant {
		return false
	}
	v, err := d.c.Dst.Open()
	return err == nil && v == extract.Past
}

// stated gives the interval that the candidate speaks of.
func (d *decider) stated() dsl.Interval {
	if d.c.Valid != nil {
		return *d.c.Valid
	}
	return dsl.Since(d.said)
}

// restated gives the first instant after t, within the version, at which one of
// its turns was said. Only a turn that arrives late can find one: in order, no
// turn of the memory was said after this one.
func (d *decider) restated(f *dsl.FactVersion, t dsl.Instant) (dsl.Instant, error) {
	again := dsl.Forever
	if d.said >= d.time {
		return again, nil
	}
	for _, turn := range f.Evidence {
		if turn == d.turn {
			continue
		}
		ts, err := d.saidAt(turn)
		if err != nil {
			return 0, err
		}
		if ts > t && f.Valid.Contains(ts) {
			again = min(again, ts)
		}
	}
	return again, nil
}

// assert takes in a statement. rule and preface are those of a correction that
// found nothing to correct, or RuleNew and nothing.
func (d *decider) assert(rule, preface string) error {
	same, others, err := d.neighbourhood()
	if err != nil {
		return err
	}
	named := func(own string) string {
		if rule != RuleNew {
			return rule
		}
		return own
	}
	n := d.stated()
	if n.Empty() {
		return d.settle(dsl.None, named(RuleEmpty), "%s%s is said of %s, which holds no instant", preface, d.value(), n)
	}
	opposite := false
	if !d.functional {
		if others, err = d.opposed(); err != nil {
			return err
		}
		opposite = true
	}
	cl, err := claim(n, d.said, same, others, d.restated)
	if err != nil {
		return err
	}
	backed := d.backed(same, n, cl)
	own, err := d.ownWord(overlapping(others, cl))
	if err != nil {
		return err
	}
	claimed := subtract(cl, own)
	missing := without(claimed, intervals(same))
	switch {
	case len(missing) == 0 && len(backed) == 0 && len(own) > 0:
		return d.settle(dsl.None, named(RuleOwnWord), "%s%s is said of %s, but %s, and only a correction changes that",
			preface, d.value(), n, d.saidOf(others, own))
	case len(missing) == 0 && len(backed) == 0:
		return d.settle(dsl.None, named(RuleNothingLeft), "%s%s is said of %s, but from %s on %s is known, and stays",
			preface, d.value(), n, n.Start, d.describe(others, dsl.Since(n.Start)))
	case len(missing) == 0:
		if d.back(backed) {
			return d.settle(dsl.Skip, named(RuleKnown), "%s%s is known for %s; the turn is further evidence", preface, d.value(), span(backed))
		}
		return d.settle(dsl.Skip, named(RuleKnown), "%s%s is known for %s, from this turn", preface, d.value(), span(backed))
	}
	d.back(backed)
	var lost []dsl.FactVersion
	for _, f := range overlapping(others, cl) {
		if !anyOverlap(f.Valid, claimed) {
			continue
		}
		lost = append(lost, f)
		if err := d.cut(f, claimed, fmt.Sprintf("%s: %s instead of %s in %s", d.subject(), d.value(), d.valueOf(&f), list(claimed))); err != nil {
			return err
		}
	}
	if err := d.insert(missing); err != nil {
		return err
	}
	switch {
	case len(lost) > 0 && opposite:
		return d.settle(dsl.Replace, named(RuleOpposite), "%s%s in %s ends %s", preface, d.value(), list(missing), d.describe(lost, dsl.Always))
	case len(lost) > 0:
		return d.settle(dsl.Replace, named(RuleReplace), "%s%s in %s replaces %s", preface, d.value(), list(missing), d.describe(lost, dsl.Always))
	case len(backed) > 0:
		return d.settle(dsl.Insert, named(RuleMore), "%s%s is known for %s; %s is new", preface, d.value(), span(backed), list(missing))
	case len(same) > 0:
		return d.settle(dsl.Insert, named(RuleAgain), "%s%s is known for %s; it holds again in %s", preface, d.value(), span(same), list(missing))
	case len(others) > 0:
		return d.settle(dsl.Insert, named(RuleBeside), "%s%s in %s contradicts nothing known: %s", preface, d.value(), list(missing), d.describe(others, dsl.Always))
	}
	return d.settle(dsl.Insert, named(RuleNew), "%s%s in %s is new", preface, d.value(), list(missing))
}

// backed gives the versions of the same value that the statement is evidence
// for: those that it overlaps and reaches.
func (d *decider) backed(same []dsl.FactVersion, n, cl dsl.Interval) []dsl.FactVersion {
	var out []dsl.FactVersion
	for _, f := range overlapping(same, n) {
		if f.Valid.Overlaps(cl) || f.Valid.Start == cl.End {
			out = append(out, f)
		}
	}
	return out
}

// back makes the turn evidence of versions, and tells whether it was not yet
// that of one of them.
func (d *decider) back(list []dsl.FactVersion) (linked bool) {
	for i := range list {
		f := &list[i]
		if slices.Contains(f.Evidence, d.turn) {
			continue
		}
		linked = true
		reason := fmt.Sprintf("%s: %s is said again", d.subject(), d.value())
		for _, l := range d.also {
			if !slices.Contains(f.Evidence, l.turn) {
				d.support(f.ID, l, dsl.Op{Source: d.c.Source, Reason: dsl.Plain(reason)})
			}
		}
		d.support(f.ID, evidence{turn: d.turn, confidence: d.alone}, dsl.Op{Source: d.c.Source, Reason: dsl.Plain(reason)})
	}
	return linked
}

// insert opens a new fact for each interval.
func (d *decider) insert(pieces []dsl.Interval) error {
	for _, iv := range pieces {
		f, err := d.statement(iv)
		if err != nil {
			return err
		}
		if err := d.open(f, "", fmt.Sprintf("%s: %s in %s", d.subject(), d.value(), iv)); err != nil {
			return err
		}
	}
	return nil
}

// statement gives the version that says what the candidate says in iv, and
// makes sure of its nodes.
func (d *decider) statement(iv dsl.Interval) (dsl.FactVersion, error) {
	for _, n := range []dsl.Node{d.src, d.dst} {
		if err := d.ensure(n); err != nil {
			return dsl.FactVersion{}, err
		}
	}
	return dsl.FactVersion{
		Src: d.src.ID, Dst: d.dst.ID, SrcName: d.known[d.src.ID].Name, DstName: d.known[d.dst.ID].Name,
		DstKind: d.dst.Kind, Rel: d.rel, Relation: d.c.Relation, Valid: iv,
		Source: d.c.Source, Evidence: d.turns(), Confidence: d.c.Confidence,
	}, nil
}

// cut takes intervals away from a version. What is left keeps its value,
// confidence and source; the turn becomes evidence of why it ends.
func (d *decider) cut(f dsl.FactVersion, cuts []dsl.Interval, reason string) error {
	left := subtract(f.Valid, cuts)
	if len(left) == 0 {
		d.retract(f, d.c.Source, d.turns(), "", reason)
		return nil
	}
	rest := f
	rest.Valid = left[0]
	rest.Evidence = distinct(slices.Concat(f.Evidence, d.turns()))
	if err := d.succeed(f, rest, "", reason); err != nil {
		return err
	}
	for _, iv := range left[1:] {
		rest.Valid = iv
		if err := d.open(rest, "", reason); err != nil {
			return err
		}
	}
	return nil
}
