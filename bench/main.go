// Command bench puts asof and other systems through the same work, side by side
// on one machine, and checks every answer.
//
//	go run ./bench                   all peers at 10⁴ and 10⁵ versions, three interleaved rounds
//	ASOF_LONG=1 go run ./bench       10⁶ as well
//	go run ./bench -own              asof alone
//	go run ./bench -text             full-text peers on LoCoMo (W2), one round
//	go run ./bench -neo4j URI        how far the graph is behind while LoCoMo streams in
//	go run ./bench -peer asof -data DIR -dir SCRATCH -batch 1
//
// The work is W1, a bitemporal fact log with questions and right answers, from
// w1gen.py in the shared folder beside the repository (ASOF_SHARED, or
// ../shared); the drivers of the other systems are built there. What is missing
// on a machine (python3, the folder, a C compiler, PostgreSQL) is skipped, with
// a line that says so. The figures go to the standard output as a table; the raw
// results, one JSON object a run, to build/bench.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
)

func main() {
	peer := flag.String("peer", "", "drive this peer alone: asof, store, asof-16, asof-16-shared or jetstream-16")
	data := flag.String("data", "", "the peer's folder with ops, queries and expected")
	dir := flag.String("dir", "", "the peer's empty scratch folder")
	batch := flag.Int("batch", 1, "the peer's operations a transaction")
	flag.StringVar(&profile.file, "cpuprofile", "", "the peer's file for a CPU profile of one phase")
	flag.StringVar(&profile.phase, "phase", "point", "the phase: load, rebuild, point, edge, history or snapshot")
	own := flag.Bool("own", false, "leave the other systems out")
	rounds := flag.Int("rounds", 3, "how often each peer runs")
	sizes := flag.String("sizes", "", "versions, such as 10000,100000")
	text := flag.Bool("text", false, "the text peers")
	graph := flag.String("neo4j", "", "a Neo4j server, such as bolt://127.0.0.1:7687: how far the graph is behind while LoCoMo streams in; what it holds of LoCoMo's spaces is dropped")
	pace := flag.Duration("pace", 0, "with -neo4j the time between two turns; 0 as fast as they are taken in")
	flag.Parse()
	var err error
	if *graph != "" {
		err = graphLag(context.Background(), *graph, *pace, os.Stdout)
	} else if *text {
		err = compareText(os.Stdout)
	} else if *peer != "" {
		err = runPeer(*peer, *data, *dir, *batch, os.Stdout)
	} else {
		err = compare(*sizes, *rounds, *own)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
