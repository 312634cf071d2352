package extract

import (
	"strings"

	"github.com/asof-db/asof/internal/analyze"
)

// zhAsksFor are the words of a question and the relation that an answer in a few words
// gives; the first that the question holds counts.
var zhAsksFor = []struct{ words, rel, kind string }{
	{"贵姓", "name", "person"}, {"怎么称呼", "name", "name"}, {"叫什么名字", "name", "name"}, {"你叫什么", "name", "name"}, {"你的名字", "name", "name"}, {"您叫什么", "name", "name"},
	{"你住哪", "lives_in", "place"}, {"住在哪", "lives_in", "place"}, {"住哪", "lives_in", "place"}, {"你是哪里人", "lives_in", "place"}, {"哪里人", "lives_in", "place"}, {"哪儿人", "lives_in", "place"}, {"老家在哪", "lives_in", "place"}, {"老家是哪", "lives_in", "place"}, {"在哪个城市", "lives_in", "place"}, {"家在哪", "lives_in", "place"}, {"来自哪", "lives_in", "place"},
	{"在哪上班", "works_at", "org"}, {"在哪儿上班", "works_at", "org"}, {"在哪里上班", "works_at", "org"}, {"在哪工作", "works_at", "org"}, {"在哪里工作", "works_at", "org"}, {"在哪儿工作", "works_at", "org"}, {"哪家公司", "works_at", "org"}, {"什么公司", "works_at", "org"}, {"什么单位", "works_at", "org"},
	{"在哪上学", "studies_at", "school"}, {"在哪读书", "studies_at", "school"}, {"哪个大学", "studies_at", "school"}, {"哪所大学", "studies_at", "school"}, {"什么学校", "studies_at", "school"}, {"哪个学校", "studies_at", "school"}, {"哪所学校", "studies_at", "school"}, {"在哪里上学", "studies_at", "school"}, {"在哪里读书", "studies_at", "school"},
	{"做什么工作", "role", "role"}, {"是做什么的", "role", "role"}, {"什么工作", "role", "role"}, {"什么职业", "role", "role"}, {"职业是什么", "role", "role"}, {"干什么的", "role", "role"}, {"干哪行", "role", "role"}, {"从事什么", "role", "role"},
	{"邮箱", "email", "email"}, {"电话", "phone", "phone"}, {"手机号", "phone", "phone"}, {"号码", "phone", "phone"},
	{"爱吃什么", "likes", "liked"}, {"喜欢吃什么", "likes", "liked"}, {"爱喝什么", "likes", "liked"}, {"喜欢喝什么", "likes", "liked"}, {"什么爱好", "likes", "liked"}, {"爱好是什么", "likes", "liked"}, {"兴趣是什么", "likes", "liked"}, {"什么兴趣", "likes", "liked"}, {"喜欢做什么", "likes", "liked"}, {"喜欢什么", "likes", "liked"}, {"最喜欢的", "likes", "liked"}, {"喜欢听什么", "likes", "liked"}, {"喜欢看什么", "likes", "liked"}, {"喜欢哪", "likes", "liked"}, {"平时都做什么", "likes", "liked"}, {"平时喜欢", "likes", "liked"},
	{"养宠物", "owns", "owned"}, {"养了什么", "owns", "owned"}, {"有宠物", "owns", "owned"}, {"养猫", "owns", "owned"}, {"养狗", "owns", "owned"},
	{"用什么手机", "uses", "used"}, {"用什么软件", "uses", "used"}, {"用什么app", "uses", "used"}, {"用什么App", "uses", "used"}, {"用什么", "uses", "used"}, {"用的什么", "uses", "used"},
}

// zhAnswers are words in front of an answer.
var zhAnswers = []string{"我现在", "我住在", "我在", "我是", "我叫", "我的", "我", "嗯", "哦", "是", "在", "叫", "做", "主要是", "主要", "一般", "应该是", "大概是", "就是", "就", "现在", "目前", "平时", "当然是", "当然", "免贵姓", "养了", "养的是", "有", "喜欢", "最喜欢", "最爱", "最近", "用的是", "用", "吃", "喝", "听", "看"}

// questionBeforeZh gives what the question that ends the turn before asks of the
// speaker: a relation and the kind of value that answers it; ok is false where it asks
// nothing that is known here.
func (r *relater) questionBeforeZh() (rel, kind string, ok bool) {
	d := r.d
	if len(d.Previous) == 0 {
		return "", "", false
	}
	last := &d.Previous[len(d.Previous)-1]
	if who, err := last.Speaker.Open(); err != nil || who != "" && analyze.NormalizeName(who) == analyze.NormalizeName(d.Speaker) {
		return "", "", false
	}
	text, err := last.Text.Open()
	if err != nil {
		return "", "", false
	}
	text = strings.TrimRight(text[max(0, len(text)-maxQuestion):], " ")
	if !strings.HasSuffix(text, "？") && !strings.HasSuffix(text, "?") && !strings.HasSuffix(text, "呢") && !strings.HasSuffix(text, "吗") {
		return "", "", false
	}
	text = strings.TrimRight(text, "？? ")
	if i := strings.LastIndexAny(text, "。！!？?\n"); i >= 0 {
		text = text[i:]
	}
	for _, a := range zhAsksFor {
		if strings.Contains(text, a.words) {
			return a.rel, a.kind, true
		}
	}
	return "", "", false
}

// answerZh reads a first clause that answers the question before in a few words: 厦门。
func (r *relater) answerZh(all []stretch) {
	if len(all) == 0 || len(r.out) > 0 {
		return
	}
	rel, kind, ok := r.questionBeforeZh()
	if !ok {
		return
	}
	u := &rule{id: "zh/answer/" + rel, rel: rel, what: kind, src: -1, dst: 0, old: -1, kin: -1, time: -1, confidence: likely}
	t := &ruleClause{relater: r, stretch: all[0], r: u}
	for k, at := range t.clauses[:min(3, len(t.clauses))] {
		for range 6 {
			end := t.end
			if k+1 < len(t.clauses) {
				end = t.clauses[k+1]
			}
			for b := end; b > at; b-- {
				v := strings.TrimRight(t.d.Text[at:b], "，,。 ")
				if v == "" || at+len(v) != b || !t.fits(kind, at, b) || !t.Ends(b) {
					continue
				}
				c := claim{src: r.d.Speaker, rel: rel, start: at, end: b, confidence: likely, rule: u.id}
				t.say(u, c, v)
				return
			}
			next := t.aside(at)
			for _, w := range zhAnswers {
				if next == at && strings.HasPrefix(t.d.Text[at:t.end], w) {
					next = at + len(w)
				}
			}
			if next == at {
				break
			}
			at = next
		}
	}
}
