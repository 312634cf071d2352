package onnx

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/asof-db/asof/internal/meter"
)

// metrics count what models do.
type metrics struct {
	runs, rows *prometheus.CounterVec
	fallbacks  prometheus.Counter
	set        *meter.Set
}

// newMetrics makes the metrics and registers them; without a registerer they count unseen. The model
// is the name that the configuration has for it.
func newMetrics(reg prometheus.Registerer) (*metrics, error) {
	by := []string{"model", "device"}
	m := &metrics{
		runs:      prometheus.NewCounterVec(prometheus.CounterOpts{Name: "asof_onnx_runs_total", Help: "Runs of a model."}, by),
		rows:      prometheus.NewCounterVec(prometheus.CounterOpts{Name: "asof_onnx_rows_total", Help: "Texts or pairs that went through a model."}, by),
		fallbacks: prometheus.NewCounter(prometheus.CounterOpts{Name: "asof_onnx_fallbacks_total", Help: "Models that run on the processor because CUDA did not work."}),
	}
	var err error
	m.set, err = meter.Register(reg, m.runs, m.rows, m.fallbacks)
	return m, err
}
