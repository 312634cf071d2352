package extract

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// The calendar of TIMEX3 values: the grammars write values, and this file alone
// says which local interval a value denotes.

const (
	typeDate     = "DATE"
	typeTime     = "TIME"
	typeDuration = "DURATION"
	typeSet      = "SET"

	pastRef    = Past
	futureRef  = "FUTURE_REF"
	presentRef = "PRESENT_REF"
)

// dayParts gives the hours [from, to) of a part of the day; above 24 is the next
// day.
var dayParts = map[string][2]int{"MO": {6, 12}, "MI": {12, 13}, "AF": {12, 18}, "EV": {18, 24}, "NI": {20, 28}}

// seasonMonth gives the first month of a season.
var seasonMonth = map[string]int{"SP": 3, "SU": 6, "FA": 9, "WI": 12}

// day gives the value of a calendar day.
func day(t time.Time) string { return t.Format("2006-01-02") }

// isoWeek gives the value of the ISO week n weeks after that of t.
func isoWeek(t time.Time, n int) string {
	y, w := t.AddDate(0, 0, 7*n).ISOWeek()
	return fmt.Sprintf("%04d-W%02d", y, w)
}

// month gives the value of the month n months after that of t.
func month(t time.Time, n int) string {
	return time.Date(t.Year(), t.Month()+time.Month(n), 1, 0, 0, 0, 0, time.UTC).Format("2006-01")
}

func year(n int) string { return fmt.Sprintf("%04d", n) }

// weekdayIn gives the day of weekday wd (1 Monday to 7 Sunday) in the ISO week
// n weeks after that of t.
func weekdayIn(t time.Time, wd, n int) time.Time {
	return t.AddDate(0, 0, 7*n+wd-isoWeekday(t))
}

func isoWeekday(t time.Time) int { return (int(t.Weekday())+6)%7 + 1 }

// goodYear tells whether a year has a text.
func goodYear(y int) bool { return y >= 1 && y <= 9998 }

// validDate tells whether the day exists.
func validDate(y, m, d int) bool {
	if !goodYear(y) || m < 1 || m > 12 || d < 1 {
		return false
	}
	return d <= time.Date(y, time.Month(m)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// valueGrain gives the unit that a value on the calendar is told in, empty for
// values that are none.
func valueGrain(v string) string {
	date, clock, timed := strings.Cut(v, "T")
	switch {
	case v == "" || !isDigit(v[0]) || strings.Contains(v, "/"):
		return ""
	case timed && len(clock) == len("15:04:05"):
		return "second"
	case timed && len(clock) == len("15:04"):
		return "minute"
	case timed:
		return "hour"
	case strings.HasSuffix(date, "-WE"):
		return "weekend"
	case strings.Contains(date, "-W") && len(date) == len("2006-W01"):
		return "week"
	case len(date) == len("2006-SU") && !isDigit(date[5]):
		return "season"
	}
	return map[int]string{2: "century", 3: "decade", 4: "year", 7: "month", 10: "day"}[len(date)]
}

// calendarSpan gives the local interval [from, to) that a value denotes; ok is
// false for durations, sets, references and whatever else denotes none.
func calendarSpan(value string, loc *time.Location) (from, to time.Time, ok bool) {
	at := func(y, m, d, h, min int) time.Time { return time.Date(y, time.Month(m), d, h, min, 0, 0, loc) }
	none := func() (time.Time, time.Time, bool) { return time.Time{}, time.Time{}, false }
	date, clock, timed := strings.Cut(value, "T")
	part := strings.Split(date, "-")
	y, err := strconv.Atoi(part[0])
	if err != nil || y < 0 || len(part[0]) > 4 {
		return none()
	}
	if len(part) == 1 {
		n := map[int]int{2: 100, 3: 10, 4: 1}[len(part[0])]
		if n == 0 || timed || !goodYear(max(y*n, 1)) || !goodYear(y*n+n) {
			return none()
		}
		return at(y*n, 1, 1, 0, 0), at(y*n+n, 1, 1, 0, 0), true
	}
	if !goodYear(y) {
		return none()
	}
	if m, ok := seasonMonth[part[1]]; ok && !timed {
		return at(y, m, 1, 0, 0), at(y, m+3, 1, 0, 0), true
	}
	if strings.HasPrefix(part[1], "W") {
		w, err := strconv.Atoi(part[1][1:])
		if err != nil || timed {
			return none()
		}
		mon := weekdayIn(at(y, 1, 4, 0, 0), 1, w-1) // 4 January lies in week 1
		if len(part) == 3 {
			return mon.AddDate(0, 0, 5), mon.AddDate(0, 0, 7), true
		}
		return mon, mon.AddDate(0, 0, 7), true
	}
	m, err := strconv.Atoi(part[1])
	if err != nil || m < 1 || m > 12 {
		return none()
	}
	if len(part) == 2 {
		return at(y, m, 1, 0, 0), at(y, m+1, 1, 0, 0), true
	}
	d, err := strconv.Atoi(part[2])
	if err != nil || !validDate(y, m, d) {
		return none()
	}
	if !timed {
		return at(y, m, d, 0, 0), at(y, m, d+1, 0, 0), true
	}
	if h, ok := dayParts[clock]; ok {
		return at(y, m, d, h[0], 0), at(y, m, d, h[1], 0), true
	}
	hour, minute, ok := strings.Cut(clock, ":")
	h, err1 := strconv.Atoi(hour)
	min, err2 := strconv.Atoi(minute)
	if !ok || err1 != nil || err2 != nil {
		return none()
	}
	return at(y, m, d, h, min), at(y, m, d, h, min+1), true
}

// unitCode gives the TIMEX3 code of a unit of time, in either language, and
// whether it is one of the clock.
func unitCode(unit string) (code string, clock bool) {
	switch strings.TrimSuffix(unit, "s") {
	case "second", "秒", "秒钟":
		return "S", true
	case "minute", "min", "分钟":
		return "M", true
	case "hour", "hr", "小时", "钟头", "个小时", "个钟头":
		return "H", true
	case "day", "天", "日":
		return "D", false
	case "week", "周", "星期", "礼拜", "个周", "个星期", "个礼拜":
		return "W", false
	case "weekend":
		return "WE", false
	case "month", "月", "个月":
		return "M", false
	case "year", "yr", "年":
		return "Y", false
	case "decade":
		return "DE", false
	}
	return "", false
}

// duration gives the value of n units; n is a number as it stands in a value.
func duration(n, unit string) string {
	code, clock := unitCode(unit)
	switch {
	case code == "":
		return ""
	case clock:
		return "PT" + n + code
	}
	return "P" + n + code
}

// shifted gives the value at the grain of the unit, n units after t: "three
// weeks ago" is a week. It is empty for units of the clock and for years that
// have no text.
func shifted(t time.Time, n int, unit string) string {
	code, clock := unitCode(unit)
	if clock || n > 100000 || n < -100000 {
		return ""
	}
	at := t
	v := ""
	switch code {
	case "D":
		at = t.AddDate(0, 0, n)
		v = day(at)
	case "W":
		at = t.AddDate(0, 0, 7*n)
		v = isoWeek(t, n)
	case "WE":
		at = t.AddDate(0, 0, 7*n)
		v = isoWeek(t, n) + "-WE"
	case "M":
		at = time.Date(t.Year(), t.Month()+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
		v = month(t, n)
	case "Y":
		at = time.Date(t.Year()+n, 6, 1, 0, 0, 0, 0, time.UTC)
		v = year(t.Year() + n)
	case "DE":
		at = time.Date(t.Year()+10*n, 6, 1, 0, 0, 0, 0, time.UTC)
		v = year(t.Year() + 10*n)
	}
	if v == "" || !goodYear(at.Year()) {
		return ""
	}
	return v
}

// grainBack gives the value at the grain of a stated duration before t, for
// "has lived there for four years".
func grainBack(t time.Time, dur string) string {
	if !strings.HasPrefix(dur, "P") || strings.HasPrefix(dur, "PT") {
		return ""
	}
	years, months, rest := 0, 0, dur[1:]
	n, got := 0, false
	for i := 0; i < len(rest); i++ {
		c := rest[i]
		switch {
		case isDigit(c) && n < 10000:
			n, got = n*10+int(c-'0'), true
			continue
		case !got:
			return ""
		case c == 'Y':
			years = n
		case c == 'M':
			months = n
		case c == 'W' && i == len(rest)-1 && years+months == 0:
			return shifted(t, -n, "week")
		case c == 'D' && i == len(rest)-1 && years+months == 0:
			return shifted(t, -n, "day")
		default:
			return ""
		}
		n, got = 0, false
	}
	switch {
	case months > 0:
		return shifted(t, -12*years-months, "month")
	case years > 0:
		return shifted(t, -years, "year")
	}
	return ""
}
