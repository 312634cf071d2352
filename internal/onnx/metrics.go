package onnx

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics count what models do.
type metrics struct {
	runs, rows *prometheus.CounterVec
	fallbacks  prometheus.Counter
}

// newMetrics makes the metrics and registers them; without a registerer they count unseen.
func newMetrics(reg prometheus.Registerer) (*metrics, error) {
	by := []string{"model", "device"}
	m := &metrics{
		runs:      prometheus.NewCounterVec(prometheus.CounterOpts{Name: "asof_onnx_runs_total", Help: "Runs of a model."}, by),
		rows:      prometheus.NewCounterVec(prometheus.CounterOpts{Name: "asof_onnx_rows_total", Help: "Texts or pairs that went through a model."}, by),
		fallbacks: prometheus.NewCounter(prometheus.CounterOpts{Name: "asof_onnx_fallbacks_total", Help: "Models that run on the processor because CUDA did not work."}),
	}
	if reg == nil {
		return m, nil
	}
	return m, errors.Join(reg.Register(m.runs), reg.Register(m.rows), reg.Register(m.fallbacks))
}
