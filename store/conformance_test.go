package store_test

import (
	"flag"
	"os"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"go.uber.org/goleak"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
	"github.com/asof-db/asof/store/storetest"
)

// TestMain runs fewer random sequences unless ASOF_LONG or -rapid.checks asks
// for more, and holds every test to leaving no goroutine behind.
func TestMain(m *testing.M) {
	if os.Getenv("ASOF_LONG") == "" {
		if err := flag.Set("rapid.checks", "40"); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m)
}

// pebbleStore is the Pebble store as storetest drives it.
type pebbleStore struct {
	*store.Store
	opt store.Options
}

func (p *pebbleStore) Apply(txs ...*dsl.Tx) error { return commit(p.Store, txs...) }

func (p *pebbleStore) Reopen() error {
	if p.Store != nil {
		if err := p.Store.Close(); err != nil {
			return err
		}
	}
	var err error
	p.Store, err = store.Open(p.opt)
	return err
}

// open gives an applier over a file system, which closes with the test.
func open(t testing.TB, fs vfs.FS) *pebbleStore {
	t.Helper()
	p := &pebbleStore{opt: store.Options{Dir: "db", FS: fs, CacheBytes: 1 << 20, MemtableBytes: 1 << 20}}
	if err := p.Reopen(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Store.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// TestConformance holds the Pebble store to what every implementation of
// store.View must do.
func TestConformance(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Applier { return open(t, vfs.NewMem()) })
}
