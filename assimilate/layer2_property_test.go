package assimilate_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/asof-db/asof/assimilate"
	"github.com/asof-db/asof/dsl"
)

// anyLayer2 draws a policy of layer 2, tight ones among them.
func anyLayer2(t *rapid.T) assimilate.Layer2 {
	l := planLayer2()
	l.Window = rapid.IntRange(1, 6).Draw(t, "window")
	l.Capacity = rapid.IntRange(0, 4).Draw(t, "capacity")
	l.Budget = rapid.SampledFrom([]int{0, 5, 20, 120}).Draw(t, "budget")
	l.StrongQuota = rapid.IntRange(0, 3).Draw(t, "strong")
	l.PeriodicQuota = rapid.IntRange(0, 1).Draw(t, "periodic writes")
	l.Keep = rapid.SampledFrom([]float64{0.5, 0.65, 0.72, 1}).Draw(t, "keep")
	l.Archive = rapid.SampledFrom([]float64{0, 0.35, 0.6}).Draw(t, "archive")
	l.Salience = rapid.Bool().Draw(t, "salience")
	l.Periodic = rapid.Bool().Draw(t, "periodic")
	l.Reflect = rapid.IntRange(1, 3).Draw(t, "reflect")
	l.Cooldown = rapid.IntRange(0, 3).Draw(t, "cooldown")
	l.Events.Merge = rapid.Bool().Draw(t, "merge")
	return l
}

// anySaid draws what the next turn says: a turn in one of a few sessions, in
// English or Chinese, with up to three candidates, sure and unsure ones.
func anySaid(t *rapid.T, w *world, n int) assimilate.Said {
	at := rapid.IntRange(0, cells-4).Draw(t, "said")
	cs := []dsl.Candidate{}
	for range rapid.IntRange(0, 3).Draw(t, "candidates") {
		s := draw(t, dsl.Assert, dsl.Assert, dsl.Assert, dsl.End, dsl.Correct)
		if s.turn = at; !s.stated {
			s.from = at
		}
		c := s.candidate()
		c.Confidence = rapid.SampledFrom([]float64{0.1, 0.4, 0.5, 1}).Draw(t, "confidence")
		cs = append(cs, c)
	}
	turn := dsl.Turn{ID: fmt.Sprint("D", n), Speaker: dsl.Plain(rapid.SampledFrom(people).Draw(t, "speaker")), TS: year(at),
		Session: rapid.SampledFrom([]string{"", "s1", "s2"}).Draw(t, "session"),
		Text:    dsl.Plain(rapid.SampledFrom([]string{"I always like Rome", "是吗？我喜欢北京", "the garden needs water", "一直如此"}).Draw(t, "text"))}
	return w.saidBy(turn, cs)
}

// bytesOf gives all that a transaction would hold.
func bytesOf(t *rapid.T, out assimilate.Output) []byte {
	b, err := dsl.Canonical(dsl.Tx{Nodes: out.Nodes, Operations: out.Operations, Decisions: out.Decisions, Triggers: out.Triggers, Memory: out.Memory})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestLayer2KeepsItsPromises: whatever is said under whatever policy, layer 2
// withholds no change of a fact, keeps to its quotas, its capacity and its
// budget, tells of all that leaves working memory, and decides the same twice.
func TestLayer2KeepsItsPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld2()
		w.policy.Layer2 = anyLayer2(t)
		w.policy.WMMin = rapid.SampledFrom([]float64{0, 0.45}).Draw(t, "wm_min")
		strong, periodic := map[string]int{}, map[string]int{}
		for n := range rapid.IntRange(1, 14).Draw(t, "turns") {
			in := anySaid(t, w, n)
			before, err := w.view().Memory()
			if err != nil {
				t.Fatal(err)
			}
			alone, err := assimilate.Assimilate(w.view(), in.Input, w.policy)
			if err != nil {
				t.Fatal(err)
			}
			again, err := assimilate.Take(w.view(), in, w.policy)
			if err != nil {
				t.Fatal(err)
			}
			out, err := w.take(in.Turn, in.Candidates...)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(bytesOf(t, again), bytesOf(t, out)) {
				t.Fatalf("two outputs:\n%s\n%s", bytesOf(t, again), bytesOf(t, out))
			}
			if len(before.Held) == 0 { // else a second mention may be believed
				nothingWithheld(t, alone, out)
			}
			if err := w.broken(); err != nil {
				t.Fatal(err)
			}
			after, err := w.view().Memory()
			if err != nil {
				t.Fatal(err)
			}
			accounted(t, before, after, out)
			if got := len(after.Held) + len(after.Pending); got > w.policy.Layer2.Capacity {
				t.Fatalf("working memory holds %d of %d", got, w.policy.Layer2.Capacity)
			}
			wrote := false
			for _, d := range out.Triggers {
				if d.Reason.IsZero() {
					t.Fatalf("%s %s has no reason", d.Trigger, d.Action)
				}
				if d.Action != dsl.TriggerWrite || d.Trigger == dsl.Promote {
					continue
				}
				wrote = true
				switch d.Trigger {
				case dsl.Strong:
					strong[in.Turn.Session]++
				case dsl.Periodic, dsl.Reflect:
					periodic[in.Turn.Session]++
				case dsl.SessionEnd:
					periodic[before.Session]++
				}
			}
			if l := &w.policy.Layer2; wrote && after.Tokens > l.Budget*after.Sessions {
				t.Fatalf("an event is written, and %d tokens are, of %d × %d", after.Tokens, l.Budget, after.Sessions)
			}
		}
		for s, n := range strong {
			if n > w.policy.Layer2.StrongQuota {
				t.Fatalf("session %q has %d strong writes", s, n)
			}
		}
		for s, n := range periodic {
			if n > w.policy.Layer2.PeriodicQuota {
				t.Fatalf("session %q has %d periodic writes", s, n)
			}
		}
	})
}

// nothingWithheld holds that layer 1 is the same with layer 2 and without it.
func nothingWithheld(t *rapid.T, alone, with assimilate.Output) {
	n := len(alone.Operations)
	if len(with.Operations) < n {
		t.Fatalf("%d operations with layer 2, %d without", len(with.Operations), n)
	}
	a, err := dsl.Canonical(dsl.Tx{Decisions: alone.Decisions, Operations: alone.Operations})
	if err != nil {
		t.Fatal(err)
	}
	b, err := dsl.Canonical(dsl.Tx{Decisions: with.Decisions, Operations: with.Operations[:n]})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a, b) {
		t.Fatalf("layer 1 alone\n%s\nwith layer 2\n%s", a, b)
	}
	for _, o := range with.Operations[n:] {
		if o.Kind == dsl.UpsertEdge || o.Kind == dsl.RetroCorrectOp {
			t.Fatalf("layer 2 writes a fact: %v", o)
		}
	}
}

// accounted holds that what leaves working memory is named by a decision.
func accounted(t *rapid.T, before, after dsl.Memory, out assimilate.Output) {
	named := func(fact string) bool {
		return slices.ContainsFunc(out.Triggers, func(d dsl.TriggerDecision) bool {
			return (d.Action == dsl.TriggerWrite || d.Action == dsl.TriggerDrop) &&
				slices.ContainsFunc(d.Facts, func(r dsl.VersionRef) bool { return r.ID == fact })
		})
	}
	for _, p := range before.Pending {
		if !slices.ContainsFunc(after.Pending, func(q dsl.Pending) bool { return q.Fact == p.Fact }) && !named(p.Fact) {
			t.Fatalf("%s left working memory, and nothing says why", p.Fact)
		}
	}
	for _, h := range before.Held {
		if !slices.Contains(after.Held, h) && !slices.ContainsFunc(out.Triggers, func(d dsl.TriggerDecision) bool {
			return d.Held != nil && *d.Held == h.Ref() && (d.Action == dsl.TriggerWrite || d.Action == dsl.TriggerDrop)
		}) {
			t.Fatalf("the candidate %v left working memory, and nothing says why", h)
		}
	}
}
