package timex

import "time"

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

// inWord tells whether 上 or 下 at i is the end of another word: 马上, 晚上, 以下.
func (z *chinese) inWord(i int) bool {
	if c := z.at(i); c != '上' && c != '下' {
		return false
	}
	return z.any(i-1, "马", "晚", "早", "以", "身", "路", "网", "桌", "楼", "地", "天", "脸", "手", "头", "线", "底", "节", "乡", "留", "放", "写", "穿", "爱", "坐", "剩") > 0
}

// zhYears are years told from this one.
var zhYears = []struct {
	word string
	n    int
}{{"大前年", -3}, {"大后年", 3}, {"今年", 0}, {"本年度", 0}, {"本年", 0}, {"当年", 0}, {"同年", 0}, {"这一年", 0}, {"明年", 1}, {"来年", 1}, {"次年", 1}, {"翌年", 1}, {"下一年", 1}, {"下年", 1}, {"后年", 2}, {"去年", -1}, {"上一年", -1}, {"上年", -1}, {"旧年", -1}, {"前年", -2}}

// yearPart reads a year.
func (z *chinese) yearPart(i int) (end, y int, d zdate) {
	if !z.is(i, zhYearRole|zhDigitRole|zhOtherRole) || z.inWord(i) {
		return 0, 0, zdate{}
	}
	if z.is(i, zhYearRole) {
		if e, y, d := z.namedYear(i); e > 0 {
			return e, y, d
		}
	}
	return z.numberedYear(i)
}

// namedYear reads years that are told from this one, and those of eras.
func (z *chinese) namedYear(i int) (end, y int, d zdate) {
	for _, w := range [...]struct {
		c rune
		n int
	}{{'今', 0}, {'去', -1}, {'明', 1}} { // 今春, 去冬
		if z.at(i) == w.c {
			for _, s := range zhSeasons {
				if z.at(i+1) == s.c && z.any(i+2, "节", "分", "至", "天") == 0 {
					y := z.ref.Year() + w.n
					return i + 2, y, zdate{meaning: seasonOf(y, s.code), y: y}
				}
			}
		}
	}
	if e := z.any(i, "上世纪", "上个世纪", "本世纪", "这个世纪"); e > 0 {
		c := period(z.ref, century)
		if z.at(i) == '上' {
			c = step(z.ref, century, -1)
		}
		if g, x := z.number(e); g > 0 && x.whole() >= 10 && x.whole()%10 == 0 && x.whole() < 100 && z.has(g, "年代") > 0 {
			y := c.a.Year() + x.whole()
			return g + 2, y, zdate{meaning: period(ymd(y, 1, 1), decade)}
		}
		return e, c.a.Year(), zdate{meaning: c}
	}
	for _, w := range zhYears {
		if e := z.has(i, w.word); e > 0 {
			e = z.skip(e, "度")
			m := period(ymd(z.ref.Year()+w.n, 1, 1), year)
			return e, z.ref.Year() + w.n, zdate{meaning: m, y: z.ref.Year() + w.n}
		}
	}
	if e, y := z.eraYear(i); e > 0 {
		return e, y, zdate{meaning: period(ymd(y, 1, 1), year), y: y}
	}
	return 0, 0, zdate{}
}

// numberedYear reads 2019年, 07年, 二零零三年, 18世纪, 80年代.
func (z *chinese) numberedYear(i int) (end, y int, d zdate) {
	j := z.skip(i, "公元")
	e, n := z.number(j)
	if f := z.has(e, "世纪"); e > 0 && f > 0 && n.whole() >= 1 && n.whole() <= 21 { // 18世纪, 20世纪90年代
		if g, x := z.number(f); g > 0 && x.digits == 2 && x.whole()%10 == 0 && z.has(g, "年代") > 0 {
			y := 100*(n.whole()-1) + x.whole()
			return g + 2, y, zdate{meaning: period(ymd(y, 1, 1), decade)}
		}
		p := period(ymd(max(100*(n.whole()-1), 1), 1, 1), century)
		p.a = ymd(100*(n.whole()-1), 1, 1)
		return f, p.a.Year(), zdate{meaning: p}
	}
	if e == 0 || n.digits == 0 && z.has(e, "年代") == 0 || n.whole() < 0 || i > 0 && (isDigit(z.at(i-1)) || z.at(i-1) == '.') {
		return 0, 0, zdate{}
	}
	f := z.has(e, "年")
	if f == 0 {
		return 0, 0, zdate{}
	}
	y = n.whole()
	switch {
	case z.any(f, "级", "纪", "龄", "级") > 0:
		return 0, 0, zdate{}
	case z.has(f, "代") > 0: // 1980年代, 80年代
		if (n.digits == 2 || n.digits == 0 && y < 100) && y%10 == 0 {
			y += 1900
			if y < 1920 {
				y += 100
			}
		} else if n.digits != 4 || y%10 != 0 {
			return 0, 0, zdate{}
		}
		return f + 1, y, zdate{meaning: period(ymd(y, 1, 1), decade)}
	case n.digits == 4 && y >= 1000 && y < 2900:
	case n.digits == 2 && (n.zero || !n.arabic || z.bare && (y >= 50 || z.any(f, "第", "前", "后") > 0) || y >= 60 || n.arabic && y < 30 && z.yearFollows(f)):
		if y >= 30 && !z.bare && !n.arabic && !n.zero {
			return 0, 0, zdate{}
		}
		if y < 30 {
			y += 2000
		} else {
			y += 1900
		}
	default:
		return 0, 0, zdate{}
	}
	return f, y, zdate{meaning: period(ymd(y, 1, 1), year), y: y}
}

// yearFollows tells whether what follows 年 shows that a year was named.
func (z *chinese) yearFollows(i int) bool {
	if z.any(i, "第", "上半", "下半", "底", "初", "末", "春", "夏", "秋", "冬", "农历") > 0 {
		return true
	}
	e, n := z.small(i)
	return e > 0 && n >= 1 && n <= 12 && z.has(e, "月") > 0
}

// zhEras are the first years of eras.
var zhEras = []struct {
	word  string
	first int
}{{"民国", 1912}, {"中华民国", 1912}, {"宣统", 1909}, {"光绪", 1875}, {"同治", 1862}, {"咸丰", 1851}, {"道光", 1821}, {"嘉庆", 1796}, {"乾隆", 1736}, {"雍正", 1723}, {"康熙", 1662}, {"顺治", 1644}, {"崇祯", 1628}, {"天启", 1621}, {"万历", 1573}, {"隆庆", 1567}, {"嘉靖", 1522}, {"正德", 1506}, {"弘治", 1488}, {"成化", 1465}, {"永乐", 1403}, {"洪武", 1368}, {"神龙", 705}, {"开元", 713}, {"天宝", 742}, {"贞观", 627}, {"武德", 618}, {"贞元", 785}, {"元和", 806}}

// eraYear reads a year of an era: 康熙二十年.
func (z *chinese) eraYear(i int) (end, y int) {
	for _, w := range zhEras {
		e := z.has(i, w.word)
		if e == 0 {
			continue
		}
		if f := z.has(e, "元年"); f > 0 {
			return f, w.first
		}
		f, n := z.number(e)
		if f > 0 && n.whole() > 0 && n.whole() < 130 && z.has(f, "年") > 0 {
			return f + 1, w.first + n.whole() - 1
		}
	}
	return 0, 0
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

// zhMonthWords are months told from this one.
var zhMonthWords = []struct {
	word string
	n    int
}{{"上上个月", -2}, {"下下个月", 2}, {"上上月", -2}, {"下下月", 2}, {"上一个月", -1}, {"下一个月", 1}, {"上个月", -1}, {"下个月", 1}, {"这个月", 0}, {"今个月", 0}, {"本月", 0}, {"当月", 0}, {"这月", 0}, {"上月", -1}, {"下月", 1}, {"次月", 1}, {"同月", 0}}

// monthPart reads a month; p is its interval.
func (z *chinese) monthPart(i, y int, named, lunar bool) (end int, p meaning, yy, mm int, isLunar bool) {
	for _, w := range zhMonthWords {
		if !z.is(i, zhShiftRole) {
			break
		}
		if e := z.has(i, w.word); e > 0 && (!named || z.ctx != nil) {
			p := step(z.ref, month, w.n)
			return z.skip(e, "份"), p, p.a.Year(), int(p.a.Month()), false
		}
	}
	leap := false
	j := i
	if e := z.has(i, "闰"); e > 0 {
		leap, lunar, j = true, true, e
	}
	n, e := 0, 0
	switch {
	case z.has(j, "正月") > 0:
		n, e, lunar = 1, j+2, true
	case z.has(j, "冬月") > 0:
		n, e, lunar = 11, j+2, true
	case z.any(j, "腊月") > 0:
		n, e, lunar = 12, j+2, true
	case z.has(j, "首月") > 0 && named:
		n, e = 1, j+2
	default:
		k := z.has(j, "第")
		f, v := z.small(max(k, j))
		if f == 0 || v < 1 || v > 12 {
			return 0, p, 0, 0, false
		}
		if k > 0 {
			if !named || z.any(f, "个月", "月") == 0 {
				return 0, p, 0, 0, false
			}
			f = z.skip(f, "个")
		}
		if z.at(f) != '月' || i > 0 && isDigit(z.at(i-1)) && isDigit(z.at(i)) {
			return 0, p, 0, 0, false
		}
		n, e = v, f+1
	}
	e = z.skip(e, "份")
	if !lunar { // 八月初三 is of the lunar calendar
		k := z.skip(e, "的")
		lunar = z.any(k, "初一", "初二", "初三", "初四", "初五", "初六", "初七", "初八", "初九", "初十", "廿") > 0 && z.any(k, "初一中", "廿日", "廿号") == 0
		if f, x := z.number(i); !lunar && f > 0 && x.arabic && !named {
			if g, v := z.number(k); g > 0 && !v.arabic && v.whole() >= 11 && v.whole() <= 30 && z.any(g, "日", "号", "天", "年", "个", "-", "到", "至") == 0 { // 8月十五
				lunar = true
			}
		}
	}
	if lunar {
		p = lunarMonth(y, n, leap)
		if !p.ok() {
			p = period(ymd(y, n, 1), month)
			lunar = false
		}
		p.yearless = !named
		return e, p, y, n, lunar
	}
	p = period(ymd(y, n, 1), month)
	p.yearless = !named
	return e, p, y, n, false
}

// inMonth reads what stands below a month.
func (z *chinese) inMonth(i int, p meaning, y, m int, named, lunar bool) (int, zdate) {
	k := z.skip(i, "的", "农历", "阴历")
	whole := zdate{meaning: p, y: y, m: m, lunar: lunar}
	if e, d := z.dayPair(k, p); d.ok() {
		d.yearless = p.yearless
		return e, zdate{meaning: d, y: y, m: m}
	}
	if e, t := z.dayOfMonth(k, p, lunar); e > 0 {
		d := dayOf(t)
		d.yearless = p.yearless
		return e, zdate{meaning: d, y: t.Year(), m: int(t.Month()), d: t.Day()}
	}
	if e, d := z.thirds(k, p); d.ok() {
		return e, zdate{meaning: d, y: y, m: m}
	}
	if e, d := z.nthIn(k, p); d.ok() {
		d.yearless = p.yearless
		return e, zdate{meaning: d, y: y, m: m}
	}
	if !z.bare && z.any(i, "亮", "饼", "光", "球", "色", "老", "薪", "租", "票", "嫂", "经") > 0 {
		return 0, zdate{}
	}
	return i, whole
}

// dayPair reads 5-10日 below its month.
func (z *chinese) dayPair(k int, p meaning) (int, meaning) {
	e, a := z.small(k)
	if e == 0 {
		return 0, meaning{}
	}
	l := z.any(e, "--", "-", "到", "至")
	f, b := z.small(l)
	if l == 0 || f == 0 || b <= a || a < 1 || z.any(f, "日", "号") == 0 || p.a.AddDate(0, 0, b-1).After(p.b) {
		return 0, meaning{}
	}
	return f + 1, between(p.a.AddDate(0, 0, a-1), p.a.AddDate(0, 0, b), dayGrain)
}

// dayOfMonth reads a day below its month.
func (z *chinese) dayOfMonth(k int, p meaning, lunar bool) (int, time.Time) {
	f, n, strict := 0, 0, false
	if e := z.has(k, "初"); e > 0 {
		g, v := z.small(e)
		if g > 0 && v >= 1 && v <= 10 {
			f, n, strict = g, v, true
		}
	} else if g, v := z.small(k); g > 0 && v >= 1 && v <= 31 {
		f, n = g, v
		if e := z.any(g, "日", "号"); e > 0 && z.any(e, "线", "楼", "店") == 0 {
			f, strict = e, true
		} else if z.any(g, "天", "个", "周", "年", "月", "点", "岁", "元", "块", "分", "小时", ":", "星期", "-", "到", "至", "期", "季") > 0 && !lunar {
			if !(z.at(g) == '-' && z.bare) {
				return 0, time.Time{}
			}
		}
	}
	if f == 0 || !strict && !z.bare && !lunar {
		return 0, time.Time{}
	}
	t := p.a.AddDate(0, 0, n-1)
	if !t.Before(p.b) {
		return 0, time.Time{}
	}
	return f, t
}

// thirds reads 上旬, 月底, 下半月 below a month.
func (z *chinese) thirds(k int, p meaning) (int, meaning) {
	m := p
	m.value, m.narrow, m.rich = p.text(), true, true
	day := func(n int) time.Time { return p.a.AddDate(0, 0, n) }
	switch e := z.any(k, "上旬", "中旬", "下旬", "初", "底", "末", "中", "上半月", "下半月"); {
	case e == 0:
		return 0, meaning{}
	case z.has(k, "上旬") > 0:
		m.b = day(10)
		return e, m
	case z.has(k, "中旬") > 0:
		m.a, m.b = day(10), day(20)
		return e, m
	case z.has(k, "下旬") > 0:
		m.a = day(20)
		return e, m
	case z.has(k, "上半月") > 0:
		m.b = day(15)
		return e, m
	case z.has(k, "下半月") > 0:
		m.a = day(15)
		return e, m
	case z.has(k, "初") > 0:
		if isHanNumber(z.at(e)) {
			return 0, meaning{}
		}
		m.b = day(5)
		return e, m
	case z.has(k, "中") > 0:
		if !z.bare || z.any(e, "午", "国") > 0 {
			return 0, meaning{}
		}
		m.a, m.b = day(10), day(20)
		return e, m
	default:
		m.a = p.b.AddDate(0, 0, -6)
		return e, m
	}
}

// nthIn reads 第三个星期日, 第四周, 最后一个星期一, 最后五天, 前两周 below a period.
func (z *chinese) nthIn(k int, p meaning) (int, meaning) {
	n, e := 0, 0
	if f := z.any(k, "最后一个", "最后1个"); f > 0 {
		n, e = -1, f
	} else if f := z.any(k, "最后"); f > 0 {
		if g, v := z.small(f); g > 0 && z.any(g, "天", "日") > 0 && v > 0 && v < 400 {
			if p.b.AddDate(0, 0, -v).Before(p.a) {
				return 0, meaning{}
			}
			return g + 1, between(p.b.AddDate(0, 0, -v), p.b, dayGrain)
		}
		if g := z.any(f, "周", "一周", "星期", "礼拜"); g > 0 {
			return g, period(p.b.AddDate(0, 0, -1), week)
		}
		return 0, meaning{}
	} else if f := z.any(k, "第", "首", "头一", "头"); f > 0 {
		g, v := z.small(f)
		if z.has(k, "首") > 0 {
			g, v = f, 1
		} else if z.any(k, "头一") > 0 && z.has(k, "头") > 0 {
			g, v = f, 1
		}
		if g == 0 || v < 1 || v > 366 {
			return 0, meaning{}
		}
		n, e = v, z.skip(g, "个")
	} else if f := z.any(k, "前", "后"); f > 0 {
		return z.firstOf(k, f, p)
	} else {
		return 0, meaning{}
	}
	if f, wd := z.weekdayName(e); f > 0 {
		g := english{ref: z.ref, toks: []token{{word: word{class: weekdayName, n: wd}}}}
		if m := g.pick(p, n, 0, false); m.ok() {
			return f, rich(m)
		}
		return 0, meaning{}
	}
	if f := z.any(e, "周末"); f > 0 {
		g := english{ref: z.ref, toks: []token{{word: word{class: unitName, grain: weekend}}}}
		return f, rich(g.pick(p, n, 0, false))
	}
	if f := z.any(e, "周", "星期", "礼拜"); f > 0 {
		if n > 0 {
			first := monday(p.a)
			if first.Before(p.a) { // weeks that begin in the period
				first = first.AddDate(0, 0, 7)
			}
			return f, rich(period(first.AddDate(0, 0, 7*(n-1)), week))
		}
		return f, rich(period(p.b.AddDate(0, 0, -1), week))
	}
	if f := z.any(e, "天", "日"); f > 0 && n > 0 {
		t := p.a.AddDate(0, 0, n-1)
		if t.Before(p.b) {
			return f, rich(dayOf(t))
		}
	}
	return 0, meaning{}
}

// firstOf reads 前三季度, 前十一个月, 前2周, 后两个月 below a period.
func (z *chinese) firstOf(k, f int, p meaning) (int, meaning) {
	g, v := z.small(f)
	if g == 0 || v < 1 || v > 366 {
		return 0, meaning{}
	}
	u, gr := z.unit(g)
	if u == 0 || gr < dayGrain || gr > quarter {
		if z.has(g, "月") > 0 {
			u, gr = g+1, month
		} else {
			return 0, meaning{}
		}
	}
	if gr >= p.grain {
		return 0, meaning{}
	}
	a, b := p.a, step(p.a, gr, v).a
	if gr == week {
		a = monday(p.a)
		if a.Before(p.a) {
			a = a.AddDate(0, 0, 7)
		}
		b = a.AddDate(0, 0, 7*v)
	}
	if z.at(k) == '后' {
		a, b = step(p.b, gr, -v).a, p.b
	}
	return u, between(a, b, gr)
}

// partOfYear reads quarters, halves, seasons, holidays of schools, edges of a
// year and its numbered weeks and days.
func (z *chinese) partOfYear(i, y int, named bool) (int, zdate) {
	p := period(ymd(y, 1, 1), year)
	give := func(e int, m meaning) (int, zdate) {
		m.yearless = !named
		return e, zdate{meaning: m, y: y}
	}
	span := func(e, m1, m2 int, v string) (int, zdate) {
		m := between(ymd(y, m1, 1), ymd(y, m2, 1), month)
		m.value, m.narrow = v, true
		return give(e, m)
	}
	k := z.skip(i, "的")
	if !named && !z.is(k, zhDigitRole|zhShiftRole|zhOtherRole) && z.at(k) != 'q' {
		return 0, zdate{}
	}
	if e := z.any(k, "上半年", "前半年", "头半年"); e > 0 && (named || z.bare || z.has(k, "上半年") > 0) {
		return give(e, period(ymd(y, 1, 1), half))
	}
	if e := z.any(k, "下半年", "后半年"); e > 0 && (named || z.bare || z.has(k, "下半年") > 0) {
		return give(e, period(ymd(y, 7, 1), half))
	}
	if named {
		if e := z.any(k, "今天", "今日", "这一天", "同一天", "同期", "此时", "这个时候"); e > 0 {
			t := addMonths(midnight(z.ref), 12*(y-z.ref.Year()))
			return e, zdate{meaning: rich(dayOf(t)), y: y, m: int(t.Month()), d: t.Day()}
		}
	}
	edgeAt := i
	if !named {
		if edgeAt = z.has(i, "年"); edgeAt == 0 {
			edgeAt = -1
		}
	} else {
		edgeAt = z.skip(i, "年")
	}
	if edgeAt >= 0 {
		v := timexOf(p.a, year)
		switch {
		case z.any(edgeAt, "开年", "伊始") > 0:
			return span(edgeAt+2, 1, 3, v)
		case z.any(edgeAt, "底", "末", "尾") > 0 && z.any(edgeAt, "尾牙") == 0, z.bare && z.any(edgeAt, "终") > 0:
			if z.bare { // the end is wider than its last month
				return span(edgeAt+1, 11, 13, v+"-12")
			}
			return span(edgeAt+1, 12, 13, v+"-12")
		case z.any(edgeAt, "初") > 0 && !isHanNumber(z.at(edgeAt+1)):
			return span(edgeAt+1, 1, 3, v)
		case z.any(edgeAt, "中") > 0 && z.any(edgeAt, "中秋", "中旬", "中国", "中午", "中元") == 0 && (z.bare || edgeAt > i):
			return span(edgeAt+1, 6, 8, v)
		}
	}
	if e, m := z.quarters(k, y, named); m.ok() {
		return give(e, m)
	}
	for _, s := range zhSeasons {
		code := s.code
		if z.at(k) != s.c {
			continue
		}
		e := z.any(k+1, "天", "季")
		if e == 0 && !(named && z.any(k+1, "节", "游", "分", "至") == 0) {
			continue
		}
		m := seasonOf(y, code)
		if z.bare { // by the solar terms
			n := s.term
			a, ok := solarTerm(y, n)
			b, ok2 := solarTerm(y+(n+6)/24, (n+6)%24)
			if ok && ok2 {
				m.a, m.b = a, b
			}
		}
		m.weak = false
		return give(max(e, k+1), m)
	}
	for _, s := range zhSeasons {
		if z.at(k+1) != s.c || !named && !z.bare {
			continue
		}
		for _, w := range [...]string{"早", "初", "晚", "仲", "盛", "深", "暮", "隆", "严", "寒", "暖", "金"} {
			if e := z.has(k, w+string(s.c)); e > 0 && (named || z.bare) && z.any(e, "节", "分", "至") == 0 {
				return give(z.skip(e, "时节"), seasonOf(y, s.code))
			}
		}
	}
	if e := z.any(k, "暑假", "暑期"); e > 0 && (named || z.bare) {
		return span(e, 7, 9, timexOf(p.a, year))
	}
	if e := z.any(k, "寒假", "寒期"); e > 0 && (named || z.bare) {
		return span(e, 1, 3, timexOf(p.a, year))
	}
	if named {
		if e, m := z.nthIn(k, p); m.ok() {
			return give(e, m)
		}
	}
	return 0, zdate{}
}

// zhSeasons are the seasons with the solar terms that begin them.
var zhSeasons = [...]struct {
	c    rune
	code string
	term int
}{{'春', "SP", 2}, {'夏', "SU", 8}, {'秋', "FA", 14}, {'冬', "WI", 20}}

// quarters reads 第三季度, 四季度初, 上季度末, 本季度.
func (z *chinese) quarters(k, y int, named bool) (int, meaning) {
	if (!named || z.ctx != nil) && z.is(k, zhShiftRole) {
		for _, w := range []struct {
			word string
			n    int
		}{{"上上个季度", -2}, {"上个季度", -1}, {"上一季度", -1}, {"上一个季度", -1}, {"上季度", -1}, {"下个季度", 1}, {"下一个季度", 1}, {"下一季度", 1}, {"下季度", 1}, {"本季度", 0}, {"这个季度", 0}, {"这季度", 0}, {"当季", 0}} {
			if e := z.has(k, w.word); e > 0 {
				return z.quarterEdge(e, step(z.ref, quarter, w.n))
			}
		}
	}
	j := z.skip(k, "第")
	if c := z.at(j); c == 'q' {
		j++
	}
	e, n := z.small(j)
	if e == 0 || n < 1 || n > 4 {
		return 0, meaning{}
	}
	f := z.any(e, "季度", "季", "个季度")
	if f == 0 {
		if z.at(j-1) == 'q' && j > k {
			f = e
		} else {
			return 0, meaning{}
		}
	}
	if z.has(e, "个季度") > 0 && j == k {
		return 0, meaning{}
	}
	f, m := z.quarterEdge(f, period(ymd(y, 3*n-2, 1), quarter))
	m.weak = !z.bare && !named && f == e+1
	return f, m
}

func (z *chinese) quarterEdge(e int, p meaning) (int, meaning) {
	m := p
	m.value, m.narrow = p.text(), true
	switch {
	case z.any(e, "初") > 0:
		m.b = p.a.AddDate(0, 1, 0)
		return e + 1, m
	case z.any(e, "末", "底") > 0:
		m.a = p.b.AddDate(0, -1, 0)
		return e + 1, m
	}
	return e, p
}

// dayAlone reads days of the month at hand: 9日, 廿一, 月底, 上半月.
func (z *chinese) dayAlone(i int) (int, zdate) {
	p := period(z.ref, month)
	y, m := z.ref.Year(), int(z.ref.Month())
	ctx := z.ctx
	if ctx != nil && ctx.m > 0 {
		y, m = ctx.y, ctx.m
		p = period(ymd(y, m, 1), month)
	}
	if e := z.has(i, "月"); e > 0 {
		if f, d := z.thirds(e, p); d.ok() {
			return f, zdate{meaning: d, y: y, m: m}
		}
	}
	if e := z.any(i, "上半月", "下半月"); e > 0 {
		f, d := z.thirds(i, p)
		return f, zdate{meaning: d, y: y, m: m}
	}
	if e, d := z.dayPair(i, p); d.ok() && !(i > 0 && isDigit(z.at(i-1))) {
		d.open = true
		return e, zdate{meaning: d, y: y, m: m}
	}
	if e, n := z.small(i); e > 0 && n >= 1 && n <= 31 {
		if f := z.any(e, "日", "号"); f > 0 && z.any(f, "线", "楼", "店", "机", "院", "门", "文") == 0 && !(i > 0 && isDigit(z.at(i-1))) {
			for k := 0; k < 3 && n > daysIn(p.a.Year(), int(p.a.Month())); k++ {
				p = step(p.a, month, 1)
			}
			d := dayOf(p.a.AddDate(0, 0, n-1))
			d.open = true
			d.weak = !z.bare && ctx == nil && z.at(e) == '日' && z.any(f, "元", "本", "語", "语") > 0
			return f, zdate{meaning: d, y: p.a.Year(), m: int(p.a.Month()), d: n}
		}
	}
	lunarWord := z.has(i, "初")
	if lunarWord > 0 || z.bare && z.at(i) == '廿' {
		if lunarWord == 0 {
			lunarWord = i
		}
		e, n := z.small(lunarWord)
		if e > 0 && n >= 1 && n <= 29 && z.any(e, "中", "号", "日", "年", "次", "级") == 0 && (z.has(i, "初") == 0 || n <= 10) {
			if t, ok := z.lunarNear(n); ok {
				return e, zdate{meaning: dayOf(t), y: t.Year(), m: int(t.Month()), d: t.Day()}
			}
		}
	}
	return 0, zdate{}
}

// lunarNear gives day n of the lunar month at hand.
func (z *chinese) lunarNear(n int) (time.Time, bool) {
	day := midnight(z.ref)
	for y := day.Year() - 1; y <= day.Year(); y++ {
		for m := 1; m <= 12; m++ {
			p := lunarMonth(y, m, false)
			if p.ok() && !p.a.After(day) && p.b.After(day) {
				return p.a.AddDate(0, 0, n-1), true
			}
		}
	}
	return day, false
}
