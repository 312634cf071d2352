package eval

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/extract"
)

// timexSuite is a file of our own in the shapes of the three suites.
const timexSuite = `{"id":"r/0","lang":"en","text":"See you on May 12th at noon.","ref":"2023-05-10T00:00:00","expect":[{"text":"may 12th at noon","start":11,"end":26,"type":"datetime","values":[{"timex":"XXXX-05-12T12","type":"datetime","value":"2023-05-12 12:00:00"}]}],"group":"recognizers"}
{"id":"r/1","lang":"en","text":"Nothing to see here.","ref":"2023-05-10T00:00:00","expect":[],"group":"recognizers"}
{"id":"d/0","lang":"en","text":"june 3","ref":"2023-05-10T10:00:00-02:00","kind":"datetime","expr":"(datetime (2023, 6, 3, 0, 0, 0) Day)","group":"duckling","holiday":false}
{"id":"d/1","lang":"en-GB","text":"christmas","ref":"2023-05-10T10:00:00-02:00","kind":"datetimeHoliday","expr":"(datetimeHoliday (2023, 12, 25, 0, 0, 0) Day \"Christmas\")","group":"duckling","holiday":true}
{"id":"j/0","lang":"zh","text":"三天后","base_unix":1683684000,"expect":[{"type":"time_point","definition":"accurate","time":["2023-05-13 00:00:00","2023-05-13 23:59:59"]}],"group":"jionlp"}
{"id":"j/1","lang":"zh","text":"昨天","base_unix":{"year":2023,"month":5,"day":10},"expect":[{"type":"time_point","definition":"accurate","time":["2023-05-08 00:00:00","2023-05-08 23:59:59"]}],"group":"jionlp"}
{"id":"j/2","lang":"zh","text":"很久","base_unix":null,"expect":null,"group":"jionlp"}
`

// plainTimes is the extractor with the rules alone.
func plainTimes(t *testing.T) *extract.Pipeline {
	t.Helper()
	p, err := extract.New(extract.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// runTimex measures a text as a file.
func runTimex(t *testing.T, text string) (TimexSummary, string, error) {
	t.Helper()
	data, err := NewData(strings.NewReader(text), "suite.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	out := filepath.Join(t.TempDir(), "out")
	sum, err := RunTimex(context.Background(), data, out, TimexOptions{Pipeline: plainTimes(t)})
	return sum, out, err
}

// TestTimex measures a small file by hand and twice to the same bytes.
func TestTimex(t *testing.T) {
	sum, out, err := runTimex(t, timexSuite)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []TimexScore{
		{Suite: "en all", Texts: 3, Negatives: 1, Gold: 2, Covered: 2, Right: 2, Clean: 1},
		{Suite: "en duckling", Texts: 1, Gold: 1, Covered: 1, Right: 1},
		{Suite: "en duckling-holiday", Texts: 1, Gold: 1, Covered: 1, Right: 1},
		{Suite: "en recognizers", Texts: 2, Negatives: 1, Gold: 1, Covered: 1, Right: 1, Clean: 1},
		{Suite: "zh jionlp", Texts: 2, Gold: 2, Covered: 2, Right: 1},
	} {
		if got, ok := sum.Score(want.Suite); !ok || got != want {
			t.Errorf("%s: %+v, want %+v", want.Suite, got, want)
		}
	}
	if sum.Unusable != 1 {
		t.Errorf("%d unusable, want 1", sum.Unusable)
	}
	_, again, err := runTimex(t, timexSuite)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"metrics.csv", "found.csv", "missed.csv", "summary.md", "manifest.json"} {
		a, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(again, name))
		if err != nil {
			t.Fatal(err)
		}
		if string(a) != string(b) {
			t.Errorf("%s differs between two runs", name)
		}
	}
	missed, err := os.ReadFile(filepath.Join(out, "missed.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "suite,id,text,got\nzh jionlp,j/1,昨天,昨天 = 2023-05-09\n"; string(missed) != want {
		t.Errorf("missed.csv is %q, want %q", missed, want)
	}
}

// TestTimexRefuses checks that a wrong line is named by file and place.
func TestTimexRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":             "no lines",
		"[]\n":         "line 1",
		"\n{\"id\":1}": "line 2",
		`{"id":"a","lang":"en","text":"x","ref":"2023-05-10T00:00:00","group":"else"}`:                                                   "none of recognizers",
		`{"id":"a","lang":"en","text":"x","ref":"yesterday","group":"duckling","expr":"="}`:                                              "no time",
		`{"id":"a","lang":"en","text":"x","ref":"2023-05-10T00:00:00","group":"duckling","expr":"(datetime (2023))"}`:                    "expr",
		`{"id":"a","lang":"en","text":"x","ref":"2023-05-10T00:00:00","group":"recognizers","expect":[{"start":0,"end":5,"values":[]}]}`: "outside the text",
		`{"id":"a","lang":"zh","text":"x","base_unix":"soon","group":"jionlp"}`:                                                          "",
	} {
		_, _, err := runTimex(t, text)
		if want == "" {
			continue
		}
		if !errors.Is(err, dsl.ErrInvalid) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "suite.jsonl") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestTimexReadings checks what values denote, by forms that the scorer of the
// suites reads alike.
func TestTimexReadings(t *testing.T) {
	ref := time.Date(2023, 5, 10, 14, 0, 0, 0, time.UTC)
	day := func(m, d int) *time.Time { t := time.Date(2023, time.Month(m), d, 0, 0, 0, 0, time.UTC); return &t }
	hour := func(m, d, h int) *time.Time {
		t := time.Date(2023, time.Month(m), d, h, 0, 0, 0, time.UTC)
		return &t
	}
	for _, c := range []struct {
		value string
		gold  timeReading
		want  bool
	}{
		{"2023-05", spanReading(day(5, 1), *day(6, 1), false), true},
		{"2023-W19", spanReading(day(5, 8), *day(5, 15), false), true},
		{"2023-W19-WE", spanReading(hour(5, 12, 18), *day(5, 15), false), true},
		{"2023-Q2", spanReading(day(4, 1), *day(7, 1), false), true},
		{"2023-05-08/2023-05-12", spanReading(day(5, 8), *day(5, 13), false), true},
		{"2023-05-08/2023-05-12", spanReading(day(5, 8), *day(5, 12), false), true},
		{"2023-05-08/2023-05-12", spanReading(day(5, 8), *day(5, 14), false), false},
		{"2023-05-10TEV", spanReading(hour(5, 10, 18), *hour(5, 11, 0), false), true},
		{"2023-05-10TEV", spanReading(hour(5, 10, 8), *hour(5, 10, 12), false), false},
		{"T15:00", spanReading(hour(5, 10, 15), *hour(5, 10, 16), true), true},
		{"T15:00", timeReading{kind: readClock, sec: 15 * 3600}, true},
		{"T15:00:00", timeReading{kind: readTimex, text: "T15"}, true},
		{"P2W", timeReading{kind: readLength, sec: 14 * 86400}, true},
		{"PT90M", timeReading{kind: readLength, sec: 5400}, true},
		{"P2D/P3D", timeReading{kind: readLengths, sec: 2 * 86400, sec2: 3 * 86400}, true},
		{"P2D/P4D", timeReading{kind: readLengths, sec: 2 * 86400, sec2: 3 * 86400}, false},
		{"2023-SU", spanReading(day(6, 21), *day(9, 23), false), true},
		{"PRESENT_REF", timeReading{kind: readNow}, true},
		{"2023-05-10", timeReading{kind: readNow}, false},
	} {
		g := timexGold{alts: []timeReading{c.gold}}
		if got := g.holds(&timexFound{Value: c.value}, ref); got != c.want {
			t.Errorf("%s against %+v: %v", c.value, c.gold, got)
		}
	}
}

// TestTimexSuites holds the extractor to a little under what it reached on the dev
// half of the public suites.
func TestTimexSuites(t *testing.T) {
	data, err := OpenData(sharedData(t, "timex/timex.dev.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	sum, err := RunTimex(context.Background(), data, filepath.Join(t.TempDir(), "out"), TimexOptions{Pipeline: plainTimes(t)})
	if err != nil {
		t.Fatal(err)
	}
	for suite, floor := range map[string]float64{
		"en all": 0.87, "en recognizers": 0.78, "en duckling": 0.95, "en duckling-holiday": 0.47,
		"zh all": 0.87, "zh recognizers": 0.84, "zh duckling": 0.89, "zh jionlp": 0.84, "zh duckling-holiday": 0.46,
	} {
		s, ok := sum.Score(suite)
		if !ok || s.Value() < floor {
			t.Errorf("%s: value right %.3f, floor %.3f", suite, s.Value(), floor)
		}
		t.Logf("%-20s value right %.3f, coverage %.3f of %d", suite, s.Value(), s.Coverage(), s.Gold)
	}
}
