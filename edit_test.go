package asof_test

import (
	"errors"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/retrieval"
)

// edited is talk in which one turn in five is an edit of an earlier one, of any
// session, replaced before or not.
func edited(space string, n int, seed int64) []asof.Item {
	rng := rand.New(rand.NewSource(seed))
	items := talk(space, n, seed)
	for i := range items {
		if i > 0 && rng.Intn(5) == 0 {
			items[i].Turn.Replaces = items[rng.Intn(i)].Turn.ID
		}
	}
	return items
}

// said makes a turn of a space.
func said(id, replaces, speaker, ts, text string) asof.Item {
	clock, err := time.Parse(time.RFC3339, ts)
	if err != nil {
		panic(err)
	}
	at := dsl.FromTime(clock)
	return asof.Item{Space: "e", Turn: &dsl.Turn{ID: id, Replaces: replaces, Session: "s" + id, Speaker: dsl.Plain(speaker), TS: at, Text: dsl.Plain(text)}}
}

// values gives what a view believes of a subject and relation, with evidence.
func values(t *testing.T, db *asof.DB, at asof.At, src, rel string) string {
	t.Helper()
	v, err := db.View("e", at)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	q, known, err := v.Query(asof.Lookup{Src: src, Rel: rel})
	if err != nil || !known {
		return ""
	}
	var out []string
	for f, err := range v.Facts(q) {
		if err != nil {
			t.Fatal(err)
		}
		if f.Valid.End == dsl.Forever {
			out = append(out, f.DstName.String()+" "+strings.Join(f.Evidence, "+"))
		}
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// found gives the turns and sessions that a search finds by their words.
func found(t *testing.T, db *asof.DB, at asof.At, question string) string {
	t.Helper()
	v, err := db.View("e", at)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	res, err := v.Search(ctx, asof.SearchQuery{Text: question, K: 20, View: retrieval.AsRecorded, Kinds: []retrieval.Kind{retrieval.Turn, retrieval.Session}})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, h := range res.Hits {
		if slices.ContainsFunc(h.Why, func(p retrieval.Part) bool { return p.Channel == retrieval.Lexical && p.Rank > 0 }) {
			out = append(out, string(h.Kind)+" "+strings.Join(h.Turns, "+"))
		}
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

func TestEditedTurns(t *testing.T) {
	db := openAt(t, t.TempDir())
	ingest(t, db, []asof.Item{
		said("a1", "", "Ana", "2023-01-01T10:00:00Z", "I live in Denver."),
		said("a2", "", "Ana", "2023-02-01T10:00:00Z", "I moved to Boston."),
		said("b1", "", "小李", "2023-02-02T10:00:00Z", "我住在北京。"),
	})
	before := asof.AtSeq(3)
	was := answers(t, db, "e", before, "Where does Ana live? Boston")
	check := func(what, want, got string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	check("before the edit", "Boston a2", values(t, db, before, "Ana", "lives_in"))
	check("found before the edit", "session a2, turn a2", found(t, db, before, "Boston"))

	// Of another session, and chained.
	ingest(t, db, []asof.Item{
		said("b2", "a2", "Ana", "2023-02-03T10:00:00Z", "I moved to Austin."),
		said("b3", "b1", "小李", "2023-02-03T11:00:00Z", "我住在上海。"),
	})
	head := asof.AtSeq(5)
	check("after the edit", "Austin b2", values(t, db, head, "Ana", "lives_in"))
	check("after the edit, in Chinese", "上海 b3", values(t, db, head, "小李", "lives_in"))
	check("the old text", "", found(t, db, head, "Boston"))
	check("the old text in Chinese", "", found(t, db, head, "北京"))
	check("the new text", "session b2, turn b2", found(t, db, head, "Austin"))
	check("the view before", was, answers(t, db, "e", before, "Where does Ana live? Boston"))

	v, err := db.View("e", head)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	if old, err := v.Turn("a2"); err != nil || old.ReplacedBy != "b2" || old.Text.String() != "I moved to Boston." {
		t.Errorf("the replaced turn is %+v, %v", old, err)
	}

	// An edit of the first text is one of the text that stands; one that says
	// nothing gives back what was known before.
	ingest(t, db, []asof.Item{said("c1", "a2", "Ana", "2023-02-04T10:00:00Z", "Never mind.")})
	check("after an edit that says nothing", "Denver a1", values(t, db, asof.AtSeq(6), "Ana", "lives_in"))
	check("in between", "Austin b2", values(t, db, head, "Ana", "lives_in"))

	// The same edit twice, an edit of nothing, candidates for what is gone.
	r := ingest(t, db, []asof.Item{said("c1", "a2", "Ana", "2023-02-04T10:00:00Z", "Never mind.")})
	if r[0].Fate != asof.Duplicate || r[0].Seq != 6 {
		t.Errorf("the same edit again: %+v", r[0])
	}
	_, err = db.Ingest(ctx, []asof.Item{said("d1", "z9", "Ana", "2023-02-05T10:00:00Z", "I moved.")})
	if !errors.Is(err, dsl.ErrNotFound) || !strings.Contains(err.Error(), `turn "d1" replaces turn "z9"`) {
		t.Errorf("an edit of an unknown turn: %v", err)
	}
	_, err = db.Ingest(ctx, []asof.Item{{Space: "e", TurnID: "b2", Candidates: []dsl.Candidate{{Src: dsl.Plain("Ana"), Rel: "likes", Dst: dsl.Plain("tea"),
		DstKind: dsl.Literal, Change: dsl.Assert, Polarity: dsl.Positive, Confidence: 1}}}})
	if !errors.Is(err, dsl.ErrConflict) || !strings.Contains(err.Error(), `was replaced by turn "c1"`) {
		t.Errorf("candidates for a replaced turn: %v", err)
	}
	if rep, err := db.Audit(ctx, ""); err != nil || !rep.OK() {
		t.Errorf("audit: %+v, %v", rep, err)
	}
}

// TestEditsReplay: a memory with edits in any order replays, audits and answers
// as a shorter one did.
func TestEditsReplay(t *testing.T) {
	for seed := range int64(4) {
		items := edited("a", 60, seed)
		db := openAt(t, t.TempDir())
		ingest(t, db, items)
		rep, err := db.Audit(ctx, "", asof.ReExtract())
		if err != nil || !rep.OK() || rep.Extraction != "ok" || rep.Extracted != len(items) || rep.NotExtracted != nil {
			t.Fatalf("seed %d: audit: %+v, %v", seed, rep, err)
		}
		if rep, err := db.Check(ctx, ""); err != nil || len(rep.Faults) > 0 {
			t.Fatalf("seed %d: check: %+v, %v", seed, rep, err)
		}
		n := 10 + int(seed)*12
		prefix := openAt(t, "")
		ingest(t, prefix, items[:n])
		at := asof.AtSeq(dsl.Seq(n))
		for _, q := range []string{"Where does Ana live?", "小李喜欢什么？"} {
			if want, got := answers(t, prefix, "a", at, q), answers(t, db, "a", at, q); want != got {
				t.Fatalf("seed %d at %d:\nprefix store:\n%s\nfull store:\n%s", seed, n, want, got)
			}
		}
	}
}
