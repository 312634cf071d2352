package assimilate_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/asof-db/asof/assimilate"
	"github.com/asof-db/asof/dsl"
)

// TestRules runs the files of testdata/rules. Their commands:
//
//	turn id=D1 ts=DATE [wm_min=F] [by=NAME] [replaces=ID] [fuzzy]
//	                                candidates, one a line: src | rel | dst | word…
//	ops at=DATE [strict]            operations, one a line: OP word…
//	facts [all]                     the versions of the view
//	nodes                           the nodes of the last transaction
//	events                          every version of the events of the view
//
// A word is key=value; _ stands for a space, ~ in an interval for its comma.
func TestRules(t *testing.T) {
	datadriven.Walk(t, "testdata/rules", func(t *testing.T, path string) {
		w := newWorld()
		var last assimilate.Output
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var b strings.Builder
			switch d.Cmd {
			case "turn":
				cs := make([]dsl.Candidate, 0, 4)
				for _, line := range lines(d.Input) {
					cs = append(cs, candidate(t, line))
				}
				w.policy.WMMin = number(arg(d, "wm_min", "0"))
				w.policy.Fuzzy, w.speaker, w.replaces = d.HasArg("fuzzy"), arg(d, "by", "Narrator"), arg(d, "replaces", "")
				out, err := w.say(arg(d, "id", ""), date(t, arg(d, "ts", "")), cs...)
				if err != nil {
					return "error: " + err.Error() + "\n"
				}
				last = out
				for _, x := range out.Decisions {
					fmt.Fprintf(&b, "%d %s %s %v\n  %s\n", x.Candidate, x.Action, x.Rule, x.Operations, plainTimes(x.Reason.String()))
				}
			case "ops":
				var ops []assimilate.OpRequest
				for _, line := range lines(d.Input) {
					ops = append(ops, request(t, line))
				}
				out, unknown, err := w.write(date(t, arg(d, "at", "")), d.HasArg("strict"), ops...)
				if e := (*assimilate.OpError)(nil); errors.As(err, &e) {
					return fmt.Sprintf("refused %d %q: %s\n", e.Index, e.Invariant, plainTimes(e.Error()))
				} else if err != nil {
					return "error: " + err.Error() + "\n"
				}
				last = out
				for _, p := range unknown {
					fmt.Fprintf(&b, "unknown predicate %s\n", p)
				}
			case "facts":
				return facts(w, d.HasArg("all"))
			case "nodes":
				for _, n := range last.Nodes {
					fmt.Fprintf(&b, "%s %s\n", n.Kind, n.Name)
				}
				return b.String()
			case "events":
				return events(w)
			default:
				t.Fatalf("%s: unknown command %q", d.Pos, d.Cmd)
			}
			for i, op := range last.Operations {
				fmt.Fprintf(&b, "%d %s\n", i, describe(w, op))
			}
			if err := w.broken(); err != nil {
				t.Errorf("%s: %v", d.Pos, err)
			}
			return b.String()
		})
	})
}

func lines(s string) []string {
	if strings.TrimSpace(s) == "" {
		return nil
	}
	return strings.Split(strings.TrimSpace(s), "\n")
}

func arg(d *datadriven.TestData, key, def string) string {
	for _, a := range d.CmdArgs {
		if a.Key == key && len(a.Vals) > 0 {
			return a.Vals[0]
		}
	}
	return def
}

func number(s string) float64 {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic(err)
	}
	return f
}

func date(t *testing.T, s string) dsl.Instant {
	t.Helper()
	for _, layout := range []string{time.DateOnly, time.RFC3339Nano} {
		if x, err := time.Parse(layout, s); err == nil {
			return dsl.FromTime(x)
		}
	}
	t.Fatalf("no date: %q", s)
	return 0
}

// interval reads 2020-01-01~2021-01-01, an open end left empty.
func interval(t *testing.T, s string) *dsl.Interval {
	t.Helper()
	from, to, _ := strings.Cut(s, "~")
	v := dsl.Always
	if from != "" {
		v.Start = date(t, from)
	}
	if to != "" {
		v.End = date(t, to)
	}
	return &v
}

func text(s string) string { return strings.ReplaceAll(s, "_", " ") }

func candidate(t *testing.T, line string) dsl.Candidate {
	parts := strings.Split(line, "|")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	rel := parts[1]
	c := dsl.Candidate{Src: dsl.Plain(parts[0]), Rel: rel, Dst: dsl.Plain(parts[2]), Polarity: dsl.Positive, Change: dsl.Assert,
		Confidence: 1, Source: "rule", DstKind: newWorld().policy.Registry.DstKind(rel)}
	if len(parts) < 4 {
		return c
	}
	for _, word := range strings.Fields(parts[3]) {
		switch key, value, _ := strings.Cut(word, "="); key {
		case "end", "correct":
			c.Change = dsl.Change(key)
		case "not":
			c.Polarity = dsl.Negative
		case "valid":
			c.Valid = interval(t, value)
		case "corrects":
			c.Corrects = dsl.Plain(text(value))
		case "relation":
			c.Relation = dsl.Plain(text(value))
		case "conf":
			c.Confidence = number(value)
		case "source":
			c.Source = value
		case "turn":
			c.Turn = value
		default:
			t.Fatalf("unknown word %q", word)
		}
	}
	return c
}

func request(t *testing.T, line string) assimilate.OpRequest {
	words := strings.Fields(line)
	r := assimilate.OpRequest{Op: dsl.OpKind(words[0])}
	for _, word := range words[1:] {
		key, v, _ := strings.Cut(word, "=")
		v = text(v)
		switch key {
		case "id":
			r.ID = v
		case "version":
			r.Version = uint32(number(v))
		case "src":
			r.Src = v
		case "rel":
			r.Rel = strings.ReplaceAll(v, " ", "_")
		case "dst":
			r.Dst = v
		case "relation":
			r.Relation = v
		case "valid":
			r.Valid = interval(t, v)
		case "portion":
			r.Portion = interval(t, v)
		case "source":
			r.Source = v
		case "evidence":
			r.Evidence = strings.Split(v, ",")
		case "confidence":
			f := number(v)
			r.Confidence = &f
		case "retract":
			r.Retract = true
		case "agent":
			r.Agent = v
		case "reason":
			r.Reason = v
		case "kind":
			r.Link = dsl.LinkKind(strings.ReplaceAll(v, " ", "_"))
		case "from":
			r.From = v
		case "to":
			r.To = v
		case "summary":
			r.Summary = v
		case "span":
			r.Span = interval(t, v)
		case "who":
			name, role, _ := strings.Cut(v, ":")
			r.Participants = append(r.Participants, assimilate.ParticipantRequest{Entity: name, Role: role})
		case "includes":
			r.Includes = strings.Split(v, ",")
		case "status":
			r.Status = v
		default:
			t.Fatalf("unknown word %q", word)
		}
	}
	return r
}

// plainTimes drops midnights.
func plainTimes(s string) string { return strings.ReplaceAll(s, "T00:00:00Z", "") }

// label gives a derived id as the place it derives from, and a node as its name.
func label(w *world, id string) string {
	if len(id) != 36 {
		return id
	}
	for seq := dsl.Seq(1); seq <= w.m.Head(); seq++ {
		for i := range 64 {
			if dsl.FactID(space, seq, i) == id {
				return fmt.Sprintf("#%d.%d", seq, i)
			}
			if dsl.EventID(space, seq, i) == id {
				return fmt.Sprintf("event#%d.%d", seq, i)
			}
		}
	}
	if node, err := w.view().Node(id); err == nil {
		return node.Name.String()
	}
	return id
}

func describe(w *world, op dsl.Op) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s", op.Kind)
	if op.Kind == dsl.Link {
		fmt.Fprintf(&b, " %s %s→%s", op.Link, label(w, op.From), label(w, op.To))
	} else {
		fmt.Fprintf(&b, " %s", label(w, op.ID))
	}
	if op.Version > 0 {
		fmt.Fprintf(&b, " v%d", op.Version)
	}
	if op.Next > 0 {
		fmt.Fprintf(&b, "→v%d", op.Next)
	}
	if op.Src != "" {
		fmt.Fprintf(&b, " %s %s", label(w, op.Src), op.Rel)
	}
	if op.Dst != "" {
		fmt.Fprintf(&b, " %s", label(w, op.Dst))
	}
	if !op.Relation.IsZero() {
		fmt.Fprintf(&b, " (%s)", op.Relation)
	}
	if op.Valid != nil {
		fmt.Fprintf(&b, " %s", brief(*op.Valid))
	}
	if op.Span != nil {
		fmt.Fprintf(&b, " %q %s", op.Summary, brief(*op.Span))
	}
	for _, p := range op.Participants {
		fmt.Fprintf(&b, " %s:%s", label(w, p.Entity), p.Role)
	}
	if op.Confidence != 0 {
		fmt.Fprintf(&b, " conf=%v", op.Confidence)
	}
	for _, e := range op.Evidence {
		fmt.Fprintf(&b, " %s", e)
	}
	if op.Retract {
		b.WriteString(" retract")
	}
	return b.String()
}

func facts(w *world, all bool) string {
	var b strings.Builder
	for _, f := range w.versions() {
		if !all && f.Status != dsl.StatusOpen {
			continue
		}
		fmt.Fprintf(&b, "%s v%d %s %s %s", label(w, f.ID), f.Version, f.SrcName, f.Rel, f.DstName)
		if !f.Relation.IsZero() {
			fmt.Fprintf(&b, " (%s)", f.Relation)
		}
		fmt.Fprintf(&b, " %s", brief(f.Valid))
		if all {
			fmt.Fprintf(&b, " record %s %s", brief(f.Record), f.Status)
		}
		fmt.Fprintf(&b, " conf=%v %s", f.Confidence, strings.Join(f.Evidence, " "))
		b.WriteString("\n")
	}
	if b.Len() == 0 {
		return "none\n"
	}
	return b.String()
}

func events(w *world) string {
	var b strings.Builder
	for e, err := range w.view().Events(true) {
		if err != nil {
			return err.Error()
		}
		visible := "visible from " + short(e.Visible)
		if e.Visible == dsl.Forever {
			visible = "not visible"
		}
		fmt.Fprintf(&b, "%s v%d %q %s\n", label(w, e.ID), e.Version, e.Summary, visible)
	}
	return b.String()
}
