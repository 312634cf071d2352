package eval

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/asof-db/asof/dsl"
)

// python finds an interpreter that has pytrec_eval, trec_eval as a library.
func python(t *testing.T) string {
	t.Helper()
	py := os.Getenv("ASOF_PYTHON")
	if py == "" {
		py = "python3"
	}
	if err := exec.Command(py, "-c", "import pytrec_eval").Run(); err != nil {
		t.Skipf("%s with pytrec_eval is not here (%v): metrics are not compared with trec_eval; pip install pytrec_eval-terrier, or name an interpreter in ASOF_PYTHON", py, err)
	}
	return py
}

// randomSearch ranks a random part of the turns. Scores lie on a grid, so some
// are equal, and equal ones come in falling or rising order of ids.
type randomSearch struct {
	rng     *rand.Rand
	turns   []string
	grid    int
	falling bool
}

func (s randomSearch) SearchTurns(context.Context, string, string, int) ([]Hit, string, error) {
	var hits []Hit
	for _, i := range s.rng.Perm(len(s.turns))[:s.rng.IntN(100)] {
		hits = append(hits, Hit{s.turns[i], float64(s.rng.IntN(s.grid)) / 7})
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		c := strings.Compare(a.ID, b.ID)
		if s.falling {
			c = -c
		}
		if a.Score != b.Score {
			c = 1
			if a.Score > b.Score {
				c = -1
			}
		}
		return c
	})
	return hits, "", nil
}

// TestAgainstTrecEval scores run files of our own with trec_eval and compares
// every question's every metric.
func TestAgainstTrecEval(t *testing.T) {
	py := python(t)
	rng := rand.New(rand.NewPCG(3, 14))
	conv := Conversation{Space: "random"}
	var ids []string
	for i := range 120 {
		id := fmt.Sprintf("D%d:%d", i/9+1, i%9+1)
		ids = append(ids, id)
		conv.Turns = append(conv.Turns, dsl.Turn{ID: id})
	}
	for i := range 150 {
		q := Question{Index: i, Text: "?", Category: i%5 + 1}
		for _, j := range rng.Perm(len(ids))[:i%8] {
			q.Evidence = append(q.Evidence, ids[j])
		}
		conv.Questions = append(conv.Questions, q)
	}
	// With a fine grid or with ties in trec_eval's own order, all figures agree.
	// With ties in ours, exactly the questions counted as sensitive differ.
	for _, c := range []struct {
		name    string
		grid    int
		falling bool
	}{
		{"few ties", 1 << 20, false}, {"ties as trec_eval has them", 5, true}, {"ties of our own", 5, false},
	} {
		out := t.TempDir()
		s, err := RunLoCoMo(context.Background(), seq(conv), randomSearch{rng, ids, c.grid, c.falling}, out, RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(py, "testdata/trec.py", out)
		cmd.Stderr = os.Stderr
		printed, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		var theirs map[string]map[string]float64
		if err := json.Unmarshal(printed, &theirs); err != nil {
			t.Fatal(err)
		}
		differ, compared := differences(t, filepath.Join(out, "questions.csv"), theirs)
		if c.falling && s.TieSensitive != 0 || !c.falling && c.grid < 10 && s.TieSensitive == 0 {
			t.Errorf("%s: %d questions are called sensitive to ties", c.name, s.TieSensitive)
		}
		if len(differ) != s.TieSensitive {
			t.Errorf("%s: trec_eval differs in %d questions, %d expected:\n%s", c.name, len(differ), s.TieSensitive, strings.Join(differ, "\n"))
		}
		if compared < 100*len(MetricNames()) {
			t.Errorf("%s: only %d figures were compared", c.name, compared)
		}
	}
}

// differences names the questions with a figure that is not trec_eval's, and
// counts the figures compared.
func differences(t *testing.T, path string, theirs map[string]map[string]float64) ([]string, int) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var differ []string
	compared := 0
	for _, row := range rows[1:] {
		values, ok := theirs[row[0]]
		if row[2] == "0" || !ok {
			continue // trec_eval leaves out what has no gold or no hit
		}
		bad := ""
		for i, name := range rows[0] {
			if i < 3 {
				continue
			}
			ours, err := strconv.ParseFloat(row[i], 64)
			if err != nil {
				t.Fatal(err)
			}
			compared++
			if want := trecValue(t, name, values); math.Abs(ours-want) > 1e-12 {
				bad += fmt.Sprintf(" %s %v, trec_eval %v;", name, ours, want)
			}
		}
		if bad != "" {
			differ = append(differ, row[0]+":"+bad)
		}
	}
	return differ, compared
}

// trecValue is trec_eval's figure for a metric of ours.
func trecValue(t *testing.T, name string, values map[string]float64) float64 {
	t.Helper()
	metric, k, _ := strings.Cut(name, "@")
	theirs := map[string]string{"recall": "recall_", "any": "success_", "all": "recall_", "ndcg": "ndcg_cut_", "mrr": "recip_rank"}[metric] + k
	v, ok := values[theirs]
	if !ok {
		t.Fatalf("trec_eval printed no %s", theirs)
	}
	if metric == "all" && v < 1 {
		return 0
	}
	return v
}
