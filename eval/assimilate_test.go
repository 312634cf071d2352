package eval

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/extract"
	"github.com/asof-db/asof/store"
)

// grown is a persona whose values are updated and deleted in ways that the
// extractor finds, and in one that it does not.
func grown(t *testing.T) Dialogue {
	t.Helper()
	pref := func(id int, date, op, details string, lines ...string) string {
		return session("grown", id, date, "preference", op, details, lines...)
	}
	ps, err := personas(strings.Join([]string{
		pref(1, "2025-06-01", "add", `{"item": "tulips", "preference": "like", "subcategory": "flowers"}`, "ai_agent: Hello!", "+user_agent: I like tulips."),
		pref(2, "2025-06-01", "add", `{"item": "jazz", "preference": "like", "subcategory": "genres"}`, "+user_agent: I like jazz.", "user_agent: I like jazz."),
		pref(3, "2025-06-02", "delete", `{"item": "tulips", "preference": "like", "subcategory": "flowers"}`, "+user_agent: I don't like tulips anymore."),
		pref(4, "2025-06-02", "update", `{"item": "opera", "preference": "like", "subcategory": "genres", "old_preference": "like", "old_item": "jazz"}`,
			"+user_agent: Opera is where my heart is these days."),
		session("grown", 5, "2025-06-03", "activity", "add", `{"item": {"description": "Water the ferns"}, "category": "todo_list"}`, "+user_agent: I need to water the ferns."),
		session("grown", 6, "2025-06-03", "activity", "delete", `{"item": {"description": "Water the ferns"}, "category": "todo_list"}`, "+user_agent: I watered the ferns."),
		pref(7, "2025-06-04", "add", `{"item": "chess", "preference": "like", "subcategory": "games"}`, "+user_agent: I like chess."),
		pref(8, "2025-06-04", "delete", `{"item": "chess", "preference": "like", "subcategory": "games"}`, "+user_agent: I no longer like chess."),
		pref(9, "2025-06-05", "add", `{"item": "chess", "preference": "like", "subcategory": "games"}`, "+user_agent: I like chess."),
	}, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	return Dialogue{Space: "grown", Turns: ps[0].Turns, Persona: &ps[0]}
}

// TestFunnel follows each value of the persona through the stages.
func TestFunnel(t *testing.T) {
	m, err := measureSpace(context.Background(), new(grown(t)), &variant{name: "full", config: configs.Default()}, nil, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range m.values {
		line := x.change.Session + " " + x.change.Old.Text + ":"
		for _, f := range []struct {
			name string
			is   bool
		}{{"stated", x.stated}, {"changeStated", x.changeStated}, {"extracted", x.extracted}, {"changeExtracted", x.changeExtracted}, {"asserted", x.asserted},
			{"again", x.again}, {"after", x.after}, {"head", x.head}, {"recorded", x.recorded}, {"found", x.found}, {"leftover", x.leftover}} {
			if f.is {
				line += " " + f.name
			}
		}
		got = append(got, line)
	}
	want := []string{
		"3 tulips: stated changeStated extracted changeExtracted asserted recorded found",
		"4 jazz: stated extracted asserted after head recorded found leftover",
		"6 Water the ferns: stated changeStated",
		"8 chess: stated changeStated extracted changeExtracted asserted again head recorded found leftover",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	f := *m.funnel(nil)
	if want := (funnelCounts{values: 4, stated: 4, extracted: 3, changed: 2, assimilated: 2, answered: 2, asserted: 3, recorded: 3, due: 2, left: 1, dueFound: 1, again: 1, unsaid: 1}); f != want {
		t.Errorf("%+v, want %+v", f, want)
	}
	if f.gone() != 0.5 || f.kept() != 1 {
		t.Errorf("gone %v, kept %v", f.gone(), f.kept())
	}
	total := m.table.total()
	if total.of(dsl.Skip) != 1 || total.of(dsl.Close) != 2 || total.of(dsl.Insert) < 4 {
		t.Errorf("decisions: %+v", total)
	}
	if m.keys.violations != 0 || m.keys.duplicates != 0 || m.keys.versions == 0 {
		t.Errorf("keys: %+v", m.keys)
	}
}

// TestHeadOnly is the control of the as-recorded figure: a memory of one state
// does not have what it held.
func TestHeadOnly(t *testing.T) {
	m, err := measureSpace(context.Background(), new(grown(t)), &variant{name: "-bitemporal", config: configs.Default(), wrap: headOnly, probes: 40}, nil, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	if f := m.funnel(nil); f.asserted != 3 || f.recorded != 1 {
		t.Errorf("%+v", f)
	}
	if m.views.leaks == 0 || m.views.probes != 40 {
		t.Errorf("%+v", m.views)
	}
}

// TestEveryEvent is the control of the visibility of events: without it a view
// shows some before their evidence.
func TestEveryEvent(t *testing.T) {
	d := talk("one", 120)
	for _, c := range []struct {
		v     variant
		leaks bool
	}{{variant{config: configs.Default(), probes: 60}, false}, {variant{config: configs.Default(), probes: 60, wrap: everyEvent}, true}} {
		m, err := measureSpace(context.Background(), &d, &c.v, nil, func(int) {})
		if err != nil {
			t.Fatal(err)
		}
		if (m.views.leaks > 0) != c.leaks || (m.views.early > 0) != c.leaks {
			t.Errorf("%+v, leaks %v", m.views, c.leaks)
		}
	}
}

// TestAssimilateSame holds that the number of workers and the clock change no
// byte but those of latency.csv.
func TestAssimilateSame(t *testing.T) {
	var want map[string][]byte
	now := time.Unix(0, 0)
	for _, workers := range []int{1, 2, 3} {
		out := t.TempDir()
		opt := AssimilateOptions{Workers: workers, Ablations: true, Manifest: ManifestOptions{Command: "asof"}}
		if workers == 3 {
			opt.Workers = 1
			opt.Clock = func() time.Time { now = now.Add(time.Millisecond); return now }
		}
		s, err := RunAssimilate(context.Background(), talks(grown(t), talk("two", 30)), MemoraFormat, out, opt)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Ablations) < 5 || s.Ablations[0].Name != "full" || slices.ContainsFunc(s.Ablations[0].Deltas, func(d float64) bool { return d != 0 }) {
			t.Errorf("ablations: %+v", s.Ablations)
		}
		got := files(t, out)
		if want == nil {
			want = got
		}
		for name := range want {
			if same := bytes.Equal(got[name], want[name]); same == (name == latencyFile && workers == 3) {
				t.Errorf("%d workers: %s: same %v", workers, name, same)
			}
		}
		if len(got) != len(want) || len(got) != 9 {
			t.Errorf("%d files", len(got))
		}
	}
}

// TestAssimilateFaults leaves the folder as it was.
func TestAssimilateFaults(t *testing.T) {
	broken := errors.New("out of order")
	failing := func(yield func(Dialogue, error) bool) { yield(Dialogue{}, broken) }
	for _, c := range []struct {
		in iter.Seq2[Dialogue, error]
		is error
	}{{talks(), dsl.ErrInvalid}, {failing, broken}} {
		out := t.TempDir()
		if _, err := RunAssimilate(context.Background(), c.in, MemoraFormat, out, AssimilateOptions{}); !errors.Is(err, c.is) {
			t.Errorf("%v", err)
		}
		if _, err := RunLeak(context.Background(), c.in, out, LeakOptions{}); !errors.Is(err, c.is) {
			t.Errorf("%v", err)
		}
		if got := files(t, out); len(got) != 0 {
			t.Errorf("%d files are left", len(got))
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := RunAssimilate(ctx, talks(grown(t)), MemoraFormat, t.TempDir(), AssimilateOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestKeyScan finds two values of a functional key only where they hold together
// in both times.
func TestKeyScan(t *testing.T) {
	version := func(dst string, valid, held dsl.Interval, status dsl.Status) heldVersion {
		return heldVersion{store.Version{FactVersion: dsl.FactVersion{ID: dst, Src: "ann", Rel: "lives_in", Dst: dst, Valid: valid, Status: status}}, held}
	}
	all, early, late := dsl.Interval{Start: 0, End: dsl.Forever}, dsl.Interval{Start: 0, End: 10}, dsl.Interval{Start: 10, End: dsl.Forever}
	for _, c := range []struct {
		name                   string
		list                   []heldVersion
		violations, duplicates int
	}{
		{"apart in valid time", []heldVersion{version("oslo", early, all, dsl.StatusOpen), version("rome", late, all, dsl.StatusOpen)}, 0, 0},
		{"apart in record time", []heldVersion{version("oslo", all, early, dsl.StatusClosed), version("rome", all, late, dsl.StatusOpen)}, 0, 0},
		{"together", []heldVersion{version("oslo", all, early, dsl.StatusClosed), version("rome", all, all, dsl.StatusOpen)}, 1, 0},
		{"said twice", []heldVersion{version("oslo", all, early, dsl.StatusOpen), version("oslo", late, late, dsl.StatusOpen)}, 0, 1},
	} {
		var k keyScan
		k.scan(c.list, extract.DefaultRegistry())
		if k.violations != c.violations || k.duplicates != c.duplicates || k.keys != 1 || k.pairs != 1 {
			t.Errorf("%s: %+v", c.name, k)
		}
	}
}

// TestPurity counts facts by main subject and main topic.
func TestPurity(t *testing.T) {
	fact := func(src, rel, dst string) dsl.FactVersion { return dsl.FactVersion{Src: src, Rel: rel, Dst: dst} }
	for _, c := range []struct {
		facts []dsl.FactVersion
		want  int
	}{
		{nil, 0},
		{[]dsl.FactVersion{fact("ann", "likes", "tea")}, 1},
		{[]dsl.FactVersion{fact("ann", "likes", "tea"), fact("ann", "owns", "cup"), fact("bob", "owns", "pot")}, 3},
		{[]dsl.FactVersion{fact("ann", "likes", "tea"), fact("ann", "likes", "jam"), fact("bob", "owns", "pot")}, 2},
		{[]dsl.FactVersion{fact("ann", "prefers.food", "jam"), fact("bob", "prefers.music", "jazz"), fact("cyd", "owns", "ann")}, 3},
	} {
		if got := pureFacts(c.facts); got != c.want {
			t.Errorf("%+v: %d, want %d", c.facts, got, c.want)
		}
	}
}

// TestHappenings ties turns to the annotators' events by words and counts those
// of an event's evidence that belong together.
func TestHappenings(t *testing.T) {
	c := &Conversation{
		Observations: []Observation{{1, "Ann", "Ann bought a kayak", []string{"D1:1", "D1:2"}}, {1, "Ann", "Ann moved to Rome", []string{"D1:3"}},
			{1, "Ann", "Ann hums", []string{"D1:4"}}, {2, "Ann", "Ann bought a kayak", []string{"D2:1"}}, {1, "Bob", "Bob bought a kayak", []string{"D1:1"}}},
		Happenings: []Happening{{1, "Ann", "Ann buys a red kayak."}, {1, "Ann", "Ann moves to Rome."}},
	}
	labels := happeningLabels(c)
	for turn, want := range map[string][]string{"D1:1": {"happening 0", "observation 4"}, "D1:2": {"happening 0"}, "D1:3": {"happening 1"},
		"D1:4": {"observation 2"}, "D2:1": {"observation 3"}} {
		if !slices.Equal(labels[turn], want) {
			t.Errorf("%s: %q, want %q", turn, labels[turn], want)
		}
	}
	var e eventScan
	e.label(&dsl.Event{Evidence: []string{"D1:1", "D1:2", "D1:3", "D9:9"}}, labels)
	e.label(&dsl.Event{Evidence: []string{"D1:4"}}, labels)
	e.label(&dsl.Event{Evidence: []string{"D9:9"}}, labels)
	if want := (eventScan{mapped: 4, main: 3, mappedEvents: 2, many: 3, manyMain: 2, manyEvents: 1, observed: 6, cited: 4}); e != want {
		t.Errorf("%+v, want %+v", e, want)
	}
	if happeningLabels(&Conversation{}) != nil || happeningLabels(nil) != nil {
		t.Error("labels without observations")
	}
}

// TestCosts gives the percentiles of what sessions cost.
func TestCosts(t *testing.T) {
	m := &measured{}
	for i := range 20 {
		m.sessions = append(m.sessions, sessionCost{tokens: 20 - i})
	}
	var got []float64
	for _, r := range m.costRows("x", tokensOf) {
		got = append(got, r.Value)
	}
	if !slices.Equal(got, []float64{10.5, 10, 18, 19, 20}) {
		t.Errorf("%v", got)
	}
}

// TestNotes reads the annotators' notes in the shapes that LoCoMo has them in.
func TestNotes(t *testing.T) {
	convs, err := readAll(strings.NewReader(`{"sample_id": "x", "conversation": {"speaker_a": "Ann", "speaker_b": "Bob", "session_1_date_time": "1:56 pm on 8 May, 2023",
		"session_1": [{"speaker": "Ann", "dia_id": "D1:1", "text": "a"}, {"speaker": "Bob", "dia_id": "D1:2", "text": "b"}]},
		"observation": {"session_1_observation": {"Ann": [["one", "D1:1"], ["two", ["D1:1", "D1:2"]], ["three", "D1:1; D1:2"], ["four", "D7:7"], "no pair"]}, "other": 1},
		"event_summary": {"events_session_1": {"Ann": ["goes", null], "Bob": [], "date": "8 May, 2023"}, "speaker": {}}, "qa": []}`), "f")
	if err != nil {
		t.Fatal(err)
	}
	c := convs[0]
	same := func(a, b Observation) bool {
		return a.Session == b.Session && a.Speaker == b.Speaker && a.Text == b.Text && slices.Equal(a.Turns, b.Turns)
	}
	if want := []Observation{{1, "Ann", "one", []string{"D1:1"}}, {1, "Ann", "two", []string{"D1:1", "D1:2"}}, {1, "Ann", "three", []string{"D1:1", "D1:2"}}, {1, "Ann", "four", nil}}; !slices.EqualFunc(c.Observations, want, same) {
		t.Errorf("%+v", c.Observations)
	}
	if want := []Happening{{1, "Ann", "goes"}, {1, "Ann", ""}}; !slices.Equal(c.Happenings, want) {
		t.Errorf("%+v", c.Happenings)
	}
}
