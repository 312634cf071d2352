package events

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/asof-db/asof/dsl"
)

// TestAlikeBothWays holds that what makes two events one is the same both ways,
// that an event is like itself, and that no third event matters.
func TestAlikeBothWays(t *testing.T) {
	set := rapid.Custom(func(t *rapid.T) []string {
		list := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f"}), 0, 6).Draw(t, "set")
		slices.Sort(list)
		return slices.Compact(list)
	})
	draw := func(t *rapid.T) told {
		from := dsl.Instant(rapid.IntRange(0, 5).Draw(t, "from"))
		return told{terms: set.Draw(t, "terms"), facts: set.Draw(t, "facts"), who: set.Draw(t, "who"),
			span: dsl.Interval{Start: from, End: from + dsl.Instant(rapid.IntRange(0, 3).Draw(t, "length"))}}
	}
	rapid.Check(t, func(r *rapid.T) {
		a, b := draw(r), draw(r)
		if alike(&a, &b) != alike(&b, &a) || similarity(&a, &b) != similarity(&b, &a) {
			r.Fatalf("%v and %v are not alike both ways", a, b)
		}
		if s := similarity(&a, &b); !(s >= 0 && s <= 1) {
			r.Fatalf("similarity %v", s)
		}
		if len(a.terms)+len(a.facts) > 0 && similarity(&a, &a) != 1 {
			r.Fatalf("%v is like itself by %v", a, similarity(&a, &a))
		}
		if alike(&a, &b) && (shared(a.who, b.who) == 0 || a.span.End < b.span.Start || b.span.End < a.span.Start) {
			r.Fatalf("%v and %v share nobody or lie apart", a, b)
		}
	})
}

func TestAlikeThreshold(t *testing.T) {
	v := func(n int) dsl.Interval { return dsl.Interval{Start: dsl.Instant(n), End: dsl.Instant(n + 2)} }
	base := told{terms: []string{"a", "b", "c", "d", "e"}, who: []string{"x"}, span: v(0)}
	for _, c := range []struct {
		name  string
		other told
		want  bool
	}{
		{"four of five words", told{terms: []string{"a", "b", "c", "d", "z"}, who: []string{"x"}, span: v(0)}, true},
		{"three of five words", told{terms: []string{"a", "b", "c", "y", "z"}, who: []string{"x"}, span: v(0)}, false},
		{"adjoining time", told{terms: base.terms, who: []string{"x"}, span: v(2)}, true},
		{"a gap between", told{terms: base.terms, who: []string{"x"}, span: v(3)}, false},
		{"nobody shared", told{terms: base.terms, who: []string{"y"}, span: v(0)}, false},
	} {
		if got := alike(&base, &c.other); got != c.want {
			t.Errorf("%s: alike is %t", c.name, got)
		}
	}
}

func TestDenoted(t *testing.T) {
	zone := time.FixedZone("", 8*3600)
	for _, c := range []struct{ text, from, to string }{
		{"2024-02-09T15:00", "2024-02-09T07:00:00Z", "2024-02-09T07:01:00Z"},
		{"2024-02-09T15:00:10", "2024-02-09T07:00:10Z", "2024-02-09T07:00:11Z"},
		{"2024-02-09T15", "2024-02-09T07:00:00Z", "2024-02-09T08:00:00Z"},
		{"2024-02-09T15:00:00Z", "2024-02-09T15:00:00Z", "2024-02-09T15:00:01Z"},
		{" 2024-02-09 ", "2024-02-08T16:00:00Z", "2024-02-09T16:00:00Z"},
		{"2024-02", "2024-01-31T16:00:00Z", "2024-02-29T16:00:00Z"},
		{"2024", "2023-12-31T16:00:00Z", "2024-12-31T16:00:00Z"},
		{"soon", "", ""},
		{"", "", ""},
		{"2024-13", "", ""},
	} {
		v, ok := denoted(c.text, zone)
		if ok != (c.from != "") || ok && (v.Start.String() != c.from || v.End.String() != c.to) {
			t.Errorf("%q denotes %s, %t; want [%s, %s)", c.text, v, ok, c.from, c.to)
		}
	}
}
