package asof_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/retrieval"
	"github.com/asof-db/asof/retrieval/pack"
	"github.com/asof-db/asof/retrieval/scaffold"
)

func packOf(t *testing.T, db *asof.DB, space, question string, opt asof.PackOptions) *pack.Pack {
	t.Helper()
	p, err := db.Pack(ctx, space, asof.At{}, asof.SearchQuery{Text: question}, opt)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Verify(); err != nil {
		t.Error(err)
	}
	return p
}

// TestPackAlways asks what is no good question, of a memory that holds something
// and of one that holds nothing.
func TestPackAlways(t *testing.T) {
	db := openAt(t, "")
	ingest(t, db, talk("s", 40, 9))
	for _, space := range []string{"s", "nothing"} {
		for _, mode := range []pack.Mode{pack.Evidence, pack.Detchain, pack.Compass} {
			for name, q := range map[string]string{"nothing": "", "stop words": "what is it that you were", "emoji": "🎉🎉🎉", "100 kB": strings.Repeat("where does Ana live? ", 5000), "zh": "小李喜欢什么？", "zero": "\x01 \n\t"} {
				p := packOf(t, db, space, q, asof.PackOptions{Mode: mode})
				if space == "nothing" && (len(p.Items) != 0 || p.Text != "" || p.Tokens != 0 || p.At != nil) {
					t.Errorf("%s, %s: an empty memory has a pack of %d tokens", mode, name, p.Tokens)
				}
			}
		}
	}
}

// TestPackJSON holds the machine form to INTERFACE.md.
func TestPackJSON(t *testing.T) {
	db := openAt(t, "")
	ingest(t, db, talk("s", 40, 9))
	p := packOf(t, db, "s", "Where does Ana live?", asof.PackOptions{Budget: 120})
	b, err := asof.EncodeJSON(p)
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"basis", "digest", "tokens", "tokenizer", "items", "text", "receipt"} {
		if all[name] == nil {
			t.Errorf("no %q in %s", name, b)
		}
	}
	items := all["items"].([]any)
	if len(items) == 0 {
		t.Fatal("no item")
	}
	for _, it := range items {
		for _, name := range []string{"kind", "id", "valid", "record", "active_at", "evidence_id", "text"} {
			if _, ok := it.(map[string]any)[name]; !ok {
				t.Errorf("no %q in item %v", name, it)
			}
		}
	}
	// The digest is that of the canonical JSON without it.
	delete(all, "digest")
	if b, err = json.Marshal(all); err != nil {
		t.Fatal(err)
	}
	if b, err = dsl.CanonicalValue(b); err != nil {
		t.Fatal(err)
	}
	if got := dsl.Sum(b); got != p.Digest {
		t.Errorf("the digest is %s, recomputed %s", p.Digest, got)
	}
}

// TestPackOfView asks as recorded and as was.
func TestPackOfView(t *testing.T) {
	db := openAt(t, "")
	base := dsl.Instant(1_680_000_000_000_000)
	var items []asof.Item
	for i, text := range []string{"I live in Boston.", "I moved to Seattle last month.", "I love hiking near Seattle."} {
		items = append(items, asof.Item{Space: "s", Turn: &dsl.Turn{ID: string(rune('a' + i)), Session: "x", Speaker: dsl.Plain("Ana"), TS: base + dsl.Instant(i)*60*dsl.Day, Text: dsl.Plain(text)}})
	}
	ingest(t, db, items)
	early := base + dsl.Day
	p, err := db.Pack(ctx, "s", asof.At{}, asof.SearchQuery{Text: "Where does Ana live?", View: retrieval.AsWas, Valid: &early}, asof.PackOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(p.Text, "hiking") || !strings.Contains(p.Text, "I live in Boston.") || *p.At != early {
		t.Errorf("as was on the first day:\n%s", p.Text)
	}
	for _, it := range p.Items {
		if it.ActiveAt != nil && (*it.ActiveAt != early || !it.Valid.Contains(early)) {
			t.Errorf("item %+v is active", it)
		}
	}
	head := packOf(t, db, "s", "Where does Ana live?", asof.PackOptions{})
	// What ended is told by the fact, and marked; the turn alone would not say so.
	if !strings.Contains(head.Text, "Boston") || !strings.Contains(head.Text, "(not now)") {
		t.Errorf("at the head:\n%s", head.Text)
	}
	no := false
	if plain := packOf(t, db, "s", "Where does Ana live?", asof.PackOptions{Active: &no}); strings.Contains(plain.Text, "not now") {
		t.Errorf("without the switch:\n%s", plain.Text)
	}
	v, err := db.View("s", asof.At{})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	e, err := v.Scaffolds(head, []scaffold.Kind{scaffold.Freshness, scaffold.Timeline})
	if err != nil || len(e.Scaffolds) != 2 || e.Digest != head.Digest || e.Contradiction != "" {
		t.Errorf("scaffolds %+v, %v", e.Scaffolds, err)
	}
	if none, err := v.Scaffolds(head, nil); err != nil || len(none.Scaffolds) != 0 {
		t.Errorf("the built-in profile gives scaffolds: %+v, %v", none.Scaffolds, err)
	}
	if got := asof.FittingScaffolds(packOf(t, db, "s", "When did Ana move?", asof.PackOptions{})); !slices.Equal(got, []scaffold.Kind{scaffold.Timeline}) {
		t.Errorf("fitting %v", got)
	}
}
