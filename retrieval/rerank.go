package retrieval

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/analyze"
	"github.com/asof-db/asof/retrieval/rerank"
	"github.com/asof-db/asof/store"
)

const (
	// rerankDepth is how many of the best turns are ordered anew.
	rerankDepth = 64
	// blendDepth is how many hits a model reads.
	blendDepth = 20
	// mmrLambda is what the score counts beside likeness.
	mmrLambda = 0.7
)

// Rerank says how the best of what was found are ordered anew. The zero value
// leaves them as they are.
type Rerank struct {
	// MMR takes turns that say something new first, before anything else is done.
	MMR bool
	// Lambda is what a turn's score counts in MMR beside how like it is to one that
	// comes before it, in (0, 1]; 0 stands for 0.7.
	Lambda float64
	// Features orders turns by their signals, with Weights, or those of
	// rerank.DefaultWeights where that is nil.
	Features bool
	Weights  *rerank.Weights
	// Top is how many of the best are ordered by MMR or Features: 2 to 1,000; 0
	// stands for 64.
	Top int

	// Scorer is a model whose scores are blended with the order of the best
	// ScorerTop hits: 2 to 1,000; 0 stands for 20.
	Scorer    rerank.Scorer
	ScorerTop int
	// Dated gives the model each passage with when it was recorded and held, as
	// MonoT5 is used here.
	Dated bool
}

func (r *Rerank) check() error {
	if r.Top == 0 {
		r.Top = rerankDepth
	}
	if r.ScorerTop == 0 {
		r.ScorerTop = blendDepth
	}
	if r.Lambda == 0 {
		r.Lambda = mmrLambda
	}
	if r.Features && r.Weights == nil {
		var err error
		if r.Weights, err = rerank.DefaultWeights(); err != nil {
			return err
		}
	}
	in := func(n int) bool { return n >= 2 && n <= 1000 }
	if !in(r.Top) || !in(r.ScorerTop) || !(r.Lambda > 0 && r.Lambda <= 1) {
		return fmt.Errorf("%w: rerank is of the %d best, of %d by a model, with lambda %v, want 2 to 1000 and a lambda above 0, to 1", dsl.ErrInvalid, r.Top, r.ScorerTop, r.Lambda)
	}
	return nil
}

// depth gives how many turns are to be found for the best k.
func (r *Rerank) depth(k int) int {
	if r.MMR || r.Features {
		k = max(k, r.Top)
	}
	return k
}

// depth gives how many hits of a kind are wanted: what the query asks for, or what
// a model reads.
func (s *searcher) depth() int {
	if s.opt.Rerank.Scorer != nil {
		return max(s.plan.k, s.opt.Rerank.ScorerTop)
	}
	return s.plan.k
}

// reorder orders the best turns anew, and gives what the ranker of signals, if there
// is one, orders them by. What lies behind them stays.
func (s *searcher) reorder(ctx context.Context, found []candidate) (sums []float64, err error) {
	r := &s.opt.Rerank
	top := found[:min(len(found), r.Top)]
	if len(top) < 2 || !r.MMR && !r.Features {
		return nil, nil
	}
	if r.MMR {
		order, err := s.diverse(top)
		if err != nil {
			return nil, err
		}
		place(top, order)
	}
	if r.Features {
		w, err := s.witnesses(ctx, top)
		if err != nil {
			return nil, fmt.Errorf("signals: %w", err)
		}
		signals := w.signals()
		if s.opt.observe != nil {
			if err := s.opt.observe(s, top, signals); err != nil {
				return nil, err
			}
		}
		sums = r.Weights.Sums(priors(top), signals)
		place(top, rerank.Order(sums))
		slices.SortFunc(sums, func(x, y float64) int { return cmp.Compare(y, x) })
	}
	// What follows must not stand level with what was ordered.
	least := top[len(top)-1].score
	for i := len(top); i < len(found) && found[i].score >= least; i++ {
		found[i].score = rerank.Places([]float64{least, found[i].score})[1]
		least = found[i].score
	}
	return sums, nil
}

func priors(found []candidate) []float64 {
	scores := make([]float64, len(found))
	for i := range found {
		scores[i] = found[i].score
	}
	return scores
}

// place puts candidates in an order and gives them the scores of their places.
func place(found []candidate, order []int) {
	before, scores := append([]candidate(nil), found...), rerank.Places(priors(found))
	for i, at := range order {
		found[i] = before[at]
		found[i].score = scores[i]
	}
}

// diverse gives the order of MMR, by how alike turns are in their terms and, where
// there is a channel of vectors, by those.
func (s *searcher) diverse(top []candidate) ([]int, error) {
	bags := make([]map[string]int, len(top))
	for i := range top {
		turn, err := s.turn(top[i].doc)
		if err != nil {
			return nil, err
		}
		bags[i] = map[string]int{}
		for _, term := range s.analyzer.Terms(nil, turn.text) {
			if !analyze.Stop(term) {
				bags[i][term]++
			}
		}
	}
	return rerank.MMR(priors(top), func(i, j int) float64 {
		ab, aa, bb := analyze.Overlap(bags[i], bags[j])
		if ab == 0 {
			return 0
		}
		return 2 * float64(ab) / float64(aa+bb)
	}, s.opt.Rerank.Lambda)
}

// blend orders the best hits by what a model says of them and by the order that
// they are in.
func (s *searcher) blend(ctx context.Context, hits []Hit) error {
	r := &s.opt.Rerank
	top := hits[:min(len(hits), r.ScorerTop)]
	if r.Scorer == nil || len(top) < 2 {
		return nil
	}
	var chunks []rerank.Chunk
	prior := make([]float64, len(top))
	for i := range top {
		prior[i] = top[i].Score
		texts, err := s.passages(&top[i])
		if err != nil {
			return err
		}
		for _, text := range texts {
			if r.Dated {
				text = rerank.Dated{Text: text, Record: top[i].Record, Valid: top[i].Valid}.MonoT5Document()
			}
			chunks = append(chunks, rerank.Chunk{Document: i, Text: text})
		}
	}
	scores, err := rerank.BestChunks(ctx, r.Scorer, s.plan.text, len(top), chunks)
	if err != nil {
		return err
	}
	before, places := append([]Hit(nil), top...), rerank.Places(prior)
	for i, at := range rerank.Blend(prior, scores) {
		top[i] = before[at]
		top[i].Score, top[i].Rank = places[i], i+1
	}
	return nil
}

// passageBytes is how much of a turn a model is given, in bytes: it reads no more.
const passageBytes = 2 << 10

// passages gives the texts of a hit that a model reads: what was said and by whom,
// for a session each of its turns that are evidence, for a fact or an event its
// words.
func (s *searcher) passages(h *Hit) ([]string, error) {
	if h.Kind != Turn && h.Kind != Session {
		return []string{h.Text}, nil
	}
	var texts []string
	for _, id := range h.Turns {
		turn, err := s.view.Turn(id)
		if err != nil {
			return nil, err
		}
		text := turnText(turn.Turn)
		if len(text) > passageBytes {
			text = strings.ToValidUTF8(text[:passageBytes], "")
		}
		if name := turn.Speaker.String(); name != "" {
			text = name + ": " + text
		}
		texts = append(texts, text)
	}
	return texts, nil
}

// Scored is a turn that was found, with what the ranker of signals knows of it.
type Scored struct {
	Turn    string
	Prior   float64
	Signals rerank.Signals
}

// Signals gives the best turns for a question, as many as q.K, in the order that
// they have before they are ordered anew, with their signals: what a ranker is
// trained on and explained by.
func Signals(ctx context.Context, v store.View, q Query, opt Options) ([]Scored, error) {
	var scored []Scored
	opt.Rerank = Rerank{Features: true, Top: max(2, min(q.K, 1000)), Weights: new(rerank.Weights)}
	opt.observe = func(s *searcher, found []candidate, signals []rerank.Signals) error {
		for i := range found {
			turn, err := s.turn(found[i].doc)
			if err != nil {
				return err
			}
			scored = append(scored, Scored{turn.ID, found[i].score, signals[i]})
		}
		return nil
	}
	q.Kinds, opt.Cues.Parts = []Kind{Turn}, false
	if _, err := Search(ctx, v, q, opt); err != nil {
		return nil, err
	}
	return scored, nil
}
