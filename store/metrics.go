package store

import "github.com/prometheus/client_golang/prometheus"

// metrics are the store's; a nil *metrics counts nothing.
type metrics struct {
	spaces prometheus.Histogram
	bytes  prometheus.Counter
	index  prometheus.Counter
}

func newMetrics(reg prometheus.Registerer) *metrics {
	if reg == nil {
		return nil
	}
	m := &metrics{
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
	reg.MustRegister(m.bytes, m.index, m.spaces)
	return m
}

func (m *metrics) committed(bytes, spaces int) {
	if m == nil {
		return
	}
	m.bytes.Add(float64(bytes))
	m.spaces.Observe(float64(spaces))
}

func (m *metrics) indexRead(bytes int) {
	if m != nil {
		m.index.Add(float64(bytes))
	}
}
