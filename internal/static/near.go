package static

import (
	_ "embed" // near.table
	"strconv"
	"strings"
)

// nearTable has a line for each English word that is one piece of the table, in
// order: the word, a tab, and the words nearest to it, best first, each with its
// cosine in hundredths.
//
//go:embed near.table
var nearTable string

// Neighbour is a word that is near another.
type Neighbour struct {
	Word string
	// Cosine is that of their rows, in (0, 1].
	Cosine float64
}

// Near gives the words that are nearest to an English word of small letters, best
// first; none for a word the table does not have whole.
func Near(word string) []Neighbour {
	line, ok := nearLine(word)
	if !ok {
		return nil
	}
	var list []Neighbour
	for rest := line; rest != ""; {
		var text, cos string
		text, rest, _ = strings.Cut(rest, " ")
		cos, rest, _ = strings.Cut(rest, " ")
		n, err := strconv.Atoi(cos)
		if err != nil {
			break
		}
		list = append(list, Neighbour{Word: text, Cosine: float64(n) / 100})
	}
	return list
}

// nearLine finds the line of a word, by halves.
func nearLine(word string) (string, bool) {
	lo, hi := 0, len(nearTable)
	for lo < hi {
		start := strings.LastIndexByte(nearTable[lo:(lo+hi)/2], '\n') + 1 + lo
		end := strings.IndexByte(nearTable[start:], '\n')
		if end < 0 {
			return "", false
		}
		end += start
		key, rest, _ := strings.Cut(nearTable[start:end], "\t")
		switch strings.Compare(word, key) {
		case 0:
			return rest, true
		case -1:
			hi = start
		default:
			lo = end + 1
		}
	}
	return "", false
}
