package timex

import (
	"slices"
	"strings"
	"time"
)

// rule says when a feast is: how it reads its numbers is named by kind.
type feastRule struct {
	kind byte // f fixed m d; n nth weekday: m n wd; e days from Easter; o from orthodox Easter; l lunar m d; t solar term; h Hebrew m d; i Islamic m d; s special
	a, b int
	c    int
	days int // how many days it lasts, 0 is one
}

// feast is a name and its rule.
type feast struct {
	first string   // first word, without an ending s
	rest  []string // the words after it
	rule  feastRule
}

// feastList gives the English names, as they read without apostrophes and final
// s, each line a rule and its names.
const feastList = `
f 1 1: new year day|new year|new years day|new year s day
f 12 31: new year eve|new years eve
f 2 14: valentine day|valentine|saint valentine day|st valentine day
f 3 8: international women day|women day|womens day
f 3 14: pi day
f 3 17: saint patrick day|st patrick day|st patrick|saint patrick|saint paddy day|st paddy day|patrick day
f 4 1: april fool day|april fool|april fools day|all fool day
f 4 22: earth day
f 4 10: sibling day|national sibling day
f 5 1: may day|labour day|loyalty day|lei day|international worker day|worker day
f 5 4: star war day
f 5 5: cinco de mayo
f 6 14: flag day
f 6 19: juneteenth|juneteenth day
f 7 4: independence day|us independence day
f 7 1: canada day
f 7 14: bastille day
f 10 31: halloween|halloween day|all hallow eve
f 11 1: all saint day
f 11 2: all soul day|day of the dead
f 11 5: guy fawke day|guy fawke night|bonfire night
f 11 11: veteran day|remembrance day|armistice day|singles day
f 12 24: christmas eve|xmas eve|christma eve|xma eve
f 12 25: christmas day|christmas|xmas|xmas day|christma|christma day|xma|xma day
f 12 26: boxing day|saint stephen day
f 2 2: groundhog day
f 1 26: australia day|republic day
f 4 25: anzac day
f 8 15: assumption of mary|assumption
f 1 6: epiphany|three king day
f 10 1: chinese national day
f 6 1: children day|international children day
f 10 24: united nation day
f 12 10: human right day
n 1 3 1: martin luther king day|martin luther king jr day|mlk day|martin luther day|mlk
n 2 3 1: president day|washington birthday|presidents day
n 5 2 7: mother day|mothers day
n 6 3 7: father day|fathers day
n 5 -1 6: armed forces day
n 5 -1 1: memorial day|spring bank holiday
n 9 1 1: labor day
n 8 -1 1: summer bank holiday|late summer bank holiday|august bank holiday
n 10 2 1: columbus day|indigenous people day
n 11 4 4: thanksgiving day|thanksgiving
n 10 3 1: boss day|bosse day
n 3 2 7: daylight saving start day|daylight saving start|daylight savings start
n 11 1 7: daylight saving end day|daylight saving end|daylight savings end
n 4 -1 5: arbor day
n 4 -1 3: administrative professional day|secretarie day|secretary day|admin day
n 9 1 7: grandparent day
b 11 4 4 1: black friday
b 11 4 4 4: cyber monday
e 0: easter sunday|easter|easter day
e 1: easter monday|easter mon
e -1: holy saturday|easter saturday
e -2: good friday
e -3: maundy thursday|holy thursday|covenant thursday
e -7: palm sunday|branch sunday
e -46: ash wednesday
e -47: shrove tuesday|pancake day|mardi gra|fat tuesday|pancake tuesday
e 39: ascension day|ascension thursday|ascension
e 49: pentecost|whit sunday|whitsunday|white sunday
e 50: whit monday|pentecost monday|monday of the holy spirit
e 56: trinity sunday
e 60: corpus christi|feast of corpus christi
e -46 46: lent
o 0: orthodox easter|orthodox easter sunday|greek easter
o 1: orthodox easter monday
o -2: orthodox good friday|orthodox great friday
o -1: orthodox holy saturday|lazarus holy saturday
o -7: orthodox palm sunday
o -8: lazarus saturday
o -48: clean monday|orthodox shrove monday|ash monday|green monday|pure monday
o -48 40: great lent|great fast
o 49: orthodox pentecost
l 1 1: chinese new year|chinese new year day|chinese lunar new year|chinese lunar new year day|lunar new year|spring festival|chinese new years
l 1 15: lantern festival
l 5 5: dragon boat festival
l 8 15: mid autumn festival|moon festival|mid-autumn festival
l 9 9: double ninth festival
t 6: tomb sweeping day|qingming festival|qingming
h 7 1 2: rosh hashanah|rosh hashana|jewish new year|yom teruah|feast of trumpet
h 7 10: yom kippur
h 7 15 7: sukkot|feast of tabernacle|feast of booth
h 7 22: shemini atzeret
h 7 23: simchat torah|simhat torah
h 9 25 8: hanukkah|chanukah|hannukah|feast of dedication
h 11 15: tu bishvat
h 12 14: purim
h 1 15 8: passover|pesach
h 1 27: yom hashoah|yom hashoa|holocaust day|holocaust remembrance day
h 2 5: yom haatzmaut|israeli independence day
h 2 18: lag baomer|lag bomer
h 3 6 2: shavuot|feast of week
h 5 9: tisha bav|tisha b av
i 1 1: islamic new year|hijri new year|amun jadid|muharram
i 1 10: day of ashura|ashura
i 3 12: mawlid|mawlid al nabawi|mawlid al-nabawi|prophet birthday
i 7 27: isra and mi raj|isra and miraj|the prophet ascension|ascension to heaven|night journey
i 9 1 30: ramadan|ramadhan|ramzan|ramadan month
i 9 27: laylat al-qadr|laylat al qadr|laylat al kadr|night of power|night of destiny|night of measure|night of decree
i 10 1: eid al-fitr|eid al fitr|eid ul-fitr|eid
i 12 10: eid al-adha|eid al adha|eid ul-adha|sacrifice feast|festival of sacrifice|bakr id|bakrid
v 0: diwali|deepavali|lakshmi puja
v -1: naraka chaturdashi|choti diwali|chhoti diwali|kali chaudas|roop chaudas
v -2: dhantera|dhanatrayodashi|dhanteras
v 1: govardhan puja|annakut
v 2: bhai dooj|bhaiya dooj|bhai duj
v 6: chhath|chhath puja|dala puja|surya shashthi
v -20: dussehra|vijayadashami|dasara|dasehra
v -11: karva chauth
g 0: holi|phagwah|dhulandi|dhuleti|rangwali holi
g -1: holika dahan|chhoti holi|kamudu pyre
f 1 14: makar sankranti|thai pongal|pongal|maghi|lohri
f 4 27: king day|koningsdag
n 5 2 6: fair trade day
w 5: military spouse day
`

var feastsByWord = parseFeasts(feastList)

// parseFeasts reads a list of rules and names.
func parseFeasts(list string) map[string][]feast {
	out := map[string][]feast{}
	for line := range strings.Lines(strings.TrimSpace(list)) {
		head, names, _ := strings.Cut(strings.TrimSpace(line), ": ")
		r := readRule(strings.Fields(head))
		for name := range strings.SplitSeq(names, "|") {
			w := strings.FieldsFunc(name, func(c rune) bool { return c == ' ' || c == '-' })
			for i := range w {
				w[i] = stem(w[i])
			}
			out[w[0]] = append(out[w[0]], feast{w[0], w[1:], r})
		}
	}
	for _, f := range out {
		slices.SortStableFunc(f, func(a, b feast) int { return len(b.rest) - len(a.rest) })
	}
	return out
}

func readRule(f []string) feastRule {
	var n [4]int
	for i := 1; i < len(f) && i <= 4; i++ {
		sign, v := 1, 0
		for _, c := range f[i] {
			if c == '-' {
				sign = -1
				continue
			}
			v = 10*v + int(c-'0')
		}
		n[i-1] = sign * v
	}
	r := feastRule{kind: f[0][0], a: n[0], b: n[1], c: n[2], days: 1}
	switch r.kind {
	case 'e', 'o':
		r.days = max(n[1], 1)
	case 'h', 'i':
		r.days = max(n[2], 1)
	case 'b':
		r.days = 1
		r.c = n[2]*10 + n[3]
	}
	return r
}

// stem takes the plural ending off a word of a name.
func stem(w string) string {
	if len(w) > 3 {
		return strings.TrimSuffix(w, "s")
	}
	return w
}

// on gives the first day of the feast in a year; ok is false where it has none.
func (r feastRule) on(y int) (t time.Time, ok bool) {
	if y < 1600 || y > 2300 {
		return t, false
	}
	switch r.kind {
	case 'f':
		return ymd(y, r.a, r.b), true
	case 'n':
		return nthWeekday(y, r.a, r.b, r.c), true
	case 'b':
		return nthWeekday(y, r.a, r.b, r.c/10).AddDate(0, 0, r.c%10), true
	case 'e':
		return easter(y).AddDate(0, 0, r.a), true
	case 'o':
		return orthodoxEaster(y).AddDate(0, 0, r.a), true
	case 'w':
		return nthWeekday(y, 5, 2, 7).AddDate(0, 0, -2), true
	case 'l':
		return lunarDay(y, r.a, r.b, false)
	case 't':
		return solarTerm(y, r.a)
	case 'h':
		return hebrewIn(y, r.a, r.b), true
	case 'i':
		return islamicIn(y, r.a, r.b)
	case 'v', 'g':
		return hinduDay(y, r.kind, r.a)
	}
	return t, false
}

// nthWeekday gives the n-th weekday of a month; -1 is the last.
func nthWeekday(y, m, n, wd int) time.Time {
	if n < 0 {
		last := ymd(y, m+1, 0)
		return last.AddDate(0, 0, -((weekdayOf(last)-wd+7)%7)+7*(n+1))
	}
	first := ymd(y, m, 1)
	return first.AddDate(0, 0, (wd-weekdayOf(first)+7)%7+7*(n-1))
}

// in gives the feast in a year.
func (r feastRule) in(y int) meaning {
	t, ok := r.on(y)
	if !ok {
		return meaning{}
	}
	m := dayOf(t)
	if r.days > 1 {
		m = between(t, t.AddDate(0, 0, r.days), dayGrain)
		m.rich = false
	}
	return m
}

// near gives the feast nearest to t: n 0 the next (today counts) for a bare
// expression and the one of the year in running text, -1 the last, 1 the next.
func (r feastRule) near(t time.Time, n int, bare bool) meaning {
	y := t.Year()
	day := midnight(t)
	switch {
	case n < 0:
		for k := y; k >= y-1; k-- {
			if m := r.in(k); m.ok() && m.a.Before(day) {
				return m
			}
		}
	case n > 0 || bare:
		for k := y - 1; k <= y+1; k++ {
			if m := r.in(k); m.ok() && m.b.After(day) && (n == 0 || m.a.After(day)) {
				return m
			}
		}
	}
	return r.in(y)
}

// feastName reads the name of a feast.
func (g *english) feastName(i int) (int, feastRule) {
	low := stem(g.low(i))
	if !g.is(i, feastStart) && feastsByWord[low] == nil {
		return 0, feastRule{}
	}
	for _, f := range feastsByWord[low] {
		j, fits := i+1, true
		for _, w := range f.rest {
			j = g.skip(j, "-", "'")
			if stem(g.low(j)) != w {
				fits = false
				break
			}
			j++
		}
		if fits {
			if g.low(j) == "'" {
				j++
			}
			return j, f.rule
		}
	}
	return 0, feastRule{}
}

// feastDate reads a feast with what places it: "last Easter", "Thanksgiving
// 2017", "labor day of last year", "thanksgiving in a year", "Christmas weekend".
func (g *english) feastDate(i int) (int, meaning) {
	j := g.skip(i, "the")
	n, given := 0, false
	if g.is(j, modifier) {
		n, given = g.shiftOf(j), true
		j++
	}
	around := false
	if g.low(j) == "weekend" && g.low(j+1) == "of" {
		around = true
		j += 2
	}
	e, r := g.feastName(j)
	if e == 0 {
		return 0, meaning{}
	}
	m := r.near(g.ref, n, g.bare)
	if given && n == 0 && g.bare {
		m = r.near(g.ref, 1, true)
	}
	m.yearless = !given
	named := false
	k := g.skip(e, "of", "in", ",")
	k2 := g.skip(k, "the")
	switch f, y := g.yearNumber(k2); {
	case f > 0:
		m, e, named = r.in(y), f, true
	case g.is(k2, modifier) && g.tok(k2+1).word.grain == year && g.is(k2+1, unitName):
		m, e, named = r.in(g.ref.Year()+g.shiftOf(k2)), k2+2, true
	case k > e && g.low(k-1) == "in":
		if f, d := g.length(k); d.ok() && d.months > 0 && !far(d.months, 0) && int(d.months)%12 == 0 {
			m, e, named = r.in(g.ref.Year()+int(d.months)/12), f, true
		}
	default:
		if f, d := g.length(e); d.ok() && d.months > 0 && int(d.months)%12 == 0 && g.low(f) == "ago" && !far(d.months, 0) {
			m, e, named = r.in(g.ref.Year()-int(d.months)/12), f+1, true
		}
	}
	if !m.ok() {
		return 0, meaning{}
	}
	if around || g.low(e) == "weekend" {
		if !around {
			e++
		}
		m = weekendAround(m.a)
	}
	m.weak = !g.bare && !named && !given && !g.oneOf(i-1, "on", "before", "after", "until", "till", "since", "by")
	return e, m
}

// weekendAround gives the days off around a day: the weekend and the day itself
// where it stands at its edge.
func weekendAround(t time.Time) meaning {
	sat := monday(t).AddDate(0, 0, 5)
	if weekdayOf(t) == 1 {
		sat = sat.AddDate(0, 0, -7)
	}
	a, b := sat, sat.AddDate(0, 0, 2)
	switch weekdayOf(t) {
	case 1:
		b = b.AddDate(0, 0, 1)
	case 4, 5:
		a = t
	}
	m := between(a, b, dayGrain)
	m.value = timexOf(sat, weekend)
	return m
}
