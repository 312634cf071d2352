package assimilate_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/asof-db/asof/assimilate"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/extract"
	"github.com/asof-db/asof/store"
	"github.com/asof-db/asof/store/storetest"
)

// TestConsistency runs the consistency suite of the plan [8]: each file of
// testdata/consistency is a case, told from first to last and asked about at
// several record and valid times. Its commands:
//
//	turn id=D1 ts=DATE by=NAME [session=S] [replaces=ID]
//	                what is said: text, of which the built-in extraction makes
//	                candidates, or candidates as in testdata/rules
//	ops at=DATE     operations, as in testdata/rules
//	ask [at=DATE|at=#N] [valid=DATE] [about=NAME] [all]
//	                what the memory believed at the record time (default: now),
//	                of the valid time (default: any); all adds what it no longer did
//	events [at=DATE|at=#N]
//	                the events of the view, with t_visible
//
// Answers come from the store. At the end of a case the store is checked (I1 to
// I10), and its view at every position is that of the slow model, which has never
// seen what came later.
func TestConsistency(t *testing.T) {
	pipeline, err := extract.New(extract.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	cases := 0
	datadriven.Walk(t, "testdata/consistency", func(t *testing.T, path string) {
		cases++
		w := newTwin(t)
		var said []dsl.Turn
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "turn":
				w.speaker, w.session, w.replaces, w.text = arg(d, "by", "Anna"), arg(d, "session", "s1"), arg(d, "replaces", ""), ""
				id, ts := arg(d, "id", ""), date(t, arg(d, "ts", ""))
				var cs []dsl.Candidate
				if strings.Contains(d.Input, "|") {
					for _, line := range lines(d.Input) {
						cs = append(cs, candidate(t, line))
					}
				} else {
					w.text = strings.TrimSpace(d.Input)
					turn := dsl.Turn{ID: id, Session: w.session, Speaker: dsl.Plain(w.speaker), Replaces: w.replaces, TS: ts, Text: dsl.Plain(w.text)}
					cs = pipeline.Extract(extract.Context{Turn: turn, Previous: said}).Candidates
					said = append(said, turn)
				}
				out, err := w.say(id, ts, cs...)
				if err != nil {
					return "error: " + err.Error() + "\n"
				}
				return decided(w.world, &out)
			case "ops":
				var ops []assimilate.OpRequest
				for _, line := range lines(d.Input) {
					ops = append(ops, request(t, line))
				}
				_, _, err := w.write(date(t, arg(d, "at", "")), false, ops...)
				if e := (*assimilate.OpError)(nil); errors.As(err, &e) {
					return fmt.Sprintf("refused (%s)\n", e.Invariant)
				} else if err != nil {
					return "error: " + err.Error() + "\n"
				}
				return fmt.Sprintf("#%d\n", w.m.Head())
			case "ask", "events":
				v := w.viewAt(t, arg(d, "at", ""))
				defer v.Close()
				if d.Cmd == "events" {
					return seen(t, v)
				}
				return asked(t, d, v)
			}
			t.Fatalf("%s: unknown command %q", d.Pos, d.Cmd)
			return ""
		})
		if err := w.broken(); err != nil {
			t.Error(err)
		}
		rep, err := w.s.Check(context.Background(), space, store.CheckOptions{Functional: w.policy.Registry.Functional})
		if err != nil || !rep.OK() {
			t.Errorf("check: %v, %v", rep.Faults, err)
		}
		for n := dsl.Seq(1); n <= w.m.Head(); n++ {
			v, err := w.s.At(space, n)
			if err != nil {
				t.Fatal(err)
			}
			storetest.Compare(t, w.m.At(n), v)
			if err := v.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	if cases < 14 {
		t.Errorf("only %d cases were found", cases)
	}
}

// viewAt gives the store's view at a record time or position; of the head if none
// is given.
func (w *twin) viewAt(t *testing.T, at string) (v store.View) {
	t.Helper()
	var err error
	var n dsl.Seq
	switch {
	case at == "":
		v, err = w.s.At(space, w.m.Head())
	case strings.HasPrefix(at, "#"):
		if _, err := fmt.Sscanf(at, "#%d", &n); err != nil {
			t.Fatal(err)
		}
		v, err = w.s.At(space, n)
	default:
		v, err = w.s.AtTime(space, date(t, at))
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// decided writes what was decided of each candidate.
func decided(w *world, out *assimilate.Output) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#%d\n", w.m.Head())
	for _, x := range out.Decisions {
		fmt.Fprintf(&b, "%s %s: %s\n", x.Action, x.Rule, plainTimes(x.Reason.String()))
	}
	for _, op := range out.Operations {
		if strings.HasPrefix(op.Reason.String(), "turn ") && op.Kind == dsl.RetroCorrectOp {
			fmt.Fprintf(&b, "edit: %s\n", plainTimes(op.Reason.String()))
		}
	}
	return b.String()
}

// asked writes what a view believes.
func asked(t *testing.T, d *datadriven.TestData, v store.View) string {
	t.Helper()
	q := store.FactQuery{All: d.HasArg("all")}
	if at := arg(d, "valid", ""); at != "" {
		x := date(t, at)
		q.Valid = &x
	}
	if name := arg(d, "about", ""); name != "" {
		group, err := v.Aliases(dsl.NodeID(space, dsl.Entity, text(name)))
		if err != nil {
			t.Fatal(err)
		}
		q.Src = group
	}
	var b strings.Builder
	for f, err := range v.Facts(q) {
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %s %s %s", f.SrcName, f.Rel, f.DstName, brief(f.Valid))
		if q.All {
			fmt.Fprintf(&b, " believed %s", brief(f.Record))
		}
		fmt.Fprintf(&b, " conf %.4g by %s\n", f.Confidence, strings.Join(f.Evidence, " "))
	}
	if b.Len() == 0 {
		return "nothing\n"
	}
	return b.String()
}

// seen writes the events that a view shows.
func seen(t *testing.T, v store.View) string {
	t.Helper()
	var b strings.Builder
	for e, err := range v.Events(false) {
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s v%d %q t_visible %s\n", e.ID, e.Version, e.Summary, short(e.Visible))
	}
	if b.Len() == 0 {
		return "nothing\n"
	}
	return b.String()
}
