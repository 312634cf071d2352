package timex

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestSlow(t *testing.T) {
	o := Options{Ref: time.Date(2023, 5, 10, 14, 0, 0, 0, time.UTC)}
	for _, piece := range hostile {
		text := strings.Repeat(piece, 1<<16/len(piece))
		s := time.Now()
		w := Work(text, o)
		d := time.Since(s)
		if d > 15*time.Millisecond {
			fmt.Printf("%q %v work/piece %d\n", piece, d, w*len(piece)/(1<<16))
		}
	}
}
