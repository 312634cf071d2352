package extract

import (
	"os"
	"strings"
	"testing"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/suite"
)

// readStatements reads a list of statements.
func readStatements(t *testing.T, path string) []suite.Statement {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out, err := suite.Read(f)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return out
}

// contextOf gives the turn of a statement by a speaker to a listener.
func contextOf(t *testing.T, s *suite.Statement, speaker, listener string) Context {
	turn := turnOf(t, "2023-05-10T14:00:00Z", s.Text)
	turn.Speaker, turn.Listener = dsl.Plain(speaker), dsl.Plain(listener)
	ctx := Context{Turn: turn}
	if s.Previous != "" {
		before := turnOf(t, "2023-05-10T13:59:00Z", s.Previous)
		before.ID, before.Speaker, before.Listener = "t0", dsl.Plain(listener), dsl.Plain(speaker)
		ctx.Previous = []dsl.Turn{before}
	}
	return ctx
}

// stated writes a candidate in the form of the lists.
func stated(r *Result, i int, speaker, listener string) string {
	return FactOf(&r.Candidates[i], r.registry).Say(speaker, listener)
}

// tally counts what a suite expects, what was found and what of it is right.
type tally struct{ right, found, want int }

func (c tally) precision() float64 { return float64(c.right) / float64(max(1, c.found)) }
func (c tally) recall() float64    { return float64(c.right) / float64(max(1, c.want)) }

// score compares the facts of a statement with those of a result.
func score(s *suite.Statement, r *Result, speaker, listener string) (c tally, missed, wrong []string) {
	left := append([]string(nil), s.Facts...)
	c.want = len(left)
	for i := range r.Candidates {
		got := stated(r, i, speaker, listener)
		c.found++
		hit := false
		for k, f := range left {
			if suite.Same(f, got) {
				left, hit = append(left[:k:k], left[k+1:]...), true
				break
			}
		}
		if hit {
			c.right++
		} else {
			wrong = append(wrong, got)
		}
	}
	return c, left, wrong
}

// TestOwnStatements holds precision and recall over our own sentences, in which each
// relation is stated, denied, ended, asked and supposed in many ways. -v prints what
// was missed and what was wrong.
func TestOwnStatements(t *testing.T) {
	p := newPipeline(t)
	for _, s := range []struct {
		suite, speaker, listener string
		precision, recall        float64
	}{
		{"own_en", "Anna", "Ben", 0.96, 0.9},
		{"own_zh", "安娜", "小本", 0.97, 0.95},
	} {
		var sum tally
		all := readStatements(t, "testdata/"+s.suite+".list")
		if len(all) < 300 {
			t.Errorf("%s has %d statements, fewer than 300", s.suite, len(all))
		}
		for i := range all {
			l := &all[i]
			r := p.Extract(contextOf(t, l, s.speaker, s.listener))
			c, missed, wrong := score(l, &r, s.speaker, s.listener)
			sum.right, sum.found, sum.want = sum.right+c.right, sum.found+c.found, sum.want+c.want
			if len(missed)+len(wrong) > 0 {
				t.Logf("%s: %s %s\n\tmissed %s\n\twrong  %s", s.suite, l.Text, l.Previous, strings.Join(missed, "; "), strings.Join(wrong, "; "))
			}
		}
		t.Logf("%s: precision %.3f (%d of %d), recall %.3f (%d of %d)", s.suite, sum.precision(), sum.right, sum.found, sum.recall(), sum.right, sum.want)
		if sum.precision() < s.precision || sum.recall() < s.recall {
			t.Errorf("%s: precision %.3f and recall %.3f; %.3f and %.3f are wanted", s.suite, sum.precision(), sum.recall(), s.precision, s.recall)
		}
	}
}
