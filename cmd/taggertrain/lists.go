package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/asof-db/asof/extract/tagger"
	"github.com/asof-db/asof/internal/num"
)

// english are the lists of English names: file, the tagger's list, how many of the
// file's names, the most frequent first.
var english = []struct {
	file, list string
	most       int
}{
	{"en_given", "given", 5200}, {"en_given", "given_top", 4000}, {"en_surname", "surname", 8000}, {"en_common", "common", 8400},
	{"en_bigcity", "bigcity", 2400}, {"en_region", "region", 400}, {"en_city", "city", 8000}, {"en_tech", "tech", 5300},
	{"en_brand", "brand", 9000},
}

// leastWord is how often a Chinese word must occur, leastName a name.
const (
	leastWord = 40
	leastName = 6
)

// writeLists makes the file of the lists from a folder of gazetteers.
func writeLists(folder, out string) error {
	l := &tagger.Lists{}
	for _, e := range english {
		names, err := readList(folder, e.file)
		if err != nil {
			return err
		}
		if err := l.English(e.list, names[:min(len(names), e.most)]); err != nil {
			return fmt.Errorf("%s: %w", e.file, err)
		}
	}
	if err := chineseWords(l, folder); err != nil {
		return err
	}
	for _, c := range [][2]string{{"zh_place", "place"}, {"zh_brand", "brand"}, {"zh_surname", "surname"}, {"zh_given_char", "given"}} {
		names, err := readList(folder, c[0])
		if err != nil {
			return err
		}
		if err := l.ChineseFlag(c[1], names); err != nil {
			return fmt.Errorf("%s: %w", c[0], err)
		}
	}
	b, err := l.Encode()
	if err != nil {
		return fmt.Errorf("%w", err)
	}
	fmt.Printf("%s: %d bytes\n", out, len(b))
	if err := os.WriteFile(out, b, 0o644); err != nil {
		return fmt.Errorf("%w", err)
	}
	return nil
}

// chineseWords adds the word list: word, frequency, class.
func chineseWords(l *tagger.Lists, folder string) error {
	lines, err := readList(folder, "zh_words")
	if err != nil {
		return err
	}
	type entry struct {
		word, class string
		n           int
	}
	var words []entry
	total := 0
	for _, line := range lines {
		f := strings.Split(line, "\t")
		if len(f) != 3 {
			return fmt.Errorf("zh_words: %q is no word, frequency and class", line)
		}
		n, err := strconv.Atoi(f[1])
		if err != nil {
			return fmt.Errorf("zh_words: %q: %w", line, err)
		}
		total += n
		words = append(words, entry{f[0], f[2], n})
	}
	for _, w := range words {
		name := strings.Contains("LOZ", w.class)
		if w.n < leastWord && !(name && w.n >= leastName) && runes(w.word) > 1 {
			continue
		}
		cost := num.Log(float64(total)/float64(w.n)) * 8 / num.Log(2)
		l.ChineseWord(w.word, uint8(min(214, cost)), uint8(strings.Index("PLOZmtrvanx", w.class)))
	}
	return nil
}
