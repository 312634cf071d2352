package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/asof-db/asof/dsl"
)

// Hit is one turn that a search found.
type Hit struct {
	// ID is the turn's id.
	ID string
	// Score is what the turn was ranked by: higher is better.
	Score float64
}

// Searcher is the engine under measurement.
type Searcher interface {
	// SearchTurns gives at most k turns of a space for a question, best first,
	// ties already in the engine's order, and the basis that they were computed
	// from.
	SearchTurns(ctx context.Context, space, question string, k int) (hits []Hit, basis string, err error)
}

// RunOptions say what a run is called, how deep it goes and what its manifest
// records. The zero value runs.
type RunOptions struct {
	// Tag is the last column of run.trec: one word; empty means "asof".
	Tag string
	// Depth is how many turns are asked for per question; 0 means 100, and less
	// than 50 is refused, because the deepest metric looks at 50.
	Depth int
	// Command is the command line as the manifest shows it: see CommandLine.
	Command string
	// Config is the effective configuration for the manifest.
	Config map[string]any
	// Versions names what else decides the result (program, analyser, models)
	// for the manifest.
	Versions map[string]string
	// Data names the data file for the manifest; usually (*Data).Info. It is
	// called once, after the last conversation was read.
	Data func() (DataInfo, error)
	// Clock measures latencies, which touch latency.csv and nothing else; nil
	// leaves that file with its head line only.
	Clock func() time.Time
	// Progress is told after every question how many are done and how many have
	// been read so far; the number in the whole file is known only at its end.
	Progress func(done, total int)
}

const (
	defaultTag   = "asof"
	defaultDepth = 100
	minDepth     = 50
)

// Summary is what a run measured.
type Summary struct {
	// Conversations, Turns and Questions count what was read, all categories.
	Conversations, Turns, Questions int
	// Scored counts the questions that have gold evidence; the others are in
	// run.trec but in no mean.
	Scored int
	// Evidence counts the evidence ids that were kept, Repaired the evidence
	// strings that had to be read leniently.
	Evidence, Repaired int
	// Dropped is the evidence that named no turn.
	Dropped []DroppedFrom
	// Rows are the means, by metric and then by category.
	Rows []Row
	// Shallow counts the questions that got fewer than 50 hits although the
	// conversation has at least 50 turns.
	Shallow int
	// TieSensitive counts the scored questions of which some metric differs
	// when equal scores are ordered as trec_eval orders them.
	TieSensitive int
	// P50 and P95 are latencies of a search; 0 without a clock.
	P50, P95 time.Duration
}

// DroppedFrom is a dropped piece of evidence with the question it came from.
type DroppedFrom struct {
	QID string
	DroppedEvidence
}

// Value gives the mean of a metric over a category ("1" to "5", "1-4", "all"),
// and whether there is one.
func (s Summary) Value(metric, category string) (float64, bool) {
	for _, r := range s.Rows {
		if r.Metric == metric && r.Category == category {
			return r.Value, true
		}
	}
	return 0, false
}

// RunLoCoMo asks every question of every conversation and writes run.trec,
// qrels.trec, questions.csv, metrics.csv, latency.csv, summary.md and
// manifest.json into the folder out, which is made if needed. The files get
// their names together at the end, so a failed run leaves the folder as it was.
//
// The questions of a conversation are asked when convs has given it, so convs
// may ingest each one just before it hands it on.
//
// What a search gives is checked: more than was asked for, an id twice, an id
// that is no turn of the conversation, a score that is not finite or that rises
// ends the run with an error, because a figure computed from it would mean
// nothing.
func RunLoCoMo(ctx context.Context, convs iter.Seq2[Conversation, error], s Searcher, out string, opt RunOptions) (Summary, error) {
	opt.Tag = cmp.Or(opt.Tag, defaultTag)
	opt.Depth = cmp.Or(opt.Depth, defaultDepth)
	if opt.Depth < minDepth {
		return Summary{}, fmt.Errorf("eval: %w: depth %d, at least %d is needed", dsl.ErrInvalid, opt.Depth, minDepth)
	}
	if err := oneWord("the tag", opt.Tag); err != nil {
		return Summary{}, err
	}
	dir, err := newFolder(out)
	if err != nil {
		return Summary{}, err
	}
	defer dir.discard()
	r, err := newRun(dir, s, opt)
	if err != nil {
		return Summary{}, err
	}
	for conv, err := range convs {
		if err != nil {
			return Summary{}, err
		}
		if err := r.conversation(ctx, conv); err != nil {
			return Summary{}, err
		}
	}
	if r.Questions == 0 {
		return Summary{}, fmt.Errorf("eval: %w: the data has no question", dsl.ErrInvalid)
	}
	if err := r.finish(); err != nil {
		return Summary{}, err
	}
	return r.Summary, nil
}

// run is a run in progress.
type run struct {
	Summary
	search  Searcher
	opt     RunOptions
	dir     *folder
	means   means
	packs   packs
	spaces  []spaceInfo
	elapsed []time.Duration

	trec, qrels, questions, latency *outFile
}

// conversation asks the questions of one conversation.
func (r *run) conversation(ctx context.Context, conv Conversation) error {
	if err := oneWord("the space", conv.Space); err != nil {
		return err
	}
	turns := make(map[string]bool, len(conv.Turns))
	for _, t := range conv.Turns {
		if err := oneWord("the turn id", t.ID); err != nil {
			return fmt.Errorf("%w (space %s)", err, conv.Space)
		}
		turns[t.ID] = true
	}
	r.Conversations++
	r.Turns += len(conv.Turns)
	before := r.Questions
	space := spaceInfo{Space: conv.Space, Turns: len(conv.Turns), Questions: len(conv.Questions)}
	for i, q := range conv.Questions {
		basis, err := r.question(ctx, conv.Space, q, turns)
		if err != nil {
			return err
		}
		if !slices.Contains(space.Basis, basis) {
			space.Basis = append(space.Basis, basis)
		}
		if r.opt.Progress != nil {
			r.opt.Progress(before+i+1, before+len(conv.Questions))
		}
	}
	r.spaces = append(r.spaces, space)
	return nil
}

// question asks one question, checks what came back, and writes its lines.
func (r *run) question(ctx context.Context, space string, q Question, turns map[string]bool) (string, error) {
	qid := fmt.Sprintf("%s/%d", space, q.Index)
	if err := ctx.Err(); err != nil {
		return "", fmt.Errorf("eval: question %s: %w", qid, err)
	}
	var start time.Time
	if r.opt.Clock != nil {
		start = r.opt.Clock()
	}
	hits, basis, err := r.search.SearchTurns(ctx, space, q.Text, r.opt.Depth)
	if err != nil {
		return "", fmt.Errorf("eval: question %s: %w", qid, err)
	}
	if r.opt.Clock != nil {
		took := r.opt.Clock().Sub(start)
		r.elapsed = append(r.elapsed, took)
		r.writeLatency(qid, took)
	}
	if err := checkHits(hits, r.opt.Depth, turns); err != nil {
		return "", fmt.Errorf("eval: question %s: %w", qid, err)
	}
	r.Questions++
	r.Evidence += len(q.Evidence)
	r.Repaired += q.Repaired
	for _, d := range q.Dropped {
		r.Dropped = append(r.Dropped, DroppedFrom{qid, d})
	}
	if len(hits) < minDepth && len(turns) >= minDepth {
		r.Shallow++
	}
	scores := Score(q.Evidence, ids(hits))
	if scores != nil {
		r.Scored++
		r.means.add(q.Category, scores)
		if !slices.Equal(scores, Score(q.Evidence, ids(trecOrder(hits)))) {
			r.TieSensitive++
		}
	}
	r.writeQuestion(qid, q, hits, scores)
	return basis, r.packs.question(ctx, space, qid, &q, turns)
}

// checkHits refuses a ranking that cannot be scored.
func checkHits(hits []Hit, depth int, turns map[string]bool) error {
	if len(hits) > depth {
		return fmt.Errorf("%w: %d hits were given, %d asked for", dsl.ErrInvalid, len(hits), depth)
	}
	seen := make(map[string]bool, len(hits))
	for i, h := range hits {
		switch {
		case !turns[h.ID]:
			return fmt.Errorf("%w: hit %d, %q, is no turn of this conversation", dsl.ErrInvalid, i+1, h.ID)
		case seen[h.ID]:
			return fmt.Errorf("%w: hit %d, %q, was there before", dsl.ErrInvalid, i+1, h.ID)
		case math.IsNaN(h.Score) || math.IsInf(h.Score, 0):
			return fmt.Errorf("%w: hit %d, %q, has the score %v", dsl.ErrInvalid, i+1, h.ID, h.Score)
		case i > 0 && h.Score > hits[i-1].Score:
			return fmt.Errorf("%w: hit %d, %q, scores more than the one before it", dsl.ErrInvalid, i+1, h.ID)
		}
		seen[h.ID] = true
	}
	return nil
}

func ids(hits []Hit) []string {
	out := make([]string, len(hits))
	for i, h := range hits {
		out[i] = h.ID
	}
	return out
}

// trecOrder is how trec_eval orders a run: it ignores the rank column, keeps
// scores in single precision, and puts the greater id first among equals.
func trecOrder(hits []Hit) []Hit {
	out := slices.Clone(hits)
	slices.SortStableFunc(out, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(float32(b.Score), float32(a.Score)), cmp.Compare(b.ID, a.ID))
	})
	return out
}

// oneWord refuses what a column of run.trec cannot hold.
func oneWord(what, s string) error {
	if s == "" || strings.IndexFunc(s, unicode.IsSpace) >= 0 {
		return fmt.Errorf("eval: %w: %s %q has to be one word, because columns of run.trec end at white space", dsl.ErrInvalid, what, s)
	}
	return nil
}

// percentile is the nearest-rank percentile of sorted durations.
func percentile(sorted []time.Duration, p int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[(len(sorted)*p+99)/100-1]
}

// finish writes what needs all questions and gives the files their names.
func (r *run) finish() error {
	slices.Sort(r.elapsed)
	r.P50, r.P95 = percentile(r.elapsed, 50), percentile(r.elapsed, 95)
	r.Rows = append(r.means.rows(MetricNames()), r.packs.rows()...)
	var info *DataInfo
	if r.opt.Data != nil {
		i, err := r.opt.Data()
		if err != nil {
			return err
		}
		info = &i
	}
	if err := errors.Join(r.writeMetrics(), r.writeSummary(info), r.writeManifest(info)); err != nil {
		return err
	}
	return r.dir.publish()
}
