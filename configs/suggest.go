package configs

import (
	"maps"
	"slices"
	"strings"
)

// suggest says what an unknown key may have been meant to be: a near name in its section, the same
// name elsewhere, or else the names that the section has.
func suggest(name, path string, in *section) string {
	prefix := strings.TrimSuffix(path, name)
	best, least := "", 2+len(name)/4
	for _, candidate := range in.names {
		if d := distance(name, candidate); d < least {
			best, least = candidate, d
		}
	}
	if best != "" {
		return "did you mean " + prefix + best + "?"
	}
	for _, k := range keys {
		if strings.HasSuffix(k.path, "."+name) || k.path == name {
			return "did you mean " + k.path + "?"
		}
	}
	where := "there are"
	if prefix != "" {
		where = strings.TrimSuffix(prefix, ".") + " has"
	}
	names := slices.Sorted(slices.Values(in.names))
	if len(names) == 0 { // A section of second spellings only.
		names = slices.Sorted(maps.Keys(in.below))
	}
	return where + " " + strings.Join(names, ", ")
}

// distance is the number of bytes to insert, drop, change or swap with their neighbour to make b
// of a. Names longer than any key are far from all.
func distance(a, b string) int {
	if len(a) > 2*maxNameBytes {
		return len(a)
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := last[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			row[j] = min(change, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
