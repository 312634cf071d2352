package extract

import (
	"strings"
	"unicode/utf8"

	"github.com/asof-db/asof/dsl"
)

// predicate reads what the clause says of its subject.
func (x *clauseText) predicate() {
	if strings.HasPrefix(x.rest, "的") {
		if !x.listener {
			x.attribute()
		}
		return
	}
	if x.list {
		x.taste("likes", x.rest)
		return
	}
	switch {
	case x.cut("住的"):
		if m := x.mentionAt(x.at); m != nil && m.Start == x.at && m.Type == typeLoc && !x.neg && !x.past {
			x.state("lives_in", m.Text, likely)
		}
	case x.cut("名字叫做", "名字叫", "名字是"):
		x.named(x.rest)
	case x.cut("在热衷于"):
		x.taste("likes", x.rest)
	case x.cut("换用了", "开始用", "改用了", "改用"):
		x.device(x.rest)
	case x.cut("想", "要", "打算", "准备", "可能", "应该", "会", "能", "得"):
		return
	case x.cut("住在", "定居在", "居住在", "定居于"):
		x.lives(x.rest)
	case x.cut("搬到", "搬去", "搬来", "搬回", "搬进"):
		x.moved("", x.rest)
	case strings.HasPrefix(x.rest, "从") && strings.Contains(x.rest, "搬"):
		i := strings.Index(x.rest, "搬")
		if to, ok := cutAny(x.rest[i+len("搬"):], "到了", "到", "去了", "去", "来了", "来"); ok {
			x.moved(x.rest[len("从"):i], to)
		}
	case strings.HasPrefix(x.rest, "从") && resigned(x.rest) > 0:
		x.left(x.rest[len("从"):resigned(x.rest)])
	case x.cut("辞掉了", "辞去了"):
		if i := strings.Index(x.rest, "的工作"); i > 0 {
			x.left(x.rest[:i])
		}
	case x.cut("离开了"):
		if m := x.mentionAt(x.at); m != nil && m.Type == typeOrg && m.Start == x.at {
			x.left(m.Text)
		}
	case strings.HasPrefix(x.rest, "在"):
		x.skip(len("在"))
		x.located()
	case x.cut("就职于", "任职于", "加入了"):
		if v := trimTail(x.rest); x.isOrg(v) {
			x.workplace(v)
		}
	case x.listener:
	case x.cut("更倾向于", "倾向于"):
		x.tasted = true // what 比如 goes on with
	case x.cut("喜欢上了", "喜欢", "迷恋", "痴迷于", "沉迷于", "热爱", "热衷于", "酷爱", "钟爱", "迷上了", "爱上了", "爱好", "爱", "享受"):
		x.taste("likes", x.rest)
	case x.cut("讨厌", "厌恶", "受不了", "反感", "恨"):
		x.taste("dislikes", x.rest)
	case strings.HasPrefix(x.rest, "对"):
		for _, v := range []string{"很感兴趣", "非常感兴趣", "特别感兴趣", "越来越感兴趣", "感兴趣", "着迷"} {
			if i := strings.Index(x.rest, v); i > 0 {
				x.taste("likes", x.rest[len("对"):i])
				return
			}
		}
	case x.cut("有", "拥有", "养了", "养着", "买了", "领养了", "入手了"):
		x.owns(!strings.HasSuffix(x.d.Text[:x.at], "有"))
	case x.cut("卖掉了", "卖了", "弄丢了", "丢了", "送掉了"):
		x.disposed(x.rest)
	case strings.HasPrefix(x.rest, "把"):
		for _, v := range []string{"卖掉", "卖了", "弄丢", "丢了", "送人"} {
			if i := strings.Index(x.rest, v); i > 0 {
				x.disposed(strings.TrimSuffix(x.rest[len("把"):i], "给"))
				return
			}
		}
	case x.cut("叫做", "叫"):
		x.named(x.rest)
	case x.cut("单位叫", "单位是", "公司叫"):
		if v := trimTail(x.rest); zhInstitution(v) {
			x.state("works_at", v, sure)
		}
	case x.cut("家是", "是"):
		x.is()
	case x.cut("当", "做的是", "做"):
		v, _, _ := strings.Cut(trimTail(x.rest), "的工作")
		if x.past {
			v = strings.TrimPrefix(v, "过")
		}
		x.role(v)
	case x.neg && strings.HasSuffix(x.d.Text[:x.at], "不是"):
		x.role(trimTail(x.rest))
	case x.cut("手机用的是", "用的手机是"):
		x.device(x.rest)
	case x.cut("养的是", "买的是", "有的是"):
		x.owns(true)
	case x.cut("使用", "用"):
		x.usesApp(trimTail(x.rest))
	}
}

// usesApp emits the use of a platform that is all that the clause names: 我用微信.
func (x *clauseText) usesApp(v string) {
	if x.isApp(v) && (!x.neg || x.self && strings.HasSuffix(x.d.Text[:x.at], "不是用")) {
		x.state("uses", v, likely)
	}
}

// resigned gives where the verb stands by which a clause says that a job ended, or
// -1.
func resigned(s string) int {
	for _, w := range []string{"离职", "辞职", "退休", "跳槽"} {
		if i := strings.Index(s, w); i >= 0 {
			return i
		}
	}
	return -1
}

// lives emits a residence: a listed place, or one that the text names.
func (x *clauseText) lives(v string) {
	// 住在北京五年了, 住在银杏花园的
	start := x.end - len(v)
	for _, t := range x.timesIn(start, x.end) {
		if back := grainBack(x.d.Local, t.Value); back != "" && t.Type == typeDuration {
			e := TimeExpr{Value: back}
			e.From, e.To, _ = calendarSpan(back, x.d.Local.Location())
			x.valid = x.valid.since(&e)
			v = strings.TrimSuffix(strings.TrimSuffix(v[:t.Start-start], "已经"), "了")
			break
		}
	}
	v, ok := x.placeName(v)
	if ok {
		x.state("lives_in", v, sure)
	}
}

// placeName gives the place that v names.
func (x *clauseText) placeName(v string) (string, bool) {
	v = trimTail(v)
	for _, tail := range []string{"没多久", "不久", "好多年", "很久", "那边", "这边", "附近"} {
		v = strings.TrimSuffix(v, tail)
	}
	at := x.end - len(x.rest) + strings.Index(x.rest, v)
	if m := x.mentionAt(at); m != nil && m.Start == at && m.Type == typeLoc && m.End-m.Start >= len(v)/2 {
		if m.End-m.Start <= len(v) && utf8.RuneCountInString(v[m.End-m.Start:]) <= 6 && !strings.ContainsAny(v, "的和跟，") {
			return v, true // 北京朝阳区
		}
		return m.Text, true
	}
	if n := utf8.RuneCountInString(v); n >= 2 && n <= 10 && !strings.ContainsAny(v, "的了这那里儿和跟一我你他她") {
		for _, s := range []string{"市", "省", "县", "区", "镇", "村", "路", "街", "小区", "花园", "州"} {
			if strings.HasSuffix(v, s) {
				return v, true
			}
		}
		if latinOnly(v) && strings.ToUpper(v[:1]) == v[:1] && firstRune(v) < 0x80 && !isDigit(v[0]) {
			return v, true
		}
	}
	return "", false
}

// moved emits a move; from may be empty.
func (x *clauseText) moved(from, to string) {
	if x.neg || x.over || x.past {
		return
	}
	to = strings.TrimPrefix(to, "了")
	var began, ended validity
	if x.when != nil {
		began, ended = validity{}.since(x.when), validity{}.until(x.when, x.d.TS)
	}
	if from != "" {
		if v, ok := x.placeName(from); ok {
			c := x.claim("lives_in", v)
			c.change, c.valid = dsl.End, ended
			x.emit(c)
		}
	}
	if v, ok := x.placeName(to); ok {
		c := x.claim("lives_in", v)
		c.valid = began
		x.emit(c)
	}
}

// located reads what follows 在: work, study, residence.
func (x *clauseText) located() {
	for _, v := range []string{"工作", "上班", "任职", "实习"} {
		if i := strings.Index(x.rest, v); i > 0 {
			if w := strings.TrimSpace(x.rest[:i]); x.isOrg(w) {
				x.tailDuration(i + len(v))
				x.workplace(w)
			}
			return
		}
	}
	for _, v := range []string{"读书", "上学", "读大学", "念书", "读研"} {
		if i := strings.Index(x.rest, v); i > 0 {
			if w := strings.TrimSpace(x.rest[:i]); x.isOrg(w) {
				x.state("studies_at", w, sure)
			}
			return
		}
	}
	if i := strings.Index(x.rest, "里当"); i > 0 {
		job := trimTail(x.rest[i+len("里当"):])
		if w, ok := cutAny(x.rest[:i], "一个", "一家", "一所"); zhJobs.prefix(job) == job && (ok || zhInstitution(w)) {
			x.workplace(w)
			x.role(job)
		}
		return
	}
	if i := strings.Index(x.rest, "住"); i > 0 {
		tail := x.rest[i+len("住"):]
		if tail != "" && tail != "了" && !strings.HasPrefix(tail, "了") && !strings.HasPrefix(tail, "着") {
			return
		}
		x.tailDuration(i + len("住"))
		if v, ok := x.placeName(x.rest[:i]); ok && (x.neg || x.over || x.valid.hasFrom || tail == "") {
			x.state("lives_in", v, sure)
		}
		return
	}
	// 我用的…; 在用 is a use.
	if x.cut("用") {
		x.device(x.rest)
	}
}

// tailDuration reads 了五年 after the verb: since then.
func (x *clauseText) tailDuration(n int) {
	for _, t := range x.timesIn(x.at+n, x.end) {
		if back := grainBack(x.d.Local, t.Value); back != "" && t.Type == typeDuration {
			e := TimeExpr{Value: back}
			e.From, e.To, _ = calendarSpan(back, x.d.Local.Location())
			x.valid = x.valid.since(&e)
			return
		}
	}
}

// isOrg tells whether v names an employer or a school.
func (x *clauseText) isOrg(v string) bool {
	if zhInstitution(v) || v != "" && zhMakers.prefix(v) == v {
		return true
	}
	if v == "" || strings.ContainsAny(v, "的了这那家我你他她它") {
		return false
	}
	if m := x.mentionAt(x.d.tokenStart(x.at, v)); m != nil && m.Text == v && m.Type == typeOrg {
		return true
	}
	return latinOnly(v) && firstRune(v) < 0x80 && v[0] >= 'A' && v[0] <= 'Z' && len(v) <= 40
}

// tokenStart gives where v stands at or after a byte, or that byte.
func (d *Document) tokenStart(at int, v string) int {
	if i := strings.Index(d.Text[at:min(len(d.Text), at+maxClause)], v); i >= 0 {
		return at + i
	}
	return at
}

// workplace emits an employer.
func (x *clauseText) workplace(v string) { x.state("works_at", v, sure) }

// left emits the end of a job.
func (x *clauseText) left(v string) {
	v = trimTail(v)
	if x.neg || x.past || !x.isOrg(v) {
		return
	}
	x.over = true
	x.state("works_at", v, sure)
}

// taste emits likes or dislikes of a list of values.
func (x *clauseText) taste(rel, v string) {
	v = trimTail(v)
	v, _ = cutAny(v, "的是", "的就是", "吃的就是", "吃的是", "喝的就是", "喝的是", "看的就是", "看的是", "听的就是", "听的是", "玩的就是", "玩的是")
	if strings.Contains(v, "的人") || strings.HasPrefix(v, "过") {
		return
	}
	denied := x.neg && !strings.HasSuffix(x.d.Text[:x.end], "了") && !x.over
	over := x.over || x.neg && !denied || x.past
	if rel == "dislikes" && denied {
		return
	}
	if denied && x.past {
		rel, denied = "dislikes", false // 以前不喜欢X
	}
	for _, item := range zhItems(v) {
		c := x.claim(rel, item)
		if kind, v := zhLiked(item); rel == "likes" {
			c.rel, c.dst = kind, v
		} else {
			c.dst = v
		}
		if c.rel == "likes" && !zhListed("thing", item) {
			c.confidence = likely
		}
		switch {
		case over:
			c.change, c.valid = dsl.End, validity{}
		case denied:
			c.rel = "dislikes"
		}
		x.emit(c)
		x.tasted = rel == "likes" && !denied && !over
	}
}

// zhItems splits a list of values and keeps those that name something.
func zhItems(v string) []string {
	var out []string
	for _, p := range strings.FieldsFunc(v, func(r rune) bool { return r == '、' }) {
		for _, q := range splitAnd(p) {
			q = strings.Trim(trimTail(q), " 《》\"“”")
			q = zhBare(q)
			if i := strings.Index(q, "写的《"); i > 0 {
				q = strings.TrimSuffix(q[i+len("写的《"):], "》")
			}
			n := utf8.RuneCountInString(q)
			if n == 0 || n > 16 || strings.HasPrefix(q, "的") || strings.HasPrefix(q, "用") || n == 1 && !zhListed("thing", q) && !zhListed("food", q) && !zhListed("own", q) || strings.ContainsAny(strings.ReplaceAll(q, "吉他", ""), "你您我他她它这那每") || strings.Contains(q, "人家") {
				continue
			}
			out = append(out, q)
			if len(out) == 8 {
				return out
			}
		}
	}
	return out
}

// zhBare takes the verb from what names itself: 读《X》, 品尝美酒, 做手工; and the
// feeling from what is felt.
func zhBare(q string) string {
	for _, w := range []string{"的感觉", "的感受"} {
		q = strings.TrimSuffix(q, w)
	}
	if v, ok := cutAny(q, "读《", "看《", "听《", "玩《"); ok {
		if i := strings.Index(v, "》"); i > 0 {
			return v[:i]
		}
		return v
	}
	if v, ok := cutAny(q, "品尝"); ok && zhListed("food", v) {
		return v
	}
	if v, ok := cutAny(q, "做"); ok && utf8.RuneCountInString(v) > 2 && zhListed("activity", v) {
		return v
	}
	return q
}

// splitAnd splits at 和, 以及, 与 where both sides have at least two characters, or
// the first is a thing of the list.
func splitAnd(p string) []string {
	for _, w := range []string{"以及", "还有", "和", "与", "跟"} {
		if i := strings.LastIndex(p, w); i > 0 && (utf8.RuneCountInString(p[:i]) >= 2 || zhListed("own", p[:i])) && utf8.RuneCountInString(p[i+len(w):]) >= 2 && !strings.HasPrefix(p[i:], "和平") {
			if w == "和" && strings.HasSuffix(p, "一起") || strings.Contains(p[i:], "聊") {
				continue
			}
			return []string{p[:i], p[i+len(w):]}
		}
	}
	return []string{p}
}

// zhVerbs start an activity.
const zhVerbs = "搞研打玩看听读跑游弹画唱做写钓跳滑爬骑练学种养逛吃喝品拍追下泡织收拼寻观帮旅户表演探尝烹阅摄陪"

// zhLikedAs gives the relation of a liked value.
func zhLikedAs(v string) string {
	if i := strings.Index(v, "吃"); i == 0 {
		return "prefers_food"
	}
	if strings.HasPrefix(v, "喝") {
		return "prefers_food"
	}
	switch {
	case zhListed("activity", v):
		return "prefers_activity"
	case strings.Contains(v, "的") && !strings.ContainsRune(zhVerbs, firstRune(v)):
	case strings.ContainsRune(zhVerbs, firstRune(v)) && utf8.RuneCountInString(v) > 1 && !zhListed("thing", v), strings.HasPrefix(v, "在"):
		return "prefers_activity"
	}
	switch {
	case zhListed("music", v):
		return "prefers_music"
	case zhListed("thing", v):
		if r := firstRune(v); r == '看' || r == '读' || r == '玩' || r == '养' || r == '听' || r == '拍' {
			return "prefers_activity"
		}
		return "likes"
	case zhListed("food", v):
		return "prefers_food"
	}
	return "likes"
}

// named emits a name.
func (x *clauseText) named(v string) {
	_, _, name := zhNaming("叫" + v)
	if name == "" || trimTail(v) != name && !strings.HasPrefix(v, name) {
		return
	}
	if x.neg || x.over || x.past {
		return
	}
	x.emit(x.claim("name", name))
	if owner, kin, ok := strings.Cut(x.name, "/"); ok && owner == x.d.Speaker {
		c := x.claim("related_to", name)
		c.src, c.relation = owner, kin
		x.emit(c)
	}
}

// is reads what follows 是: a job, a relative, a home, a name.
func (x *clauseText) is() {
	v := trimTail(x.rest)
	if x.over || x.past {
		if zhBareJob(v) {
			x.role(v) // 不再是老师了, 以前是护士
		}
		return
	}
	if kin, ok := cutAny(v, "我的", "我"); ok && zhKin.prefix(kin) == kin && kin != "" && !x.self && !strings.Contains(x.name, "/") {
		if !x.neg {
			c := x.claim("related_to", x.name)
			c.src, c.relation = x.d.Speaker, kin
			x.emit(c)
		}
		return
	}
	if p, ok := strings.CutSuffix(v, "人"); ok && zhPlaces.prefix(p) == p && p != "" {
		x.state("lives_in", p, likely)
		return
	}
	if v != strings.TrimSpace(x.rest) && strings.HasSuffix(x.rest, "的") {
		if p, ok := x.placeName(v); ok { // 她们家是山东青岛的
			x.state("lives_in", p, likely)
			return
		}
	}
	if x.self && (v == x.d.Speaker || zhPersonName(v)) && !x.neg && (v == x.d.Speaker || x.at-x.start < 12) && v == x.d.Speaker {
		x.emit(x.claim("name", v))
		return
	}
	x.role(v)
}

// zhBareJob tells whether v is a job of the list.
func zhBareJob(v string) bool {
	v, _ = cutAny(v, "一名", "一个", "一位", "名", "位", "个")
	return v != "" && (zhJobs.prefix(v) == v || zhJobEnd(v))
}

// zhJobEnd tells whether v ends with a job of the list and tells which kind: 健身教练.
func zhJobEnd(v string) bool {
	if n := utf8.RuneCountInString(v); n < 3 || n > 7 || strings.ContainsAny(v, "的了和跟与是我你他她这那一个在有不最很做当干") {
		return false
	}
	return zhListed("job", v)
}

// role emits a job of the list.
func (x *clauseText) role(v string) {
	v, _ = cutAny(v, "一名", "一个", "一位", "名", "位", "个")
	if w, ok := cutAny(v, "干", "做", "当"); ok && strings.HasSuffix(trimSpaceEnd(x.d.Text[x.start:x.end]), "的") {
		v = w // 是干警察的
	}
	if i := strings.LastIndex(v, "的"); i > 0 && utf8.RuneCountInString(v) < 12 {
		v = v[i+len("的"):]
	}
	if zhJobs.prefix(v) == v && v != "" {
		x.state("role", v, sure)
	} else if zhJobEnd(v) {
		x.state("role", v, likely)
	}
}

// device emits the use of a named product.
func (x *clauseText) device(v string) {
	v = trimTail(v)
	if v == "" || x.neg && !x.over || x.past || utf8.RuneCountInString(v) > 24 {
		return
	}
	if w := zhMakers.prefix(v); w != "" || firstRune(v) < 0x80 && v[0] >= 'A' && v[0] <= 'Z' {
		if i := strings.IndexFunc(v, isHan); w == "" && i > 2 && zhListed("activity", v[i:]) {
			v = strings.TrimSpace(v[:i]) // 用Keep健身
		}
		x.state("uses", v, likely)
	}
}

// attribute reads 我的邮箱是…, 其职业是….
func (x *clauseText) attribute() {
	x.cut("的")
	if x.neg || x.over {
		return
	}
	key, v := "", ""
	for _, w := range []string{"改成了", "改成", "变成了", "换成了", "就是", "名称是", "名称叫", "是在", "是", "叫做", "叫", "："} {
		if i := strings.Index(x.rest, w); i > 0 && (key == "" || i < len(key)) {
			key, v = x.rest[:i], x.rest[i+len(w):]
			if strings.HasPrefix(w, "改") || strings.HasPrefix(w, "换") || strings.HasPrefix(w, "变") {
				x.correction = true
			}
		}
	}
	v = trimTail(v)
	if key == "" || v == "" {
		return
	}
	at := x.d.tokenStart(x.at, v)
	m := x.mentionAt(at)
	typed := func(typ string) bool { return m != nil && m.Type == typ && m.Start == at }
	switch key {
	case "邮箱", "邮箱地址", "电子邮箱", "电子邮件", "邮件地址", "Email", "email":
		if typed(typeEmail) {
			x.emit(x.claim("email", m.Text))
		}
	case "电话", "电话号码", "手机号", "手机号码", "联系电话", "联系方式":
		if typed(typePhone) {
			x.emit(x.claim("phone", m.Text))
		}
	case "名字", "姓名", "全名":
		if zhPersonName(v) || v == x.name {
			x.named(v)
		}
	case "职业", "职位", "工作", "职务":
		x.correctionOnly()
		x.role(v)
	case "老家", "家乡":
		if p, ok := x.placeName(v); ok {
			x.state("lives_in", p, likely)
		}
	case "单位", "公司", "工作单位", "单位名称":
		if x.isOrg(v) {
			x.workplace(v)
		}
	case "兴趣爱好", "爱好", "兴趣":
		for _, item := range zhItems(v) {
			x.emit(x.claim("prefers_activity", item))
		}
	case "手机", "电脑", "车":
		if w := zhMakers.prefix(v); w != "" {
			x.emit(x.claim("owns", v))
		}
	}
}

// correctionOnly keeps a changed job from reading as a correction: jobs change.
func (x *clauseText) correctionOnly() {
	x.correction = x.correction && strings.Contains(x.d.Text[x.start:x.end], "改成")
}
