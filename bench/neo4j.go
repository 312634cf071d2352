package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/eval"
	"github.com/asof-db/asof/store/neo4j"
)

// graphLag streams LoCoMo into a memory, turn by turn, with a projector behind it,
// and says how long after its acknowledgement each turn is in the graph.
func graphLag(ctx context.Context, uri string, pace time.Duration, out io.Writer) (err error) {
	shared := os.Getenv("ASOF_SHARED")
	if shared == "" {
		shared = "../shared"
	}
	data, err := eval.OpenData(filepath.Join(shared, "data", "locomo", "locomo.dev.json"))
	if errors.Is(err, os.ErrNotExist) {
		skip("the graph's lag", err)
		return nil
	}
	if err != nil {
		return err
	}
	defer data.Close()
	dir, err := os.MkdirTemp("", "asof-graph-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	db, err := asof.Open(ctx, asof.Options{Dir: dir})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	w := &lagWatch{}
	p, err := neo4j.Open(ctx, db.Tail(), neo4j.Options{URI: uri, User: os.Getenv("ASOF_NEO4J_USER"), Password: os.Getenv("ASOF_NEO4J_PASSWORD"),
		Now: time.Now, Jitter: rand.Float64, Committed: w.committed,
		Pause: func(ctx context.Context, d time.Duration) error {
			select {
			case <-time.After(d):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close(ctx)) }()
	if err := p.Drop(ctx); err != nil {
		return err
	}
	following, stop := context.WithCancel(ctx)
	defer stop()
	done := make(chan error, 1)
	go func() { done <- p.Follow(following) }()

	began, cpu := time.Now(), cpuTime()
	var acked []time.Duration
	for conv, err := range eval.ReadLoCoMo(data, data.Name()) {
		if err != nil {
			return err
		}
		for i := range conv.Turns {
			from := time.Now()
			if _, err := db.Ingest(ctx, []asof.Item{{Space: conv.Space, Turn: &conv.Turns[i]}}); err != nil {
				return err
			}
			acked = append(acked, time.Since(from))
			message, err := db.Tail().Applied()
			if err != nil {
				return err
			}
			w.acknowledged(message)
			time.Sleep(pace - min(pace, time.Since(from)))
		}
	}
	wall := time.Since(began)
	for w.left() > 0 {
		select {
		case err := <-done:
			return errors.Join(errors.New("the projector ended"), err)
		case <-time.After(10 * time.Millisecond):
		}
	}
	stop()
	if err := <-done; err != nil {
		return err
	}
	r, err := p.Verify(ctx)
	if err != nil {
		return err
	}
	first, rest := w.lags[:len(w.lags)/10], w.lags[len(w.lags)/10:]
	show := func(what string, d []time.Duration) {
		q := percentiles(d)
		fmt.Fprintf(out, "%-42s p50 %7.1f ms  p95 %7.1f ms  p99 %7.1f ms\n", what, q["p50"]/1000, q["p95"]/1000, q["p99"]/1000)
	}
	fmt.Fprintf(out, "LoCoMo: %d turns in %.1f s (%.0f a second), %.1f s of processor in this process; graph equal: %v, %d relationships\n",
		len(acked), wall.Seconds(), float64(len(acked))/wall.Seconds(), (cpuTime() - cpu).Seconds(), r.Equal, r.Relationships)
	show("acknowledged to in the graph, all turns", w.lags)
	show("  the first tenth (queries being compiled)", first)
	show("  the rest", rest)
	show("taken in, with the projector behind", acked)
	if !r.Equal {
		return errors.New("the graph is not equal to the store")
	}
	return p.Drop(ctx)
}

// lagWatch measures from acknowledgement to commit.
type lagWatch struct {
	mu      sync.Mutex // guards what follows
	waiting []waitingMessage
	reached uint64
	lags    []time.Duration
}

type waitingMessage struct {
	message uint64
	since   time.Time
}

func (w *lagWatch) acknowledged(message uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if message <= w.reached {
		w.lags = append(w.lags, 0) // it was in the graph before the answer came
		return
	}
	w.waiting = append(w.waiting, waitingMessage{message, time.Now()})
}

func (w *lagWatch) committed(p neo4j.Progress) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reached = max(w.reached, p.Message)
	for len(w.waiting) > 0 && w.waiting[0].message <= p.Message {
		w.lags = append(w.lags, time.Since(w.waiting[0].since))
		w.waiting = w.waiting[1:]
	}
}

func (w *lagWatch) left() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.waiting)
}
