package static

import (
	"strings"
	"testing"
)

func TestNear(t *testing.T) {
	for word, want := range map[string]string{"children": "kids", "movie": "film", "book": "novel", "city": "town"} {
		found := false
		last := 1.0
		for _, n := range Near(word) {
			found = found || n.Word == want
			if n.Cosine > last || n.Cosine <= 0 || n.Word == word {
				t.Errorf("near %q: %+v after %v", word, n, last)
			}
			last = n.Cosine
		}
		if !found {
			t.Errorf("near %q there is no %q", word, want)
		}
	}
	for _, word := range []string{"", "zzzzzz", "aaaaaa", "Children", "é", "book\t"} {
		if got := Near(word); got != nil {
			t.Errorf("near %q: %v, want nothing", word, got)
		}
	}
}

// TestNearFindsEveryLine holds the file to the order that it is searched by.
func TestNearFindsEveryLine(t *testing.T) {
	last := ""
	for line := range strings.Lines(nearTable) {
		word, rest, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok || word <= last {
			t.Fatalf("line %q after %q", word, last)
		}
		if got, ok := nearLine(word); !ok || got != rest {
			t.Fatalf("the line of %q is not found", word)
		}
		last = word
	}
}
