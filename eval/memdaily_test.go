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

func readTrajectories(text string) ([]Trajectory, error) {
	var out []Trajectory
	for v, err := range ReadMemDaily(strings.NewReader(text), "tiny_memdaily.jsonl") {
		if err != nil {
			return out, err
		}
		out = append(out, v)
	}
	return out, nil
}

func tinyMemDaily(t testing.TB) string {
	t.Helper()
	b, err := os.ReadFile("testdata/tiny_memdaily.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestTrajectories holds the reader to each trap of the data set.
func TestTrajectories(t *testing.T) {
	all, err := readTrajectories(tinyMemDaily(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 2 || all[0].Space != "01_simple_events/3" || all[0].Kind != "01_simple_events" {
		t.Fatalf("%+v", all)
	}
	var got []string
	for _, u := range all[0].Turns {
		got = append(got, fmt.Sprintf("%s %s %s>%s %s %s", u.Session, u.ID, u.Speaker, u.Listener, u.TS, u.Text))
	}
	// The order of the file holds, also where times fall; a pause ends a session.
	want := []string{
		"0 0 user>assistant 2024-04-01T08:33:00Z 我将要参加湖边晨跑会。",
		"0 1 user>assistant 2024-04-01T08:50:00Z 湖边晨跑会的地点是上海。",
		"2 2 user>assistant 2024-04-02T07:02:00Z 湖边晨跑会的时间是下周一晚上七点。",
		"3 3 user>assistant 2024-04-01T21:00:00Z 我表妹在北京上班呢。",
	}
	if !slices.Equal(got, want) {
		t.Errorf("turns:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	q := all[0].Questions[0]
	if q.Text != "湖边晨跑会的地点是什么？" || q.Gold != "上海" || !q.HasGold || q.Choice != "B" || q.Choices["A"] != "杭州" || q.Asked.String() != "2024-04-04T11:09:00Z" {
		t.Errorf("question: %+v", q)
	}
	if !slices.Equal(q.Evidence, []string{"1"}) || len(q.Dropped) != 1 || q.Dropped[0] != (DroppedEvidence{"9", reasonNoMessage}) {
		t.Errorf("evidence: %v, dropped %v", q.Evidence, q.Dropped)
	}
	// Some questions of the data set were never written.
	if q := all[1].Questions[0]; q.HasGold || q.Gold != "" || q.Choices != nil || !slices.Equal(q.Evidence, []string{"0"}) {
		t.Errorf("question: %+v", q)
	}
	// The order of keys says nothing.
	turned := strings.Replace(tinyMemDaily(t), `{"id": "01_simple_events/3", `, `{`, 1)
	turned = strings.Replace(turned, "11:09\"}]}\n", "11:09\"}], \"id\": \"01_simple_events/3\"}\n", 1)
	again, err := readTrajectories(turned)
	if err != nil || fmt.Sprint(again) != fmt.Sprint(all) {
		t.Errorf("with the id last: %v", err)
	}
}

// TestBadTrajectories gives the error for each way in which a file can be wrong.
func TestBadTrajectories(t *testing.T) {
	text := tinyMemDaily(t)
	for _, c := range []struct{ name, from, to, want string }{
		{"cut", text[len(text)-40:], "", "conversation 1"},
		{"cut first", text[100:], "", "the file ends in the middle of a value"},
		{"no id", `"id": "01_simple_events/3", `, "", `the object has no id`},
		{"no questions", `"question_list"`, `"questions"`, `the object has no question_list, but "questions"`},
		{"no messages", `"message_list"`, `"messages"`, `the object has no message in message_list`},
		{"no mid", `{"mid": 1, `, `{`, "/message_list/1: "},
		{"mid twice", `{"mid": 1, `, `{"mid": 0, `, `the mid "0" was there before`},
		{"no text", `"message": "湖边晨跑会的地点是上海。", `, "", "the message has no text"},
		{"no time", `, "time": "2024年04月01日 周一 08:50"`, "", "/message_list/1/time: "},
		{"bad time", "2024年04月02日 周二 07:02", "2024-04-02 07:02", `expected a time like`},
		{"no question", `"question": "湖边晨跑会的地点是什么？", `, "", "/question_list/0: "},
		{"bad question time", "2024年04月04日 周四 11:09", "", "/question_list/0/time: "},
		{"twice", "04_aggregative_roles/23", "01_simple_events/3", `id "01_simple_events/3" was there before`},
		{"a string", `"target_step_id": [0]`, `"target_step_id": {"a": 0}`, "found an object"},
		{"another data set", text, `{"question_id": "q", "haystack_dates": []}`, `the object has no id, but "question_id"`},
		{"empty", text, "", "the file ends too early"},
	} {
		broken := strings.Replace(text, c.from, c.to, 1)
		if broken == text {
			t.Errorf("%s: nothing was changed", c.name)
		}
		_, err := readTrajectories(broken)
		var data *DataError
		if !errors.Is(err, dsl.ErrInvalid) || !errors.As(err, &data) || data.Want == "" {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for _, part := range []string{"tiny_memdaily.jsonl", c.want} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v; want %q in it", c.name, err, part)
			}
		}
	}
}

// TestRealMemDaily reads the dev file and compares counts that were made by a
// script of another language over the same file.
func TestRealMemDaily(t *testing.T) {
	d, err := OpenData(sharedData(t, "memdaily/memdaily.dev.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	type counts struct{ trajectories, messages, questions, targets, unanswered, unsorted int }
	var got counts
	kinds := map[string]int{}
	for v, err := range ReadMemDaily(d, d.Name()) {
		if err != nil {
			t.Fatal(err)
		}
		got.trajectories++
		got.messages += len(v.Turns)
		kinds[v.Kind]++
		if !slices.IsSortedFunc(v.Turns, func(a, b dsl.Turn) int { return int(a.TS/dsl.Second - b.TS/dsl.Second) }) {
			got.unsorted++
		}
		for _, q := range v.Questions {
			got.questions++
			got.targets += len(q.Evidence)
			if !q.HasGold {
				got.unanswered++
			}
			if len(q.Dropped) > 0 {
				t.Errorf("%s: dropped %v", v.Space, q.Dropped)
			}
		}
	}
	if want := (counts{500, 4372, 500, 1606, 3, 25}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if len(kinds) != 26 || kinds["04_aggregative_hybrid"] != 44 {
		t.Errorf("kinds: %v", kinds)
	}
}
