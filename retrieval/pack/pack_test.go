package pack

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/asof-db/asof/assimilate"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/analyze"
	"github.com/asof-db/asof/retrieval"
	"github.com/asof-db/asof/store"
)

const day0 = dsl.Instant(1_683_504_000_000_000) // 2023-05-08

// said makes a found turn: number doc, of a session, some days on.
func said(doc int, session string, days int, speaker, text string) turnFound {
	t := store.Turn{Turn: dsl.Turn{ID: fmt.Sprintf("t%d", doc), Session: session, Speaker: dsl.Plain(speaker), TS: day0 + dsl.Instant(days)*dsl.Day + dsl.Instant(doc)*dsl.Second, Text: dsl.Plain(text)}, Doc: doc}
	t.Record = t.TS
	return turnFound{Turn: t}
}

// ranked makes what a search found of turns that are best first.
func ranked(query string, turns ...turnFound) *found {
	f := &found{query: query, at: day0 + 100*dsl.Day, known: true, turns: turns}
	for i := range f.turns {
		f.turns[i].rank, f.turns[i].score = i+1, 1/float64(i+2)
	}
	f.result.Hits = make([]retrieval.Hit, len(turns))
	return f
}

func options(t testing.TB, o Options) *Options {
	t.Helper()
	o.Search.Analyzer = new(analyze.Analyzer)
	if err := o.check(); err != nil {
		t.Fatal(err)
	}
	if o.Lang == "" {
		o.Lang = "en"
	}
	return &o
}

func sealed(t testing.TB, p *Pack) *Pack {
	t.Helper()
	if err := p.seal(); err != nil {
		t.Fatal(err)
	}
	if err := p.Verify(); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestLayout(t *testing.T) {
	f := ranked("Where did Ana adopt her puppy?",
		said(8, "s2", 3, "Ana", "I adopted a puppy at the shelter in Lyon!"),
		said(3, "s1", 0, "Ben", "Puppies need a lot of patience, Ana."),
		said(2, "s1", 0, "Ana", "Hey Ben! I want to adopt a dog this summer. How are you?"))
	p := sealed(t, f.compile(options(t, Options{})))
	want := `[2023-05-08]
Ana: I want to adopt a dog this summer.
Ben: Puppies need a lot of patience, Ana.
[2023-05-11]
Ana: I adopted a puppy at the shelter in Lyon!`
	if p.Text != want {
		t.Errorf("got\n%s\nwant\n%s", p.Text, want)
	}
	if len(p.Items) != 2 || !slices.Equal(p.Items[0].Evidence, []string{"t2", "t3"}) || p.Items[0].Rank != 2 || p.Items[0].ActiveAt == nil || *p.Items[0].ActiveAt != f.at {
		t.Errorf("neighbours are not one item: %+v", p.Items)
	}
	if got := p.TurnIDs(); !slices.Equal(got, []string{"t2", "t3", "t8"}) {
		t.Errorf("turns %v", got)
	}
	if got := p.SessionNames(); !slices.Equal(got, []string{"s1", "s2"}) {
		t.Errorf("sessions %v", got)
	}
}

func TestSaysNothingTwice(t *testing.T) {
	f := ranked("Where does Ana live?",
		said(1, "s1", 0, "Ana", "I live in Lyon, near the old market hall by the river."),
		said(9, "s2", 5, "Ana", "I live in Lyon, near the old market hall by the river!"))
	fact := func(id, dst string, valid dsl.Interval, evidence ...string) factFound {
		return factFound{FactVersion: dsl.FactVersion{ID: id, Version: 1, SrcName: dsl.Plain("Ana"), Rel: "lives_in", DstName: dsl.Plain(dst), Valid: valid,
			Record: dsl.Since(day0), Status: dsl.StatusOpen}, evidence: evidence, rank: 1, score: 0.9}
	}
	since := dsl.Since(f.turns[0].TS)
	f.facts = []factFound{
		fact("said by the turn", "Lyon", since, "t1"),
		fact("with an end", "Nice", dsl.Interval{Start: day0 - 40*dsl.Day, End: day0}, "t1"),
		fact("of a turn that is not inside", "Paris", dsl.Since(day0-90*dsl.Day), "t77"),
	}
	event := func(id string, evidence, stand []string) eventFound {
		return eventFound{Event: dsl.Event{ID: id, Version: 1, Summary: dsl.Plain("Ana lives in Rome"), Span: dsl.Since(day0), Includes: []string{"x", "y"}},
			evidence: evidence, stand: stand, hold: stand, rank: 2, score: 0.8}
	}
	f.events = []eventFound{event("all inside", []string{"t1"}, nil), event("told by facts", []string{"t50"}, []string{"with an end"}), event("new", []string{"t60"}, []string{"x"})}
	p := sealed(t, f.compile(options(t, Options{Active: true})))
	var ids []string
	for _, it := range p.Items {
		ids = append(ids, it.ID)
	}
	if want := []string{"new", "with an end", "of a turn that is not inside", "t1"}; !slices.Equal(ids, want) {
		t.Errorf("items %v, want %v\n%s", ids, want, p.Text)
	}
	for _, line := range []string{"* since 2023-05-08: Ana lives in Rome (1 of 2 hold)", "- Ana lives in Nice, 2023-03-29 to 2023-05-08 (not now) [t1]"} {
		if !strings.Contains(p.Text, line) {
			t.Errorf("no line %q in\n%s", line, p.Text)
		}
	}
	if p.Items[1].ActiveAt != nil || p.Items[2].ActiveAt == nil || *p.Items[0].ActiveFacts != 1 {
		t.Errorf("what is active is wrong: %+v", p.Items)
	}
	if p.Items[1].Fact == nil || !p.Items[1].Fact.Functional {
		t.Errorf("the fact does not say that it is functional")
	}
	if p.Receipt.Repeated != 4 {
		t.Errorf("%d repeated, want the second turn, a fact and two events", p.Receipt.Repeated)
	}
	plain := sealed(t, f.compile(options(t, Options{})))
	if strings.Contains(plain.Text, "not now") || strings.Contains(plain.Text, "hold)") {
		t.Errorf("without the switch the text says what is active:\n%s", plain.Text)
	}
}

func TestStats(t *testing.T) {
	var turns []turnFound
	for i := range 30 {
		turns = append(turns, said(i, fmt.Sprint("s", i/5), i, []string{"Ana", "Ben"}[i%2], fmt.Sprintf("The market number %d sells fresh tomatoes and number %d cheese.", i, i+100)))
	}
	f := ranked("what does the market sell?", turns...)
	without := sealed(t, f.compile(options(t, Options{Budget: 100})))
	with := sealed(t, f.compile(options(t, Options{Budget: 100, Stats: true})))
	last := with.Text[strings.LastIndexByte(with.Text, '\n')+1:]
	if !strings.HasPrefix(last, "Not shown: ") || !strings.Contains(last, "Ben") || with.Tokens > 100 {
		t.Errorf("%d tokens, last line %q", with.Tokens, last)
	}
	if strings.Contains(without.Text, "Not shown") || len(with.TurnIDs()) >= len(without.TurnIDs()) {
		t.Errorf("the line of statistics costs nothing: %d turns with it, %d without", len(with.TurnIDs()), len(without.TurnIDs()))
	}
	if whole := sealed(t, f.compile(options(t, Options{Budget: 5000, Stats: true}))); strings.Contains(whole.Text, "Not shown") {
		t.Error("a pack that left nothing out has statistics")
	}
}

// TestBudget packs random turns under random budgets.
func TestBudget(t *testing.T) {
	words := strings.Fields("Hey wow thanks market puppy shelter Lyon river summer adopt patience concert tomatoes 我 喜欢 北京 烤鸭 音乐会 really great ? ! . 。 ， and the of")
	rapid.Check(t, func(r *rapid.T) {
		var turns []turnFound
		for i := range rapid.IntRange(0, 40).Draw(r, "turns") {
			text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 60).Draw(r, "text"), " ")
			turns = append(turns, said(i*rapid.IntRange(1, 2).Draw(r, "gap"), fmt.Sprint("s", i/6), i/6, rapid.SampledFrom([]string{"Ana", "小李", ""}).Draw(r, "speaker"), text))
		}
		for i := range turns {
			turns[i].Doc, turns[i].ID = i, fmt.Sprint("t", i)
		}
		order := rapid.Permutation(turns).Draw(r, "order")
		f := ranked("where did Ana adopt the puppy 北京 烤鸭", order...)
		o := options(t, Options{Budget: rapid.IntRange(1, 400).Draw(r, "budget"), Stats: rapid.Bool().Draw(r, "stats")})
		p := sealed(t, f.compile(o))
		if p.Tokens > o.Budget || p.Tokens != assimilate.Tokens(p.Text) {
			r.Fatalf("%d tokens of %d, counted %d:\n%s", p.Tokens, o.Budget, assimilate.Tokens(p.Text), p.Text)
		}
		if again := sealed(t, f.compile(o)); again.Digest != p.Digest {
			r.Fatal("compiled twice, it differs")
		}
		for _, it := range p.Items {
			if !strings.Contains(p.Text, it.Text) || len(it.Evidence) == 0 {
				r.Fatalf("item %+v is not in the text", it)
			}
			for _, s := range it.Said {
				i := slices.IndexFunc(turns, func(x turnFound) bool { return x.ID == s.ID })
				source := oneLine(turns[i].Text.String())
				for _, word := range strings.Fields(s.Text) {
					if !strings.Contains(source, word) {
						r.Fatalf("%q is no word of %q", word, source)
					}
				}
			}
		}
	})
}

func TestVerify(t *testing.T) {
	f := ranked("market", said(1, "s", 0, "Ana", "The market sells cheese."))
	for name, change := range map[string]func(*Pack){
		"text": func(p *Pack) { p.Text += " more" }, "tokens": func(p *Pack) { p.Tokens++ }, "tokenizer": func(p *Pack) { p.Tokenizer = "bytes" },
		"evidence": func(p *Pack) { p.Items[0].Evidence = []string{"t2"} }, "budget": func(p *Pack) { p.Receipt.Budget++ },
	} {
		p := sealed(t, f.compile(options(t, Options{})))
		change(p)
		if err := p.Verify(); !errors.Is(err, dsl.ErrCorrupt) {
			t.Errorf("a changed %s is not found: %v", name, err)
		}
	}
}

func TestOptionsRefused(t *testing.T) {
	for _, o := range []Options{{Mode: "all"}, {Lang: "fr"}, {Budget: -1}, {Sessions: SessionOptions{Most: -1}}, {Sessions: SessionOptions{Chars: -1}}} {
		if _, err := Compile(context.Background(), nil, retrieval.Query{}, o); !errors.Is(err, dsl.ErrInvalid) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func TestPeriod(t *testing.T) {
	at := func(s string) dsl.Instant {
		x, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return dsl.FromTime(x)
	}
	for _, c := range []struct{ start, end, en, zh string }{
		{"2023-01-01T00:00:00Z", "2024-01-01T00:00:00Z", "2023", "2023"},
		{"2023-02-01T00:00:00Z", "2023-03-01T00:00:00Z", "2023-02", "2023-02"},
		{"2023-02-03T00:00:00Z", "2023-02-04T00:00:00Z", "2023-02-03", "2023-02-03"},
		{"2023-02-03T15:00:00Z", "2023-02-03T16:00:00Z", "2023-02-03 15:00", "2023-02-03 15:00"},
		{"2023-02-03T00:00:00Z", "2023-02-09T00:00:00Z", "2023-02-03 to 2023-02-09", "2023-02-03至2023-02-09"},
		{"2023-02-03T00:00:00Z", "", "since 2023-02-03", "自2023-02-03"},
		{"", "2023-02-03T00:00:00Z", "until 2023-02-03", "至2023-02-03"},
		{"", "", "", ""},
	} {
		v := dsl.Always
		if c.start != "" {
			v.Start = at(c.start)
		}
		if c.end != "" {
			v.End = at(c.end)
		}
		if got := period(v, "en"); got != c.en {
			t.Errorf("%s: %q, want %q", v, got, c.en)
		}
		if got := period(v, "zh"); got != c.zh {
			t.Errorf("%s: %q, want %q", v, got, c.zh)
		}
	}
}
