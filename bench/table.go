package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// table gathers the rounds of every run.
type table struct {
	order []run
	rows  map[run][]result
	wrong int
}

func newTable() *table { return &table{rows: map[run][]result{}} }

func (t *table) add(r run, res result) {
	if t.rows[r] == nil {
		t.order = append(t.order, r)
	}
	t.rows[r] = append(t.rows[r], res)
	for name, v := range res {
		if n, ok := v.(float64); ok && strings.HasPrefix(name, "wrong_") {
			t.wrong += int(n)
		}
	}
}

// value looks up a figure such as "writes_per_s" or "point.p99".
func value(res result, name string) (float64, bool) {
	outer, inner, nested := strings.Cut(name, ".")
	v := res[outer]
	if nested {
		m, ok := v.(map[string]any)
		if !ok {
			return 0, false
		}
		v = m[inner]
	}
	f, ok := v.(float64)
	return f, ok
}

// spread gives minimum, median and maximum of a figure over the rounds.
func (t *table) spread(r run, name string) (lo, mid, hi float64, ok bool) {
	var all []float64
	for _, res := range t.rows[r] {
		if v, ok := value(res, name); ok {
			all = append(all, v)
		}
	}
	if len(all) == 0 {
		return 0, 0, 0, false
	}
	slices.Sort(all)
	return all[0], all[len(all)/2], all[len(all)-1], true
}

// figures are the lines of the table, each held against one peer: asof's median
// over the peer's, or for times the other way round, so that more is better.
var figures = []struct {
	name, what, against string
	time                bool
}{
	{"fdatasync_p50_us", "fdatasync p50 µs", "", true},
	{"writes_per_s", "writes/s", "postgres-gist", false},
	{"write.p50", "write p50 µs", "postgres-gist", true},
	{"write.p99", "write p99 µs", "postgres-gist", true},
	{"write_cpu_us", "write CPU µs", "postgres-gist", true},
	{"point_cpu_us", "point CPU µs", "pebble", true},
	{"point.p50", "point p50 µs", "pebble", true},
	{"point.p95", "point p95 µs", "pebble", true},
	{"point.p99", "point p99 µs", "pebble", true},
	{"edge_cpu_us", "edge CPU µs", "pebble", true},
	{"edge.p99", "edge p99 µs", "pebble", true},
	{"history_cpu_us", "history CPU µs", "pebble", true},
	{"history.p50", "history p50 µs", "pebble", true},
	{"history.p99", "history p99 µs", "pebble", true},
	{"snapshot_cpu_us", "snapshot CPU µs", "pebble", true},
	{"snapshot.p50", "snapshot p50 µs", "pebble", true},
	{"snapshot.p99", "snapshot p99 µs", "pebble", true},
	{"replay_per_s", "rebuild ops/s", "", false},
	{"replay_cpu_us", "rebuild CPU µs", "", true},
	{"rss_mb", "resident MB", "pebble", true},
	{"disk_mb", "disk MB", "pebble", true},
}

// print writes a block for each figure and batch size.
func (t *table) print(out io.Writer, n int) {
	fmt.Fprintf(out, "\nW1, %d versions: min / median / max of %d rounds; ratio > 1 is better than the peer in brackets; %d answers wrong\n",
		n, len(t.rows[t.order[0]]), t.wrong)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, f := range figures {
		for _, r := range t.order {
			lo, mid, hi, ok := t.spread(r, f.name)
			if !ok {
				continue
			}
			ratio := ""
			against := f.against
			if concurrentRun(r.peer) {
				against = "postgres-gist-16"
			}
			if _, other, _, ok := t.spread(run{against, r.batch, r.n}, f.name); ok && other > 0 && mid > 0 && r.peer != against {
				x := mid / other
				if f.time {
					x = other / mid
				}
				ratio = fmt.Sprintf("%.2f (%s)", x, against)
			}
			fmt.Fprintf(w, "%s\tbatch %d\t%s\t%.6g\t%.6g\t%.6g\t%s\n", f.what, r.batch, r.peer, lo, mid, hi, ratio)
		}
	}
	w.Flush()
}
