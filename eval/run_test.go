package eval

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/asof-db/asof/dsl"
)

var update = flag.Bool("update", false, "rewrite testdata/golden")

func sha(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// overlap ranks turns by how many of the question's words are in them: an engine
// small enough to check by eye.
type overlap struct{ turns map[string][]dsl.Turn }

func (o overlap) SearchTurns(_ context.Context, space, question string, k int) ([]Hit, string, error) {
	var hits []Hit
	for _, t := range o.turns[space] {
		n := 0
		for w := range strings.FieldsSeq(strings.ToLower(question)) {
			if strings.Contains(strings.ToLower(t.Text.String()), w) {
				n++
			}
		}
		hits = append(hits, Hit{t.ID, float64(n) / 3})
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	return hits[:min(k, len(hits))], fmt.Sprintf("#%d", len(o.turns[space])), nil
}

// ingesting hands conversations on after "ingesting" them, as a caller would.
func ingesting(o overlap, convs []Conversation) iter.Seq2[Conversation, error] {
	return func(yield func(Conversation, error) bool) {
		for _, c := range convs {
			o.turns[c.Space] = c.Turns
			if !yield(c, nil) {
				return
			}
		}
	}
}

// runTiny runs the tiny file into a folder.
func runTiny(t *testing.T, out string, clock func() time.Time) Summary {
	t.Helper()
	d, err := OpenData("testdata/tiny.json")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	o := overlap{map[string][]dsl.Turn{}}
	convs := func(yield func(Conversation, error) bool) {
		for c, err := range ReadLoCoMo(d, d.Name()) {
			o.turns[c.Space] = c.Turns
			if !yield(c, err) {
				return
			}
		}
	}
	var steps []string
	s, err := RunLoCoMo(context.Background(), convs, o, out, RunOptions{
		Tag:      "overlap",
		Command:  CommandLine([]string{"/usr/bin/asof", "eval", "locomo", "testdata/tiny.json", "--out", out}, "--out"),
		Config:   map[string]any{"b": 0.75, "a": map[string]any{"k1": 1.2, "<x>": true}},
		Versions: map[string]string{"program": "test", "analyser": "1"},
		Data:     d.Info,
		Clock:    clock,
		Progress: func(done, total int) { steps = append(steps, fmt.Sprintf("%d/%d", done, total)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(steps, " "); got != "1/6 2/6 3/6 4/6 5/6 6/6 7/8 8/8" {
		t.Errorf("progress: %s", got)
	}
	return s
}

// ticking is a clock that goes a little further at every look.
func ticking(step time.Duration) func() time.Time {
	now := time.Unix(0, 0)
	return func() time.Time {
		now = now.Add(step)
		step += time.Millisecond
		return now
	}
}

func TestGolden(t *testing.T) {
	out := t.TempDir()
	s := runTiny(t, out, ticking(time.Millisecond))
	entries, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
		got, err := os.ReadFile(filepath.Join(out, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		golden := filepath.Join("testdata", "golden", e.Name())
		if *update {
			if err := os.WriteFile(golden, got, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not the golden one:\n%s", e.Name(), got)
		}
	}
	if got := strings.Join(names, " "); got != "latency.csv manifest.json metrics.csv qrels.trec questions.csv run.trec summary.md" {
		t.Errorf("files: %s", got)
	}
	if s.Conversations != 2 || s.Turns != 9 || s.Questions != 8 || s.Scored != 6 || s.Evidence != 9 || s.Repaired != 4 || len(s.Dropped) != 2 || s.Shallow != 0 {
		t.Errorf("summary: %+v", s)
	}
	// The clock is looked at twice a question, 1 ms longer each time: 2, 4 … 16.
	if s.P50 != 8*time.Millisecond || s.P95 != 16*time.Millisecond {
		t.Errorf("p50 %v, p95 %v", s.P50, s.P95)
	}
	var m manifest
	b, err := os.ReadFile(filepath.Join(out, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		b, err := os.ReadFile(filepath.Join(out, n))
		if err != nil {
			t.Fatal(err)
		}
		switch want, ok := m.Files[n]; {
		case n == "manifest.json" || n == "latency.csv":
			if ok {
				t.Errorf("the manifest hashes %s, which it cannot", n)
			}
		case want != sha(b):
			t.Errorf("the manifest gives %s another hash than its bytes have", n)
		}
	}
	if m.Data.SHA256 != sha(tiny(t)) {
		t.Errorf("data hash %s", m.Data.SHA256)
	}
}

func TestTwoRunsSameBytes(t *testing.T) {
	a, b := filepath.Join(t.TempDir(), "first"), filepath.Join(t.TempDir(), "deeper", "second")
	runTiny(t, a, ticking(time.Millisecond))
	runTiny(t, b, nil)
	// A third run replaces the files of the second; strangers stay.
	stranger := filepath.Join(b, "notes.txt")
	if err := os.WriteFile(stranger, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	runTiny(t, b, ticking(time.Second))
	entries, err := os.ReadDir(a)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		x, err1 := os.ReadFile(filepath.Join(a, e.Name()))
		y, err2 := os.ReadFile(filepath.Join(b, e.Name()))
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		if same := bytes.Equal(x, y); same == (e.Name() == "latency.csv") {
			t.Errorf("%s: equal in both runs: %v", e.Name(), same)
		}
	}
	if got, err := os.ReadFile(stranger); err != nil || string(got) != "mine" {
		t.Errorf("a file that is not ours: %q, %v", got, err)
	}
}

// scripted gives the same answer to every question.
type scripted struct {
	hits []Hit
	err  error
}

func (s scripted) SearchTurns(context.Context, string, string, int) ([]Hit, string, error) {
	return s.hits, "", s.err
}

func seq(convs ...Conversation) iter.Seq2[Conversation, error] {
	return ingesting(overlap{map[string][]dsl.Turn{}}, convs)
}

// TestFailedRunLeavesTheFolder runs everything that must be refused over a
// folder with an older run in it, which must stay as it is.
func TestFailedRunLeavesTheFolder(t *testing.T) {
	out := t.TempDir()
	runTiny(t, out, nil)
	before, err := filepath.Glob(filepath.Join(out, "*"))
	if err != nil {
		t.Fatal(err)
	}
	old, err := os.ReadFile(filepath.Join(out, "run.trec"))
	if err != nil {
		t.Fatal(err)
	}
	conv := tinyConversations(t)[0]
	spaced, spacedID := conv, conv
	spaced.Space = "two words"
	spacedID.Turns = slices.Clone(conv.Turns)
	spacedID.Turns[0].ID = "D1\u00a01"
	broken := errors.New("out of order")
	stopped, stop := context.WithCancel(context.Background())
	stop()
	good := scripted{hits: []Hit{{"D1:1", 2}, {"D1:2", 1}}}
	for _, c := range []struct {
		name  string
		ctx   context.Context
		convs iter.Seq2[Conversation, error]
		s     Searcher
		opt   RunOptions
		is    error
		want  string
	}{
		{name: "no question", convs: seq(), s: good, is: dsl.ErrInvalid, want: "no question"},
		{name: "reader", convs: ReadLoCoMo(strings.NewReader("["), "f"), s: good, is: dsl.ErrInvalid, want: "f: conversation 0"},
		{name: "search", convs: seq(conv), s: scripted{err: broken}, is: broken, want: "question tiny-1/0"},
		{name: "cancelled", ctx: stopped, convs: seq(conv), s: good, is: context.Canceled, want: "question tiny-1/0"},
		{name: "twice", convs: seq(conv), s: scripted{hits: []Hit{{"D1:1", 1}, {"D1:1", 1}}}, is: dsl.ErrInvalid, want: `hit 2, "D1:1", was there before`},
		{name: "foreign", convs: seq(conv), s: scripted{hits: []Hit{{"D7:7", 1}}}, is: dsl.ErrInvalid, want: "no turn of this conversation"},
		{name: "rising", convs: seq(conv), s: scripted{hits: []Hit{{"D1:1", 1}, {"D1:2", 2}}}, is: dsl.ErrInvalid, want: "scores more"},
		{name: "NaN", convs: seq(conv), s: scripted{hits: []Hit{{"D1:1", math.NaN()}}}, is: dsl.ErrInvalid, want: "NaN"},
		{name: "too many", convs: seq(conv), s: scripted{hits: make([]Hit, 101)}, is: dsl.ErrInvalid, want: "101 hits"},
		{name: "shallow", convs: seq(conv), s: good, opt: RunOptions{Depth: 49}, is: dsl.ErrInvalid, want: "depth 49"},
		{name: "tag", convs: seq(conv), s: good, opt: RunOptions{Tag: "my run"}, is: dsl.ErrInvalid, want: `the tag "my run"`},
		{name: "space", convs: seq(spaced), s: good, is: dsl.ErrInvalid, want: `the space "two words"`},
		{name: "turn id", convs: seq(spacedID), s: good, is: dsl.ErrInvalid, want: "has to be one word"},
		{name: "data", convs: seq(conv), s: good, opt: RunOptions{Data: func() (DataInfo, error) { return DataInfo{}, broken }}, is: broken, want: "out of order"},
		{name: "config", convs: seq(conv), s: good, opt: RunOptions{Config: map[string]any{"x": math.Inf(1)}}, want: "manifest.json"},
	} {
		ctx := cmp.Or(c.ctx, context.Background())
		_, err := RunLoCoMo(ctx, c.convs, c.s, out, c.opt)
		if err == nil || c.is != nil && !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	after, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	if len(after) != len(before) {
		t.Errorf("%d entries were in the folder, now %v", len(before), after)
	}
	if now, err := os.ReadFile(filepath.Join(out, "run.trec")); err != nil || !bytes.Equal(now, old) {
		t.Errorf("run.trec changed (%v)", err)
	}
}

// TestNoHits is a search that finds nothing: zeros in the means, not gaps.
func TestNoHits(t *testing.T) {
	s, err := RunLoCoMo(context.Background(), seq(tinyConversations(t)...), scripted{}, t.TempDir(), RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if v, ok := s.Value("any@50", "all"); !ok || v != 0 || s.Scored != 6 {
		t.Errorf("any@50 = %v, %v over %d", v, ok, s.Scored)
	}
}

// TestCSV reads the tables back as a spreadsheet would.
func TestCSV(t *testing.T) {
	out := t.TempDir()
	s := runTiny(t, out, nil)
	read := func(name string) [][]string {
		f, err := os.Open(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		rows, err := csv.NewReader(f).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	if rows := read("questions.csv"); len(rows) != 1+s.Questions {
		t.Errorf("%d lines for %d questions", len(rows), s.Questions)
	}
	if rows := read("metrics.csv"); len(rows) != 1+len(s.Rows) {
		t.Errorf("%d lines for %d means", len(rows), len(s.Rows))
	}
}

func TestCommandLine(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"/opt/bin/asof", "eval", "locomo", "../shared/x.json", "--out", "/tmp/a b"}, "asof eval locomo x.json --out …"},
		{[]string{"asof", "--dir=/var/db", "--config=conf/p1.yaml", "--space", "a b", ""}, `asof --dir=… --config=p1.yaml --space "a b" ""`},
	} {
		if got := CommandLine(c.args, "--out", "--dir"); got != c.want {
			t.Errorf("%q: got %s, want %s", c.args, got, c.want)
		}
	}
}
