package extract

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/asof-db/asof/dsl"
)

// statement is a line of the suites of stated facts: what is said, after which turn,
// and the facts in it, in the form of the lists.
type statement struct {
	text, previous string
	facts          []string
}

// readStatements reads a list of statements.
func readStatements(t *testing.T, path string) []statement {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []statement
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		facts, text, ok := strings.Cut(line, " | ")
		if !ok {
			t.Fatalf("%s: %q has no text", path, line)
		}
		var s statement
		s.text = strings.TrimSpace(text)
		if strings.HasPrefix(s.text, "{") {
			s.previous, s.text, _ = strings.Cut(s.text[1:], "}")
			s.text = strings.TrimSpace(s.text)
		}
		if facts = strings.TrimSpace(facts); facts != "-" {
			for f := range strings.SplitSeq(facts, ";") {
				s.facts = append(s.facts, strings.ToLower(strings.TrimSpace(f)))
			}
		}
		out = append(out, s)
	}
	return out
}

// context gives the turn of the statement by a speaker to a listener.
func (s *statement) context(t *testing.T, speaker, listener string) Context {
	turn := turnOf(t, "2023-05-10T14:00:00Z", s.text)
	turn.Speaker, turn.Listener = dsl.Plain(speaker), dsl.Plain(listener)
	ctx := Context{Turn: turn}
	if s.previous != "" {
		before := turnOf(t, "2023-05-10T13:59:00Z", s.previous)
		before.ID, before.Speaker, before.Listener = "t0", dsl.Plain(listener), dsl.Plain(speaker)
		ctx.Previous = []dsl.Turn{before}
	}
	return ctx
}

// stated writes a candidate in the form of the lists.
func stated(r *Result, i int, speaker, listener string) string {
	c := &r.Candidates[i]
	rel := c.Rel
	if p, ok := r.registry.Lookup(rel); ok && p.Short != "" {
		rel = p.Short
	}
	if !c.Relation.IsZero() {
		rel += ":" + c.Relation.String()
	}
	src := c.Src.String()
	switch src {
	case speaker:
		src = "I"
	case listener:
		src = "you"
	}
	var b strings.Builder
	switch {
	case c.Change == dsl.End, c.Change == dsl.Correct:
		b.WriteString(string(c.Change) + " ")
	}
	if c.Polarity == dsl.Negative {
		b.WriteString("not ")
	}
	fmt.Fprintf(&b, "%s>%s>%s", src, rel, c.Dst)
	return strings.ToLower(b.String())
}

// sameStatement compares two facts of the lists; the subject of an event may hold that of
// the other.
func sameStatement(a, b string) bool {
	if a == b {
		return true
	}
	x, y := strings.Split(a, ">"), strings.Split(b, ">")
	return len(x) == 3 && len(y) == 3 && x[1] == y[1] && x[2] == y[2] && (x[1] == "scheduled_at" || x[1] == "located_at") &&
		(strings.Contains(x[0], y[0]) || strings.Contains(y[0], x[0]))
}

// tally counts what a suite expects, what was found and what of it is right.
type tally struct{ right, found, want int }

func (c tally) precision() float64 { return float64(c.right) / float64(max(1, c.found)) }
func (c tally) recall() float64    { return float64(c.right) / float64(max(1, c.want)) }

// score compares the facts of a statement with those of a result.
func (s *statement) score(r *Result, speaker, listener string) (c tally, missed, wrong []string) {
	left := append([]string(nil), s.facts...)
	c.want = len(left)
	for i := range r.Candidates {
		got := stated(r, i, speaker, listener)
		c.found++
		hit := false
		for k, f := range left {
			if sameStatement(f, got) {
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
		{"own_en", "Anna", "Ben", 0, 0},
		{"own_zh", "安娜", "小本", 0, 0},
	} {
		var sum tally
		all := readStatements(t, "testdata/"+s.suite+".list")
		if len(all) < 300 {
			t.Errorf("%s has %d statements, fewer than 300", s.suite, len(all))
		}
		for _, l := range all {
			r := p.Extract(l.context(t, s.speaker, s.listener))
			c, missed, wrong := l.score(&r, s.speaker, s.listener)
			sum.right, sum.found, sum.want = sum.right+c.right, sum.found+c.found, sum.want+c.want
			if len(missed)+len(wrong) > 0 {
				t.Logf("%s: %s %s\n\tmissed %s\n\twrong  %s", s.suite, l.text, l.previous, strings.Join(missed, "; "), strings.Join(wrong, "; "))
			}
		}
		t.Logf("%s: precision %.3f (%d of %d), recall %.3f (%d of %d)", s.suite, sum.precision(), sum.right, sum.found, sum.recall(), sum.right, sum.want)
		if sum.precision() < s.precision || sum.recall() < s.recall {
			t.Errorf("%s: precision %.3f and recall %.3f; %.3f and %.3f are wanted", s.suite, sum.precision(), sum.recall(), s.precision, s.recall)
		}
	}
}
