package eval

import (
	"testing"
)

// TestRealMemora reads the dev file and compares counts that were made by a
// script of another language over the same files.
func TestRealMemora(t *testing.T) {
	d, err := OpenData(sharedData(t, "memora/memora_weekly.dev.tar.zst"))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	type counts struct{ personas, turns, questions, checks, present, forgotten int }
	var got counts
	kinds := map[string]int{}
	for p, err := range ReadMemora(d, d.Name()) {
		if err != nil {
			t.Fatal(err)
		}
		got.personas++
		got.turns += len(p.Turns)
		for _, q := range p.Questions {
			got.questions++
			got.checks += len(q.Checks)
			got.forgotten += len(q.Forgotten)
			for _, k := range q.Checks {
				if k.Present {
					got.present++
				}
			}
		}
		for i, u := range p.Turns {
			if i > 0 && u.TS <= p.Turns[i-1].TS {
				t.Errorf("%s %s is not after the turn before it", p.Space, u.ID)
			}
		}
		for _, c := range p.Changes {
			kinds[c.Class+" "+string(c.Kind)]++
			if c.Kind != ValueAdded && c.Old.Text == "" {
				t.Errorf("%s session %s: %+v has no old value", p.Space, c.Session, c)
			}
		}
	}
	if want := (counts{5, 11913, 75, 361, 239, 122}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	for name, want := range map[string]int{"preference add": 75, "preference update": 39, "preference delete": 22, "todo add": 65, "todo delete": 40,
		"event add": 11, "event update": 5, "event delete": 2, "content update": 14, "content delete": 41, "goal add": 14} {
		if kinds[name] != want {
			t.Errorf("%s: %d, want %d", name, kinds[name], want)
		}
	}
}
