package timex

import (
	_ "embed"
	"strings"
	"time"
)

// almanac has a line for each year from 1900: the year; the day of its Chinese
// new year, month and day; its lunar months' lengths as letters (b 30, s 29) in
// order; the leap month, 0 for none; the days of its 24 solar terms as two digits
// each; the new moons of Kartik (Diwali) and the full moon of Phalgun (Holi) as
// month and day.
//
//go:embed almanac.txt
var almanac string

const almanacFirst = 1900

// almanacLine gives the fields of a year.
func almanacLine(y int) []string {
	if y < almanacFirst {
		return nil
	}
	rest := almanac
	const width = almanacWidth
	n := (y - almanacFirst) * width
	if n+width > len(rest) {
		return nil
	}
	return strings.Fields(rest[n : n+width])
}

// almanacWidth is the length of a line with its end.
const almanacWidth = 96

func twoDigits(s string) int { return 10*int(s[0]-'0') + int(s[1]-'0') }

// lunarDay gives a day of the Chinese calendar whose year began in y.
func lunarDay(y, m, d int, leap bool) (time.Time, bool) {
	f := almanacLine(y)
	if f == nil || m < 1 || m > 12 || d < 1 || d > 30 {
		return time.Time{}, false
	}
	t := ymd(y, twoDigits(f[1]), twoDigits(f[1][2:]))
	leapMonth := twoDigits(f[3])
	k := m - 1
	if leapMonth > 0 && (m > leapMonth || leap && m == leapMonth) {
		k++
	}
	if leap && leapMonth != m {
		return time.Time{}, false
	}
	for i := range k {
		t = t.AddDate(0, 0, lunarLength(f[2][i]))
	}
	return t.AddDate(0, 0, min(d, lunarLength(f[2][k]))-1), true
}

// lunarMonth gives a month of the Chinese calendar.
func lunarMonth(y, m int, leap bool) meaning {
	a, ok := lunarDay(y, m, 1, leap)
	b, _ := lunarDay(y, m, 30, leap)
	if !ok {
		return meaning{}
	}
	return between(a, b.AddDate(0, 0, 1), dayGrain)
}

func lunarLength(c byte) int {
	if c == 'b' {
		return 30
	}
	return 29
}

// solarTerm gives the day of solar term n (0 is 小寒, 23 冬至) in a year.
func solarTerm(y, n int) (time.Time, bool) {
	f := almanacLine(y)
	if f == nil || n < 0 || n > 23 {
		return time.Time{}, false
	}
	return ymd(y, n/2+1, twoDigits(f[4][2*n:])), true
}

// hinduDay gives a day before or after Diwali ('v') or Holi ('g').
func hinduDay(y int, kind byte, n int) (time.Time, bool) {
	f := almanacLine(y)
	if f == nil {
		return time.Time{}, false
	}
	s := f[5]
	if kind == 'g' {
		s = f[6]
	}
	return ymd(y, twoDigits(s), twoDigits(s[2:])).AddDate(0, 0, n), true
}

// easter gives the Sunday of the Gregorian computus.
func easter(y int) time.Time {
	a, b, c := y%19, y/100, y%100
	h := (19*a + b - b/4 - (b-(b+8)/25+1)/3 + 15) % 30
	l := (32 + 2*(b%4) + 2*(c/4) - h - c%4) % 7
	m := (a + 11*h + 22*l) / 451
	n := h + l - 7*m + 114
	return ymd(y, n/31, n%31+1)
}

// orthodoxEaster gives the Sunday of the Julian computus.
func orthodoxEaster(y int) time.Time {
	d := (19*(y%19) + 15) % 30
	e := (2*(y%4) + 4*(y%7) - d + 34) % 7
	n := d + e + 114
	return ymd(y, n/31, n%31+1).AddDate(0, 0, y/100-y/400-2)
}

// hebrewIn gives a day of the Hebrew calendar (month 1 Nisan to 12 Adar, or Adar
// II of a leap year) in a year of ours. Days of mourning and remembrance that
// would touch a sabbath move as they do.
func hebrewIn(y, m, d int) time.Time {
	hy := y + 3760
	if m >= 7 && m < 10 || m == 9 {
		hy++
	}
	t := hebrewDay(hy, m, d)
	switch {
	case m == 1 && d == 27: // Yom HaShoah
		if weekdayOf(t) == 5 {
			t = t.AddDate(0, 0, -1)
		} else if weekdayOf(t) == 7 {
			t = t.AddDate(0, 0, 1)
		}
	case m == 2 && d == 5: // Yom HaAtzmaut
		switch weekdayOf(t) {
		case 6:
			t = t.AddDate(0, 0, -2)
		case 5:
			t = t.AddDate(0, 0, -1)
		case 1:
			t = t.AddDate(0, 0, 1)
		}
	case m == 5 && d == 9 && weekdayOf(t) == 6:
		t = t.AddDate(0, 0, 1)
	}
	return t
}

// hebrewElapsed gives the days from the epoch to the new year of a Hebrew year.
func hebrewElapsed(y int) int {
	months := (235*y - 234) / 19
	parts := 12084 + 13753*months
	day := 29*months + parts/25920
	if 3*(day+1)%7 < 3 {
		day++
	}
	return day
}

func hebrewNewYear(y int) int {
	a, b, c := hebrewElapsed(y-1), hebrewElapsed(y), hebrewElapsed(y+1)
	delay := 0
	if c-b == 356 {
		delay = 2
	} else if b-a == 382 {
		delay = 1
	}
	return b + delay
}

// hebrewDay gives a day; months before Tishri stand at the end of the year.
func hebrewDay(y, m, d int) time.Time {
	leap := (7*y+1)%19 < 7
	long := hebrewNewYear(y+1) - hebrewNewYear(y)
	lengths := []int{30, 29, 30, 29, 30} // Tishri, Heshvan, Kislev, Tevet, Shevat
	if long%10 == 5 {
		lengths[1] = 30
	}
	if long%10 == 3 {
		lengths[2] = 29
	}
	if leap {
		lengths = append(lengths, 30)
	}
	lengths = append(lengths, 29, 30, 29, 30, 29, 30, 29) // Adar (II), Nisan to Elul
	k := m - 7
	if m < 7 || m == 12 {
		k = len(lengths) - 7 + m%12
	}
	n := hebrewNewYear(y)
	for _, l := range lengths[:k] {
		n += l
	}
	// 1 Tishri 5774 was 5 September 2013.
	return ymd(2013, 9, 5).AddDate(0, 0, n-hebrewNewYear(5774)+d-1)
}

// islamicIn gives a day of the tabular Islamic calendar in a year of ours, the
// first where there are two.
func islamicIn(y, m, d int) (time.Time, bool) {
	for hy := (y - 622) * 33 / 32; hy < (y-622)*33/32+3; hy++ {
		n := 354*(hy-1) + (3+11*hy)/30 + 29*(m-1) + m/2 + d - 1
		// 1 Muharram 1435 of this calendar was 5 November 2013.
		base := 354*1434 + (3+11*1435)/30
		if t := ymd(2013, 11, 5).AddDate(0, 0, n-base); t.Year() == y {
			return t, true
		}
	}
	return time.Time{}, false
}
