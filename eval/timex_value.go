package eval

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// readingKind is what a time value denotes.
type readingKind uint8

const (
	readTimex   readingKind = iota // a TIMEX3 string, compared as one
	readSpan                       // local time [a, an end); nil is open
	readPart                       // a part of a day: a is the day, text the code
	readClock                      // a time of day without a date, grain in sec2
	readDayPart                    // a part of the day without a date
	readLength                     // sec seconds
	readLengths                    // from sec to sec2 seconds
	readSeason                     // year in sec, code in text
	readNow
)

// timeReading is one reading of a value. A gold span has all ends that will do,
// and clock tells that it is a time of day, whose width suites differ in.
type timeReading struct {
	kind      readingKind
	text      string
	a         *time.Time
	ends      []*time.Time
	clock     bool
	sec, sec2 float64
}

func spanReading(a *time.Time, end time.Time, clock bool) timeReading {
	return timeReading{kind: readSpan, a: a, ends: []*time.Time{&end}, clock: clock}
}

func midnightOf(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

// partBounds are the earliest and latest start and end of a part of the day, in
// hours; above 24 is the next day.
var partBounds = map[string][4]float64{
	"MO": {0, 10, 9, 13}, "AF": {11, 16, 15, 20}, "EV": {15, 22, 19, 30}, "NI": {17, 28, 20, 33}, "DT": {0, 9, 16, 22}, "MI": {10, 12, 12, 14},
	"NT": {17, 28, 20, 33}, "MEL": {10, 13, 12, 15}, "MED": {15, 20, 19, 24}, "MEB": {4, 9, 8, 12}, "PM": {11, 16, 15, 24},
}

// seasonCodes are the seasons with their first months.
var seasonCodes = []struct {
	code  string
	month int
}{{"SP", 3}, {"SU", 6}, {"FA", 9}, {"WI", 12}}

func seasonMonth(code string) int {
	for _, s := range seasonCodes {
		if s.code == code {
			return s.month
		}
	}
	return 0
}

var (
	fullHour   = regexp.MustCompile(`(T\d\d)(:00)?(:00)?($|[^\d:])`)
	fullMinute = regexp.MustCompile(`(T\d\d:\d\d):00($|[^\d:])`)
	lengthForm = regexp.MustCompile(`^P((?:[\d.]+(?:Y|M|WE|W|DE|D|BD|CE|E|Q))*)(?:T((?:[\d.]+[HMS])+))?$`)
	lengthPart = regexp.MustCompile(`([\d.]+)([A-Z]+)`)
	clockForm  = regexp.MustCompile(`^(\d\d)(?::?(\d\d))?(?::?(\d\d)(?:\.\d+)?)?$`)
	zoneForm   = regexp.MustCompile(`(Z|[+-]\d\d:?\d\d|[+-]\d\d)$`)
)

// canonTimex gives a TIMEX3 value as values are compared: upper case, T14 for
// T14:00 and T14:00:00.
func canonTimex(v string) string {
	v = strings.ToUpper(strings.TrimSpace(v))
	v = fullHour.ReplaceAllString(v, "$1$4")
	return fullMinute.ReplaceAllString(v, "$1$2")
}

// timexSeconds gives the length of a P… value.
func timexSeconds(v string) (float64, bool) {
	m := lengthForm.FindStringSubmatch(v)
	if m == nil || len(v) < 2 {
		return 0, false
	}
	units := map[string]float64{"Y": 365 * 86400, "M": 30 * 86400, "W": 7 * 86400, "D": 86400, "Q": 90 * 86400, "E": 3650 * 86400, "DE": 3650 * 86400, "CE": 36500 * 86400, "BD": 86400, "WE": 2 * 86400}
	total := 0.0
	for i, part := range m[1:] {
		for _, x := range lengthPart.FindAllStringSubmatch(part, -1) {
			n, err := strconv.ParseFloat(x[1], 64)
			if err != nil {
				return 0, false
			}
			u := units[x[2]]
			if i == 1 {
				u = map[string]float64{"H": 3600, "M": 60, "S": 1}[x[2]]
			}
			total += float64(n * u)
		}
	}
	return total, true
}

// clockSeconds reads the part of a value after T: seconds of the day and grain.
func clockSeconds(s string) (sec, grain float64, ok bool) {
	m := clockForm.FindStringSubmatch(s)
	if m == nil {
		return 0, 0, false
	}
	var n [3]int
	grain = 3600
	for i := range n {
		if m[i+1] != "" {
			n[i], _ = strconv.Atoi(m[i+1])
			grain = []float64{3600, 60, 1}[i]
		}
	}
	if n[0] > 24 || n[1] > 59 || n[2] > 60 {
		return 0, 0, false
	}
	return float64(n[0]*3600 + n[1]*60 + n[2]), grain, true
}

// dateSpan gives the interval of the calendar part of a value.
func dateSpan(s string) (a, b time.Time, ok bool) {
	for _, f := range []struct {
		layout  string
		y, m, d int
	}{{"2006-01-02", 0, 0, 1}, {"2006-01", 0, 1, 0}, {"2006", 1, 0, 0}} {
		if len(s) == len(f.layout) {
			if t, err := time.Parse(f.layout, s); err == nil {
				return t, t.AddDate(f.y, f.m, f.d), true
			}
		}
	}
	part := strings.Split(s, "-")
	y, err := strconv.Atoi(strings.TrimRight(part[0], "X"))
	if err != nil || y < 1 {
		return a, b, false
	}
	day := func(y, m, d int) time.Time { return time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC) }
	switch digits := len(strings.TrimRight(part[0], "X")); {
	case len(part) == 1 && digits == 3:
		return day(y*10, 1, 1), day(y*10+10, 1, 1), true
	case len(part) == 1 && digits == 2:
		return day(y*100, 1, 1), day(y*100+100, 1, 1), true
	case len(part) < 2 || len(part[0]) != 4 || len(part[1]) < 2:
		return a, b, false
	}
	n, err := strconv.Atoi(part[1][1:])
	if err != nil {
		return a, b, false
	}
	switch part[1][0] {
	case 'W':
		jan4 := day(y, 1, 4)
		mon := jan4.AddDate(0, 0, 7*(n-1)-(int(jan4.Weekday())+6)%7)
		if len(part) == 2 {
			return mon, mon.AddDate(0, 0, 7), true
		}
		if part[2] == "WE" {
			return mon.AddDate(0, 0, 5), mon.AddDate(0, 0, 7), true
		}
		if d, err := strconv.Atoi(part[2]); err == nil && d >= 1 && d <= 7 {
			return mon.AddDate(0, 0, d-1), mon.AddDate(0, 0, d), true
		}
	case 'Q':
		return day(y, 3*n-2, 1), day(y, 3*n+1, 1), n >= 1 && n <= 4
	case 'H':
		return day(y, 6*n-5, 1), day(y, 6*n+1, 1), n == 1 || n == 2
	}
	return a, b, false
}

// readingsOf gives all readings of a value.
func readingsOf(v string, ref time.Time) []timeReading {
	v = canonTimex(v)
	out := []timeReading{{kind: readTimex, text: v}}
	if left, right, ok := strings.Cut(v, "/"); ok {
		return append(out, rangeReadings(left, right, ref)...)
	}
	if s, ok := timexSeconds(v); ok {
		return append(out, timeReading{kind: readLength, sec: s})
	}
	if v == "PRESENT_REF" {
		r := ref
		return append(out, spanReading(&r, r.Add(time.Second), false), timeReading{kind: readNow})
	}
	date, clock, timed := strings.Cut(v, "T")
	a, b, onDay := dateSpan(date)
	if !timed {
		if y, code, _ := strings.Cut(v, "-"); len(y) == 4 && seasonMonth(code) > 0 {
			if n, err := strconv.Atoi(y); err == nil {
				s := time.Date(n, time.Month(seasonMonth(code)), 1, 0, 0, 0, 0, time.UTC)
				return append(out, timeReading{kind: readSeason, sec: float64(n), text: code}, spanReading(&s, s.AddDate(0, 3, 0), false))
			}
		}
		if onDay {
			out = append(out, spanReading(&a, b, false))
		}
		return out
	}
	clock = zoneForm.ReplaceAllString(clock, "")
	if _, ok := partBounds[clock]; ok {
		switch {
		case onDay:
			out = append(out, timeReading{kind: readPart, a: &a, text: clock})
		case date == "":
			out = append(out, timeReading{kind: readDayPart, text: clock})
		}
		return out
	}
	sec, grain, ok := clockSeconds(clock)
	switch {
	case !ok:
	case onDay:
		s := a.Add(time.Duration(sec) * time.Second)
		out = append(out, spanReading(&s, s.Add(time.Duration(grain)*time.Second), false))
	case date == "":
		out = append(out, timeReading{kind: readClock, sec: sec, sec2: grain})
	}
	return out
}

// rangeReadings gives the readings of A/B.
func rangeReadings(left, right string, ref time.Time) []timeReading {
	sa, okA := timexSeconds(left)
	sb, okB := timexSeconds(right)
	if okA && okB {
		return []timeReading{{kind: readLengths, sec: sa, sec2: sb}}
	}
	var starts []*time.Time
	if left == ".." || left == "" {
		starts = []*time.Time{nil}
	} else {
		for _, r := range readingsOf(left, ref) {
			switch {
			case r.kind == readSpan:
				starts = append(starts, r.a)
			case r.kind == readClock && len(starts) == 0:
				t := midnightOf(ref).Add(time.Duration(r.sec) * time.Second)
				starts = append(starts, &t)
			}
		}
	}
	var out []timeReading
	if right == ".." || right == "" {
		for _, s := range starts {
			out = append(out, timeReading{kind: readSpan, a: s, ends: []*time.Time{nil}})
		}
		return out
	}
	for _, r := range readingsOf(right, ref) {
		for _, s := range starts {
			switch r.kind {
			case readSpan:
				out = append(out, spanReading(s, *r.a, false))
				if r.ends[0] != nil {
					out = append(out, spanReading(s, *r.ends[0], false))
				}
			case readClock:
				day := midnightOf(ref)
				if len(starts) > 0 && starts[0] != nil {
					day = midnightOf(*starts[0])
				}
				out = append(out, spanReading(s, day.Add(time.Duration(r.sec)*time.Second), false))
			}
		}
	}
	return out
}

// holds tells whether a prediction denotes what the gold does.
func (g *timexGold) holds(p *timexFound, ref time.Time) bool {
	pred := readingsOf(p.Value, ref)
	if p.From != nil && p.To != nil {
		a, errA := time.Parse("2006-01-02T15:04:05", *p.From)
		b, errB := time.Parse("2006-01-02T15:04:05", *p.To)
		if errA == nil && errB == nil {
			pred = append(pred, spanReading(&a, b, false))
		}
	}
	return slices.ContainsFunc(g.alts, func(alt timeReading) bool {
		return slices.ContainsFunc(pred, func(r timeReading) bool { return alt.same(&r, ref) })
	})
}

// same tells whether prediction p has the gold's reading.
func (g *timeReading) same(p *timeReading, ref time.Time) bool {
	switch g.kind {
	case readTimex:
		return p.kind == readTimex && p.text == g.text && g.text != ""
	case readLength:
		return p.kind == readLength && math.Abs(p.sec-g.sec) <= 0.01*math.Max(math.Abs(g.sec), 1e-9)
	case readLengths:
		return p.kind == readLengths && p.sec == g.sec && p.sec2 == g.sec2
	case readNow:
		return p.kind == readNow
	case readClock:
		if p.kind == readSpan && p.a != nil && p.ends[0] != nil {
			return p.ends[0].Sub(*p.a) <= time.Hour && nearDay(*p.a, ref) && p.a.Sub(midnightOf(*p.a)).Seconds() == g.sec
		}
		return p.kind == readClock && p.sec == g.sec
	case readSpan:
		return g.sameSpan(p, ref)
	}
	return false
}

// nearDay tells whether two times lie on one day or on days beside each other.
func nearDay(a, b time.Time) bool {
	d := midnightOf(a).Sub(midnightOf(b))
	return d >= -24*time.Hour && d <= 24*time.Hour
}

// sameSpan compares a prediction with a gold interval.
func (g *timeReading) sameSpan(p *timeReading, ref time.Time) bool {
	if p.kind == readSpan {
		return g.equalSpan(p)
	}
	if g.a == nil || slices.Contains(g.ends, nil) {
		return false
	}
	shortest := slices.MinFunc(g.ends, func(a, b *time.Time) int { return a.Compare(*b) }).Sub(*g.a)
	fits := func() bool {
		return slices.ContainsFunc(g.ends, func(e *time.Time) bool { return fitsPart(p.text, *g.a, *e) })
	}
	switch p.kind {
	case readPart:
		if midnightOf(*g.a).Equal(*p.a) && fits() {
			return true
		}
		night := p.text == "NI" || p.text == "NT"
		return night && g.a.Hour() <= 4 && midnightOf(*g.a).AddDate(0, 0, -1).Equal(*p.a) && fits()
	case readDayPart:
		return nearDay(*g.a, ref) && fits()
	case readClock:
		return nearDay(*g.a, ref) && g.a.Sub(midnightOf(*g.a)).Seconds() == p.sec && shortest <= time.Hour+time.Minute
	case readSeason:
		longest := slices.MaxFunc(g.ends, func(a, b *time.Time) int { return a.Compare(*b) }).Sub(*g.a)
		m := seasonMonth(p.text)
		const day = 24 * time.Hour
		before := (m-2+12)%12 + 1
		return longest > 75*day && longest < 105*day && (int(g.a.Month()) == m || int(g.a.Month()) == before) &&
			(g.a.Year() == int(p.sec) || p.text == "WI" && g.a.Year() == int(p.sec)-1)
	}
	return false
}

// equalSpan compares two intervals: equal ends, a time of day told at another
// grain, or a weekend told from another hour.
func (g *timeReading) equalSpan(p *timeReading) bool {
	end := p.ends[0]
	sameStart := g.a == nil && p.a == nil || g.a != nil && p.a != nil && g.a.Equal(*p.a)
	for _, e := range g.ends {
		if sameStart && (e == nil && end == nil || e != nil && end != nil && e.Equal(*end)) {
			return true
		}
	}
	if g.a == nil || p.a == nil || end == nil || slices.Contains(g.ends, nil) {
		return false
	}
	shortest := slices.MinFunc(g.ends, func(a, b *time.Time) int { return a.Compare(*b) }).Sub(*g.a)
	if g.clock && sameStart && end.Sub(*p.a) <= time.Hour && shortest <= time.Hour+time.Minute {
		return true
	}
	return slices.ContainsFunc(g.ends, func(e *time.Time) bool {
		return isWeekend(*p.a, *end) && isWeekend(*g.a, *e) && end.Equal(*e)
	})
}

// isWeekend tells whether an interval runs from Friday evening or Saturday to
// Monday.
func isWeekend(a, b time.Time) bool {
	return b.Weekday() == time.Monday && b.Sub(a) < 72*time.Hour && (a.Weekday() == time.Friday && a.Hour() == 18 || a.Weekday() == time.Saturday && a.Hour() == 0)
}

// fitsPart tells whether an interval of one day lies in a part of the day.
func fitsPart(code string, a, b time.Time) bool {
	p, ok := partBounds[code]
	if !ok {
		return false
	}
	from := float64(a.Hour()) + float64(a.Minute())/60
	long := b.Sub(a).Hours()
	to := from + long
	if p[0] <= from && from <= p[1] && p[2] <= to && to <= p[3] {
		return true
	}
	return (code == "NI" || code == "NT") && from <= 4 && to <= 9 && long > 0
}
