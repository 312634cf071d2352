package timex

import "strings"

// zhFeastList gives the Chinese names of feasts, each line a rule (see feastRule)
// and its names.
const zhFeastList = `
f 1 1: 元旦节|元旦|新年|公历新年|阳历新年|新历新年
f 2 14: 情人节|圣瓦伦丁节
f 3 8: 三八妇女节|国际妇女节|妇女节|三八节|女神节|女生节
f 3 12: 植树节
f 3 15: 国际消费者权益日|消费者权益日|三一五|315
f 3 17: 圣帕特里克节
f 3 14: 白色情人节
f 4 1: 愚人节
f 4 22: 地球日|世界地球日
f 5 1: 五一国际劳动节|国际劳动节|五一劳动节|劳动节|五一
f 5 4: 五四青年节|青年节|五四
f 5 12: 护士节|国际护士节
f 6 1: 六一儿童节|国际儿童节|儿童节|六一
f 7 1: 建党节|七一建党节|香港回归纪念日|香港回归日|七一
f 7 4: 美国独立日|独立日
f 8 1: 八一建军节|建军节|八一
f 9 10: 教师节
f 9 3: 抗战胜利纪念日
f 10 1: 国庆节|十一国庆节|国庆|中国国庆|十一
f 10 31: 万圣夜|万圣节前夜
f 11 1: 万圣节|诸圣节
f 11 2: 万灵节|追思亡者日
f 11 11: 双十一|光棍节|双11
f 12 12: 双十二
f 6 18: 六一八
f 12 1: 世界艾滋病日|艾滋病日
f 12 20: 澳门回归纪念日|澳门回归日
f 12 13: 国家公祭日
f 12 24: 平安夜|圣诞夜
f 12 25: 圣诞节|圣诞|耶诞节|耶诞
f 12 26: 节礼日
f 12 31: 跨年夜|跨年
f 8 15: 圣母升天节|圣母升天日
f 1 6: 主显节
n 5 2 7: 母亲节
n 6 3 7: 父亲节
n 11 4 4: 感恩节
b 11 4 4 1: 黑色星期五|黑五
b 11 4 4 4: 网络星期一
n 10 3 1: 老板节|老细节
n 1 3 1: 马丁路德金日|马丁路德金纪念日
n 5 -1 1: 阵亡将士纪念日
e 0: 复活节|主复活日
e 1: 复活节星期一|复活节周一
e -2: 耶稣受难日|耶稣受难节|主受难日|主受难节|受难日|圣周五|沉默周五|沈默周五|圣星期五
e -1: 圣周六|神圣周六
e -3: 濯足节|圣周四
e -7: 棕枝主日|圣枝主日|圣树主日|基督苦难主日
e -46: 圣灰星期三|圣灰周三|大斋首日
e -47: 忏悔节|忏悔星期二|告解星期二
e 39: 耶稣升天节|升天节|耶稣升天日
e 49: 圣灵降临节|五旬节|圣神降临节|五旬节主日
e 50: 圣灵节庆日|圣神降临节庆日|圣灵降临日星期一
e 56: 圣三一主日|圣三主日|圣三节|三一主日
e 60: 基督圣体节|基督圣体圣血瞻礼|圣体节
e -46 46: 大斋期|大斋节|四旬期
o 0: 东正教复活节
o 1: 东正教复活节星期一|东正教复活节周一
o -2: 东正教耶稣受难日|东正教圣周五|东正教主受难日
o -1: 东正教圣周六|东正教神圣周六
o -7: 东正教棕枝主日|东正教圣枝主日|东正教圣树主日|东正教基督苦难主日
o -8: 拉撒路圣周六|拉匝禄圣周六|拉撒路周六
o -48: 净周一|洁净星期一|圣洁周一
o -48 40: 四旬节|东正教大斋期
l 1 1: 春节|新春|大年初一|正月初一|农历新年|中国新年|农历大年初一|正月朔日|新正|过年
l 1 2: 大年初二
l 1 3: 大年初三
l 1 15: 元宵节|元宵|上元节|农历元宵|灯节
l 2 2: 龙抬头
l 5 5: 端午节|端午|五月节|端阳节
l 7 7: 七夕情人节|七夕节|七夕|乞巧节
l 7 15: 中元节|鬼节|盂兰节
l 8 15: 中秋节|中秋|月饼节
l 9 9: 重阳节|重阳|登高节
l 12 8: 腊八节|腊八
l 12 23: 北方小年|小年
l 12 30: 除夕夜|除夕|大年三十|年三十|大年夜|年夜
t 0: 小寒
t 1: 大寒
t 2: 立春
t 3: 雨水节气
t 4: 惊蛰
t 5: 春分
t 6: 清明节|清明
t 7: 谷雨
t 8: 立夏
t 9: 小满
t 10: 芒种
t 11: 夏至
t 12: 小暑
t 13: 大暑
t 14: 立秋
t 15: 处暑
t 16: 白露
t 17: 秋分
t 18: 寒露
t 19: 霜降
t 20: 立冬
t 21: 小雪节气
t 22: 大雪节气
t 23: 冬至节|冬至
h 7 1 2: 犹太新年
h 7 10: 赎罪日
h 7 15 9: 住棚节
h 7 22: 圣会节|阿兹列特节
h 7 23: 西赫托拉节|西赫妥拉节|妥拉节|诵经节|转经节|律法节
h 9 25 8: 光明节|修殿节|献殿节|烛光节|哈努卡节|马加比节|马加比日
h 11 15: 犹太植树节|树木新年|图比舍巴特
h 12 14: 普珥节
h 1 15 8: 逾越节
h 1 27: 犹太大屠杀纪念日|大屠杀纪念日
h 2 18: 篝火节|拉巴奥默节
h 3 6 2: 七七节|犹太五旬节
h 5 9: 圣殿被毁日|禁食日|圣殿被毁节
i 1 1: 伊斯兰新年|伊斯兰历新年|回历新年
i 1 10: 阿舒拉节
i 3 12: 圣纪节|圣纪日
i 7 27: 登霄节|夜行登霄节
i 9 1 30: 斋月|拉马丹
i 10 1: 开斋节|肉孜节|尔代节|开斋日
i 12 10: 古尔邦节|宰牲节|尔德节|忠孝节
v 0: 排灯节|印度灯节|屠妖节
g 0: 侯丽节|洒红节|胡里节|好利节|霍利节|荷丽节|欢悦节|五彩节|印度洒红节
f 1 13: 印度丰收节第一天|庞格尔节第一天
f 1 14: 印度丰收节第二天|庞格尔节第二天
f 1 15: 印度丰收节第三天|庞格尔节第三天
f 1 16: 印度丰收节第四天|庞格尔节第四天
`

// zhFeasts are the names by their first character, the longest first.
var zhFeasts = parseZhFeasts()

func parseZhFeasts() []map[string]feastRule {
	// Names of one length share a map; the longest lengths stand first.
	out := make([]map[string]feastRule, zhFeastLongest+1)
	for line := range strings.Lines(strings.TrimSpace(zhFeastList)) {
		head, names, _ := strings.Cut(strings.TrimSpace(line), ": ")
		r := readRule(strings.Fields(head))
		for name := range strings.SplitSeq(names, "|") {
			n := zhFeastLongest - len([]rune(name))
			if out[n] == nil {
				out[n] = map[string]feastRule{}
			}
			out[n][name] = r
		}
	}
	return out
}

// zhFeastLongest is the length of the longest name.
const zhFeastLongest = 10

// feastName reads the name of a feast; fixed tells that it has the same day every
// year.
func (z *chinese) feastName(i int) (end int, name string, fixed bool, r feastRule) {
	if !z.is(i, zhFeastRole) && !isDigit(z.at(i)) {
		return 0, "", false, r
	}
	for k, m := range zhFeasts {
		n := zhFeastLongest - k
		if m == nil || i+n > len(z.r) || n < 2 {
			continue
		}
		if r, ok := m[string(z.r[i:i+n])]; ok {
			return i + n, string(z.r[i : i+n]), r.kind == 'f', r
		}
	}
	return 0, "", false, r
}

// feast reads a feast of the year y, or where the year was not named the one that
// is near.
func (z *chinese) feast(i, y int, named bool) (int, zdate) {
	if !z.is(i, zhFeastRole) && !isDigit(z.at(i)) {
		return 0, zdate{}
	}
	if f := z.any(i, "大年初", "年初"); f > 0 && (z.has(i, "大年初") > 0 || isHanNumber(z.at(f))) { // 大年初五
		if g, n := z.small(f); g > 0 && n >= 1 && n <= 10 {
			r := feastRule{kind: 'l', a: 1, b: n, days: 1}
			m := r.in(y)
			if !named {
				m = r.near(z.ref, 0, z.bare)
			}
			m.yearless = !named
			return g, zdate{meaning: m}
		}
	}
	e, name, _, r := z.feastName(i)
	if e == 0 {
		return 0, zdate{}
	}
	switch name {
	case "十一", "五一", "六一", "八一", "七一", "五四", "三一五", "315", "六一八", "双11":
		if i > 0 && isHanNumber(z.at(i-1)) || isHanNumber(z.at(e)) || isDigit(z.at(e)) || z.any(e, "点", "月", "日", "号", "年", "个", "天", "岁", "-", "到", "时", "分", "块", "元", "级", "路", "班", "人", "小时", "周", "季") > 0 || i > 0 && isDigit(z.at(i-1)) {
			return 0, zdate{}
		}
	case "新年", "过年", "跨年", "年夜":
		if z.any(e, "快乐", "好", "饭") > 0 {
			return 0, zdate{}
		}
	}
	m := meaning{}
	if named {
		m = r.in(y)
	} else {
		m = r.near(z.ref, 0, z.bare)
	}
	if r.kind == 'l' && r.a == 12 && r.b == 30 && !named && m.ok() { // the eve of the next new year
		if p := r.in(z.ref.Year() - 1); p.ok() && !p.a.Before(midnight(z.ref)) {
			m = p
		}
	}
	if !m.ok() {
		return 0, zdate{}
	}
	if f := z.any(e, "小长假", "长假", "假期", "黄金周", "放假"); f > 0 {
		days := 3
		switch {
		case r.kind == 'l' && r.a == 1 && r.b == 1, r.kind == 'f' && r.a == 10:
			days = 7
		case r.kind == 'f' && r.a == 5:
			days = 5
		}
		m = between(m.a, m.a.AddDate(0, 0, days), dayGrain)
		e = f
	}
	m.yearless = !named
	m.weak = !z.bare && !named && z.any(e, "那天", "前", "后", "当天", "晚上", "早上", "下午", "上午") == 0
	return e, zdate{meaning: m, y: m.a.Year(), m: int(m.a.Month()), d: m.a.Day()}
}
