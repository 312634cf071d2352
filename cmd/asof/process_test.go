package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// process is the command running beside the test.
type process struct {
	*exec.Cmd
	in          io.WriteCloser
	out, errOut bytes.Buffer
}

// start runs the command with an input that stays open.
func start(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{}
	p.run(t, &p.out, args)
	return p
}

func (p *process) run(t *testing.T, out io.Writer, args []string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p.Cmd = &exec.Cmd{Path: self, Args: append([]string{"asof"}, args...), Env: os.Environ(), Stdout: out, Stderr: &p.errOut}
	if p.in, err = p.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if p.ProcessState == nil {
			_ = p.Process.Kill()
			_ = p.Wait()
		}
	})
}

// opened waits until the process has the folder open.
func (p *process) opened(t *testing.T, dir string) {
	t.Helper()
	until(t, func() bool {
		b, err := os.ReadFile(filepath.Join(dir, "PID"))
		return err == nil && strings.TrimSpace(string(b)) == strconv.Itoa(p.Process.Pid)
	})
}

// until waits for something that another process does. It gives up only after a
// time that means a hang.
func until(t *testing.T, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("what was waited for did not happen")
		}
	}
}

// status gives the exit status of a process that has ended; -1 for a signal.
func (p *process) status() int {
	err := p.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return -2
	}
	return p.ProcessState.ExitCode()
}

// chat makes n turns of a seeded conversation in a few spaces.
func chat(n int) []string {
	r := rand.New(rand.NewPCG(1, 2))
	who := []string{"Anna", "Ben", "林悦"}
	place := []string{"Oslo", "Rome", "Lima", "Kyiv", "Cairo", "Quito"}
	say := []string{"I live in %s.", "I moved to %s last week.", "I no longer live in %s.", "How is %s?", "My sister Clara lives in %s.", "我喜欢火锅，也喜欢%s。"}
	lines := make([]string, n)
	at := time.Date(2024, 1, 1, 9, 0, 0, 0, time.UTC)
	for i := range lines {
		at = at.Add(time.Duration(r.IntN(7200)) * time.Second)
		turn := map[string]string{"space": fmt.Sprintf("s%d", r.IntN(3)), "id": fmt.Sprintf("t%04d", i), "session": fmt.Sprintf("d%d", i/20),
			"speaker": who[r.IntN(3)], "ts": at.Format(time.RFC3339), "text": fmt.Sprintf(say[r.IntN(len(say))], place[r.IntN(len(place))])}
		b, err := json.Marshal(turn)
		if err != nil {
			panic(err) // strings always marshal
		}
		lines[i] = string(b) + "\n"
	}
	return lines
}

// digests gives the digests of all spaces, and how many turns they hold.
func digests(t *testing.T, dir string) (out string, turns int) {
	t.Helper()
	code, out, errOut := call("", "digest", "--all-spaces", "--json", "--dir", dir)
	if code != 0 {
		t.Fatalf("digest: status %d: %s", code, errOut)
	}
	code, spaces, errOut := call("", "spaces", "--json", "--dir", dir)
	if code != 0 {
		t.Fatalf("spaces: status %d: %s", code, errOut)
	}
	for d := json.NewDecoder(strings.NewReader(spaces)); ; {
		var s struct{ Turns int }
		if err := d.Decode(&s); errors.Is(err, io.EOF) {
			return out, turns
		} else if err != nil {
			t.Fatal(err)
		}
		turns += s.Turns
	}
}

// TestKill kills an ingestion at seeded moments: what was there before stays,
// and the same input again leads to the state of a run that nobody disturbed.
func TestKill(t *testing.T) {
	runs, turns := 6, 240
	if testing.Short() {
		runs = 2
	}
	if os.Getenv("ASOF_LONG") != "" {
		runs = 100
	}
	lines := chat(turns)
	file := filepath.Join(t.TempDir(), "chat.jsonl")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "")), 0o644); err != nil {
		t.Fatal(err)
	}
	calm := filepath.Join(t.TempDir(), "calm.db")
	if code, _, errOut := call("", "ingest", file, "--dir", calm); code != 0 {
		t.Fatalf("status %d: %s", code, errOut)
	}
	want, _ := digests(t, calm)
	whole := logSize(calm)

	early, late, dir := 0, 0, ""
	for i := range runs {
		r := rand.New(rand.NewPCG(7, uint64(i)))
		// Every second run goes on in the folder of the one before.
		if i%2 == 0 {
			dir = filepath.Join(t.TempDir(), "killed.db")
		}
		var before int
		if _, err := os.Stat(filepath.Join(dir, "log")); err == nil {
			_, before = digests(t, dir)
		}
		p := start(t, "ingest", "-", "--dir", dir)
		// The moment is one of time, or one of what is in the log.
		timed := r.IntN(4) == 0
		// One at a time, so that the moment lies in a commit, or all at once, so
		// that it lies in a large one.
		sent := r.IntN(turns)
		if r.IntN(2) == 0 {
			for _, l := range lines[:sent] {
				if _, err := io.WriteString(p.in, l); err != nil {
					t.Fatal(err)
				}
			}
		} else if _, err := io.WriteString(p.in, strings.Join(lines[:sent], "")); err != nil {
			t.Fatal(err)
		}
		if timed {
			time.Sleep(time.Duration(r.IntN(60_000)) * time.Microsecond)
		} else {
			goal := int64(r.IntN(80)+1) * whole * int64(sent) / int64(100*turns)
			until(t, func() bool { return logSize(dir) >= goal })
			time.Sleep(time.Duration(r.IntN(500)) * time.Microsecond)
		}
		if err := p.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if code := p.status(); code != -1 {
			t.Fatalf("run %d ended with status %d before it was killed: %s", i, code, p.errOut.String())
		}
		if _, err := os.Stat(filepath.Join(dir, "log")); err != nil {
			early++
			continue // killed before there was anything
		}
		_, after := digests(t, dir)
		if after < before || after > max(before, sent) {
			t.Fatalf("run %d: %d turns before, %d sent, %d there", i, before, sent, after)
		}
		if after > before {
			late++
		}
		if i%2 == 0 && i < runs-1 {
			continue
		}
		if code, _, errOut := call("", "ingest", file, "--dir", dir); code != 0 {
			t.Fatalf("run %d: ingest again: status %d: %s", i, code, errOut)
		}
		if got, n := digests(t, dir); got != want || n != turns {
			t.Fatalf("run %d: after ingesting again %d turns and\n%s\nwant %d and\n%s", i, n, got, turns, want)
		}
		if code, out, errOut := call("", "audit", "--dir", dir); code != 0 {
			t.Fatalf("run %d: audit: status %d: %s%s", i, code, out, errOut)
		}
	}
	t.Logf("%d kills: %d before anything was there, %d after some turns were durable", runs, early, late)
	if late == 0 {
		t.Error("no kill came after a turn was durable: the test proves nothing")
	}
}

// logSize gives the bytes in the blocks of a log.
func logSize(dir string) (size int64) {
	_ = filepath.WalkDir(filepath.Join(dir, "log"), func(path string, d os.DirEntry, err error) error {
		if info, err := os.Stat(path); err == nil && filepath.Ext(path) == ".blk" {
			size += info.Size()
		}
		return nil // what vanishes meanwhile counts nothing
	})
	return size
}

// TestAcknowledged holds that what an ingestion said it took is there.
func TestAcknowledged(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "m.db")
	lines := chat(40)
	for i := 0; i < len(lines); i += 10 {
		p := start(t, "ingest", "-", "--dir", dir, "--json")
		if _, err := io.WriteString(p.in, strings.Join(lines[i:i+10], "")); err != nil {
			t.Fatal(err)
		}
		if err := p.in.Close(); err != nil {
			t.Fatal(err)
		}
		if code := p.status(); code != 0 {
			t.Fatalf("status %d: %s", code, p.errOut.String())
		}
		var sum struct{ New int }
		if err := json.Unmarshal(p.out.Bytes(), &sum); err != nil {
			t.Fatal(err)
		}
		if _, turns := digests(t, dir); sum.New != 10 || turns != i+10 {
			t.Fatalf("%d new, %d turns there", sum.New, turns)
		}
	}
}

// TestSlowPipe holds that every line of a pipe that stays open becomes durable
// when it has come.
func TestSlowPipe(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "m.db")
	lines := chat(5)
	p := start(t, "ingest", "-", "--dir", dir, "--log-level", "debug")
	p.opened(t, dir)
	for _, l := range lines {
		if _, err := io.WriteString(p.in, l); err != nil {
			t.Fatal(err)
		}
	}
	// The log's file grows with every commit; nobody closes the input.
	until(t, func() bool {
		return logSize(dir) > 2000
	})
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := p.status(); code != 1 {
		t.Fatalf("status %d, want 1: %s", code, p.errOut.String())
	}
	_, turns := digests(t, dir)
	if want := fmt.Sprintf("%s: %d new", plural(turns, "item"), turns); turns == 0 || !strings.Contains(p.out.String(), want) {
		t.Errorf("%d turns are there; the summary says %s", turns, p.out.String())
	}
	if !strings.Contains(p.errOut.String(), "interrupted") {
		t.Errorf("standard error does not say why it ended: %s", p.errOut.String())
	}
}

// TestSecondProcess holds that a second process names the first instead of
// waiting for it.
func TestSecondProcess(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "m.db")
	p := start(t, "ingest", "-", "--dir", dir)
	p.opened(t, dir)
	code, out, errOut := call("", "facts", "--dir", dir)
	if want := fmt.Sprintf("in use by process %d", p.Process.Pid); code != 1 || out != "" || !strings.Contains(errOut, want) {
		t.Errorf("status %d, %q, %q; want 1 and %q", code, out, errOut, want)
	}
	if err := p.in.Close(); err != nil {
		t.Fatal(err)
	}
	if code := p.status(); code != 0 {
		t.Errorf("the first process ended with status %d: %s", code, p.errOut.String())
	}
	if code, _, errOut := call("", "spaces", "--dir", dir); code != 0 {
		t.Errorf("after it ended: status %d, %s", code, errOut)
	}
}

// TestDialogue holds that an answer of facts --queries comes without a further
// question.
func TestDialogue(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "m.db")
	if code, _, errOut := call(string(demoTurns), "ingest", "--dir", dir); code != 0 {
		t.Fatal(errOut)
	}
	out, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	p := &process{}
	p.run(t, w, []string{"facts", "--queries", "-", "--dir", dir})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	answers := json.NewDecoder(out)
	for i := range 3 {
		if _, err := io.WriteString(p.in, `{"src":"Anna","rel":"lives_in","at":"2024-02-01"}`+"\n"); err != nil {
			t.Fatal(err)
		}
		var a struct {
			I     int
			Facts []struct {
				Dst string `json:"dst_name"`
			}
		}
		if err := answers.Decode(&a); err != nil {
			t.Fatal(err)
		}
		if a.I != i || len(a.Facts) != 1 || a.Facts[0].Dst != "Hamburg" {
			t.Fatalf("answer %d: %+v", i, a)
		}
	}
	if err := p.in.Close(); err != nil {
		t.Fatal(err)
	}
	if code := p.status(); code != 0 {
		t.Errorf("status %d: %s", code, p.errOut.String())
	}
}
