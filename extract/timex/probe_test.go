package timex

import (
	"bufio"
	"fmt"
	"os"
	"testing"
	"time"
)

func TestProbe(t *testing.T) {
	f, err := os.Open("/tmp/times/probe.txt")
	if err != nil {
		t.Skip()
	}
	ref := time.Date(2021, 6, 16, 10, 30, 0, 0, time.UTC) // Wednesday
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		s := sc.Text()
		w, ok := Whole(s, ref)
		r := ""
		if ok {
			r = w.Value
			if w.OnCalendar() {
				r += " [" + w.From.Format("2006-01-02T15:04") + ", " + w.To.Format("2006-01-02T15:04") + ")"
			}
		}
		fs := ""
		for _, m := range Find(s, Options{Ref: ref}) {
			fs += fmt.Sprintf(" <%s>%s", s[m.Start:m.End], m.Value)
		}
		fmt.Printf("%-40s | %-50s |%s\n", s, r, fs)
	}
}
