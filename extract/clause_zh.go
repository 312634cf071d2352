package extract

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/asof-db/asof/dsl"
)

// clauseText is a Chinese clause on its way through the patterns: a suffix of
// the clause's text and where that starts in the turn.
type clauseText struct {
	*relater
	start, end int // bytes of the clause
	at         int // where rest starts
	rest       string
	// tasted tells that the clause told a like, list that it gives examples of the
	// one before.
	tasted, list bool
	// said tells that the clause is read.
	said bool
	// event tells that name is an event and no subject of a further clause.
	event bool
	// who is spoken of; self and listener as in English.
	name           string
	self, listener bool
	// neg, over and past are what stands before the verb; mine tells that the
	// owner is said ("我的").
	neg, over, past bool
	correction      bool
	valid           validity
	when            *TimeExpr
}

// maxClause bounds the bytes of a clause that the patterns read.
const maxClause = 400

// zhBlocked are words that make a clause no assertion.
var zhBlocked = []string{"如果", "要是", "假如", "假设", "倘若", "希望", "是不是", "有没有", "会不会", "能不能", "是否", "吗", "听说", "据说", "好像", "也许", "或许", "说不定", "万一", "除非", "似乎", "哪", "什么", "怎么", "多少", "谁"}

// zhCorrections are words by which a sentence says that it corrects.
var zhCorrections = []string{"说错了", "说错", "准确地说", "准确来说", "确切地说", "严格来说", "更正", "纠正", "记错了", "写错了", "打错了", "搞错了", "弄错了", "给错", "我是说", "不对", "口误", "才对", "计划有变"}

// chinese runs the patterns over every Chinese clause that asserts.
func (r *relater) chinese() {
	var last clauseText // the clause before, for a subject that is left out
	blocked := false
	correction, lone := false, false
	also, denied := "", ""
	var asserted []stretch
	r.opinion()
	for _, c := range zhClauses(r.d) {
		if c.fresh {
			blocked = false
			// 说错了。 corrects by the next sentence.
			correction = correction && lone
			lone = true
			last, denied = clauseText{}, ""
		}
		if c.end-c.start > maxClause || c.question || r.d.quoted(c.start) {
			last = clauseText{}
			continue
		}
		s := r.d.Text[c.start:c.end]
		for _, w := range zhBlocked[:5] {
			blocked = blocked || strings.Contains(s, w)
		}
		flagged := false
		for _, w := range zhCorrections {
			flagged = flagged || strings.Contains(s, w)
		}
		correction = correction || flagged
		lone = lone && flagged
		skip := blocked
		told := strings.ReplaceAll(s, "没什么", "没") // which asks nothing
		for _, w := range zhBlocked {
			skip = skip || strings.Contains(told, w)
		}
		if skip {
			last = clauseText{}
			continue
		}
		x := clauseText{relater: r, start: c.start, end: c.end, at: c.start, rest: s, correction: correction}
		asserted = addClause(asserted, c, correction)
		if x.takesBack(&last) {
			continue
		}
		if old := x.onlyDenies(); old != "" {
			denied = old
			continue
		}
		before := len(x.out)
		x.events()
		x.fillers()
		n := len(x.out)
		if !x.event && x.overs() {
			last = x
			continue
		}
		if !x.event {
			x.turnsOf()
			if x.said {
				x.name, x.self = r.d.Speaker, true
			}
		}
		if !x.event && !x.said && len(x.out) == n && x.subject(&last) {
			x.modifiers()
			x.planned()
			x.predicate()
			if also != "" && x.self && x.tasted {
				x.fond(also) // 除了X，我也喜欢Y
			}
		}
		also, _ = between(s+"$", "除了", "之外", "以外", "$")
		if denied != "" && len(x.out) == before+1 {
			x.putRight(denied)
		}
		denied = ""
		last = x
	}
	r.phrasesZh(asserted)
	r.answerZh(asserted)
}

// addClause adds a clause that asserts to the stretch before it, or starts another.
func addClause(told []stretch, c zhClause, correction bool) []stretch {
	if n := len(told); n > 0 && !c.fresh && c.start-told[n-1].end <= 6 && len(told[n-1].clauses) < 12 {
		t := &told[n-1]
		t.clauses, t.end, t.correction = append(t.clauses, c.start), c.end, t.correction || correction
		return told
	}
	return append(told, stretch{start: c.start, end: c.end, clauses: []int{c.start}, correction: correction})
}

// skip moves past n bytes.
func (x *clauseText) skip(n int) {
	x.at += n
	x.rest = x.rest[n:]
}

// cut moves past the first of the words that the rest starts with.
func (x *clauseText) cut(words ...string) bool {
	for _, w := range words {
		if strings.HasPrefix(x.rest, w) {
			x.skip(len(w))
			return true
		}
	}
	return false
}

// cutTime moves past a time expression.
func (x *clauseText) cutTime() *TimeExpr {
	if t := x.timeAt(x.at); t != nil && t.Start == x.at && t.End <= x.end {
		x.skip(t.End - x.at)
		return t
	}
	return nil
}

var zhFillers = []string{"其实", "不过", "但是", "可是", "然后", "所以", "而且", "另外", "因为", "虽然", "是的", "是啊", "对了", "当然啦", "当然", "说实话", "老实说", "除此之外", "顺便说一下", "顺便", "事实上", "实际上", "幸好", "原来", "不对", "哦", "嗯", "啊", "哈哈", "哈", "那", "但", "唉", "哎", "对", "我是说", "更正一下", "更正", "说起来", "以前", "之前", "曾经", "小时候", "从小就", "我觉得", "我发现", "谢谢", " "}

// fillers moves past words that lead in, and notes a time or "before".
func (x *clauseText) fillers() {
	for range 8 {
		if strings.HasPrefix(x.rest, "以前") || strings.HasPrefix(x.rest, "之前") || strings.HasPrefix(x.rest, "曾经") {
			x.past = true
		}
		if x.cut(zhFillers...) {
			continue
		}
		if x.sinceTime() {
			continue
		}
		if x.pointOrRange() {
			continue
		}
		return
	}
}

// pointOrRange moves past a time, or a range of two: 2020年到2022年.
func (x *clauseText) pointOrRange() bool {
	t := x.cutTime()
	if t == nil {
		return false
	}
	if !t.OnCalendar() {
		return true
	}
	save := *x
	if x.cut("到", "至") {
		if u := x.cutTime(); u != nil && u.OnCalendar() {
			x.valid = x.valid.since(t).until(u, x.d.TS)
			return true
		}
		*x = save
	}
	x.when = t
	return true
}

// sinceTime reads 从2019年起, 自2019年以来.
func (x *clauseText) sinceTime() bool {
	save := *x
	if !x.cut("自从", "从", "自") {
		return false
	}
	t := x.cutTime()
	if t == nil || !t.OnCalendar() {
		*x = save
		return false
	}
	x.cut("开始", "以来", "起", "以后", "之后")
	x.valid = x.valid.since(t)
	return true
}

// subject reads who the clause speaks of.
func (x *clauseText) subject(last *clauseText) bool {
	speaker := x.d.Speaker
	switch {
	case x.cut("我们家", "我们", "我家住", "我", "咱们", "咱"):
		if strings.HasSuffix(x.d.Text[:x.at], "我家住") {
			x.at -= len("住")
			x.rest = "住" + x.rest
		}
		save := *x
		x.cut("的")
		if kin := zhKin.prefix(x.rest); kin != "" {
			x.skip(len(kin))
			x.name = speaker + "/" + kin
			x.nameAfterKin(kin)
			x.cut("他们", "她们", "他", "她")
			return true
		}
		*x = save
		x.name, x.self = speaker, true
		return true
	case strings.HasPrefix(x.rest, "你们") || strings.HasPrefix(x.rest, "您们"):
		return false
	case x.cut("你", "您"):
		if isAssistant(x.d.Listener) {
			return false
		}
		x.name, x.listener = x.d.Listener, true
		return true
	case strings.HasPrefix(x.rest, "他们") || strings.HasPrefix(x.rest, "她们"):
		return false
	case strings.HasPrefix(x.rest, "他") || strings.HasPrefix(x.rest, "她"):
		for _, c := range x.d.Corefs {
			if c.Start == x.at && c.Subject != "" {
				x.skip(len("他"))
				x.name = c.Subject
				return true
			}
		}
		return false
	case last.tasted && x.cut("像", "比如", "例如"):
		x.name, x.self, x.list = last.name, last.self, true
		return true
	case last.name != "" && x.cut("其"):
		x.name = last.name
		x.rest = "的" + x.rest // read on as 他的
		x.at -= len("的")
		return true
	}
	if m := x.mentionAt(x.at); m != nil && m.Start == x.at && m.Type == typePerson && m.End <= x.end {
		x.skip(len(m.Text))
		x.name = m.Text
		return true
	}
	if kin := zhKin.prefix(x.rest); kin != "" {
		for _, v := range []string{"的", "在", "喜欢", "叫", "是", "住", "特别", "很", "最"} {
			if strings.HasPrefix(x.rest[len(kin):], v) {
				x.skip(len(kin))
				x.name = speaker + "/" + kin
				return true
			}
		}
	}
	// A subject left out is that of the clause before.
	if last.name != "" && !last.listener && !last.event {
		for _, v := range []string{"现在", "搬", "也", "还", "住在", "在", "喜欢", "不喜欢", "讨厌", "改", "买了", "养了", "已经", "后来", "去年", "如今", "而是"} {
			if strings.HasPrefix(x.rest, v) {
				x.name, x.self, x.listener = last.name, last.self, last.listener
				return true
			}
		}
	}
	return false
}

// nameAfterKin reads the name in 我妹妹李梅.
func (x *clauseText) nameAfterKin(kin string) {
	m := x.mentionAt(x.at)
	if m == nil || m.Start != x.at || m.Type != typePerson || m.End > x.end {
		return
	}
	x.skip(len(m.Text))
	x.name = m.Text
	x.emit(claim{src: x.d.Speaker, rel: "related_to", dst: m.Text, relation: kin, start: x.start, end: x.at, confidence: sure})
}

var zhAdverbs = []string{"早就", "早已", "现在", "目前", "已经", "一直", "确实", "真的", "其实", "非常", "特别", "超级", "比较", "平时", "从来", "刚刚", "终于", "后来", "如今", "最近", "基本上", "一般", "经常", "也", "还", "都", "就", "真", "很", "特", "超", "最", "挺", "更", "又", "刚", "是", "好", "则", "却", "可", " "}

// modifiers reads what stands before the verb.
func (x *clauseText) modifiers() {
	for range 10 {
		switch {
		case x.cut("再也不", "不再", "已经不", "没再", "不怎么"):
			x.over = true
		case strings.HasPrefix(x.rest, "不是") && !strings.HasPrefix(x.rest, "不是很"):
			x.cut("不是")
			x.neg = true
		case x.cut("并不", "不太", "不", "没"):
			x.neg = true
		case x.cut("以前", "之前", "曾经", "原来", "过去"):
			x.past = true
		case strings.HasPrefix(x.rest, "是") && !x.plainIs():
			return
		case x.sinceTime():
		case x.cut(zhAdverbs...):
		default:
			if !x.pointOrRange() {
				return
			}
		}
	}
}

// plainIs tells whether 是 only stresses the verb: 我是住在上海.
func (x *clauseText) plainIs() bool {
	rest := strings.TrimPrefix(x.rest, "是")
	for _, v := range []string{"住在", "在", "喜欢", "搬"} {
		if strings.HasPrefix(rest, v) {
			return true
		}
	}
	return false
}

// claim starts a claim about a value at byte at of the turn.
func (x *clauseText) claim(rel, dst string) claim {
	c := claim{src: x.name, rel: rel, dst: dst, start: x.start, end: x.end, confidence: sure, valid: x.valid}
	if x.correction {
		c.change = dsl.Correct
	}
	return c
}

// state emits a state: denied, over, or asserted; "before" alone is no fact.
func (x *clauseText) state(rel, dst string, conf float64) {
	c := x.claim(rel, dst)
	c.confidence = conf
	gone := strings.HasSuffix(x.d.Text[:x.end], "了")
	switch {
	case x.over || x.neg && gone:
		c.change = dsl.End
		c.valid = validity{}
		if x.when != nil {
			c.valid = validity{}.until(x.when, x.d.TS)
		}
	case x.neg:
		c.negative = true
		c.valid = validity{}
	case x.past:
		if x.when == nil {
			c.change = dsl.End
			c.valid = validity{}
			break
		}
		c.valid = validity{}.since(x.when).until(x.when, x.d.TS)
	case x.setsRight() && c.valid == (validity{}) && x.d.Registry.Functional(rel):
		c.change = dsl.Correct
	}
	x.emit(c)
}

// setsRight tells that the clause begins with 其实 and tells of no change in the
// world: what was said before was then never so.
func (x *clauseText) setsRight() bool {
	s := strings.TrimSpace(x.d.Text[x.start:x.end])
	return strings.HasPrefix(s, "其实") && !strings.ContainsAny(s, "搬换调转跳了")
}

// takesBack reads a clause that corrects the one before it: 不是北京 after 我住在上海,
// 而是住在上海 after 我不是住在北京. It changes the candidate and tells so.
func (x *clauseText) takesBack(last *clauseText) bool {
	n := len(x.out)
	if n == 0 || last.name == "" || x.out[n-1].Span == nil || x.out[n-1].Span.Start != last.start {
		return false
	}
	prev := &x.out[n-1]
	s := strings.TrimSpace(x.rest)
	if rest, ok := cutAny(s, "而不是", "并不是", "不是", "不用", "不叫", "不在", "不姓"); ok && prev.Polarity == dsl.Positive && prev.Change != dsl.End {
		old := x.oldValue(prev, rest)
		if old == "" {
			return false
		}
		for i := n - 1; i >= 0 && i >= n-2; i-- {
			// 我哥哥叫李雷: the name and who bears it.
			if c := &x.out[i]; c.Span != nil && c.Span.Start == last.start && c.Dst == prev.Dst {
				c.Change, c.Corrects = dsl.Correct, dsl.Plain(old)
				c.Span.End = x.end
			}
		}
		return true
	}
	rest, ok := cutAny(s, "而是", "是")
	like := last.neg && prev.Rel == "dislikes" && prev.Change == dsl.Assert
	if !ok || prev.Polarity != dsl.Negative && !like {
		return false
	}
	old := prev.Dst
	y := *x
	y.rest, y.at = rest, x.start+strings.Index(x.rest, rest)
	y.name, y.self = last.name, last.self
	if prev.Rel == "persona.role" {
		y.role(trimTail(rest))
	} else {
		y.predicate()
	}
	if len(y.out) == n+1 && (y.out[n].Rel == prev.Rel || like) {
		k := y.out[n]
		k.Change, k.Corrects = dsl.Correct, old
		k.Span.Start = last.start
		x.out = append(y.out[:n-1], k)
		return true
	}
	x.relater.out = x.out[:n]
	return false
}

// oldValue gives the value in v that a statement takes back.
func (x *clauseText) oldValue(c *Relation, v string) string {
	v, _ = cutAny(v, "住在", "在", "喜欢", "叫", "用", "养", "买", "是")
	v = strings.TrimSpace(v)
	if c.Rel != "works_at" && c.Rel != "lives_in" {
		v = trimTail(v)
	} else {
		v = strings.TrimSuffix(v, "了")
	}
	if c.Rel == "owns" {
		if w, ok := cutAny(v, zhMeasures...); ok && w != "" {
			v = w
		}
	}
	if n := utf8.RuneCountInString(v); n == 0 || n > 12 && !strings.ContainsAny(v, "@0123456789") || n > 40 || strings.Contains(v, "我") {
		return ""
	}
	if c.DstKind == dsl.TimeInstant {
		t := x.timesIn(x.start, x.end)
		if len(t) != 1 {
			return ""
		}
		return sameWeek(&t[0], c.Dst.String())
	}
	return v
}

// sameWeek gives the value of a time; a bare weekday is one of the week of the date
// that it is set against: 改到下周五，不是周四.
func sameWeek(t *TimeExpr, beside string) string {
	if len(t.Value) != len(time.DateOnly) || !startsAny(t.Text, "周", "星期", "礼拜") {
		return t.Value
	}
	day, err := time.Parse(time.DateOnly, beside)
	if err != nil {
		return t.Value
	}
	at, err := time.Parse(time.DateOnly, t.Value)
	if err != nil {
		return t.Value
	}
	return day.AddDate(0, 0, isoWeekday(at)-isoWeekday(day)).Format(time.DateOnly)
}

// onlyDenies gives the value of a clause that says no more than what is not so:
// 不是滴滴, before 我在美团工作.
func (x *clauseText) onlyDenies() string {
	s := strings.TrimSpace(x.rest)
	v, ok := cutAny(s, "不是在", "不是")
	if n := utf8.RuneCountInString(v); !ok || n == 0 || n > 8 || strings.ContainsAny(v, "的了我你他她很太吧吗") {
		return ""
	}
	return v
}

// putRight makes the last candidate correct a value that was denied before it.
func (x *clauseText) putRight(old string) {
	c := &x.out[len(x.out)-1]
	if c.Polarity != dsl.Positive || c.Change == dsl.End || !c.Corrects.IsZero() {
		return
	}
	switch {
	case c.DstKind == dsl.TimeInstant:
		all := x.timesIn(max(0, x.start-64), x.start)
		for i := range all {
			if t := &all[i]; strings.HasPrefix(t.Text, old) || strings.HasPrefix(old, t.Text) {
				old = sameWeek(t, c.Dst.String())
				c.Change, c.Corrects = dsl.Correct, dsl.Plain(old)
			}
		}
	case c.Dst.String() != old && (c.Rel == "uses" || c.Rel == "owns" || c.Rel == "persona.role" || x.d.Registry.Functional(c.Rel)):
		c.Change, c.Corrects = dsl.Correct, dsl.Plain(old)
	}
}

// trimTail drops particles from the end of a value.
func trimTail(s string) string {
	for {
		t := strings.TrimSpace(s)
		for _, p := range []string{"之类的", "什么的", "等等", "了", "啊", "呢", "吧", "呀", "哦", "啦", "哈", "等", "嘛", "的", "哟", "喔"} {
			t = strings.TrimSuffix(t, p)
		}
		if t == s {
			return s
		}
		s = t
	}
}
