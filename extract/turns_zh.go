package extract

import (
	"strings"
	"unicode/utf8"
)

// turnsOf reads clauses whose subject is no "I" in front: "X是我的最爱", "我对X的热爱",
// "我有多喜欢X", "我住的小区叫X", "我用的X是Y".
func (x *clauseText) turnsOf() {
	s := x.rest
	if i := strings.Index(s, "是"); i > 0 {
		if after := s[i+len("是"):]; startsAny(after, "我的最爱", "我最爱", "我最喜欢的", "我特别喜欢的", "我非常喜欢的", "我很喜欢的", "我喜欢的", "我钟爱的") && !strings.Contains(after, "之一的") {
			v := strings.TrimSpace(s[:i])
			v, _ = cutAny(v, "不过", "但是", "但", "而且", "那", "当然")
			x.favoured(v, x.d.Speaker)
			return
		} else if strings.HasPrefix(after, "它的最爱") {
			if who := x.petMeant(); who != "" {
				x.favoured(strings.TrimSpace(s[:i]), who)
			}
			return
		}
	}
	if rest, ok := cutAny(s, "我最喜欢的", "我最爱的", "我喜欢的"); ok {
		// 我最喜欢的音乐是爵士乐
		if i := strings.Index(rest, "是"); i > 0 && utf8.RuneCountInString(rest[:i]) <= 4 && !strings.ContainsAny(rest[:i], "不人") {
			n := len(x.out)
			x.fond(rest[i+len("是"):])
			for j := n; j < len(x.out); j++ {
				if x.out[j].Rel == "likes" {
					x.out[j].Rel = x.d.Registry.Canonical(zhKindOf(rest[:i]))
				}
			}
			x.said = len(x.out) > n
			return
		}
	}
	if v, ok := between(s, "对", "的热爱", "的热情"); ok && strings.Contains(s, "我") && !strings.Contains(s, "他对") && !strings.Contains(s, "你对") && !strings.Contains(s, "你们") {
		x.fond(v)
		return
	}
	if v, ok := between(s, "对", "充满热情", "充满了热情"); ok && strings.Contains(s[:strings.Index(s, "对")], "我") && !strings.Contains(s, "你") {
		x.fond(v)
		return
	}
	for _, w := range []string{"我有多喜欢", "我有多爱", "我多么喜欢", "我为什么喜欢"} {
		if i := strings.Index(s, w); i >= 0 {
			x.fond(s[i+len(w):])
			return
		}
	}
	for _, w := range []string{"我们这", "我们", "我"} {
		rest, ok := cutAny(s, w)
		if !ok {
			continue
		}
		if e := homeEnd(rest); w == "我们这" && e > 0 {
			x.residence(rest[:e])
			return
		}
		break
	}
	if i := strings.Index(s, "我住的"); i >= 0 {
		rest, _ := cutAny(s[i+len("我住的"):], "那个", "这个")
		named := false
		for _, w := range []string{"小区叫", "小区是", "小区名叫", "地方叫", "地方是", "社区叫", "社区是"} {
			if v, ok := cutAny(rest, w); ok {
				rest, named = v, true
			}
		}
		if v := trimTail(rest); named && utf8.RuneCountInString(v) <= 8 {
			x.residence(v)
		} else if e := homeEnd(rest); e > 0 {
			x.residence(rest[:e])
		}
		return
	}
	x.inUse()
}

// zhKindOf gives the relation of a favourite by the word for its kind.
func zhKindOf(w string) string {
	switch {
	case zhListed("music", w) || strings.HasSuffix(w, "歌手") || strings.HasSuffix(w, "乐队"):
		return "prefers_music"
	case zhListed("food", w) || strings.HasSuffix(w, "食物") || strings.HasSuffix(w, "美食") || strings.HasSuffix(w, "饮料") || strings.HasSuffix(w, "口味"):
		return "prefers_food"
	case zhListed("activity", w) || strings.HasSuffix(w, "爱好") || strings.HasSuffix(w, "事"):
		return "prefers_activity"
	}
	return "likes"
}

// homeEnds are endings of the names of housing estates.
var homeEnds = []string{"小区", "花园", "家园", "公寓", "新村", "社区"}

// homeEnd gives the end of the estate's name that v starts with, or 0.
func homeEnd(v string) int {
	for _, e := range homeEnds {
		if i := strings.Index(v, e); i > 0 && utf8.RuneCountInString(v[:i]) <= 6 && !strings.ContainsAny(v[:i], "的个那这，是") {
			return i + len(e)
		}
	}
	return 0
}

func (x *clauseText) residence(v string) {
	x.emit(claim{src: x.d.Speaker, rel: "lives_in", dst: v, start: x.start, end: x.end, confidence: likely})
}

// favoured emits the like of a value, for whom.
func (x *clauseText) favoured(v, who string) {
	if n := utf8.RuneCountInString(v); n < 2 || n > 14 || strings.ContainsAny(v, "我你您他她它这那哪") {
		return
	}
	x.emit(claim{src: who, rel: zhLikedAs(v), dst: v, start: x.start, end: x.end, confidence: likely})
}

// fond emits the likes that a noun tells: 我对舞蹈和时尚的热爱.
func (x *clauseText) fond(v string) {
	save := x.name
	x.name = x.d.Speaker
	x.taste("likes", v)
	x.name = save
}

// petMeant gives the one name that "it" may mean: of this turn or the one before.
func (x *clauseText) petMeant() string {
	name := ""
	for i := len(x.d.Previous) - 1; i >= max(0, len(x.d.Previous)-1); i-- {
		text, err := x.d.Previous[i].Text.Open()
		if err != nil {
			return ""
		}
		// The last name that the turn before asked for.
		p := &Document{Text: text, Speaker: x.d.Speaker, Listener: x.d.Listener, Registry: x.d.Registry, Memory: x.d.Memory, tokens: tokenize(text)}
		p.quotes = quoteRanges(p.tokens)
		for _, m := range (ruleEntities{}).ExtractEntities(p) {
			if m.Type == typePerson && m.Text != x.d.Speaker && m.Text != x.d.Listener {
				name = m.Text
			}
		}
	}
	return name
}

// inUse reads 我用的(手机)是X, 我家用的空调是X.
func (x *clauseText) inUse() {
	s, ok := cutAny(x.rest, "我家里", "我家", "我手里", "我平时", "我手机", "我")
	if !ok {
		return
	}
	s, _ = cutAny(s, "平时", "现在", "一直", "常")
	rest, ok := cutAny(s, "用的", "在用的", "使用的", "穿的")
	if !ok {
		return
	}
	i := strings.Index(rest, "是")
	if i < 0 || utf8.RuneCountInString(rest[:i]) > 6 || strings.HasSuffix(trimSpaceEnd(rest), "的") {
		return
	}
	v := trimTail(rest[i+len("是"):])
	if n := utf8.RuneCountInString(v); n < 2 || n > 24 || strings.ContainsAny(v, "我你您他她它，") {
		return
	}
	if strings.HasSuffix(v, "的") || strings.HasSuffix(v, "系列") && !strings.ContainsFunc(v, isLatin) {
		return
	}
	if zhMakers.prefix(v) == "" && !strings.ContainsFunc(v, isLatin) && i == 0 {
		return
	}
	c := claim{src: x.d.Speaker, rel: "uses", dst: v, start: x.start, end: x.end, confidence: likely}
	x.emit(c)
	x.said = true
}

func trimSpaceEnd(s string) string { return strings.TrimRight(s, " ") }

func isLatin(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

func startsAny(s string, all ...string) bool {
	for _, w := range all {
		if strings.HasPrefix(s, w) {
			return true
		}
	}
	return false
}

// between gives what stands between a and the first of the ends after it.
func between(s, a string, ends ...string) (string, bool) {
	i := strings.Index(s, a)
	if i < 0 {
		return "", false
	}
	for _, e := range ends {
		if j := strings.Index(s[i:], e); j > len(a) {
			return s[i+len(a) : i+j], true
		}
	}
	return "", false
}

// experienced are words by which a turn about a product tells of one's own use.
var experienced = []string{"用起来", "用了之后", "用着", "用下来", "穿上", "穿起来", "穿着", "我用", "一天得充", "平时用", "得充", "拍照", "制冷", "充两次", "涂在"}

// opinion reads a turn that opens with a named product and tells how it is to use
// it: that product is in use.
func (r *relater) opinion() {
	s := r.d.Text
	brand := zhMakers.prefix(s)
	if brand == "" {
		return
	}
	e := len(brand)
	if strings.HasPrefix(s[e:], "的") && e+len("的") < len(s) && isLatin(firstRune(s[e+len("的"):])) {
		e += len("的")
	}
	m := e
	for m < len(s) && (isLatin(rune(s[m])) || (s[m] == '-' || s[m] == ' ') && m+1 < len(s) && isLatin(rune(s[m+1]))) {
		m++
	}
	if m == e {
		// A thing of the list: 格力空调.
		best := 0
		for _, w := range zhLists["own"] {
			if strings.HasPrefix(s[e:], w) && len(w) > best && utf8.RuneCountInString(w) > 1 {
				best = len(w)
			}
		}
		if best == 0 {
			return
		}
		m = e + best
	}
	rest := s[m:]
	if startsAny(rest, "是我", "吗", "怎么", "和", "与") {
		return
	}
	own := false
	for _, w := range experienced {
		own = own || strings.Contains(rest[:min(len(rest), maxClause)], w)
	}
	if !own || strings.Contains(rest[:min(len(rest), maxClause)], "听说") {
		return
	}
	r.emit(claim{src: r.d.Speaker, rel: "uses", dst: s[:m], start: 0, end: m, confidence: likely})
}

// planned reads 我下个月要筹办一个X, 今天晚上我去看电影: what is planned and when.
func (x *clauseText) planned() {
	if x.when == nil || !x.self || x.neg || x.past || !x.when.To.After(x.d.Local) || x.when.Value == "" || x.when.Value[0] == 'T' {
		return
	}
	v := x.rest
	if strings.HasSuffix(x.d.Text[:x.end], "了") || strings.HasSuffix(v, "过") {
		return
	}
	v, must := cutAny(v, "要", "会", "打算", "计划", "准备", "将要", "将", "得", "需要")
	v, _ = cutAny(v, "去")
	for _, w := range []string{"和", "跟", "与"} {
		if strings.HasPrefix(v, w) {
			if i := strings.Index(v, "一起"); i > 0 {
				v = v[i+len("一起"):]
				v, _ = cutAny(v, "去")
			}
		}
	}
	held, ok := cutAny(v, "筹办", "举办", "参加", "举行", "主持", "出席", "办")
	if ok {
		held, _ = cutAny(held, "一个", "一场", "一次", "个", "场", "次")
		v = held
	} else if !must && !strings.HasPrefix(x.rest, "去") {
		return
	}
	v = strings.TrimSpace(trimTail(v))
	if n := utf8.RuneCountInString(v); n < 2 || n > 14 || strings.ContainsAny(v, "我你您他她它吗什么了过") {
		return
	}
	x.emit(claim{src: v, rel: "scheduled_at", dst: x.when.Value, start: x.start, end: x.end, confidence: likely})
}
