package timex

import "fmt"

// sets reads what comes again: "every Monday", "3pm each day", "twice a week",
// "quarterly", "19th of every month", "Tuesday afternoons".
func (g *english) sets(i int) (int, meaning) {
	g.work++
	if e, m := g.everyX(i); m.ok() {
		return g.withTime(e, m)
	}
	switch g.low(i) {
	case "daily", "everyday":
		m := again("P1D")
		m.weak = !g.bare && g.low(i) == "everyday" && g.tok(i+1).kind == wordTok && i+1 < len(g.toks)
		return g.withTime(i+1, m)
	case "weekly":
		return i + 1, again("P1W")
	case "biweekly", "fortnightly":
		return i + 1, again("P2W")
	case "monthly":
		return i + 1, again("P1M")
	case "quarterly":
		return i + 1, again("P3M")
	case "yearly", "annually", "annual":
		return i + 1, again("P1Y")
	case "hourly":
		return i + 1, again("PT1H")
	case "semiannual", "semiannually", "biannual", "biannually":
		return i + 1, again("P0.5Y")
	case "semi", "half", "bi":
		k := g.skip(i+1, "-")
		switch {
		case g.low(i) != "bi" && g.oneOf(k, "annual", "annually", "yearly"):
			return k + 1, again("P0.5Y")
		case g.low(i) == "bi" && g.low(k) == "weekly":
			return k + 1, again("P2W")
		case g.low(i) == "bi" && g.low(k) == "monthly":
			return k + 1, again("P2M")
		}
	case "once", "twice", "thrice", "one":
		if g.oneOf(i+1, "a", "an", "per", "every", "each") && g.is(i+2, unitName) && g.tok(i+2).word.grain >= hour {
			return i + 3, again(lasting(1, g.tok(i+2).word.grain).value)
		}
	case "per", "any":
		if g.is(i+1, unitName) && g.tok(i+1).word.grain >= dayGrain && g.tok(i+1).word.class&plural == 0 && (g.low(i) == "per" || g.low(i+1) == "weekend") {
			return i + 2, again(lasting(1, g.tok(i+1).word.grain).value)
		}
	}
	// "three times a week"
	if e, n, ok := g.numberEnd(i); ok && n >= 1 && g.low(e) == "times" && g.oneOf(e+1, "a", "an", "per", "every", "each") && g.is(e+2, unitName) {
		return e + 3, again(lasting(1, g.tok(e+2).word.grain).value)
	}
	if g.is(i, weekdayName) {
		t := g.tok(i)
		if t.word.class&plural != 0 {
			m := again(fmt.Sprintf("XXXX-WXX-%d", t.word.n))
			m.weekday = t.word.n
			if g.is(i+1, partName) {
				m.value += "T" + g.tok(i+1).word.code
				return i + 2, m
			}
			return g.withTime(i+1, m)
		}
		if g.is(i+1, partName) && g.tok(i+1).word.class&plural != 0 {
			return i + 2, again(fmt.Sprintf("XXXX-WXX-%dT%s", t.word.n, g.tok(i+1).word.code))
		}
	}
	// "3pm each day", "19th of every month"
	if e, c := g.clockTime(i, false); c.kind == clock && !c.weak && g.oneOf(e, "every", "each", "daily", "on") {
		if f, m := g.everyX(e); m.ok() {
			return f, joinSet(m, c)
		}
		if g.low(e) == "daily" {
			return e + 1, joinSet(again("P1D"), c)
		}
		if g.low(e) == "on" && g.is(e+1, weekdayName) && g.tok(e+1).word.class&plural != 0 {
			m := again(fmt.Sprintf("XXXX-WXX-%d", g.tok(e+1).word.n))
			m.weekday = g.tok(e + 1).word.n
			return e + 2, joinSet(m, c)
		}
	}
	j := g.skip(i, "the")
	if e, n := g.nth(j); e > 0 && n <= 31 {
		k := g.skip(e, "day")
		k = g.skip(k, "of")
		if g.oneOf(k, "every", "each") && g.low(k+1) == "month" {
			return k + 2, again(fmt.Sprintf("XXXX-XX-%02d", n))
		}
	}
	return 0, meaning{}
}

func again(v string) meaning { return meaning{kind: set, value: v} }

// everyX reads what follows "every".
func (g *english) everyX(i int) (int, meaning) {
	if !g.oneOf(i, "every", "each") {
		return 0, meaning{}
	}
	k, n := i+1, 1.0
	if g.tok(k).kind == numTok && g.low(k+1) == "/" && g.tok(k+2).kind == numTok && validDay(2024, g.tok(k).n, g.tok(k+2).n) { // "every 4/15"
		return k + 3, again(fmt.Sprintf("XXXX-%02d-%02d", g.tok(k).n, g.tok(k+2).n))
	}
	if g.low(k) == "year" && g.oneOf(k+1, "on", "in") { // "every year on May 1"
		if e, d := g.monthDate(g.skip(k+2, "the")); d.ok() && d.yearless {
			if d.grain == dayGrain {
				return e, again(fmt.Sprintf("XXXX-%02d-%02d", int(d.a.Month()), d.a.Day()))
			}
			return e, again(fmt.Sprintf("XXXX-%02d", int(d.a.Month())))
		}
	}
	other := g.low(k) == "other"
	if other {
		k, n = k+1, 2
	} else if g.low(k) == "single" {
		k++
	} else if e, q, _, ok := g.number(k); ok && q >= 1 && q < 1000 && !g.oneOf(e, "st", "nd", "rd", "th") {
		k, n = e, q
	} else if e, q := g.nth(k); e > 0 && q > 1 {
		k, n = e, float64(q)
	} else if g.oneOf(k, "few", "couple") {
		return 0, meaning{}
	}
	t := g.tok(k)
	switch {
	case g.is(k, weekdayName):
		m := again(fmt.Sprintf("XXXX-WXX-%d", t.word.n))
		m.weekday = t.word.n
		if g.is(k+1, partName) {
			m.value += "T" + g.tok(k+1).word.code
			return k + 2, m
		}
		return k + 1, m
	case g.low(k) == "weekend" && !g.bare:
		return k + 1, again("XXXX-WXX-WE")
	case g.is(k, partName):
		m := again("T" + t.word.code)
		m.part = t.word.code
		return k + 1, m
	case g.is(k, unitName):
		if t.low == "day" && n == 1 {
			m := again("P1D")
			m.grain = dayGrain
			return k + 1, m
		}
		return k + 1, again(lasting(n, t.word.grain).value)
	case g.is(k, monthName):
		m := again(fmt.Sprintf("XXXX-%02d", t.word.n))
		if e, d := g.dayNumber(k + 1); e > 0 {
			return e, again(fmt.Sprintf("XXXX-%02d-%02d", t.word.n, d))
		}
		return k + 1, m
	case g.is(k, seasonName):
		return k + 1, again("XXXX-" + t.word.code)
	case g.oneOf(k, "weekday", "workday") || g.oneOf(k, "business", "working") && g.low(k+1) == "day":
		if g.low(k+1) == "day" {
			k++
		}
		return k + 1, again("XXXX-WXX-WD")
	}
	return 0, meaning{}
}

// withTime adds the time of day at which a set comes.
func (g *english) withTime(e int, m meaning) (int, meaning) {
	if m.value != "P1D" && m.weekday == 0 && m.part == "" {
		return e, m
	}
	k := g.skip(e, "at", ",")
	if k == e && !g.oneOf(k, "from") && g.tok(k).kind != numTok {
		return e, m
	}
	if f, c := g.timeOfDay(k, false); c.kind == clock && !c.weak {
		return f, joinSet(m, c.towards(m.part))
	}
	return e, m
}

// joinSet writes a set that comes at a time of day.
func joinSet(m, c meaning) meaning {
	v := clockText(c.sec, c.grain)
	if c.grain == hour && c.sec%3600 == 0 {
		v = fmt.Sprintf("T%02d", c.sec/3600)
	}
	switch {
	case m.value == "XXXX-WXX-WD":
		v = m.value + v
	case m.weekday > 0:
		v = fmt.Sprintf("XXXX-WXX-%d", m.weekday) + v
	case m.value == "XXXX-WXX-WE":
		v = m.value + v
	}
	out := again(v)
	out.rich = true
	return out
}
