package eval

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/retrieval"
)

// Packer compiles evidence packs: a Searcher that is one too has its packs written
// and measured.
type Packer interface {
	// Pack gives the evidence pack of a question at the head of a space.
	Pack(ctx context.Context, space, question string) (Packed, error)
}

// Packed is an evidence pack as packs.jsonl shows it.
type Packed struct {
	// Tokens are those of Text by the pack's own tokenizer.
	Tokens int
	// Evidence are the turns whose telling content is in Text, Sessions the
	// sessions that it shows something of, as run.trec names them.
	Evidence, Sessions []string
	// Digest is the pack's own.
	Digest string
	Text   string

	line []byte // of packs.jsonl
}

// packMetrics are means over the questions with gold: the share of the gold that
// is inside, whether all of it is, and the tokens of the pack.
var packMetrics = []string{"pack_evidence", "pack_all", "pack_tokens"}

// packFunc packs one question of one memory.
type packFunc func(ctx context.Context, q *posed) (Packed, error)

// packerOf gives the packing of a searcher, nil where it packs nothing.
func packerOf(s Searcher, space string) packFunc {
	p, ok := s.(Packer)
	if !ok {
		return nil
	}
	return func(ctx context.Context, q *posed) (Packed, error) { return p.Pack(ctx, space, q.text) }
}

// packed packs one question and checks what comes back.
func packed(ctx context.Context, x *exam, q *posed, pack packFunc) (*Packed, error) {
	p, err := pack(ctx, q)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for i := range x.dialogue.Turns {
		known[x.dialogue.Turns[i].ID] = true
	}
	for _, id := range p.Evidence {
		if !known[id] {
			return nil, fmt.Errorf("%w: evidence %q is no turn of this conversation, or there twice", dsl.ErrInvalid, id)
		}
		delete(known, id)
	}
	p.line, err = json.Marshal(packLine{q.qid, p.Tokens, p.Evidence, p.Sessions, p.Digest, p.Text}, json.Deterministic(true))
	return &p, err
}

// packView packs a question at a view.
func packView(ctx context.Context, v *asof.View, kind retrieval.Kind, q *posed) (Packed, error) {
	p, err := v.Pack(ctx, asof.SearchQuery{Text: q.text}, asof.PackOptions{})
	if err != nil {
		return Packed{}, err
	}
	sessions := p.SessionNames()
	if kind == retrieval.Session {
		for i, name := range sessions {
			sessions[i] = docOf(&retrieval.Hit{Kind: kind, ID: name})
		}
	}
	return Packed{Tokens: p.Tokens, Evidence: p.TurnIDs(), Sessions: sessions, Digest: p.Digest.String(), Text: p.Text}, nil
}

// Pack implements Packer.
func (s dbSearcher) Pack(ctx context.Context, space, question string) (Packed, error) {
	v, err := s.db.View(space, asof.At{})
	if err != nil {
		return Packed{}, err
	}
	defer v.Close()
	return packView(ctx, v, retrieval.Turn, &posed{text: question})
}

// packs is the part of a run that is about packs.
type packs struct {
	file  *outFile
	means means
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

// write writes the line of one pack and scores it. Gold is turns or sessions,
// whichever the data set ranks.
func (p *packs) write(q *posed, x *Packed) {
	_, _ = p.file.Write(append(x.line, '\n')) // A failed write sticks in the buffer and comes back at seal.
	if len(q.gold) == 0 {
		return
	}
	inside := map[string]bool{}
	for _, list := range [][]string{x.Evidence, x.Sessions} {
		for _, id := range list {
			inside[id] = true
		}
	}
	found := 0
	for _, id := range q.gold {
		if inside[id] {
			found++
		}
	}
	all := 0.0
	if found == len(q.gold) {
		all = 1
	}
	p.means.add(q.category, []float64{float64(found) / float64(len(q.gold)), all, float64(x.Tokens)})
}
