package neo4j

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/asof-db/asof/dsl"
)

// errMoved says that a checkpoint is not where a batch begins: another projector
// has written, or a commit whose answer was lost went through.
var errMoved = errors.New("the graph has moved on")

// The states of a generation.
const (
	building = "building"
	current  = "current"
	retired  = "retired"
)

// format is the version of the schema that this build writes. A generation of
// another one is not continued: it has to be rebuilt.
const format = 1

// generation is one copy of one space's graph.
type generation struct {
	number int64
	space  string
	state  string
	// position is what it holds; time and entry are the record time and the hash of
	// the log entry there.
	position dsl.Seq
	time     dsl.Instant
	entry    string
	// episodes is the position that its episodes are of.
	episodes dsl.Seq
	format   int64
}

// mark is a step of a generation from one position to another.
type mark struct {
	generation int64
	space      string
	from, to   dsl.Seq
	time       dsl.Instant
	entry      dsl.Hash
}

// batch is what one Neo4j transaction writes.
type batch struct {
	marks   []mark
	changes []*changes
	weight  int
	// message is the last log message that is whole in the graph once this batch is.
	message uint64
}

// graph is the server as the projector uses it; tests have others. Its methods
// return errors as the driver gives them.
type graph interface {
	setup(ctx context.Context) error
	generations(ctx context.Context) ([]generation, error)
	// begin makes a generation at a position; a current one takes the place of the
	// one before, which is retired.
	begin(ctx context.Context, g generation) (generation, error)
	// activate makes a building generation the current one of its space.
	activate(ctx context.Context, g generation) error
	// retire takes a generation away from readers.
	retire(ctx context.Context, g generation) error
	// remove deletes a generation that is not current, in small transactions.
	remove(ctx context.Context, number int64) error
	// waiting gives the event versions that are not visible, by generation.
	waiting(ctx context.Context) (map[int64][]eventRef, error)
	// commit writes a batch whole, or nothing of it; errMoved where a generation is
	// not where the batch begins.
	commit(ctx context.Context, b *batch) (written, error)
	// episodes replaces the episodes of a generation.
	episodes(ctx context.Context, g generation, nodes, contains []row) error
	// rows reads a table of a generation.
	rows(ctx context.Context, t *table, number int64, f func(row) error) error
	// count counts the rows of a table by generation.
	count(ctx context.Context, t *table, numbers []int64) (map[int64]int, error)
	close(ctx context.Context) error
}

// written counts what a transaction made.
type written struct{ nodes, relationships int }

// server is a graph over the driver.
type server struct {
	driver   driver.DriverWithContext
	database string
	// bookmarks let every session see what the ones before it wrote, in a cluster.
	bookmarks driver.BookmarkManager
}

func (s *server) session(ctx context.Context) driver.SessionWithContext {
	return s.driver.NewSession(ctx, driver.SessionConfig{DatabaseName: s.database, AccessMode: driver.AccessModeWrite,
		BookmarkManager: s.bookmarks, FetchSize: 2000})
}

// transaction runs f in one transaction of a session of its own.
func (s *server) transaction(ctx context.Context, f func(tx driver.ExplicitTransaction) error) (err error) {
	session := s.session(ctx)
	defer func() { err = errors.Join(err, session.Close(ctx)) }()
	tx, err := session.BeginTransaction(ctx)
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		_ = tx.Rollback(ctx) // what it says follows from err; the server rolls back what it never hears of again
		return err
	}
	return tx.Commit(ctx)
}

// auto runs a statement that brings its own transactions, or is one.
func (s *server) auto(ctx context.Context, cypher string, params map[string]any) (err error) {
	session := s.session(ctx)
	defer func() { err = errors.Join(err, session.Close(ctx)) }()
	result, err := session.Run(ctx, cypher, params)
	if err != nil {
		return err
	}
	_, err = result.Consume(ctx)
	return err
}

// each runs a statement and calls f with every record's values.
func each(ctx context.Context, tx driver.ExplicitTransaction, cypher string, params map[string]any, f func(values []any) error) (driver.Counters, error) {
	result, err := tx.Run(ctx, cypher, params)
	if err != nil {
		return nil, err
	}
	for result.Next(ctx) {
		if err := f(result.Record().Values); err != nil {
			return nil, err
		}
	}
	if err := result.Err(); err != nil {
		return nil, err
	}
	summary, err := result.Consume(ctx)
	if err != nil {
		return nil, err
	}
	return summary.Counters(), nil
}

func (s *server) close(ctx context.Context) error { return s.driver.Close(ctx) }

func (s *server) setup(ctx context.Context) error {
	for _, statement := range schema() {
		if err := s.auto(ctx, statement, nil); err != nil {
			return err
		}
	}
	return s.auto(ctx, "CALL db.awaitIndexes(300)", nil)
}

const generationFields = `[g.generation, g.space, g.state, g.position, g.record_to, g.entry, g.episodes, g.format]`

func (s *server) generations(ctx context.Context) (list []generation, err error) {
	err = s.transaction(ctx, func(tx driver.ExplicitTransaction) error {
		_, err := each(ctx, tx, "MATCH (g:Generation) RETURN "+generationFields+" ORDER BY g.generation", nil, func(v []any) error {
			g, err := generationOf(v[0])
			list = append(list, g)
			return err
		})
		return err
	})
	return list, err
}

func generationOf(value any) (g generation, err error) {
	v, ok := value.([]any)
	fail := func() (generation, error) {
		return g, fmt.Errorf("%w: a (:Generation) node holds %v", dsl.ErrCorrupt, value)
	}
	if !ok || len(v) != 8 {
		return fail()
	}
	var position, recorded, episodes int64
	for i, to := range map[int]*int64{0: &g.number, 3: &position, 4: &recorded, 6: &episodes, 7: &g.format} {
		if *to, ok = v[i].(int64); !ok {
			return fail()
		}
	}
	for i, to := range map[int]*string{1: &g.space, 2: &g.state, 5: &g.entry} {
		if *to, ok = v[i].(string); !ok {
			return fail()
		}
	}
	g.position, g.time, g.episodes = dsl.Seq(position), dsl.Instant(recorded), dsl.Seq(episodes)
	return g, nil
}

// The number of a generation comes from a counter, whose lock orders those who ask.
const beginStatement = `MERGE (c:Counter {name: 'generation'}) SET c.next = coalesce(c.next, 0) + 1
WITH c OPTIONAL MATCH (old:Generation {space: $space, state: 'building'}) SET old.state = 'retired'
WITH DISTINCT c
CREATE (g:Generation {generation: c.next, space: $space, state: 'building', position: $position, record_to: $time, entry: $entry, episodes: $position, format: $format})
RETURN ` + generationFields

// activateStatement locks the pointer first, so that two who change it go one
// after the other.
const activateStatement = `MERGE (p:Projection {space: $space}) SET p.generation = coalesce(p.generation, $generation)
WITH p MATCH (g:Generation {generation: $generation, space: $space}) WHERE g.state <> 'retired'
OPTIONAL MATCH (old:Generation {generation: p.generation}) WHERE old.generation <> g.generation
SET old.state = 'retired', g.state = 'current', p.generation = g.generation
RETURN count(g)`

func (s *server) begin(ctx context.Context, g generation) (made generation, err error) {
	err = s.transaction(ctx, func(tx driver.ExplicitTransaction) error {
		_, err := each(ctx, tx, beginStatement, map[string]any{"space": g.space, "position": int64(g.position), "time": at(g.time),
			"entry": g.entry, "format": int64(format)}, func(v []any) (err error) {
			made, err = generationOf(v[0])
			return err
		})
		if err != nil || g.state != current {
			return err
		}
		made.state = current
		return activate(ctx, tx, made)
	})
	return made, err
}

func activate(ctx context.Context, tx driver.ExplicitTransaction, g generation) error {
	return counted(ctx, tx, activateStatement, map[string]any{"space": g.space, "generation": g.number}, 1)
}

func (s *server) activate(ctx context.Context, g generation) error {
	return s.transaction(ctx, func(tx driver.ExplicitTransaction) error { return activate(ctx, tx, g) })
}

// counted runs a statement that returns a count, which has to be n.
func counted(ctx context.Context, tx driver.ExplicitTransaction, cypher string, params map[string]any, n int) error {
	got := int64(-1)
	_, err := each(ctx, tx, cypher, params, func(v []any) error {
		got, _ = v[0].(int64)
		return nil
	})
	if err == nil && got != int64(n) {
		err = errMoved
	}
	return err
}

const retireStatement = `MATCH (g:Generation {generation: $generation}) SET g.state = 'retired'
WITH g OPTIONAL MATCH (p:Projection {space: g.space, generation: g.generation}) DETACH DELETE p`

func (s *server) retire(ctx context.Context, g generation) error {
	return s.auto(ctx, retireStatement, map[string]any{"generation": g.number})
}

// removeChunk is how many nodes one transaction removes.
const removeChunk = 2000

func (s *server) remove(ctx context.Context, number int64) error {
	for _, t := range slices.Backward(tables) {
		if !t.isNode() {
			continue
		}
		statement := fmt.Sprintf("MATCH (n:%s) WHERE %s CALL { WITH n DETACH DELETE n } IN TRANSACTIONS OF %d ROWS", t.name, indexed("n", t), removeChunk)
		if err := s.auto(ctx, statement, map[string]any{"generation": number}); err != nil {
			return err
		}
	}
	return s.auto(ctx, "MATCH (g:Generation {generation: $generation}) WHERE g.state = 'retired' DETACH DELETE g",
		map[string]any{"generation": number})
}

func (s *server) waiting(ctx context.Context) (map[int64][]eventRef, error) {
	out := map[int64][]eventRef{}
	err := s.transaction(ctx, func(tx driver.ExplicitTransaction) error {
		_, err := each(ctx, tx, "MATCH (e:Event) WHERE e.visible_from = $forever RETURN e.generation, e.id, e.version ORDER BY e.generation, e.opened, e.id",
			map[string]any{"forever": at(dsl.Forever)}, func(v []any) error {
				number, ok1 := v[0].(int64)
				id, ok2 := v[1].(string)
				version, ok3 := v[2].(int64)
				if !ok1 || !ok2 || !ok3 {
					return fmt.Errorf("%w: an (:Event) node holds %v", dsl.ErrCorrupt, v)
				}
				out[number] = append(out[number], eventRef{id, uint32(version)})
				return nil
			})
		return err
	})
	return out, err
}

func (s *server) rows(ctx context.Context, t *table, number int64, f func(row) error) error {
	return s.transaction(ctx, func(tx driver.ExplicitTransaction) error {
		_, err := each(ctx, tx, t.read(), map[string]any{"generation": number}, func(v []any) error {
			r, ok := v[0].([]any)
			if !ok || len(r) != len(t.columns) {
				return fmt.Errorf("%w: a row of %s has %d values", dsl.ErrCorrupt, t.title(), len(r))
			}
			return f(r)
		})
		return err
	})
}

func (s *server) count(ctx context.Context, t *table, numbers []int64) (map[int64]int, error) {
	statement := fmt.Sprintf("MATCH (n:%s) WHERE n.generation IN $list RETURN n.generation, count(*)", t.name)
	if !t.isNode() {
		statement = fmt.Sprintf("MATCH (n:%s)-[:%s]->(:%s) WHERE n.generation IN $list RETURN n.generation, count(*)", t.from, t.name, t.to)
	}
	out := map[int64]int{}
	err := s.transaction(ctx, func(tx driver.ExplicitTransaction) error {
		_, err := each(ctx, tx, statement, map[string]any{"list": numbers}, func(v []any) error {
			number, ok1 := v[0].(int64)
			n, ok2 := v[1].(int64)
			if !ok1 || !ok2 {
				return fmt.Errorf("%w: a count of %s is %v", dsl.ErrCorrupt, t.title(), v)
			}
			out[number] = int(n)
			return nil
		})
		return err
	})
	return out, err
}

// schema gives the statements that make constraints and indexes; each changes
// nothing where they are there.
func schema() []string {
	unique := func(name, label, list string) string {
		return fmt.Sprintf("CREATE CONSTRAINT asof_%s IF NOT EXISTS FOR (n:%s) REQUIRE (%s) IS UNIQUE", name, label, properties("n", list))
	}
	index := func(name, pattern, list string) string {
		return fmt.Sprintf("CREATE INDEX asof_%s IF NOT EXISTS FOR %s ON (%s)", name, pattern, properties("n", list))
	}
	return []string{
		unique("node", "Node", "generation id"),
		unique("turn", "Turn", "generation id"),
		unique("fact", "Fact", "generation id"),
		unique("event", "Event", "generation id version"),
		unique("episode", "Episode", "generation id"),
		unique("generation", "Generation", "generation"),
		unique("projection", "Projection", "space"),
		unique("counter", "Counter", "name"),
		"CREATE CONSTRAINT asof_version IF NOT EXISTS FOR ()-[n:FACT]-() REQUIRE (n.generation, n.id, n.version) IS UNIQUE",
		index("name", "(n:Node)", "generation norm"),
		index("visible", "(n:Event)", "visible_from"),
		index("record", "()-[n:FACT]-()", "generation record_from record_to"),
	}
}

func properties(variable, list string) string {
	return variable + "." + strings.Join(words(list), ", "+variable+".")
}
