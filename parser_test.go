package asof

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/dsl"
)

const allParser = "ner: {mode: B'}\ncoref: {mode: B}\ntime: {sutime: true}\nrelation: {parse: true}\n"

// farTurn says where Anna lives by a path that no pattern reads.
const farTurn = "I live with my wife in Boston."

// farAnswer is what a CoreNLP server says of it.
const farAnswer = `{"sentences":[{"tokens":[
{"characterOffsetBegin":0,"characterOffsetEnd":1,"lemma":"I","pos":"PRP"},{"characterOffsetBegin":2,"characterOffsetEnd":6,"lemma":"live","pos":"VBP"},
{"characterOffsetBegin":7,"characterOffsetEnd":11,"lemma":"with","pos":"IN"},{"characterOffsetBegin":12,"characterOffsetEnd":14,"lemma":"my","pos":"PRP$"},
{"characterOffsetBegin":15,"characterOffsetEnd":19,"lemma":"wife","pos":"NN"},{"characterOffsetBegin":20,"characterOffsetEnd":22,"lemma":"in","pos":"IN"},
{"characterOffsetBegin":23,"characterOffsetEnd":29,"lemma":"Boston","pos":"NNP"},{"characterOffsetBegin":29,"characterOffsetEnd":30,"lemma":".","pos":"."}],
"entitymentions":[{"tokenBegin":6,"tokenEnd":7,"ner":"CITY"}],
"basicDependencies":[{"dep":"nsubj","governor":2,"dependent":1},{"dep":"ROOT","governor":0,"dependent":2},{"dep":"case","governor":5,"dependent":3},
{"dep":"nmod:poss","governor":5,"dependent":4},{"dep":"obl","governor":2,"dependent":5},{"dep":"case","governor":7,"dependent":6},{"dep":"obl","governor":2,"dependent":7},{"dep":"punct","governor":2,"dependent":8}]}],"corefs":{}}`

// annaSays is one turn.
func annaSays(text string) Item {
	return Item{Space: "story", Turn: &dsl.Turn{ID: "t1", Session: "s", Speaker: dsl.Plain("Anna"), Text: dsl.Plain(text), TS: dsl.FromTime(time.Date(2023, 5, 8, 10, 0, 0, 0, time.UTC))}}
}

// openMemory opens a memory under a configuration that asks the server at an address.
func openMemory(t *testing.T, cfg configs.Config) *DB {
	t.Helper()
	p, err := OpenParser(t.Context(), cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	db, err := Open(t.Context(), Options{Config: &cfg, Parser: p})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func parserConfig(t *testing.T, yaml, url string) configs.Config {
	t.Helper()
	cfg, err := configs.Load([]byte(yaml+"corenlp: {url: \""+url+"\", timeout: 2m}\n"), "test")
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// TestParserInTheLog: what a CoreNLP server made of a turn is in the log as candidates, under its name;
// replay and audit ask nobody, and where it fails the rules' candidates stand, which the log tells too.
func TestParserInTheLog(t *testing.T) {
	asked, down := 0, false
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/ready":
		case "/asof/version":
			fmt.Fprint(w, "4.5.10")
		default:
			asked++
			if down {
				http.Error(w, "down", http.StatusInternalServerError)
				return
			}
			if b := make([]byte, 10); r.ContentLength == int64(len(farTurn)) {
				fmt.Fprint(w, farAnswer)
			} else if n, _ := r.Body.Read(b); n > 0 {
				fmt.Fprint(w, `{"sentences":[],"corefs":{}}`)
			}
		}
	}))
	defer s.Close()
	cfg := parserConfig(t, allParser, s.URL)
	for _, fails := range []bool{false, true} {
		down = false
		db := openMemory(t, cfg)
		down = fails
		if _, err := db.Ingest(t.Context(), []Item{annaSays(farTurn)}); err != nil {
			t.Fatal(err)
		}
		before := asked
		tx := entriesOf(t, db)[0]
		var got []string
		for _, c := range tx.Candidates {
			got = append(got, c.Source+" "+c.Rel+" "+c.Dst.String())
		}
		if want := "corenlp lives_in Boston"; slices.Contains(got, want) == fails {
			t.Errorf("down %t: candidates %q", fails, got)
		}
		if !strings.Contains(tx.Extractor, "@corenlp/4.5.10") || strings.Contains(tx.Extractor, "relation.B:corenlp/4.5.10:failed") != fails {
			t.Errorf("down %t: the log names the extractor %q", fails, tx.Extractor)
		}
		down = true
		if !fails {
			audited(t, db)
		}
		if rep, err := db.Replay(t.Context(), t.TempDir(), nil, ""); err != nil || !rep.Equal {
			t.Errorf("replay: %+v, %v", rep, err)
		}
		if r, err := db.Audit(t.Context(), "", ReExtract()); err != nil || !r.OK() || r.Extracted != 0 {
			t.Errorf("audit with extraction: %+v, %v", r, err)
		}
		if asked != before {
			t.Errorf("replay and audit asked the server %d times", asked-before)
		}
	}
	// Who reads a memory needs no server, and has the same settings.
	down = false
	with := openMemory(t, cfg)
	without, err := Open(t.Context(), Options{Config: &cfg})
	if err != nil {
		t.Fatal(err)
	}
	defer without.Close()
	if with.SettingsHash() != without.SettingsHash() {
		t.Error("the settings hang on whether a server is there")
	}
	for _, it := range []Item{annaSays(farTurn), {Space: "story", Gap: &GapRequest{Kind: dsl.GapEmpty, Query: "Who?"}}} {
		if _, err := without.Ingest(t.Context(), []Item{it}); !errors.Is(err, dsl.ErrInvalid) || !strings.Contains(err.Error(), "relation.parse: true") || !strings.Contains(err.Error(), "server.sh start") {
			t.Errorf("a turn without a server: %v", err)
		}
	}
}

func TestOpenParser(t *testing.T) {
	if p, err := OpenParser(t.Context(), configs.Default(), nil); p != nil || err != nil {
		t.Errorf("the default asks a server: %v, %v", p, err)
	}
	for _, c := range []struct{ yaml, keys string }{
		{"ner: {mode: B'}\n", "ner.mode: B'"}, {"coref: {mode: B}\n", "coref.mode: B"}, {"time: {sutime: true}\n", "time.sutime: true"},
		{"relation: {parse: true}\n", "relation.parse: true"}, {allParser, "ner.mode: B', coref.mode: B, time.sutime: true, relation.parse: true needs"},
	} {
		if _, err := OpenParser(t.Context(), parserConfig(t, c.yaml, "http://127.0.0.1:1"), nil); err == nil || !strings.Contains(err.Error(), c.keys) || !strings.Contains(err.Error(), "server.sh start") {
			t.Errorf("%s: %v", c.yaml, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := OpenParser(ctx, parserConfig(t, allParser, "http://127.0.0.1:1"), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v", err)
	}
}

// TestRealServerInTheLog is TestParserInTheLog with the server that ASOF_CORENLP_URL names; .ci/run starts
// one.
func TestRealServerInTheLog(t *testing.T) {
	address := os.Getenv("ASOF_CORENLP_URL")
	if address == "" {
		t.Skip("ASOF_CORENLP_URL names no CoreNLP server (deploy/corenlp/server.sh start prints one's address)")
	}
	db := openMemory(t, parserConfig(t, allParser, address))
	if _, err := db.Ingest(t.Context(), []Item{annaSays("My brother works as a nurse with kids at Mercy Hospital. I live with my wife and our two kids in Boston.")}); err != nil {
		t.Fatal(err)
	}
	tx := entriesOf(t, db)[0]
	var got []string
	for _, c := range tx.Candidates {
		got = append(got, c.Source+" "+c.Src.String()+" "+c.Rel+" "+c.Dst.String())
	}
	for _, want := range []string{"corenlp Anna/brother works_at Mercy Hospital", "corenlp Anna lives_in Boston"} {
		if !slices.Contains(got, want) {
			t.Errorf("no %q among %q", want, got)
		}
	}
	if strings.Contains(tx.Extractor, ":failed") || !strings.Contains(tx.Extractor, "@corenlp/4.5.10") {
		t.Errorf("the log names the extractor %q", tx.Extractor)
	}
	audited(t, db)
}
