package store

import (
	"cmp"
	"fmt"
	"math/bits"
	"strings"

	"github.com/asof-db/asof/dsl"
)

// Allen is a set of the thirteen relations in which two intervals can stand
// (Allen, "Maintaining knowledge about temporal intervals", 1983). Each is read
// with the version's interval first: a version that is AllenBefore a span ends
// before the span starts.
//
// The relations are those of proper intervals: two intervals that both hold an
// instant stand in exactly one of them, an interval without an instant stands in
// none. The ends of time are instants like others: two intervals that have no
// start start together.
type Allen uint16

// The thirteen relations of an interval [s, e) to [a, b).
const (
	// AllenBefore is e < a.
	AllenBefore Allen = 1 << iota
	// AllenMeets is e = a: half-open, they share no instant.
	AllenMeets
	// AllenOverlaps is s < a < e < b.
	AllenOverlaps
	// AllenFinishedBy is s < a, e = b.
	AllenFinishedBy
	// AllenContains is s < a, b < e.
	AllenContains
	// AllenStarts is s = a, e < b.
	AllenStarts
	// AllenEquals is s = a, e = b.
	AllenEquals
	// AllenStartedBy is s = a, b < e.
	AllenStartedBy
	// AllenDuring is a < s, e < b.
	AllenDuring
	// AllenFinishes is a < s, e = b.
	AllenFinishes
	// AllenOverlappedBy is a < s < b < e.
	AllenOverlappedBy
	// AllenMetBy is s = b.
	AllenMetBy
	// AllenAfter is b < s.
	AllenAfter

	// AllenAny is every relation: it selects the intervals that hold an instant.
	AllenAny = AllenBefore | AllenOverlapping | AllenMeets | AllenMetBy | AllenAfter
	// AllenOverlapping is to share an instant, in whatever way.
	AllenOverlapping = AllenContained | AllenContaining | AllenOverlaps | AllenOverlappedBy
	// AllenContained is to lie within the span, bounds included.
	AllenContained = AllenStarts | AllenDuring | AllenFinishes | AllenEquals
	// AllenContaining is to hold every instant of the span.
	AllenContaining = AllenStartedBy | AllenContains | AllenFinishedBy | AllenEquals
	// AllenDisjoint is to share no instant.
	AllenDisjoint = AllenBefore | AllenMeets | AllenMetBy | AllenAfter
)

// allenNames are the relations by the place of their bit; a relation and its
// converse lie at the same distance from the two ends.
var allenNames = [...]string{
	"before", "meets", "overlaps", "finished-by", "contains", "starts", "equals", "started-by", "during", "finishes",
	"overlapped-by", "met-by", "after",
}

// allenUnions are the sets that have a name of their own.
var allenUnions = []struct {
	name string
	set  Allen
}{
	{"any", AllenAny}, {"overlapping", AllenOverlapping}, {"contained", AllenContained}, {"containing", AllenContaining},
	{"disjoint", AllenDisjoint},
}

// AllenOf gives the one relation in which v stands to w; none where either holds
// no instant.
func AllenOf(v, w dsl.Interval) Allen {
	if v.Empty() || w.Empty() {
		return 0
	}
	switch {
	case v.End < w.Start:
		return AllenBefore
	case v.End == w.Start:
		return AllenMeets
	case w.End < v.Start:
		return AllenAfter
	case w.End == v.Start:
		return AllenMetBy
	}
	// They share an instant: the order of starts and that of ends tell the rest.
	table := [3][3]Allen{
		{AllenOverlaps, AllenFinishedBy, AllenContains},
		{AllenStarts, AllenEquals, AllenStartedBy},
		{AllenDuring, AllenFinishes, AllenOverlappedBy},
	}
	return table[cmp.Compare(v.Start, w.Start)+1][cmp.Compare(v.End, w.End)+1]
}

// Has tells whether v stands to w in one of the relations of the set.
func (a Allen) Has(v, w dsl.Interval) bool { return a&AllenOf(v, w) != 0 }

// Converse gives the relations in which w stands to v where v stands to w in one
// of the set.
func (a Allen) Converse() Allen {
	return Allen(bits.Reverse16(uint16(a&AllenAny)) >> (16 - len(allenNames)))
}

// String names the relations, in the order of the constants, separated by
// commas: what ParseAllen reads. The empty set is "none".
func (a Allen) String() string {
	var names []string
	for i, name := range allenNames {
		if a&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, ",")
}

// ParseAllen reads names of relations separated by commas: the thirteen, and the
// unions any, overlapping, contained, containing, disjoint. The error wraps
// dsl.ErrInvalid.
func ParseAllen(s string) (Allen, error) {
	var set Allen
words:
	for word := range strings.SplitSeq(s, ",") {
		word = strings.TrimSpace(word)
		for i, name := range allenNames {
			if word == name {
				set |= 1 << i
				continue words
			}
		}
		for _, u := range allenUnions {
			if word == u.name {
				set |= u.set
				continue words
			}
		}
		return 0, fmt.Errorf("%w: %q is no relation of intervals; they are %s, and any, overlapping, contained, containing, disjoint",
			dsl.ErrInvalid, word, strings.Join(allenNames[:], ", "))
	}
	return set, nil
}
