// Statictable turns the tables of word-piece vectors that training leaves (NumPy
// archives) into the files that internal/static embeds:
//
//	statictable MODELS OUT
//
// MODELS is the folder with static-table/ and ce-minilm-lme/ (whose tokenizer.json
// has the English pieces), OUT the folder to write en.table, zh.table and their sum
// into, and near.table with the nearest words of each English one. The same archives give the same bytes.
package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: statictable MODELS OUT")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "statictable:", err)
		os.Exit(1)
	}
}

func run(models, out string) error {
	pieces, err := wordPieces(filepath.Join(models, "ce-minilm-lme", "tokenizer.json"))
	if err != nil {
		return err
	}
	if err := convert(filepath.Join(models, "static-table", "static_en_256.npz"), filepath.Join(out, "en.table"), pieces); err != nil {
		return err
	}
	if err := convert(filepath.Join(models, "static-table", "static_zh_cjk_256.npz"), filepath.Join(out, "zh.table"), nil); err != nil {
		return err
	}
	if err := near(filepath.Join(models, "static-table", "static_en_256.npz"), filepath.Join(out, "near.table"), pieces); err != nil {
		return err
	}
	h := sha256.New()
	for _, name := range []string{"en.table", "zh.table"} {
		text, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			return err
		}
		h.Write(text)
	}
	return os.WriteFile(filepath.Join(out, "tables.sum"), fmt.Appendf(nil, "%x\n", h.Sum(nil)), 0o644)
}

// wordPieces gives the pieces of a tokenizer.json in order of id.
func wordPieces(path string) ([]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var t struct {
		Model struct {
			Vocab map[string]int `json:"vocab"`
		} `json:"model"`
	}
	if err := json.Unmarshal(text, &t); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	pieces := make([]string, len(t.Model.Vocab))
	for piece, id := range t.Model.Vocab {
		if id < 0 || id >= len(pieces) {
			return nil, fmt.Errorf("%s: piece %q has id %d of %d", path, piece, id, len(pieces))
		}
		pieces[id] = piece
	}
	return pieces, nil
}

// convert writes one table. Its layout is described in internal/static. Rows are
// brought to a mean length of 1, so that those of two tables can be added up.
func convert(from, to string, pieces []string) error {
	arrays, err := readArchive(from)
	if err != nil {
		return err
	}
	q, scale := arrays["q"], arrays["scale"]
	if q == nil || scale == nil || len(q.shape) != 2 || len(scale.shape) != 1 || scale.shape[0] != q.shape[0] || q.kind != "|i1" || scale.kind != "<f4" {
		return fmt.Errorf("%s: want q int8 [n, dim] and scale float32 [n]", from)
	}
	rows, dim := q.shape[0], q.shape[1]
	var scores []byte
	if pieces == nil {
		p, s := arrays["pieces"], arrays["scores"]
		if p == nil || s == nil || s.kind != "<f4" {
			return fmt.Errorf("%s: want pieces and their scores", from)
		}
		if pieces, err = p.strings(); err != nil {
			return fmt.Errorf("%s: %w", from, err)
		}
		scores = s.data
	}
	if len(pieces) != rows {
		return fmt.Errorf("%s: %d rows for %d pieces", from, rows, len(pieces))
	}
	mean := 0.0
	for i := range rows {
		sum := 0.0
		for _, b := range q.data[i*dim : (i+1)*dim] {
			sum += float64(int8(b)) * float64(int8(b))
		}
		mean += math.Sqrt(sum) * float64(math.Float32frombits(binary.LittleEndian.Uint32(scale.data[4*i:]))) / float64(rows)
	}
	var b bytes.Buffer
	b.WriteString("asof static table 1\n")
	text := strings.Join(pieces, "\n") + "\n"
	flag := uint32(0)
	if scores != nil {
		flag = 1
	}
	for _, n := range []uint32{uint32(rows), uint32(dim), uint32(len(text)), flag} {
		b.Write(binary.LittleEndian.AppendUint32(nil, n))
	}
	b.WriteString(text)
	for i := range rows {
		x := float64(math.Float32frombits(binary.LittleEndian.Uint32(scale.data[4*i:]))) / mean
		b.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(x))))
	}
	b.Write(scores)
	b.Write(q.data)
	fmt.Printf("%s: %d pieces of %d dimensions, %d bytes\n", to, rows, dim, b.Len())
	return os.WriteFile(to, b.Bytes(), 0o644)
}

// array is an array of an archive.
type array struct {
	kind  string
	shape []int
	data  []byte
}

func readArchive(path string) (map[string]*array, error) {
	z, err := zip.OpenReader(path)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	arrays := make(map[string]*array)
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		text, err := io.ReadAll(r)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, f.Name, err)
		}
		a, err := parseArray(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, f.Name, err)
		}
		arrays[strings.TrimSuffix(f.Name, ".npy")] = a
	}
	return arrays, nil
}

var header = regexp.MustCompile(`'descr': '([^']+)', 'fortran_order': False, 'shape': \(([0-9, ]*)\)`)

// parseArray reads NumPy's format, version 1.
func parseArray(text []byte) (*array, error) {
	if len(text) < 10 || string(text[:8]) != "\x93NUMPY\x01\x00" {
		return nil, fmt.Errorf("no array of version 1")
	}
	end := 10 + int(binary.LittleEndian.Uint16(text[8:]))
	if end > len(text) {
		return nil, fmt.Errorf("its head is cut off")
	}
	m := header.FindSubmatch(text[10:end])
	if m == nil {
		return nil, fmt.Errorf("head %q is not understood", text[10:end])
	}
	a := &array{kind: string(m[1]), data: text[end:]}
	for _, s := range strings.FieldsFunc(string(m[2]), func(r rune) bool { return r == ',' || r == ' ' }) {
		n, err := strconv.Atoi(s)
		if err != nil {
			return nil, err
		}
		a.shape = append(a.shape, n)
	}
	return a, nil
}

// strings reads an array of text, in UTF-32 filled up with zeros.
func (a *array) strings() ([]string, error) {
	var width int
	if _, err := fmt.Sscanf(a.kind, "<U%d", &width); err != nil {
		return nil, fmt.Errorf("array of kind %s, want text", a.kind)
	}
	var list []string
	for at := 0; at+4*width <= len(a.data); at += 4 * width {
		var s strings.Builder
		for i := range width {
			if r := binary.LittleEndian.Uint32(a.data[at+4*i:]); r != 0 {
				s.WriteRune(rune(r))
			}
		}
		list = append(list, s.String())
	}
	return list, nil
}
