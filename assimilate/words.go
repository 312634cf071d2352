package assimilate

import (
	"strings"

	"github.com/asof-db/asof/dsl"
)

// most bounds how many versions a reason names.
const most = 4

// value names what the candidate says, for people.
func (d *decider) value() string {
	if d.c.Relation.IsZero() {
		return d.c.Dst.String()
	}
	return d.c.Dst.String() + " (" + d.c.Relation.String() + ")"
}

// describe names the versions that hold in iv, with their intervals.
func describe(versions []dsl.FactVersion, iv dsl.Interval) string {
	var out []string
	for _, f := range versions {
		if f.Valid.Overlaps(iv) {
			out = append(out, f.DstName.String()+" in "+f.Valid.String())
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
