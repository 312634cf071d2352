package store_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
	"github.com/asof-db/asof/store/storetest"
)

// TestRoom writes many times the memtables that a store may have: the writer
// waits for room and goes on, and so do batches larger than a memtable.
func TestRoom(t *testing.T) {
	s, err := store.Open(diskOptions(vfs.NewMem()))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	random := rand.New(rand.NewPCG(1, 1))
	c := storetest.NewChain("s")
	var batch []*dsl.Tx
	turns, sizes := 0, 40
	if testing.Short() {
		sizes = 12
	}
	for size := range sizes {
		for range 1 + size%9*3 {
			var text strings.Builder
			for range 2000 {
				fmt.Fprintf(&text, "word%d ", random.IntN(50_000))
			}
			turns++
			batch = append(batch, c.Turn(dsl.Turn{ID: fmt.Sprintf("t%d", turns), Speaker: dsl.Plain("Anna"), Text: dsl.Plain(text.String()),
				TS: start + dsl.Instant(turns)*dsl.Second}))
		}
		applyTo(t, s, batch...)
		batch = nil
	}
	h, err := s.Head("s")
	if err != nil || int(h.Turns) != turns {
		t.Errorf("%d turns of %d, %v", h.Turns, turns, err)
	}
}
