package asof

import (
	"context"

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
	r, err := retrieval.Search(ctx, v.View, q, v.db.engine.retrieval(&v.db.analyzer))
	if err == nil && r.Unkept != nil {
		v.db.encoding.note(v.Basis().Space, r.Unkept...)
	}
	return r, err
}

// SettingsHash names what a present answer is computed under: the hash of the
// effective semantic configuration, registry and versions.
func (db *DB) SettingsHash() dsl.Hash { return db.engine.settingsHash }
