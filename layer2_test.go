package asof

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/dsl/ledger"
	"github.com/asof-db/asof/store"
	"github.com/asof-db/asof/store/storetest"
)

// story is a conversation of three sessions, in English and Chinese, with
// updates, likings said once and twice, corrections and endings.
func story() []Item {
	var items []Item
	for i, l := range []struct{ session, speaker, text string }{
		{"s1", "Anna", "I live in Berlin."}, {"s1", "Anna", "I like jazz."}, {"s1", "Ben", "I work at Acme."},
		{"s1", "Anna", "I moved to Hamburg."}, {"s1", "王芳", "我住在北京。"}, {"s1", "王芳", "我喜欢茶。"},
		{"s2", "Anna", "I like jazz."}, {"s2", "Anna", "I like rock."}, {"s2", "Anna", "I own a dog."}, {"s2", "Anna", "I use Notion."},
		{"s2", "王芳", "我搬到上海了。"}, {"s2", "Ben", "I no longer work at Acme."}, {"s2", "Ben", "I like tea."},
		{"s1", "Anna", "I like chess."}, {"s3", "Anna", "Good morning!"}, {"s3", "Ben", "I live in Rome."}, {"s3", "Ben", "I moved to Oslo."},
	} {
		items = append(items, Item{Space: "story", Turn: &dsl.Turn{ID: fmt.Sprint("t", i), Session: l.session, Speaker: dsl.Plain(l.speaker),
			Text: dsl.Plain(l.text), TS: dsl.Instant(1_700_000_000_000_000) + dsl.Instant(i)*dsl.Day}})
	}
	return items
}

// tell opens a memory under a configuration, takes in items, and gives it with
// the entries of its log.
func tell(t *testing.T, yaml string, items ...Item) (*DB, []*dsl.Tx) {
	t.Helper()
	cfg := configs.Default()
	if yaml != "" {
		var err error
		if cfg, err = configs.Load([]byte(yaml), "test"); err != nil {
			t.Fatal(err)
		}
	}
	db, err := Open(t.Context(), Options{Config: &cfg})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := db.Ingest(t.Context(), items); err != nil {
		t.Fatal(err)
	}
	return db, entriesOf(t, db)
}

func entriesOf(t *testing.T, db *DB) []*dsl.Tx {
	t.Helper()
	var txs []*dsl.Tx
	err := db.ledger.Read(context.Background(), 1, func(m ledger.Message) error {
		for _, r := range m.Records {
			tx, err := dsl.DecodeTx(r.Data)
			if err != nil {
				return err
			}
			txs = append(txs, tx)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return txs
}

// decided counts the decisions of layer 2 in a log.
func decidedIn(txs []*dsl.Tx) map[string]int {
	n := map[string]int{}
	for _, tx := range txs {
		for _, d := range tx.Triggers {
			n[string(d.Trigger)+" "+string(d.Action)]++
		}
	}
	return n
}

// factsOf writes what is believed at the head.
func factsOf(t *testing.T, db *DB) string {
	t.Helper()
	v, err := db.View("story", At{})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	var out []string
	for f, err := range v.Facts(store.FactQuery{}) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprint(f.SrcName, " ", f.Rel, " ", f.DstName, " ", f.Valid))
	}
	return strings.Join(out, "\n")
}

// TestAblations: each part of layer 2 can be left out by configuration. That
// changes what layer 2 does, and nothing that is believed.
func TestAblations(t *testing.T) {
	whole, txs := tell(t, "", story()...)
	all := decidedIn(txs)
	for _, want := range []string{"strong write", "salience write", "salience wait", "session_end write", "reflect withhold"} {
		if all[want] == 0 {
			t.Errorf("the story has no %s: %v", want, all)
		}
	}
	facts := factsOf(t, whole)
	for name, c := range map[string]struct {
		yaml string
		gone []string
	}{
		"-periodic": {"triggers: {periodic: false}", []string{"session_end write", "reflect write", "periodic write"}},
		"-salience": {"triggers: {salience: false}", []string{"salience write", "salience archive"}},
		"-strong":   {"memory: {strong_writes_quota: 0}", []string{"strong write"}},
		"-budget":   {"memory: {write_budget_tokens_per_session_avg: 0}", []string{"strong write", "salience write", "session_end write", "reflect write"}},
		"-memory":   {"memory: {wm_capacity: 0}", []string{"session_end write"}},
	} {
		t.Run(name, func(t *testing.T) {
			db, txs := tell(t, c.yaml, story()...)
			got := decidedIn(txs)
			for _, g := range c.gone {
				if got[g] != 0 {
					t.Errorf("%d × %s", got[g], g)
				}
			}
			if fmt.Sprint(got) == fmt.Sprint(all) {
				t.Errorf("it decides as without it: %v", got)
			}
			if f := factsOf(t, db); f != facts {
				t.Errorf("what is believed changed to\n%s\nfrom\n%s", f, facts)
			}
			audited(t, db)
		})
	}
	t.Run("-backfill", func(t *testing.T) {
		db, _ := tell(t, "triggers: {backfill: false}", story()...)
		if _, err := db.Backfill(t.Context(), "story", GapRequest{Kind: dsl.GapEmpty, Query: "chess"}); err == nil {
			t.Error("a gap is filled all the same")
		}
		if got, err := whole.Backfill(t.Context(), "story", GapRequest{Kind: dsl.GapEmpty, Query: "chess"}); err != nil || got[0].Fate != New {
			t.Errorf("%v, %v", got, err)
		}
		audited(t, whole)
	})
}

// audited holds that an audit makes every decision again, and that a replay has
// the same digests.
func audited(t *testing.T, db *DB) {
	t.Helper()
	r, err := db.Audit(t.Context(), "")
	if err != nil || !r.OK() || r.Decided == 0 {
		t.Errorf("audit: %+v, %v", r, err)
	}
	rep, err := db.Replay(t.Context(), filepath.Join(t.TempDir(), "again"), nil, "")
	if err != nil || !rep.Equal {
		t.Errorf("replay: %+v, %v", rep, err)
	}
	check, err := db.Check(t.Context(), "")
	if err != nil || len(check.Faults) > 0 {
		t.Errorf("check: %+v, %v", check.Faults, err)
	}
}

// TestAuditOfLayer2 finds a decision, a reason and a memory that are not those
// that follow.
func TestAuditOfLayer2(t *testing.T) {
	_, txs := tell(t, "", story()...)
	for name, bend := range map[string]func(tx *dsl.Tx) bool{
		"salience": func(tx *dsl.Tx) bool {
			for i := range tx.Triggers {
				if d := &tx.Triggers[i]; d.Salience > 0 {
					d.Salience /= 2
					return true
				}
			}
			return false
		},
		"reason": func(tx *dsl.Tx) bool {
			if len(tx.Triggers) == 0 {
				return false
			}
			tx.Triggers[0].Reason = dsl.Plain("because")
			return true
		},
		"decision": func(tx *dsl.Tx) bool {
			n := len(tx.Triggers)
			tx.Triggers = nil
			return n > 0
		},
		"memory": func(tx *dsl.Tx) bool {
			if tx.Memory == nil {
				return false
			}
			tx.Memory.Tokens++
			return true
		},
		"summary": func(tx *dsl.Tx) bool {
			for i := range tx.Operations {
				if o := &tx.Operations[i]; o.Kind == dsl.UpsertEvent {
					o.Summary = dsl.Plain("nothing happened")
					return true
				}
			}
			return false
		},
	} {
		f, err := newFolder(true)
		if err != nil {
			t.Fatal(err)
		}
		bent := dsl.Seq(0)
		prev := dsl.Hash{}
		for _, tx := range txs {
			x := *tx
			x.Triggers, x.Operations = slices.Clone(tx.Triggers), slices.Clone(tx.Operations)
			if tx.Memory != nil {
				m := *tx.Memory
				x.Memory = &m
			}
			if bent == 0 && bend(&x) {
				bent = x.Seq
			}
			x.Prev = prev // the chain itself is in order
			b, err := x.Encode()
			if err != nil {
				t.Fatal(err)
			}
			prev = dsl.Sum(b)
			if err := f.add(x.Space, x.Seq, b); err != nil {
				t.Fatal(err)
			}
		}
		if bent == 0 || !slices.ContainsFunc(f.faults, func(x Fault) bool { return x.Kind == "decisions" && x.Position == bent }) {
			t.Errorf("%s bent at %s: %v", name, bent, f.faults)
		}
		if err := f.close(); err != nil {
			t.Error(err)
		}
	}
}

// TestLayer2IsAPrefix (I8): a memory that ended at a position has, then, the view
// that a longer one has of it, working memory and events included.
func TestLayer2IsAPrefix(t *testing.T) {
	items := story()
	long, _ := tell(t, "assimilate: {wm_min: 0.3}", items...)
	if _, err := long.Backfill(t.Context(), "story", GapRequest{Kind: dsl.GapConflict, Query: "Where does Anna live?"}); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 4, 7, 12, len(items)} {
		short, _ := tell(t, "assimilate: {wm_min: 0.3}", items[:n]...)
		want, err := short.View("story", At{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := long.View("story", AtSeq(want.Basis().Seq))
		if err != nil {
			t.Fatal(err)
		}
		storetest.Compare(t, want.View, got.View)
		a, errA := want.Digest()
		b, errB := got.Digest()
		if a != b || errA != nil || errB != nil {
			t.Errorf("at %d the digests are %s and %s (%v, %v)", n, a, b, errA, errB)
		}
		if err := want.Close(); err != nil {
			t.Error(err)
		}
		if err := got.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestBackfillReadsWider: a pronoun whose antecedent lies further back than the
// turns that are looked through is read with it once a question asks for it; what was taken back
// stays so.
func TestBackfillReadsWider(t *testing.T) {
	say := func(i int, text string, cs ...dsl.Candidate) Item {
		return Item{Space: "story", Candidates: cs, Turn: &dsl.Turn{ID: fmt.Sprint("t", i), Session: "s", Speaker: dsl.Plain("Anna"), Text: dsl.Plain(text),
			TS: dsl.Instant(1_700_000_000_000_000) + dsl.Instant(i)*dsl.Day}}
	}
	fact := func(src, rel, dst string, change dsl.Change) dsl.Candidate {
		return dsl.Candidate{Src: dsl.Plain(src), Rel: rel, Dst: dsl.Plain(dst), DstKind: dsl.Entity, Polarity: dsl.Positive, Change: change, Confidence: 1}
	}
	db, _ := tell(t, "", say(0, "My brother Tom is here."), say(1, "It rains a lot."), say(2, "It rains still."), say(3, "It snows."), say(4, "He lives in Oslo."),
		say(5, "Tom lives in Turku.", fact("Tom", "lives_in", "Turku", dsl.Assert)),
		say(6, "No, Tom never lived in Turku.", func() dsl.Candidate {
			c := fact("Tom", "lives_in", "Turku", dsl.Correct)
			c.Polarity = dsl.Negative
			return c
		}()))
	before := factsOf(t, db)
	if strings.Contains(before, "Turku") {
		t.Fatalf("what was taken back stands:\n%s", before)
	}
	head, err := db.Head("story")
	if err != nil {
		t.Fatal(err)
	}
	got, err := db.Backfill(t.Context(), "story", GapRequest{Kind: dsl.GapEmpty, Query: "Where does Tom live?"})
	if err != nil {
		t.Fatal(err)
	}
	after := factsOf(t, db)
	if strings.Contains(after, "Turku") {
		t.Errorf("what was taken back came again:\n%s", after)
	}
	if !strings.Contains(after, "Tom lives_in Oslo") || !slices.Contains(got[0].Missing, "relation") {
		t.Errorf("%+v; before\n%s\nafter\n%s", got[0], before, after)
	}
	if got[0].Position != head.Seq+1 {
		t.Errorf("it is recorded at %s, the head was at %s", got[0].Position, head.Seq)
	}
	audited(t, db)
}
