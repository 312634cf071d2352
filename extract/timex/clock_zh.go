package timex

import "time"

// zhPartWords are the parts of the day; those with hours of their own give them.
var zhPartWords = []struct {
	word, code string
	from, to   int
}{
	{"凌晨", "NI", 0, 6}, {"清晨", "MO", 0, 0}, {"清早", "MO", 0, 0}, {"大清早", "MO", 0, 0}, {"早上", "MO", 0, 0}, {"早晨", "MO", 0, 0}, {"早间", "MO", 0, 0}, {"一早", "MO", 0, 0}, {"上午", "MO", 0, 0}, {"午前", "MO", 0, 0}, {"朝早", "MO", 0, 0},
	{"黎明", "MO", 4, 7}, {"拂晓", "MO", 4, 7}, {"中午", "MI", 0, 0}, {"正午", "MI", 0, 0}, {"晌午", "MI", 0, 0}, {"下午", "AF", 0, 0}, {"午后", "AF", 13, 15}, {"晏昼", "AF", 0, 0}, {"下昼", "AF", 0, 0}, {"傍晚", "EV", 17, 19}, {"黄昏", "EV", 17, 19},
	{"后半夜", "NI", 0, 6}, {"前半夜", "NI", 18, 24}, {"凌晨时分", "NI", 0, 6}, {"晚上", "EV", 0, 0}, {"晚间", "EV", 0, 0}, {"夜晚", "EV", 0, 0}, {"夜间", "NI", 0, 0}, {"夜里", "NI", 0, 0}, {"深夜", "NI", 0, 0}, {"半夜", "NI", 0, 0}, {"白天", "DT", 0, 0}, {"早", "MO", 0, 0}, {"晚", "EV", 0, 0},
}

// clockTime reads a part of the day, a clock time, or both.
func (z *chinese) clockTime(i int) (int, zdate) {
	z.work++
	if c := z.at(i); c != '午' && c != '子' && c != '零' {
	} else if e := z.any(i, "午夜", "子夜", "零时", "零点整", "零点钟", "零点"); e > 0 {
		if _, c := z.hour(i); z.at(i) != '零' || !c.ok() || z.any(e, "半", "零", "过", "一", "二", "三", "四", "五") == 0 {
			return e, zdate{meaning: meaning{kind: clock, grain: hour}}
		}
	}
	if !z.is(i, zhPartRole|zhDigitRole|zhOtherRole) {
		return 0, zdate{}
	}
	for k := range zhPartWords {
		if !z.is(i, zhPartRole) {
			break
		}
		w := &zhPartWords[k]
		e := z.has(i, w.word)
		if e == 0 {
			continue
		}
		short := e == i+1
		j := z.skip(e, "的", ",", " ", "大概", "大约", "约")
		if f, c := z.clockOnly(j, w.code); c.ok() {
			return f, zdate{meaning: c, part: w.code}
		}
		if short && !(z.bare && i > 0 || i > 0 && (z.at(i-1) == '日' || z.at(i-1) == '号' || z.at(i-1) == '天')) {
			return 0, zdate{}
		}
		m := meaning{kind: dayPart, part: w.code, grain: hour, weak: !z.bare}
		if w.to > 0 {
			m.value, m.sec, m.secs = "T"+w.code, w.from*3600, float64((w.to-w.from)*3600)
			if z.bare && i == 0 && e == len(z.r) {
				m = onDay(midnight(z.ref), w.code)
				m.a = midnight(z.ref).Add(time.Duration(w.from) * time.Hour)
				m.b = midnight(z.ref).Add(time.Duration(w.to) * time.Hour)
			}
		}
		return e, zdate{meaning: m, part: w.code}
	}
	e, c := z.clockOnly(i, "")
	if !c.ok() {
		return 0, zdate{}
	}
	if z.ctx != nil && z.ctx.part != "" {
		c = c.towards(z.ctx.part)
	}
	if z.bare && c.half && i == 0 && e == len(z.r) && c.sec < 43200 && at(z.ref, c).a.Before(z.ref) && at(z.ref, c).a.Add(12*time.Hour).After(z.ref) {
		c.sec += 43200 // the next such hour
	}
	return e, zdate{meaning: c}
}

// quarterTo reads 差五分三点.
func (z *chinese) quarterTo(i int) (int, meaning) {
	e := z.has(i, "差")
	if e == 0 {
		return 0, meaning{}
	}
	f, n := z.small(e)
	k := z.any(f, "分钟", "分", "刻钟", "刻")
	if f == 0 || k == 0 || n < 1 || n > 30 {
		return 0, meaning{}
	}
	if z.any(f, "刻") > 0 {
		n *= 15
	}
	g, m := z.hour(z.skip(k, "到"))
	if m.grain != hour || n > 30 {
		return 0, meaning{}
	}
	m.sec, m.grain = (m.sec-60*n+86400)%86400, minute
	return g, m
}

// clockOnly reads a clock time whose half of the day the part settles.
func (z *chinese) clockOnly(i int, part string) (int, meaning) {
	e, c := z.hour(i)
	if !c.ok() {
		if e, c = z.quarterTo(i); !c.ok() {
			return 0, c
		}
	}
	if part != "" {
		h := c.sec / 3600
		switch {
		case part == "EV" && h >= 1 && h < 12 || part == "AF" && h >= 1 && h < 12, part == "NI" && h >= 7 && h < 12, part == "MI" && h >= 1 && h < 4, part == "DT" && h < 7:
			c.sec += 12 * 3600
		case part == "EV" && h == 12 || part == "NI" && h == 12:
			c.sec += 12 * 3600
		}
		c.half = false
		c.weak = false
	}
	return z.skip(e, "左右", "许"), c
}

// hour reads 三点, 三点半, 三点十五分, 8时35分20秒, 15:30, 3:15pm.
func (z *chinese) hour(i int) (int, meaning) {
	if i > 0 && (isDigit(z.at(i-1)) && isDigit(z.at(i)) && !z.bare || z.at(i-1) == '.' || z.at(i-1) == ':') {
		return 0, meaning{}
	}
	e, h := z.small(i)
	if e == 0 || h > 24 {
		if e > 0 && z.at(e) == ':' && h < 60 && z.bare && i == 0 { // 35:37
			if f, s := z.small(e + 1); f == len(z.r) && s < 60 && f == e+3 {
				t := z.ref.Truncate(time.Hour).Add(time.Duration(60*h+s) * time.Second)
				return f, period(t, second)
			}
		}
		return 0, meaning{}
	}
	m := meaning{kind: clock, sec: h * 3600, grain: hour}
	m.half = h >= 1 && h <= 12 && z.at(i) != '0'
	if z.at(e) == ':' {
		return z.colon(e, h, m)
	}
	if f := z.any(e, "am", "pm", "a.m.", "p.m."); f > 0 && h <= 12 {
		m.half = false
		m.sec = h % 12 * 3600
		if z.at(e) == 'p' {
			m.sec += 12 * 3600
		}
		return f, m
	}
	clockWord := z.any(e, "点钟", "点整", "点", "时整", "时")
	if clockWord == 0 {
		return 0, meaning{}
	}
	hourMark := z.at(e)
	if hourMark == '点' && z.any(clockWord, "儿", "心", "赞", "餐", "击", "评", "名", "单", "子", "滴", "头", "菜", "五分") > 0 && !(z.has(clockWord, "五分") > 0) {
		return 0, meaning{}
	}
	if hourMark == '时' && z.any(clockWord, "候", "间", "期", "常", "代", "刻", "而", "尚", "装") > 0 {
		return 0, meaning{}
	}
	m.weak = !z.bare && hourMark == '点' && h < 3 && clockWord == e+1
	j := z.skip(clockWord, "钟")
	j = z.skip(j, "整")
	if f := z.any(j, "半"); f > 0 && z.any(f, "个", "小时", "年", "天", "月") == 0 {
		m.sec, m.grain, m.weak = m.sec+1800, minute, false
		return f, m
	}
	j = z.skip(j, "过", "踏", "搭")
	over := j > clockWord && z.any(j-1, "踏", "搭") > 0
	if f, n := z.small(z.skip(j, "零")); f > 0 && n < 60 {
		switch {
		case z.any(f, "刻钟", "刻") > 0 && n <= 3:
			m.sec, m.grain, m.weak = m.sec+900*n, minute, false
			return z.any(f, "刻钟", "刻"), m
		case z.has(f, "个字") > 0 && n < 12, over && n < 12, hourMark == '点' && z.bare && n < 10 && z.at(j) != '零' && f == len(z.r) && hanDigit(z.at(j)) > 0: // Cantonese: five minutes each
			m.sec, m.grain, m.weak = m.sec+300*n, minute, false
			return max(f, z.has(f, "个字")), m
		case z.any(f, "分钟", "小时", "个", "天", "年", "月", "岁", "人", "点") > 0:
		case z.any(f, "分") > 0 || z.bare || n >= 10 || z.at(j) == '零':
			if z.any(f, "分") == 0 && !z.bare && hourMark != '点' {
				break
			}
			if e := z.any(f, "分"); e > 0 && z.any(e, "之") > 0 {
				break
			}
			m.sec, m.grain, m.weak = m.sec+60*n, minute, false
			j = z.skip(f, "分")
			if g, s := z.small(j); g > 0 && s < 60 && z.at(g) == '秒' {
				m.sec, m.grain = m.sec+s, second
				return g + 1, m
			}
			return j, m
		}
	}
	if m.sec > 86400 {
		return 0, meaning{}
	}
	if f := z.has(clockWord, "差"); f > 0 { // 三点差五分
		if g, n := z.small(f); g > 0 && n < 30 && z.any(g, "分钟", "分") > 0 {
			m.sec, m.grain, m.weak = (m.sec-60*n+86400)%86400, minute, false
			return z.any(g, "分钟", "分"), m
		}
	}
	return z.skip(clockWord, "钟", "整"), m
}

// colon reads the minutes and seconds after a colon at e.
func (z *chinese) colon(e, h int, m meaning) (int, meaning) {
	two := func(i int) (int, bool) {
		if isDigit(z.at(i)) && isDigit(z.at(i+1)) && !isDigit(z.at(i+2)) {
			n := int(z.at(i)-'0')*10 + int(z.at(i+1)-'0')
			return n, n < 60
		}
		return 0, false
	}
	n, ok := two(e + 1)
	if !ok {
		return 0, meaning{}
	}
	m.sec, m.grain = m.sec+60*n, minute
	j := e + 3
	if s, ok := two(j + 1); ok && z.at(j) == ':' {
		m.sec, m.grain = m.sec+s, second
		j += 3
	}
	if f := z.any(j, "am", "pm", "a.m.", "p.m.", "a", "p"); f > 0 && h <= 12 && !(z.at(f) >= 'a' && z.at(f) <= 'z') {
		m.half = false
		m.sec = m.sec%3600 + h%12*3600
		if z.at(j) == 'p' {
			m.sec += 12 * 3600
		}
		return f, m
	}
	return z.skip(j, "分"), m
}

// weekdayName reads 周五, 星期天, 礼拜一.
func (z *chinese) weekdayName(i int) (end, wd int) {
	e := z.any(i, "星期", "礼拜", "周")
	if e == 0 {
		return 0, 0
	}
	switch c := z.at(e); {
	case c == '日' || c == '天':
		wd = 7
	default:
		if wd = hanDigit(c); wd < 1 || wd > 6 || c == '两' {
			if !isDigit(c) || c < '1' || c > '7' || z.at(i) == '周' || isDigit(z.at(e+1)) {
				return 0, 0
			}
			wd = int(c - '0')
		}
	}
	if z.any(e+1, "个", "岁", "年", "周", "十", "百", "点") > 0 && !(z.at(e+1) == '十' || z.at(e+1) == '点') || z.any(e, "一个", "天一") > 0 && z.at(i) == '周' {
		return 0, 0
	}
	return e + 1, wd
}

// weekDate reads weeks and their days: 下周三, 上上周末, 本周, 周五.
func (z *chinese) weekDate(i int) (int, zdate) {
	n, j := 0, 0
	if !z.is(i, zhShiftRole|zhWeekRole) {
		return 0, zdate{}
	}
	for _, w := range []struct {
		word string
		n    int
	}{{"上上上", -3}, {"下下下", 3}, {"上上", -2}, {"下下", 2}, {"大上", -2}, {"上", -1}, {"下", 1}, {"这", 0}, {"本", 0}, {"今", 0}, {"当", 0}, {"前", -1}, {"次", 1}} {
		if e := z.has(i, w.word); e > 0 {
			n, j = w.n, z.skip(e, "一个", "个", "一")
			if (w.word == "前" || w.word == "次" || w.word == "当") && z.any(j, "周末", "周", "星期", "礼拜") == 0 || w.word == "前" && j == e {
				j = 0
			}
			break
		}
	}
	give := func(e int, m meaning) (int, zdate) {
		return e, zdate{meaning: m, y: m.a.Year(), m: int(m.a.Month()), d: m.a.Day()}
	}
	if j == 0 { // bare
		if e, wd := z.weekdayName(i); e > 0 {
			if i > 0 && (z.any(i-1, "每", "个", "两", "几") > 0 || isHanNumber(z.at(i-1)) || isDigit(z.at(i-1))) {
				return 0, zdate{}
			}
			k := z.skip(e, ",", "的")
			if f, m, d := z.nextMonthDay(k); f > 0 { // 周日, 二月十号
				y := z.ref.Year()
				for _, dy := range [...]int{0, -1, 1} {
					if validDay(y+dy, m, d) && weekdayOf(ymd(y+dy, m, d)) == wd {
						y += dy
						break
					}
				}
				return give(f, rich(dayOf(ymd(y, m, d))))
			}
			t := midnight(z.ref).AddDate(0, 0, (wd-weekdayOf(z.ref)+6)%7+1)
			if z.ctx != nil && z.ctx.onCalendar() {
				t = midnight(z.ctx.a).AddDate(0, 0, (wd-weekdayOf(z.ctx.a)+7)%7)
			}
			m := dayOf(t)
			m.open, m.weekday = true, wd
			return give(e, m)
		}
		if e := z.any(i, "周末"); e > 0 && z.any(e, "愉快", "快乐") == 0 {
			m := period(z.ref, weekend)
			m.weak = !z.bare
			return give(e, m)
		}
		return 0, zdate{}
	}
	base := step(z.ref, week, n)
	if e := z.any(j, "周末", "星期末", "礼拜末"); e > 0 {
		return give(e, period(base.a, weekend))
	}
	if e, wd := z.weekdayName(j); e > 0 {
		return give(e, rich(dayOf(base.a.AddDate(0, 0, wd-1))))
	}
	if e := z.any(j, "半周"); e > 0 && (n == 1 || n == -1) && j == i+1 { // 上半周, 下半周
		p := period(z.ref, week)
		if n < 0 {
			return give(e, between(p.a, p.a.AddDate(0, 0, 3), dayGrain))
		}
		return give(e, between(p.a.AddDate(0, 0, 3), p.b, dayGrain))
	}
	if e := z.any(j, "半年"); e > 0 && (n == 1 || n == -1) && z.any(e, "前", "后", "内", "以") == 0 { // 上半年, 上个半年
		p := step(z.ref, half, n)
		if j == i+1 || z.ref.Month() > 6 == (n < 0) || n > 0 && z.ref.Month() <= 6 {
			p = period(ymd(z.ref.Year(), 4+3*n, 1), half)
		}
		return give(e, p)
	}
	if e := z.any(j, "周", "星期", "礼拜"); e > 0 && z.any(e, "围", "边", "年", "岁", "日报", "期", "转", "刊", "杰", "几", "末") == 0 {
		if f, wd := z.weekdayName(e); f > 0 { // 上周星期三
			return give(f, rich(dayOf(base.a.AddDate(0, 0, wd-1))))
		}
		k := z.skip(e, "的")
		if f, wd := z.weekdayName(k); f > 0 && k > e {
			return give(f, rich(dayOf(base.a.AddDate(0, 0, wd-1))))
		}
		return give(e, base)
	}
	if e := z.any(j, "年代"); e > 0 {
		return give(e, step(z.ref, decade, n))
	}
	return 0, zdate{}
}

// nextMonthDay reads 5月8号 for a weekday beside it.
func (z *chinese) nextMonthDay(i int) (end, m, d int) {
	e, m := z.small(i)
	if e == 0 || m < 1 || m > 12 || z.at(e) != '月' {
		return 0, 0, 0
	}
	f, d := z.small(e + 1)
	if f == 0 || d < 1 || d > 31 || z.any(f, "日", "号") == 0 {
		return 0, 0, 0
	}
	return f + 1, m, d
}
