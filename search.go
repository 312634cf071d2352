package asof

import (
	"context"
	"errors"
	"log/slog"

	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/retrieval"
)

// SearchQuery is a question to one view.
type SearchQuery = retrieval.Query

// SearchResult is the answer to it.
type SearchResult = retrieval.Result

// Search ranks what a space held at a basis for a question. The same question
// at the same basis gives the same result, whatever was recorded since.
func (db *DB) Search(ctx context.Context, space string, at At, q SearchQuery) (SearchResult, error) {
	v, err := db.View(space, at)
	if err != nil {
		return SearchResult{}, err
	}
	defer v.Close()
	return v.Search(ctx, q)
}

// Search is DB.Search on a view that is open.
func (v *View) Search(ctx context.Context, q SearchQuery) (SearchResult, error) {
	if q.Part == nil {
		if err := v.embed(ctx, q.Kinds); err != nil {
			return SearchResult{}, err
		}
	} else {
		v.db.metrics.unready.WithLabelValues(fatePartial).Inc()
	}
	opt := v.engine.retrieval(v.db)
	opt.Done = v.db.metrics.answering()
	r, err := retrieval.Search(ctx, v.View, q, opt)
	v.db.metrics.answered(kindSearch, len(r.Hits), err)
	v.db.logAt(ctx, "search", v.Basis(), err, slog.Int("hits", len(r.Hits)))
	if err == nil && r.Unkept != nil {
		v.db.encoding.note(v.Basis().Space, r.Unkept...)
	}
	return r, err
}

// Profile is a configuration made ready to ask under.
type Profile struct {
	engine *engine
	set    *modelSet
}

// Close frees the models that the configuration names.
func (p *Profile) Close() error { return p.set.close() }

// NewProfile makes a configuration ready. What this build lacks of it, and what
// it has no model for, is an error.
func NewProfile(cfg configs.Config) (*Profile, error) {
	set := &modelSet{cfg: &cfg}
	e, err := openEngine(cfg, set, nil, nil)
	if err == nil {
		_, err = openRankModels(e, &cfg, set)
	}
	if err != nil {
		return nil, errors.Join(err, set.close())
	}
	return &Profile{e, set}, nil
}

// Models are models that profiles share: each is loaded once for all of them.
type Models struct{ set *modelSet }

// NewModels gives the models of the folder that a configuration names. None is
// loaded before a profile asks for it.
func NewModels(cfg configs.Config) *Models { return &Models{&modelSet{cfg: &cfg}} }

// Close frees the models. Profiles made of them are of no use after it.
func (m *Models) Close() error { return m.set.close() }

// Profile is NewProfile with these models. Closing the profile frees none of them.
func (m *Models) Profile(cfg configs.Config) (*Profile, error) {
	e, err := openEngine(cfg, m.set, nil, nil)
	if err == nil {
		_, err = openRankModels(e, &cfg, m.set)
	}
	if err != nil {
		return nil, err
	}
	return &Profile{engine: e}, nil
}

// Ranking gives the profile with options of the search changed, also such as no
// key of a configuration names: for measuring. It uses the models of p, which is
// to be closed after it.
func (p *Profile) Ranking(change func(*retrieval.Options)) *Profile {
	e := *p.engine
	change(&e.ranking)
	return &Profile{engine: &e}
}

// SearchUnder is Search as a memory with the same content but under another
// configuration would answer, as far as questions go: what was taken in stays as
// the memory's own configuration made it.
func (v *View) SearchUnder(ctx context.Context, q SearchQuery, p *Profile) (SearchResult, error) {
	w := *v
	w.engine = p.engine
	return w.Search(ctx, q)
}

// SettingsHash names what a present answer is computed under: the hash of the
// effective semantic configuration, registry and versions.
func (db *DB) SettingsHash() dsl.Hash { return db.engine.settingsHash }

// Extractor names the extraction pipeline and its version.
func (db *DB) Extractor() string { return db.engine.pipeline.Version() }

// RankSignals gives the best turns for a question in the order that they have
// before they are ordered anew, with the signals that the ranker of
// retrieval/rerank orders them by.
func (v *View) RankSignals(ctx context.Context, q SearchQuery) ([]retrieval.Scored, error) {
	return retrieval.Signals(ctx, v.View, q, v.engine.retrieval(v.db))
}
