package extract

import (
	"os"
	"strings"
	"testing"
)

// changeLine is a line of the suites of endings and corrections.
type changeLine struct {
	kind, rel, value, corrects, text string
}

func readChanges(t *testing.T, path string) []changeLine {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []changeLine
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		f := strings.SplitN(line, "|", 5)
		if len(f) != 5 {
			t.Fatalf("%s: %q has not five parts", path, line)
		}
		for i := range f {
			f[i] = strings.TrimSpace(f[i])
		}
		out = append(out, changeLine{f[0], f[1], f[2], f[3], f[4]})
	}
	return out
}

// detected tells whether the result says what the line says.
func (l *changeLine) detected(r *Result) bool {
	for i := range r.Candidates {
		c := &r.Candidates[i]
		rel := c.Rel
		if p, ok := r.registry.Lookup(rel); ok && p.Short != "" {
			rel = p.Short
		}
		if strings.HasPrefix(rel, "prefers") {
			rel = "likes"
		}
		value := c.Dst.String()
		if l.kind == "end" && rel == "scheduled_at" {
			value = c.Src.String()
		}
		if string(c.Change) == l.kind && rel == l.rel && strings.EqualFold(value, l.value) && (l.corrects == "" || strings.EqualFold(c.Corrects.String(), l.corrects)) {
			return true
		}
	}
	return false
}

// TestChanges holds how many of the endings and corrections of our own suites are
// detected, with the right value and the value that they correct. -v prints the
// rates and what was missed.
func TestChanges(t *testing.T) {
	p := newPipeline(t)
	for _, s := range []struct {
		suite string
		least int // lines of a kind
		floor map[string]float64
	}{
		{"changes_en", 100, map[string]float64{"end": 0.97, "correct": 0.92}},
		{"changes_zh", 100, map[string]float64{"end": 0.95, "correct": 0.92}},
		{"more_en", 50, map[string]float64{"end": 0.93, "correct": 0.93}},
		{"more_zh", 40, map[string]float64{"end": 0.93, "correct": 0.93}},
		{"fresh_en", 60, map[string]float64{"end": 0.95, "correct": 0.83}},
		{"fresh_zh", 60, map[string]float64{"end": 0.95, "correct": 0.93}},
	} {
		found, all := map[string]int{}, map[string]int{}
		for _, l := range readChanges(t, "testdata/"+s.suite+".list") {
			ctx := Context{Turn: turnOf(t, "2023-05-10T14:00:00Z", l.text)}
			if l.kind == "end" && l.rel == "scheduled_at" {
				ctx.Memory = knownTypes{l.value: Event}
			}
			r := p.Extract(ctx)
			all[l.kind]++
			if l.detected(&r) {
				found[l.kind]++
				continue
			}
			var got []string
			for i := range r.Candidates {
				got = append(got, describe(&r.Candidates[i], r.Stated[i]))
			}
			t.Logf("%s missed: %s | %s | %s | %s | %s\n\t%s", s.suite, l.kind, l.rel, l.value, l.corrects, l.text, strings.Join(got, "\n\t"))
		}
		for _, kind := range []string{"end", "correct"} {
			rate := float64(found[kind]) / float64(all[kind])
			t.Logf("%s %s: %d of %d detected, %.3f", s.suite, kind, found[kind], all[kind], rate)
			if all[kind] < s.least || rate < s.floor[kind] {
				t.Errorf("%s %s: %d of %d detected; at least %d lines and %.3f are wanted", s.suite, kind, found[kind], all[kind], s.least, s.floor[kind])
			}
		}
	}
}
