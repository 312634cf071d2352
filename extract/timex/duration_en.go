package timex

import "time"

// quantity reads how many: a number, "a", "half a", "a couple of", "2 and a
// half", "3/4", "one and three quarter". vague tells that it is not exact.
func (g *english) quantity(i int) (end int, n float64, vague bool) {
	switch g.low(i) {
	case "a", "an":
		switch g.low(i + 1) {
		case "couple":
			return g.skip(i+2, "of"), 2, true
		case "pair":
			return g.skip(i+2, "of"), 2, true
		case "few":
			return g.skip(i+2, "of", "more"), 3, true
		case "half":
			return i + 2, 0.5, false
		case "quarter":
			if g.low(i+2) == "of" || g.is(i+2, unitName) {
				return g.skip(g.skip(i+2, "of"), "an", "a"), 0.25, false
			}
		}
		return i + 1, 1, false
	case "couple":
		return g.skip(i+1, "of"), 2, true
	case "few", "several":
		return i + 1, 3, true
	case "half":
		return g.skip(i+1, "a", "an", "of"), 0.5, false
	case "quarter":
		if g.low(i+1) == "of" {
			return g.skip(i+2, "an", "a"), 0.25, false
		}
	}
	e, n, digits, ok := g.number(i)
	if !ok {
		return 0, 0, false
	}
	if digits && g.low(e) == "/" && g.tok(e).glued && g.tok(e+1).kind == numTok && g.tok(e+1).n > 0 && g.tok(e+1).n <= 8 && n < float64(g.tok(e+1).n) { // 3/4
		return g.skip(g.skip(e+2, "of"), "an", "a"), n / float64(g.tok(e+1).n), false
	}
	k := e
	if g.low(k) == "and" {
		k = g.skip(k+1, "a", "an")
		parts, f := 1.0, k
		if g.is(f, cardinal) && g.oneOf(f+1, "quarter", "quarters") {
			parts, f = float64(g.tok(f).word.n), f+1
		}
		switch g.low(f) {
		case "half":
			return g.skip(f+1, "of", "a", "an"), n + 0.5, false
		case "quarter", "quarters":
			return g.skip(f+1, "of"), n + float64(parts*0.25), false
		}
	}
	return g.skip(e, "more", "additional", "extra", "less", "fewer", "whole", "full", "long", "entire"), n, false
}

// unitAt reads a unit of time; short forms need a number right before them.
func (g *english) unitAt(i int) (end int, gr grain, ok bool) {
	t := g.tok(i)
	if t.word.class&unitName != 0 {
		if t.low == "week" && g.low(i+1) == "-" && g.low(i+2) == "end" {
			return i + 3, weekend, true
		}
		if t.poss {
			return i + 1, t.word.grain, true
		}
		return i + 1, t.word.grain, true
	}
	if g.tok(i-1).kind != numTok {
		return 0, noGrain, false
	}
	if !t.glued && !g.bare {
		return 0, noGrain, false
	}
	switch t.low {
	case "h":
		return i + 1, hour, g.bare || t.glued && !g.gluedOn(i+1)
	case "m", "'":
		return i + 1, minute, g.bare
	case "s", "\"":
		return i + 1, second, g.bare
	case "\\":
		if g.low(i+1) == "\"" && g.bare {
			return i + 2, second, true
		}
	case "d", "w", "y":
		return i + 1, map[string]grain{"d": dayGrain, "w": week, "y": year}[t.low], g.bare && len(g.toks) == 2
	}
	return 0, noGrain, false
}

// length reads a duration: "3 hours 30 minutes", "a year and a half".
func (g *english) length(i int) (int, meaning) {
	g.work++
	e, n, loose := g.quantity(i)
	if e == 0 || n > 1e7 {
		return 0, meaning{}
	}
	k := e
	if g.low(k) == "-" && g.tok(k).glued && g.tok(k+1).glued {
		k++
	}
	business := g.oneOf(k, "business", "working", "work")
	if business {
		k++
	}
	f, gr, ok := g.unitAt(k)
	if !ok || n == 0.5 && gr == weekend {
		return 0, meaning{}
	}
	if g.low(k) == "second" && n != 1 || g.low(k) == "seconds" && false {
		return 0, meaning{}
	}
	m := lasting(n, gr)
	if g.tok(k).word.grain == week && (g.low(k) == "fortnight" || g.low(k) == "fortnights") {
		m = lasting(float64(14*n), dayGrain)
	}
	if loose {
		m.open = true
	}
	if n == 0.5 {
		switch gr {
		case hour:
			m = lasting(30, minute)
		case year:
			m = lasting(6, month)
			m.value = "P0.5Y"
		case dayGrain:
			m = lasting(12, hour)
		}
	}
	one := g.oneOf(i, "a", "an") && n == 1
	m.weak = !g.bare && (one && gr != hour && !g.oneOf(i-1, "for", "about", "over", "almost", "nearly", "took", "spent", "within", "around") || gr <= minute && n == 1 || g.tok(k).poss && one)
	if business && gr == dayGrain {
		m.value = "P" + amount(n) + "BD"
		return f, m
	}
	// "a year and a half", "1 hour and 30 minutes", "1 hour thirty"
	for range 4 {
		a := g.skip(f, "and", ",")
		if g.low(f) == "," && g.low(a) == "and" {
			a++
		}
		if h := g.skip(a, "a", "an"); a > f && g.low(h) == "half" && !g.is(h+1, unitName) {
			x := lasting(n+0.5, gr)
			x.rich = true
			return h + 1, x
		}
		if e, n2, _ := g.quantity(a); e > 0 {
			if f2, gr2, ok := g.unitAt(e); ok && gr2 < gr && n2 == float64(int(n2)) {
				if x := g.tok(f2); g.low(f2) == "ago" || x.low != "ago" {
					m = m.plus(lasting(n2, gr2))
					f, gr = f2, gr2
					continue
				}
			}
			if gr == hour && n == float64(int(n)) && n2 < 60 && n2 == float64(int(n2)) && g.bare && e >= len(g.toks) {
				return e, m.plus(lasting(n2, minute))
			}
			if gr == minute && g.bare && e >= len(g.toks) && n2 < 60 && n2 == float64(int(n2)) {
				return e, m.plus(lasting(n2, second))
			}
		}
		break
	}
	return f, m
}

// lasts reads a duration that is one.
func (g *english) lasts(i int) (int, meaning) {
	j := i
	if g.bare {
		j = g.skip(j, "for")
	}
	if g.oneOf(j, "all", "whole") && g.is(j+1, unitName) && g.tok(j+1).word.grain >= dayGrain && g.tok(j+1).word.class&plural == 0 {
		m := lasting(1, g.tok(j+1).word.grain)
		m.weak = !g.bare
		return j + 2, m
	}
	if g.low(j) == "the" && g.low(j+1) == "hour" {
		m := lasting(1, hour)
		m.weak = !g.bare
		return j + 2, m
	}
	e, m := g.length(j)
	if !m.ok() {
		return 0, meaning{}
	}
	// "7-8 hours" and "5 to 7 days" are read from their second number; a number
	// before tells.
	if g.oneOf(e, "old", "-") && (g.low(e+1) == "old" || g.low(e) == "old") {
		m.weak = true
	}
	return e, m
}

// shifted reads a time that lies a duration away: "three weeks ago", "in an
// hour", "two days after Christmas", "last two months", "3 fridays from now".
func (g *english) shifted(i int) (int, meaning) {
	g.work++
	if e, m := g.rolling(i); m.ok() {
		return e, m
	}
	j := i
	in := g.oneOf(j, "in", "within")
	within := g.low(j) == "within"
	if within && !g.bare && g.low(i+1) != "the" && g.low(i+2) != "h" { // how long it lasts stands by itself
		return 0, meaning{}
	}
	if in {
		j++
		j = g.skip(j, "about", "around", "approximately", "exactly")
		if within {
			j = g.skip(j, "the", "next")
			j = g.skip(j, "next", "coming")
		}
	}
	if e, m := g.countedDays(j); m.ok() && !in {
		return e, m
	}
	e, d := g.length(j)
	if within && g.is(j, unitName) { // "within the next day and 5 hours"
		d = lasting(1, g.tok(j).word.grain)
		e = j + 1
		if g.low(e) == "and" {
			if f, x := g.length(e + 1); x.ok() {
				d, e = d.plus(x), f
			}
		}
	}
	if !d.ok() {
		if t := g.tok(j); in && !within && g.bare && t.kind == numTok && j+1 == len(g.toks) && t.n > 0 && t.n < 60 { // "in 15"
			return j + 1, g.moved(g.ref, lasting(float64(t.n), minute), 1, true)
		}
		return 0, meaning{}
	}
	if far(d.months, d.secs) {
		return 0, meaning{}
	}
	sign, anchor, anchored := 0, g.ref, false
	var x meaning
	switch g.low(e) {
	case "ago", "back":
		if g.low(e) == "back" && !g.bare {
			break
		}
		sign, e = -1, e+1
		if g.low(e) == "today" && d.grain >= week { // "two years ago today"
			return e + 1, rich(dayOf(shift(g.ref, d.months, d.secs, -1)))
		}
	case "hence", "later":
		sign, e = 1, e+1
	case "from", "after", "since", "before", "prior":
		w := g.low(e)
		k := e + 1
		if w == "prior" {
			k = g.skip(k, "to")
		}
		f, p := g.anchor(k)
		if p.kind == clock && !p.weak && !in && d.secs > 0 && d.secs < 86400 && d.months == 0 && p.secs == 0 { // "an hour before noon"
			move := int(d.secs)
			if w == "before" || w == "prior" {
				move = -move
			}
			p.sec, p.grain, p.rich = ((p.sec+move)%86400+86400)%86400, min(p.grain, minute), true
			return f, p
		}
		if !p.onCalendar() {
			break
		}
		x, anchor, anchored = p, p.a, true
		sign, e = 1, f
		if w == "before" || w == "prior" {
			sign = -1
		}
		if p.value == "PRESENT_REF" {
			anchored = false
		}
	}
	if in && sign == 0 {
		sign = 1
		if g.low(e) == "time" || g.low(e) == "'" && g.low(e+1) == "time" {
			e = g.skip(g.skip(e, "'"), "time")
		}
	}
	if sign == 0 {
		return 0, meaning{}
	}
	if within {
		b := shift(g.ref, d.months, d.secs, 1)
		m := between(g.ref, b, min(d.grain, minute))
		m.rich = g.bare
		return e, m
	}
	m := meaning{}
	if !anchored {
		m = g.moved(anchor, d, sign, true)
		m.rich = d.rich
	} else {
		m = g.moved(anchor, d, sign, false)
		if x.kind == date && d.grain >= dayGrain || x.kind == moment && x.grain == dayGrain {
			m = dayOf(m.a)
		}
		m.rich, m.yearless = true, x.yearless
	}
	if d.value[len(d.value)-1] == 'D' && len(d.value) > 2 && d.value[len(d.value)-2] == 'B' {
		m = dayOf(g.workingDays(midnight(anchor), sign*int(d.secs/86400)))
		m.rich = true
	}
	if m.a.Year() < 1 || m.a.Year() > 9990 {
		return 0, meaning{}
	}
	m.open = d.open
	m.weak = d.open && !g.bare
	if g.low(e) == "on" && g.is(e+1, weekdayName) && d.grain == week { // "3 weeks after Christmas on Friday"
		return e + 2, rich(dayOf(monday(m.a).AddDate(0, 0, g.tok(e+1).word.n-1)))
	}
	return e, m
}

// anchor reads what a shift is counted from.
func (g *english) anchor(k int) (int, meaning) {
	if !g.enter() {
		return 0, meaning{}
	}
	defer g.leave()
	if g.low(k) == "now" {
		return k + 1, g.present()
	}
	return g.point(k)
}

// moved gives the time a duration away from another, at a finer grain than that
// of the duration: a year to the month, a month or week to the day, a day to the
// hour, as long as the text is bare; in running text a day stays a day.
func (g *english) moved(t time.Time, d meaning, sign int, fromNow bool) meaning {
	u := shift(t, d.months, d.secs, sign)
	gr := dayGrain
	switch d.grain {
	case second, minute:
		gr = second
	case hour:
		gr = minute
	case dayGrain:
		if g.bare && fromNow {
			gr = hour
		}
	case year, decade:
		if g.bare && fromNow {
			gr = month
		}
	}
	return period(u, gr)
}

// rolling reads "last two months", "the past year and a half", "next 3 days", "5
// upcoming years".
func (g *english) rolling(i int) (int, meaning) {
	j := i
	if g.bare {
		j = g.skip(i, "in", "over", "during", "for", "within")
	}
	j = g.skip(j, "the")
	sign, k := 0, j
	var e int
	var d meaning
	upcoming := false
	if g.is(j, modifier) && g.shiftOf(j) != 0 {
		sign = g.shiftOf(j)
		upcoming = g.low(j) == "upcoming"
		k = j + 1
		if !g.is(k, cardinal) && g.tok(k).kind != numTok && !g.oneOf(k, "few", "couple", "several", "a", "half") {
			return 0, meaning{}
		}
		e, d = g.length(k)
	} else if n, _, ok := g.numberEnd(j); ok && g.is(n, modifier) && g.shiftOf(n) != 0 && g.is(n+1, unitName) {
		_, v, _, _ := g.number(j)
		sign, upcoming = g.shiftOf(n), g.low(n) == "upcoming"
		e, d = n+2, lasting(v, g.tok(n+1).word.grain)
	}
	if !d.ok() || far(d.months, d.secs) || d.secs > 0 && d.secs < 1 {
		return 0, meaning{}
	}
	m := g.roll(d, sign, upcoming)
	if d.value[len(d.value)-2:] == "BD" {
		day := midnight(g.ref)
		n := int(d.secs / 86400)
		if sign > 0 {
			m = between(g.workingDays(day, 1), g.workingDays(day, n+1), dayGrain)
		} else {
			m = between(g.workingDays(day, -n), day, dayGrain)
		}
		return e, m
	}
	return e, m
}

// numberEnd is number without its value as a count: the token after it.
func (g *english) numberEnd(i int) (end int, n float64, ok bool) {
	e, n, _, ok := g.number(i)
	return e, n, ok
}

// roll gives the interval of a duration that ends or begins now. In a bare text
// it is one of whole units, as a calendar has them.
func (g *english) roll(d meaning, sign int, upcoming bool) meaning {
	gr := d.grain
	var units float64
	if d.months > 0 {
		m, _ := length(1, gr)
		units = d.months / m
	} else {
		_, s := length(1, gr)
		units = d.secs / s
	}
	n := int(units)
	whole := float64(n) == units && n > 0
	if g.bare && whole || gr == quarter || gr == weekend {
		if upcoming && g.bare {
			return step(g.ref, gr, n)
		}
		var a, b time.Time
		if sign < 0 {
			a, b = step(g.ref, gr, -n).a, period(g.ref, gr).a
		} else {
			a, b = step(g.ref, gr, 1).a, step(g.ref, gr, n).b
		}
		m := between(a, b, gr)
		m.rich = false
		return m
	}
	a, b := shift(g.ref, d.months, d.secs, -1), g.ref
	if gr >= dayGrain {
		a, b = midnight(a), midnight(b)
	}
	if sign > 0 {
		a, b = g.ref, shift(g.ref, d.months, d.secs, 1)
		if gr >= dayGrain {
			a, b = midnight(a).AddDate(0, 0, 1), midnight(b).AddDate(0, 0, 1)
		}
	}
	m := d
	m.a, m.b = a, b
	return m
}

// countedDays reads "3 fridays from now", "two Mondays ago".
func (g *english) countedDays(i int) (int, meaning) {
	e, n, _ := g.quantity(i)
	if e == 0 || n != float64(int(n)) || n > 500 || !g.is(e, weekdayName) {
		return 0, meaning{}
	}
	wd := g.tok(e).word.n
	switch {
	case g.low(e+1) == "ago":
		return e + 2, dayOf(g.lastWeekday(wd).AddDate(0, 0, -7*(int(n)-1)))
	case g.low(e+1) == "from" && g.oneOf(e+2, "now", "today"):
		return e + 3, dayOf(g.nextWeekday(wd, false).AddDate(0, 0, 7*int(n)))
	case g.low(e+1) == "hence":
		return e + 2, dayOf(g.nextWeekday(wd, false).AddDate(0, 0, 7*int(n)))
	}
	return 0, meaning{}
}
