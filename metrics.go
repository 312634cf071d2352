package asof

import "github.com/prometheus/client_golang/prometheus"

// metrics are the front door's; a nil *metrics counts nothing.
type metrics struct {
	turns     *prometheus.CounterVec
	decisions *prometheus.CounterVec
	groups    prometheus.Histogram
	model     *prometheus.CounterVec
	vectors   *prometheus.CounterVec
	unready   *prometheus.CounterVec
}

// Where vectors are made, as metrics name it.
const (
	inBackground = "background"
	bySearch     = "search"
)

func newMetrics(reg prometheus.Registerer) *metrics {
	if reg == nil {
		return nil
	}
	m := &metrics{
		turns: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "asof_ingest_items_total", Help: "Items that came in, by what became of them: new, duplicate or refused.",
		}, []string{"fate"}),
		decisions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "asof_assimilate_decisions_total", Help: "Decisions about candidates, by action.",
		}, []string{"action"}),
		groups: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "asof_ingest_group_transactions", Help: "Transactions that were committed together.",
			Buckets: prometheus.ExponentialBuckets(1, 2, 10),
		}),
	}
	m.model = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "asof_llm_answers_total", Help: "Questions to the language model, by use (summary, backfill) and by whether its answer was taken: taken, refused (the answer is of no use), failed (there was none).",
	}, []string{"use", "fate"})
	m.vectors = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "asof_vectors_made_total", Help: "Documents that vectors were made of and kept, by who made them: background, or search (a search that waited for them).",
	}, []string{"by"})
	m.unready = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "asof_search_coverage_total", Help: "Searches by model vectors of a view that was not wholly embedded: partial (took a part) or not_ready (refused).",
	}, []string{"answer"})
	reg.MustRegister(m.turns, m.decisions, m.groups, m.model, m.vectors, m.unready)
	return m
}

func (m *metrics) fate(f Fate) {
	if m != nil {
		m.turns.WithLabelValues(string(f)).Inc()
	}
}

func (m *metrics) asked(use, fate string) {
	if m != nil {
		m.model.WithLabelValues(use, fate).Inc()
	}
}

func (m *metrics) group(n int) {
	if m != nil {
		m.groups.Observe(float64(n))
	}
}

// encoded counts documents that vectors were made of.
func (m *metrics) encoded(by string, n int) {
	if m != nil {
		m.vectors.WithLabelValues(by).Add(float64(n))
	}
}

// answered counts a search that took a part, or that was refused for it.
func (m *metrics) answered(partial bool) {
	if m == nil {
		return
	}
	answer := "not_ready"
	if partial {
		answer = "partial"
	}
	m.unready.WithLabelValues(answer).Inc()
}
