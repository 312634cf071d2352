package eval

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/retrieval"
	"github.com/asof-db/asof/retrieval/pack"
	"github.com/asof-db/asof/retrieval/reader"
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
	// Answer is what the reader of the run says from it; nil without one.
	Answer *reader.Answer

	// compiled is the pack itself, for studies.
	compiled *pack.Pack
}

// packMetrics are means over the questions with gold: the share of the gold turns
// that are inside, whether all of them are, and the tokens of the pack.
var packMetrics = []string{"pack_evidence", "pack_all", "pack_tokens"}

// packs is what a run measured of packs.
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

// packOf gives the packing of a space where the searcher packs.
func packOf(s Searcher, space string) func(context.Context, *posed) (*Packed, error) {
	p, ok := s.(Packer)
	if !ok {
		return nil
	}
	return func(ctx context.Context, q *posed) (*Packed, error) {
		x, err := p.Pack(ctx, space, q.text)
		return &x, err
	}
}

// Pack implements Packer.
func (s dbSearcher) Pack(ctx context.Context, space, question string) (x Packed, err error) {
	v, err := s.db.View(space, asof.At{})
	if err != nil {
		return Packed{}, err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	p, err := packView(ctx, v, retrieval.Turn, &posed{text: question})
	if err != nil {
		return Packed{}, err
	}
	return *p, nil
}

// packView compiles the pack of a question in a view.
// A session is named as run.trec names it.
func packView(ctx context.Context, v *asof.View, kind retrieval.Kind, q *posed) (*Packed, error) {
	reply, err := v.Ask(ctx, asof.SearchQuery{Text: q.text, Asked: q.at}, asof.PackOptions{}, nil)
	if err != nil {
		return nil, err
	}
	p := &reply.From.Pack
	sessions := p.SessionNames()
	if kind == retrieval.Session {
		for i, name := range sessions {
			sessions[i] = docOf(&retrieval.Hit{Kind: kind, ID: name})
		}
	}
	return &Packed{Tokens: p.Tokens, Evidence: p.TurnIDs(), Sessions: sessions, Digest: p.Digest.String(), Text: p.Text, Answer: &reply.Answer, compiled: p}, nil
}

// checkPack refuses a pack whose evidence is not of the memory asked.
func (x *exam) checkPack(p *Packed) error {
	inside := map[string]bool{}
	for _, id := range p.Evidence {
		if !x.said[id] || inside[id] {
			return fmt.Errorf("%w: evidence %q is no turn of this conversation, or there twice", dsl.ErrInvalid, id)
		}
		inside[id] = true
	}
	return nil
}

// recordPack writes the line of one question's pack and scores it.
func (r *run) recordPack(q *posed, x *Packed) error {
	if x == nil {
		return nil
	}
	p := &r.packs
	if p.file == nil {
		var err error
		if p.file, err = r.dir.create("packs.jsonl"); err != nil {
			return err
		}
	}
	line, err := json.Marshal(packLine{q.qid, x.Tokens, x.Evidence, x.Sessions, x.Digest, x.Text}, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("eval: pack of question %s: %w", q.qid, err)
	}
	p.file.Write(append(line, '\n')) // A failed write sticks in the buffer and comes back at seal.
	if err := r.recordAnswer(q, x.Answer); err != nil {
		return err
	}
	if len(q.turns) == 0 {
		return nil
	}
	share, all := insidePack(q.turns, x.Evidence)
	p.means.add(q.category, []float64{share, all, float64(x.Tokens)})
	return nil
}

// insidePack gives the share of the gold turns that the evidence of a pack has, and
// 1 where it has all.
func insidePack(gold, evidence []string) (share, all float64) {
	inside := map[string]bool{}
	for _, id := range evidence {
		inside[id] = true
	}
	found := 0
	for _, id := range gold {
		if inside[id] {
			found++
		}
	}
	if found == len(gold) {
		all = 1
	}
	return float64(found) / float64(len(gold)), all
}

// rows gives the means of packs.
func (p *packs) rows() []Row { return p.means.rows(packMetrics) }
