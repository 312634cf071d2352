package assimilate

import (
	"strings"

	"github.com/asof-db/asof/dsl"
)

// most bounds how many versions a reason names.
const most = 4

// value names what the candidate says, for people.
func (d *decider) value() string {
	if d.functional && d.unnamed() {
		return "what was set"
	}
	if d.c.Relation.IsZero() {
		return d.c.Dst.String()
	}
	return d.c.Dst.String() + " (" + d.c.Relation.String() + ")"
}

// valueOf names what a version says: its value, and its relation where that is
// another than the candidate's.
func (d *decider) valueOf(f *dsl.FactVersion) string {
	if f.Rel != d.rel {
		return f.Rel + " " + f.DstName.String()
	}
	return f.DstName.String()
}

// describe names the versions that hold in iv, with their intervals.
func (d *decider) describe(versions []dsl.FactVersion, iv dsl.Interval) string {
	var out []string
	for _, f := range versions {
		if f.Valid.Overlaps(iv) {
			out = append(out, d.valueOf(&f)+" in "+f.Valid.String())
		}
	}
	return join(out)
}

// span names the intervals of versions.
func span(versions []dsl.FactVersion) string { return list(intervals(versions)) }

// list names intervals.
func list(ivs []dsl.Interval) string {
	out := make([]string, len(ivs))
	for i, iv := range ivs {
		out[i] = iv.String()
	}
	return join(out)
}

func join(parts []string) string {
	if n := len(parts) - most; n > 0 {
		parts = append(parts[:most:most], "…")
	}
	return strings.Join(parts, " and ")
}
