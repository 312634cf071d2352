package eval

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/dsl"
)

// MarkedTurn is a turn with what stands in it, marked by people or by an extractor: a
// line of the gold, and of what `asof extract` prints. Offsets are code points,
// half-open; the gold leaves most of them out.
type MarkedTurn struct {
	ID        string        `json:"id"`
	Lang      string        `json:"lang"`
	Speaker   string        `json:"speaker"`
	Text      string        `json:"text"`
	Entities  []MarkedSpan  `json:"entities"`
	Times     []MarkedSpan  `json:"times"`
	Facts     []MarkedFact  `json:"facts"`
	Corefs    []MarkedCoref `json:"corefs"`
	Sentences int           `json:"sentences"`
}

// MarkedSpan is an entity, or an expression of time with its value.
type MarkedSpan struct {
	Text  string `json:"text"`
	Start *int   `json:"start"`
	End   *int   `json:"end"`
	Type  string `json:"type"`
	Value string `json:"value"`
}

// MarkedFact is a fact. Times are TIMEX3 values.
type MarkedFact struct {
	Src        string  `json:"src"`
	Rel        string  `json:"rel"`
	Dst        string  `json:"dst"`
	Relation   string  `json:"relation"`
	Polarity   string  `json:"polarity"`
	Change     string  `json:"change"`
	ValidFrom  *string `json:"valid_from"`
	ValidTo    *string `json:"valid_to"`
	Confidence float64 `json:"confidence"`
}

// MarkedCoref is a pronoun and whom it means.
type MarkedCoref struct {
	Text     string `json:"text"`
	Start    int    `json:"start"`
	RefersTo string `json:"refers_to"`
}

// goldLine is a line of a gold file: the turn, and the line itself, which an extractor
// reads.
type goldLine struct {
	MarkedTurn
	line []byte
}

// readGold reads a gold file. An id that stands there twice is an error, and so is a
// turn without a language.
func readGold(r io.Reader, name string, maxLine int) ([]goldLine, error) {
	var out []goldLine
	seen := map[string]bool{}
	lines := asof.NewLines(r, maxLine)
	for {
		line, number, err := lines.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("eval: %s: line %d: %w", name, number, err)
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		g := goldLine{line: bytes.Clone(line)}
		if err := json.Unmarshal(line, &g.MarkedTurn); err != nil {
			return nil, fmt.Errorf("eval: %s: line %d: %w: no turn with its entities, times, facts, corefs and sentences: %v", name, number, dsl.ErrInvalid, err)
		}
		switch {
		case g.ID == "" || g.Lang == "":
			return nil, fmt.Errorf("eval: %s: line %d: %w: a turn needs \"id\" and \"lang\"", name, number, dsl.ErrInvalid)
		case seen[g.ID]:
			return nil, fmt.Errorf("eval: %s: line %d: %w: the turn %q is there twice", name, number, dsl.ErrInvalid, g.ID)
		}
		seen[g.ID] = true
		out = append(out, g)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("eval: %s: %w: it holds no turns", name, dsl.ErrInvalid)
	}
	return out, nil
}
