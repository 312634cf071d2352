package eval

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/extract"
)

// timexGold is an expected expression: code points [start, end) and the readings
// any of which will do.
type timexGold struct {
	start, end int
	alts       []timeReading
}

// gold gives what a text expects and when it was said; nil where the expectation
// says nothing, empty for a text without an expression.
func (l *timexLine) gold() ([]timexGold, time.Time, error) {
	at, _, err := extract.SuiteTime(l.raw)
	if err != nil {
		return nil, time.Time{}, err
	}
	switch l.Group {
	case "recognizers":
		g, err := l.recognizers(at)
		return g, at, err
	case "duckling":
		g, err := l.duckling(at)
		return g, at, err
	case "jionlp":
		g, err := l.jionlp()
		return g, at, err
	}
	return nil, at, fmt.Errorf("%w: group %q is none of recognizers, duckling, jionlp", dsl.ErrInvalid, l.Group)
}

// recognizersValue is one reading of Recognizers-Text.
type recognizersValue struct {
	Timex, Type, Value, Start, End string
}

func (l *timexLine) recognizers(ref time.Time) ([]timexGold, error) {
	var spans []struct {
		Start, End int
		Values     []recognizersValue
	}
	if err := json.Unmarshal(l.Expect, &spans, json.MatchCaseInsensitiveNames(true)); err != nil {
		return nil, fmt.Errorf("%w: expect: %v", dsl.ErrInvalid, err)
	}
	n := len([]rune(l.Text))
	out := []timexGold{}
	for _, s := range spans {
		if s.Start < 0 || s.End >= n || s.End < s.Start {
			return nil, fmt.Errorf("%w: expect: the span %d to %d lies outside the text", dsl.ErrInvalid, s.Start, s.End)
		}
		g := timexGold{start: s.Start, end: s.End + 1}
		for _, v := range s.Values {
			g.alts = append(g.alts, v.readings(ref)...)
		}
		out = append(out, g)
	}
	return out, nil
}

// stampAt reads "2016-11-07", "2016-11-07 22:00:00" or "22:00:00".
func stampAt(s string, ref time.Time) (time.Time, bool) {
	for _, layout := range []string{"2006-01-02 15:04:05", "2006-01-02", "2006-01-02T15:04:05"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	if t, err := time.Parse("15:04:05", s); err == nil {
		return midnightOf(ref).Add(time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute + time.Duration(t.Second())*time.Second), true
	}
	return time.Time{}, false
}

// readings gives what a value of Recognizers-Text denotes.
func (v *recognizersValue) readings(ref time.Time) []timeReading {
	out := []timeReading{{kind: readTimex, text: canonTimex(v.Timex)}}
	if inner, ok := strings.CutPrefix(v.Timex, "("); ok {
		if f := strings.Split(strings.TrimSuffix(inner, ")"), ","); len(f) > 1 {
			out = append(out, timeReading{kind: readTimex, text: canonTimex(f[0]) + "/" + canonTimex(f[1])})
		}
	}
	switch v.Type {
	case "duration", "set":
		if s, ok := timexSeconds(canonTimex(v.Timex)); ok {
			return append(out, timeReading{kind: readLength, sec: s})
		}
		if s, err := strconv.ParseFloat(v.Value, 64); err == nil && v.Type == "duration" {
			return append(out, timeReading{kind: readLength, sec: s})
		}
		return out
	}
	if v.Value != "" {
		a, ok := stampAt(v.Value, ref)
		switch {
		case !ok:
		case v.Timex == "PRESENT_REF":
			out = append(out, timeReading{kind: readNow}, spanReading(&a, a.Add(time.Second), true))
		case v.Type == "date":
			out = append(out, spanReading(&a, a.AddDate(0, 0, 1), false))
		case v.Type == "time":
			out = append(out, timeReading{kind: readClock, sec: a.Sub(midnightOf(a)).Seconds()})
		default:
			out = append(out, spanReading(&a, a.Add(time.Second), true))
		}
		return out
	}
	a, okA := stampAt(v.Start, ref)
	b, okB := stampAt(v.End, ref)
	clock := v.Type == "timerange" || v.Type == "datetimerange"
	unit := 24 * time.Hour
	if clock {
		unit = time.Second
	}
	switch {
	case okA && okB:
		r := spanReading(&a, b, false)
		if !clock && strings.HasPrefix(v.Timex, "(") {
			next := b.AddDate(0, 0, 1)
			r.ends = append(r.ends, &next)
		}
		out = append(out, r)
		if v.Type == "timerange" && a.After(b) {
			out = append(out, spanReading(&a, b.AddDate(0, 0, 1), false))
		}
	case okA:
		out = append(out, timeReading{kind: readSpan, a: &a, ends: []*time.Time{nil}, clock: clock}, spanReading(&a, a.Add(unit), clock))
	case okB:
		out = append(out, timeReading{kind: readSpan, ends: []*time.Time{&b}, clock: clock}, spanReading(&b, b.Add(unit), clock))
	}
	return out
}

// whole gives the one expression that a text is: without outer space and
// punctuation.
func (l *timexLine) whole(alts []timeReading) []timexGold {
	const marks = " \t\n.,;:!?，。；：！？、\"“”"
	r := []rune(l.Text)
	s, e := 0, len(r)
	for s < e && strings.ContainsRune(marks, r[s]) {
		s++
	}
	for e > s && strings.ContainsRune(marks, r[e-1]) {
		e--
	}
	return []timexGold{{start: s, end: e, alts: alts}}
}

var (
	ducklingNumber = regexp.MustCompile(`-?\d+(?:\.\d+)?`)
	ducklingQuoted = regexp.MustCompile(`"[^"]*"`)
	ducklingGrain  = regexp.MustCompile(`\b(NoGrain|Second|Minute|Hour|Day|Week|Month|Quarter|Year)\b`)
)

// duckling reads an expectation in Duckling's notation.
func (l *timexLine) duckling(ref time.Time) ([]timexGold, error) {
	if l.Expr == "=" {
		return []timexGold{}, nil
	}
	var n []float64
	for _, s := range ducklingNumber.FindAllString(ducklingQuoted.ReplaceAllString(l.Expr, ""), 32) {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return nil, fmt.Errorf("%w: expr %q: %v", dsl.ErrInvalid, l.Expr, err)
		}
		n = append(n, v)
	}
	grain := "NoGrain"
	if m := ducklingGrain.FindString(l.Expr); m != "" {
		grain = m
	}
	clock := grain == "Hour" || grain == "Minute" || grain == "Second" || grain == "NoGrain"
	bad := func() ([]timexGold, error) {
		return nil, fmt.Errorf("%w: expr %q has another form than Duckling's", dsl.ErrInvalid, l.Expr)
	}
	switch {
	case strings.HasPrefix(l.Expr, "(DurationData"):
		if len(n) < 1 {
			return bad()
		}
		unit := map[string]float64{"Second": 1, "Minute": 60, "Hour": 3600, "Day": 86400, "Week": 7 * 86400, "Month": 30 * 86400, "Quarter": 90 * 86400, "Year": 365 * 86400}[grain]
		return l.whole([]timeReading{{kind: readLength, sec: n[0] * unit}}), nil
	case len(n) < 6:
		return bad()
	case strings.HasPrefix(l.Expr, "(datetimeInterval"):
		if len(n) < 12 {
			return bad()
		}
		a, okA := ducklingStamp(n)
		b, okB := ducklingStamp(n[6:])
		if !okA || !okB {
			return bad()
		}
		r := spanReading(&a, b, false)
		back := grainStep(b, grain, -1)
		r.ends = append(r.ends, &back)
		return l.whole([]timeReading{r}), nil
	case strings.HasPrefix(l.Expr, "(datetimeOpenInterval"):
		a, ok := ducklingStamp(n)
		if !ok {
			return bad()
		}
		open := timeReading{kind: readSpan, a: &a, ends: []*time.Time{nil}, clock: clock}
		if !strings.Contains(l.Expr, "After") {
			open.a, open.ends = nil, []*time.Time{&a}
		}
		return l.whole([]timeReading{open, spanReading(&a, grainStep(a, grain, 1), clock)}), nil
	case strings.HasPrefix(l.Expr, "(datetime"):
		a, ok := ducklingStamp(n)
		if !ok { // before Christ
			year := strconv.Itoa(int(n[0]))
			return l.whole([]timeReading{{kind: readTimex, text: fmt.Sprintf("BC%04d", -int(n[0]))}, {kind: readTimex, text: year}}), nil
		}
		alts := []timeReading{spanReading(&a, grainStep(a, grain, 1), clock)}
		if a.Equal(ref) && (grain == "Second" || grain == "NoGrain") {
			alts = append(alts, timeReading{kind: readNow})
		}
		return l.whole(alts), nil
	}
	return bad()
}

// ducklingStamp reads six numbers; the corpus has a few months and days 0, which
// are read as 1.
func ducklingStamp(n []float64) (time.Time, bool) {
	y, m, d := int(n[0]), max(int(n[1]), 1), max(int(n[2]), 1)
	if y < 1 || y > 9998 {
		return time.Time{}, false
	}
	return time.Date(y, time.Month(m), d, int(n[3]), int(n[4]), int(n[5]), 0, time.UTC), true
}

// grainStep moves a time by one unit of a grain.
func grainStep(t time.Time, grain string, sign int) time.Time {
	if n := map[string]int{"Year": 12, "Quarter": 3, "Month": 1}[grain]; n > 0 {
		return t.AddDate(0, sign*n, 0)
	}
	d := map[string]time.Duration{"Week": 7 * 24 * time.Hour, "Day": 24 * time.Hour, "Hour": time.Hour, "Minute": time.Minute}[grain]
	if d == 0 {
		d = time.Second
	}
	return t.Add(time.Duration(sign) * d)
}
