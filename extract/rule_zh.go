package extract

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/asof-db/asof/internal/phrase"
)

// stretch is a part of a Chinese sentence that asserts: neighbouring clauses, bytes
// [start, end) of the turn, and where each of them starts.
type stretch struct {
	start, end int
	clauses    []int
	correction bool
}

// ruleClause is a stretch as the patterns see it: places are bytes of the turn.
type ruleClause struct {
	*relater
	stretch
	r *rule
	// carried is whom the clause before spoke of, for one that names nobody.
	carried string
}

// Word gives the place after a word; adverbs, spaces and times before it do not count.
func (t *ruleClause) Word(w string, at int, first bool) int {
	for n := 0; n < 4; n++ {
		rest := t.d.Text[at:t.end]
		if strings.HasPrefix(rest, w) {
			return at + len(w)
		}
		if first {
			return -1
		}
		if w == "，" && strings.HasPrefix(rest, ",") {
			return at + 1
		}
		next := t.aside(at)
		if next == at {
			return -1
		}
		at = next
	}
	return -1
}

// zhAsides are words that colour a verb and change nothing of what it says.
var zhAsides = newZhIndex(append(slices.Clone(zhAdverbs), "平常", "一直以来", "向来", "总是", "天天", "每天", "常常", "常", "偶尔", "主要", "其实", "真心", "蛮", "十分", "相当", "尤其", "格外", "从小", "从小就", "打小", "这些年", "多年来", "最终", "总算", "恰好", "正好", "刚好", "一向", "老是", "可以说", "算是", "也算是", "正式", "成功", "顺利", "彻底", "已", "早", "又", "再次", "越来越", "业余", "业余时间", "闲暇时", "周末", "空闲时", "下班后", "休息时", "有空时"))

// aside gives the place after an adverb, a space or a time at a place.
func (t *ruleClause) aside(at int) int {
	rest := t.d.Text[at:t.end]
	for _, w := range zhAsides[firstRune(rest)] {
		if w != "是" && w != "好" && w != "可" && strings.HasPrefix(rest, w) {
			return at + len(w)
		}
	}
	if e := t.timeAt(at); e != nil && e.Start == at && e.End <= t.end {
		return e.End
	}
	return at
}

// Skip gives the place after two characters, so that * takes at most six.
func (t *ruleClause) Skip(at int) int {
	for range 2 {
		r, n := utf8.DecodeRuneInString(t.d.Text[at:t.end])
		if n == 0 || strings.ContainsRune("，,。！!；;：:、？?", r) {
			return -1
		}
		at += n
	}
	return at
}

// Starts tells whether a clause starts at a place, words that lead in aside.
func (t *ruleClause) Starts(at int) bool {
	k, found := slices.BinarySearch(t.clauses, at)
	if found {
		return true
	}
	if k == 0 {
		return false
	}
	from := t.clauses[k-1]
	if at-from > 48 {
		return false
	}
	for n := 0; n < 6 && from < at; n++ {
		next := t.aside(from)
		rest := t.d.Text[from:at]
		for _, w := range zhFillers {
			if next == from && strings.HasPrefix(rest, w) {
				next = from + len(w)
			}
		}
		if next == from {
			return false
		}
		from = next
	}
	return from == at
}

// zhTails may end a clause behind what it says.
var zhTails = []string{"之类的", "什么的", "等等", "而已", "好多年", "很多年", "多年", "好几年", "很久", "好久", "一段时间", "不久", "没多久", "好一阵子", "就行", "就好", "就可以", "来着", "了", "的", "啊", "呢", "吧", "呀", "哦", "啦", "哈", "嘛", "哟", "喔", "呗", " "}

// Ends tells whether the clause ends at a place, particles and times aside.
func (t *ruleClause) Ends(at int) bool {
	for n := 0; n < 5; n++ {
		rest := t.d.Text[at:t.end]
		if rest == "" || strings.ContainsRune("，,。！!；;：:～~—…）)”」", firstRune(rest)) {
			return true
		}
		next := at
		for _, w := range zhTails {
			if next == at && strings.HasPrefix(rest, w) {
				next = at + len(w)
			}
		}
		if next == at {
			if e := t.timeAt(at); e != nil && e.Start == at && e.End <= t.end {
				next = e.End
			}
		}
		if next == at {
			return false
		}
		at = next
	}
	return false
}

// maxValueRunes bounds the characters of a value.
const maxValueRunes = 16

// Values offers what a slot may take at a place.
func (t *ruleClause) Values(slot phrase.Slot, at int, first bool, ends []int) []int {
	kind := t.r.kindOf(slot)
	if kind == "src" {
		var who [maxReadings]whoZh
		for _, w := range t.whose(at, who[:0]) {
			ends = append(ends, w.end)
		}
		return ends
	}
	for n := 0; n < 3 && !first && kind != "time"; n++ {
		next := t.aside(at)
		if next == at || t.mentionAt(at) != nil {
			break
		}
		at = next
	}
	switch kind {
	case "time":
		if e := t.timeAt(at); e != nil && e.Start == at && e.End <= t.end && e.OnCalendar() && (slot.Name == "old" || e.To.After(t.d.Local)) {
			ends = append(ends, e.End)
		}
		return ends
	case "email", "phone":
		for n := 0; n < 2 && strings.ContainsRune("：: 是", firstRune(t.d.Text[at:t.end])); n++ {
			at += len(string(firstRune(t.d.Text[at:t.end])))
		}
		if m := t.mentionAt(at); m != nil && m.Start == at && m.End <= t.end && m.Type == map[string]string{"email": typeEmail, "phone": typePhone}[kind] {
			ends = append(ends, m.End)
		}
		return ends
	case "kin":
		if kin := zhKin.prefix(t.d.Text[at:t.end]); kin != "" {
			ends = append(ends, at+len(kin))
		}
		return ends
	}
	base := len(ends)
	ends = t.spans(kind, at, ends)
	if slots := t.r.pattern.Slots(); t.r.openEnd && kind != "name" && kind != "person" && slots[len(slots)-1].Name == slot.Name {
		// The last value goes to the end of its clause.
		kept := ends[:base]
		for _, end := range ends[base:] {
			if t.Ends(end) {
				kept = append(kept, end)
			}
		}
		ends = kept
	}
	return ends
}

// spans offers values of a kind of one character and more, a name first.
func (t *ruleClause) spans(kind string, at int, ends []int) []int {
	named := 0
	if m := t.mentionAt(at); m != nil && m.Start == at && m.End <= t.end && t.fits(kind, at, m.End) {
		named = m.End
		ends = append(ends, named)
	}
	end := at
	for n := 0; n < maxValueRunes && end < t.end; n++ {
		r, w := utf8.DecodeRuneInString(t.d.Text[end:t.end])
		if strings.ContainsRune("，,。！!；;：:？?～~…“”\"（）()\n", r) || r == utf8.RuneError {
			break
		}
		end += w
		if m := t.mentionAt(end - w); m != nil && m.End > end && m.Start > at && m.End <= t.end {
			end = m.End // a name is not cut
		}
		if next, _ := utf8.DecodeRuneInString(t.d.Text[end:t.end]); isLatin(r) && isLatin(next) {
			continue // a word in Latin letters is not cut
		}
		if end != named && t.fits(kind, at, end) {
			ends = append(ends, end)
		}
	}
	return ends
}

// fits tells whether bytes [a, b) can be a value of a kind.
func (t *ruleClause) fits(kind string, a, b int) bool {
	v := strings.TrimSpace(t.d.Text[a:b])
	n := utf8.RuneCountInString(v)
	if n == 0 {
		return false
	}
	m := t.mentionAt(a)
	whole := m != nil && m.Start == a && m.End == b
	x := clauseText{relater: t.relater, start: t.start, end: b, at: a, rest: t.d.Text[a:b]}
	switch kind {
	case "place":
		if whole && m.Type == typeLoc || zhPlaces.prefix(v) == v {
			return true
		}
		p, ok := x.placeName(v)
		return ok && p == v
	case "org":
		return whole && m.Type == typeOrg || x.isEmployer(v) || zhWorkplace(v)
	case "firm":
		return whole && m.Type == typeOrg || x.isEmployer(v) || n >= 2 && n <= 6 && zhPlaces.prefix(v) == "" && zhKin.prefix(v) == "" && t.timeAt(a) == nil &&
			!strings.ContainsAny(v, "我你您他她它的了在这那哪和跟家就也都又再不没给把被上下里外")
	case "school":
		return zhInstitution(v) && zhSchool(v) || whole && m.Type == typeOrg && zhSchool(v) || n == 2 && zhListed("school", v)
	case "role":
		bare, _ := cutAny(v, "一名", "一个", "一位", "名", "位", "个")
		return bare == v && (zhJobs.prefix(v) == v || zhJobEnd(v))
	case "person":
		return whole && m.Type == typePerson || n == 3 && zhPersonName(v)
	case "name":
		if whole && m.Type == typePerson {
			return true
		}
		if t.r.rel == "related_to" {
			if strings.HasSuffix(v, "人") || utf8.RuneCountInString(zhPlaces.prefix(v)) > 1 {
				return false // 武汉人
			}
			return zhPetName(v) || n == 3 && zhPersonName(v) && t.Ends(b)
		}
		return zhGivenName(v) || latinOnly(v) && v[0] >= 'A' && v[0] <= 'Z' && n <= 20
	case "owned", "thing":
		v = x.thingName(v)
		return n <= 12 && zhListed("own", v) && !strings.Contains(v, "或") && !strings.ContainsAny(v, "我你您他她它的了在跟把被给想要会能过")
	case "app", "used":
		if parts := splitAnd(v); len(parts) == 2 {
			at := strings.Index(v, parts[1])
			return t.fits(kind, a, a+len(parts[0])) && t.fits(kind, a+at, b)
		}
	}
	switch kind {
	case "app":
		return x.isApp(appName(v)) && v == appName(v)
	case "used":
		return x.isApp(v) || zhMakers.prefix(v) != "" && n <= 14 && (zhListed("own", v) || latinOnly(v[len(zhMakers.prefix(v)):])) || n <= 8 && (zhListed("own", v) || zhListed("tool", v)) && !strings.ContainsAny(v, "我你您他她它的了")
	case "event":
		return n >= 2 && n <= 12 && eventName(v) && (zhListed("event", v) || x.knownEvent(v)) && !strings.ContainsAny(v, "的是在有把，要去会得想约个参场次")
	case "liked":
		return n <= 14 && len(zhItems(v)) > 0 && !strings.ContainsAny(v, "你您我") && !strings.HasSuffix(v, "的") && !strings.Contains(v, "自己") && !strings.Contains(v, "或者") && !startsAny(v, "的", "上", "了", "过", "其中", "全都", "都")
	}
	return n <= 12 && !strings.ContainsAny(v, "我你您他她它了")
}

// zhWorkplace tells whether v is a common name of a place of work.
func zhWorkplace(v string) bool {
	return slices.Contains(zhLists["workplace"], v)
}

// zhSchool tells whether the name of an institution is that of a school.
func zhSchool(v string) bool {
	for _, w := range []string{"大学", "学院", "中学", "小学", "学校", "高中", "初中", "一中", "二中", "三中", "附中", "分校", "校区", "研究院", "职校", "技校", "北大", "清华", "复旦", "浙大", "交大", "人大", "南大", "武大", "中大", "川大", "厦大", "同济", "哈佛", "剑桥", "牛津", "耶鲁", "斯坦福", "麻省理工"} {
		if strings.HasSuffix(v, w) {
			return true
		}
	}
	return false
}

// zhPetName tells whether v is a name as those close to each other say it: 乐乐, 阿强,
// 小雯.
func zhPetName(v string) bool {
	r := []rune(v)
	if len(r) != 2 || !isHan(r[0]) || !isHan(r[1]) {
		return false
	}
	return r[0] == r[1] && !strings.ContainsRune("天常刚人个处渐慢偏仅往每时年月日星妈爸哥姐弟妹爷奶叔舅姑谢看说想走试听聊哈嘿呵玩逛吃喝坐跑跳打学做问查", r[0]) ||
		(r[0] == '阿' || r[0] == '小') && !strings.ContainsRune("的时心学区吃孩姨猪狗猫声型组伙路说提姐哥妹弟", r[1])
}

// zhGivenName tells whether v is a name as people call each other: 阿杰, 小鱼, 朵朵,
// or a surname and a given name.
func zhGivenName(v string) bool {
	n := utf8.RuneCountInString(v)
	if n < 2 || n > 4 || zhKin.prefix(v) == v {
		return false
	}
	for _, r := range v {
		if !isHan(r) || strings.ContainsRune("的了是在有很都不我你他她它这那谁就也们吗呢吧什么怎哪个", r) {
			return false
		}
	}
	return n <= 3 || strings.ContainsRune(zhSurnames, firstRune(v))
}

// zhOwners are the words by which a speaker starts to tell of what is theirs.
var zhOwners = []string{"我有个", "我有一个", "我有位", "我有一位", "我们家的", "我家的", "我们家", "我家", "我的", "我们的", "我们", "咱们", "咱", "我"}

// whoZh is whom a slot is about and where that ends.
type whoZh struct {
	name string
	end  int
}

// maxReadings bounds the ways of reading whom a slot is about.
const maxReadings = 8

// whose reads whom a slot is about at a place, several ways of reading it the best
// first, and appends them.
func (t *ruleClause) whose(at int, out []whoZh) []whoZh {
	rest := t.d.Text[at:t.end]
	speaker := t.d.Speaker
	m := t.mentionAt(at)
	if m != nil && m.Start == at && m.Type == typePerson && m.End <= t.end {
		out = append(out, whoZh{m.Text, m.End})
	}
	switch c := firstRune(rest); c {
	case '我', '咱':
		return t.ownOf(at, rest, out)
	case '你', '您':
		if (t.r.rel == "lives_in" || t.r.rel == "works_at" || t.r.rel == "studies_at") && !isAssistant(t.d.Listener) && !strings.HasPrefix(rest, "你们") {
			out = append(out, whoZh{t.d.Listener, at + len("你")})
		}
		return out
	case '他', '她':
		for _, c := range t.d.Corefs {
			if c.Start == at {
				out = append(out, whoZh{c.RefersTo, at + len("他")})
			}
		}
		return out
	}
	if kin := zhKin.prefix(rest); kin != "" && utf8.RuneCountInString(kin) >= 2 && t.Starts(at) {
		out = append(out, whoZh{speaker + "/" + kin, at + len(kin)})
	}
	// Whom the clause before spoke of; that one is called something says who it is.
	if t.carried != "" && !((t.r.rel == "name" || t.r.rel == "phone" || t.r.rel == "email") && t.carried == speaker) && t.Starts(at) {
		out = append(out, whoZh{t.carried, at})
	}
	return out
}

// ownOf reads "I" and those of mine at a place, each way of reading it.
func (t *ruleClause) ownOf(at int, rest string, out []whoZh) []whoZh {
	for _, head := range zhOwners {
		own, ok := strings.CutPrefix(rest, head)
		if !ok {
			continue
		}
		from := t.end - len(own)
		kin := zhKin.prefix(own)
		if kin == "" {
			if !strings.HasSuffix(head, "的") && !strings.HasPrefix(head, "我有") && !strings.HasPrefix(own, "们") {
				out = append(out, whoZh{t.d.Speaker, from})
			}
			continue
		}
		end := from + len(kin)
		if m := t.mentionAt(end); m != nil && m.Start == end && m.Type == typePerson && m.End <= t.end {
			out = append(out, whoZh{m.Text, m.End})
		}
		out = append(out, whoZh{t.d.Speaker + "/" + kin, end})
	}
	return out
}

// phrasesZh runs the patterns of the lists and of the configuration over the stretches
// of the turn that assert.
func (r *relater) phrasesZh(all []stretch) {
	for i := range all {
		r.ruledZh(&all[i], rulesZh)
		if own := r.d.Registry.rules["zh"]; own != nil {
			r.ruledZh(&all[i], own)
		}
	}
}

// subjectOf gives whom a clause that starts at a byte names, "" where it names nobody.
func (t *ruleClause) subjectOf(at int) string {
	var who [maxReadings]whoZh
	t.carried = ""
	for n := 0; n < 5; n++ {
		if all := t.whose(at, who[:0]); len(all) > 0 {
			return all[0].name
		}
		next := t.aside(at)
		rest := t.d.Text[at:t.end]
		for _, w := range zhFillers {
			if next == at && strings.HasPrefix(rest, w) {
				next = at + len(w)
			}
		}
		if next == at {
			return ""
		}
		at = next
	}
	return ""
}

// maxCueLead bounds the bytes between the start of a match and its cue.
const maxCueLead = 60

// ruledZh runs a set of rules over a stretch.
func (r *relater) ruledZh(s *stretch, all *rules) {
	carried := make([]string, 0, len(s.clauses))
	tried, clause := 0, -1
	t := &ruleClause{relater: r, stretch: *s}
	for at := s.start; at < s.end && tried < 200; {
		for clause+1 < len(s.clauses) && s.clauses[clause+1] <= at {
			clause++
			before := ""
			if clause > 0 {
				before = carried[clause-1]
			}
			t.r = noRule
			if who := t.subjectOf(s.clauses[clause]); who != "" {
				before = who
			}
			carried = append(carried, before)
		}
		rest := r.d.Text[at:s.end]
		for _, w := range all.cues[firstRune(rest)] {
			if !strings.HasPrefix(rest, w) {
				continue
			}
			for _, u := range all.byCue[w] {
				tried++
				t.r = u
				r.tryRuleZh(t, at, clause, carried)
			}
		}
		_, n := utf8.DecodeRuneInString(rest)
		at += n
	}
}

// noRule stands where no rule is asked about.
var noRule = &rule{src: -1, dst: -1}

// tryRuleZh looks for a match of the rule that holds the cue at a byte.
func (r *relater) tryRuleZh(t *ruleClause, cue, clause int, carried []string) {
	p := t.r.pattern
	words, listed := p.Opens()
	subject := t.r.src == 0 && !t.r.eventful && p.SlotFirst()
	k := max(0, clause-1)
	for from := max(t.clauses[k], cue-maxCueLead); from <= cue; {
		for k+1 < len(t.clauses) && t.clauses[k+1] <= from {
			k++
		}
		c, n := utf8.DecodeRuneInString(t.d.Text[from:])
		switch {
		case !utf8.RuneStart(t.d.Text[from]):
		case listed && !startsAny(t.d.Text[from:t.end], words...):
		case subject && !t.mayBeSubject(from, c):
		case p.AtStart() && !t.Starts(from):
		default:
			if t.carried = ""; k > 0 {
				t.carried = carried[k-1]
			}
			if end, ok := r.matcher.Match(p, t, from); ok && end > cue && t.holds(from, end) {
				r.sayZh(t.r, t, from, end)
				return
			}
		}
		from += n
	}
}

// mayBeSubject tells whether a subject of a pattern may start at a place with the
// character c, or be left out there.
func (t *ruleClause) mayBeSubject(at int, c rune) bool {
	switch c {
	case '我', '咱', '你', '您', '他', '她':
		return true
	}
	if m := t.mentionAt(at); m != nil && m.Start == at {
		return true
	}
	return t.Starts(at)
}
