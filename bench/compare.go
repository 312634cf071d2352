package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// run is one peer under one load.
type run struct {
	peer  string
	batch int
	n     int
}

func (r run) String() string { return fmt.Sprintf("%s n=%d batch=%d", r.peer, r.n, r.batch) }

// place holds what the comparison needs on this machine.
type place struct {
	shared string // the folder of w1gen.py
	work   string // scratch
	self   string // this program
	driver string // the other systems' driver, "" if it cannot be built
	pg     *postgres
}

// skip says what is left out, and why.
func skip(what string, why any) { fmt.Fprintf(os.Stderr, "skipped: %s: %v\n", what, why) }

func compare(sizes string, rounds int, own bool) error {
	ns := []int{10_000, 100_000}
	if os.Getenv("ASOF_LONG") != "" {
		ns = append(ns, 1_000_000)
	}
	if sizes != "" {
		ns = nil
		for s := range strings.SplitSeq(sizes, ",") {
			n, err := strconv.Atoi(s)
			if err != nil {
				return fmt.Errorf("sizes: %w", err)
			}
			ns = append(ns, n)
		}
	}
	p, err := prepare(own)
	if p == nil || err != nil {
		return err
	}
	defer p.close()
	raw, err := rawFile()
	if err != nil {
		return err
	}
	defer raw.Close()
	for _, n := range ns {
		data, err := p.generate(n)
		if err != nil {
			skip(fmt.Sprint("W1 of ", n), err)
			continue
		}
		t := newTable()
		for range rounds {
			for _, r := range p.runs(n) {
				res, err := p.run(r, data)
				if err != nil {
					return fmt.Errorf("%s: %w", r, err)
				}
				if err := json.NewEncoder(raw).Encode(res); err != nil {
					return err
				}
				t.add(r, res)
			}
		}
		t.print(os.Stdout, n)
		if t.wrong > 0 {
			return fmt.Errorf("%d answers were wrong", t.wrong)
		}
	}
	fmt.Println("raw results in", raw.Name())
	return nil
}

func rawFile() (*os.File, error) {
	if err := os.MkdirAll("build/bench", 0o777); err != nil {
		return nil, err
	}
	return os.CreateTemp("build/bench", "peers-*.jsonl")
}

// prepare finds and builds what the comparison needs; nil, with a line that says
// why, where it cannot be made at all.
func prepare(own bool) (*place, error) {
	p := &place{shared: os.Getenv("ASOF_SHARED")}
	if p.shared == "" {
		p.shared = "../shared"
	}
	p.shared = filepath.Join(p.shared, "bench")
	if _, err := os.Stat(filepath.Join(p.shared, "w1gen.py")); err != nil {
		skip("all", err)
		return nil, nil
	}
	if _, err := exec.LookPath("python3"); err != nil {
		skip("all", err)
		return nil, nil
	}
	var err error
	if p.self, err = os.Executable(); err != nil {
		return nil, err
	}
	if p.work, err = os.MkdirTemp("", "asof-bench-"); err != nil {
		return nil, err
	}
	if own {
		return p, nil
	}
	driver := filepath.Join(p.work, "driver")
	build := exec.Command("go", "build", "-o", driver, "./bitemporal")
	build.Dir = p.shared
	if out, err := build.CombinedOutput(); err != nil {
		skip("bare Pebble, SQLite, PostgreSQL", fmt.Errorf("%w: %s", err, bytes.TrimSpace(out)))
		return p, nil
	}
	p.driver = driver
	if p.pg, err = startPostgres(p.work); err != nil {
		skip("PostgreSQL", err)
	}
	return p, nil
}

func (p *place) close() {
	if p.pg != nil {
		p.pg.stop()
	}
	if err := os.RemoveAll(p.work); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
	}
}

// generate makes W1 of n operations, once a machine.
func (p *place) generate(n int) (string, error) {
	dir := filepath.Join(os.TempDir(), "asof-w1", strconv.Itoa(n))
	if _, err := os.Stat(filepath.Join(dir, "done")); err == nil {
		return dir, nil
	}
	fmt.Fprintln(os.Stderr, "making W1 of", n)
	out, err := exec.Command("python3", filepath.Join(p.shared, "w1gen.py"), strconv.Itoa(n), dir).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, bytes.TrimSpace(out))
	}
	return dir, os.WriteFile(filepath.Join(dir, "done"), out, 0o666)
}

// runs are the runs of one round, in an order that interleaves the peers.
func (p *place) runs(n int) []run {
	peers := []string{"asof", "store"}
	if p.driver != "" {
		peers = append(peers, "pebble", "sqlite")
		if p.pg != nil {
			peers = append(peers, "postgres-btree", "postgres-gist")
		}
	}
	var list []run
	for _, batch := range []int{1, 1000} {
		if batch == 1 && n > 10_000 {
			continue // one at a time says the same at any size
		}
		for _, peer := range peers {
			list = append(list, run{peer, batch, n})
		}
	}
	if n == 10_000 {
		for _, peer := range []string{spacesRun, sharedRun, bareRun} {
			list = append(list, run{peer, 1, n})
		}
		if p.pg != nil {
			list = append(list, run{"postgres-gist-16", 1, n})
		}
	}
	return list
}

func (p *place) run(r run, data string) (result, error) {
	dir, err := os.MkdirTemp(p.work, "run-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if r.peer == "postgres-gist-16" {
		return p.pg.concurrent(dir)
	}
	program := p.driver
	switch r.peer {
	case "asof", "store":
		program = p.self
	default:
		if concurrentRun(r.peer) {
			program = p.self
		}
	}
	cmd := exec.Command(program, "-peer", r.peer, "-data", data, "-dir", dir, "-batch", strconv.Itoa(r.batch))
	var out, faults bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &faults
	if p.pg != nil {
		cmd.Env = append(os.Environ(), p.pg.env...)
	}
	fmt.Fprintln(os.Stderr, r)
	if err := cmd.Run(); err != nil {
		return nil, errors.Join(err, errors.New(strings.TrimSpace(faults.String())))
	}
	res := result{}
	if err := json.Unmarshal(out.Bytes(), &res); err != nil {
		return nil, err
	}
	return res, nil
}
