package assimilate

import (
	"fmt"
	"slices"

	"github.com/asof-db/asof/dsl"
)

// end takes in an ending: the version that holds at the stated time stops there.
func (d *decider) end() error {
	same, others, err := d.neighbourhood()
	if err != nil {
		return err
	}
	all, err := d.meant(same, others)
	if err != nil {
		return err
	}
	x := d.ending()
	var at, after []dsl.FactVersion
	earlier := false
	for _, f := range all {
		switch {
		case f.Valid.Contains(x):
			at = append(at, f)
		case f.Valid.Start < x:
			earlier = true
		case f.Valid.Start <= d.said && f.Valid.Contains(d.said):
			after = append(after, f)
		}
	}
	if len(at) == 0 && !earlier {
		at = after
	}
	if len(at) == 0 {
		if len(all) == 0 {
			return d.settle(dsl.None, RuleEndUnknown, "%s ends at %s, but it is not known that it held", d.value(), x)
		}
		return d.settle(dsl.None, RuleEndUnknown, "%s ends at %s, but it is known only for %s", d.value(), x, span(all))
	}
	own, err := d.ownWord(at)
	if err != nil {
		return err
	}
	if len(own) > 0 && !anyOverlap(dsl.Interval{Start: x, End: x + 1}, subtract(dsl.Since(x), own)) {
		return d.settle(dsl.None, RuleEndOwnWord, "%s is said to end at %s, but %s, and only a correction changes that", d.value(), x, d.saidOf(at, own))
	}
	return d.close(at, []dsl.Interval{dsl.Since(x)}, RuleEnd, RuleEndWithdraw, fmt.Sprintf("%s ends at %s", d.value(), x))
}

// ending gives the time at which an ending says that it stopped: the end of the
// stated interval, else its start, else when the turn was said.
func (d *decider) ending() dsl.Instant {
	switch v := d.c.Valid; {
	case v == nil:
		return d.said
	case v.End != dsl.Forever:
		return v.End
	case v.Start != dsl.Beginning:
		return v.Start
	}
	return d.said
}

// deny takes in a denial: its own value does not hold in what it claims.
func (d *decider) deny() error {
	same, others, err := d.neighbourhood()
	if err != nil {
		return err
	}
	all, err := d.meant(same, others)
	if err != nil {
		return err
	}
	n := d.stated()
	no := d.denied(n, all)
	hit := overlapping(all, no)
	if len(hit) == 0 {
		if len(all) == 0 {
			return d.settle(dsl.None, RuleDenyUnknown, "%s is denied for %s, but was never said to hold", d.value(), n)
		}
		return d.settle(dsl.None, RuleDenyUnknown, "%s is denied for %s, but is known only for %s", d.value(), n, span(all))
	}
	own, err := d.ownWord(hit)
	if err != nil {
		return err
	}
	cuts := subtract(no, own)
	hit = slices.DeleteFunc(hit, func(f dsl.FactVersion) bool { return !anyOverlap(f.Valid, cuts) })
	if len(hit) == 0 {
		return d.settle(dsl.None, RuleDenyOwnWord, "%s is denied for %s, but %s, and only a correction changes that", d.value(), no, d.saidOf(all, own))
	}
	return d.close(hit, cuts, RuleDeny, RuleDenyWithdraw, fmt.Sprintf("%s is denied for %s", d.value(), no))
}

// denied gives what a denial of n claims, given the versions of its value.
func (d *decider) denied(n dsl.Interval, all []dsl.FactVersion) dsl.Interval {
	if n.End != dsl.Forever {
		return n
	}
	// What began after both the turn and the stated start is later news.
	firm := max(n.Start, d.said)
	for i := range all {
		if v := all[i].Valid; v.Start > firm {
			n.End = min(n.End, v.Start)
		}
	}
	return n
}

// close takes intervals away from versions, under the first rule where
// something of one of them is left, else under the second.
func (d *decider) close(hit []dsl.FactVersion, cuts []dsl.Interval, closed, withdrawn, why string) error {
	rule := withdrawn
	for _, f := range hit {
		if len(subtract(f.Valid, cuts)) > 0 {
			rule = closed
		}
		if err := d.cut(f, cuts, d.subject()+": "+why); err != nil {
			return err
		}
	}
	if rule == withdrawn {
		return d.settle(dsl.Close, rule, "%s, so that nothing is left of %s", why, span(hit))
	}
	return d.settle(dsl.Close, rule, "%s, and was believed for %s", why, span(hit))
}

// withdraw takes in a denied correction: what it names never held, in its own
// interval or in that of the version that it speaks of.
func (d *decider) withdraw() error {
	same, others, err := d.neighbourhood()
	if err != nil {
		return err
	}
	all, err := d.meant(same, others)
	if err != nil {
		return err
	}
	iv := d.denied(d.stated(), all)
	hit := overlapping(all, iv)
	if d.c.Valid == nil {
		hit = nil
		if f := d.pick(all, d.said, true); f != nil {
			hit, iv = []dsl.FactVersion{*f}, f.Valid
		}
	}
	if len(hit) == 0 {
		return d.settle(dsl.None, RuleDenyUnknown, "%s is withdrawn, but was not believed", d.value())
	}
	for _, f := range hit {
		if err := d.cut(f, []dsl.Interval{iv}, fmt.Sprintf("%s: %s did not hold in %s", d.subject(), d.value(), iv)); err != nil {
			return err
		}
	}
	return d.settle(dsl.RetroCorrect, RuleCorrectDeny, "%s did not hold in %s, and was believed for %s", d.value(), iv, span(hit))
}
