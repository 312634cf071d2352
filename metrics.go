package asof

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/asof-db/asof/extract"
)

// metrics are the front door's; a nil *metrics counts nothing.
type metrics struct {
	turns     *prometheus.CounterVec
	decisions *prometheus.CounterVec
	groups    prometheus.Histogram
	model     *prometheus.CounterVec
	answers   *prometheus.CounterVec
}

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
	m.answers = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "asof_extract_answers_total", Help: "Answers of models and servers that extraction asked, by stage, option and fate: taken, or why the turn fell back to a cheaper option (failed, late, malformed, nonsense, too_long).",
	}, []string{"stage", "option", "fate"})
	reg.MustRegister(m.turns, m.decisions, m.groups, m.model, m.answers)
	return m
}

func (m *metrics) fate(f Fate) {
	if m != nil {
		m.turns.WithLabelValues(string(f)).Inc()
	}
}

// answer counts what became of an option of extraction.
func (m *metrics) answer(a *extract.Answer) {
	if m != nil {
		m.answers.WithLabelValues(a.Stage, a.Option, string(a.Fate)).Inc()
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
