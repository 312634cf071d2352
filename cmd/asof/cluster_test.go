package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/dsl"
)

// cluster is three nats-server processes, started by deploy/cluster.sh.
type cluster struct {
	t   *testing.T
	env []string
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("deploy/cluster.sh is for a Unix shell")
	}
	c := &cluster{t: t, env: append(os.Environ(), "ASOF_CLUSTER_DIR="+t.TempDir(), fmt.Sprintf("ASOF_CLUSTER_PORT=%d", sixPorts(t)))}
	t.Cleanup(func() { c.do("stop") })
	c.do("start")
	return c
}

// do calls the script and gives what it prints.
func (c *cluster) do(args ...string) string {
	c.t.Helper()
	cmd := exec.Command("sh", append([]string{filepath.Join("..", "..", "deploy", "cluster.sh")}, args...)...)
	cmd.Env = c.env
	// A pipe would stay open as long as the servers run.
	out, err := os.Create(filepath.Join(c.t.TempDir(), "out"))
	if err != nil {
		c.t.Fatal(err)
	}
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	err = cmd.Run()
	b, readErr := os.ReadFile(out.Name())
	if err != nil || readErr != nil {
		c.t.Errorf("cluster.sh %v: %v, %v\n%s", args, err, readErr, b)
	}
	return strings.TrimSpace(string(b))
}

// sixPorts gives the first of six ports in a row that nobody listens at.
func sixPorts(t *testing.T) int {
	t.Helper()
	for range 50 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		first := l.Addr().(*net.TCPAddr).Port
		l.Close()
		free := true
		for p := first; p < first+6 && free; p++ {
			l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", p))
			if free = err == nil; free {
				l.Close()
			}
		}
		if free {
			return first
		}
	}
	t.Fatal("no six free ports in a row")
	return 0
}

// TestCluster writes to a log that three servers hold, while each of them in turn
// is killed and comes back: every turn that was acknowledged is in the log, once,
// and a memory made from it has the same state.
func TestCluster(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts three servers")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command to build nats-server with")
	}
	t.Parallel()
	c := newCluster(t)
	cfg := configs.Default()
	cfg.Ledger.URL, cfg.Ledger.Replicas = c.do("url"), 3
	open := func() *asof.DB {
		db, err := asof.Open(t.Context(), asof.Options{Dir: t.TempDir(), Config: &cfg})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		return db
	}
	db := open()

	writing, stop := context.WithCancel(t.Context())
	const writers = 3
	var acknowledged [writers]atomic.Int64
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for n := 1; writing.Err() == nil; n++ {
				if !untilTaken(t, db, fmt.Sprintf("space-%d", w), n) {
					return
				}
				acknowledged[w].Store(int64(n))
			}
		})
	}
	// more waits until every writer has had so many turns more acknowledged.
	more := func(what string) {
		var goal [writers]int64
		for w := range writers {
			goal[w] = acknowledged[w].Load() + 5
		}
		for deadline := time.Now().Add(2 * time.Minute); ; pause(t.Context(), 20*time.Millisecond) {
			if w := slices.IndexFunc(goal[:], func(g int64) bool { return g > 0 }); w < 0 {
				return
			} else if acknowledged[w].Load() >= goal[w] {
				goal[w] = 0
			} else if time.Now().After(deadline) || t.Failed() {
				t.Fatalf("%s: space-%d stands at %d turns", what, w, acknowledged[w].Load())
			}
		}
	}
	for n := 1; n <= 3; n++ {
		more("before a kill")
		c.do("kill", fmt.Sprint(n))
		more("with a server away")
		c.do("start", fmt.Sprint(n))
	}
	more("at the end")
	stop()
	all.Wait()
	if err := db.Ready(t.Context()); err != nil {
		t.Errorf("after all servers are back: %v", err)
	}
	fresh := open()
	for w := range writers {
		space := fmt.Sprintf("space-%d", w)
		head, err := fresh.Head(space)
		if err != nil || int64(head.Turns) != acknowledged[w].Load() {
			t.Errorf("%s: %d turns in the log, %d acknowledged, %v", space, head.Turns, acknowledged[w].Load(), err)
		}
		if own, err := db.Head(space); err != nil || own.Digest != head.Digest {
			t.Errorf("%s: the writer has digest %s, a memory made from the log %s, %v", space, own.Digest, head.Digest, err)
		}
	}
	if a, err := fresh.Audit(t.Context(), ""); err != nil || !a.OK() {
		t.Errorf("%+v, %v", a, err)
	}
	for _, db := range []*asof.DB{db, fresh} {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
	t.Logf("acknowledged turns by writer: %d, %d, %d", acknowledged[0].Load(), acknowledged[1].Load(), acknowledged[2].Load())
}

// untilTaken sends a turn until it is acknowledged, as the errors of an ingestion
// say to do; it tells whether that came before the test ended.
func untilTaken(t *testing.T, db *asof.DB, space string, n int) bool {
	turn := dsl.Turn{ID: fmt.Sprintf("t%d", n), Speaker: dsl.Plain("Anna"), Session: "s1", TS: dsl.Instant(1_700_000_000_000_000 + int64(n)*60_000_000),
		Text: dsl.Plain(fmt.Sprintf("I moved to city number %d.", n))}
	var err error
	for range 600 {
		if _, err = db.Ingest(t.Context(), []asof.Item{{Space: space, Turn: &turn}}); err == nil {
			return true
		}
		if t.Context().Err() != nil || db.Health() != nil {
			break
		}
		pause(t.Context(), 100*time.Millisecond)
	}
	t.Errorf("%s: turn %d: %v", space, n, err)
	return false
}
