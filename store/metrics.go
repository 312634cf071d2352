package store

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/asof-db/asof/internal/meter"
)

// metrics are the store's. They always exist; without a Registerer nobody sees
// them.
type metrics struct {
	now    func() time.Time
	apply  prometheus.Histogram
	spaces prometheus.Histogram
	bytes  prometheus.Counter
	index  prometheus.Counter
	set    *meter.Set
}

func newMetrics(s *Store, o *Options) (m *metrics, err error) {
	m = &metrics{
		now: o.Clock,
		apply: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "asof_store_apply_seconds", Help: "Time that it took to fold a group of transactions into the store and to commit it.",
			Buckets: meter.Seconds(),
		}),
		bytes: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "asof_store_commit_bytes_total", Help: "Bytes of the batches that were committed to the store.",
		}),
		index: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "asof_store_index_read_bytes_total", Help: "Bytes of rows of the text index that searches read.",
		}),
		spaces: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "asof_store_commit_spaces", Help: "Spaces that one committed batch touched.",
			Buckets: prometheus.ExponentialBuckets(1, 2, 10),
		}),
	}
	m.set, err = meter.Register(o.Registerer, m.apply, m.bytes, m.index, m.spaces, &blocks{store: s})
	return m, err
}

// clock gives the time where there is a clock to ask.
func (m *metrics) clock() (at time.Time) {
	if m != nil && m.now != nil {
		at = m.now()
	}
	return at
}

// committed counts a batch that took so long.
func (m *metrics) committed(bytes, spaces int, took time.Duration) {
	m.bytes.Add(float64(bytes))
	m.spaces.Observe(float64(spaces))
	if m.now != nil {
		m.apply.Observe(max(took, 0).Seconds())
	}
}

// indexRead counts what a search read; a store that is frozen has no metrics.
func (m *metrics) indexRead(bytes int) {
	if m != nil {
		m.index.Add(float64(bytes))
	}
}

// blocks collects what Pebble itself counts, when it is asked for.
type blocks struct{ store *Store }

var (
	descCache = prometheus.NewDesc("asof_store_block_cache_reads_total", "Blocks of tables that were looked for in the cache, by outcome: hit or miss.", []string{"outcome"}, nil)
	descDisk  = prometheus.NewDesc("asof_store_disk_bytes", "What the store's files take on disk.", nil, nil)
	descReads = prometheus.NewDesc("asof_store_read_amplification_levels", "Levels of tables that a read may have to look at.", nil, nil)
	descDebt  = prometheus.NewDesc("asof_store_compaction_debt_bytes", "Bytes that wait to be compacted.", nil, nil)
)

// Describe implements prometheus.Collector.
func (*blocks) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{descCache, descDisk, descReads, descDebt} {
		ch <- d
	}
}

// Collect implements prometheus.Collector. A store that is closed has nothing to
// say.
func (b *blocks) Collect(ch chan<- prometheus.Metric) {
	b.store.mu.RLock()
	defer b.store.mu.RUnlock()
	if b.store.closed || b.store.db == nil {
		return
	}
	m := b.store.db.Metrics()
	ch <- prometheus.MustNewConstMetric(descCache, prometheus.CounterValue, float64(m.BlockCache.Hits), "hit")
	ch <- prometheus.MustNewConstMetric(descCache, prometheus.CounterValue, float64(m.BlockCache.Misses), "miss")
	ch <- prometheus.MustNewConstMetric(descDisk, prometheus.GaugeValue, float64(m.DiskSpaceUsage()))
	ch <- prometheus.MustNewConstMetric(descReads, prometheus.GaugeValue, float64(m.ReadAmp()))
	ch <- prometheus.MustNewConstMetric(descDebt, prometheus.GaugeValue, float64(m.Compact.EstimatedDebt))
}
