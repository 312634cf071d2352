package assimilate_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/asof-db/asof/assimilate"
	"github.com/asof-db/asof/dsl"
	layer2 "github.com/asof-db/asof/events"
)

// planLayer2 is layer 2 as the plan has it.
func planLayer2() assimilate.Layer2 {
	return assimilate.Layer2{Window: 12, Capacity: 8, Budget: 120, StrongQuota: 3, PeriodicQuota: 1, Keep: 0.72, Archive: 0.35, Salience: true,
		Weights: assimilate.DefaultWeights(), Periodic: true, TopicCosine: 0.1, Reflect: 3, Cooldown: 5, Events: layer2.Options{Merge: true}}
}

// newWorld2 gives a world with layer 2.
func newWorld2() *world {
	w := newWorld()
	w.policy.Layer2 = planLayer2()
	return w
}

// saidBy gives what a turn says, for the next position.
func (w *world) saidBy(t dsl.Turn, cs []dsl.Candidate) assimilate.Said {
	return assimilate.Said{Input: w.input(t.ID, t.TS, cs), Kind: dsl.TxTurn, Turn: t}
}

// take takes in a turn and records it.
func (w *world) take(t dsl.Turn, cs ...dsl.Candidate) (assimilate.Output, error) {
	in := w.saidBy(t, cs)
	out, err := assimilate.Take(w.view(), in, w.policy)
	if err != nil {
		return out, err
	}
	return out, w.commit(&dsl.Tx{Kind: dsl.TxTurn, Candidates: cs, Decisions: out.Decisions, Turn: &t}, in.Time, out)
}

// fill fills a gap with candidates and records it.
func (w *world) fill(query string, cs ...dsl.Candidate) (assimilate.Output, error) {
	gap := &dsl.Gap{From: 1, To: 2, ID: dsl.GapID(space, dsl.GapEmpty, query), Kind: dsl.GapEmpty, Query: dsl.Plain(query)}
	in := assimilate.Said{Input: w.input("", 0, cs), Kind: dsl.TxBackfill, Gap: gap}
	in.Time = w.last + 1
	out, err := assimilate.Take(w.view(), in, w.policy)
	if err != nil {
		return out, err
	}
	return out, w.commit(&dsl.Tx{Kind: dsl.TxBackfill, Candidates: cs, Decisions: out.Decisions, Gap: gap}, in.Time, out)
}

// TestTriggers runs the files of testdata/triggers. Their commands:
//
//	turn id=D1 ts=DATE [session=S] [speaker=NAME] [text=…]   candidates, as in TestRules
//	backfill query=…                                         candidates, with turn=ID
//	set key=value…                                           changes the policy
//	memory                                                   the working memory
//	facts [all], events                                      as in TestRules
//
// A turn answers with what layer 1 did, what layer 2 decided and why, and the
// operations of layer 2.
func TestTriggers(t *testing.T) {
	datadriven.Walk(t, "testdata/triggers", func(t *testing.T, path string) {
		w := newWorld2()
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var out assimilate.Output
			var err error
			switch d.Cmd {
			case "set":
				for _, a := range d.CmdArgs {
					set(t, w, a.Key, a.Vals[0])
				}
				return ""
			case "facts":
				return facts(w, d.HasArg("all"))
			case "events":
				return events2(w)
			case "memory":
				return memory(t, w)
			case "turn":
				out, err = w.take(dsl.Turn{ID: arg(d, "id", ""), Session: arg(d, "session", ""), Speaker: dsl.Plain(text(arg(d, "speaker", "Anna"))),
					Text: dsl.Plain(text(arg(d, "text", "so it is"))), TS: date(t, arg(d, "ts", "")), Replaces: arg(d, "replaces", "")}, candidates(t, d.Input)...)
			case "backfill":
				out, err = w.fill(text(arg(d, "query", "")), candidates(t, d.Input)...)
			default:
				t.Fatalf("%s: unknown command %q", d.Pos, d.Cmd)
			}
			if err != nil {
				return "error: " + err.Error() + "\n"
			}
			if err := w.broken(); err != nil {
				t.Errorf("%s: %v", d.Pos, err)
			}
			return told(w, out)
		})
	})
}

func candidates(t *testing.T, input string) []dsl.Candidate {
	cs := []dsl.Candidate{}
	for _, line := range lines(input) {
		cs = append(cs, candidate(t, line))
	}
	return cs
}

func set(t *testing.T, w *world, key, value string) {
	l := &w.policy.Layer2
	whole := func() int { return int(number(value)) }
	switch key {
	case "wm_min":
		w.policy.WMMin = number(value)
	case "window":
		l.Window = whole()
	case "capacity":
		l.Capacity = whole()
	case "budget":
		l.Budget = whole()
	case "strong":
		l.StrongQuota = whole()
	case "quota":
		l.PeriodicQuota = whole()
	case "keep":
		l.Keep = number(value)
	case "archive":
		l.Archive = number(value)
	case "cooldown":
		l.Cooldown = whole()
	case "reflect":
		l.Reflect = whole()
	case "topic":
		l.TopicCosine = number(value)
	case "periodic", "salience":
		on, err := strconv.ParseBool(value)
		if err != nil {
			t.Fatal(err)
		}
		if key == "periodic" {
			l.Periodic = on
		} else {
			l.Salience = on
		}
	default:
		t.Fatalf("unknown key %q", key)
	}
}

// told writes what a transaction did.
func told(w *world, out assimilate.Output) string {
	var b strings.Builder
	for _, d := range out.Decisions {
		fmt.Fprintf(&b, "%d %s %s %v\n", d.Candidate, d.Action, d.Rule, d.Operations)
	}
	for _, d := range out.Triggers {
		fmt.Fprintf(&b, "%s %s", d.Trigger, d.Action)
		if d.Salience > 0 {
			fmt.Fprintf(&b, " s=%.3f", d.Salience)
		}
		for _, f := range d.Features {
			fmt.Fprintf(&b, " %s=%.2g", f.Name, f.Value)
		}
		for _, r := range d.Facts {
			fmt.Fprintf(&b, " %s/%d", label(w, r.ID), r.Version)
		}
		if d.Held != nil {
			fmt.Fprintf(&b, " held %s.%d", d.Held.Position, d.Held.Candidate)
		}
		if d.Tokens > 0 {
			fmt.Fprintf(&b, " %d tokens", d.Tokens)
		}
		fmt.Fprintf(&b, " %v\n  %s\n", d.Operations, plainTimes(d.Reason.String()))
	}
	for i, op := range out.Operations {
		fmt.Fprintf(&b, "%d %s\n", i, describe(w, op))
	}
	return b.String()
}

func memory(t *testing.T, w *world) string {
	m, err := w.view().Memory()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "session %q since %d, %d begun, %d strong, %d periodic, written %d, %d tokens\n", m.Session, m.Since, m.Sessions, m.Strong, m.Periodic, m.Written, m.Tokens)
	for _, p := range m.Pending {
		fmt.Fprintf(&b, "pending %s/%d s=%.3f turn %d\n", label(w, p.Fact), p.Version, p.Salience, p.Turn)
	}
	for _, h := range m.Held {
		fmt.Fprintf(&b, "held %s.%d turn %d\n", h.Position, h.Candidate, h.Turn)
	}
	return b.String()
}

func events2(w *world) string {
	var b strings.Builder
	for e, err := range w.view().Events(false) {
		if err != nil {
			return err.Error()
		}
		fmt.Fprintf(&b, "%s v%d %s %q %s\n", label(w, e.ID), e.Version, e.Status, e.Summary, strings.Join(e.Evidence, " "))
	}
	return b.String()
}
