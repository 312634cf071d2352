package eval

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// sharedData gives the path of a data file that is not part of the repository.
func sharedData(t testing.TB, name string) string {
	t.Helper()
	root := os.Getenv("ASOF_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "shared")
	}
	path := filepath.Join(root, "data", name)
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		t.Skipf("no %s here: the reader is not tried on the real data (set ASOF_SHARED to the folder that holds data/)", path)
	}
	return path
}

// TestRealLoCoMo reads the dev files and compares counts that were made by a
// script of another language over the same files.
func TestRealLoCoMo(t *testing.T) {
	type counts struct {
		conversations, turns, captions, questions, evidence, withEvidence, repaired, dropped int
		categories                                                                           [6]int
	}
	for name, want := range map[string]counts{
		"locomo.dev.json":    {5, 2760, 602, 999, 1349, 997, 2, 2, [6]int{0, 142, 156, 46, 418, 237}},
		"locomo-zh.dev.json": {2, 788, 188, 304, 382, 302, 1, 0, [6]int{0, 43, 63, 13, 114, 71}},
	} {
		d, err := OpenData(sharedData(t, "locomo/"+name))
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		convs, err := readAll(d, d.Name())
		if err != nil {
			t.Fatal(err)
		}
		var got counts
		for _, c := range convs {
			got.conversations++
			got.turns += len(c.Turns)
			for i, u := range c.Turns {
				got.captions += len(u.Attachments)
				if u.Listener.IsZero() {
					t.Errorf("%s %s speaks to nobody", c.Space, u.ID)
				}
				if i > 0 && u.TS <= c.Turns[i-1].TS {
					t.Errorf("%s %s is not after the turn before it", c.Space, u.ID)
				}
			}
			for _, q := range c.Questions {
				got.questions++
				got.categories[q.Category]++
				got.evidence += len(q.Evidence)
				got.repaired += q.Repaired
				got.dropped += len(q.Dropped)
				if len(q.Evidence) > 0 {
					got.withEvidence++
				}
				if len(q.Gold) == 0 && q.Category != 5 {
					t.Errorf("%s/%d has no answer", c.Space, q.Index)
				}
			}
		}
		if got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}
