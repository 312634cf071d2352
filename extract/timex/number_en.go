package timex

// number reads a cardinal at token i: digits, with a decimal part, or words. It
// gives the token after it; digits tells that it was written with digits.
func (g *english) number(i int) (end int, n float64, digits, ok bool) {
	t := g.tok(i)
	if t.kind == numTok {
		if t.n < 0 {
			return 0, 0, false, false
		}
		n = float64(t.n)
		if g.low(i+1) == "." && g.tok(i+1).glued && g.tok(i+2).kind == numTok && g.tok(i+2).glued && g.tok(i+2).n >= 0 && len(g.low(i+2)) < 7 {
			scale := 1.0
			for range len(g.low(i + 2)) {
				scale *= 10
			}
			return i + 3, n + float64(float64(g.tok(i+2).n)/scale), true, true
		}
		return i + 1, n, true, true
	}
	e, k, found := g.cardinal(i)
	return e, float64(k), false, found
}

// cardinal reads a number in words: "twenty-one", "one hundred and five", "two
// thousand and twenty".
func (g *english) cardinal(i int) (end, n int, ok bool) {
	j := i
	total, here, got := 0, 0, false
	last := 1 << 30 // what may follow must be smaller
	for j < i+8 {
		k := j
		if got && (g.low(k) == "and" || g.low(k) == "-" && g.tok(k).glued) {
			if g.low(k) == "and" && last < 100 {
				break
			}
			k++
		}
		if !g.is(k, cardinal) {
			break
		}
		w := g.tok(k).word.n
		switch {
		case w == 100 && got && here > 0 && here < 10:
			here *= 100
			last = 100
		case w == 1000 && got && here > 0:
			total += here * 1000
			here, last = 0, 1000
		case w >= 100:
			return end, total + here, got
		case w < last && (last >= 100 || last >= 20 && last%10 == 0 && w > 0 && w < 10):
			here += w
			last = max(w, 1)
		default:
			return end, total + here, got
		}
		got = true
		j = k + 1
		end = j
	}
	return end, total + here, got
}

// tens reads a number of two digits in words, 10 to 99.
func (g *english) tens(i int) (end, n int) {
	if !g.is(i, cardinal) {
		return 0, 0
	}
	n = g.tok(i).word.n
	if n < 10 || n > 90 {
		return 0, 0
	}
	j := i + 1
	if n >= 20 {
		k := j
		if g.low(k) == "-" {
			k++
		}
		if g.is(k, cardinal) && g.tok(k).word.n > 0 && g.tok(k).word.n < 10 {
			return k + 1, n + g.tok(k).word.n
		}
	}
	return j, n
}

// nth reads an ordinal: "1st", "twenty-first", "third".
func (g *english) nth(i int) (end, n int) {
	t := g.tok(i)
	if t.kind == numTok {
		if t.n < 1 || t.n > 400 {
			return 0, 0
		}
		switch g.low(i + 1) {
		case "st", "nd", "rd", "th":
			if g.tok(i + 1).glued {
				return i + 2, t.n
			}
		}
		return 0, 0
	}
	if g.is(i, ordinal) {
		return i + 1, t.word.n
	}
	if g.is(i, cardinal) && (t.word.n == 20 || t.word.n == 30) {
		k := i + 1
		if g.low(k) == "-" {
			k++
		}
		if g.is(k, ordinal) && g.tok(k).word.n < 10 {
			return k + 1, t.word.n + g.tok(k).word.n
		}
	}
	return 0, 0
}

// dayNumber reads the day of a month: "8", "8th", "eighth", "twenty nine".
func (g *english) dayNumber(i int) (end, n int) {
	if e, n := g.nth(i); e > 0 && n <= 31 {
		return e, n
	}
	if t := g.tok(i); t.kind == numTok && t.n >= 1 && t.n <= 31 && len(t.low) <= 2 && !g.gluedOn(i+1) {
		return i + 1, t.n
	}
	if e, n, ok := g.cardinal(i); ok && n >= 1 && n <= 31 {
		return e, n
	}
	return 0, 0
}

// gluedOn tells whether token i continues a number before it: ":30", "/5", "pm".
func (g *english) gluedOn(i int) bool {
	t := g.tok(i)
	if !t.glued {
		return false
	}
	switch t.kind {
	case wordTok, numTok:
		return true
	}
	switch t.low {
	case ":", "/", "%", "$":
		return true
	case ".", ",":
		return g.tok(i+1).kind == numTok && g.tok(i+1).glued
	}
	return false
}

// yearNumber reads a year: four digits, or words ("nineteen seventy two", "two
// thousand and twenty", "twenty nineteen").
func (g *english) yearNumber(i int) (end, n int) {
	t := g.tok(i)
	if t.kind == numTok {
		if len(t.low) == 4 && t.n >= 1000 && t.n <= 2999 && !g.gluedOn(i+1) && !(g.low(i+1) == "-" && g.tok(i+1).glued && g.tok(i+2).kind == numTok && g.tok(i+2).glued && len(g.low(i+2)) <= 2) {
			return i + 1, t.n
		}
		return 0, 0
	}
	if e, n, ok := g.cardinal(i); ok && n >= 1000 && n <= 2999 {
		return e, n
	}
	if e, hi := g.tens(i); e > i && hi >= 11 && hi <= 29 {
		if f, lo := g.tens(e); f > 0 {
			return f, 100*hi + lo
		}
	}
	return 0, 0
}

// yearOf reads a year where one can only be: two digits will do ("of 87", "'98").
func (g *english) yearOf(i int) (end, n int) {
	if e, n := g.yearNumber(i); e > 0 {
		return e, n
	}
	if g.low(i) == "'" {
		i++
	}
	if t := g.tok(i); t.kind == numTok && len(t.low) == 2 && !g.gluedOn(i+1) {
		return i + 1, fullYear(t.n)
	}
	return 0, 0
}

// fullYear gives the year of two digits.
func fullYear(n int) int {
	if n < 50 {
		return 2000 + n
	}
	return 1900 + n
}
