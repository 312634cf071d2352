package timex

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"
)

func TestDevPrint(t *testing.T) {
	f, err := os.Open("/tmp/times/in.jsonl")
	if err != nil {
		t.Skip()
	}
	out, _ := os.Create("/tmp/times/whole.jsonl")
	w := bufio.NewWriter(out)
	defer w.Flush()
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var d struct{ ID, Text, TS string }
		json.Unmarshal(sc.Bytes(), &d)
		ts, err := time.Parse(time.RFC3339, d.TS)
		if err != nil {
			ts, _ = time.Parse("2006-01-02T15:04:05", d.TS)
		}
		var ms []map[string]any
		add := func(m Match) {
			rs := []rune(d.Text[:m.Start])
			x := map[string]any{"start": len(rs), "end": len(rs) + len([]rune(d.Text[m.Start:m.End])), "text": d.Text[m.Start:m.End], "value": m.Value}
			if !m.From.IsZero() {
				x["from"], x["to"] = m.From.Format("2006-01-02T15:04:05"), m.To.Format("2006-01-02T15:04:05")
			}
			ms = append(ms, x)
		}
		if m, ok := Whole(d.Text, ts); ok {
			add(m)
		} else {
			for _, m := range Find(d.Text, Options{Ref: ts}) {
				add(m)
			}
		}
		b, _ := json.Marshal(map[string]any{"id": d.ID, "times": ms})
		fmt.Fprintln(w, string(b))
	}
}
