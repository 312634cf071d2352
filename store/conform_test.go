package store_test

import (
	"os"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
	"github.com/asof-db/asof/store/storetest"
)

// applier runs the store through the suite that the model is run through.
type applier struct {
	*store.Store
	fs    vfs.FS
	small bool
}

func (a *applier) Apply(txs ...*dsl.Tx) error { return commit(a.Store, txs...) }

func (a *applier) Reopen() (err error) {
	if a.Store != nil {
		if err := a.Store.Close(); err != nil {
			return err
		}
	}
	a.Store, err = store.Open(store.Options{Dir: "db", FS: a.fs, CacheBytes: 1 << 20, MemtableBytes: 1 << 20})
	if err == nil && a.small {
		a.SmallTrees()
	}
	return err
}

func conform(t *testing.T, small bool) {
	storetest.Run(t, func(t *testing.T) storetest.Applier {
		a := &applier{fs: vfs.NewMem(), small: small}
		if err := a.Reopen(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := a.Close(); err != nil {
				t.Error(err)
			}
		})
		return a
	})
}

func TestConform(t *testing.T) { conform(t, false) }

// TestConformSmallTrees is for the long runs; TestHotKey sees small trees always.
func TestConformSmallTrees(t *testing.T) {
	if os.Getenv("ASOF_LONG") == "" {
		t.Skip("ASOF_LONG is not set")
	}
	conform(t, true)
}
