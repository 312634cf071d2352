package neo4j

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
	"github.com/asof-db/asof/store/storetest"
)

// over makes a projector over a graph in memory.
func over(t testing.TB, m Source, g graph, o Options) *Projector {
	t.Helper()
	o.EnsureDefaults()
	if err := o.Validate(); err != nil {
		t.Fatal(err)
	}
	p, err := newProjector(context.Background(), m, o, g)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// server errors by code.
func code(c string) error { return &driver.Neo4jError{Code: c, Msg: "said in a test"} }

// byPair gives an episode for every two events, which is enough to see them kept.
func byPair(v store.View) (out []Episode, err error) {
	var last *Episode
	for e, err := range v.Events(false) {
		if err != nil {
			return nil, err
		}
		if last == nil || len(last.Events) == 2 {
			out = append(out, Episode{ID: dsl.EpisodeID(v.Basis().Space, e.ID), Span: e.Span, Visible: e.Visible})
			last = &out[len(out)-1]
		}
		last.Events = append(last.Events, e.ID)
	}
	return out, nil
}

// TestAnyBatch projects random spaces in batches of every size, in one go and step
// by step, and wants the same graph: that of the store.
func TestAnyBatch(t *testing.T) {
	for seed := range uint64(12) {
		m := newMemory(t)
		g := newGens(seed, "a", "空间", "c")
		var digests []string
		for range 80 {
			g.step(t, m)
		}
		for _, rows := range []int{1, 7, 100, 100000} {
			o := testOptions()
			o.Rows, o.Episodes = rows, byPair
			graph := newMemGraph()
			p := over(t, m, graph, o)
			if err := p.Sync(context.Background()); err != nil {
				t.Fatal(err)
			}
			r := mustVerify(t, p)
			sum := ""
			for _, s := range r.Spaces {
				sum += s.Graph.String()
			}
			digests = append(digests, sum)
			if rows == 1 && graph.commits < 100 || rows == 100000 && graph.commits != 1 {
				t.Errorf("batches of %d rows: %d commits", rows, graph.commits)
			}
		}
		if len(slices.Compact(digests)) != 1 {
			t.Errorf("seed %d: batches of other sizes give other graphs", seed)
		}
	}
}

// TestFaults makes calls fail at random, before and after they had an effect, while
// the store moves on and spaces are dropped. The graph has to come out equal (N1,
// N2, N3).
func TestFaults(t *testing.T) {
	passing := []error{code("Neo.TransientError.Transaction.DeadlockDetected"), code("Neo.TransientError.General.DatabaseUnavailable"),
		&driver.ConnectivityError{Inner: errors.New("connection lost")}, code("Neo.ClientError.Cluster.NotALeader"),
		code("Neo.DatabaseError.Transaction.TransactionLogError")}
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 3))
		m := newMemory(t)
		g := newGens(seed+100, "a", "b")
		graph := newMemGraph()
		faults := 0
		graph.fault = func(op string, after bool, _ *batch) error {
			if op == "setup" || r.IntN(4) != 0 {
				return nil
			}
			faults++
			return passing[r.IntN(len(passing))]
		}
		o := testOptions()
		o.Rows, o.Episodes = 20, byPair
		o.Pause = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
		p := over(t, m, graph, o)
		for i := range 12 {
			for range 5 {
				g.step(t, m)
			}
			if i == 6 {
				m.add(t, g.list[0].Drop())
			}
			if err := p.Sync(context.Background()); err != nil {
				t.Fatal(err)
			}
			if i == 8 {
				if err := p.Rebuild(context.Background()); err != nil {
					t.Fatal(err)
				}
			}
		}
		graph.fault = func(string, bool, *batch) error { return nil }
		mustVerify(t, p)
		if faults < 20 {
			t.Errorf("seed %d: %d faults", seed, faults)
		}
		if n := len(graph.list); n != 2 {
			t.Errorf("seed %d: %d generations are left of 2 spaces", seed, n)
		}
	}
}

// TestTwoProjectors lets two write the same graph at once (N1).
func TestTwoProjectors(t *testing.T) {
	m := newMemory(t)
	g := newGens(5, "a", "b")
	graph := newMemGraph()
	o := testOptions()
	o.Rows = 5
	for range 60 {
		g.step(t, m)
	}
	first, second := over(t, m, graph, o), over(t, m, graph, o)
	done := make(chan error)
	for _, p := range []*Projector{first, second} {
		go func() { done <- p.Sync(context.Background()) }()
	}
	if err := errors.Join(<-done, <-done); err != nil {
		t.Fatal(err)
	}
	mustVerify(t, first)
}

// TestDeadSpace refuses the rows of one space: the others go on, and the error
// names it (N5).
func TestDeadSpace(t *testing.T) {
	m := newMemory(t)
	g := newGens(6, "good", "bad", "other")
	for range 40 {
		g.step(t, m)
	}
	graph := newMemGraph()
	graph.fault = func(_ string, _ bool, b *batch) error {
		if b != nil && slices.ContainsFunc(b.marks, func(k mark) bool { return k.space == "bad" }) {
			return code("Neo.ClientError.Schema.ConstraintValidationFailed")
		}
		return nil
	}
	reg := prometheus.NewRegistry()
	o := testOptions()
	o.Registerer = reg
	p := over(t, m, graph, o)
	err := p.Sync(context.Background())
	if err == nil || !strings.Contains(err.Error(), `space "bad" is not projected further`) || strings.Contains(err.Error(), "good") {
		t.Fatalf("the error is %v", err)
	}
	r, err := p.Verify(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range r.Spaces {
		if equal := s.Equal && s.Position == s.Head; equal == (s.Space == "bad") {
			t.Errorf("space %q is at %s of %s, equal %v: %s", s.Space, s.Position, s.Head, s.Equal, s.Fault)
		}
	}
	if got := gathered(t, reg)["asof_neo4j_stopped_spaces"]; got != 1 {
		t.Errorf("the metric of stopped spaces is %v", got)
	}
}

// gathered gives the values of a registry's metrics, of histograms the count.
func gathered(t testing.TB, reg *prometheus.Registry) map[string]float64 {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for _, f := range families {
		if f.GetHelp() == "" || !strings.HasPrefix(f.GetName(), "asof_neo4j_") {
			t.Errorf("metric %s has no help or another prefix", f.GetName())
		}
		for _, m := range f.GetMetric() {
			out[f.GetName()] += m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	return out
}

// TestSmallerBatches halves what a server with too little memory is given.
func TestSmallerBatches(t *testing.T) {
	m := newMemory(t)
	g := newGens(7, "a")
	for range 200 {
		g.step(t, m)
	}
	graph := newMemGraph()
	graph.fault = func(_ string, after bool, b *batch) error {
		if b != nil && !after && b.weight > 200 {
			return code("Neo.TransientError.General.MemoryPoolOutOfMemoryError")
		}
		return nil
	}
	o := testOptions()
	o.Rows = 5000
	p := over(t, m, graph, o)
	if err := p.Sync(context.Background()); err != nil {
		t.Fatal(err)
	}
	mustVerify(t, p)
	if graph.largest == 0 || graph.largest > 200 {
		t.Errorf("the largest batch that went through had %d rows", graph.largest)
	}
}

// TestGivesUp counts tries and pauses, which grow.
func TestGivesUp(t *testing.T) {
	m := newMemory(t)
	newGens(8, "a").step(t, m)
	graph := newMemGraph()
	o := testOptions()
	o.Tries, o.FirstPause, o.LastPause, o.URI = 6, 10*time.Millisecond, 100*time.Millisecond, "bolt://db:7687"
	var pauses []time.Duration
	o.Pause = func(_ context.Context, d time.Duration) error { pauses = append(pauses, d); return nil }
	p := over(t, m, graph, o)
	graph.fault = func(string, bool, *batch) error { return &driver.ConnectivityError{Inner: errors.New("refused")} }
	err := p.Sync(context.Background())
	if !errors.Is(err, ErrUnreachable) || !strings.Contains(err.Error(), "bolt://db:7687") || !strings.Contains(err.Error(), "ASOF_NEO4J_URI") {
		t.Errorf("the error is %v", err)
	}
	ms := time.Millisecond
	if want := []time.Duration{15 * ms / 2, 15 * ms, 30 * ms, 60 * ms, 75 * ms}; !slices.Equal(pauses, want) {
		t.Errorf("pauses %v, want %v", pauses, want)
	}
}

// TestFollow follows a store that is written meanwhile, and ends when it is told to.
func TestFollow(t *testing.T) {
	m := newMemory(t)
	g := newGens(9, "a", "b")
	graph := newMemGraph()
	reg := prometheus.NewRegistry()
	reached := make(chan uint64, 10000)
	o := testOptions()
	o.Registerer, o.Committed = reg, func(p Progress) { reached <- p.Message }
	p := over(t, m, graph, o)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- p.Follow(ctx) }()
	for range 50 {
		g.step(t, m)
	}
	for end := must(m.Applied()); <-reached < end; {
	}
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	mustVerify(t, p)
	values := gathered(t, reg)
	if err := errors.Join(p.Close(ctx), p.Close(ctx)); err != nil || len(gathered(t, reg)) != 0 {
		t.Errorf("after Close there are %v, %v", gathered(t, reg), err)
	}
	if values["asof_neo4j_transactions_total"] == 0 || values["asof_neo4j_batch_seconds"] == 0 || values["asof_neo4j_lag_messages"] != 0 {
		t.Errorf("metrics %v", values)
	}
}

// TestLag knows how long the graph has been behind.
func TestLag(t *testing.T) {
	now := time.Unix(1000, 0)
	l := &lag{now: func() time.Time { return now }}
	check := func(seconds, messages float64) {
		t.Helper()
		if l.seconds() != seconds || l.messages() != messages {
			t.Errorf("%v s and %v messages behind, want %v and %v", l.seconds(), l.messages(), seconds, messages)
		}
	}
	check(0, 0)
	l.saw(5)
	now = now.Add(2 * time.Second)
	check(2, 5)
	l.saw(9)
	l.reached(5)
	check(0, 4)
	now = now.Add(time.Second)
	l.saw(9)
	check(1, 4)
	l.reached(20)
	check(0, 0)
	for i := range uint64(2 * maxSightings) {
		l.saw(100 + i)
	}
	if len(l.seen) > maxSightings || l.messages() != 2*maxSightings+79 {
		t.Errorf("%d sightings, %v messages", len(l.seen), l.messages())
	}
}

// TestOtherLog refuses a graph that is ahead of the store, or of another log, and a
// rebuild mends it.
func TestOtherLog(t *testing.T) {
	ctx := context.Background()
	long, short, other := newMemory(t), newMemory(t), newMemory(t)
	for i, m := range []*memory{long, short, other} {
		g := newGens(uint64(20+i), "a")
		for range []int{30, 5, 60}[i] {
			g.step(t, m)
		}
	}
	for name, m := range map[string]*memory{"it is of another store": short, "of another log": other} {
		graph := newMemGraph()
		if err := over(t, long, graph, testOptions()).Sync(ctx); err != nil {
			t.Fatal(err)
		}
		p := over(t, m, graph, testOptions())
		if err := p.Sync(ctx); err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "asof neo4j rebuild") {
			t.Errorf("the error is %v, want one with %q", err, name)
		}
		p = over(t, m, graph, testOptions())
		if err := p.Rebuild(ctx); err != nil {
			t.Fatal(err)
		}
		mustVerify(t, p)
	}
}

// TestRebuildIsUnseen interrupts a rebuild at every call: readers see the old graph
// whole until they see the new one whole (N4), and the next rebuild goes on.
func TestRebuildIsUnseen(t *testing.T) {
	ctx := context.Background()
	m := newMemory(t)
	g := newGens(31, "a")
	for range 40 {
		g.step(t, m)
	}
	for stop := 1; ; stop++ {
		graph := newMemGraph()
		o := testOptions()
		o.Rows, o.Tries = 30, 1
		p := over(t, m, graph, o)
		if err := p.Sync(ctx); err != nil {
			t.Fatal(err)
		}
		calls := 0
		graph.fault = func(op string, _ bool, _ *batch) error {
			if op == "setup" {
				return nil
			}
			if calls++; calls == stop {
				return code("Neo.TransientError.General.DatabaseUnavailable")
			}
			return nil
		}
		err := over(t, m, graph, o).Rebuild(ctx)
		graph.fault = func(string, bool, *batch) error { return nil }
		if r := mustVerify(t, p); r.Nodes == 0 {
			t.Fatalf("interrupted at call %d: readers see nothing", stop)
		}
		if err == nil {
			if stop < 8 {
				t.Errorf("a rebuild makes %d calls", stop)
			}
			return
		}
		if err := over(t, m, graph, o).Rebuild(ctx); err != nil {
			t.Fatal(err)
		}
		if mustVerify(t, p); len(graph.list) != 1 {
			t.Errorf("interrupted at call %d: %d generations are left", stop, len(graph.list))
		}
	}
}

// TestVerifyFinds damages a graph in every table and wants the row named.
func TestVerifyFinds(t *testing.T) {
	ctx := context.Background()
	m := newMemory(t)
	g := newGens(41, "a")
	for range 200 {
		g.step(t, m)
	}
	o := testOptions()
	o.Episodes = byPair
	graph := newMemGraph()
	p := over(t, m, graph, o)
	if err := p.Sync(ctx); err != nil {
		t.Fatal(err)
	}
	data := graph.data[graph.list[0].number]
	for _, damage := range []string{"missing", "extra", "changed"} {
		for _, table := range tables {
			rows := maps.Clone(data[table])
			if len(rows) == 0 {
				t.Errorf("there is no %s to damage", table.title())
				continue
			}
			var key string
			for k := range rows {
				key = max(key, k)
			}
			last := len(table.columns) - 1
			want := Difference{Kind: damage, Table: table.title(), Key: key}
			switch {
			case damage == "missing":
				delete(rows, key)
			case damage == "extra":
				r := slices.Clone(rows[key])
				r[table.column(table.keys[0])] = "more"
				want.Key = table.key(r)
				rows["more"] = r
			case contains(table.keys, table.columns[last]):
				continue // nothing but its key
			default:
				rows[key] = slices.Clone(rows[key])
				rows[key][last] = "something else"
			}
			whole := data[table]
			data[table] = rows
			r, err := p.Verify(ctx)
			data[table] = whole
			if err != nil {
				t.Fatal(err)
			}
			s := r.Spaces[0]
			if r.Equal || s.Equal || s.Differing != 1 || len(s.Differences) != 1 || *s.Store == *s.Graph {
				t.Errorf("%s %s: equal %v, %d differences", damage, table.title(), r.Equal, s.Differing)
				continue
			}
			d := s.Differences[0]
			if d.Kind != want.Kind || d.Table != want.Table || d.Key != want.Key || (damage == "changed") != (len(d.Columns) == 1 && d.Columns[0].Column == table.columns[last]) {
				t.Errorf("%s %s %s: found %+v", damage, table.title(), want.Key, d)
			}
		}
	}
}

// TestNothingKept holds that a projector closes every view that it opens: the store
// closes at the end of the test, and would say so.
func TestNothingKept(t *testing.T) {
	m := newMemory(t)
	g := newGens(51, "a", "b")
	for range 30 {
		g.step(t, m)
	}
	graph := newMemGraph()
	o := testOptions()
	o.Tries, o.Rows = 1, 10
	for n := range 20 {
		graph.fault = func(op string, _ bool, b *batch) error {
			if op == "setup" {
				return nil
			}
			if n--; n == 0 {
				return code("Neo.ClientError.Security.Forbidden")
			}
			return nil
		}
		p := over(t, m, graph, o)
		if err := p.Sync(context.Background()); err != nil && !errors.Is(err, ErrDenied) {
			t.Fatal(err)
		}
	}
}

// TestLongNames keeps a name that no index takes.
func TestLongNames(t *testing.T) {
	m := newMemory(t)
	c := storetest.NewChain("a")
	long := strings.Repeat("é", dsl.MaxName/2)
	id := c.Node(dsl.Entity, long)
	m.add(t, c.Ops(1, storetest.Upsert("f", 1, id, "likes", id, dsl.Always, 1)))
	graph := newMemGraph()
	p := over(t, m, graph, testOptions())
	if err := p.Sync(context.Background()); err != nil {
		t.Fatal(err)
	}
	mustVerify(t, p)
	for _, r := range graph.data[1][nodeTable] {
		if n, _ := r[nodeTable.column("norm")].(string); len(n) > maxNorm || !strings.HasPrefix(n, "sha256:") || r[nodeTable.column("name")] != long {
			t.Errorf("the node is %.80s", fmt.Sprint(r...))
		}
	}
}
