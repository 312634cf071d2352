package head

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/asof-db/asof/internal/onnx"
	"github.com/asof-db/asof/internal/onnx/graph"
)

// ErrFile marks a file of a tagger that is not what it should be.
var ErrFile = errors.New("wrong file")

// Viterbi returns the best path through a linear-chain CRF: emissions are of steps by tags,
// transitions of tags by tags, from the row to the column. Of equal paths it takes the one through
// lower tags.
func Viterbi(emissions, transitions []float32, tags int) []int {
	steps := len(emissions) / tags
	if steps == 0 {
		return nil
	}
	score := append([]float32(nil), emissions[:tags]...)
	next := make([]float32, tags)
	back := make([]int32, steps*tags)
	for s := 1; s < steps; s++ {
		for to := range tags {
			best := 0
			for from := 1; from < tags; from++ {
				if score[from]+transitions[from*tags+to] > score[best]+transitions[best*tags+to] {
					best = from
				}
			}
			back[s*tags+to] = int32(best)
			next[to] = score[best] + transitions[best*tags+to] + emissions[s*tags+to]
		}
		score, next = next, score
	}
	best := 0
	for t, x := range score {
		if x > score[best] {
			best = t
		}
	}
	path := make([]int, steps)
	for s := steps - 1; s >= 0; s-- {
		path[s] = best
		best = int(back[s*tags+best])
	}
	return path
}

// LACFiles are the files of LAC beside its network.
type LACFiles struct {
	// Transitions is a .npy of float32, tags by tags.
	Transitions []byte
	// Words, Tags and Folding are lines with a tab: id and character, id and tag, character and the one
	// that it is read as.
	Words, Tags, Folding []byte
}

// lac is a Tagger over Baidu's LAC: characters in, words with their parts of speech out.
type lac struct {
	net         Network
	tags        int
	transitions []float32
	ids         map[string]int64
	folding     map[string]string
	names       []string
	unknown     int64
	limit       int
}

// LACSpec is what LAC's network takes and gives, with the number of tags that its CRF knows.
func LACSpec() onnx.Spec {
	return onnx.Spec{
		Inputs: []onnx.Port{
			{Names: []string{"token_ids"}, Type: graph.Int64, Dims: []int64{onnx.Varies, onnx.Varies}},
			{Names: []string{"length"}, Type: graph.Int64, Dims: []int64{onnx.Varies}},
		},
		Outputs: []onnx.Port{{Names: []string{"fetch_name_0", "logits"}, Type: graph.Float32, Dims: []int64{onnx.Varies, onnx.Varies, onnx.Varies}}},
	}
}

// NewLAC makes a tagger of LAC's network. It gives every word of a text: n, v, PER, LOC, ORG, TIME and
// so on. limit is how many characters of a text are read; 0 is 512.
func NewLAC(net Network, f LACFiles, limit int) (Tagger, error) {
	l := &lac{net: net, ids: map[string]int64{}, folding: map[string]string{}, limit: limit}
	if limit == 0 {
		l.limit = 512
	}
	var err error
	if l.transitions, l.tags, err = readSquare(f.Transitions); err != nil {
		return nil, fmt.Errorf("head: LAC: transitions: %w", err)
	}
	l.names = slices.Repeat([]string{"n-B"}, l.tags) // What LAC takes a tag without a name for.
	err = errors.Join(
		table("words", f.Words, func(id, piece string) error {
			n, err := strconv.ParseInt(id, 10, 64)
			l.ids[piece] = n
			return err
		}),
		table("tags", f.Tags, func(id, name string) error {
			n, err := strconv.Atoi(id)
			if err == nil && (n < 0 || n >= l.tags) {
				err = fmt.Errorf("tag %d of %d", n, l.tags)
			}
			if err == nil {
				l.names[n] = name // The names of a later line go before: it has PER where an earlier has nr.
			}
			return err
		}),
		table("folding", f.Folding, func(from, to string) error {
			l.folding[from] = to
			return nil
		}),
	)
	if err != nil {
		return nil, fmt.Errorf("head: LAC: %w", err)
	}
	l.unknown = l.ids["OOV"]
	return l, nil
}

// table calls f for each line with a tab.
func table(what string, file []byte, f func(left, right string) error) error {
	n := 0
	for line := range strings.Lines(string(file)) {
		n++
		left, right, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok {
			continue
		}
		if err := f(left, right); err != nil {
			return fmt.Errorf("%w: %s, line %d: %w", ErrFile, what, n, err)
		}
	}
	if n == 0 {
		return fmt.Errorf("%w: %s: it is empty", ErrFile, what)
	}
	return nil
}

func (l *lac) Labels() []string {
	var out []string
	for _, name := range l.names {
		if name, _, _ = strings.Cut(name, "-"); !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

func (l *lac) Tag(ctx context.Context, texts []string) ([][]Tagged, error) {
	out := make([][]Tagged, len(texts))
	// One at a time: the network's recurrent layers read a padded text from its padding backwards.
	each := make([][]int, 0, len(texts))
	for i, t := range texts {
		if t != "" {
			each = append(each, []int{i})
		}
	}
	err := overGroups(ctx, l.net.Parallel(), each, func(ctx context.Context, members []int) error {
		parts, err := l.tag(ctx, texts[members[0]])
		out[members[0]] = parts
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("head: tag: %w", err)
	}
	return out, nil
}

func (l *lac) tag(ctx context.Context, text string) ([]Tagged, error) {
	var ids []int64
	var ends []int
	for at := 0; at < len(text) && len(ids) < l.limit; {
		_, size := utf8.DecodeRuneInString(text[at:])
		c := text[at : at+size]
		if to, ok := l.folding[c]; ok {
			c = to
		}
		id, ok := l.ids[c]
		if !ok {
			id = l.unknown
		}
		at += size
		ids, ends = append(ids, id), append(ends, at)
	}
	n := int64(len(ids))
	got, err := l.net.Run(ctx, onnx.IntTensor(ids, 1, n), onnx.IntTensor([]int64{n}, 1))
	if err != nil {
		return nil, err
	}
	if d := got[0].Dims; d[0] != 1 || d[1] != n || d[2] != int64(l.tags) {
		return nil, fmt.Errorf("%w: it gave the shape %v for %d characters and %d tags", onnx.ErrModel, d, n, l.tags)
	}
	var out []Tagged
	start := 0
	for k, tag := range Viterbi(got[0].Float, l.transitions, l.tags) {
		name := l.names[tag]
		if k == 0 || !strings.HasSuffix(name, "-I") {
			if i := strings.LastIndexByte(name, '-'); i >= 0 {
				name = name[:i]
			}
			out = append(out, Tagged{Start: start, Label: name})
		}
		out[len(out)-1].End = ends[k]
		start = ends[k]
	}
	return out, nil
}

var npyShape = regexp.MustCompile(`'shape': \((\d+), (\d+)\)`)

// readSquare reads a square matrix of float32 from a .npy.
func readSquare(file []byte) ([]float32, int, error) {
	if len(file) < 10 || !bytes.HasPrefix(file, []byte("\x93NUMPY\x01")) {
		return nil, 0, fmt.Errorf("%w: no .npy of version 1", ErrFile)
	}
	n := int(binary.LittleEndian.Uint16(file[8:]))
	if len(file) < 10+n {
		return nil, 0, fmt.Errorf("%w: it ends in its header", ErrFile)
	}
	header, data := string(file[10:10+n]), file[10+n:]
	m := npyShape.FindStringSubmatch(header)
	if m == nil || m[1] != m[2] || !strings.Contains(header, "'descr': '<f4'") || !strings.Contains(header, "'fortran_order': False") {
		return nil, 0, fmt.Errorf("%w: %s is no square matrix of float32", ErrFile, strings.TrimSpace(header))
	}
	size, err := strconv.Atoi(m[1])
	if err != nil || size < 1 || size > 1<<12 || len(data) != 4*size*size {
		return nil, 0, fmt.Errorf("%w: %d bytes for %s by %s", ErrFile, len(data), m[1], m[2])
	}
	out := make([]float32, size*size)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return out, size, nil
}
