package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.yaml.in/yaml/v3"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/extract"
	"github.com/asof-db/asof/retrieval"
)

// labels are the labels that metrics may have: each has few values, which do not
// depend on what users write.
var labels = []string{"action", "device", "fate", "kind", "model", "module", "option", "outcome", "stage", "use"}

// metric is a row of the table in docs/OPERATIONS.md.
type metric struct {
	name, labels, help string
}

// described is a registerer that keeps what the metrics say of themselves.
type described struct {
	prometheus.Registerer
	mu  sync.Mutex // guards all
	all []metric
}

var descOf = regexp.MustCompile(`fqName: "([^"]*)", help: "((?:[^"\\]|\\.)*)", (?:unit: "[^"]*", )?constLabels: \{\}, variableLabels: \{([^}]*)\}`)

func (d *described) Register(c prometheus.Collector) error {
	ch := make(chan *prometheus.Desc, 64)
	go func() {
		c.Describe(ch)
		close(ch)
	}()
	d.mu.Lock()
	defer d.mu.Unlock()
	for desc := range ch {
		m := descOf.FindStringSubmatch(desc.String())
		if m == nil {
			return fmt.Errorf("a metric with constant labels, or none: %s", desc)
		}
		d.all = append(d.all, metric{m[1], strings.ReplaceAll(m[3], ",", ", "), m[2]})
	}
	return d.Registerer.Register(c)
}

// listed reads the table of metrics in docs/OPERATIONS.md.
func listed(t *testing.T) (rows []metric) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "docs", "OPERATIONS.md"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if cells := strings.Split(strings.Trim(line, "|\n "), " | "); len(cells) == 3 && strings.HasPrefix(cells[0], "`asof_") {
			rows = append(rows, metric{strings.Trim(cells[0], "`"), strings.Trim(strings.TrimSpace(cells[1]), "`"), cells[2]})
		}
	}
	return rows
}

// busy opens a memory that registers its metrics, with so many spaces that were
// written and asked.
func busy(t *testing.T, reg prometheus.Registerer, spaces int) {
	t.Helper()
	db, err := asof.Open(t.Context(), asof.Options{Dir: t.TempDir(), Clock: time.Now, Registerer: reg})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	var items []asof.Item
	for i := range spaces {
		items = append(items, asof.Item{Space: fmt.Sprintf("space-%d", i), Turn: &dsl.Turn{ID: "t1", Speaker: dsl.Plain("Anna"),
			Text: dsl.Plain(fmt.Sprintf("I live in Boston, and my number is %d.", i)), TS: 1_700_000_000_000_000}})
	}
	if _, err := db.Ingest(t.Context(), items); err != nil {
		t.Fatal(err)
	}
	for i := range spaces {
		space, q := fmt.Sprintf("space-%d", i), asof.SearchQuery{Text: "Where does Anna live?", K: 3}
		if _, err := db.Search(t.Context(), space, asof.At{}, q); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Pack(t.Context(), space, asof.At{}, q, asof.PackOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestMetrics holds every metric of an open memory to its row in
// docs/OPERATIONS.md, its name to the rule, its labels to those that are allowed,
// and the number of series to not growing with what is written.
func TestMetrics(t *testing.T) {
	d := &described{Registerer: prometheus.NewRegistry()}
	busy(t, d, 1)
	byName := func(a, b metric) int { return cmp.Compare(a.name, b.name) }
	slices.SortFunc(d.all, byName)
	rows := listed(t)
	if !slices.IsSortedFunc(rows, byName) {
		t.Error("docs/OPERATIONS.md: the metrics are not sorted by name")
	}
	name := regexp.MustCompile(`^asof_[a-z0-9]+(_[a-z]+)+_(seconds|bytes|tokens|transactions|spaces|requests|levels|messages|bool|total)$`)
	for _, m := range d.all {
		if i := slices.IndexFunc(rows, func(r metric) bool { return r.name == m.name }); i < 0 || rows[i] != m {
			t.Errorf("docs/OPERATIONS.md lacks the row\n| `%s` | %s | %s |", m.name, m.labels, m.help)
		}
		if !name.MatchString(m.name) {
			t.Errorf("%s is not named asof_<part>_<what>_<unit>", m.name)
		}
		if m.help == "" || !strings.HasSuffix(m.help, ".") {
			t.Errorf("%s: help %q", m.name, m.help)
		}
	}
	for _, r := range rows {
		for _, l := range strings.FieldsFunc(r.labels, func(r rune) bool { return r == ',' || r == ' ' }) {
			if !slices.Contains(labels, l) {
				t.Errorf("%s has the label %q, which may have any number of values", r.name, l)
			}
		}
		// Parts that this memory does not have are registered by their own tests.
		other := strings.HasPrefix(r.name, "asof_onnx_") || strings.HasPrefix(r.name, "asof_neo4j_")
		if !other && !slices.Contains(d.all, r) {
			t.Errorf("docs/OPERATIONS.md has %q, which no memory has", r.name)
		}
	}
	few, many := prometheus.NewRegistry(), prometheus.NewRegistry()
	busy(t, few, 2)
	busy(t, many, 40)
	if a, b := series(t, few), series(t, many); !slices.Equal(a, b) {
		t.Errorf("2 spaces give the series %v,\n40 spaces %v", a, b)
	}
	for _, want := range [][2]string{{"module", strings.Join(extract.StageNames(), " ")}, {"stage", strings.Join(retrieval.StageNames(), " ")}} {
		for v := range strings.FieldsSeq(want[1]) {
			if want := want[0] + "=" + v; !slices.ContainsFunc(series(t, few), func(s string) bool { return strings.Contains(s, want) }) {
				t.Errorf("no series has %s", want)
			}
		}
	}
}

// series lists what a registry has, each with its labels.
func series(t *testing.T, reg *prometheus.Registry) (out []string) {
	t.Helper()
	all, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		for _, m := range f.GetMetric() {
			s := f.GetName()
			for _, l := range m.GetLabel() {
				s += " " + l.GetName() + "=" + l.GetValue()
			}
			out = append(out, s)
		}
	}
	return out
}

// TestMetricsOpenAgain opens two memories in turn with one registry.
func TestMetricsOpenAgain(t *testing.T) {
	reg := prometheus.NewRegistry()
	for range 2 {
		db, err := asof.Open(t.Context(), asof.Options{Dir: t.TempDir(), Registerer: reg})
		if err != nil {
			t.Fatal(err)
		}
		if len(series(t, reg)) == 0 {
			t.Error("an open memory has no metrics")
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if left := series(t, reg); len(left) != 0 {
			t.Errorf("after Close there are %v", left)
		}
	}
}

// used finds the metrics of an expression.
var used = regexp.MustCompile(`\b(?:asof|go|process)_[a-z0-9_]+\b|\bup\b`)

// TestDashboardAndAlerts holds what Grafana and Prometheus ask to metrics that
// there are, and to labels that these have, and each alert to its section in
// docs/OPERATIONS.md.
func TestDashboardAndAlerts(t *testing.T) {
	rows := listed(t)
	asked := map[string]bool{}
	ask := func(where, expr string) {
		found := used.FindAllString(expr, -1)
		if len(found) == 0 {
			t.Errorf("%s: %q asks for no metric", where, expr)
		}
		for _, m := range found {
			if !strings.HasPrefix(m, "asof_") {
				continue
			}
			i := slices.IndexFunc(rows, func(r metric) bool {
				return r.name == m || !strings.HasSuffix(r.name, "_total") && slices.Contains([]string{r.name + "_bucket", r.name + "_sum", r.name + "_count"}, m)
			})
			if i < 0 {
				t.Errorf("%s: there is no metric %s", where, m)
				continue
			}
			asked[rows[i].name] = true
			for _, by := range regexp.MustCompile(`by \(([^)]*)\)`).FindAllStringSubmatch(expr, -1) {
				for l := range strings.SplitSeq(by[1], ",") {
					if l = strings.TrimSpace(l); l != "le" && l != "instance" && !strings.Contains(rows[i].labels, l) {
						t.Errorf("%s: %s has no label %q", where, m, l)
					}
				}
			}
		}
	}
	var board struct {
		Panels []struct {
			Title, Type string
			Targets     []struct{ Expr string }
		}
	}
	read(t, "grafana/asof.json", func(b []byte) error { return json.Unmarshal(b, &board) })
	for _, p := range board.Panels {
		if len(p.Targets) == 0 && p.Type != "row" {
			t.Errorf("panel %q asks nothing", p.Title)
		}
		for _, target := range p.Targets {
			ask("panel "+p.Title, target.Expr)
		}
	}
	for _, r := range rows {
		if !asked[r.name] && !slices.Contains(unshown, r.name) {
			t.Errorf("no panel shows %s", r.name)
		}
	}
	var rules struct {
		Groups []struct {
			Rules []struct{ Alert, Expr string }
		}
	}
	read(t, "prometheus/alerts.yml", func(b []byte) error { return yaml.Unmarshal(b, &rules) })
	docs, err := os.ReadFile(filepath.Join("..", "..", "docs", "OPERATIONS.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			ask("alert "+r.Alert, r.Expr)
			if !strings.Contains(string(docs), "\n### "+r.Alert+"\n") {
				t.Errorf("docs/OPERATIONS.md does not say what to do on %s", r.Alert)
			}
		}
	}
	if len(rules.Groups) == 0 || len(board.Panels) == 0 {
		t.Error("nothing was read")
	}
}

// unshown are metrics that are for looking closer and have no panel.
var unshown = []string{"asof_ledger_append_records_total", "asof_ledger_appends_total", "asof_ledger_read_messages_total", "asof_onnx_rows_total", "asof_store_commit_spaces"}

// read decodes a file of deploy.
func read(t *testing.T, name string, decode func([]byte) error) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "deploy", filepath.FromSlash(name)))
	if err == nil {
		err = decode(b)
	}
	if err != nil {
		t.Fatalf("deploy/%s: %v", name, err)
	}
}
