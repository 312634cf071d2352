package extract

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/corenlp"
)

// fakeParser answers about texts that it knows, and keeps what it was asked.
type fakeParser struct {
	docs  map[string]*corenlp.Document
	err   error
	asked []string
}

func (p *fakeParser) Version() string { return "corenlp/0.1" }

func (p *fakeParser) Annotate(_ context.Context, text, date string, d corenlp.Depth) (*corenlp.Document, error) {
	p.asked = append(p.asked, fmt.Sprintf("%s %d %s", date, d, text))
	if p.err != nil {
		return nil, p.err
	}
	if doc, ok := p.docs[text]; ok {
		return doc, nil
	}
	return nil, fmt.Errorf("the test knows no %q", text)
}

// arcs adds a sentence to a document: for each word "word/tag/lemma/relation/number of its head"; what is
// left out is as the word, and hangs on nothing.
func arcs(doc *corenlp.Document, text, words string) {
	s := corenlp.Sentence{}
	at := 0
	if n := len(doc.Sentences); n > 0 {
		at = doc.Sentences[n-1].End
	}
	for _, w := range strings.Fields(words) {
		part := strings.Split(w, "/")
		i := strings.Index(text[at:], part[0])
		if i < 0 {
			panic("the text has no word " + part[0])
		}
		t := corenlp.Token{Start: at + i, End: at + i + len(part[0]), Lemma: lower(part[0])}
		a := corenlp.Arc{Rel: "dep", Head: -1}
		if len(part) == 5 {
			t.PartOfSpeech, t.Lemma, a.Rel = part[1], part[2], part[3]
			head, err := strconv.Atoi(part[4])
			if err != nil {
				panic(err)
			}
			a.Head = head - 1
		}
		s.Tokens, s.Arcs, at = append(s.Tokens, t), append(s.Arcs, a), t.End
	}
	s.Start, s.End = s.Tokens[0].Start, s.Tokens[len(s.Tokens)-1].End
	doc.Sentences = append(doc.Sentences, s)
}

// place gives the bytes of a word in a text.
func place(text, word string) (start, end int) {
	i := strings.Index(text, word)
	if i < 0 {
		panic("the text has no " + word)
	}
	return i, i + len(word)
}

// serverPipeline makes a pipeline whose options ask the parser.
func serverPipeline(t *testing.T, p Parser, change func(*Config)) *Pipeline {
	t.Helper()
	c := DefaultConfig()
	c.Parts.Parser = p
	change(&c)
	pipe, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(pipe.Version(), "@corenlp/0.1") {
		t.Errorf("version %q does not name the server", pipe.Version())
	}
	return pipe
}

func turnSaying(t *testing.T, text string, before ...string) Context {
	t.Helper()
	at, _, err := ParseTime("2023-05-08T14:00:00Z", "")
	if err != nil {
		t.Fatal(err)
	}
	c := Context{Turn: dsl.Turn{ID: "t", Speaker: dsl.Plain("Anna"), Listener: dsl.Plain("Ben"), Text: dsl.Plain(text), TS: at}}
	for i, b := range before {
		c.Previous = append(c.Previous, dsl.Turn{ID: fmt.Sprint("p", i), Speaker: dsl.Plain("Ben"), Text: dsl.Plain(b), TS: at})
	}
	return c
}

func TestServerEntities(t *testing.T) {
	const text = "She and Zorblatt ate at Quuxhaven, near Paris. Great, Frobnitz said."
	mention := func(word, typ string) corenlp.Mention {
		a, b := place(text, word)
		return corenlp.Mention{Start: a, End: b, Type: typ}
	}
	p := &fakeParser{docs: map[string]*corenlp.Document{text: {Mentions: []corenlp.Mention{
		mention("She", "PERSON"), mention("Zorblatt", "PERSON"), mention("Quuxhaven", "CITY"), mention("Paris", "ORGANIZATION"), mention("Great", "TITLE"), mention("Frobnitz said", "ORGANIZATION"),
	}}}}
	pipe := serverPipeline(t, p, func(c *Config) { c.NERMode = "B'" })
	rules, err := New(DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	found := func(p *Pipeline, text string) (out []string, answers []Answer) {
		r := p.Extract(turnSaying(t, text))
		for _, m := range r.Entities {
			if m.Text != text[m.Start:m.End] {
				t.Errorf("%q is not at %d to %d", m.Text, m.Start, m.End)
			}
			out = append(out, m.Type+" "+m.Text)
		}
		return out, r.Answers
	}
	got, answers := found(pipe, text)
	alone, _ := found(rules, text)
	for _, want := range []string{"PERSON Zorblatt", "LOC Quuxhaven", "LOC Paris"} {
		if !slices.Contains(got, want) {
			t.Errorf("no %q among %q", want, got)
		}
	}
	for _, g := range got {
		if strings.Contains(g, "She") || strings.Contains(g, "Great") {
			t.Errorf("%q is no name", g)
		}
	}
	if !slices.Contains(alone, "LOC Paris") {
		t.Errorf("the rules alone have no Paris, which they know: %q", alone)
	}
	if len(answers) != 1 || answers[0].Stage != "ner" || answers[0].FellBack() || answers[0].By != "corenlp/0.1" {
		t.Errorf("answers %+v", answers)
	}
	// What the rules cover, and what is not English, is not asked.
	asked := len(p.asked)
	for _, quiet := range []string{"I love Paris in May.", "no capitals at all", "我在Qwop工作，我叫王小明，我喜欢喝咖啡。"} {
		if _, answers := found(pipe, quiet); len(answers) != 0 || len(p.asked) != asked {
			t.Errorf("%q was asked: %q", quiet, p.asked[asked:])
		}
	}
	// A server that fails leaves the rules' names.
	for _, c := range []struct {
		err  error
		fate Fate
	}{
		{errors.New("down"), Failed}, {context.DeadlineExceeded, Late},
		{fmt.Errorf("x: %w", corenlp.ErrTooLong), TooLong}, {fmt.Errorf("x: %w", corenlp.ErrMalformed), Malformed},
	} {
		p.err = c.err
		got, answers := found(pipe, text)
		if !slices.Equal(got, alone) || len(answers) != 1 || answers[0].Fate != c.fate {
			t.Errorf("%v: %q, %+v; want %q and %s", c.err, got, answers, alone, c.fate)
		}
	}
}

func TestServerTimes(t *testing.T) {
	const text = "The semester of plums, a fortnight or the month of the heron, once per quarter; we met in the week of the fair and on Friday. Is it Easter/22?"
	at := func(word, value, typ string) corenlp.Time {
		a, b := place(text, word)
		return corenlp.Time{Start: a, End: b, Value: value, Type: typ}
	}
	p := &fakeParser{docs: map[string]*corenlp.Document{text: {Times: []corenlp.Time{
		at("semester of plums", "OFFSET P1D", "DATE"), at("a fortnight", "P2W", "DURATION"), at("the month of the heron", "2023-07 INTERSECT P1D", "DATE"),
		at("once per quarter", "P3M", "SET"), at("the week of the fair", "2023-W20", "DATE"), at("Friday", "1999-01-01", "DATE"), at("heron", "PRESENT_REF", "DATE"), at("Easter", "2023-04-09", "DATE"),
	}}}}
	pipe := serverPipeline(t, p, func(c *Config) { c.TimeSUTime = true })
	r := pipe.Extract(turnSaying(t, text))
	var got []string
	for _, e := range r.Times {
		got = append(got, e.Value+" "+e.Text)
		if e.Text != text[e.Start:e.End] {
			t.Errorf("%q is not at %d to %d", e.Text, e.Start, e.End)
		}
		if e.Value == "2023-W20" && (!e.OnCalendar() || e.From.Format("2006-01-02") != "2023-05-15") {
			t.Errorf("%+v has not the interval of its value", e)
		}
	}
	for _, want := range []string{"P2W a fortnight", "P3M once per quarter", "2023-W20 the week of the fair"} {
		if !slices.Contains(got, want) {
			t.Errorf("no %q among %q", want, got)
		}
	}
	for _, g := range got {
		if strings.Contains(g, "OFFSET") || strings.Contains(g, "INTERSECT") || strings.Contains(g, "2023-04-09") || strings.Contains(g, "1999") || strings.Contains(g, "heron") {
			t.Errorf("%q was taken", g)
		}
	}
	if !slices.IsSortedFunc(r.Times, func(a, b TimeExpr) int { return a.Start - b.Start }) {
		t.Errorf("out of order: %q", got)
	}
	asked := len(p.asked)
	if r := pipe.Extract(turnSaying(t, "We met on Friday.")); len(p.asked) != asked || len(r.Times) != 1 {
		t.Errorf("what the grammar covers was asked: %q", p.asked[asked:])
	}
	if c := (Config{PreprocessRule: true, NERMode: "A", CorefMode: "A", RelationMode: "A", TimeSUTime: true, Parts: Parts{Parser: p}}); true {
		alone, err := New(c) // the server alone, without the grammar
		if err != nil {
			t.Fatal(err)
		}
		if n := len(alone.Extract(turnSaying(t, text)).Times); n != 4 {
			t.Errorf("%d times without the grammar, want 4", n)
		}
	}
}

func TestServerCoref(t *testing.T) {
	const before, text = "Wanda and Zelda came.", "Zelda brought the Jeopardyx game, and they liked it. She told my boss that he was late."
	whole := before + "\n\n" + text
	from := len(before) + 2
	ref := func(word, kind string) corenlp.Reference {
		a, b := place(text, word)
		r := corenlp.Reference{Start: from + a, End: from + b, Kind: kind, Number: "SINGULAR"}
		r.Head.Start, r.Head.End = r.Start, r.End
		return r
	}
	wanda := corenlp.Reference{Start: 0, End: len("Wanda"), Kind: "PROPER", Number: "SINGULAR"}
	p := &fakeParser{docs: map[string]*corenlp.Document{whole: {Chains: []corenlp.Chain{
		{wanda, ref("She", "PRONOMINAL")}, {ref("my boss", "NOMINAL"), ref("he", "PRONOMINAL")}, {ref("the Jeopardyx game", "NOMINAL"), ref("it", "PRONOMINAL")},
	}}}}
	only := resolverFunc(func(*Document) []Coref { return nil })
	stage := serverCoref{server{p, corenlp.Names}, only}
	d := documentOf(t, turnSaying(t, text, before))
	// "he" stands in "the" first.
	he := strings.Index(text, "he was")
	p.docs[whole].Chains[1][1].Start, p.docs[whole].Chains[1][1].End = from+he, from+he+2
	var got []string
	for _, c := range stage.ResolveCoref(d) {
		got = append(got, fmt.Sprintf("%s@%d=%s", c.Text, c.Start, c.RefersTo))
	}
	want := []string{fmt.Sprintf("She@%d=Wanda", strings.Index(text, "She")), fmt.Sprintf("he@%d=my boss", he)}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q: a thing that has no name is no referent", got, want)
	}
	if len(p.asked) != 1 || !strings.HasSuffix(p.asked[0], whole) || !strings.HasPrefix(p.asked[0], "2023-05-08 2 ") {
		t.Errorf("asked %q", p.asked)
	}
	// What the rules resolved stays, and is not asked for.
	rules := resolverFunc(func(d *Document) []Coref {
		var out []Coref
		for i := range d.tokens {
			if x := &d.tokens[i]; onePerson[x.low] || thingOrSome[x.low] {
				out = append(out, Coref{Text: d.Text[x.start:x.end], Start: x.start, End: x.end, RefersTo: "Rule"})
			}
		}
		return out
	})
	stage.rules = rules
	for _, c := range stage.ResolveCoref(documentOf(t, turnSaying(t, text, before))) {
		if c.RefersTo != "Rule" {
			t.Errorf("%+v overrules the rules", c)
		}
	}
	if len(p.asked) != 1 {
		t.Errorf("asked for nothing: %q", p.asked[1:])
	}
}

// resolverFunc is a CorefResolver.
type resolverFunc func(*Document) []Coref

func (resolverFunc) Version() string                    { return "coref.test/1" }
func (f resolverFunc) ResolveCoref(d *Document) []Coref { return f(d) }

// documentOf reads a turn as far as its names.
func documentOf(t *testing.T, ctx Context) *Document {
	t.Helper()
	text, err := ctx.Turn.Text.Open()
	if err != nil {
		t.Fatal(err)
	}
	d := &Document{Text: text, Speaker: "Anna", Listener: "Ben", Local: ctx.Turn.Local(), TS: ctx.Turn.TS, Previous: ctx.Previous, Registry: DefaultRegistry(), tokens: tokenize(text)}
	d.quotes = quoteRanges(d.tokens)
	d.Sentences = ruleSplitter{}.Split(d)
	d.Entities = ruleEntities{}.ExtractEntities(d)
	return d
}

func TestParsedRelations(t *testing.T) {
	for _, c := range []struct {
		text string
		// words is one sentence, as arcs reads it.
		words, want string
	}{
		{"I live with my wife and our kids in Boston.",
			"I/PRP/I/nsubj/2 live/VBP/live/ROOT/0 with/IN/with/case/5 my/PRP$/my/nmod:poss/5 wife/NN/wife/obl/2 and/CC/and/cc/8 our/PRP$/we/nmod:poss/8 kids/NNS/kid/conj/5 in/IN/in/case/10 Boston/NNP/Boston/nmod/8 ././././2",
			"Anna lives_in Boston"},
		{"My brother works as a nurse with kids at Mercy Hospital.",
			"My/PRP$/my/nmod:poss/2 brother/NN/brother/nsubj/3 works/VBZ/work/ROOT/0 as/IN/as/case/6 a/DT/a/det/6 nurse/NN/nurse/obl/3 with/IN/with/case/8 kids/NNS/kid/nmod/6 at/IN/at/case/11 Mercy/NNP/Mercy/compound/11 Hospital/NNP/Hospital/obl/3",
			"Anna/brother works_at Mercy Hospital"},
		{"My sister Mel, who after years finally moved last month to Lisbon, sings.",
			"My/PRP$/my/nmod:poss/2 sister/NN/sister/nsubj/14 Mel/NNP/Mel/appos/2 ,/,/,/punct/2 who/WP/who/nsubj/9 after/IN/after/case/7 years/NNS/year/obl/9 finally/RB/finally/advmod/9 moved/VBN/move/acl:relcl/2 last/JJ/last/amod/11 month/NN/month/obl:tmod/9 to/IN/to/case/13 Lisbon/NNP/Lisbon/obl/9 sings/VBZ/sing/ROOT/0",
			"Mel lives_in Lisbon since 2023-04"},
		{"I quit and, to my surprise, moved with the dog to Berlin.",
			"I/PRP/I/nsubj/2 quit/VBD/quit/ROOT/0 and/CC/and/cc/8 ,/,/,/punct/8 to/IN/to/case/7 my/PRP$/my/nmod:poss/7 surprise/NN/surprise/obl/8 moved/VBD/move/conj/2 with/IN/with/case/11 the/DT/the/det/11 dog/NN/dog/obl/8 to/IN/to/case/13 Berlin/NNP/Berlin/obl/8",
			"Anna lives_in Berlin"},
		// What is not told as a fact is none.
		{"If I lived with my parents in Paris, I would cry.",
			"If/IN/if/mark/3 I/PRP/I/nsubj/3 lived/VBD/live/advcl/12 with/IN/with/case/6 my/PRP$/my/nmod:poss/6 parents/NNS/parent/obl/3 in/IN/in/case/8 Paris/NNP/Paris/obl/3 ,/,/,/punct/12 I/PRP/I/nsubj/12 would/MD/would/aux/12 cry/VB/cry/ROOT/0", ""},
		{"He says that I live with my mom in Rome.",
			"He/PRP/he/nsubj/2 says/VBZ/say/ROOT/0 that/IN/that/mark/5 I/PRP/I/nsubj/5 live/VBP/live/ccomp/2 with/IN/with/case/8 my/PRP$/my/nmod:poss/8 mom/NN/mom/obl/5 in/IN/in/case/10 Rome/NNP/Rome/nmod/8", ""},
		{"I lived with my mom in Rome.",
			"I/PRP/I/nsubj/2 lived/VBD/live/ROOT/0 with/IN/with/case/5 my/PRP$/my/nmod:poss/5 mom/NN/mom/obl/2 in/IN/in/case/7 Rome/NNP/Rome/obl/2", ""},
		{"I would live with my mom in Rome.",
			"I/PRP/I/nsubj/3 would/MD/would/aux/3 live/VB/live/ROOT/0 with/IN/with/case/6 my/PRP$/my/nmod:poss/6 mom/NN/mom/obl/3 in/IN/in/case/8 Rome/NNP/Rome/obl/3", ""},
		{"I live with my mom in constant fear.",
			"I/PRP/I/nsubj/2 live/VBP/live/ROOT/0 with/IN/with/case/5 my/PRP$/my/nmod:poss/5 mom/NN/mom/obl/2 in/IN/in/case/8 constant/JJ/constant/amod/8 fear/NN/fear/obl/2", ""},
		{"Do I live with my mom in Rome?",
			"Do/VBP/do/aux/3 I/PRP/I/nsubj/3 live/VBP/live/ROOT/0 with/IN/with/case/6 my/PRP$/my/nmod:poss/6 mom/NN/mom/obl/3 in/IN/in/case/8 Rome/NNP/Rome/obl/3 ?/././punct/3", ""},
	} {
		doc := &corenlp.Document{}
		arcs(doc, c.text, c.words)
		p := &fakeParser{docs: map[string]*corenlp.Document{c.text: doc}}
		r := serverPipeline(t, p, func(c *Config) { c.RelationParse = true }).Extract(turnSaying(t, c.text))
		if len(p.asked) > 1 || len(p.asked) == 1 && !strings.HasPrefix(p.asked[0], "2023-05-08 1 ") {
			t.Errorf("%s: asked %q", c.text, p.asked)
		}
		got := ""
		for i, k := range r.Candidates {
			if k.Source != sourceServer {
				continue
			}
			got += k.Src.String() + " " + k.Rel + " " + k.Dst.String()
			if r.Stated[i].From != "" {
				got += " since " + r.Stated[i].From
			}
			if k.Confidence > weak {
				t.Errorf("%s: confidence %v", c.text, k.Confidence)
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q (answers %+v)", c.text, got, c.want, r.Answers)
		}
	}
}

// TestServerAskedOnce: several stages share one reading of the turn.
func TestServerAskedOnce(t *testing.T) {
	const text = "Zorblatt and I live with my wife, a fortnight now, in Boston."
	doc := &corenlp.Document{}
	arcs(doc, text, "Zorblatt and I live with my wife , a fortnight now , in Boston .")
	p := &fakeParser{docs: map[string]*corenlp.Document{text: doc}}
	pipe := serverPipeline(t, p, func(c *Config) { c.NERMode, c.TimeSUTime, c.RelationParse = "B'", true, true })
	r := pipe.Extract(turnSaying(t, text))
	if len(p.asked) != 1 || len(r.Answers) < 2 {
		t.Errorf("asked %q, answers %+v", p.asked, r.Answers)
	}
	p.err = errors.New("down")
	p.asked = nil
	if r := pipe.Extract(turnSaying(t, text)); len(p.asked) != 1 || len(r.Answers) < 2 || !r.Answers[0].FellBack() {
		t.Errorf("of a server that is down: asked %q, answers %+v", p.asked, r.Answers)
	}
}
