package tokenize

import (
	"slices"
	"testing"
	"unicode/utf8"
)

// FuzzEncode holds every tokenizer to what is true of any text: ids that exist and are not special,
// spans in order within the text, one answer by every call, a limit that is kept.
func FuzzEncode(f *testing.F) {
	for _, x := range examples(f) {
		f.Add(x.Texts[0], x.Texts[len(x.Texts)-1], uint8(x.Max))
	}
	f.Add("\xff\xc3\xe2\x82", "\xed\xa0\x80 a", uint8(5))
	toks := map[string]*Tokenizer{}
	special := map[string][]int32{}
	for name, specials := range map[string][]string{
		"wordpiece.json":   {"[PAD]", "[CLS]", "[SEP]", "[MASK]"},
		"unigram.json":     {"<s>", "<pad>", "</s>"},
		"unigram_old.json": {"<s>", "<pad>", "</s>"},
		"tiny.model":       {"<s>", "</s>"},
	} {
		toks[name] = testTokenizer(f, name)
		for _, s := range specials {
			id, ok := toks[name].ID(s)
			if !ok {
				f.Fatalf("%s lacks %s", name, s)
			}
			special[name] = append(special[name], id)
		}
	}
	f.Fuzz(func(t *testing.T, a, b string, limit uint8) {
		for name, tok := range toks {
			e, err := tok.EncodePair(a, b, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if len(e.Types) != len(e.IDs) || len(e.Texts) != len(e.IDs) || len(e.Spans) != len(e.IDs) {
				t.Fatalf("%s: %d ids, %d types, %d texts, %d spans", name, len(e.IDs), len(e.Types), len(e.Texts), len(e.Spans))
			}
			var parts [2][]int32
			var last [2]int32
			for i, id := range e.IDs {
				if id < 0 || int(id) >= tok.Size() {
					t.Fatalf("%s: the id %d of %d", name, id, tok.Size())
				}
				k := e.Texts[i]
				if k < 0 {
					continue
				}
				if slices.Contains(special[name], id) {
					t.Fatalf("%s: %q, %q give the special token %d", name, a, b, id)
				}
				text, s := []string{a, b}[k], e.Spans[i]
				if s.Start < 0 || s.End < s.Start || int(s.End) > len(text) || s.Start < last[k] {
					t.Fatalf("%s: token %d of %q stands for %v after %d", name, i, text, s, last[k])
				}
				if utf8.ValidString(text) && !utf8.ValidString(text[s.Start:s.End]) {
					t.Fatalf("%s: token %d of %q stands for %q", name, i, text, text[s.Start:s.End])
				}
				last[k] = s.Start
				parts[k] = append(parts[k], id)
			}
			for k, text := range []string{a, b} {
				if ids := tok.AppendIDs(nil, text); !slices.Equal(ids, parts[k]) {
					t.Fatalf("%s: %q gives %v by AppendIDs, %v by EncodePair", name, text, ids, parts[k])
				}
			}
			most := max(int(limit), tok.Specials(true))
			if cut, err := tok.EncodePair(a, b, Options{MaxTokens: most}); err != nil || most > 0 && len(cut.IDs) > most {
				t.Fatalf("%s: %d tokens of at most %d, %v", name, len(cut.IDs), most, err)
			}
		}
	})
}

// FuzzLoad: a file may be refused, but never does more harm than that.
func FuzzLoad(f *testing.F) {
	for _, name := range []string{"wordpiece.json", "unigram.json", "unigram_old.json"} {
		f.Add(testFile(f, name), "some Text")
	}
	f.Add([]byte(`{"added_tokens":[{"id":1,"content":"a b","lstrip":true,"rstrip":true,"single_word":true},{"id":2,"content":"B","normalized":true}],"normalizer":{"type":"Lowercase"},"model":{"type":"Unigram","unk_id":0,"vocab":[["?",0],["a",-1e308]]}}`), "x a b b")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		if tok, err := Load(data); err == nil {
			encodes(t, tok, text)
		}
	})
}

// FuzzLoadSentencePiece is the same for the other kind of file.
func FuzzLoadSentencePiece(f *testing.F) {
	f.Add(testFile(f, "tiny.model"), "</s>", "some Text")
	f.Add([]byte{0x0a, 5, 0x0a, 1, 'x', 0x18, 2}, "", "xy")
	f.Fuzz(func(t *testing.T, data []byte, ending, text string) {
		if tok, err := LoadSentencePiece(data, ending); err == nil {
			encodes(t, tok, text)
		}
	})
}

// encodes uses a tokenizer of a file that may be anything.
func encodes(t *testing.T, tok *Tokenizer, text string) {
	e, err := tok.EncodePair(text, "a", Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range e.Spans {
		if e.Texts[i] == 0 && (s.Start < 0 || s.End < s.Start || int(s.End) > len(text)) {
			t.Fatalf("token %d of %q stands for %v", i, text, s)
		}
	}
}

// FuzzPlain: what is made of vocabularies alone takes any text too.
func FuzzPlain(f *testing.F) {
	f.Add("a", "bc", "abc \xff 北")
	f.Fuzz(func(t *testing.T, p, q, text string) {
		w, err := NewWordPiece([]string{p, "##" + q, q}, WordPieceOptions{})
		if err != nil {
			t.Fatal(err)
		}
		u, err := NewUnigram([]Piece{{p, -1}, {q, -2}}, UnigramOptions{Metaspace: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range append(w.AppendIDs(nil, text), u.AppendIDs(nil, text)...) {
			if id < 0 || id > 2 {
				t.Fatalf("the id %d of three", id)
			}
		}
	})
}
