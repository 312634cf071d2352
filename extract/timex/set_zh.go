package timex

import "fmt"

// sets reads what comes again: 每周三, 每天晚上8点, 每隔两天, 每年春节, 每个工作日.
func (z *chinese) sets(i int) (int, meaning) {
	z.work++
	j := z.any(i, "每个", "每一个", "每一", "每逢", "每")
	if j == 0 {
		return 0, meaning{}
	}
	if e := z.any(j, "隔"); e > 0 || z.any(j, "间隔") > 0 {
		e = max(e, z.any(j, "间隔"))
		if f, d := z.length(e); d.ok() {
			return f, again(d.value)
		}
		return 0, meaning{}
	}
	m, e := meaning{}, 0
	switch f := z.any(j, "个"); {
	case f > 0:
		j = f
	}
	if f, wd := z.weekdayName(j); f > 0 {
		m, e = again(fmt.Sprintf("XXXX-WXX-%d", wd)), f
		m.weekday = wd
		if l := z.link(f); l > 0 && z.at(f) != '和' { // 每周一至周五
			g, wd2 := z.weekdayName(l)
			if v := hanDigit(z.at(l)); g == 0 && v >= 1 && v <= 6 && z.any(l+1, "点", "个", "月", "年") == 0 {
				g, wd2 = l+1, v
			} else if g == 0 && z.at(l) == '日' {
				g, wd2 = l+1, 7
			}
			if g > 0 {
				m, e = again(fmt.Sprintf("XXXX-WXX-%d/XXXX-WXX-%d", wd, wd2)), g
				if wd == 1 && wd2 == 5 {
					m.value = "XXXX-WXX-WD"
				}
			}
		}
	} else if f := z.any(j, "周末", "星期末"); f > 0 {
		m, e = again("XXXX-WXX-WE"), f
	} else if f := z.any(j, "周的工作日", "周工作日", "工作日", "交易日"); f > 0 {
		m, e = again("XXXX-WXX-WD"), f
	} else if f := z.any(j, "半年"); f > 0 {
		m, e = again("P0.5Y"), f
	} else if f := z.any(j, "年"); f > 0 {
		return z.yearly(f)
	} else if f := z.any(j, "月"); f > 0 {
		if g, n := z.small(z.skip(f, "的")); g > 0 && z.any(g, "日", "号") > 0 && n >= 1 && n <= 31 {
			return g + 1, again(fmt.Sprintf("XXXX-XX-%02d", n))
		}
		return f, again("P1M")
	} else if f := z.any(j, "季度", "季"); f > 0 {
		return f, again("P3M")
	} else if f := z.any(j, "周", "星期", "礼拜"); f > 0 {
		if z.any(f, "岁", "围", "边", "年") > 0 {
			return 0, meaning{}
		}
		return f, again("P1W")
	} else if f := z.any(j, "天", "日", "晚上", "晚", "早上", "早", "夜", "上午", "下午"); f > 0 {
		m, e = again("P1D"), f
		m.grain = dayGrain
		if z.any(j, "天", "日") == 0 {
			e = j
		}
	} else if f, d := z.length(j); d.ok() {
		return f, again(d.value)
	} else if f, gr := z.unit(j); f > 0 {
		return f, again(lasting(1, gr).value)
	} else {
		return 0, meaning{}
	}
	k := z.skip(e, "的")
	f, c := z.clockTime(k)
	if !c.ok() {
		if e == j && m.grain == dayGrain { // 每晚
			part := map[rune]string{'晚': "EV", '早': "MO", '夜': "NI", '上': "MO", '下': "AF"}[z.at(j)]
			m.value = "T" + part
			return z.any(j, "晚上", "晚", "早上", "早", "夜", "上午", "下午"), m
		}
		return e, m
	}
	if c.kind == dayPart {
		switch {
		case m.weekday > 0:
			m.value += "T" + c.meaning.part
		case m.value == "P1D":
			m.value = "XXXX-XX-XXT" + c.meaning.part
			if e == j {
				m.value = "T" + c.meaning.part
			}
		}
		return f, m
	}
	if c.kind != clock {
		return e, m
	}
	out := joinSet(m, c.meaning)
	if k := z.link(f); k > 0 { // 上午9点到11点
		old := z.ctx
		z.ctx = &c
		if g, x := z.clockTime(k); x.kind == clock {
			f = g
		}
		z.ctx = old
	}
	return f, out
}

// yearly reads what comes every year: 每年春节, 每年9月到11月, 每年5月1日.
func (z *chinese) yearly(f int) (int, meaning) {
	k := z.skip(f, "的")
	for _, s := range zhSeasons {
		if z.at(k) == s.c && z.any(k+1, "天", "季") > 0 {
			return k + 2, again("XXXX-" + s.code)
		}
	}
	if f := z.any(k, "农历", "阴历"); f > 0 { // another day every year
		if e, _, _, _, lunar := z.monthPart(f, z.ref.Year(), false, true); e > 0 && lunar {
			g, _ := z.dayOfMonth(e, lunarMonth(z.ref.Year(), 1, false), true)
			return max(e, g), again("P1Y")
		}
	}
	if e, _, fixed, r := z.feastName(k); e > 0 {
		if fixed {
			return e, again(fmt.Sprintf("XXXX-%02d-%02d", r.a, r.b))
		}
		return e, again("P1Y")
	}
	e, m := z.small(k)
	if e == 0 || m < 1 || m > 12 || z.at(e) != '月' {
		return f, again("P1Y")
	}
	e = z.skip(e+1, "份")
	if l := z.link(e); l > 0 {
		if g, n := z.small(l); g > 0 && n >= 1 && n <= 12 && z.at(g) == '月' {
			return z.skip(g+1, "份"), again(fmt.Sprintf("XXXX-%02d/XXXX-%02d", m, n))
		}
	}
	if g, n := z.small(e); g > 0 && n >= 1 && n <= 31 && z.any(g, "日", "号") > 0 {
		return g + 1, again(fmt.Sprintf("XXXX-%02d-%02d", m, n))
	}
	return e, again(fmt.Sprintf("XXXX-%02d", m))
}
