package timex

// zhDay is a word for a day or a part of one relative to today.
type zhDay struct {
	n    int
	part string
}

// zhDayWords are the days that are told from today; the longest stand first.
var zhDayWords = []struct {
	word string
	zhDay
}{
	{"大大后天", zhDay{4, ""}}, {"大大前天", zhDay{-4, ""}}, {"大后天", zhDay{3, ""}}, {"大前天", zhDay{-3, ""}}, {"大后日", zhDay{3, ""}}, {"大前日", zhDay{-3, ""}},
	{"今天", zhDay{0, ""}}, {"今日", zhDay{0, ""}}, {"今儿", zhDay{0, ""}}, {"明天", zhDay{1, ""}}, {"明日", zhDay{1, ""}}, {"明儿", zhDay{1, ""}}, {"听日", zhDay{1, ""}}, {"后天", zhDay{2, ""}}, {"后日", zhDay{2, ""}},
	{"昨天", zhDay{-1, ""}}, {"昨日", zhDay{-1, ""}}, {"昨儿", zhDay{-1, ""}}, {"寻日", zhDay{-1, ""}}, {"琴日", zhDay{-1, ""}}, {"前天", zhDay{-2, ""}}, {"前日", zhDay{-2, ""}},
	{"次日", zhDay{1, ""}}, {"翌日", zhDay{1, ""}}, {"当天", zhDay{0, ""}}, {"当日", zhDay{0, ""}}, {"本日", zhDay{0, ""}}, {"同日", zhDay{0, ""}}, {"即日", zhDay{0, ""}},
	{"今晚", zhDay{0, "EV"}}, {"今早", zhDay{0, "MO"}}, {"今晨", zhDay{0, "MO"}}, {"今夜", zhDay{0, "NI"}}, {"当晚", zhDay{0, "EV"}}, {"明晚", zhDay{1, "EV"}}, {"明早", zhDay{1, "MO"}}, {"明晨", zhDay{1, "MO"}},
	{"昨晚", zhDay{-1, "EV"}}, {"昨夜", zhDay{-1, "NI"}}, {"昨早", zhDay{-1, "MO"}}, {"昨晨", zhDay{-1, "MO"}}, {"前晚", zhDay{-2, "EV"}}, {"后晚", zhDay{2, "EV"}}, {"听晚", zhDay{1, "EV"}}, {"听朝", zhDay{1, "MO"}},
}

// datePart reads one date, from its year down to its day.
func (z *chinese) datePart(i int) (int, zdate) {
	z.work++
	if e, d := z.namedDay(i); d.ok() {
		return e, d
	}
	if e, d := z.numericDate(i); d.ok() {
		return e, d
	}
	if e, d := z.weekDate(i); d.ok() {
		return e, d
	}
	lunar := false
	j := i
	if e := z.any(i, "农历", "阴历", "旧历", "公历", "阳历"); e > 0 {
		lunar = z.any(i, "农历", "阴历", "旧历") > 0
		j = z.skip(e, "的")
	}
	if f := z.has(j, "公元前"); f > 0 {
		if g, n := z.number(f); g > 0 && z.at(g) == '年' && n.whole() > 0 && n.whole() < 9999 {
			m := period(ymd(n.whole(), 1, 1), year)
			m.value, m.kind = "BC"+timexOf(m.a, year), vague
			return g + 1, zdate{meaning: m}
		}
	}
	e, y, yd := z.yearPart(j)
	if e > 0 && yd.grain >= decade {
		return z.longEdge(e, yd)
	}
	if e > 0 && yd.grain == season {
		return e, yd
	}
	if e > 0 {
		k := z.skip(e, "的")
		if f := z.any(k, "农历", "阴历", "旧历"); f > 0 {
			lunar, k = true, f
		}
		if f, d := z.inYear(k, y, true, lunar); d.ok() {
			return f, d
		}
		if lunar {
			if a, ok := lunarDay(y, 1, 1, false); ok {
				b, _ := lunarDay(y+1, 1, 1, false)
				m := between(a, b, dayGrain)
				return e, zdate{meaning: m, y: y}
			}
		}
		return e, yd
	}
	y = z.ref.Year()
	if z.ctx != nil && z.ctx.y > 0 {
		y = z.ctx.y
	}
	return z.inYear(j, y, z.ctx != nil && z.ctx.y > 0, lunar)
}

// longEdge reads 初, 中期, 末 after a decade or century.
func (z *chinese) longEdge(e int, d zdate) (int, zdate) {
	years := 10
	if d.grain == decade {
		years = 3
	}
	m := d.meaning
	m.value, m.narrow = d.meaning.text(), true
	switch f := z.any(e, "初期", "初", "中期", "中叶", "末期", "末", "后期"); {
	case f == 0:
		return e, d
	case z.has(e, "初") > 0:
		m.b = m.a.AddDate(years, 0, 0)
		return f, zdate{meaning: m}
	case z.has(e, "中") > 0:
		mid := m.a.AddDate(5*years/3, 0, 0)
		if d.grain == century {
			mid = m.a.AddDate(45, 0, 0)
		}
		m.a, m.b = mid, mid.AddDate(years, 0, 0)
		return f, zdate{meaning: m}
	default:
		m.a = m.b.AddDate(-years, 0, 0)
		return f, zdate{meaning: m}
	}
}

// namedDay reads today, now and the like.
func (z *chinese) namedDay(i int) (int, zdate) {
	if e := z.any(i, "现在", "此时此刻", "此时", "此刻", "目前", "当前", "宜家", "而家", "依家", "眼下", "至今", "今"); e > 0 {
		if e == i+1 && !(z.bare && e == len(z.r) && z.ctx != nil) {
			return z.todays(i)
		}
		m := period(z.ref, second)
		m.value = "PRESENT_REF"
		m.weak = !z.bare && z.ctx == nil
		return e, zdate{meaning: m}
	}
	return z.todays(i)
}

func (z *chinese) todays(i int) (int, zdate) {
	if e := z.any(i, "第二天", "后一天", "隔天", "前一天", "头一天"); e > 0 {
		n := 1
		if z.any(i, "前一天", "头一天") > 0 {
			n = -1
		}
		t := midnight(z.ref).AddDate(0, 0, n)
		m := dayOf(t)
		m.open, m.weak = true, !z.bare
		return e, zdate{meaning: m, y: t.Year(), m: int(t.Month()), d: t.Day()}
	}
	if !z.is(i, zhDayRole) {
		return 0, zdate{}
	}
	for k := range zhDayWords {
		w := &zhDayWords[k]
		e := z.has(i, w.word)
		if e == 0 {
			continue
		}
		t := midnight(z.ref).AddDate(0, 0, w.n)
		m := dayOf(t)
		if w.part != "" {
			m = onDay(t, w.part)
		}
		return e, zdate{meaning: m, y: t.Year(), m: int(t.Month()), d: t.Day()}
	}
	return 0, zdate{}
}

// numericDate reads 2019/04/19, 20240307, 2018-12, 10/31/74, 2/15 and what JSON
// people write.
func (z *chinese) numericDate(i int) (int, zdate) {
	if !isDigit(z.at(i)) || i > 0 && isDigit(z.at(i-1)) {
		return 0, zdate{}
	}
	var n [3]int
	var w [3]int
	j, parts := i, 0
	sep := rune(0)
	for parts < 3 {
		k := j
		v := 0
		for isDigit(z.at(k)) && k-j < 8 {
			v = 10*v + int(z.at(k)-'0')
			k++
			if parts == 2 && k-j == 2 && w[0] == 4 { // 2018-12-1209:03
				break
			}
		}
		if k == j || isDigit(z.at(k)) && !(parts == 2 && w[0] == 4) {
			break
		}
		n[parts], w[parts] = v, k-j
		parts++
		j = k
		c := z.at(k)
		if parts == 3 || (c != '-' && c != '/' && c != '.') || sep != 0 && c != sep || !isDigit(z.at(k+1)) {
			break
		}
		sep = c
		j = k + 1
	}
	if sep != 0 && parts < 3 && z.at(j-1) == sep {
		j--
	}
	day := func(y, m, d int) (int, zdate) {
		if m > 12 {
			m, d = d, m
		}
		if !validDay(y, m, d) || y < 1000 {
			return 0, zdate{}
		}
		return j, zdate{meaning: dayOf(ymd(y, m, d)), y: y, m: m, d: d}
	}
	switch {
	case parts == 1 && w[0] == 8 && z.any(j, "年", "月", "日", "元", "块", "个") == 0:
		return day(n[0]/10000, n[0]/100%100, n[0]%100)
	case parts == 3 && w[0] == 4 && w[1] <= 2 && w[2] <= 2:
		return day(n[0], n[1], n[2])
	case parts == 3 && w[2] == 4 && w[0] <= 2 && w[1] <= 2:
		return day(n[2], n[0], n[1])
	case parts == 3 && w[2] == 2 && w[0] <= 2 && w[1] <= 2 && sep != '.':
		return day(fullYear(n[2]), n[0], n[1])
	case parts == 2 && w[0] == 4 && w[1] <= 2 && n[1] >= 1 && n[1] <= 12 && sep != '.' && n[0] >= 1500 && n[0] < 2500 && z.any(j, "月", "年", ":") == 0:
		m := period(ymd(n[0], n[1], 1), month)
		return j, zdate{meaning: m, y: n[0], m: n[1]}
	case parts == 2 && w[0] <= 2 && w[1] <= 2 && (sep == '/' || sep == '-' && w[0] == 2 && w[1] == 2) && (z.bare || sep == '/') && z.any(j, "月", "年", "日", "号", "天", "点", "小时", "分", "秒", "个", "周", ":", "岁", "时") == 0:
		e, d := day(z.ref.Year(), n[0], n[1])
		d.yearless = true
		d.weak = !z.bare
		return e, d
	case parts == 1 && w[0] == 4 && z.bare && j == len(z.r) && n[0] >= 1000 && n[0] < 2900:
		m := period(ymd(n[0], 1, 1), year)
		return j, zdate{meaning: m, y: n[0]}
	}
	return 0, zdate{}
}

// inYear reads what stands below a year: a month and day, a quarter, a season, a
// week, a feast, an edge. named tells that the year was said.
func (z *chinese) inYear(i, y int, named, lunar bool) (int, zdate) {
	z.work++
	if !goodYear(y) {
		return 0, zdate{}
	}
	if e, d := z.feast(i, y, named); d.ok() {
		return e, d
	}
	if e, d := z.partOfYear(i, y, named); d.ok() {
		return e, d
	}
	e, p, yy, mm, isLunar := z.monthPart(i, y, named, lunar)
	if e > 0 {
		return z.inMonth(e, p, yy, mm, named, isLunar)
	}
	// days of the month at hand
	if !named || z.ctx != nil {
		return z.dayAlone(i)
	}
	if f, n := z.small(i); f > 0 && z.any(f, "日", "号") > 0 { // 2015年8日 is none
		_ = n
	}
	return 0, zdate{}
}
