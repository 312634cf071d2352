package extract

import (
	"strings"
	"unicode/utf8"

	"github.com/asof-db/asof/dsl"
)

// events reads X的时间是T, X的地点是L, and a planned event that was moved.
func (x *clauseText) events() {
	if i := strings.Index(x.rest, "的时间是"); i > 0 {
		x.scheduled(x.rest[:i], x.at+i+len("的时间是"), "")
		return
	}
	if i := strings.Index(x.rest, "的地点是"); i > 0 && eventName(x.rest[:i]) {
		v := trimTail(x.rest[i+len("的地点是"):])
		if n := utf8.RuneCountInString(v); n >= 2 && n <= 12 {
			x.emit(claim{src: x.rest[:i], rel: "located_at", dst: v, start: x.start, end: x.end, confidence: sure})
		}
		return
	}
	for _, w := range []string{"时间改到了", "时间改成了", "时间改到", "时间改成", "改到了", "改在了", "改到", "改成了", "改成", "推迟到了", "推迟到", "提前到了", "提前到"} {
		i := strings.Index(x.rest, w)
		if i <= 0 {
			continue
		}
		name := strings.TrimSuffix(x.rest[:i], "的")
		x.scheduled(name, x.at+i+len(w), dsl.Correct)
		return
	}
}

// scheduled emits the time of a planned event; at is where the time starts.
func (x *clauseText) scheduled(name string, at int, change dsl.Change) {
	name = strings.TrimSpace(name)
	name, _ = cutAny(name, "其实", "不对", "对了", "那个", "我的", "我们的")
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
