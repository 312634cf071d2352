package tokenize

import (
	"slices"
	"testing"
)

// surfaces are what the pieces of a text stand for in the normalized text, for a tokenizer without
// added tokens of its own.
func surfaces(t *Tokenizer, text string) []string {
	s := &scratch{cur: &buffer{}, alt: &buffer{}}
	t.pieces(s, text, true)
	var out []string
	n := 0
	for _, w := range s.words {
		for start := w.start; start < w.end; n++ {
			end := w.start + s.ends[n]
			out = append(out, string(s.cur.b[start:end]))
			start = end
		}
	}
	return out
}

// TestGolden holds every id, every type id and every token of the four tokenizers against the
// reference, for all texts and all pairs.
func TestGolden(t *testing.T) {
	var texts []string
	sharedJSON(t, "texts.json.zst", &texts)
	for _, name := range []string{"bert", "xlmr_old", "xlmr_new", "t5"} {
		t.Run(name, func(t *testing.T) {
			var want golden
			sharedJSON(t, name+".golden.json.zst", &want)
			tok, err := Load(sharedFile(t, name+".tokenizer.json.zst"))
			if err != nil {
				t.Fatal(err)
			}
			if len(want.Single) != len(texts) || len(want.Pair) != len(texts)/2 {
				t.Fatalf("%d texts, %d and %d in the golden", len(texts), len(want.Single), len(want.Pair))
			}
			bad := 0
			fault := func(format string, args ...any) {
				if bad++; bad <= 5 {
					t.Errorf(format, args...)
				}
			}
			for i, text := range texts {
				w := want.Single[i]
				e, err := tok.Encode(text, Options{})
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(e.IDs, w.IDs) {
					fault("text %d, %q:\n got %v\nwant %v", i, text, e.IDs, w.IDs)
					continue
				}
				bare, err := tok.Encode(text, Options{Bare: true})
				if err != nil {
					t.Fatal(err)
				}
				if ids := tok.AppendIDs(nil, text); !slices.Equal(ids, bare.IDs) || len(ids)+tok.Specials(false) != len(e.IDs) {
					fault("text %d, %q: %v by AppendIDs, %v by Encode", i, text, ids, bare.IDs)
				}
				front := slices.Index(e.Texts, 0)
				for k, s := range surfaces(tok, text) {
					if g := w.Tokens[front+k]; g != s && g != "##"+s && g != "[UNK]" {
						fault("text %d, %q: token %d is %q, want %q", i, text, k, s, g)
					}
				}
			}
			for j := range texts[:len(texts)/2] {
				w := want.Pair[j]
				e, err := tok.EncodePair(texts[2*j], texts[2*j+1], Options{})
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(e.IDs, w.IDs) || !slices.Equal(e.Types, w.Types) {
					fault("pair %d:\n got %v %v\nwant %v %v", j, e.IDs, e.Types, w.IDs, w.Types)
				}
			}
			t.Logf("%d texts, %d pairs, %d faults", len(texts), len(texts)/2, bad)
		})
	}
}
