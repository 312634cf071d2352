package store_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
	"github.com/asof-db/asof/store/storetest"
)

const start dsl.Instant = 1_700_000_000_000_000

// brokenSpace is a small space with one of everything, to be broken in one
// place. Its positions are commented where they are made.
type brokenSpace struct {
	*storetest.Chain
	t           *testing.T
	s           *store.Store
	anna, annie string
}

func newBrokenSpace(t *testing.T) *brokenSpace {
	b := &brokenSpace{Chain: storetest.NewChain("m"), t: t, s: openMem(t)}
	at := func(i int) dsl.Instant { return start + dsl.Instant(i)*dsl.Day }
	say := func(i int, id string, ops ...dsl.Op) *dsl.Tx {
		return b.Turn(dsl.Turn{ID: id, Session: "s", Speaker: dsl.Plain("Anna"), Text: dsl.Plain("I live in " + id), TS: at(i)}, ops...)
	}
	b.anna, b.annie = b.Node(dsl.Entity, "Anna"), b.Node(dsl.Entity, "Annie")
	berlin, bonn, tea := b.Node(dsl.Entity, "Berlin"), b.Node(dsl.Entity, "Bonn"), b.Node(dsl.Entity, "tea")
	b.apply(say(1, "t0", storetest.Upsert("f1", 1, b.anna, "lives_in", berlin, dsl.Since(at(1)), 1, "t0")))                                           // #1
	b.apply(say(2, "t1", storetest.Correct("f1", 1, 2, berlin, dsl.Interval{Start: at(1), End: at(2)}, 1)))                                           // #2
	b.apply(b.Ops(at(3), storetest.Event("e", 1, "Anna moves", dsl.Since(at(2)), []string{"f1"}, []string{"t2"})))                                    // #3
	b.apply(b.Ops(at(4), storetest.Upsert("f2", 1, b.anna, "lives_in", bonn, dsl.Since(at(2)), 0.5)))                                                 // #4
	b.apply(b.Ops(at(5), storetest.LinkOp("m", dsl.AliasOf, b.anna, b.annie), storetest.Upsert("f3", 1, b.annie, "likes", tea, dsl.Since(at(3)), 1))) // #5
	b.apply(say(6, "t2", storetest.Evidence("m", "t2", "f2", 0.5), storetest.Archive("f3")))                                                          // #6
	return b
}

// edit records an edit of the last turn, at #7.
func (b *brokenSpace) edit() {
	b.apply(b.Turn(dsl.Turn{ID: "t3", Session: "s", Speaker: dsl.Plain("Anna"), Replaces: "t2", TS: start + 7*dsl.Day}))
}

// apply commits a transaction and notes its place in a log.
func (b *brokenSpace) apply(tx *dsl.Tx) {
	b.t.Helper()
	st, err := b.s.Stage()
	if err != nil {
		b.t.Fatal(err)
	}
	defer st.Discard()
	if err := st.Apply(tx, storetest.Entry(tx)); err != nil {
		b.t.Fatal(err)
	}
	if err := st.Placed(tx.Space, tx.Seq, uint64(tx.Seq)); err != nil {
		b.t.Fatal(err)
	}
	if err := st.Commit(); err != nil {
		b.t.Fatal(err)
	}
}

// row finds the row of a class whose key or value holds the mark.
func (b *brokenSpace) row(class byte, mark string) store.Row {
	b.t.Helper()
	rows, err := store.RawRows(b.s, "m")
	if err != nil {
		b.t.Fatal(err)
	}
	for _, r := range rows {
		if r.Key[0] == class && (bytes.Contains(r.Key, []byte(mark)) || bytes.Contains(r.Value, []byte(mark))) {
			return r
		}
	}
	b.t.Fatalf("no row of class %c with %q", class, mark)
	return store.Row{}
}

func (b *brokenSpace) set(r store.Row) {
	b.t.Helper()
	if err := store.RawSet(b.s, "m", r.Key, r.Value); err != nil {
		b.t.Fatal(err)
	}
}

func (b *brokenSpace) delete(r store.Row) {
	b.t.Helper()
	if err := store.RawDelete(b.s, "m", r.Key); err != nil {
		b.t.Fatal(err)
	}
}

// seqBytes is a position as keys hold it.
func seqBytes(n dsl.Seq) string {
	return string(binary.BigEndian.AppendUint64(nil, uint64(n)))
}

func hash8(space string) []byte {
	h := sha256.Sum256([]byte(space))
	return h[:8]
}

// TestCheckMutations breaks the store in one way after the other. The check
// must name that very invariant, with the place.
func TestCheckMutations(t *testing.T) {
	day := func(i int) dsl.Instant { return start + dsl.Instant(i)*dsl.Day }
	for _, m := range []struct {
		name string
		do   func(b *brokenSpace)
		kind string
		at   dsl.Seq
		says string
	}{
		{"a valid interval that ends before it starts", func(b *brokenSpace) {
			r := b.row('f', "\x02")
			for _, r = range b.rows('f') {
				r.Value = store.EditVersion(r.Value, func(v *dsl.Interval, _ *dsl.Instant, _ *string) {
					if v.End == day(2) {
						v.End = v.Start - 1
					}
				})
				b.set(r)
			}
		}, "I1", 2, "valid interval"},
		{"a version whose closing is lost", func(b *brokenSpace) { b.delete(b.rows('c')[0]) }, "I2", 2, "versions 1 and 2 of fact f1"},
		{"a second open version of a fact", func(b *brokenSpace) {
			b.apply(b.Ops(day(7), storetest.Upsert("f2", 2, b.anna, "lives_in", b.anna, dsl.Since(day(9)), 1)))
		}, "I2", 7, "versions 1 and 2 of fact f2"},
		{"a closing of what never was", func(b *brokenSpace) {
			r := b.rows('c')[0]
			r.Key[len(r.Key)-1] = 9
			b.set(r)
		}, "I2", 2, "never opened"},
		{"a record time that falls", func(b *brokenSpace) {
			r := b.row('p', seqBytes(4))
			r.Value = store.EditPosition(4, r.Value, func(p *store.Position, _ *[32]byte) { p.Time = day(2) })
			b.set(r)
		}, "I3", 4, "does not rise"},
		{"a row recorded at another time than its position", func(b *brokenSpace) {
			r := b.row('f', "f2")
			r.Value = store.EditVersion(r.Value, func(_ *dsl.Interval, at *dsl.Instant, _ *string) { *at = day(1) })
			b.set(r)
		}, "I3", 4, "was recorded at"},
		{"a position that is missing", func(b *brokenSpace) { b.delete(b.row('p', seqBytes(3))) }, "I5", 3, "missing"},
		{"a position far beyond the head", func(b *brokenSpace) {
			r := b.row('p', seqBytes(6))
			r.Key[2] = 0x10
			b.set(r)
		}, "I5", 7, "are missing"},
		{"a position without a place in the log", func(b *brokenSpace) { b.delete(b.row('q', seqBytes(1))) }, "I5", 1, "in which message"},
		{"a place beyond what was applied", func(b *brokenSpace) {
			r := b.row('q', seqBytes(6))
			r.Value = []byte{7}
			b.set(r)
		}, "I5", 6, "applied up to 6"},
		{"a place before that of the position before", func(b *brokenSpace) {
			r := b.row('q', seqBytes(6))
			r.Value = []byte{3}
			b.set(r)
		}, "I5", 6, "those before it in 5"},
		{"two homes at a time", func(b *brokenSpace) {
			b.apply(b.Ops(day(7), storetest.Upsert("f4", 1, b.anna, "lives_in", b.annie, dsl.Interval{Start: day(1), End: day(3)}, 1)))
		}, "I7", 7, "fact f2 version 1"},
		{"two homes of two names of one person", func(b *brokenSpace) {
			b.apply(b.Ops(day(7), storetest.Upsert("f4", 1, b.annie, "lives_in", b.anna, dsl.Since(day(5)), 1)))
		}, "I7", 7, "of the aliases"},
		{"two homes once the names are one", func(b *brokenSpace) {
			unlink := storetest.Unlink(storetest.LinkOp("m", dsl.AliasOf, b.anna, b.annie))
			b.apply(b.Ops(day(7), unlink, storetest.Upsert("f4", 1, b.annie, "lives_in", b.anna, dsl.Since(day(5)), 1)))
			b.apply(b.Ops(day(8), storetest.LinkOp("m", dsl.AliasOf, b.annie, b.anna)))
		}, "I7", 8, "of the aliases"},
		{"an event that is visible before its evidence", func(b *brokenSpace) {
			r := b.row('u', `"id":"t2"`)
			r.Value = store.EditTurnTime(r.Value, day(3))
			b.set(r)
		}, "I9", 3, "before what it rests on: turn t2"},
		{"an event that is visible too late", func(b *brokenSpace) {
			r := b.row('u', `"id":"t2"`)
			r.Value = store.EditTurnTime(r.Value, day(9))
			b.set(r)
		}, "I9", 3, "it was complete at"},
		{"a name that was one with another too early", func(b *brokenSpace) { b.set(store.AliasRow(b.anna, b.annie, 2, 0)) }, "I10", 2, "alias group"},
		{"a name that is not one with another any more", func(b *brokenSpace) {
			for _, r := range b.rows('L') {
				b.delete(r)
			}
			b.set(store.AliasRow(b.anna, b.anna, 5, 0))
		}, "index", 5, "alias row"},
		{"a logical row that is lost", func(b *brokenSpace) { b.delete(b.row('n', "Bonn")) }, "digest", 1, "set hash"},
		{"a logical row that was changed", func(b *brokenSpace) {
			r := b.row('f', "f2")
			r.Value = store.EditVersion(r.Value, func(_ *dsl.Interval, _ *dsl.Instant, dst *string) { *dst = b.annie })
			b.set(r)
		}, "digest", 4, "set hash"},
		{"a logical row of no position", func(b *brokenSpace) {
			r := b.row('E', "Anna moves")
			r.Value = store.EditEvent(r.Value, 9, day(9))
			b.set(r)
		}, "digest", 9, "belongs to no position"},
		{"a digest that was changed", func(b *brokenSpace) {
			r := b.row('p', seqBytes(4))
			r.Value = store.EditPosition(4, r.Value, func(_ *store.Position, acc *[32]byte) { acc[3] ^= 1 })
			b.set(r)
		}, "digest", 4, "set hash"},
		{"settings that were never written", func(b *brokenSpace) {
			r := b.row('p', seqBytes(4))
			r.Value = store.EditPosition(4, r.Value, func(p *store.Position, _ *[32]byte) { p.Settings[0] ^= 1 })
			b.set(r)
		}, "rows", 4, "settings"},
		{"a position of another turn", func(b *brokenSpace) {
			r := b.row('p', seqBytes(2))
			r.Value = store.EditPosition(2, r.Value, func(p *store.Position, _ *[32]byte) { p.Turn = "t0" })
			b.set(r)
		}, "rows", 2, "turn"},
		{"a position of another kind", func(b *brokenSpace) {
			r := b.row('p', seqBytes(2))
			r.Value = store.EditPosition(2, r.Value, func(p *store.Position, _ *[32]byte) { p.Kind = dsl.TxOps })
			b.set(r)
		}, "rows", 2, "turn"},
		{"a state row that does not say all", func(b *brokenSpace) {
			r := b.row('k', seqBytes(^dsl.Seq(4)))
			r.Value[8] ^= 1
			b.set(r)
		}, "state", 4, "state row"},
		{"a counter that was changed", func(b *brokenSpace) {
			r := b.row('p', seqBytes(4))
			r.Value = store.EditPosition(4, r.Value, func(p *store.Position, _ *[32]byte) { p.Open++ })
			b.set(r)
		}, "counts", 4, "open facts"},
		{"a state row that is lost", func(b *brokenSpace) { b.delete(b.row('k', seqBytes(^dsl.Seq(4)))) }, "state", 4, "is missing"},
		{"a key that cannot be found", func(b *brokenSpace) { b.delete(b.row('g', seqBytes(5))) }, "index", 5, "the key row"},
		{"a relation that cannot be found", func(b *brokenSpace) { b.delete(b.row('r', seqBytes(5))) }, "index", 5, "the relation row"},
		{"a value that cannot be found", func(b *brokenSpace) { b.delete(b.row('d', seqBytes(4))) }, "index", 4, "the value row"},
		{"evidence that cannot be found", func(b *brokenSpace) { b.delete(b.row('e', seqBytes(6))) }, "index", 6, "the evidence row"},
		{"evidence of another fact", func(b *brokenSpace) {
			r := b.row('e', seqBytes(6))
			r.Value[len(r.Value)-1] = '1'
			b.set(r)
		}, "index", 6, "the evidence row"},
		{"a change that was changed", func(b *brokenSpace) {
			r := b.row('p', seqBytes(2))
			r.Value[len(r.Value)-2]++ // the version that was opened
			b.set(r)
		}, "index", 2, "the change row"},
		{"a change that is lost", func(b *brokenSpace) {
			r := b.row('p', seqBytes(4))
			r.Value = store.EditPosition(4, r.Value, func(_ *store.Position, _ *[32]byte) {}, store.NoChanges)
			b.set(r)
		}, "index", 4, "the change row"},
		{"changes in a row of their own that should not be there", func(b *brokenSpace) {
			b.set(store.Row{Key: []byte("o" + seqBytes(4)), Value: []byte{1}})
		}, "index", 4, "of no position that has one"},
		{"facts that are found behind another position", func(b *brokenSpace) {
			r := b.row('p', seqBytes(5))
			r.Value = store.EditPosition(5, r.Value, func(_ *store.Position, _ *[32]byte) {}, store.FactsBefore(2))
			b.set(r)
		}, "counts", 5, "and #4 did"},
		{"a posting that is lost", func(b *brokenSpace) {
			r := b.row('y', "live")
			at := bytes.Index(r.Value, []byte("\x04live"))
			r.Value = slices.Delete(r.Value, at, at+6)
			b.set(r)
		}, "index", 1, "the posting row"},
		{"a posting of a word that was not said", func(b *brokenSpace) {
			r := b.row('y', "live")
			r.Value = bytes.Replace(r.Value, []byte("live"), []byte("rome"), 1)
			b.set(r)
		}, "index", 1, "told by no logical row"},
		{"a fact that has a document of its own", func(b *brokenSpace) {
			r := b.row('y', "live")
			r.Key[1] = 'f'
			b.set(r)
		}, "index", 1, "of no segment that there should be"},
		{"a turn that its session does not list", func(b *brokenSpace) { b.delete(b.rows('m')[0]) }, "index", 1, "the member row"},
		{"a document of another length", func(b *brokenSpace) {
			r := b.row('y', "live")
			r.Value[1]++
			b.set(r)
		}, "index", 1, "the document row"},
		{"a speaker of another name", func(b *brokenSpace) {
			r := b.row('s', "Anna")
			r.Value = []byte("Otto")
			b.set(r)
		}, "index", 2, `is that of "Otto"`},
		{"a turn that is found by no id", func(b *brokenSpace) { b.delete(b.rows('U')[0]) }, "index", 1, "the turn id row"},
		{"an event that is not listed", func(b *brokenSpace) { b.delete(b.rows('G')[0]) }, "index", 3, "the event key row"},
		{"a content key of no position", func(b *brokenSpace) {
			r := b.rows('K')[0]
			r.Value = []byte{77}
			b.set(r)
		}, "index", 77, "content key"},
		{"a row that does not decode", func(b *brokenSpace) {
			r := b.row('f', "f2")
			r.Value = r.Value[:len(r.Value)-3]
			b.set(r)
		}, "rows", 4, "does not decode"},
		{"a row under the key of another", func(b *brokenSpace) {
			r := b.row('n', "Bonn")
			r.Key[4] ^= 1
			b.set(r)
		}, "rows", 1, "holds the node"},
		{"an edit that is not noted", func(b *brokenSpace) {
			b.edit()
			for _, r := range b.rows('R') {
				b.delete(r)
			}
		}, "index", 7, "the later row"},
		{"an edit of another turn", func(b *brokenSpace) {
			b.edit()
			r := b.row('R', "e")
			r.Value = []byte{0}
			b.set(r)
		}, "index", 7, "the later row"},
		{"a key of no class", func(b *brokenSpace) { b.set(store.Row{Key: []byte("!x"), Value: []byte("y")}) }, "rows", 0, "no class"},
		{"a key that is too short", func(b *brokenSpace) { b.set(store.Row{Key: []byte("f1"), Value: []byte("y")}) }, "rows", 0, "length"},
		{"a name without rows", func(b *brokenSpace) {
			if err := store.RawSetMeta(b.s, append([]byte{1}, hash8("n")...), []byte("n")); err != nil {
				b.t.Fatal(err)
			}
		}, "I5", 0, "no position"},
		{"a name under the key of another", func(b *brokenSpace) {
			if err := store.RawSetMeta(b.s, append([]byte{1}, hash8("m")...), []byte("n")); err != nil {
				b.t.Fatal(err)
			}
		}, "format", 0, "of another"},
		{"rows without a name", func(b *brokenSpace) {
			if err := store.RawSet(b.s, "n", []byte("p"+seqBytes(1)), nil); err != nil {
				b.t.Fatal(err)
			}
		}, "rows", 0, "no name"},
		{"another format", func(b *brokenSpace) {
			if err := store.RawSetMeta(b.s, []byte{0, 'f'}, []byte{0, 0, 0, 9}); err != nil {
				b.t.Fatal(err)
			}
		}, "format", 0, "this build writes"},
	} {
		t.Run(m.name, func(t *testing.T) {
			b := newBrokenSpace(t)
			opt := store.CheckOptions{Samples: 64, Functional: func(rel string) bool { return rel == "lives_in" }}
			if rep := check(t, b.s, opt); !rep.OK() {
				t.Fatalf("the space has faults before it is broken: %v", rep.Faults)
			}
			m.do(b)
			rep := check(t, b.s, opt)
			if !slices.ContainsFunc(rep.Faults, func(f store.Fault) bool {
				return f.Kind == m.kind && f.Position == m.at && strings.Contains(f.Message, m.says)
			}) {
				t.Errorf("no fault of kind %s at %s says %q; there are %v", m.kind, m.at, m.says, rep.Faults)
			}
		})
	}
}

// rows gives all rows of a class.
func (b *brokenSpace) rows(class byte) []store.Row {
	b.t.Helper()
	all, err := store.RawRows(b.s, "m")
	if err != nil {
		b.t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(r store.Row) bool { return r.Key[0] != class })
}

// TestCheckRandomMutations breaks any row of a random space in any way. The
// check must find something and must not panic, whatever the row becomes.
func TestCheckRandomMutations(t *testing.T) {
	s := openMem(t)
	random := rand.New(rand.NewPCG(5, 6))
	g := storetest.NewGen("r", random.IntN)
	for range 40 {
		applyTo(t, s, g.Next())
	}
	rows, err := store.RawRows(s, "r")
	if err != nil {
		t.Fatal(err)
	}
	set := func(key, value []byte) {
		if err := store.RawSet(s, "r", key, value); err != nil {
			t.Fatal(err)
		}
	}
	remove := func(key []byte) {
		if err := store.RawDelete(s, "r", key); err != nil {
			t.Fatal(err)
		}
	}
	for range tries(300) {
		r := rows[random.IntN(len(rows))]
		if r.Key[0] == 'K' {
			continue // a content key follows from the log alone: DB.Check compares it
		}
		value := slices.Clone(r.Value)
		var added []byte
		how := random.IntN(5)
		switch {
		case how == 0:
			remove(r.Key)
		case how == 1 && len(value) > 0:
			i := random.IntN(len(value))
			if r.Key[0] == 'p' { // its time, entry, kind and turn too follow from the log alone
				i = 40 + random.IntN(8)
			}
			value[i] ^= 1 << random.IntN(8)
			set(r.Key, value)
		case how == 2 && len(value) > 0:
			set(r.Key, value[:random.IntN(len(value))])
		case how == 3:
			set(r.Key, append(value, byte(random.IntN(256))))
		default:
			added = slices.Clone(r.Key)
			added[1+random.IntN(len(added)-1)] ^= 1 << random.IntN(8)
			if slices.ContainsFunc(rows, func(x store.Row) bool { return bytes.Equal(x.Key, added) }) {
				continue
			}
			set(added, value)
		}
		if rep := check(t, s, store.CheckOptions{Samples: 2}); rep.OK() {
			t.Errorf("row %q: %q broken in way %d (%q, added %q): no fault is found", r.Key, r.Value, how, value, added)
		}
		if added != nil {
			remove(added)
		}
		set(r.Key, r.Value)
	}
	if rep := check(t, s, store.CheckOptions{}); !rep.OK() {
		t.Errorf("the space is not as before: %v", rep.Faults)
	}
}

// TestCheckFaultsAreCapped breaks more than a report lists.
func TestCheckFaultsAreCapped(t *testing.T) {
	s := openMem(t)
	c := storetest.NewChain("many")
	const n = store.MaxFaults + 50
	for range n {
		_, at := c.Head()
		applyTo(t, s, c.Ops(max(at, start)+1))
	}
	rows, err := store.RawRows(s, "many")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if r.Key[0] == 'p' {
			seq := dsl.Seq(binary.BigEndian.Uint64(r.Key[1:]))
			value := store.EditPosition(seq, r.Value, func(p *store.Position, _ *[32]byte) { p.Open = uint64(seq) })
			if err := store.RawSet(s, "many", r.Key, value); err != nil {
				t.Fatal(err)
			}
		}
	}
	rep := check(t, s, store.CheckOptions{})
	if len(rep.Faults) != store.MaxFaults+1 || rep.Faults[store.MaxFaults].Kind != "more" || !strings.HasPrefix(rep.Faults[store.MaxFaults].Message, "50 ") {
		t.Errorf("want %d faults and a count of 50 more, got %d: %v", store.MaxFaults, len(rep.Faults), rep.Faults[len(rep.Faults)-1])
	}
}

// TestCheckWhileWriting checks a store that grows: what is checked stands still.
func TestCheckWhileWriting(t *testing.T) {
	s := openMem(t)
	random := rand.New(rand.NewPCG(8, 9))
	g := storetest.NewGen("w", random.IntN)
	applyTo(t, s, g.Next())
	done := make(chan error, 1)
	go func() {
		var err error
		for range 100 {
			if err = commit(s, g.Next()); err != nil {
				break
			}
		}
		done <- err
	}()
	for checks := 0; ; checks++ {
		rep := check(t, s, store.CheckOptions{})
		if !rep.OK() {
			t.Fatalf("check %d: %v", checks, rep.Faults)
		}
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			return
		default:
		}
	}
}

// TestCheckStops gives up with its caller.
func TestCheckStops(t *testing.T) {
	s := openMem(t)
	c := storetest.NewChain("x")
	applyTo(t, s, c.Ops(start))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Check(ctx, "", store.CheckOptions{}); err == nil {
		t.Error("a check that was cancelled gives no error")
	}
}
