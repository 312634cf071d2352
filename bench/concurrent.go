package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/extract"
)

// writers is how many write at once in the concurrent runs.
const writers = 16

// The concurrent runs. Each writer acknowledges one version at a time.
const (
	// spacesRun has every writer write operations to a space of its own.
	spacesRun = "asof-16"
	// sharedRun has all write to one space: what they say is assimilated, as
	// operations that name their own record time could not be.
	sharedRun = "asof-16-shared"
	// bareRun has all publish messages of that size to a JetStream stream which
	// syncs always: what group commit is held against.
	bareRun = "jetstream-16"
)

// concurrentRun tells whether a peer is one of these runs.
func concurrentRun(peer string) bool {
	return peer == spacesRun || peer == sharedRun || peer == bareRun
}

// bareBytes is what an entry of W1 takes in the log, about.
const bareBytes = 900

func runConcurrent(peer string, w *workload, dir string, res result, out io.Writer) error {
	var write func(writer int, o *op) error
	var end func() error
	if peer == bareRun {
		js, stop, err := bareStream(dir)
		if err != nil {
			return err
		}
		payload := make([]byte, bareBytes)
		write = func(int, *op) error {
			_, err := js.Publish(context.Background(), "bare.0", payload)
			return err
		}
		end = func() error { stop(); return nil }
	} else {
		l, err := openLibrary(dir)
		if err != nil {
			return err
		}
		write = func(i int, o *op) error {
			it := item(fmt.Sprint("writer", i), o)
			if peer == sharedRun {
				it = statement(o)
			}
			_, err := l.db.Ingest(context.Background(), []asof.Item{it})
			return err
		}
		end = l.close
	}
	cpu := cpuTime()
	var rate float64
	var took []time.Duration
	err := profile.during("load", func() (err error) {
		rate, took, err = concurrently(w.ops, write)
		return err
	})
	if err != nil {
		return errors.Join(err, end())
	}
	res["writes_per_s"], res["write"], res["write_cpu_us"] = int(rate), percentiles(took), perOp(cpuTime()-cpu, len(w.ops))
	if err := end(); err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(res)
}

// concurrently has every writer write its part of the operations, those of one
// subject in order, and gives operations a second.
func concurrently(ops []op, write func(writer int, o *op) error) (rate float64, took []time.Duration, err error) {
	parts := make([][]op, writers)
	for _, o := range ops {
		h := fnv.New32a()
		h.Write([]byte(o.Src)) // never fails
		i := int(h.Sum32()) % writers
		parts[i] = append(parts[i], o)
	}
	times, errs := make([][]time.Duration, writers), make([]error, writers)
	var wg sync.WaitGroup
	start := time.Now()
	for i, part := range parts {
		wg.Go(func() {
			for j := range part {
				t0 := time.Now()
				if errs[i] = write(i, &part[j]); errs[i] != nil {
					return
				}
				times[i] = append(times[i], time.Since(t0))
			}
		})
	}
	wg.Wait()
	spent := time.Since(start)
	for _, t := range times {
		took = append(took, t...)
	}
	return float64(len(ops)) / spent.Seconds(), took, errors.Join(errs...)
}

// statement is the operation as a turn that says it.
func statement(o *op) asof.Item {
	registry := extract.DefaultRegistry()
	n := strconv.FormatInt(o.Seq, 10)
	v := o.valid()
	return asof.Item{Space: space,
		Turn: &dsl.Turn{ID: "t" + n, Speaker: dsl.Plain(o.Src), TS: dsl.Instant(o.Record), Text: dsl.Plain(o.Rel + " " + o.Dst)},
		Candidates: []dsl.Candidate{{Src: dsl.Plain(o.Src), Rel: registry.Canonical(o.Rel), Dst: dsl.Plain(o.Dst), DstKind: registry.DstKind(o.Rel),
			Polarity: dsl.Positive, Change: dsl.Assert, Valid: &v, Confidence: 1, Source: n}}}
}

// bareStream is a stream of an embedded broker that syncs always.
func bareStream(dir string) (js jetstream.JetStream, stop func(), err error) {
	srv, err := server.NewServer(&server.Options{DontListen: true, NoSigs: true, NoLog: true, NoSystemAccount: true, JetStream: true,
		StoreDir: dir, SyncAlways: true, MaxPayload: 8 << 20})
	if err != nil {
		return nil, nil, err
	}
	srv.Start()
	stop = func() {
		srv.Shutdown()
		srv.WaitForShutdown()
	}
	nc, err := nats.Connect("", nats.InProcessServer(srv))
	if err == nil {
		end := stop
		stop = func() { nc.Close(); end() }
		if js, err = jetstream.New(nc); err == nil {
			_, err = js.CreateStream(context.Background(), jetstream.StreamConfig{Name: "BARE", Subjects: []string{"bare.>"}, Storage: jetstream.FileStorage})
		}
	}
	if err != nil {
		stop()
	}
	return js, stop, err
}
