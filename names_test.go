package asof

import (
	"fmt"
	"strings"
	"testing"

	"github.com/asof-db/asof/dsl"
)

// TestNearNames: with near matching of names on, a short form becomes an alias of
// the name that the space knows, in the transaction that brings it and not before
// (I10); what is said of it is said of the name; replay and audit make it again,
// extraction included; a candidate undoes it, and it is not made again.
func TestNearNames(t *testing.T) {
	n := 0
	say := func(text string) Item {
		n++
		return Item{Space: "story", Turn: &dsl.Turn{ID: fmt.Sprint("t", n), Session: "s", Speaker: dsl.Plain("Anna"), Listener: dsl.Plain("Ben"),
			Text: dsl.Plain(text), TS: dsl.Instant(1_700_000_000_000_000) + dsl.Instant(n)*dsl.Day}}
	}
	const on = "alias: {jw: 0.92, token_set: 0.8, nickname: true}\n"
	db, txs := tell(t, on, say("My friend Elizabeth lives in Oslo."), say("It rains."), say("My friend Liz works at Hooli."),
		say("My friend Liz lives in Rome now."))
	group := func(at At, name string) int {
		t.Helper()
		v, err := db.View("story", at)
		if err != nil {
			t.Fatal(err)
		}
		defer v.Close()
		g, err := v.Aliases(dsl.NodeID("story", dsl.Entity, name))
		if err != nil {
			t.Fatal(err)
		}
		return len(g)
	}
	if got := group(At{}, "Liz"); got != 2 {
		t.Fatalf("%d names in Liz's group; facts:\n%s", got, factsOf(t, db))
	}
	if got := group(AtSeq(2), "Elizabeth"); got != 1 {
		t.Errorf("%d names in Elizabeth's group before Liz came", got)
	}
	// One who moved: the value of lives_in is replaced, under either name.
	facts := factsOf(t, db)
	if strings.Contains(facts, "lives_in Oslo ["+"2023-11-15T22:13:20Z, ∞)") || !strings.Contains(facts, "lives_in Rome") {
		t.Errorf("facts:\n%s", facts)
	}
	links := 0
	for _, tx := range txs {
		for i := range tx.Operations {
			if tx.Operations[i].Link == dsl.AliasOf {
				links++
			}
		}
	}
	if links != 1 {
		t.Errorf("%d links, want one", links)
	}
	audited(t, db)
	if r, err := db.Audit(t.Context(), "", ReExtract()); err != nil || !r.OK() || r.Extracted == 0 {
		t.Errorf("audit of the extraction: %+v, %v", r, err)
	}
	undo := dsl.Candidate{Src: dsl.Plain("Liz"), Rel: "alias_of", Dst: dsl.Plain("Elizabeth"), DstKind: dsl.Entity, Polarity: dsl.Positive, Change: dsl.End, Confidence: 1}
	it := say("Liz is not Elizabeth.")
	it.Candidates = []dsl.Candidate{undo}
	if _, err := db.Ingest(t.Context(), []Item{it, say("My friend Liz works at Initech.")}); err != nil {
		t.Fatal(err)
	}
	if got := group(At{}, "Liz"); got != 1 {
		t.Errorf("%d names in Liz's group after the link was closed", got)
	}
	audited(t, db)
}
