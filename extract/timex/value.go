package timex

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Match is an expression that was found: bytes [Start, End) of the text.
type Match struct {
	Start, End int
	// Value is a TIMEX3 value or A/B; Type is DATE, TIME, DURATION or SET.
	Value, Type string
	// From and To are the local interval [From, To), in UTC clothes; both zero
	// where there is none.
	From, To time.Time
	// Grain is the unit in which it was said, empty for none.
	Grain string
	// Ambiguous tells that something was left open and filled in.
	Ambiguous bool
	// Rich tells that more than one part was joined (a day and a clock time, two
	// ends of a range, a shift and its anchor).
	Rich bool
}

// OnCalendar tells whether the match denotes an interval.
func (m *Match) OnCalendar() bool { return !m.From.IsZero() }

// grain is the unit of an interval.
type grain uint8

const (
	noGrain grain = iota
	second
	minute
	hour
	dayGrain
	weekend
	week
	month
	season
	quarter
	half
	year
	decade
	century
)

var grainNames = [...]string{"", "second", "minute", "hour", "day", "weekend", "week", "month", "season", "quarter", "half", "year", "decade", "century"}

// kind is what an expression denotes.
type kind uint8

const (
	none     kind = iota
	date          // an interval [a, b) of days or more
	moment        // a time of a day, or a part of one, on a date: [a, b)
	clock         // a time of day without a date
	dayPart       // a part of the day without a date
	duration      // a length
	set           // what comes again
	vague         // a reference
)

// meaning is what a rule read: kind says which fields count.
type meaning struct {
	kind  kind
	a, b  time.Time // date, moment: [a, b)
	grain grain
	value string // TIMEX3, where it is not made of the other fields
	part  string // the code of a part of the day: dayPart, moment
	// clock: seconds of the day; half tells that the half of the day is open.
	sec  int
	half bool
	// weekday alone, 1 to 7; the date is the nearest to come.
	weekday int
	// ordinal day of a month alone.
	monthDay int
	// duration: months, and seconds of the rest.
	months, secs float64
	// yearless tells that the year was filled in; open that anything was.
	yearless, open bool
	// rich tells that several parts were joined; weak that in running text the
	// words may mean something else.
	rich, weak bool
	// narrow tells that [a, b) is a part of what value says.
	narrow bool
}

func (m *meaning) ok() bool { return m.kind != none }

// onCalendar tells whether the meaning is an interval.
func (m *meaning) onCalendar() bool { return m.kind == date || m.kind == moment }

func ymd(y, m, d int) time.Time { return time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC) }

// goodYear tells whether a year has four digits.
func goodYear(y int) bool { return y >= 1 && y <= 9990 }

// validDay tells whether the day exists.
func validDay(y, m, d int) bool {
	return goodYear(y) && m >= 1 && m <= 12 && d >= 1 && d <= daysIn(y, m)
}

func daysIn(y, m int) int { return ymd(y, m+1, 0).Day() }

// midnight gives the start of the day of t.
func midnight(t time.Time) time.Time { return ymd(t.Year(), int(t.Month()), t.Day()) }

// weekdayOf gives 1 for Monday to 7 for Sunday.
func weekdayOf(t time.Time) int { return (int(t.Weekday())+6)%7 + 1 }

// monday gives the first day of the ISO week of t.
func monday(t time.Time) time.Time { return midnight(t).AddDate(0, 0, 1-weekdayOf(t)) }

// isoWeek gives the Monday of ISO week n of a year.
func isoWeekStart(y, n int) time.Time { return monday(ymd(y, 1, 4)).AddDate(0, 0, 7*(n-1)) }

// addMonths moves t by n months and keeps the day where the month has it.
func addMonths(t time.Time, n int) time.Time {
	first := time.Date(t.Year(), t.Month()+time.Month(n), 1, t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
	return first.AddDate(0, 0, min(t.Day(), daysIn(first.Year(), int(first.Month())))-1)
}

// period gives the interval of grain g that holds t.
func period(t time.Time, g grain) meaning {
	y, m := t.Year(), int(t.Month())
	out := meaning{kind: date, grain: g}
	switch g {
	case second, minute, hour:
		out.kind = moment
		out.a = t.Truncate(unitLength(g))
		out.b = out.a.Add(unitLength(g))
	case dayGrain:
		out.a = midnight(t)
		out.b = out.a.AddDate(0, 0, 1)
	case weekend:
		out.a = monday(t).AddDate(0, 0, 5)
		out.b = out.a.AddDate(0, 0, 2)
	case week:
		out.a = monday(t)
		out.b = out.a.AddDate(0, 0, 7)
	case month:
		out.a, out.b = ymd(y, m, 1), ymd(y, m+1, 1)
	case quarter:
		m = (m-1)/3*3 + 1
		out.a, out.b = ymd(y, m, 1), ymd(y, m+3, 1)
	case half:
		m = (m-1)/6*6 + 1
		out.a, out.b = ymd(y, m, 1), ymd(y, m+6, 1)
	case year:
		out.a, out.b = ymd(y, 1, 1), ymd(y+1, 1, 1)
	case decade:
		out.a, out.b = ymd(y/10*10, 1, 1), ymd(y/10*10+10, 1, 1)
	case century:
		out.a, out.b = ymd(y/100*100, 1, 1), ymd(y/100*100+100, 1, 1)
	}
	return out
}

func unitLength(g grain) time.Duration {
	switch g {
	case second:
		return time.Second
	case minute:
		return time.Minute
	}
	return time.Hour
}

// step gives the period n periods of its grain after p.
func step(t time.Time, g grain, n int) meaning {
	switch g {
	case second, minute, hour:
		return period(t.Add(time.Duration(n)*unitLength(g)), g)
	case dayGrain:
		return period(t.AddDate(0, 0, n), g)
	case week, weekend:
		return period(t.AddDate(0, 0, 7*n), g)
	case month:
		return period(addMonths(t, n), g)
	case quarter:
		return period(addMonths(t, 3*n), g)
	case half:
		return period(addMonths(t, 6*n), g)
	case year:
		return period(addMonths(t, 12*n), g)
	case decade:
		return period(addMonths(t, 120*n), g)
	case century:
		return period(addMonths(t, 1200*n), g)
	}
	return meaning{}
}

// dayOf gives a day as a date.
func dayOf(t time.Time) meaning { return period(t, dayGrain) }

// between gives the interval [a, b) with a grain.
func between(a, b time.Time, g grain) meaning {
	m := meaning{kind: date, a: a, b: b, grain: g, rich: true}
	if g <= hour && g != noGrain {
		m.kind = moment
	}
	return m
}

// shift moves t by months and seconds.
func shift(t time.Time, months, secs float64, sign int) time.Time {
	whole := math.Trunc(months)
	days := math.Round(float64((months - whole) * 30))
	t = addMonths(t, sign*int(whole)).AddDate(0, 0, sign*int(days))
	d, rest := math.Trunc(secs/86400), secs
	rest -= float64(d * 86400)
	return t.AddDate(0, 0, sign*int(d)).Add(time.Duration(float64(sign)*rest) * time.Second)
}

// far tells whether moving by this much leaves the calendar.
func far(months, secs float64) bool {
	return math.Abs(months) > 12*9000 || math.Abs(secs) > 86400*365*9000
}

var grainUnits = map[grain]string{second: "S", minute: "M", hour: "H", dayGrain: "D", weekend: "WE", week: "W", month: "M", quarter: "M", season: "M", half: "M", year: "Y", decade: "DE", century: "CE"}

// length gives the months and seconds of n units.
func length(n float64, g grain) (months, secs float64) {
	switch g {
	case second:
		return 0, n
	case minute:
		return 0, 60 * n
	case hour:
		return 0, 3600 * n
	case dayGrain:
		return 0, 86400 * n
	case weekend:
		return 0, 2 * 86400 * n
	case week:
		return 0, 7 * 86400 * n
	case month:
		return n, 0
	case quarter, season:
		return 3 * n, 0
	case half:
		return 6 * n, 0
	case year:
		return 12 * n, 0
	case decade:
		return 120 * n, 0
	case century:
		return 1200 * n, 0
	}
	return 0, 0
}

// amount writes a number as it stands in a value.
func amount(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// lasting gives a duration of n units.
func lasting(n float64, g grain) meaning {
	m := meaning{kind: duration, grain: g}
	m.months, m.secs = length(n, g)
	switch g {
	case quarter, season:
		n *= 3
	case half:
		n *= 6
	}
	switch u := grainUnits[g]; {
	case g <= hour:
		m.value = "PT" + amount(n) + u
	default:
		m.value = "P" + amount(n) + u
	}
	return m
}

// plus joins a smaller duration to a larger one.
func (m meaning) plus(n meaning) meaning {
	m.months += n.months
	m.secs += n.secs
	head, tail := m.value, strings.TrimPrefix(n.value, "P")
	if strings.Contains(head, "T") {
		tail = strings.TrimPrefix(tail, "T")
	}
	m.value = head + tail
	m.grain, m.rich = n.grain, true
	return m
}

// timexOf writes an interval of a grain.
func timexOf(t time.Time, g grain) string {
	switch g {
	case second:
		return t.Format("2006-01-02T15:04:05")
	case minute:
		return t.Format("2006-01-02T15:04")
	case hour:
		return t.Format("2006-01-02T15")
	case week, weekend:
		y, w := t.ISOWeek()
		s := fmt.Sprintf("%04d-W%02d", y, w)
		if g == weekend {
			s += "-WE"
		}
		return s
	case month:
		return t.Format("2006-01")
	case quarter:
		return fmt.Sprintf("%04d-Q%d", t.Year(), (int(t.Month())+2)/3)
	case half:
		return fmt.Sprintf("%04d-H%d", t.Year(), (int(t.Month())+5)/6)
	case year:
		return fmt.Sprintf("%04d", t.Year())
	case decade:
		return fmt.Sprintf("%03d", t.Year()/10)
	case century:
		return fmt.Sprintf("%02d", t.Year()/100)
	}
	return t.Format("2006-01-02")
}

// clockText writes seconds of a day at a grain.
func clockText(sec int, g grain) string {
	h, m, s := sec/3600, sec/60%60, sec%60
	switch {
	case g == second:
		return fmt.Sprintf("T%02d:%02d:%02d", h, m, s)
	default:
		return fmt.Sprintf("T%02d:%02d", h, m)
	}
}

// text gives the TIMEX3 value.
func (m *meaning) text() string {
	switch {
	case m.value != "":
		return m.value
	case m.kind == clock:
		return clockText(m.sec, m.grain)
	case m.kind == dayPart:
		return "T" + m.part
	case m.kind == moment && m.part != "":
		return timexOf(m.a, dayGrain) + "T" + m.part
	case m.b.IsZero():
		return timexOf(m.a, m.grain) + "/.."
	case m.a.IsZero():
		return "../" + timexOf(m.b, m.grain)
	}
	if g := m.grain; m.kind == date && period(m.a, g).a.Equal(m.a) && period(m.a, g).b.Equal(m.b) {
		return timexOf(m.a, g)
	}
	if m.kind == moment && m.b.Equal(m.a.Add(unitLength(m.grain))) {
		return timexOf(m.a, max(min(m.grain, minute), second))
	}
	last := m.b.AddDate(0, 0, -1)
	if m.grain <= hour || !midnight(m.b).Equal(m.b) || !midnight(m.a).Equal(m.a) {
		g := max(min(m.grain, minute), second)
		return timexOf(m.a, g) + "/" + timexOf(m.b, g)
	}
	g := m.grain
	if !period(m.a, g).a.Equal(m.a) || !period(last, g).b.Equal(m.b) || g == season {
		g = dayGrain
	}
	return timexOf(m.a, g) + "/" + timexOf(last, g)
}

// typeOf gives DATE, TIME, DURATION or SET.
func (m *meaning) typeOf() string {
	switch m.kind {
	case duration:
		return "DURATION"
	case set:
		return "SET"
	case moment, clock, dayPart:
		return "TIME"
	}
	return "DATE"
}

// match makes the result of a meaning that covers bytes [start, end).
func (m *meaning) match(start, end int) Match {
	out := Match{Start: start, End: end, Value: m.text(), Type: m.typeOf(), Grain: grainNames[m.grain], Ambiguous: m.open || m.half || m.yearless, Rich: m.rich}
	if m.onCalendar() && !m.a.IsZero() && !m.b.IsZero() || m.kind == duration && !m.a.IsZero() && !m.b.IsZero() {
		out.From, out.To = m.a, m.b
	}
	return out
}

// partHours gives the hours [from, to) of a part of the day; above 24 is the next
// day.
var partHours = map[string][2]int{"MO": {6, 12}, "MI": {12, 13}, "AF": {12, 18}, "EV": {18, 24}, "NI": {20, 28}, "DT": {8, 18}, "MEB": {7, 10}, "MEL": {11, 13}, "MED": {17, 21}}

// onDay places a part of the day on a date.
func onDay(d time.Time, part string) meaning {
	h := partHours[part]
	return meaning{kind: moment, a: d.Add(time.Duration(h[0]) * time.Hour), b: d.Add(time.Duration(h[1]) * time.Hour), grain: hour, part: part}
}

// at places a clock time on a date.
func at(d time.Time, c meaning) meaning {
	g := c.grain
	t := midnight(d).Add(time.Duration(c.sec) * time.Second)
	return meaning{kind: moment, a: t, b: t.Add(unitLength(g)), grain: g, open: c.half, rich: true}
}

// towards settles the half of the day of a clock time by a part of the day.
func (m meaning) towards(part string) meaning {
	if !m.half {
		return m
	}
	h := m.sec / 3600
	switch part {
	case "AF", "EV", "MED", "PM":
		if h < 12 {
			m.sec += 12 * 3600
		}
	case "MO", "MEB":
		if h == 12 {
			m.sec -= 12 * 3600
		}
	case "MI", "MEL":
		if h < 4 {
			m.sec += 12 * 3600
		}
	case "NI":
		if h >= 6 && h < 12 {
			m.sec += 12 * 3600
		} else if h == 12 {
			m.sec -= 12 * 3600
		}
	case "DT":
		if h < 8 {
			m.sec += 12 * 3600
		}
	}
	m.half = false
	return m
}
