package tagger

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

var update = flag.Bool("update", false, "write the golden files anew")

// fingerprint hashes the features of every active token of a text.
func fingerprint(t *testing.T, text string) uint64 {
	t.Helper()
	runs, _, ok := Examples(text, nil)
	if !ok {
		t.Fatalf("%q gives no examples", text)
	}
	h := uint64(seed)
	for _, r := range runs {
		for _, keys := range r.Keys {
			for _, k := range keys {
				h = (h ^ uint64(k)) * prime
			}
			h = mix(h)
		}
	}
	return h
}

// TestGolden holds the features and the names of turns of our own. Where the
// features differ the models must be trained anew: data/README.md.
func TestGolden(t *testing.T) {
	const path = "testdata/golden.txt"
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var now bytes.Buffer
	for line := range strings.Lines(string(old)) {
		text, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "= ")
		if !ok {
			continue
		}
		fmt.Fprintf(&now, "= %s\n  features %016x\n", text, fingerprint(t, text))
		for _, s := range Tag(nil, text, Bias{}) {
			fmt.Fprintf(&now, "  %s %s %d\n", s.Type, text[s.Start:s.End], s.Margin)
		}
	}
	if *update {
		if err := os.WriteFile(path, now.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, got := strings.Split(string(old), "\n"), strings.Split(now.String(), "\n")
	for i := range max(len(want), len(got)) {
		a, b := "nothing", "nothing"
		if i < len(want) {
			a = want[i]
		}
		if i < len(got) {
			b = got[i]
		}
		if a != b {
			t.Fatalf("%s line %d:\n got %s\nwant %s", path, i+1, b, a)
		}
	}
}

// TestExamples holds that names become labels, and that a name which cuts a token
// is refused.
func TestExamples(t *testing.T) {
	text := "We met Mia Hart in Rome."
	runs, zh, ok := Examples(text, []Span{{Start: 7, End: 15, Type: "PERSON"}, {Start: 19, End: 23, Type: "LOC"}})
	if !ok || zh || len(runs) != 1 || !reflect.DeepEqual(runs[0].Labels, []uint8{1, 2, 0, 5}) {
		t.Errorf("%d runs, %v %v", len(runs), zh, ok)
	}
	if _, _, ok := Examples(text, []Span{{Start: 8, End: 15, Type: "PERSON"}}); ok {
		t.Error("a name may not start inside a word")
	}
}

// TestTable holds that a table survives its own bytes and that damage is told.
func TestTable(t *testing.T) {
	rows := map[uint32][8]int8{}
	for i := range uint32(1000) {
		rows[uint32(mix(uint64(i)))|1] = [8]int8{int8(i), -128, 0, 127}
	}
	b := encodeTable(rows, 4)
	got, rest, err := decodeTable(append(b, 9), 4)
	if err != nil || len(rest) != 1 {
		t.Fatal(err, len(rest))
	}
	for k, want := range rows {
		if r := got.find(k); r == nil || *r != want {
			t.Fatalf("key %d: %v, want %v", k, r, want)
		}
	}
	if got.find(0) != nil || got.find(2) != nil {
		t.Error("a key that was never put is found")
	}
	for n := range len(b) {
		if _, _, err := decodeTable(b[:n], 4); !errors.Is(err, errTable) {
			t.Fatalf("cut to %d bytes: %v", n, err)
		}
	}
}

// TestBuiltIn holds that the embedded files decode and are not empty, and that
// damaged ones are refused.
func TestBuiltIn(t *testing.T) {
	for name, m := range map[string]*model{"en": enModel(), "zh": zhModel()} {
		if len(m.features.keys) < 1<<15 {
			t.Errorf("%s: a table of %d", name, len(m.features.keys))
		}
	}
	if l := loadLists(); len(l.en.keys) < 1<<15 || len(l.zh.keys) < 1<<15 {
		t.Error("the lists are short")
	}
	for _, b := range [][]byte{nil, {1, 2, 3}, enFile[:1000], zhFile[:len(zhFile)-1]} {
		if _, err := decodeModel(b); err == nil {
			t.Errorf("a model of %d bytes is taken", len(b))
		}
		if _, err := decodeLists(b); err == nil {
			t.Errorf("lists of %d bytes are taken", len(b))
		}
	}
}

// TestBias holds that a bias against a type takes its names away and that margins
// tell by how much.
func TestBias(t *testing.T) {
	text := "I met Anna in Rotterdam."
	got := Tag(nil, text, Bias{})
	if len(got) != 2 || got[0].Type != "PERSON" || got[0].Margin <= 0 {
		t.Fatalf("%v", got)
	}
	if got := Tag(nil, text, Bias{-1000, -1000, -1000, -1000}); len(got) != 0 {
		t.Errorf("biased: %v", got)
	}
}

// checkSpans holds what every answer promises.
func checkSpans(t *testing.T, text string) {
	t.Helper()
	got := Tag(nil, text, Bias{})
	end := 0
	for _, s := range got {
		if s.Start < end || s.End <= s.Start || s.End > len(text) {
			t.Fatalf("span %v after byte %d of %d", s, end, len(text))
		}
		end = s.End
	}
	if again := Tag(nil, text, Bias{}); !reflect.DeepEqual(got, again) {
		t.Fatalf("%q: %v, then %v", text[:min(len(text), 200)], got, again)
	}
}

// TestHostile reads long texts of one kind; a cost that grows faster than the
// length would not end.
func TestHostile(t *testing.T) {
	for _, s := range []string{"a", "A", "A ", "Aa", "(", "\"", "'A ", "《", "张", "陶", "·张", "e\u0301", "\u0301", "A.", "I ", "of A ", "\xff", "A-", "7,"} {
		checkSpans(t, strings.Repeat(s, (1<<18)/len(s)))
	}
}

func FuzzTag(f *testing.F) {
	for _, s := range []string{"", "I met Oscar in Rotterdam.", "我叫张伟，在上海工作。", "\"A\" 'b' *C*", "\xff\xfe", "İstanbul ſ K"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		checkSpans(t, text)
		if utf8.ValidString(text) {
			if _, _, ok := Examples(text, nil); !ok {
				t.Fatal("no examples of a text without names")
			}
		}
	})
}

func BenchmarkTag(b *testing.B) {
	texts := []string{
		"Hey Mia! It was so good to see you yesterday. I moved to Boston last month and I really love the food here.",
		"That sounds great! I can't wait to try it out. Let me know if you need anything else, and I'll get back to you soon.",
		"我妹妹下周五要来看我，我们打算去看《流浪地球》。你有什么好的餐厅可以推荐吗？",
	}
	for i, name := range []string{"names", "none", "chinese"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var dst []Span
			for b.Loop() {
				dst = Tag(dst[:0], texts[i], Bias{})
			}
		})
	}
}
