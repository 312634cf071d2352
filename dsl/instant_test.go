package dsl_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/asof-db/asof/dsl"
)

func TestInstantText(t *testing.T) {
	for _, c := range []struct {
		at   dsl.Instant
		text string
	}{
		{0, "1970-01-01T00:00:00Z"},
		{1, "1970-01-01T00:00:00.000001Z"},
		{-1, "1969-12-31T23:59:59.999999Z"},
		{-500_000, "1969-12-31T23:59:59.5Z"},
		{-1_000_000, "1969-12-31T23:59:59Z"},
		{-1_000_001, "1969-12-31T23:59:58.999999Z"},
		{1_500_000, "1970-01-01T00:00:01.5Z"},
		{100_010, "1970-01-01T00:00:00.10001Z"},
		{951_782_400 * dsl.Second, "2000-02-29T00:00:00Z"},
		{dsl.MinInstant, "0001-01-01T00:00:00Z"},
		{dsl.MinInstant + 1, "0001-01-01T00:00:00.000001Z"},
		{dsl.MaxInstant, "9999-12-31T23:59:59.999999Z"},
	} {
		if got := c.at.String(); got != c.text {
			t.Errorf("%d is written %s, want %s", int64(c.at), got, c.text)
		}
		if got := noErr(dsl.Canonical(c.at))(t); string(got) != `"`+c.text+`"` {
			t.Errorf("%d is written %s, want %q", int64(c.at), got, c.text)
		}
		var back dsl.Instant
		if err := dsl.Decode([]byte(`"`+c.text+`"`), &back); err != nil || back != c.at {
			t.Errorf("%s reads as %d (%v), want %d", c.text, int64(back), err, int64(c.at))
		}
		if got := dsl.FromTime(c.at.Time()); got != c.at {
			t.Errorf("%s comes back from its time as %s", c.at, got)
		}
	}
	for _, at := range []dsl.Instant{dsl.Beginning, dsl.Forever} {
		if at.String() != "null" || at.Finite() {
			t.Errorf("the end of time %d is written %s", int64(at), at)
		}
	}
	for _, at := range []dsl.Instant{dsl.MinInstant - 1, dsl.MaxInstant + 1, dsl.Beginning + 1, dsl.Forever - 1} {
		if b, err := dsl.Canonical(at); err == nil {
			t.Errorf("%d is written %s", int64(at), b)
		}
	}
}

func TestInstantRoundsDown(t *testing.T) {
	for _, c := range []struct {
		ns   int64
		want dsl.Instant
	}{{0, 0}, {999, 0}, {1000, 1}, {-1, -1}, {-1000, -1}, {-1001, -2}} {
		if got := dsl.FromTime(time.Unix(0, c.ns)); got != c.want {
			t.Errorf("%d ns is %d µs, want %d", c.ns, got, c.want)
		}
	}
}

func TestInstantRefuses(t *testing.T) {
	for _, text := range []string{
		`null`, `0`, `""`, `"now"`, `"2023-05-08"`, `"2023-05-08T00:00:00"`, `"2023-05-08T00:00:00z"`, `"2023-05-08t00:00:00Z"`,
		`"2023-05-08 00:00:00Z"`, `"2023-05-08T00:00:00+00:00"`, `"2023-05-08T00:00:00+08:00"`, `"2023-05-08T00:00:00.Z"`,
		`"2023-05-08T00:00:00.0Z"`, `"2023-05-08T00:00:00.10Z"`, `"2023-05-08T00:00:00,5Z"`, `"2023-05-08T00:00:00.0000001Z"`,
		`"2023-05-08T00:00:00.1234567Z"`, `"2023-02-29T00:00:00Z"`, `"2023-13-01T00:00:00Z"`, `"2023-05-08T24:00:00Z"`,
		`"2023-05-08T00:00:60Z"`, `"0000-12-31T23:59:59Z"`, `"10000-01-01T00:00:00Z"`, `"-001-01-01T00:00:00Z"`, `"2023-5-8T00:00:00Z"`,
		` "2023-05-08T00:00:00Z"`, `"2023-05-08T00:00:00Z" `, `"2023-05-08T00:00:00\u005a"`,
	} {
		var at dsl.Instant
		if err := dsl.Decode([]byte(text), &at); !errors.Is(err, dsl.ErrCorrupt) {
			t.Errorf("%s reads as %s, %v", text, at, err)
		}
	}
}

func TestInstantOrderIsTextOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := instants.Draw(t, "a"), instants.Draw(t, "b")
		// Fractions have no fixed width, so only whole seconds sort as text.
		a, b = a-a%dsl.Second, b-b%dsl.Second
		if (a < b) != (a.String() < b.String()) {
			t.Fatalf("%s and %s", a, b)
		}
	})
}

func TestIntervalText(t *testing.T) {
	for _, c := range []struct {
		v    dsl.Interval
		text string
	}{
		{dsl.Always, `[null,null]`},
		{dsl.Since(0), `["1970-01-01T00:00:00Z",null]`},
		{dsl.Interval{Start: dsl.Beginning, End: 0}, `[null,"1970-01-01T00:00:00Z"]`},
		{dsl.Interval{Start: -1, End: -1}, `["1969-12-31T23:59:59.999999Z","1969-12-31T23:59:59.999999Z"]`},
		{dsl.Interval{Start: dsl.MinInstant, End: dsl.MaxInstant}, `["0001-01-01T00:00:00Z","9999-12-31T23:59:59.999999Z"]`},
	} {
		if got := noErr(dsl.Canonical(c.v))(t); string(got) != c.text {
			t.Errorf("%s is written %s, want %s", c.v, got, c.text)
		}
		var back dsl.Interval
		if err := dsl.Decode([]byte(c.text), &back); err != nil || back != c.v {
			t.Errorf("%s reads as %s, %v", c.text, back, err)
		}
	}
	if got := dsl.Always.String() + dsl.Since(0).String(); got != "[-∞, ∞)[1970-01-01T00:00:00Z, ∞)" {
		t.Errorf("for people: %s", got)
	}
	for _, v := range []dsl.Interval{{dsl.Forever, dsl.Forever}, {dsl.Beginning, dsl.Beginning}, {dsl.MaxInstant + 1, dsl.Forever}} {
		if b, err := dsl.Canonical(v); err == nil {
			t.Errorf("%s is written %s", v, b)
		}
	}
	for _, text := range []string{
		`null`, `[]`, `[null]`, `[null,null,null]`, `[null,0]`, `{}`, `[null, null]`, `["now",null]`, `[null,"9999-12-31T23:59:59.9999999Z"]`, `"x"`, `[`, `[null`,
	} {
		var v dsl.Interval
		if err := dsl.Decode([]byte(text), &v); !errors.Is(err, dsl.ErrCorrupt) {
			t.Errorf("%s reads as %s, %v", text, v, err)
		}
	}
}

func TestIntervalRules(t *testing.T) {
	iv := func(a, b dsl.Instant) dsl.Interval { return dsl.Interval{Start: a, End: b} }
	for _, c := range []struct {
		v     dsl.Interval
		valid bool
	}{
		{dsl.Always, true}, {iv(0, 0), true}, {iv(0, 1), true}, {iv(1, 0), false}, {iv(dsl.Forever, dsl.Forever), false},
		{iv(dsl.Beginning, dsl.Beginning), false}, {iv(dsl.MinInstant-1, 0), false}, {iv(0, dsl.MaxInstant+1), false},
		{iv(dsl.MinInstant, dsl.MaxInstant), true}, {iv(math.MinInt64+1, math.MaxInt64), false},
	} {
		if c.v.Valid() != c.valid {
			t.Errorf("%s: valid %t", c.v, c.v.Valid())
		}
	}
	v := iv(10, 20)
	for at, want := range map[dsl.Instant]bool{9: false, 10: true, 19: true, 20: false, dsl.Beginning: false, dsl.Forever: false} {
		if v.Contains(at) != want {
			t.Errorf("%d in [10, 20): %t", int64(at), !want)
		}
	}
	for _, c := range []struct {
		w    dsl.Interval
		want bool
	}{
		{iv(0, 10), false}, {iv(0, 11), true}, {iv(19, 30), true}, {iv(20, 30), false}, {iv(12, 13), true}, {iv(15, 15), false}, {dsl.Always, true},
	} {
		if v.Overlaps(c.w) != c.want || c.w.Overlaps(v) != c.want || v.Intersect(c.w).Empty() == c.want {
			t.Errorf("%s and %s overlap: %t", v, c.w, !c.want)
		}
	}
}
