package timex

import "time"

// zhUnits are the units of time; those after 个 stand with it.
var zhUnits = []struct {
	word  string
	grain grain
}{
	{"个工作日", dayGrain}, {"工作日", dayGrain}, {"个交易日", dayGrain}, {"交易日", dayGrain},
	{"秒钟", second}, {"秒", second}, {"分钟", minute}, {"分", minute}, {"刻钟", minute},
	{"个小时", hour}, {"小时", hour}, {"个钟头", hour}, {"钟头", hour}, {"个钟", hour}, {"钟", hour},
	{"个昼夜", dayGrain}, {"天", dayGrain}, {"日", dayGrain}, {"个晚上", dayGrain}, {"宿", dayGrain},
	{"个周末", weekend}, {"个星期", week}, {"个礼拜", week}, {"星期", week}, {"礼拜", week}, {"个周", week}, {"周", week},
	{"个月", month}, {"个季度", quarter}, {"季度", quarter}, {"个学期", half}, {"个年头", year}, {"周年", year}, {"年", year}, {"载", year}, {"个世纪", century}, {"世纪", century},
}

// unit reads a unit of time.
func (z *chinese) unit(i int) (end int, gr grain) {
	if !z.is(i, zhUnitRole) {
		return 0, noGrain
	}
	if z.has(i, "周年") > 0 {
		return i + 2, year
	}
	for k := range zhUnits {
		if e := z.has(i, zhUnits[k].word); e > 0 {
			return e, zhUnits[k].grain
		}
	}
	return 0, noGrain
}

// length reads a duration: 三个半小时, 两年零三个月, 半天, 一刻钟, 十几天.
func (z *chinese) length(i int) (int, meaning) {
	z.work++
	e, m := z.lengthPart(i)
	if !m.ok() {
		return 0, m
	}
	for range 4 {
		k := z.skip(e, "零", "又", "加", "和", ",")
		f, x := z.lengthPart(k)
		if !x.ok() || x.grain >= m.grain || x.open {
			if g, n := z.small(k); g > 0 && z.has(g, "时") > 0 && m.grain == dayGrain && z.has(g, "时间") == 0 { // 8天20时
				m, e = m.plus(lasting(float64(n), hour)), g+1
			}
			break
		}
		m, e = m.plus(x), f
	}
	return e, m
}

// lengthPart reads one number and its unit.
func (z *chinese) lengthPart(i int) (int, meaning) {
	if !z.is(i, zhDigitRole|zhOtherRole) {
		return 0, meaning{}
	}
	if z.at(i-1) == '第' || z.at(i-1) == '周' || z.at(i-1) == '期' || z.at(i-1) == '初' {
		return 0, meaning{}
	}
	if e := z.has(i, "一整"); e > 0 {
		if f, gr := z.unit(z.skip(e, "个")); f > 0 && gr >= dayGrain {
			return f, lasting(1, gr)
		}
	}
	if e := z.has(i, "大半"); e > 0 {
		if f, gr := z.unit(z.skip(e, "个")); f > 0 && gr >= hour && z.bare {
			m := lasting(0.5, gr)
			m.value = lasting(0.5, gr).value + "/" + lasting(0.9, gr).value
			m.open = true
			return f, m
		}
	}
	if e := z.has(i, "半"); e > 0 {
		return z.halfOf(e)
	}
	n, e, loose := 0.0, 0, false
	switch f := z.any(i, "好几", "几", "数"); {
	case f > 0:
		n, e, loose = 3, f, true
		e = z.skip(e, "十")
	case z.at(i) == '个' && z.at(i+1) == '半' && z.bare: // 个半小时
		n, e = 1, i
	default:
		g, x := z.number(i)
		if g == 0 || x.n > 1e7 || x.digits > 1 && !x.arabic {
			if z.at(i) == '分' && z.at(i+1) == '半' && z.bare { // 分半
				return z.skip(i+2, "钟"), lasting(90, second)
			}
			return 0, meaning{}
		}
		n, e = x.n, g
		if z.any(i, "百", "千", "万") > 0 {
			return 0, meaning{}
		}
	}
	if f := z.any(e, "多", "余", "来", "几"); f > 0 && !loose {
		e = f
	}
	e = z.skip(e, "个多")
	if z.at(e-1) == '多' && z.has(e-2, "个多") > 0 { // 三个多月
		if f := z.any(e, "月", "星期", "小时", "礼拜", "钟头"); f > 0 {
			gr := map[rune]grain{'月': month, '星': week, '小': hour, '礼': week, '钟': hour}[z.at(e)]
			return f, lasting(n, gr)
		}
		return 0, meaning{}
	}
	half := 0.0
	if f := z.has(e, "个半"); f > 0 { // 一个半小时, 一个半月
		half, e = 0.5, f
		if g := z.any(e, "月", "小时", "钟头", "钟", "星期", "礼拜", "分钟", "季度", "世纪"); g > 0 {
			gr := map[rune]grain{'月': month, '小': hour, '钟': hour, '星': week, '礼': week, '分': minute, '季': quarter, '世': century}[z.at(e)]
			return g, z.halves(n+half, gr)
		}
		return 0, meaning{}
	}
	f, gr := z.unit(e)
	if f > 0 && gr == year && n >= 1000 && n < 2900 && z.at(e-1) != '多' && z.at(e-1) != '余' {
		return 0, meaning{} // a year by its number
	}
	if f == 0 {
		if z.at(e) == '点' && gr == noGrain { // 五点五分钟
			if g, x := z.small(e + 1); g > 0 && x < 10 && z.any(g, "分钟", "小时", "秒钟") > 0 && z.bare {
				u, gr := z.unit(g)
				return u, lasting(n+float64(x)/10, gr)
			}
		}
		return 0, meaning{}
	}
	if z.has(e, "刻钟") > 0 {
		return f, lasting(15*n, minute)
	}
	if z.at(e) == '分' && f == e+1 { // 分 alone is a mark
		if h := z.has(f, "半"); h > 0 {
			return z.skip(h, "钟"), lasting(60*n+30, second)
		}
		if g, x := z.small(f); g > 0 && x < 60 && z.at(g) == '秒' {
			return f, lasting(n, minute)
		}
		if !z.bare || f < len(z.r) {
			return 0, meaning{}
		}
	}
	if z.at(e) == '日' && f == e+1 && !z.bare && z.any(f, "内", "后", "前", "游", "之") == 0 {
		return 0, meaning{}
	}
	if z.at(e) == '年' && z.any(f, "级", "纪", "龄", "货", "终", "轻", "初", "底", "代") > 0 || z.at(e) == '周' && z.any(f, "岁") > 0 || z.at(e) == '天' && z.any(f, "才") > 0 {
		return 0, meaning{}
	}
	if h := z.has(f, "半"); h > 0 && z.any(h, "夜", "价", "点", "个") == 0 { // 两年半
		n += 0.5
		f = z.skip(h, "钟")
	} else if h := z.any(f, "多"); h > 0 {
		f = h
		if g, gr2 := z.unit(f); g > 0 && gr2 == gr {
			f = g
		}
	}
	m := lasting(n, gr)
	m.open = loose
	if z.any(e, "个工作日", "工作日", "个交易日", "交易日") > 0 {
		m.value = "P" + amount(n) + "D"
	}
	if g, x := z.number(f); g > 0 && gr == dayGrain && z.any(g, "晚", "夜") > 0 && x.n <= n+1 { // 6天5晚
		f = g + 1
	}
	if h := z.any(f, "春秋", "时间"); h > 0 && gr == year && z.has(f, "春秋") > 0 {
		f = h
	}
	return f, m
}

// halves gives a duration with a half.
func (z *chinese) halves(n float64, gr grain) meaning { return lasting(n, gr) }

// halfOf reads what follows 半: 半年, 半个月, 半小时, 半天.
func (z *chinese) halfOf(e int) (int, meaning) {
	e = z.skip(e, "个多", "个", "份", "多个")
	f, gr := z.unit(e)
	if f == 0 && z.at(e) == '月' {
		f, gr = e+1, month
	}
	if f == 0 || z.any(e, "钟") > 0 && z.at(e-1) != '个' {
		if z.at(e) != '钟' {
			return 0, meaning{}
		}
		f, gr = e+1, hour
	}
	switch gr {
	case hour:
		return z.skip(f, "头"), lasting(30, minute)
	case year:
		m := lasting(6, month)
		m.value = "P0.5Y"
		return f, m
	case month:
		return f, lasting(15, dayGrain)
	case dayGrain:
		return f, lasting(12, hour)
	case minute:
		return f, lasting(30, second)
	case week:
		return f, lasting(3.5, dayGrain)
	case century:
		return f, lasting(50, year)
	}
	return 0, meaning{}
}

// lasts reads a duration that is one, or a range of them.
func (z *chinese) lasts(i int) (int, meaning) {
	if e, x := z.number(i); e > 0 && x.whole() > 0 {
		if k := z.any(e, "--", "-", "到", "至"); k > 0 {
			if f, m := z.length(k); m.ok() && z.at(f-1) != '月' || m.ok() && z.has(f-2, "个月") > 0 {
				if g, y := z.number(k); g > 0 && y.n > x.n {
					if y.n >= 10000 && x.n < 10000 && x.n >= 1 && m.grain == second && x.n < y.n/1000 {
						x.n *= 10000
					}
					lo := lasting(x.n, m.grain)
					m.value = lo.value + "/" + lasting(y.n, m.grain).value
					m.weak = false
					return f, m
				}
			}
		}
	}
	if a, b := hanDigit(z.at(i)), hanDigit(z.at(i+1)); a >= 1 && b > a && (b == a+1 || a == 3 && b == 5) && z.at(i-1) != '第' { // 两三天
		if f, m := z.lengthPart(i + 1); m.ok() && f > i+2 {
			lo := lasting(float64(a), m.grain)
			m.value, m.open = lo.value+"/"+m.value, true
			m.weak = !z.bare
			return f, m
		}
	}
	e, m := z.length(i)
	if !m.ok() {
		return 0, m
	}
	one := z.any(i, "一") > 0 && e == i+2
	m.weak = !z.bare && (one || m.open || m.grain <= second || z.at(i) == '半' && z.at(e-1) == '天' || z.at(e-1) == '周' && one)
	if k := z.any(e, "以上", "以下", "之上", "之下"); k > 0 {
		lo := m.value
		if z.has(e, "以下") > 0 {
			m.value = "PT0S/" + lo
			return k, m
		}
		k2 := z.skip(k, ",", "、", "且")
		if f, x := z.length(k2); x.ok() && z.any(f, "以下", "以内") > 0 {
			m.value = lo + "/" + x.value
			return f + 2, m
		}
		return k, m
	}
	return e, m
}

// shifted reads a time that lies a duration away: 三天前, 半年之后, 20天以内, 过十周, 第
// 七年.
func (z *chinese) shifted(i int) (int, meaning) {
	z.work++
	j := z.skip(i, "再过", "过", "在", "大约", "约")
	lead := z.has(i, "过") > 0 || z.has(i, "再过") > 0
	e, d := z.length(j)
	if !d.ok() || far(d.months, d.secs) {
		if f := z.has(i, "第"); f > 0 && z.bare { // 第七年
			if g, n := z.number(f); g > 0 && z.at(g) == '年' && n.whole() > 1 && n.whole() < 1000 {
				return g + 1, period(ymd(z.ref.Year()+n.whole()-1, 1, 1), year)
			}
		}
		return 0, meaning{}
	}
	loose := d.open
	switch k := z.any(e, "以内", "之内", "内"); {
	case k > 0 && z.any(k, "容", "部", "心", "地", "向") == 0:
		m := z.until(d)
		m.weak = !z.bare && d.grain < dayGrain
		m.rich = false
		return k, m
	}
	if k := z.any(e, "以来", "来"); k > 0 && (z.bare || z.has(e, "以来") > 0) && z.any(k, "到", "了", "说", "自") == 0 {
		a := shift(z.ref, d.months, d.secs, -1)
		switch d.grain {
		case year:
			a = period(a, year).a
			if d.months != float64(int(d.months/12)*12) {
				a = period(a, month).a
			}
		case month:
			a = period(a, month).a
		}
		m := between(a, z.ref, max(min(d.grain, dayGrain), second))
		m.rich = false
		return k, m
	}
	sign := 0
	k := z.skip(e, "之", "以")
	switch {
	case z.at(k) == '前' && z.any(k, "前面", "前后", "前期") == 0 && (k > e || z.any(k, "前台") == 0):
		sign = -1
	case z.at(k) == '后' && z.any(k, "后面", "后台") == 0:
		sign = 1
	}
	if sign == 0 && !(lead && z.has(j, "过") == 0) {
		return 0, meaning{}
	}
	end := k + 1
	if sign == 0 {
		sign, end = 1, e
		if !z.bare || d.grain == year && z.any(e, "的") > 0 {
			return 0, meaning{}
		}
	}
	m := z.moved(d, sign)
	m.open = loose
	m.weak = loose && !z.bare
	m.rich = false
	if m.grain == year && z.ctx == nil {
		if f, d := z.inYear(z.skip(end, "的"), m.a.Year(), true, false); d.ok() && f > end { // 两年前的夏天
			return f, rich(d.meaning)
		}
	}
	if f, c := z.clockTime(z.skip(end, "的")); c.ok() && m.grain == dayGrain { // 三天后的下午三点
		if c.kind == clock {
			return f, rich(at(m.a, c.meaning))
		}
		if c.kind == dayPart {
			return f, rich(onDay(m.a, c.meaning.part))
		}
	}
	return end, m
}

// until gives the interval from now on for a duration, to the end of its day where
// it is one of days.
func (z *chinese) until(d meaning) meaning {
	b := shift(z.ref, d.months, d.secs, 1)
	switch {
	case d.grain == year && d.months != float64(int(d.months/12)*12):
		b = period(b, month).b
	case d.grain >= dayGrain:
		b = midnight(b).AddDate(0, 0, 1)
	}
	return between(z.ref, b, second)
}

// moved gives the time a duration away at the grain of the duration.
func (z *chinese) moved(d meaning, sign int) meaning {
	t := shift(z.ref, d.months, d.secs, sign)
	if !goodYear(t.Year()) {
		return meaning{}
	}
	switch d.grain {
	case year:
		if float64(int(d.months/12)*12) != d.months {
			return period(t, month)
		}
		return period(t, year)
	case quarter, half, month:
		return period(t, month)
	case week:
		return period(t, week)
	case dayGrain:
		if d.months > 0 {
			return dayOf(t)
		}
		return dayOf(t)
	}
	if !z.bare {
		return period(t, max(min(d.grain, minute), second))
	}
	// A clock's shift is as wide as its unit: it ends there before, and begins there
	// after.
	wide := unitLength(d.grain)
	if sign < 0 {
		return between(t.Add(-wide), t, min(d.grain, minute))
	}
	return between(t, t.Add(wide), min(d.grain, minute))
}

// rolling reads 近30天, 过去的一周, 未来48小时, 最近三个月, 前两个月, 今明两年.
func (z *chinese) rolling(i int) (int, meaning) {
	z.work++
	if e := z.any(i, "今明两年", "今明两天"); e > 0 {
		if z.at(e-1) == '年' {
			return e, between(ymd(z.ref.Year(), 1, 1), ymd(z.ref.Year()+2, 1, 1), year)
		}
		t := midnight(z.ref)
		return e, between(t, t.AddDate(0, 0, 2), dayGrain)
	}
	if e := z.any(i, "全年", "全月", "全天"); e > 0 && z.bare {
		gr := map[rune]grain{'年': year, '月': month, '天': dayGrain}[z.at(e-1)]
		return e, period(z.ref, gr)
	}
	sign, j := 0, 0
	aligned := false
	switch {
	case z.any(i, "过去的", "过去", "最近的", "最近", "近", "刚过去的", "之前") > 0:
		sign, j = -1, z.any(i, "过去的", "过去", "最近的", "最近", "近", "刚过去的", "之前")
	case z.any(i, "未来的", "未来", "接下来的", "接下来", "今后", "之后", "将来", "往后", "此后") > 0:
		sign, j = 1, z.any(i, "未来的", "未来", "接下来的", "接下来", "今后", "之后", "将来", "往后", "此后")
	case z.any(i, "这") > 0 && z.any(i+1, "一", "个") == 0:
		sign, j = -1, i+1
	case z.any(i, "前", "上") > 0:
		sign, j, aligned = -1, i+1, true
	case z.any(i, "后", "下") > 0:
		sign, j, aligned = 1, i+1, true
	default:
		return 0, meaning{}
	}
	if z.any(i, "近", "前", "上", "后", "下") > 0 && !z.bare && (i > 0 && isHan(z.at(i-1)) && z.any(i-1, "在", "的", "是", "了", "从") == 0 || aligned) {
		return 0, meaning{}
	}
	e, d := z.length(j)
	if !d.ok() || far(d.months, d.secs) || d.months == 0 && d.secs < 1 || z.any(j, "半") > 0 && aligned {
		return 0, meaning{}
	}
	one := z.any(j, "一") > 0
	e2 := z.skip(e, "以内", "之内", "内", "里", "间", "以来", "来")
	if e3 := z.any(e, "前", "后", "之前", "之后", "以前", "以后"); e3 > 0 {
		return 0, meaning{}
	}
	if aligned {
		if one && d.grain >= dayGrain {
			return 0, meaning{}
		}
		n, u := d.secs, 0.0
		mu, su := length(1, d.grain)
		if d.months > 0 {
			n, u = d.months, mu
		} else {
			u = su
		}
		k := int(n / u)
		if float64(float64(k)*u) != n {
			return 0, meaning{}
		}
		var m meaning
		if sign < 0 {
			m = between(step(z.ref, d.grain, -k).a, period(z.ref, d.grain).a, d.grain)
			if d.grain == week {
				m = between(step(z.ref, week, -k).a, z.ref, second)
				m.value = ""
			}
		} else {
			m = between(step(z.ref, d.grain, 1).a, step(z.ref, d.grain, k).b, d.grain)
		}
		return e2, m
	}
	var m meaning
	if sign > 0 {
		b := shift(z.ref, d.months, d.secs, 1)
		if d.grain >= month {
			b = midnight(b)
		}
		m = between(z.ref, b, second)
	} else {
		a := shift(z.ref, d.months, d.secs, -1)
		if d.grain >= month {
			a = midnight(a)
		}
		m = between(a, z.ref, second)
	}
	if !z.bare {
		out := d
		out.a, out.b = m.a, m.b
		out.weak = d.open
		return e2, out
	}
	m.rich = false
	return e2, m
}

// secondsOf gives n seconds.
func secondsOf(n int) time.Duration { return time.Duration(n) * time.Second }
