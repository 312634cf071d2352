// Package static gives texts vectors from tables of word pieces that are built
// into the program: no model runs and nothing is fetched. The vector of a text is
// the sum of the rows of its pieces, brought to length 1.
//
// There are two tables. Runs of Chinese characters are cut into the pieces whose
// scores sum highest and read from one, everything else is cut as BERT does and
// read from the other. The first half of a vector is from the one table, the second
// from the other, so that a text in one language is alike none in the other by
// chance. Rows of both have a mean length of 1.
//
// # Files
//
// en.table and zh.table are made by make static-table from tables that were
// trained elsewhere; NOTICE names what went into them. A file is the line "asof
// static table 1", then as little-endian uint32 the number of rows, the dimensions,
// the bytes of the pieces, and 1 if there are scores; the pieces, one a line; a
// float32 a row by which its bytes are multiplied; a float32 a row that is the
// score of its piece, if there are scores; and the rows, signed bytes.
//
// They are read in place: opening them costs nothing, and the pieces are sorted
// when a text first needs them.
package static

import (
	_ "embed" // the tables
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/tokenize"
)

var (
	//go:embed en.table
	english []byte
	//go:embed zh.table
	chinese []byte
)

// Dim is the number of dimensions of a vector, rowDim that of a row.
const (
	Dim    = 2 * rowDim
	rowDim = 256
)

const (
	magic = "asof static table 1\n"
	head  = len(magic) + 16
)

// cutter cuts text into pieces.
type cutter interface {
	AppendIDs(dst []int32, text string) []int32
	UnknownID() int32
}

// table is a table that was opened.
type table struct {
	cut    cutter
	scales []byte
	rows   []byte
	n      int
}

// openTable reads a table, whose pieces fit makes a cutter of.
func openTable(file []byte, fit func(pieces []string, scores []float64) (cutter, error)) (*table, error) {
	if len(file) < head || string(file[:len(magic)]) != magic {
		return nil, fmt.Errorf("static: %w: no table of this version", dsl.ErrCorrupt)
	}
	var n [4]int
	for i := range n {
		n[i] = int(binary.LittleEndian.Uint32(file[len(magic)+4*i:]))
	}
	rows, dim, text, scored := n[0], n[1], n[2], n[3]
	if dim != rowDim || rows > len(file) || text > len(file) || scored > 1 || len(file) != head+text+4*rows*(1+scored)+rows*dim {
		return nil, fmt.Errorf("static: %w: a table of %d rows of %d dimensions has %d bytes", dsl.ErrCorrupt, rows, dim, len(file))
	}
	rest := file[head:]
	pieces := strings.Split(strings.TrimSuffix(string(rest[:text]), "\n"), "\n")
	if len(pieces) != rows {
		return nil, fmt.Errorf("static: %w: %d pieces for %d rows", dsl.ErrCorrupt, len(pieces), rows)
	}
	rest = rest[text:]
	t := &table{n: rows, scales: rest[:4*rows]}
	rest = rest[4*rows:]
	var scores []float64
	if scored == 1 {
		for i := range rows {
			scores = append(scores, float64(float32At(rest, i)))
		}
		rest = rest[4*rows:]
	}
	t.rows = rest
	var err error
	t.cut, err = fit(pieces, scores)
	return t, err
}

func float32At(b []byte, i int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
}

// add adds the rows of a text's pieces to a sum and gives how many there were.
func (t *table) add(sum *[rowDim]float32, ids []int32, text string) (int, []int32) {
	ids = t.cut.AppendIDs(ids[:0], text)
	unknown, known := t.cut.UnknownID(), 0
	for _, id := range ids {
		if id == unknown || id < 0 || int(id) >= t.n {
			continue
		}
		known++
		scale := float32At(t.scales, int(id))
		row := (*[rowDim]byte)(t.rows[int(id)*rowDim:])
		for i := range sum {
			sum[i] += float32(scale * float32(int8(row[i])))
		}
	}
	return known, ids
}

var openEnglish, openChinese = sync.OnceValues(readEnglish), sync.OnceValues(readChinese)

func readEnglish() (*table, error) {
	return openTable(english, func(pieces []string, _ []float64) (cutter, error) {
		return tokenize.NewWordPiece(pieces, tokenize.WordPieceOptions{Special: []string{"[PAD]", "[CLS]", "[SEP]", "[MASK]"}})
	})
}

func readChinese() (*table, error) {
	return openTable(chinese, func(pieces []string, scores []float64) (cutter, error) {
		if len(scores) != len(pieces) {
			return nil, fmt.Errorf("static: %w: the pieces have no scores", dsl.ErrCorrupt)
		}
		list := make([]tokenize.Piece, len(pieces))
		for i, p := range pieces {
			list[i] = tokenize.Piece{Text: p, Score: scores[i]}
		}
		return tokenize.NewUnigram(list, tokenize.UnigramOptions{})
	})
}

// sum is the SHA-256 of both files, English first, in hexadecimal digits, and a
// line end: reckoned when they are made, for reading them all takes time.
//
//go:embed tables.sum
var sum string

// Hash names the tables: the first 16 hexadecimal digits of their SHA-256.
func Hash() string { return sum[:16] }

// Embedding is a text's vector.
type Embedding struct {
	// Vector has length 1, or is all zeros where no piece is known.
	Vector [Dim]float32
	// Words and Han count the known pieces by the table that they were read from.
	Words, Han int
}

// Embed gives the vector of a text.
func Embed(text string) (e Embedding, err error) {
	var ids []int32
	for len(text) > 0 {
		end, han := span(text)
		open, count, half := openEnglish, &e.Words, (*[rowDim]float32)(e.Vector[:rowDim])
		if han {
			open, count, half = openChinese, &e.Han, (*[rowDim]float32)(e.Vector[rowDim:])
		}
		t, err := open()
		if err != nil {
			return Embedding{}, err
		}
		var n int
		n, ids = t.add(half, ids, text[:end])
		*count += n
		text = text[end:]
	}
	sum := 0.0
	for _, x := range e.Vector {
		sum += float64(float64(x) * float64(x))
	}
	if sum > 0 {
		scale := 1 / math.Sqrt(sum)
		for i, x := range e.Vector {
			e.Vector[i] = float32(float64(x) * scale)
		}
	}
	return e, nil
}

// span gives the end of the run that a text begins with: of Chinese characters, or
// of others.
func span(text string) (end int, ofHan bool) {
	for i, r := range text {
		if i == 0 {
			ofHan = han(r)
		} else if han(r) != ofHan {
			return i, ofHan
		}
	}
	return len(text), ofHan
}

func han(r rune) bool { return r >= 0x4E00 && r <= 0x9FFF || r >= 0x3400 && r <= 0x4DBF }
