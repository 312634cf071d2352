package events_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/events"
	"github.com/asof-db/asof/extract"
	"github.com/asof-db/asof/store"
)

// scribe is a Summarizer that says what it is told to.
type scribe struct {
	text  string
	err   error
	asked []events.Draft
}

func (s *scribe) Summarize(d events.Draft) (string, error) {
	s.asked = append(s.asked, d)
	return s.text, s.err
}

// moved makes a memory in which somebody moved, with one write.
func moved(t *testing.T, s *scribe) (*world, events.Output) {
	t.Helper()
	w := newWorld()
	w.opt.Summarizer = s
	st := w.begin(dsl.Turn{ID: "t1", TS: noon, Speaker: dsl.Plain("Anna"), Text: dsl.Plain("I moved to Rome.")}, noon)
	st.change(dsl.Insert, nil, st.insert("f1", "Anna", "lives_in", "Rome", "", dsl.Since(noon)))
	out, err := st.end(events.Write{Trigger: events.Strong, Changes: st.changes})
	if err != nil {
		t.Fatal(err)
	}
	return w, out
}

const template = "Anna lives in Rome"

func TestSummarizer(t *testing.T) {
	for _, c := range []struct {
		name   string
		scribe scribe
		want   string
		failed string
	}{
		{"its text is recorded", scribe{text: "Anna has settled in Rome."}, "Anna has settled in Rome.", ""},
		{"it fails", scribe{err: errors.New("no connection")}, template, "no connection"},
		{"it says nothing", scribe{text: " \n"}, template, "empty"},
		{"it goes on and on", scribe{text: strings.Repeat("word ", 31)}, template, "31 words"},
		{"it says what no text may hold", scribe{text: "a\x00b"}, template, "NUL"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, out := moved(t, &c.scribe)
			if len(c.scribe.asked) != 1 || c.scribe.asked[0].Template != template || len(c.scribe.asked[0].Facts) != 1 || c.scribe.asked[0].Turn.ID != "t1" {
				t.Fatalf("it was asked %v", c.scribe.asked)
			}
			op := out.Operations[0]
			if got := op.Summary.String(); got != c.want {
				t.Errorf("summary %q, want %q", got, c.want)
			}
			if (len(out.Fallbacks) > 0) != (c.failed != "") || c.failed != "" && !strings.Contains(out.Fallbacks[0].Error(), c.failed) {
				t.Errorf("fallbacks %v, want %q", out.Fallbacks, c.failed)
			}
			// Whatever it said, a replay gives the same without asking it.
			opt := w.opt
			opt.Summarizer = events.Recorded(w.txs[0].Operations)
			again, err := events.Build(w.m.At(0), w.inputs[0], opt)
			if err != nil || len(again.Fallbacks) > 0 || again.Operations[0].Summary != op.Summary || again.Operations[0].ID != op.ID {
				t.Errorf("built again: %v, %v", again, err)
			}
			// Only the summary is its own.
			w.audit(t)
		})
	}
}

func TestBuildRefuses(t *testing.T) {
	w, _ := moved(t, &scribe{text: "x"})
	good := events.Input{Space: space, Seq: 2, Time: noon + 1}
	for _, c := range []struct {
		name string
		edit func(in *events.Input, opt *events.Options)
		want error
	}{
		{"no registry", func(_ *events.Input, opt *events.Options) { opt.Registry = nil }, dsl.ErrInvalid},
		{"negative words", func(_ *events.Input, opt *events.Options) { opt.Words = -1 }, dsl.ErrInvalid},
		{"no space", func(in *events.Input, _ *events.Options) { in.Space = "" }, dsl.ErrInvalid},
		{"an old position", func(in *events.Input, _ *events.Options) { in.Seq = 1 }, dsl.ErrConflict},
		{"no time", func(in *events.Input, _ *events.Options) { in.Time = dsl.Forever }, dsl.ErrInvalid},
		{"an empty change", func(in *events.Input, _ *events.Options) {
			in.Writes = []events.Write{{Trigger: events.Strong, Changes: make([]events.Change, 1)}}
		}, dsl.ErrInvalid},
		{"a correction of what is not there", func(in *events.Input, _ *events.Options) {
			in.Ops = []dsl.Op{{Kind: dsl.RetroCorrectOp, ID: "nobody's", Version: 1, Next: 2, Dst: "x", Valid: &dsl.Interval{}}}
		}, dsl.ErrInvalid},
	} {
		in, opt := good, events.Options{Registry: extract.DefaultRegistry()}
		c.edit(&in, &opt)
		if out, err := events.Build(w.view(), in, opt); !errors.Is(err, c.want) || len(out.Operations) > 0 {
			t.Errorf("%s: %v, %v", c.name, out, err)
		}
	}
	if _, err := events.Episodes(w.view(), events.EpisodeOptions{CosTh: 2}); !errors.Is(err, dsl.ErrInvalid) {
		t.Errorf("episodes: %v", err)
	}
}

// TestEpisodesByVector lets a model's vectors tell topics apart.
func TestEpisodesByVector(t *testing.T) {
	w := newWorld()
	w.opt.Merge = false
	for i := range 4 {
		ts := noon + dsl.Instant(i)*dsl.Second
		st := w.begin(dsl.Turn{ID: fmt.Sprint("t", i), TS: ts, Speaker: dsl.Plain("Anna"), Session: "s"}, ts)
		st.change(dsl.Insert, nil, st.insert(fmt.Sprint("f", i), "Anna", "likes", fmt.Sprint("thing ", i), "", dsl.Since(ts)))
		if _, err := st.end(events.Write{Trigger: events.Strong, Changes: st.changes}); err != nil {
			t.Fatal(err)
		}
	}
	broken := errors.New("no model")
	for _, c := range []struct {
		vector func(*dsl.Event) ([]float32, error)
		want   string
		err    error
	}{
		{func(e *dsl.Event) ([]float32, error) {
			if strings.HasSuffix(e.Summary.String(), "2") || strings.HasSuffix(e.Summary.String(), "3") {
				return []float32{-1, 0.1}, nil
			}
			return []float32{1, 0}, nil
		}, "[2 2]", nil},
		{func(*dsl.Event) ([]float32, error) { return []float32{0, 0}, nil }, "[1 1 1 1]", nil},
		{func(*dsl.Event) ([]float32, error) { return nil, broken }, "[]", broken},
		{nil, "[4]", nil}, // three of four words are the same
	} {
		list, err := events.Episodes(w.view(), events.EpisodeOptions{TopicShift: true, CosTh: 0.7, Vector: c.vector})
		sizes := []int{}
		for _, x := range list {
			sizes = append(sizes, len(x.Events))
		}
		if fmt.Sprint(sizes) != c.want || !errors.Is(err, c.err) {
			t.Errorf("episodes of %v events, %v; want %s, %v", sizes, err, c.want, c.err)
		}
	}
}

// counting counts what is read through a view.
type counting struct {
	store.View
	reads int
}

func (c *counting) Event(id string) ([]dsl.Event, error) { c.reads++; return c.View.Event(id) }
func (c *counting) Fact(id string) ([]store.Version, error) {
	c.reads++
	return c.View.Fact(id)
}

// TestWorkDoesNotGrow builds the same write over memories of different sizes: the
// facts and events that are read do not become more once the memory is large.
func TestWorkDoesNotGrow(t *testing.T) {
	reads := map[int]int{}
	for _, n := range []int{60, 240} {
		w := newWorld()
		for i := range n {
			ts := noon + dsl.Instant(i)*dsl.Second
			st := w.begin(dsl.Turn{ID: fmt.Sprint("t", i), TS: ts, Speaker: dsl.Plain("Anna")}, ts)
			st.change(dsl.Insert, nil, st.insert(fmt.Sprint("f", i), "Anna", "likes", fmt.Sprintf("thing%d of%d some%d kind%d", i, i, i, i), "", dsl.Since(ts)))
			if i == n-1 {
				v := &counting{View: w.view()}
				if _, err := events.Build(v, st.input([]events.Write{{Trigger: events.Strong, Changes: st.changes}}), w.opt); err != nil {
					t.Fatal(err)
				}
				reads[n] = v.reads
				break
			}
			if _, err := st.end(events.Write{Trigger: events.Strong, Changes: st.changes}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if reads[60] == 0 || reads[240] != reads[60] {
		t.Errorf("reads by size of the memory: %v", reads)
	}
}

// BenchmarkBuild builds a strong write on a warm Pebble store.
func BenchmarkBuild(b *testing.B) {
	for _, n := range []int{1e3, 1e4} {
		b.Run(fmt.Sprintf("events=%.0e", float64(n)), func(b *testing.B) {
			s, err := store.Open(store.Options{Dir: "db", FS: vfs.NewMem()})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			in := fill(b, s, n)
			v, err := s.At(space, dsl.Seq(n))
			if err != nil {
				b.Fatal(err)
			}
			defer v.Close()
			opt := events.Options{Registry: extract.DefaultRegistry(), Merge: true}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := events.Build(v, in, opt); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// fill writes n turns with a fact and an event each, and gives the next one.
func fill(b *testing.B, s *store.Store, n int) events.Input {
	w := newWorld()
	var in events.Input
	for i := range n + 1 {
		ts := noon + dsl.Instant(i)*dsl.Second
		v, err := s.At(space, dsl.Seq(i))
		if err != nil {
			b.Fatal(err)
		}
		who := dsl.NodeID(space, dsl.Entity, "Anna")
		thing := dsl.Plain(fmt.Sprintf("thing%d of%d some%d kind%d", i, i, i, i))
		f := dsl.FactVersion{ID: dsl.FactID(space, dsl.Seq(i+1), 0), Version: 1, Src: who, SrcName: dsl.Plain("Anna"), Rel: "likes",
			Dst: dsl.NodeID(space, dsl.Literal, thing.String()), DstName: thing, DstKind: dsl.Literal, Valid: dsl.Since(ts), Evidence: []string{fmt.Sprint("t", i)},
			Confidence: 1, Status: dsl.StatusOpen}
		st := &step{w: w, turn: dsl.Turn{ID: fmt.Sprint("t", i), TS: ts, Speaker: dsl.Plain("Anna"), Text: dsl.Plain("I like it.")}, at: ts,
			nodes: []dsl.Node{{ID: f.Dst, Kind: dsl.Literal, Name: thing}}}
		if i == 0 {
			st.nodes = append(st.nodes, dsl.Node{ID: who, Kind: dsl.Entity, Name: f.SrcName})
		}
		st.ops = []dsl.Op{{Kind: dsl.UpsertEdge, ID: f.ID, Version: 1, Src: f.Src, Rel: f.Rel, Dst: f.Dst, Valid: &f.Valid, Confidence: 1, Evidence: f.Evidence}}
		in = events.Input{Space: space, Seq: dsl.Seq(i + 1), Time: ts, Turn: st.turn, Nodes: st.nodes, Ops: st.ops,
			Writes: []events.Write{{Trigger: events.Strong, Changes: []events.Change{{Action: dsl.Insert, After: &f}}}}}
		if i == n {
			return in
		}
		out, err := events.Build(v, in, w.opt)
		if err := errors.Join(err, v.Close()); err != nil {
			b.Fatal(err)
		}
		st.ops = append(st.ops, out.Operations...)
		tx := &dsl.Tx{Kind: dsl.TxTurn, Turn: &st.turn}
		if err := w.seal(tx, st, dsl.Seq(i+1)); err != nil {
			b.Fatal(err)
		}
		if err := put(s, tx, w.prev); err != nil {
			b.Fatal(err)
		}
	}
	return in
}
