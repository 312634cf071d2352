package eval

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/asof-db/asof/dsl"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// readAll collects a stream up to its error.
func readAll(r io.Reader, name string) ([]Conversation, error) {
	var out []Conversation
	for c, err := range ReadLoCoMo(r, name) {
		if err != nil {
			return out, err
		}
		out = append(out, c)
	}
	return out, nil
}

func tiny(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/tiny.json")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func tinyConversations(t testing.TB) []Conversation {
	t.Helper()
	convs, err := readAll(bytes.NewReader(tiny(t)), "tiny.json")
	if err != nil {
		t.Fatal(err)
	}
	return convs
}

func TestTurns(t *testing.T) {
	convs := tinyConversations(t)
	if len(convs) != 2 || convs[0].Space != "tiny-1" || convs[1].Space != "tiny-2" {
		t.Fatalf("spaces: %+v", convs)
	}
	var got []string
	for _, u := range convs[0].Turns {
		line := fmt.Sprintf("%s %s %s>%s %s", u.Session, u.ID, u.Speaker, u.Listener, u.TS)
		for _, a := range u.Attachments {
			line += fmt.Sprintf(" [%s: %s]", a.Kind, a.Text)
		}
		got = append(got, line)
	}
	// Session numbers decide, not their spelling (2 before 10) and not their
	// dates (session 10 is dated before session 2). Midnight and noon are 12.
	want := []string{
		"session_1 D1:1 Ada>Ben 2021-03-01T12:40:00Z",
		"session_1 D1:2 Ada>Ben 2021-03-01T12:40:01Z",
		"session_1 D1:3 Ben>Ada 2021-03-01T12:40:02Z",
		"session_2 D2:1 Ben>Ada 2021-03-20T16:30:00Z [image: a photo of a lopsided mug]",
		"session_2 D2:2 Ada>Ben 2021-03-20T16:30:01Z",
		"session_10 D10:1 Ben>Ada 2021-03-03T00:05:00Z",
		"session_10 D10:2 Ada>Ben 2021-03-03T00:05:01Z",
	}
	if !slices.Equal(got, want) {
		t.Errorf("turns:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := convs[0].Turns[2].Text.String(); got != "Only one?\nYou surprise me." {
		t.Errorf("text is not verbatim: %q", got)
	}
	if u := convs[1].Turns[0]; u.Speaker.String() != "小林" || u.Listener.String() != "Noor" {
		t.Errorf("speakers: %v > %v", u.Speaker, u.Listener)
	}
	all := fmt.Sprintf("%+v", convs)
	for _, leak := range []string{"secret-query-words", "there.example"} {
		if strings.Contains(all, leak) {
			t.Errorf("%q was read: the data set's image query and address are not part of a conversation", leak)
		}
	}
}

func TestQuestions(t *testing.T) {
	convs := tinyConversations(t)
	var got []string
	for _, c := range convs {
		for _, q := range c.Questions {
			line := fmt.Sprintf("%s/%d c%d gold=%q wrong=%q evidence=%v", c.Space, q.Index, q.Category, q.Gold, q.Adversarial, q.Evidence)
			if q.Repaired > 0 {
				line += fmt.Sprintf(" repaired=%d", q.Repaired)
			}
			for _, d := range q.Dropped {
				line += fmt.Sprintf(" dropped=%q(%s)", d.Text, d.Reason)
			}
			got = append(got, line)
		}
	}
	want := []string{
		`tiny-1/0 c4 gold=["At the harbour market"] wrong="" evidence=[D1:2]`,
		`tiny-1/1 c2 gold=["2019"] wrong="" evidence=[D2:1 D10:1] repaired=1`,
		`tiny-1/2 c1 gold=["Rye bread"] wrong="" evidence=[D10:2 D2:2] repaired=2`,
		`tiny-1/3 c3 gold=["Likely yes"] wrong="" evidence=[] dropped="D"(not a turn id) dropped="D10:99"(no such turn)`,
		`tiny-1/4 c3 gold=["1.50"] wrong="" evidence=[]`,
		`tiny-1/5 c5 gold=[] wrong="At the harbour market" evidence=[D1:2]`,
		`tiny-2/0 c4 gold=["白鹭"] wrong="" evidence=[D1:1]`,
		`tiny-2/1 c1 gold=["a heron" "an egret"] wrong="" evidence=[D1:1 D1:2] repaired=1`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("questions:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := convs[1].Questions[0].Text; got != "小林在河边看到了什么？" {
		t.Errorf("question: %q", got)
	}
}

func TestEvidence(t *testing.T) {
	turns := map[string]bool{"D8:6": true, "D9:17": true, "D11:26": true, "D30:5": true, "odd id; D8:6": true}
	for _, c := range []struct {
		raw      string
		kept     string
		repaired int
		dropped  string
	}{
		{"D8:6", "D8:6", 0, ""},
		{"D8:6; D9:17", "D8:6 D9:17", 1, ""},
		{"D8:6 D9:17 D8:6", "D8:6 D9:17", 1, ""},
		{"D8:6,D9:17", "D8:6 D9:17", 1, ""},
		{"D:11:26", "D11:26", 1, ""},
		{"D30:05", "D30:5", 1, ""},
		{"d8: 6", "D8:6", 1, ""},
		{"(D8:6)", "D8:6", 1, ""},
		{"D8：6、D9:17", "D8:6 D9:17", 1, ""},
		{"odd id; D8:6", "odd id; D8:6", 0, ""},
		{"D", "", 0, "D (not a turn id)"},
		{"", "", 0, " (not a turn id)"},
		{" ; ", "", 0, " ;  (not a turn id)"},
		{"D0:6", "", 0, "D0:6 (not a turn id)"},
		{"D8:6:1", "", 0, "D8:6:1 (not a turn id)"},
		{"D8:6-9", "", 0, "D8:6-9 (not a turn id)"},
		{"S8:6", "", 0, "S8:6 (not a turn id)"},
		{"D8:7", "", 0, "D8:7 (no such turn)"},
		{"D8:6; D8:7", "D8:6", 0, "D8:7 (no such turn)"},
	} {
		var q Question
		q.resolveEvidence([]string{c.raw}, turns)
		var dropped []string
		for _, d := range q.Dropped {
			dropped = append(dropped, d.Text+" ("+d.Reason+")")
		}
		if got := strings.Join(q.Evidence, " "); got != c.kept || q.Repaired != c.repaired || strings.Join(dropped, ", ") != c.dropped {
			t.Errorf("%q: kept %q, repaired %d, dropped %q; want %q, %d, %q", c.raw, got, q.Repaired, dropped, c.kept, c.repaired, c.dropped)
		}
	}
}

// longSession is a conversation with one session of n turns, and a second one a
// minute later.
func longSession(n int) string {
	var b strings.Builder
	b.WriteString(`{"sample_id":"long","conversation":{"speaker_a":"A","speaker_b":"B","session_1_date_time":"1:00 pm on 1 May, 2020","session_1":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"speaker":"A","dia_id":"D1:%d","text":"word %d"}`, i+1, i+1)
	}
	b.WriteString(`],"session_2_date_time":"1:01 PM on 1 may 2020","session_2":[{"speaker":"C","dia_id":"D2:1","text":""}]}}`)
	return b.String()
}

func TestTurnTimesRise(t *testing.T) {
	for _, n := range []int{1, 59, 60, 61, 1000} {
		convs, err := readAll(strings.NewReader(longSession(n)), "long")
		if err != nil {
			t.Fatal(err)
		}
		turns := convs[0].Turns
		for i := 1; i < len(turns); i++ {
			if turns[i].TS <= turns[i-1].TS {
				t.Fatalf("%d turns: %s at %s is not after %s at %s", n, turns[i].ID, turns[i].TS, turns[i-1].ID, turns[i-1].TS)
			}
		}
		if got := turns[len(turns)-1].Listener.String(); got != "" {
			t.Errorf("C is neither speaker, yet speaks to %q", got)
		}
	}
}

func TestShapes(t *testing.T) {
	want := fmt.Sprintf("%+v", tinyConversations(t))
	plain := tiny(t)
	// The same conversations as JSONL: cut the array at its top-level objects.
	body := strings.TrimSpace(string(plain))
	parts := strings.SplitN(body[1:len(body)-1], "\n  },\n", 2)
	jsonl := strings.ReplaceAll(parts[0], "\n", " ") + "}\n" + strings.ReplaceAll(parts[1], "\n", " ") + "\n"
	pack := func(write func(io.Writer) io.WriteCloser) []byte {
		var b bytes.Buffer
		w := write(&b)
		if _, err := w.Write(plain); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	gz := pack(func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
	zst := pack(func(w io.Writer) io.WriteCloser {
		z, err := zstd.NewWriter(w)
		if err != nil {
			t.Fatal(err)
		}
		return z
	})
	skippable := append([]byte{0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4}, zst...)
	for name, data := range map[string][]byte{
		"a.json": plain, "bom.json": append([]byte("\xef\xbb\xbf"), plain...), "a.jsonl": []byte(jsonl),
		"a.json.gz": gz, "noextension": gz, "a.json.zst": zst, "skippable.zst": skippable, "not-really.json.gz": plain,
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		d, err := OpenData(path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := readAll(d, d.Name())
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if s := fmt.Sprintf("%+v", got); s != want {
			t.Errorf("%s: other conversations than from the plain file:\n%s\nwant\n%s", name, s, want)
		}
		info, err := d.Info()
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha(data); info.Name != name || info.Bytes != int64(len(data)) || info.SHA256 != sum {
			t.Errorf("%s: info %+v, want %d bytes and %s", name, info, len(data), sum)
		}
		if err := errors.Join(d.Close(), d.Close()); err != nil {
			t.Errorf("%s: close: %v", name, err)
		}
	}
}

// TestFaults reads files that are wrong in one way each. The message must name
// the file, the place, and what was expected.
func TestFaults(t *testing.T) {
	const turn = `{"speaker":"A","dia_id":"D1:1","text":"hi"}`
	conv := func(members, qa string) string {
		return `[{"sample_id":"s","conversation":{"speaker_a":"A","speaker_b":"B",` + members + `},"qa":[` + qa + `]}]`
	}
	ok := `"session_1_date_time":"1:56 pm on 8 May, 2023","session_1":[` + turn + `]`
	q := `{"question":"q","category":1,"answer":"a","evidence":[]}`
	if _, err := readAll(strings.NewReader(conv(ok, q)), "f"); err != nil {
		t.Fatalf("the file that the faults are put into is not good itself: %v", err)
	}
	for _, c := range []struct{ name, data, want string }{
		{"empty", "", "byte 0: invalid: the file ends too early"},
		{"blank", " \n", "the file ends too early"},
		{"text", "hello", "expected a LoCoMo file: a JSON array, or JSONL"},
		{"scalar", "[3]", "conversation 0, byte 1: invalid: found a number; expected a LoCoMo file"},
		{"other data set", `[{"question_id":"q","haystack_sessions":[]}]`, `the object has no sample_id, but "question_id", "haystack_sessions"; expected a LoCoMo file`},
		{"no conversation", `[{"sample_id":"s"}]`, "the object has no conversation with a session in it"},
		{"empty object", `[{}]`, "the object has no sample_id"},
		{"null conversation", `[{"sample_id":"s","conversation":null}]`, "key /0/conversation: invalid: found null; expected an object with speaker_a"},
		{"bad space", `[{"sample_id":"a\u0000b"}]`, "key /0/sample_id: invalid: invalid: space name"},
		{"array cut", conv(ok, q)[:40], "ends in the middle of a value"},
		{"array not closed", strings.TrimSuffix(conv(ok, q), "]"), "conversation 1, "},
		{"more after the array", conv(ok, q) + "{}", "there is more after the array; expected the end of the file"},
		{"second line cut", conv(ok, q)[1:len(conv(ok, q))-1] + "\n{\"sample_id\":", "conversation 1, "},
		{"same space twice", strings.Repeat(conv(ok, q)[1:len(conv(ok, q))-1]+"\n", 2), `sample_id "s" was there before`},
		{"no date", conv(`"session_1":[`+turn+`]`, q), "key /0/conversation/session_1: invalid: session_1 has turns but no date; expected session_1_date_time, a time like"},
		{"bad date", conv(`"session_1_date_time":"2023-05-08","session_1":[`+turn+`]`, q), `key /0/conversation/session_1_date_time: invalid: "2023-05-08" is not a time that can be read; expected a time like "1:56 pm on 8 May, 2023"`},
		{"no such day", conv(`"session_1_date_time":"1:56 pm on 31 June, 2023","session_1":[`+turn+`]`, q), "is not a time that can be read"},
		{"numeric date", conv(`"session_1_date_time":3,"session_1":[`+turn+`]`, q), "found a number; expected a time like"},
		{"session name", conv(ok+`,"session_01":[]`, q), `"session_01" is not how a session is named`},
		{"session object", conv(`"session_1":{}`, q), "found an object; expected an array of turns"},
		{"turn string", conv(`"session_1":["hi"]`, q), "key /0/conversation/session_1: invalid: found a string; expected a turn"},
		{"second turn string", conv(`"session_1":[`+turn+`,"hi"]`, q), "key /0/conversation/session_1/0: invalid: found a string; expected a turn"},
		{"turn without id", conv(`"session_1":[`+turn+`,{"speaker":"A","text":"x"}]`, q), "key /0/conversation/session_1/1: invalid: invalid: id is empty"},
		{"turn without speaker", conv(`"session_1":[{"dia_id":"D1:1","text":"x"}]`, q), "speaker is empty"},
		{"turn without text", conv(`"session_1":[{"dia_id":"D1:1","speaker":"A"}]`, q), "the turn has no text"},
		{"turn with NUL", conv(`"session_1":[{"dia_id":"D1:1","speaker":"A","text":"a\u0000"}]`, q), "NUL"},
		{"same turn id", conv(`"session_1_date_time":"1:56 pm on 8 May, 2023","session_1":[`+turn+`,`+turn+`]`, q), `key /0/conversation/session_1/1: invalid: the turn id "D1:1" was there before`},
		{"member twice", conv(ok+`,"session_1":[]`, q), "duplicate"},
		{"invalid UTF-8", conv(strings.ReplaceAll(ok, "hi", "h\xff"), q), "UTF-8"},
		{"qa object", `[{"sample_id":"s","qa":{}}]`, "key /0/qa: invalid: found an object; expected an array of questions"},
		{"question without text", conv(ok, `{"category":1}`), "key /0/qa/0: invalid: the question has no text"},
		{"no category", conv(ok, q+`,{"question":"q"}`), "key /0/qa/1: invalid: the category is missing or not 1 to 5"},
		{"category 6", conv(ok, `{"question":"q","category":6}`), "not 1 to 5"},
		{"answer object", conv(ok, `{"question":"q","category":1,"answer":{}}`), "found an object; expected an answer"},
		{"evidence object", conv(ok, `{"question":"q","category":1,"evidence":[{}]}`), "found an object; expected an array of turn ids"},
	} {
		_, err := readAll(strings.NewReader(c.data), "dir/file.json")
		var place *DataError
		switch {
		case err == nil:
			t.Errorf("%s: no error", c.name)
		case !errors.As(err, &place) || !errors.Is(err, dsl.ErrInvalid):
			t.Errorf("%s: %T is no DataError that wraps ErrInvalid: %v", c.name, err, err)
		case !strings.HasPrefix(err.Error(), "eval: dir/file.json: conversation ") || place.Want == "" || !strings.Contains(err.Error(), c.want):
			t.Errorf("%s:\n got %v\nwant … %s …", c.name, err, c.want)
		}
	}
}

// TestEveryCut cuts the file at every byte: each is an error, and what is given
// before it is what the whole file gives.
func TestEveryCut(t *testing.T) {
	data := bytes.TrimSpace(tiny(t))
	whole := tinyConversations(t)
	for i := range data {
		got, err := readAll(bytes.NewReader(data[:i]), "cut")
		if err == nil {
			t.Fatalf("cut at %d: no error", i)
		}
		if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", whole[:len(got)]) {
			t.Fatalf("cut at %d: gave something else before the error", i)
		}
	}
}

func TestDamagedCompression(t *testing.T) {
	var gz, zst bytes.Buffer
	g := gzip.NewWriter(&gz)
	z, err := zstd.NewWriter(&zst)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []io.WriteCloser{g, z} {
		if _, err := w.Write(tiny(t)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for name, data := range map[string][]byte{
		"gzip": gz.Bytes()[:gz.Len()/2], "zstd": zst.Bytes()[:zst.Len()/2],
	} {
		d, err := NewData(bytes.NewReader(data), "packed")
		if err == nil {
			_, err = readAll(d, d.Name())
		}
		if !errors.Is(err, dsl.ErrInvalid) || !strings.Contains(err.Error(), name+" data is damaged or cut short") || !strings.Contains(err.Error(), "packed") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := NewData(strings.NewReader("PK\x03\x04…"), "a.zip"); !errors.Is(err, dsl.ErrInvalid) || !strings.Contains(err.Error(), "zip") {
		t.Errorf("zip: %v", err)
	}
	if _, err := OpenData(filepath.Join(t.TempDir(), "absent")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent file: %v", err)
	}
	// A disk that fails is not bad data.
	broken := errors.New("input/output error")
	d, err := NewData(io.MultiReader(bytes.NewReader(gz.Bytes()[:20]), failing{broken}), "disk")
	if err == nil {
		_, err = readAll(d, d.Name())
	}
	if !errors.Is(err, broken) || errors.Is(err, dsl.ErrInvalid) {
		t.Errorf("failing disk: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// TestConversationTooLong streams a conversation without end; reading stops at
// the bound instead of filling the memory.
func TestConversationTooLong(t *testing.T) {
	endless := io.MultiReader(strings.NewReader(`[{"sample_id":"s","note":"`), filler{})
	var got error
	for _, err := range readLoCoMo(endless, "endless", 1<<20) {
		got = err
	}
	if !errors.Is(got, dsl.ErrInvalid) || !strings.Contains(got.Error(), "longer than 1048576 bytes") {
		t.Errorf("got %v", got)
	}
	// The bound is per conversation: a file of many goes on.
	var many strings.Builder
	for i := range 40 {
		many.WriteString(strings.Replace(longSession(100), `"long"`, strconv.Quote(fmt.Sprint("s", i)), 1) + "\n")
	}
	n := 0
	for _, err := range readLoCoMo(strings.NewReader(many.String()), "many", 32<<10) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != 40 || many.Len() < 5*32<<10 {
		t.Errorf("%d conversations of %d bytes", n, many.Len())
	}
}

type filler struct{}

func (filler) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// TestStopsEarly breaks off after the first conversation: nothing further is
// read, so a fault behind it is not met.
func TestStopsEarly(t *testing.T) {
	data := longSession(1) + "\n" + strings.Repeat(" ", 1<<20) + "?"
	n := 0
	for c, err := range ReadLoCoMo(strings.NewReader(data), "f") {
		if err != nil || c.Space != "long" {
			t.Fatal(c.Space, err)
		}
		n++
		break
	}
	if n != 1 {
		t.Fatalf("%d conversations", n)
	}
}

func FuzzReadLoCoMo(f *testing.F) {
	f.Add(tiny(f))
	f.Add([]byte(longSession(3)))
	f.Add([]byte(`[{"sample_id":"s","conversation":{"session_1":[{"dia_id":"D1:1"`))
	f.Add([]byte(`{"sample_id":1,"qa":[{"question":"q","category":"5","evidence":"D1:1, D:1:01"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		failed := false
		spaces := map[string]bool{}
		for c, err := range readLoCoMo(bytes.NewReader(data), "fuzz", 1<<20) {
			if failed {
				t.Fatal("something came after an error")
			}
			if err != nil {
				failed = true
				if !errors.Is(err, dsl.ErrInvalid) {
					t.Fatalf("a fault of the data that is not called one: %v", err)
				}
				continue
			}
			if spaces[c.Space] || dsl.CheckSpace(c.Space) != nil || len(c.Turns) == 0 {
				t.Fatalf("space %q with %d turns", c.Space, len(c.Turns))
			}
			spaces[c.Space] = true
			ids := map[string]bool{}
			for i := range c.Turns {
				if err := c.Turns[i].Validate(); err != nil || ids[c.Turns[i].ID] {
					t.Fatalf("turn %d: %v", i, err)
				}
				ids[c.Turns[i].ID] = true
			}
			for i, q := range c.Questions {
				if q.Index != i || q.Text == "" {
					t.Fatalf("question %d: %+v", i, q)
				}
				for _, e := range q.Evidence {
					if !ids[e] {
						t.Fatalf("evidence %q is no turn", e)
					}
				}
			}
		}
	})
}
