package neo4j

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// What the child process is told: how many messages its store comes to have, how many
// it has when it begins (at least those that may be in the graph), and the seed that
// they follow from.
const (
	childSteps = "ASOF_NEO4J_CHILD_STEPS"
	childSeed  = "ASOF_NEO4J_CHILD_SEED"
	childFirst = "ASOF_NEO4J_CHILD_FIRST"
)

// killSpaces are those of TestKill.
var killSpaces = []string{"killed", "杀"}

// childTest is a keeper for a process that is no test.
type childTest struct{}

func (childTest) Helper()           {}
func (childTest) Fatal(args ...any) { panic(fmt.Sprint(args...)) }
func (childTest) Error(args ...any) { panic(fmt.Sprint(args...)) }
func (childTest) Cleanup(func())    {}

// childMain makes a store step by step and follows it, until all is in the graph.
// It says each commit.
func childMain() int {
	steps, first, seed := must(strconv.Atoi(os.Getenv(childSteps))), must(strconv.Atoi(os.Getenv(childFirst))), must(strconv.ParseUint(os.Getenv(childSeed), 10, 64))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	m := newMemory(childTest{})
	o := testOptions()
	o.URI, o.Password, o.Rows = os.Getenv("ASOF_TEST_NEO4J"), os.Getenv("ASOF_TEST_NEO4J_PASSWORD"), 25
	if o.Password != "" {
		o.User = "neo4j"
	}
	o.Committed = func(p Progress) { fmt.Println("committed", p.Message) }
	g := newGens(seed, killSpaces...)
	step := func(i int) {
		if i > 0 && i%30 == 0 {
			m.add(childTest{}, g.list[0].Drop())
		}
		g.step(childTest{}, m)
	}
	for i := range first {
		step(i)
	}
	var p *Projector
	for p == nil { // the server may be away
		var err error
		if p, err = Open(ctx, m, o); err != nil {
			fmt.Fprintln(os.Stderr, "open:", err)
			time.Sleep(200 * time.Millisecond)
		}
	}
	go func() {
		for i := first; i < steps; i++ {
			step(i)
		}
		for end := must(m.Applied()); !p.lag.has(end); {
			time.Sleep(5 * time.Millisecond)
		}
		cancel()
	}()
	if err := p.Follow(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "follow:", err)
		return 1
	}
	return 0
}

// has tells whether a message is in the graph.
func (l *lag) has(message uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.done >= message
}

// TestKill kills the projector or the server at a moment by chance, lets the
// projector come to the end, and verifies every row; as often as ASOF_NEO4J_KILLS
// says, else five times. It needs a server that may be killed: its home folder is
// in ASOF_TEST_NEO4J_HOME.
func TestKill(t *testing.T) {
	o := serverOptions(t)
	home := os.Getenv("ASOF_TEST_NEO4J_HOME")
	if home == "" {
		t.Skip("no server that may be killed: ASOF_TEST_NEO4J_HOME names no home folder of one that deploy/neo4j/server.sh started")
	}
	kills := 5
	if s := os.Getenv("ASOF_NEO4J_KILLS"); s != "" {
		kills = must(strconv.Atoi(s))
	}
	seed := uint64(1)
	if s := os.Getenv("ASOF_NEO4J_SEED"); s != "" {
		seed = must(strconv.ParseUint(s, 10, 64))
	}
	r := rand.New(rand.NewPCG(seed, 9))
	port := o.URI[strings.LastIndexByte(o.URI, ':')+1:]
	server := func(what string) error {
		cmd := exec.Command("../../deploy/neo4j/server.sh", what, home)
		cmd.Env = append(os.Environ(), "ASOF_NEO4J_PORT="+port, "ASOF_NEO4J_PASSWORD="+o.Password)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("server %s: %w: %s", what, err, out)
		}
		return nil
	}
	m := newMemory(t)
	o.Tries = 40
	p := fresh(t, m, o)
	g := newGens(seed, killSpaces...)
	const each = 15 // messages between two kills
	for kill := range kills {
		steps := (kill + 1) * each
		for i := kill * each; i < steps; i++ {
			if i > 0 && i%30 == 0 {
				m.add(t, g.list[0].Drop())
			}
			g.step(t, m)
		}
		after, delay := 1+r.IntN(8), time.Duration(r.IntN(60))*time.Millisecond
		victim := "projector"
		if kill%2 == 1 {
			victim = "server"
		}
		began := time.Now()
		c := startChild(t, kill*each, steps, seed)
		hit := c.await(after)
		time.Sleep(delay)
		if victim == "server" {
			if err := server("kill"); err != nil {
				t.Fatal(err)
			}
			if err := server("start"); err != nil {
				t.Fatal(err)
			}
		} else {
			if err := c.cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			c.wait()
			c = startChild(t, steps, steps, seed)
		}
		if err := c.wait(); err != nil {
			t.Fatalf("kill %d, of the %s: the projector ends with %v: %s", kill, victim, err, c.errors.String())
		}
		report := mustVerify(t, p)
		t.Logf("kill %d of the %s after %d commits (%v): equal, %d nodes, %d relationships, %.1f s", kill+1, victim, hit, delay, report.Nodes, report.Relationships, time.Since(began).Seconds())
	}
	if err := p.Drop(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// child is a projector in a process of its own.
type child struct {
	cmd    *exec.Cmd
	lines  chan string
	errors strings.Builder
	done   chan error
}

func startChild(t *testing.T, first, steps int, seed uint64) *child {
	c := &child{cmd: exec.Command(os.Args[0]), lines: make(chan string, 10000), done: make(chan error, 1)}
	c.cmd.Env = append(os.Environ(), childSteps+"="+strconv.Itoa(steps), childFirst+"="+strconv.Itoa(first), childSeed+"="+strconv.FormatUint(seed, 10))
	c.cmd.Stderr = &c.errors
	out, err := c.cmd.StdoutPipe()
	if err == nil {
		err = c.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	go c.read(out)
	return c
}

func (c *child) read(out io.Reader) {
	for s := bufio.NewScanner(out); s.Scan(); {
		c.lines <- s.Text()
	}
	close(c.lines)
	c.done <- c.cmd.Wait()
}

// await waits for a number of commits, or the end.
func (c *child) await(n int) (seen int) {
	for range c.lines {
		if seen++; seen == n {
			break
		}
	}
	return seen
}

func (c *child) wait() error {
	for range c.lines {
	}
	return <-c.done
}
