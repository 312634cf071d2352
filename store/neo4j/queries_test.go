package neo4j

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/analyze"
	"github.com/asof-db/asof/store"
	"github.com/asof-db/asof/store/storetest"
)

// queries reads the queries of SCHEMA.md by number.
func queries(t testing.TB) map[string]string {
	text, err := os.ReadFile("SCHEMA.md")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, m := range regexp.MustCompile("(?s)### (\\d+)\\. [^\n]*\n\n```cypher\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		out[m[1]] = m[2]
	}
	return out
}

// asker asks queries of the graph of one space, and the store the same.
type asker struct {
	testing.TB
	s       *server
	m       *memory
	space   string
	queries map[string]string
	asked   map[string]int
	found   map[string]int
}

// graph asks a query; each record becomes one line.
func (a *asker) graph(n string, params map[string]any) (lines []string) {
	a.Helper()
	params["space"] = a.space
	err := a.s.transaction(context.Background(), func(tx driver.ExplicitTransaction) error {
		_, err := each(context.Background(), tx, a.queries[n], params, func(v []any) error {
			lines = append(lines, fmt.Sprint(v...))
			return nil
		})
		return err
	})
	if err != nil {
		a.Fatalf("query %s: %v", n, err)
	}
	a.asked[n]++
	a.found[n] += len(lines)
	return lines
}

// want compares the answers, whose order does not matter where several rows share
// a position.
func (a *asker) want(n string, params map[string]any, lines []string) {
	a.Helper()
	got := a.graph(n, params)
	slices.Sort(got)
	slices.Sort(lines)
	if !slices.Equal(got, lines) {
		a.Errorf("query %s with %v:\n%s\nthe store says\n%s", n, params, strings.Join(got, "\n"), strings.Join(lines, "\n"))
	}
}

// view opens a view that closes with the test.
func (a *asker) view(at dsl.Instant) store.View {
	v, err := a.m.AtTime(a.space, at)
	if err != nil {
		a.Fatal(err)
	}
	a.Cleanup(func() { v.Close() })
	return v
}

// line writes values as a record's line does.
func line(values ...any) string { return fmt.Sprint(values...) }

// or gives nil for what the graph does not keep.
func or[T ~string](s T) any { return str(s) }

// TestQueries asks the queries of SCHEMA.md at many times and compares every answer
// with the store's.
func TestQueries(t *testing.T) {
	o := serverOptions(t)
	ctx := context.Background()
	m := newMemory(t)
	p := fresh(t, m, o)
	g := newGens(11, "queries")
	for range 70 {
		g.step(t, m)
	}
	tell(t, m, "told")
	if err := p.Sync(ctx); err != nil {
		t.Fatal(err)
	}
	for _, space := range []string{"queries", "told"} {
		a := &asker{TB: t, s: p.graph.(*server), m: m, space: space, queries: queries(t), asked: map[string]int{}, found: map[string]int{}}
		head := must(m.Head(space))
		last := a.view(head.Time)
		names := []string{"anna", "北京", "berlin", "a b", "nobody", "josé", "bo"}
		var times []dsl.Instant
		for _, part := range []dsl.Seq{1, head.Seq / 3, head.Seq * 2 / 3, head.Seq} {
			pos, err := last.PositionAt(max(part, 1))
			if err != nil {
				t.Fatal(err)
			}
			times = append(times, pos.Time-1, pos.Time)
		}
		for _, at := range times {
			v := a.view(at)
			for _, name := range names {
				a.facts(v, last, at, name)
				a.events(v, at, name)
			}
			a.whole(v, last, at)
			a.evidence(v, at)
			a.aliases(v, at)
			if space == "told" {
				a.neighbours(v, at)
			}
		}
		a.turns(last)
		for n := range a.queries {
			if a.asked[n] == 0 && n != "7" || a.found[n] == 0 && n != "7" && !(space == "told" && n == "9") {
				t.Errorf("space %s: query %s was asked %d times and found nothing to compare", space, n, a.asked[n])
			}
		}
		if len(a.queries) < 10 {
			t.Errorf("SCHEMA.md has %d queries", len(a.queries))
		}
	}
	if err := p.Drop(ctx); err != nil {
		t.Fatal(err)
	}
}

// ids gives the nodes of a name, or one that is not there.
func (a *asker) ids(v store.View, name string) []string {
	ids := []string{"none"}
	for _, n := range must(v.NodesNamed(name)) {
		ids = append(ids, n.ID)
	}
	return ids
}

// facts asks queries 1 to 4 of a name.
func (a *asker) facts(v, last store.View, at dsl.Instant, name string) {
	a.Helper()
	var ar, aw, both, history []string
	for f, err := range v.Facts(store.FactQuery{Src: a.ids(v, name)}) {
		if err != nil {
			a.Fatal(err)
		}
		ar = append(ar, line(f.ID, int64(f.Version), f.Rel, text(f.DstName), int64(f.Valid.Start), int64(f.Valid.End), f.Confidence))
	}
	for f, err := range last.Facts(store.FactQuery{Src: a.ids(last, name), Valid: &at}) {
		if err != nil {
			a.Fatal(err)
		}
		aw = append(aw, line(f.ID, int64(f.Version), f.Rel, text(f.DstName)))
	}
	for f, err := range v.Facts(store.FactQuery{Src: a.ids(v, name), Valid: &at}) {
		if err != nil {
			a.Fatal(err)
		}
		both = append(both, line(f.ID, int64(f.Version), f.Rel, text(f.DstName)))
	}
	for f, err := range last.History(store.FactQuery{Src: a.ids(last, name), Rel: "likes"}) {
		if err != nil {
			a.Fatal(err)
		}
		history = append(history, line(f.ID, int64(f.FactVersion.Version), text(f.DstName), int64(f.Record.Start), int64(f.Record.End),
			string(f.Op), text(f.Reason), or(f.Turn), or(f.CloseOp), text(f.CloseReason), or(f.CloseTurn)))
	}
	norm := analyze.NormalizeName(name)
	a.want("1", map[string]any{"name": norm, "t": int64(at)}, ar)
	a.want("2", map[string]any{"name": norm, "v": int64(at)}, aw)
	a.want("3", map[string]any{"name": norm, "t": int64(at), "v": int64(at)}, both)
	a.want("4", map[string]any{"name": norm, "rel": "likes"}, history)
}

// events asks query 8 of a name.
func (a *asker) events(v store.View, at dsl.Instant, name string) {
	a.Helper()
	ids := a.ids(v, name)
	var want []string
	for e, err := range v.Events(false) {
		if err != nil {
			a.Fatal(err)
		}
		if slices.ContainsFunc(e.Participants, func(p dsl.Participant) bool { return slices.Contains(ids, p.Entity) }) {
			want = append(want, line(e.ID, int64(e.Version), text(e.Summary), or(e.Status), int64(e.Span.Start), int64(e.Span.End)))
		}
	}
	a.want("8", map[string]any{"name": analyze.NormalizeName(name), "t": int64(at)}, want)
}

// whole asks queries 5 and 12 of the space.
func (a *asker) whole(v, last store.View, at dsl.Instant) {
	a.Helper()
	var want []string
	for c, err := range last.Changes(v.Basis().Seq) {
		if err != nil {
			a.Fatal(err)
		}
		if c.After != nil {
			want = append(want, line("opened", int64(c.At), c.After.ID, int64(c.After.Version)))
		}
		switch {
		case c.Kind == store.Archived && c.Before.Record.Start <= at:
			want = append(want, line("archived", int64(c.At), c.Before.ID, int64(c.Before.Version)))
		case c.Kind != store.Archived && c.Before != nil:
			want = append(want, line("closed", int64(c.At), c.Before.ID, int64(c.Before.Version)))
		}
	}
	a.want("5", map[string]any{"from": int64(at) + 1, "to": int64(last.Basis().Time) + 1}, want)
	open := uint64(0)
	if seq := v.Basis().Seq; seq > 0 {
		open = must(v.PositionAt(seq)).Open
	}
	a.want("12", map[string]any{"t": int64(at)}, []string{line(int64(open))})
}

// some gives the ids of some facts of a view.
func (a *asker) some(v store.View) (ids []string) {
	for f, err := range v.Facts(store.FactQuery{All: true}) {
		if err != nil {
			a.Fatal(err)
		}
		if !slices.Contains(ids, f.ID) {
			ids = append(ids, f.ID)
		}
	}
	return ids[:min(len(ids), 12)]
}

// evidence asks queries 6 and 10 of facts.
func (a *asker) evidence(v store.View, at dsl.Instant) {
	a.Helper()
	for _, id := range a.some(v) {
		var versions []string
		turns := map[string][]store.Turn{}
		seen := map[string]bool{}
		for _, f := range must(v.Fact(id)) {
			if f.Closed == 0 {
				versions = append(versions, line(int64(f.FactVersion.Version), listed(f.Evidence), f.Confidence))
			}
			for _, turn := range f.Evidence {
				x, err := v.Turn(turn)
				if err != nil || seen[turn] {
					continue // not recorded at the time
				}
				seen[turn] = true
				who := []string{x.Speaker.String()}
				if l := x.Listener.String(); l != who[0] {
					who = append(who, l)
				}
				for _, w := range who {
					if w != "" {
						turns[w] = append(turns[w], x)
					}
				}
			}
		}
		var knew []string
		for who, list := range turns {
			slices.SortFunc(list, func(a, b store.Turn) int { return int(a.Seq) - int(b.Seq) })
			var ids []string
			for _, x := range list {
				ids = append(ids, x.ID)
			}
			knew = append(knew, line(who, int64(list[0].Record), listed(ids)))
		}
		a.want("6", map[string]any{"fact": id, "t": int64(at)}, knew)
		a.want("10", map[string]any{"fact": id, "t": int64(at)}, versions)
	}
}

// listed gives strings as the driver gives a list.
func listed(s []string) []any {
	out := []any{}
	for _, x := range s {
		out = append(out, x)
	}
	return out
}

// aliases asks query 9 of nodes.
func (a *asker) aliases(v store.View, at dsl.Instant) {
	a.Helper()
	asked := 0
	for f, err := range v.Facts(store.FactQuery{All: true}) {
		if err != nil {
			a.Fatal(err)
		}
		if asked++; asked > 6 {
			break
		}
		a.want("9", map[string]any{"node": f.Dst, "t": int64(at)}, must(v.Aliases(f.Dst)))
	}
}

// turns asks query 11 of all turns.
func (a *asker) turns(v store.View) {
	a.Helper()
	for turn, err := range v.Turns(0) {
		if err != nil {
			a.Fatal(err)
		}
		if turn.Doc > 40 {
			break
		}
		var want []string
		for _, f := range must(v.FactsByEvidence(turn.ID)) {
			want = append(want, line(f.ID, int64(f.Version)))
		}
		slices.Sort(want)
		a.want("11", map[string]any{"turn": turn.ID}, slices.Compact(want))
	}
}

// neighbours asks query 7 in a space without aliases.
func (a *asker) neighbours(v store.View, at dsl.Instant) {
	a.Helper()
	for _, name := range []string{"anna", "bo", "berlin"} {
		var want []string
		ids := a.ids(v, name)
		if len(ids) > 1 {
			for n, err := range store.Neighbours(v, store.NeighbourQuery{Node: ids[1], Depth: 2, Fanout: store.MaxFanout}) {
				if err != nil {
					a.Fatal(err)
				}
				want = append(want, line(n.Fact.ID, int64(n.Fact.Version)))
			}
		}
		slices.Sort(want)
		a.want("7", map[string]any{"name": name, "t": int64(at)}, slices.Compact(want))
	}
}

// tell makes a small space by hand: friends and where they live, with a move, a
// correction, an archived fact, an event that is planned and then done.
func tell(t testing.TB, m *memory, space string) {
	c := storetest.NewChain(space)
	anna, bo, chen := c.Node(dsl.Entity, "Anna"), c.Node(dsl.Entity, "Bo"), c.Node(dsl.Entity, "陈")
	berlin, paris, jazz := c.Node(dsl.Entity, "Berlin"), c.Node(dsl.Entity, "Paris"), c.Node(dsl.Literal, "jazz")
	const day, began = dsl.Day, dsl.Instant(1_600_000_000_000_000)
	say := func(n int, who, to, text string, ops ...dsl.Op) *dsl.Tx {
		return c.Turn(dsl.Turn{ID: fmt.Sprint("t", n), Session: "s", Speaker: dsl.Plain(who), Listener: dsl.Plain(to),
			Text: dsl.Plain(text), TS: began + dsl.Instant(n)*day}, ops...)
	}
	because := func(op dsl.Op, reason string) dsl.Op { op.Reason = dsl.Plain(reason); return op }
	friends := storetest.Event("e", 1, "Anna visits Bo", dsl.Since(began+9*day), []string{"home"}, []string{"t1"})
	friends.Participants = []dsl.Participant{{Entity: anna, Role: dsl.Plain("guest")}, {Entity: bo}}
	done := friends
	done.Version, done.Status, done.Summary = 2, "done", dsl.Plain("Anna visited Bo")
	for _, tx := range []*dsl.Tx{
		say(1, "Anna", "Bo", "I live in Berlin and like jazz.", because(storetest.Upsert("home", 1, anna, "lives_in", berlin, dsl.Since(began), 0.8, "t1"), "first said"),
			storetest.Upsert("music", 1, anna, "likes", jazz, dsl.Always, 0.5, "t1")),
		say(2, "Bo", "Anna", "Me too!", storetest.Upsert("home2", 1, bo, "lives_in", berlin, dsl.Since(began), 0.9, "t2"),
			storetest.Evidence(space, "t2", "music", 0.5), friends),
		say(3, "Anna", "陈", "我搬到巴黎了。", because(storetest.Correct("home", 1, 2, berlin, dsl.Interval{Start: began, End: began + 3*day}, 0.8, "t1", "t3"), "moved"),
			storetest.Upsert("home3", 1, anna, "lives_in", paris, dsl.Since(began+3*day), 0.9, "t3"),
			storetest.Upsert("friend", 1, anna, "related_to", chen, dsl.Always, 1, "t3")),
		say(4, "陈", "", "Anna likes jazz.", storetest.Evidence(space, "t4", "music", 0.5), done),
		c.Ops(began+5*day, because(storetest.Archive("music"), "not asked any more"), storetest.Unlink(storetest.Evidence(space, "t2", "music", 0))),
	} {
		m.add(t, tx)
	}
}
