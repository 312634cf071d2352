// Package eval measures retrieval on the data sets of the field, read in their
// official files, and leaves a folder that others can score without us.
//
// Three parts, each usable alone:
//
//   - Readers. OpenData opens a file, plain or compressed; ReadLoCoMo streams
//     its conversations, ReadMemora its personas, one in memory at a time, with
//     the data set's known faults handled and counted. The same readers serve ingestion.
//   - Metrics. Score gives every metric of one ranking; METRICS.md holds the
//     formulas and their sources, and a test holds them to trec_eval's figures.
//   - Runs. RunLoCoMo asks every question of a Searcher and writes the run,
//     the judgements, the metrics and a manifest. Two runs over the same data
//     and the same engine give the same bytes but for latency.csv.
//
// The package reads no clock of its own: latencies need the Clock of
// RunOptions, and nothing but latency.csv depends on it.
package eval
