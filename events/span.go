package events

import (
	"strings"
	"time"

	"github.com/asof-db/asof/dsl"
)

// layouts are the forms of a time as a value, finest first, each with what it
// leaves open.
var layouts = []struct {
	layout              string
	years, months, days int
	length              time.Duration
}{
	{"2006-01-02T15:04:05", 0, 0, 0, time.Second},
	{"2006-01-02T15:04", 0, 0, 0, time.Minute},
	{"2006-01-02T15", 0, 0, 0, time.Hour},
	{"2006-01-02", 0, 0, 1, 0},
	{"2006-01", 0, 1, 0, 0},
	{"2006", 1, 0, 0, 0},
}

// denoted gives the interval that a time as a value denotes in a zone; ok is
// false where the text is no time.
func denoted(text string, loc *time.Location) (v dsl.Interval, ok bool) {
	text = strings.TrimSpace(text)
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return within(t, t.Add(time.Second))
	}
	for _, l := range layouts {
		if t, err := time.ParseInLocation(l.layout, text, loc); err == nil {
			return within(t, t.AddDate(l.years, l.months, l.days).Add(l.length))
		}
	}
	return v, false
}

func within(from, to time.Time) (dsl.Interval, bool) {
	v := dsl.Interval{Start: dsl.FromTime(from), End: dsl.FromTime(to)}
	return v, v.Start.Finite() && v.End.Finite() && v.Valid()
}

// hull gives the least interval that holds both.
func hull(a, b dsl.Interval) dsl.Interval {
	return dsl.Interval{Start: min(a.Start, b.Start), End: max(a.End, b.End)}
}

// touches tells whether two spans overlap or one begins where the other ends.
func touches(a, b dsl.Interval) bool { return a.Start <= b.End && b.Start <= a.End }

// span gives the time that facts span in the world (see the package comment).
func (o *overlay) span(facts []*dsl.FactVersion) (dsl.Interval, error) {
	now := o.now()
	var times, valid []dsl.Interval
	for _, f := range facts {
		if f.DstKind == dsl.TimeInstant {
			v, ok, err := o.valueTime(f)
			if err != nil {
				return v, err
			}
			if ok {
				times = append(times, v)
				continue
			}
		}
		valid = append(valid, f.Valid)
	}
	if len(times) > 0 {
		valid = times
	}
	if len(valid) == 0 {
		return dsl.Interval{Start: now, End: now}, nil
	}
	out := valid[0]
	for _, v := range valid[1:] {
		out = hull(out, v)
	}
	if out.Start == dsl.Beginning {
		out.Start = min(now, out.End)
	}
	return out, nil
}

// valueTime gives the time that a fact's value denotes in the zone of the turn
// that said it.
func (o *overlay) valueTime(f *dsl.FactVersion) (v dsl.Interval, ok bool, err error) {
	text, err := f.DstName.Open()
	if err != nil {
		return v, false, err
	}
	t, err := o.source(f)
	if err != nil {
		return v, false, err
	}
	v, ok = denoted(text, t.Local().Location())
	return v, ok, nil
}

// dateText gives a bound of a valid interval as people read it in a zone: a year,
// a month or a day where it is the start of one, else with hours and minutes.
func dateText(t dsl.Instant, loc *time.Location) string {
	l := t.Time().In(loc)
	switch h, m, s := l.Clock(); {
	case h != 0 || m != 0 || s != 0 || l.Nanosecond() != 0:
		return l.Format("2006-01-02 15:04")
	case l.Day() != 1:
		return l.Format("2006-01-02")
	case l.Month() != time.January:
		return l.Format("2006-01")
	}
	return l.Format("2006")
}

// period gives the words for the bounds of a fact's valid time that its turn does
// not give: those that differ from when it was said. Nothing is said of an
// interval that is open and began then.
func period(v dsl.Interval, said dsl.Instant, loc *time.Location, l language) string {
	from := v.Start.Finite() && v.Start != said
	to := v.End.Finite()
	switch {
	case from && to && l == chinese:
		return "（" + dateText(v.Start, loc) + "至" + dateText(v.End, loc) + "）"
	case from && to:
		return " from " + dateText(v.Start, loc) + " to " + dateText(v.End, loc)
	case from && l == chinese:
		return "（" + dateText(v.Start, loc) + "起）"
	case from:
		return " since " + dateText(v.Start, loc)
	case to && l == chinese:
		return "（至" + dateText(v.End, loc) + "）"
	case to:
		return " until " + dateText(v.End, loc)
	}
	return ""
}
