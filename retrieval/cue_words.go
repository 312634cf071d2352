package retrieval

import (
	"strings"
	"sync"

	"github.com/asof-db/asof/internal/analyze"
)

const timeWords = `
yesterday today tonight tomorrow last next ago week weekend month year day night morning evening recently
monday tuesday wednesday thursday friday saturday sunday
january february march april may june july august september october november december
昨天 今天 明天 前天 后天 昨晚 今晚 上周 下周 这周 本周 周末 上个 下个 个月 上月 下月 月前 周前 天前 年前 去年 今年 明年 星期 最近 刚刚
`

const numberWords = `
one two three four five six seven eight nine ten eleven twelve dozen hundred thousand once twice first second third several couple few
一次 两次 三次 一个 两个 三个 四个 五个 六个 几个 第一 第二 第三 两年 三年 五年 一天 两天 三天 一周 两周 三周
`

// timeTerms are words that say when, as the analysis gives them.
var timeTerms = sync.OnceValue(func() map[string]bool { return termSet(timeWords) })

// numberTerms are words that say how many.
var numberTerms = sync.OnceValue(func() map[string]bool { return termSet(numberWords) })

func termSet(words string) map[string]bool {
	var a analyze.Analyzer
	set := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		for _, t := range a.Terms(nil, w) {
			set[t] = true
		}
	}
	return set
}
