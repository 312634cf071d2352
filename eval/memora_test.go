package eval

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/asof-db/asof/dsl"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// session writes a session as Memora does: details is operation_details, each
// line "speaker: text"; "+" before it shares the memory.
func session(persona string, id int, date, kind, operation, details string, lines ...string) string {
	var b strings.Builder
	op := "null"
	if operation != "" {
		op = `"` + operation + `"`
	}
	fmt.Fprintf(&b, `{"session_id": %d, "session_type": %q, "operation": %s, "operation_details": %s, "date": %q, "persona": %q, "conversation": [`,
		id, kind, op, details, date, persona)
	for i, l := range lines {
		l, shared := strings.CutPrefix(l, "+")
		speaker, text, _ := strings.Cut(l, ": ")
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, `{"turn": %d, "speaker": %q, "message": %q, "share_memory": %v}`, i+1, speaker, text, shared)
	}
	b.WriteString("]}")
	return b.String()
}

const asked = `{"persona": "gardener", "date_range": {"start_date": "2025-06-01", "end_date": "2025-06-02"}, "questions": {
 "remembering": [{"question_id": "flowers_3", "question": "Which flowers do I like?", "question_date": "2025-06-02",
  "memory_evidence": {"items": {"flowers": {"likes": [{"item": "peonies", "session_id": 3}, {"item": "asters", "session_id": 3}], "dislikes": []}}, "count": 1},
  "forgetting_evidence": {"forgotten_items": [{"value": "tulips", "session_id": 3}, {"value": 800, "field": "budget", "session_id": 4}], "total_forgotten_items": 2},
  "evaluation": {"evaluation_questions": [
   {"evaluation_question_id": "a", "evaluation_question": "Are peonies named?", "expected_answer": "yes", "evaluation_type": "memory_presence"},
   {"evaluation_question_id": "b", "evaluation_question": "Are tulips named?", "expected_answer": "no", "evaluation_type": "forgetting_absence"}], "total_evaluation_questions": 2}}],
 "reasoning": [], "recommending": []}}`

func gardener() []string {
	return []string{
		session("gardener", 1, "2025-06-01", "no_memory", "", "{}", "ai_agent: Hello!", "user_agent: Hi."),
		session("gardener", 2, "2025-06-01", "preference", "add", `{"item": "tulips", "preference": "like", "subcategory": "flowers"}`,
			"ai_agent: What do you grow?", "+user_agent: I like tulips.", "user_agent: A lot."),
		session("gardener", 3, "2025-06-02", "preference", "update",
			`{"item": "peonies", "preference": "like", "subcategory": "flowers", "update_type": "value_update", "old_preference": "like", "old_item": "tulips"}`,
			"+user_agent: I used to like tulips, now I like peonies."),
		session("gardener", 4, "2025-06-02", "activity", "update",
			`{"item": "project_proposal_1", "memory_updates": [{"field": "budget", "updated_from": 800, "updated_to": 900, "action": "budget_revised"}, {"field": "objectives", "added_item": "more \"roses\"", "action": "added"}]}`,
			"+user_agent: Please raise the budget from $800 to $900."),
	}
}

func personas(s string) ([]Persona, error) { return personasOf(strings.NewReader(s), "m.json") }

func personasOf(r io.Reader, name string) ([]Persona, error) {
	var out []Persona
	for p, err := range ReadMemora(r, name) {
		if err != nil {
			return out, err
		}
		out = append(out, p)
	}
	return out, nil
}

type file struct{ name, text string }

// tarred packs files; a name that ends in a slash is a folder.
func tarred(t testing.TB, files ...file) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Mode: 0o644, Size: int64(len(f.text)), Typeflag: tar.TypeReg}
		if strings.HasSuffix(f.name, "/") {
			h.Typeflag, h.Mode = tar.TypeDir, 0o755
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(f.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// gardenTar is the data set's own layout, with what unpackers of some systems
// leave in it, and with its files out of order.
func gardenTar(t testing.TB) []byte {
	g := gardener()
	return tarred(t, file{"./", ""}, file{"./README.md", "# no session"}, file{"./meta.json", `{"version": 1}`}, file{"gardener/", ""},
		file{"gardener/evaluation_questions_gardener.json", asked},
		file{"gardener/conversations/session_0010.json", g[3]}, file{"gardener/conversations/._session_0001.json", "\x00\x05\x16"},
		file{"gardener/conversations/session_0002.json", g[1]}, file{"gardener/conversations/session_0003.json", g[2]},
		file{"gardener/conversations/session_0001.json", g[0]})
}

func summary(ps []Persona) string {
	var b strings.Builder
	for _, p := range ps {
		fmt.Fprintf(&b, "%s\n", p.Space)
		for _, t := range p.Turns {
			fmt.Fprintf(&b, "  %s [%s] %s %s>%s %s\n", t.ID, t.Session, t.TS, t.Speaker, t.Listener, t.Text)
		}
		for _, c := range p.Changes {
			fmt.Fprintf(&b, "  %s %s %s %q: %+v -> %+v in %v\n", c.Session, c.Kind, c.Class, c.Slot, c.Old, c.New, c.Shared)
		}
	}
	return b.String()
}

const gardenerSummary = `gardener
  1:1 [1] 2025-06-01T00:01:00Z ai_agent>user_agent Hello!
  1:2 [1] 2025-06-01T00:01:01Z user_agent>ai_agent Hi.
  2:1 [2] 2025-06-01T00:02:00Z ai_agent>user_agent What do you grow?
  2:2 [2] 2025-06-01T00:02:01Z user_agent>ai_agent I like tulips.
  2:3 [2] 2025-06-01T00:02:02Z user_agent>ai_agent A lot.
  3:1 [3] 2025-06-02T00:01:00Z user_agent>ai_agent I used to like tulips, now I like peonies.
  4:1 [4] 2025-06-02T00:02:00Z user_agent>ai_agent Please raise the budget from $800 to $900.
  2 add preference "flowers": {Text: Dislike:false} -> {Text:tulips Dislike:false} in [2:2]
  3 update preference "flowers": {Text:tulips Dislike:false} -> {Text:peonies Dislike:false} in [3:1]
  4 update content "project_proposal_1 budget": {Text:800 Dislike:false} -> {Text:900 Dislike:false} in [4:1]
  4 add content "project_proposal_1 objectives": {Text: Dislike:false} -> {Text:more "roses" Dislike:false} in [4:1]
`

// TestMemoraShapes reads the same persona in every shape that it may come in.
func TestMemoraShapes(t *testing.T) {
	g := gardener()
	pack := func(b []byte) map[string][]byte {
		var gz, zs bytes.Buffer
		w := gzip.NewWriter(&gz)
		if _, err := w.Write(b); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		z, err := zstd.NewWriter(&zs)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := z.Write(b); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return map[string][]byte{"plain": b, "gz": gz.Bytes(), "zst": zs.Bytes()}
	}
	shuffled := []string{asked, g[2], g[0], g[3], g[1]}
	for name, text := range map[string][]byte{
		"tar": gardenTar(t), "array": []byte("[" + strings.Join(shuffled, ",") + "]"),
		"jsonl": []byte(strings.Join(shuffled, "\n") + "\n"), "mark": []byte("\xef\xbb\xbf" + strings.Join(g, "\n")),
	} {
		for how, b := range pack(text) {
			d, err := NewData(bytes.NewReader(b), name)
			if err != nil {
				t.Fatal(err)
			}
			ps, err := personasOf(d, name)
			if err != nil {
				t.Errorf("%s %s: %v", name, how, err)
				continue
			}
			if got := summary(ps); got != gardenerSummary {
				t.Errorf("%s %s:\n%s", name, how, got)
			}
			if name == "mark" {
				continue
			}
			q := ps[0].Questions
			if len(q) != 1 || q[0].ID != "flowers_3" || q[0].Kind != "remembering" || !slices.Equal(q[0].Evidence, []string{"3"}) ||
				!slices.Equal(q[0].Forgotten, []ForgottenValue{{"tulips", "3"}, {"800", "4"}}) ||
				!slices.Equal(q[0].Checks, []MemoryCheck{{"a", "Are peonies named?", true}, {"b", "Are tulips named?", false}}) {
				t.Errorf("%s %s: questions %+v", name, how, q)
			}
		}
	}
}

// TestMemoraTimes holds the times of turns apart from the next session and the
// next day, however many there are.
func TestMemoraTimes(t *testing.T) {
	long := slices.Repeat([]string{"user_agent: on and on"}, 200)
	list := []string{session("p", 1, "2025-06-01", "no_memory", "", "{}", long...)}
	for i := range 2000 {
		list = append(list, session("p", i+2, "2025-06-01", "no_memory", "", "{}", "user_agent: one", "ai_agent: two"))
	}
	list = append(list, session("p", 3000, "2025-06-02", "no_memory", "", "{}", "user_agent: next"))
	// A later number may have an earlier date: it comes later all the same.
	list = append(list, session("p", 3001, "2025-05-01", "no_memory", "", "{}", "user_agent: late"))
	ps, err := personas(strings.Join(list, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	turns := ps[0].Turns
	next, late := turns[len(turns)-2], turns[len(turns)-1]
	if next.TS.String() != "2025-06-02T00:01:00Z" || late.TS.String() != "2025-05-01T00:01:00Z" {
		t.Errorf("%s, %s", next.TS, late.TS)
	}
	for i, u := range turns[:len(turns)-2] {
		if i > 0 && u.TS <= turns[i-1].TS || u.TS >= next.TS-60*dsl.Second {
			t.Fatalf("turn %s at %s after %s", u.ID, u.TS, turns[i-1].TS)
		}
	}
}

// TestMemoraFaults gives a wrong file and looks for file, place and what was
// expected in the message.
func TestMemoraFaults(t *testing.T) {
	g := gardener()
	replaced := func(old, now string) string { return g[0] + "\n" + strings.Replace(g[1], old, now, 1) }
	garden := gardenTar(t)
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "the file ends too early"},
		{"blank", " \n", "the file ends too early"},
		{"no session", "[]", "there is no session in it"},
		{"text", "once upon a time", "expected a Memora file"},
		{"bytes", strings.Repeat("\xff\x00", 400), "neither JSON nor a tar"},
		{"LoCoMo", `[{"sample_id": "x", "qa": [], "conversation": {}}]`, "found an object; expected an array of turns"},
		{"other", `{"sample_id": "x", "qa": []}`, `the object has no conversation, but "sample_id", "qa"; expected a session`},
		{"no persona", replaced(`"persona": "gardener", `, ""), "the object names no persona"},
		{"no id", replaced(`"session_id": 2, `, ""), "the object has no session_id"},
		{"no date", replaced(`"date": "2025-06-01", `, ""), "the object has no date"},
		{"date", replaced("2025-06-01", "June 1"), `key /date: invalid: "June 1" is not a date; expected a date like "2025-06-01"`},
		{"no message", replaced(`"message": "I like tulips."`, `"text": "x"`), "key /conversation/1: invalid: turn 2 has no message"},
		{"no number", replaced(`"turn": 3, `, ""), "key /conversation/2: invalid: turn 2 of the session has no number"},
		{"number", replaced(`"turn": 3`, `"turn": "three"`), `"three" is not a number`},
		{"turn twice", replaced(`"turn": 3`, `"turn": 2`), "turn 2 of session 2 comes twice"},
		{"session twice", g[0] + g[1] + g[1], `session 2 of "gardener" was there before`},
		{"questions twice", g[0] + asked + asked, "has questions already"},
		{"only questions", asked, "has questions but no session"},
		{"persona twice", g[0] + session("cook", 1, "2025-06-01", "no_memory", "", "{}") + g[1], `persona "gardener" came before, and another since`},
		{"operation", replaced(`"add"`, `"forget"`), `operation "forget" is none of add, update, delete`},
		{"details", replaced(`"subcategory": "flowers"`, `"subcategory": 7`), "key /operation_details"},
		{"no speaker", replaced(`"speaker": "ai_agent"`, `"speaker": ""`), "key /conversation/0"},
		{"check", strings.Replace(asked, "memory_presence", "memory_absence", 1) + g[0], "the check has another or none"},
		{"cut", g[0] + "\n" + g[1][:len(g[1])-20], "m.json: conversation 0, byte"},
		{"cut array", "[" + g[0], "the file ends"},
		{"more", "[" + g[0] + "]" + g[1], "there is more after the array"},
		{"tar cut in a file", string(garden[:len(garden)-3*512-100]), "the tar ends in the middle of a file"},
		{"tar cut between files", string(garden[:len(garden)-2*512]), "it was cut after this file"},
		{"empty tar", string(tarred(t)), "there is no session in it"},
		{"tar of others", string(tarred(t, file{"a.json", "{}"}, file{"b.json", "[1]"})), "there is no session in it"},
		{"tar with a bad session", string(tarred(t, file{"gardener/conversations/session_0001.json", "{}"})),
			"m.json: gardener/conversations/session_0001.json: conversation 0"},
		{"tar with two in a file", string(tarred(t, file{"gardener/conversations/session_0001.json", g[0] + g[1]})), "there is more after it"},
	} {
		_, err := personas(c.text)
		var fault *DataError
		if !errors.As(err, &fault) || !errors.Is(err, dsl.ErrInvalid) || !strings.Contains(fmt.Sprint(err), c.want) || fault.Want == "" {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	for _, err := range readMemora(strings.NewReader(g[1]), "m.json", 100) {
		if err == nil || !strings.Contains(err.Error(), "longer than 100 bytes") {
			t.Errorf("a long one: %v", err)
		}
	}
}

// TestMemoraStop ends the walk when the consumer has enough.
func TestMemoraStop(t *testing.T) {
	text := gardener()[0] + session("cook", 1, "2025-06-01", "no_memory", "", "{}") + "{"
	n := 0
	for _, err := range ReadMemora(strings.NewReader(text), "m") {
		if err != nil {
			t.Fatal(err)
		}
		n++
		break
	}
	if n != 1 {
		t.Errorf("%d personas", n)
	}
}

func FuzzMemora(f *testing.F) {
	for _, s := range gardener() {
		f.Add([]byte(s))
	}
	f.Add([]byte(asked + gardener()[1]))
	f.Add(gardenTar(f))
	f.Fuzz(func(t *testing.T, b []byte) {
		if ps, err := personasOf(bytes.NewReader(b), "f"); err == nil && len(ps) == 0 {
			t.Error("no persona and no error")
		}
	})
}

// TestDecades holds that a decade is found however the turn spells it.
func TestDecades(t *testing.T) {
	f := &valueFates{}
	for text, want := range map[string]bool{
		"I used to love 80s music": true, "the '80s were best": true, "music of the 1980s": true,
		"90s music": false, "180s": false, "in 80 seconds": false,
	} {
		if got := f.holds(text, "1980s"); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
