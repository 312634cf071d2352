package timex

import "time"

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
