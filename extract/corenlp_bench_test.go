package extract

import (
	"bytes"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/asof-db/asof/internal/corenlp"
)

// BenchmarkServer reads labelled English turns with each option that asks the CoreNLP server
// which ASOF_CORENLP_URL names: how many turns ask, and how long a turn takes, all turns and
// those that ask. -benchtime 200x reads so many turns.
func BenchmarkServer(b *testing.B) {
	address := os.Getenv("ASOF_CORENLP_URL")
	if address == "" {
		b.Skip("ASOF_CORENLP_URL names no CoreNLP server (deploy/corenlp/server.sh start prints one's address)")
	}
	var turns []Context
	for line := range bytes.Lines(sharedFile(b, "data/gold/extract.dev.jsonl")) {
		ctx, err := parseLine(line, "")
		if err != nil {
			b.Fatal(err)
		}
		if latinText(tokenize(ctx.Turn.Text.String())) {
			turns = append(turns, ctx)
		}
	}
	client, err := corenlp.New(corenlp.Options{URL: address, Version: "4.5.10", Attempts: 1, Concurrency: 1, HTTP: &http.Client{Timeout: time.Minute}})
	if err != nil {
		b.Fatal(err)
	}
	for _, o := range []struct {
		name string
		set  func(*Config)
	}{
		{"ner", func(c *Config) { c.NERMode = "B'" }},
		{"time", func(c *Config) { c.TimeSUTime = true }},
		{"relation", func(c *Config) { c.RelationParse = true }},
		{"coref", func(c *Config) { c.CorefMode = "B" }},
		{"all", func(c *Config) { c.NERMode, c.TimeSUTime, c.RelationParse, c.CorefMode = "B'", true, true, "B" }},
	} {
		b.Run(o.name, func(b *testing.B) {
			c := DefaultConfig()
			c.Parts.Parser = client
			o.set(&c)
			p, err := New(c)
			if err != nil {
				b.Fatal(err)
			}
			var all, asked []time.Duration
			failed := 0
			for b.Loop() {
				began := time.Now()
				r := p.Extract(turns[len(all)%len(turns)])
				took := time.Since(began)
				all = append(all, took)
				if len(r.Answers) > 0 {
					asked = append(asked, took)
				}
				if slices.ContainsFunc(r.Answers, func(a Answer) bool { return a.FellBack() }) {
					failed++
				}
			}
			b.ReportMetric(float64(len(asked))/float64(len(all)), "asked/turn")
			b.ReportMetric(float64(failed), "failed")
			for _, m := range []struct {
				name string
				of   []time.Duration
				at   int
			}{{"p50-ms", all, 50}, {"p95-ms", all, 95}, {"asked-p50-ms", asked, 50}, {"asked-p95-ms", asked, 95}} {
				slices.Sort(m.of)
				if n := len(m.of); n > 0 {
					b.ReportMetric(float64(m.of[min(n-1, n*m.at/100)].Microseconds())/1000, m.name)
				}
			}
		})
	}
}
