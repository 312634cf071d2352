package asof_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/dsl/ledger"
	"github.com/asof-db/asof/internal/models/modelstest"
	"github.com/asof-db/asof/retrieval"
	"github.com/asof-db/asof/store"
)

// tinyGroups are the words that tiny models know.
var tinyGroups = []string{"doctor physician", "garden basil tomatoes", "train late", "berlin moved"}

// tinyConfig names tiny models for searches.
func tinyConfig(t *testing.T, change func(*configs.Config)) configs.Config {
	t.Helper()
	cfg := configs.Default()
	cfg.Models.Dir, cfg.Models.Device = modelstest.Tiny(t, tinyGroups...), "cpu"
	cfg.Retrieval.UseStatic, cfg.Retrieval.NearWeight = false, 0
	change(&cfg)
	return cfg
}

// tinyMemory holds a few turns, said one by one.
func tinyMemory(t *testing.T, cfg configs.Config, reg prometheus.Registerer) *asof.DB {
	t.Helper()
	db, err := asof.Open(t.Context(), asof.Options{Config: &cfg, Ledger: ledger.NewMemory(1), Registerer: reg})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	tinyTurns(t, db, 0, len(tinySaid))
	return db
}

var tinySaid = []string{"Basil grows behind the house.", "The physician was kind.", "Nothing happened.", "We ran out of bread.", "It rained again.",
	"Somebody knocked.", "The lamp broke.", "Soup, then tea.", "A letter came.", "The cat slept.", "He laughed.", "Snow at last."}

func tinyTurns(t *testing.T, db *asof.DB, from, to int) {
	t.Helper()
	var items []asof.Item
	for i, text := range tinySaid[from:to] {
		n := from + i + 1
		items = append(items, asof.Item{Space: "s", Turn: &dsl.Turn{ID: string(rune('a' + n - 1)), Session: string(rune('a' + n - 1)), Speaker: dsl.Plain("Anna"), TS: dsl.Instant(int64(n) * 1e6), Text: dsl.Plain(text)}})
	}
	if _, err := db.Ingest(t.Context(), items); err != nil {
		t.Fatal(err)
	}
}

func askTiny(t *testing.T, db *asof.DB, q asof.SearchQuery) asof.SearchJSON {
	t.Helper()
	q.K, q.Kinds = 3, []retrieval.Kind{retrieval.Turn}
	r, err := db.Search(t.Context(), "s", asof.At{}, q)
	if err != nil {
		t.Fatal(err)
	}
	return db.SearchExplained(q.Text, &r)
}

// TestLateInteraction finds by a model of late interaction what no word of the
// question finds, through the code that runs real ones, and keeps its vectors.
func TestLateInteraction(t *testing.T) {
	cfg := tinyConfig(t, func(c *configs.Config) { c.Retrieval.UseColBERTLite = true })
	db := tinyMemory(t, cfg, nil)
	first := askTiny(t, db, asof.SearchQuery{Text: "Which doctor?"})
	if len(first.Hits) == 0 || first.Hits[0].ID != "b" || !strings.Contains(first.Basis.Scoring, "colbertv2 ") {
		t.Fatalf("hits %+v by %s", first.Hits, first.Basis.Scoring)
	}
	late := first.Hits[0].Channels
	if len(late) == 0 || late[len(late)-1].Channel != "colbertv2" || !(late[len(late)-1].Score > 0) {
		t.Errorf("channels: %+v", late)
	}
	v, err := db.View("s", asof.At{})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	marks, err := v.Watermarks([]retrieval.Kind{retrieval.Turn})
	if err != nil || len(marks) != 1 || marks[0].Documents != len(tinySaid) || !strings.HasPrefix(marks[0].Model, "tokens/") {
		t.Errorf("after a search the vectors go to %+v (%v)", marks, err)
	}
	if again := askTiny(t, db, asof.SearchQuery{Text: "Which doctor?"}); !reflect.DeepEqual(again, first) {
		t.Errorf("with kept vectors\n%+v\nbefore\n%+v", again, first)
	}
	// The past is what it was: a view is asked under vectors made later.
	other := tinyMemory(t, cfg, nil)
	q := asof.SearchQuery{Text: "doctor", K: 5}
	then, err := other.Search(t.Context(), "s", asof.AtSeq(4), q)
	if err != nil {
		t.Fatal(err)
	}
	now, err := db.Search(t.Context(), "s", asof.AtSeq(4), q)
	if err != nil || !reflect.DeepEqual(then.Hits, now.Hits) {
		t.Errorf("at #4 one memory gives\n%+v\nanother\n%+v (%v)", then.Hits, now.Hits, err)
	}
}

// TestNotReady holds a search by a model to a view wholly embedded: it makes what
// lacks, or says that it is not ready; a part is named in the basis.
func TestNotReady(t *testing.T) {
	reg := prometheus.NewRegistry()
	cfg := tinyConfig(t, func(c *configs.Config) {
		c.Retrieval.UseE5, c.Retrieval.DenseModel, c.Models.EmbedFirst = true, "bge-m3", 4
	})
	db := tinyMemory(t, cfg, reg)
	q := asof.SearchQuery{Text: "Which doctor?", K: 3, Kinds: []retrieval.Kind{retrieval.Turn}}
	// Past the bound it is not ready; a view of few documents is.
	_, err := db.Search(t.Context(), "s", asof.At{}, q)
	if !errors.Is(err, retrieval.ErrNotReady) || !strings.Contains(err.Error(), "0 of 12 documents") || !strings.Contains(err.Error(), "--partial") {
		t.Fatalf("with 12 documents to embed and 4 allowed: %v", err)
	}
	if _, err := db.Pack(t.Context(), "s", asof.At{}, q, asof.PackOptions{}); err != nil && !errors.Is(err, retrieval.ErrNotReady) {
		t.Fatalf("pack: %v", err)
	}
	// The refused search had them made in the background.
	kept(t, db, "s", store.TurnField, 12)
	whole := askTiny(t, db, q)
	if len(whole.Hits) == 0 || whole.Hits[0].ID != "b" || whole.Basis.Partial != nil {
		t.Fatalf("ready, it gives %+v from %+v", whole.Hits, whole.Basis)
	}
	v, err := db.View("s", asof.At{})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	if q.Part, err = v.Watermarks(q.Kinds); err != nil {
		t.Fatal(err)
	}
	all := askTiny(t, db, q)
	if !reflect.DeepEqual(all.Hits, whole.Hits) || len(all.Basis.Partial) != 1 || all.Basis.Partial[0].Documents != 12 || all.Basis.Partial[0].Of != 12 {
		t.Errorf("a part that is all gives %+v from %+v", all.Hits, all.Basis.Partial)
	}
	q.Part[0].Documents = 1 // before the physician
	part := askTiny(t, db, q)
	if len(part.Hits) > 0 && part.Hits[0].ID == "b" || part.Basis.Partial[0].Documents != 1 {
		t.Errorf("a part without the answer gives %+v from %+v", part.Hits, part.Basis.Partial)
	}
	p, err := db.Pack(t.Context(), "s", asof.At{}, q, asof.PackOptions{})
	if err != nil || !strings.Contains(string(p.Basis), `"documents":1`) {
		t.Errorf("the pack's basis is %s (%v)", p.Basis, err)
	}
	for _, c := range []struct{ name, label string }{{"asof_search_coverage_total", "not_ready"}, {"asof_search_coverage_total", "partial"}, {"asof_vectors_made_total", "background"}} {
		if n := counted(t, reg, c.name, c.label); !(n > 0) {
			t.Errorf("%s of %s is %v", c.name, c.label, n)
		}
	}
}

// counted gives the value of a counter with a label.
func counted(t *testing.T, reg *prometheus.Registry, name, label string) float64 {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == name && len(m.GetLabel()) == 1 && m.GetLabel()[0].GetValue() == label {
				return m.GetCounter().GetValue()
			}
		}
	}
	return 0
}

// TestEmbedsFirst has a search keep what it makes, so that the next finds it made,
// also after a replay, which has none.
func TestEmbedsFirst(t *testing.T) {
	reg := prometheus.NewRegistry()
	cfg := tinyConfig(t, func(c *configs.Config) { c.Retrieval.UseE5, c.Retrieval.DenseModel = true, "bge-m3" })
	cfg.Models.EmbedFirst = 12
	db := tinyMemory(t, cfg, reg)
	first := askTiny(t, db, asof.SearchQuery{Text: "doctor"})
	if n := counted(t, reg, "asof_vectors_made_total", "search"); n != 12 {
		t.Errorf("the search made %v vectors, want 12", n)
	}
	if second := askTiny(t, db, asof.SearchQuery{Text: "doctor"}); !reflect.DeepEqual(first, second) {
		t.Errorf("once more: %+v, before %+v", second, first)
	}
	if n := counted(t, reg, "asof_vectors_made_total", "search"); n != 12 {
		t.Errorf("after two searches %v vectors were made, want 12", n)
	}
	// A profile of another configuration has its own kept too.
	late := cfg
	late.Retrieval.UseE5, late.Retrieval.UseColBERTLite = false, true
	p, err := asof.NewProfile(late)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	v, err := db.View("s", asof.At{})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	r, err := v.SearchUnder(t.Context(), asof.SearchQuery{Text: "doctor", K: 1, Kinds: []retrieval.Kind{retrieval.Turn}}, p)
	if err != nil || len(r.Hits) == 0 || r.Hits[0].ID != "b" || len(r.Unkept) != 0 {
		t.Errorf("under another profile: %+v, %v", r, err)
	}
	if n := counted(t, reg, "asof_vectors_made_total", "search"); n != 24 {
		t.Errorf("%v vectors were made in all, want 24", n)
	}
}

// TestEmbedsOnce has many searches at once wait for the same vectors, which are made
// once.
func TestEmbedsOnce(t *testing.T) {
	reg := prometheus.NewRegistry()
	cfg := tinyConfig(t, func(c *configs.Config) { c.Retrieval.UseE5, c.Retrieval.DenseModel = true, "bge-m3" })
	db := tinyMemory(t, cfg, reg)
	answers := make([]asof.SearchResult, 8)
	errs := make([]error, len(answers))
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() {
			answers[i], errs[i] = db.Search(t.Context(), "s", asof.At{}, asof.SearchQuery{Text: "doctor", K: 3, Kinds: []retrieval.Kind{retrieval.Turn}})
		})
	}
	wg.Wait()
	for i := range answers {
		if errs[i] != nil || !reflect.DeepEqual(answers[i].Hits, answers[0].Hits) {
			t.Errorf("search %d gives %+v, the first %+v (%v)", i, answers[i].Hits, answers[0].Hits, errs[i])
		}
	}
	if n := counted(t, reg, "asof_vectors_made_total", "search"); n != float64(len(tinySaid)) {
		t.Errorf("%v vectors were made, want %d", n, len(tinySaid))
	}
}

// TestModelThatFails says not ready where a model that is there cannot embed.
func TestModelThatFails(t *testing.T) {
	cfg := tinyConfig(t, func(c *configs.Config) { c.Retrieval.UseE5, c.Retrieval.DenseModel = true, "bge-m3" })
	if err := os.WriteFile(filepath.Join(cfg.Models.Dir, "bge-m3", "model.onnx"), []byte("no network"), 0o600); err != nil {
		t.Fatal(err)
	}
	if db, err := asof.Open(t.Context(), asof.Options{Config: &cfg, Ledger: ledger.NewMemory(1)}); err == nil {
		db.Close()
		t.Error("a broken network opened")
	}
}
