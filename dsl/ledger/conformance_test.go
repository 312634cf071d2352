package ledger_test

import (
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"go.uber.org/goleak"

	"github.com/asof-db/asof/dsl/ledger"
	"github.com/asof-db/asof/dsl/ledger/ledgertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func openEmbedded(t testing.TB, dir string) *ledger.JetStream {
	t.Helper()
	l, err := ledger.Open(t.Context(), ledger.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// startServer runs a broker on a free port of the loopback, as an external one.
func startServer(t testing.TB, dir string) *server.Server {
	t.Helper()
	s, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true, JetStream: true, StoreDir: dir,
		SyncAlways: true, MaxPayload: ledger.DefaultMaxPayload, DisableJetStreamBanner: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(30 * time.Second) {
		t.Fatal("the server did not start")
	}
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	return s
}

func TestConformance(t *testing.T) {
	t.Run("Memory", func(t *testing.T) {
		ledgertest.Run(t, func(*testing.T) ledger.Ledger { return ledger.NewMemory(4) })
	})
	t.Run("Embedded", func(t *testing.T) {
		ledgertest.Run(t, func(t *testing.T) ledger.Ledger { return openEmbedded(t, t.TempDir()) })
	})
	t.Run("External", func(t *testing.T) {
		ledgertest.Run(t, func(t *testing.T) ledger.Ledger {
			s := startServer(t, t.TempDir())
			l, err := ledger.Open(t.Context(), ledger.Options{URL: s.ClientURL(), Partitions: 5})
			if err != nil {
				t.Fatal(err)
			}
			return l
		})
	})
}
