package timex

import "time"

// relative reads a unit, weekday, month, season or part of the day with last,
// this or next before it, and units alone where they mean the one at hand.
func (g *english) relative(i int) (int, meaning) {
	j := g.skip(i, "the")
	if g.oneOf(j, "earlier", "later", "early", "late", "mid") && g.oneOf(j+1, "in", "this", "today", "next", "last", "previous", "the") || g.oneOf(j, "mid", "early", "late") && g.is(j+1, dayWord) {
		if e, m := g.partOfPeriod(j); m.ok() {
			return e, m
		}
	}
	if !g.is(j, modifier) {
		return g.unitAlone(i, j)
	}
	n := g.shiftOf(j)
	nearest := false
	k := j + 1
	if n == 0 && g.is(k, modifier) { // "this past Friday", "this coming week"
		n, nearest = g.shiftOf(k), true
		k++
	} else if g.oneOf(j, "coming", "upcoming") {
		nearest = true
	}
	if g.oneOf(j, "following", "past") && j == i && !g.bare && !g.is(k, unitName|weekdayName|monthName) {
		return 0, meaning{}
	}
	if g.oneOf(k, "around", "calendar") {
		k++
	}
	t := g.tok(k)
	switch {
	case g.is(k, partName) && t.word.class&plural == 0:
		d := midnight(g.ref)
		if n < 0 {
			d = d.AddDate(0, 0, -1)
		} else if n > 0 {
			d = d.AddDate(0, 0, 1)
		}
		m := onDay(d, t.word.code)
		if !g.bare && t.word.code[0] == 'M' && len(t.word.code) == 3 {
			return 0, meaning{}
		}
		m.weak = !g.bare && t.word.code[0] == 'M' && len(t.word.code) == 3
		return k + 1, m
	case g.low(k) == "week" && g.low(k+1) == "-" && g.low(k+2) == "end":
		return k + 3, step(g.ref, weekend, n)
	case g.low(k) == "week" && g.is(k+1, weekdayName) && g.tok(k).poss, g.low(k) == "week" && g.is(k+1, weekdayName) && g.tok(k+1).word.class&plural == 0:
		return k + 2, rich(dayOf(step(g.ref, week, n).a.AddDate(0, 0, g.tok(k+1).word.n-1)))
	case g.low(k) == "week" && g.oneOf(k+1, "on", "-", ",") && g.is(k+2, weekdayName):
		return k + 3, rich(dayOf(step(g.ref, week, n).a.AddDate(0, 0, g.tok(k+2).word.n-1)))
	case g.low(k) == "season" || g.low(k) == "seasons" && g.bare:
		m := g.seasonNow(n)
		m.weak = !g.bare
		return k + 1, m
	case g.is(k, unitName) && (t.word.class&plural == 0 || g.bare && t.word.grain == season):
		m := step(g.ref, t.word.grain, n)
		if t.word.grain <= minute && n == 0 {
			return 0, meaning{}
		}
		if t.low == "fortnight" {
			m = between(m.a, m.a.AddDate(0, 0, 14), dayGrain)
		}
		if t.word.grain == minute && n < 0 {
			m = between(g.ref.Add(-time.Minute), g.ref, minute)
		}
		m.weak = !g.bare && (t.word.grain <= dayGrain)
		return k + 1, m
	case g.is(k, weekdayName) && t.word.class&plural == 0:
		return k + 1, g.weekdayBy(t.word.n, n, nearest)
	case g.is(k, seasonName) && t.word.class&plural == 0:
		return k + 1, g.seasonBy(t.word.code, n)
	case g.is(k, monthName):
		y, m := g.ref.Year(), t.word.n
		switch {
		case n < 0 && m >= int(g.ref.Month()):
			y--
		case n > 0 && m <= int(g.ref.Month()):
			y++
		}
		if e, d := g.dayNumber(k + 1); e > 0 && validDay(y, m, d) {
			return e, dayOf(ymd(y, m, d))
		}
		return k + 1, period(ymd(y, m, 1), month)
	case t.kind == numTok && g.low(k+1) == "/" && g.tok(k+1).glued && g.tok(k+2).kind == numTok && validDay(2024, t.n, g.tok(k+2).n): // "next 5/12"
		y := g.ref.Year() + n
		if validDay(y, t.n, g.tok(k+2).n) {
			return k + 3, dayOf(ymd(y, t.n, g.tok(k+2).n))
		}
	case g.low(k) == "business" && g.low(k+1) == "day":
		return k + 2, dayOf(g.workingDays(midnight(g.ref), n))
	}
	return 0, meaning{}
}

// unitAlone reads "the weekend", "that week", "end of" forms with no modifier.
func (g *english) unitAlone(i, j int) (int, meaning) {
	if g.oneOf(j, "that", "same") && g.is(j+1, unitName) && g.tok(j+1).word.class&plural == 0 && g.tok(j+1).word.grain > dayGrain && g.tok(j+1).word.grain != season {
		m := period(g.ref, g.tok(j+1).word.grain)
		m.weak, m.open = !g.bare, true
		return j + 2, m
	}
	if j > i && g.low(j) == "same" {
		j++
	}
	if j > i && g.is(j, unitName) && g.tok(j).word.class&plural == 0 {
		switch gr := g.tok(j).word.grain; gr {
		case weekend, year, month, quarter:
			m := period(g.ref, gr)
			m.weak = gr != weekend && !g.bare
			m.open = true
			return j + 1, m
		case week:
			if g.low(j) == "fortnight" {
				m := between(monday(g.ref), monday(g.ref).AddDate(0, 0, 14), dayGrain)
				m.weak = !g.bare
				return j + 1, m
			}
		}
	}
	if j == i && g.bare && g.oneOf(i, "weekend", "wkend") {
		return i + 1, period(g.ref, weekend)
	}
	if g.is(j, seasonName) && g.tok(j).word.class&plural == 0 {
		m := g.seasonBy(g.tok(j).word.code, 0)
		e := j + 1
		k := g.skip(e, "of", "in", ",")
		if f, y := g.yearNumber(k); f > 0 {
			m, e = seasonOf(y, g.tok(j).word.code), f
		} else if g.low(k) == "'" {
			if f, y := g.yearOf(k); f > 0 {
				m, e = seasonOf(y, g.tok(j).word.code), f
			}
		} else if g.is(g.skip(k, "the"), modifier) && g.low(g.skip(k, "the")+1) == "year" {
			k = g.skip(k, "the")
			m, e = seasonOf(g.ref.Year()+g.shiftOf(k), g.tok(j).word.code), k+2
		} else {
			m.weak = !g.bare
		}
		return e, m
	}
	return 0, meaning{}
}

var seasonMonths = map[string]int{"SP": 3, "SU": 6, "FA": 9, "WI": 12}

// seasonOf gives a season by months.
func seasonOf(y int, code string) meaning {
	m := seasonMonths[code]
	return meaning{kind: date, grain: season, a: ymd(y, m, 1), b: ymd(y, m+3, 1), value: timexOf(ymd(y, 1, 1), year) + "-" + code}
}

// seasonBy gives the season n seasons of that name away; the running winter is
// that of the year in which it began.
func (g *english) seasonBy(code string, n int) meaning {
	y, m := g.ref.Year(), int(g.ref.Month())
	first := seasonMonths[code]
	if code == "WI" && m <= 2 {
		y--
	}
	switch {
	case n < 0 && (m < first+3 && code != "WI" || code == "WI"):
		y--
	case n > 0 && (m >= first || code == "WI" && m <= 2):
		y++
	}
	out := seasonOf(y, code)
	out.open = n == 0
	return out
}

// seasonNow gives the season n seasons after the running one, by the sun.
func (g *english) seasonNow(n int) meaning {
	starts := [...]struct {
		m, d int
		code string
	}{{3, 20, "SP"}, {6, 21, "SU"}, {9, 23, "FA"}, {12, 21, "WI"}}
	y, k := g.ref.Year(), 3
	for x := range starts {
		if !g.ref.Before(ymd(y, starts[x].m, starts[x].d)) {
			k = x
		}
	}
	if g.ref.Before(ymd(y, 3, 20)) {
		y--
	}
	k += n
	y, k = y+floorDiv(k, 4), (k%4+4)%4
	s, e := starts[k], starts[(k+1)%4]
	return meaning{kind: date, grain: season, a: ymd(y, s.m, s.d), b: ymd(y+(k+1)/4, e.m, e.d), value: timexOf(ymd(y, 1, 1), year) + "-" + s.code}
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// weekdayBy gives a weekday with last, this or next before it: the latest before
// today, the one of this week, that of the next week, or by nearest the next.
func (g *english) weekdayBy(wd, n int, nearest bool) meaning {
	switch {
	case n < 0:
		return dayOf(g.lastWeekday(wd))
	case n > 0 && nearest:
		return dayOf(g.nextWeekday(wd, false))
	}
	return dayOf(monday(g.ref).AddDate(0, 0, 7*n+wd-1))
}

// workingDays gives the day n working days after d.
func (g *english) workingDays(d time.Time, n int) time.Time {
	sign := 1
	if n < 0 {
		sign, n = -1, -n
	}
	for n = min(n, 2000); n > 0; {
		if d = d.AddDate(0, 0, sign); weekdayOf(d) < 6 {
			n--
		}
	}
	return d
}

// partOfPeriod reads "earlier this month", "later in the year", "late today",
// "mid today".
func (g *english) partOfPeriod(j int) (int, meaning) {
	w := g.low(j)
	k := g.skip(j+1, "in", "on")
	if g.is(k, dayWord) {
		d := midnight(g.ref).AddDate(0, 0, g.shiftOf(k))
		h := map[string][2]int{"mid": {10, 14}, "early": {0, 12}, "late": {12, 24}, "earlier": {0, 12}, "later": {12, 24}}[w]
		m := between(d.Add(time.Duration(h[0])*time.Hour), d.Add(time.Duration(h[1])*time.Hour), hour)
		m.value = timexOf(d, dayGrain)
		return k + 1, m
	}
	var p meaning
	e := 0
	if g.low(k) == "the" && g.is(k+1, unitName) && g.tok(k+1).word.class&plural == 0 {
		p, e = period(g.ref, g.tok(k+1).word.grain), k+2
	} else if g.is(k, modifier) {
		e, p = g.relative(k)
	}
	if !p.ok() || p.kind != date || p.grain < week || p.weekday > 0 {
		return 0, meaning{}
	}
	m := p
	m.value, m.narrow, m.rich = p.text(), true, true
	middle := g.middle(p)
	switch {
	case w == "earlier" || w == "early":
		m.b = middle
		if w == "earlier" && g.ref.Before(m.b) && g.ref.After(m.a) && false {
			m.b = midnight(g.ref)
		}
	case w == "later" || w == "late":
		m.a = middle
		if w == "later" && midnight(g.ref).After(m.a) && g.ref.Before(m.b) {
			m.a = midnight(g.ref)
		}
	default:
		return 0, meaning{}
	}
	return e, m
}

// middle gives where the second part of a period begins.
func (g *english) middle(p meaning) time.Time {
	switch p.grain {
	case week:
		return p.a.AddDate(0, 0, 3)
	case month:
		return p.a.AddDate(0, 0, 15)
	case year:
		return p.a.AddDate(0, 6, 0)
	case decade:
		return p.a.AddDate(5, 0, 0)
	case century:
		return p.a.AddDate(50, 0, 0)
	}
	return p.a.Add(p.b.Sub(p.a) / 2).Truncate(24 * time.Hour)
}

// edgeOf reads "the end of next week", "beginning of 2017", "early March", "mid
// 2019", "EOM", "first half of 2020".
func (g *english) edgeOf(i int) (int, meaning) {
	j := i
	if g.bare {
		j = g.skip(j, "at")
	}
	j = g.skip(j, "the")
	w := g.low(j)
	k := j + 1
	switch w {
	case "eom", "eoy", "bom", "boy", "eod":
		p := period(g.ref, map[byte]grain{'m': month, 'y': year, 'd': dayGrain}[w[2]])
		if !g.bare && !g.tok(j).upper {
			return 0, meaning{}
		}
		return k, edge(p, map[byte]string{'e': "end", 'b': "beginning"}[w[0]], g.bare)
	case "end", "beginning", "start", "middle", "ending", "close", "rest", "remaining", "remainder":
		if g.low(k) == "of" {
			k++
		} else if !g.bare && !g.is(k, modifier) && !(g.low(k) == "the") {
			return 0, meaning{}
		}
	case "early", "late", "mid":
		k = g.skip(k, "-")
		if g.oneOf(k, "week", "month") && (g.bare || g.oneOf(i-1, "the", "by")) {
			return k + 1, edge(period(g.ref, g.tok(k).word.grain), w, g.bare)
		}
		if g.is(k, partName|dayWord) {
			return 0, meaning{}
		}
	case "first", "second", "last":
		if g.low(k) != "half" || g.low(k+1) != "of" {
			return 0, meaning{}
		}
		k += 2
		w += " half"
	default:
		return 0, meaning{}
	}
	if g.oneOf(k, "around") {
		k++
	}
	e, p := 0, meaning{}
	kk := g.skip(k, "the", "my", "our", "this", "current")
	if kk > k && g.low(k) == "this" && g.is(kk, modifier) {
		kk = k
	}
	if g.is(kk, unitName) && g.tok(kk).word.class&plural == 0 && g.tok(kk).word.grain >= dayGrain && g.tok(kk).word.grain != season && (w != "early" && w != "late" && w != "mid") {
		e, p = kk+1, period(g.ref, g.tok(kk).word.grain)
		if g.low(kk) == "day" {
			p = dayOf(g.ref)
		}
	} else {
		for _, rule := range [...]func(*english, int) (int, meaning){(*english).namedDay, (*english).monthDate, (*english).relative, (*english).weekdayAlone, (*english).yearDate, (*english).nthOf} {
			if f, x := rule(g, k); x.ok() && f > e {
				e, p = f, x
			}
		}
	}
	if p.kind != date || p.weak && g.bare && false {
		return 0, meaning{}
	}
	if p.grain == dayGrain {
		if w != "end" {
			return 0, meaning{}
		}
		out := period(p.b.Add(-time.Second), second)
		out.rich = true
		return e, out
	}
	if w == "rest" || w == "remaining" || w == "remainder" {
		if g.ref.Before(p.a) {
			return e, p
		}
		out := p
		out.a, out.rich, out.value = midnight(g.ref), true, p.text()
		return e, out
	}
	out := edge(p, w, g.bare)
	return e, out
}

// edge gives the beginning, middle or end of a period; its value is that of the
// period.
func edge(p meaning, w string, bare bool) meaning {
	m := p
	m.value, m.narrow, m.rich, m.weak = p.text(), true, true, false
	switch w {
	case "first half":
		m.b = p.a.Add(p.b.Sub(p.a) / 2)
		if p.grain == year {
			return period(p.a, half)
		}
		return m
	case "second half", "last half":
		m.a = p.a.Add(p.b.Sub(p.a) / 2)
		if p.grain == year {
			return period(p.a.AddDate(0, 6, 0), half)
		}
		return m
	}
	begin := w == "beginning" || w == "start" || w == "early"
	mid := w == "middle" || w == "mid"
	switch p.grain {
	case week:
		switch {
		case begin:
			m.b = p.a.AddDate(0, 0, 3)
		case mid:
			m.a, m.b = p.a.AddDate(0, 0, 2), p.a.AddDate(0, 0, 4)
		default:
			m.a = p.a.AddDate(0, 0, 4)
		}
	case month:
		switch {
		case begin:
			m.b = p.a.AddDate(0, 0, 10)
		case mid:
			m.a, m.b = p.a.AddDate(0, 0, 10), p.a.AddDate(0, 0, 20)
		default:
			m.a = p.a.AddDate(0, 0, 20)
		}
	case year:
		switch {
		case begin:
			m.b = p.a.AddDate(0, 3, 0)
			if !bare {
				m.b = p.a.AddDate(0, 4, 0)
			}
		case mid:
			m.a, m.b = p.a.AddDate(0, 4, 0), p.a.AddDate(0, 8, 0)
		default:
			m.a = p.a.AddDate(0, 8, 0)
		}
	default:
		third := p.b.Sub(p.a) / 3
		switch {
		case begin:
			m.b = midnight(p.a.Add(third))
		case mid:
			m.a, m.b = midnight(p.a.Add(third)), midnight(p.b.Add(-third))
		default:
			m.a = midnight(p.b.Add(-third))
		}
	}
	return m
}

// nthOf reads "the third Tuesday of September 2014", "last day of May", "first
// week of Jan 2015", "week 3 of 2027", "the week of April 10th", "3rd quarter".
func (g *english) nthOf(i int) (int, meaning) {
	j := g.skip(i, "the")
	if g.oneOf(j, "week", "weekend") && g.oneOf(j+1, "of", "starting", "commencing", "beginning") {
		k := g.skip(j+2, "on", "of")
		k = g.skip(k, "the")
		if !g.enter() {
			return 0, meaning{}
		}
		e, d := g.datePart(k)
		g.leave()
		if d.kind == date && d.grain == dayGrain {
			m := period(d.a, g.tok(j).word.grain)
			m.yearless, m.rich = d.yearless, true
			return e, m
		}
		return 0, meaning{}
	}
	if g.low(j) == "q" && g.tok(j+1).kind == numTok && g.tok(j+1).glued && !(j > 0 && g.tok(j).glued && g.tok(j-1).kind != markTok) {
		return g.quarterOf(j+2, 0, g.tok(j+1).n)
	}
	n, e := 0, j
	if g.is(j, unitName) && g.oneOf(j, "week", "month", "quarter") && g.tok(j+1).kind == numTok { // "week 3 of 2027"
		return g.unitNumber(j)
	}
	if g.low(j) == "last" {
		n, e = -1, j+1
	} else if f, k := g.nth(j); f > 0 {
		n, e = k, f
		if g.low(e) == "last" || g.low(e) == "to" && g.low(e+1) == "last" {
			n, e = -k, g.skip(g.skip(e, "to"), "last")
			if g.low(e-1) != "last" {
				return 0, meaning{}
			}
		}
	} else {
		return 0, meaning{}
	}
	if f, m := g.firstFew(j, n, e); m.ok() {
		return f, m
	}
	t := g.tok(e)
	if t.word.grain == quarter && g.is(e, unitName) && n > 0 {
		return g.quarterOf(e+1, 0, n)
	}
	weekendName := t.low == "week" && (g.low(e+1) == "end" || g.low(e+1) == "-" && g.low(e+2) == "end")
	what := e
	if weekendName {
		e += 1
		e = g.skip(e, "-")
	}
	e++
	// A clock time or part of the day may stand between: "first Monday evening of".
	clockEnd, c := 0, meaning{}
	if g.is(what, weekdayName) && !g.oneOf(e, "of", "in") {
		if clockEnd, c = g.timeSpan(e); c.ok() {
			e = clockEnd
		} else if clockEnd, c = g.timeOfDay(e, true); c.ok() && (c.kind == dayPart || !c.weak) {
			e = clockEnd
		}
	}
	if g.bare && e >= len(g.toks) && g.is(what, weekdayName) && n > 0 { // "the second Monday"
		if m := g.pick(period(g.ref, month), n, what, false); m.ok() {
			m.rich, m.open = true, true
			return e, m
		}
	}
	if !g.oneOf(e, "of", "in") || !(g.is(what, weekdayName) || g.is(what, unitName)) || t.word.class&plural != 0 {
		return 0, meaning{}
	}
	f, p := g.periodAt(e + 1)
	if p.kind != date || p.grain < week && !p.yearless {
		return 0, meaning{}
	}
	m := g.pick(p, n, what, weekendName)
	if !m.ok() {
		return 0, meaning{}
	}
	m.rich, m.yearless = true, p.yearless
	if c.ok() {
		return f, placeSpan(m.a, c)
	}
	return f, m
}

// firstFew reads "first 2 weeks of 2016", "last three days of May".
func (g *english) firstFew(j, n, e int) (int, meaning) {
	if n != 1 && n != -1 || g.tok(j).kind == numTok {
		return 0, meaning{}
	}
	f, v, _, ok := g.number(e)
	k := int(v)
	if !ok || float64(k) != v || k < 2 || k > 400 || !g.is(f, unitName) || !g.oneOf(f+1, "of", "in") {
		return 0, meaning{}
	}
	gr := g.tok(f).word.grain
	h, p := g.periodAt(f + 2)
	if p.kind != date || gr >= p.grain || gr < dayGrain {
		return 0, meaning{}
	}
	a, b := p.a, step(p.a, gr, k).a
	if n < 0 {
		a, b = step(p.b, gr, -k).a, p.b
	}
	m := between(a, b, gr)
	m.yearless = p.yearless
	return h, m
}

// besideOf reads a day or period next to another: "the Sunday before October 25",
// "the week after Easter", "the day after Christmas".
func (g *english) besideOf(i int) (int, meaning) {
	j := g.skip(i, "the")
	t := g.tok(j)
	if t.word.class&plural != 0 || !g.is(j, weekdayName) && !(g.is(j, unitName) && t.word.grain >= dayGrain && (j > i || g.bare) && t.word.grain != season) {
		return 0, meaning{}
	}
	e := j + 1
	if t.low == "week" && g.low(e) == "end" {
		e++
	}
	w := g.low(e)
	if w != "before" && w != "after" && w != "following" && w != "preceding" {
		return 0, meaning{}
	}
	before := w == "before" || w == "preceding"
	if !g.enter() {
		return 0, meaning{}
	}
	f, p := g.point(e + 1)
	g.leave()
	if p.kind != date && !(p.kind == moment && p.grain == dayGrain) || p.weekday > 0 && g.is(j, weekdayName) && !p.rich || f == e+1 {
		return 0, meaning{}
	}
	if g.is(e+1, dayWord) && t.word.grain == dayGrain && j > i && g.shiftOf(e+1) != 0 {
		return 0, meaning{} // "the day after tomorrow" is read by its own rule
	}
	out := meaning{}
	switch {
	case g.is(j, weekdayName) && before:
		d := p.a.AddDate(0, 0, -1)
		out = dayOf(d.AddDate(0, 0, -((weekdayOf(d) - t.word.n + 7) % 7)))
	case g.is(j, weekdayName):
		out = dayOf(p.b.AddDate(0, 0, (t.word.n-weekdayOf(p.b)+7)%7))
	case before:
		out = step(p.a, t.word.grain, -1)
		if t.word.grain == weekend && p.a.AddDate(0, 0, -1).Weekday() == time.Sunday {
			out = period(p.a.AddDate(0, 0, -1), weekend)
		}
	case t.word.grain == dayGrain:
		out = dayOf(p.b)
	case t.word.grain == weekend:
		out = period(p.b.Add(-time.Second), weekend)
		if out.a.Before(p.b) {
			out = step(out.a, weekend, 1)
		}
	default:
		out = step(p.b.Add(-time.Second), t.word.grain, 1)
	}
	out.rich, out.yearless = true, p.yearless
	return f, out
}

// periodAt reads the period after "of": "the month", "next month", "March 2014".
func (g *english) periodAt(k int) (int, meaning) {
	kk := g.skip(k, "the")
	if g.is(kk, unitName) && g.tok(kk).word.class&plural == 0 && g.tok(kk).word.grain >= week {
		return kk + 1, period(g.ref, g.tok(kk).word.grain)
	}
	end, m := 0, meaning{}
	for _, rule := range [...]func(*english, int) (int, meaning){(*english).monthDate, (*english).relative, (*english).yearDate, (*english).numericDate} {
		if e, x := rule(g, k); x.ok() && e > end {
			end, m = e, x
		}
	}
	return end, m
}

// pick gives the n-th (from the end below 0) weekday or unit, that token what
// names, of a period.
func (g *english) pick(p meaning, n, what int, weekendName bool) meaning {
	t := g.tok(what)
	if n == 0 || n > 400 || n < -400 {
		return meaning{}
	}
	gr := t.word.grain
	if weekendName {
		gr = weekend
	}
	if t.word.class&weekdayName != 0 {
		if n > 0 {
			d := p.a.AddDate(0, 0, (t.word.n-weekdayOf(p.a)+7)%7+7*(n-1))
			if !d.Before(p.b) {
				return meaning{}
			}
			return dayOf(d)
		}
		last := p.b.AddDate(0, 0, -1)
		return dayOf(last.AddDate(0, 0, -(weekdayOf(last)-t.word.n+7)%7+7*(n+1)))
	}
	if gr >= p.grain && !(gr == weekend) || gr < dayGrain {
		return meaning{}
	}
	switch gr {
	case week:
		if n > 0 {
			first := monday(p.a)
			if weekdayOf(p.a) > 4 { // ISO: the week belongs to where its Thursday lies
				first = first.AddDate(0, 0, 7)
			}
			return period(first.AddDate(0, 0, 7*(n-1)), week)
		}
		last := monday(p.b.AddDate(0, 0, -1))
		if weekdayOf(p.b.AddDate(0, 0, -1)) < 4 && p.grain == year {
			last = last.AddDate(0, 0, -7)
		}
		return period(last.AddDate(0, 0, 7*(n+1)), week)
	case weekend:
		if n > 0 {
			first := p.a.AddDate(0, 0, (6-weekdayOf(p.a)+7)%7)
			return period(first.AddDate(0, 0, 7*(n-1)), weekend)
		}
		last := p.b.AddDate(0, 0, -1)
		return period(last.AddDate(0, 0, -(weekdayOf(last)-6+7)%7+7*(n+1)), weekend)
	}
	if n > 0 {
		return step(p.a, gr, n-1)
	}
	return step(p.b.AddDate(0, 0, -1), gr, n+1)
}

// unitNumber reads "week 3 of 2027".
func (g *english) unitNumber(j int) (int, meaning) {
	n := g.tok(j + 1).n
	y, e := g.ref.Year(), j+2
	if k := g.skip(e, "of", "in", ","); k > e {
		if f, yy := g.yearNumber(k); f > 0 {
			y, e = yy, f
		} else if !g.bare {
			return 0, meaning{}
		}
	} else if !g.bare {
		return 0, meaning{}
	}
	switch {
	case g.low(j) == "week" && n >= 1 && n <= 53:
		return e, rich(period(isoWeekStart(y, n), week))
	case g.low(j) == "quarter" && n >= 1 && n <= 4:
		return e, rich(period(ymd(y, 3*n-2, 1), quarter))
	}
	return 0, meaning{}
}
