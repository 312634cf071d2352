package ledger_test

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/asof-db/asof/dsl/ledger"
	"github.com/asof-db/asof/dsl/ledger/ledgertest"
)

// dial gives a client of a broker, as a tool beside us would have.
func dial(t *testing.T, s *server.Server) (*nats.Conn, jetstream.JetStream) {
	t.Helper()
	nc, err := nats.Connect(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return nc, js
}

// logConfig is what FORMAT.md says of the log's stream.
func logConfig() jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: "ASOF", Subjects: []string{"asof.log.*"}, Storage: jetstream.FileStorage, DenyDelete: true, DenyPurge: true, AllowDirect: true,
		Metadata: map[string]string{"asof.partitions": "16", "asof.format": "1"},
	}
}

// TestForeignStream opens streams that others made: one as FORMAT.md has it is taken, any other refused with its faults.
func TestForeignStream(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*jetstream.StreamConfig)
		want   error
		texts  []string
	}{
		{"as it should be", func(*jetstream.StreamConfig) {}, nil, nil},
		{"another format", func(c *jetstream.StreamConfig) { c.Metadata["asof.format"] = "2" }, ledger.ErrUnsupportedFormat, []string{`"2"`}},
		{"no metadata", func(c *jetstream.StreamConfig) { c.Metadata = nil }, ledger.ErrUnsupportedFormat, nil},
		{"no partitions", func(c *jetstream.StreamConfig) { c.Metadata["asof.partitions"] = "x" }, ledger.ErrUnsupportedFormat, []string{`"x"`}},
		{"all else at once", func(c *jetstream.StreamConfig) {
			c.Subjects, c.MaxMsgs, c.Storage, c.DenyDelete, c.AllowDirect = []string{"asof.log.>"}, 5, jetstream.MemoryStorage, false, false
			c.Metadata["asof.partitions"] = "3"
		}, ledger.ErrMismatch, []string{"has 3 partitions, 16 are asked for", "subjects", "messages 5", "Memory storage", "deny_delete false", "direct"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := startServer(t, t.TempDir())
			_, js := dial(t, s)
			cfg := logConfig()
			cfg.Metadata = maps.Clone(cfg.Metadata)
			c.change(&cfg)
			if _, err := js.CreateStream(t.Context(), cfg); err != nil {
				t.Fatal(err)
			}
			l, err := ledger.Open(t.Context(), ledger.Options{URL: s.ClientURL(), Partitions: 16})
			if l != nil && err == nil {
				defer l.Close()
			}
			if !errors.Is(err, c.want) {
				t.Fatalf("%v, want %v", err, c.want)
			}
			for _, text := range c.texts {
				if !strings.Contains(err.Error(), text) {
					t.Errorf("%v does not say %q", err, text)
				}
			}
		})
	}
}

// TestForeignMessages puts into the log what never came through Append.
func TestForeignMessages(t *testing.T) {
	none := func(ledger.Message) error { return nil }
	t.Run("bytes that are no message", func(t *testing.T) {
		s := startServer(t, t.TempDir())
		l, err := ledger.Open(t.Context(), ledger.Options{URL: s.ClientURL()})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		grow(t, l, 3, 10)
		_, js := dial(t, s)
		if _, err := js.Publish(t.Context(), "asof.log.05", []byte("hello, world")); err != nil {
			t.Fatal(err)
		}
		for name, read := range map[string]func(context.Context, uint64, func(ledger.Message) error) error{"Read": l.Read, "Follow": l.Follow} {
			if err := read(t.Context(), 2, none); !errors.Is(err, ledger.ErrCorrupt) || !strings.Contains(err.Error(), "message 4, byte 0") {
				t.Errorf("%s: %v, want ErrCorrupt at message 4", name, err)
			}
		}
	})
	t.Run("a log that does not begin", func(t *testing.T) {
		s := startServer(t, t.TempDir())
		_, js := dial(t, s)
		cfg := logConfig()
		cfg.FirstSeq = 5
		if _, err := js.CreateStream(t.Context(), cfg); err != nil {
			t.Fatal(err)
		}
		l, err := ledger.Open(t.Context(), ledger.Options{URL: s.ClientURL()})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if _, _, err := l.Last(t.Context()); !errors.Is(err, ledger.ErrGap) {
			t.Errorf("the end of a log that lost all it had: %v, want ErrGap", err)
		}
		rec := []ledger.Record{{Space: ledgertest.SpaceOf(1, 16, 0), Seq: 1}}
		if _, err := l.Append(t.Context(), 1, 0, rec); !errors.Is(err, ledger.ErrGap) || !errors.Is(err, ledger.ErrUnavailable) {
			t.Errorf("an append to it: %v, want ErrGap, since nobody knows where it ends", err)
		}
		if err := l.Read(t.Context(), 1, none); !errors.Is(err, ledger.ErrGap) || !strings.Contains(err.Error(), "message 1 of 4") {
			t.Errorf("%v, want ErrGap at message 1", err)
		}
	})
}

// TestBrokerAway stops an external broker under a ledger and starts it again: appends fail meanwhile with an error that says
// what became of them, and Follow goes on where it was.
func TestBrokerAway(t *testing.T) {
	dir := t.TempDir()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := free.Addr().(*net.TCPAddr).Port
	free.Close()
	start := func() *server.Server {
		s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: port, NoSigs: true, NoLog: true, JetStream: true, StoreDir: dir,
			SyncAlways: true, MaxPayload: ledger.DefaultMaxPayload, DisableJetStreamBanner: true})
		if err != nil {
			t.Fatal(err)
		}
		s.Start()
		if !s.ReadyForConnections(30 * time.Second) {
			t.Fatal("the server did not start")
		}
		return s
	}
	stop := func(s *server.Server) {
		s.Shutdown()
		s.WaitForShutdown()
	}
	s := start()
	u := url.URL{Scheme: "nats", Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(port))}
	l, err := ledger.Open(t.Context(), ledger.Options{URL: u.String(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	grow(t, l, 2, 10)
	got := make(chan uint64, 100)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- l.Follow(ctx, 1, func(m ledger.Message) error { got <- m.Seq; return nil })
	}()
	for want := uint64(1); want <= 2; want++ {
		if seq := <-got; seq != want {
			t.Fatalf("message %d, want %d", seq, want)
		}
	}
	stop(s)
	space := ledgertest.SpaceOf(1, l.Partitions(), 0)
	rec := []ledger.Record{{Space: space, Seq: 3, Data: []byte("x")}}
	if _, err := l.Append(t.Context(), 1, 2, rec); !errors.Is(err, ledger.ErrUnavailable) && !errors.Is(err, ledger.ErrUnknownOutcome) {
		t.Errorf("append without a broker: %v", err)
	}
	s = start()
	defer func() { stop(s) }()
	for {
		_, err := l.Append(t.Context(), 1, 2, rec)
		if err == nil || errors.Is(err, ledger.ErrConflict) { // a conflict: an append of unknown outcome was stored after all
			break
		}
		if !errors.Is(err, ledger.ErrUnavailable) && !errors.Is(err, ledger.ErrUnknownOutcome) {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
	if seq := <-got; seq != 3 {
		t.Errorf("Follow goes on with message %d, want 3", seq)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Follow ended with %v", err)
	}
}

// TestLostAcknowledgement lets an append run out of time while its broker is silent: its outcome is unknown, and trying again
// commits it once.
func TestLostAcknowledgement(t *testing.T) {
	// A broker that takes a connection and its messages and never answers: a proxy that stops passing on what comes back.
	s := startServer(t, t.TempDir())
	p := newProxy(t, s.Addr().String())
	l, err := ledger.Open(t.Context(), ledger.Options{URL: "nats://" + p.addr})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, _, err := l.Last(t.Context()); err != nil { // as every owner does before its first append
		t.Fatal(err)
	}
	space := ledgertest.SpaceOf(1, l.Partitions(), 0)
	rec := []ledger.Record{{Space: space, Seq: 1, Data: []byte("x")}}
	p.mute.Store(true)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := l.Append(ctx, 1, 0, rec); !errors.Is(err, ledger.ErrUnknownOutcome) {
		t.Fatalf("an append without an answer: %v, want ErrUnknownOutcome", err)
	}
	p.release()
	if _, err := l.Append(t.Context(), 1, 0, rec); !errors.Is(err, ledger.ErrConflict) {
		t.Errorf("the same again: %v, want ErrConflict, since the first one was stored", err)
	}
	if all, err := ledgertest.Collect(t.Context(), l, 1); err != nil || len(all) != 1 {
		t.Errorf("%d messages, %v; want the one", len(all), err)
	}
}

// TestMetrics counts what happened, and a ledger can be opened again with the same Registerer.
func TestMetrics(t *testing.T) {
	reg := prometheus.NewRegistry()
	dir := t.TempDir()
	for range 2 {
		now := time.Unix(0, 0)
		clock := func() time.Time { now = now.Add(time.Second); return now }
		l, err := ledger.Open(t.Context(), ledger.Options{Dir: dir, Registerer: reg, Clock: clock})
		if err != nil {
			t.Fatal(err)
		}
		grow(t, l, 3, 10)
		if _, err := l.Append(t.Context(), 1, 0, []ledger.Record{{Space: ledgertest.SpaceOf(1, 16, 0), Seq: 1}}); !errors.Is(err, ledger.ErrConflict) {
			t.Fatal(err)
		}
		families, err := reg.Gather()
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]float64{}
		for _, f := range families {
			m := f.GetMetric()[0]
			got[f.GetName()] = m.GetCounter().GetValue()
			if h := m.GetHistogram(); h != nil && (h.GetSampleCount() != 3 || h.GetSampleSum() != 3) {
				t.Errorf("%s: %d samples of %g s, want 3 of 3 s", f.GetName(), h.GetSampleCount(), h.GetSampleSum())
			}
		}
		for name, want := range map[string]float64{"appends_total": 3, "append_records_total": 3, "conflicts_total": 1, "unknown_outcomes_total": 0} {
			if got["asof_ledger_"+name] != want {
				t.Errorf("%s is %g, want %g", name, got["asof_ledger_"+name], want)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNoDeleting shows that the broker itself refuses to delete from the log.
func TestNoDeleting(t *testing.T) {
	s := startServer(t, t.TempDir())
	l, err := ledger.Open(t.Context(), ledger.Options{URL: s.ClientURL()})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	grow(t, l, 2, 10)
	_, js := dial(t, s)
	st, err := js.Stream(t.Context(), "ASOF")
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Purge(t.Context()); err == nil {
		t.Error("the log can be purged")
	}
	if err := st.DeleteMsg(t.Context(), 1); err == nil {
		t.Error("a message of the log can be deleted")
	}
	if all, err := ledgertest.Collect(t.Context(), l, 1); err != nil || len(all) != 2 {
		t.Errorf("%d messages, %v", len(all), err)
	}
}

// TestOpenFails opens what cannot be opened; nothing may be left running (goleak) or locked.
func TestOpenFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]ledger.Options{
		"no place":       {},
		"a file":         {Dir: file},
		"nobody listens": {URL: "nats://127.0.0.1:1", Timeout: time.Second},
	} {
		if l, err := ledger.Open(t.Context(), o); err == nil {
			l.Close()
			t.Errorf("%s: it opens", name)
		}
	}
	dir := t.TempDir()
	l := openEmbedded(t, dir)
	if _, err := ledger.Open(t.Context(), ledger.Options{Dir: dir}); !errors.Is(err, ledger.ErrLocked) {
		t.Errorf("open twice in one process: %v, want ErrLocked", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := openEmbedded(t, dir).Close(); err != nil {
		t.Fatal(err)
	}
}

// TestGroupsServed has an external broker serve the files of an embedded log that holds messages of several partitions:
// owners of single partitions go on from there, and those who know an older end are refused.
func TestGroupsServed(t *testing.T) {
	dir := t.TempDir()
	l := openEmbedded(t, dir)
	n := l.Partitions()
	rec := func(p int, seq uint64) []ledger.Record {
		return []ledger.Record{{Space: ledgertest.SpaceOf(p, n, 0), Seq: seq, Data: []byte("x")}}
	}
	put := func(l ledger.Ledger, p int, expect uint64, recs []ledger.Record) uint64 {
		t.Helper()
		seq, err := l.Append(t.Context(), p, expect, recs)
		if err != nil {
			t.Fatal(err)
		}
		return seq
	}
	s1 := put(l, 1, 0, rec(1, 1))
	s2 := put(l, ledger.Several, s1, append(rec(1, 2), rec(2, 1)...))
	s3 := put(l, 3, s2, rec(3, 1))
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}

	s := startServer(t, dir)
	for _, asks := range []bool{true, false} { // whether the owner asks where the log ends before it appends
		ext, err := ledger.Open(t.Context(), ledger.Options{URL: s.ClientURL()})
		if err != nil {
			t.Fatal(err)
		}
		defer ext.Close()
		if asks {
			per, last, err := ext.Last(t.Context())
			if err != nil || per[1] != s2 || per[2] != s2 || per[3] != s3 || per[4] != s2 || last != s3 {
				t.Fatalf("Last: %v, %d, %v", per, last, err)
			}
			if _, err := ext.Append(t.Context(), 1, s1, rec(1, 2)); !errors.Is(err, ledger.ErrConflict) {
				t.Errorf("partition 1 after %d: %v, want ErrConflict", s1, err)
			}
			if _, err := ext.Append(t.Context(), 4, 0, rec(4, 1)); !errors.Is(err, ledger.ErrConflict) {
				t.Errorf("partition 4 after 0: %v, want ErrConflict", err)
			}
			s4 := put(ext, 1, s2, rec(1, 3))
			put(ext, 3, s3, rec(3, 2))
			put(ext, 1, s4, rec(1, 4))
		} else {
			put(ext, 2, s2, rec(2, 2)) // partition 2 has had no message of its own so far
			if _, err := ext.Append(t.Context(), 1, s2, rec(1, 3)); !errors.Is(err, ledger.ErrConflict) {
				t.Errorf("partition 1 after %d: %v, want ErrConflict", s2, err)
			}
		}
		if _, err := ext.Append(t.Context(), ledger.Several, 7, rec(1, 9)); !errors.Is(err, ledger.ErrInvalid) {
			t.Errorf("a group on an external log: %v, want ErrInvalid", err)
		}
		if _, err := ledgertest.Collect(t.Context(), ext, 1); err != nil {
			t.Error(err)
		}
	}
}
