package assimilate

import (
	"fmt"
	"slices"

	"github.com/asof-db/asof/dsl"
)

// correct takes in an explicit correction.
func (d *decider) correct() error {
	same, others, err := d.neighbourhood()
	if err != nil {
		return err
	}
	target, err := d.target(same, others)
	if err != nil {
		return err
	}
	if target == nil {
		why := "nothing is known to correct: "
		if !d.c.Corrects.IsZero() {
			why = fmt.Sprintf("%s, which is to be corrected, is not believed: ", d.c.Corrects)
		}
		return d.assert(RuleCorrectUnknown, why)
	}
	without := func(list []dsl.FactVersion) []dsl.FactVersion {
		return slices.DeleteFunc(slices.Clone(list), func(f dsl.FactVersion) bool { return f.Ref() == target.Ref() })
	}
	is, err := d.sameValue(target)
	if err != nil {
		return err
	}
	if is && (d.c.Valid == nil || *d.c.Valid == target.Valid) {
		d.back([]dsl.FactVersion{*target})
		return d.settle(dsl.Skip, RuleKnown, "%s in %s is what is believed", d.value(), target.Valid)
	}
	if same, others = without(same), without(others); !d.functional {
		others = nil
	}
	cl := target.Valid
	if d.c.Valid != nil {
		if cl, err = claim(*d.c.Valid, d.said, same, others, d.restated); err != nil {
			return err
		}
	}
	if cl.Empty() {
		return d.settle(dsl.None, RuleNothingLeft, "%s is corrected to %s, of which nothing is left", target.DstName, d.value())
	}
	if !is && !target.Valid.Overlaps(cl) {
		return d.assert(RuleCorrectUnknown, fmt.Sprintf("%s is believed for another time, %s: ", target.DstName, target.Valid))
	}
	if !d.functional {
		if others, err = d.opposed(); err != nil {
			return err
		}
		others = without(others)
	}
	return d.rewrite(*target, is, cl, same, others)
}

// rewrite puts the candidate's value in place of a version, in the claim; same
// and others are the other versions of its value, and those it contradicts.
func (d *decider) rewrite(target dsl.FactVersion, sameValue bool, cl dsl.Interval, same, others []dsl.FactVersion) error {
	whole := sameValue || covers(cl, target.Valid)
	rule := RuleCorrectFrom
	switch {
	case sameValue:
		rule = RuleCorrectTime
	case whole:
		rule = RuleCorrectValue
	}
	why := fmt.Sprintf("%s: corrected from %s in %s to %s in %s", d.subject(), target.DstName, target.Valid, d.value(), cl)
	for _, f := range overlapping(others, cl) {
		if err := d.cut(f, []dsl.Interval{cl}, why); err != nil {
			return err
		}
	}
	d.back(overlapping(same, cl))
	pieces := subtract(cl, intervals(same))
	switch {
	case !whole:
		if err := d.cut(target, []dsl.Interval{cl}, why); err != nil {
			return err
		}
		if err := d.insert(pieces); err != nil {
			return err
		}
	case len(pieces) == 0:
		d.retract(target, d.c.Source, []string{d.turn}, "", why)
	default:
		if err := d.put(target, sameValue, pieces, why); err != nil {
			return err
		}
	}
	return d.settle(dsl.RetroCorrect, rule, "%s in %s is corrected to %s in %s", target.DstName, target.Valid, d.value(), cl)
}

// put lets a version say the candidate's value in other intervals. Where versions
// of its fact that stay say another value, or hold in them, these are facts of
// their own.
func (d *decider) put(target dsl.FactVersion, sameValue bool, pieces []dsl.Interval, why string) error {
	f, err := d.statement(pieces[0])
	if err != nil {
		return err
	}
	f.Src, f.SrcName = target.Src, target.SrcName
	witness := false
	if sameValue {
		// Its turns still say the value; this one says it too, and when.
		f.Evidence, f.Confidence = target.Evidence, target.Confidence
		f.Dst, f.DstName, f.DstKind = target.Dst, target.DstName, target.DstKind
		witness = !slices.Contains(target.Evidence, d.turn)
	}
	kin, err := d.versions(target.ID)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(kin, func(v dsl.FactVersion) bool {
		return v.Status != dsl.StatusClosed && v.Ref() != target.Ref() && (!alike(&v, &f) || anyOverlap(v.Valid, pieces))
	}) {
		if witness {
			f.Evidence = append(slices.Clip(f.Evidence), d.turn)
			f.Confidence = dsl.FoldConfidence(f.Confidence, d.c.Confidence)
		}
		d.retract(target, d.c.Source, []string{d.turn}, "", why)
		for _, iv := range pieces {
			f.Valid = iv
			if err := d.open(f, "", why); err != nil {
				return err
			}
		}
		return nil
	}
	if err := d.succeed(target, f, "", why); err != nil {
		return err
	}
	for _, iv := range pieces[1:] {
		f.ID, f.Valid = target.ID, iv
		if err := d.open(f, "", why); err != nil {
			return err
		}
	}
	if witness {
		d.support(target.ID, evidence{turn: d.turn, confidence: d.c.Confidence}, dsl.Op{Source: d.c.Source, Reason: dsl.Plain(why)})
	}
	return nil
}

// target gives the version that a correction speaks of, nil if there is none.
func (d *decider) target(same, others []dsl.FactVersion) (*dsl.FactVersion, error) {
	if !d.c.Corrects.IsZero() {
		pool, err := d.corrected()
		if err != nil {
			return nil, err
		}
		return d.pickStated(pool, false), nil
	}
	switch {
	case len(same) > 0:
		return d.pickStated(same, true), nil
	case !d.functional:
		return nil, nil // which of several values is meant cannot be told
	case d.c.Valid != nil:
		others = overlapping(others, *d.c.Valid)
	}
	return d.pickStated(others, true), nil
}

// corrected gives the versions of the value that the candidate says it
// corrects; those of its own relation, if there are any.
func (d *decider) corrected() ([]dsl.FactVersion, error) {
	old, err := d.named(d.c.DstKind, d.c.Corrects)
	if err != nil {
		return nil, fmt.Errorf("corrects: %w", err)
	}
	group, err := d.group(old.ID)
	if err != nil {
		return nil, err
	}
	if d.fuzzy {
		match, how, err := d.nearest(old, group)
		if err != nil {
			return nil, err
		}
		if how != "" {
			d.near += how
			if group, err = d.group(match.ID); err != nil {
				return nil, err
			}
		}
	}
	pool, err := d.believed(d.srcs, d.rel, group)
	if err != nil {
		return nil, err
	}
	if len(pool) == 0 && !d.functional && d.relation == "" {
		if pool, err = d.correctedInWords(); err != nil {
			return nil, err
		}
	}
	d.read(pool)
	var own []dsl.FactVersion
	for _, f := range pool {
		relation, err := relationOf(&f)
		if err != nil {
			return nil, err
		}
		if relation == d.relation {
			own = append(own, f)
		}
	}
	if len(own) > 0 {
		return own, nil
	}
	return pool, nil
}

// correctedInWords gives the versions of the corrected value that have it in other
// words.
func (d *decider) correctedInWords() ([]dsl.FactVersion, error) {
	old, err := d.c.Corrects.Open()
	if err != nil {
		return nil, fmt.Errorf("corrects: %w", err)
	}
	w := wordingOf(old)
	same, meant, err := d.inWords(d.rel, &w, nil)
	if err != nil {
		return nil, err
	}
	same = slices.DeleteFunc(same, func(f dsl.FactVersion) bool { return slices.Contains(d.dsts, f.Dst) })
	if len(same) == 0 && len(meant) > 0 && !slices.ContainsFunc(meant, func(f dsl.FactVersion) bool { return f.Dst != meant[0].Dst }) {
		same = meant
	}
	return same, nil
}

// pickStated picks by the stated start, if there is one, then by the turn.
func (d *decider) pickStated(pool []dsl.FactVersion, begun bool) *dsl.FactVersion {
	if d.c.Valid != nil {
		if in := overlapping(pool, *d.c.Valid); len(in) > 0 {
			return d.pick(in, d.c.Valid.Start, false)
		}
	}
	return d.pick(pool, d.said, begun)
}

// pick gives the version that holds at t; if none does, the one that was
// recorded last, of those begun by then if so wanted.
func (d *decider) pick(pool []dsl.FactVersion, t dsl.Instant, begun bool) *dsl.FactVersion {
	var last *dsl.FactVersion
	for i := range pool {
		f := &pool[i]
		switch {
		case f.Valid.Contains(t):
			return f
		case begun && f.Valid.Start > t:
		case last == nil || f.Opened >= last.Opened:
			last = f
		}
	}
	return last
}
