package extract

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/asof-db/asof/dsl"
)

// listed is a token classifier that knows the labels of some words.
type listed struct {
	words  map[string]string
	labels []string
	err    error
	wrong  []Labelled
	// texts are those that it was given.
	texts []string
}

func (l *listed) Name() string     { return "listed@1" }
func (l *listed) Labels() []string { return l.labels }

func (l *listed) Tag(ctx context.Context, texts []string) ([][]Labelled, error) {
	l.texts = append(l.texts, texts...)
	if l.err != nil {
		return nil, l.err
	}
	out := make([][]Labelled, len(texts))
	for i, text := range texts {
		for w, label := range l.words {
			for at := 0; ; {
				k := strings.Index(text[at:], w)
				if k < 0 {
					break
				}
				out[i] = append(out[i], Labelled{at + k, at + k + len(w), label})
				at += k + len(w)
			}
		}
		slices.SortFunc(out[i], func(a, b Labelled) int { return a.Start - b.Start })
		out[i] = append(out[i], l.wrong...)
	}
	return out, nil
}

// readWith extracts a turn under a configuration.
func readWith(t *testing.T, change func(*Config), text string) Result {
	t.Helper()
	c := DefaultConfig()
	change(&c)
	p, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return p.Extract(Context{Turn: turnOf(t, "2023-05-10T14:00:00Z", text)})
}

// mentions gives mentions on one line.
func mentions(list []Mention) string {
	var out []string
	for _, m := range list {
		out = append(out, m.Text+"="+m.Type)
	}
	return strings.Join(out, " ")
}

// fates gives what became of options on one line.
func fates(list []Answer) string {
	var out []string
	for _, a := range list {
		out = append(out, a.Stage+"."+a.Option+":"+a.By+":"+string(a.Fate))
	}
	return strings.Join(out, " ")
}

func TestEntitiesByModel(t *testing.T) {
	english := map[string]string{"Zorbulon": "PER", "Quux Labs": "ORG", "Springfield": "GPE", "seventeen": "CARDINAL", "mail x": "PER"}
	chinese := map[string]string{"甲乙丙": "PER", "广东": "LOC", "深圳": "LOC"}
	rules := mentions(newPipeline(t).Extract(Context{Turn: turnOf(t, "2023-05-10T14:00:00Z", "Zorbulon met Maria in Springfield.")}).Entities)
	for _, c := range []struct {
		name, text string
		latin, han *listed
		want       string
		fates      string
	}{
		{"names, and what the network does not label", "Zorbulon and seventeen of Quux Labs met in Springfield; mail x@y.org or call +1 555 010 9999.",
			&listed{words: english, labels: []string{"PER", "ORG", "GPE", "CARDINAL"}}, nil,
			"Zorbulon=PERSON Quux Labs=ORG Springfield=LOC x@y.org=EMAIL +1 555 010 9999=PHONE", "ner.B:listed@1:taken"},
		{"both scripts", "Zorbulon和甲乙丙住在广东深圳。", &listed{words: english, labels: []string{"PER"}}, &listed{words: chinese, labels: []string{"PER", "LOC"}},
			"Zorbulon=PERSON 甲乙丙=PERSON 广东深圳=LOC", "ner.B:listed@1:taken ner.B:listed@1:taken"},
		{"a script without a network is read by rules", "Maria和甲乙丙住在北京。", nil, &listed{words: chinese, labels: []string{"PER"}},
			"Maria=PERSON 甲乙丙=PERSON 北京=LOC", "ner.B:listed@1:taken"},
		{"a failure", "Zorbulon met Maria in Springfield.", &listed{words: english, labels: []string{"PER"}, err: errors.New("out of memory")}, nil,
			rules, "ner.B:listed@1:failed"},
		{"too late", "Zorbulon met Maria in Springfield.", &listed{words: english, labels: []string{"PER"}, err: context.DeadlineExceeded}, nil,
			rules, "ner.B:listed@1:late"},
		{"a place outside the text", "Zorbulon met Maria in Springfield.", &listed{words: english, labels: []string{"PER"}, wrong: []Labelled{{33, 99, "PER"}}}, nil,
			rules, "ner.B:listed@1:nonsense"},
		{"nobody asks about nothing", "...", &listed{words: english, labels: []string{"PER"}}, nil, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := readWith(t, func(x *Config) {
				x.NERMode = "B"
				if c.latin != nil {
					x.Parts.Tagger = c.latin
				}
				if c.han != nil {
					x.Parts.TaggerHan = c.han
				}
			}, c.text)
			if got := mentions(r.Entities); got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
			for _, m := range r.Entities {
				if c.text[m.Start:m.End] != m.Text {
					t.Errorf("%q stands at [%d, %d) of %q", m.Text, m.Start, m.End, c.text)
				}
			}
			if got := fates(r.Answers); got != c.fates {
				t.Errorf("answers %q, want %q", got, c.fates)
			}
		})
	}
}

// TestPieces: whatever the turn, a network is given all of it in pieces that it can
// read, cut between sentences where there is one.
func TestPieces(t *testing.T) {
	sentence := "Maria lives in Springfield with her two cats. "
	for _, text := range []string{
		strings.Repeat(sentence, 100), strings.Repeat("word ", 2000), strings.Repeat("x", 5000), strings.Repeat("字", 3000),
		"短。" + strings.Repeat("字", 1000) + "。Short. " + strings.Repeat("é", 2000), sentence, "",
	} {
		d := &Document{Text: text, tokens: tokenize(text)}
		d.Sentences = ruleSplitter{}.Split(d)
		last := 0
		for _, s := range pieces(d, d.Sentences, hanPiece) {
			if s.Start < last || s.End <= s.Start || utf8.RuneCountInString(text[s.Start:s.End]) > hanPiece || !utf8.ValidString(text[s.Start:s.End]) {
				t.Fatalf("%.20q: the piece [%d, %d) after %d", text, s.Start, s.End, last)
			}
			if gap := text[last:s.Start]; strings.TrimSpace(gap) != "" {
				t.Fatalf("%.20q: %q is in no piece", text, gap)
			}
			last = s.End
			if strings.HasPrefix(text, sentence) && !strings.HasSuffix(text[:s.End], ".") {
				t.Errorf("a piece ends inside a sentence: %q", text[s.End-10:s.End])
			}
		}
		if strings.TrimSpace(text[last:]) != "" {
			t.Errorf("%.20q: %q is in no piece", text, text[last:])
		}
	}
	l := &listed{labels: []string{"PER"}}
	r := readWith(t, func(c *Config) { c.NERMode, c.Parts.Tagger = "B", l }, strings.Repeat("a b ", maxRead))
	if fates(r.Answers) != "ner.B:listed@1:too_long" || len(l.texts) > 0 {
		t.Errorf("a long turn: %s, %d texts", fates(r.Answers), len(l.texts))
	}
}

func TestSentencesByModel(t *testing.T) {
	text := "so i moved yes to boston i love it 我很好 你呢 ..."
	for _, c := range []struct {
		name  string
		model *listed
		want  string
		fate  Fate
	}{
		{"begins", &listed{words: map[string]string{"i love": "S", "我": "S", "你": "S"}, labels: []string{"S"}},
			"so i moved yes to boston|i love it|我很好|你呢 ...", Taken},
		{"ends", &listed{words: map[string]string{"boston": "EOS", "it": "EOS", "很好": "EOS"}, labels: []string{"EOS"}},
			"so i moved yes to boston|i love it|我很好|你呢 ...", Taken},
		{"none", &listed{labels: []string{"EOS"}}, text, Taken},
		{"failure", &listed{labels: []string{"EOS"}, err: errors.New("no")}, text, Failed},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := readWith(t, func(x *Config) { x.PreprocessTinySeg, x.Parts.Segmenter = true, c.model }, text)
			var got []string
			for _, s := range r.Sentences {
				got = append(got, text[s.Start:s.End])
			}
			if strings.Join(got, "|") != c.want || len(r.Answers) != 1 || r.Answers[0].Fate != c.fate {
				t.Errorf("%q, %s; want %q, %s", got, fates(r.Answers), c.want, c.fate)
			}
		})
	}
}

// TestMissingParts: an option whose part is not there is refused with what to do.
func TestMissingParts(t *testing.T) {
	for _, c := range []struct {
		change func(*Config)
		err    error
		says   string
	}{
		{func(c *Config) { c.NERMode = "B" }, ErrMissingPart, "asof models pull"},
		{func(c *Config) { c.NERMode, c.Parts.Tagger = "B", &listed{labels: []string{"POSITIVE"}} }, dsl.ErrInvalid, "ner.model: none of the labels"},
		{func(c *Config) { c.PreprocessTinySeg = true }, ErrMissingPart, "preprocess.model"},
		{func(c *Config) { c.PreprocessTinySeg, c.Parts.Segmenter = true, &listed{labels: []string{"PER"}} }, dsl.ErrInvalid, "preprocess.model: none of the labels"},
	} {
		x := DefaultConfig()
		c.change(&x)
		if _, err := New(x); !errors.Is(err, c.err) || !strings.Contains(fmt.Sprint(err), c.says) {
			t.Errorf("%v; want %q in an error that is %v", err, c.says, c.err)
		}
	}
}
