// Package near says how alike two short names are: by their letters
// (Jaro-Winkler) and by their words. Both take names in normal form, count in
// code points, and give the same number on every machine.
package near

import (
	"slices"
	"strings"
	"unicode"
)

// The least similarities at which names are taken as near.
const (
	LeastJaroWinkler = 0.92
	LeastTokenSet    = 0.8
)

// Match is how two names are near.
type Match struct {
	// By is "Jaro-Winkler" or "token set".
	By string
	// Score lies in [0, 1].
	Score float64
}

// Names tells whether two normalised names are near, by letters first, then by
// words. Names whose digits differ never are: numbers, dates and addresses that
// look alike are different things.
func Names(a, b string) (Match, bool) {
	if a == "" || b == "" || digits(a) != digits(b) {
		return Match{}, false
	}
	if s := JaroWinkler(a, b); s >= LeastJaroWinkler {
		return Match{"Jaro-Winkler", s}, true
	}
	if s := TokenSet(a, b); s >= LeastTokenSet {
		return Match{"token set", s}, true
	}
	return Match{}, false
}

func digits(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

// Winkler's constants: what a shared prefix of up to four code points adds for
// each of them, and the similarity from which on it adds anything.
const (
	prefixMost  = 4
	prefixScale = 0.1
	prefixFrom  = 0.7
)

// JaroWinkler gives the similarity of Jaro (1989) with the prefix weight of
// Winkler (1990), over code points, in [0, 1]. Two empty names are alike.
func JaroWinkler(a, b string) float64 {
	x, y := []rune(a), []rune(b)
	sim := jaro(x, y)
	if sim < prefixFrom {
		return sim
	}
	prefix := 0
	for prefix < min(prefixMost, len(x), len(y)) && x[prefix] == y[prefix] {
		prefix++
	}
	weight := float64(float64(prefix) * prefixScale)
	return sim + float64(weight*(1-sim))
}

func jaro(x, y []rune) float64 {
	if len(x) == 0 && len(y) == 0 {
		return 1
	}
	if len(x) == 0 || len(y) == 0 {
		return 0
	}
	reach := max(max(len(x), len(y))/2-1, 0)
	taken := make([]bool, len(y))
	var common []rune // of x, in its order
	for i, r := range x {
		for j := max(0, i-reach); j < min(len(y), i+reach+1); j++ {
			if !taken[j] && y[j] == r {
				taken[j] = true
				common = append(common, r)
				break
			}
		}
	}
	if len(common) == 0 {
		return 0
	}
	half, k := 0, 0 // halves of transpositions
	for j, is := range taken {
		if is {
			if y[j] != common[k] {
				half++
			}
			k++
		}
	}
	m := float64(len(common))
	return (m/float64(len(x)) + m/float64(len(y)) + (m-float64(half/2))/m) / 3
}

// TokenSet gives the words that two names share as a part of the words that
// either has, in [0, 1]: their order and repetitions do not count.
func TokenSet(a, b string) float64 {
	x, y := words(a), words(b)
	if len(x) == 0 || len(y) == 0 {
		return 0
	}
	both := 0
	for _, w := range x {
		if slices.Contains(y, w) {
			both++
		}
	}
	return float64(both) / float64(len(x)+len(y)-both)
}

func words(s string) []string {
	list := strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
	slices.Sort(list)
	return slices.Compact(list)
}
