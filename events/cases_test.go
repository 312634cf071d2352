package events_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/events"
	"github.com/asof-db/asof/extract"
)

// TestCases runs the files of testdata/cases, each a memory of its own.
//
//	predicate name= phrase= [range=]   adds a predicate
//	merge off, words N                 options
//	turn id=T ts=DATE [speaker=] [listener=] [session=] [zone=] [replaces=] [write=TRIGGER] [facts=(F,…)] [turns=(T,…)]
//	ops at=DATE [write=TRIGGER]
//	    insert F SRC REL DST [relation=R] [valid=FROM~TO]
//	    replace F G DST [from=DATE]
//	    close F [at=DATE]
//	    correct F [dst=DST] [valid=FROM~TO]
//	    retract F, archive F, support F, alias A B
//	    text …
//	events [at=#N] [all]
//	episodes [at=#N] [window=DURATION] [cos=X]   with cos=, a topic shift begins one
//
// turn and ops print the event versions that they write. In names a "+" is a
// space. Without write=, nothing is written about the changes.
func TestCases(t *testing.T) {
	datadriven.Walk(t, filepath.Join("testdata", "cases"), func(t *testing.T, path string) {
		if info, err := os.Stat(path); err != nil || info.IsDir() {
			t.Fatalf("%s is no case", path)
		}
		w := newWorld()
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string { return w.run(t, d) })
		w.audit(t)
	})
}

func arg(d *datadriven.TestData, key, def string) string {
	for _, a := range d.CmdArgs {
		if a.Key == key && len(a.Vals) > 0 {
			return a.Vals[0]
		}
	}
	return def
}

func vals(d *datadriven.TestData, key string) []string {
	for _, a := range d.CmdArgs {
		if a.Key == key {
			return a.Vals
		}
	}
	return nil
}

func date(t *testing.T, s string) dsl.Instant {
	t.Helper()
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04", "2006-01-02"} {
		if at, err := time.Parse(layout, s); err == nil {
			return dsl.FromTime(at)
		}
	}
	t.Fatalf("%q is no date", s)
	return 0
}

func interval(t *testing.T, s string) dsl.Interval {
	t.Helper()
	from, to, ok := strings.Cut(s, "~")
	if !ok {
		t.Fatalf("%q is no interval", s)
	}
	v := dsl.Always
	if from != "" {
		v.Start = date(t, from)
	}
	if to != "" {
		v.End = date(t, to)
	}
	return v
}

// words splits a line of a transaction into words and key=value pairs.
func words(line string) (list []string, keys map[string]string) {
	keys = map[string]string{}
	for _, f := range strings.Fields(line) {
		if k, v, ok := strings.Cut(f, "="); ok {
			keys[k] = v
		} else {
			list = append(list, strings.ReplaceAll(f, "+", " "))
		}
	}
	return list, keys
}

func (w *world) run(t *testing.T, d *datadriven.TestData) string {
	t.Helper()
	switch d.Cmd {
	case "predicate":
		more := extract.Predicate{Name: arg(d, "name", ""), Phrase: strings.ReplaceAll(arg(d, "phrase", ""), "+", " "),
			Domain: dsl.Entity, Range: dsl.NodeKind(arg(d, "range", "entity"))}
		r, err := w.opt.Registry.With(more)
		if err != nil {
			t.Fatal(err)
		}
		w.opt.Registry = r
		return ""
	case "merge":
		w.opt.Merge = d.CmdArgs[0].Key == "on"
		return ""
	case "words":
		n, err := strconv.Atoi(d.CmdArgs[0].Key)
		if err != nil {
			t.Fatal(err)
		}
		w.opt.Words = n
		return ""
	case "turn":
		ts := date(t, arg(d, "ts", ""))
		turn := dsl.Turn{ID: arg(d, "id", ""), TS: ts, Speaker: dsl.Plain(arg(d, "speaker", "Caroline")), Listener: dsl.Plain(arg(d, "listener", "")),
			Session: arg(d, "session", ""), Zone: arg(d, "zone", ""), Replaces: arg(d, "replaces", "")}
		return w.transaction(t, d, w.begin(turn, ts))
	case "ops":
		return w.transaction(t, d, w.begin(dsl.Turn{}, date(t, arg(d, "at", ""))))
	case "episodes":
		return w.episodes(t, d)
	case "events":
		v := w.m.At(w.position(t, d))
		var b strings.Builder
		for e, err := range v.Events(d.HasArg("all")) {
			if err != nil {
				t.Fatal(err)
			}
			b.WriteString(w.eventLine(v, &e))
		}
		return b.String()
	}
	t.Fatalf("%s: unknown command %q", d.Pos, d.Cmd)
	return ""
}

// position reads at=.
func (w *world) position(t *testing.T, d *datadriven.TestData) dsl.Seq {
	t.Helper()
	s := arg(d, "at", "")
	if s == "" {
		return w.m.Head()
	}
	n, err := strconv.Atoi(strings.TrimPrefix(s, "#"))
	if err != nil {
		t.Fatal(err)
	}
	return dsl.Seq(n)
}

// episodes shows the episodes of a view.
func (w *world) episodes(t *testing.T, d *datadriven.TestData) string {
	t.Helper()
	opt := events.EpisodeOptions{}
	if s := arg(d, "window", ""); s != "" {
		length, err := time.ParseDuration(s)
		if err != nil {
			t.Fatal(err)
		}
		opt.Window = dsl.Instant(length.Microseconds())
	}
	if s := arg(d, "cos", ""); s != "" {
		cos, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		opt.TopicShift, opt.CosTh = true, cos
	}
	v, labels := w.m.At(w.position(t, d)), w.eventLabels()
	list, err := events.Episodes(v, opt)
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	var b strings.Builder
	for _, x := range list {
		var of, who []string
		for _, id := range x.Events {
			of = append(of, labels[id])
		}
		for _, id := range x.Participants {
			n, err := v.Node(id)
			if err != nil {
				t.Fatal(err)
			}
			who = append(who, n.Name.String())
		}
		fmt.Fprintf(&b, "%s %s who: %s  sessions: %s  visible from %s\n", strings.Join(of, " "), brief(x.Span), strings.Join(who, ", "), strings.Join(x.Sessions, " "), short(x.Visible))
	}
	return b.String()
}

// transaction reads the lines of a transaction and makes it.
func (w *world) transaction(t *testing.T, d *datadriven.TestData, s *step) string {
	t.Helper()
	for line := range strings.SplitSeq(d.Input, "\n") {
		if strings.TrimSpace(line) != "" {
			s.line(t, line)
		}
	}
	var writes []events.Write
	for _, trigger := range vals(d, "write") {
		wr := events.Write{Trigger: trigger, Changes: s.changes}
		for _, f := range vals(d, "facts") {
			wr.Facts = append(wr.Facts, s.fact(f))
		}
		for _, id := range vals(d, "turns") {
			if id == s.turn.ID {
				wr.Turns = append(wr.Turns, s.turn)
				continue
			}
			turn, err := w.view().Turn(id)
			if err != nil {
				t.Fatal(err)
			}
			wr.Turns = append(wr.Turns, turn.Turn)
		}
		writes = append(writes, wr)
	}
	out, err := s.end(writes...)
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	var b strings.Builder
	v, labels := w.view(), w.eventLabels()
	for i := range out.Operations {
		op := &out.Operations[i]
		if op.Kind == dsl.Link {
			fmt.Fprintf(&b, "%s into %s\n", labels[op.From], labels[op.To])
			continue
		}
		list, err := v.Event(op.ID)
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(w.eventLine(v, &list[op.Version-1]))
	}
	for i, at := range out.Writes {
		if at < 0 {
			fmt.Fprintf(&b, "%s: nothing to tell\n", writes[i].Trigger)
		}
	}
	return b.String()
}

// line makes the operations of one line.
func (s *step) line(t *testing.T, line string) {
	t.Helper()
	list, keys := words(line)
	value := func(key string) string { return strings.ReplaceAll(keys[key], "+", " ") }
	now := s.turn.TS
	if s.turn.ID == "" {
		now = s.at
	}
	valid := dsl.Since(now)
	if keys["valid"] != "" {
		valid = interval(t, keys["valid"])
	}
	from := now
	for _, k := range []string{"from", "at"} {
		if keys[k] != "" {
			from = date(t, keys[k])
		}
	}
	dst := func(f *dsl.FactVersion, name string) {
		f.Dst, f.DstName = s.node(f.DstKind, name), dsl.Plain(name)
	}
	switch list[0] {
	case "text":
		s.turn.Text = dsl.Plain(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "text")))
	case "insert":
		s.change(dsl.Insert, nil, s.insert(list[1], list[2], list[3], list[4], value("relation"), valid))
	case "replace":
		old, _ := s.succeed(list[1], func(f *dsl.FactVersion) { f.Valid.End = from })
		s.change(dsl.Replace, old, s.insert(list[2], old.SrcName.String(), old.Rel, list[3], old.Relation.String(), dsl.Since(from)))
	case "close":
		before, after := s.succeed(list[1], func(f *dsl.FactVersion) { f.Valid.End = from })
		s.change(dsl.Close, before, after)
	case "correct":
		before, after := s.succeed(list[1], func(f *dsl.FactVersion) {
			if keys["dst"] != "" {
				dst(f, value("dst"))
			}
			if keys["valid"] != "" {
				f.Valid = valid
			}
		})
		s.change(dsl.RetroCorrect, before, after)
	case "retract":
		s.retract(list[1])
	case "archive":
		s.archive(list[1])
	case "support":
		s.support(list[1])
	case "alias":
		a, b := s.node(dsl.Entity, list[1]), s.node(dsl.Entity, list[2])
		s.ops = append(s.ops, dsl.Op{Kind: dsl.Link, Link: dsl.AliasOf, ID: dsl.LinkID(space, dsl.AliasOf, a, b), From: a, To: b})
	default:
		t.Fatalf("%q is no operation", line)
	}
}
