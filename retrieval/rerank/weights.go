package rerank

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/asof-db/asof/dsl"
)

// Weights are what each signal counts beside the score that a candidate came with,
// which counts 1 at its best.
type Weights [Number]float64

//go:embed weights.txt
var shipped string

// DefaultWeights gives those of weights.txt.
var DefaultWeights = sync.OnceValues(func() (*Weights, error) { return ReadWeights(strings.NewReader(shipped), "weights.txt") })

// maxWeight bounds a weight of a file.
const maxWeight = 10

// ReadWeights reads a file of weights: a line "name weight" for each signal, in
// any order, each once; empty lines and lines that begin with # say nothing. A
// weight has the sign of its signal. name is for messages.
func ReadWeights(r io.Reader, name string) (*Weights, error) {
	w := new(Weights)
	var seen [Number]bool
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		fields := strings.Fields(line)
		k := slices.Index(Names[:], fields[0])
		if k < 0 || len(fields) != 2 || seen[k] {
			return nil, fmt.Errorf("rerank: %s: line %d: %w: %q, want a signal and its weight, each signal once", name, n, dsl.ErrInvalid, line)
		}
		x, err := strconv.ParseFloat(fields[1], 64)
		if err != nil || !(float64(x*signs[k]) >= 0 && float64(x*signs[k]) <= maxWeight) {
			return nil, fmt.Errorf("rerank: %s: line %d: %w: weight %q of %s, want 0 to %d of sign %+v", name, n, dsl.ErrInvalid, fields[1], Names[k], maxWeight, signs[k])
		}
		w[k], seen[k] = x, true
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("rerank: %s: %w", name, err)
	}
	if k := slices.Index(seen[:], false); k >= 0 {
		return nil, fmt.Errorf("rerank: %s: %w: no weight of %s", name, dsl.ErrInvalid, Names[k])
	}
	return w, nil
}

// Write writes a file of weights with three decimal places, after comments, one a
// line.
func (w *Weights) Write(to io.Writer, comments ...string) error {
	var s strings.Builder
	for _, c := range comments {
		fmt.Fprintf(&s, "# %s\n", c)
	}
	for k, x := range w {
		fmt.Fprintf(&s, "%-9s %.3f\n", Names[k], x)
	}
	_, err := io.WriteString(to, s.String())
	return err
}
