package extract

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/asof-db/asof/dsl"
)

var zhApps = newZhIndex(append(append([]string(nil), zhLists["app"]...), zhLists["brand"]...))

// Verbs by which something goes, by what they say of it.
var (
	zhDisposed  = []string{"卖掉了", "卖掉", "卖了", "弄丢了", "弄丢", "丢掉了", "丢了", "送人了", "送人", "送给", "扔掉了", "扔掉", "扔了", "退掉了", "退货了", "退了", "转手了", "转手", "处理掉了", "处理掉", "处理了", "捐掉了", "捐了", "捐给", "转让了", "淘汰了", "贱卖了"}
	zhBereft    = []string{"被偷走了", "被偷了", "被盗了", "弄丢了", "走丢了", "丢失了", "不见了", "丢了", "去世了", "过世了", "死了", "离世了", "报废了", "卖掉了", "卖了", "送人了", "送给", "转卖给", "卖给", "捐给", "转让给", "转手给", "扔掉了", "扔了", "捐了", "没了"}
	zhRemoved   = []string{"卸载掉了", "卸载了", "卸载", "卸了", "删掉了", "删除了", "删掉", "删了", "注销掉了", "注销了", "注销", "停用了", "停用", "退订了", "退订", "弃用了", "弃用"}
	zhGivenUp   = []string{"戒掉了", "戒了", "戒掉", "放弃了"}
	zhDismissed = []string{"裁员了", "裁员", "裁掉了", "裁了", "辞退了", "辞退", "开除了", "开除", "解雇了", "解雇", "炒了", "优化了"}
	zhResigned  = []string{"离职", "辞职", "跳槽", "退休", "辞去", "走人", "离开"}
	zhCancelled = []string{"取消掉了", "取消了", "被取消了", "不办了", "不开了", "不去了", "去不了了", "去不成了", "参加不了了", "不参加了", "不去参加了", "泡汤了", "黄了", "不举行了", "停办了", "告吹了", "推掉了", "作废了", "办不成了"}
	zhDead      = []string{"已经停用了", "停用了", "不用了", "已经不用了", "作废了", "已经作废了", "失效了", "注销了", "已经注销了", "不再使用了", "不再使用", "换掉了"}
)

// endsWith gives what stands before the first of the words that s ends with, and
// whether one was found.
func endsWith(s string, words []string) (string, bool) {
	for _, w := range words {
		if v, ok := strings.CutSuffix(s, w); ok && v != "" {
			return v, true
		}
	}
	return s, false
}

// overs reads clauses that say that something is over in other words than the
// predicates of the speaker: 我的相机丢了, 我把微博卸载了, 会议取消了. It reports whether the
// clause is read.
func (x *clauseText) overs() bool {
	s := trimSpaceEnd(x.rest)
	bare, _ := endsWith(s, []string{"啊", "呢", "吧", "呀", "哦", "啦", "哈"})
	owner, mine := bare, false
	for _, w := range []string{"我们家的", "我家里的", "我家的", "我们的", "我的", "我那辆", "我那台", "我那只", "我那条", "我那部", "我那把", "我这辆", "我这台", "我家"} {
		if v, ok := strings.CutPrefix(bare, w); ok {
			owner, mine = v, true
			break
		}
	}
	subject := ""
	rest := bare
	for _, w := range []string{"我们家", "我们", "我", "咱们"} {
		if v, ok := strings.CutPrefix(bare, w); ok && !strings.HasPrefix(v, "的") {
			subject, rest = x.d.Speaker, v
			break
		}
	}
	if subject == "" && !mine {
		if kin := zhKin.prefix(strings.TrimPrefix(bare, "的")); kin != "" {
			return false
		}
	}
	n := len(x.out)
	switch {
	case mine && x.goneThing(owner), mine && x.deadContact(owner), mine && x.lapsed(owner):
	case subject != "" && (x.handled(rest) || x.goneThing(rest)):
	case x.calledOff(bare, owner, rest):
	case subject == "" && x.alone(bare):
	case x.offTheList(bare):
	case x.topicFirst(bare):
	}
	if len(x.out) == n {
		return false
	}
	x.name, x.self = x.d.Speaker, true
	return true
}

// ends emits an ending of the speaker's.
func (x *clauseText) ends(rel, v string, conf float64) bool {
	v = strings.TrimSpace(v)
	if n := utf8.RuneCountInString(v); n == 0 || n > 16 || strings.ContainsAny(strings.ReplaceAll(v, "吉他", ""), "，我你您他她它吗谁") {
		return false
	}
	c := claim{src: x.d.Speaker, rel: rel, dst: v, start: x.start, end: x.end, change: dsl.End, confidence: conf}
	if rel == "likes" {
		c.rel, c.dst = zhLiked(v)
	}
	if x.when != nil {
		c.valid = validity{}.until(x.when, x.d.TS)
	}
	x.emit(c)
	return true
}

// zhAside drops adverbs at the start of what stands before a verb.
func zhAside(v string) string {
	for range 5 {
		t := v
		for _, w := range []string{"昨天", "最近", "已经", "早就", "早已", "终于", "后来", "不小心", "刚刚", "刚", "都", "也", "就", "又", "给", "全", "彻底", "正式", "决定", "只好", "不得不", "临时"} {
			if rest, ok := strings.CutPrefix(t, w); ok && rest != "" {
				t = rest
			}
			if rest, ok := strings.CutSuffix(t, w); ok && rest != "" && (w == "已经" || w == "给" || w == "都" || w == "也" || w == "早就" || w == "不小心" || w == "昨天" || w == "最近") {
				t = rest
			}
		}
		if t == v {
			return v
		}
		v = t
	}
	return v
}

// goneThing reads the thing in 相机丢了, 自行车被偷了, after "my".
func (x *clauseText) goneThing(s string) bool {
	for _, w := range zhBereft {
		i := strings.Index(s, w)
		if i <= 0 || !strings.HasSuffix(w, "给") && i+len(w) != len(s) {
			continue
		}
		v := x.thingName(x.withoutTime(zhAside(s[:i])))
		return zhListed("own", v) && x.ends("owns", v, sure)
	}
	return false
}

// withoutTime drops a time from the end of what stands before a verb, and notes it:
// 狗上周.
func (x *clauseText) withoutTime(v string) string {
	all := x.timesIn(x.start, x.end)
	for i := range all {
		t := &all[i]
		if rest, ok := strings.CutSuffix(v, t.Text); ok && rest != "" {
			if t.OnCalendar() {
				x.when = t
			}
			return zhAside(rest)
		}
	}
	return v
}

// thingName drops measures and colour from the name of a thing.
func (x *clauseText) thingName(v string) string {
	v, _ = cutAny(v, "我的", "我那", "自己的", "我", "那", "这")
	v, _ = cutAny(v, zhMeasures...)
	for _, p := range []string{"辆", "台", "部", "只", "条", "套", "间"} {
		v = strings.TrimPrefix(v, p)
	}
	v, _ = cutAny(v, "旧", "老")
	return v
}

// lapsed reads 优酷会员到期没续, after "my".
func (x *clauseText) lapsed(s string) bool {
	v, ok := endsWith(s, []string{"会员到期没续", "会员到期了", "会员没续", "会员不续了", "会员停了", "会员退了", "账号注销了"})
	return ok && x.isApp(strings.TrimSuffix(v, "的")) && x.ends("uses", strings.TrimSuffix(v, "的"), likely)
}

// alone reads what is told of a thing of the speaker's without saying whose it is:
// 沙发已经扔了, 13511112222不用了.
func (x *clauseText) alone(s string) bool {
	if m := x.mentionAt(x.at); m != nil && m.Start == x.at && (m.Type == typeEmail || m.Type == typePhone) && x.deadContact(s) {
		return true
	}
	v, ok := endsWith(s, []string{"卖掉了", "卖了", "扔掉了", "扔了", "送人了", "捐了", "丢了", "弄丢了"})
	v = zhAside(v)
	return ok && slices.Contains(zhLists["own"], v) && x.ends("owns", v, likely)
}

// deadContact reads 邮箱a@b.c已经停用了, 手机号138…不用了, after "my".
func (x *clauseText) deadContact(s string) bool {
	v, ok := endsWith(s, zhDead)
	if !ok {
		return false
	}
	return x.contactEnd(v)
}

// contactEnd emits the end of the address or number in v.
func (x *clauseText) contactEnd(v string) bool {
	all := x.mentionsIn(x.start, x.end)
	for i := range all {
		m := &all[i]
		if m.Type != typeEmail && m.Type != typePhone || !strings.Contains(v, m.Text) {
			continue
		}
		rel := "email"
		if m.Type == typePhone {
			rel = "phone"
		}
		return x.ends(rel, m.Text, sure)
	}
	return false
}

// isApp tells whether v names a platform: of the lists, or in Latin letters.
func (x *clauseText) isApp(v string) bool {
	return v != "" && (zhApps.prefix(v) == v || latinOnly(v) && v[0] >= 'A' && v[0] <= 'Z' && len(v) <= 24)
}

// appName drops what surrounds the name of a platform.
func appName(v string) string {
	for _, w := range []string{"的会员", "会员", "的账号", "账号", "的帐号", "帐号", "的订阅", "订阅", "这个软件", "这个应用", "这个App", "软件", "应用"} {
		v = strings.TrimSuffix(v, w)
	}
	return v
}

// handled reads what the speaker did with something, after "I": 把X卸载了, 取消了X,
// 被X裁员了, 从X退学了, 戒了X, 不再用X.
func (x *clauseText) handled(s string) bool {
	for range 3 {
		at := x.start + max(0, strings.Index(x.d.Text[x.start:x.end], s))
		if t := x.timeAt(at); t != nil && t.Start == at && strings.HasPrefix(s, t.Text) {
			if t.OnCalendar() {
				x.when = t
			}
			s = strings.TrimPrefix(s, t.Text)
			continue
		}
		s = zhAside(s)
	}
	if v, ok := strings.CutPrefix(s, "把"); ok {
		return x.with(v)
	}
	if v, ok := strings.CutPrefix(s, "被"); ok {
		v, ok = endsWith(v, zhDismissed)
		return ok && x.isEmployer(v) && x.ends("works_at", v, sure)
	}
	if v, ok := strings.CutPrefix(s, "从"); ok {
		return x.leftFrom(v)
	}
	if v, ok := cutAny(s, "搬离了", "搬离", "搬出了"); ok {
		p := zhPlaces.prefix(v)
		return p != "" && p == trimTail(v) && x.ends("lives_in", p, sure)
	}
	for _, w := range []string{"离开了", "离开"} {
		// 离开南京，搬到苏州: the place where one lived.
		if v, ok := strings.CutPrefix(s, w); ok && strings.HasPrefix(strings.TrimLeft(x.d.Text[x.end:min(len(x.d.Text), x.end+12)], "，, "), "搬") {
			if p := zhPlaces.prefix(v); p != "" && trimTail(v) == p {
				return x.ends("lives_in", p, sure)
			}
		}
	}
	if v, ok := cutAny(s, "取消了", "取消", "推掉了", "退掉了"); ok && !strings.HasSuffix(s, "吗") {
		v = trimTail(v)
		if app := appName(v); app != v && x.isApp(app) || x.isApp(app) {
			return x.ends("uses", app, likely)
		}
		return x.noMore(v)
	}
	for _, w := range zhRemoved {
		if v, ok := strings.CutPrefix(s, w); ok {
			if v = appName(trimTail(v)); x.isApp(v) {
				return x.ends("uses", v, likely)
			}
		}
	}
	if v, ok := cutAny(s, zhGivenUp...); ok {
		return x.gaveUp(trimTail(v))
	}
	if v, ok := strings.CutPrefix(s, "戒"); ok && strings.HasSuffix(v, "了") {
		return x.gaveUp(trimTail(v))
	}
	if v, ok := cutAny(s, "吃腻了", "喝腻了", "看腻了", "听腻了", "玩腻了", "厌倦了", "不再迷恋", "不再痴迷"); ok {
		v = trimTail(v)
		return utf8.RuneCountInString(v) <= 8 && x.ends("likes", v, likely)
	}
	return x.lostInterest(s) || x.noLongerDoes(s)
}

// with reads what follows 把: the thing and what is done with it.
func (x *clauseText) with(s string) bool {
	for _, w := range zhDisposed {
		if i := strings.Index(s, w); i > 0 {
			v := x.thingName(zhAside(s[:i]))
			return zhListed("own", v) && x.ends("owns", v, sure)
		}
	}
	if v, ok := endsWith(s, append([]string{"给"}, zhRemoved...)); ok {
		if v = appName(zhAside(v)); x.isApp(v) {
			return x.ends("uses", v, likely)
		}
		return false
	}
	if v, ok := endsWith(s, []string{"的工作辞掉了", "的工作给辞了", "的工作辞了"}); ok {
		return x.isEmployer(v) && x.ends("works_at", v, sure)
	}
	if v, ok := endsWith(s, zhGivenUp); ok {
		return x.gaveUp(zhAside(v))
	}
	if v, ok := endsWith(s, []string{"取消掉了", "取消了", "推掉了", "给推了", "退掉了"}); ok {
		return x.noMore(zhAside(v))
	}
	return false
}

// isEmployer tells whether v names one that one works for.
func (x *clauseText) isEmployer(v string) bool {
	return v != "" && (x.isOrg(v) || zhMakers.prefix(v) == v || zhApps.prefix(v) == v)
}

// gaveUp emits the end of a habit, or of the use of a platform.
func (x *clauseText) gaveUp(v string) bool {
	if x.isApp(v) {
		return x.ends("uses", v, likely)
	}
	return (zhListed("food", v) || utf8.RuneCountInString(v) <= 3 && utf8.RuneCountInString(v) > 0 || zhListed("activity", v) || zhListed("music", v) || v == "烟" || v == "酒") && x.ends("likes", v, weak)
}

// leftFrom reads what follows 从: 成都搬走了, 清华大学退学了, 印象笔记换到了Notion.
func (x *clauseText) leftFrom(s string) bool {
	if v, ok := endsWith(s, []string{"搬走了", "搬出来了", "搬出去了", "搬走", "搬离了"}); ok {
		p := zhPlaces.prefix(v)
		return p != "" && p == v && x.ends("lives_in", p, sure)
	}
	if v, ok := endsWith(s, []string{"退学了", "退学", "辍学了", "辍学"}); ok {
		return zhInstitution(v) && x.ends("studies_at", v, sure)
	}
	for _, w := range zhResigned {
		if v, ok := endsWith(s, []string{w + "了", w}); ok && x.isEmployer(v) {
			return x.ends("works_at", v, sure)
		}
	}
	for _, w := range []string{"换到了", "换成了", "转到了", "换到", "换成", "转到", "转用", "改用了", "改用"} {
		if i := strings.Index(s, w); i > 0 && x.isApp(s[:i]) {
			v := trimTail(s[i+len(w):])
			if !x.ends("uses", s[:i], likely) {
				return false
			}
			if x.isApp(v) {
				x.emit(claim{src: x.d.Speaker, rel: "uses", dst: v, start: x.start, end: x.end, confidence: likely})
			}
			return true
		}
	}
	return false
}

// lostInterest reads 对X没兴趣了, 对X失去了兴趣, 对X不感兴趣了.
func (x *clauseText) lostInterest(s string) bool {
	v, ok := strings.CutPrefix(s, "对")
	if !ok {
		return false
	}
	for _, w := range []string{"已经", "早就", "现在", "再也", "彻底"} {
		if i := strings.Index(v, w); i > 0 {
			v = v[:i] + v[i+len(w):]
		}
	}
	v, ok = endsWith(v, []string{"没兴趣了", "没什么兴趣了", "没有兴趣了", "没有什么兴趣了", "失去了兴趣", "失去兴趣了", "不感兴趣了", "没感觉了", "没有感觉了", "不再感兴趣", "不再感兴趣了", "不再着迷", "的热情已经没了", "的热情没了", "的热情没有了", "提不起兴趣了", "的兴趣淡了"})
	return ok && x.ends("likes", v, likely)
}

// noLongerDoes reads 不练瑜伽了, 不再用微博了, 不踢足球了.
func (x *clauseText) noLongerDoes(s string) bool {
	for _, w := range []string{"早就", "已经", "现在", "再也", "如今", "很久", "好久"} {
		s = strings.TrimPrefix(s, w)
	}
	again := strings.HasPrefix(s, "不再") || strings.HasPrefix(s, "没再")
	v, ok := cutAny(s, "不再", "没再", "不")
	if !ok {
		return false
	}
	bare, over := strings.CutSuffix(v, "了")
	if !again && !over {
		return false
	}
	if u, ok := cutAny(bare, "使用", "用", "玩", "刷", "上", "逛"); ok {
		if x.contactEnd(u) {
			return true
		}
		if app := appName(u); x.isApp(app) {
			return x.ends("uses", app, likely)
		}
		if strings.HasPrefix(bare, "用") && x.noMoreTask(u) {
			return true
		}
	}
	if u, ok := cutAny(bare, "住在", "住"); ok {
		p := zhPlaces.prefix(u)
		return p != "" && p == u && x.ends("lives_in", p, sure)
	}
	if u, ok := cutAny(bare, "在"); ok {
		for _, w := range []string{"上班", "工作", "任职", "干"} {
			if org, ok := strings.CutSuffix(u, w); ok && x.isEmployer(org) {
				return x.ends("works_at", org, sure)
			}
		}
		return false
	}
	if u, ok := cutAny(bare, "有", "养"); ok {
		u = x.thingName(u)
		return zhListed("own", u) && x.ends("owns", u, likely)
	}
	if u, ok := cutAny(bare, "需要", "必"); ok {
		return x.noMoreTask(u)
	}
	if u, ok := cutAny(bare, "练", "踢", "打", "滑", "玩", "弹", "学", "拍", "跳", "追", "喝", "吃", "看", "听"); ok {
		return (zhListed("activity", u) || zhListed("food", u) || zhListed("music", u) || zhListed("thing", u)) && x.ends("likes", u, weak)
	}
	return false
}

// noMoreTask emits the end of a plan that the space knows.
func (x *clauseText) noMoreTask(v string) bool {
	return x.d.Memory != nil && x.knownEvent(v) && x.noMore(v)
}

// knownEvent tells whether the space knows something planned of the name.
func (x *clauseText) knownEvent(v string) bool {
	if x.d.Memory == nil || v == "" {
		return false
	}
	typ, ok := x.d.Memory.EntityType(v)
	return ok && typ == Event
}

// noMore emits that a planned event will not be: one of the list, or one that the
// space knows.
func (x *clauseText) noMore(v string) bool {
	v = strings.Trim(strings.TrimSpace(v), "“”\"「」")
	v, _ = cutAny(v, "我的", "我们的", "那个", "这个", "那场", "这场", "这次", "那次")
	at := x.start + strings.Index(x.d.Text[x.start:x.end], v)
	if t := x.timeAt(at); t != nil && t.Start == at && !x.knownEvent(v) { // 周五的聚餐
		v = strings.TrimPrefix(v, t.Text)
	}
	v = strings.TrimPrefix(v, "的")
	if !eventName(v) || !zhListed("event", v) && !x.knownEvent(v) {
		return false
	}
	x.event = true
	x.emit(claim{src: v, rel: "scheduled_at", dst: Past, start: x.start, end: x.end, change: dsl.End, confidence: likely})
	return true
}

// calledOff reads 会议取消了, 我的面试被取消了, 体检不去了, 我们决定取消野餐.
func (x *clauseText) calledOff(all ...string) bool {
	for _, v := range all {
		if name, ok := endsWith(v, zhCancelled); ok {
			name, _ = endsWith(name, []string{"我们", "我", "被迫", "被", "临时", "已经", "也", "都", "最后", "突然"})
			if x.noMore(name) {
				return true
			}
		}
	}
	return false
}

// offTheList reads 请把钢琴课从日程里删掉.
func (x *clauseText) offTheList(s string) bool {
	s, _ = cutAny(s, "请你", "请", "帮我", "麻烦")
	s, _ = cutAny(s, "帮我", "你")
	v, ok := strings.CutPrefix(s, "把")
	if !ok {
		return false
	}
	i := strings.Index(v, "从")
	if i <= 0 {
		return false
	}
	for _, w := range []string{"日程", "日历", "待办", "清单", "计划表", "行程", "提醒"} {
		if strings.Contains(v[i:], w) && (strings.Contains(v[i:], "删") || strings.Contains(v[i:], "去掉") || strings.Contains(v[i:], "移除") || strings.Contains(v[i:], "划掉") || strings.Contains(v[i:], "取消")) {
			return x.noMore(v[:i])
		}
	}
	return false
}

// topicFirst reads what is spoken of before who speaks: 爵士乐我已经听腻了, 爱奇艺的会员我退了.
func (x *clauseText) topicFirst(s string) bool {
	i := strings.Index(s, "我")
	if i <= 0 || utf8.RuneCountInString(s[:i]) > 10 {
		return false
	}
	v, rest := s[:i], zhAside(s[i+len("我"):])
	switch rest {
	case "听腻了", "吃腻了", "看腻了", "玩腻了", "喝腻了", "不喜欢了", "不爱了", "戒了", "没兴趣了", "不感兴趣了":
		return x.ends("likes", v, likely)
	case "卖了", "卖掉了", "扔了", "扔掉了", "送人了", "捐了", "弄丢了":
		v = x.thingName(v)
		return zhListed("own", v) && x.ends("owns", v, sure)
	case "不玩了", "不刷了", "不看了", "不上了", "退了", "退订了", "卸载了", "删了", "注销了", "停了", "不用了", "取消了", "停用了", "不续了", "没续":
		if x.contactEnd(v) {
			return true
		}
		if app := appName(v); x.isApp(app) {
			return x.ends("uses", app, likely)
		}
	case "去不了了", "去不成了", "参加不了了", "不去了", "不参加了":
		return x.noMore(v)
	}
	return false
}
