package extract

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/cockroachdb/datadriven"
	"github.com/go-json-experiment/json"

	"github.com/asof-db/asof/dsl"
)

func newPipeline(t testing.TB) *Pipeline {
	t.Helper()
	p, err := New(DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// turnOf makes a turn of Anna's to Ben.
func turnOf(t testing.TB, ts, text string) dsl.Turn {
	t.Helper()
	at, zone, err := ParseTime(ts, "")
	if err != nil {
		t.Fatal(err)
	}
	return dsl.Turn{ID: "t1", Speaker: dsl.Plain("Anna"), Listener: dsl.Plain("Ben"), Text: dsl.Plain(text), TS: at, Zone: zone}
}

// describe gives a candidate on one line.
func describe(c *dsl.Candidate, s Stated) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s | %s | %s", c.Src, c.Rel, c.Dst)
	if !c.Relation.IsZero() {
		fmt.Fprintf(&b, " (%s)", c.Relation)
	}
	if c.Polarity == dsl.Negative {
		b.WriteString(" denied")
	}
	if c.Change != dsl.Assert {
		fmt.Fprintf(&b, " %s", c.Change)
	}
	if !c.Corrects.IsZero() {
		fmt.Fprintf(&b, " instead of %s", c.Corrects)
	}
	if c.Valid != nil {
		fmt.Fprintf(&b, " [%s..%s] %s", s.From, s.To, c.Valid)
	}
	return b.String()
}

// TestExtract runs testdata/*.txt. Each line of an input is one turn of Anna's to
// Ben; "prev" gives the turn before it.
func TestExtract(t *testing.T) {
	p := newPipeline(t)
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		if filepath.Ext(path) != ".txt" {
			return
		}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			ts, prev := "2023-05-10T14:00:00Z", ""
			d.MaybeScanArgs(t, "ts", &ts)
			d.MaybeScanArgs(t, "prev", &prev)
			var b strings.Builder
			for _, line := range strings.Split(strings.TrimSuffix(d.Input, "\n"), "\n") {
				ctx := Context{Turn: turnOf(t, ts, line)}
				if prev != "" {
					ctx.Previous = []dsl.Turn{{ID: "t0", Speaker: dsl.Plain("Ben"), Text: dsl.Plain(strings.ReplaceAll(prev, "_", " ")), TS: ctx.Turn.TS}}
				}
				r := p.Extract(ctx)
				fmt.Fprintln(&b, line)
				switch d.Cmd {
				case "facts":
					for i := range r.Candidates {
						fmt.Fprintln(&b, "   ", describe(&r.Candidates[i], r.Stated[i]))
					}
				case "entities":
					for _, m := range r.Entities {
						fmt.Fprintf(&b, "    %s %s\n", m.Type, m.Text)
					}
				case "times":
					for _, x := range r.Times {
						fmt.Fprintf(&b, "    %s %s %s", x.Text, x.Type, x.Value)
						if x.OnCalendar() {
							fmt.Fprintf(&b, " [%s, %s)", x.From.Format("2006-01-02T15:04"), x.To.Format("2006-01-02T15:04"))
						}
						fmt.Fprintln(&b)
					}
				case "sentences":
					for _, s := range r.Sentences {
						fmt.Fprintf(&b, "    <%s>\n", line[s.Start:s.End])
					}
				case "corefs":
					for _, c := range r.Corefs {
						fmt.Fprintf(&b, "    %s = %s\n", c.Text, c.RefersTo)
					}
				default:
					t.Fatalf("unknown command %q", d.Cmd)
				}
			}
			return b.String()
		})
	})
}

// TestNegatives holds that what is not asserted gives no candidate at all.
func TestNegatives(t *testing.T) {
	p := newPipeline(t)
	text, err := os.ReadFile("testdata/negative.list")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		n++
		r := p.Extract(Context{Turn: turnOf(t, "2023-05-10T14:00:00Z", line)})
		for i := range r.Candidates {
			t.Errorf("%s\n\tgave %s", line, describe(&r.Candidates[i], r.Stated[i]))
		}
	}
	if n < 60 {
		t.Fatalf("testdata/negative.list has %d lines; it was cut", n)
	}
}

// TestUnavailable holds that a part this build lacks is refused with its key.
func TestUnavailable(t *testing.T) {
	for _, c := range []struct {
		key  string
		want error
		set  func(*Config)
	}{
		{"preprocess.tiny_seg", ErrMissingPart, func(c *Config) { c.PreprocessTinySeg = true }},
		{"preprocess.rule", dsl.ErrInvalid, func(c *Config) { c.PreprocessRule = false }},
		{"ner.mode", ErrMissingPart, func(c *Config) { c.NERMode = "B" }},
		{"ner.mode", ErrMissingPart, func(c *Config) { c.NERMode = "C" }},
		{"ner.mode", dsl.ErrInvalid, func(c *Config) { c.NERMode = "D" }},
		{"alias.jw", dsl.ErrInvalid, func(c *Config) { c.AliasJW = 1.5 }},
		{"alias.token_set", dsl.ErrInvalid, func(c *Config) { c.AliasTokenSet = -1 }},
		{"ner.mode", ErrMissingPart, func(c *Config) { c.NERMode = "B'" }},
		{"coref.mode", ErrMissingPart, func(c *Config) { c.CorefMode = "B" }},
		{"coref.mode", ErrMissingPart, func(c *Config) { c.CorefMode = "A+C" }},
		{"time.sutime", ErrMissingPart, func(c *Config) { c.TimeSUTime = true }},
		{"time.llm_low_conf", ErrMissingPart, func(c *Config) { c.TimeLLM = true }},
		{"relation.mode", dsl.ErrInvalid, func(c *Config) { c.RelationMode = "A+D" }},
		{"relation.parse", ErrMissingPart, func(c *Config) { c.RelationParse = true }},
		{"relation.mode", dsl.ErrInvalid, func(c *Config) { c.RelationMode = "" }},
	} {
		cfg := DefaultConfig()
		c.set(&cfg)
		_, err := New(cfg)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.key) {
			t.Errorf("%s: got error %v, want %v that names the key", c.key, err, c.want)
		}
	}
	// All faults come at once.
	_, err := New(Config{PreprocessRule: true, NERMode: "B", CorefMode: "B", RelationMode: "C"})
	for _, key := range []string{"ner.mode", "coref.mode", "relation.mode"} {
		if err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("error %v does not name %s", err, key)
		}
	}
}

// TestSwitchedOff holds that a stage that is off finds nothing and leaves the
// version.
func TestSwitchedOff(t *testing.T) {
	on := newPipeline(t)
	cfg := DefaultConfig()
	cfg.CorefMode, cfg.TimeRule = "off", false
	off, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(on.Version(), "rule/1") || on.Version() == off.Version() {
		t.Errorf("versions %q and %q", on.Version(), off.Version())
	}
	ctx := Context{Turn: turnOf(t, "2023-05-10T14:00:00Z", "My sister Mia moved to Rome last month. She loves it.")}
	if r := on.Extract(ctx); len(r.Times) != 1 || len(r.Corefs) != 2 || !slices.ContainsFunc(r.Candidates, func(c dsl.Candidate) bool { return c.Valid != nil }) {
		t.Errorf("on: times %v, corefs %v, candidates %v", r.Times, r.Corefs, r.Candidates)
	}
	if r := off.Extract(ctx); len(r.Times) != 0 || len(r.Corefs) != 0 || slices.ContainsFunc(r.Candidates, func(c dsl.Candidate) bool { return c.Valid != nil }) {
		t.Errorf("off: times %v, corefs %v, candidates %v", r.Times, r.Corefs, r.Candidates)
	}
}

type knownTypes map[string]string

func (k knownTypes) EntityType(name string) (string, bool) { typ, ok := k[name]; return typ, ok }

// TestMemory holds that a name whose type the space knows keeps it.
func TestMemory(t *testing.T) {
	p := newPipeline(t)
	ctx := Context{Turn: turnOf(t, "2023-05-10T14:00:00Z", "We met near Zorblax yesterday.")}
	if r := p.Extract(ctx); len(r.Entities) > 0 && r.Entities[0].Type == typeLoc {
		t.Fatalf("without memory: %v", r.Entities)
	}
	ctx.Memory = knownTypes{"Zorblax": typeLoc}
	if r := p.Extract(ctx); len(r.Entities) != 1 || r.Entities[0].Type != typeLoc {
		t.Fatalf("with memory: %v", r.Entities)
	}
}

// TestReading holds that a reading remembers what a name was, in its space alone,
// and that a plain pipeline remembers nothing.
func TestReading(t *testing.T) {
	line := func(id, space, text string) []byte {
		return []byte(`{"id":"` + id + `","space":"` + space + `","speaker":"Anna","ts":"2023-05-10T14:00:00Z","text":"` + text + `"}`)
	}
	p := newPipeline(t)
	r := p.NewReading("")
	if _, err := r.Line(line("1", "a", "I live in Zorblax. My sister Quilla is here.")); err != nil {
		t.Fatal(err)
	}
	ask := func(space string) string {
		out, err := r.Line(line("2", space, "Zorblax was fine."))
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	known := `"text":"Zorblax","start":0,"end":7,"type":"LOC"`
	if got := ask("a"); !strings.Contains(got, known) {
		t.Errorf("the same space: %s", got)
	}
	if got := ask("b"); strings.Contains(got, known) {
		t.Errorf("another space: %s", got)
	}
	if _, err := r.Line([]byte("{")); !errors.Is(err, dsl.ErrInvalid) {
		t.Errorf("a bad line: %v", err)
	}
}

// TestSeen holds that the type given most often is kept, of equals the first, and
// that ordinary words are not remembered.
func TestSeen(t *testing.T) {
	var s Seen
	give := func(name, typ string) { s.Add(Result{Entities: []Mention{{Text: name, End: len(name), Type: typ}}}) }
	if _, ok := s.EntityType("Marlow"); ok {
		t.Error("an empty memory knows a name")
	}
	give("Marlow", typeOrg)
	give("Marlow", typeLoc)
	if typ, _ := s.EntityType("marlow"); typ != typeOrg {
		t.Errorf("of equals the first: %q", typ)
	}
	give("Marlow", typeLoc)
	if typ, _ := s.EntityType("Marlow"); typ != typeLoc {
		t.Errorf("the most frequent: %q", typ)
	}
	for _, name := range []string{"Monday", "CA", "+86 138 0013 8000"} {
		give(name, typePerson)
		if typ, ok := s.EntityType(name); ok && name != "+86 138 0013 8000" {
			t.Errorf("%s is remembered as %s", name, typ)
		}
	}
}

// TestCandidateShape holds what every candidate promises beside its words.
func TestCandidateShape(t *testing.T) {
	p := newPipeline(t)
	text := "Hi Ben! I moved to Oslo last week, and my email is a@b.com. The meeting is on Friday. 我喜欢爬山。"
	r := p.Extract(Context{Turn: turnOf(t, "2023-05-10T14:00:00+08:00", text)})
	kinds := map[string]dsl.NodeKind{}
	for i := range r.Candidates {
		c := &r.Candidates[i]
		if err := c.Validate(); err != nil {
			t.Errorf("%v", err)
		}
		if c.Source != "rule" || c.Confidence <= 0 || c.Confidence > 1 {
			t.Errorf("source %q, confidence %v", c.Source, c.Confidence)
		}
		if said := text[c.Span.Start:c.Span.End]; c.DstKind != dsl.TimeInstant && !strings.Contains(said, c.Dst.String()) {
			t.Errorf("span %q does not hold %q", said, c.Dst)
		}
		kinds[c.Rel] = c.DstKind
	}
	want := map[string]dsl.NodeKind{"lives_in": dsl.Entity, "has_contact.email": dsl.Literal, "scheduled_for.datetime": dsl.TimeInstant, "prefers.activity": dsl.Literal}
	if !reflect.DeepEqual(kinds, want) {
		t.Errorf("kinds %v, want %v", kinds, want)
	}
	// Last week's Monday, midnight at +08:00.
	if got := r.Candidates[0].Valid.Start.String(); got != "2023-04-30T16:00:00Z" {
		t.Errorf("the move is valid from %s", got)
	}
}

// TestSealed holds that a text that cannot be read gives nothing.
func TestSealed(t *testing.T) {
	turn := turnOf(t, "2023-05-10T14:00:00Z", "")
	turn.Text = dsl.Sealed("k", []byte{1, 2, 3})
	if r := newPipeline(t).Extract(Context{Turn: turn}); len(r.Sentences)+len(r.Candidates) != 0 {
		t.Errorf("%+v", r)
	}
}

// TestConcurrent holds that one pipeline serves many callers with one answer.
func TestConcurrent(t *testing.T) {
	p := newPipeline(t)
	ctx := Context{Turn: turnOf(t, "2023-05-10T14:00:00Z", "I live in Boston, 我喜欢 hiking 和爬山。 My sister Mia moved to Rome in 2019.")}
	want := p.Extract(ctx)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				if got := p.Extract(ctx); !reflect.DeepEqual(got, want) {
					t.Errorf("got %+v", got)
					return
				}
			}
		})
	}
	wg.Wait()
}

// TestLine holds the form of an output line, in code points.
func TestLine(t *testing.T) {
	p := newPipeline(t)
	got, err := p.ExtractLine([]byte(`{"id":"x","lang":"zh","speaker":"user","ts":"2023-05-10T14:00:00","prev":"","text":"好的。我上个月搬到了上海。","entities":[]}`), "+08:00")
	if err != nil {
		t.Fatal(err)
	}
	want := `{"id":"x","entities":[{"text":"上海","start":10,"end":12,"type":"LOC"}],` +
		`"times":[{"text":"上个月","start":4,"end":7,"value":"2023-04","type":"DATE","from":"2023-04-01T00:00:00","to":"2023-05-01T00:00:00","grain":"month"}],` +
		`"facts":[{"src":"user","rel":"lives_in","dst":"上海","polarity":"+","change":"assert","valid_from":"2023-04","valid_to":null,"confidence":0.97,"start":3,"end":12}],` +
		`"corefs":[],"sentences":2}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	// Short names are printed, canonical ones kept in the candidates.
	got, err = p.ExtractLine([]byte(`{"id":"y","speaker":"Anna","ts":"2023-05-10","text":"My favorite food is ramen."}`), "")
	if err != nil || !strings.Contains(string(got), `"rel":"prefers_food"`) {
		t.Errorf("%s %v", got, err)
	}
}

// TestLineFaults holds that a bad line is refused with what is wrong.
func TestLineFaults(t *testing.T) {
	p := newPipeline(t)
	for _, c := range [][2]string{
		{``, "not a JSON object"},
		{`[1]`, "not a JSON object"},
		{`{"id":`, "not a turn"},
		{`{"id":"a","ts":"2023-05-10","text":"x"}`, `"speaker" is missing`},
		{`{"speaker":"a","ts":"2023-05-10","text":"x"}`, `"id" is missing`},
		{`{"id":"a","speaker":"b","text":"x"}`, `"ts" is missing`},
		{`{"id":"a","speaker":"b","ts":"yesterday","text":"x"}`, `ts "yesterday" is no time`},
		{`{"id":"a","speaker":"b\u0000","ts":"2023-05-10","text":"x"}`, "control character"},
		{`{"id":"a","speaker":"b","ts":"2023-05-10","text":"x\u0000"}`, "NUL"},
		{"{\"id\":\"a\",\"speaker\":\"b\",\"ts\":\"2023-05-10\",\"text\":\"\xff\"}", "not a turn"},
		{`{"id":"a","id":"b","speaker":"b","ts":"2023-05-10","text":"x"}`, "not a turn"},
	} {
		_, err := p.ExtractLine([]byte(c[0]), "")
		if !errors.Is(err, dsl.ErrInvalid) || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%s: %v, want %q", c[0], err, c[1])
		}
	}
	if _, err := p.ExtractLine([]byte(`{"id":"a","speaker":"b","ts":"2023-05-10","text":"x"}`), "Mars/Base"); !errors.Is(err, dsl.ErrInvalid) {
		t.Errorf("zone: %v", err)
	}
}

// checkResult holds what is true of the result of any text.
func checkResult(t *testing.T, text string, r *Result) {
	t.Helper()
	valid := utf8.ValidString(text)
	place := func(what, s string, start, end int) {
		if start < 0 || end > len(text) || start >= end || text[start:end] != s {
			t.Fatalf("%s %q at [%d, %d) of %q", what, s, start, end, text)
		}
		if valid && (!utf8.RuneStart(text[start]) || end < len(text) && !utf8.RuneStart(text[end])) {
			t.Fatalf("%s %q cuts a character of %q", what, s, text)
		}
	}
	last := 0
	for _, s := range r.Sentences {
		if s.Start < last {
			t.Fatalf("sentence [%d, %d) overlaps the one before", s.Start, s.End)
		}
		place("sentence", text[s.Start:s.End], s.Start, s.End)
		last = s.End
	}
	last = 0
	for _, m := range r.Entities {
		place("entity", m.Text, m.Start, m.End)
		if m.Start < last || m.Type == "" {
			t.Fatalf("entity %+v overlaps the one before or has no type", m)
		}
		last = m.End
	}
	last = 0
	for _, x := range r.Times {
		place("time", x.Text, x.Start, x.End)
		if x.Start < last || x.Value == "" || x.Type == "" || x.OnCalendar() && !x.From.Before(x.To) {
			t.Fatalf("time %+v", x)
		}
		last = x.End
	}
	for _, c := range r.Corefs {
		place("coref", c.Text, c.Start, c.End)
	}
	if len(r.Candidates) != len(r.Stated) {
		t.Fatalf("%d candidates, %d stated", len(r.Candidates), len(r.Stated))
	}
	for i := range r.Candidates {
		c := &r.Candidates[i]
		if err := c.Validate(); err != nil {
			t.Fatalf("candidate %d of %q: %v", i, text, err)
		}
		place("evidence", text[c.Span.Start:c.Span.End], c.Span.Start, c.Span.End)
	}
}

// FuzzExtract: any bytes, valid UTF-8 or not, give a well-formed result, twice
// the same.
func FuzzExtract(f *testing.F) {
	for _, path := range []string{"testdata/en.txt", "testdata/zh.txt", "testdata/times.txt", "testdata/entities.txt", "testdata/families.txt", "testdata/families_zh.txt", "testdata/negative.list", "testdata/changes_en.list", "testdata/changes_zh.list", "testdata/more_en.list", "testdata/more_zh.list"} {
		b, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.Lines(string(b)) {
			f.Add(line, int64(1683727200000000))
		}
	}
	f.Add("don’t 我\xff住在\xe5\x8c 1月1日 'n't \"'s I’m $5 @ab +86 138", int64(0))
	p, err := New(DefaultConfig())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string, ts int64) {
		if len(text) > 1<<16 {
			return
		}
		at := dsl.Instant(ts)
		if !at.Finite() {
			at = 0
		}
		ctx := Context{
			Turn:     dsl.Turn{ID: "t", Speaker: dsl.Plain("Anna"), Listener: dsl.Plain("小明"), Text: dsl.Plain(text), TS: at, Zone: "+08:00"},
			Previous: []dsl.Turn{{ID: "p", Speaker: dsl.Plain("小明"), Text: dsl.Plain(text), TS: at}},
		}
		r := p.Extract(ctx)
		checkResult(t, text, &r)
		if again := p.Extract(ctx); !reflect.DeepEqual(r, again) {
			t.Fatalf("two results for %q", text)
		}
		if b, err := r.JSON(); utf8.ValidString(text) && err != nil {
			t.Fatalf("no output for %q: %v", text, err)
		} else if err == nil {
			var o outputLine
			if err := json.Unmarshal(b, &o); err != nil {
				t.Fatal(err)
			}
			runes := []rune(text)
			for _, e := range o.Entities {
				if utf8.ValidString(text) && string(runes[e.Start:e.End]) != e.Text {
					t.Fatalf("entity %+v of %q", e, text)
				}
			}
		}
	})
}

// TestHostile holds that long input of one kind ends, with a well-formed result.
// A pattern with more than linear cost would run into the test's own limit.
func TestHostile(t *testing.T) {
	p := newPipeline(t)
	for _, unit := range []string{"a", "A ", "I ", "I live in ", "(", "\"", "我", "我住在", "我喜欢、", "的", "9", "1-", "e\u0301", "a.", "a@", "www.", "May ", "and ", "《", "in 2019 ", "my sister ", "'", "他", "he ", "每", "从", "not ", "and own ", "the a my ", "my love for ", "I bought it ", "who is ", "A, a nurse, ", "using my ", "favorite ", "on Friday ", "my class on Friday ", "我对", "是我的最爱", "我用的是", "remove it from my ", "I don't live in Rome, I live in Oslo, ", "J.R.", "golf isn't my thing anymore, ", "cancel the ", "moved the call ", "I no longer need to ", "not, ", "no longer interests me ", "我把", "不再", "a@b.c不用了，", "我周一的会取消了，", "不是周一，会议是周二。", "沙发扔了，", "取消了", "，不是", "改到"} {
		text := strings.Repeat(unit, (256<<10)/len(unit))
		r := p.Extract(Context{Turn: turnOf(t, "2023-05-10T14:00:00Z", text)})
		checkResult(t, text, &r)
	}
}

// TestSuiteLine checks that a line of a time suite is read as a turn: its own
// reference is when it was said, and no one needs to have said it.
func TestSuiteLine(t *testing.T) {
	p := newPipeline(t)
	for line, want := range map[string]string{
		`{"id":"a","text":"tomorrow","ref":"2023-05-10T04:30:00-02:00","expr":"x","group":"duckling"}`:   `"value":"2023-05-11"`,
		`{"id":"a","text":"昨天","base_unix":1683684000,"expect":[],"group":"jionlp"}`:                     `"value":"2023-05-09"`,
		`{"id":"a","text":"昨天","base_unix":[2023,5,10,7],"group":"jionlp"}`:                              `"value":"2023-05-09"`,
		`{"id":"a","text":"昨天","base_unix":{"year":2023,"month":5},"group":"jionlp"}`:                    `"value":"2023-04-30"`,
		`{"id":"a","text":"两天","base_unix":null,"group":"jionlp"}`:                                       `"value":"P2D"`,
		`{"id":"a","text":"now","speaker":"b","ts":"2023-05-10","ref":"1999-01-01T00:00:00","expr":"x"}`: `"value":"PRESENT_REF"`,
	} {
		got, err := p.ExtractLine([]byte(line), "")
		if err != nil || !strings.Contains(string(got), want) {
			t.Errorf("%s: %s, %v; want %s", line, got, err, want)
		}
	}
	for _, line := range []string{`{"id":"a","text":"x","base_unix":"soon"}`, `{"id":"a","text":"x","base_unix":[2023,13]}`, `{"id":"a","text":"x","base_unix":1e300}`} {
		if _, err := p.ExtractLine([]byte(line), ""); !errors.Is(err, dsl.ErrInvalid) {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// TestTimeOfMonth checks that a day without its month is one of the month that was
// named before it, and that times in names are none.
func TestTimeOfMonth(t *testing.T) {
	p := newPipeline(t)
	for text, want := range map[string]string{
		"In March I flew out on the 3rd and came back on the 9th.":   "March=2023-03 the 3rd=2023-03-03 the 9th=2023-03-09",
		"We sold pots at the Summer Craft Fair.":                     "",
		"I ran in the \"Midnight Sunday Run\" last year.":            "last year=2022",
		"I'm quite worried about the talk on Friday.":                "Friday=2023-05-12",
		"The fair runs from June 3 to June 9.":                       "from June 3 to June 9=2023-06-03/2023-06-09",
		"Yesterday.":                                                 "Yesterday=2023-05-09",
		"We spoke about the past and the future, 关于前途和未来。":           "",
		"Call me Monday 9 am, or on the first Tuesday of June at 5.": "Monday 9 am=2023-05-15T09:00 the first Tuesday of June at 5=2023-06-06T05:00",
	} {
		var got []string
		for _, x := range p.Extract(Context{Turn: turnOf(t, "2023-05-10T14:00:00Z", text)}).Times {
			got = append(got, x.Text+"="+x.Value)
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s: %q, want %q", text, s, want)
		}
	}
}
