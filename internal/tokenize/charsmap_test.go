package tokenize

import (
	"encoding/binary"
	"testing"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// TestCalm holds the short cut against the clusters that it stands for: between two calm characters
// there is always a boundary.
func TestCalm(t *testing.T) {
	others := []rune{'a', ' ', '\n', 0, 'é', '北', 'か', '가', '각', '🙂', '©', 'ﬁ', 'ｶ', 'Ж'}
	n := 0
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if !utf8.ValidRune(r) || !calm(r) {
			continue
		}
		n++
		for _, o := range append(others, r) {
			for _, pair := range []string{string(r) + string(o), string(o) + string(r)} {
				first, size := utf8.DecodeRuneInString(pair)
				if got, _, err := graphemes.SplitFunc([]byte(pair), true); err != nil || got != size {
					t.Fatalf("%U is calm and in one cluster in %q: %d bytes of %U", r, pair, got, first)
				}
			}
		}
	}
	for _, r := range others {
		if !calm(r) {
			t.Errorf("%U is common and not calm", r)
		}
	}
	if n < 100000 {
		t.Errorf("%d calm characters", n)
	}
}

// TestCharsmapCorrupt: a map with places out of bounds maps nothing there.
func TestCharsmapCorrupt(t *testing.T) {
	good, err := newUnitsMap(t, []uint32{1 << 10, 'a' ^ 1<<8 ^ 99<<10}, "x\x00")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"a", "b", "aa", "\x00"} {
		src, dst := &buffer{}, &buffer{}
		src.fill(text, 0, true)
		dst.reset(true)
		good.apply(dst, src)
		if string(dst.b) != text {
			t.Errorf("%q becomes %q", text, dst.b)
		}
	}
	if _, err := newUnitsMap(t, []uint32{0}, "\xff"); err == nil {
		t.Error("a map to what is not UTF-8")
	}
}

// newUnitsMap makes a map of its parts.
func newUnitsMap(t *testing.T, units []uint32, texts string) (*charsmap, error) {
	t.Helper()
	raw := binary.LittleEndian.AppendUint32(nil, uint32(4*len(units)))
	for _, u := range units {
		raw = binary.LittleEndian.AppendUint32(raw, u)
	}
	return readCharsmap(append(raw, texts...))
}
