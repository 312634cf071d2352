package extract

import (
	"strings"
	"unicode/utf8"

	"github.com/asof-db/asof/dsl"
)

// zhMeasures stand between a number and a thing; the value of one thing drops
// them.
var zhMeasures = []string{"一只", "一条", "一台", "一部", "一辆", "一个", "一套", "一把", "一双", "一件", "一间", "一家", "一架", "一款", "一张", "一栋", "一匹", "一盆", "一副", "一块", "一枚", "一头", "一支", "一根", "一顶", "一艘", "一幅", "一本", "一瓶", "一对", "一串", "一组", "一批", "一座", "一处", "一株", "一棵", "一束", "一箱"}

// owns emits a possession: a thing whose head the list knows.
func (x *clauseText) owns(acquired bool) {
	if x.past || acquired && (x.neg || x.over) {
		return
	}
	v := trimTail(x.rest)
	v, _ = cutAny(v, zhMeasures...)
	v, _ = cutAny(v, "自己的", "双", "台", "辆")
	v, _ = cutAny(v, "新的", "新")
	if strings.ContainsAny(v, "的给") && !strings.Contains(v, "叫") || utf8.RuneCountInString(v) > 16 {
		return
	}
	for _, item := range zhItems(v) {
		item, _ = cutAny(item, zhMeasures...)
		item, _ = cutAny(item, "新的", "新")
		head, _, _ := strings.Cut(item, "叫")
		if !zhListed("own", head) {
			return
		}
		c := x.claim("owns", item)
		if acquired && x.when != nil {
			c.valid = validity{}.since(x.when)
		}
		if x.neg {
			c.negative = true
			c.valid = validity{}
			if strings.HasSuffix(x.d.Text[:x.end], "了") {
				c.negative, c.change = false, dsl.End
			}
		}
		x.emit(c)
	}
}

// disposed emits the end of a possession.
func (x *clauseText) disposed(v string) {
	v = trimTail(v)
	v, _ = cutAny(v, "我的", "我那", "自己的", "我")
	v, _ = cutAny(v, zhMeasures...)
	for _, p := range []string{"辆", "台", "部", "只", "条"} {
		v = strings.TrimPrefix(v, p)
	}
	v, _ = cutAny(v, "旧")
	if x.neg || x.past || !zhListed("own", v) || utf8.RuneCountInString(v) > 10 {
		return
	}
	c := x.claim("owns", v)
	c.change, c.valid = dsl.End, validity{}
	if x.when != nil {
		c.valid = validity{}.until(x.when, x.d.TS)
	}
	x.emit(c)
}
