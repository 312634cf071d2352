package timex

import "time"

// ranges reads an interval by its two ends: "from 3 to 5pm", "between May and
// July", "July 13-15", "Monday 8-9am", "4pm for thirty minutes".
func (g *english) ranges(i int) (int, meaning) {
	g.work++
	if e, m := g.dayAndSpan(i); m.ok() {
		return e, m
	}
	if e, m := g.startAndLength(i); m.ok() {
		return e, m
	}
	j := i
	lead := g.low(j)
	switch lead {
	case "from", "between", "during", "in":
		j++
		if lead == "during" && g.low(j) == "from" {
			j++
		}
	}
	if e, m := g.daysOfMonth(j, lead); m.ok() {
		return e, m
	}
	if e, m := g.timeSpan(i); m.ok() {
		if g.bare && m.open && m.sec < 12*3600 && m.sec+int(m.secs) < 12*3600 && midnight(g.ref).Add(time.Duration(m.sec+int(m.secs))*time.Second).Before(g.ref) {
			m.sec += 12 * 3600 // the next such hours
			m.value = clockText(m.sec, minute) + "/" + clockText(m.sec+int(m.secs), minute)
		}
		return g.zone(e, m)
	}
	return g.dateSpan(i, j, lead)
}

// link reads the word between two ends.
func (g *english) link(j int, lead string) (end int, ok bool) {
	switch g.low(j) {
	case "to", "till", "until", "untill", "through", "thru", "til":
		return j + 1, true
	case "up":
		if g.low(j+1) == "to" {
			return j + 2, true
		}
	case "-":
		if g.low(j+1) == "-" {
			return j + 2, true
		}
		return j + 1, true
	case "and":
		return j + 1, lead == "between"
	}
	return 0, false
}

// dateSpan reads two dates, or date and time, with a link between.
func (g *english) dateSpan(i, j int, lead string) (int, meaning) {
	e, a := g.endpoint(j)
	if !a.onCalendar() || a.part != "" && lead == "" {
		return 0, meaning{}
	}
	k, ok := g.link(e, lead)
	if !ok {
		return 0, meaning{}
	}
	if lead == "" && g.low(e) == "-" && (a.kind == moment || a.weekday > 0) && !g.tok(e).glued && !g.bare && !g.is(k, weekdayName|monthName) && g.tok(k).kind != numTok {
		return 0, meaning{}
	}
	if lead == "in" && g.low(e) != "through" {
		return 0, meaning{}
	}
	f, b := g.endpoint(k)
	if b.kind == clock && a.kind == moment {
		b = at(a.a, b)
		if !b.a.After(a.a) {
			b = at(a.a, meaning{kind: clock, sec: (int(b.a.Sub(midnight(b.a))/time.Second) + 12*3600) % 86400, grain: b.grain})
		}
	}
	if !b.onCalendar() {
		return 0, meaning{}
	}
	if a.yearless != b.yearless { // "Nov - Feb 2017", "Jan 2019 to March"
		if a.yearless {
			a = inYear(a, b.a.Year())
			if a.a.After(b.a) {
				a = inYear(a, b.a.Year()-1)
			}
		} else if b.a.Before(a.a) || b.a.Year() > a.a.Year() {
			b = inYear(b, a.a.Year())
			if b.a.Before(a.a) {
				b = inYear(b, a.a.Year()+1)
			}
		}
	} else if a.yearless && b.a.Before(a.a) {
		b = inYear(b, b.a.Year()+1)
	} else if a.yearless && b.a.Year() > a.a.Year() && !inYear(b, a.a.Year()).a.Before(a.a) {
		b = inYear(b, a.a.Year())
	}
	if !g.bare && a.yearless && b.yearless { // the one that runs
		if x, y := inYear(a, a.a.Year()-1), inYear(b, b.a.Year()-1); !x.a.After(g.ref) && y.b.After(g.ref) {
			a, b = x, y
		}
	}
	if a.weekday > 0 && b.weekday > 0 && b.a.Before(a.a) {
		b.a, b.b = b.a.AddDate(0, 0, 7), b.b.AddDate(0, 0, 7)
	}
	if b.a.Before(a.a) {
		return 0, meaning{}
	}
	return f, g.spanOf(a, b)
}

// spanOf gives the interval from a through b.
func (g *english) spanOf(a, b meaning) meaning {
	m := between(a.a, b.b, max(min(a.grain, b.grain), second))
	if b.kind == moment { // a clock time is where it ends
		m.b = b.a
		m.kind = moment
	}
	m.yearless = a.yearless || b.yearless
	m.open = a.open || b.open
	x, y := a, b
	x.rich = false
	m.value = x.text() + "/" + y.text()
	if a.value == "PRESENT_REF" {
		m.value = timexOf(a.a, second) + "/" + y.text()
		if b.kind == date && !g.bare {
			m.a = midnight(a.a)
			m.value = timexOf(a.a, dayGrain) + "/" + y.text()
		}
	}
	if b.value == "PRESENT_REF" {
		m.b = b.a
		m.value = x.text() + "/" + timexOf(b.a, second)
		if a.kind == date {
			m.kind, m.b = date, midnight(b.a)
			m.value = timexOf(a.a, dayGrain) + "/" + timexOf(b.a, dayGrain)
		}
	}
	return m
}

// inYear moves a date that named no year to one.
func inYear(m meaning, y int) meaning {
	n := 12 * (y - m.a.Year())
	out := m
	out.a, out.b = addMonths(m.a, n), addMonths(m.b, n)
	if m.grain == dayGrain {
		out.b = out.a.AddDate(0, 0, 1)
	}
	if m.value != "" {
		out.value = ""
	}
	return out
}

// endpoint reads one end of a range.
func (g *english) endpoint(i int) (int, meaning) {
	e, m := g.point(i)
	if !m.ok() || m.weak && m.kind == date && m.grain == dayGrain {
		if f, x := g.shifted(i); x.onCalendar() && f > e {
			return f, x
		}
	}
	if f, x := g.shifted(i); x.onCalendar() && f > e && x.grain >= dayGrain {
		return f, x
	}
	return e, m
}

// dayPair reads two days of a month with a word between them, the second the later
// one: the token after them, 0 where there are none.
func (g *english) dayPair(j int, lead string) (end, d1, d2 int) {
	e, d1 := g.dayNumber(g.skip(j, "the"))
	if e == 0 {
		return 0, 0, 0
	}
	l, ok := g.link(e, lead)
	if !ok {
		return 0, 0, 0
	}
	end, d2 = g.dayNumber(g.skip(l, "the"))
	if d2 <= d1 {
		return 0, 0, 0
	}
	return end, d1, d2
}

// daysOfMonth reads days of one month: "July 13-15", "from the 13th to the 15th
// of July", "12 to 16 september", "4-23 in next month".
func (g *english) daysOfMonth(j int, lead string) (int, meaning) {
	if m := g.monthAt(j); m > 0 {
		f, d1, d2 := g.dayPair(j+1, lead)
		if f == 0 || g.monthAt(f) > 0 || g.low(f) == "of" || g.gluedOn(f) && g.tok(f).kind != markTok {
			return 0, meaning{}
		}
		end, last := g.withYear(f, m, d2)
		if !last.ok() || last.kind != date {
			return 0, meaning{}
		}
		first := dayOf(ymd(last.a.Year(), m, d1))
		return end, g.spanDays(first, last)
	}
	f, d1, d2 := g.dayPair(j, lead)
	if f == 0 {
		return 0, meaning{}
	}
	f2 := g.skip(f, "of", "in")
	f2 = g.skip(f2, "the")
	if m := g.monthAt(f2); m > 0 {
		end, last := g.withYear(f2+1, m, d2)
		if !last.ok() || last.kind != date {
			return 0, meaning{}
		}
		return end, g.spanDays(dayOf(ymd(last.a.Year(), m, d1)), last)
	}
	if f2 > f && g.is(f2, modifier) && g.low(f2+1) == "month" {
		p := step(g.ref, month, g.shiftOf(f2))
		if d2 <= daysIn(p.a.Year(), int(p.a.Month())) {
			return f2 + 2, g.spanDays(dayOf(p.a.AddDate(0, 0, d1-1)), dayOf(p.a.AddDate(0, 0, d2-1)))
		}
	}
	return 0, meaning{}
}

// spanDays gives the days from a through b.
func (g *english) spanDays(a, b meaning) meaning {
	m := between(a.a, b.b, dayGrain)
	m.yearless = b.yearless
	return m
}

// timeSpan reads two times of a day: "3-5pm", "from 9:30 to 11:00", "between
// three and four thirty". The half of the day of one end settles the other.
func (g *english) timeSpan(i int) (int, meaning) {
	g.work++
	j, lead := i, g.low(i)
	if lead == "from" || lead == "between" || lead == "at" {
		j++
	}
	e, a := g.clockTime(j, true)
	if a.kind != clock {
		return 0, meaning{}
	}
	k, ok := g.link(e, lead)
	if !ok {
		return 0, meaning{}
	}
	f, b := g.clockTime(k, true)
	if b.kind != clock || lead == "" && a.weak && b.weak {
		return 0, meaning{}
	}
	if a.weak && b.weak && (lead != "from" && lead != "between" && !g.dayBefore(i) && lead != "at" || g.is(f, unitName|monthName)) {
		return 0, meaning{}
	}
	return g.spanParts(f, a, b)
}

// dayBefore tells whether a day stands right before token i, or after it.
func (g *english) dayBefore(i int) bool {
	return g.is(i-1, weekdayName|partName|dayWord)
}

// spanParts settles the halves of the day of two clock times, by a part of the
// day that may follow them.
func (g *english) spanParts(f int, a, b meaning) (int, meaning) {
	if pe, p := g.timeOfDay(g.skip(f, ","), false); p.kind == dayPart && !p.weak || p.kind == dayPart && g.low(f) == "in" {
		a, b = a.towards(p.part), b.towards(p.part)
		f, a.weak = pe, false
	}
	weak := a.weak && b.weak
	open := false
	switch {
	case a.half && !b.half: // "3-5pm", "9:30 to 14:00"
		if a.sec < 12*3600 && b.sec > 12*3600 && a.sec+12*3600 < b.sec {
			a.sec += 12 * 3600
		}
	case b.half && !a.half:
		for b.sec <= a.sec && b.sec < 43200 {
			b.sec += 12 * 3600
		}
	case a.half && b.half:
		if b.sec <= a.sec && b.sec < 43200 {
			b.sec += 12 * 3600
		}
		open = true
	}
	gr := min(a.grain, b.grain)
	m := meaning{kind: clock, sec: a.sec, grain: gr, value: clockText(a.sec, a.grain) + "/" + clockText(b.sec, b.grain), rich: true, weak: weak, open: open}
	m.secs = float64(b.sec - a.sec)
	if b.sec <= a.sec {
		m.secs += 86400
	}
	return f, m
}

// placeSpan puts two clock times, or one, or a part of the day on a date.
func placeSpan(d time.Time, c meaning) meaning {
	switch {
	case c.kind == dayPart:
		m := onDay(d, c.part)
		m.rich = true
		return m
	case c.secs > 0:
		a := midnight(d).Add(time.Duration(c.sec) * time.Second)
		b := a.Add(time.Duration(c.secs) * time.Second)
		m := between(a, b, min(c.grain, minute))
		m.open = c.open
		return m
	}
	return at(d, c)
}

// dayAndSpan reads a day with two clock times, in either order: "Monday 8-9am",
// "9:30 - 11:00 on Thursday", "this morning from 9 to 11", "last night between 7
// and 9".
func (g *english) dayAndSpan(i int) (int, meaning) {
	g.work++
	if e, d := g.point(i); d.onCalendar() && (d.grain == dayGrain || d.kind == moment && d.part != "") && e > i {
		k := g.skip(e, ",")
		if e2, c := g.timeSpan(k); c.ok() && (!c.weak || d.kind == moment || g.oneOf(k, "from", "between", "at") || !g.tok(k).glued) {
			if d.part != "" {
				c = c.spanTowards(d.part)
			}
			m := placeSpan(midnight(d.a), c)
			m.yearless = d.yearless
			return e2, m
		}
		// "Tuesday at 2:00 - 2:30": the point took the first time.
		return 0, meaning{}
	}
	if e, d := g.datePart(i); d.kind == date && d.grain == dayGrain {
		k := e
		for f, x := g.datePart(g.skip(k, ",")); x.ok(); f, x = g.datePart(g.skip(k, ",")) { // "Tuesday, Jan 15"
			joined, fits := g.joinDates(d, x)
			if !fits || f <= k {
				break
			}
			d, k = joined, f
			if k > i+12 {
				break
			}
		}
		k = g.skip(k, ",")
		if pe, p := g.timeOfDay(k, true); p.kind == dayPart {
			if e2, c := g.timeSpan(g.skip(pe, ",")); c.ok() {
				return e2, placeSpan(d.a, c.spanTowards(p.part))
			}
		}
		if e2, c := g.timeSpan(g.skip(k, "at")); c.ok() {
			m := placeSpan(d.a, c)
			m.yearless = d.yearless
			return e2, m
		}
		return 0, meaning{}
	}
	e, c := g.timeSpan(i)
	if !c.ok() && g.oneOf(i, "between", "from") {
		if f, cc := g.timeSpan(i); cc.ok() {
			e, c = f, cc
		}
	}
	if !c.ok() {
		return 0, meaning{}
	}
	k := g.skip(e, "on", ",")
	k = g.skip(k, "the")
	f, d := g.point(k)
	if !d.onCalendar() || d.grain != dayGrain && d.part == "" {
		return 0, meaning{}
	}
	if d.part != "" {
		c = c.spanTowards(d.part)
	}
	m := placeSpan(midnight(d.a), c)
	m.yearless = d.yearless
	return f, m
}

// spanTowards settles the half of the day of two clock times.
func (m meaning) spanTowards(part string) meaning {
	if !m.open || m.secs == 0 {
		return m
	}
	a := meaning{kind: clock, sec: m.sec, grain: m.grain, half: true}.towards(part)
	m.sec, m.open, m.value = a.sec, false, ""
	if m.secs > 12*3600 {
		m.secs -= 12 * 3600
	}
	return m
}

// startAndLength reads a start and how long it lasts, in either order: "from 4pm
// for thirty minutes", "for 2 hours from 2pm", "18th Dec for 10 days", "a day
// starting this Friday at 5 pm".
func (g *english) startAndLength(i int) (int, meaning) {
	j := g.skip(i, "for")
	if e, d := g.length(j); d.ok() && (j > i || g.oneOf(e, "starting", "beginning")) {
		k := g.skip(e, ",")
		k2 := g.skip(k, "starting", "beginning")
		k2 = g.skip(k2, "from", "on", "at")
		if k2 == k {
			return 0, meaning{}
		}
		if f, p := g.point(k2); p.onCalendar() || p.kind == clock {
			return f, g.lengthFrom(p, d)
		}
		if t := g.tok(k2); t.kind == numTok && t.n > 0 && t.n <= 12 && !g.gluedOn(k2+1) {
			return k2 + 1, g.lengthFrom(meaning{kind: clock, sec: 3600 * t.n, grain: hour}, d)
		}
		return 0, meaning{}
	}
	j = g.skip(i, "from", "starting")
	e, p := g.point(j)
	if !p.ok() || g.low(e) != "for" || p.grain > dayGrain {
		return 0, meaning{}
	}
	f, d := g.length(e + 1)
	if !d.ok() || p.kind == date && d.grain < dayGrain {
		return 0, meaning{}
	}
	return f, g.lengthFrom(p, d)
}

// lengthFrom gives the interval of a duration that starts at p.
func (g *english) lengthFrom(p, d meaning) meaning {
	if far(d.months, d.secs) {
		return meaning{}
	}
	if p.kind == clock {
		m := meaning{kind: clock, sec: p.sec, grain: minute, secs: d.secs, rich: true}
		m.value = clockText(p.sec, p.grain) + "/" + clockText((p.sec+int(d.secs))%86400, minute)
		return m
	}
	b := shift(p.a, d.months, d.secs, 1)
	gr := dayGrain
	if p.kind == moment {
		gr = minute
	}
	m := between(p.a, b, gr)
	m.yearless = p.yearless
	return m
}

// opens reads an interval with one open side: "since 2019", "by EOM", "before 11
// am", "3 pm or later". Its value is that of the point that it names; "by" in a
// bare text gives the time from now on.
func (g *english) opens(i int) (int, meaning) {
	if !g.bare { // there the word before the point is no part of it
		return 0, meaning{}
	}
	g.work++
	j := i
	w := g.low(j)
	switch w {
	case "since", "after", "before", "until", "till", "from", "through", "by", "starting", "beginning", "earlier", "later", "past", "untill":
		j++
		if w == "earlier" || w == "later" {
			if g.low(j) != "than" {
				return 0, meaning{}
			}
			j++
		}
		j = g.skip(j, "on", "from", "at")
	case "as":
		if g.oneOf(j+1, "early", "late") && g.low(j+2) == "as" {
			j += 3
		} else {
			return 0, meaning{}
		}
	case "anytime", "any", "sometime", "sometimes":
		j++
		j = g.skip(j, "time")
		if !g.oneOf(j, "after", "before", "from", "since") {
			return 0, meaning{}
		}
		w = g.low(j)
		j++
	case ">", "<":
		j = g.skip(j+1, "=")
	case "to":
		if g.low(j+1) == "date" {
			return j + 2, g.present()
		}
		return 0, meaning{}
	default:
		return g.orLater(i)
	}
	e, p := g.endpoint(j)
	if !p.ok() || p.kind == duration || p.kind == set {
		return 0, meaning{}
	}
	if p.weak && p.kind == clock {
		return 0, meaning{}
	}
	out := p
	out.rich = true
	if w == "by" && p.kind != dayPart {
		end := p
		if p.kind == clock {
			end = at(g.ref, p)
			if end.a.Before(g.ref) {
				end = at(g.ref.AddDate(0, 0, 1), p)
			}
		}
		b := end.a
		if p.kind == date || p.narrow {
			b = end.b
		}
		m := between(g.ref, b, second)
		return e, m
	}
	return e, out
}

// orLater reads "3 pm or later", "2016 and greater", "October 1st or after".
func (g *english) orLater(i int) (int, meaning) {
	e, p := g.point(i)
	if !p.ok() || !g.oneOf(e, "or", "and") || !g.oneOf(e+1, "later", "after", "before", "earlier", "greater", "onwards", "onward", "newer", "older") {
		if p.ok() && g.oneOf(e, "onwards", "onward") {
			return e + 1, rich(p)
		}
		return 0, meaning{}
	}
	e += 2
	if k := g.skip(e, "on"); k > e {
		if f, d := g.point(k); d.kind == date && d.grain == dayGrain && p.kind == clock {
			return f, at(d.a, p)
		}
	}
	p.weak = false
	return e, rich(p)
}
