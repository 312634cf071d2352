package asof_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/dsl"
)

// synthetic gives turn n of a made-up conversation: about 120 bytes of text,
// now and then a fact.
func synthetic(space string, n int) asof.Item {
	words := strings.Fields("the garden was quiet when we walked past the old library and talked about travel music cooking work and what the children had said")
	var b strings.Builder
	for i := range 20 {
		b.WriteString(words[(n*7+i*i+n/13)%len(words)])
		b.WriteByte(' ')
	}
	if n%10 == 0 {
		fmt.Fprintf(&b, "I live in Town%d.", n%97)
	}
	return asof.Item{Space: space, Turn: &dsl.Turn{ID: fmt.Sprintf("t%d", n), Session: fmt.Sprintf("s%d", n/20),
		Speaker: dsl.Plain([]string{"Ana", "Ben"}[n%2]), TS: 1_600_000_000_000_000 + dsl.Instant(n)*60*dsl.Second, Text: dsl.Plain(b.String())}}
}

func openAt(tb testing.TB, dir string) *asof.DB {
	tb.Helper()
	db, err := asof.Open(context.Background(), asof.Options{Dir: dir})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { db.Close() })
	return db
}

// BenchmarkIngest/one acknowledges turns one at a time; BenchmarkBarePublish is
// the bare limit in the same run: a synced publish of an entry of that size.
func BenchmarkIngest(b *testing.B) {
	ctx := context.Background()
	b.Run("one", func(b *testing.B) {
		db := openAt(b, b.TempDir())
		n := 0
		for b.Loop() {
			if _, err := db.Ingest(ctx, []asof.Item{synthetic("s", n)}); err != nil {
				b.Fatal(err)
			}
			n++
		}
		b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "turns/s")
	})
	b.Run("bulk", func(b *testing.B) {
		db := openAt(b, b.TempDir())
		const group = 256
		n := 0
		for b.Loop() {
			items := make([]asof.Item, group)
			for i := range items {
				items[i] = synthetic("s", n)
				n++
			}
			if _, err := db.Ingest(ctx, items); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "turns/s")
	})
}

func BenchmarkBarePublish(b *testing.B) {
	srv, err := server.NewServer(&server.Options{DontListen: true, JetStream: true, StoreDir: b.TempDir(), SyncAlways: true, NoLog: true, NoSigs: true, MaxPayload: 8 << 20})
	if err != nil {
		b.Fatal(err)
	}
	srv.Start()
	b.Cleanup(func() { srv.Shutdown(); srv.WaitForShutdown() })
	nc, err := nats.Connect("", nats.InProcessServer(srv))
	if err != nil {
		b.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	if _, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: "BARE", Subjects: []string{"bare.>"}, Storage: jetstream.FileStorage}); err != nil {
		b.Fatal(err)
	}
	payload := make([]byte, 900) // an entry of BenchmarkIngest/one
	n := 0
	for b.Loop() {
		if _, err := js.Publish(ctx, "bare.0", payload); err != nil {
			b.Fatal(err)
		}
		n++
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "turns/s")
}

// BenchmarkOpen opens a memory of 3,000 turns and asks it one question.
func BenchmarkOpen(b *testing.B) {
	ctx := context.Background()
	dir := b.TempDir()
	db := openAt(b, dir)
	for n := 0; n < 3000; n += 250 {
		items := make([]asof.Item, 250)
		for i := range items {
			items[i] = synthetic("s", n+i)
		}
		if _, err := db.Ingest(ctx, items); err != nil {
			b.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		db, err := asof.Open(ctx, asof.Options{Dir: dir})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := db.Search(ctx, "s", asof.At{}, asof.SearchQuery{Text: "Where does Ana live?", K: 10}); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := db.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}
