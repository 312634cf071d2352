package retrieval

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/retrieval/question"
)

// findCued is find with cues, at an instant.
func findCued(t *testing.T, b *book, text string, c Cues, asked dsl.Instant, kinds ...Kind) Result {
	t.Helper()
	r, err := Search(t.Context(), b.at(t, 0), Query{Text: text, K: 10, Kinds: kinds, Asked: &asked}, Options{Analyzer: &shared, Cues: c})
	if err != nil {
		t.Fatal(err)
	}
	for i, h := range r.Hits {
		if !(h.Score > 0) || h.Score > 1 || i > 0 && h.Score > r.Hits[i-1].Score {
			t.Errorf("%q: hit %d has score %v", text, i, h.Score)
		}
	}
	return r
}

func idsOf(r Result) string {
	var ids []string
	for _, h := range r.Hits {
		ids = append(ids, h.ID)
	}
	return strings.Join(ids, " ")
}

// months is a log in which the same is said every month, and asked for, too.
func months() *book {
	b := new(book)
	for i, at := range []string{"t1", "t2", "t3", "t4", "t5"} {
		b.turnAt(at, "s"+at[1:], "Mina", "I painted the kitchen with my brother.", day(1)+dsl.Instant(i*31)*day1)
	}
	return b
}

const day1 = dsl.Instant(24 * 3600 * 1e6)

func TestTimeCue(t *testing.T) {
	b := months()
	asked := day(1) + 150*day1
	for _, c := range []struct{ query, want string }{
		{"What did Mina paint in March 2024?", "t3"}, // 3 March
		{"What did Mina paint on 1 January 2024?", "t1"},
		{"what did Mina paint before 10 January 2024", "t1"},
		{"what did Mina paint after 20 April 2024", "t5"},
		{"Mina在2024年2月画了什么 painted", "t2"},
		{"What did Mina paint last month?", "t4"}, // asked on 30 May; t4 was said on 3 April
	} {
		r := findCued(t, b, c.query, Cues{Time: 1.5}, asked, Turn)
		if len(r.Hits) != 5 {
			t.Errorf("%q finds %s: a time keeps nothing out", c.query, idsOf(r))
		} else if c.want != "" && r.Hits[0].ID != c.want {
			t.Errorf("%q finds %s, want %s first", c.query, idsOf(r), c.want)
		}
	}
	if got := idsOf(findCued(t, b, "What did Mina paint in March 2024?", Cues{}, asked, Turn)); got != "t1 t2 t3 t4 t5" {
		t.Errorf("without the cue, found %s, want the order of ids", got)
	}
	// The time of the view stands in where no time is given.
	r, err := Search(t.Context(), b.at(t, 0), Query{Text: "What did Mina paint yesterday?", K: 5}, Options{Analyzer: &shared, Cues: DefaultCues()})
	if err != nil || len(r.Reading.Times) != 1 || r.Reading.Times[0].Interval.Start != day(1)-day1 {
		t.Errorf("times %+v, %v, want the day before the view", r.Reading.Times, err)
	}
}

func TestTimeCueOfFactsAndSessions(t *testing.T) {
	b := months()
	b.fact("f1", "Mina", "likes", "kitchen", dsl.Interval{Start: day(1), End: day(10)}, "t1")
	b.fact("f2", "Mina", "likes", "kitchen", dsl.Interval{Start: day(61), End: day(70)}, "t3")
	for _, kind := range []Kind{Fact, Session} {
		r := findCued(t, b, "kitchen in March 2024", Cues{Time: 1.5}, day(150), kind)
		if want := map[Kind]string{Fact: "f2", Session: "s3"}[kind]; len(r.Hits) == 0 || r.Hits[0].ID != want {
			t.Errorf("kind %s: found %s, want %s first", kind, idsOf(r), want)
		} else if len(r.Hits[0].Cues) == 0 || r.Hits[0].Cues[0].Name != "time" || r.Hits[0].Cues[0].Factor != 2.5 {
			t.Errorf("kind %s: cues %+v, want time 2.5", kind, r.Hits[0].Cues)
		}
	}
}

func TestCuesOfTurns(t *testing.T) {
	b := new(book)
	b.turn("t1", "s1", "Mina", "Did you see the red kite?")
	b.turn("t2", "s2", "Mina", "I did see the red kite.")
	b.turn("t3", "s3", "Mina", "The red kite came yesterday.")
	b.turn("t4", "s4", "Mina", "The red kite has two tails.")
	b.turn("t5", "s5", "Joost", "The red kite broke today, Mina.")
	for _, c := range []struct {
		query string
		cues  Cues
		want  string
	}{
		{"red kite", Cues{Asking: 0.5}, "t3"},
		{"When did the red kite come?", Cues{Kind: 0.5}, "t3"},
		{"How many tails has the red kite?", Cues{Kind: 0.5}, "t4"},
		{"the red kite now", Cues{Fresh: 1}, "t5"},
		{"the first red kite", Cues{Fresh: 1}, "t1"},
		{"What did Joost tell Mina about the red kite?", Cues{About: 1}, "t5"},
	} {
		if r := findCued(t, b, c.query, c.cues, day(2), Turn); len(r.Hits) != 5 || r.Hits[0].ID != c.want {
			t.Errorf("%q finds %s, want %s first of 5", c.query, idsOf(r), c.want)
		}
	}
	last := findCued(t, b, "red kite", Cues{Asking: 0.5}, day(2), Turn).Hits[4]
	if last.ID != "t1" || !slices.Equal(last.Cues, []Cue{{"asking", 1 - 0.5*float64(24)/25}}) {
		t.Errorf("the last is %+v, want what asks", last)
	}
}

func TestSessionCue(t *testing.T) {
	b := new(book)
	b.turn("t1", "s1", "Mina", "The harbour was cold.")
	b.turn("t2", "s2", "Mina", "The harbour was grey.")
	b.turn("t3", "s2", "Joost", "That harbour again!")
	if got := idsOf(findCued(t, b, "harbour", Cues{Session: 1}, day(2), Turn)); !strings.HasSuffix(got, "t1") {
		t.Errorf("found %s, want last the turn of the session that speaks of it less", got)
	}
}

func TestParts(t *testing.T) {
	b := new(book)
	for i, id := range []string{"a1", "a2", "a3", "a4", "a5"} {
		b.turn(id, "s1", "Mina", "The blue teapot is from Lisbon "+strings.Repeat("teapot ", i))
	}
	b.turn("b1", "s2", "Joost", "Our dog has a kennel.")
	query := "Where is the blue teapot from? Also, what does the dog have?"
	r := findCued(t, b, query, Cues{Parts: true}, day(2), Turn)
	if len(r.Hits) < 2 || r.Hits[0].ID != "b1" && r.Hits[1].ID != "b1" {
		t.Errorf("found %s, want the dog among the first two", idsOf(r))
	}
	if len(r.Reading.Parts) != 2 {
		t.Errorf("parts %v, want two", r.Reading.Parts)
	}
	b = new(book)
	b.turn("a1", "s1", "Mina", "The teapot is blue.")
	b.turn("b1", "s2", "Joost", "Our dog is brown.")
	r = findCued(t, b, "I like my dog. Sorry, what I wanted to ask is: where is the teapot from?", Cues{Parts: true}, day(2), Turn)
	if len(r.Hits) == 0 || r.Hits[0].ID == "b1" {
		t.Errorf("found %s, want the teapot before what was taken back", idsOf(r))
	}
}

func TestAliasAndNearCues(t *testing.T) {
	b := new(book)
	b.turn("t1", "s1", "Mina", "The kids went swimming.")
	b.turn("t2", "s2", "Joost", "Bob sang to us.")
	for i := range 20 {
		b.turn("x"+string(rune('a'+i)), "s3", "Joost", "nothing much to tell")
	}
	b.ops([]string{"Robert", "Bob"}, dsl.Op{Kind: dsl.Link, ID: "l1", Link: dsl.AliasOf, From: entity("Bob"), To: entity("Robert"), Confidence: 1})
	if got := idsOf(findCued(t, b, "What did the children do?", Cues{Near: 0.5}, day(2), Turn)); got != "t1" {
		t.Errorf("children finds %q, want the kids", got)
	}
	if got := idsOf(findCued(t, b, "What did the children do?", Cues{Time: 1}, day(2), Turn)); got != "" {
		t.Errorf("children finds %q without the cue", got)
	}
	if got := idsOf(findCued(t, b, "Who is Robert?", Cues{Alias: 0.5}, day(2), Turn)); got != "t2" {
		t.Errorf("Robert finds %q, want what is said of Bob", got)
	}
}

// TestAlone: notes of one speaker stand in no context of one another.
func TestAlone(t *testing.T) {
	b := new(book)
	b.turn("t1", "s1", "Mina", "harbour")
	b.turn("t2", "s1", "Mina", "teapot")
	if got := idsOf(findCued(t, b, "harbour", Cues{Alone: true}, day(2), Turn)); got != "t1" {
		t.Errorf("of one speaker, found %q", got)
	}
	b.turn("t3", "s2", "Joost", "kite")
	if got := idsOf(findCued(t, b, "harbour", Cues{Alone: true}, day(2), Turn)); got != "t1 t2" {
		t.Errorf("of two speakers, found %q", got)
	}
}

// TestOddQuestions: with every cue, whatever is asked has an answer, or none.
func TestOddQuestions(t *testing.T) {
	b := family()
	for _, text := range []string{"", " ", "?!", "🫖🚋", "what did you", "什么时候", "\xff\xfe", "另外，另外，另外", strings.Repeat("teapot 另外，谁？ ", 6000),
		strings.Repeat("x", 100<<10), strings.Repeat("Mina ", 20<<10), "what i actually", "yesterday", "since 2023"} {
		for _, kinds := range [][]Kind{nil, Kinds} {
			r := findCued(t, b, text, DefaultCues(), day(40), kinds...)
			if text == "" || text == "🫖🚋" {
				if len(r.Hits) > 0 {
					t.Errorf("%q finds %s", text, idsOf(r))
				}
			}
		}
	}
	if r := findCued(t, new(book), "what did Mina say yesterday?", DefaultCues(), day(40), Kinds...); len(r.Hits) > 0 {
		t.Errorf("an empty view gives %s", idsOf(r))
	}
}

func TestCuesAreChecked(t *testing.T) {
	for _, c := range []Cues{{Time: -1}, {Time: math.NaN()}, {About: 0.5}, {Asking: 2}, {Alias: 2}, {Near: -0.1}, {Session: 11}, {Kind: 11}, {Fresh: -1}} {
		if _, err := Search(t.Context(), family().at(t, 0), Query{Text: "teapot", K: 1}, Options{Cues: c}); err == nil {
			t.Errorf("cues %+v are taken", c)
		}
	}
}

func TestAskingShare(t *testing.T) {
	for text, want := range map[string]float64{"": 0, "I swam.": 0, "Did you swim?": 12.0 / 13, "你好吗？": 9.0 / 12, "I swam. And you?": 9.0 / 16} {
		if got := asking(text); math.Abs(got-want) > 1e-9 {
			t.Errorf("asking(%q) = %v, want %v", text, got, want)
		}
	}
	if marked(question.Who) || !marked(question.Count) || !dated("1999") || dated("99") || !counted("99") || counted("nine9") {
		t.Error("marks are not those of the kinds")
	}
}
