package neo4j

import (
	"context"
	"fmt"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/asof-db/asof/dsl"
)

// markStatement moves the checkpoints of a batch. It comes first, so that its
// locks keep another projector out until this transaction ends (N1).
const markStatement = `UNWIND $rows AS r MATCH (g:Generation {generation: r[0]})
SET g.locked = true WITH g, r WHERE g.position = r[1] AND g.state <> 'retired' AND g.format = r[5]
SET g.position = r[2], g.record_to = r[3], g.entry = r[4] REMOVE g.locked RETURN count(*)`

// The statements that change rows that are there. Each returns how many it found.
const (
	factStatement = `UNWIND $rows AS r MATCH ()-[f:FACT {generation: r[0], id: r[2], version: r[3]}]->() SET f += r[4] RETURN count(*)`
	stepStatement = `UNWIND $rows AS r MATCH ()-[f:FACT {generation: r[0], id: r[2], version: r[3]}]->()
SET f.confidence_steps = coalesce(f.confidence_steps, []) + r[4], f.confidence_from = coalesce(f.confidence_from, []) + r[5] RETURN count(*)`
	replaceStatement = `UNWIND $rows AS r MATCH (t:Turn {generation: r[0], id: r[2]}) SET t.replaced_by = r[3], t.replaced_from = r[4] RETURN count(*)`
	forgetStatement  = `UNWIND $rows AS r MATCH (t:Turn {generation: r[0], id: r[2]})-[e:EVIDENCE]->(f:Fact {generation: r[0], id: r[3]})
WHERE e.version = r[4] AND e.record_to = 9223372036854775807 AND (e.opened < r[5] OR e.opened = r[5] AND e.operation < r[6])
SET e.record_to = r[7] RETURN count(DISTINCT r)`
	endStatement   = `UNWIND $rows AS r MATCH (e:Event {generation: r[0], id: r[2], version: r[3]}) SET e.closed = r[4], e.record_to = r[5] RETURN count(*)`
	sightStatement = `UNWIND $rows AS r MATCH (e:Event {generation: r[0], id: r[2], version: r[3]}) SET e.visible_from = r[4] RETURN count(*)`
)

func (s *server) commit(ctx context.Context, b *batch) (w written, err error) {
	var marks []row
	for _, m := range b.marks {
		marks = append(marks, row{m.generation, int64(m.from), int64(m.to), at(m.time), m.entry.String(), int64(format)})
	}
	err = s.transaction(ctx, func(tx driver.ExplicitTransaction) error {
		if err := counted(ctx, tx, markStatement, params(marks), len(marks)); err != nil {
			return err
		}
		wr := &writer{ctx: ctx, tx: tx, written: &w}
		for _, t := range tables {
			if t == nodeTable {
				for _, kind := range dsl.NodeKinds {
					wr.run(t.create(labels[kind]), gather(b, func(c *changes) []row { return ofKind(c.rows[t], kind) }))
				}
				continue
			}
			wr.run(t.create(""), gather(b, func(c *changes) []row { return c.rows[t] }))
		}
		wr.run(factStatement, gather(b, func(c *changes) []row { return c.facts }))
		wr.run(stepStatement, gather(b, func(c *changes) []row { return c.steps }))
		wr.run(replaceStatement, gather(b, func(c *changes) []row { return c.turns }))
		for _, c := range b.changes {
			wr.forgets(c.forgets)
		}
		wr.run(endStatement, gather(b, func(c *changes) []row { return c.endings }))
		wr.run(sightStatement, gather(b, func(c *changes) []row { return c.sights }))
		for _, c := range b.changes {
			wr.links(c.links)
		}
		return wr.err
	})
	return w, err
}

// gather puts the rows of all spaces of a batch together.
func gather(b *batch, of func(*changes) []row) []row {
	var all []row
	for _, c := range b.changes {
		all = append(all, of(c)...)
	}
	return all
}

func ofKind(rows []row, kind dsl.NodeKind) (out []row) {
	i := nodeTable.column("kind")
	for _, r := range rows {
		if r[i] == string(kind) {
			out = append(out, r)
		}
	}
	return out
}

// params makes the parameters of a statement; the driver takes no type of ours.
func params(rows []row) map[string]any {
	list := make([]any, len(rows))
	for i, r := range rows {
		list[i] = []any(r)
	}
	return map[string]any{"rows": list}
}

// writer runs statements of one transaction until one fails.
type writer struct {
	ctx     context.Context
	tx      driver.ExplicitTransaction
	written *written
	err     error
}

// statementRows bounds the rows of one statement, and so the size of a message.
const statementRows = 5000

// run runs a statement over rows, each of which it has to find its place for.
func (w *writer) run(cypher string, rows []row) {
	for len(rows) > 0 && w.err == nil {
		part := rows[:min(len(rows), statementRows)]
		rows = rows[len(part):]
		found := int64(0)
		counters, err := each(w.ctx, w.tx, cypher, params(part), func(v []any) error {
			found, _ = v[0].(int64)
			return nil
		})
		if err != nil {
			w.err = err
			return
		}
		w.written.nodes += counters.NodesCreated()
		w.written.relationships += counters.RelationshipsCreated()
		if found != int64(len(part)) {
			w.err = fmt.Errorf("%w: of %d rows only %d found what they belong to (space %q, first row %.200v, statement %.60q)",
				errDamaged, len(part), found, part[0][1], part[0][2:], cypher)
		}
	}
}

// forgets closes evidence in order. A statement finds all of its rows' places before
// it changes any, so it must not have two rows for one piece of evidence.
func (w *writer) forgets(rows []row) {
	for len(rows) > 0 && w.err == nil {
		seen := map[string]bool{}
		n := 0
		for ; n < len(rows); n++ {
			key := fmt.Sprintf("%q %q %d", rows[n][2], rows[n][3], rows[n][4])
			if seen[key] {
				break
			}
			seen[key] = true
		}
		w.run(forgetStatement, rows[:n])
		rows = rows[n:]
	}
}

// links makes and closes links in order. One that is open already is not made
// again, and one that is not open is not closed.
func (w *writer) links(list []linkChange) {
	for len(list) > 0 && w.err == nil {
		l, n := list[0], 1
		for n < len(list) && list[n].table == l.table && list[n].retract == l.retract {
			n++
		}
		// Of the same done twice in a row the first counts.
		var rows []row
		seen := map[any]bool{}
		id := l.table.column("id")
		for _, same := range list[:n] {
			if !seen[same.row[id]] {
				seen[same.row[id]] = true
				rows = append(rows, same.row)
			}
		}
		list = list[n:]
		t := l.table
		open := fmt.Sprintf("[l:%s {generation: r[0], id: r[%d], record_to: 9223372036854775807}]", t.name, id)
		ends := "UNWIND $rows AS r " + t.ends()
		statement := fmt.Sprintf("%sMERGE (a)-%s->(b) ON CREATE SET l += {%s} RETURN count(*)", ends, open, t.assign())
		if l.retract {
			statement = fmt.Sprintf("%sWITH a, b, r OPTIONAL MATCH (a)-%s->(b) SET l.record_to = r[%d] RETURN count(*)", ends, open, t.column("record_from"))
		}
		w.run(statement, rows)
	}
}

// The episodes of a generation are replaced at once, if it still is where they
// were computed.
const (
	episodesClear = "MATCH (n:Episode) WHERE n.generation = $generation AND n.id IS NOT NULL DETACH DELETE n RETURN count(*)"
	episodesMark  = "MATCH (g:Generation {generation: $generation}) WHERE g.position = $position SET g.episodes = $position RETURN count(*)"
)

func (s *server) episodes(ctx context.Context, g generation, nodes, contains []row) error {
	return s.transaction(ctx, func(tx driver.ExplicitTransaction) error {
		about := map[string]any{"generation": g.number, "position": int64(g.position)}
		if err := counted(ctx, tx, episodesMark, about, 1); err != nil {
			return err
		}
		if _, err := each(ctx, tx, episodesClear, about, func([]any) error { return nil }); err != nil {
			return err
		}
		w := &writer{ctx: ctx, tx: tx, written: &written{}}
		w.run(episodeTable.create(""), nodes)
		w.run(containsTable.create(""), contains)
		return w.err
	})
}
