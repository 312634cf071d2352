package timex

import "time"

// datePart reads one date: a calendar date, a named day, a period.
func (g *english) datePart(i int) (end int, m meaning) {
	if e, m, ok := g.dates.get(g, i); ok {
		return e, m
	}
	t := g.tok(i)
	if t.kind != numTok && t.word.class == 0 {
		return 0, meaning{}
	}
	e, m := g.readDate(i)
	return g.dates.put(g, i, e, m)
}

func (g *english) readDate(i int) (end int, m meaning) {
	g.work++
	for _, rule := range [...]func(*english, int) (int, meaning){(*english).namedDay, (*english).numericDate, (*english).monthDate, (*english).edgeOf, (*english).nthOf, (*english).besideOf, (*english).feastDate, (*english).relative, (*english).weekdayAlone, (*english).yearDate} {
		if e, x := rule(g, i); x.ok() && e > end {
			end, m = e, x
		}
	}
	return end, m
}

// namedDay reads today, tomorrow, "the day after tomorrow", now.
func (g *english) namedDay(i int) (int, meaning) {
	j := g.skip(i, "the")
	if g.low(j) == "day" {
		switch {
		case g.low(j+1) == "before" && g.low(j+2) == "yesterday":
			return j + 3, dayOf(g.ref.AddDate(0, 0, -2))
		case g.low(j+1) == "after" && (g.is(j+2, dayWord) && g.shiftOf(j+2) == 1):
			return j + 3, dayOf(g.ref.AddDate(0, 0, 2))
		}
		return 0, meaning{}
	}
	if j > i {
		if g.low(j) == "moment" && g.low(i-1) == "at" || g.low(j) == "present" && g.low(i-1) == "at" {
			return j + 1, g.present()
		}
		return 0, meaning{}
	}
	switch g.low(i) {
	case "tonight", "tonite":
		m := onDay(midnight(g.ref), "NI")
		return i + 1, m
	case "now", "nowadays", "atm":
		m := g.present()
		m.weak = !g.bare
		return i + 1, m
	case "right":
		if g.low(i+1) == "now" {
			return i + 2, g.present()
		}
	case "to":
		if g.low(i+1) == "date" && (i+2 >= len(g.toks) || g.tok(i+2).kind == markTok) {
			return i + 2, g.present()
		}
	case "at":
		k := g.skip(i+1, "the", "this")
		if k > i+1 && g.oneOf(k, "moment", "minute") || g.low(k) == "present" {
			if g.low(k+1) == "time" {
				k++
			}
			return k + 1, g.present()
		}
		if g.low(i+1) == "this" && g.low(k) == "time" && g.bare {
			return k + 1, dayOf(g.ref)
		}
	case "atm?":
		return i + 1, g.present()
	case "asap":
		return i + 1, g.present()
	case "as":
		if g.low(i+1) == "soon" && g.low(i+2) == "as" && g.low(i+3) == "possible" {
			return i + 4, g.present()
		}
	}
	if g.is(i, dayWord) {
		return i + 1, dayOf(g.ref.AddDate(0, 0, g.shiftOf(i)))
	}
	return 0, meaning{}
}

// present is the moment at which it was said.
func (g *english) present() meaning {
	m := period(g.ref, second)
	m.value = "PRESENT_REF"
	return m
}

// numericDate reads dates that are written with digits and marks.
func (g *english) numericDate(i int) (int, meaning) {
	t := g.tok(i)
	if t.kind != numTok || t.n < 0 {
		return 0, meaning{}
	}
	if len(t.low) == 8 && !g.gluedOn(i+1) && validDay(t.n/10000, t.n/100%100, t.n%100) && t.n/10000 >= 1500 && t.n/10000 < 2500 {
		return i + 1, dayOf(ymd(t.n/10000, t.n/100%100, t.n%100))
	}
	sep := g.low(i + 1)
	if sep == "q" && g.tok(i+1).glued && g.tok(i+2).kind == numTok && (len(t.low) == 2 || len(t.low) == 4) { // 18q4
		y := t.n
		if len(t.low) == 2 {
			y = fullYear(y)
		}
		return g.quarterOf(i+3, y, g.tok(i+2).n)
	}
	if sep != "-" && sep != "/" && sep != "." && !(g.bare && g.tok(i+1).kind == numTok) {
		return 0, meaning{}
	}
	loose := !g.tok(i+1).glued || !g.tok(i+2).glued
	if loose && !g.bare {
		return 0, meaning{}
	}
	k := i + 2
	if g.tok(i+1).kind == numTok { // "31 10 1974"
		k, sep = i+1, " "
	}
	b := g.tok(k)
	if b.kind == wordTok && b.word.class&monthName != 0 {
		return g.numberWithName(i, k)
	}
	if b.kind != numTok || b.n < 0 || len(b.low) > 4 {
		return 0, meaning{}
	}
	k2 := k + 1
	third := false
	if sep == " " {
		third = g.tok(k2).kind == numTok && len(g.tok(k2).low) == 4
	} else if g.low(k2) == sep && g.tok(k2+1).kind == numTok && (!loose || g.bare) && (loose || g.tok(k2).glued && g.tok(k2+1).glued) {
		third = true
		k2++
	}
	if third {
		return g.threeNumbers(i, k, k2)
	}
	return g.twoNumbers(i, k, sep, loose)
}

// threeNumbers reads Y-M-D, M/D/Y and D.M.Y in digits.
func (g *english) threeNumbers(i, k, k2 int) (int, meaning) {
	a, b, c := g.tok(i), g.tok(k), g.tok(k2)
	if c.n < 0 || g.gluedOn(k2+1) && !(g.tok(k2+1).kind == wordTok && g.low(k2+1) == "t") && g.low(k2+1) != ":" {
		if g.tok(k2+1).kind != wordTok {
			return 0, meaning{}
		}
	}
	y, m, d := a.n, b.n, c.n
	if len(a.low) != 4 {
		if len(c.low) != 4 && len(c.low) != 2 || len(a.low) > 2 || len(b.low) > 2 {
			return 0, meaning{}
		}
		y, m, d = c.n, a.n, b.n
		if len(c.low) == 2 {
			y = fullYear(y)
		}
		if m > 12 {
			m, d = d, m
		}
	} else if len(c.low) == 4 && len(b.low) <= 2 && g.bare && g.low(k2+1) == ":" {
		return g.gluedClock(i, k, k2)
	} else if len(b.low) > 2 || len(c.low) > 2 {
		return 0, meaning{}
	} else if m > 12 {
		m, d = d, m
	}
	if !validDay(y, m, d) {
		return 0, meaning{}
	}
	end := k2 + 1
	if g.low(end) == "t" && g.tok(end).glued && g.tok(end+1).kind == numTok { // ISO: 2013-02-12T04:30
		if e, c := g.hourFirst(end+1, true); c.ok() {
			c.half = false
			return e, at(ymd(y, m, d), c)
		}
	}
	return end, dayOf(ymd(y, m, d))
}

// gluedClock reads a date with a clock time right after it: "2018-12-1209:03".
func (g *english) gluedClock(i, k, k2 int) (int, meaning) {
	y, m, d, h, min := g.tok(i).n, g.tok(k).n, g.tok(k2).n/100, g.tok(k2).n%100, g.tok(k2+2)
	if !validDay(y, m, d) || h > 23 || min.kind != numTok || len(min.low) != 2 || min.n > 59 {
		return 0, meaning{}
	}
	return k2 + 3, at(ymd(y, m, d), meaning{kind: clock, sec: 3600*h + 60*min.n, grain: minute})
}

// twoNumbers reads 2014-10 and 2/15.
func (g *english) twoNumbers(i, k int, sep string, loose bool) (int, meaning) {
	a, b := g.tok(i), g.tok(k)
	if g.gluedOn(k + 1) {
		return 0, meaning{}
	}
	if len(a.low) == 4 && len(b.low) <= 2 && b.n >= 1 && b.n <= 12 && sep != "." && a.n >= 1500 && a.n < 2500 {
		return k + 1, period(ymd(a.n, b.n, 1), month)
	}
	if len(b.low) == 4 && sep != "." && a.n >= 1 && a.n <= 12 && len(a.low) <= 2 && b.n >= 1500 && b.n < 2500 { // 03/2015
		return k + 1, period(ymd(b.n, a.n, 1), month)
	}
	if len(b.low) > 2 || len(a.low) > 2 || !(sep == "/" || g.bare && (sep == "-" && i == g.now)) {
		return 0, meaning{}
	}
	m, d := a.n, b.n
	if m > 12 {
		m, d = d, m
	}
	if !validDay(2024, m, d) || i > 0 && g.tok(i).glued && g.low(i-1) == "/" {
		return 0, meaning{}
	}
	out := g.yearless(m, d)
	out.weak = !g.bare && !g.oneOf(i-1, "on", "by", "since", "until", "till", "from", "to", "between", "and", "this", "next", "last", "before", "after", "through") && !g.is(i-1, weekdayName)
	return k + 1, out
}

// numberWithName reads 31/Oct/1974, 2020/Sep/23, 05-Aug-2016, 2020/23/Sep is read
// by its last part.
func (g *english) numberWithName(i, k int) (int, meaning) {
	a, m := g.tok(i), g.tok(k).word.n
	sep := g.tok(k + 1)
	c := g.tok(k + 2)
	if (sep.low == "/" || sep.low == "-" || sep.low == ".") && sep.glued && c.kind == numTok && c.glued {
		y, d := c.n, a.n
		if len(a.low) == 4 {
			y, d = a.n, c.n
		} else if len(c.low) == 2 {
			y = fullYear(y)
		}
		if validDay(y, m, d) {
			return k + 3, dayOf(ymd(y, m, d))
		}
		return 0, meaning{}
	}
	if len(a.low) <= 2 && validDay(2024, m, a.n) {
		return k + 1, g.yearless(m, a.n)
	}
	return 0, meaning{}
}

// yearless gives the day of a month whose year is open.
func (g *english) yearless(m, d int) meaning {
	y := g.yearFor(m, d)
	for n := 0; n < 8 && !validDay(y, m, d); n++ {
		y++
	}
	if !validDay(y, m, d) {
		return meaning{}
	}
	out := dayOf(ymd(y, m, d))
	out.yearless = true
	return out
}

// yearFor gives the year of a month, or of a day of it, that names none: of a
// bare expression that of the next such day, else the turn's, unless the tense
// says the other side.
func (g *english) yearFor(m, d int) int {
	y, nm, nd := g.ref.Year(), int(g.ref.Month()), g.ref.Day()
	later := m > nm || m == nm && d > nd
	earlier := m < nm || m == nm && d > 0 && d < nd
	tense := 0
	if g.bare {
		tense = 1
	} else if g.tense != nil && g.now < len(g.toks) {
		tense = g.tense(g.toks[g.now].s)
	}
	switch {
	case earlier && tense > 0:
		return y + 1
	case later && tense < 0:
		return y - 1
	}
	return y
}

// monthAt tells the month that is named at token i: 0 if none. In running text
// may, march and the short forms need a capital or a number beside them.
func (g *english) monthAt(i int) int {
	t := g.tok(i)
	if t.word.class&monthName == 0 {
		return 0
	}
	if g.bare || t.upper || len(t.low) > 3 && t.low != "march" {
		return t.word.n
	}
	if g.tok(i+1).kind == numTok || g.tok(i-1).kind == numTok || g.oneOf(i-1, "th", "st", "nd", "rd", "of", "in", "to", "since", "until", "by", "from") || g.is(i-1, ordinal) || g.is(i+1, ordinal) {
		return t.word.n
	}
	return 0
}

// monthDate reads dates that a month's name is part of.
func (g *english) monthDate(i int) (int, meaning) {
	j := g.skip(i, "the")
	if m := g.monthAt(j); m > 0 && j == i {
		return g.monthFirst(i, m)
	}
	e, d := g.dayNumber(j)
	if e == 0 {
		return 0, meaning{}
	}
	k := e
	if g.low(k) == "day" && g.low(k+1) == "of" {
		k++
	}
	k = g.skip(k, "of", "-")
	k = g.skip(k, "the")
	if m := g.monthAt(k); m > 0 {
		f := k + 1
		if len(g.low(k)) <= 4 && g.tok(f+1).kind == numTok { // "5 Jan. 2019"
			f = g.skip(f, ".")
		}
		return g.withYear(f, m, d)
	}
	// "20th of next month", "the 10th of this month"
	if g.low(e) == "of" || g.low(e) == "day" || g.is(e, modifier) || g.low(e) == "the" {
		if g.is(k, modifier) && g.tok(k+1).word.grain == month && g.is(k+1, unitName) {
			p := step(g.ref, month, g.shiftOf(k))
			if d <= daysIn(p.a.Year(), int(p.a.Month())) {
				return k + 2, dayOf(p.a.AddDate(0, 0, d-1))
			}
		}
		if k > e && g.tok(k).word.grain == month && g.is(k, unitName) {
			return k + 1, g.monthDayDate(d)
		}
	}
	// "the 15th", "Monday the 21st"
	if f, n := g.nth(j); f == e && n <= 31 && (j > i || g.oneOf(i-1, "on", "by", "until", "till", "since") || g.is(i-1, weekdayName)) && !g.is(e, unitName) && !g.oneOf(e, "floor", "grade", "century", "time", "one", "place", "edition", "person") {
		out := g.monthDayDate(d)
		out.monthDay = n
		end := word{}
		if e < len(g.toks) {
			end = g.toks[e].word
		}
		out.weak = !g.bare && (g.tok(e).kind == wordTok && end.class&(dayWord|weekdayName) == 0 && !g.oneOf(e, "at", "and", "to", "from", "between", "is", "was") || g.is(j, ordinal))
		return e, out
	}
	if t := g.tok(j); j == i && t.kind == numTok && g.is(i-1, weekdayName) && !g.tok(i-1).glued && len(t.low) <= 2 && !g.gluedOn(i+1) && t.n > 12 && t.n <= 31 { // "Monday 21"
		out := g.monthDayDate(t.n)
		out.monthDay = t.n
		return i + 1, out
	}
	if t := g.tok(j); j == i && t.kind == numTok && e == j+1 && g.low(i-1) == "on" && !g.tok(i).glued && len(t.low) <= 2 && (e >= len(g.toks) || g.oneOf(e, ".", "?", "!") && e+1 >= len(g.toks)) { // "back on 15."
		return e, g.monthDayDate(d)
	}
	if t := g.tok(j); j > i && t.kind == numTok && e == j+1 && len(t.low) <= 2 && t.n <= 31 && g.oneOf(e, "from", "at") && g.low(i-1) == "on" {
		return e, g.monthDayDate(d)
	}
	return 0, meaning{}
}

// monthDayDate gives the n-th day of the month at hand, of the next where it is
// over and the text is bare.
func (g *english) monthDayDate(n int) meaning {
	t := ymd(g.ref.Year(), int(g.ref.Month()), 1)
	if g.bare && n < g.ref.Day() {
		t = addMonths(t, 1)
	}
	for k := 0; k < 3 && n > daysIn(t.Year(), int(t.Month())); k++ {
		t = addMonths(t, 1)
	}
	out := dayOf(t.AddDate(0, 0, n-1))
	out.open = true
	return out
}

// monthFirst reads what starts with a month: "May 8, 2023", "May the 8th", "May
// 2023", "Feb13", "Dec/2018", "november last year", "May".
func (g *english) monthFirst(i, m int) (int, meaning) {
	j := g.skip(i+1, ".")
	if j > i+1 && !g.tok(i+1).glued {
		j = i + 1
	}
	k := j
	for _, s := range [...]string{"/", "-"} {
		if g.low(k) == s && g.tok(k).glued && g.tok(k+1).kind == numTok && g.tok(k+1).glued {
			k++
			break
		}
	}
	if e, y := g.yearNumber(k); e > 0 && (g.tok(k).kind == numTok || y >= 1900) {
		return e, period(ymd(y, m, 1), month)
	}
	the := g.skip(k, "the") > k
	k = g.skip(k, "the")
	if e, d := g.dayNumber(k); e > 0 && !(g.low(e) == ":" && g.tok(e).glued) && !(the && g.tok(k).kind == numTok && e == k+1) {
		if ee, h := g.hourFirst(k, false); h.ok() && ee > e && g.tok(k).kind == numTok { // "May 3pm"
			return j, g.monthOnly(m, i)
		}
		return g.withYear(e, m, d)
	}
	k = g.skip(j, ",")
	k = g.skip(k, "of", "in")
	if e, y := g.yearNumber(k); e > 0 {
		return e, period(ymd(y, m, 1), month)
	}
	if k > j && g.low(k-1) == "of" || g.low(k) == "'" {
		if e, y := g.yearOf(k); e > 0 {
			return e, period(ymd(y, m, 1), month)
		}
	}
	if g.is(k, modifier) && g.is(k+1, unitName) && g.tok(k+1).word.grain == year {
		return k + 2, period(ymd(g.ref.Year()+g.shiftOf(k), m, 1), month)
	}
	return i + 1, g.monthOnly(m, i)
}

// monthOnly gives a month that names no year.
func (g *english) monthOnly(m, i int) meaning {
	out := period(ymd(g.yearFor(m, 0), m, 1), month)
	out.yearless = true
	out.weak = !g.bare && !g.oneOf(i-1, "in", "of", "since", "until", "till", "by", "during", "from", "through", "before", "after", "between", "every", "to", "-")
	return out
}

// withYear ends a day of a month, with the year that may follow at j.
func (g *english) withYear(j, m, d int) (int, meaning) {
	k := j
	k = g.skip(k, ",", "/", "-")
	if k > j && g.low(j) != "," && !g.tok(k).glued {
		k = j
	}
	k = g.skip(k, "of", "in")
	if e, y := g.yearNumber(k); e > 0 {
		if !validDay(y, m, d) {
			return 0, meaning{}
		}
		return e, dayOf(ymd(y, m, d))
	}
	if k > j && g.low(k-1) == "of" || g.low(k) == "'" || k == j && g.bare {
		if e, y := g.yearOf(k); e > 0 && validDay(y, m, d) && (e >= len(g.toks) || g.low(k-1) == "of") {
			return e, dayOf(ymd(y, m, d))
		}
	}
	if g.is(k, modifier) && g.is(k+1, unitName) && g.tok(k+1).word.grain == year && validDay(g.ref.Year()+g.shiftOf(k), m, d) {
		return k + 2, dayOf(ymd(g.ref.Year()+g.shiftOf(k), m, d))
	}
	if t := g.tok(k); k == j && t.kind == numTok && len(t.low) == 2 && !g.gluedOn(k+1) && t.n < 30 && !g.is(k+1, 0) && g.oneOf(k+1, "was", "is") { // "January first 12 was"
		if validDay(fullYear(t.n), m, d) {
			return k + 1, dayOf(ymd(fullYear(t.n), m, d))
		}
	}
	return j, g.yearless(m, d)
}

// weekdayAlone reads "Friday", "Fri.", "Friday after next", "Monday before last".
func (g *english) weekdayAlone(i int) (int, meaning) {
	j := g.skip(i, "the")
	if j > i && !g.bare && !g.oneOf(j+1, "after", "before") {
		return 0, meaning{}
	}
	if !g.is(j, weekdayName) || g.tok(j).word.class&plural != 0 {
		return 0, meaning{}
	}
	t := g.tok(j)
	if len(t.low) <= 3 && !g.bare && !t.upper {
		return 0, meaning{}
	}
	wd := t.word.n
	e := g.skip(j+1, ".")
	if e > j+1 && (len(t.low) > 4 || !g.tok(j+1).glued) {
		e = j + 1
	}
	switch {
	case g.low(j+1) == "after" && g.low(j+2) == "next":
		n := 14 - 7
		d := g.nextWeekday(wd, false)
		return j + 3, rich(dayOf(d.AddDate(0, 0, n)))
	case g.low(j+1) == "before" && g.low(j+2) == "last":
		return j + 3, rich(dayOf(g.lastWeekday(wd).AddDate(0, 0, -7)))
	case g.tok(j+1).kind == numTok || g.is(j+1, cardinal) || g.oneOf(j+1, "a", "in", "two"):
		if f, x := g.placedBy(j+1, wd); x.ok() {
			return f, x
		}
	case g.is(j+1, modifier) && g.is(j+2, unitName) && g.tok(j+2).word.grain == week:
		return j + 3, rich(dayOf(monday(g.ref).AddDate(0, 0, 7*g.shiftOf(j+1)+wd-1)))
	}
	m := dayOf(g.nextWeekday(wd, false))
	if !g.bare && g.tense != nil && g.tense(t.s) < 0 {
		m = dayOf(g.lastWeekday(wd))
	}
	m.weekday, m.open = wd, true
	return e, m
}

// placedBy reads a shift after a weekday: "Tuesday three weeks ago", "Saturday 3
// days from now".
func (g *english) placedBy(i, wd int) (int, meaning) {
	if !g.enter() {
		return 0, meaning{}
	}
	defer g.leave()
	e, m := g.shifted(i)
	if m.kind != date && !(m.kind == moment && m.grain == hour) || e == 0 {
		return 0, meaning{}
	}
	t := midnight(m.a)
	if weekdayOf(t) != wd {
		if g.low(e-2) != "weeks" && g.low(e-2) != "week" && g.low(e-3) != "weeks" && g.low(e-3) != "week" {
			return 0, meaning{}
		}
		t = monday(t).AddDate(0, 0, wd-1)
	}
	return e, rich(dayOf(t))
}

func rich(m meaning) meaning {
	m.rich = true
	return m
}

// nextWeekday gives the next such day; today counts if asked.
func (g *english) nextWeekday(wd int, today bool) time.Time {
	n := (wd - weekdayOf(g.ref) + 7) % 7
	if n == 0 && !today {
		n = 7
	}
	return midnight(g.ref).AddDate(0, 0, n)
}

// lastWeekday gives the latest such day before today.
func (g *english) lastWeekday(wd int) time.Time {
	n := (weekdayOf(g.ref) - wd + 7) % 7
	if n == 0 {
		n = 7
	}
	return midnight(g.ref).AddDate(0, 0, -n)
}
