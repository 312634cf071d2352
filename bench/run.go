package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"time"
)

// result is what one run of a peer says, under the names that the drivers of
// other peers use.
type result map[string]any

// runPeer drives one peer of ours through W1, checks every answer and writes one
// JSON object.
func runPeer(name, data, dir string, batch int, out io.Writer) error {
	w, err := readWorkload(data)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	res := result{"peer": name, "n": len(w.ops), "batch": batch}
	if res["fdatasync_p50_us"], err = syncCost(dir); err != nil {
		return err
	}
	res["rss_before_mb"] = resident() >> 20
	if concurrentRun(name) {
		return runConcurrent(name, w, dir, res, out)
	}
	var p peer
	switch name {
	case "asof":
		p, err = openLibrary(dir)
	case "store":
		p, err = openBare(dir)
	default:
		err = fmt.Errorf("unknown peer %q", name)
	}
	if err != nil {
		return err
	}
	if err := profile.during("load", func() error { return load(p, w, batch, res) }); err != nil {
		return err
	}
	if l, ok := p.(*library); ok {
		var took, cpu time.Duration
		err := profile.during("rebuild", func() (err error) {
			took, cpu, err = l.rebuild()
			return err
		})
		if err != nil {
			return fmt.Errorf("rebuild: %w", err)
		}
		res["replay_per_s"] = int(float64(len(w.ops)) / took.Seconds())
		res["replay_cpu_us"] = perOp(cpu, len(w.ops))
	}
	settle()
	if err := ask(p, w, res); err != nil {
		return err
	}
	mem := resident()
	if err := p.close(); err != nil {
		return err
	}
	res["rss_mb"], res["disk_mb"] = mem>>20, float64(treeSize(dir)*10>>20)/10
	return json.NewEncoder(out).Encode(res)
}

func load(p peer, w *workload, batch int, res result) error {
	var took []time.Duration
	start, cpu := time.Now(), cpuTime()
	for part := range slices.Chunk(w.ops, batch) {
		t0 := time.Now()
		if err := p.write(part); err != nil {
			return fmt.Errorf("write %d: %w", part[0].Seq, err)
		}
		took = append(took, time.Since(t0))
	}
	res["writes_per_s"] = int(float64(len(w.ops)) / time.Since(start).Seconds())
	res["write"] = percentiles(took)
	res["write_cpu_us"] = perOp(cpuTime()-cpu, len(w.ops))
	return nil
}

// ask puts every question, kind by kind, after a round that warms the caches.
func ask(p peer, w *workload, res result) error {
	r := p.reads()
	queries := slices.Clone(w.queries) // by id and kept name: who asks often has looked them up
	for i := range queries {
		queries[i].Src, queries[i].Rel = node(queries[i].Src), p.rel(queries[i].Rel)
	}
	kinds := map[string]func(query) (answer, error){"point": r.point, "edge": r.point, "history": r.history, "snapshot": r.snapshot}
	for i, q := range queries[:min(2000, len(queries))] {
		if _, err := kinds[q.Kind](q); err != nil {
			return fmt.Errorf("query %d: %w", i, err)
		}
	}
	for i := 0; i < len(queries); {
		kind := queries[i].Kind
		var took []time.Duration
		wrong, cpu := 0, cpuTime()
		err := profile.during(kind, func() error {
			for ; i < len(queries) && queries[i].Kind == kind; i++ {
				t0 := time.Now()
				got, err := kinds[kind](queries[i])
				took = append(took, time.Since(t0))
				if err != nil {
					return fmt.Errorf("query %d (%s): %w", i, kind, err)
				}
				if got != w.want[i] {
					if wrong++; wrong == 1 {
						fmt.Fprintf(os.Stderr, "query %d %+v: got %+v, want %+v\n", i, w.queries[i], got, w.want[i])
					}
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		res[kind+"_cpu_us"], res[kind], res["wrong_"+kind] = perOp(cpuTime()-cpu, len(took)), percentiles(took), wrong
	}
	return nil
}
