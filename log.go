package asof

import (
	"context"
	"log/slog"

	"github.com/asof-db/asof/store"
)

// requestKey is the key of a request's name in a context.
type requestKey struct{}

// WithRequest names the request that a call is made for: lines that the memory
// logs for the call have it as "request", beside "space" and "position".
func WithRequest(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestKey{}, id)
}

// logAt logs what was done at a basis, at the level debug, or what failed, at the
// level info: the caller has the error. It says nothing of what users
// wrote but the name of the space.
func (db *DB) logAt(ctx context.Context, what string, b store.Basis, err error, more ...slog.Attr) {
	level := slog.LevelDebug
	if err != nil {
		level, more = slog.LevelInfo, append(more, slog.Any("err", err))
	}
	if !db.log.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{slog.String("space", b.Space), slog.Uint64("position", uint64(b.Seq))}
	if id, ok := ctx.Value(requestKey{}).(string); ok {
		attrs = append([]slog.Attr{slog.String("request", id)}, attrs...)
	}
	db.log.LogAttrs(ctx, level, what, append(attrs, more...)...)
}

// logTaken logs what became of the items of a request, each space once with the
// last position that it has now.
func (db *DB) logTaken(ctx context.Context, r *request) {
	if !db.log.Enabled(ctx, slog.LevelDebug) {
		return
	}
	last, items := map[string]store.Basis{}, map[string]int{}
	var order []string
	for _, got := range r.receipts {
		if got.Seq == 0 {
			continue
		}
		if items[got.Space]++; items[got.Space] == 1 {
			order = append(order, got.Space)
		}
		b := last[got.Space]
		last[got.Space] = store.Basis{Space: got.Space, Seq: max(b.Seq, got.Seq)}
	}
	for _, space := range order {
		db.logAt(ctx, "ingest", last[space], nil, slog.Int("items", items[space]))
	}
}
