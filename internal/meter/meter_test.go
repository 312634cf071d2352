package meter_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/asof-db/asof/internal/meter"
)

func counter(name string) prometheus.Counter {
	return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: "A test."})
}

// TestRegister opens twice what registers metrics, beside each other and one
// after the other.
func TestRegister(t *testing.T) {
	reg := prometheus.NewRegistry()
	first, err := meter.Register(reg, counter("asof_a_total"), counter("asof_b_total"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := meter.Register(reg, counter("asof_c_total"), counter("asof_b_total")); err == nil || !strings.Contains(err.Error(), "register metrics") {
		t.Fatalf("a name twice: %v", err)
	}
	if got := names(t, reg); !slices.Equal(got, []string{"asof_a_total", "asof_b_total"}) {
		t.Errorf("after a refusal there are %v, want what there was", got)
	}
	first.Close()
	first.Close()
	if got := names(t, reg); len(got) != 0 {
		t.Errorf("after Close there are %v", got)
	}
	if _, err := meter.Register(reg, counter("asof_a_total")); err != nil {
		t.Errorf("opened again: %v", err)
	}
	if none, err := meter.Register(nil, counter("asof_a_total")); err != nil {
		t.Errorf("without a registry: %v", err)
	} else {
		none.Close()
	}
}

func names(t *testing.T, reg *prometheus.Registry) (out []string) {
	t.Helper()
	all, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		out = append(out, m.GetName())
	}
	return out
}

// TestLaps times three stages by a clock of its own, which goes back once.
func TestLaps(t *testing.T) {
	h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "asof_test_stage_seconds", Help: "A test.", Buckets: meter.Seconds()}, []string{"stage"})
	at := time.Unix(1000, 0)
	lap := meter.Laps(func() time.Time { return at }, h)
	for _, s := range []struct {
		stage string
		took  time.Duration
	}{{"read", 2 * time.Second}, {"rank", 3 * time.Second}, {"read", -time.Second}} {
		at = at.Add(s.took)
		lap(s.stage)
	}
	reg := prometheus.NewRegistry()
	reg.MustRegister(h)
	all, err := reg.Gather()
	if err != nil || len(all) != 1 {
		t.Fatalf("%v, %v", all, err)
	}
	got := map[string]float64{}
	for _, m := range all[0].GetMetric() {
		got[m.GetLabel()[0].GetValue()] = m.GetHistogram().GetSampleSum()
	}
	if got["read"] != 2 || got["rank"] != 3 {
		t.Errorf("the stages took %v", got)
	}
	if meter.Laps(nil, h) != nil || meter.Laps(time.Now, nil) != nil {
		t.Error("laps without a clock or a histogram")
	}
}
