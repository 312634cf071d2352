package static

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/asof-db/asof/dsl"
)

func cosine(t *testing.T, x, y string) float64 {
	t.Helper()
	a, err := Embed(x)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Embed(y)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for i := range a.Vector {
		sum += float64(a.Vector[i]) * float64(b.Vector[i])
	}
	return sum
}

// TestMeaning holds the tables to what they are for: a text is nearer to one of the
// same matter than to another, without a word in common.
func TestMeaning(t *testing.T) {
	for _, c := range []struct{ text, near, far string }{
		{"Which pet does she own?", "Her dog is called Rex.", "The train leaves at noon."},
		{"What instrument do you play?", "I practise the violin every evening.", "We moved to a bigger flat."},
		{"他养了什么宠物？", "我家的小狗很可爱", "明天的火车几点开"},
		{"你会演奏什么乐器？", "我每天练习小提琴", "我们搬到了新房子"},
	} {
		if near, far := cosine(t, c.text, c.near), cosine(t, c.text, c.far); near <= far {
			t.Errorf("%q: %q is at %.3f, %q at %.3f", c.text, c.near, near, c.far, far)
		}
	}
}

func TestEmbed(t *testing.T) {
	for _, c := range []struct {
		text       string
		words, han int
	}{
		{"", 0, 0},
		{"🫖🚋", 0, 0},
		{"teapot", 2, 0},
		{"河边", 0, 2},
		{"我住在Lisbon河边。", 2, 4},
	} {
		e, err := Embed(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if e.Words != c.words || e.Han != c.han {
			t.Errorf("%q has %d words and %d Chinese pieces, want %d and %d", c.text, e.Words, e.Han, c.words, c.han)
		}
		length := 0.0
		for _, x := range e.Vector {
			length += float64(x) * float64(x)
		}
		if want := min(c.words+c.han, 1); math.Abs(length-float64(want)) > 1e-5 {
			t.Errorf("%q has a vector of squared length %v, want %d", c.text, length, want)
		}
	}
}

// TestOneLanguageIsItsTableAlone holds mixed texts to the sum of their parts.
func TestOneLanguageIsItsTableAlone(t *testing.T) {
	if x := cosine(t, "I bought a blue teapot 我下周搬到里斯本", "我下周搬到里斯本 I bought a blue teapot"); x < 0.999 {
		t.Errorf("the order of languages matters: %v", x)
	}
	if x := cosine(t, "blue teapot 里斯本", "blue teapot"); x < 0.5 || x > 0.95 {
		t.Errorf("a text in two languages is at %v of its English part", x)
	}
	if x := cosine(t, "blue teapot", "里斯本"); x != 0 {
		t.Errorf("two languages are at %v of each other", x)
	}
}

func TestDamagedTable(t *testing.T) {
	fit := func([]string, []float64) (cutter, error) { return nil, nil }
	for name, file := range map[string][]byte{
		"empty": nil, "another file": []byte(strings.Repeat("x", 1000)), "cut off": english[:len(english)-1],
		"head alone": english[:head], "a row more": append([]byte(magic), 255, 255, 255, 255, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
	} {
		if _, err := openTable(file, fit); !errors.Is(err, dsl.ErrCorrupt) {
			t.Errorf("%s: error %v, want ErrCorrupt", name, err)
		}
	}
}

func TestHash(t *testing.T) {
	h := sha256.Sum256(slices.Concat(english, chinese))
	if want := hex.EncodeToString(h[:]) + "\n"; sum != want {
		t.Errorf("tables.sum holds %q, the tables have %q", sum, want)
	}
	if h := Hash(); len(h) != 16 || !strings.HasPrefix(sum, h) {
		t.Errorf("hash %q", h)
	}
}

func BenchmarkEmbed(b *testing.B) {
	for name, text := range map[string]string{
		"en": "I went to a LGBTQ support group yesterday and it was so powerful. The transgender stories were so inspiring!",
		"zh": "我昨天去参加了一个互助小组，大家分享的故事让我非常感动，也给了我很大的勇气。",
	} {
		b.Run("lang="+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Embed(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkOpen is what the first text of a language costs.
func BenchmarkOpen(b *testing.B) {
	b.Run("lang=en", func(b *testing.B) {
		for b.Loop() {
			if _, err := readEnglish(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("lang=zh", func(b *testing.B) {
		for b.Loop() {
			if _, err := readChinese(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
