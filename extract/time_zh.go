package extract

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// chinese is the Chinese grammar over the bytes of one turn.
type chinese struct{ d *Document }

// zhDays are days relative to today.
var zhDays = []struct {
	word string
	n    int
}{{"大后天", 3}, {"大前天", -3}, {"今天", 0}, {"今日", 0}, {"明天", 1}, {"明日", 1}, {"后天", 2}, {"昨天", -1}, {"昨日", -1}, {"前天", -2}}

// zhNights are a day and a part of it in one word.
var zhNights = []struct {
	word, part string
	n          int
}{{"今晚", "EV", 0}, {"今早", "MO", 0}, {"明晚", "EV", 1}, {"明早", "MO", 1}, {"昨晚", "EV", -1}, {"昨夜", "NI", -1}, {"后晚", "EV", 2}}

// zhParts are the parts of the day.
var zhParts = []struct{ word, part string }{
	{"早上", "MO"}, {"早晨", "MO"}, {"清晨", "MO"}, {"上午", "MO"}, {"凌晨", "NI"}, {"中午", "MI"}, {"下午", "AF"}, {"傍晚", "EV"}, {"晚上", "EV"}, {"夜里", "NI"}, {"深夜", "NI"},
}

// zhRefs are vague references.
var zhRefs = []struct{ word, value string }{
	{"最近", pastRef}, {"近来", pastRef}, {"近期", pastRef}, {"刚才", pastRef}, {"刚刚", pastRef}, {"小时候", pastRef}, {"前几天", pastRef}, {"前段时间", pastRef}, {"前阵子", pastRef},
	{"现在", presentRef}, {"目前", presentRef}, {"如今", presentRef}, {"将来", futureRef}, {"未来", futureRef}, {"过几天", futureRef}, {"过段时间", futureRef},
}

// zhYears are years relative to this one.
var zhYears = []struct {
	word string
	n    int
}{{"今年", 0}, {"明年", 1}, {"后年", 2}, {"去年", -1}, {"前年", -2}}

var zhUnits = []string{"个小时", "个钟头", "个星期", "个礼拜", "个周", "个月", "分钟", "小时", "星期", "礼拜", "秒钟", "天", "周", "年", "日"}

// find adds what the grammar finds to hits.
func (z chinese) find(hits []timeHit) []timeHit {
	text := z.d.Text
	for i := 0; i < len(text); {
		c := text[i]
		if c < 0x80 && !isDigit(c) {
			i++
			continue
		}
		if j, v, typ := z.at(i); v != "" && j > i {
			hits = append(hits, timeHit{start: i, end: j, value: v, typ: typ})
			i = j
			continue
		}
		if c < 0x80 {
			for i < len(text) && isDigit(text[i]) {
				i++
			}
			continue
		}
		_, n := utf8.DecodeRuneInString(text[i:])
		i += n
	}
	return hits
}

func (z chinese) has(i int, s string) bool { return strings.HasPrefix(z.d.Text[i:], s) }

// before tells whether s stands right before i.
func (z chinese) before(i int, s string) bool { return strings.HasSuffix(z.d.Text[:i], s) }

// spaces skips blanks, which people put between digits and units.
func (z chinese) spaces(i int) int {
	for i < len(z.d.Text) && z.d.Text[i] == ' ' {
		i++
	}
	return i
}

// at reads the expression that starts at byte i.
func (z chinese) at(i int) (int, string, string) {
	now := z.d.Local
	r, _ := utf8.DecodeRuneInString(z.d.Text[i:])
	if isDigit(z.d.Text[i]) || strings.ContainsRune("一二两三四五六七八九十百半几零〇数好", r) {
		if j, v := z.absolute(i); v != "" {
			return z.withClock(j, v, typeDate)
		}
		if j, v, typ := z.counted(i); v != "" {
			return j, v, typ
		}
		if j, h, m, ok := z.clock(i, ""); ok && (isDigit(z.d.Text[i]) || !strings.HasSuffix(z.d.Text[:j], "点") || z.before(i, "到") || z.before(i, "在")) {
			return j, fmt.Sprintf("T%02d:%02d", h, m), typeTime
		}
		return 0, "", ""
	}
	for _, w := range zhDays {
		if z.has(i, w.word) {
			if w.n == 0 && z.has(i+len(w.word), "是") { // 今天是周五
				break
			}
			return z.withClock(i+len(w.word), day(now.AddDate(0, 0, w.n)), typeDate)
		}
	}
	if z.has(i, "今天") {
		return i + len("今天"), day(now), typeDate
	}
	for _, w := range zhNights {
		if z.has(i, w.word) {
			d := day(now.AddDate(0, 0, w.n))
			if j, h, m, ok := z.clock(z.spaces(i+len(w.word)), w.part); ok {
				return j, fmt.Sprintf("%sT%02d:%02d", d, h, m), typeTime
			}
			return i + len(w.word), d + "T" + w.part, typeTime
		}
	}
	for _, w := range zhYears {
		if z.has(i, w.word) {
			return z.afterYear(i+len(w.word), now.Year()+w.n)
		}
	}
	for _, w := range zhRefs {
		if z.has(i, w.word) {
			v := w.value
			if (w.word == "未来" || w.word == "将来") && (z.before(i, "和") || z.before(i, "的") || z.before(i, "与")) {
				return 0, "", "" // what is to come, as a thing
			}
			if w.word == "最近" {
				rest := z.d.Text[i+len(w.word):]
				if strings.HasPrefix(rest, "的地铁") || strings.HasPrefix(rest, "距离") {
					return 0, "", ""
				}
				if strings.HasPrefix(rest, "要") || strings.HasPrefix(rest, "打算") || strings.HasPrefix(rest, "准备") {
					v = futureRef
				}
			}
			return i + len(w.word), v, typeDate
		}
	}
	if j, v, typ := z.shift(i); v != "" {
		return z.withClock(j, v, typ)
	}
	if j, v, typ := z.repeated(i); v != "" {
		return j, v, typ
	}
	if j, v := z.weekday(i, 0, true); v != "" {
		return z.withClock(j, v, typeDate)
	}
	if z.has(i, "周末") {
		if strings.Contains(z.clause(i), "平时") || strings.Contains(z.clause(i), "经常") || strings.Contains(z.clause(i), "每") || strings.Contains(z.clause(i), "有时") {
			return i + len("周末"), "XXXX-WXX-WE", typeSet
		}
		return i + len("周末"), isoWeek(now, 0) + "-WE", typeDate
	}
	for _, p := range zhParts {
		if z.has(i, p.word) {
			if j, h, m, ok := z.clock(z.spaces(i+len(p.word)), p.part); ok {
				return j, fmt.Sprintf("T%02d:%02d", h, m), typeTime
			}
			break
		}
	}
	for _, s := range []struct{ word, code string }{{"夏天", "SU"}, {"冬天", "WI"}, {"秋天", "FA"}, {"春天", "SP"}} {
		if z.has(i, s.word) {
			return i + len(s.word), year(now.Year()) + "-" + s.code, typeDate
		}
	}
	return 0, "", ""
}

// clause gives up to 60 bytes on either side of i, for a look at the context.
func (z chinese) clause(i int) string {
	return strings.ToValidUTF8(z.d.Text[max(0, i-60):min(len(z.d.Text), i+60)], "")
}

// afterYear reads what follows a year: a month and day, or a season.
func (z chinese) afterYear(j, y int) (int, string, string) {
	if !goodYear(y) {
		return 0, "", ""
	}
	for _, s := range []struct{ word, code string }{{"夏天", "SU"}, {"冬天", "WI"}, {"秋天", "FA"}, {"春天", "SP"}} {
		if z.has(j, s.word) {
			return j + len(s.word), year(y) + "-" + s.code, typeDate
		}
	}
	if k, v := z.monthDay(z.spaces(j), y); v != "" {
		return z.withClock(k, v, typeDate)
	}
	if z.has(j, "年底") {
		return j + len("年底"), year(y) + "-12", typeDate
	}
	return j, year(y), typeDate
}

// absolute reads 2023年5月8日, 2023年5月, 2019年, 5月8日, 5月.
func (z chinese) absolute(i int) (int, string) {
	n, j, digits := z.number(i)
	if j == 0 {
		return 0, ""
	}
	k := z.spaces(j)
	if digits == 4 && z.has(k, "年") && n >= 1000 && n <= 2999 {
		k += len("年")
		if e, v := z.monthDay(z.spaces(k), n); v != "" {
			return e, v
		}
		if z.has(k, "代") || z.has(k, "前") {
			return 0, ""
		}
		return k, year(n)
	}
	if z.has(k, "年代") && n%10 == 0 && n < 100 {
		return k + len("年代"), year(1900 + n)[:3]
	}
	if n >= 1 && n <= 12 && z.has(k, "月") {
		e, v := z.monthDay(i, 0)
		return e, v
	}
	return 0, ""
}

// monthDay reads 5月8日, 5月8号, 5月 in the year y; 0 is the year of the turn, or
// none for a day that comes every year.
func (z chinese) monthDay(i, y int) (int, string) {
	m, j, _ := z.number(i)
	j2 := z.spaces(j)
	if j == 0 || m < 1 || m > 12 || !z.has(j2, "月") {
		return 0, ""
	}
	j = j2 + len("月")
	// A birthday names no year.
	annual := y == 0 && strings.Contains(z.clause(i), "生日")
	if y == 0 {
		y = z.d.Local.Year()
	}
	if n, k, _ := z.number(z.spaces(j)); k > 0 {
		k = z.spaces(k)
		for _, u := range []string{"日", "号"} {
			if z.has(k, u) && validDate(y, m, n) {
				if annual {
					return k + len(u), fmt.Sprintf("XXXX-%02d-%02d", m, n)
				}
				return k + len(u), fmt.Sprintf("%04d-%02d-%02d", y, m, n)
			}
		}
	}
	if z.has(j, "份") {
		j += len("份")
	}
	if annual {
		return 0, ""
	}
	return j, fmt.Sprintf("%04d-%02d", y, m)
}

// number reads Arabic digits or a Chinese number below a hundred thousand. It
// gives 0 as the end where there is none; digits counts the Arabic ones, or
// the characters of 二〇二三.
func (z chinese) number(i int) (n, end, digits int) {
	text := z.d.Text
	j := i
	for j < len(text) && isDigit(text[j]) && j-i < 8 {
		n = n*10 + int(text[j]-'0')
		j++
	}
	if j > i {
		if i > 0 && isDigit(text[i-1]) || j < len(text) && isDigit(text[j]) {
			return 0, 0, 0
		}
		return n, j, j - i
	}
	total, last, seen, plain, units := 0, 0, 0, 0, false
	for j < len(text) && seen < 8 {
		r, w := utf8.DecodeRuneInString(text[j:])
		if v := strings.IndexRune("零一二三四五六七八九", r); v >= 0 || r == '两' || r == '〇' {
			v /= 3
			if r == '两' {
				v = 2
			} else if r == '〇' {
				v = 0
			}
			plain = plain*10 + v
			last = v
		} else if r == '十' || r == '百' || r == '千' {
			unit := map[rune]int{'十': 10, '百': 100, '千': 1000}[r]
			if last == 0 {
				last = 1
			}
			total += last * unit
			last = 0
			units = true
		} else {
			break
		}
		j += w
		seen++
	}
	if seen == 0 {
		return 0, 0, 0
	}
	if !units {
		if seen > 1 && seen != 4 {
			return 0, 0, 0 // 三五天: about
		}
		return plain, j, seen
	}
	return total + last, j, 0
}

// counted reads durations (三个周, 半个小时, 5 年) and shifts (三天前, 两年后).
func (z chinese) counted(i int) (int, string, string) {
	num, j := "", 0
	switch {
	case z.has(i, "半个月"):
		num, j = "15", i+len("半个月")
		return z.shifted(j, "D", num, -15, "天")
	case z.has(i, "半年"):
		j = i + len("半年")
		return z.shifted(j, "M", "6", -6, "个月")
	case z.has(i, "半个小时"), z.has(i, "半小时"), z.has(i, "半个钟头"):
		j = i + strings.Index(z.d.Text[i:], "半") + len("半")
		if z.has(j, "个") {
			j += len("个")
		}
		return j + len("小时"), "PT30M", typeDuration
	case z.has(i, "几"), z.has(i, "数"), z.has(i, "好几"):
		num = "X"
		for j = i; z.has(j, "好") || z.has(j, "几") || z.has(j, "数"); {
			j += 3
		}
	default:
		n, end, _ := z.number(i)
		if end == 0 || n > 9999 || z.has(i, "0") && end > i+1 && z.has(end, "年") || z.has(i, "零") || z.before(i, "零") || z.has(i, "百") || z.has(i, "千") {
			return 0, "", ""
		}
		num, j = strconv.Itoa(n), end
		if z.has(j, "多") || z.has(j, "几") {
			j += len("多")
		}
	}
	j = z.spaces(j)
	for _, u := range zhUnits {
		if !z.has(j, u) {
			continue
		}
		end := j + len(u)
		if u == "日" || u == "年" && z.has(end, "级") || u == "周" && (z.has(end, "岁") || z.has(end, "年")) || u == "天" && z.has(end, "才") || u == "年" && z.has(end, "龄") {
			return 0, "", ""
		}
		if u == "月" {
			return 0, "", ""
		}
		code, clock := unitCode(u)
		v := "P" + num + code
		if clock {
			v = "PT" + num + code
		}
		if u == "天" && num == "1" && strings.Contains(z.clause(i), "一天") && (z.has(end, "得") || z.has(end, "要") || z.has(end, "充")) {
			return end, "P1D", typeSet
		}
		n, err := strconv.Atoi(num)
		if err != nil {
			n = 0
		}
		e, back, ahead := z.direction(end)
		switch {
		case num == "X" && back:
			return e, pastRef, typeDate
		case num == "X" && ahead:
			return e, futureRef, typeDate
		case back || ahead:
			if back {
				n = -n
			}
			if clock {
				if s := (&english{d: z.d}).clockShift(n, code); s != "" {
					return e, s, typeTime
				}
				return 0, "", ""
			}
			if s := shifted(z.d.Local, n, u); s != "" {
				return e, s, typeDate
			}
			return 0, "", ""
		}
		if num == "1" && (u == "天" || u == "年" || u == "周") && !z.has(end, "了") && !z.before(i, "了") && !z.before(i, "学") {
			return 0, "", ""
		}
		return end, v, typeDuration
	}
	return 0, "", ""
}

// shifted ends a duration that may be a shift: 半年 or 半年前.
func (z chinese) shifted(j int, code, num string, n int, unit string) (int, string, string) {
	e, back, ahead := z.direction(j)
	if ahead {
		n = -n
	}
	if back || ahead {
		return e, shifted(z.d.Local, n, unit), typeDate
	}
	return j, "P" + num + code, typeDuration
}

// direction reads 前 or 后 after a duration; 前面 and 后面 are none.
func (z chinese) direction(j int) (end int, back, ahead bool) {
	if z.has(j, "之") || z.has(j, "以") {
		j += 3
	}
	switch {
	case z.has(j, "前") && !z.has(j, "前面"):
		return j + 3, true, false
	case z.has(j, "后") && !z.has(j, "后面"):
		return j + 3, false, true
	}
	return j, false, false
}

// zhWeekdays are the last characters of the names of weekdays.
const zhWeekdays = "一二三四五六日天"

// weekday reads 周五, 星期天; n weeks on. Bare, a weekday is one of this week.
func (z chinese) weekday(i, n int, bare bool) (int, string) {
	for _, w := range []string{"星期", "礼拜", "周"} {
		if !z.has(i, w) {
			continue
		}
		j := i + len(w)
		r, size := utf8.DecodeRuneInString(z.d.Text[j:])
		k := strings.IndexRune(zhWeekdays, r) / 3
		if size != 3 || !strings.ContainsRune(zhWeekdays, r) || bare && (z.before(i, "每") || z.before(i, "个") || z.before(i, "一") || z.before(i, "两") || isHanDigit(z.d.Text, i)) {
			return 0, ""
		}
		wd := min(k+1, 7)
		if bare && w == "周" && (z.has(j, "一个") || z.has(j, "天")) {
			return 0, ""
		}
		if bare && (strings.Contains(z.clause(i), "星期天的") || wd < isoWeekday(z.d.Local)) {
			// Before today: the one to come, unless it is told as past.
			if !strings.Contains(z.clause(i), "了") && !strings.Contains(z.clause(i), "过") && wd < isoWeekday(z.d.Local) {
				n++
			}
		}
		return j + size, day(weekdayIn(z.d.Local, wd, n))
	}
	return 0, ""
}

// isHanDigit tells whether a Chinese or Arabic digit stands right before i.
func isHanDigit(text string, i int) bool {
	r, _ := utf8.DecodeLastRuneInString(text[:i])
	return strings.ContainsRune("0123456789一二两三四五六七八九十几", r)
}

// shift reads 上/下/这/本 with week, weekday, weekend or month.
func (z chinese) shift(i int) (int, string, string) {
	now := z.d.Local
	n, j := 0, i
	switch {
	case z.has(i, "上上"):
		n, j = -2, i+6
	case z.has(i, "下下"):
		n, j = 2, i+6
	case z.has(i, "上"):
		n, j = -1, i+3
	case z.has(i, "下"):
		n, j = 1, i+3
	case z.has(i, "这"), z.has(i, "本"):
		j = i + 3
	default:
		return 0, "", ""
	}
	if z.has(j, "个") {
		j += 3
	} else if z.has(j, "一") && (z.has(j+3, "周") || z.has(j+3, "年")) {
		j += 3
	}
	for _, w := range []string{"周末"} {
		if z.has(j, w) {
			return j + len(w), isoWeek(now, n) + "-WE", typeDate
		}
	}
	if e, v := z.weekday(j, n, false); v != "" {
		return e, v, typeDate
	}
	for _, w := range []string{"星期", "礼拜", "周"} {
		if z.has(j, w) && !z.has(j+len(w), "围") && !z.has(j+len(w), "边") && !z.has(j+len(w), "年") {
			return j + len(w), isoWeek(now, n), typeDate
		}
	}
	if z.has(j, "月") {
		e := j + len("月")
		if z.has(e, "底") || z.has(e, "初") {
			e += 3
		} else if d, k, _ := z.number(e); k > 0 && (z.has(k, "号") || z.has(k, "日")) {
			m := time.Date(now.Year(), now.Month()+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
			if validDate(m.Year(), int(m.Month()), d) {
				return k + 3, fmt.Sprintf("%04d-%02d-%02d", m.Year(), int(m.Month()), d), typeDate
			}
		}
		return e, month(now, n), typeDate
	}
	return 0, "", ""
}

// repeated reads sets.
func (z chinese) repeated(i int) (int, string, string) {
	if !z.has(i, "每") {
		return 0, "", ""
	}
	j := i + len("每")
	if z.has(j, "个") {
		j += 3
	}
	for _, w := range []string{"星期", "礼拜", "周"} {
		if z.has(j, w) {
			r, size := utf8.DecodeRuneInString(z.d.Text[j+len(w):])
			if k := strings.IndexRune(zhWeekdays, r); k >= 0 && size == 3 {
				return j + len(w) + size, fmt.Sprintf("XXXX-WXX-%d", min(k/3+1, 7)), typeSet
			}
			if r == '末' {
				return j + len(w) + size, "XXXX-WXX-WE", typeSet
			}
			return j + len(w), "P1W", typeSet
		}
	}
	for _, u := range []struct{ word, v string }{{"天", "P1D"}, {"日", "P1D"}, {"月", "P1M"}, {"年", "P1Y"}} {
		if z.has(j, u.word) {
			return j + len(u.word), u.v, typeSet
		}
	}
	return 0, "", ""
}

// clock reads 九点, 7点半, 两点十分, 19:00; part is the part of the day before it.
func (z chinese) clock(i int, part string) (j, h, m int, ok bool) {
	h, j, _ = z.number(i)
	if j == 0 || h > 24 {
		return 0, 0, 0, false
	}
	switch {
	case z.has(j, "点") && !z.has(j, "点多") && !z.has(j, "点儿"):
		j += len("点")
		if z.has(j, "钟") {
			j += len("钟")
		}
		if z.has(j, "半") {
			j, m = j+len("半"), 30
		} else if n, k, _ := z.number(j); k > 0 && n < 60 && z.has(k, "分") {
			j, m = k+len("分"), n
		}
	case z.has(j, ":") || z.has(j, "："):
		n, k, digits := z.number(j + len(z.d.Text[j:j+1]))
		if z.has(j, "：") {
			n, k, digits = z.number(j + len("："))
		}
		if k == 0 || digits != 2 || n > 59 {
			return 0, 0, 0, false
		}
		j, m = k, n
	default:
		return 0, 0, 0, false
	}
	if (part == "AF" || part == "EV" || part == "NI" && h > 6) && h < 12 {
		h += 12
	}
	if part == "MI" && h < 3 {
		h += 12
	}
	return j, h, m, h < 24
}

// withClock adds the part of the day and the time of day that follow a date.
func (z chinese) withClock(j int, v, typ string) (int, string, string) {
	if typ != typeDate || len(v) != len("2006-01-02") || strings.Contains(v, "W") || v[0] == 'X' {
		return j, v, typ
	}
	k := z.spaces(j)
	if z.has(k, "的") {
		k += 3
	}
	for _, p := range zhParts {
		if !z.has(k, p.word) {
			continue
		}
		e := k + len(p.word)
		if f, h, m, ok := z.clock(z.spaces(e), p.part); ok {
			return f, fmt.Sprintf("%sT%02d:%02d", v, h, m), typeTime
		}
		return e, v + "T" + p.part, typeTime
	}
	if f, h, m, ok := z.clock(k, ""); ok {
		return f, fmt.Sprintf("%sT%02d:%02d", v, h, m), typeTime
	}
	return j, v, typ
}
