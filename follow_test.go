package asof_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/dsl/ledger"
	"github.com/asof-db/asof/dsl/ledger/ledgertest"
)

// TestFollow lets one memory follow what others write to a log, while it writes
// itself: it has every message in order, and the digests of a memory made anew.
func TestFollow(t *testing.T) {
	under := &ledgertest.Faulty{Ledger: ledger.NewMemory(4), KeepOpen: true}
	writer, follower := openOver(t, under, 3), openOver(t, under, 3)
	overtake(t, writer, talk("before", 1, 1)[0])

	following, stop := context.WithCancel(ctx)
	var seen []uint64
	ended := make(chan error)
	go func() {
		ended <- follower.Follow(following, func(message uint64) {
			seen = append(seen, message)
		})
	}()
	var all sync.WaitGroup
	for i, db := range []*asof.DB{writer, writer, follower} {
		all.Go(func() {
			for _, it := range talk(fmt.Sprintf("space-%d", i), 20, int64(i)) {
				overtake(t, db, it)
			}
		})
	}
	all.Wait()
	overtake(t, follower, talk("after", 1, 1)[0])
	for follower.Ready(ctx) != nil {
	}
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Follow ended with %v", err)
	}
	for i := 1; i < len(seen); i++ {
		if seen[i] <= seen[i-1] {
			t.Fatalf("message %d was told after %d", seen[i], seen[i-1])
		}
	}
	fresh := openOver(t, under, 3)
	spaces, err := fresh.Spaces()
	if err != nil || len(spaces) != 5 {
		t.Fatalf("%d spaces, %v", len(spaces), err)
	}
	for _, s := range spaces {
		if got, want := digest(t, follower, s), digest(t, fresh, s); got != want {
			t.Errorf("space %s has digest %s, by the log %s", s, got, want)
		}
	}
	if a, err := follower.Audit(ctx, ""); err != nil || !a.OK() {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestReady asks a memory that lags behind its log, one that has caught up, and
// one that is closed.
func TestReady(t *testing.T) {
	under := &ledgertest.Faulty{Ledger: ledger.NewMemory(4), KeepOpen: true}
	writer, other := openOver(t, under, 3), openOver(t, under, 3)
	if err := other.Ready(ctx); err != nil {
		t.Fatalf("an empty memory: %v", err)
	}
	overtake(t, writer, talk("a", 1, 1)[0])
	if err := other.Ready(ctx); !errors.Is(err, asof.ErrBehind) || other.Health() != nil {
		t.Errorf("behind: %v, and %v", err, other.Health())
	}
	overtake(t, other, talk("b", 1, 1)[0])
	if err := other.Ready(ctx); err != nil {
		t.Errorf("caught up: %v", err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(other.Health(), other.Ready(ctx)); !errors.Is(err, dsl.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}
