package timex

// decades are the names of those of the last century.
var decades = map[string]int{"twenties": 1920, "thirties": 1930, "forties": 1940, "fifties": 1950, "sixties": 1960, "seventies": 1970, "eighties": 1980, "nineties": 1990}

// yearDate reads years, decades and centuries.
func (g *english) yearDate(i int) (int, meaning) {
	j := g.skip(i, "the")
	if g.oneOf(j, "calendar") && g.low(j+1) == "year" {
		j++
	}
	if e, m := g.fiscalYear(j); m.ok() {
		return e, m
	}
	named := g.low(j) == "year" || g.low(i-1) == "year"
	if g.low(j) == "year" {
		j++
	}
	if t := g.tok(j); t.kind == numTok && t.n >= 0 && g.low(j+1) == "s" && g.tok(j+1).glued { // 1980s
		switch {
		case len(t.low) == 4 && t.n%10 == 0:
			return j + 2, period(ymd(t.n, 1, 1), decade)
		case len(t.low) == 2 && t.n%10 == 0 && t.n >= 20 && j > i:
			return j + 2, period(ymd(1900+t.n, 1, 1), decade)
		}
	}
	if e, hi := g.tens(j); e > 0 && hi >= 17 && hi <= 20 { // "nineteen eighties"
		if n := decades[g.low(e)]; n > 0 {
			return e + 1, period(ymd(100*hi+n%100, 1, 1), decade)
		}
	}
	if n := decades[g.low(j)]; n > 0 && j > i && !g.is(i-1, 0) && !g.oneOf(i-1, "my", "his", "her") {
		m := period(ymd(n, 1, 1), decade)
		m.open = true
		return j + 1, m
	}
	if e, n := g.nth(j); e > 0 && n > 1 && n <= 30 {
		k := g.skip(e, "-")
		if g.low(k) == "century" {
			return k + 1, period(ymd(100*(n-1), 1, 1).AddDate(0, 0, 0), century)
		}
	}
	e, y := g.yearNumber(j)
	if e == 0 {
		if t := g.tok(j); named && j > i && g.bare && t.kind == numTok && t.n > 0 && len(t.low) == 2 {
			return j + 1, period(ymd(fullYear(t.n), 1, 1), year)
		}
		return 0, meaning{}
	}
	if m := g.monthAt(g.skip(e, "-", "/")); m > 0 && g.tok(i).kind == numTok && j == i { // "2016 January"
		k := g.skip(e, "-", "/")
		if f, d := g.dayNumber(k + 1); f == 0 || d == 0 {
			return k + 1, period(ymd(y, m, 1), month)
		}
	}
	if w := g.tok(e); (g.low(e) == "w" || g.low(e) == "-" && w.glued && g.low(e+1) == "w") && g.tok(i).kind == numTok { // 2019-W05
		k := g.skip(e, "-") + 1
		if n := g.tok(k); n.kind == numTok && n.glued && n.n >= 1 && n.n <= 53 && len(n.low) == 2 {
			return k + 1, period(isoWeekStart(y, n.n), week)
		}
	}
	if g.oneOf(e, "bc", "bce") || g.low(e) == "b" && g.low(e+1) == "." && g.low(e+2) == "c" {
		if g.low(e) == "b" {
			e += 3
		} else {
			e++
		}
		m := period(ymd(y, 1, 1), year)
		m.value = "BC" + timexOf(m.a, year)
		m.kind = vague
		return e, m
	}
	if g.oneOf(e, "ad", "ce") {
		e++
	} else if g.low(e) == "a" && g.low(e+1) == "." && g.low(e+2) == "d" {
		e = g.skip(e+3, ".")
	}
	if g.oneOf(e, "q", "h") && g.tok(e+1).kind == numTok && g.tok(e+1).glued {
		return g.quarterOrHalf(e, y)
	}
	m := period(ymd(y, 1, 1), year)
	before := g.oneOf(i-1, "in", "since", "from", "until", "till", "by", "of", "during", "around", "before", "after", "early", "late", "mid", "to", "through", "circa", "between", "and", "-")
	if !g.bare && g.oneOf(e, "words", "people", "steps", "miles", "points", "dollars", "calories", "times") {
		return 0, meaning{}
	}
	glued := g.tok(i).kind == numTok && i > 0 && g.tok(i).glued
	m.weak = !named && !(before && y >= 1800 && y < 2200) && !g.bare || glued && g.low(i-1) != "-" && g.low(i-1) != "(" || glued && g.low(i-1) == "-" && len(g.low(i-2)) <= 2 && g.tok(i-2).kind == numTok
	return e, m
}

// fiscalYear reads "fiscal year 2008", "FY19", "this school year"; where such a
// year begins is not known.
func (g *english) fiscalYear(j int) (int, meaning) {
	give := func(e int, code string, y int) (int, meaning) {
		return e, meaning{kind: vague, grain: year, value: code + timexOf(ymd(y, 1, 1), year)}
	}
	code := map[string]string{"fiscal": "FY", "financial": "FY", "fy": "FY", "school": "SY", "academic": "SY", "sy": "SY"}
	shift, k := 0, j
	if g.is(k, modifier) {
		shift = g.shiftOf(k)
		k++
	}
	c := code[g.low(k)]
	if c == "" {
		return 0, meaning{}
	}
	if len(g.low(k)) == 2 {
		if e, y := g.yearOf(k + 1); e > 0 {
			return give(e, c, y)
		}
		return 0, meaning{}
	}
	if g.low(k+1) != "year" {
		return 0, meaning{}
	}
	if e, y := g.yearOf(k + 2); e > 0 {
		return give(e, c, y)
	}
	if k > j {
		return give(k+2, c, g.ref.Year()+shift)
	}
	return 0, meaning{}
}

// quarterOrHalf reads "q3", "h1" at token e after a year, or before one where y is
// 0.
func (g *english) quarterOrHalf(e, y int) (int, meaning) {
	n := g.tok(e + 1).n
	if g.low(e) == "q" {
		return g.quarterOf(e+2, y, n)
	}
	if n < 1 || n > 2 || y == 0 {
		return 0, meaning{}
	}
	return e + 2, period(ymd(y, 6*n-5, 1), half)
}

// quarterOf gives quarter n of year y, with the year that may follow at e where y
// is 0.
func (g *english) quarterOf(e, y, n int) (int, meaning) {
	if n < 1 || n > 4 {
		return 0, meaning{}
	}
	yearless := false
	if y == 0 {
		k := g.skip(e, "of", "in", "-", ",", "/")
		f, yy := g.yearNumber(g.skip(k, "the"))
		switch {
		case f > 0:
			e, y = f, yy
		case g.is(g.skip(k, "the"), modifier) && g.low(g.skip(k, "the")+1) == "year":
			k = g.skip(k, "the")
			e, y = k+2, g.ref.Year()+g.shiftOf(k)
		case k > e && g.low(k) == "the" && g.low(k+1) == "year":
			e, y = k+2, g.ref.Year()
		case k > e && g.low(k-1) == "of" && g.oneOf(k, "year"):
			e, y = k+1, g.ref.Year()
		default:
			y, yearless = g.ref.Year(), true
		}
	}
	m := period(ymd(y, 3*n-2, 1), quarter)
	m.yearless = yearless
	return e, m
}
