package rerank_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/retrieval/rerank"
)

func TestPlacesFallStrictly(t *testing.T) {
	got := rerank.Places([]float64{0.2, 0.9, 0.9, 0.9, 0.1})
	for i := 1; i < len(got); i++ {
		if !(got[i] < got[i-1]) {
			t.Fatalf("place %d has %v after %v", i+1, got[i], got[i-1])
		}
	}
	if got[0] != 0.9 || got[3] != 0.2 || got[4] != 0.1 {
		t.Errorf("places are %v, want the scores that were there", got)
	}
}

func TestMMRPutsRepetitionsBehind(t *testing.T) {
	prior := []float64{1, 0.99, 0.8, 0.5}
	same := func(i, j int) float64 {
		if i+j == 1 { // 0 and 1 say the same
			return 1
		}
		return 0
	}
	order, err := rerank.MMR(prior, same, 0.5)
	if err != nil || !slices.Equal(order, []int{0, 2, 3, 1}) {
		t.Errorf("order %v, %v, want the repetition last", order, err)
	}
	if order, err = rerank.MMR(prior, same, 1); err != nil || !slices.Equal(order, []int{0, 1, 2, 3}) {
		t.Errorf("with lambda 1 the order is %v, %v, want that of the scores", order, err)
	}
	if _, err = rerank.MMR(prior, same, 1.5); !errors.Is(err, dsl.ErrInvalid) {
		t.Errorf("lambda 1.5 gives %v, want ErrInvalid", err)
	}
}

func TestRankAddsSignalsToTheShareOfTheBest(t *testing.T) {
	w := &rerank.Weights{}
	w[rerank.Phrase], w[rerank.Asks] = 0.3, -0.2
	signals := make([]rerank.Signals, 3)
	signals[0][rerank.Asks] = 1
	signals[2][rerank.Phrase] = 0.5
	// Shares 1, 0.9, 0.8 become 0.8, 0.9, 0.95.
	if order := rerank.Rank([]float64{0.5, 0.45, 0.4}, signals, w); !slices.Equal(order, []int{2, 1, 0}) {
		t.Errorf("order %v, want 2 1 0", order)
	}
	if order := rerank.Rank([]float64{0.3, 0.3, 0.3}, make([]rerank.Signals, 3), w); !slices.Equal(order, []int{0, 1, 2}) {
		t.Errorf("order of equals %v, want as they come", order)
	}
}

func TestDefaultWeightsAreRead(t *testing.T) {
	w, err := rerank.DefaultWeights()
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := w.Write(&text, "a comment"); err != nil {
		t.Fatal(err)
	}
	again, err := rerank.ReadWeights(strings.NewReader(text.String()), "again")
	if err != nil || *again != *w {
		t.Errorf("written and read again: %v, %v, want %v", again, err, w)
	}
}

func TestReadWeightsRefuses(t *testing.T) {
	var whole strings.Builder
	w, err := rerank.DefaultWeights()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(&whole); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"unknown":     "colour 0.1\n",
		"twice":       "by 0.1\nby 0.1\n",
		"no number":   "by much\n",
		"not finite":  "by NaN\n",
		"wrong sign":  "asks 0.1\n",
		"too great":   "by 11\n",
		"one missing": strings.Replace(whole.String(), "cover", "# cover", 1),
		"three words": "by 0.1 0.2\n",
	} {
		if _, err := rerank.ReadWeights(strings.NewReader(text), "w"); !errors.Is(err, dsl.ErrInvalid) {
			t.Errorf("%s: %v, want ErrInvalid", name, err)
		}
	}
}

// examples makes questions in which a candidate is right where it has the given
// signal, whatever its score.
func examples(seed uint64, signal, n int) []rerank.Example {
	r := rand.New(rand.NewPCG(seed, 1))
	var set []rerank.Example
	for range n {
		e := rerank.Example{}
		for i := range 10 {
			var s rerank.Signals
			for k := range s {
				s[k] = float64(r.IntN(2))
			}
			e.Prior = append(e.Prior, 1-float64(i)/10)
			e.Signals = append(e.Signals, s)
			e.Right = append(e.Right, s[signal] == 1)
		}
		set = append(set, e)
	}
	return set
}

func TestTrainFollowsTheData(t *testing.T) {
	sets := [][]rerank.Example{examples(1, rerank.Phrase, 40), examples(2, rerank.Phrase, 20)}
	o := rerank.TrainOptions{Pull: 0.01}
	w, err := rerank.Train(sets, o)
	if err != nil {
		t.Fatal(err)
	}
	for k, x := range w {
		if k != rerank.Phrase && x >= w[rerank.Phrase] {
			t.Errorf("%s counts %v, phrase, which alone is right, %v", rerank.Names[k], x, w[rerank.Phrase])
		}
		if sign := k != rerank.Asks; sign && x < 0 || !sign && x > 0 || x > 0.3 || x < -0.3 {
			t.Errorf("%s counts %v, want its sign and at most 0.3", rerank.Names[k], x)
		}
	}
	again, err := rerank.Train(sets, o)
	if err != nil || *again != *w {
		t.Errorf("trained again: %v, %v, want %v", again, err, w)
	}
}

func TestTrainKeepsWhatTheDataDoNotSpeakOf(t *testing.T) {
	set := examples(3, rerank.By, 30)
	for i := range set {
		for k := range set[i].Signals {
			set[i].Signals[k][rerank.Reply] = 0
		}
	}
	w, err := rerank.Train([][]rerank.Example{set}, rerank.TrainOptions{Pull: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	if w[rerank.Reply] != 0.15 {
		t.Errorf("a signal that is never there counts %v, want the shared 0.15", w[rerank.Reply])
	}
}

func TestTrainRefuses(t *testing.T) {
	useless := []rerank.Example{{Prior: []float64{1}, Signals: make([]rerank.Signals, 1), Right: []bool{true}}}
	if _, err := rerank.Train([][]rerank.Example{useless}, rerank.TrainOptions{}); !errors.Is(err, dsl.ErrInvalid) {
		t.Errorf("a set without a pair: %v, want ErrInvalid", err)
	}
	if _, err := rerank.Train([][]rerank.Example{examples(1, 0, 3)}, rerank.TrainOptions{Shared: 0.5, Most: 0.1}); !errors.Is(err, dsl.ErrInvalid) {
		t.Errorf("a bound below the shared weight: %v, want ErrInvalid", err)
	}
}

// lengths scores a passage by its length and notes the batches.
type lengths struct{ batches [][]string }

func (l *lengths) Score(_ context.Context, _ string, passages []string) ([]float32, error) {
	l.batches = append(l.batches, slices.Clone(passages))
	var scores []float32
	for _, p := range passages {
		scores = append(scores, float32(len(p)))
	}
	return scores, nil
}

type broken struct{ give []float32 }

func (b broken) Score(context.Context, string, []string) ([]float32, error) { return b.give, nil }

func TestScoreAllReadsInFixedBatches(t *testing.T) {
	passages := strings.Split(strings.Repeat("a bb ccc ", 6), " ")[:17]
	s := &lengths{}
	scores, err := rerank.ScoreAll(context.Background(), s, "q", passages)
	if err != nil || len(scores) != 17 || scores[1] != 2 {
		t.Fatalf("scores %v, %v", scores, err)
	}
	if len(s.batches) != 3 || len(s.batches[0]) != rerank.Batch || len(s.batches[2]) != 1 {
		t.Errorf("batches %v, want 8, 8 and 1", s.batches)
	}
	nan := float32(0)
	nan /= nan
	for name, b := range map[string]broken{"too few": {[]float32{1}}, "not a number": {[]float32{1, nan}}} {
		if _, err := rerank.ScoreAll(context.Background(), b, "q", []string{"a", "b"}); !errors.Is(err, dsl.ErrInvalid) {
			t.Errorf("%s: %v, want ErrInvalid", name, err)
		}
	}
}

func TestBestChunksTakesTheGreatest(t *testing.T) {
	chunks := []rerank.Chunk{{0, "aa"}, {2, "a"}, {0, "aaaa"}, {2, "aaa"}}
	best, err := rerank.BestChunks(context.Background(), &lengths{}, "q", 3, chunks)
	if err != nil || !slices.Equal(best, []float64{4, 1, 3}) {
		t.Errorf("best %v, %v, want 4, the least of all, 3", best, err)
	}
	if _, err := rerank.BestChunks(context.Background(), &lengths{}, "q", 1, chunks); !errors.Is(err, dsl.ErrInvalid) {
		t.Errorf("a chunk of no document: %v, want ErrInvalid", err)
	}
}

func TestBlendCountsBothOrdersAlike(t *testing.T) {
	// The model is ten thousand times louder, and counts no more for that.
	if order := rerank.Blend([]float64{0.9, 0.5, 0.1}, []float64{0, 10000, 0}); !slices.Equal(order, []int{1, 0, 2}) {
		t.Errorf("order %v, want 1 0 2", order)
	}
	if order := rerank.Blend([]float64{0.9, 0.5, 0.1}, []float64{7, 7, 7}); !slices.Equal(order, []int{0, 1, 2}) {
		t.Errorf("a model without an opinion gives %v, want the order that was there", order)
	}
	if order := rerank.Blend([]float64{0.5, 0.5}, []float64{1, 1}); !slices.Equal(order, []int{0, 1}) {
		t.Errorf("equals give %v, want the order that was there", order)
	}
}

func TestMonoT5Input(t *testing.T) {
	day := func(n int) dsl.Instant { return dsl.Instant(n) * dsl.Day }
	d := rerank.Dated{Text: "We moved.", Record: dsl.Since(day(365)), Valid: dsl.Interval{Start: day(0), End: day(31)}}
	want := "Query: Where? Document: [recorded 1971-01-01][valid 1970-01-01 to 1970-02-01] We moved. Relevant:"
	if got := rerank.MonoT5Input("Where?", d.MonoT5Document()); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	d.Valid = dsl.Interval{Start: dsl.Beginning, End: dsl.Forever}
	if got := d.MonoT5Document(); !strings.Contains(got, "[valid ever]") {
		t.Errorf("without ends: %q", got)
	}
}

func TestReadQuestion(t *testing.T) {
	for text, want := range map[string]rerank.Wants{
		"When did Anna move?":                   {Time: true},
		"How long have I lived here?":           {Time: true, Asker: true},
		"how many cats does Bob have":           {Number: true},
		"Where did you tell me to go?":          {Name: true, Asker: true, Assistant: true},
		"What did Anna paint?":                  {},
		"我什么时候搬家？":                              {Asker: true, Time: true},
		"一共有多少人？":                               {Number: true},
		"谁去了哪里":                                 {Name: true},
		"":                                      {},
		strings.Repeat("x ", 4<<10) + "when":    {},
		"What time is it and what do we do now": {Time: true},
	} {
		if got := rerank.ReadQuestion(text); got != want {
			t.Errorf("%.40q: %+v, want %+v", text, got, want)
		}
	}
}

func TestReadText(t *testing.T) {
	for text, want := range map[string]rerank.Traits{
		"I moved last May.":                 {Time: true, Self: true, Names: 1},
		"She met Bob, Eve and Tom in Rome.": {Names: 3},
		"Do you like it?  ":                 {Asks: true},
		"There were 12 of them":             {Number: true},
		"我昨天买了三个苹果":                         {Time: true, Number: true, Self: true},
		"3月5日去北京，好吗？":                       {Time: true, Number: true, Asks: true},
		"":                                  {},
	} {
		if got := rerank.ReadText(text); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}

func TestParseMode(t *testing.T) {
	for _, m := range rerank.Modes {
		if got, err := rerank.ParseMode(string(m)); err != nil || got != m {
			t.Errorf("%s: %v, %v", m, got, err)
		}
	}
	if got, err := rerank.ParseMode(""); err != nil || got != rerank.None {
		t.Errorf("no name: %v, %v, want none", got, err)
	}
	if _, err := rerank.ParseMode("best"); !errors.Is(err, dsl.ErrInvalid) {
		t.Errorf("an unknown mode: %v, want ErrInvalid", err)
	}
}
