package tokenize

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestSpecialIsText: what a user writes is never a special token, however it is written.
func TestSpecialIsText(t *testing.T) {
	for file, tokens := range map[string][]string{
		"wordpiece.json":   {"[CLS]", "[SEP]", "[PAD]", "[MASK]"},
		"unigram.json":     {"<s>", "</s>", "<pad>", "＜/s＞"},
		"unigram_old.json": {"<s>", "</s>", "<pad>", "＜/s＞"},
		"tiny.model":       {"<s>", "</s>", "＜/s＞"},
	} {
		tok := testTokenizer(t, file)
		special := map[int32]bool{}
		for _, name := range tokens {
			if id, ok := tok.ID(name); ok {
				special[id] = true
			}
		}
		if len(special) != len(slices.DeleteFunc(tokens, func(s string) bool { return strings.HasPrefix(s, "＜") })) {
			t.Errorf("%s knows %d special tokens", file, len(special))
		}
		for name := range special {
			for _, format := range []string{"%s", " %s ", "a%sb", "the cat %s%[1]s"} {
				text := fmt.Sprintf(format, tok.Token(name))
				ids := tok.AppendIDs(nil, text)
				if len(ids) == 0 || slices.ContainsFunc(ids, func(id int32) bool { return special[id] }) {
					t.Errorf("%s: %q gives %v", file, text, ids)
				}
			}
		}
		if ids := tok.AppendIDs(nil, "＜/s＞"); slices.ContainsFunc(ids, func(id int32) bool { return special[id] }) {
			t.Errorf("%s: a wide </s> gives %v", file, ids)
		}
	}
}

// TestTokens goes from ids to texts and back.
func TestTokens(t *testing.T) {
	tok := testTokenizer(t, "wordpiece.json")
	for id := range int32(tok.Size()) {
		if back, ok := tok.ID(tok.Token(id)); !ok || back != id {
			t.Errorf("%d is %q, which is %d", id, tok.Token(id), back)
		}
	}
	if tok.Token(-1) != "" || tok.Token(int32(tok.Size())) != "" {
		t.Error("a token of an id that is none")
	}
	if _, ok := tok.ID("no such token"); ok {
		t.Error("an id of a token that is none")
	}
	if tok.Specials(false) != 2 || tok.Specials(true) != 3 {
		t.Errorf("%d and %d special tokens", tok.Specials(false), tok.Specials(true))
	}
}

// TestTruncation shows what is cut, and the errors of what cannot be.
func TestTruncation(t *testing.T) {
	tok := testTokenizer(t, "wordpiece.json")
	long := strings.Repeat("a b c d ", 10)
	e, err := tok.Encode(long, Options{})
	if err != nil || len(e.IDs) != 42 {
		t.Errorf("%d tokens, %v: the file's truncation and padding are not asked for", len(e.IDs), err)
	}
	for _, c := range []struct {
		a, b  string
		o     Options
		texts [2]int // tokens of each, or -1 for an error
	}{
		{long, long, Options{MaxTokens: 13}, [2]int{5, 5}},
		{long, long, Options{MaxTokens: 14}, [2]int{5, 6}},
		{"a b", long, Options{MaxTokens: 13}, [2]int{2, 8}},
		{long, "a b", Options{MaxTokens: 13}, [2]int{8, 2}},
		{long, "", Options{MaxTokens: 3}, [2]int{0, 0}},
		{"a b", long, Options{MaxTokens: 13, Truncate: OnlySecond}, [2]int{2, 8}},
		{long, "a b", Options{MaxTokens: 13, Truncate: OnlyFirst}, [2]int{8, 2}},
		{long, long, Options{MaxTokens: 10, Bare: true}, [2]int{5, 5}},
		{long, "a b", Options{MaxTokens: 13, Truncate: OnlySecond}, [2]int{-1, 0}},
		{"a b", long, Options{MaxTokens: 13, Truncate: OnlyFirst}, [2]int{-1, 0}},
		{"a", "b", Options{MaxTokens: 2}, [2]int{-1, 0}},
		{"a", "b", Options{MaxTokens: -1}, [2]int{-1, 0}},
		{long, long, Options{MaxTokens: 13, Truncate: 9}, [2]int{-1, 0}},
	} {
		e, err := tok.EncodePair(c.a, c.b, c.o)
		if c.texts[0] < 0 {
			if err == nil {
				t.Errorf("%q, %q, %+v: no error", c.a, c.b, c.o)
			}
			continue
		}
		var n [2]int
		for _, k := range e.Texts {
			if k >= 0 {
				n[k]++
			}
		}
		if err != nil || n != c.texts {
			t.Errorf("%q, %q, %+v: %v, %v; want %v", c.a, c.b, c.o, n, err, c.texts)
		}
	}
	if _, err := tok.Encode(long, Options{MaxTokens: 13, Truncate: OnlySecond}); err == nil {
		t.Error("a second text to shorten where there is one")
	}
}

// TestLoadRefuses names what a file asks for and this package lacks.
func TestLoadRefuses(t *testing.T) {
	base := string(testFile(t, "wordpiece.json"))
	set := func(part, value string) string {
		var f map[string]json.RawMessage
		if err := json.Unmarshal([]byte(base), &f); err != nil {
			t.Fatal(err)
		}
		f[part] = json.RawMessage(value)
		b, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for _, c := range []struct{ file, want string }{
		{"", "no tokenizer.json"},
		{"[]", "no tokenizer.json"},
		{"{}", "it has no model"},
		{set("model", `{"type":"WordLevel","vocab":{}}`), `the type "WordLevel" is not supported`},
		{set("model", `{"type":"BPE","vocab":{"a":0},"merges":["a b"]}`), `merges[0]`},
		{set("model", `{"type":"BPE","vocab":{"a":0},"merges":["ab"]}`), "not two pieces"},
		{set("model", `{"type":"BPE","vocab":{"a":0},"merges":[["a"]]}`), "a merge of 1 pieces"},
		{set("model", `{"type":"BPE","vocab":{"a":0},"merges":[],"byte_fallback":true}`), "byte-level"},
		{set("model", `{"type":"BPE","vocab":{"a":0},"merges":[],"unk_token":"?"}`), "lacks the unknown piece"},
		{set("model", `{"type":3}`), "the type of a component"},
		{set("model", `{}`), "it has no type"},
		{set("model", `{"type":"WordPiece","vocab":{"a":0}}`), `lacks the unknown piece "[UNK]"`},
		{set("model", `{"type":"WordPiece","vocab":{"[UNK]":-1}}`), "has the id -1"},
		{set("model", `{"type":"WordPiece","vocab":{"[UNK]":0},"dropout":0.1}`), "dropout"},
		{set("model", `{"type":"Unigram","vocab":[["a",-1]],"unk_id":1}`), "the unknown piece is number 1 of 1"},
		{set("model", `{"type":"Unigram","vocab":[["a","b"]]}`), `the score of the piece "a"`},
		{set("model", `{"type":"Unigram","vocab":[["a"]]}`), `the score of the piece "a"`},
		{set("model", `{"type":"Unigram","vocab":[["a",1,2]]}`), "more than a text and a score"},
		{set("model", `{"type":"Unigram","vocab":[3]}`), "a piece is"},
		{set("normalizer", `{"type":"ByteLevel"}`), `"ByteLevel" is not supported`},
		{set("normalizer", `{"type":"Sequence","normalizers":[{"type":"NFC"},{"type":"Foo"}]}`), `normalizer Sequence[1] Foo`},
		{set("normalizer", `{"type":"BertNormalizer","fold":true}`), "fold"},
		{set("normalizer", `{"type":"Replace","pattern":{"Regex":"\\s+"},"content":" "}`), `the expression "\\s+" is not supported`},
		{set("normalizer", `{"type":"Replace","pattern":{"Regex":"a*"},"content":" "}`), "matches where nothing stands"},
		{set("normalizer", `{"type":"Replace","pattern":{},"content":" "}`), "neither a text nor an expression"},
		{set("normalizer", `{"type":"Precompiled","precompiled_charsmap":"AAAA"}`), "precompiled_charsmap"},
		{set("normalizer", `{"type":"Precompiled","precompiled_charsmap":"!"}`), "base64"},
		{set("normalizer", strings.Repeat(`{"type":"Sequence","normalizers":[`, 40)+strings.Repeat(`]}`, 40)), "in each other"},
		{set("pre_tokenizer", `{"type":"Digits","individual_digits":true}`), `"Digits" is not supported`},
		{set("pre_tokenizer", `{"type":"Metaspace","replacement":"__"}`), "not one character"},
		{set("pre_tokenizer", `{"type":"Metaspace","replacement":"▁","prepend_scheme":"often"}`), "often"},
		{set("pre_tokenizer", `{"type":"Metaspace","replacement":"▁","prepend_scheme":"first","add_prefix_space":false}`), "contradict"},
		{set("post_processor", `{"type":"ByteLevel"}`), `"ByteLevel" is not supported`},
		{set("post_processor", `{"type":"BertProcessing"}`), "lacks sep or cls"},
		{set("post_processor", `{"type":"BertProcessing","sep":[1,2],"cls":["a",1]}`), "not with its text"},
		{set("post_processor", `{"type":"TemplateProcessing","single":[],"pair":[],"special_tokens":{}}`), `the template "single" has the first text 0 times`},
		{set("post_processor", `{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"x","type_id":0}}],"pair":[],"special_tokens":{}}`), `lacks "x"`},
		{set("post_processor", `{"type":"Sequence","processors":[]}`), "0 post-processors"},
		{set("added_tokens", `[{"id":-3,"content":"x"}]`), "the id -3"},
	} {
		_, err := Load([]byte(c.file))
		if err == nil || !strings.HasPrefix(err.Error(), "tokenize: load: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.200q: %v; want %q", c.file, err, c.want)
		}
	}
}

// TestLoadTakes reads what older and rarer files write.
func TestLoadTakes(t *testing.T) {
	for _, c := range []struct {
		file, text string
		want       []int32
	}{
		{`{"model":{"unk_token":"[UNK]","continuing_subword_prefix":"##","max_input_chars_per_word":100,"vocab":{"[UNK]":0,"a":1,"##b":2}}}`, "ab", []int32{1, 2}},
		{`{"model":{"unk_id":0,"vocab":[["?",0],["a",-1],["a b",-1.5]]}}`, "a bb", []int32{2, 0}},
		{`{"model":{"type":"Unigram","vocab":[["a",-1]]}}`, "bab", []int32{0}},
		{`{"normalizer":{"type":"Sequence","normalizers":[{"type":"NFD"},{"type":"StripAccents"},{"type":"Lowercase"},{"type":"Strip","strip_left":true,"strip_right":true},{"type":"Prepend","prepend":"<"},{"type":"Replace","pattern":{"Regex":"[xy]+"},"content":"a"}]},"model":{"type":"Unigram","unk_id":0,"vocab":[["?",0],["a",-1],["<",-1]]}}`, " ÁxYy ", []int32{2, 1, 1}},
		{`{"normalizer":{"type":"Precompiled","precompiled_charsmap":""},"model":{"type":"Unigram","unk_id":0,"byte_fallback":true,"vocab":[["?",0],["a",-1],["<0xC3>",0],["<0xA9>",0]]}}`, "aéè", []int32{1, 0}},
		{`{"model":{"type":"Unigram","unk_id":0,"byte_fallback":true,"vocab":[["?",0],["a",-1],["<0xC3>",0],["<0xA9>",0]]}}`, "aéa<0xC3>", []int32{1, 2, 3, 1, 0}},
	} {
		tok, err := Load([]byte(c.file))
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		if got := tok.AppendIDs(nil, c.text); !slices.Equal(got, c.want) {
			t.Errorf("%s of %q: %v, want %v", c.file, c.text, got, c.want)
		}
	}
}

// TestSentencePieceRefuses names what is wrong with a model.
func TestSentencePieceRefuses(t *testing.T) {
	good := testFile(t, "tiny.model")
	tok, err := LoadSentencePiece(good, "</s>")
	if err != nil {
		t.Fatal(err)
	}
	end, _ := tok.ID("</s>")
	if e, err := tok.EncodePair("a", "b", Options{}); err != nil || tok.Specials(true) != 2 || e.IDs[len(e.IDs)-1] != end {
		t.Errorf("a pair ends with %v, %v", e.IDs, err)
	}
	for _, c := range []struct {
		data   []byte
		ending string
		want   string
	}{
		{nil, "", "no pieces"},
		{good[:len(good)/2], "", "ends within a field"},
		{good, "the", `no control piece "the"`},
		{append(slices.Clone(good), 0x12, 2, 0x18, 2), "", "of type 2"},
		{append(slices.Clone(good), 0x0a, 5, 0x0a, 1, 'x', 0x18, 4), "", "defined by the user"},
		{append(slices.Clone(good), 0x12, 3, 0xc0, 1, 1), "", "behind words"},
		{append(slices.Clone(good), 0x1a, 2, 0x28, 0), "", "keeps it one"},
		{append(slices.Clone(good), 0x1a, 3, 0x12, 1, 0), "", "too short"},
		{[]byte{0x0b}, "", "wire type 3"},
	} {
		if _, err := LoadSentencePiece(c.data, c.ending); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v; want %q", err, c.want)
		}
	}
}

// TestConcurrent encodes with one tokenizer from many goroutines.
func TestConcurrent(t *testing.T) {
	all := examples(t)
	toks := map[string]*Tokenizer{}
	for _, x := range all {
		if toks[x.File] == nil {
			toks[x.File] = testTokenizer(t, x.File)
		}
	}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range all {
				x := all[(i*7+g)%len(all)]
				if x.Max != 0 || len(x.Texts) != 1 {
					continue
				}
				if e, err := toks[x.File].Encode(x.Texts[0], Options{}); err != nil || !slices.Equal(e.IDs, x.IDs) {
					t.Errorf("%s of %q: %v, %v", x.File, x.Texts[0], e.IDs, err)
				}
			}
		})
	}
	wg.Wait()
}
