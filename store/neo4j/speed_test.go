package neo4j

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store/storetest"
)

// recorder is a graph that keeps the batches it is given, to write them again
// without the projector.
type recorder struct {
	*memGraph
	batches []*batch
}

func (r *recorder) commit(_ context.Context, b *batch) (written, error) {
	r.batches = append(r.batches, b)
	for _, k := range b.marks {
		r.find(k.generation).position = k.to
	}
	return written{}, nil
}

// facts fills a memory with turns that each state five facts, of which a tenth end
// or are said again later.
func fill(t testing.TB, m *memory, space string, facts int) {
	c := storetest.NewChain(space)
	const perTurn, perMessage = 5, 40
	var txs []*dsl.Tx
	for n := 0; n < facts; n += perTurn {
		turn := fmt.Sprint("turn-", n/perTurn)
		var ops []dsl.Op
		for i := n; i < n+perTurn; i++ {
			src, dst := c.Node(dsl.Entity, fmt.Sprint("person ", i*31%(facts/20+1))), c.Node(dsl.Entity, fmt.Sprint("thing ", i*17%(facts/10+1)))
			op := storetest.Upsert(fmt.Sprint("fact-", i), 1, src, []string{"likes", "owns", "uses"}[i%3], dst, dsl.Always, 0.9, turn)
			op.Reason = dsl.Plain("no open version of the fact")
			ops = append(ops, op)
			switch {
			case i%20 == 19:
				ops = append(ops, storetest.Retract(fmt.Sprint("fact-", i-19), 1))
			case i%20 == 9:
				ops = append(ops, storetest.Evidence(space, turn, fmt.Sprint("fact-", i-1), 0.5))
			}
		}
		txs = append(txs, c.Turn(dsl.Turn{ID: turn, Session: "s", Speaker: dsl.Plain("Anna"), TS: dsl.Instant(1_700_000_000_000_000 + n*1_000_000),
			Text: dsl.Plain(fmt.Sprintf("I said number %d, and some more words to make it as long as turns are.", n))}, ops...))
		if len(txs) == perMessage || n+perTurn >= facts {
			m.add(t, txs...)
			txs = nil
		}
	}
}

// spent is what something took.
type spent struct{ wall, projector, server float64 }

func (s spent) String() string {
	return fmt.Sprintf("%.1f s by the clock, processor %.1f s projector + %.1f s server", s.wall, s.projector, s.server)
}

// meter measures from now to each call of what it returns.
func meter(t testing.TB) func() spent {
	began, own, server := time.Now(), ownTime(t), serverTime(t)
	return func() spent {
		return spent{time.Since(began).Seconds(), ownTime(t) - own, serverTime(t) - server}
	}
}

func ownTime(t testing.TB) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// serverTime gives the processor time of the server whose home is known, else 0.
func serverTime(t testing.TB) float64 {
	home := os.Getenv("ASOF_TEST_NEO4J_HOME")
	if home == "" {
		return 0
	}
	pid, err := os.ReadFile(filepath.Join(home, "server.pid"))
	if err != nil {
		t.Fatal(err)
	}
	stat, err := os.ReadFile("/proc/" + strings.TrimSpace(string(pid)) + "/stat")
	if err != nil {
		return 0
	}
	f := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	return float64(must(strconv.Atoi(f[11]))+must(strconv.Atoi(f[12]))) / 100
}

// TestSpeed says how many relationships a second the projector writes, and how many
// the driver alone with the very same batches. It holds neither to a number: the
// machine may be busy. ASOF_NEO4J_FACTS says how many facts.
func TestSpeed(t *testing.T) {
	o := serverOptions(t)
	facts, err := strconv.Atoi(os.Getenv("ASOF_NEO4J_FACTS"))
	if err != nil {
		t.Skip("ASOF_NEO4J_FACTS says no number of facts; make neo4j-speed does")
	}
	ctx := context.Background()
	m := newMemory(t)
	o.Rows, o.Tries = 10000, 5
	p := fresh(t, m, o)
	server := p.graph.(*server)
	// A first, small space lets the server compile its queries.
	fill(t, m, "warm", min(facts, 10000))
	if err := p.Sync(ctx); err != nil {
		t.Fatal(err)
	}
	fill(t, m, "speed", facts)
	o.Space = "speed"
	report := func(what string, relationships int, s spent) float64 {
		rate := float64(relationships) / s.wall
		t.Logf("%-18s %d relationships, %.0f/s; %v: %.0f a second of processor, so %.0f/s on two cores of their own",
			what+":", relationships, rate, s, float64(relationships)/(s.projector+s.server), 2*float64(relationships)/(s.projector+s.server))
		return rate
	}

	r := &recorder{memGraph: newMemGraph()}
	took := meter(t)
	if err := over(t, m, r, o).Sync(ctx); err != nil {
		t.Fatal(err)
	}
	t.Logf("folding alone:     %v", took())

	g, err := server.begin(ctx, generation{space: "speed", state: building})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range r.batches {
		for i := range b.marks {
			b.marks[i].generation = g.number
		}
		for _, c := range b.changes {
			for _, rows := range [][]row{c.facts, c.steps, c.turns, c.forgets, c.endings, c.sights} {
				renumber(rows, g.number)
			}
			for _, rows := range c.rows {
				renumber(rows, g.number)
			}
		}
	}
	took = meter(t)
	alone := 0
	for _, b := range r.batches {
		w, err := server.commit(ctx, b)
		if err != nil {
			t.Fatal(err)
		}
		alone += w.relationships
	}
	driverRate := report("driver alone", alone, took())
	r.batches = nil
	if err := server.retire(ctx, g); err != nil {
		t.Fatal(err)
	}

	all := 0
	o.Committed = func(c Progress) { all += c.Relationships }
	p = open(t, m, o)
	took = meter(t)
	if err := p.run(ctx, current, false); err != nil {
		t.Fatal(err)
	}
	rate := report("projector", all, took())
	t.Logf("the projector reaches %.0f %% of what the driver alone does", 100*rate/driverRate)
	if all != alone {
		t.Errorf("the projector made %d relationships, the driver %d", all, alone)
	}
	mustVerify(t, p)
	o.Space = ""
	if err := open(t, m, o).Drop(ctx); err != nil {
		t.Fatal(err)
	}
}

func renumber(rows []row, number int64) {
	for _, r := range rows {
		r[0] = number
	}
}
