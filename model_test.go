package asof

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/dsl"
)

// parrot is a language model that answers by a function.
type parrot struct {
	answer func(user string) (string, error)
	asked  int
}

func (p *parrot) Name() string { return "parrot-1" }

func (p *parrot) Complete(_ context.Context, _, user string, _ int) (string, error) {
	p.asked++
	return p.answer(user)
}

// withModel opens a memory that asks a language model, and takes items in.
func withModel(t *testing.T, yaml string, m LanguageModel, items ...Item) *DB {
	t.Helper()
	cfg, err := configs.Load([]byte(yaml), "test")
	if err != nil {
		t.Fatal(err)
	}
	db, err := Open(t.Context(), Options{Config: &cfg, LanguageModel: m})
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
	return db
}

// summaries gives the summaries that the log writes, with who worded them.
func summaries(t *testing.T, db *DB) (out []string) {
	t.Helper()
	for _, tx := range entriesOf(t, db) {
		for i := range tx.Operations {
			if o := &tx.Operations[i]; o.Kind == dsl.UpsertEvent {
				out = append(out, fmt.Sprintf("%s v%d %s| %s", o.ID, o.Version, o.Agent, o.Summary))
			}
		}
	}
	return out
}

// templateOf gives the summary that a prompt shows.
func templateOf(user string) string {
	_, rest, _ := strings.Cut(user, "Summary:\n")
	first, _, _ := strings.Cut(rest, "\n")
	return first
}

const llmSummary = "events: {llm_summary: true}"

// TestModelWordsSummaries: a language model words the summaries, nothing else;
// the log holds what it said, and replay and audit do without it.
func TestModelWordsSummaries(t *testing.T) {
	m := &parrot{answer: func(user string) (string, error) { return "So it is: " + templateOf(user) + "\n", nil }}
	db := withModel(t, llmSummary, m, story()...)
	plain, _ := tell(t, "", story()...)
	got, want := summaries(t, db), summaries(t, plain)
	if len(got) == 0 || len(got) != len(want) {
		t.Fatalf("%d event versions with a model, %d without", len(got), len(want))
	}
	for i := range got {
		text := want[i]
		if head, summary, _ := strings.Cut(text, "| "); summary != "" {
			text = strings.TrimSuffix(head, " ") + " llm:parrot-1| So it is: " + summary
		}
		if got[i] != text {
			t.Errorf("with a model %q, want %q", got[i], text)
		}
	}
	if factsOf(t, db) != factsOf(t, plain) {
		t.Error("a language model changed facts")
	}
	asked := m.asked
	audited(t, db)
	if rep, err := db.Replay(t.Context(), t.TempDir(), nil, ""); err != nil || !rep.Equal {
		t.Errorf("replay: %+v, %v", rep, err)
	}
	if m.asked != asked {
		t.Errorf("audit and replay asked the model %d times", m.asked-asked)
	}
}

// TestModelIsNoUse: where the model fails, or says what cannot stand for a
// summary, the memory is what it would be without.
func TestModelIsNoUse(t *testing.T) {
	plain, _ := tell(t, "", story()...)
	for name, answer := range map[string]func(string) (string, error){
		"down":    func(string) (string, error) { return "", errors.New("down") },
		"silent":  func(string) (string, error) { return " \n ", nil },
		"verbose": func(user string) (string, error) { return strings.Repeat(templateOf(user)+" ", 9), nil },
		"lines":   func(user string) (string, error) { return templateOf(user) + "\nand more", nil },
		"binary":  func(string) (string, error) { return "a\x00b", nil },
		"latin1":  func(string) (string, error) { return "caf\xe9", nil },
	} {
		m := &parrot{answer: answer}
		db := withModel(t, llmSummary, m, story()...)
		if !slices.Equal(summaries(t, db), summaries(t, plain)) || m.asked == 0 {
			t.Errorf("%s: asked %d times; %q", name, m.asked, summaries(t, db))
		}
		audited(t, db)
	}
}

// TestModelIsWanted: what asks a language model is an error where there is none,
// and changes nothing; all else goes on.
func TestModelIsWanted(t *testing.T) {
	turn := story()[0]
	gap := Item{Space: "story", Gap: &GapRequest{Kind: dsl.GapEmpty, Query: "Who?"}}
	for _, c := range []struct {
		yaml  string
		items []Item
		wants string
	}{
		{llmSummary, []Item{turn}, "events.llm_summary"},
		{llmSummary, []Item{gap}, "events.llm_summary"},
		{"backfill: {llm: true}", []Item{turn, gap}, "backfill.llm"},
		{"backfill: {llm: true}", []Item{turn}, ""},
	} {
		db := withModel(t, c.yaml, nil)
		_, err := db.Ingest(t.Context(), c.items)
		if c.wants == "" {
			if err != nil {
				t.Errorf("%s: %v", c.yaml, err)
			}
			continue
		}
		if !errors.Is(err, dsl.ErrInvalid) || !strings.Contains(err.Error(), c.wants) || !strings.Contains(err.Error(), "llm.url") {
			t.Errorf("%s: %v", c.yaml, err)
		}
		if h, err := db.Head("story"); err != nil || h.Seq != 0 {
			t.Errorf("%s: the head is at %s, %v", c.yaml, h.Seq, err)
		}
	}
}

// TestModelFillsGaps: what a language model reads in the turns of a gap is taken
// as a candidate, with its turn, under its name, and only where it answers the
// gap over the registry.
func TestModelFillsGaps(t *testing.T) {
	say := func(i int, text string) Item {
		return Item{Space: "story", Turn: &dsl.Turn{ID: fmt.Sprint("t", i), Session: "s", Speaker: dsl.Plain("Anna"), Text: dsl.Plain(text),
			TS: dsl.Instant(1_700_000_000_000_000) + dsl.Instant(i)*dsl.Day}}
	}
	items := []Item{say(0, "My brother Tom is here."), say(1, "Home for Tom means the blue house on the fjord, up in Molde, that he swears by.")}
	gap := GapRequest{Kind: dsl.GapEmpty, Query: "Where does Tom live?"}
	const good = `{"turn":"t1","src":"Tom","rel":"lives_in","dst":"Molde","polarity":"+","change":"assert","confidence":1}`
	for _, c := range []struct {
		name, answer string
		taken        int
	}{
		{"well", "Here you are:\n```json\n[" + good + "]\n```", 1},
		{"twice", "[" + good + "," + good + "]", 1},
		{"another turn", "[" + strings.Replace(good, `"t1"`, `"t9"`, 1) + "]", 0},
		{"another relation", "[" + strings.Replace(good, "lives_in", "haunts", 1) + "]", 0},
		{"another subject", "[" + strings.Replace(good, `"Tom"`, `"Anna"`, 1) + "]", 0},
		{"no value", "[" + strings.Replace(good, `"Molde"`, `" "`, 1) + "]", 0},
		{"no array", "I do not know.", 0},
		{"torn", "[" + good[:40] + "]", 0},
		{"nothing", "[]", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := &parrot{answer: func(user string) (string, error) {
				if !strings.Contains(user, "Where does Tom live?") || !strings.Contains(user, "[t1] ") || !strings.Contains(user, "lives_in") {
					t.Errorf("the prompt lacks something: %q", user)
				}
				return c.answer, nil
			}}
			db := withModel(t, "backfill: {llm: true}", m, items...)
			got, err := db.Backfill(t.Context(), "story", gap)
			if err != nil || got[0].Fate != New {
				t.Fatalf("%+v, %v", got, err)
			}
			lives := strings.Contains(factsOf(t, db), "Tom lives_in Molde")
			if got[0].Candidates != c.taken || lives != (c.taken > 0) {
				t.Errorf("%+v; facts\n%s", got[0], factsOf(t, db))
			}
			list := entriesOf(t, db)
			last := list[len(list)-1]
			if c.taken > 0 {
				x := last.Candidates[0]
				if x.Source != "llm:parrot-1" || x.Confidence != modelConfidence || x.Turn != "t1" || !strings.HasSuffix(last.Extractor, "+llm:parrot-1") {
					t.Errorf("recorded as %+v by %s", x, last.Extractor)
				}
			}
			if again, err := db.Backfill(t.Context(), "story", gap); err != nil || again[0].Fate != Duplicate || m.asked != 1 {
				t.Errorf("the same gap again: %+v, %v, asked %d times", again, err, m.asked)
			}
			audited(t, db)
		})
	}
}
