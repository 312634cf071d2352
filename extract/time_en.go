package extract

import (
	"fmt"
	"strconv"
	"strings"
)

// english is the English grammar over the tokens of one turn.
type english struct {
	d *Document
	// sentence bounds of the token at hand, and its tense, found when needed
	sentFrom, sentTo int
	tense            tense
	tenseKnown       bool
}

// timeStart are the classes of words that can start an expression.
const timeStart = monthWord | weekdayWord | weekdaysWord | unitWord | numberWord | seasonWord | daypartWord

var timeWords = wordSet("today tonight yesterday tomorrow now currently right lately recently soon later these nowadays the back in sometime last this next past previous coming a an half every each per daily weekly monthly yearly annually once twice few several couple weekend weekends weekdays noon midnight at early late mid following other jan feb mar apr jun jul aug sep sept oct nov dec day week-long someday earlier")

// find adds what the grammar finds to hits.
func (g *english) find(hits []timeHit) []timeHit {
	toks := g.d.tokens
	sent := 0
	for i := 0; i < len(toks); {
		t := &toks[i]
		if t.kind != numToken && !(t.kind == wordToken && (t.class&timeStart != 0 || timeWords[t.low])) {
			i++
			continue
		}
		for sent < len(g.d.Sentences) && g.d.Sentences[sent].End <= t.start {
			sent++
		}
		if g.sentTo <= i || g.sentFrom > i {
			g.tenseKnown = false
			g.sentFrom, g.sentTo = i, len(toks)
			if sent < len(g.d.Sentences) {
				g.sentFrom, g.sentTo = g.d.tokenAt(g.d.Sentences[sent].Start), g.d.tokenAt(g.d.Sentences[sent].End)
			}
		}
		j, value, typ := g.at(i)
		if j <= i || value == "" {
			i++
			continue
		}
		start := t.start
		hits = append(hits, timeHit{start: start, end: toks[j-1].end, value: value, typ: typ})
		i = j
	}
	return hits
}

// when gives the tense of the sentence at hand.
func (g *english) when() tense {
	if !g.tenseKnown {
		g.tenseKnown = true
		g.tense = tenseOf(g.d.tokens, g.sentFrom, min(g.sentTo, g.sentFrom+200))
	}
	return g.tense
}

// low gives the word at i, empty outside the sentence.
func (g *english) low(i int) string {
	if i < g.sentFrom || i >= g.sentTo {
		return ""
	}
	return g.d.tokens[i].low
}

func (g *english) is(i int, c class) bool {
	return i >= g.sentFrom && i < g.sentTo && g.d.tokens[i].class&c != 0
}

// glued tells whether token i follows the one before it without space.
func (g *english) glued(i int) bool {
	return i > g.sentFrom && i < g.sentTo && !g.d.tokens[i].space
}

// at reads the expression that starts at i: the token after it, its value and
// type; an empty value where there is none.
func (g *english) at(i int) (int, string, string) {
	if j, v, typ := g.fixed(i); v != "" {
		return g.withClock(j, v, typ)
	}
	if j, h, m, ok := g.clock(i); ok {
		return g.clockThenDay(i, j, h, m)
	}
	if j, v := g.calendar(i); v != "" {
		return g.withClock(j, v, typeDate)
	}
	if j, v, typ := g.relative(i); v != "" {
		return g.withClock(j, v, typ)
	}
	if j, v, typ := g.counted(i); v != "" {
		return j, v, typ
	}
	return 0, "", ""
}

// fixed reads single words and set phrases.
func (g *english) fixed(i int) (int, string, string) {
	now := g.d.Local
	switch g.low(i) {
	case "today":
		if g.low(i+1) == "'s" && g.low(i-1) == "in" {
			return 0, "", ""
		}
		return i + 1, day(now), typeDate
	case "tonight":
		return i + 1, day(now) + "TNI", typeTime
	case "yesterday":
		return i + 1, day(now.AddDate(0, 0, -1)), typeDate
	case "tomorrow":
		return i + 1, day(now.AddDate(0, 0, 1)), typeDate
	case "right":
		if g.low(i+1) == "now" {
			return i + 2, presentRef, typeDate
		}
	case "now":
		if g.low(i+1) == "that" || g.is(i-1, unitWord) || g.low(i-1) == "while" || g.low(i-1) == "by" || g.low(i-1) == "from" || g.low(i-1) == "just" {
			return 0, "", ""
		}
		return i + 1, presentRef, typeDate
	case "currently", "nowadays":
		return i + 1, presentRef, typeDate
	case "lately", "recently":
		return i + 1, pastRef, typeDate
	case "soon":
		if n := g.low(i + 1); n == "as" || n == "enough" || g.low(i-1) == "talk" || g.low(i-1) == "chat" || g.low(i-1) == "you" || g.low(i-1) == "too" {
			return 0, "", ""
		}
		return i + 1, futureRef, typeDate
	case "sometime", "someday":
		return i + 1, futureRef, typeDate
	case "later":
		if n := g.low(i + 1); g.is(i-1, unitWord) || n == "on" || n == "than" || g.low(i-1) == "or" || g.low(i-1) == "you" || g.when() == pastTense {
			return 0, "", ""
		}
		return i + 1, futureRef, typeDate
	case "these":
		if g.low(i+1) == "days" {
			return i + 2, presentRef, typeDate
		}
	case "back":
		if g.low(i+1) == "then" {
			return i + 2, pastRef, typeDate
		}
	case "the":
		return g.afterThe(i)
	case "daily":
		return i + 1, "P1D", typeSet
	case "weekly":
		return i + 1, "P1W", typeSet
	case "monthly":
		return i + 1, "P1M", typeSet
	case "yearly", "annually":
		return i + 1, "P1Y", typeSet
	}
	return 0, "", ""
}

// afterThe reads the phrases that start with "the".
func (g *english) afterThe(i int) (int, string, string) {
	now := g.d.Local
	switch w := g.low(i + 1); w {
	case "day":
		if g.low(i+2) == "before" && g.low(i+3) == "yesterday" {
			return i + 4, day(now.AddDate(0, 0, -2)), typeDate
		}
		if g.low(i+2) == "after" && g.low(i+3) == "tomorrow" {
			return i + 4, day(now.AddDate(0, 0, 2)), typeDate
		}
	case "other":
		if g.low(i+2) == "day" {
			return i + 3, pastRef, typeDate
		}
	case "past", "future":
		if g.low(i-1) == "in" && !g.is(i+2, unitWord|numberWord) && !(i+2 < g.sentTo && g.d.tokens[i+2].kind == numToken) && g.low(i+2) != "few" {
			return i + 2, map[string]string{"past": pastRef, "future": futureRef}[w], typeDate
		}
		if j, v, typ := g.relative(i + 1); typ == typeDuration {
			return j, v, typ
		}
	case "end", "start", "beginning":
		if g.low(i+2) != "of" {
			return 0, "", ""
		}
		if g.low(i+3) == "the" && g.is(i+4, unitWord) {
			switch u := g.low(i + 4); {
			case u == "year" && w == "end":
				return i + 5, year(now.Year()) + "-12", typeDate
			case u == "year":
				return i + 5, year(now.Year()) + "-01", typeDate
			case u == "month" || u == "week":
				return i + 5, shifted(now, 0, u), typeDate
			}
			return 0, "", ""
		}
		if j, v, typ := g.relative(i + 3); typ == typeDate && v != "" {
			return j, v, typ
		}
	case "last", "next", "following":
		if w == "last" {
			if j, v, typ := g.relative(i + 1); typ == typeDuration {
				return j, v, typ
			}
		}
	case "weekend":
		return i + 2, g.weekend(0, true), typeDate
	case "weekends":
		return i + 2, "XXXX-WXX-WE", typeSet
	}
	// "the summer", "the 2000s", "the 27th of April".
	if g.is(i+1, seasonWord) && g.low(i+1) != "spring" && g.low(i+1) != "fall" {
		y := now.Year()
		if code := seasonCode(g.low(i + 1)); g.when() == pastTense && seasonMonth[code] > int(now.Month()) {
			y--
		}
		return i + 2, year(y) + "-" + seasonCode(g.low(i+1)), typeDate
	}
	if j, v := g.calendar(i + 1); v != "" && i+1 < g.sentTo && g.d.tokens[i+1].kind == numToken {
		return j, v, typeDate
	}
	return 0, "", ""
}

// weekend gives the weekend n weeks on; a bare "the weekend" told as past is the
// last one.
func (g *english) weekend(n int, bare bool) string {
	if bare && isoWeekday(g.d.Local) < 6 && (g.when() == pastTense || g.when() == noTense && isoWeekday(g.d.Local) < 3) {
		n = -1
	}
	return isoWeek(g.d.Local, n) + "-WE"
}

func seasonCode(w string) string {
	return map[string]string{"spring": "SP", "summer": "SU", "autumn": "FA", "fall": "FA", "winter": "WI"}[w]
}

func partCode(w string) string {
	return map[string]string{"morning": "MO", "noon": "MI", "afternoon": "AF", "evening": "EV", "night": "NI"}[w]
}

// relative reads last/this/next + unit, weekday, month, season or part of day,
// and "past four months".
func (g *english) relative(i int) (int, string, string) {
	now := g.d.Local
	n := 0
	switch g.low(i) {
	case "last", "previous":
		n = -1
	case "past":
		if g.low(i-1) != "this" && g.low(i-1) != "the" {
			return 0, "", ""
		}
		n = -1
	case "this":
		if g.low(i+1) == "past" || g.low(i+1) == "coming" {
			m := -1
			if g.low(i+1) == "coming" {
				m = 1
			}
			if j, v := g.near(i+2, m, true); v != "" {
				return j, v, typeDate
			}
		}
	case "next", "coming", "following":
		n = 1
	case "weekend":
		if g.low(i-1) == "on" || g.low(i-1) == "over" {
			return i + 1, g.weekend(0, true), typeDate
		}
		return 0, "", ""
	case "weekends":
		return i + 1, "XXXX-WXX-WE", typeSet
	case "weekdays":
		return i + 1, "XXXX-WXX-WD", typeSet
	default:
		return 0, "", ""
	}
	w := g.low(i + 1)
	switch w {
	case "few", "couple", "several":
		k := i + 2
		if g.low(k) == "of" {
			k++
		}
		if n != 0 && g.is(k, unitWord) && g.low(k) != "weekend" {
			return k + 1, duration("X", g.low(k)), typeDuration
		}
		return 0, "", ""
	}
	if j, num, ok := g.number(i + 1); ok && n != 0 && g.is(j, unitWord) {
		return j + 1, duration(num, g.low(j)), typeDuration
	}
	if g.is(i+1, daypartWord) {
		switch {
		case w == "night" && n == -1:
			return i + 2, day(now.AddDate(0, 0, -1)) + "TNI", typeTime
		case n == 0:
			return i + 2, day(now) + "T" + partCode(w), typeTime
		}
		return 0, "", ""
	}
	if j, v := g.near(i+1, n, false); v != "" {
		return j, v, typeDate
	}
	return 0, "", ""
}

// near reads a unit, weekday, month or season that n shifts: -1 the last, 0
// this, 1 the next. By nearest, a weekday is the nearest one on that side.
func (g *english) near(i, n int, nearest bool) (int, string) {
	now := g.d.Local
	w := g.low(i)
	switch {
	case w == "weekend":
		return i + 1, g.weekend(n, false)
	case g.is(i, unitWord) && !strings.HasSuffix(w, "s"):
		return i + 1, shifted(now, n, w)
	case g.is(i, weekdayWord):
		wd := weekdayNumber[w]
		t := weekdayIn(now, wd, n)
		switch {
		case n < 0: // the latest one before today
			if t = weekdayIn(now, wd, 0); wd >= isoWeekday(now) {
				t = t.AddDate(0, 0, -7)
			}
		case n > 0 && nearest:
			if t = weekdayIn(now, wd, 0); wd <= isoWeekday(now) {
				t = t.AddDate(0, 0, 7)
			}
		}
		return i + 1, day(t)
	case g.is(i, seasonWord):
		code := seasonCode(w)
		y, m := now.Year(), int(now.Month())
		first := seasonMonth[code]
		switch {
		case n < 0 && m < first+3 || n < 0 && code == "WI":
			y--
		case n > 0 && m >= first:
			y++
		}
		return i + 1, year(y) + "-" + code
	case g.is(i, monthWord):
		y, m := now.Year(), monthNumber[w]
		switch {
		case n < 0 && m >= int(now.Month()):
			y--
		case n > 0 && m <= int(now.Month()):
			y++
		}
		return i + 1, fmt.Sprintf("%04d-%02d", y, m)
	}
	return 0, ""
}

// number reads a cardinal; num is how it stands in a value.
func (g *english) number(i int) (j int, num string, ok bool) {
	if i < g.sentFrom || i >= g.sentTo {
		return 0, "", false
	}
	t := &g.d.tokens[i]
	if t.kind == numToken && len(t.low) <= 6 && !strings.Contains(t.low, ",") {
		if s := strings.TrimLeft(t.low, "0"); s != "" && s[0] != '.' {
			return i + 1, s, true
		}
		return i + 1, t.low, true
	}
	if n, found := numberWords[t.low]; found && t.class&numberWord != 0 {
		if n >= 20 && g.low(i+1) == "-" {
			if u := numberWords[g.low(i+2)]; u > 0 && u < 10 {
				return i + 3, strconv.Itoa(n + u), true
			}
		}
		return i + 1, strconv.Itoa(n), true
	}
	return 0, "", false
}

// counted reads durations ("7-8 hours", "4-year", "an hour"), shifts ("three
// weeks ago", "in ten days") and sets ("every other week", "twice a week").
func (g *english) counted(i int) (int, string, string) {
	if j, v, typ := g.repeated(i); v != "" {
		return j, v, typ
	}
	if g.is(i, unitWord) && g.low(i+1) == "-" && g.glued(i+1) && g.low(i+2) == "long" {
		return i + 3, duration("1", g.low(i)), typeDuration
	}
	k, from := i, g.low(i) == "in"
	if from {
		k++
	}
	num, numEnd, high := "", 0, ""
	switch w := g.low(k); w {
	case "a", "an":
		if n := g.low(k + 1); n == "few" || n == "couple" {
			num, numEnd = "X", k+2
			if g.low(numEnd) == "of" {
				numEnd++
			}
		} else {
			num, numEnd = "1", k+1
		}
	case "few", "several":
		num, numEnd = "X", k+1
	case "half":
		if g.low(k+1) == "an" && g.low(k+2) == "hour" {
			return k + 3, "PT30M", typeDuration
		}
		if (g.low(k+1) == "a" || g.low(k+1) == "the") && g.low(k+2) == "year" {
			return k + 3, "P6M", typeDuration
		}
	default:
		if j, n, ok := g.number(k); ok {
			num, numEnd = n, j
			if sep := g.low(j); sep == "-" || sep == "–" || sep == "to" {
				if e, n2, ok := g.number(j + 1); ok && (g.is(e, unitWord) || g.low(e) == "-" && g.is(e+1, unitWord)) {
					numEnd, high = e, n2
				}
			}
		}
	}
	if num == "" {
		return 0, "", ""
	}
	if g.low(numEnd) == "-" && g.glued(numEnd) && g.glued(numEnd+1) {
		numEnd++
	}
	unit := g.low(numEnd)
	if !g.is(numEnd, unitWord) || unitAmbiguous(unit, num) {
		return 0, "", ""
	}
	end := numEnd + 1
	v := duration(num, unit)
	if high != "" {
		v += "/" + duration(high, unit)
	} else if e, more := g.andMore(end, unit); more != "" {
		end = e
		v += more
	}
	n, err := strconv.Atoi(num)
	back, ahead := false, from
	switch g.low(end) {
	case "ago":
		back, end = true, end+1
	case "later", "hence":
		ahead, end = true, end+1
	case "from":
		if g.low(end+1) == "now" || g.low(end+1) == "today" {
			ahead, end = true, end+2
		}
	}
	switch {
	case back && num == "X":
		return end, pastRef, typeDate
	case ahead && num == "X" && !from:
		return end, futureRef, typeDate
	case (back || ahead) && err == nil && high == "":
		if back {
			n = -n
		}
		if code, clock := unitCode(unit); clock {
			return end, g.clockShift(n, code), typeTime
		}
		if from && !back && g.when() == pastTense && !g.due() { // "built it in ten days"
			return 0, "", ""
		}
		if code, _ := unitCode(unit); code == "M" && g.low(i-1) == "exactly" && n > -1200 && n < 1200 {
			return end, day(g.d.Local.AddDate(0, n, 0)), typeDate
		}
		if s := shifted(g.d.Local, n, unit); s != "" {
			return end, s, typeDate
		}
		return 0, "", ""
	}
	if from {
		return 0, "", ""
	}
	if num == "1" && (g.low(k) == "a" || g.low(k) == "an") && unit != "hour" {
		switch g.low(i - 1) { // "a day" alone is often no duration
		case "for", "about", "over", "almost", "nearly", "took", "spent", "within", "around":
		default:
			return 0, "", ""
		}
	}
	if unit == "weekend" || unit == "weekends" {
		return 0, "", ""
	}
	return end, v, typeDuration
}

// due tells whether the sentence has a word for what is to come.
func (g *english) due() bool {
	for i := g.sentFrom; i < min(g.sentTo, g.sentFrom+100); i++ {
		if w := g.d.tokens[i].low; w == "due" || w == "will" || w == "'ll" || w == "scheduled" {
			return true
		}
	}
	return false
}

// unitAmbiguous tells whether the word is no unit after this number: "one
// second" is a wait, "a second" an ordinal.
func unitAmbiguous(unit, num string) bool {
	return (unit == "second" || unit == "minute" || unit == "min") && num == "1"
}

// andMore reads "and 3 months" after "4 years".
func (g *english) andMore(i int, unit string) (int, string) {
	if g.low(i) != "and" {
		return 0, ""
	}
	j, n, ok := g.number(i + 1)
	if !ok || !g.is(j, unitWord) {
		return 0, ""
	}
	a, aClock := unitCode(unit)
	b, bClock := unitCode(g.low(j))
	order := "YMWDHMS"
	if aClock != bClock || a == b || strings.LastIndex(order, a) >= strings.LastIndex(order, b) && !(a == "Y" && b == "M") {
		return 0, ""
	}
	return j + 1, n + b
}

// clockShift gives the minute n hours, minutes or seconds from now.
func (g *english) clockShift(n int, code string) string {
	if n > 1e6 || n < -1e6 {
		return ""
	}
	sec := map[string]int{"H": 3600, "M": 60, "S": 1}[code]
	t := g.d.Local.Add(secondsOf(n * sec))
	if !goodYear(t.Year()) {
		return ""
	}
	return t.Format("2006-01-02T15:04")
}

// repeated reads sets.
func (g *english) repeated(i int) (int, string, string) {
	switch w := g.low(i); w {
	case "every", "each":
		k, n := i+1, "1"
		if g.low(k) == "other" {
			k, n = k+1, "2"
		} else if j, num, ok := g.number(k); ok {
			k, n = j, num
		}
		switch {
		case g.is(k, weekdayWord):
			return k + 1, fmt.Sprintf("XXXX-WXX-%d", weekdayNumber[g.low(k)]), typeSet
		case g.low(k) == "weekend":
			return k + 1, "XXXX-WXX-WE", typeSet
		case g.is(k, daypartWord):
			return k + 1, "XXXX-XX-XXT" + partCode(g.low(k)), typeSet
		case g.is(k, unitWord):
			return k + 1, duration(n, g.low(k)), typeSet
		}
	case "per":
		if g.low(i+1) == "night" {
			return i + 2, "P1D", typeSet
		}
		if g.is(i+1, unitWord) {
			return i + 2, duration("1", g.low(i+1)), typeSet
		}
	case "once", "twice":
		if (g.low(i+1) == "a" || g.low(i+1) == "an" || g.low(i+1) == "every") && g.is(i+2, unitWord) {
			return i + 3, duration("1", g.low(i+2)), typeSet
		}
	}
	if j, _, ok := g.number(i); ok && g.low(j) == "times" && (g.low(j+1) == "a" || g.low(j+1) == "per") && g.is(j+2, unitWord) {
		return j + 3, duration("1", g.low(j+2)), typeSet
	}
	if g.is(i, weekdaysWord) {
		return i + 1, fmt.Sprintf("XXXX-WXX-%d", weekdayNumber[strings.TrimSuffix(g.low(i), "s")]), typeSet
	}
	return 0, "", ""
}
