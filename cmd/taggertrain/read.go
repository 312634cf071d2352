package main

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/asof-db/asof/extract/tagger"
)

// turn is a labelled text; offsets are code points, half-open.
type turn struct {
	Text     string   `json:"text"`
	Entities []entity `json:"entities"`
}

type entity struct {
	Start int    `json:"start"`
	End   int    `json:"end"`
	Type  string `json:"type"`
}

// spans gives the names of the tagger's types in bytes.
func (t *turn) spans() []tagger.Span {
	at := make([]int, 0, len(t.Text)+1)
	for i := range t.Text {
		at = append(at, i)
	}
	at = append(at, len(t.Text))
	var out []tagger.Span
	for _, e := range t.Entities {
		if slices.Contains(tagger.Types[:], e.Type) && e.Start >= 0 && e.Start < e.End && e.End < len(at) {
			out = append(out, tagger.Span{Start: at[e.Start], End: at[e.End], Type: e.Type})
		}
	}
	return out
}

// readLines reads a text file, packed where its name ends in .gz.
func readLines(path string, each func(line string) error) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("%w", err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		if err := each(lines.Text()); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func readTurns(path string) ([]turn, error) {
	var out []turn
	err := readLines(path, func(line string) error {
		var t turn
		if err := json.Unmarshal([]byte(line), &t); err != nil {
			return fmt.Errorf("%w", err)
		}
		out = append(out, t)
		return nil
	})
	return out, err
}

// readList reads a gazetteer: a name a line.
func readList(folder, name string) ([]string, error) {
	var out []string
	err := readLines(filepath.Join(folder, name+".txt.gz"), func(line string) error {
		out = append(out, line)
		return nil
	})
	return out, err
}

// sequence is a row of numbers that look random and are the same on every run.
type sequence uint64

func (s *sequence) below(n int) int {
	*s = *s*6364136223846793005 + 1442695040888963407
	return int(uint64(*s>>33) % uint64(n))
}

func (s *sequence) shuffle(n int, swap func(i, j int)) {
	for i := n - 1; i > 0; i-- {
		swap(i, s.below(i+1))
	}
}

// pick gives one of a list.
func (s *sequence) pick(list []string) string { return list[s.below(len(list))] }

func runes(s string) int { return utf8.RuneCountInString(s) }
