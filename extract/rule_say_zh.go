package extract

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/asof-db/asof/dsl"
)

// zhOpen are words before a statement that leave it open or another's.
var zhOpen = []string{"想", "可能", "考虑", "建议", "劝", "说", "希望", "梦", "差点", "以为", "估计", "推荐", "问", "应该", "假装", "本来", "打听", "祝", "愿", "难道", "别", "帮", "请", "让", "替"}

// zhPast are words by which a state is told as past.
var zhPast = []string{"以前", "曾经", "过去", "之前", "从前", "原来", "原先", "小时候", "那时候", "当时", "那会儿", "早年"}

// holds tells whether the match in bytes [a, b) says what its rule says: nothing before
// it in its clause leaves it open, no state is told as past, and none is denied that
// the end of the clause says is over.
func (t *ruleClause) holds(a, b int) bool {
	k, found := slices.BinarySearch(t.clauses, a)
	if !found {
		k--
	}
	before := t.d.Text[t.clauses[k]:a]
	for _, w := range zhOpen {
		if strings.Contains(before, w) {
			return false
		}
	}
	if t.r.change != dsl.Assert {
		return true
	}
	said := t.d.Text[t.clauses[k]:b]
	for _, w := range zhPast {
		if strings.Contains(said, w) && !t.r.negative {
			return false
		}
	}
	rest, _, _ := strings.Cut(t.d.Text[b:t.end], "，")
	over := strings.HasSuffix(said, "了") || strings.HasPrefix(rest, "了")
	return !(over && (strings.Contains(said, "不") || strings.Contains(said, "没")))
}

// sayZh emits what a match of the rule in bytes [a, b) says.
func (r *relater) sayZh(u *rule, t *ruleClause, a, b int) {
	who := t.d.Speaker
	text := func(slot int) string {
		x, y := r.matcher.Value(slot)
		for n := 0; n < 3 && x < y; n++ {
			next := t.aside(x)
			if next == x || next >= y || t.mentionAt(x) != nil || u.kindOf(u.pattern.Slots()[slot]) == "time" {
				break
			}
			x = next
		}
		return strings.TrimSpace(t.d.Text[x:y])
	}
	if u.src >= 0 {
		x, y := r.matcher.Value(u.src)
		if u.kindOf(u.pattern.Slots()[u.src]) == "event" {
			who = text(u.src)
		} else {
			var all [maxReadings]whoZh
			for _, w := range t.whose(x, all[:0]) {
				if w.end == y {
					who = w.name
					break
				}
			}
		}
	}
	c := claim{src: who, rel: u.rel, change: u.change, negative: u.negative, start: a, end: b, confidence: u.confidence, rule: u.id}
	if t.correction && u.change == dsl.Assert {
		c.change = dsl.Correct
	}
	c.valid = t.when(u, a, b)
	if u.kin >= 0 {
		kin := text(u.kin)
		if u.rel == "related_to" {
			c.relation = kin
		} else if u.src < 0 && u.rel != "owns" {
			c.src = t.d.Speaker + "/" + kin
		}
	}
	if u.dst < 0 {
		c.dst, c.valid = Past, validity{}
		r.emit(c)
		return
	}
	value := func(slot int) string {
		if u.kindOf(u.pattern.Slots()[slot]) == "time" {
			x, _ := r.matcher.Value(slot)
			if e := r.timeAt(x); e != nil {
				return e.Value
			}
		}
		if k := u.kindOf(u.pattern.Slots()[slot]); k == "email" || k == "phone" {
			x, y := r.matcher.Value(slot)
			for i := x; i < y; i++ {
				if m := r.mentionAt(i); m != nil && m.Start >= x && m.End <= y {
					return m.Text
				}
			}
		}
		return text(slot)
	}
	if u.old >= 0 && u.change == dsl.Correct {
		c.corrects = value(u.old)
		if day, _, ok := strings.Cut(value(u.dst), "T"); ok && u.what == "time" && strings.HasPrefix(c.corrects, "T") {
			c.corrects = day + c.corrects
		}
	}
	if u.change == dsl.Assert && t.setsRight(a) && c.valid == (validity{}) && (u.rel == "role" || u.rel == "email" || u.rel == "phone" || r.d.Registry.Functional(u.rel)) {
		c.change = dsl.Correct
	}
	t.say(u, c, value(u.dst))
}

// setsRight tells that the clause of a byte begins with 其实 and tells of no change in
// the world.
func (t *ruleClause) setsRight(at int) bool {
	k, found := slices.BinarySearch(t.clauses, at)
	if !found {
		k--
	}
	x := clauseText{relater: t.relater, start: t.clauses[k], end: t.end}
	if k+1 < len(t.clauses) {
		x.end = t.clauses[k+1]
	}
	return x.setsRight()
}

// when gives what the clause says about when.
func (t *ruleClause) when(u *rule, a, b int) (v validity) {
	if u.what == "time" {
		return v
	}
	k, found := slices.BinarySearch(t.clauses, a)
	if !found && k > 0 {
		k--
	}
	end := t.end
	if k+1 < len(t.clauses) {
		end = t.clauses[k+1]
	}
	for _, e := range t.timesIn(t.clauses[k], max(end, b)) {
		switch {
		case e.OnCalendar() && e.Value[0] != 'T' && u.change == dsl.End:
			return v.until(&e, t.d.TS)
		case e.OnCalendar() && e.Value[0] != 'T' && u.began:
			return v.since(&e)
		case e.Type == typeDuration && u.change == dsl.Assert && e.Start >= a:
			if back := grainBack(t.d.Local, e.Value); back != "" {
				x := TimeExpr{Value: back}
				x.From, x.To, _ = calendarSpan(back, t.d.Local.Location())
				return v.since(&x)
			}
		}
	}
	return v
}

// say emits a claim about a value, or about each of a list of them.
func (t *ruleClause) say(u *rule, c claim, v string) {
	kind := u.what
	if u.pattern != nil {
		kind = u.kindOf(u.pattern.Slots()[u.dst])
	}
	switch kind {
	case "liked":
		for _, item := range zhItems(v) {
			k := c
			k.rel, k.dst = u.rel, item
			if u.rel == "likes" {
				k.rel, k.dst = zhLiked(item)
			} else if u.rel == "dislikes" {
				_, k.dst = zhLiked(item)
			}
			t.emit(k)
		}
	case "owned":
		for _, item := range splitAnd(v) {
			k := c
			k.dst = t.ownedName(item)
			t.emit(k)
		}
	case "used", "app":
		for _, p := range strings.FieldsFunc(v, func(r rune) bool { return r == '、' }) {
			for _, item := range splitAnd(p) {
				k := c
				k.dst = appName(item)
				t.emit(k)
			}
		}
	case "name":
		c.dst = v
		if u.rel == "name" && c.src == v {
			return
		}
		t.emit(c)
		if owner, kin, ok := strings.Cut(c.src, "/"); ok && u.rel == "name" && c.change != dsl.End && !c.negative {
			k := c
			k.src, k.rel, k.relation = owner, "related_to", kin
			t.emit(k)
		}
	default:
		c.dst = v
		t.emit(c)
	}
}

// ownedName gives a thing without the measure of one, "new" and whose it is.
func (t *ruleClause) ownedName(v string) string {
	x := clauseText{relater: t.relater}
	v = x.thingName(v)
	v, _ = cutAny(v, zhMeasures...)
	v, _ = cutAny(v, "新的", "新")
	return v
}

// zhLiked gives the relation of a liked value and the value without the verb that its
// kind makes plain: 吃火锅 is food, 听爵士乐 music.
func zhLiked(item string) (rel, v string) {
	rel = zhLikedAs(item)
	if w, ok := cutAny(item, "吃", "喝"); ok && utf8.RuneCountInString(w) >= 2 && w != "东西" && w != "辣的" && w != "甜的" {
		return "prefers_food", w
	}
	if w, ok := cutAny(item, "听"); ok && utf8.RuneCountInString(w) >= 2 && w != "音乐" && w != "歌曲" && zhListed("music", w) {
		return "prefers_music", w
	}
	return rel, item
}
