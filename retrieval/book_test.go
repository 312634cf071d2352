package retrieval

import (
	"fmt"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/analyze"
	"github.com/asof-db/asof/store"
)

// shared is one analyzer for all tests, as a server would have it.
var shared analyze.Analyzer

// testSpace is the one space that tests write to.
const testSpace = "test"

// book writes a log, one transaction after another. Record times are minutes
// from midnight of 2024-01-01.
type book struct {
	txs     []*dsl.Tx
	entries []dsl.Hash
	nodes   map[string]bool
}

func day(n int) dsl.Instant { return dsl.FromTime(time.Date(2024, 1, n, 0, 0, 0, 0, time.UTC)) }

func minute(n int) dsl.Instant { return day(1) + dsl.Instant(n)*60e6 }

func testSettings() *dsl.Settings {
	return &dsl.Settings{
		Analyzer: analyze.Version, Config: jsontext.Value("{}"), Extractor: "none", Policy: "none",
		Registry: jsontext.Value("{}"), Scoring: Version,
	}
}

// add appends one transaction and gives its position.
func (b *book) add(tx dsl.Tx) dsl.Seq {
	settings := testSettings()
	hash, err := settings.Hash()
	if err != nil {
		panic(err)
	}
	tx.Seq, tx.Space, tx.Version, tx.SettingsHash = dsl.Seq(len(b.txs)+1), testSpace, dsl.FormatVersion, hash
	tx.Time = minute(len(b.txs) + 1)
	if tx.Seq == 1 {
		tx.Settings = settings
	} else {
		tx.Prev = b.entries[len(b.entries)-1]
	}
	if tx.Kind == dsl.TxTurn {
		if tx.TurnHash, err = dsl.TurnHash(tx.Turn); err != nil {
			panic(err)
		}
		if tx.CandidatesHash, err = dsl.CandidatesHash(nil); err != nil {
			panic(err)
		}
	}
	text, err := tx.Encode()
	if err != nil {
		panic(err)
	}
	b.txs = append(b.txs, &tx)
	b.entries = append(b.entries, dsl.Sum(text))
	return tx.Seq
}

// turn records a turn that was said when it is recorded.
func (b *book) turn(id, session, speaker, text string) dsl.Seq {
	return b.turnAt(id, session, speaker, text, minute(len(b.txs)+1))
}

func (b *book) turnAt(id, session, speaker, text string, ts dsl.Instant, attachments ...dsl.Attachment) dsl.Seq {
	return b.add(dsl.Tx{Kind: dsl.TxTurn, Turn: &dsl.Turn{
		ID: id, Session: session, Speaker: dsl.Plain(speaker), Text: dsl.Plain(text), TS: ts, Attachments: attachments,
	}})
}

// edit records a turn that replaces another.
func (b *book) edit(id, replaces, session, speaker, text string, ts dsl.Instant) dsl.Seq {
	return b.add(dsl.Tx{Kind: dsl.TxTurn, Turn: &dsl.Turn{
		ID: id, Session: session, Speaker: dsl.Plain(speaker), Text: dsl.Plain(text), TS: ts, Replaces: replaces,
	}})
}

// ops records operations, with the nodes that they are the first to name.
func (b *book) ops(nodes []string, ops ...dsl.Op) dsl.Seq {
	tx := dsl.Tx{Kind: dsl.TxOps, Operations: ops, OpsHash: dsl.Sum(fmt.Append(nil, len(b.txs)))}
	for _, name := range nodes {
		if id := entity(name); !b.nodes[id] {
			if b.nodes == nil {
				b.nodes = make(map[string]bool)
			}
			b.nodes[id] = true
			tx.Nodes = append(tx.Nodes, dsl.Node{ID: id, Kind: dsl.Entity, Name: dsl.Plain(name)})
		}
	}
	return b.add(tx)
}

func entity(name string) string { return dsl.NodeID(testSpace, dsl.Entity, name) }

// fact opens version 1 of a fact.
func (b *book) fact(id, src, rel, dst string, valid dsl.Interval, evidence ...string) dsl.Seq {
	return b.ops([]string{src, dst}, dsl.Op{
		Kind: dsl.UpsertEdge, ID: id, Version: 1, Src: entity(src), Rel: rel, Dst: entity(dst),
		Valid: &valid, Confidence: 1, Evidence: evidence,
	})
}

// correct closes a version and opens the next with another value.
func (b *book) correct(id string, version uint32, dst string, valid dsl.Interval, evidence ...string) dsl.Seq {
	return b.ops([]string{dst}, dsl.Op{
		Kind: dsl.RetroCorrectOp, ID: id, Version: version, Next: version + 1, Dst: entity(dst),
		Valid: &valid, Confidence: 1, Evidence: evidence,
	})
}

// event opens a version of an event.
func (b *book) event(id string, version uint32, summary string, span dsl.Interval, evidence ...string) dsl.Seq {
	return b.ops(nil, dsl.Op{
		Kind: dsl.UpsertEvent, ID: id, Version: version, Summary: dsl.Plain(summary), Span: &span, Evidence: evidence,
	})
}

// hitNames lists hits as kind:id, for comparing.
func hitNames(hits []Hit) []string {
	names := make([]string, len(hits))
	for i, h := range hits {
		names[i] = string(h.Kind) + ":" + h.ID
	}
	return names
}

// find searches and fails the test on an error.
func find(t testing.TB, v store.View, q Query) Result {
	t.Helper()
	if q.K == 0 {
		q.K = 10
	}
	r, err := Search(t.Context(), v, q, Options{Analyzer: &shared})
	if err != nil {
		t.Fatalf("Search(%+v): %v", q, err)
	}
	return r
}
