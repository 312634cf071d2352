package analyze

import (
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

func joined(a *Analyzer, text string) string { return strings.Join(a.Terms(nil, text), " ") }

func TestTerms(t *testing.T) {
	var a Analyzer
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", ""},
		{"white space", " \t\n\u3000", ""},
		{"plain", "I moved to Berlin last week.", "i move to berlin last week"},
		{"stems meet", "running runs ran painting paintings", "run run ran paint paint"},
		{"case", "NASA Nasa nasa", "nasa nasa nasa"},
		{"possessive", "Anna's Anna’s James's James'", "anna anna jame jame"},
		{"clitics", "I'm we'll they've she'd you're", "i we they she you"},
		{"negation", "don't dont isn't", "dont dont isnt"},
		{"o'names", "O'Brien O’Brien", "obrien obrien"},
		{"quotes", "'quoted' “words”", "quot word"},
		{"accents", "Café cafe\u0301 naïve Zürich", "cafe cafe naiv zurich"},
		{"eszett", "Straße STRASSE", "strass strass"},
		{"width", "ＡＢＣ １２３", "abc 123"},
		{"ligature", "ﬁsh", "fish"},
		{"numbers", "3 3.50 1,234,567.8 2023-05-08", "3 3.50 1234567.8 2023 05 08"},
		{"time", "at 7:30pm", "at 7 30pm"},
		{"hyphen", "covid-19 well-known", "covid 19 well known"},
		{"path", "report_final.pdf", "report final pdf"},
		{"missing space", "the end.Then we left", "the end then we left"},
		{"mail", "mail me@example.com", "mail me exampl com"},
		{"initials", "the U.S.A. and J.R.R. Tolkien", "the usa and jrr tolkien"},
		{"hash and at", "#running @anna", "run anna"},
		{"soft hyphen", "re\u00ADport", "report"},
		{"emoji", "😀 👍🏽 👩‍👩‍👧 ❤️ 🇩🇪", ""},
		{"emoji between", "nice 👍 day", "nice day"},
		{"punctuation", "!!! ... — ¿? ，。！", ""},
		{"cyrillic", "Привет Йод", "привет йод"},
		{"greek", "Οδός", "οδόσ"},
		{"chinese", "我喜欢跑步。", "我喜 喜欢 欢跑 跑步"},
		{"one character", "我 好", "我 好"},
		{"two sentences", "你好，世界", "你好 世界"},
		{"mixed", "我在Google工作了3年", "我在 googl 工作 作了 3 年"},
		{"mixed without spaces", "用iPhone拍照", "用 iphon 拍照"},
		{"kana", "東京へ行きました", "東京 京へ へ行 行き きま まし した"},
		{"long vowel", "コーヒー", "コー ーヒ ヒー"},
		{"half-width kana", "ｶﾞｽ", "ガス"},
		{"hangul", "서울에 간다", "서울 울에 간다"},
		{"compatibility ideograph", "\uF900\u8C46", "豈豆"},
		{"variation selector", "葛\U000E0100城", "葛城"},
		{"rare ideograph", "𠮷野家", "𠮷野 野家"},
		{"thai", "กขค", "กข ขค"},
		{"middle dot", "巴拉克·奥巴马", "巴拉 拉克 奥巴 巴马"},
		{"invalid", "good\xffbad \xc3 我\xe6\x88", "good bad 我"},
		{"short words", "a I ox", "a i ox"},
	} {
		if got := joined(&a, c.text); got != c.want {
			t.Errorf("%s: %q gives\n\t%q, want\n\t%q", c.name, c.text, got, c.want)
		}
	}
}

func TestOffsets(t *testing.T) {
	var a Analyzer
	text := "Anna's 猫咪 ran; U.S. ｶﾞｽ x_y"
	want := []struct{ term, raw string }{
		{"anna", "Anna's"}, {"猫咪", "猫咪"}, {"ran", "ran"}, {"us", "U.S"}, {"ガス", "ｶﾞｽ"}, {"x", "x"}, {"y", "y"},
	}
	got := a.Tokens(nil, text)
	if len(got) != len(want) {
		t.Fatalf("%d tokens %v, want %d", len(got), got, len(want))
	}
	for i, g := range got {
		if g.Term != want[i].term || text[g.Start:g.End] != want[i].raw {
			t.Errorf("token %d is %q from %q, want %q from %q", i, g.Term, text[g.Start:g.End], want[i].term, want[i].raw)
		}
	}
}

func TestLongTermsAreCut(t *testing.T) {
	var a Analyzer
	for _, text := range []string{
		strings.Repeat("ab1", 1<<18),
		strings.Repeat("é", 1<<18),
		strings.Repeat("\u0301", 1<<18) + "a",
		strings.Repeat("ﷺ", 100),
		strings.Repeat("д", 40),
		strings.Repeat("a.", 1<<16),
		strings.Repeat("1,", 1<<16) + "1",
	} {
		for _, tok := range a.Tokens(nil, text) {
			if len(tok.Term) > MaxTermBytes || !utf8.ValidString(tok.Term) {
				t.Errorf("term of %d bytes %q", len(tok.Term), tok.Term)
			}
		}
	}
	if got := joined(&a, strings.Repeat("д", 40)); got != strings.Repeat("д", 32) {
		t.Errorf("40 letters of two bytes give %q", got)
	}
}

func TestStop(t *testing.T) {
	var a Analyzer
	for _, word := range strings.Fields("the THE during what having don't Don’t very 什么 我们 的 我的 你是 时候 their") {
		for _, term := range a.Terms(nil, word) {
			if !Stop(term) {
				t.Errorf("Stop(%q) of %q is false", term, word)
			}
		}
	}
	for _, word := range strings.Fields("Berlin paint year 喜欢 工作 北京 好 2023 café") {
		for _, term := range a.Terms(nil, word) {
			if Stop(term) {
				t.Errorf("Stop(%q) of %q is true", term, word)
			}
		}
	}
	if Stop("") {
		t.Error("the empty term is a stop word")
	}
}

func TestNormalizeName(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"", ""}, {"  ", ""}, {"Anna", "anna"}, {" Anna\t  Maria\n", "anna maria"},
		{"St. Mary’s", "st. mary's"}, {"ST.  MARY'S", "st. mary's"},
		{"José", "josé"}, {"Jose\u0301", "josé"}, {"Jose", "jose"},
		{"ＡＢＣ公司", "abc公司"}, {"北京　大学", "北京 大学"}, {"Jean–Luc", "jean-luc"}, {"Jean‑Luc", "jean-luc"},
		{"STRASSE", "strasse"}, {"Straße", "strasse"}, {"“Joe”", `"joe"`},
		{"re\u00ADport", "report"}, {"\uFEFFAnna", "anna"}, {"a\xffb", "a\uFFFDb"}, {"❤️", "❤"}, {"C++ (lang)", "c++ (lang)"},
		{"İstanbul", "i̇stanbul"},
	} {
		if got := NormalizeName(c.name); got != c.want {
			t.Errorf("NormalizeName(%q) = %q, want %q", c.name, got, c.want)
		}
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "...": 0, "one two": 2, "Anna's 3.5 cats": 3, "我喜欢跑步。": 5, "我在Google": 3, "a\xffb": 2, "😀": 0,
	} {
		if got := Words(text); got != want {
			t.Errorf("Words(%q) = %d, want %d", text, got, want)
		}
	}
}

// TestTables holds the Unicode tables that Version stands for: a toolchain or
// module that brings others may cut or fold text differently.
func TestTables(t *testing.T) {
	if unicode.Version != "15.0.0" || norm.Version != "15.0.0" {
		t.Errorf("Unicode tables %s and %s, want 15.0.0: raise analyze.Version and this test together", unicode.Version, norm.Version)
	}
}

func TestSharedByGoroutines(t *testing.T) {
	var shared Analyzer
	texts := []string{"painting the Café in Berlin", "我喜欢跑步 and running", "U.S.A. won't 3,000"}
	want := make([]string, len(texts))
	for i, text := range texts {
		want[i] = joined(new(Analyzer), text)
	}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 200 {
				k := (g + i) % len(texts)
				if got := joined(&shared, texts[k]); got != want[k] {
					t.Errorf("%q gives %q, want %q", texts[k], got, want[k])
				}
			}
		})
	}
	wg.Wait()
}

func FuzzTokens(f *testing.F) {
	for _, s := range []string{"", "I'm running", "我喜欢iPhone", "a\xffb\xc3", "ｶﾞ゛", "U.S.A", "1,2.3", "\u0301\u200d", "ﷺ½⒈", "กำ", "İß"} {
		f.Add(s)
	}
	var warm Analyzer
	f.Fuzz(func(t *testing.T, text string) {
		got := warm.Tokens(nil, text)
		again := new(Analyzer).Tokens(nil, text)
		if len(got) != len(again) {
			t.Fatalf("%q: %d tokens, then %d", text, len(got), len(again))
		}
		last := 0
		for i, tok := range got {
			if tok != again[i] {
				t.Errorf("%q: token %d is %v, then %v", text, i, tok, again[i])
			}
			if tok.Start < last || tok.End <= tok.Start || tok.End > len(text) {
				t.Errorf("%q: token %v is out of place", text, tok)
			}
			last = tok.Start
			if tok.Term == "" || len(tok.Term) > MaxTermBytes || !utf8.ValidString(tok.Term) {
				t.Errorf("%q: bad term %q", text, tok.Term)
			}
			Stop(tok.Term)
		}
		if Words(text) < 0 {
			t.Error("negative count")
		}
	})
}

func FuzzNormalizeName(f *testing.F) {
	for _, s := range []string{"", " Anna  Maria ", "St. Mary’s", "İß", "a\xff", "\u0345\u0301", "ﷺ½"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		key := NormalizeName(s)
		if again := NormalizeName(key); again != key {
			t.Errorf("the key of %q is %q, and its key %q", s, key, again)
		}
		if !utf8.ValidString(key) || strings.TrimSpace(key) != key || strings.Contains(key, "  ") {
			t.Errorf("the key of %q is %q", s, key)
		}
		if padded := NormalizeName(" " + s + "\n"); utf8.ValidString(s) && padded != key {
			t.Errorf("the key of %q is %q, padded %q", s, key, padded)
		}
	})
}

const (
	benchText = "Hey Mel! I went to the harbour with my sister yesterday and it was so windy. The boats were lovely, and I'm glad we'd taken our coats. "
	benchZH   = "嗨，小梅！我昨天和妹妹去了港口，风特别大，船很漂亮，幸好我们都带了外套。"
)

func BenchmarkTokens(b *testing.B) {
	for _, c := range []struct{ name, text string }{{"text=en", benchText}, {"text=zh", benchZH}} {
		b.Run(c.name, func(b *testing.B) {
			var a Analyzer
			var buf []Token
			b.ReportAllocs()
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				buf = a.Tokens(buf[:0], c.text)
			}
		})
	}
}
