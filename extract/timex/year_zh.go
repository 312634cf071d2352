package timex

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
