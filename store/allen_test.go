package store_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// everyInterval gives every interval, empty ones too, over a few instants and the
// ends of time.
func everyInterval() []dsl.Interval {
	points := []dsl.Instant{dsl.Beginning, dsl.MinInstant, -1, 0, 1, dsl.MaxInstant, dsl.Forever}
	var all []dsl.Interval
	for i, a := range points {
		for _, b := range points[i:] {
			if iv := (dsl.Interval{Start: a, End: b}); iv.Valid() {
				all = append(all, iv)
			}
		}
	}
	return all
}

// TestAllenPartition holds every pair of intervals to the definitions: one
// relation and no other, and none where one of the two holds no instant.
func TestAllenPartition(t *testing.T) {
	seen := store.Allen(0)
	for _, v := range everyInterval() {
		for _, w := range everyInterval() {
			s, e, a, b := v.Start, v.End, w.Start, w.End
			want := store.Allen(0)
			for _, d := range []struct {
				relation store.Allen
				is       bool
			}{
				{store.AllenBefore, e < a}, {store.AllenMeets, e == a}, {store.AllenOverlaps, s < a && a < e && e < b},
				{store.AllenFinishedBy, s < a && e == b}, {store.AllenContains, s < a && b < e},
				{store.AllenStarts, s == a && e < b}, {store.AllenEquals, s == a && e == b}, {store.AllenStartedBy, s == a && b < e},
				{store.AllenDuring, a < s && e < b}, {store.AllenFinishes, a < s && e == b},
				{store.AllenOverlappedBy, a < s && s < b && b < e}, {store.AllenMetBy, s == b}, {store.AllenAfter, b < s},
			} {
				if d.is && s < e && a < b {
					if want != 0 {
						t.Fatalf("%s and %s: both %s and %s", v, w, want, d.relation)
					}
					want = d.relation
				}
			}
			got := store.AllenOf(v, w)
			if got != want {
				t.Errorf("%s to %s: got %s, want %s", v, w, got, want)
			}
			if back := store.AllenOf(w, v); back != got.Converse() || back.Converse() != got {
				t.Errorf("%s to %s is %s, and back %s", v, w, got, back)
			}
			if is := store.AllenOverlapping.Has(v, w); is != v.Overlaps(w) {
				t.Errorf("%s overlapping %s: %t", v, w, is)
			}
			if is := store.AllenContained.Has(v, w); is != (!v.Empty() && !w.Empty() && a <= s && e <= b) {
				t.Errorf("%s contained in %s: %t", v, w, is)
			}
			if is := store.AllenContaining.Has(v, w); is != store.AllenContained.Has(w, v) {
				t.Errorf("%s containing %s: %t", v, w, is)
			}
			if proper := !v.Empty() && !w.Empty(); store.AllenAny.Has(v, w) != proper || store.AllenDisjoint.Has(v, w) != (proper && !v.Overlaps(w)) {
				t.Errorf("%s and %s: any %t, disjoint %t", v, w, store.AllenAny.Has(v, w), store.AllenDisjoint.Has(v, w))
			}
			seen |= got
		}
	}
	if seen != store.AllenAny {
		t.Errorf("only %s were met", seen)
	}
}

func TestAllenNames(t *testing.T) {
	all := store.AllenAny.String()
	if n := len(strings.Split(all, ",")); n != 13 {
		t.Fatalf("%d relations: %s", n, all)
	}
	for name := range strings.SplitSeq(all, ",") {
		one, err := store.ParseAllen(name)
		if err != nil || one.String() != name {
			t.Errorf("%s is read as %s (%v)", name, one, err)
		}
	}
	for text, want := range map[string]store.Allen{
		"any": store.AllenAny, "overlapping": store.AllenOverlapping, "disjoint": store.AllenDisjoint,
		"contained": store.AllenContained, " containing ,before": store.AllenContaining | store.AllenBefore,
		"overlaps, starts": store.AllenOverlaps | store.AllenStarts,
	} {
		if got, err := store.ParseAllen(text); err != nil || got != want {
			t.Errorf("%q is read as %s (%v)", text, got, err)
		}
	}
	for _, bad := range []string{"", "overlap", "starts,", "Before", "none"} {
		if got, err := store.ParseAllen(bad); !errors.Is(err, dsl.ErrInvalid) || got != 0 {
			t.Errorf("%q is read as %s (%v)", bad, got, err)
		}
	}
	if got := store.Allen(0).String(); got != "none" {
		t.Errorf("the empty set is %q", got)
	}
	if c := (store.AllenBefore | store.AllenStarts | store.AllenEquals).Converse(); c != store.AllenAfter|store.AllenStartedBy|store.AllenEquals {
		t.Errorf("converse: %s", c)
	}
}
