package extract

import (
	"os"
	"strings"
	"testing"

	"github.com/asof-db/asof/dsl"
)

// corefCase is a line of testdata/corefs_*.list.
type corefCase struct {
	line, prev, text string
	want             [][2]string // pronoun, referent or "-"
}

func corefCases(t *testing.T, file string) []corefCase {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []corefCase
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		parts := strings.Split(line, "|")
		c := corefCase{line: line, text: strings.TrimSpace(parts[0])}
		if prev, text, ok := strings.Cut(c.text, " >> "); ok {
			c.prev, c.text = prev, text
		}
		for _, p := range parts[1:] {
			if p = strings.TrimSpace(p); p != "" {
				pro, ref, _ := strings.Cut(p, "=")
				c.want = append(c.want, [2]string{pro, ref})
			}
		}
		out = append(out, c)
	}
	return out
}

// corefContext is the turn of a case: Anna says it to Ben.
func corefContext(t *testing.T, c *corefCase) Context {
	ctx := Context{Turn: turnOf(t, "2023-05-10T14:00:00Z", c.text)}
	if c.prev != "" {
		ctx.Previous = []dsl.Turn{{ID: "t0", Speaker: dsl.Plain("Ben"), Listener: dsl.Plain("Anna"), Text: dsl.Plain(c.prev), TS: ctx.Turn.TS}}
	}
	return ctx
}

// TestCorefs runs the suites of hard cases: pronouns right, wrong (another
// referent, or one where none is) and missed, per language.
func TestCorefs(t *testing.T) {
	p := newPipeline(t)
	for _, s := range []struct {
		lang  string
		cases int
		least float64
	}{{"en", 80, 0.95}, {"zh", 40, 0.95}} {
		cases := corefCases(t, "testdata/corefs_"+s.lang+".list")
		if len(cases) < s.cases {
			t.Fatalf("%s: %d cases; the suite was cut", s.lang, len(cases))
		}
		right, wrong, missed, idle, added := 0, 0, 0, 0, 0
		for i := range cases {
			c := &cases[i]
			got := p.Extract(corefContext(t, c)).Corefs
			bad := false
			for _, w := range c.want {
				g := "-"
				if len(got) > 0 && strings.EqualFold(got[0].Text, w[0]) {
					g, got = got[0].RefersTo, got[1:]
				}
				switch {
				case w[1] == "-" && g == "-":
					idle++
				case w[1] == "-":
					added++
				case sameReferent(g, w[1]):
					right++
					continue
				case g == "-":
					missed++
				default:
					wrong++
				}
				bad = bad || g != "-" || w[1] != "-"
			}
			added += len(got)
			if bad || len(got) > 0 {
				t.Logf("%s: %s\n\tgave %v", s.lang, c.line, p.Extract(corefContext(t, c)).Corefs)
			}
		}
		t.Logf("%s: %d cases: right %d, wrong %d, missed %d; empty pronouns left alone %d, given a referent %d", s.lang, len(cases), right, wrong, missed, idle, added)
		if all := right + wrong + missed + idle + added; float64(right+idle) < s.least*float64(all) {
			t.Errorf("%s: %d of %d right, want %.2f", s.lang, right+idle, all, s.least)
		}
	}
}

// sameReferent compares as a reader would: without possessives and articles.
func sameReferent(a, b string) bool {
	clean := func(s string) string {
		s = strings.ToLower(s)
		for _, w := range []string{"my ", "our ", "your ", "the ", "a ", "我的", "我家", "我", "一个", "mr. "} {
			s = strings.TrimPrefix(s, w)
		}
		return s
	}
	return clean(a) == clean(b)
}

// TestCorefHostile holds that no turn costs more than time linear in its length:
// pronouns, names and phrases without end, and without a clause's end.
func TestCorefHostile(t *testing.T) {
	p := newPipeline(t)
	for _, unit := range []string{"he ", "it it's ", "Nina her ", "my the ", "她", "李梅她", "我的小米12它", "my sister ", "\"Nina ", "and but ", "that who "} {
		text := strings.Repeat(unit, 200<<10/len(unit))
		r := p.Extract(Context{Turn: turnOf(t, "2023-05-10T14:00:00Z", text)})
		if len(r.Corefs) > maxCorefs {
			t.Errorf("%q: %d pronouns are resolved, want at most %d", unit, len(r.Corefs), maxCorefs)
		}
	}
}
