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
