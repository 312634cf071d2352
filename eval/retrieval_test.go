package eval

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// runFile runs a tiny file of a data set.
func runFile(t *testing.T, file string, f Format, out string, workers int) Summary {
	t.Helper()
	d, err := OpenData(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	in, f, err := ReadDialogues(d, d.Name(), f)
	if err != nil {
		t.Fatal(err)
	}
	s, err := RunRetrieval(context.Background(), in, f, out, RunOptions{Data: d.Info, Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestRetrieval takes each data set in, by the look of its file, and asks real
// memories: the right documents come first, and any number of workers gives the
// same bytes.
func TestRetrieval(t *testing.T) {
	for _, c := range []struct {
		file, run, qrels, questions string
		scored                      int
		metric                      string
		value                       float64
	}{
		// Ranks are of sessions, by their place in the file, all of them; the question
		// of abstention is asked and not judged.
		{"tiny_longmemeval.json", "q1 Q0 2 ;q1 Q0 0 ;q1 Q0 1 3 ;q1 Q0 3 4 ;q2_abs Q0 0 1 ", "q1 0 0 1;q1 0 2 1", "q2_abs,abstention,0,", 1, "all@3", 1},
		{"tiny_memdaily.jsonl", "01_simple_events/3/0 Q0 1 1 ;04_aggregative_roles/23/0 Q0 0 1 ", "01_simple_events/3/0 0 1 1;04_aggregative_roles/23/0 0 0 1",
			"01_simple_events/3/0,01_simple_events,1,", 2, "mrr", 1},
		{"tiny.json", "tiny-1/0 Q0 D1:2 1 ;tiny-2/1 Q0 ", "tiny-1/0 0 D1:2 1;tiny-1/5 0 D1:2 1", "tiny-1/5,5,1,", 6, "any@10", 1},
	} {
		one, two := t.TempDir(), t.TempDir()
		s := runFile(t, c.file, AnyFormat, one, 1)
		runFile(t, c.file, AnyFormat, two, 3)
		if v, _ := s.Value(c.metric, "all"); s.Scored != c.scored || v != c.value {
			t.Errorf("%s: %d scored, %s %v", c.file, s.Scored, c.metric, v)
		}
		if metric, _, over := s.Headline(); metric == "" || over == "" || s.Memory == "" {
			t.Errorf("%s: headline %q over %q of each %q", c.file, metric, over, s.Memory)
		}
		for name, parts := range map[string]string{"run.trec": c.run, "qrels.trec": c.qrels, "questions.csv": c.questions} {
			a, err := os.ReadFile(filepath.Join(one, name))
			if err != nil {
				t.Fatal(err)
			}
			b, err := os.ReadFile(filepath.Join(two, name))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(a, b) {
				t.Errorf("%s: %s depends on the number of workers", c.file, name)
			}
			for part := range strings.SplitSeq(parts, ";") {
				if !bytes.Contains(a, []byte(part)) {
					t.Errorf("%s: no %q in %s:\n%s", c.file, part, name, a)
				}
			}
		}
		a, err1 := os.ReadFile(filepath.Join(one, "manifest.json"))
		b, err2 := os.ReadFile(filepath.Join(two, "manifest.json"))
		if err1 != nil || err2 != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: manifests differ (%v, %v)", c.file, err1, err2)
		}
	}
}

// TestNoRanking refuses the data set whose questions have none.
func TestNoRanking(t *testing.T) {
	if _, err := RunRetrieval(context.Background(), nil, MemoraFormat, t.TempDir(), RunOptions{}); err == nil || !strings.Contains(err.Error(), "no ranking") {
		t.Errorf("%v", err)
	}
}
