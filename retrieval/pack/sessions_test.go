package pack

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/asof-db/asof/retrieval"
)

// pooled makes sessions of n turns each, best first; those from expanded on were
// added by expansion.
func pooled(query string, sessions, turns, expanded int) *sessionsFound {
	f := &sessionsFound{found: found{query: query, at: day0, known: true}}
	for s := range sessions {
		name := fmt.Sprint("s", s)
		x := sessionFound{hit: retrieval.Hit{Kind: retrieval.Session, ID: name, Session: name, Rank: s + 1, Score: 1 / float64(s+2)}, expanded: s >= expanded}
		for i := range turns {
			x.turns = append(x.turns, said(s*turns+i, name, -s, "user", fmt.Sprintf("Thanks! Session %d speaks of topic %d and of gardens. Item %d follows.", s, i, s*turns+i)))
		}
		f.sessions = append(f.sessions, x)
	}
	if err := f.rank(context.Background(), nil); err != nil {
		panic(err)
	}
	return f
}

func itemIDs(p *Pack) (ids []string) {
	for _, it := range p.Items {
		ids = append(ids, it.ID)
	}
	return ids
}

func TestDetchain(t *testing.T) {
	f := pooled("gardens", 12, 4, 9)
	o := options(t, Options{Mode: Detchain, Sessions: SessionOptions{Most: 12, Verbatim: 2}})
	whole := sealed(t, f.compile(o))
	if len(whole.Items) != 12 || !strings.Contains(whole.Items[1].Text, "Thanks!") || strings.Contains(whole.Items[2].Text, "Thanks!") {
		t.Fatalf("the prefix is not verbatim, or the rest is:\n%s", whole.Text)
	}
	// As the budget falls, what expansion added goes first, its weakest before the
	// others, then the last of the entry.
	var gone []string
	left := itemIDs(whole)
	for budget := whole.Tokens; len(left) > 0; budget-- {
		o.Budget = max(budget, 1)
		p := sealed(t, f.compile(o))
		if p.Tokens > o.Budget {
			t.Fatalf("%d tokens of %d", p.Tokens, o.Budget)
		}
		now := itemIDs(p)
		for _, id := range left {
			if !slices.Contains(now, id) {
				gone = append(gone, id)
			}
		}
		left = now
	}
	if want := []string{"s11", "s10", "s9", "s8", "s7", "s6", "s5", "s4", "s3", "s2", "s1", "s0"}; !slices.Equal(gone, want) {
		t.Errorf("they go in the order %v, want %v", gone, want)
	}
	if r := whole.Receipt.Sessions; len(r.Pool) != 9 || !slices.Equal(r.Expansion, []string{"s9", "s10", "s11"}) || r.Verbatim != 2 || r.Order != ByEntry {
		t.Errorf("receipt %+v", r)
	}
}

// scores gives a passage the number after "topic score"; equal ones tie.
type scores map[string]float64

func (s scores) Score(_ context.Context, _ string, passages []string) ([]float64, error) {
	var out []float64
	for _, p := range passages {
		x := 0.0
		for name, score := range s {
			if strings.Contains(p, name) {
				x = max(x, score)
			}
		}
		out = append(out, x)
	}
	return out, nil
}

func TestOrderOfTheScorer(t *testing.T) {
	f := pooled("gardens", 6, 40, 6) // several passages a session
	if n := len(f.sessions[0].passages()); n < 2 {
		t.Fatalf("%d passages", n)
	}
	o := options(t, Options{Mode: Detchain, Sessions: SessionOptions{Most: 5, Verbatim: 1}})
	if err := f.rank(context.Background(), scores{"Session 5 ": 3, "Item 195 ": 7, "Session 2 ": 3}); err != nil {
		t.Fatal(err)
	}
	p := sealed(t, f.compile(o))
	// s4 by the best of its passages (item 195), s2 before s5 as the entry had it, and
	// the first stays first.
	if got, want := itemIDs(p), []string{"s0", "s4", "s2", "s5", "s1"}; !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
	if p.Receipt.Sessions.Order != ByCrossEncoder {
		t.Errorf("receipt %+v", p.Receipt.Sessions)
	}
}

func TestCompassChars(t *testing.T) {
	f := pooled("Item 6", 5, 30, 5)
	for _, chars := range []int{1, 20, 200, 700, 100000} {
		o := options(t, Options{Mode: Compass, Sessions: SessionOptions{Most: 3, Chars: chars}})
		p := sealed(t, f.compile(o))
		if len(p.Items) != 3 {
			t.Fatalf("%d items", len(p.Items))
		}
		for _, it := range p.Items {
			if n := utf8.RuneCountInString(it.Text); n > max(chars, len("[2023-05-08]")+1) {
				t.Errorf("%d characters of %d in session %s:\n%s", n, chars, it.ID, it.Text)
			}
		}
		if chars == 200 && !strings.Contains(p.Items[0].Text, "Item 6 ") {
			t.Errorf("what the question asks for is cut:\n%s", p.Items[0].Text)
		}
	}
}

func TestAngles(t *testing.T) {
	for _, c := range []struct {
		question string
		want     []string
	}{
		{"What was my commute to work?", []string{"What was my commute to work? drive train bus job position employer career profession", "commute work", "I my mine commute work"}},
		{"我买了什么礼物？", nil},
		{"what is it", nil},
		{"", nil},
	} {
		got, err := Rules{}.Angles(context.Background(), c.question, angleCount)
		if err != nil || c.want != nil && !slices.Equal(got, c.want) || len(got) > angleCount {
			t.Errorf("%q: %q (%v)", c.question, got, err)
		}
		if c.question == "我买了什么礼物？" && (len(got) != 3 || !strings.Contains(got[0], "礼品")) {
			t.Errorf("%q: %q", c.question, got)
		}
	}
}

func TestCovers(t *testing.T) {
	f := pooled("gardens", 12, 4, 9)
	p := sealed(t, f.compile(options(t, Options{Mode: Detchain, Sessions: SessionOptions{Most: 10, Verbatim: 2}})))
	for _, c := range []struct {
		gold []string
		want Coverage
	}{
		{nil, Coverage{}},
		{[]string{"s1", "s0"}, Coverage{Pool: true, Pack: true, Verbatim: true}},
		{[]string{"s1", "s9"}, Coverage{Pool: true, Pack: true, OnlyExpansion: []string{"s9"}}},
		{[]string{"s11"}, Coverage{Pool: true, OnlyExpansion: []string{"s11"}}},
		{[]string{"s0", "s77"}, Coverage{}}, // a shuffled gold is not found
	} {
		if got := p.Covers(c.gold); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%v: %+v, want %+v", c.gold, got, c.want)
		}
	}
	if got := sealed(t, ranked("x").compile(options(t, Options{}))).Covers([]string{"s0"}); got.Pool || got.Pack {
		t.Errorf("a pack of evidence covers sessions: %+v", got)
	}
}
