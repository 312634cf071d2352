package asof_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/dsl/ledger"
	"github.com/asof-db/asof/dsl/ledger/ledgertest"
)

// alone is a ledger whose messages are of one partition each, as on an external
// broker.
type alone struct{ ledger.Ledger }

func (alone) Groups() bool { return false }

// mixed gives the turns of several conversations, one after the other in turn.
func mixed(spaces, turns int) (items []asof.Item, names []string) {
	talks := make([][]asof.Item, spaces)
	for i := range talks {
		names = append(names, fmt.Sprintf("mixed-%d", i))
		talks[i] = talk(names[i], turns, int64(i))
	}
	for n := range turns {
		for i := range talks {
			items = append(items, talks[i][n])
		}
	}
	return items, names
}

func openOver(t *testing.T, l ledger.Ledger, groupTurns int) *asof.DB {
	t.Helper()
	cfg := configs.Default()
	cfg.Ingest.GroupTurns = groupTurns
	db, err := asof.Open(ctx, asof.Options{Ledger: l, Config: &cfg})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// TestGroupingChangesNothing commits the same turns of many spaces in groups of
// several sizes, over logs with and without messages of several partitions: the
// memory is the same, and a group is one message where it may be.
func TestGroupingChangesNothing(t *testing.T) {
	items, names := mixed(6, 8)
	var want []string
	for _, c := range []struct {
		name     string
		groups   bool
		group    int
		messages func(n int) bool
	}{
		{"one at a time", true, 1, func(n int) bool { return n == len(items) }},
		{"groups of 7", true, 7, func(n int) bool { return n == (len(items)+6)/7 }},
		{"all in one", true, 64, func(n int) bool { return n == 1 }},
		{"groups of 7, partitions apart", false, 7, func(n int) bool { return n > (len(items)+6)/7 }},
		{"all in one, partitions apart", false, 64, func(n int) bool { return n > 1 && n <= 4 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			var l ledger.Ledger = ledger.NewMemory(4)
			if !c.groups {
				l = alone{l}
			}
			db := openOver(t, l, c.group)
			ingest(t, db, items)
			all, err := ledgertest.Collect(ctx, l, 1)
			if err != nil || !c.messages(len(all)) {
				t.Errorf("%d messages of %d turns, %v", len(all), len(items), err)
			}
			var got []string
			for _, name := range names {
				got = append(got, digest(t, db, name).String())
			}
			if want == nil {
				want = got
			}
			if !slices.Equal(got, want) {
				t.Errorf("digests %v, one at a time %v", got, want)
			}
			if a, err := db.Audit(ctx, ""); err != nil || !a.OK() {
				t.Errorf("%+v, %v", a, err)
			}
		})
	}
}

// TestOlderMessages goes on with a log whose messages are all of one partition,
// as they were before there were others, and back.
func TestOlderMessages(t *testing.T) {
	items, names := mixed(5, 9)
	calm := openOver(t, ledger.NewMemory(4), 64)
	ingest(t, calm, items)
	under := &ledgertest.Faulty{Ledger: ledger.NewMemory(4), KeepOpen: true}
	for i, l := range []ledger.Ledger{alone{under}, under, alone{under}} {
		db := openOver(t, l, 4)
		ingest(t, db, items[i*15:(i+1)*15])
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	db := openOver(t, under, 4)
	for _, name := range names {
		if got, want := digest(t, db, name), digest(t, calm, name); got != want {
			t.Errorf("space %s: digest %s, want %s", name, got, want)
		}
	}
	if a, err := db.Audit(ctx, ""); err != nil || !a.OK() {
		t.Errorf("%+v, %v", a, err)
	}
}

// overtake sends an item until it is taken: who loses every race for a partition
// against another owner is told of the conflict in the end.
func overtake(t *testing.T, db *asof.DB, it asof.Item) {
	for {
		_, err := db.Ingest(ctx, []asof.Item{it})
		if err == nil {
			return
		}
		if !errors.Is(err, ledger.ErrConflict) {
			t.Error(err)
			return
		}
	}
}

// TestTwoOwners has two memories append to one log at the same time, each to
// spaces of its own and both to one more: neither misses what the other wrote.
func TestTwoOwners(t *testing.T) {
	for name, wrap := range map[string]func(ledger.Ledger) ledger.Ledger{
		"groups":           func(l ledger.Ledger) ledger.Ledger { return l },
		"partitions apart": func(l ledger.Ledger) ledger.Ledger { return alone{l} },
	} {
		t.Run(name, func(t *testing.T) {
			under := &ledgertest.Faulty{Ledger: ledger.NewMemory(4), KeepOpen: true}
			var owners [2]*asof.DB
			for i := range owners {
				owners[i] = openOver(t, wrap(under), 3)
			}
			var both sync.WaitGroup
			for i, db := range owners {
				for k := range 3 {
					both.Go(func() {
						for _, it := range talk(fmt.Sprintf("owner-%d-%d", i, k), 20, int64(10*i+k)) {
							overtake(t, db, it)
						}
					})
				}
			}
			both.Wait()
			overtake(t, owners[0], talk("last", 1, 1)[0])
			overtake(t, owners[1], talk("last too", 1, 1)[0])
			fresh := openOver(t, wrap(under), 3)
			for i := range owners {
				for k := range 3 {
					space := fmt.Sprintf("owner-%d-%d", i, k)
					if got, want := digest(t, owners[1], space), digest(t, fresh, space); got != want {
						t.Errorf("space %s has digest %s, by the log %s", space, got, want)
					}
					if h, err := fresh.Head(space); err != nil || h.Turns != 20 {
						t.Errorf("space %s has %d turns, %v", space, h.Turns, err)
					}
				}
			}
			for _, db := range append(owners[1:], fresh) {
				if a, err := db.Audit(ctx, ""); err != nil || !a.OK() {
					t.Errorf("%+v, %v", a, err)
				}
			}
		})
	}
}
