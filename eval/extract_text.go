package eval

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// How texts are compared when an extraction is judged: as the guidelines of the gold
// want it, and as the project's scoring script does.

// outerMarks stand around a value without being part of it.
const outerMarks = "\"'`“”‘’「」『』《》〈〉().,;:!?，。；：！？、… \t\n"

// leadingWords open a value without being part of it.
var leadingWords = regexp.MustCompile(`(?i)^(?:(?:a|an|the|my|your|his|her|its|our|their|some)\s+|(?:我们|你们|他们|她们|我|你|您|他|她|它)的|[一这那][个只套台款本部双条位件辆张家])`)

var whiteSpace = regexp.MustCompile(`\s+`)

// plainValue gives a text folded, without outer marks, leading articles, possessives
// and Chinese measure phrases.
func plainValue(s string) string {
	s = whiteSpace.ReplaceAllString(norm.NFKC.String(s), " ")
	s = strings.Trim(cases.Fold().String(s), outerMarks)
	for {
		t := strings.Trim(s[len(leadingWords.FindString(s)):], outerMarks)
		if t == s || t == "" {
			return s
		}
		s = t
	}
}

// valueTokens cuts a value into words and numbers, and Chinese and Japanese into
// characters.
func valueTokens(s string) []string {
	var out []string
	kind := func(r rune) int {
		switch {
		case r >= 0x3040 && r <= 0x30ff || r >= 0x3400 && r <= 0x9fff:
			return 3
		case unicode.Is(unicode.Nd, r):
			return 2
		case unicode.IsLetter(r) || unicode.IsNumber(r):
			return 1
		}
		return 0
	}
	last := 0
	for _, r := range plainValue(s) {
		switch k := kind(r); {
		case k == 0:
			last = 0
		case k == last && k != 3:
			out[len(out)-1] += string(r)
		default:
			out = append(out, string(r))
			last = k
		}
	}
	return out
}

// holdsTokens tells whether tokens stand in others, one after the other.
func holdsTokens(all, part []string) bool {
	for i := 0; len(part) > 0 && i+len(part) <= len(all); i++ {
		if slices.Equal(all[i:i+len(part)], part) {
			return true
		}
	}
	return false
}

// edgeTokens tells whether tokens begin or end others.
func edgeTokens(all, part []string) bool {
	n := len(part)
	return n > 0 && n <= len(all) && (slices.Equal(all[:n], part) || slices.Equal(all[len(all)-n:], part))
}

// onlyDigits gives the digits of a text.
func onlyDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Nd, r) {
			return r
		}
		return -1
	}, s)
}

// timexKey gives a TIMEX3 value in the form in which values are compared: in capitals,
// T14, T14:00 and T14:00:00 alike, and 19XX as 19.
func timexKey(v string) string {
	v = strings.ToUpper(strings.TrimSpace(v))
	v = cutClock(v, 3, 2)
	if n := len(v); n == 4 && onlyDigits(v[:2]) == v[:2] && v[2:] == "XX" {
		v = v[:2]
	} else if n == 4 && onlyDigits(v[:3]) == v[:3] && v[3:] == "X" {
		v = v[:3]
	}
	return cutClock(v, 6, 1)
}

// cutClock cuts up to most times ":00" off behind a T and a clock of n bytes in all, where
// neither a digit nor a colon follows.
func cutClock(v string, n, most int) string {
	var b strings.Builder
	for i := 0; i < len(v); i++ {
		if end := clockEnd(v, i, n, most); end > 0 {
			b.WriteString(v[i : i+n])
			i = end - 1
			continue
		}
		b.WriteByte(v[i])
	}
	return b.String()
}

// clockEnd gives the byte where the clock that begins at i ends, with the most ":00"
// after it, or 0.
func clockEnd(v string, i, n, most int) int {
	if v[i] != 'T' || i+n > len(v) {
		return 0
	}
	for k := 1; k < n; k++ {
		if c := v[i+k]; (k == 3) != (c == ':') || k != 3 && (c < '0' || c > '9') {
			return 0
		}
	}
	least := 0
	if n > 3 {
		least = 1
	}
	for ; most >= least; most-- {
		end := i + n + 3*most
		if end > len(v) || v[i+n:end] != strings.Repeat(":00", most) {
			continue
		}
		if end == len(v) || v[end] != ':' && (v[end] < '0' || v[end] > '9') {
			return end
		}
	}
	return 0
}
