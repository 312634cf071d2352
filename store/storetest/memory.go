package storetest

import (
	"fmt"
	"slices"

	"github.com/asof-db/asof/dsl"
)

// Remember lets the next transaction leave a working memory.
func (c *Chain) Remember(m dsl.Memory) { c.memory = &m }

// Hold lets the next transaction of a turn or candidates hold a candidate too.
func (c *Chain) Hold(candidate dsl.Candidate) { c.hold = append(c.hold, candidate) }

// Backfill gives a transaction that fills a gap with a candidate from a turn.
func (c *Chain) Backfill(at dsl.Instant, query, turn string, candidate dsl.Candidate, ops ...dsl.Op) *dsl.Tx {
	candidate.Turn = turn
	all := make([]int, len(ops))
	for i := range all {
		all[i] = i
	}
	return c.Next(dsl.Tx{
		Kind: dsl.TxBackfill, Operations: ops, Time: max(at, c.time+1),
		Gap:        &dsl.Gap{From: 1, To: 2, ID: dsl.GapID(c.Space, dsl.GapEmpty, query), Kind: dsl.GapEmpty, Query: dsl.Plain(query)},
		Candidates: []dsl.Candidate{candidate},
		Decisions:  []dsl.Decision{{Action: dsl.Insert, Operations: all, Reason: dsl.Plain("read again"), Rule: "test"}},
	})
}

// memorize puts what was asked for into a transaction.
func (c *Chain) memorize(tx *dsl.Tx) {
	if c.memory != nil {
		tx.Memory, c.memory = c.memory, nil
	}
	if tx.Kind != dsl.TxTurn && tx.Kind != dsl.TxCandidates {
		return
	}
	tx.Candidates, tx.Decisions = slices.Clip(tx.Candidates), slices.Clip(tx.Decisions)
	for _, h := range c.hold {
		tx.Decisions = append(tx.Decisions, dsl.Decision{Action: dsl.Hold, Candidate: len(tx.Candidates), Reason: dsl.Plain("unsure"), Rule: "test"})
		tx.Candidates = append(tx.Candidates, h)
	}
	c.hold = nil
}

// layer2 lets the next transaction have something of layer 2, now and then.
func (g *Gen) layer2() {
	seq, _ := g.Head()
	if g.oneIn(3) {
		m := dsl.Memory{Session: pick(g, sessions), Sessions: 1 + g.draw(3), Since: 1 + g.draw(9), Strong: g.draw(3), Tokens: g.draw(99), Written: g.draw(2)}
		for range g.draw(3) {
			m.Pending = append(m.Pending, dsl.Pending{Fact: pick(g, factIDs), Version: 1 + uint32(g.draw(3)), Salience: pick(g, levels), Turn: 1 + g.draw(9)})
		}
		for range g.draw(2) {
			m.Held = append(m.Held, dsl.Held{Candidate: g.draw(3), Position: 1 + dsl.Seq(g.draw(int(seq)+1)), Turn: 1 + g.draw(9)})
		}
		g.Remember(m)
	}
	if g.oneIn(6) {
		g.Hold(dsl.Candidate{Change: dsl.Assert, Confidence: pick(g, levels), Polarity: dsl.Positive, Rel: pick(g, rels),
			Src: dsl.Plain(pick(g, names)), Dst: dsl.Plain(pick(g, names)), DstKind: dsl.Entity})
	}
}

// memory compares working memory and what is held.
func (c *comparison) memory() {
	c.t.Helper()
	want, wantErr := c.want.Memory()
	got, gotErr := c.got.Memory()
	same(c, "Memory()", want, wantErr, got, gotErr)
	for _, s := range append([]string{"no such session", want.Session}, sessions...) {
		want, wantErr := c.want.SessionMemory(s)
		got, gotErr := c.got.SessionMemory(s)
		same(c, fmt.Sprintf("SessionMemory(%q)", s), want, wantErr, got, gotErr)
	}
	const most = 64
	for seq := max(c.basis.Seq, most) - most; seq < c.basis.Seq+3; seq++ {
		for i := -1; i < 3; i++ {
			ref := dsl.HeldRef{Candidate: i, Position: seq}
			want, wantErr := c.want.Held(ref)
			got, gotErr := c.got.Held(ref)
			same(c, fmt.Sprintf("Held(%v)", ref), want, wantErr, got, gotErr)
		}
	}
}
