package store_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
	"github.com/asof-db/asof/store/storetest"
)

var update = flag.Bool("update", false, "write testdata/golden anew; the format version must change with it")

// goldenRows is a store as text: for each row its key from the class on, and its
// value, in hexadecimal.
var goldenRows = filepath.Join("testdata", "golden", "rows.hex")

// goldenTxs are transactions that write a row of every class and every form of
// it, and the chain they end. They must stay as they are.
func goldenTxs() (*storetest.Chain, []*dsl.Tx) {
	c := storetest.NewChain("golden")
	at := func(i int) dsl.Instant { return start + dsl.Instant(i)*3600*dsl.Second }
	span := func(i, j int) dsl.Interval { return dsl.Interval{Start: at(i), End: at(j)} }
	anna, ann := c.Node(dsl.Entity, "Anna"), c.Node(dsl.Entity, "Ann")
	berlin, food := c.Node(dsl.Entity, "北京"), c.Node(dsl.Literal, "sour soup")
	turn := func(i int, text string, ops ...dsl.Op) *dsl.Tx {
		return c.Turn(dsl.Turn{ID: fmt.Sprint("t", i), Session: "s1", Speaker: dsl.Plain("Anna"), Listener: dsl.Plain("Ben"), TS: at(i), Zone: "+08:00",
			Text: dsl.Plain(text), Attachments: []dsl.Attachment{{Kind: "image", Text: dsl.Plain("a red door")}}}, ops...)
	}
	related := storetest.Upsert("6ba7b810-9dad-11d1-80b4-00c04fd430c8", 1, anna, "related_to", ann, dsl.Always, 1.0/3, "t1", "t2")
	related.Relation, related.Reason = dsl.Plain("sister"), dsl.Plain("said so")
	event := storetest.Event("e1", 1, "Anna moves to 北京", span(3, 9), []string{"f1"}, []string{"t1"})
	event.Participants = []dsl.Participant{{Entity: anna, Role: dsl.Plain("mover")}}
	alias := storetest.LinkOp("golden", dsl.AliasOf, ann, anna)
	txs := []*dsl.Tx{
		turn(1, "I moved to 北京 last week, 搬家了!", storetest.Upsert("f1", 1, anna, "lives_in", berlin, dsl.Since(at(1)), 1, "t1"), related),
		turn(2, "Nothing new.", alias, storetest.Evidence("golden", "t2", "f1", 0.5)),
		c.Candidates(at(3), "t2", dsl.Candidate{Change: dsl.Assert, Confidence: 0.5, Polarity: dsl.Positive, Rel: "prefers.food",
			Src: dsl.Plain("Anna"), Dst: dsl.Plain("sour soup"), DstKind: dsl.Literal},
			storetest.Upsert("f2", 1, anna, "prefers.food", food, span(3, 5), 0.5, "t2")),
		c.Ops(at(4), event, storetest.Correct("f1", 1, 2, berlin, span(0, 4), 1, "t1"), storetest.Archive("f2")),
		c.Ops(at(5), storetest.Event("e1", 2, "Anna moved", span(3, 9), []string{"f1", "f2"}, []string{"t1", "t2"}), storetest.Retract("f1", 2)),
	}
	edit := dsl.Turn{ID: "t3", Session: "s1", Speaker: dsl.Plain("Anna"), Text: dsl.Plain("Nothing at all."), Replaces: "t2", TS: at(5) + 1}
	forget := storetest.Unlink(storetest.Evidence("golden", "t2", "f1", 0))
	forget.Confidence = 0.25
	txs = append(txs, c.Turn(edit, forget, storetest.Upsert("f3", 1, anna, "likes", food, dsl.Always, 1, "t3"), storetest.Retract("f3", 1)))
	c.Configure(`{"n":2}`)
	txs = append(txs, c.Ops(at(6), storetest.Unlink(alias), storetest.Unlink(storetest.Evidence("golden", "t2", "6ba7b810-9dad-11d1-80b4-00c04fd430c8", 0)),
		storetest.LinkOp("golden", dsl.MentionLink, ann, anna), storetest.LinkOp("golden", dsl.EventLink, "e1", "e1")))
	for i := range 80 { // enough changes of one key for whole leaves and a tree of several
		txs = append(txs, c.Ops(at(7+i), storetest.Upsert(fmt.Sprint("g", i), 1, anna, "likes", berlin, dsl.Since(at(i)), 0.9)))
	}
	held := dsl.Candidate{Change: dsl.End, Confidence: 0.25, Polarity: dsl.Positive, Rel: "likes", Src: dsl.Plain("Anna"), Dst: dsl.Plain("北京"), DstKind: dsl.Entity}
	c.Hold(held)
	c.Remember(dsl.Memory{Session: "s1", Sessions: 1, Since: 1, Strong: 1, Tokens: 12, Written: 3, Held: []dsl.Held{{Position: dsl.Seq(len(txs) + 1), Turn: 3}},
		Pending: []dsl.Pending{{Fact: "f2", Version: 1, Salience: 0.5, Turn: 2}}})
	txs = append(txs, turn(90, "Not so sure."), c.Backfill(at(91), "Does Anna like it?", "t1", held))
	var many []dsl.Op
	for i := range 40 { // more changes than a position row holds
		many = append(many, storetest.Upsert(fmt.Sprintf("many facts at once, number %d", i), 1, ann, "likes", food, dsl.Since(at(i)), 0.9))
	}
	return c, append(txs, c.Ops(at(92), many...))
}

// TestGolden applies the transactions of the golden store: every row must be, to
// the byte, what it was when the format was fixed. Then it reads the rows that
// were written then.
func TestGolden(t *testing.T) {
	s := openMem(t)
	_, txs := goldenTxs()
	for i, tx := range txs {
		st, err := s.Stage()
		if err != nil {
			t.Fatal(err)
		}
		if err := st.Apply(tx, storetest.Entry(tx)); err != nil {
			t.Fatal(err)
		}
		if err := st.Placed("golden", tx.Seq, uint64(i+1)); err != nil {
			t.Fatal(err)
		}
		if err := st.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := store.RawRows(s, "golden")
	if err != nil {
		t.Fatal(err)
	}
	var now bytes.Buffer
	classes := map[byte]bool{}
	for _, r := range rows {
		fmt.Fprintf(&now, "%c %x %x\n", r.Key[0], r.Key[1:], r.Value)
		classes[r.Key[0]] = true
	}
	if want := 29; len(classes) != want {
		t.Errorf("the golden store has rows of %d classes, there are %d", len(classes), want)
	}
	if *update {
		if err := os.WriteFile(goldenRows, now.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	then, err := os.ReadFile(goldenRows)
	if err != nil {
		t.Fatal(err)
	}
	was, is := strings.Split(string(then), "\n"), strings.Split(now.String(), "\n")
	for i := range max(len(was), len(is)) {
		if i >= len(was) || i >= len(is) || was[i] != is[i] {
			line := func(l []string) string {
				if i < len(l) {
					return l[i]
				}
				return "nothing"
			}
			t.Fatalf("row %d of the golden store was\n%s\nand is\n%s", i, line(was), line(is))
		}
	}
	old := openMem(t)
	for line := range strings.Lines(string(then)) {
		parts := strings.Split(strings.TrimSuffix(line, "\n"), " ")
		key, kerr := hex.DecodeString(parts[1])
		value, verr := hex.DecodeString(parts[2])
		if kerr != nil || verr != nil {
			t.Fatalf("%s: %q is not a row", goldenRows, line)
		}
		if err := store.RawSet(old, "golden", append([]byte(parts[0]), key...), value); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.RawSetMeta(old, []byte{0, 'a'}, []byte{0, 0, 0, 0, 0, 0, 1, 0}); err != nil {
		t.Fatal(err)
	}
	rep, err := old.Check(context.Background(), "golden", store.CheckOptions{Samples: 20})
	if err != nil || !rep.OK() {
		t.Errorf("the golden store has faults: %v, %v", rep.Faults, err)
	}
	head, err := s.Head("golden")
	if err != nil {
		t.Fatal(err)
	}
	step := dsl.Seq(8)
	switch {
	case os.Getenv("ASOF_LONG") != "":
		step = 1
	case testing.Short():
		step = 32
	}
	for seq := dsl.Seq(1); seq <= head.Seq; seq++ {
		if seq > 8 && seq < head.Seq && seq%step != 0 {
			continue // one more version of the busy key
		}
		va, erra := s.At("golden", seq)
		vb, errb := old.At("golden", seq)
		if erra != nil || errb != nil {
			t.Fatal(erra, errb)
		}
		storetest.Compare(t, va, vb)
		if va.Close() != nil || vb.Close() != nil {
			t.Fatal("a view does not close")
		}
	}
}

// goldenSegments are the rows of the classes that a small store has none of.
var goldenSegments = filepath.Join("testdata", "golden", "segments.hex")

// TestGoldenSegments does the same for the rows of sealed segments and vectors.
func TestGoldenSegments(t *testing.T) {
	s := openMem(t)
	c := storetest.NewChain("golden")
	var txs []*dsl.Tx
	var vectors [][]float32
	for i := range store.ChunkDocs {
		words := []string{"every", fmt.Sprint("w", i*i%7), fmt.Sprint("w", i*i%7), fmt.Sprint("rare", i*i*i%61)}[:1+i%4]
		txs = append(txs, c.Turn(dsl.Turn{ID: fmt.Sprint("t", i), Session: fmt.Sprint("s", i%3), Speaker: dsl.Plain("Anna"),
			TS: start + dsl.Instant(i*i)*dsl.Second, Text: dsl.Plain(strings.Join(words, " "))}))
		vectors = append(vectors, []float32{float32(i), 1.5, -float32(i) / 4})
	}
	applyTo(t, s, txs...)
	if err := s.PutVectors("golden", store.VectorModel{Name: "m", Dim: 3, Int8: true}, store.TurnField, 0, vectors[:66]); err != nil {
		t.Fatal(err)
	}
	rows, err := store.RawRows(s, "golden")
	if err != nil {
		t.Fatal(err)
	}
	var now bytes.Buffer
	classes := map[byte]bool{}
	for _, r := range rows {
		if strings.ContainsRune("xyYv", rune(r.Key[0])) {
			fmt.Fprintf(&now, "%c %x %x\n", r.Key[0], r.Key[1:], r.Value)
			classes[r.Key[0]] = true
		}
	}
	if len(classes) != 3 { // no single documents are left
		t.Errorf("there are rows of %d of the classes, want 3", len(classes))
	}
	if *update {
		if err := os.WriteFile(goldenSegments, now.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	then, err := os.ReadFile(goldenSegments)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(then, now.Bytes()) {
		t.Errorf("the rows of segments and vectors are no longer those of %s; where they may change, raise the format version and run go test -run Golden -update", goldenSegments)
	}
}
