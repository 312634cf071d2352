package dsl_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/asof-db/asof/dsl"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// noErr gives x and ends the test on an error.
func noErr[T any](x T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
}

const noon dsl.Instant = 1_700_000_000_000_000

// chain gives a chain of five transactions, one of every kind, which between
// them have every member and every operation, and their canonical text.
func chain(t testing.TB) ([]dsl.Tx, [][]byte) {
	t.Helper()
	node := func(k dsl.NodeKind, name string) string { return dsl.NodeID("default", k, name) }
	anna, berlin, paris := node(dsl.Entity, "Anna"), node(dsl.Entity, "Berlin"), node(dsl.Literal, "巴黎 “Paris”")
	fact, event := dsl.FactID("default", 1, 0), dsl.EventID("default", 1, 3)
	valid, span := dsl.Since(noon), dsl.Interval{Start: dsl.Beginning, End: noon + 1}
	said, bounded := dsl.Since(noon), dsl.Interval{Start: noon, End: noon + dsl.Day}
	link := func(k dsl.LinkKind, from, to string) dsl.Op {
		return dsl.Op{Kind: dsl.Link, Link: k, ID: dsl.LinkID("default", k, from, to), From: from, To: to}
	}
	evidence := link(dsl.EvidenceLink, "t1", fact)
	evidence.Confidence = 0.25
	unlink := link(dsl.AliasOf, anna, paris)
	unlink.Retract = true
	turn := &dsl.Turn{
		Attachments: []dsl.Attachment{{Kind: "image", Text: dsl.Plain("a photo")}},
		ID:          "t1", Listener: dsl.Plain("Bob"), Replaces: "t0", Session: "s1", Speaker: dsl.Plain("Anna"),
		Text: dsl.Plain("I moved to Berlin <today> & \"love\" it\n我搬到柏林了 🦊\u2028\x01\x7f"), TS: noon, Zone: "+08:00",
	}
	candidates := []dsl.Candidate{{
		Change: dsl.Correct, Confidence: 0.9, Corrects: dsl.Plain("Paris"), Dst: dsl.Plain("Berlin"), DstKind: dsl.Entity,
		Polarity: dsl.Positive, Rel: "lives_in", Relation: dsl.Plain("home"), Source: "rule", Span: &dsl.Span{Start: 0, End: 17},
		Src: dsl.Plain("Anna"), Valid: &said,
	}}
	txs := []dsl.Tx{
		{
			Kind: dsl.TxTurn, Turn: turn, Time: noon, Extractor: "rules/1", Settings: &dsl.Settings{
				Analyzer: "a/1", Config: []byte(`{"k":[1,2.5]}`), Extractor: "e/1", Policy: "p/1", Registry: []byte(`{}`), Scoring: "s/1",
			},
			Candidates: candidates,
			Decisions: []dsl.Decision{{
				Action: dsl.Insert, Candidate: 0, Operations: []int{0, 2}, Read: []dsl.VersionRef{{ID: fact, Version: 1}},
				Reason: dsl.Plain("no open version"), Rule: "insert",
			}},
			Nodes: []dsl.Node{
				{ID: anna, Kind: dsl.Entity, Name: dsl.Plain("Anna")}, {ID: berlin, Kind: dsl.Entity, Name: dsl.Plain("Berlin")},
				{ID: paris, Kind: dsl.Literal, Name: dsl.Plain("巴黎 “Paris”")},
			},
			Operations: []dsl.Op{
				{Kind: dsl.UpsertEdge, ID: fact, Version: 1, Src: anna, Rel: "lives_in", Dst: berlin, Relation: dsl.Plain("home"),
					Valid: &valid, Confidence: 0.1, Evidence: []string{"t1"}, Source: "rule", Agent: "rules", Reason: dsl.Plain("said so")},
				link(dsl.AliasOf, anna, paris), evidence,
				{Kind: dsl.UpsertEvent, ID: event, Version: 1, Summary: dsl.Plain("a move"), Span: &span, Status: "done",
					Participants: []dsl.Participant{{Entity: anna, Role: dsl.Plain("mover")}, {Entity: berlin}},
					Includes:     []string{fact}, Evidence: []string{"t1"}},
			},
			Triggers: []dsl.TriggerDecision{
				{Trigger: dsl.Salience, Action: dsl.TriggerWrite, Facts: []dsl.VersionRef{{ID: fact, Version: 1}}, Salience: 0.75, Tokens: 12,
					Features: []dsl.Feature{{Name: "has_time", Value: 1}, {Name: "novelty", Value: 0.5}}, Operations: []int{3}, Reason: dsl.Plain("salient")},
				{Trigger: dsl.HoldTrigger, Action: dsl.TriggerWait, Held: &dsl.HeldRef{Candidate: 0, Position: 1}, Reason: dsl.Plain("it waits")},
			},
			Memory: &dsl.Memory{
				Session: "s1", Sessions: 2, Since: 3, Strong: 1, Periodic: 1, Tokens: 40, Written: 4,
				Held: []dsl.Held{{Candidate: 0, Position: 1, Turn: 1}}, Pending: []dsl.Pending{{Fact: fact, Version: 1, Salience: 0.5, Turn: 1}},
			},
		},
		{
			Kind: dsl.TxCandidates, TurnID: "t1", Time: noon + 1,
			Candidates: []dsl.Candidate{{
				Change: dsl.End, Polarity: dsl.Negative, Rel: "likes", Src: dsl.Plain("Anna"), Dst: dsl.Plain("tea"), DstKind: dsl.Literal,
			}},
			Decisions: []dsl.Decision{{Action: dsl.None, Reason: dsl.Plain("nothing to end"), Rule: "end"}},
		},
		{
			Kind: dsl.TxOps, Time: noon + 1_500_000, Ref: "import 1", OpsHash: dsl.Sum([]byte("ops")),
			Operations: []dsl.Op{
				{Kind: dsl.RetroCorrectOp, ID: fact, Version: 1, Next: 2, Dst: paris, Valid: &bounded, Confidence: 1, Reason: dsl.Sealed("key-1", []byte{0, 0xff, 0x10})},
				{Kind: dsl.RetroCorrectOp, ID: fact, Version: 2, Retract: true},
				{Kind: dsl.ArchiveEdge, ID: fact}, unlink, link(dsl.MentionLink, paris, anna), link(dsl.EventLink, event, event),
			},
		},
		{Kind: dsl.TxDrop, Time: noon + dsl.Day},
		{
			Kind: dsl.TxBackfill, Time: noon + dsl.Day + 1, Extractor: "rules/1",
			Gap: &dsl.Gap{From: 1, To: 21, ID: dsl.GapID("default", dsl.GapEmpty, "Where does Anna live?"), Kind: dsl.GapEmpty,
				Missing: []string{"relation"}, Query: dsl.Plain("Where does Anna live?")},
			Candidates: []dsl.Candidate{{Change: dsl.Assert, Confidence: 1, Polarity: dsl.Positive, Rel: "likes", Src: dsl.Plain("Anna"),
				Dst: dsl.Plain("tea"), DstKind: dsl.Literal, Turn: "t1"}},
			Decisions: []dsl.Decision{{Action: dsl.None, Reason: dsl.Plain("nothing new"), Rule: "assert"}},
		},
	}
	lines := make([][]byte, len(txs))
	for i := range txs {
		tx := &txs[i]
		tx.Version, tx.Space, tx.Seq = dsl.FormatVersion, "default", dsl.Seq(i+1)
		tx.SettingsHash = noErr(txs[0].Settings.Hash())(t)
		if i > 0 {
			tx.Prev = dsl.Sum(lines[i-1])
		}
		if tx.Turn != nil {
			tx.TurnHash = noErr(dsl.TurnHash(tx.Turn))(t)
		}
		if tx.Kind == dsl.TxTurn || tx.Kind == dsl.TxCandidates || tx.Kind == dsl.TxBackfill {
			tx.CandidatesHash = noErr(dsl.CandidatesHash(tx.Candidates))(t)
		}
		lines[i] = noErr(tx.Encode())(t)
	}
	return txs, lines
}
