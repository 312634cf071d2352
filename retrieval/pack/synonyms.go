package pack

import (
	"slices"
	"strings"
	"sync"

	"github.com/asof-db/asof/internal/analyze"
)

// synonymTable maps each analysed term of synonymLines to the other words of its
// line.
var synonymTable = sync.OnceValue(func() map[string][]string {
	var a analyze.Analyzer
	table := map[string][]string{}
	for line := range strings.Lines(synonymLines) {
		words := strings.Fields(line)
		for _, word := range words {
			for _, term := range a.Terms(nil, word) {
				for _, other := range words {
					if other != word && !slices.Contains(table[term], other) {
						table[term] = append(table[term], other)
					}
				}
			}
		}
	}
	return table
})
