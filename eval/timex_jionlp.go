package eval

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/asof-db/asof/dsl"
)

// jionlpUnits are the seconds of JioNLP's units.
var jionlpUnits = map[string]float64{"year": 365 * 86400, "month": 30 * 86400, "day": 86400, "workday": 86400, "hour": 3600, "minute": 60, "second": 1, "week": 7 * 86400, "season": 90 * 86400}

// jionlp reads an expectation of JioNLP.
func (l *timexLine) jionlp() ([]timexGold, error) {
	var all []jsontext.Value
	if len(l.Expect) > 0 && l.Expect[0] == '[' {
		if err := json.Unmarshal(l.Expect, &all, json.MatchCaseInsensitiveNames(true)); err != nil {
			return nil, fmt.Errorf("%w: expect: %v", dsl.ErrInvalid, err)
		}
	}
	var alts []timeReading
	for _, e := range all {
		if e.Kind() != '{' { // how many times of a set the suite asked for
			continue
		}
		var x struct {
			Type string
			Time jsontext.Value
		}
		if err := json.Unmarshal(e, &x, json.MatchCaseInsensitiveNames(true)); err != nil {
			return nil, fmt.Errorf("%w: expect: %v", dsl.ErrInvalid, err)
		}
		alts = append(alts, jionlpReadings(x.Type, x.Time)...)
	}
	if len(alts) == 0 {
		return nil, nil
	}
	return l.whole(alts), nil
}

// jionlpReadings gives what one expectation denotes; a form without a time on the
// calendar gives none.
func jionlpReadings(kind string, v jsontext.Value) []timeReading {
	switch kind {
	case "time_point", "time_span":
		var ends []string
		if json.Unmarshal(v, &ends, json.MatchCaseInsensitiveNames(true)) != nil || len(ends) != 2 {
			return nil
		}
		a, errA := time.Parse(time.DateTime, ends[0])
		b, errB := time.Parse(time.DateTime, ends[1])
		if errA != nil || errB != nil {
			return nil
		}
		return pointReadings(kind, a, b)
	case "time_delta":
		if v.Kind() == '[' {
			var x []map[string]any
			if json.Unmarshal(v, &x, json.MatchCaseInsensitiveNames(true)) != nil || len(x) != 2 {
				return nil
			}
			return []timeReading{{kind: readLengths, sec: jionlpSeconds(x[0]), sec2: jionlpSeconds(x[1])}}
		}
		var x map[string]any
		if json.Unmarshal(v, &x, json.MatchCaseInsensitiveNames(true)) != nil {
			return nil
		}
		return []timeReading{{kind: readLength, sec: jionlpSeconds(x)}}
	case "time_period":
		return jionlpSet(v)
	}
	return nil
}

// pointReadings gives the interval from a through b.
func pointReadings(kind string, a, b time.Time) []timeReading {
	next := b.Add(time.Second)
	r := spanReading(&a, next, b.Sub(a) < time.Hour)
	if b.After(a) {
		r.ends = append(r.ends, &b)
	}
	out := []timeReading{r}
	if kind == "time_span" && a.Equal(midnightOf(a)) && b.Equal(midnightOf(b)) {
		out = append(out, spanReading(&a, b.AddDate(0, 0, 1), false))
	}
	return out
}

// jionlpSeconds adds the units of a length.
func jionlpSeconds(x map[string]any) float64 {
	total := 0.0
	for _, u := range []string{"year", "month", "day", "workday", "hour", "minute", "second", "week", "season"} {
		if n, ok := x[u].(float64); ok {
			total += float64(n * jionlpUnits[u])
		}
	}
	return total
}

// jionlpSet reads a set, with or without a point at which it comes.
func jionlpSet(v jsontext.Value) []timeReading {
	var x struct {
		Delta map[string]any
		Point *struct{ Time jsontext.Value }
	}
	if json.Unmarshal(v, &x, json.MatchCaseInsensitiveNames(true)) != nil {
		return nil
	}
	if x.Point == nil {
		return []timeReading{{kind: readLength, sec: jionlpSeconds(x.Delta)}}
	}
	var one []string
	many := [][]string{}
	if json.Unmarshal(x.Point.Time, &one, json.MatchCaseInsensitiveNames(true)) == nil {
		many = append(many, one)
	} else if json.Unmarshal(x.Point.Time, &many, json.MatchCaseInsensitiveNames(true)) != nil {
		return nil
	}
	var points [][2]time.Time
	for _, p := range many {
		if len(p) != 2 {
			return nil
		}
		a, errA := time.Parse(time.DateTime, p[0])
		b, errB := time.Parse(time.DateTime, p[1])
		if errA != nil || errB != nil {
			return nil
		}
		points = append(points, [2]time.Time{a, b})
	}
	if len(points) == 0 {
		return nil
	}
	return setReadings(points, x.Delta)
}

// setReadings gives the TIMEX3 sets that a period with a point allows.
func setReadings(points [][2]time.Time, delta map[string]any) []timeReading {
	const day = 24 * time.Hour
	a, b := points[0][0], points[0][1]
	long := b.Sub(a)
	whole := long >= day-time.Second
	clock := ""
	if !whole {
		clock = a.Format("T15:04")
	}
	isoDay := func(t time.Time) int { return (int(t.Weekday())+6)%7 + 1 }
	has := func(u string) bool { _, ok := delta[u]; return ok }
	var base []string
	switch days, _ := delta["day"].(float64); {
	case has("year"):
		base = yearlyReadings(points)
	case has("month"):
		base = []string{a.Format("XXXX-XX-02")}
	case days == 7:
		seen, weekend := map[int]bool{}, true
		for _, p := range points {
			seen[isoDay(p[0])] = true
			weekend = weekend && isoDay(p[0]) > 5
		}
		base = []string{"XXXX-WXX-WD", "XXXX-WXX-1/XXXX-WXX-5"}
		if len(seen) == 1 {
			base = []string{fmt.Sprintf("XXXX-WXX-%d", isoDay(a))}
		}
		if weekend && !whole {
			base = append(base, "XXXX-WXX-WE")
		}
	case has("day"):
		base = []string{"", "XXXX-XX-XX", "XXXX-WXX-WD"}
	default:
		base = []string{""}
	}
	var out []timeReading
	for _, s := range base {
		if s+clock != "" {
			out = append(out, timeReading{kind: readTimex, text: canonTimex(s + clock)})
		}
	}
	return out
}

// yearlyReadings gives the sets of what comes every year.
func yearlyReadings(points [][2]time.Time) []string {
	const day = 24 * time.Hour
	a, b := points[0][0], points[0][1]
	base := []string{a.Format("XXXX-01")}
	if b.Sub(a) < day {
		base = []string{a.Format("XXXX-01-02")}
	}
	if b.Sub(a) > day && b.Sub(a) >= 32*day {
		base = []string{a.Format("XXXX-01") + "/" + b.Format("XXXX-01")}
		for _, s := range seasonCodes {
			if d := s.month - int(a.Month()); d >= -1 && d <= 1 || d == 11 || d == -11 {
				base = append(base, "XXXX-"+s.code)
			}
		}
	}
	for _, p := range points {
		if p[0].Month() != a.Month() || p[0].Day() != a.Day() {
			return []string{"P1Y"}
		}
	}
	return base
}
