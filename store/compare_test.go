package store_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
	"github.com/asof-db/asof/store/storetest"
)

func divergence(t *testing.T, a, b *store.Store, space string) *store.Divergence {
	t.Helper()
	fa, err := a.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	defer fa.Close()
	fb, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	defer fb.Close()
	d, err := fa.Compare(context.Background(), fb, space)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// twins are two stores with the same first n transactions of a space.
func twins(t *testing.T, seed uint64, n int) (a, b *store.Store, ga, gb *storetest.Gen) {
	a, b = openMem(t), openMem(t)
	ga = storetest.NewGen("s", rand.New(rand.NewPCG(seed, 1)).IntN)
	gb = storetest.NewGen("s", rand.New(rand.NewPCG(seed, 1)).IntN)
	for range n {
		applyTo(t, a, ga.Next())
		applyTo(t, b, gb.Next())
	}
	return a, b, ga, gb
}

func TestCompareEqual(t *testing.T) {
	a, b, _, _ := twins(t, 1, 40)
	if d := divergence(t, a, b, "s"); d != nil {
		t.Errorf("equal stores differ: %+v", d)
	}
	if d := divergence(t, a, b, "no such space"); d != nil {
		t.Errorf("an absent space differs: %+v", d)
	}
}

// TestCompareDiverges lets one of two stores see other transactions from a
// position on: that is the one named, with a row of it, after few looks.
func TestCompareDiverges(t *testing.T) {
	for _, n := range []int{0, 1, 7, 63} {
		a, b, ga, gb := twins(t, 3, n)
		turn := func(text string) dsl.Turn {
			return dsl.Turn{ID: "fork", Session: "s", Speaker: dsl.Plain("Anna"), TS: 1_900_000_000_000_000, Text: dsl.Plain(text)}
		}
		applyTo(t, a, ga.Turn(turn("I live in Oslo")))
		applyTo(t, b, gb.Turn(turn("I live in Rome")))
		for i := range 20 {
			at := dsl.Instant(1_900_000_000_000_000) + dsl.Instant(i+1)*dsl.Day
			later := dsl.Turn{ID: "later" + string(rune('a'+i)), Session: "s", Speaker: dsl.Plain("Anna"), TS: at, Text: dsl.Plain("hello")}
			applyTo(t, a, ga.Turn(later))
			applyTo(t, b, gb.Turn(later))
		}
		d := divergence(t, a, b, "s")
		if d == nil || d.Position != dsl.Seq(n+1) || d.Row == nil {
			t.Fatalf("after %d equal positions: %+v", n, d)
		}
		if d.Row.Class != "turn" || (d.Row.ID != "fork" || d.Row.Here == nil || d.Row.There == nil) {
			t.Errorf("after %d equal positions: the row is %+v", n, d.Row)
		}
		if d.Here == d.There || d.Looked > 10 {
			t.Errorf("after %d equal positions: %d looks, digests %s and %s", n, d.Looked, d.Here, d.There)
		}
	}
}

// TestCompareShorter compares a store with one that has not seen all of it.
func TestCompareShorter(t *testing.T) {
	a, b, ga, _ := twins(t, 5, 12)
	applyTo(t, a, ga.Next())
	applyTo(t, a, ga.Next())
	if d := divergence(t, a, b, "s"); d == nil || d.Position != 13 || d.Row == nil || d.Row.There != nil || d.There != (dsl.Hash{}) {
		t.Errorf("%+v", d)
	}
	if d := divergence(t, b, a, "s"); d == nil || d.Position != 13 || d.Row == nil || d.Row.Here != nil {
		t.Errorf("the other way round: %+v", d)
	}
}

// TestCompareDropped compares a space that was dropped with one that was not.
func TestCompareDropped(t *testing.T) {
	a, b, ga, gb := twins(t, 7, 9)
	applyTo(t, a, ga.Drop())
	for _, d := range []*store.Divergence{divergence(t, a, b, "s"), divergence(t, b, a, "s")} {
		if d == nil || d.Position != 10 || d.Row == nil {
			t.Errorf("%+v", d)
		}
	}
	applyTo(t, b, gb.Drop())
	if d := divergence(t, a, b, "s"); d != nil {
		t.Errorf("both dropped: %+v", d)
	}
}

// TestCompareChangedRow changes a row behind the digests' back.
func TestCompareChangedRow(t *testing.T) {
	b := newBrokenSpace(t)
	c := newBrokenSpace(t)
	r := c.rows('f')[0]
	r.Value = store.EditVersion(r.Value, func(v *dsl.Interval, _ *dsl.Instant, _ *string) { v.Start++ })
	c.set(r)
	d := divergence(t, b.s, c.s, "m")
	if d == nil || d.Row == nil || d.Row.Class != "version" || d.Position == 0 {
		t.Fatalf("%+v", d)
	}
	here, there := d.Row.Here.Value["valid"].(dsl.Interval), d.Row.There.Value["valid"].(dsl.Interval)
	if here.Start+1 != there.Start || d.Row.ID == "" {
		t.Errorf("%+v", d.Row)
	}
}

// TestInspect decodes every row of a store that is opened for reading only, and
// counts what it decodes.
func TestInspect(t *testing.T) {
	fs := vfs.NewMem()
	s, err := store.Open(diskOptions(fs))
	if err != nil {
		t.Fatal(err)
	}
	gen := storetest.NewGen("s", rand.New(rand.NewPCG(9, 9)).IntN)
	for range 60 {
		applyTo(t, s, gen.Next())
	}
	if err := errors.Join(store.FlushSoon(s), s.Close()); err != nil {
		t.Fatal(err)
	}
	o := diskOptions(fs)
	o.ReadOnly = true
	if s, err = store.Open(o); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := commit(s, gen.Next()); err == nil || !strings.Contains(err.Error(), "reading only") {
		t.Errorf("a transaction on a store opened for reading: %v", err)
	}
	f, err := s.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sizes, err := f.Sizes(context.Background(), "s")
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, c := range sizes.Classes {
		n := 0
		if err := f.Rows(context.Background(), "s", c.Class, func(r store.DecodedRow) bool {
			if r.Class != c.Class || r.Fault != "" || len(r.Value) == 0 {
				t.Errorf("%+v", r)
			}
			n++
			return true
		}); err != nil {
			t.Fatal(err)
		}
		if n != c.Rows {
			t.Errorf("%d rows of class %s, counted %d", n, c.Class, c.Rows)
		}
		total += n
	}
	all := 0
	if err := f.Rows(context.Background(), "s", "", func(store.DecodedRow) bool { all++; return true }); err != nil || all != total || all == 0 {
		t.Errorf("%d rows in all, %d by class, %v", all, total, err)
	}
	if err := f.Rows(context.Background(), "s", "nonsense", nil); err == nil || !strings.Contains(err.Error(), "posting") {
		t.Errorf("an unknown class: %v", err)
	}
	if sizes.Bytes == 0 || len(sizes.Levels) == 0 {
		t.Errorf("the sizes say nothing: %+v", sizes)
	}
}

// TestCheckpoint opens a checkpoint of a store that goes on: it holds what was
// committed when it was made.
func TestCheckpoint(t *testing.T) {
	h := newChronicle(t, 4, 40)
	fs := vfs.NewMem()
	s, err := store.Open(diskOptions(fs))
	if err != nil {
		t.Fatal(err)
	}
	applyTo(t, s, h.txs[:25]...)
	if _, err := s.Checkpoint("copy"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Checkpoint("copy"); err == nil {
		t.Error("a checkpoint into a folder that is there")
	}
	applyTo(t, s, h.txs[25:]...)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	o := diskOptions(fs)
	o.Dir = "copy"
	c, err := store.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if n := h.prefix(t, c); n != 25 {
		t.Errorf("the checkpoint holds %d transactions", n)
	}
	h.finish(t, c)
}
