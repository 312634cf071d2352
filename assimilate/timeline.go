package assimilate

import (
	"cmp"
	"slices"

	"github.com/asof-db/asof/dsl"
)

// subtract gives what of v lies in none of the cuts, in order of time, without
// empty pieces.
func subtract(v dsl.Interval, cuts []dsl.Interval) []dsl.Interval {
	cuts = slices.Clone(cuts)
	slices.SortFunc(cuts, func(a, b dsl.Interval) int { return cmp.Compare(a.Start, b.Start) })
	var out []dsl.Interval
	for _, c := range cuts {
		if !c.Overlaps(v) {
			continue
		}
		if v.Start < c.Start {
			out = append(out, dsl.Interval{Start: v.Start, End: c.Start})
		}
		v.Start = c.End
	}
	if !v.Empty() {
		out = append(out, v)
	}
	return out
}

// without gives what of the pieces lies in none of the cuts.
func without(pieces, cuts []dsl.Interval) []dsl.Interval {
	var out []dsl.Interval
	for _, p := range pieces {
		out = append(out, subtract(p, cuts)...)
	}
	return out
}

// anyOverlap tells whether one of the pieces overlaps v.
func anyOverlap(v dsl.Interval, pieces []dsl.Interval) bool {
	return slices.ContainsFunc(pieces, v.Overlaps)
}

// covers tells whether v holds every instant of w.
func covers(v, w dsl.Interval) bool {
	return w.Empty() || v.Start <= w.Start && w.End <= v.End
}

// intervals gives the valid intervals of versions.
func intervals(list []dsl.FactVersion) []dsl.Interval {
	out := make([]dsl.Interval, len(list))
	for i := range list {
		out[i] = list[i].Valid
	}
	return out
}

// overlapping gives the versions that hold somewhere in v, in order of valid
// start.
func overlapping(list []dsl.FactVersion, v dsl.Interval) []dsl.FactVersion {
	var out []dsl.FactVersion
	for _, f := range list {
		if f.Valid.Overlaps(v) {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b dsl.FactVersion) int { return cmp.Compare(a.Valid.Start, b.Valid.Start) })
	return out
}

// claim gives what an interval that a statement made at said speaks of, given
// the versions of its own value and those that it contradicts (see the package
// documentation). restated gives the first instant after its second argument at
// which a turn said the version's value again, dsl.Forever if none did. The
// claim is empty where the statement changes nothing.
func claim(n dsl.Interval, said dsl.Instant, same, others []dsl.FactVersion,
	restated func(*dsl.FactVersion, dsl.Instant) (dsl.Instant, error)) (dsl.Interval, error) {
	if n.End != dsl.Forever || n.Empty() {
		return n, nil
	}
	firm := max(n.Start, said)
	for i := range same {
		v := same[i].Valid
		if v.Start >= firm {
			n.End = min(n.End, v.Start)
		} else if v.Contains(firm) {
			n.End = min(n.End, v.End)
		}
	}
	for i := range others {
		v := others[i].Valid
		switch {
		case v.Empty():
		case v.Start >= firm, v.Start >= n.Start && v.End == dsl.Forever:
			n.End = min(n.End, v.Start)
		case v.Contains(firm):
			again, err := restated(&others[i], firm)
			if err != nil {
				return n, err
			}
			n.End = min(n.End, again)
		}
	}
	return n, nil
}
