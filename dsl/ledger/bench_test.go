package ledger_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/asof-db/asof/dsl/ledger"
	"github.com/asof-db/asof/dsl/ledger/ledgertest"
)

const benchRecord = 1 << 10 // bytes of data in a record

// bareStream is a stream on the same broker with the same settings and nothing of ours in the way.
func bareStream(b *testing.B, atomicBatches bool) (*nats.Conn, jetstream.JetStream) {
	b.Helper()
	s, err := server.NewServer(&server.Options{
		DontListen: true, NoSigs: true, NoLog: true, NoSystemAccount: true, JetStream: true, StoreDir: b.TempDir(), SyncAlways: true,
		MaxPayload: ledger.DefaultMaxPayload, DisableJetStreamBanner: true,
	})
	if err != nil {
		b.Fatal(err)
	}
	s.Start()
	nc, err := nats.Connect("", nats.InProcessServer(s))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		nc.Close()
		s.Shutdown()
		s.WaitForShutdown()
	})
	js, err := jetstream.New(nc)
	if err != nil {
		b.Fatal(err)
	}
	_, err = js.CreateStream(b.Context(), jetstream.StreamConfig{Name: "BARE", Subjects: []string{"bare.*"}, Storage: jetstream.FileStorage,
		AllowDirect: true, AllowAtomicPublish: atomicBatches})
	if err != nil {
		b.Fatal(err)
	}
	return nc, js
}

// BenchmarkBarePublish is the bare limit of Append: js.Publish of the same size to a stream that syncs always.
func BenchmarkBarePublish(b *testing.B) {
	_, js := bareStream(b, false)
	data := make([]byte, benchRecord)
	b.SetBytes(benchRecord)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := js.Publish(b.Context(), "bare.1", data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	for _, batch := range []int{1, 16, 256} {
		name := fmt.Sprintf("batch=%d", batch)
		if batch == 1 {
			name = "one"
		}
		b.Run(name, func(b *testing.B) {
			l := openEmbedded(b, b.TempDir())
			defer l.Close()
			space := ledgertest.SpaceOf(1, l.Partitions(), 0)
			recs := make([]ledger.Record, batch)
			data := bytes.Repeat([]byte{'x'}, benchRecord)
			var pos, last uint64
			b.SetBytes(int64(batch * benchRecord))
			b.ReportAllocs()
			for b.Loop() {
				for i := range recs {
					pos++
					recs[i] = ledger.Record{Space: space, Seq: pos, Data: data}
				}
				var err error
				if last, err = l.Append(b.Context(), 1, last, recs); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N*batch)/b.Elapsed().Seconds(), "records/s")
		})
	}
}

// BenchmarkGroup answers whether JetStream can save syncs by itself: 256 messages of 1 KB in one atomic batch, and 256 of
// them published without waiting in between, to hold against BenchmarkAppend/batch=256.
func BenchmarkGroup(b *testing.B) {
	const batch = 256
	data := make([]byte, benchRecord)
	b.Run("atomic=256", func(b *testing.B) {
		nc, _ := bareStream(b, true)
		b.SetBytes(batch * benchRecord)
		for n := 0; b.Loop(); n++ {
			id := strconv.Itoa(n)
			for i := 1; i <= batch; i++ {
				m := nats.NewMsg("bare.1")
				m.Data = data
				m.Header.Set("Nats-Batch-Id", id)
				m.Header.Set("Nats-Batch-Sequence", strconv.Itoa(i))
				if i < batch {
					if err := nc.PublishMsg(m); err != nil {
						b.Fatal(err)
					}
					continue
				}
				m.Header.Set("Nats-Batch-Commit", "1")
				r, err := nc.RequestMsg(m, 30*time.Second)
				if err != nil || bytes.Contains(r.Data, []byte(`"error"`)) {
					b.Fatalf("%v %s", err, r.Data)
				}
			}
		}
		b.ReportMetric(float64(b.N*batch)/b.Elapsed().Seconds(), "records/s")
	})
	b.Run("async=256", func(b *testing.B) {
		_, js := bareStream(b, false)
		b.SetBytes(batch * benchRecord)
		for b.Loop() {
			for range batch {
				if _, err := js.PublishAsync("bare.1", data); err != nil {
					b.Fatal(err)
				}
			}
			<-js.PublishAsyncComplete()
		}
		b.ReportMetric(float64(b.N*batch)/b.Elapsed().Seconds(), "records/s")
	})
}

// fill writes messages of the given number of records each.
func fill(b *testing.B, l ledger.Ledger, messages, batch int) {
	b.Helper()
	n := l.Partitions()
	last, pos := make([]uint64, n), make([]uint64, n)
	data := bytes.Repeat([]byte{'x'}, benchRecord)
	recs := make([]ledger.Record, batch)
	for i := range messages {
		p := i % n
		space := ledgertest.SpaceOf(p, n, 0)
		for k := range recs {
			pos[p]++
			recs[k] = ledger.Record{Space: space, Seq: pos[p], Data: data}
		}
		var err error
		if last[p], err = l.Append(b.Context(), p, last[p], recs); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	for _, c := range []struct{ messages, batch int }{{10_000, 1}, {500, 64}} {
		b.Run(fmt.Sprintf("messages=%d/batch=%d", c.messages, c.batch), func(b *testing.B) {
			l := openEmbedded(b, b.TempDir())
			defer l.Close()
			fill(b, l, c.messages, c.batch)
			b.SetBytes(int64(c.messages * c.batch * benchRecord))
			b.ReportAllocs()
			for b.Loop() {
				n := 0
				if err := l.Read(b.Context(), 1, func(m ledger.Message) error { n += len(m.Records); return nil }); err != nil || n != c.messages*c.batch {
					b.Fatal(n, err)
				}
			}
			b.ReportMetric(float64(b.N*c.messages*c.batch)/b.Elapsed().Seconds(), "records/s")
		})
	}
}

// BenchmarkOpen opens an embedded log of 10,000 messages of 1 KB that was closed in order, asks it for Last, and closes it; the
// time to the answer is reported apart.
func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	l := openEmbedded(b, dir)
	fill(b, l, 10_000, 1)
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
	var open time.Duration
	for b.Loop() {
		start := time.Now()
		l, err := ledger.Open(b.Context(), ledger.Options{Dir: dir, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			b.Fatal(err)
		}
		if _, last, err := l.Last(b.Context()); err != nil || last != 10_000 {
			b.Fatal(last, err)
		}
		open += time.Since(start)
		if err := l.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(open.Microseconds())/float64(b.N)/1000, "ms-to-answer/op")
}
