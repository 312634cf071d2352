package storetest

import (
	"fmt"
	"slices"

	"github.com/asof-db/asof/dsl"
)

// A Chain makes the transactions of one space: it numbers, dates and chains
// them and fills in their hashes.
type Chain struct {
	Space    string
	seq      dsl.Seq
	prev     dsl.Hash
	time     dsl.Instant
	settings *dsl.Settings // in force
	pending  *dsl.Settings // to be written by the next transaction
	nodes    map[string]bool
	fresh    []dsl.Node
	keys     int
	// memory and hold are for the next transaction.
	memory *dsl.Memory
	hold   []dsl.Candidate
}

// NewChain gives the chain of an empty space.
func NewChain(space string) *Chain {
	c := &Chain{Space: space, nodes: map[string]bool{}}
	c.Configure("{}")
	return c
}

// Configure lets the next transaction write settings with this configuration,
// which is canonical JSON.
func (c *Chain) Configure(config string) {
	c.settings = &dsl.Settings{
		Analyzer: "a/1", Scoring: "s/1", Extractor: "e/1", Policy: "p/1", Config: []byte(config), Registry: []byte("{}"),
	}
	c.pending = c.settings
}

// Head gives the last position and its record time; 0, and some time, before
// the first.
func (c *Chain) Head() (dsl.Seq, dsl.Instant) { return c.seq, c.time }

// Node gives the id of a node and lets the next transaction write it if it is
// new.
func (c *Chain) Node(kind dsl.NodeKind, name string) string {
	id := dsl.NodeID(c.Space, kind, name)
	if !c.nodes[id] {
		c.nodes[id] = true
		c.fresh = append(c.fresh, dsl.Node{ID: id, Kind: kind, Name: dsl.Plain(name)})
	}
	return id
}

// Turn gives a transaction of a turn with operations, recorded at the turn's
// time or 1 µs after the last.
func (c *Chain) Turn(turn dsl.Turn, ops ...dsl.Op) *dsl.Tx {
	return c.Next(dsl.Tx{Kind: dsl.TxTurn, Turn: &turn, Operations: ops, Time: max(turn.TS, c.time+1)})
}

// Ops gives a transaction of operations, recorded at a time, or 1 µs after the
// last where that is later.
func (c *Chain) Ops(at dsl.Instant, ops ...dsl.Op) *dsl.Tx {
	c.keys++
	return c.Next(dsl.Tx{
		Kind: dsl.TxOps, Operations: ops, Time: max(at, c.time+1),
		OpsHash: dsl.Sum(fmt.Appendf(nil, "%s %d", c.Space, c.keys)),
	})
}

// Candidates gives a transaction of one candidate for an earlier turn, with
// operations that follow from it, recorded at a time or 1 µs after the last.
func (c *Chain) Candidates(at dsl.Instant, turn string, candidate dsl.Candidate, ops ...dsl.Op) *dsl.Tx {
	all := make([]int, len(ops))
	for i := range all {
		all[i] = i
	}
	return c.Next(dsl.Tx{
		Kind: dsl.TxCandidates, TurnID: turn, Operations: ops, Time: max(at, c.time+1),
		Candidates: []dsl.Candidate{candidate},
		Decisions:  []dsl.Decision{{Action: dsl.Insert, Operations: all, Reason: dsl.Plain("said so"), Rule: "test"}},
	})
}

// Drop gives a transaction that drops the space. Nodes are written anew after it.
func (c *Chain) Drop() *dsl.Tx {
	c.nodes, c.fresh = map[string]bool{}, nil
	return c.Next(dsl.Tx{Kind: dsl.TxDrop, Time: c.time + 1})
}

// Next completes a transaction that has kind, content and time, and gives it as
// a reader of the log would see it. It panics if it is not a valid one: the test
// is wrong then.
func (c *Chain) Next(tx dsl.Tx) *dsl.Tx {
	tx.Version, tx.Space, tx.Seq, tx.Prev = dsl.FormatVersion, c.Space, c.seq+1, c.prev
	tx.Settings, c.pending = c.pending, nil
	tx.SettingsHash = must(c.settings.Hash())
	tx.Nodes = append(slices.Clone(tx.Nodes), c.fresh...)
	c.fresh = nil
	c.memorize(&tx)
	if len(tx.Nodes) == 0 {
		tx.Nodes = nil
	}
	if tx.Turn != nil {
		tx.TurnHash = must(dsl.TurnHash(tx.Turn))
	}
	if tx.Kind == dsl.TxTurn || tx.Kind == dsl.TxCandidates || tx.Kind == dsl.TxBackfill {
		tx.CandidatesHash = must(dsl.CandidatesHash(tx.Candidates))
	}
	read := must(dsl.DecodeTx(must(tx.Encode())))
	c.seq, c.prev, c.time = tx.Seq, Entry(read), tx.Time
	return read
}

// Entry gives the SHA-256 of a transaction's canonical text.
func Entry(tx *dsl.Tx) dsl.Hash { return dsl.Sum(must(tx.Encode())) }

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// Upsert gives an UPSERT_EDGE.
func Upsert(id string, version uint32, src, rel, dst string, valid dsl.Interval, confidence float64, evidence ...string) dsl.Op {
	return dsl.Op{
		Kind: dsl.UpsertEdge, ID: id, Version: version, Src: src, Rel: rel, Dst: dst,
		Valid: &valid, Confidence: confidence, Evidence: evidence, Source: "test",
	}
}

// Correct gives a RETRO_CORRECT with a successor.
func Correct(id string, version, next uint32, dst string, valid dsl.Interval, confidence float64, evidence ...string) dsl.Op {
	return dsl.Op{
		Kind: dsl.RetroCorrectOp, ID: id, Version: version, Next: next, Dst: dst,
		Valid: &valid, Confidence: confidence, Evidence: evidence, Source: "test",
	}
}

// Retract gives a RETRO_CORRECT without a successor.
func Retract(id string, version uint32) dsl.Op {
	return dsl.Op{Kind: dsl.RetroCorrectOp, ID: id, Version: version, Retract: true}
}

// Archive gives an ARCHIVE_EDGE.
func Archive(id string) dsl.Op { return dsl.Op{Kind: dsl.ArchiveEdge, ID: id} }

// Evidence gives a LINK from a turn to a fact.
func Evidence(space, turn, fact string, confidence float64) dsl.Op {
	op := LinkOp(space, dsl.EvidenceLink, turn, fact)
	op.Confidence = confidence
	return op
}

// LinkOp gives a LINK.
func LinkOp(space string, kind dsl.LinkKind, from, to string) dsl.Op {
	return dsl.Op{Kind: dsl.Link, Link: kind, ID: dsl.LinkID(space, kind, from, to), From: from, To: to}
}

// Unlink gives the LINK that closes another.
func Unlink(op dsl.Op) dsl.Op {
	op.Retract, op.Confidence = true, 0
	return op
}

// Event gives an UPSERT_EVENT.
func Event(id string, version uint32, summary string, span dsl.Interval, includes, evidence []string) dsl.Op {
	return dsl.Op{
		Kind: dsl.UpsertEvent, ID: id, Version: version, Summary: dsl.Plain(summary), Span: &span,
		Includes: includes, Evidence: evidence, Status: "planned",
	}
}
