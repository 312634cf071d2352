package asof_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/llm"
	"github.com/asof-db/asof/retrieval/reader"
)

// told opens a memory that was told lines "2023-05-08 Anna: text", each a turn
// t1, t2, … of a session a day.
func told(t *testing.T, lines string) *asof.DB {
	t.Helper()
	db, err := asof.Open(ctx, asof.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	var items []asof.Item
	for i, line := range strings.Split(strings.TrimSpace(lines), "\n") {
		day, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		speaker, text, _ := strings.Cut(rest, ": ")
		at, err := time.Parse(time.DateOnly, day)
		if err != nil {
			t.Fatal(err)
		}
		items = append(items, asof.Item{Space: "s", Turn: &dsl.Turn{ID: fmt.Sprintf("t%d", i+1), Session: day, Speaker: dsl.Plain(speaker),
			Text: dsl.Plain(text), TS: dsl.FromTime(at.Add(time.Duration(12*3600+i) * time.Second))}})
	}
	if _, err := db.Ingest(ctx, items); err != nil {
		t.Fatal(err)
	}
	return db
}

const conversation = `
2023-05-08 Anna: I adopted a puppy named Rex yesterday.
2023-05-08 Ben: Congratulations! My sister Clara has three cats.
2023-05-20 Anna: I moved to Lisbon last week because the rent was too high in Porto.
2023-06-02 Ben: I started reading "Dune" on Monday. I paid $25 for it.
2023-06-12 Anna: Rex has been with the vet for four days.
2023-06-20 Ben: I finally finished my pottery course today.
2023-07-01 Anna: I did not go to the concert in Madrid.
`

const conversationZH = `
2023-05-08 小红: 我昨天收养了一只小狗。
2023-05-20 小红: 我上周搬到了上海。
2023-06-20 小明: 我今天参加了马拉松比赛。
`

// TestAskExtractive answers questions of every kind without a model, and abstains
// where the answer was not said, or said of somebody else.
func TestAskExtractive(t *testing.T) {
	for _, c := range []struct {
		told, question string
		answer         string // "" for an abstention
		reason         reader.Reason
		evidence       string
	}{
		{conversation, "When did Anna adopt a puppy?", "7 May 2023", "", "t1"},
		{conversation, "When did Anna move to Lisbon?", "the week of 8 May 2023", "", "t3"},
		{conversation, "When did Ben finish his pottery course?", "20 June 2023", "", "t6"},
		{conversation, "How many cats does Clara have?", "3", "", "t2"},
		{conversation, "How much did Ben pay for Dune?", "$25", "", "t4"},
		{conversation, "How long has Rex been with the vet?", "four days", "", "t5"},
		{conversation, "How many days passed between Anna adopting the puppy and Ben finishing his pottery course?", "44 days", "", "t1"},
		{conversation, "Where did Anna move?", "Lisbon", "", "t3"},
		{conversation, "Did Anna go to the concert in Madrid?", "No", "", "t7"},
		{conversation, "Did Ben finish the pottery course?", "Yes", "", "t6"},
		{conversation, "What did Ben adopt?", "", reader.OtherSubject, ""},
		{conversation, "What is Anna's favourite astronaut's telescope?", "", reader.Unsaid, ""},
		{conversation, "the of and", "", reader.Unsaid, ""},
		{conversationZH, "小红什么时候搬到上海的？", "2023年5月8日那一周", "", "t2"},
		{conversationZH, "小明什么时候参加马拉松比赛？", "2023年6月20日", "", "t3"},
	} {
		db := told(t, c.told)
		got, err := db.Ask(ctx, "s", asof.At{}, asof.SearchQuery{Text: c.question}, asof.PackOptions{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got.Abstained != (c.answer == "") || got.Reason != c.reason || c.answer != "" && got.Text != c.answer ||
			c.evidence != "" && !slices.Contains(got.Answer.Evidence, c.evidence) {
			t.Errorf("%s\ngot  %q (%s) from %v\nwant %q (%s) from %s", c.question, got.Text, got.Reason, got.Answer.Evidence, c.answer, c.reason, c.evidence)
		}
		if got.Reader != reader.ExtractiveName || got.Read != got.From.Tokens || got.Abstained && got.Text == "" {
			t.Errorf("%s: %+v", c.question, got.Answer)
		}
		for _, id := range got.Answer.Evidence {
			if !strings.Contains(fmt.Sprint(got.From.Items), id) {
				t.Errorf("%s: evidence %s is not of the pack", c.question, id)
			}
		}
	}
}

// TestAskPrefix asks at each moment a memory that goes on and one that stops there:
// the replies are the same, byte for byte.
func TestAskPrefix(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(conversation), "\n")
	full := told(t, conversation)
	for n := 1; n <= len(lines); n++ {
		prefix := told(t, strings.Join(lines[:n], "\n"))
		for _, q := range []string{"When did Anna adopt a puppy?", "Where does Anna live?", "How many days ago did Ben finish his course?", "😀", "the of and"} {
			a, errA := full.Ask(ctx, "s", asof.AtSeq(dsl.Seq(n)), asof.SearchQuery{Text: q}, asof.PackOptions{}, nil)
			b, errB := prefix.Ask(ctx, "s", asof.At{}, asof.SearchQuery{Text: q}, asof.PackOptions{}, nil)
			x, _ := json.Marshal(a.Out())
			y, _ := json.Marshal(b.Out())
			if errA != nil || errB != nil || string(x) != string(y) {
				t.Fatalf("%q at #%d:\n%s\n%s\n%v, %v", q, n, x, y, errA, errB)
			}
		}
	}
}

// answering is a model that says one thing and keeps what it was asked.
type answering struct {
	says  string
	err   error
	asked []llm.Request
}

func (a *answering) Model() string { return "m-1" }

func (a *answering) Complete(_ context.Context, r llm.Request) (llm.Response, error) {
	a.asked = append(a.asked, r)
	return llm.Response{Text: a.says, Model: "m-1-x", Read: 100, Written: 9}, a.err
}

// TestAskModel has models answer well, with numbers, with evidence of nowhere, with
// an abstention, with no JSON, and not at all.
func TestAskModel(t *testing.T) {
	db := told(t, conversation)
	gone := errors.New("gone")
	for _, c := range []struct {
		name, says string
		err        error
		want       string
		abstained  bool
		evidence   []string
		fails      error
	}{
		{"well", `{"answer": "7 May 2023", "evidence": ["t1"], "abstain": false}`, nil, "7 May 2023", false, []string{"t1"}, nil},
		{"with words around it", "Here:\n```json\n{\"answer\": 3, \"evidence\": [\"t1\", \"t1\", \"nowhere\"]}\n```", nil, "3", false, []string{"t1"}, nil},
		{"abstains", `{"answer": "It is not said.", "abstain": true}`, nil, "It is not said.", true, []string{}, nil},
		{"no JSON", "7 May 2023", nil, "", false, nil, reader.ErrUnreadable},
		{"half of it", `{"answer": "7 Ma`, nil, "", false, nil, reader.ErrUnreadable},
		{"nothing", `{"answer": "", "evidence": []}`, nil, "", false, nil, reader.ErrUnreadable},
		{"not at all", "", gone, "", false, nil, gone},
	} {
		m := &answering{says: c.says, err: c.err}
		got, err := db.Ask(ctx, "s", asof.At{}, asof.SearchQuery{Text: "When did Anna adopt a puppy?"}, asof.PackOptions{}, reader.Model{Ask: m})
		if !errors.Is(err, c.fails) || got.Text != c.want || got.Abstained != c.abstained || c.fails == nil && !slices.Equal(got.Answer.Evidence, c.evidence) {
			t.Errorf("%s: %+v, %v", c.name, got.Answer, err)
		}
		if len(m.asked) != 1 || !strings.Contains(m.asked[0].User, "I adopted a puppy named Rex yesterday.") || !strings.Contains(m.asked[0].User, "Work out the date") {
			t.Errorf("%s: it was asked %+v", c.name, m.asked)
		}
		if err == nil && (got.Reader != "llm:m-1" || got.Read != 100 || got.Written != 9) {
			t.Errorf("%s: %+v by %s", c.name, got.Answer, got.Reader)
		}
	}
}

// TestAskRecord records calls, answers again from the record without the model,
// and refuses what was not asked then and a record that was changed.
func TestAskRecord(t *testing.T) {
	db := told(t, conversation)
	var record strings.Builder
	m := &answering{says: `{"answer": "Lisbon", "evidence": ["t3"]}`}
	ask := func(c reader.Completer, question string) (asof.Reply, error) {
		return db.Ask(ctx, "s", asof.At{}, asof.SearchQuery{Text: question}, asof.PackOptions{}, reader.Model{Ask: c})
	}
	first, err := ask(reader.NewRecorder(m, &record), "Where does Anna live?")
	if err != nil {
		t.Fatal(err)
	}
	again, err := reader.Replay(strings.NewReader(record.String()))
	if err != nil {
		t.Fatal(err)
	}
	second, err := ask(again, "Where does Anna live?")
	if err != nil || fmt.Sprint(second.Out()) != fmt.Sprint(first.Out()) || len(m.asked) != 1 {
		t.Errorf("%v\n%v, %v; the model was asked %d times", first.Out(), second.Out(), err, len(m.asked))
	}
	if _, err := ask(again, "Where does Ben live?"); !errors.Is(err, reader.ErrNotRecorded) {
		t.Errorf("a new question: %v", err)
	}
	for name, text := range map[string]string{
		"empty": "", "no JSON": "hello\n", "changed": strings.Replace(record.String(), "Rex", "Max", 1),
	} {
		if _, err := reader.Replay(strings.NewReader(text)); err == nil {
			t.Errorf("a record that is %s is taken", name)
		}
	}
}
