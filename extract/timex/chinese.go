package timex

import (
	"time"
	"unicode/utf8"
)

// chinese is the Chinese grammar over the characters of one text. Traditional
// characters are read as simplified, full-width ones as narrow, and space beside
// a Chinese character is dropped; off gives the byte of each character.
type chinese struct {
	r    []rune
	off  []int
	end  []int // the byte after each character
	ref  time.Time
	bare bool
	// ctx is what an end of a range takes over from its start.
	ctx  *zdate
	work int
	// pointAt is one more than where lastPoint was read, without a context.
	pointAt, pointEnd int
	lastPoint         zdate
}

// zdate is a date with the fields that were named.
type zdate struct {
	meaning
	y, m, d int
	part    string // part of the day that was named
	lunar   bool
}

var simplified = pairs("週周禮礼點点鐘钟號号後后個个兩两時时間间現现這这聽听節节聖圣誕诞勞劳動动國国際际從从開开聞闻曆历陰阴農农舊旧閏闰臘腊數数幾几過过來来內内歲岁載载紀纪終终結结續续當当場场應应該该進进還还邊边達达選选遲迟運运鄉乡郵邮長长門门陽阳陳陈雙双難难電电靈灵顯显風风飛飞馬马魯鲁鳳凤麗丽齊齐齋斋龍龙龐庞爾尔爺爷獻献燈灯燭烛猶犹獨独會会歸归復复懺忏慶庆樹树樂乐東东耶耶穌稣許许親亲護护貝贝贖赎轉转軍军誦诵費费團团婦妇兒儿護护師师萬万億亿億亿學学寶宝賽赛車车晝昼書书無无為为頭头願愿衛卫環环衹只係系潑泼灑洒齡龄僅仅滿满歷历")

// pairs makes a map of a text of pairs.
func pairs(s string) map[rune]rune {
	out := map[rune]rune{}
	r := []rune(s)
	for i := 0; i+1 < len(r); i += 2 {
		out[r[i]] = r[i+1]
	}
	return out
}

// newChinese makes the grammar of a text.
func newChinese(text string, ref time.Time, bare bool) *chinese {
	z := &chinese{ref: ref, bare: bare, r: make([]rune, 0, len(text)/2), off: make([]int, 0, len(text)/2), end: make([]int, 0, len(text)/2)}
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		at := i
		i += n
		switch {
		case r == ' ' || r == '\u3000' || r == '\u00a0':
			next, _ := utf8.DecodeRuneInString(text[i:])
			if k := len(z.r); k > 0 && (isHan(z.r[k-1]) || isHan(next)) {
				continue
			}
			r = ' '
		case r >= 0xff01 && r <= 0xff5e:
			r -= 0xfee0
		case r == '—' || r == '–' || r == '－' || r == '~' || r == '〜' || r == '至':
			if r != '至' {
				r = '-'
			}
		case r >= 0x4e00:
			if s, ok := simplified[r]; ok {
				r = s
			}
		}
		if r >= 'A' && r <= 'Z' {
			r |= 0x20
		}
		if r == '~' {
			r = '-'
		}
		z.r, z.off, z.end = append(z.r, r), append(z.off, at), append(z.end, i)
	}
	return z
}

func isHan(r rune) bool { return r >= 0x3007 && r <= 0x9fff }

// at gives the character at i, 0 outside the text.
func (z *chinese) at(i int) rune {
	if i < 0 || i >= len(z.r) {
		return 0
	}
	return z.r[i]
}

// has tells whether s stands at i and gives its end, 0 where not.
func (z *chinese) has(i int, s string) int {
	for _, c := range s {
		if i < 0 || i >= len(z.r) || z.r[i] != c {
			return 0
		}
		i++
	}
	return i
}

// any gives the end of the first of the words that stands at i, 0 for none.
func (z *chinese) any(i int, list ...string) int {
	for _, s := range list {
		if e := z.has(i, s); e > 0 {
			return e
		}
	}
	return 0
}

// skip is any, or i where none stands.
func (z *chinese) skip(i int, list ...string) int { return max(i, z.any(i, list...)) }

// find gives what stands in running text.
func (z *chinese) find() []Match {
	var out []Match
	starts := z.starts()
	for i := 0; i < len(z.r); {
		c := z.r[i]
		if !starts[i] {
			i++
			continue
		}
		if c < 0x80 {
			if i > 0 && (isDigit(z.r[i-1]) || z.r[i-1] >= 'a' && z.r[i-1] <= 'z' || z.r[i-1] == '.') {
				i++
				continue
			}
		}
		e, m := z.expression(i)
		if e <= i || !m.ok() || m.weak {
			i++
			continue
		}
		out = append(out, m.match(z.off[i], z.end[e-1]))
		i = e
	}
	return out
}

func isDigit(c rune) bool { return c >= '0' && c <= '9' }

// whole reads all characters as one expression.
func (z *chinese) whole() (meaning, bool) {
	for i := 0; i < min(len(z.r), 4); i++ {
		e, m := z.expression(i)
		if m.ok() && z.trails(e) {
			return m, true
		}
		if z.any(i, "在", "于", "约", "大", "的", "就", "是", "整", "达") == 0 {
			break
		}
	}
	return meaning{}, false
}

// trails tells whether nothing but what may follow an expression is left.
func (z *chinese) trails(i int) bool {
	for i < len(z.r) {
		if e := z.any(i, "左右", "前后", "上下", "之内", "以内", "时分", "前夕", "许", "多", "的", "时候", "这天", "当天", "那天", "期间", "整", "内", "里", "中", "之间", " ", "。", ",", "、", "止"); e > 0 {
			i = e
			continue
		}
		return false
	}
	return true
}

// zhRule is a rule with the roles of the characters that can start what it reads.
type zhRule struct {
	roles zhRole
	read  func(*chinese, int) (int, meaning)
}

// expression reads the longest expression that starts at i.
func (z *chinese) expression(i int) (end int, m meaning) {
	z.work++
	const all = ^zhCarrier
	r := role(z.at(i))
	for _, rule := range [...]zhRule{
		{zhOtherRole, (*chinese).sets}, {all, (*chinese).ranges}, {zhSpanRole, (*chinese).rolling}, {zhDigitRole | zhOtherRole, (*chinese).shifted},
		{all, (*chinese).single}, {zhDigitRole | zhOtherRole, (*chinese).lasts},
	} {
		if r&rule.roles == 0 {
			continue
		}
		if e, x := rule.read(z, i); x.ok() && e > end {
			end, m = e, x
		}
	}
	return end, m
}

// single reads a point with what may open a side of it.
func (z *chinese) single(i int) (int, meaning) {
	j := z.skip(i, "自从", "从", "自", "截至", "截止到", "在")
	lead := j > i
	e, d := z.point(j)
	if !d.ok() {
		return 0, meaning{}
	}
	m := d.meaning
	if f, x := z.besideOf(e, m); x.ok() { // 春节前一周
		return f, x
	}
	e2, side := z.side(e)
	if side == 0 || !z.bare {
		if lead && !z.bare { // there the word before the point is no part of it
			m.weak = true
		}
		return e, m
	}
	if side < 0 && m.onCalendar() && m.b.After(z.ref) {
		b := m.b
		if m.kind == moment && m.part == "" && m.grain == hour {
			b = m.a.Add(time.Hour)
		}
		out := between(z.ref, b, second)
		out.kind = date
		return e2, out
	}
	if side > 0 && lead && m.onCalendar() && m.a.Before(z.ref) && m.grain >= dayGrain {
		out := between(m.a, z.ref, dayGrain)
		out.value = ""
		return e2, out
	}
	m.rich = true
	m.weak = false
	return e2, m
}

// besideOf reads 前一周, 后三天 after a day or feast.
func (z *chinese) besideOf(e int, m meaning) (int, meaning) {
	k := z.any(e, "之前", "之后", "前", "后")
	if k == 0 || m.kind != date || m.grain != dayGrain {
		return 0, meaning{}
	}
	sign := 1
	if z.any(e, "之前", "前") > 0 {
		sign = -1
	}
	f, d := z.length(z.skip(k, "的"))
	if !d.ok() || d.open || d.grain < dayGrain || far(d.months, d.secs) {
		if f := z.has(k, "夕"); f > 0 && sign < 0 {
			return f, rich(dayOf(m.a.AddDate(0, 0, -1)))
		}
		return 0, meaning{}
	}
	t := shift(m.a, d.months, d.secs, sign)
	switch {
	case d.secs == 86400 && d.months == 0, !z.bare:
		return f, rich(dayOf(t))
	case sign < 0:
		return f, between(t, m.a, dayGrain)
	}
	return f, between(m.b, t.AddDate(0, 0, 1), dayGrain)
}

// side reads what opens a side: -1 before, 1 after.
func (z *chinese) side(i int) (int, int) {
	j := z.skip(i, "或", "及", "和", "以及")
	if e := z.any(j, "以前", "之前"); e > 0 {
		return e, -1
	}
	if e := z.any(j, "以后", "之后", "以来", "开始", "起"); e > 0 {
		return e, 1
	}
	if j > i {
		return 0, 0
	}
	if e := z.has(i, "前"); e > 0 && z.any(e, "后", "面", "期", "夕", "往", "者", "景", "台", "所", "提", "途", "来") == 0 && !isHanNumber(z.at(e)) {
		return e, -1
	}
	if e := z.has(i, "后"); e > 0 && z.any(e, "面", "来", "期", "悔", "果", "续", "台", "者") == 0 {
		return e, 1
	}
	return 0, 0
}

// point reads a date, a time of the day, or both.
func (z *chinese) point(i int) (int, zdate) {
	if z.ctx != nil {
		return z.readPoint(i)
	}
	if z.pointAt != i+1 {
		e, d := z.readPoint(i)
		z.pointAt, z.pointEnd, z.lastPoint = i+1, e, d
	}
	return z.pointEnd, z.lastPoint
}

func (z *chinese) readPoint(i int) (int, zdate) {
	z.work++
	i = z.skip(i, "北京时间", "当地时间")
	e, d := z.datePart(i)
	if !d.ok() {
		e, c := z.clockTime(i)
		return e, c
	}
	if !d.onCalendar() {
		return e, d
	}
	if d.meaning.part != "" { // 今晚, 昨晚
		k := z.skip(e, "的", ",")
		if f, c := z.clockOnly(k, d.meaning.part); c.ok() {
			out := zdate{meaning: at(z.dayFor(d, c), c), y: d.y, m: d.m, d: d.d, part: d.meaning.part}
			return f, out
		}
		d.part = d.meaning.part
		return e, d
	}
	if d.grain != dayGrain || d.kind != date {
		return e, d
	}
	k := z.skip(e, "的", ",", " ", "-")
	if z.at(e) == '-' && !(isDigit(z.at(e+1)) && z.bare) {
		k = e
	}
	if f, w := z.weekdayName(z.skip(k, "(")); f > 0 && d.weekday == 0 { // 5月8号，星期一
		_ = w
		f = z.skip(f, ")")
		e, k = f, z.skip(f, "的", ",", " ")
	}
	f, c := z.clockTime(k)
	if !c.ok() {
		return e, d
	}
	if c.kind == dayPart {
		out := onDay(d.a, c.meaning.part)
		out.yearless, out.rich = d.yearless, true
		if c.value != "" { // 黎明 and the like have hours of their own
			out.a, out.b = d.a.Add(time.Duration(c.sec)*time.Second), d.a.Add(time.Duration(c.sec+int(c.secs))*time.Second)
		}
		return f, zdate{meaning: out, y: d.y, m: d.m, d: d.d, part: c.meaning.part}
	}
	out := at(d.a, c.meaning)
	out.yearless = d.yearless
	return f, zdate{meaning: out, y: d.y, m: d.m, d: d.d, part: c.part}
}

// dayFor gives the day of a clock time that follows a part of a day.
func (z *chinese) dayFor(d zdate, c meaning) time.Time {
	day := midnight(d.a)
	if d.meaning.part == "NI" && d.a.Hour() < 6 {
		return day
	}
	return day
}
