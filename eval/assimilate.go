package eval

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync/atomic"
	"time"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/dsl/ledger"
)

// AssimilateOptions say what is measured of what a memory makes of a data set.
// The zero value runs.
type AssimilateOptions struct {
	// Config is the profile of the memory; nil is the built-in one.
	Config *configs.Config
	// Ablations also runs every ablation and writes ablation.csv.
	Ablations bool
	// Workers is how many spaces are measured at once; it changes no byte of the
	// result but latencies. 0 means 1.
	Workers int
	// Manifest is what the manifest says about the run.
	Manifest ManifestOptions
	// Clock measures latencies, which touch latency.csv and nothing else.
	Clock func() time.Time
	// Progress is told how many turns are taken in, of all; calls may overlap.
	Progress func(done, total int)
}

// AssimilateSummary is what a run measured.
type AssimilateSummary struct {
	Format                    Format
	Spaces, Turns, Candidates int
	// Rows are the metrics of metrics.csv.
	Rows []Row
	// Ablations are the rows of ablation.csv, the whole configuration first.
	Ablations []AblationRow
}

// Value gives a metric, and whether there is one.
func (s *AssimilateSummary) Value(metric, category string) (float64, bool) {
	for _, r := range s.Rows {
		if r.Metric == metric && r.Category == category {
			return r.Value, true
		}
	}
	return 0, false
}

// RunAssimilate takes every dialogue into a memory of its own that is not kept,
// and measures what assimilation and layer 2 made of it: METRICS.md defines the
// figures. It writes table_b.csv, sessions.csv, funnel.csv (where the data says
// what changes), metrics.csv, latency.csv, summary.md and manifest.json, and
// ablation.csv if asked, into the folder out, together at the end.
func RunAssimilate(ctx context.Context, in iter.Seq2[Dialogue, error], format Format, out string, opt AssimilateOptions) (AssimilateSummary, error) {
	dir, err := newFolder(out)
	if err != nil {
		return AssimilateSummary{}, err
	}
	defer dir.discard()
	var all []Dialogue
	sum := AssimilateSummary{Format: format}
	for d, err := range in {
		if err != nil {
			return AssimilateSummary{}, err
		}
		all = append(all, d)
		sum.Spaces++
		sum.Turns += len(d.Turns)
	}
	if sum.Turns == 0 {
		return AssimilateSummary{}, fmt.Errorf("eval: %w: the data has no turn", dsl.ErrInvalid)
	}
	cfg := configs.Default()
	if opt.Config != nil {
		cfg = *opt.Config
	}
	// The figures are of what the turns alone lead to; ablations are compared with
	// a memory that has also filled the gaps that questions meet.
	variants := []variant{{config: cfg, episodes: true}}
	if opt.Ablations {
		variants = append(variants, variant{name: "full", config: cfg, gaps: cfg.Triggers.Backfill, episodes: true, probes: ablationProbes})
		variants = append(variants, ablations(cfg)...)
	}
	var done atomic.Int64
	tick := func(n int) {
		if now := int(done.Add(int64(n))); opt.Progress != nil {
			opt.Progress(now, sum.Turns*len(variants))
		}
	}
	var main, full *measured
	for i := range variants {
		m, err := measureAll(ctx, all, &variants[i], &opt, tick)
		if err != nil {
			return AssimilateSummary{}, err
		}
		if main == nil {
			main = m
			continue
		}
		if full == nil {
			full = m
		}
		sum.Ablations = append(sum.Ablations, ablationRow(variants[i].name, full, m))
	}
	sum.Rows, sum.Candidates = main.rows(), main.table.total().candidates
	if err := writeAssimilate(dir, &sum, main, &opt); err != nil {
		return AssimilateSummary{}, err
	}
	return sum, dir.publish()
}

// measured is what was measured of all spaces under one variant, in the order of
// the data.
type measured struct {
	table    tableB
	rules    map[string]int
	sessions []sessionCost
	keys     keyScan
	events   eventScan
	values   []valueFate
	views    viewScan
	gaps     gapScan
	reach    reachScan
	layer2   layer2Counts
	latency  []spaceLatency
}

// spaceLatency is how long a space took; it is in latency.csv alone.
type spaceLatency struct {
	space     string
	turns     int
	decisions int
	took      time.Duration
}

// measureAll measures every dialogue under a variant.
func measureAll(ctx context.Context, all []Dialogue, v *variant, opt *AssimilateOptions, tick func(int)) (*measured, error) {
	out := &measured{table: tableB{}, rules: map[string]int{}}
	seq := func(yield func(*Dialogue, error) bool) {
		for i := range all {
			if !yield(&all[i], nil) {
				return
			}
		}
	}
	err := inOrder(ctx, opt.Workers, seq, func(ctx context.Context, d *Dialogue) (*measured, error) {
		m, err := measureSpace(ctx, d, v, opt.Clock, tick)
		if err != nil {
			return nil, fmt.Errorf("eval: space %s %s: %w", d.Space, v.name, err)
		}
		return m, nil
	}, func(m *measured) error {
		out.add(m)
		return nil
	})
	return out, err
}

func (m *measured) add(x *measured) {
	m.table.add(x.table)
	for r, n := range x.rules {
		m.rules[r] += n
	}
	m.sessions = append(m.sessions, x.sessions...)
	m.keys.add(&x.keys)
	m.events.add(&x.events)
	m.values = append(m.values, x.values...)
	m.views.add(&x.views)
	m.gaps.add(&x.gaps)
	m.reach.add(&x.reach)
	m.layer2.add(&x.layer2)
	m.latency = append(m.latency, x.latency...)
}

// spaceRun is the measuring of one space under way.
type spaceRun struct {
	*measured
	dialogue *Dialogue
	variant  *variant
	db       *asof.DB
	// txs are the transactions, by position from 1.
	txs []*dsl.Tx
	// sessions are the runs of turns of one session, in order.
	parts []sessionPart
}

// sessionPart is a run of turns of one session with the positions they got: it
// began after position from and ended at position to.
type sessionPart struct {
	session     string
	first, last int // turns, half-open
	from, to    dsl.Seq
}

// measureSpace takes one dialogue in, session by session, and measures it.
func measureSpace(ctx context.Context, d *Dialogue, v *variant, clock func() time.Time, tick func(int)) (_ *measured, err error) {
	s := &spaceRun{measured: &measured{table: tableB{}, rules: map[string]int{}}, dialogue: d, variant: v}
	if len(d.Turns) == 0 {
		return s.measured, nil
	}
	log := ledger.NewMemory(1)
	if s.db, err = asof.Open(ctx, asof.Options{Config: &v.config, Ledger: log}); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	defer func() { err = errors.Join(err, s.db.Close()) }()
	s.split()
	var took time.Duration
	fates := s.newFates()
	for i := range s.parts {
		p := &s.parts[i]
		if err := s.before(p, fates); err != nil {
			return nil, err
		}
		start := time.Time{}
		if clock != nil {
			start = clock()
		}
		if err := s.take(ctx, p); err != nil {
			return nil, err
		}
		if clock != nil {
			took += clock().Sub(start)
		}
		if err := s.after(p, fates); err != nil {
			return nil, err
		}
		tick(p.last - p.first)
	}
	if err := s.fillGaps(ctx); err != nil {
		return nil, err
	}
	if err := s.readLog(ctx, log); err != nil {
		return nil, err
	}
	s.count()
	for _, measure := range []func(context.Context) error{s.scanKeys, s.scanEvents, s.scanViews, s.scanReach, func(ctx context.Context) error { return s.finishValues(ctx, fates) }} {
		if err := measure(ctx); err != nil {
			return nil, err
		}
	}
	s.latency = []spaceLatency{{d.Space, len(d.Turns), s.table.total().candidates, took}}
	return s.measured, nil
}

// split finds the runs of turns of one session.
func (s *spaceRun) split() {
	for i, t := range s.dialogue.Turns {
		if n := len(s.parts); n == 0 || s.parts[n-1].session != t.Session {
			s.parts = append(s.parts, sessionPart{session: t.Session, first: i})
		}
		s.parts[len(s.parts)-1].last = i + 1
	}
}

// take takes a session in.
func (s *spaceRun) take(ctx context.Context, p *sessionPart) error {
	head, err := s.db.Head(s.dialogue.Space)
	if err != nil {
		return err
	}
	p.from = head.Seq
	items := make([]asof.Item, 0, p.last-p.first)
	for i := p.first; i < p.last; i++ {
		items = append(items, asof.Item{Space: s.dialogue.Space, Turn: &s.dialogue.Turns[i]})
	}
	if _, err := s.db.Ingest(ctx, items); err != nil {
		return err
	}
	head, err = s.db.Head(s.dialogue.Space)
	p.to = head.Seq
	return err
}

// readLog reads the transactions of the space back.
func (s *spaceRun) readLog(ctx context.Context, log ledger.Ledger) error {
	return log.Read(ctx, 1, func(m ledger.Message) error {
		for _, r := range m.Records {
			tx, err := dsl.DecodeTx(r.Data)
			if err != nil {
				return err
			}
			s.txs = append(s.txs, tx)
		}
		return nil
	})
}

// sessionOf gives the session that a position belongs to: that of its turn, or
// the one under way.
func (s *spaceRun) sessionOf(seq dsl.Seq) string {
	for i := range s.parts {
		if p := &s.parts[i]; seq > p.from && seq <= p.to {
			return p.session
		}
	}
	return s.parts[len(s.parts)-1].session
}

// view opens the view at a position; the variant may change what it gives.
func (s *spaceRun) view(seq dsl.Seq) (*asof.View, error) {
	v, err := s.db.View(s.dialogue.Space, asof.AtSeq(seq))
	if err != nil || s.variant.wrap == nil {
		return v, err
	}
	if err := s.variant.wrap(s.db, v); err != nil {
		return nil, errors.Join(err, v.View.Close())
	}
	return v, nil
}

// head gives the last position.
func (s *spaceRun) head() dsl.Seq { return dsl.Seq(len(s.txs)) }
