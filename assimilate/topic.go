package assimilate

import (
	"fmt"
	"math"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/analyze"
)

// border tells whether the topic changes in the middle of the window that the
// turn ends: the cosine of the words of its halves lies below TopicCosine.
// Words that everybody uses all the time do not count. It is asked where a
// window of the session is half full or full, so that each turn is read a fixed
// number of times.
func (w *working) border() (cosine float64, is bool, err error) {
	half := w.opt.Window / 2
	n := w.turn - w.Since + 1
	if half == 0 || n < 2*half || n%half != 0 {
		return 0, false, nil
	}
	var words [2]map[string]int
	for i := range words {
		words[i] = map[string]int{}
	}
	a := &shared
	count := func(i int, t *dsl.Turn) {
		text, err := t.Text.Open()
		if err != nil {
			return
		}
		for _, term := range a.Terms(nil, text) {
			if !analyze.Stop(term) {
				words[i][term]++
			}
		}
	}
	at := 0
	for t, err := range w.view.Turns(w.turn - 2*half) {
		if err != nil {
			return 0, false, fmt.Errorf("turns: %w", err)
		}
		count(min(at/half, 1), &t.Turn)
		at++
	}
	count(1, &w.in.Turn)
	cosine = similarity(words[0], words[1])
	return cosine, cosine < w.opt.TopicCosine, nil
}

// similarity gives the cosine of two bags of words, 1 where one is empty.
func similarity(a, b map[string]int) float64 {
	dot, aa, bb := analyze.Overlap(a, b)
	if aa == 0 || bb == 0 {
		return 1
	}
	return min(1, float64(dot)/math.Sqrt(float64(float64(aa)*float64(bb))))
}
