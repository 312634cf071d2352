package eval

import (
	"context"
	"testing"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/retrieval"
)

// conversations reads LoCoMo dev.
func conversations(tb testing.TB) []Conversation {
	tb.Helper()
	d, err := OpenData(sharedData(tb, "locomo/locomo.dev.json"))
	if err != nil {
		tb.Fatal(err)
	}
	defer d.Close()
	var all []Conversation
	for c, err := range ReadLoCoMo(d, d.Name()) {
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

// BenchmarkIngestLoCoMo takes the five conversations of LoCoMo dev into a new
// memory, each in one call.
func BenchmarkIngestLoCoMo(b *testing.B) {
	ctx := context.Background()
	convs := conversations(b)
	total := 0
	for b.Loop() {
		db := openAt(b)
		for _, c := range convs {
			items := make([]asof.Item, len(c.Turns))
			for i := range c.Turns {
				items[i] = asof.Item{Space: c.Space, Turn: &c.Turns[i]}
			}
			if _, err := db.Ingest(ctx, items); err != nil {
				b.Fatal(err)
			}
			total += len(items)
		}
		if err := db.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(total)/b.Elapsed().Seconds(), "turns/s")
}

// BenchmarkSearch asks the questions of LoCoMo dev of a memory on disk.
func BenchmarkSearch(b *testing.B) {
	ctx := context.Background()
	convs := conversations(b)
	db := openAt(b)
	type question struct{ space, text string }
	var qs []question
	for _, c := range convs {
		items := make([]asof.Item, len(c.Turns))
		for i := range c.Turns {
			items[i] = asof.Item{Space: c.Space, Turn: &c.Turns[i]}
		}
		if _, err := db.Ingest(ctx, items); err != nil {
			b.Fatal(err)
		}
		for _, q := range c.Questions {
			qs = append(qs, question{c.Space, q.Text})
		}
	}
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		q := qs[n%len(qs)]
		n++
		if _, err := db.Search(ctx, q.space, asof.At{}, asof.SearchQuery{Text: q.text, K: 10, Kinds: []retrieval.Kind{retrieval.Turn}}); err != nil {
			b.Fatal(err)
		}
	}
}

func openAt(tb testing.TB) *asof.DB {
	tb.Helper()
	db, err := asof.Open(context.Background(), asof.Options{Dir: tb.TempDir()})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { db.Close() })
	return db
}
