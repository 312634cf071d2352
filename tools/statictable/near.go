package main

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"
)

// Words that are near one another: what near.table has of each.
const (
	nearest  = 10
	leastCos = 0.4
)

// near writes the nearest words of every word that is one piece: letters only, no
// continuation, three at least. A line is the word, a tab, and, best first, words
// and their cosines in hundredths; lines are in order.
func near(from, to string, pieces []string) error {
	arrays, err := readArchive(from)
	if err != nil {
		return err
	}
	q := arrays["q"]
	if q == nil || len(q.shape) != 2 || q.shape[0] != len(pieces) {
		return fmt.Errorf("%s: want q int8 [%d, dim]", from, len(pieces))
	}
	dim := q.shape[1]
	type word struct {
		text string
		row  []int8
		size float64
		list []neighbour
	}
	var words []*word
	for i, p := range pieces {
		if !plain(p) {
			continue
		}
		w := &word{text: p, row: make([]int8, dim)}
		sum := 0
		for j, b := range q.data[i*dim : (i+1)*dim] {
			w.row[j] = int8(b)
			sum += int(w.row[j]) * int(w.row[j])
		}
		if w.size = math.Sqrt(float64(sum)); sum > 0 {
			words = append(words, w)
		}
	}
	slices.SortFunc(words, func(x, y *word) int { return cmp.Compare(x.text, y.text) })
	for i, x := range words {
		for _, y := range words[:i] {
			dot := int32(0)
			for j, a := range x.row {
				dot += int32(a) * int32(y.row[j])
			}
			if cos := float64(dot) / x.size / y.size; cos >= leastCos {
				x.list = append(x.list, neighbour{y.text, cos})
				y.list = append(y.list, neighbour{x.text, cos})
			}
		}
	}
	var b bytes.Buffer
	for _, w := range words {
		slices.SortFunc(w.list, func(x, y neighbour) int { return cmp.Or(cmp.Compare(y.cos, x.cos), cmp.Compare(x.text, y.text)) })
		if len(w.list) == 0 {
			continue
		}
		fmt.Fprintf(&b, "%s\t", w.text)
		for i, n := range w.list[:min(len(w.list), nearest)] {
			if i > 0 {
				b.WriteByte(' ')
			}
			fmt.Fprintf(&b, "%s %d", n.text, int(math.Round(100*n.cos)))
		}
		b.WriteByte('\n')
	}
	return os.WriteFile(to, b.Bytes(), 0o644)
}

type neighbour struct {
	text string
	cos  float64
}

// plain tells whether a piece is a word: letters only, three of them or more.
func plain(piece string) bool {
	for _, c := range piece {
		if c < 'a' || c > 'z' {
			return false
		}
	}
	return len(piece) >= 3
}
