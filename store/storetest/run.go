package storetest

import (
	"testing"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// An Applier is a store under test.
type Applier interface {
	// Apply commits transactions, of one space or several, in one batch, all or
	// none. What does not fit wraps dsl.ErrCorrupt.
	Apply(txs ...*dsl.Tx) error
	// At and AtTime give views. A position beyond the head, or dropped, is
	// dsl.ErrNotFound; a space that is not there is an empty one.
	At(space string, seq dsl.Seq) (store.View, error)
	AtTime(space string, t dsl.Instant) (store.View, error)
	// Reopen closes the store and opens it again. All views are closed before.
	Reopen() error
}

// Run tests an implementation. open gives an empty one, whose end it sees to
// with t.Cleanup.
func Run(t *testing.T, open func(t *testing.T) Applier) {
	t.Helper()
	t.Run("random", func(t *testing.T) { testRandom(t, open(t)) })
}
