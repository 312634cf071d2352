package asof_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/dsl"
)

// TestLogNamesRequest finds request, space and position in the lines of a write, a
// search, a pack and a search that fails, and nothing of what was said.
func TestLogNamesRequest(t *testing.T) {
	var lines bytes.Buffer
	db, err := asof.Open(ctx, asof.Options{Logger: slog.New(slog.NewTextHandler(&lines, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	named := asof.WithRequest(ctx, "r-17")
	turn := dsl.Turn{ID: "t1", Speaker: dsl.Plain("Anna"), Text: dsl.Plain("I live in Boston."), TS: 1_700_000_000_000_000}
	if _, err := db.Ingest(named, []asof.Item{{Space: "home", Turn: &turn}}); err != nil {
		t.Fatal(err)
	}
	q := asof.SearchQuery{Text: "Where does Anna live in Boston?", K: 3}
	if _, err := db.Search(named, "home", asof.At{}, q); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Pack(named, "home", asof.At{}, q, asof.PackOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Search(named, "home", asof.At{}, asof.SearchQuery{Text: q.Text, K: -1}); !errors.Is(err, dsl.ErrInvalid) {
		t.Fatalf("k = -1: %v", err)
	}
	got := lines.String()
	for _, want := range []string{
		"level=DEBUG msg=ingest request=r-17 space=home position=1 items=1",
		"level=DEBUG msg=search request=r-17 space=home position=1 hits=",
		"level=DEBUG msg=pack request=r-17 space=home position=1 items=",
		"level=INFO msg=search request=r-17 space=home position=1",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no line %q", want)
		}
	}
	if strings.Contains(got, "Boston") {
		t.Error("the log holds what was said")
	}
	if t.Failed() {
		t.Log(got)
	}
}
