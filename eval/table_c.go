package eval

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/configs"
)

// tableC is Table C of the plan under way: entry × fusion × rerank, every row
// asked the same questions of the same memories in the same run.
type tableC struct {
	setups  []setup
	models  *asof.Models // that the setups share
	columns []columnC
	// categories are those of the scored questions, in the order asked.
	categories []string
	groups     []group
	seed       uint64
}

// columnC is what one setup gave.
type columnC struct {
	// scores are by scored question, each in the order of MetricNames.
	scores [][]float64
	took   []latency
	trec   *outFile
}

// RowC is one row of Table C over the data set's main group.
type RowC struct {
	// Setup names the row; Entry, Fusion and Rerank say what it is made of.
	Setup  string `json:"setup"`
	Entry  string `json:"entry"`
	Fusion string `json:"fusion"`
	Rerank string `json:"rerank"`
	// Why says why the row was not run; empty where it was.
	Why string `json:"not_run,omitempty"`
	// N counts the questions.
	N int `json:"n"`
	// Values are the means of tableMetrics, Diffs the differences from the baseline.
	Values []float64  `json:"values,omitempty"`
	Diffs  []Interval `json:"diffs,omitempty"`
	// P50 and P95 are latencies of a search.
	P50 time.Duration `json:"-"`
	P95 time.Duration `json:"-"`
	// CPU50 and CPU95 are the same in processor time.
	CPU50 time.Duration `json:"-"`
	CPU95 time.Duration `json:"-"`
}

// tableMetrics are the metrics that Table C compares. Hit@k is any@k.
var tableMetrics = []string{"any@1", "any@5", "any@10", "any@16", "recall@5", "recall@10", "all@5", "all@10", "all@16", "ndcg@5", "ndcg@10", "mrr"}

// newTableC prepares the rows of Table C under a configuration.
func newTableC(dir *folder, cfg configs.Config, groups []group, seed uint64, rows *regexp.Regexp) (*tableC, error) {
	t := &tableC{setups: setupsC(), groups: groups, seed: seed}
	notAsked(t.setups, rows)
	t.models = makeReady(t.setups, cfg)
	t.columns = make([]columnC, len(t.setups))
	for i := range t.setups {
		if t.setups[i].profile == nil {
			continue
		}
		var err error
		if t.columns[i].trec, err = dir.create("runs/" + t.setups[i].name + ".trec"); err != nil {
			return nil, errors.Join(err, t.close())
		}
	}
	return t, nil
}

// close frees the models of the setups.
func (t *tableC) close() error {
	return t.models.Close()
}

// ask asks every setup one question. The setup that begins moves on with the
// question, so that none has the advantage of what another warmed up.
func (t *tableC) ask(ctx context.Context, v *asof.View, r *run, x *exam, at int) ([]answer, error) {
	q := &x.questions[at]
	out := make([]answer, len(t.setups))
	for i := range t.setups {
		s := (i + at + len(q.text)) % len(t.setups)
		p := t.setups[s].profile
		if p == nil {
			continue
		}
		var err error
		out[s], err = r.ask(ctx, x, q, memoryAsker{search: func(ctx context.Context, q *posed, k int) ([]Hit, string, error) {
			return searchView(ctx, v, p, r.suite.kind, x.list, q, k)
		}})
		if err != nil {
			return nil, fmt.Errorf("eval: question %s, setup %s: %w", q.qid, t.setups[s].name, err)
		}
	}
	return out, nil
}

// record keeps what the setups gave for one question.
func (t *tableC) record(q *posed, answers []answer, tag string) {
	scored := len(q.gold) > 0
	if scored {
		t.categories = append(t.categories, q.category)
	}
	for i, a := range answers {
		c := &t.columns[i]
		if c.trec == nil {
			continue
		}
		writeRun(c.trec, q.qid, a.hits, tag+"/"+t.setups[i].name)
		c.took = append(c.took, a.took)
		if scored {
			c.scores = append(c.scores, Score(q.gold, ids(a.hits)))
		}
	}
}

// of gives the figures of a metric over the questions of a group.
func (t *tableC) of(column int, metric string, g *group) []float64 {
	m := slices.Index(MetricNames(), metric)
	var out []float64
	for i, c := range t.categories {
		if g.holds(c) {
			out = append(out, t.columns[column].scores[i][m])
		}
	}
	return out
}

// rows gives the table over one group, and writes comparisons.csv over all.
func (t *tableC) rows(dir *folder, main string) ([]RowC, error) {
	o, err := dir.create("comparisons.csv")
	if err != nil {
		return nil, err
	}
	record(o, "setup", "metric", "category", "n", "value", "baseline", "difference", "low", "high", "verdict")
	base := slices.IndexFunc(t.setups, func(s setup) bool { return s.name == BaselineSetup })
	out := make([]RowC, len(t.setups))
	for i, s := range t.setups {
		out[i] = RowC{Setup: s.name, Entry: s.entry, Fusion: s.fusion, Rerank: s.rerank, Why: s.why}
		out[i].P50, out[i].P95 = percentiles(t.columns[i].took, wall)
		out[i].CPU50, out[i].CPU95 = percentiles(t.columns[i].took, cpu)
	}
	for g := range t.groups {
		n := 0
		for _, c := range t.categories {
			if t.groups[g].holds(c) {
				n++
			}
		}
		if n == 0 {
			continue
		}
		b := newBootstrap(n, t.seed)
		for i := range t.setups {
			if t.setups[i].profile == nil {
				continue
			}
			for _, m := range tableMetrics {
				ours, theirs := t.of(i, m, &t.groups[g]), t.of(base, m, &t.groups[g])
				d := b.paired(ours, theirs)
				record(o, t.setups[i].name, m, t.groups[g].name, strconv.Itoa(n), number(mean(ours)), number(mean(theirs)),
					number(d.Diff), number(d.Low), number(d.High), d.Verdict())
				if t.groups[g].name == main {
					out[i].N = n
					out[i].Values, out[i].Diffs = append(out[i].Values, mean(ours)), append(out[i].Diffs, d)
				}
			}
		}
	}
	return out, nil
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// Of gives a row's mean of a metric and its difference from the baseline, and
// whether the row was run.
func (r *RowC) Of(metric string) (float64, Interval, bool) {
	m := slices.Index(tableMetrics, metric)
	if m < 0 || m >= len(r.Values) {
		return 0, Interval{}, false
	}
	return r.Values[m], r.Diffs[m], true
}

// shownC are the metrics of Table C that people see.
var shownC = []string{"any@1", "any@5", "any@10", "recall@10", "all@10", "ndcg@5", "ndcg@10"}

// writeTableC writes table_c.csv and the latencies beside it, which lie in
// figs/latency-table_c.csv because they are no part of what two runs agree on.
func (r *run) writeTableC() error {
	rows, err := r.table.rows(r.dir, r.suite.main)
	if err != nil {
		return err
	}
	r.TableC = rows
	o, err := r.dir.create("table_c.csv")
	if err != nil {
		return err
	}
	head := []string{"setup", "entry", "fusion", "rerank", "status", "why", "n"}
	for _, m := range tableMetrics {
		head = append(head, m, m+" difference", m+" low", m+" high")
	}
	record(o, head...)
	l, err := r.dir.create("figs/latency-table_c.csv")
	if err != nil {
		return err
	}
	record(l, "setup", "p50_ms", "p95_ms", "baseline_p95_ms", "p95_within_baseline", "cpu_p50_ms", "cpu_p95_ms", "baseline_cpu_p95_ms", "cpu_p95_within_baseline")
	base := rows[slices.IndexFunc(rows, func(row RowC) bool { return row.Setup == BaselineSetup })]
	for _, row := range rows {
		status := "run"
		if row.Why != "" {
			status = "not run"
		}
		line := []string{row.Setup, row.Entry, row.Fusion, row.Rerank, status, row.Why, strconv.Itoa(row.N)}
		for i := range tableMetrics {
			if row.Why != "" {
				line = append(line, "", "", "", "")
				continue
			}
			d := row.Diffs[i]
			line = append(line, number(row.Values[i]), number(d.Diff), number(d.Low), number(d.High))
		}
		record(o, line...)
		if row.Why == "" && r.opt.Clock != nil {
			record(l, row.Setup, milliseconds(row.P50), milliseconds(row.P95), milliseconds(base.P95), strconv.FormatBool(row.P95 <= base.P95),
				milliseconds(row.CPU50), milliseconds(row.CPU95), milliseconds(base.CPU95), strconv.FormatBool(row.CPU95 <= base.CPU95))
		}
	}
	return nil
}

// summaryC is Table C for people.
func (r *run) summaryC(o *outFile) {
	if r.table == nil {
		return
	}
	fmt.Fprintf(o, "\n## Table C: entry × fusion × rerank\n\nOver %s, %d resamples, seed %d. Differences are from %s in the same run, with 95 %% intervals by the paired bootstrap; a difference whose interval holds 0 is no difference. Hit@k is any@k. Latencies are in figs/latency-table_c.csv, every comparison in comparisons.csv, every ranking in runs/.\n\n",
		r.suite.main, Resamples, r.table.seed, BaselineSetup)
	fmt.Fprintf(o, "| setup | entry | fusion | rerank | %s | recall@10 − baseline | ndcg@10 − baseline |\n|---|---|---|---|%s---|---|\n",
		strings.Join(shownC, " | "), strings.Repeat("---:|", len(shownC)))
	for i := range r.TableC {
		row := &r.TableC[i]
		fmt.Fprintf(o, "| %s | %s | %s | %s |", row.Setup, row.Entry, row.Fusion, row.Rerank)
		if row.Why != "" {
			fmt.Fprintf(o, "%s not run: %s | |\n", strings.Repeat(" |", len(shownC)), strings.ReplaceAll(row.Why, "|", "\\|"))
			continue
		}
		for _, m := range shownC {
			v, _, _ := row.Of(m)
			fmt.Fprintf(o, " %.4f |", v)
		}
		for _, m := range []string{"recall@10", "ndcg@10"} {
			_, d, _ := row.Of(m)
			if row.Setup == BaselineSetup {
				fmt.Fprint(o, " |")
			} else {
				fmt.Fprintf(o, " %s, %s |", d, d.Verdict())
			}
		}
		fmt.Fprintln(o)
	}
}
