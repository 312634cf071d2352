package extract

import (
	"strings"
	"unicode/utf8"

	"github.com/asof-db/asof/dsl"
)

// zhMoved are the words by which a plan gets another time or place.
var zhMoved = zhMovedWords()

func zhMovedWords() []string {
	var out []string
	for _, w := range []string{"时间改", "日期改", "改", "改期", "改约", "改签", "推迟", "延期", "延后", "延迟", "提前", "挪", "调整", "调", "推", "换", "移"} {
		for _, to := range []string{"到了", "到", "成了", "成", "在了", "在", "至"} {
			out = append(out, w+to)
		}
	}
	return out
}

// events reads X的时间是T, X的地点是L, and a planned event that was moved.
func (x *clauseText) events() {
	plain := dsl.Change("")
	if x.correction {
		plain = dsl.Correct
	}
	for _, w := range []string{"的时间是", "的日期是", "的时间应该是"} {
		if i := strings.Index(x.rest, w); i > 0 {
			x.scheduled(x.rest[:i], x.at+i+len(w), plain)
			return
		}
	}
	if i := strings.Index(x.rest, "的地点是"); i > 0 && eventName(x.rest[:i]) {
		x.placed(x.rest[:i], x.rest[i+len("的地点是"):], plain, sure)
		return
	}
	for _, w := range zhMoved {
		i := strings.Index(x.rest, w)
		if i <= 0 {
			continue
		}
		name := strings.TrimSuffix(x.rest[:i], "的")
		if v, ok := strings.CutSuffix(name, "地点"); ok {
			x.placed(strings.TrimSuffix(v, "的"), x.rest[i+len(w):], dsl.Correct, sure)
			return
		}
		for _, t := range []string{"的时间", "时间", "的日期", "日期"} {
			name = strings.TrimSuffix(name, t)
		}
		n := len(x.out)
		x.scheduled(name, x.at+i+len(w), dsl.Correct)
		if len(x.out) > n {
			return
		}
	}
	x.eventIs(plain)
}

// placed emits where a planned event will be.
func (x *clauseText) placed(name, v string, change dsl.Change, conf float64) {
	name, v = bareEvent(name), trimTail(v)
	if n := utf8.RuneCountInString(v); n < 2 || n > 12 || !eventName(name) {
		return
	}
	x.name, x.event = name, true
	x.emit(claim{src: name, rel: "located_at", dst: v, start: x.start, end: x.end, change: change, confidence: conf})
}

// eventIs reads 会议是周五, 婚礼在三亚, of an event of the list, where the sentence
// corrects or what follows takes another back.
func (x *clauseText) eventIs(plain dsl.Change) {
	s := bareEvent(x.rest)
	off := len(x.rest) - len(s)
	for _, w := range []string{"应该是在", "应该是", "是在", "是", "在"} {
		i := strings.Index(s, w)
		if i <= 0 || !zhListed("event", s[:i]) {
			continue
		}
		next := strings.TrimLeft(x.d.Text[x.end:min(len(x.d.Text), x.end+16)], "，, ")
		if !x.correction && !x.setsRight() && !startsAny(next, "不是", "而不是", "不在") {
			return
		}
		if x.setsRight() {
			plain = dsl.Correct
		}
		at := x.at + off + i + len(w)
		n := len(x.out)
		x.scheduled(s[:i], at, plain)
		if v := trimTail(s[i+len(w):]); len(x.out) == n && strings.HasSuffix(w, "在") && zhPlaces.prefix(v) == v && v != "" {
			x.placed(s[:i], v, plain, likely)
		}
		return
	}
}

// bareEvent drops what stands before the name of an event.
func bareEvent(name string) string {
	name = strings.TrimSpace(name)
	for range 4 {
		t, _ := cutAny(name, "其实", "不对", "对了", "更正", "那个", "这次", "我们决定把", "我们把", "我把", "把", "我的", "我们的", "我们")
		if t == name {
			break
		}
		name = t
	}
	return name
}

// scheduled emits the time of a planned event; at is where the time starts.
func (x *clauseText) scheduled(name string, at int, change dsl.Change) {
	name = bareEvent(name)
	t := x.timeAt(at)
	if !eventName(name) || t == nil || t.Start != at || !t.OnCalendar() || t.Value[0] == 'T' || t.To.Before(x.d.Local) {
		return
	}
	x.name, x.event = name, true
	x.emit(claim{src: name, rel: "scheduled_at", dst: t.Value, start: x.start, end: x.end, change: change, confidence: sure})
}

// eventName tells whether s can name an event.
func eventName(s string) bool {
	n := utf8.RuneCountInString(s)
	if n < 2 || n > 20 || strings.ContainsAny(s, "我你他她了吗") {
		return false
	}
	return true
}
