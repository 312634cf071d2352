package near

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestJaroWinkler holds the measure to the examples of Winkler's paper, and to
// names in other scripts.
func TestJaroWinkler(t *testing.T) {
	for _, x := range []struct {
		a, b string
		want float64
	}{
		{"martha", "marhta", 0.9611}, {"dwayne", "duane", 0.84}, {"dixon", "dicksonx", 0.8133},
		{"", "", 1}, {"a", "", 0}, {"abc", "xyz", 0}, {"boston", "boston", 1},
		{"北京市", "北京市", 1}, {"北京大学", "北京大學", 0.8833},
	} {
		if got := JaroWinkler(x.a, x.b); math.Abs(got-x.want) > 0.0001 {
			t.Errorf("JaroWinkler(%q, %q) = %.4f, want %.4f", x.a, x.b, got, x.want)
		}
	}
}

func TestNames(t *testing.T) {
	for _, x := range []struct {
		a, b string
		by   string // empty where they are not near
	}{
		{"boston", "bostn", "Jaro-Winkler"},
		{"acme corporation", "acme corporatoin", "Jaro-Winkler"},
		{"science museum of london", "london museum of science", "token set"},
		{"boston", "austin", ""},
		{"boston college", "boston university", ""},
		{"555-1234", "555-1235", ""},
		{"room 12 of the north building", "room 13 of the north building", ""},
		{"", "", ""},
	} {
		m, ok := Names(x.a, x.b)
		if ok != (x.by != "") || m.By != x.by {
			t.Errorf("Names(%q, %q) = %+v, %t, want %q", x.a, x.b, m, ok, x.by)
		}
	}
}

// TestMeasures: both measures are symmetric, lie in [0, 1] and are 1 for a name
// and itself.
func TestMeasures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringOfN(rapid.SampledFrom([]rune("abc 北京é1")), 0, 9, -1)
		a, b := name.Draw(t, "a"), name.Draw(t, "b")
		for what, f := range map[string]func(a, b string) float64{"JaroWinkler": JaroWinkler, "TokenSet": TokenSet} {
			x := f(a, b)
			if !(x >= 0 && x <= 1) || math.Abs(x-f(b, a)) > 1e-12 {
				t.Fatalf("%s(%q, %q) = %v, turned around %v", what, a, b, x, f(b, a))
			}
			if self := f(a, a); self != 1 && len(words(a)) > 0 {
				t.Fatalf("%s(%q, itself) = %v", what, a, self)
			}
		}
	})
}
