package asof

import (
	"context"
	"log/slog"

	"github.com/asof-db/asof/retrieval"
	"github.com/asof-db/asof/retrieval/pack"
)

// PackOptions say how an evidence pack is compiled; zero values are those of the
// configuration.
type PackOptions struct {
	// Budget is the most tokens of the text.
	Budget int
	// Mode is the way of packing, Lang the language of the words that it adds.
	Mode pack.Mode
	Lang string
	// Stats and Active override the configuration where they are not nil.
	Stats, Active *bool
}

// Pack compiles what a space held at a basis about a question into an evidence
// pack. The same question at the same basis gives the same pack, whatever was
// recorded since.
func (db *DB) Pack(ctx context.Context, space string, at At, q SearchQuery, opt PackOptions) (*pack.Pack, error) {
	v, err := db.View(space, at)
	if err != nil {
		return nil, err
	}
	defer v.Close()
	return v.Pack(ctx, q, opt)
}

// packKinds are the kinds of document that packs are made of.
var packKinds = []retrieval.Kind{retrieval.Turn, retrieval.Fact, retrieval.Event}

// Pack is DB.Pack on a view that is open. The query's K and Kinds are not looked
// at.
func (v *View) Pack(ctx context.Context, q SearchQuery, opt PackOptions) (*pack.Pack, error) {
	if q.Part == nil {
		if err := v.embed(ctx, packKinds); err != nil {
			return nil, err
		}
	}
	from := v.db.BasisOut(v.Basis())
	from.Partial = partialOut(q.Part)
	basis, err := EncodeJSON(from)
	if err != nil {
		return nil, err
	}
	o := v.engine.packing(v.db)
	o.Basis = basis
	if opt.Mode != "" && opt.Mode != o.Mode {
		scorer := o.Sessions.Scorer
		o.Mode, o.Sessions = opt.Mode, pack.SessionsOf(opt.Mode)
		o.Sessions.Scorer = scorer
		o.Budget = opt.Budget // the configured one is that of another mode
	}
	if opt.Budget != 0 {
		o.Budget = opt.Budget
	}
	if opt.Lang != "" {
		o.Lang = opt.Lang
	}
	if opt.Stats != nil {
		o.Stats = *opt.Stats
	}
	if opt.Active != nil {
		o.Active = *opt.Active
	}
	o.Search.Done = v.db.metrics.answering()
	p, err := pack.Compile(ctx, v.View, q, o)
	if err != nil {
		v.db.metrics.answered(kindPack, 0, err)
		v.db.logAt(ctx, "pack", v.Basis(), err)
		return nil, err
	}
	v.db.metrics.answered(kindPack, len(p.Items), nil)
	v.db.logAt(ctx, "pack", v.Basis(), nil, slog.Int("items", len(p.Items)), slog.Int("tokens", p.Tokens))
	v.db.metrics.tokens.Observe(float64(p.Tokens))
	return p, nil
}

// PackUnder is Pack as a memory with the same content but under another
// configuration would answer, as far as questions go.
func (v *View) PackUnder(ctx context.Context, q SearchQuery, opt PackOptions, p *Profile) (*pack.Pack, error) {
	w := *v
	w.engine = p.engine
	return w.Pack(ctx, q, opt)
}
