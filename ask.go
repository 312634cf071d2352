package asof

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/retrieval/reader"
)

// Reply is a reader's answer with the evidence that it was read from.
type Reply struct {
	reader.Answer
	// From is the pack with what was worked out from it; it is frozen: another
	// reader may read the same.
	From Evidence
	// Reader names who answered.
	Reader string
}

// Ask compiles the evidence pack of a question and has a reader answer from it; nil
// is the extractive reader, which needs no model. With it the same question at the
// same basis gives the same answer, whatever was recorded since.
func (db *DB) Ask(ctx context.Context, space string, at At, q SearchQuery, opt PackOptions, r reader.Reader) (Reply, error) {
	v, err := db.View(space, at)
	if err != nil {
		return Reply{}, err
	}
	defer v.Close()
	return v.Ask(ctx, q, opt, r)
}

// Ask is DB.Ask on a view that is open.
func (v *View) Ask(ctx context.Context, q SearchQuery, opt PackOptions, r reader.Reader) (Reply, error) {
	p, err := v.Pack(ctx, q, opt)
	if err != nil {
		return Reply{}, err
	}
	e, err := v.Scaffolds(p, nil)
	if err != nil {
		return Reply{}, err
	}
	if r == nil {
		r = v.Extractive()
	}
	a, err := r.Read(ctx, reader.Input{Pack: p, Scaffolds: e.Scaffolds, Asked: v.asked(&q)})
	if err != nil {
		return Reply{}, err
	}
	return Reply{Answer: a, From: e, Reader: r.Name()}, nil
}

// Extractive gives the reader that needs no model, with the extractor of the view.
func (v *View) Extractive() reader.Extractive { return reader.Extractive{Pipeline: v.engine.plain} }

// asked gives when a question is asked: as it says, else at the instant of valid
// time that it asks for, else at the record time of the view.
func (v *View) asked(q *SearchQuery) dsl.Instant {
	at := v.Basis().Time
	if q.Valid != nil {
		at = *q.Valid
	}
	if q.Asked != nil {
		at = *q.Asked
	}
	if !at.Finite() {
		return 0
	}
	return at
}

// ReplyOut is a reply in the JSON of INTERFACE.md.
type ReplyOut struct {
	Answer    string         `json:"answer"`
	Abstained bool           `json:"abstained"`
	Reason    reader.Reason  `json:"reason,omitzero"`
	Evidence  []string       `json:"evidence_id"`
	Digest    dsl.Hash       `json:"pack_digest"`
	Reader    string         `json:"reader"`
	Tokens    TokensOut      `json:"tokens"`
	Basis     jsontext.Value `json:"basis"`
}

// TokensOut counts what a reader read and wrote: by its model's own tokens, or
// without a model by the tokenizer of packs.
type TokensOut struct {
	Read    int `json:"read"`
	Written int `json:"written"`
}

// Out gives the reply as it is printed.
func (r *Reply) Out() ReplyOut {
	return ReplyOut{Answer: r.Text, Abstained: r.Abstained, Reason: r.Reason, Evidence: r.Answer.Evidence, Digest: r.From.Digest, Reader: r.Reader,
		Tokens: TokensOut{r.Read, r.Written}, Basis: r.From.Basis}
}
