package rerank

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/asof-db/asof/dsl"
)

// Scorer is a model that reads a question and a passage together. A score depends
// on nothing but the two texts; what it is worth is known only beside others.
type Scorer interface {
	Score(ctx context.Context, query string, passages []string) ([]float32, error)
}

// Batch is how many passages a Scorer is given at once.
const Batch = 8

// ScoreAll asks a Scorer for the scores of passages, Batch of them at a time in
// the order they come in, so that the same passages are always read in the same
// batches.
func ScoreAll(ctx context.Context, s Scorer, query string, passages []string) ([]float64, error) {
	scores := make([]float64, 0, len(passages))
	for part := range slices.Chunk(passages, Batch) {
		got, err := s.Score(ctx, query, part)
		if err != nil {
			return nil, fmt.Errorf("rerank: score passages %d to %d: %w", len(scores)+1, len(scores)+len(part), err)
		}
		if len(got) != len(part) {
			return nil, fmt.Errorf("rerank: score: %w: %d scores of %d passages", dsl.ErrInvalid, len(got), len(part))
		}
		for _, x := range got {
			if y := float64(x); math.IsNaN(y) || math.IsInf(y, 0) {
				return nil, fmt.Errorf("rerank: score: %w: passage %d has the score %v", dsl.ErrInvalid, len(scores)+1, x)
			}
			scores = append(scores, float64(x))
		}
	}
	return scores, nil
}

// Blend orders candidates by the mean of two z-scores, that of the score they came
// with and that of the model's. Equal ones stay as they come.
func Blend(prior, model []float64) []int {
	x, y := zScores(prior), zScores(model)
	sums := make([]float64, len(prior))
	for i := range sums {
		sums[i] = (x[i] + y[i]) / 2
	}
	return Order(sums)
}

// zScores gives how many standard deviations each number lies above the mean; all
// 0 where there is no deviation.
func zScores(x []float64) []float64 {
	z := make([]float64, len(x))
	if len(x) == 0 {
		return z
	}
	mean, n := 0.0, float64(len(x))
	for _, v := range x {
		mean += v / n
	}
	spread := 0.0
	for _, v := range x {
		spread += float64((v-mean)*(v-mean)) / n
	}
	if spread = math.Sqrt(spread); spread < 1e-12 {
		return z
	}
	for i, v := range x {
		z[i] = (v - mean) / spread
	}
	return z
}

// Chunk is a passage of a document that is too long to be read at once, such as a
// session.
type Chunk struct {
	// Document is the place of the document in the prior order.
	Document int
	Text     string
}

// BestChunks scores the chunks of n documents and gives each document the greatest
// score of its chunks. A document without a chunk has the least score of all.
func BestChunks(ctx context.Context, s Scorer, query string, n int, chunks []Chunk) ([]float64, error) {
	passages := make([]string, len(chunks))
	for i, c := range chunks {
		if c.Document < 0 || c.Document >= n {
			return nil, fmt.Errorf("rerank: chunks: %w: chunk %d is of document %d of %d", dsl.ErrInvalid, i, c.Document, n)
		}
		passages[i] = c.Text
	}
	scores, err := ScoreAll(ctx, s, query, passages)
	if err != nil || len(scores) == 0 {
		return make([]float64, n), err
	}
	best := make([]float64, n)
	for i := range best {
		best[i] = slices.Min(scores)
	}
	for i, c := range chunks {
		best[c.Document] = max(best[c.Document], scores[i])
	}
	return best, nil
}

// Dated is a passage with what is known of its time.
type Dated struct {
	Text string
	// Record is when the memory held it, Valid when it held in the world.
	Record, Valid dsl.Interval
}

// MonoT5Document gives a passage as MonoT5 reads it here: when it was recorded and
// when it held come first, so that a question about a time has something to hold
// on to. An open end is left out. MonoT5Input puts the question before it.
func (d Dated) MonoT5Document() string {
	return "[recorded " + span(d.Record) + "][valid " + span(d.Valid) + "] " + d.Text
}

// MonoT5Input gives the input of MonoT5 for a question and a document (Nogueira et
// al. 2020).
func MonoT5Input(query, document string) string {
	return "Query: " + query + " Document: " + document + " Relevant:"
}

// span writes an interval as days, which is all that a model makes of it.
func span(v dsl.Interval) string {
	const day = len("2006-01-02")
	from, to := "", ""
	if v.Start.Finite() {
		from = v.Start.String()[:day]
	}
	if v.End.Finite() {
		to = v.End.String()[:day]
	}
	switch {
	case to == "":
		return cmp.Or(from, "ever")
	case from == to:
		return from
	}
	return from + " to " + to
}
