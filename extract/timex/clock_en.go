package timex

// timeOfDay reads a clock time or a part of the day. After another part of the
// expression (joined) a bare number will do.
func (g *english) timeOfDay(i int, joined bool) (int, meaning) {
	g.work++
	if e, m := g.clockTime(i, joined); m.ok() {
		return e, m
	}
	j := i
	if g.low(j) == "in" {
		j = g.skip(j+1, "the")
	} else if g.low(j) == "the" {
		j++
	}
	late := g.oneOf(j, "late", "early", "mid")
	if late {
		j = g.skip(j+1, "-")
		if g.low(j) == "in" {
			j = g.skip(j+1, "the")
		}
	} else if g.low(j) == "later" || g.low(j) == "earlier" {
		if g.low(j+1) != "in" || g.low(j+2) != "the" {
			return 0, meaning{}
		}
		j += 3
		late = true
	}
	if t := g.tok(j); g.is(j, partName) && (g.bare || t.word.code[0] != 'M' || len(t.word.code) == 2 || len(t.low) > 9 && !joined) {
		m := meaning{kind: dayPart, part: t.word.code, grain: hour, weak: !joined && !g.bare && j == i}
		if !joined && !g.bare && (t.word.class&plural != 0 || g.low(i) == "the") {
			m.weak = true
		}
		e := j + 1
		if g.low(e) == "ish" {
			e++
		}
		return e, m
	}
	return 0, meaning{}
}

// clockTime reads "3pm", "15:30", "half past seven", "ten thirty", "at 5".
func (g *english) clockTime(i int, joined bool) (int, meaning) {
	g.work++
	lead := i
	for g.oneOf(lead, "at", "around", "about", "approximately", "@", "for") && lead < i+2 {
		lead++
	}
	if lead > i && !g.bare && !joined && i == g.now { // the word before the time is no part of it
		return 0, meaning{}
	}
	led := lead > i || joined || i == g.now && g.oneOf(i-1, "at", "around", "about", "approximately", "@") || g.low(i+1) == "in" && g.low(i+2) == "the" && g.is(i+3, partName)
	switch g.low(lead) {
	case "noon", "midday", "noonish":
		return lead + 1, meaning{kind: clock, sec: 12 * 3600, grain: hour, weak: !led && !g.bare}
	case "twelve", "12":
		if g.oneOf(lead+1, "noon", "midnight") {
			e, m := g.clockTime(lead+1, true)
			return e, m
		}
	case "mid":
		if k := g.skip(lead+1, "-"); g.low(k) == "day" || g.low(k) == "night" {
			return k + 1, meaning{kind: clock, sec: map[string]int{"day": 12 * 3600}[g.low(k)], grain: hour, weak: !g.bare}
		}
	case "midnight":
		return lead + 1, meaning{kind: clock, grain: hour, weak: !led && !g.bare}
	}
	if e, m := g.pastHour(lead); m.ok() {
		return e, m
	}
	return g.hourFirst(lead, led)
}

// pastHour reads "half past seven", "a quarter to 3pm", "twenty after three", "15
// minutes past noon".
func (g *english) pastHour(i int) (int, meaning) {
	j, minutes := i, 0
	k := g.skip(j, "a", "an")
	switch {
	case g.low(k) == "half":
		j, minutes = k+1, 30
	case g.low(k) == "quarter":
		j, minutes = k+1, 15
	default:
		e, n, _, ok := g.number(i)
		if !ok || n != float64(int(n)) || n < 1 || n > 59 {
			return 0, meaning{}
		}
		j, minutes = e, int(n)
		j = g.skip(j, "minutes", "mins", "min", "minute")
	}
	sign := 1
	switch g.low(j) {
	case "past", "after":
	case "from":
		if !g.bare {
			return 0, meaning{}
		}
	case "to", "till", "before", "of":
		sign = -1
		if j == i+1 && minutes <= 12 && (g.tok(i).kind == numTok || g.oneOf(i-1, "from", "between")) { // "5 to 6" is a range
			return 0, meaning{}
		}
		if g.low(j) != "to" && g.low(j) != "till" && !g.bare && (g.low(j) != "before" || !g.oneOf(j-1, "minutes", "mins", "quarter")) {
			return 0, meaning{}
		}
	default:
		return 0, meaning{}
	}
	e, h := g.hourFirst(j+1, true)
	if g.oneOf(j+1, "noon", "midnight") {
		e, h = g.clockTime(j+1, true)
	}
	if h.kind != clock || h.grain != hour {
		return 0, meaning{}
	}
	h.sec = (h.sec + sign*60*minutes + 86400) % 86400
	h.grain, h.weak = minute, false
	return e, h
}

// hourFirst reads a time of day that starts with its hour.
func (g *english) hourFirst(i int, led bool) (int, meaning) {
	t := g.tok(i)
	if t.kind == numTok && i > 0 && t.glued && (g.low(i-1) == "." || g.low(i-1) == "$" || g.low(i-1) == "/" && !g.tok(i-1).upper) {
		return 0, meaning{}
	}
	m := meaning{kind: clock, grain: hour}
	h, j, strong := 0, i+1, false
	switch {
	case t.kind == numTok && t.n >= 0 && len(t.low) <= 2 && t.n <= 24:
		h = t.n
		if t.low[0] == '0' && len(t.low) == 2 || h > 12 {
			strong = led
		}
		j, strong = g.minutes(i+1, h, &m)
	case t.kind == numTok && len(t.low) == 4 && lead4(g, i, led):
		return 0, meaning{}
	case t.kind == numTok && (len(t.low) == 4 || len(t.low) == 3) && t.n%100 < 60 && t.n/100 < 24 && (led || g.bare && i == 0 || g.halfDay(i+1)):
		// "1030", "730" next to a word that asks for a time
		if e, _ := g.meridiem(i + 1); e == 0 && (len(t.low) == 3 || t.low[0] != '0' && !g.bare) && !g.oneOf(i+1, "ish", "hours", "hrs") && !(g.bare && led) {
			return 0, meaning{}
		}
		if g.gluedOn(i+1) && !g.oneOf(i+1, "am", "pm", "a", "p", "hours", "hrs", "ish") || g.is(i+1, unitName) {
			return 0, meaning{}
		}
		if g.low(i+1) == "-" && g.tok(i+1).glued && g.tok(i+2).glued && len(g.low(i+2)) != len(t.low) {
			return 0, meaning{}
		}
		h, m.sec, m.grain, strong = t.n/100, t.n%100*60, minute, true
	case g.is(i, cardinal) && t.word.n >= 1 && t.word.n <= 12:
		h = t.word.n
		k := i + 1
		if g.low(k) == "-" && g.tok(k).glued {
			k++
		}
		if e, n := g.tens(k); e > 0 && n < 60 && !g.is(e, unitName) || e > 0 && n < 60 && g.oneOf(e, "minutes") {
			j, strong = e, true
			j = g.skip(j, "minutes")
			m.sec, m.grain = 60*n, minute
		} else if g.oneOf(k, "oh", "o") && g.is(k+1, cardinal) && g.tok(k+1).word.n < 10 {
			j, strong = k+2, true
			m.sec, m.grain = 60*g.tok(k+1).word.n, minute
		}
	default:
		return 0, meaning{}
	}
	m.half = h >= 1 && h <= 12 && (t.kind != numTok || t.low[0] != '0')
	if e := g.oclock(j); e > 0 {
		j, strong = e, true
	}
	if e, pm := g.meridiem(j); e > 0 && h <= 12 {
		j, strong, m.half = e, true, false
		if h == 12 {
			h = 0
		}
		if pm {
			h += 12
		}
		j = g.skip(j, "approximately")
	} else if g.low(j) == "ish" {
		j++
		strong = true
		if e, pm := g.meridiem(j); e > 0 && h <= 12 {
			j, m.half = e, false
			if pm && h < 12 {
				h += 12
			}
		}
	}
	if e := g.oclock(j); e > 0 {
		j = e
	}
	if !strong && (!led || g.is(j, unitName) || g.gluedOn(j) || h > 24 || g.is(j, monthName) || g.oneOf(j, "%", "$", "of", "th", "st", "nd", "rd", "people", "times", "years")) {
		return 0, meaning{}
	}
	m.sec += h * 3600
	if m.sec > 86400 {
		return 0, meaning{}
	}
	m.weak = !strong
	return j, m
}

// halfDay tells whether am or pm stands at token i.
func (g *english) halfDay(i int) bool {
	e, _ := g.meridiem(i)
	return e > 0
}

// lead4 tells whether four digits are rather a year: alone, between 1900 and 2099.
func lead4(g *english, i int, led bool) bool {
	n := g.tok(i).n
	return !led && n >= 1900 && n < 2100
}

// minutes reads what follows an hour in digits: ":30", ":30:15", "h30", ".30 pm".
func (g *english) minutes(j, h int, m *meaning) (end int, strong bool) {
	sep := g.low(j)
	if !g.tok(j).glued {
		if sep == "h" || sep == "hrs" {
			return j, false
		}
		// "3 30" is none; "two thirty" is read with its words.
		return j, false
	}
	mt := g.tok(j + 1)
	two := mt.kind == numTok && mt.glued && len(mt.low) == 2 && mt.n < 60
	switch sep {
	case ":":
		if !two {
			return j, false
		}
		m.sec, m.grain = 60*mt.n, minute
		j += 2
		if st := g.tok(j + 1); g.low(j) == ":" && g.tok(j).glued && st.kind == numTok && st.glued && len(st.low) == 2 && st.n < 60 {
			m.sec, m.grain = m.sec+st.n, second
			j += 2
			if g.low(j) == "." && g.tok(j).glued && g.tok(j+1).kind == numTok && g.tok(j+1).glued {
				j += 2
			}
		}
		return j, true
	case "h":
		if two {
			m.sec, m.grain = 60*mt.n, minute
			return j + 2, true
		}
		return j + 1, g.bare
	case ".":
		if e, _ := g.meridiem(j + 2); two && (e > 0 || g.oneOf(g.now, "at") || g.oneOf(j-2, "at", "from", "between", "around")) {
			m.sec, m.grain = 60*mt.n, minute
			return j + 2, true
		}
	}
	return j, false
}

// meridiem reads am and pm in their forms; pm tells which it was.
func (g *english) meridiem(j int) (end int, pm bool) {
	switch g.low(j) {
	case "am", "pm":
		e := j + 1
		if g.low(e) == "pm" || g.low(e) == "am" {
			return 0, false
		}
		return e, g.low(j) == "pm"
	case "ampm":
		return 0, false
	case "a", "p":
		pm = g.low(j) == "p"
		if g.low(j+1) == "." && g.low(j+2) == "m" {
			return g.skip(j+3, "."), pm
		}
		if g.low(j+1) == "m" {
			return j + 2, pm
		}
		if g.tok(j).glued && j > 0 && g.tok(j-1).kind == numTok && (g.low(j-2) == ":" || g.bare && (pm || g.low(j-2) == "at")) && !g.gluedOn(j+1) {
			return g.skip(j+1, "."), pm
		}
	}
	return 0, false
}

// oclock reads "o'clock" in its forms.
func (g *english) oclock(j int) int {
	switch {
	case g.low(j) == "oclock" || g.low(j) == "ampm":
		return j + 1
	case g.low(j) == "o" && (g.low(j+1) == "clock"):
		return j + 2
	}
	return 0
}
