package timex

// ranges reads an interval by its two ends; the second takes over from the first
// what it does not name.
func (z *chinese) ranges(i int) (int, meaning) {
	z.work++
	j := z.skip(i, "从", "自", "由", "在")
	if e, m := z.numbers(j); m.ok() {
		return e, m
	}
	e, a := z.point(j)
	if !a.ok() || a.kind == duration {
		return 0, meaning{}
	}
	k := z.skip(e, "起", "开始", "之间", " ")
	l := z.link(k)
	if l == 0 {
		return 0, meaning{}
	}
	l = z.skip(l, " ")
	old := z.ctx
	z.ctx = &a
	f, b := z.point(l)
	z.ctx = old
	if !b.ok() || b.kind == dayPart || a.kind == dayPart {
		return 0, meaning{}
	}
	if (z.at(k) == '和' || z.at(k) == '与') && z.any(f, "之间", "间") == 0 {
		return 0, meaning{}
	}
	m := z.span(a, b)
	if !m.ok() {
		return 0, meaning{}
	}
	f = z.skip(f, "为止", "止", "之间", "期间")
	return f, m
}

// link reads the word between two ends.
func (z *chinese) link(i int) int {
	if e := z.any(i, "一直到", "直到", "到", "至", "---", "--", "-", "和", "与"); e > 0 {
		return e
	}
	return 0
}

// span gives the interval from a through b.
func (z *chinese) span(a, b zdate) meaning {
	switch {
	case a.kind == clock && b.kind == clock:
		x, y := a.meaning, b.meaning
		if a.part != "" && b.part == "" && y.sec < x.sec && y.sec < 43200 {
			y.sec += 12 * 3600
		}
		if x.half && !y.half && y.sec > 43200 && x.sec < 43200 && b.part == "" && x.sec+43200 < y.sec && a.part == "" {
			x.half = false
		}
		m := meaning{kind: clock, sec: x.sec, grain: min(x.grain, y.grain), value: clockText(x.sec, x.grain) + "/" + clockText(y.sec%86400, y.grain), rich: true, open: x.half && y.half}
		m.secs = float64(y.sec - x.sec)
		if m.secs <= 0 {
			m.secs += 86400
		}
		if y.sec >= 86400 || z.bare { // to midnight: placed on the day
			t := at(z.ref, x).a
			out := between(t, t.Add(secondsOf(int(m.secs))), m.grain)
			if y.sec < 86400 {
				out.value = timexOf(out.a, minute) + "/" + timexOf(out.b, minute)
				if y.grain == second {
					out.value = ""
					out.grain = second
				}
			}
			return out
		}
		return m
	case b.kind == clock && a.kind == moment:
		y := b.meaning
		if a.part != "" && b.part == "" {
			y = y.towards(a.part)
		}
		end := at(a.a, y)
		if !end.a.After(a.a) {
			end = at(a.a.AddDate(0, 0, 1), y)
			if y.half && at(a.a, y).a.Add(secondsOf(43200)).After(a.a) {
				end = at(a.a, meaning{kind: clock, sec: y.sec + 43200, grain: y.grain})
			}
		}
		b.meaning = end
	case !a.onCalendar() || !b.onCalendar():
		return meaning{}
	}
	x, y := a.meaning, b.meaning
	if y.yearless && x.a.Year() != y.a.Year() {
		y = inYear(y, x.a.Year())
	}
	if y.a.Before(x.a) {
		if y.yearless && x.yearless || y.yearless && y.grain <= month {
			y = inYear(y, y.a.Year()+1)
		}
		if y.a.Before(x.a) {
			return meaning{}
		}
	}
	g := english{ref: z.ref}
	m := g.spanOf(x, y)
	if y.value == "PRESENT_REF" {
		m = between(x.a, z.ref, second)
	}
	return m
}

// numbers reads two numbers before one unit: 2-4月, 9~11点, 三到五月.
func (z *chinese) numbers(i int) (int, meaning) {
	if e, m := z.monthPair(i, z.ref.Year(), false); m.ok() {
		return e, m
	}
	if e, y, d := z.yearPart(i); e > 0 && d.grain == year {
		if f, m := z.monthPair(z.skip(e, "的"), y, true); m.ok() {
			return f, m
		}
		if e2, n := z.number(i); e2 == 0 || n.digits == 0 {
			return 0, meaning{}
		}
	}
	if e, x := z.number(i); e > 0 && (x.digits == 4) && x.whole() > 1000 { // 2008-2018年
		if k := z.link(e); k > 0 && z.at(e) != '和' {
			if f, y := z.number(k); f > 0 && y.digits == 4 && z.at(f) == '年' && y.whole() > x.whole() && y.whole() < 2900 {
				return f + 1, between(ymd(x.whole(), 1, 1), ymd(y.whole()+1, 1, 1), year)
			}
		}
	}
	// a day and part, then two hours: 大前天晚上9-11点
	day, part, j := z.ref, "", i
	placed := false
	if e, d := z.datePart(i); d.onCalendar() && d.grain == dayGrain || d.kind == moment && d.meaning.part != "" {
		day, j, placed = midnight(d.a), z.skip(e, "的"), true
		part = d.meaning.part
		if f, n := z.small(j); f > 0 && z.at(f) == '点' {
			_ = n
		}
	}
	for k := range zhPartWords {
		if e := z.has(j, zhPartWords[k].word); e > 0 && (e > j+1 || isDigit(z.at(e)) || isHanNumber(z.at(e))) {
			part, j = zhPartWords[k].code, z.skip(e, "的")
			break
		}
	}
	e, n := z.small(j)
	if e == 0 {
		return 0, meaning{}
	}
	k := z.link(e)
	if k == 0 || z.at(e) == '和' || z.at(e) == '与' {
		return 0, meaning{}
	}
	f, c := z.clockOnly(k, part)
	if c.kind != clock || n > 24 || z.at(k) == ':' || z.hasColon(k) {
		return 0, meaning{}
	}
	a := meaning{kind: clock, sec: n * 3600, grain: hour, half: n <= 12}
	if part != "" {
		a = a.towards(part)
	}
	out := z.span(zdate{meaning: a, part: part}, zdate{meaning: c, part: part})
	if placed && out.kind == clock {
		t := at(day, a).a
		return f, between(t, t.Add(secondsOf(int(out.secs))), min(out.grain, minute))
	}
	if placed {
		b := out.b.Sub(out.a)
		t := at(day, a).a
		return f, between(t, t.Add(b), min(out.grain, minute))
	}
	return f, out
}

// hasColon tells whether the number at k is one of a clock with a colon.
func (z *chinese) hasColon(k int) bool {
	e, _ := z.small(k)
	return e > 0 && z.at(e) == ':'
}

// monthPair reads 2-4月, 三到五月份.
func (z *chinese) monthPair(i, y int, named bool) (int, meaning) {
	e, a := z.small(i)
	if e == 0 || a < 1 || a > 12 || i > 0 && isDigit(z.at(i-1)) {
		return 0, meaning{}
	}
	k := z.link(z.skip(e, "月"))
	if k == 0 || z.at(k-1) == '和' || z.at(k-1) == '与' {
		return 0, meaning{}
	}
	f, b := z.small(k)
	if f == 0 || b < 1 || b > 12 || z.at(f) != '月' || a == b {
		return 0, meaning{}
	}
	if g, d := z.small(f + 1); g > 0 && d > 0 && z.any(g, "日", "号") > 0 {
		return 0, meaning{}
	}
	y2 := y
	if b < a {
		y2++
	}
	m := between(ymd(y, a, 1), ymd(y2, b+1, 1), month)
	m.yearless = !named
	return z.skip(f+1, "份"), m
}
