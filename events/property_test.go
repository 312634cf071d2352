package events_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"pgregory.net/rapid"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/events"
	"github.com/asof-db/asof/store"
	"github.com/asof-db/asof/store/model"
)

// noon is when the random memories begin.
const noon = dsl.Instant(1_700_000_000) * dsl.Second

// grow draws a memory: turns that insert, replace, close, correct, retract,
// archive and support facts of a few people, some of them written about; aliases;
// transactions without a turn.
func grow(t *rapid.T, turns int) *world {
	w := newWorld()
	w.opt.Merge = rapid.IntRange(0, 3).Draw(t, "merge") > 0
	names := []string{"Anna", "Ben", "李娜"}
	values := map[string][]string{
		"lives_in": {"Rome", "Oslo", "北京"}, "likes": {"red wine", "red wine and tea", "red tea"}, "owns": {"cat", "dog"},
		"scheduled_for.datetime": {"2023-11-20T15:00", "2023-11-21", "soon"}, "related_to": {"Ben", "Cy"},
	}
	var live []string // labels of facts with an open version
	last := ""
	for i := range turns {
		ts := noon + dsl.Instant(i)*dsl.Day
		turn := dsl.Turn{ID: fmt.Sprintf("t%d", i), TS: ts, Session: fmt.Sprint("s", i/4), Speaker: dsl.Plain(rapid.SampledFrom(names).Draw(t, "speaker")),
			Text: dsl.Plain(rapid.SampledFrom([]string{"I say so.", "我说。"}).Draw(t, "text"))}
		if rapid.IntRange(0, 9).Draw(t, "ops") == 0 {
			turn = dsl.Turn{}
		} else if last != "" && rapid.IntRange(0, 9).Draw(t, "edit") == 0 {
			turn.Replaces = last
		}
		s := w.begin(turn, ts)
		now := max(ts, s.at)
		touched := map[string]bool{}
		for j := range rapid.IntRange(1, 3).Draw(t, "n") {
			var open []string
			for _, l := range live {
				if !touched[l] {
					open = append(open, l)
				}
			}
			kind := rapid.IntRange(0, 9).Draw(t, "kind")
			if len(open) == 0 || kind < 4 {
				rel := rapid.SampledFrom([]string{"lives_in", "likes", "owns", "scheduled_for.datetime", "related_to"}).Draw(t, "rel")
				label, relation := fmt.Sprintf("f%d.%d", i, j), ""
				if rel == "related_to" {
					relation = "friend"
				}
				f := s.insert(label, rapid.SampledFrom(names).Draw(t, "src"), rel, rapid.SampledFrom(values[rel]).Draw(t, "dst"), relation, dsl.Since(ts))
				s.change(dsl.Insert, nil, f)
				live = append(live, label)
				touched[label] = true
				continue
			}
			label := rapid.SampledFrom(open).Draw(t, "label")
			touched[label] = true
			f := s.fact(label)
			switch kind {
			case 4:
				old, _ := s.succeed(label, func(f *dsl.FactVersion) { f.Valid.End = max(f.Valid.Start, min(f.Valid.End, now)) })
				next := fmt.Sprintf("f%d.%d", i, j)
				s.change(dsl.Replace, old, s.insert(next, old.SrcName.String(), old.Rel, rapid.SampledFrom(values[old.Rel]).Draw(t, "dst"), old.Relation.String(), dsl.Since(now)))
				live, touched[next] = append(live, next), true
			case 5:
				before, after := s.succeed(label, func(f *dsl.FactVersion) { f.Valid.End = max(f.Valid.Start, min(f.Valid.End, now)) })
				s.change(dsl.Close, before, after)
			case 6:
				before, after := s.succeed(label, func(g *dsl.FactVersion) {
					name := rapid.SampledFrom(values[f.Rel]).Draw(t, "dst")
					g.Dst, g.DstName = s.node(g.DstKind, name), dsl.Plain(name)
				})
				s.change(dsl.RetroCorrect, before, after)
			case 7:
				s.retract(label)
				live = slices.DeleteFunc(live, func(l string) bool { return l == label })
			case 8:
				s.archive(label)
				live = slices.DeleteFunc(live, func(l string) bool { return l == label })
			case 9:
				if turn.ID != "" {
					s.support(label)
				}
			}
		}
		if rapid.IntRange(0, 19).Draw(t, "alias") == 0 {
			a, b := s.node(dsl.Entity, "Ben"), s.node(dsl.Entity, "Cy")
			s.ops = append(s.ops, dsl.Op{Kind: dsl.Link, Link: dsl.AliasOf, ID: dsl.LinkID(space, dsl.AliasOf, a, b), From: a, To: b})
		}
		var writes []events.Write
		if turn.ID != "" && rapid.Bool().Draw(t, "strong") {
			writes = append(writes, events.Write{Trigger: events.Strong, Changes: s.changes})
		}
		if len(live) > 0 && rapid.IntRange(0, 4).Draw(t, "summary") == 0 {
			sum := events.Write{Trigger: "session_end"}
			for _, l := range live[max(0, len(live)-4):] {
				sum.Facts = append(sum.Facts, s.fact(l))
			}
			for k := range w.view().Turns(0) {
				sum.Turns = append(sum.Turns, k.Turn)
			}
			writes = append(writes, sum)
		}
		if _, err := s.end(writes...); err != nil {
			t.Fatal(err)
		}
		if turn.ID != "" {
			last = turn.ID
		}
	}
	return w
}

// show gives all events of a view.
func (w *world) show(v store.View, all bool) string {
	var b strings.Builder
	for e, err := range v.Events(all) {
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(&b, "%s %s %s\n", w.eventLine(v, &e), e.Record, e.Visible)
	}
	return b.String()
}

// TestProperties holds what every memory must hold: closure is complete and
// t_visible monotone at every position (audit), and a view is that of the log up
// to it: the events, and the episodes that follow from them.
func TestProperties(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		w := grow(r, rapid.IntRange(1, 14).Draw(r, "turns"))
		w.audit(t)
		opt := events.EpisodeOptions{TopicShift: rapid.Bool().Draw(r, "shift"), CosTh: 0.3, Window: 3 * dsl.Day}
		cut := model.New(space)
		for i, tx := range w.txs {
			if err := cut.Apply(tx, w.entries[i]); err != nil {
				r.Fatal(err)
			}
			long, short := w.m.At(tx.Seq), cut.At(tx.Seq)
			if a, b := w.show(long, true), w.show(short, true); a != b {
				r.Fatalf("%s of the whole log\n%s\nof the log up to it\n%s", tx.Seq, a, b)
			}
			a, err := events.Episodes(long, opt)
			b, err2 := events.Episodes(short, opt)
			if err = errors.Join(err, err2); err != nil || fmt.Sprint(a) != fmt.Sprint(b) {
				r.Fatalf("%s: episodes %v and %v, %v", tx.Seq, a, b, err)
			}
			w.contained(r, long, a)
		}
	})
}

// contained checks that every standing event is in exactly one episode, which is
// visible from its first one on.
func (w *world) contained(t *rapid.T, v store.View, list []events.Episode) {
	in := map[string]*events.Episode{}
	for i := range list {
		for _, id := range list[i].Events {
			if in[id] != nil {
				t.Fatalf("event %s is in two episodes", id)
			}
			in[id] = &list[i]
		}
	}
	seen := map[*events.Episode]dsl.Instant{}
	n := 0
	for e, err := range v.Events(false) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Status == events.Merged || e.Status == events.Retired {
			continue
		}
		n++
		x := in[e.ID]
		if x == nil {
			t.Fatalf("event %s is in no episode", e.ID)
		}
		list, err := v.Event(e.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			if first, ok := seen[x]; !ok || e.Visible < first {
				seen[x] = e.Visible
			}
		}
	}
	if n != len(in) {
		t.Fatalf("episodes hold %d events, %d stand", len(in), n)
	}
	for x, first := range seen {
		if x.Visible != first {
			t.Fatalf("episode %s is visible from %s, its first event from %s", x.ID, x.Visible, first)
		}
	}
}

// TestBuildAgain makes every transaction's events again: from the model, from a
// Pebble store, and with the recorded summaries. All agree to the byte.
func TestBuildAgain(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		w := grow(r, rapid.IntRange(1, 10).Draw(r, "turns"))
		s, err := store.Open(store.Options{Dir: "db", FS: vfs.NewMem(), CacheBytes: 1 << 20, MemtableBytes: 1 << 20})
		if err != nil {
			r.Fatal(err)
		}
		defer s.Close()
		for i, tx := range w.txs {
			view, err := s.At(space, tx.Seq-1)
			if err != nil {
				r.Fatal(err)
			}
			first := slices.IndexFunc(tx.Operations, func(o dsl.Op) bool { return o.Kind == dsl.UpsertEvent })
			if first < 0 {
				first = len(tx.Operations)
			}
			want, err := dsl.Canonical(tx.Operations[first:])
			if err != nil {
				r.Fatal(err)
			}
			again := w.inputs[i]
			for _, v := range []store.View{w.m.At(tx.Seq - 1), view} {
				for _, sum := range []events.Summarizer{nil, events.Recorded(tx.Operations)} {
					opt := w.opt
					opt.Summarizer = sum
					out, err := events.Build(v, again, opt)
					if err != nil {
						r.Fatal(err)
					}
					got, err := dsl.Canonical(append([]dsl.Op{}, out.Operations...))
					if err != nil || string(got) != string(want) && len(out.Operations)+len(tx.Operations[first:]) > 0 {
						r.Fatalf("%s by %T: %v\nrecorded %s\nagain    %s", tx.Seq, v, err, want, got)
					}
					if len(out.Fallbacks) > 0 {
						r.Fatal(out.Fallbacks)
					}
				}
			}
			if err := errors.Join(view.Close(), put(s, tx, w.entries[i])); err != nil {
				r.Fatal(err)
			}
		}
	})
}

func put(s *store.Store, tx *dsl.Tx, entry dsl.Hash) error {
	st, err := s.Stage()
	if err != nil {
		return err
	}
	return errors.Join(st.Apply(tx, entry), st.Commit(), st.Discard())
}

// TestIdempotent builds for a transaction that changes nothing more: no event
// gets a version.
func TestIdempotent(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		w := grow(r, rapid.IntRange(1, 10).Draw(r, "turns"))
		b := w.view().Basis()
		out, err := events.Build(w.view(), events.Input{Space: space, Seq: b.Seq + 1, Time: b.Time + dsl.Day}, w.opt)
		if err != nil || len(out.Operations)+len(out.Nodes) > 0 {
			r.Fatalf("%v, %v", out, err)
		}
	})
}

// TestMergesKeepThePast merges events and reads the views before: each event says
// what it said, and every one that was taken in leads to one that goes on with
// its facts.
func TestMergesKeepThePast(t *testing.T) {
	merged := 0
	rapid.Check(t, func(r *rapid.T) {
		w := grow(r, 14)
		labels := map[string]dsl.Seq{}
		before := map[dsl.Seq]string{}
		for _, tx := range w.txs {
			before[tx.Seq] = w.show(w.m.At(tx.Seq), false)
			into := map[string]string{}
			for i := range tx.Operations {
				if o := &tx.Operations[i]; o.Kind == dsl.Link && o.Link == dsl.EventLink {
					into[o.From] = o.To
				}
			}
			for i := range tx.Operations {
				o := &tx.Operations[i]
				if o.Kind != dsl.UpsertEvent || o.Status != events.Merged {
					continue
				}
				merged++
				if prior, again := labels[o.ID]; again {
					r.Fatalf("%s: event %s was merged at %s already", tx.Seq, o.ID, prior)
				}
				labels[o.ID] = tx.Seq
				list, err := w.m.At(tx.Seq).Event(into[o.ID])
				if err != nil {
					r.Fatalf("%s: event %s is merged into %q: %v", tx.Seq, o.ID, into[o.ID], err)
				}
				on := list[len(list)-1]
				for _, f := range o.Includes {
					if !slices.Contains(on.Includes, f) {
						r.Fatalf("%s: event %s goes on without fact %s of %s", tx.Seq, on.ID, f, o.ID)
					}
				}
				old, err := w.m.At(tx.Seq - 1).Event(o.ID)
				if err != nil || old[len(old)-1].Status == events.Merged || old[len(old)-1].Summary.String() == "" {
					r.Fatalf("%s: before the merge, event %s is %v, %v", tx.Seq, o.ID, old, err)
				}
			}
		}
		for seq, want := range before {
			if got := w.show(w.m.At(seq), false); got != want {
				r.Fatalf("%s was\n%s\nand is\n%s", seq, want, got)
			}
		}
	})
	if merged == 0 {
		t.Skip("no random memory merged two events; testdata/cases/merge does")
	}
}
