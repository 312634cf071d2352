package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/dsl"
)

// Hit is one document that a search found.
type Hit struct {
	// ID is the document's id: a turn's, or a session's occurrence.
	ID string
	// Score is what the document was ranked by: higher is better.
	Score float64
}

// Searcher is an engine under measurement that holds LoCoMo conversations.
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
	// Depth is how many documents are asked for per question; 0 means 100, and
	// less than 50 is refused, because the deepest metric looks at 50.
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
	// CPU gives the processor time of the calling thread: a latency that neighbours
	// do not change. Nil leaves it out.
	CPU func() time.Duration
	// Progress is told after every question how many are done and how many have
	// been read so far; the number in the whole file is known only at its end.
	Progress func(done, total int)

	// Profile is the configuration of the memories that RunRetrieval makes; nil is
	// the built-in one.
	Profile *configs.Config
	// Workers is how many memories RunRetrieval takes in and asks at once; it
	// changes no byte of the result but latencies. 0 means 1.
	Workers int
	// NoPacks leaves evidence packs out: retrieval alone.
	NoPacks bool
	// TableC also asks under every setup of Table C, and writes table_c.csv,
	// comparisons.csv, runs/ and figs/latency-table_c.csv. Seed decides the samples
	// of its intervals.
	TableC bool
	Seed   uint64
	// Rows matches the names of the setups that are asked; nil is those that need no
	// model.
	Rows *regexp.Regexp
	// Sample is the share of the questions that RunRetrieval asks, in (0, 1], decided
	// by Seed and each question's id; 0 means all. A memory that no question is left
	// for is not made.
	Sample float64
	// Switches also compiles every pack with pack.active and pack.stats off and on,
	// and writes pack_switches.csv.
	Switches bool
}

const (
	defaultTag   = "asof"
	defaultDepth = 100
	minDepth     = 50
)

// Summary is what a run measured.
type Summary struct {
	// Dataset is the data set's name, Memory the word for one of its spaces.
	Dataset, Memory string
	// Shown are the metrics that a table for people has.
	Shown []string
	// Conversations, Turns and Questions count what was read, all categories. A
	// history of LongMemEval and a trajectory of MemDaily are conversations.
	Conversations, Turns, Questions int
	// Scored counts the questions that have gold evidence; the others are in
	// run.trec but in no mean.
	Scored int
	// Evidence counts the evidence ids that were kept, Repaired the evidence
	// strings that had to be read leniently.
	Evidence, Repaired int
	// Dropped is the evidence that named nothing.
	Dropped []DroppedFrom
	// Rows are the means, by metric and then by category.
	Rows []Row
	// Shallow counts the questions that got fewer than 50 hits although there are
	// at least 50 documents.
	Shallow int
	// TieSensitive counts the scored questions of which some metric differs
	// when equal scores are ordered as trec_eval orders them.
	TieSensitive int
	// P50 and P95 are latencies of a search; 0 without a clock.
	P50, P95 time.Duration
	// CPU50 and CPU95 are the same in processor time.
	CPU50, CPU95 time.Duration
	// TableC are the rows of Table C, where asked for, over the main group.
	TableC []RowC

	headline, main string
}

// DroppedFrom is a dropped piece of evidence with the question it came from.
type DroppedFrom struct {
	QID string
	DroppedEvidence
}

// Value gives the mean of a metric over a category, and whether there is one.
func (s Summary) Value(metric, category string) (float64, bool) {
	for _, r := range s.Rows {
		if r.Metric == metric && r.Category == category {
			return r.Value, true
		}
	}
	return 0, false
}

// Main names the group that headline figures are over.
func (s Summary) Main() string { return s.main }

// Headline gives the one figure of a data set: a metric, its mean, and the words
// for what it is over.
func (s Summary) Headline() (metric string, value float64, over string) {
	value, _ = s.Value(s.headline, s.main)
	over = "categories " + s.main
	if s.main == "all" {
		over = "all categories"
	}
	return s.headline, value, over
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
	suite, err := suiteOf(LoCoMoFormat)
	if err != nil {
		return Summary{}, err
	}
	return runInto(suite, out, opt, func(r *run) error {
		for conv, err := range convs {
			if err != nil {
				return err
			}
			d := conversationDialogue(conv)
			x, err := newExam(&d)
			if err != nil {
				return err
			}
			sat, err := r.sit(ctx, x, memoryAsker{search: func(ctx context.Context, q *posed, k int) ([]Hit, string, error) {
				return s.SearchTurns(ctx, x.space, q.text, k)
			}, pack: packOf(s, x.space)})
			if err != nil {
				return err
			}
			if err := r.record(sat); err != nil {
				return err
			}
		}
		return nil
	})
}

// RunRetrieval takes every dialogue into a memory of its own that is not kept,
// asks its questions at the head, and writes the same files as RunLoCoMo. The
// format says what is ranked: turns, or, for LongMemEval, sessions by their
// occurrence in the file. Memora's questions have no ranking to judge, so it is
// refused.
func RunRetrieval(ctx context.Context, in iter.Seq2[Dialogue, error], format Format, out string, opt RunOptions) (Summary, error) {
	suite, err := suiteOf(format)
	if err != nil {
		return Summary{}, err
	}
	cfg := defaultProfile(opt.Profile)
	return runInto(suite, out, opt, func(r *run) (err error) {
		if opt.TableC {
			if r.table, err = newTableC(r.dir, cfg, suite.groups, opt.Seed, opt.Rows); err != nil {
				return err
			}
			defer func() { err = errors.Join(err, r.table.close()) }()
		}
		if r.studies, err = newStudies(cfg, &opt); err != nil {
			return err
		}
		for _, s := range r.studies {
			defer func() { err = errors.Join(err, s.close()) }()
			if err = s.begin(r.dir); err != nil {
				return err
			}
		}
		return inOrder(ctx, opt.Workers, in, func(ctx context.Context, d Dialogue) (*sitting, error) {
			x, err := newExam(&d)
			if err != nil {
				return nil, err
			}
			if opt.Sample > 0 && opt.Sample < 1 {
				x.questions = slices.DeleteFunc(x.questions, func(q posed) bool { return newDraws(q.qid, opt.Seed).share() >= opt.Sample })
				if len(x.questions) == 0 {
					return &sitting{exam: x}, nil
				}
			}
			return r.sitInMemory(ctx, cfg, x)
		}, r.record)
	})
}

// defaultProfile gives a profile, or the built-in one in place of none.
func defaultProfile(cfg *configs.Config) configs.Config {
	if cfg == nil {
		return configs.Default()
	}
	return *cfg
}

// runInto runs a suite into a folder: ask asks the questions.
func runInto(suite *suite, out string, opt RunOptions, ask func(*run) error) (Summary, error) {
	opt.Tag = cmp.Or(opt.Tag, defaultTag)
	opt.Depth = cmp.Or(opt.Depth, defaultDepth)
	if opt.Depth < minDepth {
		return Summary{}, fmt.Errorf("eval: %w: depth %d, at least %d is needed", dsl.ErrInvalid, opt.Depth, minDepth)
	}
	if err := oneWord("the tag", opt.Tag); err != nil {
		return Summary{}, err
	}
	if !(opt.Sample >= 0 && opt.Sample <= 1) {
		return Summary{}, fmt.Errorf("eval: %w: a sample of %v of the questions, want a share from 0 to 1", dsl.ErrInvalid, opt.Sample)
	}
	dir, err := newFolder(out)
	if err != nil {
		return Summary{}, err
	}
	defer dir.discard()
	r, err := newRun(dir, suite, opt)
	if err != nil {
		return Summary{}, err
	}
	if err := ask(r); err != nil {
		return Summary{}, err
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
	suite   *suite
	opt     RunOptions
	dir     *folder
	means   means
	packs   packs
	answers answersOf
	spaces  []spaceInfo
	elapsed []latency
	// table is Table C, nil where it is not asked for.
	table   *tableC
	studies []study

	trec, qrels, questions, latency *outFile
}

// answer is what a search gave for one question.
type answer struct {
	hits  []Hit
	basis string
	took  latency
	pack  *Packed
}

// latency is how long a search took, by the clock and of the processor.
type latency struct{ wall, cpu time.Duration }

// sitting is an exam with its answers.
type sitting struct {
	exam    *exam
	answers []answer
	// table are the answers for Table C, by question and setup.
	table [][]answer
	// studied is what the studies found, by question and study.
	studied [][]any
}

// memoryAsker asks one memory.
type memoryAsker struct {
	search func(ctx context.Context, q *posed, k int) (hits []Hit, basis string, err error)
	// pack compiles the evidence pack of a question; nil where there is none.
	pack func(ctx context.Context, q *posed) (*Packed, error)
}

// sit asks the questions of one memory and checks what comes back. It changes
// nothing of the run, so several may sit at once.
func (r *run) sit(ctx context.Context, x *exam, of memoryAsker) (*sitting, error) {
	out := &sitting{exam: x}
	for i := range x.questions {
		q := &x.questions[i]
		a, err := r.ask(ctx, x, q, of)
		if err != nil {
			return nil, fmt.Errorf("eval: question %s: %w", q.qid, err)
		}
		if of.pack != nil && !r.opt.NoPacks {
			if a.pack, err = of.pack(ctx, q); err == nil {
				err = x.checkPack(a.pack)
			}
			if err != nil {
				return nil, fmt.Errorf("eval: pack of question %s: %w", q.qid, err)
			}
		}
		out.answers = append(out.answers, a)
	}
	return out, nil
}

// ask asks one question.
func (r *run) ask(ctx context.Context, x *exam, q *posed, of memoryAsker) (answer, error) {
	if err := ctx.Err(); err != nil {
		return answer{}, err
	}
	var a answer
	err := r.timed(&a.took, func() (err error) {
		a.hits, a.basis, err = of.search(ctx, q, r.opt.Depth)
		return err
	})
	if err != nil {
		return answer{}, err
	}
	return a, checkHits(a.hits, r.opt.Depth, x.held)
}

// timed measures one call where there are clocks.
func (r *run) timed(to *latency, call func() error) error {
	if r.opt.CPU != nil {
		// The processor time of a thread is of use while the goroutine stays on it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		start := r.opt.CPU()
		defer func() { to.cpu = r.opt.CPU() - start }()
	}
	if r.opt.Clock == nil {
		return call()
	}
	start := r.opt.Clock()
	err := call()
	to.wall = r.opt.Clock().Sub(start)
	return err
}

// record writes the lines of one memory's questions.
func (r *run) record(s *sitting) error {
	x := s.exam
	r.Conversations++
	r.Turns += x.turns
	before := r.Questions
	space := spaceInfo{Space: x.space, Turns: x.turns, Questions: len(x.questions)}
	for i := range x.questions {
		q, a := &x.questions[i], &s.answers[i]
		if err := r.recordQuestion(x, q, a); err != nil {
			return err
		}
		if r.table != nil {
			r.table.record(q, s.table[i], r.opt.Tag)
		}
		for k, of := range r.studies {
			of.record(q, s.studied[i][k])
		}
		if !slices.Contains(space.Basis, a.basis) {
			space.Basis = append(space.Basis, a.basis)
		}
		if r.opt.Progress != nil {
			r.opt.Progress(before+i+1, before+len(x.questions))
		}
	}
	r.spaces = append(r.spaces, space)
	return nil
}

// recordQuestion scores and writes one question.
func (r *run) recordQuestion(x *exam, q *posed, a *answer) error {
	if r.opt.Clock != nil {
		r.elapsed = append(r.elapsed, a.took)
		r.writeLatency(q.qid, a.took)
	}
	r.Questions++
	r.Evidence += len(q.gold)
	r.Repaired += q.repaired
	for _, d := range q.dropped {
		r.Dropped = append(r.Dropped, DroppedFrom{q.qid, d})
	}
	if len(a.hits) < minDepth && len(x.docs) >= minDepth {
		r.Shallow++
	}
	scores := Score(q.gold, ids(a.hits))
	if scores != nil {
		r.Scored++
		r.means.add(q.category, scores)
		if !slices.Equal(scores, Score(q.gold, ids(trecOrder(a.hits)))) {
			r.TieSensitive++
		}
	}
	r.writeQuestion(q, a.hits, scores)
	return r.recordPack(q, a.pack)
}

// checkHits refuses a ranking that cannot be scored.
func checkHits(hits []Hit, depth int, held map[string]bool) error {
	if len(hits) > depth {
		return fmt.Errorf("%w: %d hits were given, %d asked for", dsl.ErrInvalid, len(hits), depth)
	}
	seen := make(map[string]bool, len(hits))
	for i, h := range hits {
		switch {
		case !held[h.ID]:
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

// percentiles gives the nearest-rank percentiles 50 and 95.
func percentiles(all []latency, of func(latency) time.Duration) (p50, p95 time.Duration) {
	if len(all) == 0 {
		return 0, 0
	}
	sorted := make([]time.Duration, len(all))
	for i, l := range all {
		sorted[i] = of(l)
	}
	slices.Sort(sorted)
	return sorted[(len(sorted)*50+99)/100-1], sorted[(len(sorted)*95+99)/100-1]
}

func wall(l latency) time.Duration { return l.wall }
func cpu(l latency) time.Duration  { return l.cpu }

// finish writes what needs all questions and gives the files their names.
func (r *run) finish() error {
	r.P50, r.P95 = percentiles(r.elapsed, wall)
	r.CPU50, r.CPU95 = percentiles(r.elapsed, cpu)
	r.Rows = append(r.means.rows(MetricNames()), append(r.packs.rows(), r.answers.rows()...)...)
	var info *DataInfo
	if r.opt.Data != nil {
		i, err := r.opt.Data()
		if err != nil {
			return err
		}
		info = &i
	}
	if r.table != nil {
		if err := r.writeTableC(); err != nil {
			return err
		}
	}
	for _, s := range r.studies {
		if err := s.finish(r.dir, r.suite.mainGroup()); err != nil {
			return err
		}
	}
	if err := errors.Join(r.writeMetrics(), r.writeSummary(info), r.writeManifest(info)); err != nil {
		return err
	}
	return r.dir.publish()
}
