package extract

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// secondsOf gives n seconds.
func secondsOf(n int) time.Duration { return time.Duration(n) * time.Second }

// calendar reads dates: absolute, partial, weekdays alone.
func (g *english) calendar(i int) (int, string) {
	if i >= g.sentTo || i < g.sentFrom {
		return 0, ""
	}
	t := &g.d.tokens[i]
	if t.kind == numToken {
		return g.numeric(i)
	}
	if m := g.month(i); m > 0 {
		return g.monthFirst(i, m)
	}
	if g.is(i, weekdayWord) {
		return g.weekday(i)
	}
	return 0, ""
}

// month gives the number of the month named at i, 0 if none. May, March and the
// short forms are also other words: they have a capital, or a day beside them.
func (g *english) month(i int) int {
	if i < g.sentFrom || i >= g.sentTo {
		return 0
	}
	t := &g.d.tokens[i]
	if t.kind != wordToken {
		return 0
	}
	if m := monthNumber[t.low]; t.upper || t.class&monthWord != 0 && t.low != "may" && t.low != "march" {
		return m
	}
	if _, n, _ := g.dayAt(i + 1); n > 0 && g.low(i+2) != ":" {
		return monthNumber[t.low]
	}
	return 0
}

// intAt gives the plain number at i with at most max digits.
func (g *english) intAt(i, digits int) (int, bool) {
	if i < g.sentFrom || i >= g.sentTo || g.d.tokens[i].kind != numToken || len(g.d.tokens[i].low) > digits {
		return 0, false
	}
	n, err := strconv.Atoi(g.d.tokens[i].low)
	return n, err == nil
}

// dayAt reads a day of the month, "8" or "8th".
func (g *english) dayAt(i int) (j, n int, ordinal bool) {
	n, ok := g.intAt(i, 2)
	if !ok || n < 1 || n > 31 {
		return 0, 0, false
	}
	switch g.low(i + 1) {
	case "st", "nd", "rd", "th":
		if g.glued(i + 1) {
			return i + 2, n, true
		}
	}
	return i + 1, n, false
}

// yearAt reads a year of four digits.
func (g *english) yearAt(i int) (int, bool) {
	n, ok := g.intAt(i, 4)
	return n, ok && n >= 1000 && n <= 2999 && g.isPlainEnd(i+1)
}

// isPlainEnd tells whether no letter or number is glued on at i.
func (g *english) isPlainEnd(i int) bool {
	if i >= g.sentTo || i < g.sentFrom || g.d.tokens[i].space {
		return true
	}
	t := &g.d.tokens[i]
	if t.kind != punctToken {
		return t.kind == hanToken
	}
	switch t.low {
	case "-", "/", ":", "%":
		return i+1 >= g.sentTo || g.d.tokens[i+1].space || g.d.tokens[i+1].kind == punctToken
	}
	return true
}

// monthFirst reads "May 8, 2023", "May 8th", "May 2023", "May" and "November
// last year".
func (g *english) monthFirst(i, m int) (int, string) {
	if g.low(i+1) == "." && len(g.low(i)) <= 4 && !g.d.tokens[i+1].space {
		// "Jan. 5": the point belongs to the month.
		if j, n, _ := g.dayAt(i + 2); j > 0 {
			return g.finishDay(j, m, n)
		}
	}
	if y, ok := g.yearAt(i + 1); ok {
		return i + 2, fmt.Sprintf("%04d-%02d", y, m)
	}
	k := i + 1
	if g.low(k) == "the" {
		k++
	}
	if j, n, _ := g.dayAt(k); j > 0 && g.low(j) != ":" && (k == i+1 || j > k+1) {
		return g.finishDay(j, m, n)
	}
	if g.low(i+1) == "," {
		if y, ok := g.yearAt(i + 2); ok {
			return i + 3, fmt.Sprintf("%04d-%02d", y, m)
		}
	}
	if g.low(i+2) == "year" {
		if n, ok := map[string]int{"last": -1, "this": 0, "next": 1}[g.low(i+1)]; ok {
			return i + 3, fmt.Sprintf("%04d-%02d", g.d.Local.Year()+n, m)
		}
	}
	// A month alone needs a word before it that says so: May, April and June are
	// names, March a verb.
	switch g.low(i - 1) {
	case "in", "of", "since", "until", "till", "by", "early", "late", "mid", "during", "around", "from", "through", "to", "for", "before", "after", "every", "-", "and":
	default:
		return 0, ""
	}
	if g.d.tokens[i].low != "may" && len(g.d.tokens[i].low) < 4 || g.low(i-1) == "and" && !g.is(i-2, monthWord) {
		return 0, ""
	}
	return i + 1, fmt.Sprintf("%04d-%02d", g.yearFor(m, 0), m)
}

// finishDay ends a date of month m and day n whose year may follow at j.
func (g *english) finishDay(j, m, n int) (int, string) {
	k := j
	if g.low(k) == "," {
		k++
	}
	y, ok := g.yearAt(k)
	if ok {
		j = k + 1
	} else {
		y = g.yearFor(m, n)
	}
	if !validDate(y, m, n) {
		return 0, ""
	}
	return j, fmt.Sprintf("%04d-%02d-%02d", y, m, n)
}

// yearFor gives the year of a month, or day of it, that names none: the turn's,
// but the one before where a later date is told as past, the one after where an
// earlier is told as to come.
func (g *english) yearFor(m, dayOf int) int {
	now := g.d.Local
	y, nm, nd := now.Year(), int(now.Month()), now.Day()
	later := m > nm || m == nm && dayOf > nd
	earlier := m < nm || m == nm && dayOf > 0 && dayOf < nd
	switch {
	case later && g.when() == pastTense:
		return y - 1
	case earlier && g.when() == futureTense:
		return y + 1
	}
	return y
}

// numeric reads dates that start with a number.
func (g *english) numeric(i int) (int, string) {
	if y, ok := g.intAt(i, 4); ok && len(g.low(i)) == 4 {
		sep := g.low(i + 1)
		if (sep == "-" || sep == "/" || sep == ".") && g.glued(i+1) && g.glued(i+2) {
			if m, ok := g.intAt(i+2, 2); ok && m >= 1 && m <= 12 {
				if g.low(i+3) == sep && g.glued(i+3) && g.glued(i+4) {
					if n, ok := g.intAt(i+4, 2); ok && validDate(y, m, n) {
						return i + 5, fmt.Sprintf("%04d-%02d-%02d", y, m, n)
					}
				}
				if sep == "-" && len(g.low(i+2)) == 2 && g.isPlainEnd(i+3) && y >= 1900 && y <= 2100 {
					return i + 3, fmt.Sprintf("%04d-%02d", y, m)
				}
			}
			return 0, ""
		}
		return g.yearAlone(i, y)
	}
	if m, ok := g.intAt(i, 2); ok && g.low(i+1) == "/" && g.glued(i+1) && g.glued(i+2) {
		n, ok := g.intAt(i+2, 2)
		if !ok {
			return 0, ""
		}
		if g.low(i+3) == "/" && g.glued(i+3) && g.glued(i+4) {
			if y, ok := g.intAt(i+4, 4); ok && len(g.low(i+4)) == 4 {
				if m > 12 {
					m, n = n, m
				}
				if validDate(y, m, n) {
					return i + 5, fmt.Sprintf("%04d-%02d-%02d", y, m, n)
				}
			}
			return 0, ""
		}
		if p := g.low(i - 1); (p == "on" || p == "by" || p == "since" || p == "until") && validDate(g.yearFor(m, n), m, n) {
			return i + 3, fmt.Sprintf("%04d-%02d-%02d", g.yearFor(m, n), m, n)
		}
		return 0, ""
	}
	j, n, ordinal := g.dayAt(i)
	if j == 0 {
		return 0, ""
	}
	if ordinal && n >= 2 && n <= 30 && (g.low(j) == "century" || g.low(j) == "-" && g.low(j+1) == "century") {
		if g.low(j) == "-" {
			j++
		}
		return j + 1, fmt.Sprintf("%02d", n-1)
	}
	k := j
	if g.low(k) == "of" {
		k++
	}
	if m := g.month(k); m > 0 && (len(g.low(k)) > 3 || g.low(k) == "may" || !ordinal) {
		if g.low(k+1) == "." && g.glued(k+1) && len(g.low(k)) == 3 && g.low(k+2) != "" {
			if y, ok := g.yearAt(k + 2); ok && validDate(y, m, n) {
				return k + 3, fmt.Sprintf("%04d-%02d-%02d", y, m, n)
			}
		}
		return g.finishDay(k+1, m, n)
	}
	if ordinal && g.low(i-1) == "the" && validDate(g.d.Local.Year(), int(g.d.Local.Month()), n) {
		switch g.low(i - 2) {
		case "on", "by", "from", "since", "until", "till", "to":
			if g.low(j) == "" || g.d.tokens[j].kind == punctToken || g.d.tokens[j].class&auxWord != 0 || g.low(j) == "to" || g.low(j) == "at" {
				return j, day(time.Date(g.d.Local.Year(), g.d.Local.Month(), n, 0, 0, 0, 0, time.UTC))
			}
		}
	}
	return 0, ""
}

// yearAlone reads "in 2019", "the 2000s", "1980s".
func (g *english) yearAlone(i, y int) (int, string) {
	if g.low(i+1) == "s" && g.glued(i+1) && y%10 == 0 && y >= 1000 && y <= 2100 {
		return i + 2, year(y)[:3]
	}
	if y < 1900 || y > 2100 || !g.isPlainEnd(i+1) {
		return 0, ""
	}
	if i > g.sentFrom && g.glued(i) && g.low(i-1) != "-" && g.low(i-1) != "(" && g.d.tokens[i-1].kind != hanToken {
		return 0, ""
	}
	switch g.low(i - 1) {
	case "in", "since", "from", "until", "till", "by", "of", "during", "around", "before", "after", "early", "late", "mid", "to", "through", "year", "circa", "back", "-", "–":
	case "and":
		if _, ok := g.intAt(i-2, 4); !ok {
			return 0, ""
		}
	default:
		return 0, ""
	}
	if i+1 < g.sentTo && (g.low(i+1) == "people" || g.low(i+1) == "words") {
		return 0, ""
	}
	return i + 1, year(y)
}

// weekday reads a weekday alone, by the sentence's tense.
func (g *english) weekday(i int) (int, string) {
	t := &g.d.tokens[i]
	if g.low(i-1) == "-" && g.glued(i) {
		return 0, ""
	}
	now, wd := g.d.Local, weekdayNumber[t.low]
	at := weekdayIn(now, wd, 0)
	if g.when() == pastTense {
		if wd >= isoWeekday(now) {
			at = at.AddDate(0, 0, -7)
		}
	} else if wd <= isoWeekday(now) {
		at = at.AddDate(0, 0, 7)
	}
	// "Friday, June 6": the date decides.
	k := i + 1
	if g.low(k) == "," {
		k++
	}
	if m := g.month(k); m > 0 {
		if j, v := g.monthFirst(k, m); len(v) == len("2006-01-02") {
			return j, v
		}
	}
	if g.low(i+1) == "before" && g.low(i+2) == "last" {
		return i + 3, day(weekdayIn(now, wd, -2))
	}
	return i + 1, day(at)
}

// clock reads a time of day: "2pm", "2:30 pm", "14:30", "at noon".
func (g *english) clock(i int) (j, hour, minute int, ok bool) {
	switch g.low(i) {
	case "noon":
		return i + 1, 12, 0, true
	case "midnight":
		return i + 1, 0, 0, true
	}
	h, ok := g.intAt(i, 2)
	if !ok || h > 24 {
		return 0, 0, 0, false
	}
	j = i + 1
	colon := false
	if g.low(j) == ":" && g.glued(j) && g.glued(j+1) {
		m, ok := g.intAt(j+1, 2)
		if !ok || m > 59 || len(g.low(j+1)) != 2 {
			return 0, 0, 0, false
		}
		minute, j, colon = m, j+2, true
		if g.low(j) == ":" && g.glued(j) && g.glued(j+1) {
			if _, ok := g.intAt(j+1, 2); ok {
				j += 2
			}
		}
	}
	half := g.low(j)
	switch half {
	case "am", "pm":
		j++
	case "a", "p":
		if g.low(j+1) == "." && g.low(j+2) == "m" {
			half += "m"
			j += 3
			if g.low(j) == "." {
				j++
			}
			break
		}
		half = ""
	case "o'clock":
		j++
	default:
		half = ""
	}
	if half == "" && !colon || h > 23 || (half == "am" || half == "pm") && (h == 0 || h > 12) {
		return 0, 0, 0, false
	}
	switch {
	case half == "pm" && h < 12:
		h += 12
	case half == "am" && h == 12:
		h = 0
	}
	return j, h, minute, true
}

// clockThenDay reads "6 AM last Tuesday", "3pm tomorrow", "3 pm on Friday".
func (g *english) clockThenDay(i, j, h, m int) (int, string, string) {
	k := j
	if g.low(k) == "on" {
		k++
	}
	if k < g.sentTo && g.d.tokens[k].kind != numToken || k > j {
		e, v, typ := g.fixed(k)
		if v == "" {
			e, v = g.calendar(k)
			typ = typeDate
		}
		if v == "" {
			e, v, typ = g.relative(k)
		}
		if typ == typeDate && len(v) == len("2006-01-02") && !strings.Contains(v, "W") {
			return e, fmt.Sprintf("%sT%02d:%02d", v, h, m), typeTime
		}
	}
	if g.low(i) == "midnight" || g.low(i) == "noon" {
		if g.low(i-1) != "at" {
			return 0, "", ""
		}
	}
	return j, fmt.Sprintf("T%02d:%02d", h, m), typeTime
}

// withClock adds a time of day or a part of the day to a date that ends at j.
func (g *english) withClock(j int, v, typ string) (int, string, string) {
	if typ != typeDate || len(v) != len("2006-01-02") || strings.Contains(v, "W") {
		return j, v, typ
	}
	if g.is(j, daypartWord) || g.low(j) == "noon" {
		return j + 1, v + "T" + partCode(g.low(j)), typeTime
	}
	k := j
	switch g.low(k) {
	case "at", ",", "around":
		k++
		if g.low(k) == "at" || g.low(k) == "around" {
			k++
		}
	}
	if e, h, m, ok := g.clock(k); ok {
		return e, fmt.Sprintf("%sT%02d:%02d", v, h, m), typeTime
	}
	return j, v, typ
}
