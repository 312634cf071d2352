package tokenize

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unicode/utf8"
)

// TestWordPieceGolden holds a WordPiece made from a vocabulary alone against the reference.
func TestWordPieceGolden(t *testing.T) {
	var file struct {
		Model struct {
			Vocab map[string]int `json:"vocab"`
		} `json:"model"`
	}
	sharedJSON(t, "bert.tokenizer.json.zst", &file)
	var texts []string
	sharedJSON(t, "texts.json.zst", &texts)
	var want golden
	sharedJSON(t, "bert.golden.json.zst", &want)
	vocabulary := make([]string, len(file.Model.Vocab))
	for p, id := range file.Model.Vocab {
		vocabulary[id] = p
	}
	w, err := NewWordPiece(vocabulary, WordPieceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var ids []int32
	bad := 0
	for i, text := range texts {
		ids = w.AppendIDs(ids[:0], text)
		if g := want.Single[i].IDs; !slices.Equal(ids, g[1:len(g)-1]) {
			if bad++; bad < 10 {
				t.Errorf("text %d, %q:\n got %v\nwant %v", i, text, ids, g[1:len(g)-1])
			}
		}
	}
	t.Logf("%d of %d differ", bad, len(texts))
}

// TestWordPiece shows how words are cut and what becomes of those that cannot be.
func TestWordPiece(t *testing.T) {
	vocabulary := []string{"[PAD]", "[UNK]", "[CLS]", "un", "##aff", "##able", "cafe", "!", "[", "]", "cls", "北", "京", "##京"}
	w, err := NewWordPiece(vocabulary, WordPieceOptions{Special: []string{"[PAD]", "[CLS]"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text string
		want []int32
	}{
		{"", nil},
		{" \t\n", nil},
		{"unaffable", []int32{3, 4, 5}},
		{"UnAffable Café!", []int32{3, 4, 5, 6, 7}},
		{"unaffableX un", []int32{1, 3}},
		{"北京", []int32{11, 12}},
		{"[CLS]", []int32{8, 10, 9}},
		{"ca\u00adfe\x00 \xff!", []int32{6, 7}},
	} {
		if got := w.AppendIDs(nil, c.text); !slices.Equal(got, c.want) {
			t.Errorf("%q gives %v, want %v", c.text, got, c.want)
		}
	}
	if w.UnknownID() != 1 {
		t.Errorf("the unknown piece is %d", w.UnknownID())
	}
	cased, err := NewWordPiece([]string{"Café", "cafe"}, WordPieceOptions{KeepCase: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := cased.AppendIDs([]int32{9}, "Café cafe CAFE"); !slices.Equal(got, []int32{9, 0, 1}) {
		t.Errorf("with case: %v", got)
	}
	if cased.UnknownID() != -1 {
		t.Errorf("an unknown piece %d of a vocabulary without one", cased.UnknownID())
	}
}

// best finds the highest sum of scores over all ways to cut a word, by trying them.
func best(scores map[string]float64, unknown float64, word string) float64 {
	if word == "" {
		return 0
	}
	top, found := 0.0, false
	try := func(s float64) {
		if !found || s > top {
			top, found = s, true
		}
	}
	first := ""
	for i := range word + "." {
		if i == 0 {
			continue
		}
		if first == "" {
			first = word[:i]
		}
		if s, ok := scores[word[:i]]; ok {
			try(s + best(scores, unknown, word[i:]))
		}
	}
	if _, ok := scores[first]; !ok {
		try(unknown + best(scores, unknown, word[len(first):]))
	}
	return top
}

// TestUnigramBest holds the path found against all paths there are.
func TestUnigramBest(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	for range 200 {
		random := func(n int) string {
			r := make([]rune, n)
			for i := range r {
				r[i] = []rune("ab北c")[rng.IntN(4)]
			}
			return string(r)
		}
		pieces := []Piece{{"<unk>", 0}}
		scores := map[string]float64{}
		worst := 0.0
		for range 12 {
			p := Piece{random(1 + rng.IntN(3)), -float64(1 + rng.IntN(20))}
			pieces = append(pieces, p)
			scores[p.Text] = p.Score
		}
		for _, p := range pieces {
			worst = min(worst, p.Score)
		}
		u, err := NewUnigram(pieces, UnigramOptions{Unknown: "<unk>"})
		if err != nil {
			t.Fatal(err)
		}
		text := random(rng.IntN(9))
		s := &scratch{}
		u.model.cut(s, []byte(text))
		sum, start := 0.0, int32(0)
		for i, id := range s.ids {
			part := text[start:s.ends[i]]
			start = s.ends[i]
			if id == 0 {
				sum += float64(utf8.RuneCountInString(part)) * (worst - unknownPenalty)
			} else {
				sum += scores[part]
				if pieces[id].Text != part {
					t.Fatalf("piece %d is %q, not %q", id, pieces[id].Text, part)
				}
			}
		}
		if int(start) != len(text) || sum != best(scores, worst-unknownPenalty, text) {
			t.Fatalf("%q gives %v, %v: %v; the best is %v", text, s.ids, s.ends, sum, best(scores, worst-unknownPenalty, text))
		}
	}
}

// TestUnigram shows the two ways to read text and what becomes of what no piece covers.
func TestUnigram(t *testing.T) {
	pieces := []Piece{{"<unk>", 0}, {"</s>", 0}, {"▁", -3}, {"▁北京", -2}, {"北京", -2}, {"北", -4}, {"大学", -2}}
	plain, err := NewUnigram(pieces, UnigramOptions{})
	if err != nil {
		t.Fatal(err)
	}
	spaced, err := NewUnigram(pieces, UnigramOptions{Unknown: "<unk>", Metaspace: true, Special: []string{"</s>"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text          string
		plain, spaced []int32
	}{
		{"", nil, nil},
		{"北京大学", []int32{4, 6}, []int32{3, 6}},
		{"北京 北x大学", []int32{4, 5, 6}, []int32{3, 2, 5, 0, 6}},
		{"xyz", nil, []int32{2, 0}},
		{"</s>", []int32{1}, []int32{2, 0}},
		{"\xff北", []int32{5}, []int32{2, 0, 5}},
	} {
		if got := plain.AppendIDs(nil, c.text); !slices.Equal(got, c.plain) {
			t.Errorf("%q gives %v plain, want %v", c.text, got, c.plain)
		}
		if got := spaced.AppendIDs(nil, c.text); !slices.Equal(got, c.spaced) {
			t.Errorf("%q gives %v spaced, want %v", c.text, got, c.spaced)
		}
	}
	if _, err := NewUnigram(pieces, UnigramOptions{Unknown: "[UNK]"}); err == nil {
		t.Error("an unknown piece that is not there")
	}
	if _, err := NewUnigram([]Piece{{"a", math.NaN()}}, UnigramOptions{}); err == nil {
		t.Error("a score that is no number")
	}
}

// TestPlainAllocates nothing: the tables are embedded where every turn goes through them.
func TestPlainAllocates(t *testing.T) {
	w, err := NewWordPiece([]string{"a", "##b", "!"}, WordPieceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	u, err := NewUnigram([]Piece{{"▁a", -1}, {"b", -2}}, UnigramOptions{Metaspace: true})
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]int32, 0, 64)
	text := "Ab ab! é北 abb"
	for name, f := range map[string]func(){
		"WordPiece": func() { dst = w.AppendIDs(dst[:0], text) },
		"Unigram":   func() { dst = u.AppendIDs(dst[:0], text) },
	} {
		f()
		if n := testing.AllocsPerRun(200, f); n >= 1 {
			t.Errorf("%s allocates %v times a text", name, n)
		}
	}
}
