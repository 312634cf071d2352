package model_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
	"github.com/asof-db/asof/store/model"
	"github.com/asof-db/asof/store/storetest"
)

const noon dsl.Instant = 1_700_000_000_000_000

// grown gives a model after two transactions and the chain to go on with.
func grown(t *testing.T) (*model.Model, *storetest.Chain) {
	t.Helper()
	c, m := storetest.NewChain("s"), model.New("s")
	anna, tea := c.Node(dsl.Entity, "Anna"), c.Node(dsl.Literal, "tea")
	for _, tx := range []*dsl.Tx{
		c.Turn(dsl.Turn{ID: "t1", Speaker: dsl.Plain("Anna"), TS: noon}, storetest.Upsert("f", 1, anna, "likes", tea, dsl.Always, 1, "t1")),
		c.Ops(noon+1, storetest.Event("e", 1, "tea time", dsl.Always, nil, nil)),
	} {
		if err := m.Apply(tx, storetest.Entry(tx)); err != nil {
			t.Fatal(err)
		}
	}
	return m, c
}

// TestApplyRefuses offers transactions that do not fit. Each is refused with its
// position and leaves the model as it was, so that the right one fits after all.
func TestApplyRefuses(t *testing.T) {
	for word, change := range map[string]func(*dsl.Tx){
		"of space":           func(tx *dsl.Tx) { tx.Space = "other" },
		"next position":      func(tx *dsl.Tx) { tx.Seq++ },
		"next position; 2":   func(tx *dsl.Tx) { tx.Seq-- },
		"follows entry":      func(tx *dsl.Tx) { tx.Prev = dsl.Sum(nil) },
		"(I3)":               func(tx *dsl.Tx) { tx.Time = noon + 1 },
		"never written":      func(tx *dsl.Tx) { tx.SettingsHash = dsl.Sum(nil) },
		"written again":      func(tx *dsl.Tx) { tx.Nodes = []dsl.Node{{ID: dsl.NodeID("s", dsl.Entity, "Anna")}} },
		"recorded again":     func(tx *dsl.Tx) { tx.Kind, tx.Turn = dsl.TxTurn, &dsl.Turn{ID: "t1"} },
		"not recorded":       func(tx *dsl.Tx) { tx.Kind, tx.TurnID = dsl.TxCandidates, "t2" },
		"kind":               func(tx *dsl.Tx) { tx.Kind = "other" },
		"operation 1":        func(tx *dsl.Tx) { tx.Operations = append(tx.Operations, dsl.Op{}) },
		"opened again":       func(tx *dsl.Tx) { tx.Operations[0].Version = 1 },
		"not both":           func(tx *dsl.Tx) { tx.Operations[0].Dst = "nobody" },
		"was not open":       func(tx *dsl.Tx) { tx.Operations = append(tx.Operations, storetest.Retract("f", 3)) },
		"was not open; 2":    func(tx *dsl.Tx) { tx.Operations = []dsl.Op{storetest.Retract("f", 1), storetest.Retract("f", 1)} },
		"never opened":       func(tx *dsl.Tx) { tx.Operations = append(tx.Operations, storetest.Archive("g")) },
		"next version of":    func(tx *dsl.Tx) { tx.Operations = []dsl.Op{storetest.Event("e", 3, "", dsl.Always, nil, nil)} },
		"next version of; 2": func(tx *dsl.Tx) { tx.Operations = []dsl.Op{storetest.Event("g", 2, "", dsl.Always, nil, nil)} },
	} {
		m, c := grown(t)
		before, err := m.At(2).Digest()
		if err != nil {
			t.Fatal(err)
		}
		good := c.Ops(noon+2, storetest.Upsert("f", 2, c.Node(dsl.Entity, "Anna"), "likes", c.Node(dsl.Literal, "tea"), dsl.Always, 1))
		bad := *good
		bad.Operations = append([]dsl.Op(nil), good.Operations...)
		change(&bad)
		word, _, _ = strings.Cut(word, ";")
		err = m.Apply(&bad, storetest.Entry(&bad))
		if !errors.Is(err, dsl.ErrCorrupt) || !strings.Contains(err.Error(), word) || !strings.Contains(err.Error(), bad.Seq.String()) {
			t.Errorf("%s: got %v", word, err)
		}
		if after, err := m.At(2).Digest(); err != nil || after != before || m.Head() != 2 {
			t.Errorf("%s: the model changed: %v", word, err)
		}
		if err := m.Apply(good, storetest.Entry(good)); err != nil || m.Head() != 3 {
			t.Errorf("%s: the right one is refused after it: %v", word, err)
		}
	}
}

func TestDigestChangesWithEachTransaction(t *testing.T) {
	m, c := grown(t)
	tx := c.Ops(noon + 2) // says nothing, and is a position all the same
	if err := m.Apply(tx, storetest.Entry(tx)); err != nil {
		t.Fatal(err)
	}
	again, _ := grown(t)
	seen := map[dsl.Hash]dsl.Seq{}
	for seq := range m.Head() + 1 {
		d, err := m.At(seq).Digest()
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := seen[d]; ok {
			t.Errorf("%s and %s have one digest", other, seq)
		}
		seen[d] = seq
		if e, err := again.At(seq).Digest(); seq <= again.Head() && (err != nil || e != d) {
			t.Errorf("%s has another digest in another model", seq)
		}
	}
}

func TestAtPastTheHead(t *testing.T) {
	m, _ := grown(t)
	if got := m.At(9).Basis(); got != m.AtTime(dsl.Forever).Basis() || got.Seq != 2 || got.Time != noon+1 {
		t.Errorf("basis %v", got)
	}
	if _, err := m.At(2).Docs('z'); !errors.Is(err, dsl.ErrInvalid) {
		t.Errorf("a field that is none: %v", err)
	}
	if err := m.At(2).Postings(store.Field(0), "x", func(int, uint32) bool { return true }); !errors.Is(err, dsl.ErrInvalid) {
		t.Errorf("a field that is none: %v", err)
	}
}
