package neo4j

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics are the projector's; a nil registry counts them all the same.
type metrics struct {
	lagSeconds    prometheus.GaugeFunc
	lagMessages   prometheus.GaugeFunc
	transactions  prometheus.Counter
	nodes         prometheus.Counter
	relationships prometheus.Counter
	batch         prometheus.Histogram
	retries       *prometheus.CounterVec
	stopped       prometheus.Gauge
	reg           prometheus.Registerer
}

func newMetrics(reg prometheus.Registerer, l *lag) *metrics {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	m := &metrics{
		lagSeconds: prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "asof_neo4j_lag_seconds",
			Help: "How long the oldest log message that is not in the graph has been in the store; 0 where all are."}, l.seconds),
		lagMessages: prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "asof_neo4j_lag_messages",
			Help: "Log messages that the store holds and the graph does not."}, l.messages),
		transactions:  counter("asof_neo4j_transactions_total", "Log transactions written to the graph."),
		nodes:         counter("asof_neo4j_nodes_total", "Nodes made in the graph."),
		relationships: counter("asof_neo4j_relationships_total", "Relationships made in the graph."),
		batch: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "asof_neo4j_batch_seconds",
			Help: "Time that a transaction of the graph took.", Buckets: prometheus.ExponentialBuckets(0.005, 2, 13)}),
		retries: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "asof_neo4j_retries_total",
			Help: "Tries that failed and were made again, by what followed from the error: passing, moved, too_large or rows."}, []string{"kind"}),
		stopped: prometheus.NewGauge(prometheus.GaugeOpts{Name: "asof_neo4j_stopped_spaces",
			Help: "Spaces that are not projected, because their rows were refused."}),
	}
	if m.reg = reg; reg != nil {
		reg.MustRegister(m.all()...)
	}
	return m
}

func (m *metrics) all() []prometheus.Collector {
	return []prometheus.Collector{m.lagSeconds, m.lagMessages, m.transactions, m.nodes, m.relationships, m.batch, m.retries, m.stopped}
}

// close takes the metrics out of their registry.
func (m *metrics) close() {
	for _, c := range m.all() {
		if m.reg != nil {
			m.reg.Unregister(c)
		}
	}
}

// lag knows how far the graph is behind the store.
type lag struct {
	now func() time.Time

	mu   sync.Mutex // guards what follows
	seen []sighting
	done uint64
}

// sighting is when the projector first saw that the store holds a message.
type sighting struct {
	message uint64
	at      time.Time
}

// maxSightings bounds what a projector that stands still remembers; further
// messages then count as seen with the last one.
const maxSightings = 4096

// saw notes the last message of the store.
func (l *lag) saw(message uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.seen)
	switch {
	case message <= l.done || n > 0 && message <= l.seen[n-1].message:
	case n == maxSightings:
		l.seen[n-1].message = message
	default:
		l.seen = append(l.seen, sighting{message, l.now()})
	}
}

// reached notes the last message of the graph.
func (l *lag) reached(message uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.done = max(l.done, message)
	i := 0
	for i < len(l.seen) && l.seen[i].message <= l.done {
		i++
	}
	l.seen = l.seen[i:]
}

func (l *lag) seconds() float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.seen) == 0 {
		return 0
	}
	return l.now().Sub(l.seen[0].at).Seconds()
}

func (l *lag) messages() float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.seen) == 0 {
		return 0
	}
	return float64(l.seen[len(l.seen)-1].message - l.done)
}
