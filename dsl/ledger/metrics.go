package ledger

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/asof-db/asof/internal/meter"
)

// metrics are the ledger's own. They always exist; without a Registerer nobody sees them.
type metrics struct {
	set           *meter.Set
	appendSeconds prometheus.Histogram
	appends       prometheus.Counter
	records       prometheus.Counter
	bytes         prometheus.Counter
	conflicts     prometheus.Counter
	unknown       prometheus.Counter
	readMessages  prometheus.Counter
	readBytes     prometheus.Counter
}

// newMetrics makes the metrics and registers them with reg; nil for none.
func newMetrics(reg prometheus.Registerer) (*metrics, error) {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	m := &metrics{
		appendSeconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "asof_ledger_append_seconds",
			Help:    "Time from an append's start to its durable acknowledgement.",
			Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, 1, 5},
		}),
		appends:      counter("asof_ledger_appends_total", "Messages committed."),
		records:      counter("asof_ledger_append_records_total", "Records committed."),
		bytes:        counter("asof_ledger_append_bytes_total", "Bytes of committed messages."),
		conflicts:    counter("asof_ledger_conflicts_total", "Appends refused because their partition had moved on."),
		unknown:      counter("asof_ledger_unknown_outcomes_total", "Appends whose acknowledgement was lost."),
		readMessages: counter("asof_ledger_read_messages_total", "Messages read from the log."),
		readBytes:    counter("asof_ledger_read_bytes_total", "Bytes of messages read from the log."),
	}
	var err error
	m.set, err = meter.Register(reg, m.appendSeconds, m.appends, m.records, m.bytes, m.conflicts, m.unknown, m.readMessages, m.readBytes)
	return m, err
}

// close takes the metrics out of the Registerer, so that a ledger can be opened again in the same process.
func (m *metrics) close() { m.set.Close() }

// appended counts one append. took is negative when it was not timed.
func (m *metrics) appended(records, bytes int, took time.Duration, err error) {
	switch {
	case err == nil:
		m.appends.Inc()
		m.records.Add(float64(records))
		m.bytes.Add(float64(bytes))
		if took >= 0 {
			m.appendSeconds.Observe(took.Seconds())
		}
	case errors.Is(err, ErrConflict):
		m.conflicts.Inc()
	case errors.Is(err, ErrUnknownOutcome):
		m.unknown.Inc()
	}
}
