package asof

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/extract"
	"github.com/asof-db/asof/internal/meter"
)

// metrics are the front door's. They always exist; without a Registerer nobody
// sees them.
type metrics struct {
	now func() time.Time

	turns     *prometheus.CounterVec
	decisions *prometheus.CounterVec
	groups    prometheus.Histogram
	model     *prometheus.CounterVec
	vectors   *prometheus.CounterVec
	unready   *prometheus.CounterVec
	answers   *prometheus.CounterVec
	extract   *prometheus.HistogramVec

	queries *prometheus.CounterVec
	stages  *prometheus.HistogramVec
	tokens  prometheus.Histogram
	age     prometheus.Histogram

	set *meter.Set
}

// newMetrics makes the metrics and registers them, with what the DB is asked for
// when they are read.
func newMetrics(db *DB, reg prometheus.Registerer) (*metrics, error) {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	histogram := func(name, help string, buckets ...float64) prometheus.Histogram {
		return prometheus.NewHistogram(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets})
	}
	seconds := func(name, help, label string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: meter.Seconds()}, []string{label})
	}
	gauge := func(name, help string, value func() float64) prometheus.GaugeFunc {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
	}
	m := &metrics{
		now:       db.opt.Clock,
		turns:     counter("asof_ingest_items_total", "Items that came in, by what became of them: new, duplicate or refused.", "fate"),
		decisions: counter("asof_assimilate_decisions_total", "Decisions about candidates, by action.", "action"),
		groups:    histogram("asof_ingest_group_transactions", "Transactions that were committed together.", prometheus.ExponentialBuckets(1, 2, 10)...),
		model: counter("asof_llm_answers_total", "Questions to the language model, by use (summary, backfill) and by whether its answer was taken: "+
			"taken, refused (the answer is of no use), failed (there was none).", "use", "fate"),
		vectors: counter("asof_vectors_made_total", "Documents that vectors were made of and kept, by kind of who made them: background, or search (one that waited for them).", "kind"),
		unready: counter("asof_search_coverage_total", "Searches by vectors of a model in a view that was not wholly embedded, by what came of them: "+
			"partial (it took a part) or not_ready (it was refused).", "fate"),
		answers: counter("asof_extract_answers_total", "Answers of models and servers that extraction asked, by stage, option and fate: "+
			"taken, or why the turn fell back to a cheaper option (failed, late, malformed, nonsense, too_long).", "stage", "option", "fate"),
		extract: seconds("asof_extract_module_seconds", "Time that a module of the extraction took for one turn, by the section of the configuration that chooses it.", "module"),
		queries: counter("asof_query_answers_total", "Questions answered, by kind (search, pack) and outcome: found, empty or failed.", "kind", "outcome"),
		stages:  seconds("asof_query_stage_seconds", "Time that a stage of answering a question took.", "stage"),
		tokens: histogram("asof_pack_text_tokens", "Tokens of the packs that were compiled.",
			0, 50, 100, 200, 300, 400, 500, 600, 800, 1000, 2000, 5000, 10000, 20000, 40000, 80000),
		age: histogram("asof_view_age_seconds", "How far the record time of a view that was opened lies behind that of its space's head.",
			0, 60, 3600, 86400, 7*86400, 30*86400, 365*86400, 3650*86400),
	}
	queue := gauge("asof_ingest_queue_requests", "Requests that wait for the writer.", func() float64 { return float64(len(db.queue)) })
	stopped := gauge("asof_ingest_stopped_bool", "1 when writes are refused because log or store can no longer be written; only opening the memory again ends it.",
		func() float64 {
			if db.Health() != nil {
				return 1
			}
			return 0
		})
	waiting := gauge("asof_vectors_waiting_spaces", "Spaces with documents whose vectors are still to be computed in the background.",
		func() float64 {
			db.mu.Lock()
			e := db.encoding
			db.mu.Unlock()
			return float64(e.waiting())
		})
	var err error
	m.set, err = meter.Register(reg, m.turns, m.decisions, m.groups, m.model, m.vectors, m.unready, m.answers, m.extract, m.queries, m.stages, m.tokens, m.age, queue, stopped, waiting)
	return m, err
}

func (m *metrics) fate(f Fate) { m.turns.WithLabelValues(string(f)).Inc() }

func (m *metrics) asked(use, fate string) { m.model.WithLabelValues(use, fate).Inc() }

func (m *metrics) group(n int) { m.groups.Observe(float64(n)) }

func (m *metrics) decided(ds []dsl.Decision) {
	for _, d := range ds {
		m.decisions.WithLabelValues(string(d.Action)).Inc()
	}
}

// answer counts what became of an option of extraction.
func (m *metrics) answer(a *extract.Answer) {
	m.answers.WithLabelValues(a.Stage, a.Option, string(a.Fate)).Inc()
}

// extracting times the modules that read one turn.
func (m *metrics) extracting() func(stage string) { return meter.Laps(m.now, m.extract) }

// Who makes vectors, and what comes of searches that lack some, as metrics name it.
const (
	inBackground = "background"
	bySearch     = "search"

	fatePartial  = "partial"
	fateNotReady = "not_ready"
)

// answering times the stages of one answer.
func (m *metrics) answering() func(stage string) { return meter.Laps(m.now, m.stages) }

// The kinds of answers.
const (
	kindSearch = "search"
	kindPack   = "pack"
)

// answered counts an answer of so many parts.
func (m *metrics) answered(kind string, parts int, err error) {
	outcome := "found"
	switch {
	case err != nil:
		outcome = "failed"
	case parts == 0:
		outcome = "empty"
	}
	m.queries.WithLabelValues(kind, outcome).Inc()
}

// viewed counts a view of a time while the head was at another.
func (m *metrics) viewed(head, view dsl.Instant) {
	m.age.Observe(max(float64(int64(head)-int64(view)), 0) / 1e6)
}
