package assimilate_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/asof-db/asof/assimilate"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/extract"
	"github.com/asof-db/asof/store"
	"github.com/asof-db/asof/store/storetest"
)

// fullStore gives a store with n facts: what each of n/4 people is, does, likes
// and owns; every tenth has an event, and the last turns left a working memory.
func fullStore(tb testing.TB, n int) *store.Store {
	tb.Helper()
	s, err := store.Open(store.Options{Dir: "db", FS: vfs.NewMem(), CacheBytes: 256 << 20})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	c := storetest.NewChain(space)
	registry := extract.DefaultRegistry()
	const each = 500
	for from := 0; from < n; from += each {
		st, err := s.Stage()
		if err != nil {
			tb.Fatal(err)
		}
		var ops []dsl.Op
		for i := from; i < min(from+each, n); i++ {
			rel := []string{"lives_in", "works_at", "likes", "owns"}[i%4]
			id := dsl.FactID(space, dsl.Seq(from/each+1), i-from)
			ops = append(ops, storetest.Upsert(id, 1, c.Node(dsl.Entity, fmt.Sprint("P", i/4)), rel, c.Node(registry.DstKind(rel), fmt.Sprint("V", i%7)), dsl.Since(year(1)), 0.9))
			if i%10 == 0 {
				ops = append(ops, storetest.Event(fmt.Sprint("e", i), 1, "something happened", dsl.Since(year(1)), []string{id}, nil))
			}
		}
		turn := fmt.Sprint("T", from)
		c.Remember(dsl.Memory{Session: "s", Sessions: 1 + n/100, Since: 1, Pending: []dsl.Pending{{Fact: dsl.FactID(space, 1, 2), Version: 1, Salience: 0.6, Turn: 1 + from/each}}})
		tx := c.Turn(dsl.Turn{ID: turn, Session: "s", Speaker: dsl.Plain("P1"), Text: dsl.Plain("the garden needs water and the dog needs a walk"), TS: year(2)}, ops...)
		if err := errors.Join(st.Apply(tx, storetest.Entry(tx)), st.Commit()); err != nil {
			tb.Fatal(err)
		}
	}
	return s
}

// takes are turns of four candidates: known, another value, new, ended.
func takes(b store.Basis, facts int) []assimilate.Said {
	registry := extract.DefaultRegistry()
	var out []assimilate.Said
	for i := range 64 {
		k := 4 * (i * 31 % (facts / 4))
		p := fmt.Sprint("P", k/4)
		c := func(rel, dst string, change dsl.Change) dsl.Candidate {
			return dsl.Candidate{Src: dsl.Plain(p), Rel: rel, Dst: dsl.Plain(dst), DstKind: registry.DstKind(rel),
				Polarity: dsl.Positive, Change: change, Confidence: 0.8, Source: "rule"}
		}
		t := dsl.Turn{ID: "new", Session: "s", Speaker: dsl.Plain(p), Text: dsl.Plain("I work at Acme now, I use Notion every day, and I sold it"), TS: year(3)}
		out = append(out, assimilate.Said{Kind: dsl.TxTurn, Turn: t, Input: assimilate.Input{Space: space, Seq: b.Seq + 1, Time: year(3), TurnID: t.ID, TurnTime: t.TS, Speaker: t.Speaker,
			Candidates: []dsl.Candidate{
				c("lives_in", fmt.Sprint("V", k%7), dsl.Assert), c("works_at", "Acme", dsl.Assert),
				c("uses", "Notion", dsl.Assert), c("owns", fmt.Sprint("V", (k+3)%7), dsl.End)}}})
	}
	return out
}

// BenchmarkTake decides about turns, layer 2 included, on a warm store: each turn
// has four candidates and writes an event. What it takes per decision must not
// grow with the store.
func BenchmarkTake(b *testing.B) {
	for _, n := range []int{1e3, 1e5} {
		b.Run(fmt.Sprintf("facts=1e%d", len(fmt.Sprint(n))-1), func(b *testing.B) {
			s := fullStore(b, n)
			head, err := s.Head(space)
			if err != nil {
				b.Fatal(err)
			}
			v, err := s.At(space, head.Seq)
			if err != nil {
				b.Fatal(err)
			}
			defer v.Close()
			turns := takes(v.Basis(), n)
			p := assimilate.Policy{Registry: extract.DefaultRegistry(), OwnWord: true, Layer2: planLayer2()}
			i, decisions, wrote := 0, 0, 0
			take := func() {
				out, err := assimilate.Take(v, turns[i%len(turns)], p)
				if err != nil {
					b.Fatal(err)
				}
				decisions += len(out.Decisions) + len(out.Triggers)
				for _, d := range out.Triggers {
					if d.Action == dsl.TriggerWrite {
						wrote++
					}
				}
				i++
			}
			for range turns {
				take() // warm
			}
			i, decisions, wrote = 0, 0, 0
			b.ReportAllocs()
			for b.Loop() {
				take()
			}
			b.ReportMetric(float64(decisions)/b.Elapsed().Seconds(), "decisions/s")
			b.ReportMetric(float64(wrote)/float64(i), "events/turn")
		})
	}
}
