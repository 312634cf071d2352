package question

import (
	"strings"
	"time"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/extract"
)

// Relation says how the time that is asked about lies to the time that is named.
type Relation string

// During is within it. Before, After and Since are open at one end: Since has
// the named time in it.
const (
	During Relation = "during"
	Before Relation = "before"
	After  Relation = "after"
	Since  Relation = "since"
)

// Grain is how exact a time is.
type Grain string

// The grains.
const (
	Minute  Grain = "minute"
	Day     Grain = "day"
	Week    Grain = "week"
	Month   Grain = "month"
	Quarter Grain = "quarter"
	Year    Grain = "year"
	Longer  Grain = "longer"
)

// Time is what a question says of when.
type Time struct {
	Span
	Text string
	// Value is the TIMEX3 value of the expression, as of when it was asked.
	Value string
	// Interval is [Start, End) of what is asked about: with Before and Since or
	// After one end is open, that is dsl.Beginning or dsl.Forever.
	Interval dsl.Interval
	Grain    Grain
	Relation Relation
}

var (
	weekdays = set("monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun")
	// dayTakers stand before a day of the week that is meant as a day: "the Sunday
	// mass" is the name of something.
	dayTakers = set("on last this past next since until by before after previous")
)

// times finds what the parts say of when. Names of days in names of events, and
// times that say nothing of the past, such as "tonight", are left out.
func (r *reader) times(asked time.Time) (times []Time) {
	found := extract.Times(r.text, asked)
	for i := range found {
		e := &found[i]
		if !r.inPart(e.Start) {
			continue
		}
		t := Time{Span: Span{e.Start, e.End}, Text: e.Text, Value: e.Value, Relation: r.relation(e.Start, e.End)}
		from, to := e.From, e.To
		switch {
		case e.OnCalendar():
			if !r.meansDay(e) {
				continue
			}
			if rolling(r.low, e) {
				// "in the past month" is the thirty days up to now as well as the month
				// before this one.
				to = asked
			}
			if n := len(times); n > 0 && i > 0 && r.shifts(&found[i-1], e) {
				times = times[:n-1]
			}
			if i > 0 {
				if f, g, ok := r.shifted(&found[i-1], e); ok {
					from, to, t.Relation = f, g, During
					t.Span.Start, t.Text = found[i-1].Start, r.text[found[i-1].Start:e.End]
				}
			}
		case e.Type == "DURATION":
			var ok bool
			if from, ok = r.pastDuration(e, asked); !ok {
				continue
			}
			to = asked
		default:
			continue
		}
		if t.Relation == During && !from.Before(asked) && !strings.ContainsAny(e.Text, "0123456789") {
			continue // what is to come was not said then
		}
		if e.Value == asked.Format("2006-01-02") && t.Relation != Since {
			continue // "today" is when it is asked
		}
		t.Grain = grainOf(from, to)
		t.Interval = dsl.Interval{Start: dsl.FromTime(from), End: dsl.FromTime(to)}
		switch t.Relation {
		case Before:
			t.Interval = dsl.Interval{Start: dsl.Beginning, End: dsl.FromTime(from)}
		case After:
			t.Interval = dsl.Since(dsl.FromTime(to))
		case Since:
			t.Interval = dsl.Since(dsl.FromTime(from))
		}
		if t.Interval.Valid() && !t.Interval.Empty() {
			times = append(times, t)
		}
	}
	return times
}

// relation reads the words around a time.
func (r *reader) relation(start, end int) Relation {
	switch prev := lastWord(strings.TrimRight(strings.TrimSuffix(strings.TrimRight(r.low[:start], " "), " the"), " ")); prev {
	case "before", "until", "till", "by":
		return Before
	case "after":
		return After
	case "since":
		return Since
	}
	after := strings.TrimLeft(r.low[end:], " ")
	switch {
	case prefixOf(after, []string{"之前", "以前", "前"}) > 0:
		return Before
	case prefixOf(after, []string{"之后", "以后", "后"}) > 0:
		return After
	case prefixOf(after, []string{"以来", "起", "至今", "到现在"}) > 0, strings.HasSuffix(strings.TrimRight(r.low[:start], " "), "自从"), strings.HasSuffix(r.low[:start], "自"):
		return Since
	}
	return During
}

// meansDay tells whether a time that is the bare name of a day is meant as one.
func (r *reader) meansDay(e *extract.TimeExpr) bool {
	if !weekdays[lowerASCII(e.Text)] {
		return true
	}
	prev := strings.TrimRight(r.low[:e.Start], " ")
	return dayTakers[lastWord(prev)]
}

// rolling tells whether a calendar unit is meant to reach up to now.
func rolling(low string, e *extract.TimeExpr) bool {
	text := lowerASCII(e.Text)
	if strings.HasPrefix(text, "past ") || strings.HasPrefix(text, "the past ") || strings.HasPrefix(text, "in the past ") {
		return !strings.Contains(text, "weekend")
	}
	before := strings.TrimRight(low[:e.Start], " ")
	return strings.HasPrefix(text, "last ") && !strings.Contains(text, "weekend") && !strings.Contains(text, "night") && strings.HasSuffix(before, "in the")
}

// pastDuration gives the start of a span that ends when it is asked: "the past
// two months", "过去三周".
func (r *reader) pastDuration(e *extract.TimeExpr, asked time.Time) (from time.Time, ok bool) {
	text := lowerASCII(e.Text)
	before := strings.TrimRight(r.low[:e.Start], " ")
	past := strings.Contains(text, "past ") || strings.Contains(text, "last ") || strings.HasPrefix(text, "过去") || strings.HasPrefix(text, "最近") || strings.HasPrefix(text, "近")
	for _, x := range []string{"过去", "过去的", "最近", "近", "这", " past", " last"} {
		past = past || strings.HasSuffix(before, x)
	}
	if !past {
		return from, false
	}
	return back(asked, e.Value, -1)
}

// back gives the time that lies a TIMEX3 duration before (sign -1) or after
// (sign 1) another. A vague number of units stands for four.
func back(t time.Time, value string, sign int) (time.Time, bool) {
	if !strings.HasPrefix(value, "P") || strings.HasPrefix(value, "PT") || len(value) < 3 {
		return t, false
	}
	n, unit := 0, value[len(value)-1]
	for _, c := range value[1 : len(value)-1] {
		switch {
		case c == 'X':
			n = 4
		case c >= '0' && c <= '9' && n < 1000:
			n = 10*n + int(c-'0')
		default:
			return t, false
		}
	}
	n *= sign
	switch unit {
	case 'D':
		t = t.AddDate(0, 0, n)
	case 'W':
		t = t.AddDate(0, 0, 7*n)
	case 'M':
		t = t.AddDate(0, n, 0)
	case 'Y':
		t = t.AddDate(n, 0, 0)
	default:
		return t, false
	}
	return t, t.Year() > 0 && t.Year() < 9999
}

// shifts tells whether the first of two times is a day of the week that is placed
// by the second: "the Sunday before October 25".
func (r *reader) shifts(a, b *extract.TimeExpr) bool {
	if a.End > b.Start {
		return false
	}
	link := strings.TrimSpace(r.low[a.End:b.Start])
	return link == "before" || link == "after" || link == "before the" || link == "after the"
}

// shifted gives the time that two expressions name together: "two weeks before
// August 11", "the Sunday before October 25", "the week after 3 May".
func (r *reader) shifted(a, b *extract.TimeExpr) (from, to time.Time, ok bool) {
	if !r.shifts(a, b) {
		return from, to, false
	}
	sign := 1
	anchor := b.To
	if strings.HasPrefix(strings.TrimSpace(r.low[a.End:b.Start]), "before") {
		sign, anchor = -1, b.From
	}
	if a.Type == "DURATION" {
		at, ok := back(b.From, a.Value, sign)
		if !ok {
			return from, to, false
		}
		width := 24 * time.Hour
		if unit := a.Value[len(a.Value)-1]; unit != 'D' {
			width = 7 * 24 * time.Hour // told to the week, at best
			at = at.Add(-width / 2)
		}
		return at, at.Add(width), true
	}
	text := lowerASCII(a.Text)
	if strings.HasSuffix(text, "weekend") && a.OnCalendar() {
		for day := anchor.AddDate(0, 0, min(sign, 0)); ; day = day.AddDate(0, 0, sign) {
			if day.Weekday() == time.Saturday {
				return day, day.AddDate(0, 0, 2), true
			}
		}
	}
	if weekdays[text[strings.LastIndexByte(text, ' ')+1:]] && a.OnCalendar() {
		day := anchor
		for range 7 {
			if sign < 0 {
				day = day.AddDate(0, 0, -1)
			}
			if day.Weekday() == a.From.Weekday() {
				return day, day.AddDate(0, 0, 1), true
			}
			if sign > 0 {
				day = day.AddDate(0, 0, 1)
			}
		}
	}
	return from, to, false
}

// grainOf tells how exact an interval is.
func grainOf(from, to time.Time) Grain {
	switch d := to.Sub(from); {
	case d <= time.Hour:
		return Minute
	case d <= 36*time.Hour:
		return Day
	case d <= 8*24*time.Hour:
		return Week
	case d <= 32*24*time.Hour:
		return Month
	case d <= 124*24*time.Hour:
		return Quarter
	case d <= 370*24*time.Hour:
		return Year
	}
	return Longer
}
