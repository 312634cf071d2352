package retrieval

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/retrieval/rerank"
)

// vowels is a model that likes vowels, and tells nothing of the question.
type vowels struct{ read []string }

func (v *vowels) Score(_ context.Context, _ string, passages []string) ([]float32, error) {
	v.read = append(v.read, passages...)
	scores := make([]float32, len(passages))
	for i, p := range passages {
		for _, c := range p {
			if strings.ContainsRune("aeiou", c) {
				scores[i]++
			}
		}
	}
	return scores, nil
}

// randomRerank draws what is done with what was found.
func randomRerank(r *rapid.T) (e Expand, o Rerank) {
	if rapid.Bool().Draw(r, "expanded") {
		e = Expand{
			Depth: rapid.IntRange(0, 2).Draw(r, "depth"), Fanout: rapid.IntRange(1, 4).Draw(r, "fanout"),
			Mode:   rapid.SampledFrom([]ExpandMode{ExpandPlain, ExpandGated, ExpandLearned}).Draw(r, "expansion"),
			Weight: rapid.Float64Range(0.01, 1).Draw(r, "links"),
		}
	}
	if rapid.Bool().Draw(r, "reranked") {
		o = Rerank{MMR: rapid.Bool().Draw(r, "mmr"), Features: rapid.Bool().Draw(r, "features"), Top: rapid.IntRange(2, 20).Draw(r, "top")}
	}
	if rapid.IntRange(0, 2).Draw(r, "model") == 0 {
		o.Scorer, o.ScorerTop, o.Dated = &vowels{}, rapid.IntRange(2, 20).Draw(r, "read"), rapid.Bool().Draw(r, "dated")
	}
	return e, o
}

func turnNames(t *testing.T, b *book, text string, o Options) []string {
	t.Helper()
	return hitNames(findWith(t, b, Query{Text: text, Kinds: []Kind{Turn}, K: 10}, o))
}

// talk is a conversation in which the same words are said as a question, as its
// answer, and beside the point.
func talk() *book {
	b := new(book)
	b.turn("t1", "s1", "Mina", "Did you ever see a walrus?")
	b.turn("t2", "s1", "Joost", "I did, in Norway last May.")
	b.turn("t3", "s2", "Joost", "Walrus statues are sold everywhere nowadays.")
	b.turn("t4", "s2", "Mina", "Fine weather.")
	return b
}

func TestFeaturesPreferAnswersToQuestions(t *testing.T) {
	q := "When did Joost see a walrus?"
	plain := turnNames(t, talk(), q, Options{})
	found := turnNames(t, talk(), q, Options{Rerank: Rerank{Features: true}})
	at := func(list []string, id string) int { return slices.Index(list, "turn:"+id) }
	if at(found, "t2") > at(found, "t1") || at(found, "t2") > at(plain, "t2") {
		t.Errorf("found %v, before %v: the answer t2 should stand before the question t1", found, plain)
	}
	slices.Sort(plain)
	slices.Sort(found)
	if !slices.Equal(plain, found) {
		t.Errorf("found %v, before %v: another order, not other turns, is wanted", found, plain)
	}
}

func TestSignalsAreSharesAndTold(t *testing.T) {
	b := talk()
	scored, err := Signals(context.Background(), b.at(t, 0), Query{Text: "When did Joost see a walrus?", K: 10}, Options{Analyzer: &shared})
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]rerank.Signals{}
	for _, s := range scored {
		of[s.Turn] = s.Signals
		for k, x := range s.Signals {
			if !(x >= 0 && x <= 1) {
				t.Errorf("%s of %s is %v, want 0 to 1", rerank.Names[k], s.Turn, x)
			}
		}
	}
	for k, want := range map[int][2]float64{ // of the question t1 and the answer t2
		rerank.Asks: {1, 0}, rerank.By: {0, 1}, rerank.When: {0, 1}, rerank.Self: {0, 1}, rerank.Next: {0, 0},
	} {
		if of["t1"][k] != want[0] || of["t2"][k] != want[1] {
			t.Errorf("%s is %v of t1 and %v of t2, want %v", rerank.Names[k], of["t1"][k], of["t2"][k], want)
		}
	}
	if of["t2"][rerank.Reply] == 0 || of["t1"][rerank.Reply] != 0 {
		t.Errorf("reply is %v of t1 and %v of t2, want t2 alone to be one", of["t1"][rerank.Reply], of["t2"][rerank.Reply])
	}
}

func TestMMRTakesWhatIsNewFirst(t *testing.T) {
	b := new(book)
	b.turn("t1", "s1", "A", "walrus tusks in the museum")
	b.turn("t2", "s2", "A", "walrus tusks in the museum")
	b.turn("t3", "s3", "A", "tusks of a walrus calf near Svalbard harbour")
	if got := turnNames(t, b, "walrus tusks", Options{}); got[1] != "turn:t2" {
		t.Fatalf("without it %v, want the repetition second", got)
	}
	if got := turnNames(t, b, "walrus tusks", Options{Rerank: Rerank{MMR: true, Lambda: 0.5}}); !slices.Equal(got, []string{"turn:t1", "turn:t3", "turn:t2"}) {
		t.Errorf("with it %v, want the repetition last", got)
	}
}

func TestModelIsBlendedWithTheOrder(t *testing.T) {
	b := new(book)
	b.turn("t1", "s1", "Mina", "walrus")
	b.turn("t2", "s2", "Mina", "walrus aeiou aeiou aeiou aeiou aeiou")
	b.turn("t3", "s3", "Mina", "walrus bcd bcd bcd bcd bcd bcd bcd bcd")
	v := &vowels{}
	got := findWith(t, b, Query{Text: "walrus", Kinds: []Kind{Turn}, K: 2}, Options{Rerank: Rerank{Scorer: v, Dated: true}})
	if names := hitNames(got); !slices.Equal(names, []string{"turn:t2", "turn:t1"}) && !slices.Equal(names, []string{"turn:t1", "turn:t2"}) {
		t.Errorf("found %v, want the two that either likes", names)
	}
	if got[0].Rank != 1 || got[1].Rank != 2 || !(got[0].Score > got[1].Score) {
		t.Errorf("ranks and scores are %+v", got)
	}
	if len(v.read) != 3 || !strings.HasPrefix(v.read[0], "[recorded 2024-01-01][valid 2024-01-01] Mina: walrus") {
		t.Errorf("the model read %q, want all three, dated and with their speaker", v.read)
	}
}

type failing struct{}

func (failing) Score(context.Context, string, []string) ([]float32, error) {
	return nil, errors.New("out of memory")
}

func TestRerankRefusesAndPassesErrorsOn(t *testing.T) {
	v := talk().at(t, 0)
	for _, o := range []Options{
		{Rerank: Rerank{Top: 1}}, {Rerank: Rerank{ScorerTop: 1001}}, {Rerank: Rerank{Lambda: math.NaN()}}, {Rerank: Rerank{Lambda: 2}},
		{Expand: Expand{Depth: 3}}, {Expand: Expand{Fanout: 65}}, {Expand: Expand{Weight: -1}}, {Expand: Expand{Mode: "wild"}},
	} {
		if _, err := Search(t.Context(), v, Query{Text: "walrus", K: 3}, o); !errors.Is(err, dsl.ErrInvalid) {
			t.Errorf("%+v %+v: %v, want ErrInvalid", o.Expand, o.Rerank, err)
		}
	}
	if _, err := Search(t.Context(), v, Query{Text: "walrus", K: 3}, Options{Rerank: Rerank{Scorer: failing{}}}); err == nil || !strings.Contains(err.Error(), "out of memory") {
		t.Errorf("a model that fails: %v", err)
	}
}
