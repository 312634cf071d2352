package tokenize

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// testFile reads a file of testdata, which testdata/make.py makes with the reference libraries.
func testFile(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// testTokenizer loads a tokenizer of testdata.
func testTokenizer(t testing.TB, name string) *Tokenizer {
	t.Helper()
	load := Load
	if strings.HasSuffix(name, ".model") {
		load = func(data []byte) (*Tokenizer, error) { return LoadSentencePiece(data, "") }
	}
	tok, err := load(testFile(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// An example is what the reference gave for a text or a pair.
type example struct {
	File     string     `json:"file"`
	Texts    []string   `json:"texts"`
	IDs      []int32    `json:"ids"`
	Types    []int32    `json:"types"`
	Spans    [][2]int32 `json:"spans"`
	Max      int        `json:"max"`
	Truncate string     `json:"truncate"`
}

// examples reads them.
func examples(t testing.TB) []example {
	t.Helper()
	var all []example
	lines := bufio.NewScanner(bytes.NewReader(testFile(t, "golden.jsonl")))
	for lines.Scan() {
		var e example
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

// TestOwnGolden holds ids, type ids, spans and truncation against what the reference gave.
func TestOwnGolden(t *testing.T) {
	strategies := map[string]Strategy{"longest_first": LongestFirst, "only_first": OnlyFirst, "only_second": OnlySecond}
	toks := map[string]*Tokenizer{}
	for i, x := range examples(t) {
		tok := toks[x.File]
		if tok == nil {
			tok = testTokenizer(t, x.File)
			toks[x.File] = tok
		}
		o := Options{MaxTokens: x.Max, Truncate: strategies[x.Truncate]}
		var e Encoding
		var err error
		if len(x.Texts) == 2 {
			e, err = tok.EncodePair(x.Texts[0], x.Texts[1], o)
		} else {
			e, err = tok.Encode(x.Texts[0], o)
		}
		if err != nil {
			t.Errorf("line %d: %v", i+1, err)
			continue
		}
		if !slices.Equal(e.IDs, x.IDs) {
			t.Errorf("line %d, %s of %q:\n got %v\nwant %v", i+1, x.File, x.Texts, e.IDs, x.IDs)
			continue
		}
		if x.Types != nil && !slices.Equal(e.Types, x.Types) {
			t.Errorf("line %d, %s of %q: types %v, want %v", i+1, x.File, x.Texts, e.Types, x.Types)
		}
		for k, s := range x.Spans {
			if e.Spans[k] != (Span{s[0], s[1]}) {
				t.Errorf("line %d, %s of %q: token %d stands for %v, want %v", i+1, x.File, x.Texts, k, e.Spans[k], s)
			}
		}
		if x.Max == 0 && len(x.Texts) == 1 {
			bare, err := tok.Encode(x.Texts[0], Options{Bare: true})
			if ids := tok.AppendIDs([]int32{-7}, x.Texts[0]); err != nil || !slices.Equal(ids[1:], bare.IDs) {
				t.Errorf("line %d, %s of %q: %v by AppendIDs, %v by Encode, %v", i+1, x.File, x.Texts, ids[1:], bare.IDs, err)
			}
		}
	}
}
