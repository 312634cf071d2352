package neo4j

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"go.uber.org/goleak"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/dsl/ledger"
	"github.com/asof-db/asof/store"
	"github.com/asof-db/asof/store/storetest"
)

// TestMain makes this binary the projector that TestKill kills.
func TestMain(m *testing.M) {
	if os.Getenv(childSteps) != "" {
		os.Exit(childMain())
	}
	goleak.VerifyTestMain(m)
}

// keeper is what helpers need of a test; a process that is none has it too.
type keeper interface {
	Helper()
	Fatal(args ...any)
	Error(args ...any)
	Cleanup(func())
}

// memory is a source: a store over a log that is kept in memory.
type memory struct {
	*store.Store
	log *ledger.Memory

	mu  sync.Mutex
	end uint64
}

func newMemory(t keeper) *memory {
	s, err := store.Open(store.Options{Dir: "store", FS: vfs.NewMem()})
	if err != nil {
		t.Fatal(err)
	}
	m := &memory{Store: s, log: ledger.NewMemory(4)}
	t.Cleanup(func() {
		if err := errors.Join(s.Close(), m.log.Close()); err != nil {
			t.Error(err)
		}
	})
	return m
}

func (m *memory) Advance(context.Context) error { return nil }

func (m *memory) ReadLog(ctx context.Context, from uint64, f func(ledger.Message) error) error {
	applied, err := m.Applied()
	if err != nil || from > applied {
		return err
	}
	err = m.log.Read(ctx, from, func(msg ledger.Message) error {
		if msg.Seq > applied {
			return errEnough
		}
		return f(msg)
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// add commits transactions as one message.
func (m *memory) add(t keeper, txs ...*dsl.Tx) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	st, err := m.Stage()
	if err != nil {
		t.Fatal(err)
	}
	var recs []ledger.Record
	for _, tx := range txs {
		b, err := tx.Encode()
		if err == nil {
			err = st.Apply(tx, dsl.Sum(b))
		}
		if err != nil {
			t.Fatal(err)
		}
		recs = append(recs, ledger.Record{Space: tx.Space, Seq: uint64(tx.Seq), Data: b})
	}
	if m.end, err = m.log.Append(context.Background(), ledger.Several, m.end, recs); err != nil {
		t.Fatal(err)
	}
	for _, tx := range txs {
		if err := st.Placed(tx.Space, tx.Seq, m.end); err != nil {
			t.Fatal(err)
		}
	}
	if err := st.Commit(); err != nil {
		t.Fatal(err)
	}
}

// gens are random spaces.
type gens struct {
	r    *rand.Rand
	list []*storetest.Gen
}

func newGens(seed uint64, spaces ...string) *gens {
	g := &gens{r: rand.New(rand.NewPCG(seed, 7))}
	for _, s := range spaces {
		g.list = append(g.list, storetest.NewGen(s, g.r.IntN))
	}
	return g
}

// step adds a message of a few transactions to a memory.
func (g *gens) step(t keeper, m *memory) {
	var txs []*dsl.Tx
	for range 1 + g.r.IntN(5) {
		txs = append(txs, g.list[g.r.IntN(len(g.list))].Next())
	}
	m.add(t, txs...)
}

// testOptions are those of a quick test.
func testOptions() Options {
	return Options{URI: "bolt://127.0.0.1:1", Rows: 100, Poll: time.Millisecond, FirstPause: time.Millisecond, LastPause: 500 * time.Millisecond,
		Now: time.Now, Pause: pause, Jitter: func() float64 { return 0.5 }}
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// serverOptions are those of the real server that ASOF_TEST_NEO4J names; without
// one the test is skipped.
func serverOptions(t testing.TB) Options {
	t.Helper()
	uri := os.Getenv("ASOF_TEST_NEO4J")
	if uri == "" {
		t.Skip("no Neo4j server: ASOF_TEST_NEO4J names none (deploy/neo4j/server.sh start runs one, and says its URI)")
	}
	if _, err := url.Parse(uri); err != nil {
		t.Fatal(err)
	}
	o := testOptions()
	o.URI = uri
	if o.Password = os.Getenv("ASOF_TEST_NEO4J_PASSWORD"); o.Password != "" {
		o.User = "neo4j"
	}
	return o
}

// open opens a projector and empties its spaces before and after.
func open(t testing.TB, m Source, o Options) *Projector {
	t.Helper()
	ctx := context.Background()
	p, err := Open(ctx, m, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return p
}

// fresh drops everything that a projector sees.
func fresh(t testing.TB, m Source, o Options) *Projector {
	t.Helper()
	p := open(t, m, o)
	if err := p.Drop(context.Background()); err != nil {
		t.Fatal(err)
	}
	return p
}

// mustVerify verifies and wants every space equal, and at its head.
func mustVerify(t testing.TB, p *Projector) Report {
	t.Helper()
	r, err := p.Verify(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range r.Spaces {
		for _, d := range s.Differences {
			t.Errorf("space %q %s: %s %s %s %v", s.Space, s.Position, d.Kind, d.Table, d.Key, d.Columns)
		}
		if s.Position != s.Head || s.Fault != "" {
			t.Errorf("space %q is at %s, the store at %s: %s", s.Space, s.Position, s.Head, s.Fault)
		}
	}
	if !r.Equal {
		t.Fatal("the graph is not equal")
	}
	return r
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(fmt.Sprint("test: ", err))
	}
	return x
}
