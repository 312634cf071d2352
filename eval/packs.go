package eval

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/asof-db/asof/dsl"
)

// Packer compiles evidence packs. A run whose Searcher is one too writes
// packs.jsonl and measures how much of the gold evidence is inside.
type Packer interface {
	// Pack gives the evidence pack of a question at the head of a space.
	Pack(ctx context.Context, space, question string) (Packed, error)
}

// Packed is an evidence pack as packs.jsonl shows it.
type Packed struct {
	// Tokens are those of Text by the pack's own tokenizer.
	Tokens int
	// Evidence are the turns whose telling content is in Text, Sessions the
	// sessions that it shows something of.
	Evidence, Sessions []string
	// Digest is the pack's own.
	Digest string
	Text   string
}

// packMetrics are means over the questions with gold: the share of the gold turns
// that are inside, whether all of them are, and the tokens of the pack.
var packMetrics = []string{"pack_evidence", "pack_all", "pack_tokens"}

// packs is the part of a run that compiles packs; the zero value does nothing.
type packs struct {
	of    Packer
	file  *outFile
	means means
}

// begin opens packs.jsonl where the searcher packs.
func (p *packs) begin(dir *folder, s Searcher) (err error) {
	if p.of, _ = s.(Packer); p.of != nil {
		p.file, err = dir.create("packs.jsonl")
	}
	return err
}

// packLine is one line of packs.jsonl.
type packLine struct {
	QID      string   `json:"qid"`
	Tokens   int      `json:"tokens"`
	Evidence []string `json:"evidence"`
	Sessions []string `json:"sessions"`
	Digest   string   `json:"digest"`
	Text     string   `json:"text"`
}

// question packs one question, writes its line and scores it.
func (p *packs) question(ctx context.Context, space, qid string, q *Question, turns map[string]bool) error {
	if p.of == nil {
		return nil
	}
	x, err := p.of.Pack(ctx, space, q.Text)
	if err != nil {
		return fmt.Errorf("eval: pack of question %s: %w", qid, err)
	}
	inside := map[string]bool{}
	for _, id := range x.Evidence {
		if !turns[id] || inside[id] {
			return fmt.Errorf("eval: pack of question %s: %w: evidence %q is no turn of this conversation, or there twice", qid, dsl.ErrInvalid, id)
		}
		inside[id] = true
	}
	line, err := json.Marshal(packLine{qid, x.Tokens, x.Evidence, x.Sessions, x.Digest, x.Text}, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("eval: pack of question %s: %w", qid, err)
	}
	p.file.Write(append(line, '\n')) // A failed write sticks in the buffer and comes back at seal.
	if len(q.Evidence) == 0 {
		return nil
	}
	found := 0
	for _, id := range q.Evidence {
		if inside[id] {
			found++
		}
	}
	all := 0.0
	if found == len(q.Evidence) {
		all = 1
	}
	p.means.add(q.Category, []float64{float64(found) / float64(len(q.Evidence)), all, float64(x.Tokens)})
	return nil
}

// rows gives the means of packs.
func (p *packs) rows() []Row { return p.means.rows(packMetrics) }
