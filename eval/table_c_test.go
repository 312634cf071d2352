package eval

import (
	"bytes"
	"context"
	"encoding/csv"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// runTableC runs the tiny file with Table C.
func runTableC(t *testing.T, out string, workers int, clock func() time.Time) Summary {
	t.Helper()
	d, err := OpenData("testdata/tiny.json")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	in, f, err := ReadDialogues(d, d.Name(), LoCoMoFormat)
	if err != nil {
		t.Fatal(err)
	}
	s, err := RunRetrieval(context.Background(), in, f, out, RunOptions{Data: d.Info, Workers: workers, TableC: true, Seed: 1, Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func readCSV(t *testing.T, path string) [][]string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(b)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestTableC holds every row to its kind: what ran has figures and a run file,
// what cannot run says why, and nothing is left out in silence.
func TestTableC(t *testing.T) {
	one, two := t.TempDir(), t.TempDir()
	s := runTableC(t, one, 1, nil)
	runTableC(t, two, 2, ticking(time.Millisecond))
	if len(s.TableC) != len(setupsC()) {
		t.Fatalf("%d rows, %d setups", len(s.TableC), len(setupsC()))
	}
	rows := readCSV(t, filepath.Join(one, "table_c.csv"))
	for i, row := range s.TableC {
		line := rows[i+1]
		_, err := os.Stat(filepath.Join(one, "runs", row.Setup+".trec"))
		v, d, ok := row.Of("recall@10")
		switch {
		case line[0] != row.Setup:
			t.Errorf("line %d is %v, want %s", i+1, line, row.Setup)
		case row.Why == "" && (err != nil || !ok || line[4] != "run" || row.N != 5 || v < 0.5):
			t.Errorf("%s: run %v, %v, %v", row.Setup, line, v, err)
		case row.Why != "" && (err == nil || ok || line[4] != "not run" || line[5] == ""):
			t.Errorf("%s: not run %v, %v", row.Setup, line, v)
		case row.Setup == BaselineSetup && (row.Why != "" || d != (Interval{})):
			t.Errorf("the baseline is %v from itself (%s)", d, row.Why)
		}
	}
	for _, name := range []string{"table_c.csv", "comparisons.csv", "summary.md", "runs/bm25.trec", "manifest.json", "run.trec"} {
		a, err1 := os.ReadFile(filepath.Join(one, name))
		b, err2 := os.ReadFile(filepath.Join(two, name))
		if err1 != nil || err2 != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs between two runs (%v, %v)", name, err1, err2)
		}
	}
	latency := readCSV(t, filepath.Join(two, "figs", "latency-table_c.csv"))
	if len(latency) < 2 || latency[1][2] == "0.000" {
		t.Errorf("latencies: %v", latency)
	}
	for _, c := range readCSV(t, filepath.Join(one, "comparisons.csv"))[1:] {
		if c[0] == BaselineSetup && (c[6] != "0" || c[9] != NoDifference) {
			t.Errorf("the baseline against itself: %v", c)
		}
	}
}

// TestComparisons computes one line of comparisons.csv by hand.
func TestComparisons(t *testing.T) {
	suite, err := suiteOf(LoCoMoFormat)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := newFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.discard()
	table, err := newTableC(dir, defaultProfile(nil), suite.groups, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer table.close()
	ran := slices.IndexFunc(table.setups, func(s setup) bool { return s.profile != nil && s.name != BaselineSetup })
	base := slices.IndexFunc(table.setups, func(s setup) bool { return s.name == BaselineSetup })
	// The baseline finds nothing, the other everything, on 4 questions of category 1.
	for range 4 {
		answers := make([]answer, len(table.setups))
		for i := range answers {
			answers[i].hits = []Hit{{"wrong", 1}}
		}
		answers[ran].hits = []Hit{{"right", 1}}
		table.record(&posed{qid: "q", category: "1", gold: []string{"right"}}, answers, "tag")
	}
	// A question without gold is in no figure.
	table.record(&posed{qid: "q", category: "1"}, make([]answer, len(table.setups)), "tag")
	rows, err := table.rows(dir, "1-4")
	if err != nil {
		t.Fatal(err)
	}
	v, d, ok := rows[ran].Of("all@10")
	if !ok || v != 1 || d != (Interval{1, 1, 1}) || rows[ran].N != 4 || d.Verdict() != Better {
		t.Errorf("%+v", rows[ran])
	}
	if v, _, _ := rows[base].Of("all@10"); v != 0 {
		t.Errorf("%+v", rows[base])
	}
}

// TestConfigured sets keys and says why some cannot be.
func TestConfigured(t *testing.T) {
	c, why := configured(defaultProfile(nil), []setting{{"retrieval.speaker_boost", 1.0}})
	if why != "" || c.Retrieval.SpeakerBoost != 1 {
		t.Errorf("%v, %q", c.Retrieval, why)
	}
	for path, want := range map[string]string{"retrieval.no_such_key": "unknown key", "no.such.section": "unknown key"} {
		if _, why := configured(defaultProfile(nil), []setting{{path, 1}}); !strings.Contains(why, want) || !strings.Contains(why, path[:2]) {
			t.Errorf("%s: %q", path, why)
		}
	}
}

// TestRows leaves out what a pattern does, and without one what needs a model, and
// says so.
func TestRows(t *testing.T) {
	names := map[string]bool{}
	for _, s := range setupsC() {
		if names[s.name] {
			t.Errorf("two setups are called %s", s.name)
		}
		names[s.name] = true
	}
	for _, entry := range []string{"bm25", "", "minilm", "e5"} {
		for _, by := range []string{"", "mmr", "features", "cross-encoder"} {
			name := strings.Trim(entry+"-"+by, "-")
			if name == "" {
				name = "cues"
			}
			if !names[name] {
				t.Errorf("there is no setup %s", name)
			}
		}
	}
	for pattern, want := range map[string][2]bool{"": {true, false}, "^e5": {false, true}} {
		rows := setupsC()
		if pattern == "" {
			notAsked(rows, nil)
		} else {
			notAsked(rows, regexp.MustCompile(pattern))
		}
		for _, s := range rows {
			asked := s.why == ""
			switch s.name {
			case BaselineSetup:
				if !asked {
					t.Errorf("%q leaves out the baseline", pattern)
				}
			case "features":
				if asked != want[0] {
					t.Errorf("%q: features is %v", pattern, s.why)
				}
			case "e5-cross-encoder":
				if asked != want[1] {
					t.Errorf("%q: e5-cross-encoder is %v", pattern, s.why)
				}
			}
		}
	}
}
