package tokenize

import (
	"slices"
	"strings"
	"testing"
)

// cutSlowly joins pairs as the definition says: the whole word is looked through for the
// pair that was learnt first, again and again.
func cutSlowly(b *bpeModel, word string) []int32 {
	var ids []int32
	for _, r := range word {
		ids = append(ids, b.chars[r])
	}
	for {
		best, at := int32(-1), -1
		for i := 0; i+1 < len(ids); i++ {
			if m, ok := b.merges[[2]int32{ids[i], ids[i+1]}]; ok && (at < 0 || m.rank < best) {
				best, at = m.rank, i
			}
		}
		if at < 0 {
			return ids
		}
		ids[at] = b.merges[[2]int32{ids[at], ids[at+1]}].id
		ids = slices.Delete(ids, at+1, at+2)
	}
}

// TestBPECut: the list with its heap gives what the definition does, and spans that fill
// the word.
func TestBPECut(t *testing.T) {
	b := testTokenizer(t, "bpe.json").model.(*bpeModel)
	words := []string{"Ġthe", "Ġcat", "mat", strings.Repeat("a", 40), strings.Repeat("the", 30), strings.Repeat("Ġ", 33), "ĠTheĠcatĠsatĠonĠtheĠmat", "åĮĹäº¬"}
	for i := range 200 { // words of pieces in an order of its own
		var w strings.Builder
		for k := range 12 {
			w.WriteString([]string{"t", "h", "e", "Ġ", "a", "c", "s", "on", "o", "n"}[(i*7+k*k*3+i*k)%10])
		}
		words = append(words, w.String())
	}
	for _, w := range words {
		s := &scratch{}
		b.cut(s, []byte(w))
		if want := cutSlowly(b, w); !slices.Equal(s.ids, want) {
			t.Errorf("%q: %v, want %v", w, s.ids, want)
		}
		if n := len(s.ends); n == 0 || int(s.ends[n-1]) != len(w) || !slices.IsSorted(s.ends) {
			t.Errorf("%q: ends %v", w, s.ends)
		}
	}
	// One long word ends: a cost of the square of its length would not.
	s := &scratch{}
	b.cut(s, []byte(strings.Repeat("the", 1<<18)))
	if len(s.ids) == 0 {
		t.Error("a long word has no pieces")
	}
}
