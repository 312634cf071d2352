package assimilate

import (
	"testing"

	"pgregory.net/rapid"
)

// TestWording holds which values name one thing in other words, and which do not.
func TestWording(t *testing.T) {
	for _, x := range []struct {
		a, b string
		same bool
	}{
		{"books about modernism", "reading about modernism", true},
		{"Grace Kelly", "Grace Kelly's acting", true},
		{"Malcolm Gladwell", "Malcolm Gladwell's books", true},
		{"spirituals", "spiritual music", true},
		{"80s music", "music from the 1980s", true},
		{"the 1920s", "music from the 1920s", true},
		{"Mediterranean climates", "Mediterranean weather", true},
		{"books with philosophical themes", "books about philosophical themes", true},
		{"books about social dynamics", "books that focus too much on social dynamics", true},
		{"listening to Count Basie", "Count Basie", true},
		{"the Notion app", "Notion", true},
		{"咖啡", "喝咖啡", true},
		{"周杰伦", "周杰伦的歌", true},
		{"看科幻电影", "科幻电影", true},
		{"听爵士乐", "爵士乐", true},

		{"classical music", "classical books", false},
		{"cold climates", "cold drinks", false},
		{"tea", "green tea", false},
		{"dogs", "hot dogs", false},
		{"coffee", "coffee ice cream", false},
		{"Grace Kelly", "Gene Kelly", false},
		{"reading", "books", false},
		{"books about war", "books that help people recover from a war of their own", false},
		{"horror movies", "horror novels", false},
		{"Italian food", "Italian music", false},
		{"绿茶", "茶", false},
		{"村上春树的书", "村上春树的电影", false},
		{"猫", "熊猫", false},
	} {
		a, b := wordingOf(x.a), wordingOf(x.b)
		if got := a.same(&b); got != x.same {
			t.Errorf("%q and %q: %t, %+v %+v", x.a, x.b, got, a, b)
		}
		if a.same(&b) != b.same(&a) {
			t.Errorf("%q and %q differ turned around", x.a, x.b)
		}
	}
}

// TestDenotes holds what a short name of a known thing can mean.
func TestDenotes(t *testing.T) {
	for _, x := range []struct {
		short, known string
		want         bool
	}{
		{"bike", "red mountain bike", true},
		{"car", "new car", true},
		{"dog", "dog named Toby", true},
		{"teacher", "math teacher", true},
		{"bike", "bike rack", false},
		{"dog house", "dog", false},
		{"red bike", "blue bike", false},
		{"car", "boat", false},
		{"车", "红色的车", true},
		{"猫", "猫叫咪咪", true},
		{"车", "车库", false},
	} {
		a, b := wordingOf(x.short), wordingOf(x.known)
		if got := a.denotes(&b); got != x.want {
			t.Errorf("%q for %q: %t, %+v %+v", x.short, x.known, got, a, b)
		}
	}
}

// TestWordingShares: two values that are the same in words share one that tells
// which thing it is.
func TestWordingShares(t *testing.T) {
	words := []string{"books", "about", "war", "the", "jazz", "music", "cold", "drinks", "that", "focus", "on", "peace", "movies", "咖啡", "喝", "的歌"}
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) (string, wording) {
			v := ""
			for _, w := range rapid.SliceOfN(rapid.SampledFrom(words), 1, 6).Draw(t, name) {
				v += w + " "
			}
			return v, wordingOf(v)
		}
		a, x := draw("a")
		b, y := draw("b")
		if !x.same(&y) && !x.denotes(&y) {
			return
		}
		if !x.han && !x.within(&y) && !y.within(&x) {
			t.Fatalf("%q and %q are taken for one", a, b)
		}
	})
}
