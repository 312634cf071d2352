package eval

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/asof-db/asof/dsl"
)

func readHistories(text string) ([]History, error) {
	var out []History
	for h, err := range ReadLongMemEval(strings.NewReader(text), "tiny_longmemeval.json") {
		if err != nil {
			return out, err
		}
		out = append(out, h)
	}
	return out, nil
}

func tinyLongMemEval(t testing.TB) string {
	t.Helper()
	b, err := os.ReadFile("testdata/tiny_longmemeval.json")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestHistories holds the reader to each trap of the data set.
func TestHistories(t *testing.T) {
	all, err := readHistories(tinyLongMemEval(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 2 || all[0].Space != "q1" || all[1].Space != "q2_abs" {
		t.Fatalf("spaces: %+v", all)
	}
	h := all[0]
	var got []string
	for _, u := range h.Turns {
		got = append(got, fmt.Sprintf("%s | %s | %s>%s %s", u.Session, u.ID, u.Speaker, u.Listener, u.TS))
	}
	// The file is not sorted by date; equal dates stand by occurrence; a session id
	// that comes twice is two sessions; what is dated after the question is there.
	want := []string{
		"1:chat_b | 1:chat_b:0 | user>assistant 2023-05-20T02:21:00Z",
		"3:chat_b | 3:chat_b:0 | user>assistant 2023-05-20T02:21:00Z",
		"0:answer_a | 0:answer_a:0 | user>assistant 2023-05-21T10:05:00Z",
		"0:answer_a | 0:answer_a:1 | assistant>user 2023-05-21T10:05:01Z",
		"2:answer_c | 2:answer_c:0 | user>assistant 2023-06-02T09:00:00Z",
		"2:answer_c | 2:answer_c:1 | assistant>user 2023-06-02T09:00:01Z",
	}
	if !slices.Equal(got, want) {
		t.Errorf("turns:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if h.Answer != "2" || h.Type != "multi-session" || h.Asked.String() != "2023-05-30T23:40:00Z" || h.Abstention {
		t.Errorf("question: %+v", h)
	}
	if !slices.Equal(h.Gold, []int{0, 2}) || !slices.Equal(h.GoldTurns, []string{"0:answer_a:0", "2:answer_c:0"}) {
		t.Errorf("gold: sessions %v, turns %v", h.Gold, h.GoldTurns)
	}
	if len(h.Dropped) != 1 || h.Dropped[0] != (DroppedEvidence{"answer_gone", reasonNoSession}) {
		t.Errorf("dropped: %v", h.Dropped)
	}
	// A question of abstention names a session that misleads; it is no gold.
	if a := all[1]; !a.Abstention || a.Gold != nil || a.GoldTurns != nil || a.Answer == "" {
		t.Errorf("abstention: %+v", a)
	}
}

// TestRepeatedGold takes a session that holds the answer and comes twice: both
// occurrences hold it.
func TestRepeatedGold(t *testing.T) {
	all, err := readHistories(strings.ReplaceAll(tinyLongMemEval(t), `"chat_b"`, `"answer_c"`))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(all[0].Gold, []int{0, 1, 2, 3}) {
		t.Errorf("gold: %v", all[0].Gold)
	}
}

// TestLongSession checks that a session of many turns does not reach into the
// next minute.
func TestLongSession(t *testing.T) {
	turn := `{"role": "user", "content": "I bought a blue kettle.", "has_answer": true}`
	all, err := readHistories(strings.Replace(tinyLongMemEval(t), turn, strings.Repeat(turn+",", 120)+turn, 1))
	if err != nil {
		t.Fatal(err)
	}
	last := all[0].Turns[2+121]
	if last.ID != "0:answer_a:121" || last.TS-all[0].Sessions[0].Date >= 60*dsl.Second {
		t.Errorf("%s is at %s", last.ID, last.TS)
	}
}

// TestHistoryShapes reads the same histories as an array, as JSONL, and with the
// day of the week left out.
func TestHistoryShapes(t *testing.T) {
	text := tinyLongMemEval(t)
	want, err := readHistories(text)
	if err != nil {
		t.Fatal(err)
	}
	body := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(text), "["), "]")
	lines := strings.Replace(strings.ReplaceAll(body, "\n", " "), "},    {     \"question_id\": \"q2", "}\n{\"question_id\": \"q2", 1)
	lines = strings.Replace(lines, "},   {     \"question_id\": \"q2", "}\n{\"question_id\": \"q2", 1)
	for name, s := range map[string]string{"lines": lines, "no weekday": strings.NewReplacer(" (Sun)", "", " (Sat)", "", " (Fri)", "", " (Tue)", "").Replace(text)} {
		got, err := readHistories(s)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: other histories", name)
		}
	}
}

// TestBadHistories gives the error for each way in which a file can be wrong:
// its place, what is wrong, what was expected.
func TestBadHistories(t *testing.T) {
	text := tinyLongMemEval(t)
	for _, c := range []struct{ name, from, to, want string }{
		{"cut", text[len(text)/2:], "", "conversation 0"},
		{"no question", `"question": "What colour is my teapot?",`, "", "conversation 1"},
		{"no sessions", `"haystack_sessions": [[{"role": "user", "content": "I bought a blue kettle.", "has_answer": true}]],`, "", "haystack_sessions"},
		{"too few dates", `"2023/05/21 (Sun) 10:05", "2023/05/20 (Sat) 02:21", `, "", "haystack_dates has 2 elements, haystack_sessions 4"},
		{"null date", `"2023/05/21 (Sun) 10:05", "2023/05/20`, `null, "2023/05/20`, "haystack_dates has 3 elements, haystack_sessions 4"},
		{"bad date", "2023/06/02 (Fri) 09:00", "the 2nd of June", `/haystack_dates/2: `},
		{"bad question date", `"question_date": "2023/05/30 (Tue) 23:40",
    "haystack_dates": ["2023/05/21 (Sun) 10:05"]`, `"question_date": "soon", "haystack_dates": ["2023/05/21 (Sun) 10:05"]`, `"soon" is not a time`},
		{"no content", `"content": "Lovely."`, `"text": "Lovely."`, "/haystack_sessions/0/1: invalid: the turn has no content"},
		{"no role", `{"role": "user", "content": "Tell me of herons."}`, `{"content": "Tell me of herons."}`, "speaker"},
		{"twice", `"q2_abs"`, `"q1"`, `question_id "q1" was there before`},
		{"a number", `"haystack_sessions": [[`, `"haystack_sessions": 7, "x": [[`, "found a number"},
		{"another data set", text, `[{"sample_id": "conv-1", "qa": []}]`, `the object has no question_id, but "sample_id", "qa"`},
		{"empty", text, "", "the file ends too early"},
		{"more", "\n]", "\n] []", "there is more after the array"},
	} {
		broken := strings.Replace(text, c.from, c.to, 1)
		if broken == text {
			t.Errorf("%s: nothing was changed", c.name)
		}
		_, err := readHistories(broken)
		var data *DataError
		if !errors.Is(err, dsl.ErrInvalid) || !errors.As(err, &data) || data.Want == "" {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for _, part := range []string{"tiny_longmemeval.json", c.want} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v; want %q in it", c.name, err, part)
			}
		}
	}
}

// TestHistoryLimit refuses a history that is larger than any should be, without
// reading it whole.
func TestHistoryLimit(t *testing.T) {
	var err error
	for _, err = range readLongMemEval(strings.NewReader(tinyLongMemEval(t)), "f", 300) {
		if err != nil {
			break
		}
	}
	if err == nil || !strings.Contains(err.Error(), "longer than 300 bytes") {
		t.Errorf("%v", err)
	}
}

// TestRealLongMemEval reads the dev files and compares counts that were made by a
// script of another language over the same files.
func TestRealLongMemEval(t *testing.T) {
	type counts struct {
		questions, sessions, turns, abstention, repeated, unsorted, late int
	}
	for name, want := range map[string]counts{
		"longmemeval_oracle.dev.json.gz": {208, 397, 4562, 11, 0, 15, 17},
		"longmemeval_s.dev.jsonl.zst":    {208, 9989, 103167, 11, 6, 91, 16},
	} {
		d, err := OpenData(sharedData(t, "longmemeval/"+name))
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		var got counts
		for h, err := range ReadLongMemEval(d, d.Name()) {
			if err != nil {
				t.Fatal(err)
			}
			got.questions++
			got.sessions += len(h.Sessions)
			got.turns += len(h.Turns)
			ids := map[string]bool{}
			sorted := true
			for i, s := range h.Sessions {
				ids[s.ID] = true
				sorted = sorted && (i == 0 || s.Date >= h.Sessions[i-1].Date)
			}
			late := slices.ContainsFunc(h.Gold, func(i int) bool { return h.Sessions[i].Date > h.Asked })
			for n, is := range map[*int]bool{&got.abstention: h.Abstention, &got.repeated: len(ids) < len(h.Sessions), &got.unsorted: !sorted,
				&got.late: late} {
				if is {
					*n++
				}
			}
			if len(h.Gold) == 0 != h.Abstention || h.Answer == "" || len(h.Dropped) > 0 {
				t.Errorf("%s: gold %v, answer %q, dropped %v", h.Space, h.Gold, h.Answer, h.Dropped)
			}
		}
		if got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}
